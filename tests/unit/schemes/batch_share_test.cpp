// SPDX-License-Identifier: Apache-2.0
#include "schemes/batch_share.hpp"

#include "support/values.hpp"

namespace ringlet::schemes {
namespace {

/// What became of a batch on a clock of its own.
struct Course {
  std::vector<std::size_t> done;
  double end = 0;
  std::size_t largest_chunk = 0;
};

/// Members that need `seconds` for an element, and `first` times as long for their first one.
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

/// Seconds for all if no time were lost.
double shortest(std::size_t count, const std::vector<double>& seconds) {
  double rate = 0;
  for (const double one : seconds) rate += 1 / one;
  return static_cast<double>(count) / rate;
}

TEST(BatchShare, MembersOfDifferentSpeedFinishTogether) {
  auto rng = test::make_rng();
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

// The first element brings keys to a device: that is no measure of its speed.
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
}  // namespace ringlet::schemes
