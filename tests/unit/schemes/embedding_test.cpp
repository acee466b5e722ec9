// SPDX-License-Identifier: Apache-2.0
// The embedding of CKKS, its rounding and its inverse from residues, compared with definitions; and
// every kernel of these, bit for bit, with scalar64.

#include <cfloat>
#include <climits>

#include "ringlet/arith/primes.hpp"
#include "schemes/ckks/centred_crt.hpp"
#include "schemes/ckks/rounding.hpp"
#include "schemes/ckks/special_fft.hpp"
#include "support/reference/big_integer.hpp"
#include "support/slots.hpp"
#include "support/values.hpp"

namespace ringlet::ckks {
namespace {

using LongComplex = std::complex<long double>;
using test::Complex;
using test::Integer;
using test::random_slots;
using test::slots_by_definition;

constexpr const char* kPortable = "scalar64/special-fft";
constexpr int kAnyLogDegree = 30;

// The "table/algorithm" of each kernel that this processor runs.
std::vector<std::string> kernels_here() {
  std::vector<std::string> names;
  for (const KernelInfo& kernel : kernel_catalog()) {
    if (kernel.operation != "embedding") continue;
    const std::string name = kernel.table + "/" + kernel.algorithm;
    if (!kernel.available) {
      std::printf("skipped: this processor does not run %s\n", name.c_str());
    } else if (std::ranges::find(names, name) == names.end()) {
      names.push_back(name);
    }
  }
  return names;
}

EmbeddingChoice choice(const std::string& name) {
  return kernels::choose_embedding(kAnyLogDegree, KernelSelection(name));
}

std::vector<std::uint64_t> bits_of(const std::vector<double>& values) {
  std::vector<std::uint64_t> bits;
  for (const double value : values) bits.push_back(std::bit_cast<std::uint64_t>(value));
  return bits;
}

// Slots of many sizes, with zeros and numbers that count as zero.
std::vector<Complex> mixed_slots(std::size_t count, std::mt19937_64& rng) {
  std::uniform_real_distribution<double> fraction(-1.0, 1.0);
  std::uniform_int_distribution<int> exponent(-30, 30);
  std::vector<Complex> slots(count);
  const auto number = [&] { return std::ldexp(fraction(rng), exponent(rng)); };
  for (auto& slot : slots) slot = {number(), number()};
  for (const double special : {0.0, -0.0, 0x1p-901, -0x1.8p-901, 0x1p-900, -0x1p-1074}) {
    slots[rng() % count] = {special, number()};
    slots[rng() % count] = {number(), special};
  }
  return slots;
}

std::vector<double> random_numbers(std::size_t count, std::mt19937_64& rng) {
  std::uniform_real_distribution<double> distribution(-1.0, 1.0);
  std::vector<double> numbers(count);
  for (auto& number : numbers) number = distribution(rng);
  return numbers;
}

TEST(SpecialFft, IsTheDefinitionBothWays) {
  auto rng = test::make_rng();
  for (const std::size_t degree : {2, 4, 8, 16, 32, 64, 128, 512, 1024, 2048}) {
    SCOPED_TRACE(degree);
    const SpecialFft fft(degree);
    std::vector<double> buffer = random_numbers(degree, rng);
    const auto expected = slots_by_definition(buffer);
    fft.coefficients_to_points(buffer);
    std::vector<Complex> slots(degree / 2);
    fft.gather(slots, buffer);
    long double largest = 0;
    for (const auto& slot : expected) largest = std::max(largest, std::abs(slot));
    for (std::size_t j = 0; j < slots.size(); ++j) {
      ASSERT_LE(std::abs(LongComplex(slots[j]) - expected[j]), largest * 0x1p-49L) << "slot " << j;
    }
    slots = random_slots(degree / 2, rng);
    fft.scatter(buffer, slots, 2.0 / static_cast<double>(degree));
    fft.points_to_coefficients(buffer);
    const auto back = slots_by_definition(buffer);
    for (std::size_t j = 0; j < slots.size(); ++j) {
      ASSERT_LE(std::abs(back[j] - LongComplex(slots[j])), 0x1p-48L) << "slot " << j;
    }
  }
}

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
    EXPECT_LE(test::largest_difference(back, slots), 0x1p-48) << "degree " << degree;
  }
}

