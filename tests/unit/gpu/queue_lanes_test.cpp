// SPDX-License-Identifier: Apache-2.0
#include "gpu/queue_lanes.hpp"

#include "support/devices/model_device.hpp"

// Tests of waits between several queues, on a device that does work as late as it may, and in any
// order that the waits allow.

namespace ringlet::gpu {
namespace {

using test::ModelBuffer;
using test::ModelDevice;
using test::ModelKernel;
using test::ModelOrder;
using Log = std::vector<std::string>;
using Words = std::vector<std::uint64_t>;

struct Handler final : OutOfMemoryHandler {
  void release_unused() noexcept override { ++releases; }
  [[noreturn]] void refuse(const std::string& call, const std::string& driver_says) override {
    throw OutOfDeviceMemory({"test", call + " (" + driver_says + ")", "memory", "none"});
  }
  int releases = 0;
};

/// Two buffers and lanes on a lazy device.
struct Fixture {
  explicit Fixture(std::size_t count, std::size_t parts = 1)
      : device(ModelOrder::never, parts), lanes(device, count, false, handler) {
    state().log.clear();
  }
  test::ModelState& state() { return device.state(); }

  Access reads(std::uint64_t begin, std::uint64_t end) const { return {&a, begin, end, false}; }
  Access writes(std::uint64_t begin, std::uint64_t end) const { return {&a, begin, end, true}; }

  void give(std::size_t lane, const std::vector<Access>& accesses) {
    lanes.submit_to(lane, accesses, [this](Queue& queue) { queue.launch(nothing, {}, {}); });
  }
  /// Returns the number of waits between queues since the log was cleared.
  std::size_t waits() { return state().count("wait for queue"); }

