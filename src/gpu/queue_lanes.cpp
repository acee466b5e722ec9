// SPDX-License-Identifier: Apache-2.0
#include "gpu/queue_lanes.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <limits>
#include <utility>

#include "base/assert.hpp"
#include "base/text.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/gpu/device.hpp"

namespace ringlet::gpu {
namespace {

bool touch_the_same(const Access& a, const Access& b) noexcept {
  if (!a.is_write && !b.is_write) return false;
  if (a.buffer == nullptr || b.buffer == nullptr) return true;
  return a.buffer == b.buffer && a.begin < b.end && b.begin < a.end;
}

/// Returns `count` parts of equal size of a device; none if it does not divide so.
std::vector<std::shared_ptr<DriverDevice>> split(DriverDevice& device, std::size_t count) {
  const DeviceProperties& properties = device.properties();
  if (count == 1 || properties.largest_partition < count || properties.compute_units % count != 0) {
    return {};
  }
  try {
    return device.split(count);
  } catch (const IndivisibleDevice&) {
    return {};  // it divides in other ways than this one
  } catch (const LogicError&) {
    return {};  // it is in use as a whole
  }
}

}  // namespace

Access Access::whole(const Buffer& buffer, bool is_write) {
  return {&buffer, 0, std::numeric_limits<std::uint64_t>::max(), is_write};
}

/// One queue, and the order between it and the others.
class QueueLanes::Lane final : public Queue {
 public:
  struct Entry {
    Access access;
    std::uint64_t position;
  };

  Lane(QueueLanes& lanes, std::size_t lane_index, std::unique_ptr<Queue> lane_queue)
      : index(lane_index), queue(std::move(lane_queue)), lanes_(lanes) {}

  void launch(const Kernel& kernel, const Grid& grid,
              std::span<const Argument> arguments) override {
    if (is_open && lanes_.is_tracking()) note_others(arguments);
    attempt([&] { queue->launch(kernel, grid, arguments); },
            [&] { return concat("launch of ", kernel.name()); });
  }
  void upload(const Buffer& target, std::size_t offset,
              std::span<const std::byte> source) override {
    attempt([&] { queue->upload(target, offset, source); },
            [&] { return concat("upload of ", source.size(), " bytes"); });
  }
  void download(std::span<std::byte> target, const Buffer& source, std::size_t offset) override {
    attempt([&] { queue->download(target, source, offset); },
            [&] { return concat("download of ", target.size(), " bytes"); });
  }
  void copy(const Buffer& target, std::size_t target_offset, const Buffer& source,
            std::size_t source_offset, std::size_t bytes) override {
    attempt([&] { queue->copy(target, target_offset, source, source_offset, bytes); },
            [&] { return concat("copy of ", bytes, " bytes"); });
  }
  void clear(const Buffer& target, std::size_t offset, std::size_t bytes) override {
    attempt([&] { queue->clear(target, offset, bytes); },
            [&] { return concat("clearing of ", bytes, " bytes"); });
  }
  std::shared_ptr<Event> record() override {
    std::shared_ptr<Event> recorded;
    attempt([&] { recorded = queue->record(); }, [] { return "event"; });
    return recorded;
  }
  void wait_for(const Event& other) override {
    attempt([&] { queue->wait_for(other); }, [] { return "order of two queues"; });
  }
  void flush() override { queue->flush(); }
  void finish() override { queue->finish(); }

  /// Returns the last piece of work that the host has submitted completely.
  std::uint64_t submitted() const noexcept { return is_open ? position - 1 : position; }

  std::size_t index;
  std::unique_ptr<Queue> queue;
  bool is_open = false;        ///< Work may still be submitted at `position`.
  std::uint64_t position = 0;  ///< Pieces of work so far.
  std::uint64_t words = 0;     ///< Given to this lane.
  Clock clock{};               ///< Work of other lanes that comes before the next of this one.
  /// For each other lane an event behind the work that `clock` counts; null once it was seen done.
  std::array<std::shared_ptr<Event>, kMostLanes> behind;
  std::shared_ptr<Event> event;      ///< Behind all work of this lane; null if there is none yet.
  std::vector<Entry> entries;        ///< Oldest first.
  std::vector<const Buffer*> named;  ///< By the work at `position`.

