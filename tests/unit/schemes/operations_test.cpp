// SPDX-License-Identifier: Apache-2.0
// Every operation of the three schemes: with all destinations, and with all kernels.

#include "unit/schemes/operations.hpp"

#include "schemes/evaluator/plain_polynomials.hpp"

namespace ringlet::test {
namespace {

class Operations : public ::testing::TestWithParam<SchemeType> {};

TEST_P(Operations, MayWriteToTheirOperands) {
  const SchemeBench bench(exact_context(GetParam(), {64, 257, {50, 40, 40}, {60}}));
  const Evaluator& e = bench.evaluator;
  for (const ContextData* level : bench.levels()) {
    SCOPED_TRACE(level->chain_index());
    World at_level = bench.world();
    for (Ciphertext* operand : {&at_level.a, &at_level.b}) {
      e.mod_switch_to_inplace(*operand, level->parms_id());
    }
    e.mod_switch_to_inplace(at_level.leveled, level->parms_id());
    bench.for_each_operation(at_level, [&](const Operation& operation, const World& operands) {
      World world = operands;
      Ciphertext fresh;
      operation.call(e, world, fresh);
      const Snapshot expected(fresh);
      const auto expect_result = [&](World used, Ciphertext World::* destination) {
        operation.call(e, used, used.*destination);
        EXPECT_EQ(Snapshot(used.*destination), expected);
      };
      operation.call(e, world, fresh);  // over a result of the same shape
      EXPECT_EQ(Snapshot(fresh), expected);
      expect_result(world, &World::destination);
      expect_result(world, &World::a);
      if (operation.in_place != nullptr) {
        World used = world;
        operation.in_place(e, used);
        EXPECT_EQ(Snapshot(used.a), expected) << "by the form in place";
      }
      if (!operation.has(Operation::takes_b)) return;
      expect_result(world, &World::b);
    });
    for (const auto binary : {&Evaluator::add, &Evaluator::multiply}) {
      Ciphertext both = at_level.a;
      (e.*binary)(both, both, both);
      EXPECT_EQ(Snapshot(both), Snapshot(result_of(e, binary, at_level.a, at_level.a)));
    }
  }
}

TEST_P(Operations, InnerProductsWithPlaintextsAreSumsOfProducts) {
  const SchemeBench bench(exact_context(GetParam(), {64, 257, {50, 40, 40}, {60}}));
  const Evaluator& e = bench.evaluator;
  const World world = bench.world();
  for (const ContextData* level : bench.levels()) {
    Ciphertext terms[] = {world.a, world.b};
    Plaintext factor = world.leveled;
    for (Ciphertext& term : terms) e.mod_switch_to_inplace(term, level->parms_id());
    e.mod_switch_to_inplace(factor, level->parms_id());
    for (const bool is_turned : {false, true}) {
      for (Ciphertext& term : terms) {
        if (!is_turned) continue;
        world.a.is_ntt_form() ? e.transform_from_ntt_inplace(term)
                              : e.transform_to_ntt_inplace(term);
      }
      for (const std::size_t count : {1, 2, 3, 40}) {
        std::vector<const Ciphertext*> a;
        for (std::size_t k = 0; k < count; ++k) a.push_back(&terms[k % 3 == 0 ? 0 : 1]);
        const std::vector<const Plaintext*> plains(count, &factor);
        Ciphertext expected = result_of(e, &Evaluator::multiply_plain, *a[0], factor);
        for (std::size_t k = 1; k < count; ++k) {
          e.add_inplace(expected, result_of(e, &Evaluator::multiply_plain, *a[k], factor));
        }
        Ciphertext found = world.destination;
        schemes::inner_product_plain(bench.context, *level, a, plains, expected.scale(), found);
        EXPECT_EQ(Snapshot(found), Snapshot(expected)) << level->chain_index() << ", " << count;
      }
    }
  }
}

// The tables of this processor, and all algorithms of their transforms.
std::set<std::string> available_selections() {
  std::set<std::string> selections{""};
  for (const KernelInfo& kernel : kernel_catalog()) {
    if (!kernel.available) continue;
    selections.insert(kernel.table);
    if (kernel.operation == "ntt") selections.insert(kernel.table + "/" + kernel.algorithm);
  }
  return selections;
}

// The results of all operations on two messages, of encryption and decryption, also of zeros at
// every level, and of batching.
std::vector<Snapshot> everything(const SchemeBench& bench) {
  std::vector<Snapshot> results{Snapshot(bench.plaintext), Snapshot(bench.ciphertext)};
  results.emplace_back(bench.encryptor.encrypt_symmetric(bench.plaintext));
  results.emplace_back(bench.decryptor.decrypt(bench.ciphertext));
  for (const ContextData* level : bench.levels()) {
    Ciphertext zero = bench.encryptor.encrypt_zero(level->parms_id());
    results.emplace_back(zero);
    if (bench.is_ckks) zero.scale() = SchemeBench::kScale;
    results.emplace_back(bench.decryptor.decrypt(zero));
  }
  bench.for_each_operation(bench.world(), [&](const Operation& operation, World& world) {
    Ciphertext result;
    operation.call(bench.evaluator, world, result);
    results.emplace_back(result);
  });
  if (!bench.is_ckks) {
    Words slots(bench.degree());
    Plaintext encoded;
    BatchEncoder(bench.context).decode(bench.plaintext, slots);
    BatchEncoder(bench.context).encode(slots, encoded);
    results.emplace_back(encoded);
  }
  return results;
}

TEST_P(Operations, HaveTheSameBitsWithEveryKernel) {
  // Up to 49 bits run on 52-bit kernels, 60 bits on 64-bit kernels; one special prime or more.
  for (const std::size_t degree : {16, 256, 2048}) {
    const std::uint64_t t = PlainModulus::batching(degree, 17).value();
    for (const ExactShape& shape : {ExactShape{degree, t, {60, 45, 59}, {60}},
                                    ExactShape{degree, t, {49, 45, 48}, {49, 49}, 2},
                                    ExactShape{degree, t, {30, 29, 28, 31}, {31}}}) {
      SCOPED_TRACE(describe(shape));
      std::vector<Snapshot> expected;
      std::size_t compared = 0;
      for (const std::string& selection : available_selections()) {
        SCOPED_TRACE(selection);
        std::vector<Snapshot> actual;
        try {
          actual =
              everything(SchemeBench(exact_context(GetParam(), shape, KernelSelection(selection))));
        } catch (const InvalidArgument& error) {
          // An algorithm that is named exactly may refuse a prime or a degree outside its range.
          ASSERT_NE(selection.find('/'), std::string::npos) << error.what();
          continue;
        }
        if (expected.empty()) expected = actual;
        ASSERT_EQ(actual.size(), expected.size());
        for (std::size_t i = 0; i < actual.size(); ++i) {
          ASSERT_TRUE(actual[i] == expected[i]) << "result " << i;
        }
        ++compared;
      }
      EXPECT_GE(compared, 2u);
    }
  }
}

// Encoders use the kernels of their context.
TEST_P(Operations, EncodersTakeTheKernelsOfTheContext) {
  const Context context =
      exact_context(GetParam(), {1024, 12289, {45, 45}, {}}, KernelSelection("scalar64"));
  EXPECT_EQ(context.kernels().text(), "scalar64");
  EXPECT_EQ(context.on_host().kernels().text(), "scalar64");
  if (!kernel_statistics_enabled()) GTEST_SKIP() << "this build counts no calls of kernels";
  const auto calls_by_table = [] {
    std::map<std::string, std::uint64_t> calls;
    for (const KernelInfo& kernel : kernel_catalog()) calls[kernel.table] += kernel.calls;
    return calls;
  };
  const auto before = calls_by_table();
  Plaintext plain;
  if (GetParam() == SchemeType::ckks) {
    const CKKSEncoder encoder(context);
    std::vector<double> values(encoder.slot_count(), 0.5);
    encoder.encode(values, 0x1p30, plain);
    encoder.decode(plain, values);
    EXPECT_NEAR(values.front(), 0.5, 1e-6);
  } else {
    const BatchEncoder encoder(context);
    Words values(encoder.slot_count(), 7);
    encoder.encode(values, plain);
    encoder.decode(plain, values);
    EXPECT_EQ(values.back(), 7u);
  }
  for (const auto& [table, calls] : calls_by_table()) {
    EXPECT_EQ(calls > before.at(table), table == "scalar64") << table;
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, Operations, kEveryScheme, scheme_name);

// Every operation of BFV and BGV on messages, against FLINT's polynomials modulo X^N + 1 and t.

// A budget that no ciphertext without a message has by chance, even with two coefficients.
constexpr int kCertain = 24;

class ExactOperations : public ::testing::TestWithParam<std::tuple<SchemeType, ExactShape>> {
 protected:
  PlainPoly message() { return exact_.random_message(rng_); }
  Plaintext plain(const PlainPoly& m) const { return plain_of(m.coefficients()); }

  // With budget left the message must be right; at the first level there must be budget.
  void expect_message(const Ciphertext& actual, const PlainPoly& expected, bool is_certain) {
    const int budget = exact_.decryptor.invariant_noise_budget(actual);
    ASSERT_GE(budget, is_certain ? 1 : 0);
    if (!is_certain && budget < kCertain) return;
    ++checked_;
    EXPECT_EQ(exact_.decrypt(actual).coefficients(), expected.coefficients());
  }
  bool is_first(const ContextData& level) const {
    return &level == exact_.context.first_context_data();
  }
  template <typename Function, typename... Operands>
  Ciphertext apply(Function function, const Operands&... operands) const {
    return result_of(exact_.evaluator, function, operands...);
  }
  Ciphertext turned(Ciphertext c) const {
    c.is_ntt_form() ? exact_.evaluator.transform_from_ntt_inplace(c)
                    : exact_.evaluator.transform_to_ntt_inplace(c);
    return c;
  }
  // A level at which fresh ciphertexts, switched down, certainly keep their message.
  bool is_roomy(const ContextData& level) const {
    return level.total_coeff_modulus_bit_count() >=
           static_cast<int>(std::bit_width(exact_.t())) + 20;
  }

  Exact exact_{std::get<0>(GetParam()), std::get<1>(GetParam())};
  std::mt19937_64 rng_ = make_rng();
  int checked_ = 0;
};

TEST_P(ExactOperations, EncryptionAndDecryption) {
  const Encryptor& encryptor = exact_.encryptor;
  const PlainPoly m = message();
  expect_message(encryptor.encrypt(plain(m)), m, true);
  expect_message(encryptor.encrypt_symmetric(plain(m)), m, true);
  const PlainPoly zero(exact_.degree(), exact_.t());
  expect_message(encryptor.encrypt(Plaintext()), zero, true);
  expect_message(encryptor.encrypt_zero(), zero, true);
  expect_message(encryptor.encrypt_zero_symmetric(), zero, true);
  for (const Words& words : {Words{exact_.t() - 1}, Words(exact_.degree(), exact_.t() - 1)}) {
    expect_message(encryptor.encrypt(plain_of(words)), exact_.poly(words), true);
  }
  for (const ContextData* level : exact_.levels()) {
    expect_message(encryptor.encrypt_zero(level->parms_id()), zero, is_roomy(*level));
    expect_message(exact_.encrypt(m, *level), m, is_roomy(*level));
  }
  // A decrypted plaintext has no trailing zeros, but at least one coefficient.
  const auto coefficient_count = [&](const Ciphertext& encrypted) {
    return exact_.decryptor.decrypt(encrypted).coeff_count();
  };
  EXPECT_EQ(coefficient_count(encryptor.encrypt_zero()), 1u);
  Words one(exact_.degree());
  one[exact_.degree() / 2] = 1;
  EXPECT_EQ(coefficient_count(encryptor.encrypt(plain_of(one))), exact_.degree() / 2 + 1);
}

TEST_P(ExactOperations, SumsAtEveryLevel) {
  for (const ContextData* level : exact_.levels()) {
    const bool certain = is_first(*level);
    const PlainPoly x = message();
    const PlainPoly y = message();
    const PlainPoly z = message();
    const Ciphertext a = exact_.encrypt(x, *level);
    const Ciphertext b = exact_.encrypt(y, *level);
    // In BGV, this way to the same level gives another correction factor.
    Ciphertext c = exact_.encrypt(z);
    if (exact_.context.scheme() == SchemeType::bgv) {
      exact_.evaluator.mod_reduce_to_inplace(c, level->parms_id());
    } else {
      exact_.evaluator.mod_switch_to_inplace(c, level->parms_id());
    }
    expect_message(apply(&Evaluator::add, a, b), x + y, certain);
    expect_message(apply(&Evaluator::sub, a, b), x - y, certain);
    expect_message(apply(&Evaluator::negate, a), -x, certain);
    expect_message(apply(&Evaluator::add_plain, a, plain(y)), x + y, certain);
    expect_message(apply(&Evaluator::sub_plain, a, plain(y)), x - y, certain);
    expect_message(apply(&Evaluator::add, a, c), x + z, certain);
    expect_message(apply(&Evaluator::sub, c, a), z - x, certain);
    expect_message(apply(&Evaluator::add_many, std::vector{a, c, b, c, a}), x + z + y + z + x,
                   certain);
  }
  EXPECT_GE(checked_, 8);
}

TEST_P(ExactOperations, ProductsAtEveryLevel) {
  const Evaluator& e = exact_.evaluator;
  for (const ContextData* level : exact_.levels()) {
    const bool certain = is_first(*level);
    const PlainPoly x = message();
    const PlainPoly y = message();
    const Ciphertext a = exact_.encrypt(x, *level);
    const Ciphertext b = exact_.encrypt(y, *level);
    const Ciphertext wide = apply(&Evaluator::multiply, a, b);
    expect_message(wide, x * y, certain);
    EXPECT_EQ(wide.size(), 3u);
    const Ciphertext square = apply(&Evaluator::square, a);
    expect_message(square, x * x, certain);
    EXPECT_EQ(Snapshot(apply(&Evaluator::multiply, a, a)), Snapshot(square));
    expect_message(apply(&Evaluator::add, wide, a), x * y + x, certain);
    expect_message(apply(&Evaluator::sub, a, wide), x - x * y, certain);
    const Ciphertext wider = apply(&Evaluator::multiply, wide, a);
    expect_message(wider, x * y * x, false);
    EXPECT_EQ(wider.size(), 4u);
    Ciphertext last = wide;
    e.mod_switch_to_inplace(last, exact_.context.last_parms_id());
    expect_message(last, x * y, false);
    if (!exact_.context.using_keyswitching()) continue;
    Ciphertext product = apply(&Evaluator::relinearize, wide, exact_.relin_keys);
    expect_message(product, x * y, certain);
    EXPECT_EQ(product.size(), 2u);
    EXPECT_EQ(Snapshot(apply(&Evaluator::relinearize, a, exact_.relin_keys)), Snapshot(a))
        << "of size 2 already";
    e.mod_switch_to_inplace(product, exact_.context.last_parms_id());
    expect_message(product, x * y, false);
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
      Plaintext lifted;
      e.transform_to_ntt(plain(y), level->parms_id(), lifted);
      EXPECT_EQ(lifted.parms_id(), level->parms_id());
      const Ciphertext expected = apply(&Evaluator::multiply_plain, native, plain(y));
      expect_message(expected, x * y, certain);
      Integers factor;
      for (const std::uint64_t m : y.coefficients()) factor.push_back(lift_centred(m, exact_.t()));
      auto polys = integers_of(exact_.context, native);
      for (Integers& poly : polys) poly = negacyclic_product(poly, factor);
      expect_polynomials(exact_, expected, polys, *level, native.correction_factor());
      EXPECT_EQ(Snapshot(apply(&Evaluator::multiply_plain, native, lifted)), Snapshot(expected));
      for (const Plaintext& p : {plain(y), lifted}) {
        const Ciphertext other = apply(&Evaluator::multiply_plain, turned(native), p);
        EXPECT_NE(other.form(), native.form());
        EXPECT_EQ(Snapshot(turned(other)), Snapshot(expected));
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
    for (std::size_t i = 0; i < level->prime_count(); ++i) {
      const std::uint64_t q = level->coeff_modulus()[i].value();
      for (std::size_t n = 0; n < exact_.degree(); ++n) {
        ASSERT_EQ(lifted.view().limb(i)[n], lift_centred(x[n], exact_.t()).residue(q));
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
  for (const ContextData* level : exact_.levels()) {
    const Ciphertext a = random_ciphertext(exact_.context, *level, 3, rng_);
    const Ciphertext b = random_ciphertext(exact_.context, *level, 2, rng_);
    EXPECT_NE(turned(a).form(), a.form());
    EXPECT_EQ(Snapshot(turned(turned(a))), Snapshot(a));
    const auto expect_same_turned = [&](const Ciphertext& native, const Ciphertext& other) {
      EXPECT_NE(other.form(), native.form());
      EXPECT_EQ(Snapshot(turned(other)), Snapshot(native));
    };
    expect_same_turned(apply(&Evaluator::add, a, b), apply(&Evaluator::add, turned(a), turned(b)));
    expect_same_turned(apply(&Evaluator::sub, b, a), apply(&Evaluator::sub, turned(b), turned(a)));
    expect_same_turned(apply(&Evaluator::negate, a), apply(&Evaluator::negate, turned(a)));
    expect_same_turned(apply(&Evaluator::add_many, std::vector{a, b, b}),
                       apply(&Evaluator::add_many, std::vector{turned(a), turned(b), turned(b)}));
  }
}

TEST_P(ExactOperations, WithoutSpecialPrimesThereAreNoKeys) {
  if (exact_.context.using_keyswitching()) return;
  EXPECT_THROW(exact_.keygen.create_relin_keys(), LogicError);
  EXPECT_THROW(exact_.keygen.create_galois_keys(), LogicError);
}

TEST_P(ExactOperations, PowersAndLongProducts) {
  if (!exact_.context.using_keyswitching()) return;
  const PlainPoly x = message();
  const Ciphertext a = exact_.encrypt(x);
  PlainPoly power = x;
  for (std::uint64_t exponent = 1; exponent <= 9; ++exponent) {
    const Ciphertext r = apply(&Evaluator::exponentiate, a, exponent, exact_.relin_keys);
    EXPECT_EQ(r.size(), 2u);
    expect_message(r, power, exponent <= 2);
    power = power * x;
  }
  std::vector<Ciphertext> factors;
  PlainPoly product = exact_.poly({1 % exact_.t()});
  for (std::size_t count = 1; count <= 6; ++count) {
    const PlainPoly m = message();
    factors.push_back(exact_.encrypt(m));
    product = product * m;
    const Ciphertext r = apply(&Evaluator::multiply_many, factors, exact_.relin_keys);
    EXPECT_EQ(r.size(), 2u);
    expect_message(r, product, count <= 2);
  }
  EXPECT_GE(checked_, 4);
}

TEST_P(ExactOperations, Automorphisms) {
  if (!exact_.context.using_keyswitching()) return;
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
      const Ciphertext r = apply(&Evaluator::apply_galois, a, elements[i], keys);
      EXPECT_EQ(Snapshot(images[i]), Snapshot(r)) << "element " << elements[i];
      expect_message(r, x.automorphism(elements[i]), is_first(*level));
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
