// SPDX-License-Identifier: Apache-2.0
#include "gpu/memory/device_memory.hpp"
#include "support/devices/model_device.hpp"

// Random operations of a device's memory, on several queues that do their work as late as they may,
// at once, or in turns: the words are those of the operations in order.

namespace ringlet::gpu {
namespace {

using test::ModelDevice;
using test::ModelKernel;
using test::ModelOrder;

using Log = std::vector<std::string>;

constexpr std::size_t kWords = 24;

/// A block and its expected words; a word without a value may be anything.
struct Modelled {
  std::uint64_t* block;
  bool is_secret;
  std::vector<std::optional<std::uint64_t>> words;
};

struct Range {
  std::size_t begin;
  std::size_t count;
};

/// Does operations on a few blocks of one memory, and the same on words of the host.
class RandomProgram {
 public:
  RandomProgram(std::size_t queue_count, ModelOrder order, std::uint64_t seed,
                bool use_cache = true)
      : rng_(seed), keeps_blocks_(use_cache) {
    const DeviceOptions options{.use_memory_cache = use_cache, .queue_count = queue_count};
    memory_ = std::make_shared<DeviceMemory>("gpu:0", device_, options);
    device_->state().order = order;
    device_->state().rng.seed(seed);
    for (int i = 0; i < 4; ++i) add_block();
  }
  ~RandomProgram() {
    device_->state().failing_call = 0;
    for (const Modelled& one : blocks_) memory_->release(one.block);
  }
  RandomProgram(const RandomProgram&) = delete;
  RandomProgram& operator=(const RandomProgram&) = delete;

  test::ModelState& state() { return device_->state(); }
  /// Allows calls to fail: a block that cannot be wiped then goes to the driver.
  void expect_failures() { keeps_blocks_ = false; }
  /// Returns the number of words that had wrong values.
  std::size_t wrong_words() const { return wrong_words_; }
  std::size_t errors() const { return errors_; }

  /// Does a random operation. If it fails, the words that it should have written may be anything.
  void step() {
    try {
      const std::uint64_t kind = rng_() % 8;
      if (kind == 0) return upload();
      if (kind == 1) return copy();
      if (kind == 2) return launch();
      if (kind == 3) return launch_in_parts();
      if (kind == 4) return launch_alone();
      if (kind == 5) return replace_block();
      if (kind == 6) return rng_() % 4 == 0 ? memory_->synchronize() : launch();
      return check(pick());
    } catch (const RuntimeError& error) {
      ++errors_;
      EXPECT_FALSE(error.operation().empty());
      for (const auto& [one, range] : writing_) {
        for (std::size_t i = 0; i < range.count; ++i) one->words[range.begin + i].reset();
      }
    }
    writing_.clear();
  }
  void check_all() {
    for (Modelled& one : blocks_) check(one);
  }

 private:
  Modelled& pick() { return blocks_[rng_() % blocks_.size()]; }
  Range pick_range() {
    const std::size_t begin = rng_() % kWords;
    return {begin, 1 + rng_() % (kWords - begin)};
  }
  void add_block() {
    const bool is_secret = rng_() % 2 == 0;
    std::uint64_t* const block =
        memory_->allocate(kWords, is_secret ? Secrecy::secret : Secrecy::open);
    blocks_.push_back({block, is_secret, std::vector<std::optional<std::uint64_t>>(kWords)});
    // A block that was secret was cleared.
    for (const auto& [old, was_secret] : released_) {
      if (old == block && was_secret) blocks_.back().words.assign(kWords, 0);
    }
    std::erase_if(released_, [block](const auto& entry) { return entry.first == block; });
  }
  void replace_block() {
    const std::size_t index = rng_() % blocks_.size();
    const Modelled old = blocks_[index];
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(index));
    memory_->release(old.block);
    released_.emplace_back(old.block, old.is_secret);
    if (!keeps_blocks_) released_.clear();
    add_block();
  }
  void upload() {
    Modelled& to = pick();
    const Range range = pick_range();
    std::vector<std::uint64_t> words(range.count);
    for (std::uint64_t& word : words) word = rng_();
    writing_ = {{&to, range}};
    memory_->upload(to.block + range.begin, words.data(), range.count);
    std::ranges::copy(words, to.words.begin() + static_cast<std::ptrdiff_t>(range.begin));
  }
  void copy() {
    Modelled& to = pick();
    Modelled& from = pick();
    if (&to == &from) return;
    const Range range = pick_range();
    const std::size_t begin = rng_() % (kWords - range.count + 1);
    writing_ = {{&to, {begin, range.count}}};
    memory_->copy(to.block + begin, from.block + range.begin, range.count);
    for (std::size_t i = 0; i < range.count; ++i) to.words[begin + i] = from.words[range.begin + i];
  }

