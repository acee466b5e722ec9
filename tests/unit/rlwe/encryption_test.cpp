// SPDX-License-Identifier: Apache-2.0
#include "ringlet/schemes/decryptor.hpp"
#include "ringlet/schemes/encryptor.hpp"
#include "rlwe/checks.hpp"
#include "rlwe/random/samplers.hpp"
#include "rlwe_support.hpp"
#include "schemes/operand_entry.hpp"
#include "support/threads.hpp"

namespace ringlet::test {
namespace {

constexpr double kErrorVariance = 10.5;
constexpr double kTernaryVariance = 2 / 3.0;

// Coefficients are sums of many independent terms: seven standard deviations are exceeded with a
// chance of about 3e-12 each.
constexpr double kDeviations = 7;

struct Scheme {
  explicit Scheme(const Context& context_in)
      : context(context_in),
        keys(context),
        encryptor(context, keys.create_public_key(), keys.secret_key()),
        decryptor(context, keys.secret_key()) {}

  std::vector<std::int64_t> noise(const Ciphertext& zero) const {
    const ContextData& level = *context.get_context_data(zero.parms_id());
    return small_coefficients(context, decryptor.decrypt(zero).ntt_view(), level.primes());
  }

  Context context;
  KeyGenerator keys;
  Encryptor encryptor;
  Decryptor decryptor;
};

// The standard deviation of the noise of public-key encryption. b*u + e_0 + (a*u + e_1)*s is
// e_0 + e_1*s - e*u, N terms in each product. The division by the prime P rounds c_0 and c_1*s.
double public_deviation(double degree, double divisor) {
  const double sum = kErrorVariance * (1 + 2 * degree * kTernaryVariance);
  if (divisor == 1) return std::sqrt(sum);
  return std::sqrt(sum / (divisor * divisor) + (1 + degree * kTernaryVariance) / 12);
}

TEST(Encryption, ZerosHaveTheNoiseOfOneErrorOrOfTheRounding) {
  for (const std::vector<int>& chain : {std::vector<int>{40, 40, 41}, {50}}) {
    const Scheme scheme(toy_context(4096, chain));
    const double divisor = chain.size() == 1 ? 1 : std::ldexp(1, 40);  // of public encryption
    for (const ContextData* level : levels_of(scheme.context)) {
      for (const bool symmetric : {false, true}) {
        const Ciphertext zero = symmetric
                                    ? scheme.encryptor.encrypt_zero_symmetric(level->parms_id())
                                    : scheme.encryptor.encrypt_zero(level->parms_id());
        EXPECT_EQ(zero.parms_id(), level->parms_id());
        EXPECT_EQ(zero.coeff_modulus_size(), level->prime_count());
        const auto noise = scheme.noise(zero);
        const double deviation =
            symmetric ? std::sqrt(kErrorVariance) : public_deviation(4096, divisor);
        EXPECT_LE(largest(noise), symmetric ? 21 : kDeviations * deviation);
        // The sample deviation of 4096 values varies by about 1.1 %. In public encryption s is
        // fixed too, and its weight changes the deviation by a percent.
        EXPECT_NEAR(standard_deviation(noise), deviation, (symmetric ? 0.07 : 0.12) * deviation);
      }
    }
  }
}

// Under a key with the same polynomial twice, the polynomials of a zero differ by their errors.
TEST(Encryption, BothPolynomialsHaveErrorsOfTheirOwn) {
  const Scheme scheme(toy_context(4096, {50}));
  Ciphertext twice = scheme.keys.create_public_key().data();
  std::ranges::copy(std::as_const(twice).ntt_view(0).limb(0),
                    twice.ntt_view_for_writing(1).limb(0).begin());
  Ciphertext zero = Encryptor(scheme.context, PublicKey(scheme.context, twice)).encrypt_zero();
  const PrimeIndices primes = scheme.context.first_context_data()->primes();
  const NttView first = zero.ntt_view_for_writing(0);
  scheme.context.backend().subtract(first, first, std::as_const(zero).ntt_view(1), primes);
  const auto difference = small_coefficients(scheme.context, first, primes);
  EXPECT_NEAR(standard_deviation(difference), std::sqrt(2 * kErrorVariance), 0.07 * 4.58);
}

TEST(Encryption, SmallestRingWorks) {
  const Scheme scheme(toy_context(2, {30, 30}));
  EXPECT_LE(largest(scheme.noise(scheme.encryptor.encrypt_zero_symmetric())), 21);
  EXPECT_LE(largest(scheme.noise(scheme.encryptor.encrypt_zero())), 3)
      << "rounding of c_0 and of two coefficients of c_1";
}

Plaintext random_plaintext(const Context& context, const ContextData& level, std::mt19937_64& rng) {
  Plaintext plain(level);
  fill_uniform(plain.ntt_view_for_writing(), context, level.primes(), rng);
  plain.scale() = std::ldexp(1.5, 30);
  return plain;
}

TEST(Encryption, DecryptsToTheMessagePlusNoise) {
  const Scheme scheme(toy_context(1024, {40, 49, 60, 61}));
  auto rng = make_rng();
  for (const ContextData* level : levels_of(scheme.context)) {
    const Plaintext plain = random_plaintext(scheme.context, *level, rng);
    for (const bool symmetric : {false, true}) {
      const Ciphertext encrypted =
          symmetric ? scheme.encryptor.encrypt_symmetric(plain) : scheme.encryptor.encrypt(plain);
      EXPECT_EQ(encrypted.size(), 2u);
      EXPECT_EQ(encrypted.parms_id(), level->parms_id());
      EXPECT_EQ(encrypted.scale(), plain.scale());
      EXPECT_TRUE(encrypted.is_ntt_form());
      EXPECT_FALSE(encrypted.is_transparent());
      EXPECT_EQ(encrypted.byte_count(), 2 * level->prime_count() * 1024 * 8);
      const Plaintext decrypted = scheme.decryptor.decrypt(encrypted);
      EXPECT_EQ(decrypted.parms_id(), level->parms_id());
      EXPECT_EQ(decrypted.scale(), plain.scale());
      NttPoly difference(level->prime_count(), 1024);
      scheme.context.backend().subtract(difference.view_for_writing(), decrypted.ntt_view(),
                                        plain.ntt_view(), level->primes());
      const double bound = symmetric ? 21 : kDeviations * public_deviation(1024, 1e12);
      EXPECT_LE(largest(small_coefficients(scheme.context, difference.view(), level->primes())),
                bound);
    }
  }
}

TEST(Encryption, DecryptsEverySizeByPowersOfTheSecret) {
  const Scheme scheme(toy_context(256, {30, 31, 32}));
  auto rng = make_rng();
  const ContextData& level = *scheme.context.first_context_data();
  for (std::size_t size = kMinCiphertextSize; size <= kMaxCiphertextSize; ++size) {
    Ciphertext encrypted(level, size);
    for (std::size_t i = 0; i < size; ++i) {
      fill_uniform(encrypted.ntt_view_for_writing(i), scheme.context, level.primes(), rng);
    }
    const Plaintext decrypted = scheme.decryptor.decrypt(encrypted);
    EXPECT_EQ(words_of(decrypted.ntt_view()),
              words_of(phase(scheme.context, scheme.keys.secret_key(), encrypted).view()))
        << size;
  }
}

// The same encryption, composed of plain primitives: a zero over all primes of the level above,
// then the division.
Words composed_zero(const Context& context, const ContextData& level, const PublicKey& key,
                    const RandomSource& random) {
  const Backend& backend = context.backend();
  const ContextData& above = *level.prev_context_data();
  const auto small = [&](const rlwe::SmallPoly& values) {
    CoeffPoly coefficients(above.prime_count(), above.degree());
    rlwe::write_small(coefficients.view_for_writing(), values, backend.basis(), above.primes());
    NttPoly result(above.prime_count(), above.degree());
    backend.forward_ntt(result.view_for_writing(), coefficients.view(), above.primes());
    return result;
  };
  const rlwe::Seed seed(random);
  rlwe::SmallPoly values(level.degree());
  rlwe::RandomStream ternary(seed, {rlwe::StreamPurpose::ternary});
  rlwe::sample_ternary(values, ternary);
  const NttPoly u = small(values);
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; i < 2; ++i) {
    rlwe::RandomStream error(seed, {rlwe::StreamPurpose::error, i});
    rlwe::sample_error(values, error);
    NttPoly sum = small(values);
    backend.multiply_add(sum.view_for_writing(), key.data().ntt_view(i).first(above.prime_count()),
                         u.view(), sum.view(), above.primes());
    const NttView quotient = sum.view_for_writing().first(level.prime_count());
    backend.divide_and_round_by_last(quotient, sum.view(), above.primes());
    const auto poly = words_of(quotient);
    words.insert(words.end(), poly.begin(), poly.end());
  }
  return words;
}

TEST(Encryption, IsTheRoundedQuotientExactly) {
  // The last primes are of equal size, much larger and much smaller than the others, and tiny.
  std::vector<Context> contexts{context_of(ckks_of(2, {Modulus(29), Modulus(5), Modulus(13)}))};
  for (const std::vector<int>& chain :
       std::vector<std::vector<int>>{{40, 40, 40}, {25, 30, 61}, {61, 60, 25}, {61, 30, 13}}) {
    contexts.push_back(toy_context(256, chain));
  }
  for (const Context& context : contexts) {
    const PublicKey key = KeyGenerator(context).create_public_key();
    for (const ContextData* level : levels_of(context)) {
      const Encryptor encryptor(context, key, RandomSource::for_testing(test_seed()));
      EXPECT_EQ(words_of(encryptor.encrypt_zero(level->parms_id())),
                composed_zero(context, *level, key, RandomSource::for_testing(test_seed())));
    }
  }
}

TEST(Encryption, TheUniformHalfComesFromASeedOfItsOwn) {
  const Context context = toy_context(256, {30, 49, 60});
  const KeyGenerator keys(context);
  const Encryptor encryptor(context, keys.secret_key(), RandomSource::for_testing(test_seed()));
  const Ciphertext zero = encryptor.encrypt_zero_symmetric();
  const rlwe::Seed seed(RandomSource::for_testing(test_seed()));
  const rlwe::Seed public_seed(seed, {rlwe::StreamPurpose::public_seed});
  for (std::size_t i = 0; i < 2; ++i) {
    std::vector<std::uint64_t> expected(256);
    rlwe::RandomStream stream(public_seed, {rlwe::StreamPurpose::uniform, 0, i});
    rlwe::sample_uniform(expected, context.backend().basis()[i], stream);
    const auto limb = zero.ntt_view(1).limb(i);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), limb.begin(), limb.end())) << i;
  }
}

