// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ringlet/arith/wide_modulus.hpp"
#include "ringlet/base/export.hpp"
#include "ringlet/fv/wide_poly.hpp"
#include "ringlet/kernels/kernel_selection.hpp"
#include "ringlet/ring/cyclotomic.hpp"

namespace ringlet {

/// Ways to multiply a polynomial with wide coefficients by one with coefficients in {-1, 0, 1}.
enum class ProductWay : std::uint8_t {
  /// The fastest by the estimate for this ring, modulus and processor.
  automatic = 0,
  /// Karatsuba's recursion over chunks of 27 bits (Migliore et al. 2017, sections 2.4 and 3.2).
  karatsuba = 1,
  /// Transforms modulo as few primes below 2^50 as hold the exact product (three for 125 bits), at
  /// the smallest length 2^a or 2^a + 2^b that holds it (5 * 2^10 for n = 2560), and the Chinese
  /// remainder theorem.
  ntt = 2,
  /// Additions of shifted polynomials alone. Quadratic.
  additions = 3,
};

/// "automatic", "karatsuba", "ntt" or "additions".
RINGLET_API const char* to_string(ProductWay way) noexcept;

/// A wide polynomial as a WideProduct likes to read it: made by WideProduct::prepare, understood by
/// the object that made it alone. Immutable.
class RINGLET_API PreparedWidePoly {
 public:
  virtual ~PreparedWidePoly();
  PreparedWidePoly(const PreparedWidePoly&) = delete;
  PreparedWidePoly& operator=(const PreparedWidePoly&) = delete;
  /// Bytes that it holds.
  virtual std::size_t bytes() const noexcept = 0;

 protected:
  PreparedWidePoly() noexcept;
};

/// Products p * u + e in Z_q[X]/Phi_m for a wide modulus q, where p has wide coefficients and the
/// small polynomial u has coefficients in {-1, 0, 1}: what encryption, key generation and
/// decryption of FV need. Every way gives the same bits. Immutable, cheap to copy, shared by
/// threads. Constant time in the coefficients.
class RINGLET_API WideProduct {
 public:
  /// A kernel that `kernels` names exactly is taken by what has a kernel of that name; for the
  /// rest, its table is a ceiling.
  /// @throws InvalidArgument if the degree of Phi_m is above 16384, if reduction modulo Phi_m lets
  ///         coefficients grow more than the way takes (4096 times for ntt), or if `kernels` names
  ///         exactly a transform that does not take the length or the primes.
  WideProduct(const CyclotomicPolynomial& polynomial, const WideModulus& q,
              ProductWay way = ProductWay::automatic,
              const KernelSelection& kernels = KernelSelection::from_environment());

  /// What products read of p. `p` is of n coefficients below q.
  /// @throws InvalidArgument if p has another degree or number of words, or a coefficient that is
  ///         not below q.
  std::shared_ptr<const PreparedWidePoly> prepare(const WidePoly& p) const;

  /// results[i] = p * u[i] + e[i] modulo (Phi_m, q), in [0, q), for each i. u[i] has n coefficients
  /// in {-1, 0, 1}; e[i] is empty, for 0, or n signed integers. Up to four products share the work
  /// on p; larger numbers are done by fours. Results of the right shape keep their memory; others
  /// are made anew. @throws InvalidArgument if sizes differ, a coefficient of u is out of range, or
  /// p was prepared by another object; results are unchanged then.
  void multiply_add(std::span<WidePoly> results, const PreparedWidePoly& p,
                    std::span<const std::span<const std::int8_t>> u,
                    std::span<const std::span<const std::int32_t>> e) const;

  /// The way that was chosen; never automatic.
  ProductWay way() const noexcept;
  /// For people: way, table of the kernels, and size: "ntt/ifma52/5*2^10",
  /// "karatsuba/avx2/limb48/2560/5" (padded degree and recursions).
  std::string kernel_name() const;
  /// Bytes of tables and of the memory that one call takes for `count` products; for tables.
  std::size_t table_bytes() const noexcept;
  std::size_t scratch_bytes(std::size_t count) const noexcept;

  const CyclotomicPolynomial& polynomial() const noexcept;
  const WideModulus& modulus() const noexcept;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

/// a + b, a - b modulo q, coefficient by coefficient; operands reduced, of one shape; result may be
/// an operand. Constant time. @throws InvalidArgument if shapes differ or do not fit q.
RINGLET_API void add(WidePoly& result, const WidePoly& a, const WidePoly& b, const WideModulus& q);
RINGLET_API void subtract(WidePoly& result, const WidePoly& a, const WidePoly& b,
                          const WideModulus& q);

}  // namespace ringlet
