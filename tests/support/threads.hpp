// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <unistd.h>

#include <sys/wait.h>

#include "support/environment.hpp"

namespace ringlet::test {

inline constexpr std::size_t kThreads = 8;

/// Runs body(thread) for thread = 0 to kThreads - 1 at the same time; an exception fails the test.
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

/// Expects in every thread that call(thread, i) is true for i = 0 to calls - 1.
template <typename Call>
void expect_in_threads(std::size_t calls, const Call& call) {
  std::vector<std::size_t> right(kThreads);
  in_threads([&](std::size_t thread) {
    for (std::size_t i = 0; i < calls; ++i) right[thread] += call(thread, i) ? 1 : 0;
  });
  EXPECT_EQ(right, std::vector<std::size_t>(kThreads, calls));
}

/// Whether tests may fork after others have run. ThreadSanitizer then maps so much memory that the
/// system refuses to copy the process. A test checks this first, and skips.
inline constexpr bool kMayFork = RINGLET_TEST_THREAD_SANITIZED == 0;
inline constexpr const char* kWhyNotFork = "a process under ThreadSanitizer is too large to fork";

/// Forks a child that does `work` and exits with its result; returns its exit status. Returns -1
/// and fails the test if the child cannot be made or ends otherwise.
inline int status_of_child(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  if (child < 0) {
    ADD_FAILURE() << "fork: " << std::strerror(errno);
    return -1;
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace ringlet::test
