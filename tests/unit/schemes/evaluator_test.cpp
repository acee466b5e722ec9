// SPDX-License-Identifier: Apache-2.0
// Operations of CKKS, compared with the same operations on complex numbers.

#include "schemes/evaluator/key_switching.hpp"
#include "support/threads.hpp"
#include "unit/schemes/ckks_support.hpp"

namespace ringlet::test {
namespace {

constexpr double kTestScale = 0x1p40;

Slots combine(const Slots& a, const Slots& b, const std::function<Complex(Complex, Complex)>& f) {
  Slots result(a.size());
  for (std::size_t j = 0; j < a.size(); ++j) result[j] = f(a[j], b[j]);
  return result;
}

class EvaluatorTest : public ::testing::TestWithParam<std::size_t> {
 protected:
  Slots random() { return ckks_.random_slots(rng_); }
  Ciphertext encrypt(double scale) { return ckks_.encrypt_random(scale, rng_); }
  /// `noise` is the noise of the slots times the scale.
  void expect_slots(const Ciphertext& result, const Slots& expected, double noise) const {
    expect_close(ckks_.decrypt(result), expected, noise / result.scale());
  }
  template <typename Function, typename... Operands>
  Ciphertext apply(Function function, const Operands&... operands) const {
    return result_of(e_, function, operands...);
  }

