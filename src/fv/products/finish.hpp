// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/select.hpp"
#include "ringlet/arith/wide_modulus.hpp"
#include "ringlet/fv/wide_poly.hpp"

namespace ringlet::wide {

/// Integers that are spread over planes: value i is the sum over k of the signed 64-bit integer
/// planes[k * stride + i] times 2^(limb_bits * k). Limbs may exceed limb_bits and have any sign.
struct LimbShape {
  int limb_bits = 0;
  std::size_t limb_count = 0;
  /// |value| + 2^31 < 2^value_bits.
  int value_bits = 0;
};

/// Does the last step of a product: adds small summands to signed sums and reduces modulo q, to
/// words. Immutable. Constant time in the data.
class Finish {
 public:
  /// value_bits is at most q.bit_count() + 61 and 189; limb_bits * (limb_count - 1) is below 192.
  /// The kernel is that of the highest table that `kernels` allows.
  Finish(const WideModulus& q, const LimbShape& shape,
         const KernelSelection& kernels = KernelSelection::from_environment());

  /// result[i] = value i + e[i] modulo q, in [0, q), for all coefficients of `result`, which has
  /// the words of q. `e` is empty, for 0, or as long.
  void run(WidePoly& result, std::span<const std::uint64_t> planes, std::size_t stride,
           std::span<const std::int32_t> e) const;

 private:
  LimbShape shape_;
  kernels::MixedRadixDigits constants_;
  kernels::Chosen<kernels::ResidueKernel> kernel_;
};

}  // namespace ringlet::wide
