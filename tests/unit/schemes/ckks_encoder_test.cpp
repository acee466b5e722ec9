// SPDX-License-Identifier: Apache-2.0
#include "ringlet/schemes/ckks_encoder.hpp"

#include <cfloat>

#include "unit/schemes/ckks_support.hpp"

namespace ringlet::test {
namespace {

/// The largest error of slots against `expected`, with zeros after its end.
double largest_error(const CKKSEncoder& encoder, const Plaintext& plain, Slots expected) {
  Slots slots;
  encoder.decode(plain, slots);
  expected.resize(encoder.slot_count());
  return largest_difference(slots, expected);
}

class CKKSEncoderTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kDegree = 64;

  Plaintext encode(const Slots& slots, double scale) const {
    Plaintext plain;
    encoder_.encode(slots, scale, plain);
    return plain;
  }
  // The coefficients of a plaintext whose coefficients fit a signed word.
  std::vector<std::int64_t> coefficients(const Plaintext& plain) const {
    const ContextData& level = *context_.get_context_data(plain.parms_id());
    return small_coefficients(context_, plain.ntt_view(), level.primes());
  }
  void expect_constant(const Plaintext& plain, std::int64_t value) const {
    std::vector<std::int64_t> expected(kDegree);
    expected[0] = value;
    EXPECT_EQ(coefficients(plain), expected);
  }

  Context context_ = toy_context(kDegree, {50, 40, 40, 60});
  CKKSEncoder encoder_{context_};
  std::mt19937_64 rng_ = make_rng();
  Slots slots_ = random_slots(kDegree / 2, rng_);
};

TEST_F(CKKSEncoderTest, SlotsAreValuesAtPowersOfThree) {
  const Plaintext plain = encode(slots_, 0x1p30);
  EXPECT_EQ(plain.parms_id(), context_.first_parms_id());
  EXPECT_EQ(plain.scale(), 0x1p30);
  EXPECT_TRUE(plain.is_ntt_form());
  const auto m = coefficients(plain);
  const auto values = slots_by_definition({m.begin(), m.end()});
  for (std::size_t j = 0; j < slots_.size(); ++j) {
    // Each coefficient has an error of at most 1/2.
    ASSERT_LE(std::abs(values[j] - std::complex<long double>(slots_[j]) * 0x1p30L), kDegree / 2.0L);
  }
}

TEST_F(CKKSEncoderTest, RoundTripAtEveryLevelAndScale) {
  const NoiseBound noise(context_);
  for (auto* level = context_.first_context_data(); level; level = level->next_context_data()) {
    for (const double scale :
         {0x1p10, 0x1p30, 0x1.23456789abcdep35, 0x1p40, 0x1p46, 0x1.9p85, 0x1p120}) {
      // |coefficients| / scale stay below sqrt(2); the limit is 2^(bits - 2).
      if (std::log2(scale) + 3 >= level->total_coeff_modulus_bit_count()) continue;
      Plaintext plain;
      encoder_.encode(slots_, level->parms_id(), scale, plain);
      EXPECT_EQ(plain.parms_id(), level->parms_id());
      EXPECT_LE(largest_error(encoder_, plain, slots_), noise.encoding() / scale + 0x1p-48)
          << "scale " << scale;
    }
  }
}

TEST_F(CKKSEncoderTest, RealVectorsAndShortOnes) {
  const std::vector<double> values{1.5, -2.25, 1e6, -1e-3, 0.0};
  Plaintext plain;
  encoder_.encode(values, 0x1p60, plain);
  EXPECT_LE(largest_error(encoder_, plain, {values.begin(), values.end()}), 1e6 * 0x1p-48);
  std::vector<double> back;
  encoder_.decode(plain, back);
  std::vector<double> into_span(encoder_.slot_count());
  encoder_.decode(plain, std::span<double>(into_span));
  EXPECT_EQ(into_span, back);
  Slots complex(encoder_.slot_count());
  encoder_.decode(plain, std::span<Complex>(complex));
  for (std::size_t j = 0; j < back.size(); ++j) EXPECT_EQ(complex[j].real(), back[j]);
  encoder_.encode(std::vector<double>{}, 0x1p30, plain);
  expect_constant(plain, 0);
}

TEST_F(CKKSEncoderTest, OneNumberFillsAllSlots) {
  Plaintext plain;
  for (const double value : {3.0, -2.5, 0.0, 1.0 / 3, -1e-9}) {
    encoder_.encode(value, 0x1.8p33, plain);
    expect_constant(plain, std::llround(value * 0x1.8p33));
  }
  const Complex number(0.75, -1.5);
  encoder_.encode(number, 0x1p40, plain);
  EXPECT_LE(largest_error(encoder_, plain, Slots(kDegree / 2, number)), 0x1p-34);
}

TEST_F(CKKSEncoderTest, IntegersAreExact) {
  Plaintext plain;
  for (const std::int64_t value : {0l, 1l, -1l, 123456789l, -(1l << 38)}) {
    encoder_.encode(value, plain);
    EXPECT_EQ(plain.scale(), 1.0);
    expect_constant(plain, value);
  }
  // This integer exceeds the smallest prime, but not all primes together.
  const std::int64_t large = std::numeric_limits<std::int64_t>::min();
  encoder_.encode(large, plain);
  EXPECT_EQ(largest_error(encoder_, plain, Slots(kDegree / 2, static_cast<double>(large))), 0);
  // Overload resolution is that of SEAL.
  encoder_.encode(3, 0x1p20, plain);
  EXPECT_EQ(plain.scale(), 0x1p20);
  encoder_.encode(std::size_t{7}, plain);
  EXPECT_EQ(plain.scale(), 1.0);
  expect_constant(plain, 7);
}

TEST_F(CKKSEncoderTest, PlaintextsAreReusedAtAnyLevel) {
  Plaintext reused = encode(slots_, 0x1p40);
  encoder_.encode(1.0, context_.last_parms_id(), 0x1p20, reused);
  EXPECT_EQ(reused.ntt_view().limb_count, 1u);
  for (int repetition = 0; repetition < 2; ++repetition) {
    encoder_.encode(slots_, 0x1p40, reused);
    EXPECT_EQ(Snapshot(reused), Snapshot(encode(slots_, 0x1p40)));
  }
}

TEST_F(CKKSEncoderTest, ScalesAndValuesOfAnySize) {
  // With 20 primes of 60 bits, the modulus exceeds the range of doubles.
  const Context context = toy_context(16, std::vector<int>(20, 60));
  const CKKSEncoder encoder(context);
  for (const auto& [value, scale] :
       {std::pair{1e300, 0x1p40}, {-1.25, 0x1.7p1000}, {0x1p-880, 0x1p1000}, {1e250, 0x1p200}}) {
    SCOPED_TRACE(::testing::Message() << value << " " << scale);
    Plaintext plain;
    encoder.encode(std::vector<double>{value, -value}, scale, plain);
    EXPECT_LE(largest_error(encoder, plain, {value, -value}), std::abs(value) * 0x1p-48);
    encoder.encode(value, scale, plain);
    EXPECT_LE(largest_error(encoder, plain, Slots(8, value)), std::abs(value) * 0x1p-48);
  }
}

TEST(CKKSEncoderPrecision, SmallestDegreesAndRealParameters) {
  const auto expect_error = [](const Context& context, double scale, double bound) {
    const CKKSEncoder encoder(context);
    ASSERT_EQ(encoder.slot_count(), context.ring().degree() / 2);
    auto rng = make_rng(encoder.slot_count());
    const Slots slots = random_slots(encoder.slot_count(), rng);
    Plaintext plain;
    encoder.encode(slots, scale, plain);
    EXPECT_LE(largest_error(encoder, plain, slots), bound) << context.ring().degree();
  };
  for (const std::size_t degree : {2, 4, 8}) {
    expect_error(toy_context(degree, {50, 50}), 0x1p40, static_cast<double>(degree) * 0x1p-41);
  }
  for (const std::size_t degree : {8192, 16384, 32768}) {
    expect_error(Context(ckks(degree, {60, 40, 40, 60})), 0x1p100, 0x1p-48);
  }
}

class CKKSEncoderErrors : public ::testing::Test {
 protected:
  using Parts = std::initializer_list<std::string>;