class EmbeddingKernels : public ::testing::TestWithParam<std::string> {};

TEST_P(EmbeddingKernels, TransformsHaveTheBitsOfThePortableOnes) {
  auto rng = test::make_rng();
  for (std::size_t degree = 2; degree <= 65536; degree *= 2) {
    const SpecialFft fft(degree, KernelSelection(GetParam()));
    const SpecialFft portable(degree, KernelSelection(kPortable));
    const std::vector<Complex> all = mixed_slots(degree / 2, rng);
    for (const std::size_t count : {degree / 2, degree / 2 - degree / 8, std::size_t{1}}) {
      const std::span<const Complex> slots(all.data(), count);
      std::vector<double> actual(degree, 7.0);
      std::vector<double> expected(degree);
      fft.scatter(actual, slots, 0x1.23456789p-3);
      portable.scatter(expected, slots, 0x1.23456789p-3);
      std::vector<Complex> back(degree / 2);
      std::vector<Complex> expected_back(degree / 2);
      fft.gather(back, actual);
      portable.gather(expected_back, expected);
      ASSERT_EQ(back, expected_back) << "degree " << degree << ", " << count;
      fft.points_to_coefficients(actual);
      portable.points_to_coefficients(expected);
      ASSERT_EQ(bits_of(actual), bits_of(expected)) << "degree " << degree << ", " << count;
      fft.coefficients_to_points(actual);
      portable.coefficients_to_points(expected);
      fft.gather(back, actual);
      portable.gather(expected_back, expected);
      ASSERT_EQ(back, expected_back) << "degree " << degree;
      std::vector<double> real(degree / 2);
      fft.gather(real, actual);
      for (std::size_t j = 0; j < real.size(); ++j) ASSERT_EQ(real[j], back[j].real());
    }
  }
}

TEST_P(EmbeddingKernels, RealSlotsOfAnyNumber) {
  auto rng = test::make_rng();
  for (const std::size_t degree : {4, 64, 4096, 32768}) {
    const SpecialFft fft(degree, KernelSelection(GetParam()));
    for (const std::size_t count : {degree / 2, degree / 2 - 1, degree / 8 + 1, std::size_t{0}}) {
      std::vector<double> real(count);
      for (auto& value : real) value = static_cast<double>(rng()) * 0x1p-40;
      std::vector<double> buffer(degree, 7.0);
      fft.scatter(buffer, real, 0.5);
      std::vector<Complex> slots(degree / 2);
      fft.gather(slots, buffer);
      for (std::size_t j = 0; j < slots.size(); ++j) {
        ASSERT_EQ(slots[j], Complex(j < count ? real[j] / 2 : 0.0)) << "slot " << j;
      }
    }
  }
}

TEST_P(EmbeddingKernels, LargestMagnitude) {
  auto rng = test::make_rng();
  const EmbeddingChoice kernel = choice(GetParam());
  for (std::size_t count = 0; count < 100; ++count) {
    std::vector<double> values(count);
    std::uint64_t expected = 0;
    for (auto& value : values) {
      value = std::bit_cast<double>(rng());
      expected = std::max(expected, std::bit_cast<std::uint64_t>(value) << 1 >> 1);
    }
    ASSERT_EQ(kernel.kernel->largest(values.data(), count), expected) << count << " values";
  }
}

