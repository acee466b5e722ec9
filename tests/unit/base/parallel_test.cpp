// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.hpp"

#include <dlfcn.h>

#include "support/refusal.hpp"
#include "support/threads.hpp"

namespace ringlet::test {
namespace {

using namespace std::chrono_literals;

struct Parallel : ::testing::Test {
  void TearDown() override { set_thread_count(1); }
};
/// Runs the statement of each death test in a newly started process.
struct ParallelDeathTest : Parallel {
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

/// Waits until `condition` holds; false after ten seconds.
template <typename Condition>
bool eventually(Condition condition) {
  for (int i = 0; i < 10000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

/// The thread that ran each index.
std::vector<std::thread::id> threads_of_loop(std::size_t count, Chunks chunks = Chunks::even) {
  std::vector<std::thread::id> ids(count);
  parallel_for(count, [&ids](std::size_t i) { ids[i] = std::this_thread::get_id(); }, chunks);
  return ids;
}

bool runs_serially(std::size_t count) {
  const auto ids = threads_of_loop(count);
  return std::ranges::count(ids, std::this_thread::get_id()) == std::ssize(ids);
}

/// True if a loop of `threads` indices ends in which each waits for all others: then every index
/// has a thread of its own.
bool reaches_together(std::size_t threads) {
  std::atomic<std::size_t> arrived{0};
  std::atomic<std::size_t> met{0};
  parallel_for(threads, [&](std::size_t) {
    ++arrived;
    if (eventually([&] { return arrived == threads; })) ++met;
  });
  return met == threads;
}

std::size_t thread_count_of_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

TEST_F(Parallel, CallsTheBodyOnceForEveryIndex) {
  for (const std::size_t threads : {1, 2, 3, 4, 16}) {
    set_thread_count(threads);
    for (const std::size_t count : {0, 1, 2, 3, 4, 5, 7, 16, 17, 100, 1000}) {
      for (const std::size_t grain : {1, 2, 3, 50, 2000}) {
        for (const Chunks chunks : {Chunks::even, Chunks::dynamic}) {
          std::vector<std::atomic<int>> calls(count);
          parallel_for(count, [&calls](std::size_t i) { ++calls.at(i); }, chunks, grain);
          for (std::size_t i = 0; i < count; ++i) {
            ASSERT_EQ(calls[i], 1)
                << threads << " threads, grain " << grain << ": " << i << " of " << count;
          }
        }
      }
    }
  }
}

TEST_F(Parallel, UsesAsManyThreadsAsItMay) {
  for (const std::size_t threads : {1, 2, 4, 8}) {
    set_thread_count(threads);
    EXPECT_TRUE(reaches_together(threads)) << threads;
  }
  set_thread_count(3);
  std::vector<std::thread::id> ids = threads_of_loop(1000, Chunks::dynamic);
  std::ranges::sort(ids);
  EXPECT_LE(std::ranges::unique(ids).begin() - ids.begin(), 3);
}

TEST_F(Parallel, EvenChunksAreRunsOfNeighbours) {
  set_thread_count(4);
  const std::vector<std::thread::id> ids = threads_of_loop(22);
  // Four threads take 6, 6, 5 and 5 indices.
  for (const std::size_t first : {0, 6, 12, 17}) {
    const std::size_t length = first < 12 ? 6 : 5;
    EXPECT_EQ(std::count(&ids[first], &ids[first] + length, ids[first]), length) << first;
  }
}

TEST_F(Parallel, OneThreadOrOneChunkIsSerialAndInOrder) {
  for (const auto& [threads, grain] : {std::pair<std::size_t, std::size_t>{1, 1}, {4, 51}}) {
    set_thread_count(threads);
    std::vector<std::size_t> order;  // without a lock: a serial loop needs none
    parallel_for(100, [&order](std::size_t i) { order.push_back(i); }, Chunks::dynamic, grain);
    std::vector<std::size_t> ascending(100);
    std::iota(ascending.begin(), ascending.end(), std::size_t{0});
    EXPECT_EQ(order, ascending);
  }
  set_thread_count(4);
  EXPECT_TRUE(runs_serially(1));
}

TEST_F(Parallel, WritesOfBodiesAreSeenAfterTheLoop) {
  set_thread_count(4);
  std::vector<std::size_t> squares(64);
  for (std::size_t round = 1; round <= 200; ++round) {
    parallel_for(squares.size(), [&](std::size_t i) { squares[i] += i; });
    ASSERT_EQ(squares.back(), round * 63);
    ASSERT_EQ(std::accumulate(squares.begin(), squares.end(), std::size_t{0}), round * 63 * 32);
  }
}

TEST_F(Parallel, CarriesTheFirstExceptionOutAndGoesOn) {
  for (const std::size_t threads : {1, 2, 4}) {
    set_thread_count(threads);
    for (int round = 0; round < 20; ++round) {
      std::atomic<bool> threw{false};
      const auto body = [&threw](std::size_t) {
        if (!threw.exchange(true)) throw std::domain_error("the first");
        std::this_thread::sleep_for(1ms);
        throw std::runtime_error("a later one");
      };
      EXPECT_THROW(parallel_for(8, body, Chunks::dynamic), std::domain_error);
      const auto last = [](std::size_t i) { return i == 7 ? throw 7 : void(); };
      EXPECT_THROW(parallel_for(8, last), int);
    }
    EXPECT_TRUE(reaches_together(threads)) << "after exceptions";
  }
}

TEST_F(Parallel, NoBodyRunsAfterTheExceptionIsOut) {
  set_thread_count(4);
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> inside{0};
    const auto body = [&inside](std::size_t i) {
      if (i == 0) throw std::domain_error("0");
      ++inside;
      std::this_thread::sleep_for(100us);
      --inside;
    };
    EXPECT_THROW(parallel_for(100, body, Chunks::dynamic), std::domain_error);
    EXPECT_EQ(inside, 0);
  }
}

TEST_F(Parallel, NestedLoopsAreSerialUnlessTheOuterOneIs) {
  set_thread_count(4);
  std::atomic<int> serial{0};
  parallel_for(8, [&serial](std::size_t) { serial += runs_serially(8) ? 1 : 0; });
  EXPECT_EQ(serial, 8);
  EXPECT_TRUE(reaches_together(4)) << "the mark of a body is gone";
  bool together = false;
  parallel_for(1, [&together](std::size_t) { together = reaches_together(4); });
  EXPECT_TRUE(together);
}

TEST_F(Parallel, AThreadThatFindsTheWorkersBusyWorksAlone) {
  set_thread_count(2);
  std::atomic<bool> begun{false};
  std::atomic<bool> finished{false};
  bool was_serial = false;
  std::thread other([&] {
    if (eventually([&] { return begun.load(); })) was_serial = runs_serially(8);
    finished = true;
  });
  parallel_for(2, [&](std::size_t) {
    begun = true;
    EXPECT_TRUE(eventually([&] { return finished.load(); }));
  });
  other.join();
  EXPECT_TRUE(was_serial);
}

TEST_F(Parallel, ManyThreadsMayCallAndChangeTheNumber) {
  std::atomic<std::size_t> sum{0};
  in_threads([&sum](std::size_t thread) {
    for (std::size_t i = 0; i < 50; ++i) {
      if (thread == 0) set_thread_count(1 + i % 4);
      parallel_for(10, [&sum](std::size_t index) { sum += index; });
    }
  });
  EXPECT_EQ(sum, kThreads * 50 * 45);
}

TEST_F(Parallel, WorkersAreStartedLazilyAndEndWhenTheNumberChanges) {
  if (dlsym(RTLD_DEFAULT, "omp_get_max_threads") != nullptr) {
    GTEST_SKIP() << "this build takes OpenMP's threads, which OpenMP keeps";
  }
  set_thread_count(1);
  const std::size_t before = thread_count_of_process();
  set_thread_count(4);
  EXPECT_EQ(thread_count_of_process(), before);
  ASSERT_TRUE(reaches_together(4));
  EXPECT_EQ(thread_count_of_process(), before + 3);
  // An ended thread stays in the list of tasks for an instant.
  set_thread_count(1);
  EXPECT_TRUE(eventually([&] { return thread_count_of_process() == before; }));
}

TEST_F(Parallel, RefusesOtherNumbersOfThreads) {
  set_thread_count(3);
  for (const std::size_t count : {std::size_t{0}, kMaxThreadCount + 1, ~std::size_t{0}}) {
    expect_refusal_of("set_thread_count", {std::to_string(count)},
                      [&] { set_thread_count(count); });
    EXPECT_EQ(thread_count(), 3u);
  }
  set_thread_count(kMaxThreadCount);
  EXPECT_EQ(thread_count(), kMaxThreadCount);
}

TEST_F(Parallel, TheNumberStaysWhileWorkIsSharedOut) {
  set_thread_count(2);
  EXPECT_THROW(parallel_for(4, [](std::size_t) { set_thread_count(3); }), LogicError);
  EXPECT_EQ(thread_count(), 2u);
}

TEST_F(Parallel, AForkedProcessIsSerial) {
  set_thread_count(4);
  ASSERT_TRUE(reaches_together(4));
  EXPECT_EQ(status_of_child([] { return runs_serially(64) ? 0 : 1; }), 0);
  EXPECT_EQ(status_of_child([] {
              set_thread_count(2);
              return runs_serially(64) && thread_count() == 2 ? 0 : 1;
            }),
            0);
  EXPECT_EQ(status_of_child([]() -> int {
              // std::exit, unlike _exit, runs the destructors of static objects.
              std::exit(runs_serially(64) ? 0 : 1);
            }),
            0);
  EXPECT_TRUE(reaches_together(4)) << "the parent keeps its workers";
}

TEST_F(Parallel, AProcessForkedWhileALoopRunsIsSerial) {
  set_thread_count(2);
  std::atomic<int> right{0};
  std::atomic<bool> is_done{false};
  std::thread other([&] {
    for (int i = 0; i < 20; ++i) {
      right += status_of_child([] { return runs_serially(8) ? 0 : 1; }) == 0 ? 1 : 0;
    }
    is_done = true;
  });
  while (!is_done) parallel_for(8, [](std::size_t) {});
  other.join();
  EXPECT_EQ(right, 20);
}

TEST_F(ParallelDeathTest, TheEnvironmentSetsTheNumber) {
  const auto status = [](std::size_t expected) {
    return thread_count() == expected && thread_count() == expected ? 0 : 1;
  };
  for (const auto& [text, expected] : std::vector<std::pair<const char*, std::size_t>>{
           {nullptr, 1}, {"", 1}, {"1", 1}, {"3", 3}, {"256", kMaxThreadCount}}) {
    text == nullptr ? unsetenv("RINGLET_THREADS") : setenv("RINGLET_THREADS", text, 1);
    EXPECT_EXIT(std::exit(status(expected)), ::testing::ExitedWithCode(0), "") << text;
  }
  unsetenv("RINGLET_THREADS");
}

/// Returns 0 if each call refuses a wrong variable by name until a number has been set.
int refusals_of_environment(const std::string& text) {
  for (int call = 0; call < 2; ++call) {
    try {
      parallel_for(2, [](std::size_t) {});
      return 1;
    } catch (const RuntimeError& error) {
      if (error.offending() != "'" + text + "'") return 2;
      if (error.operation().find("RINGLET_THREADS") == std::string::npos) return 3;
    }
  }
  parallel_for(1, [](std::size_t) {});
  set_thread_count(2);
  return reaches_together(2) ? 0 : 4;
}

TEST_F(ParallelDeathTest, AnUnusableEnvironmentIsRefused) {
  for (const char* text :
       {"0", "257", "-1", "+2", " 2", "2 ", "two", "0x2", "2.0", "99999999999999999999999"}) {
    setenv("RINGLET_THREADS", text, 1);
    EXPECT_EXIT(std::exit(refusals_of_environment(text)), ::testing::ExitedWithCode(0), "") << text;
  }
  unsetenv("RINGLET_THREADS");
}

/// A static object of this type is destroyed after the workers end if it is made before them.
struct ComputesInItsDestructor {
  ~ComputesInItsDestructor() { std::_Exit(runs_serially(64) ? 0 : 1); }
};

[[noreturn]] void exit_with_static_objects() {
  static const ComputesInItsDestructor last;
  set_thread_count(4);
  std::exit(reaches_together(4) ? 2 : 3);
}

TEST_F(ParallelDeathTest, DestructorsOfStaticObjectsMayCompute) {
  EXPECT_EXIT(exit_with_static_objects(), ::testing::ExitedWithCode(0), "");
}

[[noreturn]] void exit_inside_a_body() {
  set_thread_count(4);
  const auto body = [](std::size_t i) { return i == 99 ? std::exit(0) : void(); };
  parallel_for(100, body, Chunks::dynamic);
  std::_Exit(1);
}

TEST_F(ParallelDeathTest, ABodyMayEndTheProcess) {
  EXPECT_EXIT(exit_inside_a_body(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace ringlet::test
