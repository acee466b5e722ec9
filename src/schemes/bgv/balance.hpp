// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ringlet/arith/modulus.hpp"
#include "schemes/evaluator/scheme_operations.hpp"

namespace ringlet::bgv {

/// Returns small x and y with x * factor_a = y * factor_b = common modulo t, x and t coprime. Two
/// ciphertexts are multiplied by x and y before they are added; their noise grows by these factors.
/// Of the remainders of Euclid's algorithm this is the pair with the least |x| + |y|, at most about
/// 2*sqrt(t) where t is prime. Both factors are coprime to t.
Balance balance(std::uint64_t factor_a, std::uint64_t factor_b, const Modulus& t);

}  // namespace ringlet::bgv