  ModelDevice device;
  Handler handler;
  QueueLanes lanes;
  ModelBuffer a{8 * 100};
  ModelBuffer b{8 * 100};
  ModelKernel nothing{"nothing"};
};

TEST(QueueLanes, OneLaneAsksTheDriverForNothingButTheWork) {
  Fixture f(1);
  f.give(0, {f.writes(0, 10)});
  f.lanes.submit(std::array{f.reads(0, 10)}, [&](Queue& queue) { queue.copy(f.b, 0, f.a, 0, 80); });
  f.lanes.submit_alone([&](Queue& queue) { queue.clear(f.a, 0, 80); });
  Words words(1);
  f.lanes.download(f.reads(0, 1), [&](Queue& queue) {
    queue.download(std::as_writable_bytes(std::span(words)), f.a, 0);
  });
  f.lanes.finish();
  f.lanes.check();
  EXPECT_EQ(f.state().log, (Log{"queue 0: launch nothing", "queue 0: copy", "queue 0: clear",
                                "queue 0: download", "queue 0: finish"}));
  EXPECT_EQ(f.lanes.part_count(100), 1u);
}

TEST(QueueLanes, TileQueuesAreOnPartsOfADeviceThatDivides) {
  const auto places = [](std::size_t count, std::size_t parts) {
    ModelDevice device(ModelOrder::never, parts);
    Handler handler;
    const QueueLanes lanes(device, count, false, handler);
    EXPECT_EQ(lanes.count(), count);
    EXPECT_EQ(device.state().count("make_queue on"), count);
    EXPECT_EQ(lanes.is_on_parts(), device.state().count("part") == count) << count;
    return lanes.is_on_parts();
  };
  EXPECT_TRUE(places(2, 2));
  EXPECT_TRUE(places(3, 4));
  EXPECT_FALSE(places(3, 2));
  EXPECT_FALSE(places(5, 12)) << "a unit would stay idle";
  EXPECT_FALSE(places(1, 4));
  EXPECT_FALSE(places(16, 1));
}

TEST(QueueLanes, ADeviceThatDoesNotDivideAfterAllIsUsedAsAWhole) {
  ModelDevice device(ModelOrder::never, 2);
  Handler handler;
  device.state().divides = false;
  const QueueLanes lanes(device, 2, false, handler);
  EXPECT_FALSE(lanes.is_on_parts());
  EXPECT_EQ(device.state().log, (Log{"split", "make_queue on Model", "make_queue on Model"}));
  for (const std::size_t call : {1, 2, 3}) {
    device.state().failing_call = call;
    EXPECT_THROW(QueueLanes(device, 2, false, handler), RuntimeError) << "call " << call;
  }
}

TEST(QueueLanes, DividesIntoAsManyPartsAsThereAreLanes) {
  Fixture f(3);
  EXPECT_EQ(f.lanes.part_count(0), 0u);
  EXPECT_EQ(f.lanes.part_count(1), 1u);
  EXPECT_EQ(f.lanes.part_count(2), 2u);
  EXPECT_EQ(f.lanes.part_count(7), 3u);
  f.lanes.submit_alone([&](Queue&) { EXPECT_EQ(f.lanes.part_count(7), 1u); });
}

TEST(QueueLanes, WaitsWhereWordsAreReadThatAnotherLaneWrites) {
  Fixture f(2);
  f.give(0, {f.writes(0, 10)});
  f.give(1, {f.reads(9, 12)});
  EXPECT_EQ(f.state().log, (Log{"queue 0: launch nothing", "queue 0: record",
                                "queue 1: wait for queue 0", "queue 1: launch nothing"}));
}

/// Work for a lane, and the numbers of waits between queues and of records so far.
struct Step {
  std::size_t lane;
  struct Words {
    char buffer;
    std::uint64_t begin;
    std::uint64_t end;
    bool is_write;
  };
  std::vector<Words> words;
  std::size_t waits;
  std::size_t records;
};
Step::Words reads(std::uint64_t begin, std::uint64_t end) { return {'a', begin, end, false}; }
Step::Words writes(std::uint64_t begin, std::uint64_t end) { return {'a', begin, end, true}; }

TEST(QueueLanes, WaitOnceForWhatTheyDependOn) {
  const std::pair<const char*, std::vector<Step>> cases[] = {
      {"words that another lane reads", {{1, {reads(5, 6)}, 0, 0}, {0, {writes(0, 100)}, 1, 1}}},
      {"words that another lane writes", {{1, {writes(5, 6)}, 0, 0}, {0, {writes(0, 100)}, 1, 1}}},
      {"independent work",
       {{0, {writes(0, 10), reads(90, 95)}, 0, 0},
        {1, {writes(10, 20), reads(90, 95)}, 0, 0},
        {2, {writes(20, 30), reads(90, 95), {'b', 0, 10, true}}, 0, 0},
        {0, {writes(0, 10), reads(90, 95)}, 0, 0},
        {1, {writes(10, 20), reads(90, 95)}, 0, 0},
        {2, {writes(20, 30), reads(90, 95), {'b', 0, 10, true}}, 0, 0},
        {0, {reads(30, 30)}, 0, 0}}},
      {"who waited does not wait again, and one event does for two",
       {{0, {writes(0, 10)}, 0, 0},
        {1, {reads(0, 10)}, 1, 1},
        {1, {reads(0, 10)}, 1, 1},
        {2, {reads(0, 10)}, 2, 1},
        {0, {writes(50, 60)}, 2, 1},
        {1, {reads(0, 10)}, 2, 1},
        {1, {reads(50, 60)}, 3, 2}}},
      {"2 comes after 1, and so after 0",
       {{0, {writes(0, 10)}, 0, 0},
        {1, {reads(0, 10), writes(20, 30)}, 1, 1},
        {2, {reads(20, 30)}, 2, 2},
        {2, {reads(0, 10)}, 2, 2}}},
      {"an event of 1 says nothing of what 1 waited for later",
       {{0, {writes(0, 10)}, 0, 0},
        {1, {writes(20, 30)}, 0, 0},
        {2, {reads(20, 30)}, 1, 1},
        {1, {reads(0, 10)}, 2, 2},
        {2, {reads(0, 10)}, 3, 2}}},
  };
  for (const auto& [name, steps] : cases) {
    Fixture f(3);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      SCOPED_TRACE(std::string(name) + ", step " + std::to_string(i));
      std::vector<Access> accesses;
      for (const auto& [buffer, begin, end, is_write] : steps[i].words) {
        accesses.push_back({buffer == 'a' ? &f.a : &f.b, begin, end, is_write});
      }
      f.give(steps[i].lane, accesses);
      EXPECT_EQ(f.waits(), steps[i].waits);
      EXPECT_EQ(f.state().count("record"), steps[i].records);
    }
    EXPECT_EQ(f.state().host_waits, 0u);
  }
}

TEST(QueueLanes, BuffersThatNobodyMentionedAreRead) {
  Fixture f(2);
  f.give(0, {{&f.b, 0, 100, true}});
  const std::array<Argument, 2> arguments{f.a, f.b};
  const auto launch = [&](Queue& queue) { queue.launch(f.nothing, {}, arguments); };
  f.lanes.submit_to(1, std::array{f.writes(0, 1)}, launch);
  EXPECT_EQ(f.waits(), 1u);
  f.state().log.clear();
  f.lanes.submit_to(1, std::array{f.writes(1, 2)}, launch);
  EXPECT_EQ(f.waits(), 0u);
  f.give(0, {{&f.b, 99, 100, true}});  // still read by 1
  EXPECT_EQ(f.waits(), 1u);
}

TEST(QueueLanes, WorkGoesWhereItWaitsLeastAndThenWhereLessWasGiven) {
  Fixture f(3);
  f.give(2, {f.writes(0, 10)});
  const auto lane_of = [&](const std::vector<Access>& accesses) {
    f.state().log.clear();
    f.lanes.submit(accesses, [&](Queue& queue) { queue.launch(f.nothing, {}, {}); });
    return f.state().log.back();
  };
  EXPECT_EQ(lane_of({f.reads(5, 6)}), "queue 2: launch nothing");
  EXPECT_EQ(f.waits(), 0u);
  EXPECT_EQ(lane_of({f.writes(50, 90)}), "queue 0: launch nothing");
  EXPECT_EQ(lane_of({{&f.b, 0, 10, true}}), "queue 1: launch nothing");
  EXPECT_EQ(lane_of({{&f.b, 20, 30, true}}), "queue 1: launch nothing");
  EXPECT_EQ(lane_of({{&f.b, 40, 50, true}}), "queue 2: launch nothing");
}

TEST(QueueLanes, WorkOfWhichNothingIsKnownComesBetweenAllOtherWork) {
  Fixture f(3);
  f.give(1, {f.writes(0, 10)});
  f.give(2, {f.writes(10, 20)});
  f.lanes.submit_alone([&](Queue& queue) {
    queue.launch(f.nothing, {}, {});
    // Work that is submitted meanwhile is part of it.
    f.lanes.submit(std::array{f.writes(0, 10)}, [](Queue&) {});
    f.lanes.submit_alone([&](Queue& again) { EXPECT_EQ(&again, &queue); });
  });
  EXPECT_EQ(f.waits(), 2u);
  EXPECT_EQ(f.state().log.back(), "queue 0: launch nothing");
  f.state().log.clear();
  f.give(1, {{&f.b, 0, 1, false}});
  EXPECT_EQ(f.state().log.at(1), "queue 1: wait for queue 0");
  f.give(0, {{&f.b, 0, 1, false}});
  EXPECT_EQ(f.waits(), 1u);
}

TEST(QueueLanes, WhatIsKeptIsBounded) {
  Fixture f(2);
  const ModelBuffer large(8 * (QueueLanes::kMostAccesses + 10));
  for (std::uint64_t i = 0; i < QueueLanes::kMostAccesses; ++i) {
    f.give(0, {{&large, i, i + 1, true}});
  }
  EXPECT_EQ(f.waits(), 0u);
  f.give(0, {f.writes(0, 1)});
  EXPECT_EQ(f.waits(), 1u);
  f.give(1, {{&large, 0, 100, true}});
  EXPECT_EQ(f.waits(), 1u);
  f.give(0, {{&large, 0, 1, true}});
  EXPECT_EQ(f.waits(), 2u);
  EXPECT_EQ(f.state().host_waits, 0u);
}

// If the first lane has an event from before its waits for the others, join must not use it.
TEST(QueueLanes, AllLanesComeAfterAllWhenTheyAreJoined) {
  Fixture f(3);
  f.give(0, {f.writes(0, 10)});
  f.give(1, {f.reads(0, 10)});  // an event of 0
  f.give(2, {{&f.b, 0, 10, true}});
  const ModelBuffer large(8 * QueueLanes::kMostAccesses);
  for (std::uint64_t i = 1; i < QueueLanes::kMostAccesses; ++i) {
    f.give(1, {{&large, i, i + 1, true}});
  }
  f.state().log.clear();
  f.give(1, {{&f.b, 0, 10, false}});
  EXPECT_EQ(f.state().log,
            (Log{"queue 1: record", "queue 0: wait for queue 1", "queue 2: record",
                 "queue 0: wait for queue 2", "queue 0: record", "queue 1: wait for queue 0",
                 "queue 2: wait for queue 0", "queue 1: launch nothing"}));
}

TEST(QueueLanes, ADownloadWaitsForItsWordsAlone) {
  Fixture f(2);
  Words words(1);
  const auto download = [&](std::uint64_t word) {
    f.lanes.download(f.reads(word, word + 1), [&](Queue& queue) {
      queue.download(std::as_writable_bytes(std::span(words)), f.a, 8 * word);
    });
  };
  f.give(0, {f.writes(0, 10)});
  f.give(1, {f.writes(10, 20)});
  download(15);
  EXPECT_EQ(f.waits(), 0u);
  EXPECT_EQ(f.state().streams[0]->done, 0u);
  EXPECT_EQ(f.state().count("queue 0: flush"), 1u);
  download(5);
  EXPECT_EQ(f.state().streams[0]->done, f.state().streams[0]->submitted);
  // Work that the host has waited for is done for all lanes.
  f.state().log.clear();
  f.give(0, {f.writes(10, 20)});
  f.give(1, {f.writes(0, 10)});
  EXPECT_EQ(f.waits(), 0u);
}

// It also reports work that comes before in two steps, and again until the work was seen done.
TEST(QueueLanes, ADownloadSaysThatWorkOfAnotherLaneFailed) {
  Fixture f(3);
  const auto download = [&] {
    Words words(1);
    f.lanes.download({&f.b, 20, 21, false}, [&](Queue& queue) {
      queue.download(std::as_writable_bytes(std::span(words)), f.b, 8 * 20);
    });
  };
  f.give(0, {f.writes(0, 10)});
  f.give(1, {f.reads(0, 10), {&f.b, 0, 10, true}});
  f.give(2, {{&f.b, 0, 10, false}, {&f.b, 20, 30, true}});
  for (const char* const event : {"event of queue 0", "event of queue 1"}) {
    f.state().fail(event, 2);
    EXPECT_THROW(download(), RuntimeError) << event;
    EXPECT_THROW(download(), RuntimeError) << event;
  }
  f.state().log.clear();
  download();
  EXPECT_EQ(f.state().count("queue 2: download"), 1u);
  EXPECT_EQ(f.state().host_waits, 5u) << "events are done when they are looked at";
}

TEST(QueueLanes, FinishWaitsForAllLanes) {
  Fixture f(3);
  for (const std::size_t lane : {0, 1, 2}) f.give(lane, {f.writes(10 * lane, 10 * lane + 10)});
  f.lanes.finish();
  EXPECT_EQ(f.state().count("finish"), 3u);
  f.state().log.clear();
  f.give(0, {f.writes(0, 30)});
  EXPECT_EQ(f.waits(), 0u);
  f.state().log.clear();
  f.state().failing_call = 1;
  EXPECT_THROW(f.lanes.finish(), RuntimeError);
  EXPECT_EQ(f.state().count("finish"), 3u) << "the others are waited for all the same";
}

TEST(QueueLanes, WithoutMemoryACallIsRepeatedOnce) {
  for (const char* const call : {"record", "wait for", "queue 1: launch"}) {
    SCOPED_TRACE(call);
    Fixture f(2);
    f.give(0, {f.writes(0, 10)});
    f.state().finds_no_memory = true;
    f.state().fail(call, 1);
    f.give(1, {f.reads(0, 10)});
    EXPECT_EQ(f.handler.releases, 1);
    EXPECT_EQ(f.state().count("finish"), 2u);
    EXPECT_EQ(f.state().count(call), 2u);
    f.state().log.clear();
    f.give(0, {f.writes(0, 10)});
    EXPECT_EQ(f.waits(), 1u) << "what was repeated is as well known as other work";

    f.state().fail("launch", 2);
    try {
      f.give(0, {{&f.b, 0, 1, true}});
      ADD_FAILURE() << "no exception";
    } catch (const OutOfDeviceMemory& error) {
      EXPECT_EQ(error.offending(), "launch of nothing (no memory)");
    }
    f.give(0, {{&f.b, 0, 1, true}});
  }
}

TEST(QueueLanes, AFailedWaitLeavesTheOrderAsItWas) {
  for (const char* const call : {"record", "wait for"}) {
    Fixture f(2);
    f.give(0, {f.writes(0, 10)});
    f.state().fail(call, 1);
    EXPECT_THROW(f.give(1, {f.reads(0, 10)}), RuntimeError);
    EXPECT_EQ(f.state().count("queue 1: launch"), 0u);
    f.state().log.clear();
    f.give(1, {f.reads(0, 10)});
    EXPECT_EQ(f.waits(), 1u);
  }
}

}  // namespace
}  // namespace ringlet::gpu