  CKKSEncoderErrors() { encoder_.encode(1.25, 0x1p30, plain_); }

  // Calls all encoders of a number or a vector: each refuses, and the destination keeps its value.
  void expect_refused(double value, const ParmsId& level, double scale, const Parts& parts) {
    expect_one([&] { encoder_.encode(value, level, scale, plain_); }, parts);
    expect_one([&] { encoder_.encode(Complex(value), level, scale, plain_); }, parts);
    expect_one([&] { encoder_.encode(Complex(0, value), level, scale, plain_); }, parts);
  }
  void expect_refused(const std::vector<double>& values, const ParmsId& level, double scale,
                      const Parts& parts) {
    const Slots real(values.begin(), values.end());
    Slots imaginary;
    for (const double value : values) imaginary.emplace_back(0, value);
    expect_one([&] { encoder_.encode(values, level, scale, plain_); }, parts);
    expect_one([&] { encoder_.encode(real, level, scale, plain_); }, parts);
    expect_one([&] { encoder_.encode(imaginary, level, scale, plain_); }, parts);
  }
  template <typename Call>
  void expect_one(const Call& call, const Parts& parts) {
    const Snapshot before(plain_);
    expect_refusal(call, "CKKSEncoder::encode", parts);
    EXPECT_EQ(Snapshot(plain_), before);
  }