  Ckks ckks_{GetParam(), {50, 40, 40, 60}};
  const Evaluator& e_ = ckks_.evaluator;
  NoiseBound noise_{ckks_.context};
  std::mt19937_64 rng_ = make_rng(GetParam());
};

TEST_P(EvaluatorTest, SumsAndProductsAreThoseOfTheSlots) {
  const Slots x = random();
  const Slots y = random();
  const Slots xy = combine(x, y, std::multiplies<>());
  const Ciphertext a = ckks_.encrypt(x, kTestScale);
  const Ciphertext b = ckks_.encrypt(y, kTestScale);
  const Plaintext p = ckks_.encode(y, kTestScale);
  const double fresh = noise_.fresh();
  expect_slots(apply(&Evaluator::negate, a), combine(x, x, [](auto u, auto) { return -u; }), fresh);
  const Ciphertext sum = apply(&Evaluator::add, a, b);
  EXPECT_EQ(sum.scale(), kTestScale);
  EXPECT_EQ(sum.parms_id(), a.parms_id());
  expect_slots(sum, combine(x, y, std::plus<>()), 2 * fresh);
  expect_slots(apply(&Evaluator::sub, a, b), combine(x, y, std::minus<>()), 2 * fresh);
  expect_slots(apply(&Evaluator::add_plain, a, p), combine(x, y, std::plus<>()), 2 * fresh);
  expect_slots(apply(&Evaluator::sub_plain, a, p), combine(x, y, std::minus<>()), 2 * fresh);

  double noise = product_noise(fresh, kTestScale);
  const Ciphertext times_plain = apply(&Evaluator::multiply_plain, a, p);
  EXPECT_EQ(times_plain.scale(), kTestScale * kTestScale);
  expect_slots(times_plain, xy, noise);
  const Ciphertext product = apply(&Evaluator::multiply, a, b);
  EXPECT_EQ(product.size(), 3u);
  EXPECT_EQ(product.scale(), kTestScale * kTestScale);
  expect_slots(product, xy, noise);
  noise += noise_.key_switch(ckks_.level(product));
  const Ciphertext relinearized = apply(&Evaluator::relinearize, product, ckks_.relin_keys);
  EXPECT_EQ(relinearized.size(), 2u);
  expect_slots(relinearized, xy, noise);
  const auto q = static_cast<double>(ckks_.level(product).coeff_modulus().back().value());
  for (const Ciphertext& rescaled :
       {apply(&Evaluator::rescale_to_next, relinearized),
        apply(&Evaluator::relinearize_and_rescale_to_next, product, ckks_.relin_keys)}) {
    EXPECT_EQ(rescaled.size(), 2u);
    EXPECT_EQ(rescaled.scale(), kTestScale * kTestScale / q);
    EXPECT_EQ(rescaled.coeff_modulus_size(), a.coeff_modulus_size() - 1);
    expect_slots(rescaled, xy, noise / q + noise_.rounding());
  }
}

TEST_P(EvaluatorTest, OfSizeTwoNothingIsRelinearized) {
  const Ciphertext a = encrypt(0x1p60);
  EXPECT_EQ(Snapshot(apply(&Evaluator::relinearize_and_rescale_to_next, a, ckks_.relin_keys)),
            Snapshot(apply(&Evaluator::rescale_to_next, a)));
}

TEST_P(EvaluatorTest, SquareIsTheProductBitForBit) {
  Ciphertext a = encrypt(0x1p10);
  for (int size = 2; size <= 5; size = static_cast<int>(a.size())) {
    const Ciphertext square = apply(&Evaluator::square, a);
    EXPECT_EQ(square.size(), 2 * a.size() - 1);
    EXPECT_EQ(Snapshot(square), Snapshot(apply(&Evaluator::multiply, a, a))) << a.size();
    a = square;
  }
}

TEST_P(EvaluatorTest, SizesAboveTwo) {
  const Slots x = random();
  const Slots y = random();
  const Slots z = random();
  constexpr double kSmall = 0x1p30;
  const Ciphertext c = ckks_.encrypt(z, kSmall);
  const Ciphertext ab =
      apply(&Evaluator::multiply, ckks_.encrypt(x, kSmall), ckks_.encrypt(y, kSmall));
  const Ciphertext abc = apply(&Evaluator::multiply, ab, c);
  EXPECT_EQ(abc.size(), 4u);
  const Slots xy = combine(x, y, std::multiplies<>());
  const Slots xyz = combine(xy, z, std::multiplies<>());
  const double noise = product_noise(noise_.fresh(), kSmall);
  const double noise3 =
      2 * noise_.fresh() * kSmall * kSmall + std::sqrt(2) * noise * kSmall + noise * noise_.fresh();
  expect_slots(abc, xyz, noise3);
  EXPECT_EQ(Snapshot(apply(&Evaluator::multiply, c, ab)), Snapshot(abc));
  const Ciphertext by_plain = apply(&Evaluator::multiply_plain, ab, ckks_.encode(z, kSmall));
  EXPECT_EQ(by_plain.size(), 3u);
  expect_slots(by_plain, xyz, noise3);

  // Sums of different sizes, with operands in both orders.
  Ciphertext narrow = c;
  narrow.scale() = ab.scale();  // z / 2^30
  Slots small = z;
  for (auto& slot : small) slot /= kSmall;
  const double bound = noise + noise_.fresh();
  const Ciphertext sum = apply(&Evaluator::add, ab, narrow);
  EXPECT_EQ(sum.size(), 3u);
  expect_slots(sum, combine(xy, small, std::plus<>()), bound);
  EXPECT_EQ(Snapshot(apply(&Evaluator::add, narrow, ab)), Snapshot(sum));
  const Ciphertext difference = apply(&Evaluator::sub, ab, narrow);
  expect_slots(difference, combine(xy, small, std::minus<>()), bound);
  EXPECT_EQ(Snapshot(apply(&Evaluator::sub, narrow, ab)),
            Snapshot(apply(&Evaluator::negate, difference)));
}

TEST_P(EvaluatorTest, AddManyIsAChainOfSums) {
  std::vector<Ciphertext> operands = ckks_.encrypt_random(5, kTestScale, rng_);
  Ciphertext chain;
  for (std::size_t count = 1; count <= operands.size(); ++count) {
    const Ciphertext& next = operands[count - 1];
    chain = count == 1 ? next : apply(&Evaluator::add, chain, next);
    Ciphertext result;
    e_.add_many({operands.data(), count}, result);
    EXPECT_EQ(Snapshot(result), Snapshot(chain));
  }
  e_.add_many(operands, operands[2]);
  EXPECT_EQ(Snapshot(operands[2]), Snapshot(chain));
}

TEST_P(EvaluatorTest, ModSwitchKeepsTheMessage) {
  const Slots x = random();
  const Ciphertext a = ckks_.encrypt(x, kTestScale);
  const Plaintext p = ckks_.encode(x, kTestScale);
  Ciphertext stepwise = a;
  Plaintext lower = p;
  for (const ContextData* level : ckks_.levels()) {
    if (level != ckks_.context.first_context_data()) {
      e_.mod_switch_to_next_inplace(stepwise);
      e_.mod_switch_to_next_inplace(lower);
    }
    Ciphertext at_once;
    e_.mod_switch_to(a, level->parms_id(), at_once);
    EXPECT_EQ(at_once.scale(), kTestScale);
    EXPECT_EQ(at_once.coeff_modulus_size(), level->prime_count());
    EXPECT_EQ(Snapshot(at_once), Snapshot(stepwise));
    expect_slots(at_once, x, noise_.fresh());
    // A plaintext switched down equals one encoded at the lower level.
    Plaintext plain;
    e_.mod_switch_to(p, level->parms_id(), plain);
    EXPECT_EQ(Snapshot(plain), Snapshot(ckks_.encode(x, kTestScale, level->parms_id())));
    EXPECT_EQ(Snapshot(plain), Snapshot(lower));
  }
}

TEST_P(EvaluatorTest, RescaleToGoesDownLevelByLevel) {
  const Slots x = random();
  Ciphertext a = ckks_.encrypt(x, 0x1p120);
  const Ciphertext direct = apply(&Evaluator::rescale_to, a, ckks_.context.last_parms_id());
  EXPECT_EQ(direct.coeff_modulus_size(), 1u);
  expect_slots(direct, x, 2 * noise_.rounding());
  e_.rescale_to_inplace(a, a.parms_id());
  e_.rescale_to_next_inplace(a);
  e_.rescale_to_next_inplace(a);
  EXPECT_EQ(Snapshot(direct), Snapshot(a));
}

INSTANTIATE_TEST_SUITE_P(Degrees, EvaluatorTest, ::testing::Values(4, 64, 1024));

// x -> x^2 at every level down to the last, compared with the powers in the clear.
TEST(Circuit, SquaresDownToTheLastLevel) {
  const Ckks sets[] = {Ckks(256, {50, 40, 40, 40, 40, 40, 40, 40, 40, 40, 60}),
                       Ckks(Context(ckks(8192, {60, 40, 40, 60}))),
                       Ckks(Context(ckks(16384, {60, 40, 40, 40, 40, 40, 40, 60})))};
  for (const Ckks& set : sets) {
    auto rng = make_rng();
    const NoiseBound noise(set.context);
    Slots x(set.encoder.slot_count());
    std::uniform_real_distribution<double> angle(0, 6.28318);
    for (auto& slot : x) slot = std::polar(1.0, angle(rng));  // powers stay on the unit circle
    Ciphertext c = set.encrypt(x, kTestScale);
    double error = noise.fresh();  // in units of 1/scale
    for (std::size_t depth = 1; depth < set.context.first_context_data()->prime_count(); ++depth) {
      SCOPED_TRACE(depth);
      const ContextData& level = set.level(c);
      const auto q = static_cast<double>(level.coeff_modulus().back().value());
      error = 2 * error * c.scale() + error * error + noise.key_switch(level);
      error = error / q + noise.rounding();
      set.evaluator.square_inplace(c);
      set.evaluator.relinearize_inplace(c, set.relin_keys);
      set.evaluator.rescale_to_next_inplace(c);
      for (auto& slot : x) slot *= slot;
      expect_close(set.decrypt(c), x, error / c.scale() + 0x1p-40);
    }
    EXPECT_EQ(c.parms_id(), set.context.last_parms_id());
  }
}

TEST(Circuit, RealParametersRotateAndAddUp) {
  // The inner product of 8192/2 slots with weights, as in a linear model.
  const Ckks set(Context(ckks(8192, {60, 40, 40, 60})));
  auto rng = make_rng();
  const NoiseBound noise(set.context);
  const Slots x = set.random_slots(rng);
  const Slots w = set.random_slots(rng);
  Complex expected = 0;
  for (std::size_t j = 0; j < x.size(); ++j) expected += x[j] * w[j];

  Ciphertext sum = set.encrypt(x, kTestScale);
  set.evaluator.multiply_plain_inplace(sum, set.encode(w, kTestScale));
  set.evaluator.rescale_to_next_inplace(sum);
  const auto q =
      static_cast<double>(set.context.first_context_data()->coeff_modulus().back().value());
  double error = (2 * std::sqrt(2.0) * noise.fresh() * kTestScale) / q + noise.rounding();
  Ciphertext turned;
  for (std::size_t step = 1; step < x.size(); step *= 2) {
    set.evaluator.rotate_vector(sum, static_cast<int>(step), set.galois_keys, turned);
    set.evaluator.add_inplace(sum, turned);
    error = 2 * error + noise.key_switch(set.level(sum));
  }
  expect_close(set.decrypt(sum), Slots(x.size(), expected), error / sum.scale());
}

TEST(Circuit, OneEvaluatorServesThreads) {
  const Ckks set(1024, {50, 40, 40, 60});
  auto rng = make_rng();
  const Ciphertext a = set.encrypt_random(kTestScale, rng);
  const Ciphertext b = set.encrypt_random(kTestScale, rng);
  const auto circuit = [&] {
    Ciphertext c = result_of(set.evaluator, &Evaluator::multiply, a, b);
    set.evaluator.relinearize_inplace(c, set.relin_keys);
    set.evaluator.rescale_to_next_inplace(c);
    set.evaluator.rotate_vector_inplace(c, 3, set.galois_keys);
    set.evaluator.add_plain_inplace(c, set.encode(set.decrypt(c), c.scale(), c.parms_id()));
    return Snapshot(c);
  };
  const Snapshot expected = circuit();
  in_threads([&](std::size_t) {
    for (int round = 0; round < 5; ++round) EXPECT_EQ(circuit(), expected);
  });
}

constexpr double kRotationScale = 0x1p45;

Slots rotated(Slots slots, int steps) {
  const auto count = static_cast<int>(slots.size());
  std::rotate(slots.begin(), slots.begin() + ((steps % count) + count) % count, slots.end());
  return slots;
}

class RotationTest : public ::testing::Test {
 protected:
  static constexpr int kSlots = 64;