  /// to[i] = 3 * to[i] + from[i], which gives other words in any other order.
  static void mix(const std::vector<std::uint64_t*>& buffers,
                  const std::vector<std::uint64_t>& words) {
    for (std::uint64_t i = 0; i < words[2]; ++i) {
      std::uint64_t& word = buffers[0][words[0] + i];
      word = 3 * word + buffers[1][words[1] + i];
    }
  }
  void launch_mix(Queue& queue, const Place& to, const Place& from, const Range& range) {
    const std::array<Argument, 5> arguments{*to.buffer, to.word + range.begin, *from.buffer,
                                            from.word + range.begin, std::uint64_t{range.count}};
    queue.launch(mix_, {}, arguments);
  }
  void model_mix(Modelled& to, const Modelled& from, const Range& range) {
    for (std::size_t i = range.begin; i < range.begin + range.count; ++i) {
      if (to.words[i] && from.words[i]) {
        to.words[i] = 3 * *to.words[i] + *from.words[i];
      } else {
        to.words[i].reset();
      }
    }
  }
  /// Calls give(target, source) to launch on two blocks; a failure leaves `written` unknown.
  template <typename Give>
  Modelled* launch(const Range& range, const Range& written, const Give& give) {
    Modelled& to = pick();
    const Modelled& from = pick();
    if (&to == &from) return nullptr;
    writing_ = {{&to, written}};
    give(memory_->resolve(to.block), memory_->resolve(from.block));
    model_mix(to, from, range);
    return &to;
  }
  void launch() {
    const Range range = pick_range();
    launch(range, range, [&](const Place& to, const Place& from) {
      // The lanes find the source by the launch itself.
      const Access access = write({to.buffer, to.word + range.begin}, range.count);
      memory_->with_lanes([&](QueueLanes& lanes) {
        lanes.submit({&access, 1}, [&](Queue& queue) { launch_mix(queue, to, from, range); });
      });
    });
  }
  void launch_in_parts() {
    launch({0, kWords}, {0, kWords}, [&](const Place& to, const Place& from) {
      memory_->with_lanes([&](QueueLanes& lanes) {
        const std::size_t parts = lanes.part_count(kWords);
        for (std::size_t part = 0; part < parts; ++part) {
          const std::size_t begin = part * kWords / parts;
          const Range range{begin, (part + 1) * kWords / parts - begin};
          const std::array accesses{write({to.buffer, to.word + begin}, range.count),
                                    read({from.buffer, from.word + begin}, range.count)};
          lanes.submit_to(part, accesses,
                          [&](Queue& queue) { launch_mix(queue, to, from, range); });
        }
      });
    });
  }
  void launch_alone() {
    const Range range = pick_range();
    const std::uint64_t word = 7;
    Modelled* const done = launch(range, {0, kWords}, [&](const Place& to, const Place& from) {
      memory_->with_queue([&](Queue& queue) {
        launch_mix(queue, to, from, range);
        memory_->upload(writing_[0].first->block, &word, 1);
      });
    });
    if (done != nullptr) done->words[0] = word;
  }
  void check(Modelled& one) {
    const Range range = pick_range();
    std::vector<std::uint64_t> words(range.count);
    memory_->download(words.data(), one.block + range.begin, range.count);
    for (std::size_t i = 0; i < range.count; ++i) {
      const auto& expected = one.words[range.begin + i];
      wrong_words_ += expected && *expected != words[i];
    }
  }

  std::mt19937_64 rng_;
  bool keeps_blocks_;
  std::shared_ptr<ModelDevice> device_ = std::make_shared<ModelDevice>(ModelOrder::never);
  std::shared_ptr<DeviceMemory> memory_;
  ModelKernel mix_{"mix", mix};
  std::vector<Modelled> blocks_;
  std::vector<std::pair<std::uint64_t*, bool>> released_;
  std::vector<std::pair<Modelled*, Range>> writing_;
  std::size_t wrong_words_ = 0;
  std::size_t errors_ = 0;
};

constexpr ModelOrder kOrders[] = {ModelOrder::never, ModelOrder::at_once, ModelOrder::random};

TEST(QueueOrder, IsThatOfOneQueue) {
  for (const std::size_t queue_count : {1, 2, 3, 5, 16}) {
    for (const ModelOrder order : kOrders) {
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        RandomProgram program(queue_count, order, seed, seed % 4 != 0);
        for (int i = 0; i < 300; ++i) program.step();
        program.check_all();
        ASSERT_EQ(program.wrong_words(), 0u) << queue_count << " queues, seed " << seed;
        ASSERT_EQ(program.errors(), 0u);
      }
    }
  }
}

// Without the waits between queues the words are wrong: the test sees this fault.
TEST(QueueOrder, WouldBeAnotherWithoutWaits) {
  std::size_t wrong_programs = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomProgram program(2, ModelOrder::never, seed);
    program.state().ignores_waits = true;
    for (int i = 0; i < 300; ++i) program.step();
    program.check_all();
    wrong_programs += program.wrong_words() != 0;
  }
  EXPECT_GE(wrong_programs, 15u);
}