TEST(Encryption, EveryEncryptionIsFresh) {
  const Scheme scheme(toy_context(256, {30, 31}));
  EXPECT_NE(words_of(scheme.encryptor.encrypt_zero()), words_of(scheme.encryptor.encrypt_zero()));
  EXPECT_NE(words_of(scheme.encryptor.encrypt_zero_symmetric()),
            words_of(scheme.encryptor.encrypt_zero_symmetric()));
  const KeyGenerator other(scheme.context);
  EXPECT_NE(words_of(other.secret_key().view()), words_of(scheme.keys.secret_key().view()));
}

TEST(Encryption, TheTestingSourceRepeatsEveryBit) {
  const Context context = toy_context(256, {30, 49, 60});
  const auto make = [&](std::uint64_t seed) {
    const KeyGenerator keys(context, RandomSource::for_testing(seed));
    const Encryptor encryptor(context, keys.create_public_key(), keys.secret_key(),
                              RandomSource::for_testing(seed + 1));
    std::vector<Words> words;
    words.push_back(words_of(keys.secret_key().view()));
    words.push_back(words_of(encryptor.encrypt_zero()));
    words.push_back(words_of(encryptor.encrypt_zero_symmetric()));
    const RelinKeys relin = keys.create_relin_keys();
    words.push_back(words_of(relin.key(2).b(1)));
    words.push_back(words_of(relin.key(2).a(0)));
    return words;
  };
  const auto first = make(5);
  EXPECT_EQ(make(5), first);
  const auto other = make(6);
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_NE(other[i], first[i]) << i;
}

