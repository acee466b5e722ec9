// SPDX-License-Identifier: Apache-2.0
#include "bindings/core/interrupts.hpp"

namespace ringlet::python {
namespace {

constexpr std::chrono::milliseconds kInterval(50);

}  // namespace

bool Interrupts::check() {
  const Clock::time_point now = Clock::now();
  if (now - last_ < kInterval) return false;
  last_ = now;
  const nb::gil_scoped_acquire locked;
  // In other threads than the first this does nothing: signals are handled there.
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  return true;
}

}  // namespace ringlet::python
