// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "seal/context.h"
#include "seal/memorymanager.h"
#include "seal/plaintext.h"
#include "seal/util/iterator.h"

// Sums of a polynomial with a plaintext m, whose coefficients are in [0, t). The destination has
// the primes of the level in coefficient form, in reduced words. Constant time in m. Each function
// throws std::invalid_argument if m has more coefficients than the level's degree, if the degree of
// the destination is another one, or if the level has no plaintext modulus.

namespace ringlet::seal4_util {

using seal4::Plaintext;
using seal4::SEALContext;

/// Adds q*m/t, rounded to nearest, half up: the message of BFV.
RINGLET_SEAL_API void multiply_add_plain_with_scaling_variant(
    const Plaintext& plain, const SEALContext::ContextData& context_data, RNSIter destination);
/// Subtracts q*m/t, rounded to nearest, half up.
RINGLET_SEAL_API void multiply_sub_plain_with_scaling_variant(
    const Plaintext& plain, const SEALContext::ContextData& context_data, RNSIter destination);
/// Adds m itself: the message of BGV.
RINGLET_SEAL_API void add_plain_without_scaling_variant(
    const Plaintext& plain, const SEALContext::ContextData& context_data, RNSIter destination);
/// Subtracts m itself.
RINGLET_SEAL_API void sub_plain_without_scaling_variant(
    const Plaintext& plain, const SEALContext::ContextData& context_data, RNSIter destination);

}  // namespace ringlet::seal4_util

namespace seal {
namespace util {
using namespace ringlet::seal4_util;
}
}  // namespace seal
