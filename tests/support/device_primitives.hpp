// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ring/reinterpret.hpp"
#include "ringlet/basis_conversion.hpp"
#include "support/device_backend_pair.hpp"
#include "support/test.hpp"

namespace ringlet::test {

/// Every primitive once, each by itself, on images of make_primitive_images.
struct PrimitiveCall {
  std::string name;
  std::function<void(const Backend&, const PlacedImages&)> run;
};

/// Primes of the images, and how many of the last ones divisions take off.
inline const Indices kPrimitivePrimes = {4, 0, 2, 6, 5};
inline constexpr std::size_t kPrimitiveDropped = 2;

/// A result, three operands, and a second result.
inline std::vector<Image> make_primitive_images(const RnsBasis& basis, std::mt19937_64& rng,
                                                Fill fill = Fill::scattered) {
  std::vector<Image> images;
  for (const std::size_t gap : {1, 0, 2, 0, 3}) {
    images.push_back(make_image(basis, kPrimitivePrimes, rng, fill, gap));
  }
  return images;
}

/// `key` has two pairs of the whole basis.
inline std::vector<PrimitiveCall> primitive_calls(const RnsBasis& basis,
                                                  const std::shared_ptr<const PreparedKey>& key) {
  const Indices& primes = kPrimitivePrimes;
  const std::size_t kept = primes.size() - kPrimitiveDropped;
  const Indices first(primes.begin(), primes.begin() + static_cast<std::ptrdiff_t>(kept));
  const Indices last(primes.begin() + static_cast<std::ptrdiff_t>(kept), primes.end());
  const auto conversion = std::make_shared<const BasisConversion>(basis, last, first);
  const auto to_modulus = std::make_shared<const BasisConversion>(basis, first, Modulus(65537));
  const std::size_t most = primes.size() - 1;
  const auto values = [](const PlacedImages& images, std::size_t i) { return images[i]->values(); };
  const auto coefficients = [](const PlacedImages& images, std::size_t i) {
    return images[i]->coefficients();
  };
  using Images = const PlacedImages&;
  return {
      {"copy", [=](const Backend& b, Images x) { b.copy(values(x, 0), values(x, 1)); }},
      {"forward_ntt", [=](const Backend& b,
                          Images x) { b.forward_ntt(values(x, 0), coefficients(x, 1), primes); }},
      {"inverse_ntt", [=](const Backend& b,
                          Images x) { b.inverse_ntt(coefficients(x, 0), values(x, 1), primes); }},
      {"add", [=](const Backend& b,
                  Images x) { b.add(values(x, 0), values(x, 1), values(x, 2), primes); }},
      {"subtract", [=](const Backend& b,
                       Images x) { b.subtract(values(x, 0), values(x, 1), values(x, 2), primes); }},
      {"negate", [=](const Backend& b, Images x) { b.negate(values(x, 0), values(x, 1), primes); }},
      {"multiply", [=](const Backend& b,
                       Images x) { b.multiply(values(x, 0), values(x, 1), values(x, 2), primes); }},
      {"multiply_add",
       [=](const Backend& b, Images x) {
         b.multiply_add(values(x, 0), values(x, 1), values(x, 2), values(x, 3), primes);
       }},
      {"multiply_accumulate",
       [=](const Backend& b, Images x) {
         const std::vector<ConstNttView> left(9, values(x, 1));
         const std::vector<ConstNttView> right(9, values(x, 2));
         b.multiply_accumulate(values(x, 0), left, right, primes);
       }},
      {"multiply_matrices",
       [=](const Backend& b, Images x) {
         const NttView sums[] = {values(x, 0)};
         const ConstNttView left[] = {values(x, 1)};
         const ConstNttView right[] = {values(x, 2)};
         b.multiply_matrices({sums, 1, 1, 1}, {left, 1, 1, 1}, {right, 1, 1, 1}, 1, primes);
       }},
      {"multiply_scalars",
       [=](const Backend& b, Images x) {
         b.multiply_scalars(values(x, 0), values(x, 1), Words{1, 2, 3, 4, 5}, primes);
       }},
      {"multiply_scalars_add",
       [=](const Backend& b, Images x) {
         b.multiply_scalars_add(values(x, 0), values(x, 1), values(x, 2), Words{1, 2, 3, 4, 5},
                                primes);
       }},
      {"automorphism of values",
       [=](const Backend& b, Images x) { b.automorphism(values(x, 0), values(x, 1), 3, primes); }},
      {"automorphism of coefficients",
       [=](const Backend& b, Images x) {
         b.automorphism(coefficients(x, 0), coefficients(x, 1), 3, primes);
       }},
      {"lift_digit",
       [=](const Backend& b, Images x) {
         b.lift_digit(coefficients(x, 0), x[1]->limb(2), primes[2], primes);
       }},
      {"inverse_ntt_to_digits",
       [=](const Backend& b, Images x) {
         b.inverse_ntt_to_digits(coefficients(x, 0), values(x, 1), primes);
       }},
      {"to_digits", [=](const Backend& b,
                        Images x) { b.to_digits(coefficients(x, 0), coefficients(x, 1), primes); }},
      {"lift_digit_to_ntt",
       [=](const Backend& b, Images x) {
         b.lift_digit_to_ntt(values(x, 0), x[1]->limb(2), primes[2], primes);
       }},
      {"convert_basis",
       [=](const Backend& b, Images x) {
         b.convert_basis(coefficients(x, 0).first(kept),
                         coefficients(x, 1).part(kept, kPrimitiveDropped), *conversion);
       }},
      {"convert_to_modulus",
       [=](const Backend& b, Images x) {
         b.convert_to_modulus(x[0]->limb(0), coefficients(x, 1).first(kept), *to_modulus);
       }},
      {"divide_and_round_by_last of values",
       [=](const Backend& b, Images x) {
         b.divide_and_round_by_last(values(x, 0).first(most), values(x, 1), primes, 3);
       }},
      {"divide_and_round_by_last of coefficients",
       [=](const Backend& b, Images x) {
         b.divide_and_round_by_last(coefficients(x, 0).first(most), coefficients(x, 1), primes, 3);
       }},
      {"divide_and_round of values",
       [=](const Backend& b, Images x) {
         b.divide_and_round(values(x, 0).first(kept), values(x, 1), primes, *conversion, 3);
       }},
      {"divide_and_round of coefficients",
       [=](const Backend& b, Images x) {
         b.divide_and_round(coefficients(x, 0).first(kept), coefficients(x, 1), primes, *conversion,
                            3);
       }},
      {"key_inner_product",
       [=](const Backend& b, Images x) {
         const ConstNttView digits[] = {values(x, 1), values(x, 2)};
         b.key_inner_product(values(x, 0), values(x, 4), digits, 0, *key, primes);
       }},
  };
}

/// A key of two pairs, of words of the host that somebody else owns.
inline std::shared_ptr<const PreparedKey> prepare_primitive_key(const Backend& backend,
                                                                const Image& words) {
  const ConstNttView view{words.words.data(), words.degree, words.limb_count, words.stride};
  const ConstNttView pairs[] = {view, view};
  return backend.prepare_key(pairs, pairs);
}

}  // namespace ringlet::test
