// SPDX-License-Identifier: Apache-2.0
// Messages leave no trace in released memory: encoded, scaled, encrypted, decrypted and decoded, in
// the three schemes and in FV with a wide modulus. Neither does the noise of results for sharing.

#include "fv/message_scaling.hpp"
#include "ringlet/fv/fv.hpp"
#include "ringlet/fv/fv_serialization.hpp"
#include "schemes/bfv/message.hpp"
#include "schemes/evaluator/plain_polynomials.hpp"
#include "schemes/sharing/flooding.hpp"
#include "support/circuits/trace_watch.hpp"
#include "unit/schemes/exact_support.hpp"

namespace ringlet::test {
namespace {

constexpr std::size_t kWipedDegree = 1024;

// The cache limit of 0 returns blocks at once to the system, where the watch sees them.
void watch_every_block(const Context& context) {
  context.first_context_data()->pool()->set_cache_limit(0);
}

using test::pattern_of;
std::vector<std::uint8_t> pattern_of(const Plaintext& plain) {
  return plain.is_ntt_form() ? pattern_of(plain.ntt_view().limb(0))
                             : pattern_of(plain.coefficients());
}

class SchemesWiping : public WipingTest {
 protected:
  static void expect_no_trace(Patterns patterns, const std::function<void()>& work) {
    EXPECT_EQ(traces(std::move(patterns), work), 0u);
  }
};

TEST_F(SchemesWiping, TheWatchSeesATrace) {
  auto rng = make_rng();
  const Words message = random_values(kWipedDegree, 12289, rng);
  for (const WatchedBlocks blocks : {WatchedBlocks::aligned, WatchedBlocks::all}) {
    const auto work = [&] {
      Words open = message;
      asm volatile("" : : "r"(open.data()) : "memory");  // the copy must not be left out
    };
    EXPECT_EQ(traces({pattern_of(message)}, work, blocks, 0),
              blocks == WatchedBlocks::all ? 1u : 0u);
  }
}

// All forms of a message in BFV or BGV.
Patterns patterns_of(const Context& context, const Plaintext& plain, const Words& slots) {
  const ContextData& level = *context.first_context_data();
  Patterns patterns{pattern_of(plain), pattern_of(slots)};
  CoeffPoly lifted(level.prime_count(), kWipedDegree);
  schemes::lift_centred(context, level, plain, lifted.view_for_writing());
  const NttPoly transformed = schemes::lift_centred_to_ntt(context, level, plain);
  const CoeffPoly scaled = bfv::MessageScaling(context).scale(level, plain);
  for (std::size_t i = 0; i < level.prime_count(); ++i) {
    patterns.push_back(pattern_of(std::as_const(lifted).view().limb(i)));
    patterns.push_back(pattern_of(transformed.view().limb(i)));
    patterns.push_back(pattern_of(scaled.view().limb(i)));
  }
  return patterns;
}

TEST_F(SchemesWiping, MessagesOfBfvAndBgv) {
  for (const SchemeType scheme : {SchemeType::bfv, SchemeType::bgv}) {
    const Exact exact(scheme, {kWipedDegree, 12289, {40, 41, 40}, {42, 43}, 2});
    watch_every_block(exact.context);
    const BatchEncoder encoder(exact.context);
    auto rng = make_rng();
    const Words slots = random_values(kWipedDegree, 12289, rng);
    Plaintext plain;
    encoder.encode(slots, plain);
    const Ciphertext a = exact.encryptor.encrypt(plain);
    Words decoded(kWipedDegree);
    expect_no_trace(patterns_of(exact.context, plain, slots), [&] {
      Plaintext copy;
      encoder.encode(slots, copy);
      copy = plain;
      copy.resize(kWipedDegree - 1);
      copy.resize(2 * kWipedDegree);
      copy = plain;
      exact.encryptor.encrypt(copy);
      exact.encryptor.encrypt_symmetric(copy);
      Ciphertext b = a;
      exact.evaluator.add_plain_inplace(b, copy);
      exact.evaluator.sub_plain_inplace(b, copy);
      exact.evaluator.multiply_plain_inplace(b, copy);
      exact.evaluator.transform_to_ntt_inplace(copy, a.parms_id());
      exact.evaluator.mod_switch_to_next_inplace(copy);
      encoder.decode(exact.decryptor.decrypt(a), std::span<std::uint64_t>(decoded));
      EXPECT_EQ(decoded, slots);
      exact.decryptor.invariant_noise_budget(a);
      copy = exact.decryptor.decrypt(a);
      EXPECT_THROW(encoder.encode(Words(kWipedDegree, 12289), copy), InvalidArgument);
    });
  }
}

// BFV and BGV read the phase through buffers of their own, BGV with a factor, at the last level.
TEST_F(SchemesWiping, PhasesOfBfvAndBgv) {
  for (const SchemeType scheme : {SchemeType::bfv, SchemeType::bgv}) {
    const Exact exact(scheme, {kWipedDegree, 12289, {40, 41, 40}, {42}});
    watch_every_block(exact.context);
    auto rng = make_rng();
    const Ciphertext a = exact.encrypt(exact.random_message(rng), *exact.levels().back());
    const ContextData& level = exact.level(a);
    const Integers phase = phase_of(exact, a);
    Words residues(kWipedDegree);
    Words scaled(kWipedDegree);
    const Modulus& q = level.coeff_modulus()[0];
    for (std::size_t n = 0; n < kWipedDegree; ++n) {
      residues[n] = phase[n].residue(q.value());
      scaled[n] = q.multiply(residues[n], q.reduce(exact.t()));
    }
    expect_no_trace(
        {pattern_of(residues), pattern_of(scaled), pattern_of(exact.decryptor.decrypt(a))}, [&] {
          exact.decryptor.decrypt(a);
          exact.decryptor.invariant_noise_budget(a);
        });
  }
}

// Messages, their scaled values modulo q, the values that decryption reads, and the key itself.
TEST_F(SchemesWiping, MessagesAndKeysOfFv) {
  fv::Parameters parameters = fv::Parameters::default_128();
  parameters.ring = RingSpec::cyclotomic(1031);
  parameters.plain_modulus = 12289;
  for (const ProductWay way : {ProductWay::ntt, ProductWay::karatsuba, ProductWay::additions}) {
    SCOPED_TRACE(to_string(way));
    parameters.way = way;
    const fv::Context context(parameters, SecurityLevel::none);
    const std::size_t degree = parameters.ring.degree();
    auto rng = make_rng();
    const Words message = random_values(degree, parameters.plain_modulus, rng);
    const fv::MessageScaling scaling(parameters.modulus, parameters.plain_modulus);
    WidePoly scaled(degree, parameters.modulus.word_count());
    scaling.add_scaled(scaled, message);
    Patterns patterns{pattern_of(message), pattern_of(std::as_const(scaled).plane(0))};
    // The key of a repeatable source, and the first U of another.
    for (const std::uint64_t seed : {1u, 2u}) {
      const fv::KeyGenerator known(context, RandomSource::for_testing(seed));
      const auto coefficients = known.secret_key().coefficients().subspan(degree / 2, 64);
      patterns.emplace_back(coefficients.begin(), coefficients.end());
    }
    expect_no_trace(std::move(patterns), [&] {
      const fv::KeyGenerator keys(context, RandomSource::for_testing(1));
      const fv::Encryptor encryptor(context, keys.create_public_key(),
                                    RandomSource::for_testing(2));
      const fv::Decryptor decryptor(context, keys.secret_key());
      const fv::Ciphertext encrypted = encryptor.encrypt(message);
      const std::vector<fv::Message> several(5, fv::Message(message.begin(), message.end()));
      encryptor.encrypt(several);
      EXPECT_EQ(decryptor.decrypt(encrypted), several[0]);
      decryptor.noise_budget(encrypted);
      load_secret_key<fv::SecretKey>(context, save_secret_key(context, keys.secret_key()));
    });
  }
}

TEST_F(SchemesWiping, MessagesOfCkks) {
  const Ckks ckks(kWipedDegree, {50, 40, 60});
  watch_every_block(ckks.context);
  auto rng = make_rng();
  const Slots slots = random_slots(kWipedDegree / 2, rng);
  const Plaintext plain = ckks.encode(slots, 0x1p40);
  const Ciphertext a = ckks.encryptor.encrypt(plain);
  const Plaintext decrypted = ckks.decryptor.decrypt(a);
  Slots decoded(kWipedDegree / 2);
  ckks.encoder.decode(decrypted, decoded);
  const ContextData& level = *ckks.context.first_context_data();
  CoeffPoly coefficients(level.prime_count(), kWipedDegree);
  ckks.context.backend().inverse_ntt(coefficients.view_for_writing(), decrypted.ntt_view(),
                                     level.primes());
  Patterns patterns{pattern_of(plain), pattern_of(decrypted),
                    pattern_of(coefficients.view().limb(0))};
  Slots again(kWipedDegree / 2);
  expect_no_trace(std::move(patterns), [&] {
    Plaintext copy = decrypted;
    ckks.encoder.encode(slots, 0x1p40, copy);
    ckks.encryptor.encrypt(copy);
    ckks.encryptor.encrypt_symmetric(copy);
    Ciphertext b = a;
    ckks.evaluator.add_plain_inplace(b, copy);
    ckks.evaluator.multiply_plain_inplace(b, copy);
    ckks.evaluator.mod_switch_to_next_inplace(copy);
    ckks.encoder.decode(ckks.decryptor.decrypt(a), std::span<Complex>(again));
    EXPECT_EQ(again, decoded);
    copy = ckks.decryptor.decrypt(a);
  });
}

// The message without noise, and the noise: its terms, residues and transform.
TEST_F(SchemesWiping, ResultsForSharing) {
  const Ckks ckks(kWipedDegree, {50, 55, 60});
  watch_every_block(ckks.context);
  auto rng = make_rng();
  const Ciphertext a = ckks.encrypt(random_slots(kWipedDegree / 2, rng), 0x1p90);
  const ContextData& level = *ckks.context.first_context_data();
  const SharingPolicy policy{.decryptions = 100};
  const double bits = SharingDecryptor::flooding(policy, kWipedDegree, 10).deviation_bits;
  const auto known = [] { return RandomSource::for_testing(41); };
  Patterns patterns{pattern_of(ckks.decryptor.decrypt(a))};
  {
    const schemes::FloodingDistribution distribution(std::exp2(bits) * (1 - 0x1p-40));
    ASSERT_NEAR(std::log2(distribution.deviation()), bits, 1e-9);
    const rlwe::Seed seed(known());
    const schemes::FloodingNoise noise(distribution, kWipedDegree, seed);
    CoeffPoly residues(level.prime_count(), kWipedDegree);
    NttPoly values(level.prime_count(), kWipedDegree);
    for (std::size_t i = 0; i < level.prime_count(); ++i) {
      noise.write(residues.view_for_writing().limb(i), level.coeff_modulus()[i]);
    }
    ckks.context.backend().forward_ntt(values.view_for_writing(), residues.view(), level.primes());
    for (std::size_t i = 0; i < level.prime_count(); ++i) {
      patterns.push_back(pattern_of(std::as_const(residues).view().limb(i)));
      patterns.push_back(pattern_of(std::as_const(values).view().limb(i)));
    }
    for (std::size_t j = 0; j < distribution.weights().size(); ++j) {
      std::vector<std::int8_t> term(kWipedDegree);
      rlwe::RandomStream stream(seed, {rlwe::StreamPurpose::flooding, j});
      schemes::sample_flooding_base(term, stream);
      patterns.emplace_back(term.begin() + 512, term.begin() + 544);
    }
    // The result must differ by exactly this noise: the patterns are those of the call below.
    SharingDecryptor decryptor(ckks.context, ckks.keygen.secret_key(), policy, known());
    NttPoly sum(level.prime_count(), kWipedDegree);
    const Plaintext exact = ckks.decryptor.decrypt(a);
    ckks.context.backend().add(sum.view_for_writing(), exact.ntt_view(), values.view(),
                               level.primes());
    const Plaintext result = decryptor.decrypt(a, 10).plaintext;
    ASSERT_EQ(words_of(std::as_const(sum).view()), words_of(result.ntt_view()));
  }
  expect_no_trace(std::move(patterns), [&] {
    SharingDecryptor decryptor(ckks.context, ckks.keygen.secret_key(), policy, known());
    const SharedResult result = decryptor.decrypt(a, 10);
    EXPECT_GT(result.precision_bits(), 10);
  });
}

}  // namespace
}  // namespace ringlet::test
