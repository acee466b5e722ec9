// SPDX-License-Identifier: Apache-2.0
#include "ringlet/basis_conversion.hpp"
#include "ringlet/error.hpp"
#include "ringlet/key_switch_source.hpp"
#include "support/cyclotomic_reference.hpp"
#include "support/ring_fixture.hpp"
#include "support/test.hpp"

// Every primitive over Z[X]/Phi_m, where degrees are powers of two no longer, against residues,
// 128-bit integers and FLINT.

namespace ringlet::test {
namespace {

__extension__ using Int128 = __int128;

const std::vector<std::size_t> kPrimes = {4, 0, 3, 2};
constexpr std::size_t kLimbs = 4;

RnsBasis general_basis(std::uint64_t m) {
  const RingSpec ring = RingSpec::cyclotomic(m);
  std::vector<Modulus> moduli;
  for (const int bits : {50, 45, 61, 49, 50}) {
    const std::size_t nth = bits == 50 && !moduli.empty() ? 1 : 0;
    moduli.push_back(generate_primes(bits, ring.modulus_step(), nth + 1)[nth]);
  }
  return {ring, moduli};
}

std::uint64_t residue(Int128 value, std::uint64_t q) {
  const auto rest = static_cast<std::int64_t>(value % static_cast<Int128>(q));
  return static_cast<std::uint64_t>(rest < 0 ? rest + static_cast<std::int64_t>(q) : rest);
}

class GeneralBackend : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  std::uint64_t modulus(std::size_t limb) const { return basis_[kPrimes[limb]].value(); }
  CoeffPoly coefficients() { return random_poly<Form::coefficient>(basis_, kPrimes, rng_); }
  NttPoly values() { return random_poly<Form::ntt>(basis_, kPrimes, rng_); }
  NttPoly to_ntt(const CoeffPoly& a, const std::vector<std::size_t>& primes) const {
    NttPoly result(primes.size(), n_);
    backend_->forward_ntt(result.view_for_writing(), a.view(), primes);
    return result;
  }
  template <Form F>
  void expect_words(const RnsPoly<F>& result,
                    const std::function<std::uint64_t(std::size_t, std::size_t)>& expected) const {
    for (std::size_t l = 0; l < result.limb_count(); ++l) {
      for (std::size_t i = 0; i < n_; ++i) {
        ASSERT_EQ(result.view().limb(l)[i], expected(l, i)) << "limb " << l << ", word " << i;
      }
    }
  }
  /// Signed integers of so many bits, and their residues modulo each of `primes`.
  std::vector<Int128> random_integers(int bits) {
    std::vector<Int128> integers(n_);
    for (Int128& value : integers) {
      value =
          (static_cast<Int128>(rng_() >> 1) << 64 | static_cast<Int128>(rng_())) >> (127 - bits);
      if (rng_() % 2 == 0) value = -value;
    }
    return integers;
  }
  CoeffPoly residues_of(const std::vector<Int128>& integers,
                        const std::vector<std::size_t>& primes) const {
    CoeffPoly poly(primes.size(), n_);
    for (std::size_t l = 0; l < primes.size(); ++l) {
      for (std::size_t i = 0; i < n_; ++i) {
        poly.view_for_writing().limb(l)[i] = residue(integers[i], basis_[primes[l]].value());
      }
    }
    return poly;
  }

