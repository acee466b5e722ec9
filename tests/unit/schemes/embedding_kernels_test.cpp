// SPDX-License-Identifier: Apache-2.0
// Every kernel of the embedding against definitions and, bit for bit, against scalar64.

#include "ringlet/backend.hpp"
#include "ringlet/primes.hpp"
#include "schemes/ckks/centred_crt.hpp"
#include "schemes/ckks/rounding.hpp"
#include "schemes/ckks/special_fft.hpp"
#include "support/big_integer.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

namespace ringlet::ckks {
namespace {

using Complex = std::complex<double>;
using test::Integer;

constexpr const char* kPortable = "scalar64/special-fft";
constexpr int kAnyLogDegree = 30;

// "table/algorithm" of each kernel that this processor runs.
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

// Of many sizes, among them zeros and what counts as zero.
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

TEST_P(EmbeddingKernels, TransformsAreTheDefinition) {
  constexpr std::size_t kDegree = 512;
  auto rng = test::make_rng();
  std::uniform_real_distribution<double> distribution(-1.0, 1.0);
  std::vector<double> coefficients(kDegree);
  for (auto& coefficient : coefficients) coefficient = distribution(rng);
  const SpecialFft fft(kDegree, KernelSelection(GetParam()));
  std::vector<double> buffer = coefficients;
  fft.coefficients_to_points(buffer);
  std::vector<Complex> slots(kDegree / 2);
  fft.gather(slots, buffer);
  std::uint64_t power = 1;
  for (std::size_t j = 0; j < slots.size(); ++j, power = 3 * power % (2 * kDegree)) {
    const long double angle = std::numbers::pi_v<long double> * static_cast<long double>(power) /
                              static_cast<long double>(kDegree);
    const std::complex<long double> point{std::cos(angle), std::sin(angle)};
    std::complex<long double> sum = 0;
    for (std::size_t t = kDegree; t-- > 0;) {
      sum = sum * point + static_cast<long double>(coefficients[t]);
    }
    ASSERT_LE(std::abs(std::complex<long double>(slots[j]) - sum), 0x1p-44L) << "slot " << j;
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
      // Exact: extended numbers have 64 bits and a wide exponent.
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

void expect_centred(const std::string& name, const std::vector<int>& bit_sizes, std::size_t count,
                    double scale) {
  const std::vector<Modulus> primes = primes_of(bit_sizes);
  ASSERT_EQ(primes.size(), bit_sizes.size());
  const CentredCrt crt(primes, KernelSelection(name));
  const CentredCrt portable(primes, KernelSelection(kPortable));
  const auto backend = make_cpu_backend(RnsBasis(64, primes));
  auto rng = test::make_rng(count);
  Integer modulus(1);
  for (const Modulus& q : primes) mpz_mul_ui(modulus.get(), modulus.get(), q.value());
  Integer half;
  mpz_fdiv_q_2exp(half.get(), modulus.get(), 1);
  const std::size_t stride = count + 3;
  std::vector<std::uint64_t> residues(primes.size() * stride);
  std::vector<double> expected(count);
  for (std::size_t t = 0; t < count; ++t) {
    // Signed: the ends of the range, 0 and its neighbours, then integers of every size.
    Integer x;
    for (std::size_t w = 0; w <= primes.size(); ++w) {
      mpz_mul_2exp(x.get(), x.get(), 64);
      mpz_add_ui(x.get(), x.get(), rng());
    }
    mpz_fdiv_r(x.get(), x.get(), half.get());
    mpz_fdiv_q_2exp(x.get(), x.get(), rng() % mpz_sizeinbase(modulus.get(), 2));
    if (t % 16 < 3) mpz_set_ui(x.get(), t % 16);
    if (t % 16 == 3) mpz_set(x.get(), half.get());
    if (t % 16 == 4) mpz_sub_ui(x.get(), half.get(), 1);
    if (rng() % 2 == 0) mpz_neg(x.get(), x.get());
    for (std::size_t i = 0; i < primes.size(); ++i) {
      residues[i * stride + t] = x.residue(primes[i].value());
    }
    long exponent = 0;
    const double fraction = mpz_get_d_2exp(&exponent, x.get());
    int scale_exponent = 0;
    const double scale_fraction = std::frexp(scale, &scale_exponent);
    expected[t] =
        std::ldexp(fraction / scale_fraction, static_cast<int>(exponent) - scale_exponent);
  }
  const ConstCoeffView view{residues.data(), count, primes.size(), stride};
  std::vector<double> actual(count);
  std::vector<double> of_portable(count);
  crt.to_real(*backend, actual, view, scale);
  portable.to_real(*backend, of_portable, view, scale);
  EXPECT_EQ(bits_of(actual), bits_of(of_portable)) << primes.size() << " primes";
  for (std::size_t t = 0; t < count; ++t) {
    ASSERT_LE(std::abs(actual[t] - expected[t]), std::abs(expected[t]) * 0x1p-50)
        << "value " << t << " of " << count << ", " << primes.size() << " primes";
  }
}

TEST_P(EmbeddingKernels, CentredIntegersOfPrimesOfEverySize) {
  for (const std::size_t count : {1, 7, 8, 9, 63, 64, 65, 200}) {
    expect_centred(GetParam(), {30}, count, 1.0);
    expect_centred(GetParam(), {14, 15, 16}, count, 0x1p-3);
    expect_centred(GetParam(), {15, 50, 49, 20, 50}, count, 0x1.23456789p40);
    expect_centred(GetParam(), {50, 51, 40}, count, 0x1p40);
    expect_centred(GetParam(), {60, 40, 40, 60}, count, 0x1.23456789p40);
    expect_centred(GetParam(), std::vector<int>(18, 49), count, 0x1.5p40);
    expect_centred(GetParam(), std::vector<int>(32, 61), count, 0x1.5p1000);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, EmbeddingKernels, ::testing::ValuesIn(kernels_here()),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace_if(
                               name, [](char c) { return c == '/' || c == '-'; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace ringlet::ckks
