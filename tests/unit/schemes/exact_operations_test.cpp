// SPDX-License-Identifier: Apache-2.0
// Every operation of BFV and BGV on messages, against polynomials modulo X^N + 1 and t by FLINT.

#include "support/test.hpp"
#include "unit/schemes/exact_support.hpp"

namespace ringlet::test {
namespace {

// A budget that no ciphertext without a message has by chance, even with two coefficients.
constexpr int kCertain = 24;

class ExactOperations : public ::testing::TestWithParam<std::tuple<SchemeType, ExactShape>> {
 protected:
  ExactOperations() : rng_(make_rng()) {}

  PlainPoly message() { return exact_.random_message(rng_); }
  Plaintext plain(const PlainPoly& m) const { return plain_of(m.coefficients()); }

  // The integers m or, from (t+1)/2 on, m - t.
  Integers lift_centred(const PlainPoly& m) const {
    Integers values(exact_.degree());
    for (std::size_t n = 0; n < values.size(); ++n) {
      mpz_set_ui(values[n].get(), m[n]);
      if (m[n] >= (exact_.t() + 1) / 2) mpz_sub_ui(values[n].get(), values[n].get(), exact_.t());
    }
    return values;
  }

  // Where there is budget left the message is right; at the first level there must be.
  void expect_message(const Ciphertext& actual, const PlainPoly& expected, bool is_certain) {
    const int budget = exact_.decryptor.invariant_noise_budget(actual);
    if (is_certain) {
      ASSERT_GE(budget, 1);
    }
    if (!is_certain && budget < kCertain) return;
    ++checked_;
    EXPECT_EQ(exact_.decrypt(actual).coefficients(), expected.coefficients());
  }
  bool is_first(const ContextData& level) const {
    return &level == exact_.context.first_context_data();
  }
  // A level at which fresh ciphertexts, switched down, keep their message for sure.
  bool is_roomy(const ContextData& level) const {
    return level.total_coeff_modulus_bit_count() >=
           static_cast<int>(std::bit_width(exact_.t())) + 20;
  }

