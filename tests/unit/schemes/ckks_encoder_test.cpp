// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ckks_encoder.hpp"

#include "support/test.hpp"
#include "unit/schemes/ckks_support.hpp"

namespace ringlet::test {
namespace {

class CKKSEncoderTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kDegree = 64;

  Context context_ = test::toy_context(kDegree, {50, 40, 40, 60});
  CKKSEncoder encoder_{context_};
  std::mt19937_64 rng_ = test::make_rng();

  // The coefficients of a plaintext small enough for one signed word.
  std::vector<std::int64_t> coefficients(const Plaintext& plain) const {
    const ContextData& level = *context_.get_context_data(plain.parms_id());
    return test::small_coefficients(context_, plain.ntt_view(), level.primes());
  }

  // Slot j of integer coefficients by the definition.
  static std::complex<long double> slot(const std::vector<std::int64_t>& m, std::size_t j) {
    std::uint64_t power = 1;
    for (std::size_t i = 0; i < j; ++i) power = 3 * power % (2 * m.size());
    const long double angle = std::numbers::pi_v<long double> * static_cast<long double>(power) /
                              static_cast<long double>(m.size());
    const std::complex<long double> point{std::cos(angle), std::sin(angle)};
    std::complex<long double> sum = 0;
    for (std::size_t t = m.size(); t-- > 0;) {
      sum = sum * point + static_cast<long double>(m[t]);
    }
    return sum;
  }
};

TEST_F(CKKSEncoderTest, SlotsAreValuesAtPowersOfThree) {
  const Slots slots = test::random_slots(encoder_.slot_count(), rng_);
  Plaintext plain;
  encoder_.encode(slots, 0x1p30, plain);
  EXPECT_EQ(plain.parms_id(), context_.first_parms_id());
  EXPECT_EQ(plain.scale(), 0x1p30);
  EXPECT_TRUE(plain.is_ntt_form());
  const auto m = coefficients(plain);
  for (std::size_t j = 0; j < slots.size(); ++j) {
    // Each coefficient is off by 1/2 at most.
    ASSERT_LE(std::abs(slot(m, j) - std::complex<long double>(slots[j]) * 0x1p30L), kDegree / 2.0L);
  }
}

TEST_F(CKKSEncoderTest, RoundTripAtEveryLevelAndScale) {
  const Slots slots = test::random_slots(encoder_.slot_count(), rng_);
  const test::NoiseBound noise(context_);
  for (auto* level = context_.first_context_data(); level; level = level->next_context_data()) {
    for (const double scale :
         {0x1p10, 0x1p30, 0x1.23456789abcdep35, 0x1p40, 0x1p46, 0x1.9p85, 0x1p120}) {
      // |coefficients| stay below sqrt(2); the limit is 2^(bits - 2).
      if (std::log2(scale) + 3 >= level->total_coeff_modulus_bit_count()) continue;
      Plaintext plain;
      encoder_.encode(slots, level->parms_id(), scale, plain);
      EXPECT_EQ(plain.parms_id(), level->parms_id());
      Slots back;
      encoder_.decode(plain, back);
      const double bound = noise.encoding() / scale + 0x1p-48;
      ASSERT_EQ(back.size(), slots.size());
      for (std::size_t j = 0; j < slots.size(); ++j) {
        ASSERT_LE(std::abs(back[j] - slots[j]), bound) << "scale " << scale << ", slot " << j;
      }
    }
  }
}

TEST_F(CKKSEncoderTest, RealVectorsAndShortOnes) {
  const std::vector<double> values{1.5, -2.25, 1e6, -1e-3, 0.0};
  Plaintext plain;
  encoder_.encode(values, 0x1p60, plain);
  std::vector<double> back;
  encoder_.decode(plain, back);
  ASSERT_EQ(back.size(), encoder_.slot_count());
  for (std::size_t j = 0; j < back.size(); ++j) {
    ASSERT_LE(std::abs(back[j] - (j < values.size() ? values[j] : 0.0)), 1e6 * 0x1p-48);
  }
  std::vector<double> into_span(encoder_.slot_count());
  encoder_.decode(plain, std::span<double>(into_span));
  EXPECT_EQ(into_span, back);
  Slots complex(encoder_.slot_count());
  encoder_.decode(plain, std::span<Complex>(complex));
  for (std::size_t j = 0; j < back.size(); ++j) EXPECT_EQ(complex[j].real(), back[j]);
}

TEST_F(CKKSEncoderTest, NoValuesAreZero) {
  Plaintext plain;
  encoder_.encode(std::vector<double>{}, 0x1p30, plain);
  for (const std::int64_t coefficient : coefficients(plain)) EXPECT_EQ(coefficient, 0);
}

TEST_F(CKKSEncoderTest, OneRealValueIsAConstantPolynomial) {
  Plaintext plain;
  for (const double value : {3.0, -2.5, 0.0, 1.0 / 3, -1e-9}) {
    encoder_.encode(value, 0x1.8p33, plain);
    const auto m = coefficients(plain);
    EXPECT_EQ(m[0], std::llround(value * 0x1.8p33));
    for (std::size_t t = 1; t < m.size(); ++t) ASSERT_EQ(m[t], 0);
  }
}

TEST_F(CKKSEncoderTest, OneComplexValueFillsAllSlots) {
  Plaintext plain;
  encoder_.encode(Complex(0.75, -1.5), 0x1p40, plain);
  Slots back;
  encoder_.decode(plain, back);
  for (const Complex& slot : back) ASSERT_LE(std::abs(slot - Complex(0.75, -1.5)), 0x1p-34);
}

TEST_F(CKKSEncoderTest, IntegersAreExact) {
  Plaintext plain;
  for (const std::int64_t value : {0l, 1l, -1l, 123456789l, -(1l << 38)}) {
    encoder_.encode(value, plain);
    EXPECT_EQ(plain.scale(), 1.0);
    const auto m = coefficients(plain);
    EXPECT_EQ(m[0], value);
    for (std::size_t t = 1; t < m.size(); ++t) ASSERT_EQ(m[t], 0);
  }
  // Past the smallest prime, in all limbs together.
  const std::int64_t large = std::numeric_limits<std::int64_t>::min();
  encoder_.encode(large, plain);
  std::vector<double> back;
  encoder_.decode(plain, back);
  for (const double slot : back) ASSERT_EQ(slot, static_cast<double>(large));
}

TEST_F(CKKSEncoderTest, OverloadsChooseAsInSeal) {
  Plaintext plain;
  encoder_.encode(3, 0x1p20, plain);
  EXPECT_EQ(plain.scale(), 0x1p20);
  encoder_.encode(std::size_t{7}, plain);
  EXPECT_EQ(plain.scale(), 1.0);
  EXPECT_EQ(coefficients(plain)[0], 7);
}

TEST_F(CKKSEncoderTest, PlaintextsAreReusedAtAnyLevel) {
  const Slots slots = test::random_slots(encoder_.slot_count(), rng_);
  Plaintext reused;
  encoder_.encode(slots, 0x1p40, reused);
  encoder_.encode(1.0, context_.last_parms_id(), 0x1p20, reused);
  EXPECT_EQ(reused.ntt_view().limb_count, 1u);
  encoder_.encode(slots, 0x1p40, reused);
  encoder_.encode(slots, 0x1p40, reused);
  Plaintext fresh;
  encoder_.encode(slots, 0x1p40, fresh);
  EXPECT_EQ(test::Snapshot(reused), test::Snapshot(fresh));
}

TEST_F(CKKSEncoderTest, ScalesAndValuesOfAnySize) {
  // 20 primes of 60 bits: the modulus is past the range of doubles.
  const Context context = test::toy_context(16, std::vector<int>(20, 60));
  const CKKSEncoder encoder(context);
  struct Case {
    double value;
    double scale;
  };
  for (const auto& [value, scale] : {Case{1e300, 0x1p40}, Case{-1.25, 0x1.7p1000},
                                     Case{0x1p-880, 0x1p1000}, Case{1e250, 0x1p200}}) {
    Plaintext plain;
    std::vector<double> back;
    encoder.encode(std::vector<double>{value, -value}, scale, plain);
    encoder.decode(plain, back);
    ASSERT_LE(std::abs(back[0] - value), std::abs(value) * 0x1p-48) << value << " " << scale;
    ASSERT_LE(std::abs(back[1] + value), std::abs(value) * 0x1p-48) << value << " " << scale;
    encoder.encode(value, scale, plain);
    encoder.decode(plain, back);
    for (const double slot : back) {
      ASSERT_LE(std::abs(slot - value), std::abs(value) * 0x1p-48) << value << " " << scale;
    }
  }
}

TEST_F(CKKSEncoderTest, SmallestDegrees) {
  for (const std::size_t degree : {2, 4, 8}) {
    const Context context = test::toy_context(degree, {50, 50});
    const CKKSEncoder encoder(context);
    ASSERT_EQ(encoder.slot_count(), degree / 2);
    const Slots slots = test::random_slots(degree / 2, rng_);
    Plaintext plain;
    Slots back;
    encoder.encode(slots, 0x1p40, plain);
    encoder.decode(plain, back);
    for (std::size_t j = 0; j < slots.size(); ++j) {
      EXPECT_LE(std::abs(back[j] - slots[j]), static_cast<double>(degree) * 0x1p-41);
    }
  }
}

TEST(CKKSEncoderPrecision, RealParameters) {
  for (const std::size_t degree : {8192, 16384, 32768}) {
    const Context context(test::ckks(degree, std::vector<int>{60, 40, 40, 60}));
    const CKKSEncoder encoder(context);
    auto rng = test::make_rng(degree);
    const Slots slots = test::random_slots(encoder.slot_count(), rng);
    Plaintext plain;
    Slots back;
    encoder.encode(slots, 0x1p100, plain);
    encoder.decode(plain, back);
    double error = 0;
    for (std::size_t j = 0; j < slots.size(); ++j) {
      error = std::max(error, std::abs(back[j] - slots[j]));
    }
    EXPECT_LE(error, 0x1p-48) << "degree " << degree;
    std::printf("round trip at N = %zu, scale 2^100: largest error 2^%.2f\n", degree,
                std::log2(error));
  }
}

}  // namespace
}  // namespace ringlet::test
