// SPDX-License-Identifier: Apache-2.0
#include "fv/products/reconstruction.hpp"

#include <algorithm>

#include "fv/products/digit_constants.hpp"
#include "fv/products/integer.hpp"
#include "ringlet/arith/modular.hpp"

namespace ringlet::wide {
Reconstruction::Reconstruction(const WideModulus& q, std::span<const Modulus> primes,
                               std::uint64_t growth,
                               const kernels::Chosen<kernels::ResidueKernel>& kernel)
    : digits_(modulus_constants(q)), kernel_(kernel) {
  LongInteger product(1);
  for (const Modulus& prime : primes) product = product * prime.value();
  const LongInteger half = divide(product, LongInteger(2)).quotient;
  const LongInteger modulus(q.value());
  LongInteger weight(1);
  for (std::size_t l = 0; l < primes.size(); ++l) {
    const std::uint64_t p = primes[l].value();
    kernels::MixedRadixDigit& digit = digits_.digit[l];
    digit.p = p;
    digit.ratio = primes[l].ratio();
    digit.shift = modulo(half, p) + growth * p;
    for (std::size_t i = 0; i < l; ++i) {
      digit.inverse[i] = inverse_mod(primes[i].value() % p, primes[l]);
      digit.inverse_quotient[i] = shoup_quotient(digit.inverse[i], p);
    }
    set_words(digit.weight, digit.weight52, divide(weight, modulus).remainder);
    weight = weight * p;
  }
  digits_.count = primes.size();
  const LongInteger lowest(multiple_from(LongInteger(std::uint64_t{1} << 31), q));
  set_words(digits_.offset, digits_.offset52, lowest + modulus - divide(half, modulus).remainder);
}

void Reconstruction::run(WidePoly& result, const std::uint64_t* residues, std::size_t stride,
                         std::span<const std::int32_t> e) const {
  kernels::ReconstructArguments arguments;
  arguments.digits = &digits_;
  arguments.residues = residues;
  arguments.stride = stride;
  arguments.e = e.empty() ? nullptr : e.data();
  arguments.count = result.degree();
  for (std::size_t w = 0; w < result.word_count(); ++w) {
    arguments.results[w] = result.plane(w).data();
  }
  kernel_.counter.count();
  kernel_.kernel->reconstruct(arguments);
}

}  // namespace ringlet::wide
