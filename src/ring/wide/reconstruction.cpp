// SPDX-License-Identifier: Apache-2.0
#include "ring/wide/reconstruction.hpp"

#include "ring/wide/integer.hpp"
#include "ringlet/modular.hpp"

namespace ringlet::wide {

Reconstruction::Reconstruction(const WideModulus& q, std::span<const Modulus> primes,
                               std::uint64_t growth)
    : barrett_(make_wide_barrett(q)) {
  LongInteger product(1);
  for (const Modulus& prime : primes) product = product * prime.value();
  const LongInteger half = divide(product, LongInteger(2)).quotient;
  const LongInteger modulus(q.value());
  LongInteger weight(1);
  for (std::size_t l = 0; l < primes.size(); ++l) {
    const std::uint64_t p = primes[l].value();
    Digit digit{p, primes[l].ratio(), modulo(half, p) + growth * p, {}, {}, {}};
    for (std::size_t i = 0; i < l; ++i) {
      digit.inverse[i] = inverse_mod(primes[i].value() % p, primes[l]);
      digit.inverse_quotient[i] = shoup_quotient(digit.inverse[i], p);
    }
    digit.weight = divide(weight, modulus).remainder.low();
    weight = weight * p;
    digits_.push_back(digit);
  }
  const LongInteger lowest(multiple_from(LongInteger(std::uint64_t{1} << 31), q));
  offset_ = (lowest + modulus - divide(half, modulus).remainder).low();
}

void Reconstruction::run(WidePoly& result, const std::uint64_t* residues, std::size_t stride,
                         std::span<const std::int32_t> e) const {
  std::array<std::uint64_t*, kWideWords> words{};
  for (std::size_t w = 0; w < result.word_count(); ++w) words[w] = result.plane(w).data();
  for (std::size_t i = 0; i < result.degree(); ++i) {
    WideInteger value = offset_;
    if (!e.empty()) add_signed(value, e[i]);
    std::array<std::uint64_t, kMaxResidues> mixed;
    for (std::size_t l = 0; l < digits_.size(); ++l) {
      const Digit& digit = digits_[l];
      std::uint64_t x =
          barrett_reduce(residues[l * stride + i] + digit.shift, digit.p, digit.ratio);
      // Primes of one size: the digits before are below 2p.
      for (std::size_t k = 0; k < l; ++k) {
        x = mul_mod_shoup(x + 2 * digit.p - mixed[k], digit.inverse[k], digit.inverse_quotient[k],
                          digit.p);
      }
      mixed[l] = x;
      add_product(value, x, digit.weight);
    }
    reduce_words_modulo(value, barrett_);
    for (std::size_t w = 0; w < result.word_count(); ++w) words[w][i] = value[w];
  }
}

}  // namespace ringlet::wide