TEST_P(EmbeddingKernels, RoundingGoesAwayFromZero) {
  auto rng = test::make_rng();
  const EmbeddingChoice kernel = choice(GetParam());
  for (const int shift : {-1000, -53, -1, 0, 1, 9, 40, 62, 500, 1074}) {
    std::vector<double> values{0.0, -0.0};
    const auto add = [&](double scaled) {
      const double value = std::ldexp(scaled, -shift);
      if (std::ldexp(value, shift) == scaled) values.insert(values.end(), {value, -value});
    };
    for (int power = -60; power <= 61; ++power) {
      const double x = std::ldexp(1.0, power);
      for (const double y : {x, std::nextafter(x, 0.0), std::nextafter(x, 0x1p62), 1.5 * x}) add(y);
    }
    add(0x1p62);
    for (int i = 0; i < 500; ++i) add(std::ldexp(static_cast<double>(rng() >> 11), i % 63 - 54));
    std::vector<std::uint64_t> integers(values.size());
    kernel.kernel->round(integers.data(), values.data(), values.size(), shift);
    for (std::size_t i = 0; i < values.size(); ++i) {
      // long double is exact here: it has 64 bits and a wide exponent.
      const long double exact = std::ldexp(static_cast<long double>(values[i]), shift);
      ASSERT_EQ(static_cast<std::int64_t>(integers[i]), std::llround(exact))
          << std::hexfloat << values[i] << " * 2^" << std::dec << shift;
    }
  }
}

TEST_P(EmbeddingKernels, ResiduesOfSignedWords) {
  auto rng = test::make_rng();
  const EmbeddingChoice kernel = choice(GetParam());
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  std::vector<std::uint64_t> moduli{2, 3, 40961, (1ull << 61) - 1};
  for (const int bits : {14, 20, 50, 51, 60}) {
    for (const int d : {-1, 0, 1}) moduli.push_back((1ull << bits) + static_cast<unsigned>(d));
  }
  const auto neighbours = test::neighbours_of_powers(7, 60, rng);
  moduli.insert(moduli.end(), neighbours.begin(), neighbours.end());
  for (const std::uint64_t q : moduli) {
    std::vector<std::int64_t> values{0, kMost, -kMost, kMost - 1, 1 - kMost};
    const auto signed_q = static_cast<std::int64_t>(q);
    for (const std::int64_t k : {std::int64_t{1}, kMost / signed_q, kMost / signed_q / 2}) {
      for (const std::int64_t d : {-1, 0, 1}) {
        if (k * signed_q > kMost - 1) continue;
        values.insert(values.end(), {k * signed_q + d, -k * signed_q + d});
        values.insert(values.end(), {k * signed_q - signed_q / 2 + d, signed_q / 2 + d});
      }
    }
    while (values.size() < 203) {
      values.push_back(static_cast<std::int64_t>(rng()) >> (1 + rng() % 62));
    }
    std::vector<std::uint64_t> words(values.begin(), values.end());
    const BarrettRatio ratio = Modulus(q).ratio();
    std::vector<std::uint64_t> residues(words.size());
    kernel.kernel->reduce(residues.data(), words.data(), words.size(), q, ratio);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::int64_t rest = values[i] % signed_q;
      ASSERT_EQ(residues[i], static_cast<std::uint64_t>(rest < 0 ? rest + signed_q : rest))
          << values[i] << " mod " << q;
    }
    kernel.kernel->reduce(words.data(), words.data(), words.size(), q, ratio);
    EXPECT_EQ(words, residues);
  }
}

// Distinct primes of these sizes.
std::vector<Modulus> primes_of(const std::vector<int>& bit_sizes) {
  std::vector<Modulus> primes;
  for (const int bits : bit_sizes) {
    for (const Modulus& candidate : generate_ntt_primes(bits, 64, bit_sizes.size())) {
      if (std::ranges::find(primes, candidate) != primes.end()) continue;
      primes.push_back(candidate);
      break;
    }
  }
  return primes;
}

/// Integers over the first `used` primes of these sizes; 0 means all primes.
struct CentredCase {
  std::vector<int> bit_sizes;
  double scale;
  std::size_t used = 0;
};

