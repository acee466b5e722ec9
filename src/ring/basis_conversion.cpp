// SPDX-License-Identifier: Apache-2.0
#include "ringlet/basis_conversion.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/text.hpp"
#include "ringlet/error.hpp"

namespace ringlet {
namespace {

constexpr int kWordBits = 64;
constexpr int kShortWordBits = 52;
// Below it, products of y_i and theta_i lose less than 1/4 where they are cut off at 52 bits.
constexpr int kShortModulusBits = 50;

void check_index(const RnsBasis& basis, std::size_t index) {
  if (index < basis.size()) return;
  throw_out_of_range({.operation = "BasisConversion",
                      .offending = concat("the prime of index ", index),
                      .limit = concat("indices below ", basis.size(), ", the number of primes"),
                      .remedy = "pass indices of primes of the basis"});
}

void check_from(const RnsBasis& basis, PrimeIndices from) {
  if (from.empty() || from.size() > kMaxConversionSize) {
    throw_invalid_argument({.operation = "BasisConversion",
                            .offending = concat("from ", from.size(), " primes"),
                            .limit = concat("1 to ", kMaxConversionSize, " primes"),
                            .remedy = "pass as many indices"});
  }
  for (std::size_t i = 0; i < from.size(); ++i) {
    check_index(basis, from[i]);
    const PrimeIndices before = from.first(i);
    if (std::find(before.begin(), before.end(), from[i]) == before.end()) continue;
    throw_invalid_argument({.operation = "BasisConversion",
                            .offending = concat("from[", i, "] = ", from[i], ", a second time"),
                            .limit = "each prime once",
                            .remedy = "pass distinct indices"});
  }
}

}  // namespace

BasisConversion::BasisConversion(const RnsBasis& basis, PrimeIndices from) {
  check_from(basis, from);
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
  }
}

BasisConversion::BasisConversion(const RnsBasis& basis, PrimeIndices from, PrimeIndices to)
    : BasisConversion(basis, from) {
  for (const std::size_t index : to) check_index(basis, index);
  to_.assign(to.begin(), to.end());
  for (const std::size_t index : to) targets_.push_back(make_target(basis[index]));
}

BasisConversion::BasisConversion(const RnsBasis& basis, PrimeIndices from, const Modulus& to)
    : BasisConversion(basis, from) {
  if (to.bit_count() > kMaxConversionModulusBits) {
    throw_invalid_argument(
        {.operation = "BasisConversion",
         .offending = concat("to = ", to.value(), " (", to.bit_count(), " bits)"),
         .limit = concat("at most ", kMaxConversionModulusBits, " bits"),
         .remedy = "use a smaller modulus"});
  }
  modulus_ = to;
  targets_.push_back(make_target(to));
}

BasisConversion::Target BasisConversion::make_target(const Modulus& p) const {
  // Products of the primes before q_i, times those of the primes after it.
  const std::size_t count = moduli_.size();
  Target target{std::vector<std::uint64_t>(count), p.reduce(1), 0};
  for (std::size_t i = 0; i < count; ++i) {
    target.punctured_products[i] = target.product;
    target.product = p.multiply(target.product, p.reduce(moduli_[i].value()));
  }
  std::uint64_t after = p.reduce(1);
  for (std::size_t i = count; i-- > 0;) {
    target.punctured_products[i] = p.multiply(target.punctured_products[i], after);
    after = p.multiply(after, p.reduce(moduli_[i].value()));
  }
  if (std::gcd(target.product, p.value()) == 1) {
    target.product_inverse = inverse_mod(target.product, p);
  }
  return target;
}

const BasisConversion::Target& BasisConversion::target(const char* operation, std::size_t j) const {
  if (j < targets_.size()) return targets_[j];
  throw_out_of_range({.operation = operation,
                      .offending = concat("j = ", j),
                      .limit = concat("indices below ", targets_.size(), ", the number of moduli"),
                      .remedy = "pass an index in this range"});
}

std::span<const std::uint64_t> BasisConversion::punctured_products(std::size_t j) const {
  return target("BasisConversion::punctured_products", j).punctured_products;
}

std::uint64_t BasisConversion::product(std::size_t j) const {
  return target("BasisConversion::product", j).product;
}

std::uint64_t BasisConversion::product_inverse(std::size_t j) const {
  return target("BasisConversion::product_inverse", j).product_inverse;
}

}  // namespace ringlet
