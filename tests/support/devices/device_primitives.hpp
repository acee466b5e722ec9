// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/devices/device_backend_pair.hpp"

namespace ringlet::test {

/// Words of a primitive, as values and as coefficients: the result, three operands, and a second
/// result. `places` are their images: operands and results may be the same.
struct PrimitiveOperands {
  const PlacedImages& images;
  std::array<std::size_t, 5> places{0, 1, 2, 3, 4};

  NttView v(std::size_t i) const { return images[places[i]]->values(); }
  CoeffView c(std::size_t i) const { return images[places[i]]->coefficients(); }
};

struct Primitive {
  std::string name;
  std::size_t operand_count;  ///< Operands whose place the result may take.
  std::function<void(const Backend&, const PrimitiveOperands&)> run;

  void operator()(const Backend& backend, const PlacedImages& images) const {
    run(backend, {images});
  }
};

inline const Indices kPrimitivePrimes = {4, 0, 2, 6, 5};

inline std::vector<Image> make_primitive_images(const RnsBasis& basis, std::mt19937_64& rng,
                                                Fill fill = Fill::scattered,
                                                const Indices& primes = kPrimitivePrimes) {
  std::vector<Image> images;
  for (const std::size_t gap : {1, 0, 2, 0, 3}) {
    images.push_back(make_image(basis, primes, rng, fill, gap));
  }
  return images;
}

inline void add_scalars(std::vector<Primitive>& all, const RnsBasis& basis, const Indices& p) {
  using B = const Backend&;
  using X = const PrimitiveOperands&;
  for (const std::uint64_t edge : {0, 1, 2, 3}) {
    Words s;
    for (const std::size_t prime : p) {
      const std::uint64_t q = basis[prime].value();
      s.push_back(edge < 2 ? edge : edge == 2 ? q - 1 : q / 3 + prime);
    }
    const std::string of = " by edge " + std::to_string(edge);
    all.push_back({"multiply_scalars" + of, 1,
                   [p, s](B b, X x) { b.multiply_scalars(x.v(0), x.v(1), s, p); }});
    all.push_back({"multiply_scalars_add" + of, 2,
                   [p, s](B b, X x) { b.multiply_scalars_add(x.v(0), x.v(1), x.v(2), s, p); }});
  }
}

/// Adds primitives that convert from some of the different primes `p` to others, and that divide.
inline void add_conversions(std::vector<Primitive>& all, const RnsBasis& basis, const Indices& p) {
  using B = const Backend&;
  using X = const PrimitiveOperands&;
  const std::size_t most = p.size() - 1;
  const std::size_t kept = p.size() - 2;
  const std::span<const std::size_t> parts(p);
  const auto conversion =
      std::make_shared<const BasisConversion>(basis, parts.last(2), parts.first(kept));
  const auto to_modulus =
      std::make_shared<const BasisConversion>(basis, parts.first(kept), Modulus(65537));
  all.push_back({"convert_basis", 0, [=](B b, X x) {
                   b.convert_basis(x.c(0).first(kept), x.c(1).part(kept, 2), *conversion);
                 }});
  all.push_back({"convert_to_modulus", 0, [=](B b, X x) {
                   b.convert_to_modulus(x.v(0).limb(0), x.c(1).first(kept), *to_modulus);
                 }});
  for (const std::uint64_t t : {1, 3, 65537}) {
    const std::string of = ", t = " + std::to_string(t);
    all.push_back({"divide_and_round_by_last of values" + of, 1, [=](B b, X x) {
                     b.divide_and_round_by_last(x.v(0).first(most), x.v(1), p, t);
                   }});
    all.push_back({"divide_and_round_by_last of coefficients" + of, 1, [=](B b, X x) {
                     b.divide_and_round_by_last(x.c(0).first(most), x.c(1), p, t);
                   }});
    all.push_back({"divide_and_round of values" + of, 1, [=](B b, X x) {
                     b.divide_and_round(x.v(0).first(kept), x.v(1), p, *conversion, t);
                   }});
    all.push_back({"divide_and_round of coefficients" + of, 1, [=](B b, X x) {
                     b.divide_and_round(x.c(0).first(kept), x.c(1), p, *conversion, t);
                   }});
  }
}

/// Returns every primitive once, each by itself, on polynomials of `p`; those that divide only if
/// the primes of `p` are different. `key` has two pairs of the whole basis.
inline std::vector<Primitive> primitives(const RnsBasis& basis,
                                         const std::shared_ptr<const PreparedKey>& key,
                                         const Indices& p = kPrimitivePrimes) {
  using B = const Backend&;
  using X = const PrimitiveOperands&;
  std::vector<Primitive> all{
      {"copy", 1, [](B b, X x) { b.copy(x.v(0), x.v(1)); }},
      {"forward_ntt", 1, [p](B b, X x) { b.forward_ntt(x.v(0), x.c(1), p); }},
      {"inverse_ntt", 1, [p](B b, X x) { b.inverse_ntt(x.c(0), x.v(1), p); }},
      {"add", 2, [p](B b, X x) { b.add(x.v(0), x.v(1), x.v(2), p); }},
      {"subtract", 2, [p](B b, X x) { b.subtract(x.v(0), x.v(1), x.v(2), p); }},
      {"negate", 1, [p](B b, X x) { b.negate(x.v(0), x.v(1), p); }},
      {"multiply", 2, [p](B b, X x) { b.multiply(x.v(0), x.v(1), x.v(2), p); }},
      {"multiply_add", 3, [p](B b, X x) { b.multiply_add(x.v(0), x.v(1), x.v(2), x.v(3), p); }},
      {"multiply_accumulate", 0,
       [p](B b, X x) {
         const std::vector<ConstNttView> left(9, x.v(1));
         const std::vector<ConstNttView> right(9, x.v(2));
         b.multiply_accumulate(x.v(0), left, right, p);
       }},
      {"multiply_matrices", 0,
       [p](B b, X x) {
         const NttView sums[] = {x.v(0)};
         const ConstNttView left[] = {x.v(1)};
         const ConstNttView right[] = {x.v(2)};
         b.multiply_matrices({sums, 1, 1, 1}, {left, 1, 1, 1}, {right, 1, 1, 1}, 1, p);
       }},
      {"to_digits", 1, [p](B b, X x) { b.to_digits(x.c(0), x.c(1), p); }},
      {"inverse_ntt_to_digits", 1, [p](B b, X x) { b.inverse_ntt_to_digits(x.c(0), x.v(1), p); }},
  };
  add_scalars(all, basis, p);
  for (const std::uint64_t e : {std::uint64_t{3}, 2 * std::uint64_t{basis.degree()} - 1}) {
    const std::string of = " by " + std::to_string(e);
    all.push_back({"automorphism of values" + of, 0,
                   [p, e](B b, X x) { b.automorphism(x.v(0), x.v(1), e, p); }});
    all.push_back({"automorphism of coefficients" + of, 0,
                   [p, e](B b, X x) { b.automorphism(x.c(0), x.c(1), e, p); }});
  }
  for (const std::size_t i : std::set{std::size_t{0}, p.size() / 2, p.size() - 1}) {
    const std::string of = " of limb " + std::to_string(i);
    all.push_back({"lift_digit" + of, 0,
                   [p, i](B b, X x) { b.lift_digit(x.c(0), x.v(1).limb(i), p[i], p); }});
    all.push_back({"lift_digit_to_ntt" + of, 0,
                   [p, i](B b, X x) { b.lift_digit_to_ntt(x.v(0), x.v(1).limb(i), p[i], p); }});
  }
  if (p.size() > 2 && std::set(p.begin(), p.end()).size() == p.size()) {
    add_conversions(all, basis, p);
  }
  all.push_back({"key_inner_product", 0, [p, key](B b, X x) {
                   const ConstNttView digits[] = {x.v(1), x.v(2)};
                   b.key_inner_product(x.v(0), x.v(4), digits, {*key}, p);
                 }});
  return all;
}

/// Prepares a key of the pairs of images 2 i and 2 i + 1; the caller keeps the images.
inline std::shared_ptr<const PreparedKey> prepare_key(const Backend& backend,
                                                      const std::vector<Image>& images) {
  std::vector<ConstNttView> pairs[2];
  for (std::size_t k = 0; k < images.size(); ++k) pairs[k % 2].push_back(images[k].view());
  return backend.prepare_key(pairs[0], pairs[1]);
}
inline std::shared_ptr<const PreparedKey> prepare_primitive_key(const Backend& backend,
                                                                const Image& words) {
  const ConstNttView pairs[] = {words.view(), words.view()};
  return backend.prepare_key(pairs, pairs);
}

/// Compares all primitives whose name `is_wanted` takes on both backends: with separate operands,
/// and if `in_place` also with the result at the place of each operand and all operands in one.
inline void expect_same_primitives(const DeviceBackendPair& pair, const Indices& primes, Fill fill,
                                   bool in_place,
                                   bool (*is_wanted)(const std::string& name) = nullptr) {
  const RnsBasis& basis = pair.basis();
  auto rng = make_rng(basis.degree() + primes.size());
  const Image key = make_image(basis, first_primes(basis.size()), rng);
  const auto on_host = primitives(basis, prepare_primitive_key(pair.cpu(), key), primes);
  const auto on_device = primitives(basis, prepare_primitive_key(pair.device(), key), primes);
  const std::vector<Image> images = make_primitive_images(basis, rng, fill, primes);
  for (std::size_t i = 0; i < on_host.size(); ++i) {
    if (is_wanted != nullptr && !is_wanted(on_host[i].name)) continue;
    SCOPED_TRACE(::testing::Message()
                 << on_host[i].name << ", degree " << basis.degree() << ", " << primes.size()
                 << " primes, fill " << static_cast<int>(fill));
    std::vector<std::array<std::size_t, 5>> all_places{{0, 1, 2, 3, 4}};
    for (std::size_t k = 1; in_place && k <= on_host[i].operand_count; ++k) {
      all_places.push_back({k, 1, 2, 3, 4});
      all_places.push_back({0, k, k, k, 4});
      all_places.push_back({k, k, k, k, 4});
    }
    for (const auto& places : all_places) {
      pair.expect_same(images, [&](const Backend& backend, const PlacedImages& placed) {
        const bool is_host = backend.memory() == nullptr;
        (is_host ? on_host : on_device)[i].run(backend, {placed, places});
      });
    }
  }
}

}  // namespace ringlet::test
