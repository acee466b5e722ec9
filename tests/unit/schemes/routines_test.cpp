// SPDX-License-Identifier: Apache-2.0
#include "ringlet/routines.hpp"

#include "support/test.hpp"
#include "unit/schemes/ckks_support.hpp"

namespace ringlet::test {
namespace {

constexpr double kScale = 0x1p40;

/// Messages have the scale of the last data prime, so that rounding is not all of their noise.
struct Chain {
  std::size_t degree;
  std::vector<int> bits;
  double scale = kScale;
};

void PrintTo(const Chain& chain, std::ostream* out) {
  *out << "N = " << chain.degree << ", " << chain.bits.size() << " primes";
}

/// What all routines take.
struct Operands {
  Ciphertext a, b, c;
  RelinKeys relin;
  GaloisKeys galois;
};

/// Good operands and their messages.
struct Bench {
  Bench(const Chain& chain, std::mt19937_64& rng)
      : ckks(chain.degree, chain.bits),
        x(test::random_slots(ckks.encoder.slot_count(), rng)),
        y(test::random_slots(ckks.encoder.slot_count(), rng)),
        z(test::random_slots(ckks.encoder.slot_count(), rng)),
        good{ckks.encrypt(x, chain.scale),
             ckks.encrypt(y, chain.scale),
             {},
             ckks.relin_keys,
             ckks.galois_keys} {
    good.c = ckks.encrypt(z, product_scale_after_rescale(ckks.evaluator, good.a, good.b));
  }