  RnsBasis basis_ = general_basis(GetParam());
  std::size_t n_ = basis_.degree();
  std::shared_ptr<const Backend> backend_ = make_cpu_backend(basis_);
  std::mt19937_64 rng_ = make_rng(GetParam());
};

TEST_P(GeneralBackend, TransformsAndProductsAreThoseOfTheRing) {
  const CoeffPoly a = coefficients();
  const CoeffPoly b = coefficients();
  NttPoly x = to_ntt(a, kPrimes);
  const NttPoly y = to_ntt(b, kPrimes);
  CoeffPoly back(kLimbs, n_);
  backend_->inverse_ntt(back.view_for_writing(), x.view(), kPrimes);
  EXPECT_EQ(all_words(back), all_words(a));
  backend_->multiply(x.view_for_writing(), x.view(), y.view(), kPrimes);
  backend_->inverse_ntt(back.view_for_writing(), x.view(), kPrimes);
  for (std::size_t l = 0; l < kLimbs; ++l) {
    EXPECT_EQ(limb_words(back, l),
              FlintRing(GetParam(), modulus(l)).product(limb_words(a, l), limb_words(b, l)));
  }
  EXPECT_EQ(backend_->kernel_names().size(), basis_.size());
}

TEST_P(GeneralBackend, ElementwisePrimitivesAreTheirFormulas) {
  const NttPoly a = values();
  const NttPoly b = values();
  const NttPoly c = values();
  const auto at = [](const NttPoly& p, std::size_t l, std::size_t i) {
    return p.view().limb(l)[i];
  };
  const auto mod = [&](std::size_t l, Int128 value) { return residue(value, modulus(l)); };
  const auto product = [&](const NttPoly& x, const NttPoly& y, std::size_t l, std::size_t i) {
    return basis_[kPrimes[l]].multiply(at(x, l, i), at(y, l, i));
  };
  NttPoly r(kLimbs, n_);
  const NttView result = r.view_for_writing();
  backend_->add(result, a.view(), b.view(), kPrimes);
  expect_words(r, [&](auto l, auto i) { return mod(l, Int128{at(a, l, i)} + at(b, l, i)); });
  backend_->subtract(result, a.view(), b.view(), kPrimes);
  expect_words(r, [&](auto l, auto i) { return mod(l, Int128{at(a, l, i)} - at(b, l, i)); });
  backend_->negate(result, a.view(), kPrimes);
  expect_words(r, [&](auto l, auto i) { return mod(l, -Int128{at(a, l, i)}); });
  backend_->multiply(result, a.view(), b.view(), kPrimes);
  expect_words(r, [&](auto l, auto i) { return product(a, b, l, i); });
  backend_->multiply_add(result, a.view(), b.view(), c.view(), kPrimes);
  expect_words(r,
               [&](auto l, auto i) { return mod(l, Int128{product(a, b, l, i)} + at(c, l, i)); });
  const std::vector<ConstNttView> left{a.view(), b.view(), c.view()};
  const std::vector<ConstNttView> right{b.view(), c.view(), a.view()};
  backend_->multiply_accumulate(result, left, right, kPrimes);
  expect_words(r, [&](auto l, auto i) {
    return mod(l, Int128{product(a, b, l, i)} + product(b, c, l, i) + product(c, a, l, i));
  });
  Words scalars;
  for (std::size_t l = 0; l < kLimbs; ++l) scalars.push_back(rng_() % modulus(l));
  const auto scaled = [&](std::size_t l, std::size_t i) {
    return basis_[kPrimes[l]].multiply(at(a, l, i), scalars[l]);
  };
  backend_->multiply_scalars(result, a.view(), scalars, kPrimes);
  expect_words(r, scaled);
  backend_->multiply_scalars_add(result, a.view(), b.view(), scalars, kPrimes);
  expect_words(r, [&](auto l, auto i) { return mod(l, Int128{scaled(l, i)} + at(b, l, i)); });
  backend_->copy(result, a.view());
  EXPECT_EQ(all_words(r), all_words(a));
}

TEST_P(GeneralBackend, MatricesAreSumsOfProducts) {
  const NttPoly a = values();
  const NttPoly b = values();
  NttPoly r(kLimbs, n_);
  const std::vector<ConstNttView> row{a.view(), b.view()};
  const std::vector<ConstNttView> column{b.view(), b.view()};
  const NttView entry = r.view_for_writing();
  backend_->multiply_matrices({{&entry, 1}, 1, 1, 1}, {row, 1, 2, 1}, {column, 2, 1, 1}, 0,
                              kPrimes);
  NttPoly expected(kLimbs, n_);
  backend_->multiply_accumulate(expected.view_for_writing(), row, column, kPrimes);
  EXPECT_EQ(all_words(r), all_words(expected));
}

TEST_P(GeneralBackend, AutomorphismsOfBothFormsSubstitute) {
  const CoeffPoly a = coefficients();
  const NttPoly x = to_ntt(a, kPrimes);
  std::vector<std::uint64_t> elements{1, 2, GetParam() - 1,
                                      basis_.ring().default_galois_elements()[0]};
  std::erase_if(elements, [&](std::uint64_t g) { return !basis_.ring().is_galois_element(g); });
  while (elements.size() < 6) {
    const std::uint64_t g = rng_() % GetParam();
    if (basis_.ring().is_galois_element(g)) elements.push_back(g);
  }
  for (const std::uint64_t g : elements) {
    CoeffPoly image(kLimbs, n_);
    NttPoly values(kLimbs, n_);
    backend_->automorphism(image.view_for_writing(), a.view(), g, kPrimes);
    backend_->automorphism(values.view_for_writing(), x.view(), g, kPrimes);
    EXPECT_EQ(all_words(to_ntt(image, kPrimes)), all_words(values)) << "g = " << g;
    for (std::size_t l = 0; l < kLimbs; ++l) {
      EXPECT_EQ(limb_words(image, l),
                FlintRing(GetParam(), modulus(l)).substitute(limb_words(a, l), g));
    }
  }
}

TEST_P(GeneralBackend, DigitsAreLifted) {
  const CoeffPoly a = coefficients();
  const Words digit = limb_words(a, 0);  // modulo the prime of index 4
  CoeffPoly lifted(kLimbs, n_);
  backend_->lift_digit(lifted.view_for_writing(), digit, 4, kPrimes);
  expect_words(lifted, [&](auto l, auto i) { return digit[i] % modulus(l); });

  CoeffPoly offsets(kLimbs, n_);
  backend_->to_digits(offsets.view_for_writing(), a.view(), kPrimes);
  expect_words(offsets, [&](auto l, auto i) {
    return residue(Int128{a.view().limb(l)[i]} + modulus(l) / 2, modulus(l));
  });
  CoeffPoly same(kLimbs, n_);
  backend_->inverse_ntt_to_digits(same.view_for_writing(), to_ntt(a, kPrimes).view(), kPrimes);
  EXPECT_EQ(all_words(same), all_words(offsets));

  NttPoly values(kLimbs, n_);
  backend_->lift_digit_to_ntt(values.view_for_writing(), offsets.view().limb(0), 4, kPrimes);
  const std::uint64_t p = basis_[4].value();
  CoeffPoly back(kLimbs, n_);
  backend_->inverse_ntt(back.view_for_writing(), values.view(), kPrimes);
  expect_words(back, [&](auto l, auto i) {
    return residue(Int128{offsets.view().limb(0)[i]} - static_cast<Int128>(p / 2), modulus(l));
  });
}

TEST_P(GeneralBackend, BasisConversionsKeepSmallIntegers) {
  const std::vector<std::size_t> from{0, 1, 3};
  const std::vector<std::size_t> to{2, 4};
  const std::vector<Int128> integers = random_integers(100);
  const CoeffPoly source = residues_of(integers, from);
  CoeffPoly result(to.size(), n_);
  backend_->convert_basis(result.view_for_writing(), source.view(),
                          BasisConversion(basis_, from, to));
  EXPECT_EQ(all_words(result), all_words(residues_of(integers, to)));
  const Modulus t(1000003);
  Words words(n_);
  backend_->convert_to_modulus(words, source.view(), BasisConversion(basis_, from, t));
  for (std::size_t i = 0; i < n_; ++i) ASSERT_EQ(words[i], residue(integers[i], t.value())) << i;
}

TEST_P(GeneralBackend, DivisionsRound) {
  const std::vector<Int128> integers = random_integers(120);
  const CoeffPoly source = residues_of(integers, {0, 1, 3, 4});
  const std::vector<std::size_t> primes{0, 1, 3, 4};
  const std::vector<std::size_t> kept{0, 1, 3};
  for (const std::uint64_t t : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{257}}) {
    const auto p = static_cast<Int128>(basis_[4].value());
    const auto inverse = static_cast<Int128>(inverse_mod(t, basis_[4]));
    std::vector<Int128> quotients;
    for (const Int128 value : integers) {
      Int128 rest = static_cast<Int128>(residue(value, basis_[4].value())) * inverse % p;
      if (rest > p / 2) rest -= p;
      quotients.push_back((value - static_cast<Int128>(t) * rest) / p);
    }
    const CoeffPoly expected = residues_of(quotients, kept);
    CoeffPoly result(kept.size(), n_);
    backend_->divide_and_round_by_last(result.view_for_writing(), source.view(), primes, t);
    EXPECT_EQ(all_words(result), all_words(expected));
    NttPoly values(kept.size(), n_);
    backend_->divide_and_round_by_last(values.view_for_writing(), to_ntt(source, primes).view(),
                                       primes, t);
    EXPECT_EQ(all_words(values), all_words(to_ntt(expected, kept)));
    // The same through a basis conversion of one prime.
    const std::vector<std::size_t> last{4};
    const BasisConversion conversion(basis_, last, kept);
    backend_->divide_and_round(result.view_for_writing(), source.view(), primes, conversion, t);
    EXPECT_EQ(all_words(result), all_words(expected));
    backend_->divide_and_round(values.view_for_writing(), to_ntt(source, primes).view(), primes,
                               conversion, t);
    EXPECT_EQ(all_words(values), all_words(to_ntt(expected, kept)));
  }
}

