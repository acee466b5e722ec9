// SPDX-License-Identifier: Apache-2.0
#include "ringlet/evaluator.hpp"

#include "support/test.hpp"
#include "unit/schemes/ckks_support.hpp"

namespace ringlet::test {
namespace {

constexpr double kScale = 0x1p40;

Slots combine(const Slots& a, const Slots& b, const std::function<Complex(Complex, Complex)>& f) {
  Slots result(a.size());
  for (std::size_t j = 0; j < a.size(); ++j) result[j] = f(a[j], b[j]);
  return result;
}

class EvaluatorTest : public ::testing::TestWithParam<std::size_t> {
 protected:
  Slots random() { return test::random_slots(ckks_.encoder.slot_count(), rng_); }

  // Two slots of magnitude up to sqrt(2) with noise up to b.
  static double product_noise(double b, double scale) {
    return 2 * std::sqrt(2.0) * b * scale + b * b;
  }

  test::Ckks ckks_{GetParam(), {50, 40, 40, 60}};
  const Evaluator& evaluator_ = ckks_.evaluator;
  test::NoiseBound noise_{ckks_.context};
  std::mt19937_64 rng_ = test::make_rng(GetParam());
};

TEST_P(EvaluatorTest, NegateAddSubtract) {
  const Slots x = random();
  const Slots y = random();
  const Ciphertext a = ckks_.encrypt(x, kScale);
  const Ciphertext b = ckks_.encrypt(y, kScale);
  const double bound = noise_.fresh() / kScale;
  Ciphertext result;
  evaluator_.negate(a, result);
  expect_close(ckks_.decrypt(result), combine(x, x, [](Complex u, Complex) { return -u; }), bound);
  evaluator_.add(a, b, result);
  EXPECT_EQ(result.scale(), kScale);
  EXPECT_EQ(result.parms_id(), a.parms_id());
  expect_close(ckks_.decrypt(result), combine(x, y, std::plus<>()), 2 * bound);
  evaluator_.sub(a, b, result);
  expect_close(ckks_.decrypt(result), combine(x, y, std::minus<>()), 2 * bound);
}

TEST_P(EvaluatorTest, PlainOperands) {
  const Slots x = random();
  const Slots y = random();
  const Ciphertext a = ckks_.encrypt(x, kScale);
  const Plaintext p = ckks_.encode(y, kScale);
  const double bound = noise_.fresh() / kScale;
  Ciphertext result;
  evaluator_.add_plain(a, p, result);
  expect_close(ckks_.decrypt(result), combine(x, y, std::plus<>()), 2 * bound);
  evaluator_.sub_plain(a, p, result);
  expect_close(ckks_.decrypt(result), combine(x, y, std::minus<>()), 2 * bound);
  evaluator_.multiply_plain(a, p, result);
  EXPECT_EQ(result.scale(), kScale * kScale);
  expect_close(ckks_.decrypt(result), combine(x, y, std::multiplies<>()),
               product_noise(noise_.fresh(), kScale) / (kScale * kScale));
}

TEST_P(EvaluatorTest, MultiplyRelinearizeRescale) {
  const Slots x = random();
  const Slots y = random();
  const Slots xy = combine(x, y, std::multiplies<>());
  const Ciphertext a = ckks_.encrypt(x, kScale);
  const Ciphertext b = ckks_.encrypt(y, kScale);
  double bound = product_noise(noise_.fresh(), kScale);
  Ciphertext product;
  evaluator_.multiply(a, b, product);
  EXPECT_EQ(product.size(), 3u);
  EXPECT_EQ(product.scale(), kScale * kScale);
  expect_close(ckks_.decrypt(product), xy, bound / product.scale());

  Ciphertext at_once = product;
  evaluator_.relinearize_inplace(product, ckks_.relin_keys);
  EXPECT_EQ(product.size(), 2u);
  bound += noise_.key_switch(ckks_.level(product));
  expect_close(ckks_.decrypt(product), xy, bound / product.scale());

  const auto q = static_cast<double>(ckks_.level(product).coeff_modulus().back().value());
  evaluator_.rescale_to_next_inplace(product);
  EXPECT_EQ(product.scale(), kScale * kScale / q);
  EXPECT_EQ(product.coeff_modulus_size(), a.coeff_modulus_size() - 1);
  expect_close(ckks_.decrypt(product), xy, (bound / q + noise_.rounding()) / product.scale());

  evaluator_.relinearize_and_rescale_to_next_inplace(at_once, ckks_.relin_keys);
  EXPECT_EQ(at_once.size(), 2u);
  EXPECT_EQ(at_once.scale(), product.scale());
  EXPECT_EQ(at_once.parms_id(), product.parms_id());
  expect_close(ckks_.decrypt(at_once), xy, (bound / q + noise_.rounding()) / product.scale());
}

TEST_P(EvaluatorTest, OfSizeTwoNothingIsRelinearized) {
  Ciphertext a = ckks_.encrypt(random(), 0x1p60);
  Ciphertext rescaled;
  evaluator_.rescale_to_next(a, rescaled);
  evaluator_.relinearize_and_rescale_to_next_inplace(a, ckks_.relin_keys);
  EXPECT_EQ(Snapshot(a), Snapshot(rescaled));
}

TEST_P(EvaluatorTest, SquareIsTheProductBitForBit) {
  Ciphertext a = ckks_.encrypt(random(), 0x1p10);
  Ciphertext product;
  Ciphertext square;
  for (int size = 2; size <= 5; size = static_cast<int>(a.size())) {
    evaluator_.multiply(a, a, product);
    evaluator_.square(a, square);
    EXPECT_EQ(square.size(), 2 * a.size() - 1);
    EXPECT_EQ(Snapshot(square), Snapshot(product)) << "size " << a.size();
    a = square;
  }
}

TEST_P(EvaluatorTest, SizesAboveTwo) {
  const Slots x = random();
  const Slots y = random();
  const Slots z = random();
  constexpr double kSmall = 0x1p30;
  const Ciphertext a = ckks_.encrypt(x, kSmall);
  const Ciphertext b = ckks_.encrypt(y, kSmall);
  const Ciphertext c = ckks_.encrypt(z, kSmall);
  Ciphertext ab;
  Ciphertext abc;
  evaluator_.multiply(a, b, ab);
  evaluator_.multiply(ab, c, abc);
  EXPECT_EQ(abc.size(), 4u);
  const Slots xy = combine(x, y, std::multiplies<>());
  const double noise = product_noise(noise_.fresh(), kSmall);
  const double scale3 = std::pow(kSmall, 3);
  const double noise3 =
      2 * noise_.fresh() * kSmall * kSmall + std::sqrt(2) * noise * kSmall + noise * noise_.fresh();
  expect_close(ckks_.decrypt(abc), combine(xy, z, std::multiplies<>()), noise3 / scale3);
  Ciphertext cab;
  evaluator_.multiply(c, ab, cab);
  EXPECT_EQ(Snapshot(cab), Snapshot(abc));

  // Sums of different sizes, both ways round and into each operand.
  Ciphertext wide = c;
  wide.scale() = ab.scale();  // z / 2^30
  Slots small = z;
  for (auto& slot : small) slot /= kSmall;
  const double bound = (noise + noise_.fresh()) / ab.scale();
  Ciphertext sum;
  evaluator_.add(ab, wide, sum);
  EXPECT_EQ(sum.size(), 3u);
  expect_close(ckks_.decrypt(sum), combine(xy, small, std::plus<>()), bound);
  Ciphertext reversed = ab;
  evaluator_.add(wide, reversed, reversed);
  EXPECT_EQ(Snapshot(reversed), Snapshot(sum));
  evaluator_.sub(wide, ab, sum);
  expect_close(ckks_.decrypt(sum), combine(small, xy, std::minus<>()), bound);
  evaluator_.sub(ab, wide, sum);
  expect_close(ckks_.decrypt(sum), combine(xy, small, std::minus<>()), bound);
  evaluator_.negate(sum, sum);
  evaluator_.sub_inplace(wide, ab);
  EXPECT_EQ(Snapshot(wide), Snapshot(sum));

  // A product of size 3 with a plaintext, and its rescaling.
  evaluator_.multiply_plain(ab, ckks_.encode(z, kSmall), abc);
  EXPECT_EQ(abc.size(), 3u);
  expect_close(ckks_.decrypt(abc), combine(xy, z, std::multiplies<>()), noise3 / scale3);
}

TEST_P(EvaluatorTest, AddMany) {
  std::vector<Ciphertext> operands;
  Slots sum(ckks_.encoder.slot_count());
  for (int i = 0; i < 5; ++i) {
    const Slots x = random();
    operands.push_back(ckks_.encrypt(x, kScale));
    sum = combine(sum, x, std::plus<>());
  }
  Ciphertext result;
  evaluator_.add_many(operands, result);
  expect_close(ckks_.decrypt(result), sum, 5 * noise_.fresh() / kScale);
  Ciphertext chain = operands[0];
  for (int i = 1; i < 5; ++i) evaluator_.add_inplace(chain, operands[i]);
  EXPECT_EQ(Snapshot(result), Snapshot(chain));
  evaluator_.add_many(operands, operands[2]);
  EXPECT_EQ(Snapshot(operands[2]), Snapshot(chain));
  evaluator_.add_many({operands.data(), 1}, result);
  EXPECT_EQ(Snapshot(result), Snapshot(operands[0]));
  // 0 = a - a inside a longer sum is no offence.
  Ciphertext negative;
  evaluator_.negate(operands[0], negative);
  evaluator_.add_many(std::vector<Ciphertext>{operands[0], negative, operands[1]}, result);
  EXPECT_EQ(Snapshot(result), Snapshot(operands[1]));
}

TEST_P(EvaluatorTest, ModSwitchKeepsTheMessage) {
  const Slots x = random();
  const Ciphertext a = ckks_.encrypt(x, kScale);
  const Plaintext p = ckks_.encode(x, kScale);
  const double bound = noise_.fresh() / kScale;
  Ciphertext next;
  evaluator_.mod_switch_to_next(a, next);
  EXPECT_EQ(next.scale(), kScale);
  EXPECT_EQ(next.coeff_modulus_size(), 2u);
  expect_close(ckks_.decrypt(next), x, bound);
  Ciphertext last;
  evaluator_.mod_switch_to(a, ckks_.context.last_parms_id(), last);
  EXPECT_EQ(last.coeff_modulus_size(), 1u);
  expect_close(ckks_.decrypt(last), x, bound);
  evaluator_.mod_switch_to_next_inplace(next);
  EXPECT_EQ(Snapshot(next), Snapshot(last));
  evaluator_.mod_switch_to_inplace(next, next.parms_id());
  EXPECT_EQ(Snapshot(next), Snapshot(last));

  // A plaintext that is switched down is the one that is encoded there.
  Plaintext lower;
  evaluator_.mod_switch_to_next(p, lower);
  const ParmsId& second = ckks_.context.first_context_data()->next_context_data()->parms_id();
  EXPECT_EQ(Snapshot(lower), Snapshot(ckks_.encode(x, kScale, second)));
  evaluator_.mod_switch_to(p, ckks_.context.last_parms_id(), lower);
  EXPECT_EQ(Snapshot(lower), Snapshot(ckks_.encode(x, kScale, ckks_.context.last_parms_id())));
  Plaintext same = p;
  evaluator_.mod_switch_to_inplace(same, p.parms_id());
  EXPECT_EQ(Snapshot(same), Snapshot(p));
}

TEST_P(EvaluatorTest, RescaleToGoesDownLevelByLevel) {
  const Slots x = random();
  Ciphertext a = ckks_.encrypt(x, 0x1p120);
  Ciphertext direct;
  evaluator_.rescale_to(a, ckks_.context.last_parms_id(), direct);
  EXPECT_EQ(direct.coeff_modulus_size(), 1u);
  expect_close(ckks_.decrypt(direct), x, 2 * noise_.rounding() / direct.scale());
  evaluator_.rescale_to_inplace(a, a.parms_id());
  evaluator_.rescale_to_next_inplace(a);
  evaluator_.rescale_to_next_inplace(a);
  EXPECT_EQ(Snapshot(direct), Snapshot(a));
}

TEST_P(EvaluatorTest, DestinationsMayBeOperands) {
  const Ciphertext a = ckks_.encrypt(random(), 0x1p20);
  const Ciphertext b = ckks_.encrypt(random(), 0x1p20);
  using Binary = std::function<void(const Ciphertext&, const Ciphertext&, Ciphertext&)>;
  const std::vector<Binary> operations{
      [&](auto& u, auto& v, auto& d) { evaluator_.add(u, v, d); },
      [&](auto& u, auto& v, auto& d) { evaluator_.sub(u, v, d); },
      [&](auto& u, auto& v, auto& d) { evaluator_.multiply(u, v, d); },
  };
  for (const Binary& f : operations) {
    Ciphertext expected;
    f(a, b, expected);
    Ciphertext left = a;
    f(left, b, left);
    EXPECT_EQ(Snapshot(left), Snapshot(expected));
    Ciphertext right = b;
    f(a, right, right);
    EXPECT_EQ(Snapshot(right), Snapshot(expected));
    // A destination that holds something of the right shape, and of another one.
    f(a, b, right);
    EXPECT_EQ(Snapshot(right), Snapshot(expected));
    Ciphertext lower;
    evaluator_.mod_switch_to_next(a, lower);
    f(a, b, lower);
    EXPECT_EQ(Snapshot(lower), Snapshot(expected));
  }
  Ciphertext product;
  evaluator_.multiply(a, a, product);
  Ciphertext both = a;
  evaluator_.multiply(both, both, both);
  EXPECT_EQ(Snapshot(both), Snapshot(product));
  both = a;
  evaluator_.square_inplace(both);
  EXPECT_EQ(Snapshot(both), Snapshot(product));
  both = a;
  evaluator_.add(both, both, both);
  evaluator_.add(a, a, product);
  EXPECT_EQ(Snapshot(both), Snapshot(product));
}

INSTANTIATE_TEST_SUITE_P(Degrees, EvaluatorTest, ::testing::Values(4, 64, 1024));

}  // namespace
}  // namespace ringlet::test
