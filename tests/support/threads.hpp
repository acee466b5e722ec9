// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/test.hpp"

namespace ringlet::test {

inline constexpr std::size_t kThreads = 8;

/// Runs body(thread) for thread = 0 to kThreads - 1 at the same time; an exception is a failure.
template <typename Body>
void in_threads(Body body) {
  const auto guarded = [&body](std::size_t thread) {
    try {
      body(thread);
    } catch (const std::exception& error) {
      ADD_FAILURE() << "thread " << thread << ": " << error.what();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) threads.emplace_back(guarded, t);
  for (std::thread& thread : threads) thread.join();
}

/// Every thread finds call(thread, i) true for i = 0 to calls - 1.
template <typename Call>
void expect_in_threads(std::size_t calls, const Call& call) {
  std::vector<std::size_t> right(kThreads);
  in_threads([&](std::size_t thread) {
    for (std::size_t i = 0; i < calls; ++i) right[thread] += call(thread, i) ? 1 : 0;
  });
  EXPECT_EQ(right, std::vector<std::size_t>(kThreads, calls));
}

}  // namespace ringlet::test
