// SPDX-License-Identifier: Apache-2.0
// Inner products of key switching against their definition.

#include <flint/ulong_extras.h>

#include "ringlet/basis_conversion.hpp"
#include "ringlet/key_switch_source.hpp"
#include "support/key_switch_source.hpp"
#include "support/ntt_reference.hpp"
#include "support/ring_fixture.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

class DigitProductsTest : public ::testing::TestWithParam<DigitShape> {
 protected:
  DigitProductsTest() {
    auto rng = make_rng(shape_.degree + shape_.level);
    const auto cpu = make_cpu_backend(basis_);
    const std::vector<std::size_t> level = first_primes(shape_.level);
    coefficients_ = random_poly<Form::coefficient>(basis_, level, rng);
    values_ = NttPoly(shape_.level, shape_.degree);
    cpu->forward_ntt(values_.view_for_writing(), coefficients_.view(), level);
    for (std::size_t k = 0; k < digits_.size(); ++k) {
      b_.push_back(random_poly<Form::ntt>(basis_, first_primes(basis_.size()), rng));
      a_.push_back(random_poly<Form::ntt>(basis_, first_primes(basis_.size()), rng));
    }
  }

  /// The integers that a digit stands for, modulo q: of one prime the residues of least absolute
  /// value, of several what the conversion says.
  Words lifted(const KeySwitchDigit& digit, std::size_t target) const {
    const std::size_t prime = targets_[target];
    const Modulus& q = basis_[prime];
    const bool is_own = prime >= digit.first && prime < digit.first + digit.count;
    if (is_own) return limb_words(coefficients_, prime);
    if (digit.lift.has_value()) {
      std::size_t place = 0;
      while (digit.lift->to()[place] != prime) ++place;
      CoeffPoly all(digit.lift->to().size(), shape_.degree);
      make_cpu_backend(basis_)->convert_basis(
          all.view_for_writing(), coefficients_.view().part(digit.first, digit.count), *digit.lift);
      return limb_words(all, place);
    }
    const std::uint64_t p = basis_[digit.first].value();
    Words words;
    for (const std::uint64_t a : limb_words(coefficients_, digit.first)) {
      words.push_back(a <= p / 2 ? a % q.value() : n_negmod((p - a) % q.value(), q.value()));
    }
    return words;
  }

  /// sum over k of digit k times pair k, by values of polynomials.
  Words expected(const std::vector<NttPoly>& key) const {
    Words words;
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      const Modulus& q = basis_[targets_[t]];
      const std::uint64_t root = minimal_primitive_root(2 * shape_.degree, q);
      Words sums(shape_.degree, 0);
      for (std::size_t k = 0; k < digits_.size(); ++k) {
        const Words digit = lifted(digits_[k], t);
        const Words factors = limb_words(key[k], targets_[t]);
        for (std::size_t i = 0; i < shape_.degree; ++i) {
          const std::uint64_t value = ntt_value(digit, i, root, q);
          sums[i] = n_addmod(sums[i], n_mulmod2(value, factors[i], q.value()), q.value());
        }
      }
      words.insert(words.end(), sums.begin(), sums.end());
    }
    return words;
  }

  static std::vector<ConstNttView> views(const std::vector<NttPoly>& polys) {
    std::vector<ConstNttView> views;
    for (const NttPoly& poly : polys) views.push_back(poly.view());
    return views;
  }

  DigitShape shape_ = GetParam();
  RnsBasis basis_ = make_basis(shape_.degree);
  std::vector<std::size_t> targets_ = targets_of(shape_, basis_);
  std::vector<KeySwitchDigit> digits_ = digits_of(shape_, basis_);
  CoeffPoly coefficients_;
  NttPoly values_;
  std::vector<NttPoly> b_;
  std::vector<NttPoly> a_;
};

TEST_P(DigitProductsTest, AreSumsOfProducts) {
  const Words expected_b = expected(b_);
  const Words expected_a = expected(a_);
  for (const auto& backend : make_backends(basis_)) {
    SCOPED_TRACE(describe(*backend));
    const auto key = backend->prepare_key(views(b_), views(a_));
    CoeffPoly operand = coefficients_;
    if (shape_.digit_size == 1) {
      backend->to_digits(operand.view_for_writing(), coefficients_.view(),
                         first_primes(shape_.level));
    }
    auto rng = make_rng();
    NttPoly sum_b = random_poly<Form::ntt>(basis_, targets_, rng);  // of no account
    NttPoly sum_a = random_poly<Form::ntt>(basis_, targets_, rng);
    const ConstNttView values = shape_.has_values ? values_.view() : ConstNttView();
    backend->multiply_digits_by_key(sum_b.view_for_writing(), sum_a.view_for_writing(),
                                    {digits_, operand.view(), values}, *key, targets_);
    EXPECT_EQ(all_words(sum_b), expected_b);
    EXPECT_EQ(all_words(sum_a), expected_a);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, DigitProductsTest,
    ::testing::Values(DigitShape{2, 3, 1, 1, true}, DigitShape{16, 7, 1, 1, true},
                      DigitShape{16, 7, 1, 1, false}, DigitShape{16, 1, 1, 2, true},
                      DigitShape{64, 4, 1, 3, false}, DigitShape{16, 5, 2, 2, true},
                      DigitShape{64, 6, 3, 2, true}, DigitShape{64, 2, 2, 2, true},
                      // From here on whole sums are the work of one kernel.
                      DigitShape{1024, 3, 1, 1, true}, DigitShape{1024, 7, 1, 1, true},
                      DigitShape{1024, 7, 1, 1, false}, DigitShape{2048, 2, 1, 2, true},
                      DigitShape{1024, 5, 2, 2, true}));

}  // namespace
}  // namespace ringlet::test
