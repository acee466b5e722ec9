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

}  // namespace ringlet::test
