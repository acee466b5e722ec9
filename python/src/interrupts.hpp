// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace ringlet::python {

/// Lets Ctrl-C into a call that computes without the interpreter's lock, for one call and thread.
class Interrupts {
 public:
  /// To be called often: takes the lock every 50 milliseconds, and lets Python handle signals.
  /// Returns whether it did.
  /// @throws nanobind::python_error what a handler raises, such as KeyboardInterrupt.
  bool check();

 private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point last_ = Clock::now();
};

}  // namespace ringlet::python
