// SPDX-License-Identifier: Apache-2.0
// The primitives that leave out primes, over X^N + 1 and other rings: digits, and divisions by the
// last primes that preserve residues modulo t, in both forms.

#include <flint/ulong_extras.h>

#include "ringlet/base/parallel.hpp"
#include "support/circuits/matrix_fixture.hpp"
#include "support/key_switch_source.hpp"
#include "support/reference/big_integer.hpp"

namespace ringlet::test {
namespace {

/// The moduli t to preserve: 1 for none, a power of two, primes on both sides of the smallest prime
/// of the basis, composite and large ones.
const std::vector<std::uint64_t> kPreserved = {
    1, 2, 3, 65537, std::uint64_t{1} << 32, 1152921504606846975};

/// Tests over Z[X]/Phi_m, by m.
struct DivisionTest : ::testing::TestWithParam<std::uint64_t> {
  static Indices first_of(const Indices& primes, std::size_t count) {
    return {primes.begin(), primes.begin() + static_cast<std::ptrdiff_t>(count)};
  }
  static Indices last_of(const Indices& primes, std::size_t count) {
    return {primes.end() - static_cast<std::ptrdiff_t>(count), primes.end()};
  }
  /// Large rings are slow: they use the first and the last of kPreserved, and some last primes.
  bool is_large() const { return degree_ > 128; }
  bool skips(std::uint64_t t) const {
    return is_large() && t != kPreserved.front() && t != kPreserved.back();
  }

  /// Multiples of P/2 and t*P/2 up to the third, their neighbours and negatives, and random
  /// residues.
  std::vector<CoeffPoly> operands(const Indices& primes, std::size_t dropped, std::uint64_t t) {
    const Integer divisor = product_of(basis_, last_of(primes, dropped));
    std::vector<Integer> edges;
    for (const std::uint64_t factor : t == 1 ? Words{1} : Words{1, t}) {
      for (std::uint64_t multiple = 0; multiple < 4; ++multiple) {
        for (std::int64_t offset = -2; offset <= 2; ++offset) {
          edges.push_back((divisor * Integer(multiple) * Integer(factor) >> 1) +
                          Integer::of(offset));
          edges.push_back(-edges.back());
        }
      }
    }
    std::vector<CoeffPoly> polys;
    for (std::size_t next = 0; next < edges.size();) {
      CoeffPoly& poly = polys.emplace_back(random_poly<Form::coefficient>(basis_, primes, rng_));
      for (std::size_t c = 0; c < degree_ && next < edges.size(); ++c, ++next) {
        for (std::size_t l = 0; l < primes.size(); ++l) {
          poly.view_for_writing().limb(l)[c] = edges[next].residue(basis_[primes[l]].value());
        }
      }
    }
    return polys;
  }

  /// The quotient by GMP; checks that it preserves residues modulo t and rounds.
  Words expected_quotient(const CoeffPoly& a, const Indices& primes, std::size_t dropped,
                          std::uint64_t t) const {
    const std::size_t kept = primes.size() - dropped;
    const ConversionReference reference(basis_, last_of(primes, dropped));
    const Integer& divisor = reference.product();
    Words words(kept * degree_);
    for (std::size_t c = 0; c < degree_; ++c) {
      const Integer value = reconstruct(a.view(), c, basis_, primes);
      const Integer quotient = reference.quotient(value, t);
      EXPECT_EQ((quotient * divisor).residue(t), value.residue(t));
      if (t == 1 && dropped == 1) {
        EXPECT_EQ(quotient, (value + (divisor >> 1)) / divisor);
      }
      for (std::size_t l = 0; l < kept; ++l) {
        words[l * degree_ + c] = quotient.residue(basis_[primes[l]].value());
      }
    }
    return words;
  }

  static Words first_words(ConstResidueView view, std::size_t limbs) {
    Words words;
    for (std::size_t l = 0; l < limbs; ++l) {
      words.insert(words.end(), view.limb(l).begin(), view.limb(l).end());
    }
    return words;
  }

  /// Runs divide(backend, result view, operand view) in both forms, out of place and in place.
  template <typename Divide>
  void expect_quotients(const Indices& primes, std::size_t dropped, std::uint64_t t,
                        const Divide& divide) {
    SCOPED_TRACE(::testing::Message() << "t = " << t << ", last prime " << primes.back()
                                      << ", dropped " << dropped << " of " << primes.size());
    const std::size_t kept = primes.size() - dropped;
    for (const CoeffPoly& a : operands(primes, dropped, t)) {
      const Words expected = expected_quotient(a, primes, dropped, t);
      for (const auto& backend : backends_) {
        SCOPED_TRACE(describe(*backend));
        CoeffPoly quotient(kept, degree_);
        divide(*backend, quotient.view_for_writing(), a.view());
        EXPECT_EQ(all_words(quotient), expected);
        CoeffPoly same = a;
        divide(*backend, same.view_for_writing().first(kept), same.view());
        EXPECT_EQ(first_words(same.view(), kept), expected);

        NttPoly values = to_values(*backend, a, primes);
        NttPoly quotient_values(kept, degree_);
        divide(*backend, quotient_values.view_for_writing(), values.view());
        divide(*backend, values.view_for_writing().first(kept), values.view());
        EXPECT_EQ(first_words(values.view(), kept), all_words(quotient_values));
        EXPECT_EQ(all_words(to_coefficients(*backend, quotient_values, first_of(primes, kept))),
                  expected);
      }
    }
  }