TEST(Encryption, IsSharedByThreads) {
  const Scheme scheme(toy_context(1024, {40, 41, 42}));
  std::array<double, kThreads> noise{};
  in_threads([&](std::size_t thread) {
    for (int i = 0; i < 3; ++i) {
      const double fresh = largest(scheme.noise(scheme.encryptor.encrypt_zero()));
      noise[thread] = std::max(noise[thread], fresh);
    }
  });
  EXPECT_LE(std::ranges::max(noise), kDeviations * public_deviation(1024, 1e12));
}

// Refusals of keys, forms and operands. The tests of schemes have those common to all schemes.

class Refusal : public ::testing::Test {
 protected:
  Context context_ = toy_context(256, {30, 30, 31});
  Context other_context_ = toy_context(256, {30, 30, 32});
  KeyGenerator keys_{context_};
  KeyGenerator other_keys_{other_context_};
  Encryptor encryptor_{context_, keys_.create_public_key(), keys_.secret_key()};
  Decryptor decryptor_{context_, keys_.secret_key()};
};

TEST_F(Refusal, KeysThatAreEmptyOrOfAnotherContext) {
  const auto expect_refused = [&](const PublicKey& public_key, const SecretKey& secret,
                                  const std::string& reason) {
    const auto of_public = {std::string("public key"), reason};
    const auto of_secret = {std::string("secret key"), reason};
    expect_refusal([&] { Encryptor(context_, public_key); }, "Encryptor", of_public);
    expect_refusal([&] { Encryptor(context_, secret); }, "Encryptor", of_secret);
    expect_refusal([&] { Decryptor(context_, secret); }, "Decryptor", of_secret);
    expect_refusal([&] { KeyGenerator(context_, secret); }, "KeyGenerator", of_secret);
    expect_refusal([&] { encryptor_.set_public_key(public_key); }, "Encryptor", of_public);
    expect_refusal([&] { encryptor_.set_secret_key(secret); }, "Encryptor", of_secret);
  };
  expect_refused(PublicKey(), SecretKey(), "empty ");
  const SecretKey& other = other_keys_.secret_key();
  const std::string id = to_string(other.parms_id()).substr(0, 16);
  expect_refused(other_keys_.create_public_key(), other, id);
  expect_refusal([&] { Encryptor(context_, other); }, "Encryptor",
                 {to_string(context_.key_parms_id()).substr(0, 16)});
  // The encryptor still has its keys.
  const Plaintext zero = decryptor_.decrypt(encryptor_.encrypt_zero_symmetric());
  EXPECT_LE(largest(small_coefficients(context_, zero.ntt_view(),
                                       context_.first_context_data()->primes())),
            21);
}

