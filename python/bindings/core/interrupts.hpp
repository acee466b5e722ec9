// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/core/prelude.hpp"

namespace ringlet::python {

/// Lets Ctrl-C end one call of one thread that computes without the interpreter's lock.
class Interrupts {
 public:
  /// Takes the lock every 50 milliseconds and lets Python handle signals; returns whether it did.
  /// Call it often.
  /// @throws nb::python_error what a handler raises, such as KeyboardInterrupt.
  bool check() {
    const Clock::time_point now = Clock::now();
    if (now - last_ < kInterval) return false;
    last_ = now;
    const nb::gil_scoped_acquire locked;
    // Outside of the main thread this does nothing: Python handles signals in the main thread.
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    return true;
  }
  /// Calls check() for every 16th row of a batch: a row may take less time than reading the clock.
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
