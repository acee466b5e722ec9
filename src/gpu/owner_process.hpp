// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unistd.h>

#include "ringlet/base/error.hpp"

namespace ringlet::gpu {

/// The process that made this object. A forked process has the memory of a driver but none of its
/// threads, and its locks as they were at the fork: calls would wait forever.
class OwnerProcess {
 public:
  bool is_this() const noexcept { return id_ == ::getpid(); }
  /// @throws LogicError in any other process.
  void check() const {
    if (is_this()) return;
    throw_logic_error({.offending = "a device that another process opened before it forked",
                       .limit = "devices of the process that loaded their driver",
                       .remedy = "start processes without fork (Python: multiprocessing's method "
                                 "'spawn'), and open the device in each"});
  }

 private:
  pid_t id_ = ::getpid();
};

}  // namespace ringlet::gpu
