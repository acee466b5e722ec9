// SPDX-License-Identifier: Apache-2.0
// BFV and BGV over Z[X]/Phi_m, compared with FLINT modulo (Phi_m, t). Noise stays below the bounds
// of docs/notes/cyclotomic_noise.md, and the default sets reach the depths that the note promises.

#include "rlwe/random/samplers.hpp"
#include "support/reference/cyclotomic_reference.hpp"
#include "unit/schemes/exact_support.hpp"

namespace ringlet::test {
namespace {

/// A scheme over a ring with its plain modulus. Without bit sizes it has the default set of 128
/// bits.
struct GeneralRing {
  SchemeType scheme;
  std::uint64_t m;
  std::uint64_t t;
  std::vector<int> data = {};
  std::vector<int> special = {};
  std::size_t digit_size = 0;
};

std::string name_of(const ::testing::TestParamInfo<GeneralRing>& test) {
  return std::string(to_string(test.param.scheme)) + "_" + std::to_string(test.param.m) + "_" +
         std::to_string(test.param.t);
}
void PrintTo(const GeneralRing& ring, std::ostream* stream) {
  *stream << to_string(ring.scheme) << ", m = " << ring.m << ", t = " << ring.t;
}

Context context_of(const GeneralRing& with) {
  const RingSpec ring = RingSpec::cyclotomic(with.m);
  if (with.data.empty()) {
    return Context(default_parameters(with.scheme, ring, with.t), SecurityLevel::tc128);
  }
  return test::context_of(
      parameters_of(with.scheme, ring, with.data, with.special, with.t, with.digit_size));
}

class GeneralRings : public ::testing::TestWithParam<GeneralRing> {
 protected:
  Words random_message() {
    Words words = random_residues(exact_.degree(), exact_.t(), rng_);
    for (std::uint64_t& word : words) word = rng_() % 8 == 0 ? exact_.t() - 1 : word;
    words.back() = 1;  // full degree
    return words;
  }
  Ciphertext encrypt(const Words& words) const { return exact_.encrypt(plain_of(words)); }
  Words decrypt(const Ciphertext& encrypted) const {
    return words_of_plain(exact_.decryptor.decrypt(encrypted), exact_.degree());
  }
  template <typename Function, typename... Operands>
  Ciphertext apply(Function function, const Operands&... operands) const {
    return result_of(exact_.evaluator, function, operands...);
  }
  template <typename Function, typename... Operands>
  void expect_message(const Words& expected, Function function, const Operands&... operands) const {
    EXPECT_EQ(decrypt(apply(function, operands...)), expected);
  }
  Ciphertext multiply(const Ciphertext& a, const Ciphertext& b) const {
    return apply(&Evaluator::relinearize, apply(&Evaluator::multiply, a, b), exact_.relin_keys);
  }
  /// a + factor * b.
  Words sum(const Words& a, const Words& b, std::uint64_t factor = 1) const {
    const Modulus& t = exact_.context.plain_modulus();
    Words result(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      result[i] = (a[i] + t.multiply(factor, b[i])) % t.value();
    }
    return result;
  }
  Words difference(const Words& a, const Words& b) const { return sum(a, b, exact_.t() - 1); }
  const ContextData& level(const Ciphertext& a) const { return exact_.level(a); }

