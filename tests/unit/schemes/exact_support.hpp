// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/ringlet.hpp"
#include "support/reference/flint_integer_poly.hpp"
#include "support/reference/plain_poly.hpp"
#include "unit/schemes/ckks_support.hpp"

// BFV and BGV in the open: contexts of every shape, and ciphertexts as big-integer polynomials.

namespace ringlet::test {

/// Parameters without their scheme; CKKS uses all of them except t.
struct ExactShape {
  std::size_t degree;
  std::uint64_t t;
  std::vector<int> data;
  std::vector<int> special;
  std::size_t digit_size = 0;
};

inline std::string describe(const ExactShape& shape) {
  return "N = " + std::to_string(shape.degree) + ", t = " + std::to_string(shape.t) + ", " +
         std::to_string(shape.data.size()) + " + " + std::to_string(shape.special.size()) +
         " primes";
}

/// Plain moduli 2, odd primes, powers of two, composites, near 2^60 and above single primes; primes
/// of 20 to 61 bits; the products of all data primes leave room for a product of ciphertexts.
inline const std::vector<ExactShape>& exact_shapes() {
  constexpr std::uint64_t kBig = (std::uint64_t{1} << 60) - 1;  // 3^2 * 5^2 * 7 * ...
  static const std::vector<ExactShape> kShapes{
      {2, 2, {20, 30, 25}, {31}, 0},
      {2, 13, {61, 60}, {}, 0},
      {4, 16, {40, 41, 20}, {42}, 0},
      {4, 15, {20, 61, 30, 50}, {61}, 0},
      {64, 257, {30, 30, 30, 30}, {31}, 0},
      {64, kBig, {60, 61, 60, 61, 60}, {61, 61}, 2},
      {64, std::uint64_t{1} << 20, {49, 48, 47, 49, 48}, {49, 49, 49}, 2},
      {64, 1000001 * 37, {22, 23, 61, 49, 50}, {61}, 0},
      {1024, 12289, {40, 41, 40}, {42}, 0},
      {1024, 1024, {54, 49, 30, 22}, {60}, 0},
  };
  return kShapes;
}

inline void PrintTo(const ExactShape& shape, std::ostream* stream) { *stream << describe(shape); }

inline Context exact_context(SchemeType scheme, const ExactShape& shape,
                             const KernelSelection& kernels = KernelSelection::from_environment()) {
  const std::uint64_t t = scheme == SchemeType::ckks ? 0 : shape.t;
  return Context(parameters_of(scheme, RingSpec::power_of_two(shape.degree), shape.data,
                               shape.special, t, shape.digit_size),
                 SecurityLevel::none, SecurityTable::classical_2024, kernels);
}

inline Plaintext plain_of(const Words& coefficients) {
  Plaintext plain(coefficients.size());
  std::ranges::copy(coefficients, plain.coefficients_for_writing().begin());
  return plain;
}

/// All N coefficients.
inline Words words_of_plain(const Plaintext& plain, std::size_t degree) {
  Words words(degree);
  std::ranges::copy(plain.coefficients(), words.begin());
  return words;
}

/// BFV or BGV with all services.
struct Exact : Services {
  explicit Exact(const Context& with) : Services(with, test_seed()) {}
  Exact(SchemeType scheme, const ExactShape& shape) : Exact(exact_context(scheme, shape)) {}

