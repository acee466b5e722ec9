// SPDX-License-Identifier: Apache-2.0
#include "schemes/key_switching.hpp"
#include "support/test.hpp"
#include "unit/schemes/ckks_support.hpp"

namespace ringlet::test {
namespace {

constexpr double kScale = 0x1p45;

Slots rotated(Slots slots, int steps) {
  const auto count = static_cast<int>(slots.size());
  std::rotate(slots.begin(), slots.begin() + ((steps % count) + count) % count, slots.end());
  return slots;
}

Slots conjugated(Slots slots) {
  for (auto& slot : slots) slot = std::conj(slot);
  return slots;
}

class RotationTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kDegree = 128;
  static constexpr int kSlots = kDegree / 2;

  double bound(std::size_t key_switches) const {
    const double one = noise_.key_switch(*ckks_.context.first_context_data());
    return (noise_.fresh() + static_cast<double>(key_switches) * one) / kScale;
  }

  Ckks ckks_{kDegree, {50, 50, 60}};
  test::NoiseBound noise_{ckks_.context};
  std::mt19937_64 rng_ = test::make_rng();
  Slots x_ = test::random_slots(kSlots, rng_);
  Ciphertext a_ = ckks_.encrypt(x_, kScale);
};

TEST_F(RotationTest, AllStepsWithTheDefaultKeys) {
  Ciphertext result;
  for (int steps = -kSlots + 1; steps < kSlots; ++steps) {
    SCOPED_TRACE(steps);
    ckks_.evaluator.rotate_vector(a_, steps, ckks_.galois_keys, result);
    EXPECT_EQ(result.scale(), a_.scale());
    EXPECT_EQ(result.parms_id(), a_.parms_id());
    expect_close(ckks_.decrypt(result), rotated(x_, steps), bound(4));
  }
}

TEST_F(RotationTest, ZeroStepsChangeNothing) {
  Ciphertext result;
  ckks_.evaluator.rotate_vector(a_, 0, ckks_.galois_keys, result);
  EXPECT_EQ(Snapshot(result), Snapshot(a_));
  ckks_.evaluator.rotate_vector_inplace(result, 0, ckks_.galois_keys);
  EXPECT_EQ(Snapshot(result), Snapshot(a_));
}

TEST_F(RotationTest, ManyStepsAtOnceGiveTheBitsOfSingleOnes) {
  // Steps that take no key, one and several, some of them twice.
  const std::vector<int> steps{1, 0, -1, 2, 13, 1, -8, kSlots - 1};
  std::vector<Ciphertext> results(steps.size());
  ckks_.evaluator.rotate_vector_many(a_, steps, ckks_.galois_keys, results);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    SCOPED_TRACE(steps[i]);
    Ciphertext expected;
    ckks_.evaluator.rotate_vector(a_, steps[i], ckks_.galois_keys, expected);
    EXPECT_EQ(Snapshot(results[i]), Snapshot(expected));
    expect_close(ckks_.decrypt(results[i]), rotated(x_, steps[i]), bound(4));
  }
  const std::vector<std::uint64_t> some = ckks_.galois_keys.galois_elements();
  std::vector<Ciphertext> images(some.size());
  ckks_.evaluator.apply_galois_many(a_, some, ckks_.galois_keys, images);
  for (std::size_t i = 0; i < some.size(); ++i) {
    Ciphertext expected;
    ckks_.evaluator.apply_galois(a_, some[i], ckks_.galois_keys, expected);
    EXPECT_EQ(Snapshot(images[i]), Snapshot(expected)) << some[i];
  }
  // The operand as a destination, and no automorphism at all.
  std::vector<Ciphertext> own{a_, a_};
  const std::vector<int> two{3, 5};
  ckks_.evaluator.rotate_vector_many(own[0], two, ckks_.galois_keys, own);
  Ciphertext expected;
  ckks_.evaluator.rotate_vector(a_, 5, ckks_.galois_keys, expected);
  EXPECT_EQ(Snapshot(own[1]), Snapshot(expected));
  ckks_.evaluator.rotate_vector_many(a_, {}, ckks_.galois_keys, {});
}