  Exact exact_{std::get<0>(GetParam()), std::get<1>(GetParam())};
  std::mt19937_64 rng_;
  int checked_ = 0;
};

TEST_P(ExactOperations, EncryptionAndDecryption) {
  const PlainPoly m = message();
  for (const Plaintext& p : {plain(m), plain_of(m.coefficients())}) {
    expect_message(exact_.encryptor.encrypt(p), m, true);
    expect_message(exact_.encryptor.encrypt_symmetric(p), m, true);
  }
  const PlainPoly zero(exact_.degree(), exact_.t());
  expect_message(exact_.encryptor.encrypt(Plaintext()), zero, true);
  expect_message(exact_.encryptor.encrypt_zero(), zero, true);
  expect_message(exact_.encryptor.encrypt_zero_symmetric(), zero, true);
  expect_message(exact_.encryptor.encrypt(plain_of({exact_.t() - 1})),
                 exact_.poly({exact_.t() - 1}), true);
  const Words all(exact_.degree(), exact_.t() - 1);
  expect_message(exact_.encryptor.encrypt(plain_of(all)), exact_.poly(all), true);
  for (const ContextData* level : exact_.levels()) {
    expect_message(exact_.encryptor.encrypt_zero(level->parms_id()), zero, is_roomy(*level));
    expect_message(exact_.encrypt(m, *level), m, is_roomy(*level));
  }
  // Without trailing zeros, but never without a coefficient.
  EXPECT_EQ(exact_.decryptor.decrypt(exact_.encryptor.encrypt_zero()).coeff_count(), 1u);
  Words one(exact_.degree());
  one[exact_.degree() / 2] = 1;
  EXPECT_EQ(exact_.decryptor.decrypt(exact_.encryptor.encrypt(plain_of(one))).coeff_count(),
            exact_.degree() / 2 + 1);
}

TEST_P(ExactOperations, SumsAtEveryLevel) {
  for (const ContextData* level : exact_.levels()) {
    const bool certain = is_first(*level);
    const PlainPoly x = message();
    const PlainPoly y = message();
    const PlainPoly z = message();
    const Ciphertext a = exact_.encrypt(x, *level);
    Ciphertext b = exact_.encrypt(y);
    exact_.evaluator.mod_switch_to_inplace(b, level->parms_id());
    const Evaluator& e = exact_.evaluator;
    Ciphertext r;
    e.add(a, b, r), expect_message(r, x + y, certain);
    e.sub(a, b, r), expect_message(r, x - y, certain);
    e.negate(a, r), expect_message(r, -x, certain);
    e.add_plain(a, plain(y), r), expect_message(r, x + y, certain);
    e.sub_plain(a, plain(y), r), expect_message(r, x - y, certain);
    // Another correction factor, for BGV: at the same level by another way.
    Ciphertext c = exact_.encrypt(z);
    if (exact_.context.scheme() == SchemeType::bgv) {
      e.mod_reduce_to_inplace(c, level->parms_id());
    } else {
      e.mod_switch_to_inplace(c, level->parms_id());
    }
    e.add(a, c, r), expect_message(r, x + z, certain);
    e.sub(c, a, r), expect_message(r, z - x, certain);
    const std::vector<Ciphertext> all{a, c, b, c, a};
    e.add_many(all, r), expect_message(r, x + z + y + z + x, certain);
    // Destinations that are operands.
    r = a, e.add(r, b, r), expect_message(r, x + y, certain);
    r = b, e.add(a, r, r), expect_message(r, x + y, certain);
    r = c, e.sub(a, r, r), expect_message(r, x - z, certain);
    r = a, e.add(r, r, r), expect_message(r, x + x, certain);
    r = a, e.negate_inplace(r), expect_message(r, -x, certain);
    r = a, e.add_plain_inplace(r, plain(y)), expect_message(r, x + y, certain);
    r = a, e.sub_plain_inplace(r, plain(y)), expect_message(r, x - y, certain);
    std::vector<Ciphertext> own{a, b};
    e.add_many(own, own[1]), expect_message(own[1], x + y, certain);
  }
  EXPECT_GE(checked_, 16);
}

TEST_P(ExactOperations, ProductsAtEveryLevel) {
  const Evaluator& e = exact_.evaluator;
  for (const ContextData* level : exact_.levels()) {
    const bool certain = is_first(*level);
    const PlainPoly x = message();
    const PlainPoly y = message();
    const Ciphertext a = exact_.encrypt(x, *level);
    const Ciphertext b = exact_.encrypt(y, *level);
    Ciphertext r;
    e.multiply(a, b, r), expect_message(r, x * y, certain);
    EXPECT_EQ(r.size(), 3u);
    const Ciphertext wide = r;
    e.square(a, r), expect_message(r, x * x, certain);
    const Ciphertext square = r;
    e.add(wide, a, r), expect_message(r, x * y + x, certain);
    e.sub(a, wide, r), expect_message(r, x - x * y, certain);
    e.multiply(wide, a, r), expect_message(r, x * y * x, false);
    EXPECT_EQ(r.size(), 4u);
    r = a, e.multiply(r, b, r);
    EXPECT_EQ(Snapshot(r), Snapshot(wide));
    r = b, e.multiply(a, r, r);
    EXPECT_EQ(Snapshot(r), Snapshot(wide));
    r = a, e.multiply(r, r, r);
    EXPECT_EQ(Snapshot(r), Snapshot(square));
    r = a, e.square_inplace(r);
    EXPECT_EQ(Snapshot(r), Snapshot(square));
    r = wide, e.mod_switch_to_inplace(r, exact_.context.last_parms_id());
    expect_message(r, x * y, false);
    if (!exact_.context.using_keyswitching()) continue;
    e.relinearize(wide, exact_.relin_keys, r), expect_message(r, x * y, certain);
    EXPECT_EQ(r.size(), 2u);
    const Ciphertext product = r;
    r = wide, e.relinearize_inplace(r, exact_.relin_keys);
    EXPECT_EQ(Snapshot(r), Snapshot(product));
    e.relinearize(a, exact_.relin_keys, r);
    EXPECT_EQ(Snapshot(r), Snapshot(a)) << "of size 2 already";
    e.mod_switch_to(product, exact_.context.last_parms_id(), r), expect_message(r, x * y, false);
  }
  EXPECT_GE(checked_, 4);
}

TEST_P(ExactOperations, ProductsWithPlaintextsInFourForms) {
  const Evaluator& e = exact_.evaluator;
  for (const ContextData* level : exact_.levels()) {
    const PlainPoly x = message();
    // Small factors leave a budget.
    Words few(exact_.degree());
    few[0] = exact_.t() - 1;
    few[exact_.degree() - 1] += 1 % exact_.t();
    const PlainPoly small = exact_.poly(few);
    Words mixed = message().coefficients();
    mixed[0] = 1;  // not zero: products by zero are refused
    for (const PlainPoly& y : {small, exact_.poly(mixed), exact_.poly({1})}) {
      const bool certain = is_first(*level) && (y == small || y == exact_.poly({1}));
      const Ciphertext native = exact_.encrypt(x, *level);
      Ciphertext other;
      native.is_ntt_form() ? e.transform_from_ntt(native, other)
                           : e.transform_to_ntt(native, other);
      Plaintext lifted;
      e.transform_to_ntt(plain(y), level->parms_id(), lifted);
      EXPECT_EQ(lifted.parms_id(), level->parms_id());
      Ciphertext expected;
      e.multiply_plain(native, plain(y), expected);
      expect_message(expected, x * y, certain);
      auto polys = integers_of(exact_.context, native);
      for (Integers& poly : polys) poly = negacyclic_product(poly, lift_centred(y));
      expect_polynomials(exact_, expected, polys, *level, native.correction_factor());
      Ciphertext r;
      e.multiply_plain(native, lifted, r);
      EXPECT_EQ(Snapshot(r), Snapshot(expected));
      e.multiply_plain_inplace(r = native, lifted);
      EXPECT_EQ(Snapshot(r), Snapshot(expected));
      for (const Plaintext& p : {plain(y), lifted}) {
        e.multiply_plain(other, p, r);
        EXPECT_EQ(r.form(), other.form());
        r.is_ntt_form() ? e.transform_from_ntt_inplace(r) : e.transform_to_ntt_inplace(r);
        EXPECT_EQ(Snapshot(r), Snapshot(expected));
      }
    }
  }
  EXPECT_GE(checked_, 2);
}

TEST_P(ExactOperations, TransformsOfPlaintextsLiftCentred) {
  const Evaluator& e = exact_.evaluator;
  for (const ContextData* level : exact_.levels()) {
    const PlainPoly x = message();
    Plaintext transformed = plain(x);
    e.transform_to_ntt_inplace(transformed, level->parms_id());
    CoeffPoly lifted(level->prime_count(), level->degree());
    exact_.context.backend().inverse_ntt(lifted.view_for_writing(), transformed.ntt_view(),
                                         level->primes());
    const Integers integers = lift_centred(x);
    for (std::size_t i = 0; i < level->prime_count(); ++i) {
      for (std::size_t n = 0; n < exact_.degree(); ++n) {
        ASSERT_EQ(lifted.view().limb(i)[n], integers[n].residue(level->coeff_modulus()[i].value()));
      }
    }
    if (level->next_context_data() == nullptr) continue;
    Plaintext next;
    Plaintext expected;
    e.mod_switch_to_next(transformed, next);
    e.transform_to_ntt(plain(x), level->next_context_data()->parms_id(), expected);
    EXPECT_EQ(Snapshot(next), Snapshot(expected));
    e.mod_switch_to_inplace(transformed, level->next_context_data()->parms_id());
    EXPECT_EQ(Snapshot(transformed), Snapshot(expected));
  }
}

TEST_P(ExactOperations, TransformsOfCiphertextsAndSumsInEitherForm) {
  const Evaluator& e = exact_.evaluator;
  for (const ContextData* level : exact_.levels()) {
    const Ciphertext a = random_ciphertext(exact_.context, *level, 3, rng_);
    const Ciphertext b = random_ciphertext(exact_.context, *level, 2, rng_);
    const auto turned = [&](Ciphertext c) {
      c.is_ntt_form() ? e.transform_from_ntt_inplace(c) : e.transform_to_ntt_inplace(c);
      return c;
    };
    EXPECT_NE(turned(a).form(), a.form());
    EXPECT_EQ(Snapshot(turned(turned(a))), Snapshot(a));
    EXPECT_EQ(integers_of(exact_.context, turned(a)).size(), 3u);
    Ciphertext native;
    Ciphertext other;
    e.add(a, b, native), e.add(turned(a), turned(b), other);
    EXPECT_EQ(Snapshot(turned(other)), Snapshot(native));
    e.sub(b, a, native), e.sub(turned(b), turned(a), other);
    EXPECT_EQ(Snapshot(turned(other)), Snapshot(native));
    e.negate(a, native), e.negate(turned(a), other);
    EXPECT_EQ(Snapshot(turned(other)), Snapshot(native));
    const std::vector<Ciphertext> all{a, b, b};
    const std::vector<Ciphertext> all_turned{turned(a), turned(b), turned(b)};
    e.add_many(all, native), e.add_many(all_turned, other);
    EXPECT_EQ(Snapshot(turned(other)), Snapshot(native));
  }
}

TEST_P(ExactOperations, PowersAndLongProducts) {
  if (!exact_.context.using_keyswitching()) {
    EXPECT_THROW(exact_.keygen.create_relin_keys(), LogicError);
    EXPECT_THROW(exact_.keygen.create_galois_keys(), LogicError);
    return;
  }
  const Evaluator& e = exact_.evaluator;
  const PlainPoly x = message();
  const Ciphertext a = exact_.encrypt(x);
  PlainPoly power = x;
  for (std::uint64_t exponent = 1; exponent <= 9; ++exponent) {
    Ciphertext r;
    e.exponentiate(a, exponent, exact_.relin_keys, r);
    EXPECT_EQ(r.size(), 2u);
    expect_message(r, power, exponent <= 2);
    Ciphertext inplace = a;
    e.exponentiate_inplace(inplace, exponent, exact_.relin_keys);
    EXPECT_EQ(Snapshot(inplace), Snapshot(r));
    power = power * x;
  }
  for (std::size_t count = 1; count <= 6; ++count) {
    std::vector<Ciphertext> factors;
    PlainPoly product = exact_.poly({1 % exact_.t()});
    for (std::size_t i = 0; i < count; ++i) {
      const PlainPoly m = message();
      factors.push_back(exact_.encrypt(m));
      product = product * m;
    }
    Ciphertext r;
    e.multiply_many(factors, exact_.relin_keys, r);
    EXPECT_EQ(r.size(), 2u);
    expect_message(r, product, count <= 2);
    const Snapshot expected(r);
    e.multiply_many(factors, exact_.relin_keys, factors.back());
    EXPECT_EQ(Snapshot(factors.back()), expected);
  }
  EXPECT_GE(checked_, 4);
}

TEST_P(ExactOperations, Automorphisms) {
  if (!exact_.context.using_keyswitching()) {
    EXPECT_THROW(exact_.keygen.create_relin_keys(), LogicError);
    EXPECT_THROW(exact_.keygen.create_galois_keys(), LogicError);
    return;
  }
  std::vector<std::uint64_t> elements;
  for (std::uint64_t g = 1; g < 2 * exact_.degree(); g += exact_.degree() > 64 ? 254 : 2) {
    elements.push_back(g);
  }
  const GaloisKeys keys = exact_.keygen.create_galois_keys_for_elements(elements);
  for (const ContextData* level : exact_.levels()) {
    const PlainPoly x = message();
    const Ciphertext a = exact_.encrypt(x, *level);
    std::vector<Ciphertext> images(elements.size());
    exact_.evaluator.apply_galois_many(a, elements, keys, images);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const std::uint64_t element = elements[i];
      Ciphertext r;
      exact_.evaluator.apply_galois(a, element, keys, r);
      EXPECT_EQ(Snapshot(images[i]), Snapshot(r)) << "element " << element;
      expect_message(r, x.automorphism(element), is_first(*level));
      if (element != 3) continue;
      Ciphertext inplace = a;
      exact_.evaluator.apply_galois_inplace(inplace, element, keys);
      EXPECT_EQ(Snapshot(inplace), Snapshot(r));
    }
  }
  EXPECT_GE(checked_, 1);
}

INSTANTIATE_TEST_SUITE_P(Shapes, ExactOperations,
                         ::testing::Combine(::testing::Values(SchemeType::bfv, SchemeType::bgv),
                                            ::testing::ValuesIn(exact_shapes())),
                         [](const auto& test) {
                           return std::string(to_string(std::get<0>(test.param))) + "_" +
                                  std::to_string(test.index);
                         });

}  // namespace
}  // namespace ringlet::test
