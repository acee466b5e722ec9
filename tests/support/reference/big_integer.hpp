// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <gmpxx.h>
#include <random>

#include "ringlet/ring/rns_poly.hpp"

namespace ringlet::test {

/// An integer of GMP whose quotients are rounded down.
class Integer {
 public:
  explicit Integer(std::uint64_t value = 0) : value_(value) {}
  static Integer of(std::int64_t value) { return Integer(mpz_class(value)); }
  mpz_ptr get() { return value_.get_mpz_t(); }
  mpz_srcptr get() const { return value_.get_mpz_t(); }
  /// The residue in [0, modulus), of negative integers too.
  std::uint64_t residue(std::uint64_t modulus) const { return mpz_fdiv_ui(get(), modulus); }
  bool is_multiple_of(const Integer& d) const { return mpz_divisible_p(get(), d.get()) != 0; }
  /// The inverse modulo an integer that has no common divisor with it.
  Integer inverse(const Integer& modulus) const {
    Integer result;
    mpz_invert(result.get(), get(), modulus.get());
    return result;
  }
  Integer abs() const { return sgn(value_) < 0 ? -*this : *this; }

  friend Integer operator+(Integer a, const Integer& b) { return a.becomes(mpz_add, b); }
  friend Integer operator-(Integer a, const Integer& b) { return a.becomes(mpz_sub, b); }
  friend Integer operator*(Integer a, const Integer& b) { return a.becomes(mpz_mul, b); }
  /// The quotient, rounded down; % gives the remainder in [0, b).
  friend Integer operator/(Integer a, const Integer& b) { return a.becomes(mpz_fdiv_q, b); }
  friend Integer operator%(Integer a, const Integer& b) { return a.becomes(mpz_fdiv_r, b); }
  friend Integer operator<<(Integer a, int bits) { return a.becomes(mpz_mul_2exp, bits); }
  friend Integer operator>>(Integer a, int bits) { return a.becomes(mpz_fdiv_q_2exp, bits); }
  friend Integer operator-(const Integer& a) { return Integer() - a; }
  friend bool operator==(const Integer& a, const Integer& b) { return (a <=> b) == 0; }
  friend std::strong_ordering operator<=>(const Integer& a, const Integer& b) {
    return cmp(a.value_, b.value_) <=> 0;
  }

 private:
  explicit Integer(mpz_class value) : value_(std::move(value)) {}
  Integer&& becomes(void (*call)(mpz_ptr, mpz_srcptr, mpz_srcptr), const Integer& b) {
    call(get(), get(), b.get());
    return std::move(*this);
  }
  Integer&& becomes(void (*call)(mpz_ptr, mpz_srcptr, mp_bitcnt_t), int bits) {
    call(get(), get(), static_cast<mp_bitcnt_t>(bits));
    return std::move(*this);
  }

  mpz_class value_;
};

/// Coefficients of a polynomial over the integers.
using Integers = std::vector<Integer>;

/// A uniform integer below `bound`, up to a bias of 2^-64.
inline Integer random_integer(const Integer& bound, std::mt19937_64& rng) {
  Integer value;
  for (std::size_t w = 0; w <= mpz_sizeinbase(bound.get(), 2) / 64 + 1; ++w) {
    value = (value << 64) + Integer(rng());
  }
  return value % bound;
}

/// The representative of least absolute value modulo an odd number.
inline Integer centred(const Integer& value, const Integer& modulus) {
  const Integer result = value % modulus;
  return result + result > modulus ? result - modulus : result;
}

inline Integer product_of(const RnsBasis& basis, PrimeIndices primes) {
  Integer product(1);
  for (const std::size_t prime : primes) product = product * Integer(basis[prime].value());
  return product;
}

/// The integer in [0, product) with the residues of coefficient `index` of `poly` (Garner).
inline Integer reconstruct(ConstCoeffView poly, std::size_t index, const RnsBasis& basis,
                           PrimeIndices primes) {
  Integer result;
  Integer modulus(1);
  for (std::size_t l = 0; l < primes.size(); ++l) {
    const Integer q(basis[primes[l]].value());
    const Integer missing = Integer(poly.limb(l)[index]) - result;
    result = result + modulus * (modulus.inverse(q) * missing % q);
    modulus = modulus * q;
  }
  return result;
}

/// Coefficient c of limb i is integers[c] modulo the prime of index primes[i]; others are 0.
inline CoeffPoly residues_of(std::span<const Integer> integers, const RnsBasis& basis,
                             PrimeIndices primes) {
  CoeffPoly poly(primes.size(), basis.degree());
  const CoeffView view = poly.view_for_writing();
  for (std::size_t i = 0; i < primes.size(); ++i) {
    for (std::size_t c = 0; c < integers.size(); ++c) {
      view.limb(i)[c] = integers[c].residue(basis[primes[i]].value());
    }
  }
  return poly;
}

/// The formula of BasisConversion in big integers, by its definition.
class ConversionReference {
 public:
  ConversionReference(const RnsBasis& basis, PrimeIndices from)
      : basis_(basis), from_(from.begin(), from.end()), product_(product_of(basis, from)) {
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

  /// The representative r of the integer `a`.
  Integer representative(const Integer& a) const {
    Integer sum;
    Integer count = Integer(1) << (fraction_bits_ - 1);
    for (const std::size_t prime : from_) {
      const Integer q(basis_[prime].value());
      const Integer punctured = product_ / q;
      const Integer y = punctured.inverse(q) * a % q;
      sum = sum + y * punctured;
      const Integer theta = (Integer(1) << (word_bits_ + fraction_bits_)) / q;
      count = count + (theta * y >> word_bits_);
    }
    return sum - (count >> fraction_bits_) * product_;
  }

  /// The representative of least absolute value.
  Integer centred(const Integer& a) const { return test::centred(a, product_); }

  /// The quotient of a division by the product P that preserves residues modulo t: (a - t*r) / P
  /// for the representative r of a/t.
  Integer quotient(const Integer& a, std::uint64_t t = 1) const {
    const Integer r = representative(Integer(t).inverse(product_) * a % product_);
    return (a - Integer(t) * r) / product_;
  }

  /// Whether `a`, centred, is at least -Q/2 + Q*d with d = 5*k / 2^(s+2): 2^(s+1) * (2*a + Q) is at
  /// least 5*k*Q.
  bool is_certain(const Integer& a) const {
    return (a + a + product_) << (fraction_bits_ + 1) >= Integer(5 * from_.size()) * product_;
  }

 private:
  const RnsBasis& basis_;
  std::vector<std::size_t> from_;
  Integer product_;
  int word_bits_ = 0;
  int fraction_bits_ = 0;
};

}  // namespace ringlet::test
