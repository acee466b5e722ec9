// SPDX-License-Identifier: Apache-2.0
#include "ringlet/schemes/device_group.hpp"

#include "gpu/backend/device_backend.hpp"
#include "schemes/batch_share.hpp"
#include "support/devices/device_fixture.hpp"
#include "support/devices/watched_device.hpp"
#include "support/threads.hpp"
#include "unit/schemes/operations.hpp"

// A batch shared by several devices gives the bits of a loop on the host.

namespace ringlet::test {
namespace {

using Counts = std::vector<std::size_t>;

constexpr double kGroupScale = 0x1p30;

std::size_t sum_of(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

void expect_all_same(const std::vector<Ciphertext>& expected,
                     const std::vector<Ciphertext>& results) {
  ASSERT_EQ(results.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    SCOPED_TRACE("element " + std::to_string(i));
    expect_same(expected[i], results[i]);
  }
}

/// Makes every member of a group take at least one element: members wait in their first element
/// until all have begun theirs.
class AllTakePart {
 public:
  explicit AllTakePart(int member_count) : member_count_(member_count) {}
  void begin() {
    thread_local int last = 0;
    if (last == number_) return;
    last = number_;
    ++begun_;
    begun_.notify_all();
    for (int begun = begun_; begun < member_count_; begun = begun_) begun_.wait(begun);
  }

 private:
  static inline std::atomic<int> objects_{0};
  const int number_ = ++objects_;
  const int member_count_;
  std::atomic<int> begun_{0};
};

/// Computes all results, with every member of the group taking part.
Counts compute_by_all(const DeviceGroup& group, std::vector<Ciphertext>& results,
                      const DeviceGroup::Compute& element) {
  AllTakePart all(static_cast<int>(group.size()));
  return group.compute(results, [&](const Evaluator& e, std::size_t i, Ciphertext& result) {
    all.begin();
    element(e, i, result);
  });
}

/// Expects results in the order of the elements, every word as on the host, and work by every
/// member.
void expect_loop_on_host(const std::function<DeviceGroup(const Context&)>& make_group) {
  for (const SchemeType scheme : {SchemeType::bfv, SchemeType::ckks, SchemeType::bgv}) {
    SCOPED_TRACE(to_string(scheme));
    const SchemeBench bench(exact_context(scheme, {64, 257, {40, 50, 57}, {60}}));
    const DeviceGroup group = make_group(bench.context);
    std::vector<Ciphertext> x;
    while (x.size() < 13) x.push_back(bench.encryptor.encrypt(bench.plaintext));
    std::vector<Ciphertext> expected(12);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expected[i] = bench.circuit(bench.evaluator, x[i], x.back());
    }
    std::vector<Ciphertext> results(expected.size());
    const Counts counts =
        compute_by_all(group, results, [&](const Evaluator& e, std::size_t i, Ciphertext& result) {
          result = bench.circuit(e, x[i], x.back());
        });
    ASSERT_EQ(counts.size(), group.size());
    EXPECT_EQ(sum_of(counts), expected.size());
    for (const std::size_t done : counts) EXPECT_GE(done, 1u);
    expect_all_same(expected, results);
  }
}

TEST(DeviceGroupOfProcessors, GivesTheBitsOfALoop) {
  expect_loop_on_host([](const Context& context) {
    return DeviceGroup(context, {Device::cpu(), Device::cpu(), Device::cpu()});
  });
}

class DeviceGroupTest : public DeviceTest {
 protected:
  /// Opens the same device with other options, which counts as another device.
  static Device other_device() { return open({.use_fused_multiply_add = false}); }
};

TEST_F(DeviceGroupTest, ProcessorAndDeviceGiveTheBitsOfALoop) {
  expect_loop_on_host(
      [&](const Context& context) { return DeviceGroup(context, {Device::cpu(), device}); });
}

TEST_F(DeviceGroupTest, TwoDevicesAndTwoProcessorsGiveTheBitsOfALoop) {
  expect_loop_on_host([&](const Context& context) {
    return DeviceGroup(context, {device, Device::cpu(), other_device(), Device::cpu()});
  });
}

/// A batch of CKKS, and a group of processor and device.
class DeviceGroupBatch : public DeviceGroupTest {
 protected:
  void SetUp() override {
    DeviceGroupTest::SetUp();
    if (IsSkipped()) return;
    sums.resize(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) host.add(a[i], b[i], sums[i]);
  }
  /// Runs `call`, which must fail, and compares operands and destinations with those before.
  template <typename Call>
  void expect_kept(std::vector<Ciphertext>& results, const Call& call) {
    const auto operands = Snapshot::of(a);
    const auto before = Snapshot::of(results);
    call();
    EXPECT_EQ(Snapshot::of(a), operands);
    EXPECT_EQ(Snapshot::of(results), before);
  }
  DeviceGroup processor_and_device(const DeviceGroupOptions& options = {}) const {
    return DeviceGroup(ckks.context, {Device::cpu(), device}, options);
  }