void expect_centred(const std::string& name, const CentredCase& one, std::size_t count) {
  const std::vector<Modulus> primes = primes_of(one.bit_sizes);
  ASSERT_EQ(primes.size(), one.bit_sizes.size());
  const std::size_t used = one.used == 0 ? primes.size() : one.used;
  SCOPED_TRACE(::testing::Message() << count << " values, " << used << " primes");
  // The table has more primes than are used, because levels are prefixes.
  const CentredCrt crt(primes, KernelSelection(name));
  const CentredCrt portable(primes, KernelSelection(kPortable));
  const auto backend = make_cpu_backend(RnsBasis(64, primes));
  auto rng = test::make_rng(count);
  Integer modulus(1);
  for (std::size_t i = 0; i < used; ++i) modulus = modulus * Integer(primes[i].value());
  const Integer half = modulus >> 1;
  const std::size_t stride = count + 3;
  std::vector<std::uint64_t> residues(used * stride);
  std::vector<double> expected(count);
  for (std::size_t t = 0; t < count; ++t) {
    // Signed integers: the ends of the range, 0 and its neighbours, then integers of every size.
    Integer x = test::random_integer(half, rng) >>
                static_cast<int>(rng() % mpz_sizeinbase(modulus.get(), 2));
    if (t % 16 < 3) x = Integer(t % 16);
    if (t % 16 == 3) x = half;
    if (t % 16 == 4) x = half - Integer(1);
    if (rng() % 2 == 0) x = -x;
    for (std::size_t i = 0; i < used; ++i) {
      residues[i * stride + t] = x.residue(primes[i].value());
    }
    long exponent = 0;
    const double fraction = mpz_get_d_2exp(&exponent, x.get());
    int scale_exponent = 0;
    const double scale_fraction = std::frexp(one.scale, &scale_exponent);
    expected[t] =
        std::ldexp(fraction / scale_fraction, static_cast<int>(exponent) - scale_exponent);
  }
  const ConstCoeffView view{residues.data(), count, used, stride};
  std::vector<double> actual(count);
  std::vector<double> of_portable(count);
  crt.to_real(*backend, actual, view, one.scale);
  portable.to_real(*backend, of_portable, view, one.scale);
  EXPECT_EQ(bits_of(actual), bits_of(of_portable));
  for (std::size_t t = 0; t < count; ++t) {
    ASSERT_LE(std::abs(actual[t] - expected[t]), std::abs(expected[t]) * 0x1p-50) << "value " << t;
  }
}

TEST_P(EmbeddingKernels, CentredIntegersOfPrimesOfEverySize) {
  std::vector<CentredCase> cases{{{30}, 1.0},
                                 {{14, 15, 16}, 0x1p-3},
                                 {{15, 50, 49, 20, 50}, 0x1.23456789p40},
                                 {{50, 51, 40}, 0x1p40},
                                 {{60, 40, 40, 60}, 0x1.23456789p40},
                                 {std::vector<int>(18, 49), 0x1.5p40},
                                 {std::vector<int>(32, 61), 0x1.5p1000}};
  for (std::size_t used = 1; used <= 9; ++used) {
    cases.push_back({{20, 61, 25, 50, 49, 30, 52, 61, 58}, 0x1p-20, used});
  }
  for (const std::size_t count : {1, 7, 8, 9, 63, 64, 65, 200}) {
    for (const CentredCase& one : cases) expect_centred(GetParam(), one, count);
  }
  for (std::size_t used = 1; used <= 20; ++used) {
    expect_centred(GetParam(), {std::vector<int>(20, 60), 0x1.5p300, used}, 64);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, EmbeddingKernels, ::testing::ValuesIn(kernels_here()),
                         [](const auto& kernel) {
                           std::string name = kernel.param;
                           std::ranges::replace_if(
                               name, [](char c) { return c == '/' || c == '-'; }, '_');
                           return name;
                         });

// value * 2^shift rounded to an integer, halves away from zero, modulo q, by GMP.
std::uint64_t rounded_residue(double value, int shift, std::uint64_t q) {
  int exponent = 0;
  const double fraction = std::frexp(std::abs(value), &exponent);
  const Integer digits(static_cast<std::uint64_t>(std::ldexp(fraction, 53)));
  const int power = exponent - 53 + shift;
  const Integer rounded =
      power >= 0 ? digits << power : (digits + (Integer(1) << (-power - 1))) >> -power;
  return (value < 0 ? -rounded : rounded).residue(q);
}

void expect_exact(const std::vector<double>& values, int shift) {
  const RoundedIntegers integers(values, shift, ceil_log2_of_largest(values, shift));
  std::vector<std::uint64_t> residues(values.size());
  for (const std::uint64_t q : {3ull, 40961ull, 1099510054913ull, 1152921504606830593ull}) {
    integers.reduce(residues, Modulus(q));
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(residues[i], rounded_residue(values[i], shift, q))
          << std::hexfloat << values[i] << " * 2^" << std::dec << shift << " mod " << q;
    }
  }
}

