// SPDX-License-Identifier: Apache-2.0
// Results for sharing: the flooding of the formula, the promised precision, the declared number of
// decryptions, and refusals.
#include "ringlet/schemes/sharing_decryptor.hpp"

#include "support/threads.hpp"
#include "unit/schemes/exact_support.hpp"

namespace ringlet::test {
namespace {

// The modulus is 2^150 at the first level and 2^50 at the last.
constexpr std::size_t kSharedDegree = 1024;
constexpr double kSharedScale = 0x1p90;

const Ckks& bench() {
  static const Ckks ckks(kSharedDegree, {50, 50, 50, 60});
  return ckks;
}

double fresh_bits(const Ckks& ckks) { return std::log2(NoiseBound(ckks.context).fresh()); }

// A key of the same words, of which nothing was shared.
SecretKey unused_key() {
  auto words = words_of(bench().keygen.secret_key().view());
  const SecretKey borrowed = SecretKey::borrow(bench().context, words.data());
  SecretKey key = borrowed;
  return key;
}

SharingDecryptor sharing(const SharingPolicy& policy, const RandomSource& random = {}) {
  return SharingDecryptor(bench().context, unused_key(), policy, random);
}

Ciphertext one_half() { return bench().encrypt({{0.5, 0}}, kSharedScale); }

template <typename Error = InvalidArgument>
void expect_decrypt_refused(SharingDecryptor& decryptor, const Ciphertext& encrypted, double bits,
                            double magnitude, std::initializer_list<std::string> parts) {
  expect_refusal<Error>([&] { decryptor.decrypt(encrypted, bits, magnitude); },
                        "SharingDecryptor::decrypt", parts);
}

// The coefficients of a - b modulo the level's modulus, centred, divided by 2^bits.
std::vector<double> difference(const Ckks& ckks, const Plaintext& a, const Plaintext& b,
                               double bits) {
  const ContextData& level = *ckks.context.get_context_data(a.parms_id());
  const Backend& backend = ckks.context.backend();
  NttPoly values(level.prime_count(), level.degree());
  backend.subtract(values.view_for_writing(), a.ntt_view(), b.ntt_view(), level.primes());
  CoeffPoly coefficients(level.prime_count(), level.degree());
  backend.inverse_ntt(coefficients.view_for_writing(), values.view(), level.primes());
  const Integer modulus = modulus_of(ckks.context, level);
  std::vector<double> result;
  for (std::size_t n = 0; n < level.degree(); ++n) {
    const Integer value =
        centred(reconstruct(std::as_const(coefficients).view(), n, backend.basis(), level.primes()),
                modulus);
    signed long exponent = 0;
    const double mantissa = mpz_get_d_2exp(&exponent, value.get());
    result.push_back(mantissa * std::exp2(static_cast<double>(exponent) - bits));
  }
  return result;
}

// sigma = sqrt(12 * tau) * 2^(s/2) * (E + sqrt(N)/2), from its definition.
TEST(SharingDecryptor, TheDeviationIsThatOfTheFormula) {
  for (const std::uint64_t tau : {std::uint64_t{1}, std::uint64_t{1000}, kMaxSharedDecryptions}) {
    for (const int s : {kMinSharingSecurityBits, 30, 64, kMaxSharingSecurityBits}) {
      for (const std::size_t degree : {2u, 1024u, 131072u}) {
        for (const double e : {12.0, 13.7, 60.0, 180.0}) {
          const long double wanted = 0.5L * std::log2(12.0L * static_cast<long double>(tau)) +
                                     0.5L * s +
                                     std::log2(std::exp2(static_cast<long double>(e)) +
                                               std::sqrt(static_cast<long double>(degree)) / 2);
          const FloodingNoiseSize size =
              SharingDecryptor::flooding({.decryptions = tau, .security_bits = s}, degree, e);
          EXPECT_GE(size.deviation_bits, static_cast<double>(wanted) - 1e-10);
          EXPECT_LE(size.deviation_bits, static_cast<double>(wanted) + 1e-2);
          EXPECT_GT(size.slot_bits, size.deviation_bits + 0.5 * std::log2(degree));
          EXPECT_GT(size.coefficient_bits, size.deviation_bits + 2);
        }
      }
    }
  }
}

// Bounds fail with chance 2^-40: for sub-Gaussian values at any of the N roots it is a*exp(1 - a)
// for sqrt(a*N) deviations, for a coefficient 2*exp(-t^2/2).
TEST(SharingDecryptor, BoundsFailWithTheDeclaredChance) {
  for (const std::size_t degree : {2u, 1024u, 131072u}) {
    const FloodingNoiseSize size = SharingDecryptor::flooding({}, degree, 20);
    const auto n = static_cast<double>(degree);
    const double a = std::exp2(2 * (size.slot_bits - size.deviation_bits)) / n;
    EXPECT_NEAR(n * a * std::exp(1 - a), 0x1p-40, 0x1p-40 * 1e-6);
    const double t = std::exp2(size.coefficient_bits - size.deviation_bits);
    EXPECT_NEAR(n * 2 * std::exp(-t * t / 2), 0x1p-40, 0x1p-40 * 1e-6);
  }
}

// The difference to Decryptor's result has the declared deviation, coefficient by coefficient.
TEST(SharingDecryptor, FloodingHasTheDeclaredDistribution) {
  const Ckks& ckks = bench();
  auto rng = make_rng();
  const Ciphertext encrypted = ckks.encrypt(random_slots(kSharedDegree / 2, rng), kSharedScale);
  const Plaintext exact = ckks.decryptor.decrypt(encrypted);
  SharingDecryptor decryptor = sharing({.decryptions = 1000});
  const std::size_t rounds = std::min<std::size_t>(scaled(100), 1000);
  const double n = static_cast<double>(rounds * kSharedDegree);
  std::array<double, 5> moments{};  // of order 0 to 4
  for (std::size_t round = 0; round < rounds; ++round) {
    const SharedResult result = decryptor.decrypt(encrypted, fresh_bits(ckks));
    const FloodingNoiseSize& size = result.flooding;
    EXPECT_EQ(result.plaintext.parms_id(), exact.parms_id());
    EXPECT_EQ(result.plaintext.scale(), exact.scale());
    for (const double x : difference(ckks, result.plaintext, exact, size.deviation_bits)) {
      double power = 1 / n;
      for (double& moment : moments) {
        moment += power;
        power *= x;
      }
      EXPECT_LT(std::log2(std::abs(x)) + size.deviation_bits, size.coefficient_bits);
    }
  }
  EXPECT_NEAR(moments[1], 0, 6 / std::sqrt(n));
  EXPECT_NEAR(moments[2], 1, 6 * std::sqrt(2 / n));
  EXPECT_NEAR(moments[4], 3, 6 * std::sqrt(96 / n));
}

// At every level with room, slots are as near as promised, and most of the promised error occurs.
TEST(SharingDecryptor, ResultsAreWithinThePromisedPrecision) {
  const Ckks& ckks = bench();
  auto rng = make_rng();
  const Slots slots = random_slots(kSharedDegree / 2, rng);
  const Ciphertext encrypted = ckks.encrypt(slots, kSharedScale);
  for (const int bits : {20, 30, 64, 80}) {
    SharingDecryptor decryptor = sharing({.decryptions = 1000, .security_bits = bits});
    Ciphertext low = encrypted;
    for (std::size_t primes = 3; primes > 1; --primes) {
      if (primes < 3) ckks.evaluator.mod_switch_to_next_inplace(low);
      if (kSharedScale >= std::exp2(50.0 * static_cast<double>(primes) - 3)) continue;
      const SharedResult result = decryptor.decrypt(low, fresh_bits(ckks), std::sqrt(2.0));
      Slots decoded;
      ckks.encoder.decode(result.plaintext, decoded);
      const double bound = std::exp2(result.error_bits);
      EXPECT_EQ(result.precision_bits(), -result.error_bits);
      const double largest = largest_difference(decoded, slots);
      EXPECT_LE(largest, bound * (1 + 0x1p-20) + 0x1p-46) << bits;
      if (bound > 0x1p-40) {
        EXPECT_GE(largest, bound / 8) << "flooding is missing";
      }
    }
  }
  EXPECT_LT(SharingDecryptor::flooding({.security_bits = 30}, kSharedDegree, 10).slot_bits,
            SharingDecryptor::flooding({.security_bits = 31}, kSharedDegree, 10).slot_bits);
}

// The operand has three polynomials; docs/notes/ckks_error_bound.md bounds the product's noise.
TEST(SharingDecryptor, ProductsBeforeRelinearization) {
  const Ckks& ckks = bench();
  auto rng = make_rng();
  const Slots slots = random_slots(kSharedDegree / 2, rng);
  const double scale = 0x1p60;
  const Ciphertext square =
      result_of(ckks.evaluator, &Evaluator::square, ckks.encrypt(slots, scale));
  const double noise = product_noise(NoiseBound(ckks.context).fresh(), scale);
  SharingDecryptor decryptor = sharing({.security_bits = 30});
  const SharedResult result = decryptor.decrypt(square, std::log2(noise), 2);
  Slots expected = slots;
  for (auto& slot : expected) slot *= slot;
  Slots decoded;
  ckks.encoder.decode(result.plaintext, decoded);
  EXPECT_LE(largest_difference(decoded, expected), std::exp2(result.error_bits));
}

// (result - c_0) / c_1 over all primes. It is the secret key for anyone with the ciphertext and
// Decryptor's result (Li and Micciancio).
Words attacked(const Ckks& ckks, const Ciphertext& encrypted, const Plaintext& result) {
  Words words;
  const ContextData& level = ckks.level(encrypted);
  for (std::size_t i = 0; i < level.prime_count(); ++i) {
    const Modulus& q = level.coeff_modulus()[i];
    const auto c1 = encrypted.ntt_view(1).limb(i);
    for (std::size_t n = 0; n < level.degree(); ++n) {
      const std::uint64_t rest =
          sub_mod(result.ntt_view().limb(i)[n], encrypted.ntt_view(0).limb(i)[n], q.value());
      words.push_back(c1[n] == 0 ? 0 : q.multiply(rest, inverse_mod(c1[n], q)));
    }
  }
  return words;
}

TEST(SharingDecryptor, TheKeyDoesNotFollowFromAResultByDivision) {
  const Ckks& ckks = bench();
  const Ciphertext encrypted = one_half();
  const std::size_t limbs = ckks.level(encrypted).prime_count();
  const auto key = words_of(ckks.keygen.secret_key().view().first(limbs));
  const auto matches = [&](const Plaintext& result) {
    const auto found = attacked(ckks, encrypted, result);
    std::size_t same = 0;
    for (std::size_t i = 0; i < key.size(); ++i) same += found[i] == key[i] ? 1u : 0u;
    return same;
  };
  EXPECT_GE(matches(ckks.decryptor.decrypt(encrypted)), key.size() - 4) << "the attack works";
  SharingDecryptor decryptor = sharing({.decryptions = 1});
  EXPECT_LE(matches(decryptor.decrypt(encrypted, fresh_bits(ckks)).plaintext), 4u);
}

TEST(SharingDecryptor, TheDeclaredNumberHoldsForAllThreads) {
  const Ckks& ckks = bench();
  constexpr std::uint64_t kDeclared = 40;
  SharingDecryptor decryptor = sharing({.decryptions = kDeclared + 3, .decryptions_before = 3});
  const Ciphertext encrypted = one_half();
  std::atomic<std::uint64_t> made{0};
  std::atomic<std::uint64_t> refused{0};
  in_threads([&](std::size_t) {
    for (int i = 0; i < 9; ++i) {
      try {
        decryptor.decrypt(encrypted, fresh_bits(ckks));
        ++made;
      } catch (const LogicError&) {
        ++refused;
      }
    }
  });
  EXPECT_EQ(made, kDeclared);
  EXPECT_EQ(refused, kThreads * 9 - kDeclared);
  EXPECT_EQ(decryptor.decryptions_left(), 0u);
  expect_decrypt_refused<LogicError>(decryptor, encrypted, fresh_bits(ckks), 1,
                                     {"43", "declared", "new keys"});
}

TEST(SharingDecryptor, CopiesOfOneKeyCountTogether) {
  const SecretKey key = unused_key();
  const SecretKey copy = key;
  const SharingPolicy policy{.decryptions = 3};
  SharingDecryptor first(bench().context, key, policy);
  SharingDecryptor second(bench().context, copy, policy);
  for (SharingDecryptor* one : {&first, &second}) EXPECT_NO_THROW(one->decrypt(one_half(), 10));
  EXPECT_EQ(first.policy().decryptions_before, 2u);
  SharingDecryptor third(bench().context, copy, first.policy());
  EXPECT_NO_THROW(third.decrypt(one_half(), 10));
  for (SharingDecryptor* one : {&first, &second, &third}) {
    EXPECT_EQ(one->decryptions_left(), 0u);
    expect_decrypt_refused<LogicError>(*one, one_half(), 10, 1, {"declared number, 3"});
  }
  for (const SharingPolicy& other :
       {SharingPolicy{.decryptions = 4}, SharingPolicy{.decryptions = 3, .security_bits = 30}}) {
    expect_refusal([&] { SharingDecryptor(bench().context, key, other); }, "SharingDecryptor",
                   {"declared for this key", "3 at 64"});
  }
}

TEST(SharingDecryptor, WhatIsRefusedIsNotCounted) {
  SharingDecryptor decryptor = sharing({.decryptions = 2});
  const Ciphertext encrypted = one_half();
  const Snapshot before(encrypted);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  // sqrt(10.5 * 1024 * ln(1024)) is near 2^8.09.
  for (const double bits : {kInfinity, -kInfinity, -1e308, 8.09, std::nan(""), 180.01}) {
    expect_decrypt_refused(decryptor, encrypted, bits, 1, {"noise_bits", "8.1 ", "1024", "180"});
  }
  EXPECT_NO_THROW(SharingDecryptor::flooding({}, kSharedDegree, 8.095));
  for (const double magnitude : {0.0, -1.0, kInfinity, std::nan(""), 1e-310}) {
    expect_decrypt_refused(decryptor, encrypted, 10, magnitude, {"magnitude"});
  }
  EXPECT_THROW(decryptor.decrypt(Ciphertext(), 10), InvalidArgument);
  const Ckks other(kSharedDegree, {50, 51, 50, 60});
  EXPECT_THROW(decryptor.decrypt(other.encrypt({{0.5, 0}}, kSharedScale), 10), InvalidArgument);
  Ciphertext unreduced = encrypted;
  unreduced.ntt_view_for_writing(0).limb(1)[5] = ~std::uint64_t{0};
  EXPECT_THROW(decryptor.decrypt(unreduced, 10), InvalidArgument);
  EXPECT_EQ(decryptor.decryptions_left(), 2u);
  EXPECT_EQ(Snapshot(encrypted), before);
  EXPECT_NO_THROW(decryptor.decrypt(encrypted, 10));
  EXPECT_EQ(decryptor.decryptions_left(), 1u);
}

// The scale in the message is enough, half of it is not.
TEST(SharingDecryptor, TooSmallAScaleIsRefusedWithTheOneThatWouldDo) {
  const Ckks& ckks = bench();
  SharingDecryptor decryptor = sharing({.decryptions = 100});
  const FloodingNoiseSize size = SharingDecryptor::flooding(decryptor.policy(), kSharedDegree, 10);
  const double least = std::log2(std::exp2(size.slot_bits) + 0x1p10) + 1;
  for (const double magnitude : {1.0, 0x1p-7, 0x1p12}) {
    const double bits = least - std::log2(magnitude);
    const Ciphertext fine = ckks.encrypt({{magnitude / 2, 0}}, std::exp2(bits + 0.01));
    const double precision = decryptor.decrypt(fine, 10, magnitude).precision_bits();
    EXPECT_NEAR(precision, 1.01 - std::log2(magnitude), 1e-6);
    const Ciphertext bad = ckks.encrypt({{magnitude / 2, 0}}, std::exp2(bits - 1));
    const std::string named = "2^" + std::to_string(bits).substr(0, 4);
    expect_decrypt_refused(decryptor, bad, 10, magnitude, {"scale above " + named});
  }
}

TEST(SharingDecryptor, NoiseThatDoesNotFitTheModulusIsRefused) {
  const Ckks& ckks = bench();
  SharingDecryptor decryptor = sharing({.decryptions = 100});
  Ciphertext last = ckks.encrypt({{0.5, 0}}, 0x1p45);
  while (ckks.level(last).next_context_data() != nullptr) {
    ckks.evaluator.mod_switch_to_next_inplace(last);
  }
  // The deviation is near 2^47 and the largest coefficient near 2^50; half of the modulus is 2^49.
  expect_decrypt_refused(decryptor, last, 10, 1,
                         {"half of the level's modulus of 2^50", "above 2^5"});
  // With the noise, the first message is below half of the modulus, the second above.
  const Ciphertext first = ckks.encrypt({{1e-9, 0}}, kSharedScale);
  EXPECT_NO_THROW(decryptor.decrypt(first, 10, 0x1p58));
  expect_decrypt_refused(decryptor, first, 10, 0x1p59, {"modulus"});
  EXPECT_EQ(decryptor.decryptions_left(), 99u);
}

TEST(SharingDecryptor, PoliciesAndKeysOutOfRangeAreRefused) {
  const Ckks& ckks = bench();
  const auto refuse = [&](const SharingPolicy& policy, const std::string& part) {
    expect_refusal([&] { sharing(policy); }, "SharingDecryptor", {part});
    expect_refusal([&] { SharingDecryptor::flooding(policy, kSharedDegree, 10); },
                   "SharingDecryptor::flooding", {part});
  };
  refuse({.decryptions = 0}, "0 declared");
  refuse({.decryptions = kMaxSharedDecryptions + 1}, std::to_string(kMaxSharedDecryptions + 1));
  refuse({.security_bits = kMinSharingSecurityBits - 1}, "19");
  refuse({.security_bits = kMaxSharingSecurityBits + 1}, "81");
  refuse({.decryptions = 5, .decryptions_before = 6}, "6 earlier decryptions");
  EXPECT_NO_THROW(sharing({.decryptions = 5, .decryptions_before = 5}));
  EXPECT_THROW(SharingDecryptor(ckks.context, SecretKey(), {}), InvalidArgument);
  for (const std::size_t degree : {0u, 1u, 48u, 262144u}) {
    EXPECT_THROW(SharingDecryptor::flooding({}, degree, 10), InvalidArgument);
  }
  for (const SchemeType scheme : {SchemeType::bfv, SchemeType::bgv}) {
    const Exact exact(scheme, {64, 257, {40, 41}, {42}});
    expect_refusal([&] { SharingDecryptor(exact.context, exact.keygen.secret_key(), {}); },
                   "SharingDecryptor", {to_string(scheme), "ckks"});
  }
}

// The system's randomness gives other noise each time, a source for testing the same.
TEST(SharingDecryptor, NoiseRepeatsForTestingAlone) {
  const Ciphertext encrypted = one_half();
  const auto results = [&](const RandomSource& random) {
    SharingDecryptor decryptor = sharing({.decryptions = 2}, random);
    std::vector<Words> words;
    for (int i = 0; i < 2; ++i) {
      words.push_back(words_of(decryptor.decrypt(encrypted, 10).plaintext.ntt_view()));
    }
    EXPECT_NE(words[0], words[1]) << "fresh noise for each";
    return words;
  };
  EXPECT_EQ(results(RandomSource::for_testing(5)), results(RandomSource::for_testing(5)));
  EXPECT_NE(results(RandomSource::for_testing(5)), results(RandomSource::for_testing(6)));
  EXPECT_NE(results(RandomSource()), results(RandomSource()));
}

// The loops over terms and primes are shared out among threads.
TEST(SharingDecryptor, WordsAreTheSameForEveryNumberOfThreads) {
  const Ciphertext encrypted = one_half();
  const std::size_t before = thread_count();
  const auto words = [&](std::size_t threads) {
    set_thread_count(threads);
    SharingDecryptor decryptor = sharing({}, RandomSource::for_testing(9));
    return words_of(decryptor.decrypt(encrypted, 10).plaintext.ntt_view());
  };
  const auto alone = words(1);
  for (const std::size_t threads : {2u, 3u, 16u}) EXPECT_EQ(words(threads), alone) << threads;
  set_thread_count(before);
}

TEST(SharingDecryptor, TheSmallestRing) {
  const Context context = toy_context(2, {60, 61, 60});
  const KeyGenerator keys(context, RandomSource::for_testing(3));
  const Encryptor encryptor(context, keys.secret_key(), RandomSource::for_testing(4));
  const CKKSEncoder encoder(context);
  Plaintext plain;
  encoder.encode(0.25, 0x1p80, plain);
  SharingDecryptor decryptor(context, keys.secret_key(), {.decryptions = 1});
  const SharedResult result = decryptor.decrypt(encryptor.encrypt_symmetric(plain), 6);
  std::vector<double> decoded;
  encoder.decode(result.plaintext, decoded);
  EXPECT_NEAR(decoded[0], 0.25, std::exp2(result.error_bits));
}

}  // namespace
}  // namespace ringlet::test