  std::uint64_t t() const { return context.plain_modulus().value(); }
  PlainPoly poly(const Words& words) const { return PlainPoly(degree(), t(), words); }
  /// A plaintext of edges and uniform values.
  Plaintext random_plain(std::mt19937_64& rng) const { return plain_of(random_words(rng)); }
  PlainPoly random_message(std::mt19937_64& rng) const { return poly(random_words(rng)); }
  Words random_words(std::mt19937_64& rng) const {
    Words words(degree());
    for (std::uint64_t& word : words) {
      const std::uint64_t edges[] = {0, 1 % t(), t() - 1, t() / 2, (t() + 1) / 2 % t()};
      word = rng() % 4 == 0 ? edges[rng() % 5] : rng() % t();
    }
    return words;
  }
  Ciphertext encrypt(const PlainPoly& message) const {
    return encrypt(plain_of(message.coefficients()));
  }
  Ciphertext encrypt(const Plaintext& plain) const {
    // In tiny rings the randomness u of public-key encryption is zero too often.
    return degree() <= 8 ? encryptor.encrypt_symmetric(plain) : encryptor.encrypt(plain);
  }
  Ciphertext encrypt(const PlainPoly& message, const ContextData& level) const {
    Ciphertext encrypted = encrypt(message);
    evaluator.mod_switch_to_inplace(encrypted, level.parms_id());
    return encrypted;
  }
  PlainPoly decrypt(const Ciphertext& encrypted) const {
    return poly(words_of_plain(decryptor.decrypt(encrypted), degree()));
  }
};

inline Integer modulus_of(const Context& context, const ContextData& level) {
  return product_of(context.backend().basis(), level.primes());
}

/// The polynomials of a ciphertext in coefficient form, coefficients in [0, Q).
inline std::vector<Integers> integers_of(const Context& context, const Ciphertext& encrypted) {
  const ContextData& level = *context.get_context_data(encrypted.parms_id());
  const Backend& backend = context.backend();
  std::vector<Integers> polys(encrypted.size());
  for (std::size_t k = 0; k < polys.size(); ++k) {
    CoeffPoly copy(level.prime_count(), level.degree());
    if (encrypted.is_ntt_form()) {
      backend.inverse_ntt(copy.view_for_writing(), encrypted.ntt_view(k), level.primes());
    } else {
      backend.copy(copy.view_for_writing(), encrypted.coeff_view(k));
    }
    for (std::size_t n = 0; n < level.degree(); ++n) {
      polys[k].push_back(
          reconstruct(std::as_const(copy).view(), n, backend.basis(), level.primes()));
    }
  }
  return polys;
}

/// The ciphertext, in the native form of the scheme, with these polynomials.
inline Ciphertext ciphertext_of(const Context& context, const ContextData& level,
                                const std::vector<Integers>& polys) {
  const Backend& backend = context.backend();
  Ciphertext result(level, polys.size(), context.ciphertext_form());
  for (std::size_t k = 0; k < polys.size(); ++k) {
    const CoeffPoly poly = residues_of(polys[k], backend.basis(), level.primes());
    if (result.is_ntt_form()) {
      backend.forward_ntt(result.ntt_view_for_writing(k), poly.view(), level.primes());
    } else {
      backend.copy(result.coeff_view_for_writing(k), poly.view());
    }
  }
  return result;
}

/// A ciphertext of random polynomials, which covers more than encryption can give.
inline Ciphertext random_ciphertext(const Context& context, const ContextData& level,
                                    std::size_t size, std::mt19937_64& rng) {
  const Integer modulus = modulus_of(context, level);
  std::vector<Integers> polys;
  while (polys.size() < size) polys.push_back(random_integers(level.degree(), modulus, rng));
  // From q/2 to 3q/4, so that it is not 0 after a division by all primes but one.
  const Integer quarter = modulus >> 2;
  polys.back().front() = Integer(rng()) % quarter + quarter + quarter;
  return ciphertext_of(context, level, polys);
}

/// [c_0 + c_1*s + ...]_Q, centred, for the coefficients of the secret.
inline Integers phase_of(const Exact& exact, const Ciphertext& encrypted) {
  const Context& context = exact.context;
  Integers secret;
  for (const std::int64_t s : small_coefficients(context, exact.keygen.secret_key().view(),
                                                 context.key_context_data()->primes())) {
    secret.push_back(Integer::of(s));
  }
  const auto polys = integers_of(context, encrypted);
  Integers sum = polys.back();
  for (std::size_t k = polys.size() - 1; k-- > 0;) {
    sum = sum_of(negacyclic_product(sum, secret), polys[k]);
  }
  const Integer modulus = modulus_of(context, exact.level(encrypted));
  for (Integer& value : sum) value = centred(value, modulus);
  return sum;
}

/// Returns m below (t+1)/2, else m - t.
inline Integer lift_centred(std::uint64_t m, std::uint64_t t) {
  return m >= (t + 1) / 2 ? Integer(m) - Integer(t) : Integer(m);
}

/// Expects that the ciphertext has exactly these polynomials.
inline void expect_polynomials(const Exact& exact, const Ciphertext& actual,
                               const std::vector<Integers>& expected, const ContextData& level,
                               std::uint64_t correction_factor = 1) {
  EXPECT_EQ(actual.scale(), 1.0);
  EXPECT_EQ(actual.correction_factor(), correction_factor);
  EXPECT_EQ(actual.parms_id(), level.parms_id());
  ASSERT_EQ(actual.size(), expected.size());
  const Ciphertext reference = ciphertext_of(exact.context, level, expected);
  ASSERT_EQ(actual.form(), reference.form());
  for (std::size_t k = 0; k < actual.size(); ++k) {
    ASSERT_EQ(words_of(actual.view(k)), words_of(reference.view(k))) << "polynomial " << k;
  }
}

}  // namespace ringlet::test