 private:
  /// Repeats a call that found no memory, once. Such a call has submitted nothing.
  template <typename Call, typename Name>
  void attempt(const Call& call, const Name& name) {
    try {
      return call();
    } catch (const OutOfDeviceMemory&) {
      lanes_.recover();
    }
    try {
      call();
    } catch (const OutOfDeviceMemory& error) {
      lanes_.memory_.refuse(name(), error.offending());
    }
  }

  void note_others(std::span<const Argument> arguments) {
    for (const Argument& argument : arguments) {
      const Buffer* const buffer = argument.buffer;
      if (buffer == nullptr || std::ranges::find(named, buffer) != named.end()) continue;
      const Access access = Access::whole(*buffer, false);
      lanes_.touch(*this, {&access, 1});
    }
  }

  QueueLanes& lanes_;
};

QueueLanes::QueueLanes(DriverDevice& device, std::size_t count, bool timing,
                       OutOfMemoryHandler& memory)
    : memory_(memory) {
  RINGLET_ASSERT(count >= 1 && count <= kMostLanes);
  const auto parts = split(device, count);
  is_on_parts_ = !parts.empty();
  for (std::size_t i = 0; i < count; ++i) {
    DriverDevice& place = is_on_parts_ ? *parts[i] : device;
    lanes_.push_back(std::make_unique<Lane>(*this, i, place.make_queue(timing)));
  }
}

QueueLanes::~QueueLanes() = default;

QueueLanes::Submission::Submission(QueueLanes& lanes, std::span<const Access> accesses)
    : Submission(lanes, lanes.choose_lane(accesses), accesses) {}

QueueLanes::Submission::Submission(QueueLanes& lanes, std::size_t lane,
                                   std::span<const Access> accesses)
    : lane_(*lanes.lanes_[lane]), is_tracked_(lanes.is_tracking()) {
  if (is_tracked_) lanes.begin(lane_, accesses);
}

QueueLanes::Submission::~Submission() {
  if (is_tracked_) lane_.is_open = false;
}

Queue& QueueLanes::Submission::queue() const noexcept { return lane_; }

QueueLanes::Alone::Alone(QueueLanes& lanes) : lanes_(lanes) {
  if (lanes_.is_tracking()) {
    const Access all = Access::everything();
    lanes_.begin(*lanes_.lanes_.front(), {&all, 1});
  }
  ++lanes_.alone_depth_;
}

QueueLanes::Alone::~Alone() {
  if (--lanes_.alone_depth_ == 0) lanes_.lanes_.front()->is_open = false;
}

Queue& QueueLanes::Alone::queue() const noexcept { return *lanes_.lanes_.front(); }

/// Returns for each lane the last piece of work that conflicts with one of these accesses.
QueueLanes::Clock QueueLanes::conflicts_with(std::span<const Access> accesses) const noexcept {
  Clock last{};
  for (const auto& lane : lanes_) {
    for (const Lane::Entry& entry : lane->entries) {
      const bool touches = std::ranges::any_of(accesses, [&entry](const Access& access) {
        return touch_the_same(access, entry.access);
      });
      if (touches) last[lane->index] = std::max(last[lane->index], entry.position);
    }
  }
  return last;
}

std::size_t QueueLanes::choose_lane(std::span<const Access> accesses) const noexcept {
  if (!is_tracking()) return 0;
  const Clock last = conflicts_with(accesses);
  const auto cost = [&](const std::unique_ptr<Lane>& lane) {
    std::size_t waits = 0;
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      waits += i != lane->index && last[i] > lane->clock[i];
    }
    return std::pair(waits, lane->words);
  };
  return (*std::ranges::min_element(lanes_, {}, cost))->index;
}

std::size_t QueueLanes::part_count(std::size_t limb_count) const noexcept {
  return is_tracking() ? std::min(lanes_.size(), limb_count) : 1;
}

