// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <unistd.h>

#include <sys/wait.h>

#include "support/environment.hpp"

namespace ringlet::test {

/// Whether tests may fork after others have run: ThreadSanitizer maps so much then that the system
/// refuses to copy the process. A test asks this first, and skips.
inline constexpr bool kMayFork = RINGLET_TEST_THREAD_SANITIZED == 0;
inline constexpr const char* kWhyNotFork = "a process under ThreadSanitizer is too large to fork";

/// The status with which a forked child ends that does `work` and exits with its result; -1, and a
/// failure, if it is not made or ends otherwise.
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
