// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ring/basis_conversion.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"

namespace ringlet {
namespace {

constexpr const char* kConversion = "BasisConversion";
constexpr int kWordBits = 64;
constexpr int kShortWordBits = 52;
// For moduli below 2^50, products of y_i and theta_i lose less than 1/4 when cut off at 52 bits.
constexpr int kShortModulusBits = 50;

void check_index(const RnsBasis& basis, std::size_t index) {
  if (index < basis.size()) return;
  refuse<OutOfRange>(concat("the prime of index ", index),
                     concat("indices below ", basis.size(), ", the number of primes"),
                     "pass indices of primes of the basis");
}

void check_from(const RnsBasis& basis, PrimeIndices from) {
  if (from.empty() || from.size() > kMaxConversionSize) {
    refuse(concat("from ", from.size(), " primes"), concat("1 to ", kMaxConversionSize, " primes"),
           "pass a number of indices in this range");
  }
  for (std::size_t i = 0; i < from.size(); ++i) {
    check_index(basis, from[i]);
    const PrimeIndices before = from.first(i);
    if (std::find(before.begin(), before.end(), from[i]) == before.end()) continue;
    refuse(concat("from[", i, "] = ", from[i], ", a second time"), "each prime at most once",
           "pass distinct indices");
  }
}

}  // namespace

BasisConversion::BasisConversion(const RnsBasis& basis, PrimeIndices from) {
  public_entry(kConversion, [&] { check_from(basis, from); });
  from_.assign(from.begin(), from.end());
  for (const std::size_t index : from) moduli_.push_back(basis[index]);

  const auto [least, largest] = std::ranges::minmax(moduli_);
  const int size_bits = std::bit_width(moduli_.size());
  word_bits_ = largest.bit_count() <= kShortModulusBits ? kShortWordBits : kWordBits;
  fraction_bits_ = std::min(least.bit_count() - 1, kWordBits - size_bits);
  const uint128_t numerator = uint128_t{1} << (word_bits_ + fraction_bits_);
  for (const Modulus& q : moduli_) {
    reciprocals_.push_back(static_cast<std::uint64_t>(numerator / q.value()));
    std::uint64_t punctured = 1;
    for (const Modulus& other : moduli_) {
      if (other != q) punctured = q.multiply(punctured, q.reduce(other.value()));
    }
    inverses_.push_back(inverse_mod(punctured, q));
    inverse_quotients_.push_back(shoup_quotient(inverses_.back(), q.value()));
  }
}

BasisConversion::BasisConversion(const RnsBasis& basis, PrimeIndices from, PrimeIndices to)
    : BasisConversion(basis, from) {
  public_entry(kConversion, [&] {
    for (const std::size_t index : to) check_index(basis, index);
  });
  to_.assign(to.begin(), to.end());
  for (const std::size_t index : to) targets_.push_back(make_target(basis[index]));
}

BasisConversion::BasisConversion(const RnsBasis& basis, PrimeIndices from, const Modulus& to)
    : BasisConversion(basis, from) {
  public_entry(kConversion, [&] {
    if (to.bit_count() > kMaxConversionModulusBits) {
      refuse(concat("to = ", to.value(), " (", to.bit_count(), " bits)"),
             concat("at most ", kMaxConversionModulusBits, " bits"), "use a smaller modulus");
    }
  });
  modulus_ = to;
  targets_.push_back(make_target(to));
}

BasisConversion::Target BasisConversion::make_target(const Modulus& p) const {
  // Q/q_i is the product of the primes before q_i times the product of those after it.
  const std::size_t count = moduli_.size();
  Target target{p, std::vector<std::uint64_t>(count + 1), p.reduce(1), 0};
  for (std::size_t i = 0; i < count; ++i) {
    target.factors[i] = target.product;
    target.product = p.multiply(target.product, p.reduce(moduli_[i].value()));
  }
  std::uint64_t after = p.reduce(1);
  for (std::size_t i = count; i-- > 0;) {
    target.factors[i] = p.multiply(target.factors[i], after);
    after = p.multiply(after, p.reduce(moduli_[i].value()));
  }
  target.factors[count] = negate_mod(target.product, p.value());
  if (std::gcd(target.product, p.value()) == 1) {
    target.product_inverse = inverse_mod(target.product, p);
  }
  return target;
}

BasisConversion BasisConversion::scaled(std::uint64_t before, std::uint64_t after) const {
  BasisConversion result = *this;
  for (std::size_t i = 0; i < moduli_.size(); ++i) {
    const Modulus& q = moduli_[i];
    result.inverses_[i] = q.multiply(inverses_[i], q.reduce(before));
    result.inverse_quotients_[i] = shoup_quotient(result.inverses_[i], q.value());
  }
  for (Target& target : result.targets_) {
    const Modulus& p = target.modulus;
    const std::uint64_t factor = p.reduce(after);
    for (std::uint64_t& word : target.factors) word = p.multiply(word, factor);
    target.product = p.multiply(target.product, factor);
  }
  return result;
}

const BasisConversion::Target& BasisConversion::target(std::size_t j) const {
  if (j < targets_.size()) return targets_[j];
  refuse<OutOfRange>(concat("j = ", j),
                     concat("indices below ", targets_.size(), ", the number of moduli"),
                     "pass an index in this range");
}

std::span<const std::uint64_t> BasisConversion::punctured_products(std::size_t j) const {
  return std::span(public_entry("BasisConversion::punctured_products",
                                [&]() -> auto& { return target(j); })
                       .factors)
      .first(from_.size());
}

std::span<const std::uint64_t> BasisConversion::factors(std::size_t j) const {
  return public_entry("BasisConversion::factors", [&]() -> auto& { return target(j); }).factors;
}

std::uint64_t BasisConversion::product(std::size_t j) const {
  return public_entry("BasisConversion::product", [&]() -> auto& { return target(j); }).product;
}

std::uint64_t BasisConversion::product_inverse(std::size_t j) const {
  return public_entry("BasisConversion::product_inverse", [&]() -> auto& { return target(j); })
      .product_inverse;
}

// With c = (R/r_j)^-1: y_j = (x*t/Q - z/Q) * c, where z = (sum of y_i * (Q/q_i)) - u*Q. Hence
// -z/Q = (sum of -y_i/q_i) + u.
RnsScaling::RnsScaling(const RnsBasis& basis, PrimeIndices q, PrimeIndices r, std::uint64_t t)
    : remainder_(BasisConversion(basis, q, r).scaled(t, 1)), quotient_(basis, r, q) {
  const std::size_t row = q.size() + 2;
  factors_.resize(r.size() * row);
  for (std::size_t j = 0; j < r.size(); ++j) {
    const Modulus& p = basis[r[j]];
    const std::uint64_t inverse = remainder_.product_inverse(j);
    if (inverse == 0) {
      throw_invalid_argument({"RnsScaling", concat("the prime of index ", r[j], " in both bases"),
                              "bases without a common prime", "pass distinct indices"});
    }
    negated_inverses_.push_back(negate_mod(inverse, p.value()));
    multipliers_.push_back(p.multiply(inverse, p.reduce(t)));
    const std::uint64_t c = quotient_.punctured_inverses()[j];
    const std::uint64_t z_factor = p.multiply(negated_inverses_.back(), c);
    const auto row_factors = std::span(factors_).subspan(j * row, row);
    for (std::size_t i = 0; i <= q.size(); ++i) {
      row_factors[i] = p.multiply(remainder_.factors(j)[i], z_factor);
    }
    row_factors[q.size() + 1] = p.multiply(multipliers_.back(), c);
  }
}

std::span<const std::uint64_t> RnsScaling::factors(std::size_t j) const {
  if (j >= r().size()) {
    throw_out_of_range({.operation = "RnsScaling::factors",
                        .offending = concat("j = ", j),
                        .limit = concat("indices below ", r().size(), ", the number of primes"),
                        .remedy = "pass an index in this range"});
  }
  return std::span(factors_).subspan(j * (q().size() + 2), q().size() + 2);
}

}  // namespace ringlet