  Ckks ckks;
  Slots x, y, z;
  Operands good;
};

using Routine = std::function<void(const Evaluator&, Operands&, Ciphertext&)>;

struct Pair {
  const char* name;
  Routine routine;
  Routine parts;              ///< The same as single operations of Evaluator.
  Routine in_turn = nullptr;  ///< Relinearized first and rescaled then, where `parts` do both.
};

Ciphertext relinearized_product(const Evaluator& e, const Operands& o) {
  Ciphertext product;
  Ciphertext result;
  e.multiply(o.a, o.b, product);
  e.relinearize(product, o.relin, result);
  return result;
}

Ciphertext rescaled_product(const Evaluator& e, const Operands& o) {
  Ciphertext product;
  Ciphertext result;
  e.multiply(o.a, o.b, product);
  e.relinearize_and_rescale_to_next(product, o.relin, result);
  return result;
}

void add_lowered(const Evaluator& e, const Operands& o, const Ciphertext& product,
                 Ciphertext& destination) {
  Ciphertext lowered;
  e.mod_switch_to_next(o.c, lowered);
  e.add(product, lowered, destination);
}

std::vector<Pair> pairs() {
  return {
      {"multiply_relinearize",
       [](auto& e, auto& o, auto& d) { multiply_relinearize(e, o.a, o.b, o.relin, d); },
       [](auto& e, auto& o, auto& d) { d = relinearized_product(e, o); }},
      {"multiply_relinearize_rescale",
       [](auto& e, auto& o, auto& d) { multiply_relinearize_rescale(e, o.a, o.b, o.relin, d); },
       [](auto& e, auto& o, auto& d) { d = rescaled_product(e, o); },
       [](auto& e, auto& o, auto& d) { e.rescale_to_next(relinearized_product(e, o), d); }},
      {"square_relinearize_rescale",
       [](auto& e, auto& o, auto& d) { square_relinearize_rescale(e, o.a, o.relin, d); },
       [](auto& e, auto& o, auto& d) {
         Ciphertext square;
         e.square(o.a, square);
         e.relinearize_and_rescale_to_next(square, o.relin, d);
       },
       [](auto& e, auto& o, auto& d) {
         Ciphertext square;
         e.square(o.a, square);
         e.relinearize_inplace(square, o.relin);
         e.rescale_to_next(square, d);
       }},
      {"multiply_relinearize_rescale_add",
       [](auto& e, auto& o, auto& d) {
         multiply_relinearize_rescale_add(e, o.a, o.b, o.c, o.relin, d);
       },
       [](auto& e, auto& o, auto& d) { add_lowered(e, o, rescaled_product(e, o), d); },
       [](auto& e, auto& o, auto& d) {
         Ciphertext product;
         e.rescale_to_next(relinearized_product(e, o), product);
         add_lowered(e, o, product, d);
       }},
      {"rotate", [](auto& e, auto& o, auto& d) { rotate(e, o.a, 1, o.galois, d); },
       [](auto& e, auto& o, auto& d) { e.rotate_vector(o.a, 1, o.galois, d); }},
  };
}

class Routines : public ::testing::TestWithParam<Chain> {
 protected:
  std::mt19937_64 rng_ = test::make_rng(GetParam().degree + GetParam().bits.size());
  Bench bench_{GetParam(), rng_};
  const Evaluator& e_ = bench_.ckks.evaluator;
};

TEST_P(Routines, AreTheirPartsBitForBit) {
  for (const Pair& pair : pairs()) {
    SCOPED_TRACE(pair.name);
    Ciphertext expected;
    pair.parts(e_, bench_.good, expected);
    Ciphertext fresh;
    pair.routine(e_, bench_.good, fresh);
    EXPECT_EQ(Snapshot(fresh), Snapshot(expected));
    // Into a result of the same shape, and into each operand.
    pair.routine(e_, bench_.good, fresh);
    EXPECT_EQ(Snapshot(fresh), Snapshot(expected));
    for (Ciphertext Operands::* operand : {&Operands::a, &Operands::b, &Operands::c}) {
      Operands operands = bench_.good;
      pair.routine(e_, operands, operands.*operand);
      EXPECT_EQ(Snapshot(operands.*operand), Snapshot(expected));
    }
  }
}

// No coefficient by more than 1, which is the noise of one rounding at most.
TEST_P(Routines, DifferByOneAtMostFromTwoDivisions) {
  std::size_t count = 0;
  for (const Pair& pair : pairs()) {
    if (pair.in_turn == nullptr) continue;
    SCOPED_TRACE(pair.name);
    Ciphertext in_turn;
    Ciphertext result;
    pair.in_turn(e_, bench_.good, in_turn);
    pair.routine(e_, bench_.good, result);
    EXPECT_EQ(result.scale(), in_turn.scale());
    ASSERT_EQ(result.parms_id(), in_turn.parms_id());
    e_.transform_from_ntt_inplace(in_turn);
    e_.transform_from_ntt_inplace(result);
    const auto primes = bench_.ckks.level(result).coeff_modulus();
    for (std::size_t k = 0; k < 2; ++k) {
      for (std::size_t i = 0; i < primes.size(); ++i) {
        const std::uint64_t q = primes[i].value();
        for (std::size_t n = 0; n < GetParam().degree; ++n) {
          const std::uint64_t a = result.view(k).limb(i)[n];
          const std::uint64_t difference = (a + q - in_turn.view(k).limb(i)[n]) % q;
          ASSERT_TRUE(difference <= 1 || difference == q - 1)
              << "polynomial " << k << ", prime " << i << ", coefficient " << n;
        }
      }
    }
    ++count;
  }
  EXPECT_EQ(count, 3u);
}

TEST_P(Routines, DecryptToTheRightValues) {
  const Ckks& ckks = bench_.ckks;
  const test::NoiseBound noise(ckks.context);
  const std::size_t count = ckks.encoder.slot_count();
  Slots product(count);
  Slots square(count);
  Slots sum(count);
  Slots rotated(count);
  for (std::size_t j = 0; j < count; ++j) {
    product[j] = bench_.x[j] * bench_.y[j];
    square[j] = bench_.x[j] * bench_.x[j];
    sum[j] = product[j] + bench_.z[j];
    rotated[j] = bench_.x[(j + 1) % count];
  }
  // Two slots of magnitude up to sqrt(2), each with the noise of a fresh encryption.
  const double scale = GetParam().scale;
  const double fresh = noise.fresh();
  const double of_product = 2 * std::sqrt(2.0) * fresh * scale + fresh * fresh +
                            noise.key_switch(ckks.level(bench_.good.a));
  const auto q = static_cast<double>(ckks.level(bench_.good.a).coeff_modulus().back().value());
  const double of_rescaled = of_product / q + noise.rounding();
  const double lower_scale = scale * scale / q;

  const std::vector<Slots> expected{product, product, square, sum, rotated};
  const std::vector<double> bounds{of_product / (scale * scale), of_rescaled / lower_scale,
                                   of_rescaled / lower_scale, (of_rescaled + fresh) / lower_scale,
                                   (fresh + noise.key_switch(ckks.level(bench_.good.a))) / scale};
  const std::vector<double> scales{scale * scale, lower_scale, lower_scale, lower_scale, scale};
  const std::vector<Pair> routines = pairs();
  for (std::size_t i = 0; i < routines.size(); ++i) {
    SCOPED_TRACE(routines[i].name);
    Ciphertext result;
    routines[i].routine(e_, bench_.good, result);
    EXPECT_EQ(result.size(), 2u);
    EXPECT_EQ(result.scale(), scales[i]);
    const bool is_lower = scales[i] == lower_scale;
    EXPECT_EQ(result.coeff_modulus_size(), bench_.good.a.coeff_modulus_size() - (is_lower ? 1 : 0));
    expect_close(ckks.decrypt(result), expected[i], bounds[i]);
  }
}

TEST_P(Routines, BatchesAreSingleCalls) {
  const Ckks& ckks = bench_.ckks;
  const Evaluator& e = e_;
  const double scale = GetParam().scale;
  std::vector<Ciphertext> a;
  std::vector<Ciphertext> b;
  std::vector<Ciphertext> c;
  for (int i = 0; i < 3; ++i) {
    a.push_back(ckks.encrypt(test::random_slots(ckks.encoder.slot_count(), rng_), scale));
    b.push_back(ckks.encrypt(test::random_slots(ckks.encoder.slot_count(), rng_), scale));
    c.push_back(ckks.encrypt(bench_.z, bench_.good.c.scale()));
  }
  using Batch = std::function<void(std::span<Ciphertext>)>;
  using Single = std::function<void(std::size_t, Ciphertext&)>;
  const std::vector<std::pair<Batch, Single>> batches{
      {[&](auto d) { multiply_relinearize(e, a, b, ckks.relin_keys, d); },
       [&](auto i, auto& d) { multiply_relinearize(e, a[i], b[i], ckks.relin_keys, d); }},
      {[&](auto d) { multiply_relinearize_rescale(e, a, b, ckks.relin_keys, d); },
       [&](auto i, auto& d) { multiply_relinearize_rescale(e, a[i], b[i], ckks.relin_keys, d); }},
      {[&](auto d) { square_relinearize_rescale(e, a, ckks.relin_keys, d); },
       [&](auto i, auto& d) { square_relinearize_rescale(e, a[i], ckks.relin_keys, d); }},
      {[&](auto d) { multiply_relinearize_rescale_add(e, a, b, c, ckks.relin_keys, d); },
       [&](auto i, auto& d) {
         multiply_relinearize_rescale_add(e, a[i], b[i], c[i], ckks.relin_keys, d);
       }},
      {[&](auto d) { rotate(e, a, -2, ckks.galois_keys, d); },
       [&](auto i, auto& d) { rotate(e, a[i], -2, ckks.galois_keys, d); }}};
  for (const auto& [batch, single] : batches) {
    std::vector<Ciphertext> expected(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) single(i, expected[i]);
    std::vector<Ciphertext> results(a.size());
    batch(results);
    const std::vector<Ciphertext> kept = a;
    batch(a);  // over operands
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(Snapshot(results[i]), Snapshot(expected[i])) << "element " << i;
      EXPECT_EQ(Snapshot(a[i]), Snapshot(expected[i])) << "element " << i << ", in place";
    }
    a = kept;
  }
}

TEST_P(Routines, AddendsComeFromTheProductsLevelOrAbove) {
  const Operands& good = bench_.good;
  Ciphertext expected;
  multiply_relinearize_rescale_add(e_, good.a, good.b, good.c, good.relin, expected);
  Ciphertext lower;
  e_.mod_switch_to_next(good.c, lower);
  Ciphertext sum;
  multiply_relinearize_rescale_add(e_, good.a, good.b, lower, good.relin, sum);
  EXPECT_EQ(Snapshot(sum), Snapshot(expected));
  // Factors one level further down, with an addend two levels above the product.
  Ciphertext a;
  Ciphertext b;
  e_.mod_switch_to_next(good.a, a);
  e_.mod_switch_to_next(good.b, b);
  const Ciphertext c = bench_.ckks.encrypt(bench_.z, product_scale_after_rescale(e_, a, b));
  multiply_relinearize_rescale_add(e_, a, b, c, good.relin, sum);
  EXPECT_EQ(sum.coeff_modulus_size(), good.a.coeff_modulus_size() - 2);
}

INSTANTIATE_TEST_SUITE_P(Chains, Routines,
                         ::testing::Values(Chain{8, {50, 40, 40, 60}}, Chain{64, {50, 40, 40, 60}},
                                           Chain{1024, {60, 57, 50, 60}, 0x1p50},
                                           Chain{2048, {60, 40, 40, 40, 40, 40, 40, 40, 60}}),
                         [](const auto& chain) {
                           return "n" + std::to_string(chain.param.degree) + "_primes" +
                                  std::to_string(chain.param.bits.size() - 1);
                         });

class RoutinesErrors : public ::testing::Test {
 protected:
  /// The named routines refuse with all of `parts`; neither operands nor a destination change.
  void expect_refused(const Operands& bad, const std::vector<std::string>& names,
                      std::initializer_list<std::string> parts) {
    std::size_t count = 0;
    for (const Pair& pair : pairs()) {
      if (std::ranges::find(names, pair.name) == names.end()) continue;
      SCOPED_TRACE(pair.name);
      Operands operands = bad;
      Ciphertext destination = other_;
      test::expect_refusal<InvalidArgument>([&] { pair.routine(e_, operands, destination); },
                                            pair.name, parts);
      EXPECT_EQ(Snapshot(destination), Snapshot(other_));
      test::expect_refusal<InvalidArgument>([&] { pair.routine(e_, operands, operands.a); },
                                            pair.name, parts);
      EXPECT_EQ(Snapshot(operands.a), Snapshot(bad.a));
      EXPECT_EQ(Snapshot(operands.b), Snapshot(bad.b));
      EXPECT_EQ(Snapshot(operands.c), Snapshot(bad.c));
      ++count;
    }
    EXPECT_EQ(count, names.size());
  }