TEST(QueueOrder, EveryCallMayFailAndWhatItDidNotTouchStays) {
  for (const bool finds_no_memory : {false, true}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      for (std::size_t nth = 1;; ++nth) {
        RandomProgram program(2, ModelOrder::never, seed);
        program.state().finds_no_memory = finds_no_memory;
        program.state().failing_call = nth;
        program.expect_failures();
        for (int i = 0; i < 60; ++i) program.step();
        const bool has_failed = std::exchange(program.state().failing_call, 0) == 0;
        program.check_all();
        ASSERT_EQ(program.wrong_words(), 0u) << "call " << nth << " fails, seed " << seed;
        // If a call finds no memory once, it is repeated: only a look at an event may fail.
        ASSERT_LE(program.errors(), 1u);
        if (!has_failed) break;
        ASSERT_LT(nth, 2000u);
      }
    }
  }
}

/// A memory of a device with several queues, and the log of its calls of the driver.
struct MemoryFixture {
  explicit MemoryFixture(std::size_t queue_count)
      : memory(std::make_shared<DeviceMemory>(
            "gpu:0", device, DeviceOptions{.queue_count = queue_count, .use_timing = true})) {}
  std::uint64_t* allocate(Secrecy secrecy = Secrecy::open) const {
    return memory->allocate(kWords, secrecy);
  }
  /// Gives a queue work on a block.
  void give(std::size_t queue_index, const std::uint64_t* block, bool is_write) const {
    memory->with_lanes([&](QueueLanes& lanes) {
      const Place place = memory->resolve(block);
      const Access access = is_write ? write(place, kWords) : read(place, kWords);
      lanes.submit_to(queue_index, {&access, 1},
                      [this](Queue& queue) { queue.launch(nothing, {}, {}); });
    });
  }
  test::ModelState& state() const { return device->state(); }

  std::shared_ptr<ModelDevice> device = std::make_shared<ModelDevice>(ModelOrder::never);
  std::shared_ptr<DeviceMemory> memory;
  ModelKernel nothing{"nothing"};
};

TEST(QueueOrder, AReleasedBlockIsUsedAgainWhenOtherQueuesAreDoneWithIt) {
  const MemoryFixture f(2);
  std::uint64_t* const first = f.allocate();
  f.give(1, first, false);
  f.memory->release(first);
  ASSERT_EQ(f.allocate(), first);
  f.state().log.clear();
  f.give(0, first, true);
  EXPECT_EQ(f.state().log,
            (Log{"queue 1: record", "queue 0: wait for queue 1", "queue 0: launch nothing"}));
}

TEST(QueueOrder, ASecretIsWipedWhenOtherQueuesAreDoneWithItAndBeforeTheyUseItAgain) {
  const MemoryFixture f(2);
  std::uint64_t* const secret = f.allocate(Secrecy::secret);
  f.give(0, secret, true);
  f.give(1, secret, false);
  f.state().log.clear();
  f.memory->release(secret);
  EXPECT_EQ(f.state().log, (Log{"queue 1: clear"})) << "it comes after both";
  ASSERT_EQ(f.allocate(), secret);
  f.give(0, secret, false);
  EXPECT_EQ(f.state().log.at(2), "queue 0: wait for queue 1");
  EXPECT_EQ(f.state().host_waits, 0u);
}

TEST(QueueOrder, TimeBeginsBeforeAndEndsAfterTheWorkOfAllQueues) {
  const MemoryFixture f(3);
  std::uint64_t* const blocks[] = {f.allocate(), f.allocate(), f.allocate()};
  for (const std::size_t i : {0, 1, 2}) f.give(i, blocks[i], true);
  f.state().log.clear();
  EXPECT_GT(f.memory->time([&] {
    EXPECT_EQ(f.state().log, (Log{"queue 1: record", "queue 0: wait for queue 1", "queue 2: record",
                                  "queue 0: wait for queue 2", "queue 0: record"}));
    f.state().log.clear();
    for (const std::size_t i : {1, 2}) f.give(i, blocks[i], true);
    EXPECT_EQ(f.state().count("wait for queue 0"), 2u);
    f.state().log.clear();
  }),
            0);
  EXPECT_EQ(std::vector(f.state().log.begin(), f.state().log.begin() + 6),
            (Log{"queue 1: record", "queue 0: wait for queue 1", "queue 2: record",
                 "queue 0: wait for queue 2", "queue 0: record", "event of queue 0: wait"}));
  EXPECT_EQ(f.state().host_waits, 1u) << "for the end alone";
  // There is no time if work on another queue has failed.
  f.state().fail("event of queue 2", 1);
  EXPECT_THROW(f.memory->time([&] { f.give(2, blocks[2], true); }), RuntimeError);
}

TEST(QueueOrder, ClosingWipesAndWaitsForAllQueues) {
  const MemoryFixture f(3);
  std::uint64_t* const secret = f.allocate(Secrecy::secret);
  f.give(2, secret, true);
  f.state().log.clear();
  f.state().finds_no_memory = true;
  f.state().fail("clear", 1);
  f.memory->close();
  EXPECT_EQ(f.state().count("queue 2: clear"), 2u) << "once more after giving memory back";
  EXPECT_EQ(f.state().count("finish"), 6u);
  EXPECT_THROW(f.memory->synchronize(), LogicError);
}

}  // namespace
}  // namespace ringlet::gpu