  std::mt19937_64 rng = make_rng();
  const Ckks ckks{64, {50, 40, 40, 60}};
  const Evaluator host{ckks.context, Device::cpu()};
  const std::vector<Ciphertext> a = ckks.encrypt_random(10, kGroupScale, rng);
  const std::vector<Ciphertext> b = ckks.encrypt_random(10, kGroupScale, rng);
  std::vector<Ciphertext> sums;
};

TEST_F(DeviceGroupBatch, RoutinesAreThoseOfTheHost) {
  const DeviceGroup group = processor_and_device();
  const auto c = ckks.encrypt_random(a.size(), product_scale_after_rescale(host, a[0], b[0]), rng);
  const auto expected = results_of_routines(host, ckks, a, b, c);
  const auto results = results_of_routines(group, ckks, a, b, c);
  for (std::size_t k = 0; k < expected.size(); ++k) expect_all_same(expected[k], results[k]);
  // Then the routine runs in place.
  std::vector<Ciphertext> square = a;
  const Counts counts = square_relinearize_rescale(group, square, ckks.relin_keys, square);
  EXPECT_EQ(sum_of(counts), a.size());
  expect_all_same(expected[2], square);
  expect_refusal([&] { rotate(group, a, 5, ckks.galois_keys, std::span(square).first(3)); },
                 "rotate", {"destinations of 3"});
}

TEST_F(DeviceGroupBatch, ResultsAreWhereTheOptionSays) {
  const auto add = [&](const Evaluator& e, std::size_t i, Ciphertext& r) { e.add(a[i], b[i], r); };
  const Device closing = other_device();
  const DeviceGroup to_host(ckks.context, {closing});
  std::vector<Ciphertext> results(a.size());
  to_host.compute(results, add);
  closing.close();  // results that only the device has are lost
  expect_all_same(sums, results);

  const DeviceGroup in_place = processor_and_device({.results = BatchResults::where_computed});
  const Counts counts = compute_by_all(in_place, results, add);
  const auto on_device = std::ranges::count_if(
      results, [](const Ciphertext& result) { return result.device_memory() != nullptr; });
  EXPECT_EQ(static_cast<std::size_t>(on_device), counts[1]);
  expect_all_same(sums, results);
}

TEST_F(DeviceGroupBatch, ForEachCallsEveryElementOnceAndWaits) {
  const DeviceGroup group = processor_and_device();
  std::vector<std::atomic<int>> times(100);
  std::vector<Ciphertext> results(times.size());
  const Counts counts = group.for_each(times.size(), [&](const Evaluator& e, std::size_t i) {
    ++times[i];
    e.add(a[i % 10], b[i % 7], results[i]);
  });
  EXPECT_EQ(sum_of(counts), times.size());
  for (const auto& called : times) EXPECT_EQ(called, 1);
  EXPECT_EQ(group.for_each(0, [](const Evaluator&, std::size_t) { FAIL(); }), (Counts{0, 0}));
}

TEST_F(DeviceGroupBatch, ManyThreadsMayShareOneGroup) {
  const DeviceGroup group = processor_and_device();
  std::vector<Ciphertext> expected(a.size());
  multiply_relinearize(host, a, b, ckks.relin_keys, expected);
  std::vector<std::vector<Ciphertext>> results(kThreads, std::vector<Ciphertext>(a.size()));
  in_threads([&](std::size_t thread) {
    multiply_relinearize(group, a, b, ckks.relin_keys, results[thread]);
  });
  for (const auto& batch : results) expect_all_same(expected, batch);
}

TEST_F(DeviceGroupBatch, WhatIsNoGroupIsRefused) {
  const auto refuse = [&](const auto& make, std::initializer_list<std::string> parts) {
    expect_refusal(make, "DeviceGroup", parts);
  };
  refuse([&] { DeviceGroup(ckks.context, std::vector<Device>{}); }, {"no devices"});
  refuse([&] { DeviceGroup(ckks.context, {device, Device::cpu(), device}); },
         {device.name(), "twice"});
  refuse([&] { DeviceGroup(ckks.context, {device}, {.most_in_flight = 0}); }, {"most_in_flight"});
  const Ckks other(64, {50, 41, 40, 60});
  const std::vector<Context> contexts{ckks.context, other.context.on(device)};
  refuse([&] { const DeviceGroup group(contexts); }, {"other parameters", device.name()});

  const Device closed = other_device();
  const Evaluator before(ckks.context, closed);  // makes its backend known
  closed.close();
  EXPECT_THROW(DeviceGroup(ckks.context, {Device::cpu(), closed}), LogicError);
  const DeviceGroup group = processor_and_device();
  EXPECT_EQ(group.name(1), device.name());
  EXPECT_THROW(group.name(2), OutOfRange);
  EXPECT_THROW(group.evaluator(2), OutOfRange);
}

TEST_F(DeviceGroupBatch, OperandsOfOneDeviceAndOfOtherContextsAreRefused) {
  const DeviceGroup group(ckks.context, {device, other_device()});
  Ciphertext on_first;
  group.evaluator(0).add(a[0], b[0], on_first);
  std::vector<Ciphertext> results(20);
  expect_refusal(
      [&] {
        compute_by_all(group, results, [&](const Evaluator& e, std::size_t, Ciphertext& r) {
          e.add(on_first, on_first, r);
        });
      },
      "Evaluator::add", {"element ", " of 20 on " + device.name(), "alone has"});
  for (const Ciphertext& result : results) EXPECT_EQ(result.size(), 0u);
  const Ckks other(64, {50, 41, 40, 60});
  const std::vector<Ciphertext> foreign = other.encrypt_random(3, kGroupScale, rng);
  expect_refusal(
      [&] {
        square_relinearize_rescale(group, foreign, ckks.relin_keys, std::span(results).first(3));
      },
      "square_relinearize_rescale", {"of 3 on " + device.name()});
}

struct UsersError : std::exception {};

TEST_F(DeviceGroupBatch, TheFirstErrorEndsTheBatchAndNamesElementAndDevice) {
  const DeviceGroup group = processor_and_device();
  const ErrorDetails details{"the work", "something", "nothing", "none"};
  const auto fail_with = [&](const auto& fail) {
    std::exception_ptr caught;
    std::vector<Ciphertext> results = b;
    expect_kept(results, [&] {
      try {
        compute_by_all(group, results, [&](const Evaluator& e, std::size_t i, Ciphertext& r) {
          e.add(a[i % 10], a[(i + 1) % 10], r);
          if (&e == &group.evaluator(1)) fail();
        });
      } catch (const ErrorInfo& error) {
        caught = std::current_exception();
        EXPECT_EQ(error.operation(), "the work");
        EXPECT_NE(error.offending().find("of 10 on " + device.name() + ": something"),
                  std::string::npos)
            << error.offending();
      } catch (...) {
        caught = std::current_exception();
      }
    });
    ASSERT_NE(caught, nullptr) << "it did not fail";
    std::rethrow_exception(caught);
  };
  EXPECT_THROW(fail_with([&] { throw_invalid_argument(details); }), InvalidArgument);
  EXPECT_THROW(fail_with([&] { throw_logic_error(details); }), LogicError);
  EXPECT_THROW(fail_with([&] { throw_out_of_range(details); }), OutOfRange);
  EXPECT_THROW(fail_with([&] { throw OutOfDeviceMemory(details); }), OutOfDeviceMemory);
  EXPECT_THROW(fail_with([&] { throw_runtime_error(details); }), RuntimeError);
  EXPECT_THROW(fail_with([] { throw UsersError(); }), UsersError);
  EXPECT_THROW(fail_with([] { throw std::bad_alloc(); }), std::bad_alloc);
  // The group remains usable.
  std::vector<Ciphertext> results(a.size());
  group.compute(results,
                [&](const Evaluator& e, std::size_t i, Ciphertext& r) { e.add(a[i], b[i], r); });
  expect_all_same(sums, results);
}

TEST_F(DeviceGroupBatch, NobodyBeginsAnotherElementAfterAnError) {
  const DeviceGroup group(ckks.context, {Device::cpu(), Device::cpu()}, {.most_in_flight = 1});
  constexpr std::size_t kCount = 100000;
  std::atomic<std::size_t> begun{0};
  EXPECT_THROW(group.for_each(kCount,
                              [&](const Evaluator&, std::size_t) {
                                if (++begun == 10) throw UsersError();
                              }),
               UsersError);
  EXPECT_LT(begun, kCount);
}

TEST_F(DeviceGroupBatch, ADeviceThatIsClosedMeanwhileIsALogicError) {
  const Device closing = other_device();
  const DeviceGroup group(ckks.context, {Device::cpu(), closing});
  std::vector<Ciphertext> results = b;
  const auto run = [&] {
    compute_by_all(group, results, [&](const Evaluator& e, std::size_t i, Ciphertext& r) {
      if (&e == &group.evaluator(1)) closing.close();
      e.add(a[i], b[i], r);
    });
  };
  expect_kept(results, [&] {
    expect_refusal<LogicError>(run, "Evaluator::add", {"on " + closing.name(), "closed"});
  });
}

TEST_F(DeviceGroupBatch, ATransparentResultIsALogicError) {
  const DeviceGroup group(ckks.context, {device});
  std::vector<Ciphertext> results = b;
  const auto run = [&] {
    group.compute(results, [&](const Evaluator& e, std::size_t i, Ciphertext& r) {
      e.sub(a[i], a[i == 4 ? 4 : 9 - i], r);
    });
  };
  expect_kept(results, [&] {
    expect_refusal<LogicError>(run, "Evaluator::sub", {"element 4 of 10", "transparent"});
  });
}

/// A group whose second member is a device that counts calls.
class WatchedGroup : public DeviceGroupBatch {
 protected:
  void SetUp() override {
    DeviceGroupBatch::SetUp();
    if (IsSkipped()) return;
    std::string reason;
    const auto real = find_test_device(reason);
    if (real == nullptr) GTEST_SKIP() << reason;
    watched = std::make_shared<WatchedDevice>(real);
    memory = std::make_shared<gpu::DeviceMemory>("gpu:0", watched, DeviceOptions{});
    contexts = {ckks.context,
                ckks.context.on(gpu::make_device_backend(ckks.context.backend().basis(), memory))};
  }

