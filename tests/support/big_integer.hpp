// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gmp.h>

#include "ringlet/rns_basis.hpp"
#include "ringlet/storage.hpp"

namespace ringlet::test {

/// An integer of GMP that frees itself.
class Integer {
 public:
  explicit Integer(std::uint64_t value = 0) { mpz_init_set_ui(value_, value); }
  Integer(const Integer& other) { mpz_init_set(value_, other.value_); }
  Integer& operator=(const Integer& other) {
    if (this != &other) mpz_set(value_, other.value_);
    return *this;
  }
  ~Integer() { mpz_clear(value_); }
  mpz_ptr get() { return value_; }
  mpz_srcptr get() const { return value_; }
  /// In [0, modulus), of negative integers too.
  std::uint64_t residue(std::uint64_t modulus) const { return mpz_fdiv_ui(value_, modulus); }

 private:
  mpz_t value_;
};

inline Integer product_of(const RnsBasis& basis, PrimeIndices primes) {
  Integer product(1);
  for (const std::size_t prime : primes) {
    mpz_mul_ui(product.get(), product.get(), basis[prime].value());
  }
  return product;
}

/// The integer in [0, product) with the residues of coefficient `index` of `poly` (Garner).
inline void reconstruct(Integer& result, ConstCoeffView poly, std::size_t index,
                        const RnsBasis& basis, PrimeIndices primes) {
  Integer modulus(1);
  mpz_set_ui(result.get(), 0);
  for (std::size_t l = 0; l < primes.size(); ++l) {
    // result += modulus * ((residue - result) / modulus mod q).
    const std::uint64_t q = basis[primes[l]].value();
    const std::uint64_t have = result.residue(q);
    const std::uint64_t missing = (poly.limb(l)[index] + q - have) % q;
    Integer inverse;
    const Integer divisor(q);
    mpz_invert(inverse.get(), modulus.get(), divisor.get());
    if (l == 0) mpz_set_ui(inverse.get(), 1);
    mpz_mul_ui(inverse.get(), inverse.get(), missing);
    mpz_fdiv_r(inverse.get(), inverse.get(), divisor.get());
    mpz_addmul(result.get(), modulus.get(), inverse.get());
    mpz_mul_ui(modulus.get(), modulus.get(), q);
  }
}

/// The formula of BasisConversion in big integers, from its definition.
class ConversionReference {
 public:
  ConversionReference(const RnsBasis& basis, PrimeIndices from)
      : basis_(basis), from_(from), product_(product_of(basis, from)) {
    std::uint64_t least = ~std::uint64_t{0};
    std::uint64_t largest = 0;
    for (const std::size_t prime : from) {
      least = std::min(least, basis[prime].value());
      largest = std::max(largest, basis[prime].value());
    }
    word_bits_ = largest < std::uint64_t{1} << 50 ? 52 : 64;
    while (least >> (fraction_bits_ + 1) != 0) ++fraction_bits_;
    int size_bits = 0;
    while (from.size() >> size_bits != 0) ++size_bits;
    fraction_bits_ = std::min(fraction_bits_, 64 - size_bits);
  }

  const Integer& product() const { return product_; }
  int word_bits() const { return word_bits_; }
  int fraction_bits() const { return fraction_bits_; }

  /// r for the integer `a`.
  Integer representative(const Integer& a) const {
    Integer sum;
    Integer count(std::uint64_t{1} << (fraction_bits_ - 1));
    for (const std::size_t prime : from_) {
      const Integer q(basis_[prime].value());
      Integer punctured;
      mpz_divexact(punctured.get(), product_.get(), q.get());
      Integer y;
      if (from_.size() > 1) mpz_invert(y.get(), punctured.get(), q.get());
      if (from_.size() == 1) mpz_set_ui(y.get(), 1);
      mpz_mul(y.get(), y.get(), a.get());
      mpz_fdiv_r(y.get(), y.get(), q.get());
      mpz_addmul(sum.get(), y.get(), punctured.get());
      Integer theta(1);
      mpz_mul_2exp(theta.get(), theta.get(), static_cast<mp_bitcnt_t>(word_bits_ + fraction_bits_));
      mpz_fdiv_q(theta.get(), theta.get(), q.get());
      mpz_mul(theta.get(), theta.get(), y.get());
      mpz_fdiv_q_2exp(theta.get(), theta.get(), static_cast<mp_bitcnt_t>(word_bits_));
      mpz_add(count.get(), count.get(), theta.get());
    }
    mpz_fdiv_q_2exp(count.get(), count.get(), static_cast<mp_bitcnt_t>(fraction_bits_));
    mpz_submul(sum.get(), count.get(), product_.get());
    return sum;
  }

  /// The representative of least absolute value.
  Integer centred(const Integer& a) const {
    Integer result;
    Integer twice;
    mpz_fdiv_r(result.get(), a.get(), product_.get());
    mpz_mul_2exp(twice.get(), result.get(), 1);
    if (mpz_cmp(twice.get(), product_.get()) > 0) {
      mpz_sub(result.get(), result.get(), product_.get());
    }
    return result;
  }

  /// Whether `a`, centred, is at least -Q/2 + Q*d with d = 5*k / 2^(s+2): 2^(s+1) * (2*a + Q) is at
  /// least 5*k*Q.
  bool is_certain(const Integer& centred) const {
    Integer left;
    Integer right;
    mpz_mul_2exp(left.get(), centred.get(), 1);
    mpz_add(left.get(), left.get(), product_.get());
    mpz_mul_2exp(left.get(), left.get(), static_cast<mp_bitcnt_t>(fraction_bits_ + 1));
    mpz_mul_ui(right.get(), product_.get(), 5 * from_.size());
    return mpz_cmp(left.get(), right.get()) >= 0;
  }

 private:
  const RnsBasis& basis_;
  PrimeIndices from_;
  Integer product_;
  int word_bits_ = 0;
  int fraction_bits_ = 0;
};

}  // namespace ringlet::test
