// SPDX-License-Identifier: Apache-2.0
#include "ringlet/base/parallel.hpp"
#include "ringlet/ring/backend.hpp"
#include "ringlet/ring/basis_conversion.hpp"
#include "support/ring_fixture.hpp"
#include "support/test.hpp"
#include "support/threads.hpp"

// Every primitive on several threads: the same bits as on one. The degree is large enough for all
// of them to be shared out.

namespace ringlet::test {
namespace {

constexpr std::size_t kDegree = 32768;

class BackendThreads : public ::testing::Test {
 protected:
  void TearDown() override { set_thread_count(1); }

  NttView values(NttPoly& poly) const { return poly.view_for_writing(); }

  /// The words that each primitive makes of the same operands.
  std::vector<Words> results_of_all_primitives() const {
    std::vector<Words> results;
    const auto keep = [&results](const auto& poly) { results.push_back(all_words(poly)); };
    const std::size_t limbs = primes_.size();
    NttPoly x(limbs, kDegree);
    CoeffPoly y(limbs, kDegree);
    const Backend& b = *backend_;
    b.forward_ntt(values(x), coefficients_.view(), primes_);
    keep(x);
    b.inverse_ntt(y.view_for_writing(), a_.view(), primes_);
    keep(y);
    b.add(values(x), a_.view(), c_.view(), primes_);
    keep(x);
    b.subtract(values(x), a_.view(), c_.view(), primes_);
    keep(x);
    b.negate(values(x), a_.view(), primes_);
    keep(x);
    b.multiply(values(x), a_.view(), c_.view(), primes_);
    keep(x);
    b.multiply_add(values(x), a_.view(), c_.view(), a_.view(), primes_);
    keep(x);
    const std::vector<ConstNttView> left{a_.view(), c_.view(), a_.view()};
    const std::vector<ConstNttView> right{c_.view(), c_.view(), a_.view()};
    b.multiply_accumulate(values(x), left, right, primes_);
    keep(x);
    b.multiply_scalars(values(x), a_.view(), Words(limbs, 12345), primes_);
    keep(x);
    b.multiply_scalars_add(values(x), a_.view(), c_.view(), Words(limbs, 12345), primes_);
    keep(x);
    b.automorphism(values(x), a_.view(), 5, primes_);
    keep(x);
    b.automorphism(y.view_for_writing(), coefficients_.view(), 2 * kDegree - 1, primes_);
    keep(y);
    const std::span<const std::uint64_t> digit = coefficients_.view().limb(2);
    b.lift_digit(y.view_for_writing(), digit, primes_[2], primes_);
    keep(y);
    b.inverse_ntt_to_digits(y.view_for_writing(), a_.view(), primes_);
    keep(y);
    b.lift_digit_to_ntt(values(x), digit, primes_[2], primes_);
    keep(x);
    b.to_digits(y.view_for_writing(), coefficients_.view(), primes_);
    keep(y);
    NttPoly shorter(limbs - 1, kDegree);
    b.divide_and_round_by_last(shorter.view_for_writing(), a_.view(), primes_, 3);
    keep(shorter);
    CoeffPoly shorter_coefficients(limbs - 1, kDegree);
    b.divide_and_round_by_last(shorter_coefficients.view_for_writing(), coefficients_.view(),
                               primes_);
    keep(shorter_coefficients);
    append_results_of_conversions(results);
    return results;
  }

  void append_results_of_conversions(std::vector<Words>& results) const {
    const std::vector<std::size_t> last(primes_.end() - 3, primes_.end());
    const std::vector<std::size_t> others(primes_.begin(), primes_.end() - 3);
    const BasisConversion conversion(basis_, last, others);
    CoeffPoly converted(others.size(), kDegree);
    backend_->convert_basis(converted.view_for_writing(), coefficients_.view().part(5, 3),
                            conversion);
    results.push_back(all_words(converted));
    Words residues(kDegree);
    backend_->convert_to_modulus(residues, coefficients_.view().part(5, 3),
                                 BasisConversion(basis_, last, Modulus(786433)));
    results.push_back(residues);
    NttPoly quotient(others.size(), kDegree);
    backend_->divide_and_round(quotient.view_for_writing(), a_.view(), primes_, conversion, 5);
    results.push_back(all_words(quotient));

    // Limbs of keys are in the order of the basis, and here those of the digits are too.
    const std::vector<std::size_t> all = first_primes(primes_.size());
    const std::vector<ConstNttView> digits{ordered_.view(), ordered_.view(), ordered_.view()};
    const auto key = backend_->prepare_key(digits, digits);
    NttPoly sum_b(primes_.size(), kDegree);
    NttPoly sum_a(primes_.size(), kDegree);
    backend_->key_inner_product(values(sum_b), values(sum_a), std::span(digits).first(2), 0, *key,
                                all);
    backend_->key_inner_product(values(sum_b), values(sum_a), std::span(digits).last(1), 2, *key,
                                all);
    results.push_back(all_words(sum_b));
    results.push_back(all_words(sum_a));
  }

  const std::vector<std::size_t> primes_{4, 0, 6, 5, 2, 7, 1, 3};
  const RnsBasis basis_ = make_basis(kDegree);
  const std::shared_ptr<const Backend> backend_ = make_cpu_backend(basis_);
  std::mt19937_64 rng_ = make_rng();
  const NttPoly a_ = random_poly<Form::ntt>(basis_, primes_, rng_);
  const NttPoly c_ = random_poly<Form::ntt>(basis_, primes_, rng_);
  const CoeffPoly coefficients_ = random_poly<Form::coefficient>(basis_, primes_, rng_);
  const NttPoly ordered_ = random_poly<Form::ntt>(basis_, first_primes(primes_.size()), rng_);
};

TEST_F(BackendThreads, EveryNumberOfThreadsGivesTheSameBits) {
  const std::vector<Words> expected = results_of_all_primitives();
  for (const std::size_t threads : {2, 3, 4}) {
    set_thread_count(threads);
    const std::vector<Words> results = results_of_all_primitives();
    ASSERT_EQ(results.size(), expected.size());
    for (std::size_t k = 0; k < results.size(); ++k) {
      EXPECT_TRUE(results[k] == expected[k]) << "primitive " << k << ", " << threads << " threads";
    }
  }
}

TEST_F(BackendThreads, ThreadsOfTheProgramMayCallWhileOthersUseTheWorkers) {
  const std::vector<Words> expected = results_of_all_primitives();
  set_thread_count(2);
  std::vector<int> right(kThreads);
  in_threads(
      [&](std::size_t thread) { right[thread] = results_of_all_primitives() == expected ? 1 : 0; });
  EXPECT_EQ(right, std::vector<int>(kThreads, 1));
}

}  // namespace
}  // namespace ringlet::test