// Expects the refusal of a view of another form, or of a polynomial that does not exist.
template <typename Error = LogicError, typename Call>
void expect_no_view(const std::string& of, std::initializer_list<std::string> parts, Call call) {
  expect_refusal_of<Error>(of, parts, call);
}

TEST_F(Refusal, SizesAndFormsOfCiphertexts) {
  const ContextData& level = *context_.first_context_data();
  for (const std::size_t size : {0, 1, 17}) {
    expect_refusal([&] { Ciphertext(level, size); }, "Ciphertext",
                   {"size = " + std::to_string(size), "2 to 16"});
  }
  Ciphertext a(level);
  Ciphertext coefficients(level, 3, Form::coefficient);
  const std::string of = "Ciphertext::";
  expect_no_view<OutOfRange>(of + "ntt_view", {"index = 2", "size = 2"}, [&] { a.ntt_view(2); });
  expect_no_view<OutOfRange>(of + "ntt_view_for_writing", {"index = 0"},
                             [] { Ciphertext().ntt_view_for_writing(0); });
  expect_no_view(of + "coeff_view", {"NTT form", "coefficient form"}, [&] { a.coeff_view(0); });
  expect_no_view(of + "coeff_view_for_writing", {"NTT form"}, [&] { a.coeff_view_for_writing(1); });
  expect_no_view(of + "ntt_view", {"coefficient form"}, [&] { coefficients.ntt_view(0); });
  EXPECT_EQ(coefficients.coeff_view(2).limb_count, 2u);
}

