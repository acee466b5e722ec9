// SPDX-License-Identifier: Apache-2.0
#include "schemes/ckks/special_fft.hpp"

#include "support/test.hpp"
#include "support/values.hpp"

namespace ringlet::ckks {
namespace {

using Complex = std::complex<double>;
using LongComplex = std::complex<long double>;

std::vector<Complex> random_slots(std::size_t count, std::mt19937_64& rng) {
  std::uniform_real_distribution<double> distribution(-1.0, 1.0);
  std::vector<Complex> slots(count);
  for (auto& slot : slots) slot = {distribution(rng), distribution(rng)};
  return slots;
}

// Slot j by the definition, in extended precision, Horner's rule at zeta^(3^j).
std::vector<LongComplex> slots_by_definition(const std::vector<double>& coefficients) {
  const std::size_t degree = coefficients.size();
  std::vector<LongComplex> slots(degree / 2);
  std::uint64_t exponent = 1;
  for (auto& slot : slots) {
    const long double angle = std::numbers::pi_v<long double> * static_cast<long double>(exponent) /
                              static_cast<long double>(degree);
    const LongComplex point{std::cos(angle), std::sin(angle)};
    for (std::size_t t = degree; t-- > 0;) slot = slot * point + LongComplex(coefficients[t]);
    exponent = 3 * exponent % (2 * degree);
  }
  return slots;
}

long double largest(const std::vector<LongComplex>& values) {
  long double result = 0;
  for (const auto& value : values) result = std::max(result, std::abs(value));
  return result;
}

class SpecialFftTest : public ::testing::TestWithParam<std::size_t> {};

TEST_P(SpecialFftTest, PointsAreTheDefinition) {
  const std::size_t degree = GetParam();
  auto rng = test::make_rng();
  std::uniform_real_distribution<double> distribution(-1.0, 1.0);
  std::vector<double> coefficients(degree);
  for (auto& coefficient : coefficients) coefficient = distribution(rng);

  const SpecialFft fft(degree);
  std::vector<double> buffer = coefficients;
  fft.coefficients_to_points(buffer);
  std::vector<Complex> slots(degree / 2);
  fft.gather(slots, buffer);

  const auto expected = slots_by_definition(coefficients);
  const long double bound = std::ldexp(largest(expected), -49);
  for (std::size_t j = 0; j < slots.size(); ++j) {
    ASSERT_LE(std::abs(LongComplex(slots[j]) - expected[j]), bound) << "slot " << j;
  }
  std::vector<double> real(degree / 2);
  fft.gather(real, buffer);
  for (std::size_t j = 0; j < slots.size(); ++j) ASSERT_EQ(real[j], slots[j].real());
}

TEST_P(SpecialFftTest, CoefficientsTakeTheSlotsByTheDefinition) {
  const std::size_t degree = GetParam();
  auto rng = test::make_rng();
  const std::vector<Complex> slots = random_slots(degree / 2, rng);
  const SpecialFft fft(degree);
  std::vector<double> buffer(degree);
  fft.scatter(buffer, slots, 2.0 / static_cast<double>(degree));
  fft.points_to_coefficients(buffer);
  const auto back = slots_by_definition(buffer);
  for (std::size_t j = 0; j < slots.size(); ++j) {
    ASSERT_LE(std::abs(back[j] - LongComplex(slots[j])), 0x1p-48L) << "slot " << j;
  }
}

INSTANTIATE_TEST_SUITE_P(Degrees, SpecialFftTest,
                         ::testing::Values(2, 4, 8, 16, 32, 64, 128, 512, 1024, 2048));

TEST(SpecialFft, RoundTripKeeps48Bits) {
  auto rng = test::make_rng();
  for (std::size_t degree = 2; degree <= 131072; degree *= 2) {
    const std::vector<Complex> slots = random_slots(degree / 2, rng);
    const SpecialFft fft(degree);
    std::vector<double> buffer(degree);
    fft.scatter(buffer, slots, 1.0);
    fft.points_to_coefficients(buffer);
    for (auto& value : buffer) value *= 2.0 / static_cast<double>(degree);
    fft.coefficients_to_points(buffer);
    std::vector<Complex> back(degree / 2);
    fft.gather(back, buffer);
    double error = 0;
    for (std::size_t j = 0; j < slots.size(); ++j) {
      error = std::max(error, std::abs(back[j] - slots[j]));
    }
    EXPECT_LE(error, 0x1p-48) << "degree " << degree;
    if (degree == 8192) RecordProperty("log2_error_8192", std::to_string(std::log2(error)));
  }
}

TEST(SpecialFft, MissingSlotsAreZero) {
  const SpecialFft fft(64);
  std::vector<double> buffer(64, 7.0);
  fft.scatter(buffer, std::vector<double>{1.5, -2.0, 3.0}, 2.0);
  std::vector<Complex> slots(32);
  fft.gather(slots, buffer);
  const std::vector<double> expected{3.0, -4.0, 6.0};
  for (std::size_t j = 0; j < slots.size(); ++j) {
    EXPECT_EQ(slots[j], Complex(j < 3 ? expected[j] : 0.0, 0.0)) << "slot " << j;
  }
}

TEST(SpecialFft, RealSlotsAgreeWithComplexOnes) {
  auto rng = test::make_rng();
  std::uniform_real_distribution<double> distribution(-1.0, 1.0);
  std::vector<double> real(128);
  for (auto& value : real) value = distribution(rng);
  const std::vector<Complex> complex(real.begin(), real.end());
  const SpecialFft fft(256);
  std::vector<double> from_real(256);
  std::vector<double> from_complex(256);
  fft.scatter(from_real, real, 0.5);
  fft.scatter(from_complex, complex, 0.5);
  for (std::size_t t = 0; t < 256; ++t) ASSERT_EQ(from_real[t], from_complex[t]);
}

}  // namespace
}  // namespace ringlet::ckks
