// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fv/products/product_method.hpp"
#include "hw/karatsuba/model/golden.hpp"
#include "hw/karatsuba/model/shape.hpp"
#include "ringlet/arith/wide_modulus.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/fv/wide_poly.hpp"
#include "ringlet/ring/cyclotomic.hpp"

namespace ringlet::hw {

/// The host's part of products on the accelerator (Migliore et al. 2017, sections 3.1 and 3.2) with
/// the library's recursions: pre-recursions and packing before, the remaining post-recursions and
/// the reduction modulo Phi_m and q after. Constant time in the coefficients. Immutable.
class SoftwareHalf {
 public:
  /// One lane of the answer in planes of chunks: the state between join() and finish().
  struct Joined {
    SecretVector<std::uint64_t> planes;  ///< chunks * stride
    std::size_t stride = 0;              ///< Coefficients of a product before the reduction.

    std::span<std::uint64_t> plane(std::size_t chunk) {
      return std::span(planes).subspan(chunk * stride, stride);
    }
  };

  /// @throws InvalidArgument unless the chunks are five of 27 bits, n fits the shape, and q its
  ///         chunks.
  SoftwareHalf(const Shape& shape, const CyclotomicPolynomial& polynomial, const WideModulus& q);

  /// Makes the stream for products of p (n coefficients below q) by one to `lanes` polynomials of n
  /// coefficients in {0, 1}. Memory that `stream` has is used again. The stream holds these
  /// polynomials: wipe it if they are secret.
  /// @throws InvalidArgument if sizes differ or a coefficient is no bit.
  void prepare(std::vector<Burst>& stream, const WidePoly& p, wide::SmallOperands u) const;

  /// Runs the remaining post-recursions of the first lanes of the card's answer, chunk by chunk;
  /// joined[i] is lane i, and its memory is used again.
  /// @throws InvalidArgument if the answer has another length or a lane does not exist.
  void join(std::span<Joined> joined, std::span<const Burst> answer) const;

  /// The last step: result = p * u + e modulo (Phi_m, q). Consumes `joined`.
  void finish(WidePoly& result, Joined& joined, std::span<const std::int32_t> e) const;

 private:
  Shape shape_;
  CyclotomicPolynomial polynomial_;
  CyclotomicReduction reduction_;
  WideModulus q_;
  int value_bits_;
};

}  // namespace ringlet::hw
