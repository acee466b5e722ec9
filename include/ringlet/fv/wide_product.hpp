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

/// Methods to multiply a polynomial with wide coefficients by a polynomial with coefficients in
/// {-1, 0, 1}.
enum class ProductWay : std::uint8_t {
  /// The fastest method by the estimate for this ring, modulus and processor.
  automatic = 0,
  /// Karatsuba's recursion over chunks of 27 bits (Migliore et al. 2017, sections 2.4 and 3.2).
  karatsuba = 1,
  /// Transforms modulo the fewest primes below 2^50 that represent the exact product (three for 125
  /// bits), and the Chinese remainder theorem. The length is the smallest 2^a or 2^a + 2^b that
  /// holds the product: 5 * 2^10 for n = 2560.
  ntt = 2,
  /// Only additions of shifted polynomials. Quadratic time.
  additions = 3,
};

/// Returns "automatic", "karatsuba", "ntt" or "additions".
RINGLET_API const char* to_string(ProductWay way) noexcept;

/// A wide polynomial in the internal format of the WideProduct that made it with prepare(). Only
/// that object, or a copy of it, can read it. Immutable.
class RINGLET_API PreparedWidePoly {
 public:
  virtual ~PreparedWidePoly();
  PreparedWidePoly(const PreparedWidePoly&) = delete;
  PreparedWidePoly& operator=(const PreparedWidePoly&) = delete;
  /// Returns the number of bytes that it holds.
  virtual std::size_t bytes() const noexcept = 0;

 protected:
  PreparedWidePoly() noexcept;
};

/// Computes products p * u + e in Z_q[X]/Phi_m for a wide modulus q. p has wide coefficients, and
/// the small polynomial u has coefficients in {-1, 0, 1}. Encryption, key generation and decryption
/// of FV use these products. Every way gives the same bits. Immutable, cheap to copy; threads may
/// share it. Constant time in the coefficients.
class RINGLET_API WideProduct {
 public:
  /// Chooses a way and its kernels. If `kernels` names a kernel exactly, each operation that has a
  /// kernel of this name uses it; for other operations no table above that kernel's table is used.
  /// @throws InvalidArgument if the degree of Phi_m is above 16384, if reduction modulo Phi_m lets
  ///         coefficients grow more than the way allows (4096 times for ntt), or if `kernels` names
  ///         exactly a transform that does not accept the length or the primes.
  WideProduct(const CyclotomicPolynomial& polynomial, const WideModulus& q,
              ProductWay way = ProductWay::automatic,
              const KernelSelection& kernels = KernelSelection::from_environment());

  /// Returns p in the form that products read. p has n coefficients in [0, q).
  /// @throws InvalidArgument if p has another degree or number of words, or a coefficient that is
  ///         not below q.
  std::shared_ptr<const PreparedWidePoly> prepare(const WidePoly& p) const;

  /// Computes results[i] = p * u[i] + e[i] modulo (Phi_m, q), in [0, q), for each i. u[i] has n
  /// coefficients in {-1, 0, 1}. e[i] has n signed integers, or is empty, which means 0. Up to four
  /// products share the work on p; more are computed four at a time. A result of the right shape
  /// keeps its memory; any other result is allocated again.
  /// @throws InvalidArgument if sizes differ, a coefficient of u is out of range, or p was prepared
  ///         by another object. `results` stay unchanged then.
  void multiply_add(std::span<WidePoly> results, const PreparedWidePoly& p,
                    std::span<const std::span<const std::int8_t>> u,
                    std::span<const std::span<const std::int32_t>> e) const;

  /// Returns the chosen way, never `automatic`.
  ProductWay way() const noexcept;
  /// Returns a text for people: the way, the table of the kernels and the size. Examples:
  /// "ntt/ifma52/5*2^10", "karatsuba/avx2/limb48/2560/5" (padded degree and number of recursions).
  std::string kernel_name() const;
  /// Return the bytes of the tables, and of the scratch memory of one call for `count` products.
  std::size_t table_bytes() const noexcept;
  std::size_t scratch_bytes(std::size_t count) const noexcept;

  const CyclotomicPolynomial& polynomial() const noexcept;
  const WideModulus& modulus() const noexcept;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

/// Compute result = a + b and result = a - b modulo q, coefficient by coefficient. a and b are
/// reduced and have the same shape; result may be a or b. Constant time.
/// @throws InvalidArgument if shapes differ or do not fit q.
RINGLET_API void add(WidePoly& result, const WidePoly& a, const WidePoly& b, const WideModulus& q);
RINGLET_API void subtract(WidePoly& result, const WidePoly& a, const WidePoly& b,
                          const WideModulus& q);

}  // namespace ringlet