TEST_F(Refusal, FormsOfPlaintexts) {
  Plaintext plain(*context_.first_context_data());
  Plaintext coefficients(256);
  const std::string of = "Plaintext::";
  expect_no_view(of + "coefficients", {"NTT form"}, [&] { plain.coefficients(); });
  expect_no_view(of + "coefficients_for_writing", {"NTT form"},
                 [&] { plain.coefficients_for_writing(); });
  expect_no_view(of + "coefficients", {"NTT form"}, [&] { plain.resize(3); });
  expect_no_view(of + "ntt_view", {"no polynomial"}, [] { Plaintext().ntt_view(); });
  expect_no_view(of + "ntt_view_for_writing", {"coefficient form"},
                 [&] { coefficients.ntt_view_for_writing(); });
  expect_no_view(of + "ntt_view", {"coefficient form"},
                 [&] { std::as_const(coefficients).ntt_view(); });
  EXPECT_EQ(plain.byte_count(), 2 * 256 * 8u);
  EXPECT_TRUE(Plaintext().coefficients().empty());
  EXPECT_EQ(coefficients.byte_count(), 256 * 8u);
  EXPECT_EQ(coefficients.coefficients_for_writing().size(), 256u);
}

TEST_F(Refusal, TransparentCiphertextsAreRecognised) {
  const ContextData& level = *context_.first_context_data();
  Ciphertext encrypted(level, 3);
  EXPECT_TRUE(Ciphertext().is_transparent());
  EXPECT_TRUE(encrypted.is_transparent());
  encrypted.ntt_view_for_writing(0).limb(1)[255] = 1;
  EXPECT_TRUE(encrypted.is_transparent()) << "c_0 alone hides nothing";
  encrypted.ntt_view_for_writing(2).limb(1)[255] = 1;
  EXPECT_FALSE(encrypted.is_transparent());
  EXPECT_FALSE(encryptor_.encrypt_zero().is_transparent());
}

TEST_F(Refusal, MismatchesNameBothOperands) {
  Ciphertext a(*context_.first_context_data());
  Ciphertext b(*context_.last_context_data());
  a.scale() = std::ldexp(1, 40);
  b.scale() = 3;
  const auto named = [&](const auto& call) {
    schemes::operand_entry("op", context_, std::tie(a, b), call);
  };
  expect_refusal([&] { named([&] { rlwe::check_same_level(a, b); }); }, "op",
                 {"level 1, scale 1099511627776 (2^40)", "level 0, scale 3", "mod_switch_to"});
  expect_refusal([&] { named([&] { rlwe::check_same_scale(a, b); }); }, "op",
                 {"(2^40)", "scale 3"});
  b.scale() = a.scale();
  rlwe::check_same_scale(a, b);
  b = Ciphertext(*context_.first_context_data());
  rlwe::check_same_level(a, b);
  EXPECT_EQ(rlwe::describe(context_, Ciphertext()), "no level of this context, scale 1 (2^0)");
}

TEST(Scales, MatchUpToOneUnitInTheLastPlace) {
  const double scale = std::ldexp(1.5, 40);
  EXPECT_TRUE(rlwe::scales_match(scale, scale));
  EXPECT_TRUE(rlwe::scales_match(scale, std::nextafter(scale, 0)));
  EXPECT_FALSE(rlwe::scales_match(scale, scale * (1 + 1e-15)));
  EXPECT_TRUE(rlwe::scales_match(0x1p-60, std::nextafter(0x1p-60, 1)));
  EXPECT_FALSE(rlwe::scales_match(0x1p-60, 0x1p-60 * (1 + 1e-15)));
  EXPECT_FALSE(rlwe::scales_match(scale, std::numeric_limits<double>::quiet_NaN()));
}

}  // namespace
}  // namespace ringlet::test
