// SPDX-License-Identifier: Apache-2.0
#include "bench_schemes.hpp"

// A clock around every primitive. Names are those that docs/performance.md shows.

namespace ringlet::python {
namespace {

constexpr std::string_view kForward = "forward NTT";
constexpr std::string_view kInverse = "inverse NTT";
constexpr std::string_view kElementwise = "element-wise";
constexpr std::string_view kProducts = "products";
constexpr std::string_view kAutomorphism = "automorphism";
constexpr std::string_view kKeyProduct = "key product";
constexpr std::string_view kConversion = "basis conversion";
constexpr std::string_view kDivision = "division";

}  // namespace

void PrimitiveClock::copy(ResidueView result, ConstResidueView a) const {
  timed(kElementwise, [&] { ForwardingBackend::copy(result, a); });
}

void PrimitiveClock::forward_ntt(NttView result, ConstCoeffView a, PrimeIndices primes) const {
  timed(kForward, [&] { ForwardingBackend::forward_ntt(result, a, primes); });
}

void PrimitiveClock::inverse_ntt(CoeffView result, ConstNttView a, PrimeIndices primes) const {
  timed(kInverse, [&] { ForwardingBackend::inverse_ntt(result, a, primes); });
}

void PrimitiveClock::add(ResidueView result, ConstResidueView a, ConstResidueView b,
                         PrimeIndices primes) const {
  timed(kElementwise, [&] { ForwardingBackend::add(result, a, b, primes); });
}

void PrimitiveClock::subtract(ResidueView result, ConstResidueView a, ConstResidueView b,
                              PrimeIndices primes) const {
  timed(kElementwise, [&] { ForwardingBackend::subtract(result, a, b, primes); });
}

void PrimitiveClock::negate(ResidueView result, ConstResidueView a, PrimeIndices primes) const {
  timed(kElementwise, [&] { ForwardingBackend::negate(result, a, primes); });
}

void PrimitiveClock::multiply(NttView result, ConstNttView a, ConstNttView b,
                              PrimeIndices primes) const {
  timed(kProducts, [&] { ForwardingBackend::multiply(result, a, b, primes); });
}

void PrimitiveClock::multiply_add(NttView result, ConstNttView a, ConstNttView b, ConstNttView c,
                                  PrimeIndices primes) const {
  timed(kProducts, [&] { ForwardingBackend::multiply_add(result, a, b, c, primes); });
}

void PrimitiveClock::multiply_accumulate(NttView result, std::span<const ConstNttView> a,
                                         std::span<const ConstNttView> b,
                                         PrimeIndices primes) const {
  timed(kProducts, [&] { ForwardingBackend::multiply_accumulate(result, a, b, primes); });
}

void PrimitiveClock::multiply_pairs(std::span<const NttView, 3> product,
                                    std::span<const ConstNttView, 2> a,
                                    std::span<const ConstNttView, 2> b, PrimeIndices primes) const {
  timed(kProducts, [&] { ForwardingBackend::multiply_pairs(product, a, b, primes); });
}

void PrimitiveClock::multiply_scalars(ResidueView result, ConstResidueView a,
                                      std::span<const std::uint64_t> scalars,
                                      PrimeIndices primes) const {
  timed(kElementwise, [&] { ForwardingBackend::multiply_scalars(result, a, scalars, primes); });
}

void PrimitiveClock::multiply_scalars_add(ResidueView result, ConstResidueView a,
                                          ConstResidueView b,
                                          std::span<const std::uint64_t> scalars,
                                          PrimeIndices primes) const {
  timed(kElementwise,
        [&] { ForwardingBackend::multiply_scalars_add(result, a, b, scalars, primes); });
}

void PrimitiveClock::automorphism(NttView result, ConstNttView a, std::uint64_t galois_element,
                                  PrimeIndices primes) const {
  timed(kAutomorphism, [&] { ForwardingBackend::automorphism(result, a, galois_element, primes); });
}

void PrimitiveClock::automorphism(CoeffView result, ConstCoeffView a, std::uint64_t galois_element,
                                  PrimeIndices primes) const {
  timed(kAutomorphism, [&] { ForwardingBackend::automorphism(result, a, galois_element, primes); });
}

void PrimitiveClock::lift_digit(CoeffView result, std::span<const std::uint64_t> digit,
                                std::size_t digit_prime, PrimeIndices primes) const {
  timed(kConversion, [&] { ForwardingBackend::lift_digit(result, digit, digit_prime, primes); });
}

void PrimitiveClock::inverse_ntt_to_digits(CoeffView result, ConstNttView a,
                                           PrimeIndices primes) const {
  timed(kInverse, [&] { ForwardingBackend::inverse_ntt_to_digits(result, a, primes); });
}

void PrimitiveClock::to_digits(CoeffView result, ConstCoeffView a, PrimeIndices primes) const {
  timed(kConversion, [&] { ForwardingBackend::to_digits(result, a, primes); });
}

void PrimitiveClock::lift_digit_to_ntt(NttView result, std::span<const std::uint64_t> digit,
                                       std::size_t digit_prime, PrimeIndices primes) const {
  timed(kForward,
        [&] { ForwardingBackend::lift_digit_to_ntt(result, digit, digit_prime, primes); });
}

void PrimitiveClock::convert_basis(CoeffView result, ConstCoeffView a,
                                   const BasisConversion& conversion) const {
  timed(kConversion, [&] { ForwardingBackend::convert_basis(result, a, conversion); });
}

void PrimitiveClock::convert_to_modulus(std::span<std::uint64_t> result, ConstCoeffView a,
                                        const BasisConversion& conversion) const {
  timed(kConversion, [&] { ForwardingBackend::convert_to_modulus(result, a, conversion); });
}

void PrimitiveClock::scale_and_round(CoeffView result, ConstCoeffView over_q, ConstCoeffView over_r,
                                     const RnsScaling& scaling) const {
  timed(kConversion, [&] { ForwardingBackend::scale_and_round(result, over_q, over_r, scaling); });
}

bool PrimitiveClock::is_reduced(ConstResidueView a, PrimeIndices primes) const {
  bool is_reduced = false;
  timed(kElementwise, [&] { is_reduced = ForwardingBackend::is_reduced(a, primes); });
  return is_reduced;
}

void PrimitiveClock::lift_message(CoeffView result, std::span<const std::uint64_t> message,
                                  std::uint64_t t, PrimeIndices primes) const {
  timed(kConversion, [&] { ForwardingBackend::lift_message(result, message, t, primes); });
}

void PrimitiveClock::combine_words(CoeffView result, std::span<const std::uint64_t> a,
                                   std::span<const std::uint64_t> b, std::uint64_t bound,
                                   std::span<const std::uint64_t> scalars,
                                   PrimeIndices primes) const {
  timed(kConversion,
        [&] { ForwardingBackend::combine_words(result, a, b, bound, scalars, primes); });
}

void PrimitiveClock::divide_and_round_by_last(NttView result, ConstNttView a, PrimeIndices primes,
                                              std::uint64_t preserve) const {
  timed(kDivision,
        [&] { ForwardingBackend::divide_and_round_by_last(result, a, primes, preserve); });
}

void PrimitiveClock::divide_and_round_by_last(CoeffView result, ConstCoeffView a,
                                              PrimeIndices primes, std::uint64_t preserve) const {
  timed(kDivision,
        [&] { ForwardingBackend::divide_and_round_by_last(result, a, primes, preserve); });
}

void PrimitiveClock::divide_and_round(NttView result, ConstNttView a, PrimeIndices primes,
                                      const BasisConversion& conversion,
                                      std::uint64_t preserve) const {
  timed(kDivision,
        [&] { ForwardingBackend::divide_and_round(result, a, primes, conversion, preserve); });
}

void PrimitiveClock::divide_and_round(CoeffView result, ConstCoeffView a, PrimeIndices primes,
                                      const BasisConversion& conversion,
                                      std::uint64_t preserve) const {
  timed(kDivision,
        [&] { ForwardingBackend::divide_and_round(result, a, primes, conversion, preserve); });
}

void PrimitiveClock::key_inner_product(NttView sum_b, NttView sum_a,
                                       std::span<const ConstNttView> lifted_digits,
                                       std::size_t first_digit, const PreparedKey& key,
                                       PrimeIndices primes) const {
  timed(kKeyProduct, [&] {
    ForwardingBackend::key_inner_product(sum_b, sum_a, lifted_digits, first_digit, key, primes);
  });
}

void PrimitiveClock::multiply_digits_by_key(NttView sum_b, NttView sum_a,
                                            const KeySwitchSource& source, const PreparedKey& key,
                                            PrimeIndices targets) const {
  timed(kKeyProduct,
        [&] { ForwardingBackend::multiply_digits_by_key(sum_b, sum_a, source, key, targets); });
}

}  // namespace ringlet::python