  Exact exact_{context_of(GetParam())};
  FlintRing flint_{GetParam().m, GetParam().t};
  std::mt19937_64 rng_ = make_rng(GetParam().m);
  Words a_ = random_message();
  Words b_ = random_message();
  Ciphertext x_ = encrypt(a_);
  Ciphertext y_ = encrypt(b_);
};

TEST_P(GeneralRings, DecryptWhatWasEncrypted) {
  EXPECT_EQ(decrypt(x_), a_);
  EXPECT_EQ(decrypt(exact_.encryptor.encrypt_symmetric(plain_of(b_))), b_);
  for (const std::uint64_t edge : {std::uint64_t{0}, exact_.t() - 1}) {
    const Words words(exact_.degree(), edge);
    EXPECT_EQ(decrypt(encrypt(words)), words);
  }
}

TEST_P(GeneralRings, SumsAreThoseOfTheRing) {
  expect_message(sum(a_, b_), &Evaluator::add, x_, y_);
  expect_message(difference(a_, b_), &Evaluator::sub, x_, y_);
  expect_message(difference(Words(a_.size()), a_), &Evaluator::negate, x_);
  expect_message(sum(a_, b_), &Evaluator::add_plain, x_, plain_of(b_));
  expect_message(difference(a_, b_), &Evaluator::sub_plain, x_, plain_of(b_));
}

TEST_P(GeneralRings, ProductsAreThoseOfTheRing) {
  const Words expected = flint_.product(a_, b_);
  expect_message(expected, &Evaluator::multiply, x_, y_);
  const Ciphertext relinearized = multiply(x_, y_);
  EXPECT_EQ(relinearized.size(), 2u);
  EXPECT_EQ(decrypt(relinearized), expected);
  expect_message(flint_.product(a_, a_), &Evaluator::square, x_);
  expect_message(expected, &Evaluator::multiply_plain, x_, plain_of(b_));
}

TEST_P(GeneralRings, AutomorphismsSubstitute) {
  const RingSpec& ring = exact_.context.ring();
  std::vector<std::uint64_t> elements{ring.conjugation_element()};
  while (elements.size() < 3) {
    const std::uint64_t g = rng_() % ring.cyclotomic_index();
    if (ring.is_galois_element(g)) elements.push_back(g);
  }
  const GaloisKeys keys = exact_.keygen.create_galois_keys_for_elements(elements);
  for (const std::uint64_t g : elements) {
    SCOPED_TRACE(g);
    expect_message(flint_.substitute(a_, g), &Evaluator::apply_galois, x_, g, keys);
  }
}

TEST_P(GeneralRings, LevelsKeepMessages) {
  const auto levels = exact_.levels();
  if (levels.size() == 1) GTEST_SKIP() << "one level alone";
  exact_.evaluator.mod_switch_to_inplace(x_, levels[1]->parms_id());
  exact_.evaluator.mod_switch_to_inplace(y_, levels[1]->parms_id());
  EXPECT_EQ(decrypt(x_), a_);
  expect_message(sum(a_, b_), &Evaluator::add, x_, y_);
  if (levels.size() == 2) return;
  EXPECT_EQ(decrypt(multiply(x_, y_)), flint_.product(a_, b_)) << "below the first level";
}

std::vector<GeneralRing> small_rings() {
  std::vector<GeneralRing> rings;
  for (const SchemeType scheme : {SchemeType::bfv, SchemeType::bgv}) {
    for (const std::uint64_t m : {3u, 7u, 15u, 21u, 45u, 105u, 385u, 511u}) {
      rings.push_back({scheme, m, 2, {49, 49, 49}, {49}});
    }
    // Other plain moduli, 4 | m, digits of several primes, primes of other sizes.
    rings.push_back({scheme, 9, 257, {45, 46, 49}, {49}});
    rings.push_back({scheme, 12, 5, {40, 41, 42}, {42}});
    rings.push_back({scheme, 60, 49, {50, 60, 61}, {61}});
    rings.push_back({scheme, 105, 1 << 16, {49, 49, 49, 49}, {49, 49}, 2});
    rings.push_back({scheme, 255, 4, {61, 61}, {61}});
    rings.push_back({scheme, 257, 1000, {45, 45, 45}, {45}});
  }
  return rings;
}

// The rings of published experiments at 128 bits, and one whose degree is a multiple of neither 8
// nor the tile of basis conversions.
std::vector<GeneralRing> large_rings() {
  std::vector<GeneralRing> rings;
  for (const SchemeType scheme : {SchemeType::bfv, SchemeType::bgv}) {
    rings.push_back({scheme, 10773, 2});
    rings.push_back({scheme, 8191, 2});
    rings.push_back({scheme, 5913, 2, {49, 49}, {49}});
    rings.push_back({scheme, 2783, 2, {49, 49}, {49}});
  }
  return rings;
}

INSTANTIATE_TEST_SUITE_P(Small, GeneralRings, ::testing::ValuesIn(small_rings()), name_of);
INSTANTIATE_TEST_SUITE_P(Large, GeneralRings, ::testing::ValuesIn(large_rings()), name_of);

/// The bounds of docs/notes/cyclotomic_noise.md, section by section. w is the noise of which a
/// budget is log2(q / (2w)).
class NoiseBounds {
 public:
  explicit NoiseBounds(const Context& context)
      : context_(context),
        d_(static_cast<long double>(context.ring().expansion_factor())),
        t_(static_cast<long double>(context.plain_modulus().value())),
        error_(static_cast<long double>(context.error_sampler().bound())) {}