  Ciphertext rotate(int steps, const GaloisKeys& keys) const {
    return result_of(e_, &Evaluator::rotate_vector, a_, steps, keys);
  }
  double bound(std::size_t key_switches) const {
    const double one = noise_.key_switch(*ckks_.context.first_context_data());
    return (noise_.fresh() + static_cast<double>(key_switches) * one) / kRotationScale;
  }
  /// Neither the operand nor a destination changes, whether these are two objects or one.
  template <typename Call>
  void expect_refused(const std::string& operation, const std::string& part, const Call& call) {
    Ciphertext operand = a_;
    Ciphertext destination = lower_;
    for (Ciphertext* d : {&destination, &operand}) {
      test::expect_refusal([&] { call(operand, *d); }, operation, {part});
    }
    EXPECT_EQ(Snapshot(operand), Snapshot(a_));
    EXPECT_EQ(Snapshot(destination), Snapshot(lower_));
  }

  Ckks ckks_{2 * kSlots, {50, 50, 60}};
  const Evaluator& e_ = ckks_.evaluator;
  const GaloisKeys& keys_ = ckks_.galois_keys;
  NoiseBound noise_{ckks_.context};
  std::mt19937_64 rng_ = make_rng();
  Slots x_ = ckks_.random_slots(rng_);
  Ciphertext a_ = ckks_.encrypt(x_, kRotationScale);
  Ciphertext lower_ = ckks_.encryptor.encrypt_zero(ckks_.context.last_parms_id());
};

TEST_F(RotationTest, AllStepsWithTheDefaultKeys) {
  for (int steps = -kSlots + 1; steps < kSlots; ++steps) {
    SCOPED_TRACE(steps);
    const Ciphertext result = rotate(steps, keys_);
    EXPECT_EQ(result.scale(), a_.scale());
    EXPECT_EQ(result.parms_id(), a_.parms_id());
    expect_close(ckks_.decrypt(result), rotated(x_, steps), bound(4));
  }
  EXPECT_EQ(Snapshot(rotate(0, keys_)), Snapshot(a_));
}

TEST_F(RotationTest, ManyStepsAtOnceGiveTheBitsOfSingleOnes) {
  // Steps that need no key, one key and several keys, some of them twice.
  const std::vector<int> steps{1, 0, -1, 2, 13, 1, -8, kSlots - 1};
  std::vector<Ciphertext> results(steps.size());
  e_.rotate_vector_many(a_, steps, keys_, results);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_EQ(Snapshot(results[i]), Snapshot(rotate(steps[i], keys_))) << steps[i];
  }
  const std::vector<std::uint64_t> some = keys_.galois_elements();
  std::vector<Ciphertext> images(some.size());
  e_.apply_galois_many(a_, some, keys_, images);
  for (std::size_t i = 0; i < some.size(); ++i) {
    EXPECT_EQ(Snapshot(images[i]),
              Snapshot(result_of(e_, &Evaluator::apply_galois, a_, some[i], keys_)))
        << some[i];
  }
  // The operand is a destination; then there is no automorphism at all.
  std::vector<Ciphertext> own{a_, a_};
  e_.rotate_vector_many(own[0], std::vector<int>{3, 5}, keys_, own);
  EXPECT_EQ(Snapshot(own[1]), Snapshot(rotate(5, keys_)));
  e_.rotate_vector_many(a_, {}, keys_, {});
}

TEST_F(RotationTest, ManyStepsNeedAsManyDestinationsAndAllKeys) {
  std::vector<Ciphertext> results{a_, a_};
  const std::vector<int> one{1};
  const std::vector<int> too_far{1, kSlots};
  const std::vector<std::uint64_t> even{3, 4};
  EXPECT_THROW(e_.rotate_vector_many(a_, one, keys_, results), InvalidArgument);
  EXPECT_THROW(e_.rotate_vector_many(a_, too_far, keys_, results), InvalidArgument);
  EXPECT_THROW(e_.rotate_rows_many(a_, too_far, keys_, results), LogicError);
  EXPECT_THROW(e_.apply_galois_many(a_, even, keys_, results), InvalidArgument);
  EXPECT_EQ(Snapshot(results[0]), Snapshot(a_));
}

TEST_F(RotationTest, AutomorphismsConjugateAndRotate) {
  Slots conjugate = x_;
  for (auto& slot : conjugate) slot = std::conj(slot);
  expect_close(ckks_.decrypt(result_of(e_, &Evaluator::complex_conjugate, a_, keys_)), conjugate,
               bound(1));
  const std::uint64_t element = ckks_.context.ring().galois_element_from_step(-4);
  EXPECT_EQ(Snapshot(result_of(e_, &Evaluator::apply_galois, a_, element, keys_)),
            Snapshot(rotate(-4, keys_)));
  e_.mod_switch_to_next_inplace(a_);
  expect_close(ckks_.decrypt(rotate(5, keys_)), rotated(x_, 5), bound(2));
}

TEST_F(RotationTest, TheExactKeyIsPreferred) {
  const GaloisKeys exact = ckks_.keygen.create_galois_keys(std::vector<int>{13});
  expect_close(ckks_.decrypt(rotate(13, exact)), rotated(x_, 13), bound(1));
  const RingSpec& ring = ckks_.context.ring();
  EXPECT_EQ(schemes::plan_rotation(ring, 13, exact).size(), 1u);
  EXPECT_EQ(schemes::plan_rotation(ring, 13, keys_).size(), 3u);  // 13 = 16 - 4 + 1
}

TEST_F(RotationTest, WithoutTheirKeyAreRefused) {
  const auto refuse = [&](int steps, const GaloisKeys& keys, const std::string& part) {
    expect_refused("Evaluator::rotate_vector", part,
                   [&](auto& a, auto& d) { e_.rotate_vector(a, steps, keys, d); });
  };
  // Keys for 1 and 8 exist, but not for -4: 5 = 1 + 4 and 13 = 1 - 4 + 16.
  const GaloisKeys some = ckks_.keygen.create_galois_keys(std::vector<int>{1, 8, 16});
  refuse(5, some, "no key for steps 4");
  refuse(13, some, "no key for steps -4");
  refuse(-5, some, "no key for steps -1, -4");
  refuse(0, GaloisKeys(), "empty");
  refuse(0, Ckks(2 * kSlots, {50, 51, 60}).galois_keys, "identifier");
  for (const int steps : {kSlots, -kSlots, kSlots + 1, std::numeric_limits<int>::max(),
                          std::numeric_limits<int>::min()}) {
    refuse(steps, keys_, "N/2 = 64");
  }
  expect_refused("Evaluator::complex_conjugate", "255",
                 [&](auto& a, auto& d) { e_.complex_conjugate(a, some, d); });
  for (const std::uint64_t g : {0ull, 2ull, 256ull, 257ull, ~0ull, 7ull}) {
    expect_refused("Evaluator::apply_galois", g == 7 ? "element 7" : "odd",
                   [&](auto& a, auto& d) { e_.apply_galois(a, g, some, d); });
  }
}

TEST(NonAdjacentForm, SumsUpWithoutNeighbours) {
  EXPECT_TRUE(schemes::non_adjacent_form(0).empty());
  EXPECT_EQ(schemes::non_adjacent_form(7), (std::vector<int>{-1, 8}));
  EXPECT_EQ(schemes::non_adjacent_form(-6), (std::vector<int>{2, -8}));
  for (int value = -2000; value <= 2000; ++value) {
    const std::vector<int> digits = schemes::non_adjacent_form(value);
    EXPECT_EQ(std::accumulate(digits.begin(), digits.end(), 0), value);
    for (std::size_t i = 0; i < digits.size(); ++i) {
      const int power = std::abs(digits[i]);
      EXPECT_EQ(power & (power - 1), 0) << value;
      if (i > 0) {
        EXPECT_GE(power, 4 * std::abs(digits[i - 1])) << value;
      }
    }
  }
}

TEST(Rotation, SmallestDegrees) {
  for (const std::size_t degree : {4, 8, 16}) {
    const Ckks small(degree, {50, 60});
    auto rng = make_rng(degree);
    const Slots x = small.random_slots(rng);
    const Ciphertext a = small.encrypt(x, 0x1p40);
    const auto count = static_cast<int>(x.size());
    for (int steps = 1 - count; steps < count; ++steps) {
      const Ciphertext result =
          result_of(small.evaluator, &Evaluator::rotate_vector, a, steps, small.galois_keys);
      EXPECT_LE(largest_difference(small.decrypt(result), rotated(x, steps)), 0x1p-30)
          << degree << " " << steps;
    }
  }
}

}  // namespace
}  // namespace ringlet::test