  static constexpr const char* kDecode = "CKKSEncoder::decode";
  Context context_ = toy_context(64, {50, 40, 60});  // 90 bits at the first level
  Context other_ = toy_context(64, {50, 41, 60});
  CKKSEncoder encoder_{context_};
  const ParmsId& first_ = context_.first_parms_id();
  const ParmsId& last_ = context_.last_parms_id();
  Plaintext plain_;
};

TEST_F(CKKSEncoderErrors, LevelsCountsAndNumbers) {
  const std::vector<double> one{1.0};
  for (const ParmsId& bad : {kParmsIdZero, other_.first_parms_id(), context_.key_parms_id()}) {
    const std::string part = bad == context_.key_parms_id() ? "key level" : "not a level";
    expect_refused(one, bad, 0x1p30, {part});
    expect_refused(1.0, bad, 0x1p30, {part});
    expect_one([&] { encoder_.encode(std::int64_t{1}, bad, plain_); }, {part});
  }
  expect_refused(std::vector<double>(33, 1.0), first_, 0x1p30, {"33", "32"});
  for (const double bad : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    std::vector<double> values(32, 1.0);
    values[17] = bad;
    expect_refused(values, first_, 0x1p30, {"value 17", "finite"});
    expect_refused(bad, first_, 0x1p30, {"finite"});
  }
  for (const double bad :
       {0.0, -0.0, -1.0, -0x1p40, std::nan(""), HUGE_VAL, -HUGE_VAL, DBL_TRUE_MIN, DBL_MIN / 2}) {
    expect_refused(one, first_, bad, {"scale", "normal"});
    expect_refused(1.0, first_, bad, {"scale", "normal"});
  }
}

TEST_F(CKKSEncoderErrors, ScalesAndValuesPastTheModulus) {
  const std::vector<double> none;
  const Parts parts{"2^89", "90 bits"};
  encoder_.encode(none, std::nextafter(0x1p89, 0.0), plain_);
  encoder_.encode(0.0, std::nextafter(0x1p89, 0.0), plain_);
  expect_refused(none, first_, 0x1p89, parts);
  expect_refused(0.0, first_, 0x1p89, parts);
  expect_refused(none, first_, DBL_MAX, {"90 bits"});
  encoder_.encode(none, last_, 0x1p48, plain_);
  expect_refused(none, last_, 0x1p49, {"50 bits"});
  // A coefficient must be below 2^(90 - 2); that of a constant is its value times the scale.
  encoder_.encode(0x1p48, 0x1p40, plain_);
  encoder_.encode(-0x1p48, 0x1p40, plain_);
  const double above = std::nextafter(0x1p48, 0x1p49);
  for (const double bad : {above, -above, 0x1p60, DBL_MAX}) {
    expect_one([&] { encoder_.encode(bad, 0x1p40, plain_); }, {"2^88", "90 bits"});
  }
  expect_refused(0x1p50, first_, 0x1p40, {"2^88", "90 bits"});
  encoder_.encode(std::vector<double>(32, 0x1p47), 0x1p40, plain_);
  const std::vector<double> large(32, 0x1.1p48);
  expect_one([&] { encoder_.encode(large, 0x1p40, plain_); }, {"2^88", "90 bits"});
  expect_one([&] { encoder_.encode(Slots(32, 0x1.1p48), 0x1p40, plain_); }, {"2^88", "90 bits"});
  expect_refused(std::vector<double>(32, DBL_MAX), first_, 0x1p88, {"90 bits"});
  // Integers at the last level, which has 50 bits.
  encoder_.encode(std::int64_t{1} << 48, last_, plain_);
  for (const std::int64_t bad : {(std::int64_t{1} << 48) + 1, -(std::int64_t{1} << 48) - 1,
                                 std::numeric_limits<std::int64_t>::min()}) {
    expect_one([&] { encoder_.encode(bad, last_, plain_); }, {"2^48", "50 bits"});
  }
}

TEST_F(CKKSEncoderErrors, Decoding) {
  const auto expect_decode_refuses = [&](const Plaintext& plain, std::size_t length,
                                         const std::string& part, bool refuses_all = true) {
    const Snapshot before(plain);
    const auto expect_kept = [&](const auto& value) {
      std::vector values(length, value);
      expect_refusal([&] { encoder_.decode(plain, std::span(values)); }, kDecode, {part});
      EXPECT_EQ(values, std::vector(length, value));
      if (!refuses_all) return;  // vectors get another length after all checks
      values.resize(1);
      expect_refusal([&] { encoder_.decode(plain, values); }, kDecode, {part});
      EXPECT_EQ(values, std::vector(1, value));
    };
    expect_kept(7.0);
    expect_kept(Complex(7.0));
    EXPECT_EQ(Snapshot(plain), before);
  };
  expect_decode_refuses(Plaintext(), 32, "empty");
  expect_decode_refuses(Plaintext(*other_.first_context_data()), 32, "not a level");
  expect_decode_refuses(Plaintext(*context_.key_context_data()), 32, "key level");
  expect_decode_refuses(Plaintext(64), 32, "form");
  for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL, DBL_TRUE_MIN, 0x1p90}) {
    Plaintext plain = plain_;
    plain.scale() = bad;
    expect_decode_refuses(plain, 32, "scale");
  }
  for (const std::size_t length : {0, 31, 33, 64}) {
    expect_decode_refuses(plain_, length, "32", false);
  }
}

}  // namespace
}  // namespace ringlet::test