TEST(RoundedIntegers, EdgesOfWordsAndOfDoubles) {
  std::vector<double> values{0.0, -0.0, DBL_MIN, DBL_TRUE_MIN, -DBL_MIN, 2.5};
  for (const int power : {-60, -55, -54, -53, -2, -1, 0, 1, 52, 53, 54, 62, 63, 64, 65}) {
    const double x = std::ldexp(1.0, power);
    values.insert(values.end(),
                  {x, -x, 1.5 * x, -1.5 * x, std::nextafter(x, 0.0), std::nextafter(x, 1e300)});
  }
  for (const int shift : {0, 1, -1, 7, 63, 64, -64, 127, 1000}) expect_exact(values, shift);
}

TEST(RoundedIntegers, RandomValuesOfEverySize) {
  auto rng = test::make_rng();
  std::uniform_real_distribution<double> fraction(-1.0, 1.0);
  std::uniform_int_distribution<int> exponent(-80, 1023);
  std::uniform_int_distribution<int> shift(-500, 700);
  for (int round = 0; round < 40; ++round) {
    std::vector<double> values(25);
    for (auto& value : values) value = std::ldexp(fraction(rng), exponent(rng));
    expect_exact(values, shift(rng));
  }
}

TEST(RoundedIntegers, OneInteger) {
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  const Modulus q(40961);
  const auto residue = [&](std::int64_t value) {
    std::uint64_t result = 0;
    RoundedIntegers(value).reduce({&result, 1}, q);
    return result;
  };
  EXPECT_EQ(residue(0), 0u);
  EXPECT_EQ(residue(-1), 40960u);
  EXPECT_EQ(residue(kMax), static_cast<std::uint64_t>(kMax) % 40961);
  EXPECT_EQ(residue(kMin), 40961 - (std::uint64_t{1} << 63) % 40961);
  EXPECT_EQ(RoundedIntegers(0).ceil_log2(), INT_MIN);
  EXPECT_EQ(RoundedIntegers(1).ceil_log2(), 0);
  EXPECT_EQ(RoundedIntegers(-5).ceil_log2(), 3);
  EXPECT_EQ(RoundedIntegers(8).ceil_log2(), 3);
  EXPECT_EQ(RoundedIntegers(kMin).ceil_log2(), 63);
}

TEST(CeilLog2, IsThatOfTheLargestMagnitude) {
  EXPECT_EQ(ceil_log2_of_largest(std::vector<double>{0.0, -0.0}, 5), INT_MIN);
  EXPECT_EQ(ceil_log2_of_largest(std::vector<double>{1.0, -8.0, 3.0}, 0), 3);
  EXPECT_EQ(ceil_log2_of_largest(std::vector<double>{std::nextafter(8.0, 9.0)}, 2), 6);
  EXPECT_EQ(ceil_log2_of_largest(std::vector<double>{0.25}, 0), -2);
  EXPECT_EQ(ceil_log2_of_largest(std::vector<double>{DBL_TRUE_MIN}, 0), -1074);
}

TEST(AllFinite, FindsEveryKindOfOffence) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(all_finite(std::vector<double>{}));
  EXPECT_TRUE(all_finite(std::vector<double>{0.0, DBL_MAX, -DBL_MAX, DBL_TRUE_MIN}));
  for (const double bad : {infinity, -infinity, std::nan(""), -std::nan("1")}) {
    EXPECT_FALSE(all_finite(std::vector<double>{1.0, bad, 2.0}));
  }
}

}  // namespace
}  // namespace ringlet::ckks
