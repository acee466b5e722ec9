// SPDX-License-Identifier: Apache-2.0
// Keys as a backend reads them, products of digits with them, and products of matrices, against
// their definitions.

#include <flint/ulong_extras.h>

#include "ringlet/base/parallel.hpp"
#include "support/circuits/matrix_fixture.hpp"
#include "support/key_switch_source.hpp"

namespace ringlet::test {
namespace {

/// start + the sum over k of digits[k] * key[first + k], limb by limb modulo `primes`.
Words sum_of_products(const RnsBasis& basis, const NttPoly& start, std::span<const NttPoly> digits,
                      const std::vector<NttPoly>& key, std::size_t first, const Indices& primes) {
  Words words = all_words(start);
  for (std::size_t l = 0; l < primes.size(); ++l) {
    const std::uint64_t q = basis[primes[l]].value();
    for (std::size_t c = 0; c < basis.degree(); ++c) {
      std::uint64_t& sum = words[l * basis.degree() + c];
      for (std::size_t k = 0; k < digits.size(); ++k) {
        const std::uint64_t factor = key[first + k].view().limb(primes[l])[c];
        sum = n_addmod(sum, n_mulmod2(digits[k].view().limb(l)[c], factor, q), q);
      }
    }
  }
  return words;
}

/// By the degree.
class PreparedKeyTest : public ::testing::TestWithParam<std::size_t> {
 protected:
  static constexpr std::size_t kKeyPrimes = 6;  // the basis has more than a key
  static constexpr std::size_t kDigits = 7;

  PreparedKeyTest() {
    for (std::size_t j = 0; j < kDigits; ++j) {
      b_.push_back(random_poly<Form::ntt>(basis_, first_primes(kKeyPrimes), rng_));
      a_.push_back(random_poly<Form::ntt>(basis_, first_primes(kKeyPrimes), rng_));
      digits_.push_back(random_poly<Form::ntt>(basis_, primes_, rng_));
    }
  }

