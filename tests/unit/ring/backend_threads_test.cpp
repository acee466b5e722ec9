// SPDX-License-Identifier: Apache-2.0
#include "ringlet/base/parallel.hpp"
#include "support/ring_fixture.hpp"
#include "support/threads.hpp"

// Every primitive on several threads: the same bits as on one. The degree is large enough for all
// of them to be shared out.

namespace ringlet::test {
namespace {

constexpr std::size_t kDegree = 32768;

class BackendThreads : public ::testing::Test {
 protected:
  void TearDown() override { set_thread_count(1); }

  /// What run(view) writes, as values or as coefficients.
  template <Form F>
  static Words words_of(std::size_t limbs, const auto& run) {
    RnsPoly<F> poly(limbs, kDegree);
    run(poly.view_for_writing());
    return all_words(poly);
  }

  /// The words that each primitive makes of the same operands.
  std::vector<Words> results_of_all_primitives() const {
    std::vector<Words> results;
    const Backend& b = *backend_;
    const ConstNttView a = a_.view();
    const ConstNttView c = c_.view();
    const ConstCoeffView x = coefficients_.view();
    const auto digit = x.limb(2);
    const Words scalars(primes_.size(), 12345);
    const std::vector left{a, c, a};
    const std::vector right{c, c, a};
    const auto values = [&](const auto& run, std::size_t dropped = 0) {
      results.push_back(words_of<Form::ntt>(primes_.size() - dropped, run));
    };
    const auto coefficients = [&](const auto& run, std::size_t dropped = 0) {
      results.push_back(words_of<Form::coefficient>(primes_.size() - dropped, run));
    };
    values([&](auto r) { b.forward_ntt(r, x, primes_); });
    coefficients([&](auto r) { b.inverse_ntt(r, a, primes_); });
    values([&](auto r) { b.add(r, a, c, primes_); });
    values([&](auto r) { b.subtract(r, a, c, primes_); });
    values([&](auto r) { b.negate(r, a, primes_); });
    values([&](auto r) { b.multiply(r, a, c, primes_); });
    values([&](auto r) { b.multiply_add(r, a, c, a, primes_); });
    values([&](auto r) { b.multiply_accumulate(r, left, right, primes_); });
    values([&](auto r) { b.multiply_scalars(r, a, scalars, primes_); });
    values([&](auto r) { b.multiply_scalars_add(r, a, c, scalars, primes_); });
    values([&](auto r) { b.automorphism(r, a, 5, primes_); });
    coefficients([&](auto r) { b.automorphism(r, x, 2 * kDegree - 1, primes_); });
    coefficients([&](auto r) { b.lift_digit(r, digit, primes_[2], primes_); });
    coefficients([&](auto r) { b.inverse_ntt_to_digits(r, a, primes_); });
    values([&](auto r) { b.lift_digit_to_ntt(r, digit, primes_[2], primes_); });
    coefficients([&](auto r) { b.to_digits(r, x, primes_); });
    values([&](auto r) { b.divide_and_round_by_last(r, a, primes_, 3); }, 1);
    coefficients([&](auto r) { b.divide_and_round_by_last(r, x, primes_); }, 1);

    const Indices last(primes_.end() - 3, primes_.end());
    const Indices others(primes_.begin(), primes_.end() - 3);
    const BasisConversion conversion(basis_, last, others);
    coefficients([&](auto r) { b.convert_basis(r, x.part(5, 3), conversion); }, 3);
    values([&](auto r) { b.divide_and_round(r, a, primes_, conversion, 5); }, 3);
    Words residues(kDegree);
    b.convert_to_modulus(residues, x.part(5, 3), BasisConversion(basis_, last, Modulus(786433)));
    results.push_back(residues);
    append_key_products(results);
    return results;
  }

  void append_key_products(std::vector<Words>& results) const {
    // Limbs of keys are in the order of the basis, and here those of the digits are too.
    const Indices all = first_primes(primes_.size());
    const std::vector<ConstNttView> digits{ordered_.view(), ordered_.view(), ordered_.view()};
    const auto key = backend_->prepare_key(digits, digits);
    NttPoly sum_b(primes_.size(), kDegree);
    NttPoly sum_a(primes_.size(), kDegree);
    const auto add = [&](std::span<const ConstNttView> some, std::size_t first) {
      backend_->key_inner_product(sum_b.view_for_writing(), sum_a.view_for_writing(), some, first,
                                  *key, all);
    };
    add(std::span(digits).first(2), 0);
    add(std::span(digits).last(1), 2);
    results.push_back(all_words(sum_b));
    results.push_back(all_words(sum_a));
  }

  const Indices primes_{4, 0, 6, 5, 2, 7, 1, 3};
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
  expect_in_threads(
      1, [&](std::size_t, std::size_t) { return results_of_all_primitives() == expected; });
}

}  // namespace
}  // namespace ringlet::test