  std::shared_ptr<WatchedDevice> watched;
  std::shared_ptr<gpu::DeviceMemory> memory;
  std::vector<Context> contexts;
};

// Submissions return at once, so without a limit the device would take the whole batch.
TEST_F(WatchedGroup, WhatIsInFlightIsLimited) {
  constexpr std::size_t kMost = 4;
  const DeviceGroup group(contexts,
                          {.most_in_flight = kMost, .results = BatchResults::where_computed});
  std::vector<Ciphertext> results(200);
  int waits = watched->watch().waits;
  std::size_t in_flight = 0;
  std::size_t most = 0;
  const Counts counts =
      group.compute(results, [&](const Evaluator& e, std::size_t i, Ciphertext& r) {
        e.add(a[i % 10], b[i % 10], r);
        if (&e != &group.evaluator(1)) return;
        if (watched->watch().waits != waits) in_flight = 0;
        waits = watched->watch().waits;
        most = std::max(most, ++in_flight);
      });
  EXPECT_LE(most, kMost);
  EXPECT_GE(watched->watch().waits, static_cast<int>(counts[1] / kMost));
}

TEST_F(WatchedGroup, KeysArePreparedOnceAndOperandsUploadedOnce) {
  const DeviceGroup group(contexts);
  const auto run = [&] {
    std::vector<Ciphertext> results(a.size());
    compute_by_all(group, results, [&](const Evaluator& e, std::size_t, Ciphertext& r) {
      multiply_relinearize(e, a[0], b[0], ckks.relin_keys, r);
    });
  };
  run();
  const int uploads = watched->watch().uploads;
  EXPECT_GT(uploads, 0);
  const std::uint64_t in_use = memory->statistics().in_use;
  for (int i = 0; i < 3; ++i) run();
  EXPECT_EQ(watched->watch().uploads, uploads);
  EXPECT_EQ(memory->statistics().in_use, in_use);
}

TEST_F(WatchedGroup, WithoutMemoryDestinationsKeepTheirValues) {
  const DeviceGroup group(contexts);
  std::vector<Ciphertext> results = b;
  memory->trim();
  watched->watch().allocations_left = 2;  // enough for the operands of one element
  const auto run = [&] {
    compute_by_all(group, results,
                   [&](const Evaluator& e, std::size_t i, Ciphertext& r) { e.add(a[i], b[i], r); });
  };
  expect_kept(results, [&] {
    expect_refusal<OutOfDeviceMemory>(run, "Evaluator::add", {"of 10 on gpu:0"});
  });
  watched->watch().allocations_left = 1 << 20;
  run();
  expect_all_same(sums, results);
}

// The sharing of a batch, on a simulated clock.

using schemes::BatchChunk;
using schemes::BatchShare;

/// The course of a batch on a simulated clock.
struct Course {
  std::vector<std::size_t> done;
  double end = 0;
  std::size_t largest_chunk = 0;
};

/// Simulates members that need `seconds` for an element, and `first` times as long for the first.
Course simulate(std::size_t count, std::size_t most, const std::vector<double>& seconds,
                double first = 1) {
  BatchShare share(count, seconds.size(), most);
  struct Runner {
    double free_at = 0;
    double took = 0;
    BatchChunk chunk;
    bool is_running = true;
  };
  std::vector<Runner> runners(seconds.size());
  std::vector<int> times_done(count, 0);
  Course course;
  while (true) {
    std::size_t next = seconds.size();
    for (std::size_t i = 0; i < runners.size(); ++i) {
      if (!runners[i].is_running) continue;
      if (next == seconds.size() || runners[i].free_at < runners[next].free_at) next = i;
    }
    if (next == seconds.size()) break;
    Runner& runner = runners[next];
    const bool is_first = runner.took == 0;
    if (!is_first) share.finish(next, runner.chunk.count, runner.took);
    runner.chunk = share.take(next);
    runner.is_running = runner.chunk.count > 0;
    if (!runner.is_running) continue;
    for (std::size_t i = 0; i < runner.chunk.count; ++i) ++times_done[runner.chunk.first + i];
    runner.took = static_cast<double>(runner.chunk.count) * seconds[next] * (is_first ? first : 1);
    runner.free_at += runner.took;
    course.end = std::max(course.end, runner.free_at);
    course.largest_chunk = std::max(course.largest_chunk, runner.chunk.count);
  }
  EXPECT_TRUE(std::ranges::all_of(times_done, [](int times) { return times == 1; }));
  course.done = share.done();
  return course;
}

/// The seconds for all elements if no time is lost.
double shortest(std::size_t count, const std::vector<double>& seconds) {
  double rate = 0;
  for (const double one : seconds) rate += 1 / one;
  return static_cast<double>(count) / rate;
}

TEST(BatchShare, MembersOfDifferentSpeedFinishTogether) {
  auto rng = make_rng();
  for (int repetition = 0; repetition < 200; ++repetition) {
    std::vector<double> seconds(1 + rng() % 5);
    for (double& one : seconds) one = static_cast<double>(1 + rng() % 1000) * 1e-4;
    const std::size_t count = rng() % 3000;
    const std::size_t most = 1 + rng() % 64;
    const Course course = simulate(count, most, seconds);
    const double slowest = *std::ranges::max_element(seconds);
    EXPECT_LE(course.end, std::max(shortest(count, seconds), slowest) + 2 * slowest)
        << count << " elements, " << seconds.size() << " members, at most " << most;
    EXPECT_LE(course.largest_chunk, most);
  }
}

TEST(BatchShare, ASlowMemberDoesNotHoldUpTheRest) {
  const Course course = simulate(1000, 32, {0.001, 0.3});
  EXPECT_EQ(course.done, (std::vector<std::size_t>{997, 3}));
  EXPECT_LE(course.end, 1.0);
}

// The first element brings keys to a device, so its time does not measure the speed.
TEST(BatchShare, ASlowStartIsForgotten) {
  const Course course = simulate(1000, 32, {0.001, 0.001}, 100);
  EXPECT_GT(course.done[0], 450u);
  EXPECT_GT(course.done[1], 450u);
}

TEST(BatchShare, TheOnlyMemberDoesAll) {
  EXPECT_EQ(simulate(100, 7, {1e-12}).done, (std::vector<std::size_t>{100}));
  EXPECT_EQ(simulate(0, 7, {1, 1}).done, (std::vector<std::size_t>{0, 0}));
}

TEST(BatchShare, NothingIsTakenAfterItIsStopped) {
  BatchShare share(10, 2, 4);
  EXPECT_EQ(share.take(0).count, 1u);
  EXPECT_FALSE(share.is_stopped());
  share.stop();
  EXPECT_TRUE(share.is_stopped());
  EXPECT_EQ(share.take(0).count, 0u);
  EXPECT_EQ(share.take(1).count, 0u);
  share.finish(0, 1, 0);
  EXPECT_EQ(share.done(), (std::vector<std::size_t>{1, 0}));
}

}  // namespace
}  // namespace ringlet::test
