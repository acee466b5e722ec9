// SPDX-License-Identifier: Apache-2.0
#include "rlwe/samplers.hpp"
#include "support/test.hpp"
#include "unit/schemes/cyclotomic_support.hpp"

// Noise over Z[X]/Phi_m stays below the bounds of docs/notes/cyclotomic_noise.md, and the default
// sets reach the depths that it promises.

namespace ringlet::test {
namespace {

using Words = GeneralBench::Words;

/// The bounds of docs/notes/cyclotomic_noise.md, section by section; w is the noise that a budget
/// counts, log2(q / (2w)).
class NoiseBounds {
 public:
  explicit NoiseBounds(const Context& context)
      : context_(context),
        d_(static_cast<long double>(context.ring().expansion_factor())),
        t_(static_cast<long double>(context.plain_modulus().value())),
        error_(static_cast<long double>(context.error_sampler().bound())) {}

  /// Encryption with the public key, divided by the special prime.
  long double fresh() const {
    return t_ + t_ * error_ * (1 + 2 * d_) / special_prime() + rounding();
  }
  long double product(long double w1, long double w2) const {
    if (context_.scheme() == SchemeType::bgv) return d_ * w1 * w2;
    const long double wrap = t_ * (2 + d_) / 2;
    return d_ * (w1 * wrap + w2 * wrap + w1 * w2 / modulus()) + t_ * (1 + d_ + d_ * d_);
  }
  long double relinearization(const ContextData& level) const {
    long double sum = 0;
    for (const Modulus& q : level.coeff_modulus()) sum += static_cast<long double>(q.value());
    return d_ * sum / 2 * t_ * error_ / special_prime() + rounding();
  }

 private:
  /// A division by primes rounds both polynomials, that of s too.
  long double rounding() const { return t_ * (1 + d_) / 2; }
  long double special_prime() const {
    return static_cast<long double>(context_.key_context_data()->coeff_modulus().back().value());
  }
  long double modulus() const {
    return std::exp2(static_cast<long double>(
        context_.first_context_data()->total_coeff_modulus_bit_count() - 1));
  }

  const Context& context_;
  long double d_;
  long double t_;
  long double error_;
};

int bound_bits(long double noise) { return static_cast<int>(std::ceil(std::log2(noise))); }

/// docs/notes/cyclotomic_noise.md, default sets with t = 2; 1 for others.
int promised_depth(const GeneralRing& ring) {
  const bool is_bfv = ring.scheme == SchemeType::bfv;
  if (ring.m == 10773) return is_bfv ? 7 : 4;
  if (ring.m == 8191) return is_bfv ? 11 : 6;
  return 1;
}

class GeneralNoise : public ::testing::TestWithParam<GeneralRing> {
 protected:
  /// Bits of the noise: what the budget leaves of the modulus.
  int noise_bits(const Ciphertext& a) const {
    return bench_.context.get_context_data(a.parms_id())->total_coeff_modulus_bit_count() - 1 -
           bench_.decryptor.invariant_noise_budget(a);
  }
  GeneralBench bench_{GetParam()};
  std::mt19937_64 rng_ = make_rng(GetParam().m);
};

TEST_P(GeneralNoise, StaysBelowItsBounds) {
  const NoiseBounds bounds(bench_.context);
  for (int repetition = 0; repetition < 3; ++repetition) {
    const Ciphertext x = bench_.encrypt(bench_.random_message(rng_));
    const Ciphertext y = bench_.encrypt(bench_.random_message(rng_));
    EXPECT_LE(noise_bits(x), bound_bits(bounds.fresh()));
    const long double product = bounds.product(bounds.fresh(), bounds.fresh());
    const Ciphertext xy = bench_.apply(&Evaluator::multiply, x, y);
    EXPECT_LE(noise_bits(xy), bound_bits(product));
    const long double switched =
        product + bounds.relinearization(*bench_.context.first_context_data());
    EXPECT_LE(noise_bits(bench_.multiply(x, y)), bound_bits(switched));
  }
}

/// Whether the noise is about as large as the last prime: dropping it before would cost more than
/// it gains.
bool pays_to_switch(const ContextData& level, int noise) {
  constexpr int kNear = 8;
  return level.next_context_data() != nullptr &&
         noise + kNear > level.coeff_modulus().back().bit_count();
}

// Pairs (x, y) become (x*y, y*y), level by level; BGV drops primes when the noise has outgrown
// them.
TEST_P(GeneralNoise, ProductsReachThePromisedDepth) {
  Words a = bench_.random_message(rng_);
  Words b = bench_.random_message(rng_);
  Ciphertext x = bench_.encrypt(a);
  Ciphertext y = bench_.encrypt(b);
  const auto shrink = [&](Ciphertext& c) {
    if (GetParam().scheme == SchemeType::bfv) return;
    const ContextData* level = bench_.context.get_context_data(c.parms_id());
    if (!pays_to_switch(*level, noise_bits(c))) return;
    bench_.evaluator.mod_switch_to_next_inplace(c);
  };
  int depth = 0;
  for (; depth < 20; ++depth) {
    a = bench_.flint.product(a, b);
    b = bench_.flint.product(b, b);
    x = bench_.multiply(x, y);
    y = bench_.multiply(y, y);
    if (bench_.decryptor.invariant_noise_budget(x) == 0) break;
    if (bench_.decryptor.invariant_noise_budget(y) == 0) break;
    ASSERT_EQ(bench_.decrypt(x), a) << "depth " << depth + 1;
    ASSERT_EQ(bench_.decrypt(y), b) << "depth " << depth + 1;
    shrink(x);
    shrink(y);
    if (x.parms_id() == y.parms_id()) continue;
    const bool x_is_lower = bench_.context.get_context_data(x.parms_id())->chain_index() <
                            bench_.context.get_context_data(y.parms_id())->chain_index();
    bench_.evaluator.mod_switch_to_inplace(x_is_lower ? y : x,
                                           x_is_lower ? x.parms_id() : y.parms_id());
  }
  RecordProperty("depth", depth);
  EXPECT_GE(depth, promised_depth(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(
    Rings, GeneralNoise,
    ::testing::Values(GeneralRing{SchemeType::bfv, 10773, 2, {}, {}},
                      GeneralRing{SchemeType::bgv, 10773, 2, {}, {}},
                      GeneralRing{SchemeType::bfv, 8191, 2, {}, {}},
                      GeneralRing{SchemeType::bgv, 8191, 2, {}, {}},
                      GeneralRing{SchemeType::bfv, 105, 257, {45, 46, 47}, {49}},
                      GeneralRing{SchemeType::bgv, 105, 257, {45, 46, 47}, {49}}),
    [](const auto& test) { return name_of(test.param); });

}  // namespace
}  // namespace ringlet::test
