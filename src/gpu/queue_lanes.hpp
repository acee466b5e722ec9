// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/driver.hpp"

namespace ringlet::gpu {

/// Words [begin, end) of a buffer that work reads or writes.
struct Access {
  const Buffer* buffer = nullptr;  ///< Null for every word of every buffer.
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool is_write = false;

  static Access whole(const Buffer& buffer, bool is_write);
  static Access everything() { return {.is_write = true}; }
};

/// The owner of the memory, which lanes call when the driver finds no memory for a call.
class OutOfMemoryHandler {
 public:
  /// Lets go of memory that is not in use.
  virtual void release_unused() noexcept = 0;
  /// Reports that `call` found no memory even after release_unused().
  /// @throws OutOfDeviceMemory.
  [[noreturn]] virtual void refuse(const std::string& call, const std::string& driver_says) = 0;

 protected:
  ~OutOfMemoryHandler() = default;
};

/// The queues of a device, among which its work is divided (Zhai et al., section III-C: explicit
/// scaling to several tiles). Callers submit work with the words that it reads and writes. All work
/// takes effect as if it ran in the order of submission: before a lane gets work, its words are
/// compared with those of work on other lanes. Where both touch a word that at least one of them
/// writes, the lane waits for an event of the other. The host waits for nothing. With one lane
/// nothing is compared, and the driver gets nothing but the work itself.
///
/// Each lane has a clock: how much work of every other lane comes before its next work, by its own
/// waits and by those of lanes that it waited for. So no lane waits for an event twice, and work
/// that precedes the next work of all other lanes is forgotten.
///
/// A call that finds no memory is repeated once, after unused memory was given back and all lanes
/// are done: some drivers find memory for a buffer only at its first use.
///
/// Not synchronised: one thread at a time.
class QueueLanes {
 public:
  static constexpr std::size_t kMostLanes = 16;
  /// Accesses that a lane keeps before all lanes are joined.
  static constexpr std::size_t kMostAccesses = 256;

  /// Makes `count` lanes, 1 to kMostLanes. Each is on its own part of the device if the device
  /// divides into so many equal parts and is not in use yet. Otherwise all are on the whole device.
  /// `memory` outlives the lanes.
  /// @throws as DriverDevice::make_queue.
  QueueLanes(DriverDevice& device, std::size_t count, bool timing, OutOfMemoryHandler& memory);
  ~QueueLanes();
  QueueLanes(const QueueLanes&) = delete;
  QueueLanes& operator=(const QueueLanes&) = delete;

  std::size_t count() const noexcept { return lanes_.size(); }
  /// Whether each lane is on its own part of the device.
  bool is_on_parts() const noexcept { return is_on_parts_; }

  /// Runs work(queue) on the lane that has to wait for the fewest others, and among those on the
  /// lane that was given the fewest words. What `work` submits goes to this queue alone and touches
  /// only `accesses`. A buffer that a launch names and `accesses` do not counts as read as a whole.
  /// @throws what `work` throws, or as Queue::record and Queue::wait_for; nothing was submitted
  ///         then except by `work`.
  template <typename Work>
  void submit(std::span<const Access> accesses, const Work& work) {
    const Submission submission(*this, accesses);
    work(submission.queue());
  }
  /// Submits work as submit() does, but on lane `lane`.
  template <typename Work>
  void submit_to(std::size_t lane, std::span<const Access> accesses, const Work& work) {
    const Submission submission(*this, lane, accesses);
    work(submission.queue());
  }
  /// Runs work(queue) for work whose accesses are unknown: it comes after all earlier work and
  /// before all later work. What `work` itself submits to these lanes goes to its queue.
  template <typename Work>
  decltype(auto) submit_alone(const Work& work) {
    const Alone alone(*this);
    return work(alone.queue());
  }
  /// Runs download(queue), which waits for the words of `access` alone, and not for work of other
  /// lanes that does not touch them.
  /// @throws RuntimeError if work failed that the words depend on, on any lane.
  template <typename Download>
  void download(const Access& access, const Download& download) {
    const std::size_t lane = choose_lane({&access, 1});
    hand_over_all_but(lane);
    submit_to(lane, {&access, 1}, download);
    finished(lane);
  }

  /// Returns the number of parts of work on `limb_count` limbs, one for each of the first lanes.
  std::size_t part_count(std::size_t limb_count) const noexcept;

  /// Waits for all work of all lanes. @throws RuntimeError if work failed.
  void finish();
  /// Gives unused memory back and waits for all work: a driver gets memory when work on it is done.
  /// @throws as finish().
  void recover();
  /// Checks the work that came before the last submit_alone(), which is done.
  /// @throws RuntimeError if some of that work failed.
  void check() const;

 private:
  class Lane;
  using Clock = std::array<std::uint64_t, kMostLanes>;

  /// Opens a piece of work of a lane; the destructor ends it.
  class Submission {
   public:
    Submission(QueueLanes& lanes, std::span<const Access> accesses);
    Submission(QueueLanes& lanes, std::size_t lane, std::span<const Access> accesses);
    ~Submission();
    Submission(const Submission&) = delete;
    Submission& operator=(const Submission&) = delete;
    Queue& queue() const noexcept;

   private:
    Lane& lane_;
    bool is_tracked_;
  };
  class Alone {
   public:
    explicit Alone(QueueLanes& lanes);
    ~Alone();
    Alone(const Alone&) = delete;
    Alone& operator=(const Alone&) = delete;
    Queue& queue() const noexcept;

   private:
    QueueLanes& lanes_;
  };

  /// Whether lanes keep accesses.
  bool is_tracking() const noexcept { return lanes_.size() > 1 && alone_depth_ == 0; }
  Clock conflicts_with(std::span<const Access> accesses) const noexcept;
  std::size_t choose_lane(std::span<const Access> accesses) const noexcept;
  void begin(Lane& lane, std::span<const Access> accesses);
  void touch(Lane& lane, std::span<const Access> accesses);
  void order_after(Lane& lane, Lane& earlier);
  void join();
  void hand_over_all_but(std::size_t lane);
  void finished(std::size_t lane);
  void settle(const Lane& done) noexcept;
  void forget_what_all_come_after(Lane& lane) const noexcept;
  OutOfMemoryHandler& memory_;
  bool is_on_parts_ = false;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::size_t alone_depth_ = 0;
};

}  // namespace ringlet::gpu
