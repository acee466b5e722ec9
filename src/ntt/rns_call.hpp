// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "kernels/kernel.hpp"
#include "ringlet/ntt/rns_ntt.hpp"

namespace ringlet {

/// The arguments of run(), which checks nothing.
struct RnsNtt::Call {
  enum class Direction { forward, inverse } direction;
  RnsWords result;
  ConstRnsWords operand;
  std::span<const std::size_t> primes;
  kernels::RangeFactors factors = {};

  bool is_forward() const { return direction == Direction::forward; }
};

}  // namespace ringlet
