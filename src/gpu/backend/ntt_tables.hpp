// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/backend/ntt_plan.hpp"
#include "ringlet/arith/modulus.hpp"

namespace ringlet::gpu {

/// Returns the words of the record of a prime, which src/gpu/kernels/ntt_butterfly.inc reads:
/// constants, then N pairs of the forward transform and N of the inverse. Pairs of a narrow prime
/// are one word each, in the first half of their room.
std::size_t ntt_record_words(int log_degree);

/// Returns the record of the prime q for transforms of 2^log_degree words in passes of
/// `pass_levels` levels, in the forward order. The root is the smallest one of order 2N, as on the
/// host; the last root of the inverse includes the factor N^-1.
/// @throws InvalidArgument if q has no such root.
std::vector<std::uint64_t> make_ntt_record(const Modulus& q, int log_degree,
                                           std::span<const int> pass_levels, NttPath path);

}  // namespace ringlet::gpu