  /// The noise of encryption with the public key, divided by the special prime.
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
  /// A division by primes rounds both polynomials, of which s multiplies one.
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

class GeneralNoise : public GeneralRings {
 protected:
  /// The bits of the noise: the modulus less the budget.
  int noise_bits(const Ciphertext& a) const {
    return level(a).total_coeff_modulus_bit_count() - 1 - budget(a);
  }
  int budget(const Ciphertext& a) const { return exact_.decryptor.invariant_noise_budget(a); }
  /// The depth that docs/notes/cyclotomic_noise.md promises for default sets with t = 2, else 1.
  static int promised_depth() {
    const bool is_bfv = GetParam().scheme == SchemeType::bfv;
    if (GetParam().m == 10773) return is_bfv ? 7 : 4;
    if (GetParam().m == 8191) return is_bfv ? 11 : 6;
    return 1;
  }
  /// BGV drops a prime once the noise is about as large; earlier, this would cost more than it
  /// gains.
  void shrink(Ciphertext& a) const {
    constexpr int kNear = 8;
    if (GetParam().scheme == SchemeType::bfv || level(a).next_context_data() == nullptr) return;
    if (noise_bits(a) + kNear <= level(a).coeff_modulus().back().bit_count()) return;
    exact_.evaluator.mod_switch_to_next_inplace(a);
  }
};

TEST_P(GeneralNoise, StaysBelowItsBounds) {
  const NoiseBounds bounds(exact_.context);
  for (int repetition = 0; repetition < 3; ++repetition) {
    const Ciphertext x = encrypt(random_message());
    const Ciphertext y = encrypt(random_message());
    EXPECT_LE(noise_bits(x), bound_bits(bounds.fresh()));
    const long double product = bounds.product(bounds.fresh(), bounds.fresh());
    EXPECT_LE(noise_bits(apply(&Evaluator::multiply, x, y)), bound_bits(product));
    EXPECT_LE(noise_bits(multiply(x, y)), bound_bits(product + bounds.relinearization(level(x))));
  }
}

// At each level, pairs (x, y) become (x*y, y*y).
TEST_P(GeneralNoise, ProductsReachThePromisedDepth) {
  int depth = 0;
  for (; depth < 20; ++depth) {
    a_ = flint_.product(a_, b_);
    b_ = flint_.product(b_, b_);
    x_ = multiply(x_, y_);
    y_ = multiply(y_, y_);
    if (budget(x_) == 0 || budget(y_) == 0) break;
    ASSERT_EQ(decrypt(x_), a_) << "depth " << depth + 1;
    ASSERT_EQ(decrypt(y_), b_) << "depth " << depth + 1;
    shrink(x_);
    shrink(y_);
    const bool x_is_lower = level(x_).chain_index() < level(y_).chain_index();
    exact_.evaluator.mod_switch_to_inplace(x_is_lower ? y_ : x_, (x_is_lower ? x_ : y_).parms_id());
  }
  EXPECT_GE(depth, promised_depth());
}

INSTANTIATE_TEST_SUITE_P(
    Rings, GeneralNoise,
    ::testing::Values(GeneralRing{SchemeType::bfv, 10773, 2},
                      GeneralRing{SchemeType::bgv, 10773, 2}, GeneralRing{SchemeType::bfv, 8191, 2},
                      GeneralRing{SchemeType::bgv, 8191, 2},
                      GeneralRing{SchemeType::bfv, 105, 257, {45, 46, 47}, {49}},
                      GeneralRing{SchemeType::bgv, 105, 257, {45, 46, 47}, {49}}),
    name_of);

}  // namespace
}  // namespace ringlet::test
