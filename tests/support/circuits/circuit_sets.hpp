// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/rlwe/context.hpp"
#include "support/circuits/shape_parameters.hpp"

// The parameters of random circuits: secure ones as programs use them, and odd ones that only test
// the arithmetic.

namespace ringlet::test {

struct CircuitSet {
  std::string name;
  EncryptionParameters parms;
  SecurityLevel level = SecurityLevel::none;
  SecurityTable table = SecurityTable::classical_2024;
  /// How many of kCircuitSlots consecutive circuits use it.
  std::size_t share = 1;
  /// CKKS: the scale of messages, near the size of the primes that rescaling divides by.
  double scale = 1.0;

  bool is_secure() const noexcept { return level != SecurityLevel::none; }
};

/// Circuit i of a run uses the set of slot i mod kCircuitSlots; half of the slots are secure sets.
inline constexpr std::size_t kCircuitSlots = 50;

/// Data primes, special primes and digits of a set.
struct ModulusShape {
  std::vector<int> data_bits;
  std::vector<int> special_bits;
  std::size_t digit_size = 0;
};

inline EncryptionParameters shaped_parameters(SchemeType scheme, std::size_t degree,
                                              const ModulusShape& shape, std::uint64_t t) {
  return parameters_of(scheme, RingSpec::power_of_two(degree), shape.data_bits, shape.special_bits,
                       scheme == SchemeType::ckks ? 0 : t, shape.digit_size);
}

/// The default primes of SEAL for BFV at 128 bits of the standard of 2018.
inline std::vector<Modulus> seal_default_primes(std::size_t degree) {
  std::vector<std::uint64_t> values;
  if (degree == 4096) {
    values = {0xffffee001, 0xffffc4001, 0x1ffffe0001};
  } else if (degree == 8192) {
    values = {0x7fffffd8001, 0x7fffffc8001, 0xfffffffc001, 0xffffff6c001, 0xfffffebc001};
  } else {
    values = {0xfffffffd8001,  0xfffffffa0001,  0xfffffff00001,  0x1fffffff68001, 0x1fffffff50001,
              0x1ffffffee8001, 0x1ffffffea0001, 0x1ffffffe88001, 0x1ffffffe48001};
  }
  return {values.begin(), values.end()};
}

/// A set of 128-bit security.
struct SecureShape {
  std::size_t share;
  std::size_t degree;
  std::uint64_t t;
  ModulusShape shape = {};  ///< Without data primes: SEAL's default primes.
  int scale_bits = 0;
};

inline std::vector<CircuitSet> secure_sets(SchemeType scheme,
                                           const std::vector<SecureShape>& shapes) {
  std::vector<CircuitSet> sets;
  for (const SecureShape& one : shapes) {
    const bool is_seal = one.shape.data_bits.empty();
    EncryptionParameters parms(scheme);
    parms.set_poly_modulus_degree(one.degree);
    if (is_seal) parms.set_coeff_modulus(seal_default_primes(one.degree));
    if (is_seal && scheme != SchemeType::ckks) parms.set_plain_modulus(Modulus(one.t));
    if (!is_seal) parms = shaped_parameters(scheme, one.degree, one.shape, one.t);
    sets.push_back(
        {.name = "secure " + std::to_string(sets.size()),
         .parms = parms,
         .level = SecurityLevel::tc128,
         .table = is_seal ? SecurityTable::he_standard_2018 : SecurityTable::classical_2024,
         .share = one.share,
         .scale = std::ldexp(1.0, one.scale_bits)});
  }
  return sets;
}

inline std::vector<CircuitSet> secure_exact_sets(SchemeType scheme) {
  const auto batching = [](std::size_t degree, int bits) {
    return PlainModulus::batching(degree, bits).value();
  };
  return secure_sets(scheme,
                     {{4, 4096, batching(4096, 17), {{35, 35}, {36}}},
                      {2, 4096, 3, {{26, 26}, {27, 27}, 2}},
                      {2, 4096, 2, {{34, 35}, {36}}},
                      {3, 4096, batching(4096, 19)},
                      {4, 8192, batching(8192, 20), {{43, 43, 43, 42}, {43}}},
                      {3, 8192, std::uint64_t{1} << 10, {{42, 42, 42}, {44, 44}, 2}},
                      {2, 8192, 1000, {{43, 43, 42, 42}, {44}}},
                      {3, 8192, batching(8192, 20)},
                      {1, 16384, 65537, {{47, 47, 47, 47, 47, 47}, {49, 49, 49}, 3}},
                      {1, 16384, batching(16384, 20), {{47, 47, 47, 47, 47, 47, 47}, {49, 49}, 2}},
                      {1, 16384, batching(16384, 20)}});
}

inline std::vector<CircuitSet> secure_ckks_sets() {
  return secure_sets(SchemeType::ckks,
                     {{4, 4096, 0, {{37, 32}, {37}}, 32},
                      {2, 4096, 0, {{34, 34}, {38}}, 30},
                      {2, 4096, 0, {}, 32},
                      {5, 8192, 0, {{48, 40, 40, 40}, {46}}, 40},
                      {4, 8192, 0, {{44, 40, 40}, {45, 45}, 2}, 40},
                      {3, 8192, 0, {}, 43},
                      {2, 16384, 0, {{49, 46, 46, 46, 46, 46}, {49, 49, 49}, 3}, 46},
                      {2, 16384, 0, {{48, 40, 40, 40, 40, 40, 40, 40, 40}, {49}}, 40},
                      {1, 16384, 0, {}, 49}});
}

/// A number in [0, limit); limit >= 1. Unlike a distribution of the standard library, it gives the
/// same numbers with every compiler.
inline std::size_t below(std::mt19937_64& rng, std::size_t limit) { return rng() % limit; }
inline bool chance(std::mt19937_64& rng, std::size_t percent) { return below(rng, 100) < percent; }
/// A number from `first` to `last`, both included.
inline int between(std::mt19937_64& rng, int first, int last) {
  return first + static_cast<int>(below(rng, static_cast<std::size_t>(last - first + 1)));
}

/// Plain moduli of all kinds, by turns.
inline std::uint64_t odd_plain_modulus(std::size_t turn, std::size_t degree, std::mt19937_64& rng) {
  const std::size_t kind = turn % 8;
  if (kind == 0) return 2;
  if (kind == 1) return std::uint64_t{1} << between(rng, 2, 40);
  if (kind == 2) return PlainModulus::batching(degree, between(rng, 14, 30)).value();
  if (kind == 3) return 2 * (1 + below(rng, 1 << 20)) * (3 + below(rng, 1 << 8));
  if (kind == 4) return PlainModulus::batching(degree, between(rng, 40, 60)).value();
  if (kind == 5) return 3 + 2 * below(rng, 1000);
  if (kind == 6) return (std::uint64_t{1} << 59) + rng() % (std::uint64_t{1} << 59);
  return PlainModulus::batching(degree, between(rng, 17, 20)).value();
}

/// Special primes and digits for data primes of these sizes: now and then none.
inline void add_special_primes(ModulusShape& shape, std::size_t turn, std::mt19937_64& rng) {
  const std::size_t special_count = turn % 7 == 6 ? 0 : 1 + below(rng, 3);
  if (special_count == 0) return;
  shape.digit_size = 1 + below(rng, special_count);
  const int largest = *std::max_element(shape.data_bits.begin(), shape.data_bits.end());
  // Digits of several primes must not be longer than the special primes together.
  const int least = shape.digit_size > 1 ? largest + 1 : largest - 2;
  for (std::size_t i = 0; i < special_count; ++i) {
    shape.special_bits.push_back(std::min(61, between(rng, least, largest + 4)));
  }
}

/// Sets without security: small degrees, few or many primes of 20 to 60 bits.
inline std::vector<CircuitSet> toy_exact_sets(SchemeType scheme, std::size_t count,
                                              std::mt19937_64& rng) {
  std::vector<CircuitSet> sets;
  while (sets.size() < count) {
    const std::size_t turn = sets.size();
    const std::size_t degree = std::size_t{1} << between(rng, 6, 10);
    const std::uint64_t t = odd_plain_modulus(turn, degree, rng);
    const int t_bits = std::bit_width(t);
    const int multiplications = between(rng, 1, t_bits > 30 ? 3 : 5);
    const int wanted = (multiplications + 1) * (t_bits + 14) + 10;
    const int common = between(rng, 22, 60);
    const bool is_mixed = chance(rng, 50);
    ModulusShape shape;
    for (int bits = 0; bits < wanted; bits += shape.data_bits.back()) {
      shape.data_bits.push_back(is_mixed ? between(rng, 20, 60) : common);
    }
    add_special_primes(shape, turn, rng);
    const EncryptionParameters parms = shaped_parameters(scheme, degree, shape, t);
    const auto shares_factor = [t](const Modulus& q) { return std::gcd(q.value(), t) != 1; };
    if (std::ranges::any_of(parms.coeff_modulus(), shares_factor)) continue;
    sets.push_back({.name = "toy " + std::to_string(turn), .parms = parms});
  }
  return sets;
}

inline std::vector<CircuitSet> toy_ckks_sets(std::size_t count, std::mt19937_64& rng) {
  std::vector<CircuitSet> sets;
  while (sets.size() < count) {
    const std::size_t turn = sets.size();
    const std::size_t degree = std::size_t{1} << between(rng, 6, 10);
    const int scale_bits = between(rng, 28, 50);
    ModulusShape shape;
    shape.data_bits.push_back(std::min(60, scale_bits + between(rng, 5, 12)));
    const int rescalings = between(rng, 1, 8);
    for (int i = 0; i < rescalings; ++i) shape.data_bits.push_back(scale_bits + between(rng, 0, 1));
    add_special_primes(shape, turn, rng);
    sets.push_back({.name = "toy " + std::to_string(turn),
                    .parms = shaped_parameters(SchemeType::ckks, degree, shape, 0),
                    .scale = std::ldexp(1.0, scale_bits)});
  }
  return sets;
}

/// Names primes, digits and t.
inline std::string describe(const CircuitSet& set) {
  std::string text = set.name + ": N=" + std::to_string(set.parms.poly_modulus_degree()) + " data";
  for (const Modulus& q : set.parms.data_primes()) text += " " + std::to_string(q.bit_count());
  text += " special";
  for (const Modulus& q : set.parms.special_primes()) text += " " + std::to_string(q.bit_count());
  text += " digit " + std::to_string(set.parms.digit_size());
  if (set.parms.scheme() != SchemeType::ckks) {
    text += " t=" + std::to_string(set.parms.plain_modulus());
  }
  return text;
}

}  // namespace ringlet::test
