// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/core/prelude.hpp"

namespace ringlet::python {

/// Lets Ctrl-C into a call that computes without the interpreter's lock, for one call and thread.
class Interrupts {
 public:
  /// To be called often: takes the lock every 50 milliseconds, and lets Python handle signals.
  /// Returns whether it did.
  /// @throws nb::python_error what a handler raises, such as KeyboardInterrupt.
  bool check() {
    const Clock::time_point now = Clock::now();
    if (now - last_ < kInterval) return false;
    last_ = now;
    const nb::gil_scoped_acquire locked;
    // In other threads than the first this does nothing: signals are handled there.
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    return true;
  }
  /// The same for rows of a batch, which may take less time than looking at the clock: looks at
  /// every 16th.
  void check_row() {
    if (++rows_ % kRows == 0) check();
  }

 private:
  using Clock = std::chrono::steady_clock;

  static constexpr std::chrono::milliseconds kInterval{50};
  static constexpr unsigned kRows = 16;

  Clock::time_point last_ = Clock::now();
  unsigned rows_ = 0;
};

}  // namespace ringlet::python
