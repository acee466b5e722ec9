// SPDX-License-Identifier: Apache-2.0
#include "schemes/ckks/centred_crt.hpp"

#include <gmp.h>

#include "ringlet/primes.hpp"
#include "ringlet/rns_poly.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

namespace ringlet::ckks {
namespace {

class Integer {
 public:
  Integer() { mpz_init(value_); }
  explicit Integer(std::uint64_t value) { mpz_init_set_ui(value_, value); }
  Integer(const Integer& other) { mpz_init_set(value_, other.value_); }
  Integer& operator=(const Integer&) = delete;
  ~Integer() { mpz_clear(value_); }

  mpz_ptr get() { return value_; }
  mpz_srcptr get() const { return value_; }

 private:
  mpz_t value_;
};

// x as a fraction of 64 significant bits times 2^exponent, divided by the scale: by GMP.
double quotient(const Integer& x, double scale) {
  Integer magnitude(x);
  mpz_abs(magnitude.get(), x.get());
  const std::size_t bits = mpz_sizeinbase(magnitude.get(), 2);
  const std::size_t dropped = bits > 64 ? bits - 64 : 0;
  mpz_tdiv_q_2exp(magnitude.get(), magnitude.get(), dropped);
  int exponent = 0;
  const long double fraction = std::frexp(scale, &exponent);
  const auto top = static_cast<long double>(mpz_get_ui(magnitude.get())) / fraction;
  const auto result = static_cast<double>(std::ldexp(top, static_cast<int>(dropped) - exponent));
  return mpz_sgn(x.get()) < 0 ? -result : result;
}

std::vector<Modulus> primes_of(const std::vector<int>& bit_sizes) {
  std::vector<Modulus> primes;
  for (const int bits : bit_sizes) {
    const auto candidates = generate_ntt_primes(bits, 64, bit_sizes.size());
    for (const Modulus& candidate : candidates) {
      if (std::find(primes.begin(), primes.end(), candidate) != primes.end()) continue;
      primes.push_back(candidate);
      break;
    }
  }
  return primes;
}

// Integers around 0, (Q - 1)/2 and Q, then uniform ones of every size.
std::vector<Integer> samples(const Integer& modulus, std::size_t count, std::mt19937_64& rng) {
  std::vector<Integer> values;
  Integer half;
  mpz_fdiv_q_2exp(half.get(), modulus.get(), 1);
  for (std::uint64_t d = 0; d < 3; ++d) {
    values.emplace_back(d);
    mpz_sub_ui(values.emplace_back().get(), half.get(), d);
    mpz_add_ui(values.emplace_back().get(), half.get(), d + 1);
    mpz_sub_ui(values.emplace_back().get(), modulus.get(), d + 1);
  }
  const std::size_t bits = mpz_sizeinbase(modulus.get(), 2);
  while (values.size() < count) {
    Integer& value = values.emplace_back();
    for (std::size_t w = 0; w <= bits / 64; ++w) {
      mpz_mul_2exp(value.get(), value.get(), 64);
      mpz_add_ui(value.get(), value.get(), rng());
    }
    mpz_fdiv_q_2exp(value.get(), value.get(), rng() % bits);
    if (rng() % 2 == 0) mpz_neg(value.get(), value.get());
    mpz_fdiv_r(value.get(), value.get(), modulus.get());
  }
  return values;
}

void expect_centred(const std::vector<int>& bit_sizes, double scale) {
  constexpr std::size_t kDegree = 64;
  auto rng = test::make_rng(bit_sizes.size());
  const std::vector<Modulus> primes = primes_of(bit_sizes);
  ASSERT_EQ(primes.size(), bit_sizes.size());
  // The table is for more primes than are used: levels are prefixes.
  const CentredCrt crt(primes);
  const auto backend = make_cpu_backend(RnsBasis(kDegree, primes));
  for (std::size_t count = 1; count <= primes.size(); ++count) {
    Integer modulus(1);
    for (std::size_t i = 0; i < count; ++i) {
      mpz_mul_ui(modulus.get(), modulus.get(), primes[i].value());
    }
    const std::vector<Integer> values = samples(modulus, kDegree, rng);
    CoeffPoly residues(count, kDegree);
    const CoeffView view = residues.view_for_writing();
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t t = 0; t < kDegree; ++t) {
        view.limb(i)[t] = mpz_fdiv_ui(values[t].get(), primes[i].value());
      }
    }
    std::vector<double> actual(kDegree);
    crt.to_real(*backend, actual, view, scale);
    for (std::size_t t = 0; t < kDegree; ++t) {
      Integer centred(values[t]);
      Integer doubled;
      mpz_mul_2exp(doubled.get(), values[t].get(), 1);
      if (mpz_cmp(doubled.get(), modulus.get()) > 0) {
        mpz_sub(centred.get(), values[t].get(), modulus.get());
      }
      const double expected = quotient(centred, scale);
      ASSERT_LE(std::abs(actual[t] - expected), std::abs(expected) * 0x1p-50)
          << "value " << t << ", " << count << " primes";
    }
  }
}

TEST(CentredCrt, AgreesWithLargeIntegers) {
  expect_centred({30}, 1.0);
  expect_centred({61, 61, 61}, 0x1p40);
  expect_centred({60, 40, 40, 60}, 0x1.23456789p40);
  expect_centred({20, 61, 25, 50, 49, 30, 52, 61, 58}, 0x1p-20);
}

TEST(CentredCrt, ModuliPastTheRangeOfDoubles) {
  expect_centred(std::vector<int>(20, 60), 0x1.5p300);
}

}  // namespace
}  // namespace ringlet::ckks