/// Opens the next piece of work of a lane.
void QueueLanes::begin(Lane& lane, std::span<const Access> accesses) {
  RINGLET_ASSERT(std::ranges::none_of(lanes_, [](const auto& other) { return other->is_open; }));
  if (lane.entries.size() >= kMostAccesses) join();
  ++lane.position;
  lane.is_open = true;
  lane.event = nullptr;
  lane.named.clear();
  try {
    touch(lane, accesses);
  } catch (...) {
    lane.is_open = false;
    throw;
  }
  for (const Access& access : accesses) lane.words += access.end - access.begin;
}

/// Puts the work at the lane's position behind all that it must not overtake.
void QueueLanes::touch(Lane& lane, std::span<const Access> accesses) {
  const Clock last = conflicts_with(accesses);
  for (const auto& other : lanes_) {
    const std::size_t i = other->index;
    if (i != lane.index && last[i] > lane.clock[i]) order_after(lane, *other);
  }
  for (const Access& access : accesses) {
    lane.named.push_back(access.buffer);
    lane.entries.push_back({access, lane.position});
  }
}

/// Puts later work of `lane` behind all work that `earlier` has now.
void QueueLanes::order_after(Lane& lane, Lane& earlier) {
  Clock reached = earlier.clock;
  reached[earlier.index] = earlier.position;
  reached[lane.index] = 0;
  if (std::ranges::equal(reached, lane.clock, std::ranges::less_equal())) return;
  if (earlier.event == nullptr) earlier.event = earlier.record();
  lane.wait_for(*earlier.event);
  lane.event = nullptr;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    if (reached[i] <= lane.clock[i]) continue;
    lane.clock[i] = reached[i];
    lane.behind[i] = i == earlier.index ? earlier.event : earlier.behind[i];
  }
  for (const auto& other : lanes_) forget_what_all_come_after(*other);
}

void QueueLanes::forget_what_all_come_after(Lane& lane) const noexcept {
  std::uint64_t seen = lane.submitted();
  for (const auto& other : lanes_) {
    if (other->index != lane.index) seen = std::min(seen, other->clock[lane.index]);
  }
  std::erase_if(lane.entries, [seen](const Lane::Entry& entry) { return entry.position <= seen; });
}

/// Puts all lanes behind all work so far, so that no accesses are left to compare with.
void QueueLanes::join() {
  Lane& first = *lanes_.front();
  for (std::size_t i = 1; i < lanes_.size(); ++i) order_after(first, *lanes_[i]);
  for (std::size_t i = 1; i < lanes_.size(); ++i) order_after(*lanes_[i], first);
}

/// Flushes all lanes but one: while the host waits for that lane the device may go on with others.
void QueueLanes::hand_over_all_but(std::size_t lane) {
  if (!is_tracking()) return;
  for (const auto& other : lanes_) {
    if (other->index != lane) other->flush();
  }
}

/// Notes that all work of a lane is done, and with it all work that came before.
void QueueLanes::finished(std::size_t lane) {
  if (lanes_.size() == 1) return;
  Lane& done = *lanes_[lane];
  for (std::shared_ptr<Event>& event : done.behind) {
    if (event == nullptr) continue;
    event->wait();  // returns at once, or throws if this work failed
    event = nullptr;
  }
  settle(done);
}

void QueueLanes::check() const {
  for (const std::shared_ptr<Event>& event : lanes_.front()->behind) {
    if (event != nullptr) event->wait();
  }
}

/// Notes that the work of `done`, and all work before it, comes before all later work.
void QueueLanes::settle(const Lane& done) noexcept {
  for (const auto& lane : lanes_) {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      const std::uint64_t passed = i == done.index ? done.submitted() : done.clock[i];
      if (i != lane->index) lane->clock[i] = std::max(lane->clock[i], passed);
    }
  }
  for (const auto& lane : lanes_) forget_what_all_come_after(*lane);
}

void QueueLanes::finish() {
  std::exception_ptr failure;
  for (const auto& lane : lanes_) {
    try {
      lane->finish();
    } catch (...) {
      if (failure == nullptr) failure = std::current_exception();
    }
  }
  if (failure != nullptr) std::rethrow_exception(failure);
  if (lanes_.size() == 1) return;
  for (const auto& lane : lanes_) {
    lane->behind.fill(nullptr);
    settle(*lane);
  }
}

void QueueLanes::recover() {
  memory_.release_unused();
  finish();
}

}  // namespace ringlet::gpu
