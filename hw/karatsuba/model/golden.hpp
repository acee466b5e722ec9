// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "arith/wide_integer.hpp"
#include "hw/karatsuba/model/shape.hpp"

// The accelerator in plain C++, by its definition and independent of the library's Karatsuba: the
// streams' content, bit for bit. Variable time: for tests.

namespace ringlet::hw {

/// Coefficients from X^0 on, as integers below 2^192.
using Integers = std::vector<WideInteger>;
using Smalls = std::vector<std::uint32_t>;

/// One transfer of the stream: 128 bits as four slots of 32, and the mark of the last one.
struct Burst {
  std::array<std::uint32_t, 4> slots{};
  bool last = false;
  friend bool operator==(const Burst&, const Burst&) = default;
};

using wide::add;
using wide::is_less;
using wide::subtract;

/// a modulo q, for q from 1 to 2^191 - 1.
WideInteger remainder(WideInteger a, const WideInteger& q);

/// Karatsuba's pre-recursions: 3^recursions polynomials in ternary order, the first recursion most
/// significant, digit 0 the low half, 1 the high half, 2 their sum. No reduction modulo anything.
std::vector<Integers> split(const Integers& poly, int recursions);
std::vector<Smalls> split(const Smalls& poly, int recursions);

/// Karatsuba's post-recursions over the integers: from 3^recursions products of 2s - 1
/// coefficients, in the order of split(), to one of 2 * s * 2^recursions - 1.
Integers join(const std::vector<Integers>& products, int recursions);

/// p * u by definition.
Integers multiply(const Integers& p, const Smalls& u);

/// Every coefficient modulo q.
void reduce(Integers& poly, const WideInteger& q);

/// Packs the host's stream for the sub-polynomials of the key and of 1 to `lanes` small polynomials
/// (small[lane][sub-polynomial]).
std::vector<Burst> pack_input(const Shape& shape, const std::vector<Integers>& key,
                              const std::vector<std::vector<Smalls>>& small);

/// The hardware's answer to pack_input() of the same sub-polynomials.
std::vector<Burst> hardware_output(const Shape& shape, const WideInteger& q,
                                   const std::vector<Integers>& key,
                                   const std::vector<std::vector<Smalls>>& small);

/// The products of a stream of the hardware: result[lane][place], in ternary order.
std::vector<std::vector<Integers>> unpack_output(const Shape& shape,
                                                 const std::vector<Burst>& bursts);

}  // namespace ringlet::hw
