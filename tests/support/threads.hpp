// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <thread>
#include <vector>

namespace ringlet::test {

inline constexpr std::size_t kThreads = 8;

/// Runs body(thread) for thread = 0 to kThreads - 1 at the same time.
template <typename Body>
void in_threads(Body body) {
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) threads.emplace_back(body, t);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace ringlet::test