  std::mt19937_64 rng_ = test::make_rng();
  Bench bench_{{64, {50, 40, 40, 60}}, rng_};
  const Evaluator& e_ = bench_.ckks.evaluator;
  const Operands& good_ = bench_.good;
  Ciphertext other_ = bench_.ckks.encrypt(bench_.z, 0x1p33);
  const std::string add_ = "multiply_relinearize_rescale_add";
  const std::vector<std::string> products_{"multiply_relinearize", "multiply_relinearize_rescale",
                                           add_};
  const std::vector<std::string> all_{products_[0], products_[1], add_,
                                      "square_relinearize_rescale", "rotate"};
};

TEST_F(RoutinesErrors, OperandsThatAreNotFit) {
  Operands bad = good_;
  bad.a = Ciphertext();
  expect_refused(bad, all_, {"empty"});
  e_.transform_from_ntt(good_.a, bad.a);
  expect_refused(bad, all_, {"coefficient form"});
  bad = good_;
  bad.b = Ciphertext();
  expect_refused(bad, products_, {"empty"});
  e_.mod_switch_to_next(good_.b, bad.b);
  expect_refused(bad, products_, {"different levels", "chain index 2", "chain index 1"});
  bad = good_;
  bad.c = Ciphertext();
  expect_refused(bad, {add_}, {"empty"});
}

TEST_F(RoutinesErrors, AddendsThatDoNotFit) {
  Operands bad = good_;
  bad.c.scale() = kScale;
  expect_refused(bad, {add_}, {"different scales", "(2^40)"});
  bad = good_;
  e_.mod_switch_to_inplace(bad.c, bench_.ckks.context.last_parms_id());
  expect_refused(bad, {add_}, {"above the operand", "chain index 0"});
}

TEST_F(RoutinesErrors, TheLastLevelScalesAndKeys) {
  Operands bad = good_;
  for (Ciphertext* operand : {&bad.a, &bad.b}) {
    e_.mod_switch_to_inplace(*operand, bench_.ckks.context.last_parms_id());
    operand->scale() = 0x1p20;
  }
  expect_refused(bad, {all_[1], add_, all_[3]}, {"last level"});
  bad = good_;
  bad.a.scale() = bad.b.scale() = 0x1p80;
  expect_refused(bad, {all_[0], all_[1], all_[3]}, {"a product of", "(2^160)"});
  bad = good_;
  bad.relin = RelinKeys();
  expect_refused(bad, {all_[0], all_[1], add_, all_[3]}, {"relinearization keys"});
  bad.galois = bench_.ckks.keygen.create_galois_keys(std::vector<int>{4});
  expect_refused(bad, {"rotate"}, {"key"});
}

TEST_F(RoutinesErrors, ScalesOfProductsThatThereAreNot) {
  Ciphertext lower;
  e_.mod_switch_to_next(good_.b, lower);
  constexpr const char* kOperation = "product_scale_after_rescale";
  test::expect_refusal<InvalidArgument>([&] { product_scale_after_rescale(e_, good_.a, lower); },
                                        kOperation, {"different levels"});
  e_.mod_switch_to_inplace(lower, bench_.ckks.context.last_parms_id());
  test::expect_refusal<InvalidArgument>([&] { product_scale_after_rescale(e_, lower, lower); },
                                        kOperation, {"last level"});
}

TEST_F(RoutinesErrors, BatchesAreAllOrNothing) {
  std::vector<Ciphertext> a(3, good_.a);
  const std::vector<Ciphertext> b{good_.b, good_.b, Ciphertext()};
  std::vector<Ciphertext> results{other_, Ciphertext(), other_};
  test::expect_refusal<InvalidArgument>(
      [&] { multiply_relinearize(e_, a, b, good_.relin, results); }, "multiply_relinearize",
      {"element 2 of 3", "empty"});
  EXPECT_EQ(Snapshot(results[0]), Snapshot(other_));
  EXPECT_EQ(results[1].size(), 0u);
  test::expect_refusal<InvalidArgument>(
      [&] { multiply_relinearize_rescale(e_, a, b, good_.relin, a); },
      "multiply_relinearize_rescale", {"element 2 of 3"});
  for (const Ciphertext& operand : a) EXPECT_EQ(Snapshot(operand), Snapshot(good_.a));
}

TEST_F(RoutinesErrors, SpansOfDifferentLengths) {
  const RelinKeys& keys = good_.relin;
  const std::vector<Ciphertext> two(2, good_.a);
  const std::vector<Ciphertext> three(3, good_.a);
  std::vector<Ciphertext> results(2);
  const auto refused = [](const std::string& name, const std::string& part, auto call) {
    test::expect_refusal<InvalidArgument>(call, name, {part});
  };
  refused("multiply_relinearize", "operands of 2, 3, destinations of 2",
          [&] { multiply_relinearize(e_, two, three, keys, results); });
  refused("multiply_relinearize_rescale", "operands of 3, 3, ",
          [&] { multiply_relinearize_rescale(e_, three, three, keys, results); });
  refused("square_relinearize_rescale", "operands of 3, ",
          [&] { square_relinearize_rescale(e_, three, keys, results); });
  refused(add_, "operands of 2, 2, 3, ",
          [&] { multiply_relinearize_rescale_add(e_, two, two, three, keys, results); });
  refused("rotate", "destinations of 0",
          [&] { rotate(e_, std::span<const Ciphertext>(), 1, good_.galois, {}); });
  for (const Ciphertext& result : results) EXPECT_EQ(result.size(), 0u);
}

TEST(RoutinesOfExactSchemes, RelinearizeAndRefuseToRescale) {
  for (const SchemeType scheme : {SchemeType::bfv, SchemeType::bgv}) {
    EncryptionParameters parms(scheme);
    parms.set_poly_modulus_degree(64);
    parms.set_coeff_modulus(CoeffModulus::create(64, {50, 40, 40, 60}));
    parms.set_plain_modulus(Modulus(257));
    const Context context(parms, SecurityLevel::none);
    const KeyGenerator keygen(context, RandomSource::for_testing(test::test_seed()));
    const RelinKeys keys = keygen.create_relin_keys();
    const GaloisKeys galois_keys = keygen.create_galois_keys();
    const Encryptor encryptor(context, keygen.create_public_key(),
                              RandomSource::for_testing(test::test_seed()));
    Plaintext plain;
    BatchEncoder(context).encode(std::vector<std::uint64_t>(64, 16), plain);
    const Ciphertext a = encryptor.encrypt(plain);
    const Evaluator evaluator(context);
    Ciphertext result;
    multiply_relinearize(evaluator, a, a, keys, result);
    std::vector<std::uint64_t> values;
    BatchEncoder(context).decode(Decryptor(context, keygen.secret_key()).decrypt(result), values);
    EXPECT_EQ(values, std::vector<std::uint64_t>(64, 256));
    test::expect_refusal<InvalidArgument>(
        [&] { square_relinearize_rescale(evaluator, a, keys, result); },
        "square_relinearize_rescale", {to_string(scheme)});
    test::expect_refusal<LogicError>([&] { rotate(evaluator, a, 1, galois_keys, result); },
                                     "rotate", {to_string(scheme)});
  }
}

}  // namespace
}  // namespace ringlet::test