  const Indices primes_{4, 0, 5, 2};
  RnsBasis basis_ = make_basis(GetParam());
  std::mt19937_64 rng_ = make_rng(GetParam());
  std::vector<NttPoly> b_;
  std::vector<NttPoly> a_;
  std::vector<NttPoly> digits_;
};

TEST_P(PreparedKeyTest, InnerProductsAddUpWhateverTheGroups) {
  const NttPoly random = random_poly<Form::ntt>(basis_, primes_, rng_);
  const NttPoly zero(primes_.size(), GetParam());
  const std::vector<ConstNttView> views = views_of(digits_);
  for (const auto& backend : make_backends(basis_)) {
    const auto key = backend->prepare_key(views_of(b_), views_of(a_));
    // A sum that begins with digit 0 does not count what is there before, a later one does.
    for (const std::size_t begin : {0, 2}) {
      const NttPoly& start = begin == 0 ? zero : random;
      const auto used = std::span(digits_).subspan(begin);
      const Words expected_b = sum_of_products(basis_, start, used, b_, begin, primes_);
      const Words expected_a = sum_of_products(basis_, start, used, a_, begin, primes_);
      for (const std::size_t group : {1, 2, 3, 4, 7}) {
        NttPoly sum_b = random;
        NttPoly sum_a = random;
        for (std::size_t first = begin; first < kDigits; first += group) {
          const std::size_t count = std::min(group, kDigits - first);
          backend->key_inner_product(sum_b.view_for_writing(), sum_a.view_for_writing(),
                                     std::span(views).subspan(first, count), first, *key, primes_);
        }
        EXPECT_EQ(all_words(sum_b), expected_b) << describe(*backend) << "groups of " << group;
        EXPECT_EQ(all_words(sum_a), expected_a) << describe(*backend) << "groups of " << group;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Degrees, PreparedKeyTest, ::testing::Values(2, 8, 1024, 2048));

/// Digits over Z[X]/Phi_m.
struct DigitCase {
  std::uint64_t m;
  std::size_t level;
  std::size_t digit_size;
  std::size_t special_count;
  bool has_values;

  friend std::ostream& operator<<(std::ostream& out, const DigitCase& one) {
    return out << "m = " << one.m << ", "
               << DigitShape{0, one.level, one.digit_size, one.special_count, one.has_values};
  }
};

class DigitProductsTest : public ::testing::TestWithParam<DigitCase> {
 protected:
  /// The integers that a digit stands for, modulo all targets: of one prime the residues of least
  /// absolute value, of several what the conversion says.
  NttPoly lifted(const CoeffPoly& source, const KeySwitchDigit& digit) const {
    CoeffPoly result(targets_.size(), basis_.degree());
    CoeffPoly converted(digit.lift ? digit.lift->to().size() : 0, basis_.degree());
    if (digit.lift) {
      cpu_->convert_basis(converted.view_for_writing(),
                          source.view().part(digit.first, digit.count), *digit.lift);
    }
    const std::uint64_t p = basis_[digit.first].value();
    std::size_t place = 0;
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      const std::size_t prime = targets_[t];
      const std::uint64_t q = basis_[prime].value();
      const bool is_own = prime >= digit.first && prime < digit.first + digit.count;
      Words words = limb_words(source, is_own ? prime : digit.first);
      if (!is_own && digit.lift) words = limb_words(converted, place++);
      for (std::uint64_t& word : words) {
        if (!is_own && !digit.lift) word = word <= p / 2 ? word % q : n_negmod((p - word) % q, q);
      }
      std::ranges::copy(words, result.view_for_writing().limb(t).begin());
    }
    return to_values(*cpu_, result, targets_);
  }

  RnsBasis basis_ = make_basis(RingSpec::cyclotomic(GetParam().m));
  DigitShape shape_{basis_.degree(), GetParam().level, GetParam().digit_size,
                    GetParam().special_count, GetParam().has_values};
  std::shared_ptr<const Backend> cpu_ = make_cpu_backend(basis_);
  Indices targets_ = targets_of(shape_, basis_);
};

TEST_P(DigitProductsTest, AreSumsOfProducts) {
  auto rng = make_rng(GetParam().m + shape_.level);
  const Indices level = first_primes(shape_.level);
  const CoeffPoly source = random_poly<Form::coefficient>(basis_, level, rng);
  const NttPoly source_values = to_values(*cpu_, source, level);
  const std::vector<KeySwitchDigit> digits = digits_of(shape_, basis_);
  std::vector<NttPoly> b;
  std::vector<NttPoly> a;
  std::vector<NttPoly> polys;
  for (const KeySwitchDigit& digit : digits) {
    b.push_back(random_poly<Form::ntt>(basis_, first_primes(basis_.size()), rng));
    a.push_back(random_poly<Form::ntt>(basis_, first_primes(basis_.size()), rng));
    polys.push_back(lifted(source, digit));
  }
  const NttPoly zero(targets_.size(), basis_.degree());
  const Words expected_b = sum_of_products(basis_, zero, polys, b, 0, targets_);
  const Words expected_a = sum_of_products(basis_, zero, polys, a, 0, targets_);
  for (const auto& backend : make_backends(basis_)) {
    const auto key = backend->prepare_key(views_of(b), views_of(a));
    CoeffPoly operand = source;
    if (shape_.digit_size == 1) {
      backend->to_digits(operand.view_for_writing(), source.view(), level);
    }
    NttPoly sum_b = random_poly<Form::ntt>(basis_, targets_, rng);  // of no account
    NttPoly sum_a = random_poly<Form::ntt>(basis_, targets_, rng);
    const ConstNttView values = shape_.has_values ? source_values.view() : ConstNttView();
    backend->multiply_digits_by_key(sum_b.view_for_writing(), sum_a.view_for_writing(),
                                    {digits, operand.view(), values}, *key, targets_);
    EXPECT_EQ(all_words(sum_b), expected_b) << describe(*backend);
    EXPECT_EQ(all_words(sum_a), expected_a) << describe(*backend);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, DigitProductsTest,
    ::testing::Values(DigitCase{4, 3, 1, 1, true}, DigitCase{32, 7, 1, 1, true},
                      DigitCase{32, 7, 1, 1, false}, DigitCase{32, 1, 1, 2, true},
                      DigitCase{128, 4, 1, 3, false}, DigitCase{32, 5, 2, 2, true},
                      DigitCase{128, 6, 3, 2, true}, DigitCase{128, 2, 2, 2, true},
                      DigitCase{7, 2, 1, 1, true}, DigitCase{12, 2, 1, 1, true},
                      DigitCase{105, 2, 1, 1, true}, DigitCase{2783, 2, 1, 1, true},
                      DigitCase{8191, 2, 1, 1, true}, DigitCase{105, 5, 2, 2, true},
                      // From here on whole sums are the work of one kernel.
                      DigitCase{2048, 3, 1, 1, true}, DigitCase{2048, 7, 1, 1, true},
                      DigitCase{2048, 7, 1, 1, false}, DigitCase{4096, 2, 1, 2, true},
                      DigitCase{2048, 5, 2, 2, true}));

const std::vector<MatrixCase> kMatrixCases = {
    {1, 1, 1, 2, 2}, {3, 2, 1, 2, 2}, {2, 3, 5, 2, 2}, {5, 1, 4, 2, 2},
    {2, 9, 3, 2, 3}, {2, 2, 2, 3, 2}, {1, 2, 3, 1, 1}, {2, 1, 2, 4, 5},
};
const Indices kMatrixPrimes = {4, 0, 5, 2, 4};

class MatrixSums : public ::testing::TestWithParam<MatrixCase> {};

TEST_P(MatrixSums, AreTheDefinition) {
  auto rng = make_rng();
  for (const std::uint64_t m : {16, 128, 7, 331}) {
    const RnsBasis basis = make_basis_of_bits(RingSpec::cyclotomic(m), kDeviceBasisBits);
    const auto backends = make_backends(basis);
    for (const Fill fill : kFills) {
      for (const MatrixLayout& layout : {MatrixLayout{}, MatrixLayout{1, 3, false}}) {
        const MatrixOperands operands({basis, kMatrixPrimes, fill, rng}, layout, GetParam());
        for (const std::size_t held : {std::size_t{0}, std::size_t{1}, GetParam().c_size()}) {
          const auto expected = operands.expected(basis, held);
          for (const auto& backend : backends) {
            EXPECT_EQ(operands.multiply(*backend, held), expected)
                << describe(*backend) << ", held " << held;
          }
        }
      }
    }
  }
}

TEST_P(MatrixSums, OfSeveralThreadsAreTheSame) {
  const std::size_t threads = thread_count();
  auto rng = make_rng();
  const RnsBasis basis = make_device_basis(1024);
  const auto backend = make_cpu_backend(basis);
  const MatrixOperands operands({basis, kMatrixPrimes, Fill::scattered, rng}, {}, GetParam());
  const auto expected = operands.expected(basis, 1);
  for (const std::size_t count : {1, 2, 5}) {
    set_thread_count(count);
    EXPECT_EQ(operands.multiply(*backend, 1), expected) << count << " threads";
  }
  set_thread_count(threads);
}

INSTANTIATE_TEST_SUITE_P(Shapes, MatrixSums, ::testing::ValuesIn(kMatrixCases));

TEST(MatrixSumsOfOneMatrix, BothFactorsMayBeTheSameWords) {
  auto rng = make_rng();
  const RnsBasis basis = make_device_basis(16);
  const auto backend = make_cpu_backend(basis);
  MatrixOperands operands({basis, kMatrixPrimes, Fill::scattered, rng}, {}, {3, 3, 3, 2, 2});
  operands.b = operands.a;
  PlacedMatrix sums(operands.c, nullptr);
  const PlacedMatrix factor(operands.a, nullptr);
  backend->multiply_matrices(sums.view(), factor.const_view(), factor.const_view(), 0,
                             kMatrixPrimes);
  EXPECT_EQ(sums.download(), operands.expected(basis, 0));
}

}  // namespace
}  // namespace ringlet::test
