// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "ringlet/circuits/circuit_plan.hpp"

namespace ringlet::circuits {

/// A sum of registers and of rotated registers, whose parts nothing else reads. It takes one
/// division by the special primes instead of one for each rotation.
struct RotationSum {
  std::vector<std::size_t> parts;  ///< its steps, ascending; the last makes the sum
  std::map<std::size_t, std::vector<int>> rotated;  ///< by register, the steps of its rotations
  std::vector<std::size_t> addends;                 ///< registers
};

/// Which steps of a plan a run computes together, and when a register is read last.
struct Schedule {
  explicit Schedule(const CircuitPlan& plan);

  std::map<std::size_t, RotationSum> sums;  ///< by their last step; no step is part of two
  std::vector<bool> is_part;                ///< by step, whether a sum that ends later computes it
  /// By register, the last step that reads it; the number of steps for a result.
  std::vector<std::size_t> last_use;
};

}  // namespace ringlet::circuits
