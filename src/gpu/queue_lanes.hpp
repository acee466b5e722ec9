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

/// What lanes ask of the owner of the memory when the driver finds none for a call.
class OutOfMemoryHandler {
 public:
  /// Lets go of memory that is not in use.
  virtual void release_unused() noexcept = 0;
  /// Reports that `call` found no memory in spite of that.
  /// @throws OutOfDeviceMemory.
  [[noreturn]] virtual void refuse(const std::string& call, const std::string& driver_says) = 0;

 protected:
  ~OutOfMemoryHandler() = default;
};

/// The queues of a device, among which its work is divided (Zhai et al., section III-C: explicit
/// scaling to several tiles). Work is submitted with the words that it reads and writes, and takes
/// effect as if all came one after the other in the order of submission: before work is given to a
/// lane, its words are compared with those that other lanes have been given, and where both touch a
/// word that at least one of them writes, the lane waits for an event of the other. The host waits
/// for nothing. With one lane there is nothing to compare, and the driver is asked for nothing but
/// the work itself.
///
/// For each lane a clock says how much of every other lane comes before its next work, by its own
/// waits and by those of lanes that it waited for: no event is waited for twice, and what all other
/// lanes come after is forgotten.
///
/// A call that finds no memory is repeated once, after memory that is not in use was given back and
/// all lanes are done: some drivers find memory for a buffer only when it is first used.
///
/// Not synchronised: one thread at a time.
class QueueLanes {
 public:
  static constexpr std::size_t kMostLanes = 16;
  /// Accesses that are kept of a lane before all lanes are joined.
  static constexpr std::size_t kMostAccesses = 256;

  /// `count` lanes, at least one, at most kMostLanes: each on its own part of the device if it
  /// divides into so many of equal size and is not in use yet, else all on the whole device.
  /// `memory` outlives them.
  /// @throws as DriverDevice::make_queue.
  QueueLanes(DriverDevice& device, std::size_t count, bool timing, OutOfMemoryHandler& memory);
  ~QueueLanes();
  QueueLanes(const QueueLanes&) = delete;
  QueueLanes& operator=(const QueueLanes&) = delete;

  std::size_t count() const noexcept { return lanes_.size(); }
  /// Whether each lane is on its own part of the device.
  bool is_on_parts() const noexcept { return is_on_parts_; }

  /// Runs work(queue), which submits work that touches `accesses` at most, on the lane that has to
  /// wait for the fewest others, and of those on the one that was given the fewest words. Buffers
  /// that a launch names and `accesses` do not are taken as read, all of them. `work` submits to
  /// this queue alone.
  /// @throws what `work` throws, or as Queue::record and Queue::wait_for; nothing was submitted
  ///         then but what `work` did.
  template <typename Work>
  void submit(std::span<const Access> accesses, const Work& work) {
    const Submission submission(*this, accesses);
    work(submission.queue());
  }
  /// The same on a lane of one's choice.
  template <typename Work>
  void submit_to(std::size_t lane, std::span<const Access> accesses, const Work& work) {
    const Submission submission(*this, lane, accesses);
    work(submission.queue());
  }
  /// Runs work(queue) for work of which nothing is known: it comes after all that was submitted
  /// before, and before all that comes later. What `work` itself submits here goes to its queue.
  template <typename Work>
  decltype(auto) submit_alone(const Work& work) {
    const Alone alone(*this);
    return work(alone.queue());
  }
  /// Runs download(queue), which waits for the words of `access` alone, and not for work of other
  /// lanes that does not touch them.
  /// @throws RuntimeError if work failed that the words depend on, on whatever lane.
  template <typename Download>
  void download(const Access& access, const Download& download) {
    const std::size_t lane = choose_lane({&access, 1});
    hand_over_all_but(lane);
    submit_to(lane, {&access, 1}, download);
    finished(lane);
  }

  /// Parts into which work on `limb_count` limbs is divided, one for each of the first lanes.
  std::size_t part_count(std::size_t limb_count) const noexcept;

  /// Waits for all work of all lanes. @throws RuntimeError if work failed.
  void finish();
  /// Gives memory back that is not in use: a driver has it when the work on it is done.
  /// @throws as finish().
  void recover();
  /// Looks at what comes before the last work that was submitted alone, which is done.
  /// @throws RuntimeError if some of it failed.
  void check() const;

 private:
  class Lane;
  using Clock = std::array<std::uint64_t, kMostLanes>;

  /// The time of one piece of work.
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

  /// Whether accesses are kept at all.
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
