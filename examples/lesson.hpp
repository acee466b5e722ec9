// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <exception>
#include <stdexcept>

// The checks at the end of all lessons.

namespace lesson {

/// Prints whether a result is what it should be, and remembers if it was not.
class Checks {
 public:
  void expect(bool holds, const char* what) {
    std::printf("%s: %s\n", what, holds ? "right" : "WRONG");
    if (!holds) failed_ = true;
  }
  /// Checks that the call is refused; prints the error.
  template <typename Error = std::invalid_argument, typename Call>
  void expect_refused(const char* what, const Call& call) {
    try {
      call();
      expect(false, what);
    } catch (const Error& error) {
      std::printf("%s\n", error.what());
      expect(true, what);
    }
  }
  int exit_status() const { return failed_ ? 1 : 0; }

 private:
  bool failed_ = false;
};

/// Runs a lesson; prints an error that it throws.
template <typename Run>
int run(Run&& body) {
  try {
    Checks checks;
    body(checks);
    return checks.exit_status();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

}  // namespace lesson