  RnsBasis basis_ = make_basis(RingSpec::cyclotomic(GetParam()));
  std::size_t degree_ = basis_.degree();
  std::vector<std::shared_ptr<const Backend>> backends_ = make_backends(basis_);
  std::mt19937_64 rng_ = make_rng(GetParam());
};

TEST_P(DivisionTest, ByEachPrimeIsItsFormula) {
  constexpr std::array<std::size_t, 4> kCounts = {8, 1, 5, 2};
  for (const std::uint64_t t : kPreserved) {
    if (skips(t)) continue;
    for (std::size_t last = 0; last < basis_.size(); ++last) {
      if (is_large() && last % 3 != 1) continue;
      Indices primes = first_primes(basis_.size());
      std::swap(primes[last], primes.back());
      std::shuffle(primes.begin(), primes.end() - 1, rng_);
      const Indices used = last_of(primes, kCounts[last % kCounts.size()]);
      expect_quotients(used, 1, t, [&](const Backend& backend, auto result, auto a) {
        backend.divide_and_round_by_last(result, a, used, t);
      });
    }
  }
}

TEST_P(DivisionTest, ByTheProductOfLastPrimesIsItsFormula) {
  Indices primes = first_primes(basis_.size());
  for (const std::uint64_t t : kPreserved) {
    if (skips(t)) continue;
    for (const std::size_t dropped : {1, 2, 3, 4}) {
      std::shuffle(primes.begin(), primes.end(), rng_);
      const Indices last = last_of(primes, dropped);
      const Indices others = first_of(primes, primes.size() - dropped);
      const BasisConversion conversion(basis_, last, others);
      for (const std::size_t kept : {std::size_t{1}, others.size()}) {  // one prime, or all
        Indices used = first_of(others, kept);
        used.insert(used.end(), last.begin(), last.end());
        expect_quotients(used, dropped, t, [&](const Backend& backend, auto result, auto a) {
          backend.divide_and_round(result, a, used, conversion, t);
        });
      }
    }
  }
}

TEST_P(DivisionTest, RefusesToPreserveMultiplesOfTheDivisor) {
  const Indices primes{0, 1, 5};
  const std::uint64_t t = 3 * basis_[5].value();
  const BasisConversion conversion(basis_, Indices{1, 5}, Indices{0});
  const NttPoly a(3, degree_);
  NttPoly result(2, degree_);
  for (const auto& backend : backends_) {
    EXPECT_THROW(backend->divide_and_round_by_last(result.view_for_writing(), a.view(), primes, t),
                 InvalidArgument);
    EXPECT_THROW(backend->divide_and_round(result.view_for_writing().first(1), a.view(), primes,
                                           conversion, t),
                 InvalidArgument);
  }
}

TEST_P(DivisionTest, DigitsOfEveryPrimeAreLiftedToEveryOther) {
  const Indices primes{4, 0, 6, 7, 1, 5, 2, 3};
  CoeffPoly largest(primes.size(), degree_);  // gives every butterfly its largest input
  for (std::size_t l = 0; l < primes.size(); ++l) {
    std::ranges::fill(largest.view_for_writing().limb(l), basis_[primes[l]].value() - 1);
  }
  for (const CoeffPoly& a : {random_poly<Form::coefficient>(basis_, primes, rng_), largest}) {
    for (const auto& backend : backends_) {
      SCOPED_TRACE(describe(*backend));
      CoeffPoly digits(primes.size(), degree_);
      backend->to_digits(digits.view_for_writing(), a.view(), primes);
      CoeffPoly same = a;
      backend->to_digits(same.view_for_writing(), same.view(), primes);
      EXPECT_EQ(all_words(same), all_words(digits));
      CoeffPoly of_values(primes.size(), degree_);
      backend->inverse_ntt_to_digits(of_values.view_for_writing(),
                                     to_values(*backend, a, primes).view(), primes);
      EXPECT_EQ(all_words(of_values), all_words(digits));
      for (std::size_t source = 0; source < primes.size(); ++source) {
        const auto q = static_cast<std::int64_t>(basis_[primes[source]].value());
        const auto digit = a.view().limb(source);
        CoeffPoly whole(primes.size(), degree_);
        CoeffPoly centred(primes.size(), degree_);
        for (std::size_t i = 0; i < degree_; ++i) {
          const auto d = static_cast<std::int64_t>(digit[i]);
          ASSERT_EQ(digits.view().limb(source)[i], static_cast<std::uint64_t>((d + q / 2) % q));
          for (std::size_t l = 0; l < primes.size(); ++l) {
            const auto target = static_cast<std::int64_t>(basis_[primes[l]].value());
            const std::int64_t rest = (d > q / 2 ? d - q : d) % target;
            whole.view_for_writing().limb(l)[i] = static_cast<std::uint64_t>(d % target);
            centred.view_for_writing().limb(l)[i] =
                static_cast<std::uint64_t>(rest < 0 ? rest + target : rest);
          }
        }
        CoeffPoly lifted(primes.size(), degree_);
        backend->lift_digit(lifted.view_for_writing(), digit, primes[source], primes);
        ASSERT_EQ(all_words(lifted), all_words(whole));
        NttPoly values(primes.size(), degree_);
        backend->lift_digit_to_ntt(values.view_for_writing(), digits.view().limb(source),
                                   primes[source], primes);
        ASSERT_EQ(all_words(values), all_words(to_values(*backend, centred, primes)));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rings, DivisionTest,
                         ::testing::ValuesIn(rings({4, 8, 16, 128, 2048, 7, 12, 105, 2783})),
                         ::testing::PrintToStringParamName());

// Prepared keys, products of digits with them, and products of matrices, compared with their
// definitions.

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

/// Tests by degree.
struct PreparedKeyTest : ::testing::TestWithParam<std::size_t> {
  static constexpr std::size_t kKeyPrimes = 6;  // fewer than the basis has
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
    // A sum from digit 0 on overwrites the results, a later one adds to them.
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
                                     std::span(views).subspan(first, count), {*key, first},
                                     primes_);
        }
        EXPECT_EQ(all_words(sum_b), expected_b) << describe(*backend) << "groups of " << group;
        EXPECT_EQ(all_words(sum_a), expected_a) << describe(*backend) << "groups of " << group;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Degrees, PreparedKeyTest, ::testing::Values(2, 8, 1024, 2048));

/// Digits over Z[X]/Phi_m, and their shape.
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

struct DigitProductsTest : ::testing::TestWithParam<DigitCase> {
  /// The integers of a digit modulo all targets: the residues of least absolute value for one
  /// prime, those of the conversion for several.
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

  /// Expects of switch_key what the primitives make of `sums`, in one form.
  template <Form F>
  void expect_switched(const Backend& backend, const KeySwitchSource& source,
                       const PreparedKey& key, const std::array<RnsPoly<F>, 2>& sums,
                       std::uint64_t preserve) {
    auto rng = make_rng(preserve);
    const Indices kept = first_primes(shape_.level);
    const PrimeIndices special = PrimeIndices(targets_).subspan(shape_.level);
    std::optional<BasisConversion> several;
    if (special.size() > 1) several.emplace(basis_, special, kept);
    const BasisConversion* const conversion = several ? &*several : nullptr;
    const RnsPoly<F> addend = random_poly<F>(basis_, kept, rng);
    std::array<RnsPoly<F>, 2> expected{addend, addend};
    const std::array<PolyView<F>, 2> quotients{expected[0].view_for_writing(),
                                               expected[1].view_for_writing()};
    const std::array<ConstPolyView<F>, 2> dividends{sums[0].view(), sums[1].view()};
    backend.divide_and_round_each(quotients, dividends, targets_, conversion, preserve);
    backend.add(quotients[0], quotients[0], addend.view(), kept);
    std::array<RnsPoly<F>, 2> found{addend, random_poly<F>(basis_, kept, rng)};
    const PolyView<F> in_place = found[0].view_for_writing();
    backend.switch_key(
        {F, {in_place, found[1].view_for_writing()}, {in_place, {}}, conversion, preserve}, source,
        key, targets_);
    EXPECT_EQ(all_words(found[0]), all_words(expected[0])) << describe(backend);
    EXPECT_EQ(all_words(found[1]), all_words(expected[1])) << describe(backend);
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
    NttPoly sum_b = random_poly<Form::ntt>(basis_, targets_, rng);  // values to overwrite
    NttPoly sum_a = random_poly<Form::ntt>(basis_, targets_, rng);
    const ConstNttView values = shape_.has_values ? source_values.view() : ConstNttView();
    backend->multiply_digits_by_key(sum_b.view_for_writing(), sum_a.view_for_writing(),
                                    {digits, operand.view(), values}, *key, targets_);
    EXPECT_EQ(all_words(sum_b), expected_b) << describe(*backend);
    EXPECT_EQ(all_words(sum_a), expected_a) << describe(*backend);
    const KeySwitchSource of{digits, operand.view(), values};
    for (const std::uint64_t t : {std::uint64_t{1}, kPreserved.back()}) {
      expect_switched<Form::ntt>(*backend, of, *key, {sum_b, sum_a}, t);
      expect_switched<Form::coefficient>(
          *backend, of, *key,
          {to_coefficients(*cpu_, sum_b, targets_), to_coefficients(*cpu_, sum_a, targets_)}, t);
    }
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
                      // From this case on, one kernel computes whole sums.
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