TEST_P(GeneralBackend, ProductsOfDigitsAndKeysAreSums) {
  const std::vector<std::size_t> level{0, 1};
  const std::vector<std::size_t> targets{0, 1, 4};
  const CoeffPoly source = random_poly<Form::coefficient>(basis_, level, rng_);
  const NttPoly source_values = to_ntt(source, level);
  std::vector<NttPoly> b;
  std::vector<NttPoly> a;
  std::vector<ConstNttView> b_views;
  std::vector<ConstNttView> a_views;
  std::vector<KeySwitchDigit> digits(2);
  for (std::size_t k = 0; k < 2; ++k) {
    b.push_back(random_poly<Form::ntt>(basis_, first_primes(basis_.size()), rng_));
    a.push_back(random_poly<Form::ntt>(basis_, first_primes(basis_.size()), rng_));
    digits[k].first = k;
    digits[k].count = 1;
  }
  for (std::size_t k = 0; k < 2; ++k) {
    b_views.push_back(b[k].view());
    a_views.push_back(a[k].view());
  }
  CoeffPoly offsets(2, n_);
  backend_->to_digits(offsets.view_for_writing(), source.view(), level);
  const auto key = backend_->prepare_key(b_views, a_views);
  NttPoly sum_b(3, n_);
  NttPoly sum_a(3, n_);
  backend_->multiply_digits_by_key(sum_b.view_for_writing(), sum_a.view_for_writing(),
                                   {digits, offsets.view(), source_values.view()}, *key, targets);
  for (std::size_t l = 0; l < targets.size(); ++l) {
    const Modulus& q = basis_[targets[l]];
    const std::vector<std::size_t> prime{targets[l]};
    Words expected_b(n_, 0);
    Words expected_a(n_, 0);
    for (std::size_t k = 0; k < 2; ++k) {
      CoeffPoly digit(1, n_);
      const std::uint64_t p = basis_[k].value();
      for (std::size_t i = 0; i < n_; ++i) {
        const auto value = static_cast<Int128>(source.view().limb(k)[i]);
        digit.view_for_writing().limb(0)[i] = residue(
            value > static_cast<Int128>(p / 2) ? value - static_cast<Int128>(p) : value, q.value());
      }
      const NttPoly values = to_ntt(digit, prime);
      for (std::size_t i = 0; i < n_; ++i) {
        const std::uint64_t v = values.view().limb(0)[i];
        expected_b[i] = residue(
            Int128{expected_b[i]} + q.multiply(v, b[k].view().limb(targets[l])[i]), q.value());
        expected_a[i] = residue(
            Int128{expected_a[i]} + q.multiply(v, a[k].view().limb(targets[l])[i]), q.value());
      }
    }
    EXPECT_EQ(limb_words(sum_b, l), expected_b);
    EXPECT_EQ(limb_words(sum_a, l), expected_a);
  }
}

INSTANTIATE_TEST_SUITE_P(Rings, GeneralBackend, ::testing::Values(7, 12, 105, 2783, 8191),
                         ::testing::PrintToStringParamName());

TEST(GeneralBasis, RefusesPrimesOfAnotherRing) {
  const RingSpec ring = RingSpec::cyclotomic(105);
  try {
    const RnsBasis basis(ring, generate_ntt_primes(49, 64, 1));
    FAIL() << "not refused";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(error.limit().find("m = 105"), std::string::npos) << error.what();
    EXPECT_NE(error.remedy().find("generate_primes"), std::string::npos) << error.what();
  }
  const RnsBasis basis(ring, generate_primes(49, ring.modulus_step(), 2));
  EXPECT_EQ(basis.ring(), ring);
  EXPECT_EQ(basis.degree(), 48u);
  EXPECT_EQ(RnsBasis(64, generate_ntt_primes(49, 64, 1)).ring(), RingSpec::power_of_two(64));
}

}  // namespace
}  // namespace ringlet::test