TEST_F(RotationTest, ManyStepsNeedAsManyDestinationsAndAllKeys) {
  std::vector<Ciphertext> results{a_, a_};
  const Snapshot before(results[0]);
  const std::vector<int> one{1};
  EXPECT_THROW(ckks_.evaluator.rotate_vector_many(a_, one, ckks_.galois_keys, results),
               InvalidArgument);
  const std::vector<int> too_far{1, kSlots};
  EXPECT_THROW(ckks_.evaluator.rotate_vector_many(a_, too_far, ckks_.galois_keys, results),
               InvalidArgument);
  EXPECT_THROW(ckks_.evaluator.rotate_rows_many(a_, too_far, ckks_.galois_keys, results),
               LogicError);
  const std::vector<std::uint64_t> even{3, 4};
  EXPECT_THROW(ckks_.evaluator.apply_galois_many(a_, even, ckks_.galois_keys, results),
               InvalidArgument);
  EXPECT_EQ(Snapshot(results[0]), before);
}

TEST_F(RotationTest, ConjugationAndInplaceForms) {
  Ciphertext result;
  ckks_.evaluator.complex_conjugate(a_, ckks_.galois_keys, result);
  expect_close(ckks_.decrypt(result), conjugated(x_), bound(1));
  Ciphertext same = a_;
  ckks_.evaluator.complex_conjugate_inplace(same, ckks_.galois_keys);
  EXPECT_EQ(Snapshot(same), Snapshot(result));

  ckks_.evaluator.rotate_vector(a_, 13, ckks_.galois_keys, result);
  same = a_;
  ckks_.evaluator.rotate_vector_inplace(same, 13, ckks_.galois_keys);
  EXPECT_EQ(Snapshot(same), Snapshot(result));

  const std::uint64_t element = ckks_.context.ring().galois_element_from_step(-4);
  ckks_.evaluator.apply_galois(a_, element, ckks_.galois_keys, result);
  expect_close(ckks_.decrypt(result), rotated(x_, -4), bound(1));
  same = a_;
  ckks_.evaluator.apply_galois_inplace(same, element, ckks_.galois_keys);
  EXPECT_EQ(Snapshot(same), Snapshot(result));
  ckks_.evaluator.rotate_vector(a_, -4, ckks_.galois_keys, result);
  EXPECT_EQ(Snapshot(same), Snapshot(result));
}

TEST_F(RotationTest, TheExactKeyIsPreferred) {
  const GaloisKeys exact = ckks_.keygen.create_galois_keys(std::vector<int>{13});
  Ciphertext result;
  ckks_.evaluator.rotate_vector(a_, 13, exact, result);
  expect_close(ckks_.decrypt(result), rotated(x_, 13), bound(1));
  const auto one = schemes::plan_rotation(ckks_.context.ring(), 13, exact, "test");
  EXPECT_EQ(one.size(), 1u);
  const auto many = schemes::plan_rotation(ckks_.context.ring(), 13, ckks_.galois_keys, "test");
  EXPECT_EQ(many.size(), 3u);  // 13 = 16 - 4 + 1
}

TEST_F(RotationTest, LowerLevels) {
  Ciphertext lower;
  ckks_.evaluator.mod_switch_to_next(a_, lower);
  ckks_.evaluator.rotate_vector_inplace(lower, 5, ckks_.galois_keys);
  expect_close(ckks_.decrypt(lower), rotated(x_, 5), bound(2));
}

TEST_F(RotationTest, RotationsCompose) {
  Ciphertext result;
  ckks_.evaluator.rotate_vector(a_, 20, ckks_.galois_keys, result);
  ckks_.evaluator.rotate_vector_inplace(result, -27, ckks_.galois_keys);
  ckks_.evaluator.complex_conjugate_inplace(result, ckks_.galois_keys);
  expect_close(ckks_.decrypt(result), conjugated(rotated(x_, -7)), bound(6));
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
    const Ckks ckks(degree, {50, 60});
    auto rng = test::make_rng(degree);
    const Slots x = test::random_slots(degree / 2, rng);
    const Ciphertext a = ckks.encrypt(x, 0x1p40);
    const auto count = static_cast<int>(degree / 2);
    for (int steps = 1 - count; steps < count; ++steps) {
      Ciphertext result;
      ckks.evaluator.rotate_vector(a, steps, ckks.galois_keys, result);
      const Slots expected = rotated(x, steps);
      const Slots actual = ckks.decrypt(result);
      for (std::size_t j = 0; j < x.size(); ++j) {
        EXPECT_LE(std::abs(actual[j] - expected[j]), 0x1p-30) << degree << " " << steps;
      }
    }
  }
}

}  // namespace
}  // namespace ringlet::test
