// SPDX-License-Identifier: Apache-2.0
#include "seal/util/rlwe.h"

#include "seal/util/scalingvariant.h"
#include "support/reference/big_integer.hpp"
#include "unit/seal/service_setup.hpp"

namespace ringlet::test {
namespace {

namespace util = ::seal::util;
using RlweWords = std::vector<std::uint64_t>;
using Sampler = void (*)(std::shared_ptr<seal::UniformRandomGenerator>, const EncryptionParameters&,
                         std::uint64_t*);

std::shared_ptr<seal::UniformRandomGenerator> fixed_generator() {
  return std::make_shared<seal::Blake2xbPRNG>(seal::prng_seed_type{1, 2, 3});
}

RlweWords sampled(Sampler sample, const EncryptionParameters& parms) {
  RlweWords words(parms.poly_modulus_degree() * parms.coeff_modulus().size());
  sample(fixed_generator(), parms, words.data());
  return words;
}

/// The coefficients of a sample. Expects the same ones modulo every prime.
std::vector<int> sampled_small(Sampler sample, const EncryptionParameters& parms) {
  const RlweWords words = sampled(sample, parms);
  EXPECT_EQ(words, sampled(sample, parms)) << "only the generator is random";
  const std::size_t n = parms.poly_modulus_degree();
  std::vector<int> result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint64_t q = parms.coeff_modulus()[i / n].value();
    const auto value = static_cast<int>(words[i] > q / 2 ? static_cast<std::int64_t>(words[i] - q)
                                                         : static_cast<std::int64_t>(words[i]));
    if (i < n) result.push_back(value);
    EXPECT_EQ(value, result[i % n]) << i;
  }
  return result;
}

double variance_of(const std::vector<int>& values) {
  double sum = 0;
  for (const int value : values) sum += value * value;
  return sum / static_cast<double>(values.size());
}

TEST(SealUtilRlwe, samples_have_the_right_range_and_variance) {
  const EncryptionParameters parms =
      parameters_of(scheme_type::bfv, 16384, seal::CoeffModulus::Create(16384, {30, 60}), 17);
  const struct {
    Sampler sample;
    int bound;
    double variance;  // of the normal distribution: after rounding towards 0
  } cases[] = {{util::sample_poly_ternary, 1, 2.0 / 3},
               {util::sample_poly_cbd, 21, 10.5},
               {util::sample_poly_normal, 19, 8.03}};
  for (const auto& [sample, bound, variance] : cases) {
    const std::vector<int> values = sampled_small(sample, parms);
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    EXPECT_GE(*low, -bound);
    EXPECT_LE(*high, bound);
    EXPECT_NEAR(variance_of(values), variance, 0.05 * variance);
    EXPECT_NEAR(std::accumulate(values.begin(), values.end(), 0.0) / 16384, 0, 0.15);
  }
}

TEST(SealUtilRlwe, samples_follow_the_stream) {
  const EncryptionParameters parms = service_parameters(scheme_type::bfv);
  auto stream = fixed_generator();
  for (const int value : sampled_small(util::sample_poly_ternary, parms)) {
    EXPECT_EQ(value, static_cast<int>(std::uint64_t{3} * stream->generate() >> 32) - 1);
  }
  stream = fixed_generator();
  for (const int value : sampled_small(util::sample_poly_cbd, parms)) {
    unsigned char x[6];
    stream->generate(6, reinterpret_cast<seal::seal_byte*>(x));
    EXPECT_EQ(value, std::popcount(x[0]) + std::popcount(x[1]) + std::popcount(x[2] & 31u) -
                         std::popcount(x[3]) - std::popcount(x[4]) - std::popcount(x[5] & 31u));
  }
  stream = fixed_generator();
  const RlweWords uniform = sampled(util::sample_poly_uniform, parms);
  for (std::size_t i = 0; i < uniform.size(); ++i) {
    std::uint64_t word = 0;
    stream->generate(8, reinterpret_cast<seal::seal_byte*>(&word));
    EXPECT_EQ(uniform[i], word % parms.coeff_modulus()[i / kServiceDegree].value());
  }
  RlweWords words(uniform.size());
  EXPECT_INVALID_ARGUMENT(util::sample_poly_cbd(nullptr, parms, words.data()));
  EXPECT_INVALID_ARGUMENT(util::sample_poly_uniform(fixed_generator(), parms, nullptr));
  EXPECT_INVALID_ARGUMENT(util::sample_poly_ternary(
      fixed_generator(), EncryptionParameters(scheme_type::bfv), words.data()));
}

class SealUtilEncryptions : public SealServices {};

TEST_P(SealUtilEncryptions, zeros_have_small_noise) {
  const auto& secret = s.keygen.secret_key();
  for (const bool ntt : {false, true}) {
    for (const auto& id :
         {s.context.key_parms_id(), s.context.first_parms_id(), s.context.last_parms_id()}) {
      Ciphertext zeros[2];
      util::encrypt_zero_symmetric(secret, s.context, id, ntt, false, zeros[0]);
      util::encrypt_zero_asymmetric(s.public_key, s.context, id, ntt, zeros[1]);
      for (Ciphertext& zero : zeros) {
        EXPECT_EQ(zero.parms_id(), id);
        EXPECT_EQ(zero.is_ntt_form(), ntt);
        ASSERT_EQ(zero.size(), 2u);
        const auto level = s.context.get_context_data(id);
        const auto tables = level->small_ntt_tables();
        if (!ntt) util::ntt_negacyclic_harvey(util::PolyIter(zero), 2, tables);
        std::int64_t factor = 1;
        if (s.scheme == scheme_type::bgv) {
          factor = static_cast<std::int64_t>(s.parms.plain_modulus().value());
        }
        const auto& primes = level->parms().coeff_modulus();
        for (std::size_t i = 0; i < primes.size(); ++i) {
          RlweWords limb;
          for (std::size_t c = i * kServiceDegree; c < (i + 1) * kServiceDegree; ++c) {
            limb.push_back(util::multiply_add_uint_mod(zero.data(1)[c], secret.data()[c],
                                                       zero.data(0)[c], primes[i]));
          }
          util::inverse_ntt_negacyclic_harvey(limb.data(), tables[i]);
          for (const std::uint64_t word : limb) {
            const auto noise = static_cast<std::int64_t>(
                word > primes[i].value() / 2 ? word - primes[i].value() : word);
            EXPECT_LE(std::abs(noise), 2000 * factor);
            EXPECT_EQ(noise % factor, 0);
          }
        }
      }
    }
  }
  Ciphertext zero;
  EXPECT_INVALID_ARGUMENT(
      util::encrypt_zero_symmetric(secret, s.context, parms_id_zero, true, false, zero));
}

TEST_P(SealUtilEncryptions, seeds_replace_the_second_polynomial) {
  for (const bool ntt : {false, true}) {
    Ciphertext seeded, loaded;
    util::encrypt_zero_symmetric(s.keygen.secret_key(), s.context, s.context.first_parms_id(), ntt,
                                 true, seeded);
    std::stringstream file;
    const auto size = seeded.save(file, seal::compr_mode_type::none);
    EXPECT_LT(size, seeded.save_size(seal::compr_mode_type::none) + 1);
    loaded.unsafe_load(s.context, file);
    // Readers bring BGV to NTT form.
    EXPECT_EQ(loaded.is_ntt_form(), ntt || s.scheme == scheme_type::bgv);
    if (loaded.is_ntt_form() == (s.scheme == scheme_type::bfv)) continue;  // a Decryptor refuses
    if (s.is_ckks()) loaded.scale() = kServiceScale;
    EXPECT_EQ(s.decrypt(loaded), Slots(s.slot_count(), 0));
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, SealUtilEncryptions, testing::ValuesIn(kSchemes), scheme_name);

TEST(SealUtilRlwe, scaled_plaintexts_by_gmp_and_by_decryption) {
  Services s(scheme_type::bfv);
  const auto level = s.context.first_context_data();
  const auto& primes = level->parms().coeff_modulus();
  const std::uint64_t t = s.parms.plain_modulus().value();
  Plaintext plain = s.encode(counting(s, -20, 7));
  plain[0] = 0;
  plain[1] = t - 1;
  plain[2] = t / 2;
  plain[3] = t / 2 + 1;
  Ciphertext zero;
  s.encryptor.encrypt_zero(zero);
  const Ciphertext before = zero;
  util::multiply_add_plain_with_scaling_variant(plain, *level, *util::PolyIter(zero));
  Plaintext decrypted;
  s.decryptor.decrypt(zero, decrypted);
  EXPECT_EQ(decrypted, plain);

  Integer q(1);
  for (const auto& prime : primes) q = q * Integer(prime.value());
  const auto expect_added = [&](const Integer& factor, const Integer& divisor) {
    for (std::size_t i = 0; i < primes.size(); ++i) {
      for (std::size_t c = 0; c < plain.coeff_count(); ++c) {
        const std::size_t word = i * kServiceDegree + c;
        const Integer m = (factor * Integer(plain[c]) + divisor / Integer(2)) / divisor;
        EXPECT_EQ(zero.data()[word], (Integer(before.data()[word]) + m).residue(primes[i].value()));
      }
    }
  };
  expect_added(q, Integer(t));
  util::multiply_sub_plain_with_scaling_variant(plain, *level, *util::PolyIter(zero));
  EXPECT_TRUE(same(zero, before));
  util::add_plain_without_scaling_variant(plain, *level, *util::PolyIter(zero));
  expect_added(Integer(1), Integer(1));
  util::sub_plain_without_scaling_variant(plain, *level, *util::PolyIter(zero));
  EXPECT_TRUE(same(zero, before));
  EXPECT_INVALID_ARGUMENT(util::add_plain_without_scaling_variant(Plaintext(kServiceDegree + 1),
                                                                  *level, *util::PolyIter(zero)));
  EXPECT_INVALID_ARGUMENT(util::multiply_add_plain_with_scaling_variant(
      plain, *level, util::RNSIter(zero.data(), kServiceDegree / 2)));
}

}  // namespace
}  // namespace ringlet::test
