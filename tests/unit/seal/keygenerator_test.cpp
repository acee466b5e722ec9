// SPDX-License-Identifier: Apache-2.0
#include "service_setup.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

using seal::Ciphertext;
using seal::compr_mode_type;
using seal::GaloisKeys;
using seal::KeyGenerator;
using seal::PublicKey;
using seal::RelinKeys;
using seal::scheme_type;

using SealKeyGenerator = SealServices;

INSTANTIATE_TEST_SUITE_P(AllSchemes, SealKeyGenerator, testing::ValuesIn(kServiceSchemes),
                         scheme_name);

template <typename T, typename Source>
T reloaded(const seal::SEALContext& context, const Source& source,
           std::streamoff* bytes = nullptr) {
  std::stringstream stream;
  const std::streamoff written = source.save(stream, compr_mode_type::none);
  if (bytes != nullptr) *bytes = written;
  T result;
  result.load(context, stream);
  return result;
}

/// Small coefficients of a polynomial in NTT form: residues of absolute value `bound` at most, the
/// same modulo every prime; false if they are not.
bool is_small(const seal::SEALContext& context, const seal::parms_id_type& parms_id,
              std::vector<std::uint64_t> words, std::int64_t bound,
              std::set<std::int64_t>& values) {
  const auto level = context.get_context_data(parms_id);
  const auto& primes = level->parms().coeff_modulus();
  const std::size_t degree = level->parms().poly_modulus_degree();
  std::vector<std::int64_t> first(degree);
  for (std::size_t i = 0; i < primes.size(); ++i) {
    std::uint64_t* limb = words.data() + i * degree;
    seal::util::inverse_ntt_negacyclic_harvey(limb, level->small_ntt_tables()[i]);
    for (std::size_t n = 0; n < degree; ++n) {
      const std::uint64_t q = primes[i].value();
      const auto value = limb[n] > q / 2 ? -static_cast<std::int64_t>(q - limb[n])
                                         : static_cast<std::int64_t>(limb[n]);
      if (i == 0) first[n] = value;
      if (value != first[n] || std::abs(value) > bound) return false;
      values.insert(value);
    }
  }
  return true;
}

TEST_P(SealKeyGenerator, drawsTernarySecretsAtTheKeyLevel) {
  const seal::SecretKey& key = s.keygen.secret_key();
  EXPECT_EQ(key.parms_id(), s.context.key_parms_id());
  EXPECT_TRUE(seal::is_valid_for(key, s.context));
  std::set<std::int64_t> values;
  EXPECT_TRUE(is_small(s.context, key.parms_id(),
                       {key.data().data(), key.data().data() + key.data().coeff_count()}, 1,
                       values));
  EXPECT_EQ(values, (std::set<std::int64_t>{-1, 0, 1}));
  EXPECT_NE(KeyGenerator(s.context).secret_key().data(), key.data());
}

TEST_P(SealKeyGenerator, goesOnWithAKey) {
  const KeyGenerator again(s.context, s.keygen.secret_key());
  EXPECT_EQ(again.secret_key().data(), s.keygen.secret_key().data());
  PublicKey key;
  again.create_public_key(key);
  Ciphertext x;
  const Slots a = counting(s, 1);
  seal::Encryptor(s.context, key).encrypt(s.encode(a), x);
  EXPECT_EQ(s.decrypt(x), a);

  EXPECT_INVALID_ARGUMENT(KeyGenerator(s.context, seal::SecretKey()));
  EXPECT_INVALID_ARGUMENT(
      KeyGenerator(s.context, KeyGenerator(foreign_context(GetParam())).secret_key()));
  seal::SecretKey bad = s.keygen.secret_key();
  bad.data()[5] = UINT64_MAX;
  EXPECT_INVALID_ARGUMENT(KeyGenerator(s.context, bad));
  EXPECT_INVALID_ARGUMENT(KeyGenerator{invalid_context(GetParam())});
}

TEST_P(SealKeyGenerator, publicKeysEncryptZero) {
  EXPECT_TRUE(seal::is_valid_for(s.public_key, s.context));
  EXPECT_EQ(s.public_key.parms_id(), s.context.key_parms_id());
  EXPECT_TRUE(s.public_key.data().is_ntt_form());
  EXPECT_EQ(s.public_key.data().size(), 2U);
  // b + a*s is small; a multiple of t for BGV.
  const auto level = s.context.key_context_data();
  const auto& primes = level->parms().coeff_modulus();
  std::vector<std::uint64_t> noise;
  for (std::size_t i = 0; i < primes.size() * kServiceDegree; ++i) {
    const seal::Modulus& q = primes[i / kServiceDegree];
    const std::uint64_t product = seal::util::multiply_uint_mod(s.public_key.data().data(1)[i],
                                                                s.keygen.secret_key().data()[i], q);
    noise.push_back(seal::util::add_uint_mod(s.public_key.data().data(0)[i], product, q));
  }
  const std::int64_t t =
      s.scheme == scheme_type::bgv ? static_cast<std::int64_t>(s.parms.plain_modulus().value()) : 1;
  std::set<std::int64_t> values;
  EXPECT_TRUE(is_small(s.context, level->parms_id(), noise, 21 * t, values));
  EXPECT_GT(values.size(), 3U);
  for (const std::int64_t value : values) EXPECT_EQ(value % t, 0);
}

TEST_P(SealKeyGenerator, keysHaveTheShapesOfSeal) {
  EXPECT_TRUE(seal::is_valid_for(s.relin_keys, s.context));
  EXPECT_EQ(s.relin_keys.data().size(), 1U);
  EXPECT_TRUE(s.relin_keys.has_key(2));
  EXPECT_FALSE(s.relin_keys.has_key(3));
  EXPECT_EQ(s.relin_keys.key(2).size(), 4U);
  EXPECT_TRUE(seal::is_valid_for(s.galois_keys, s.context));
  EXPECT_EQ(s.galois_keys.data().size(), kServiceDegree);
  const std::uint32_t m = 2 * kServiceDegree;
  std::set<std::uint32_t> elements{m - 1};
  std::uint32_t power = 3;
  for (int i = 0; i < 5; ++i, power = power * power % m) {
    std::uint32_t inverse = 1;
    while (inverse * power % m != 1) inverse += 2;
    elements.insert(power);
    elements.insert(inverse);
  }
  for (std::uint32_t element = 1; element < m; element += 2) {
    EXPECT_EQ(s.galois_keys.has_key(element), elements.count(element) != 0) << element;
  }
  EXPECT_EQ(s.galois_keys.size(), elements.size());
}

TEST_P(SealKeyGenerator, galoisKeysOfElementsAndSteps) {
  GaloisKeys keys;
  s.keygen.create_galois_keys(std::vector<std::uint32_t>{1, 5, 5, 127}, keys);
  EXPECT_EQ(keys.size(), 3U);
  EXPECT_TRUE(keys.has_key(1) && keys.has_key(5) && keys.has_key(127));
  s.keygen.create_galois_keys(std::vector<int>{0, 1, -1, 31}, keys);
  EXPECT_TRUE(keys.has_key(127) && keys.has_key(3) && keys.has_key(43));
  EXPECT_EQ(keys.size(), 3U);  // -1 and 31 are the same rotation
  s.keygen.create_galois_keys(std::vector<int>{}, keys);
  EXPECT_EQ(keys.size(), 0U);
  EXPECT_EQ(keys.data().size(), kServiceDegree);

  EXPECT_INVALID_ARGUMENT(s.keygen.create_galois_keys(std::vector<std::uint32_t>{2}, keys));
  EXPECT_INVALID_ARGUMENT(s.keygen.create_galois_keys(std::vector<std::uint32_t>{129}, keys));
  EXPECT_INVALID_ARGUMENT(
      s.keygen.create_galois_keys(std::vector<std::uint32_t>{UINT32_MAX}, keys));
  EXPECT_INVALID_ARGUMENT(s.keygen.create_galois_keys(std::vector<int>{32}, keys));
  EXPECT_INVALID_ARGUMENT(s.keygen.create_galois_keys(std::vector<int>{-32}, keys));
}

TEST_P(SealKeyGenerator, seededKeysHaveHalfTheSizeAndWork) {
  std::streamoff seeded = 0;
  std::streamoff whole = 0;
  const auto key = reloaded<PublicKey>(s.context, s.keygen.create_public_key(), &seeded);
  (void)reloaded<PublicKey>(s.context, s.public_key, &whole);
  const auto poly_bytes = static_cast<std::streamoff>(8 * kServiceDegree * 5);
  EXPECT_EQ(whole - seeded, poly_bytes - (16 + 1 + 64));
  const Slots a = counting(s, 1);
  Ciphertext x;
  seal::Encryptor(s.context, key).encrypt(s.encode(a), x);
  EXPECT_EQ(s.decrypt(x), a);

  const auto relin = reloaded<RelinKeys>(s.context, s.keygen.create_relin_keys(), &seeded);
  (void)reloaded<RelinKeys>(s.context, s.relin_keys, &whole);
  EXPECT_EQ(whole - seeded, 4 * (poly_bytes - (16 + 1 + 64)));
  s.evaluator.square_inplace(x);
  s.evaluator.relinearize_inplace(x, relin);
  EXPECT_EQ(s.decrypt(x), product(a, a));

  const auto all = reloaded<GaloisKeys>(s.context, s.keygen.create_galois_keys(), &seeded);
  (void)reloaded<GaloisKeys>(s.context, s.galois_keys, &whole);
  EXPECT_LT(seeded, whole * 11 / 20);
  EXPECT_EQ(all.size(), s.galois_keys.size());
  s.evaluator.apply_galois_inplace(x, 3, all);
  const auto by_step =
      reloaded<GaloisKeys>(s.context, s.keygen.create_galois_keys(std::vector<int>{-1}));
  const auto by_element =
      reloaded<GaloisKeys>(s.context, s.keygen.create_galois_keys(std::vector<std::uint32_t>{127}));
  s.evaluator.apply_galois_inplace(x, 43, by_step);
  s.evaluator.apply_galois_inplace(x, 127, by_element);
  s.evaluator.apply_galois_inplace(x, 127, all);
  EXPECT_EQ(s.decrypt(x), product(a, a));
}

TEST_P(SealKeyGenerator, keySwitchingNeedsASpecialPrime) {
  seal::EncryptionParameters parms = service_parameters(GetParam());
  parms.set_coeff_modulus(seal::CoeffModulus::Create(kServiceDegree, {50}));
  Services one(parms, true);
  EXPECT_FALSE(one.context.using_keyswitching());
  RelinKeys relin;
  GaloisKeys galois;
  EXPECT_LOGIC_ERROR(one.keygen.create_relin_keys(relin));
  EXPECT_LOGIC_ERROR((void)one.keygen.create_relin_keys());
  EXPECT_LOGIC_ERROR(one.keygen.create_galois_keys(galois));
  EXPECT_LOGIC_ERROR((void)one.keygen.create_galois_keys());
  EXPECT_LOGIC_ERROR(one.keygen.create_galois_keys(std::vector<int>{100}, galois));
  EXPECT_LOGIC_ERROR(one.keygen.create_galois_keys(std::vector<std::uint32_t>{2}, galois));
  const Slots a{1, 2, 3};
  seal::Plaintext plain = one.encode(a, std::pow(2.0, 20));
  Ciphertext x;
  one.encryptor.encrypt(plain, x);
  EXPECT_EQ(x.parms_id(), one.context.key_parms_id());
  Slots slots = one.decrypt(x);
  slots.resize(3);
  EXPECT_EQ(slots, a);
}

TEST_P(SealKeyGenerator, aFixedSeedRepeatsItself) {
  seal::EncryptionParameters parms = service_parameters(GetParam());
  parms.set_random_generator(
      std::make_shared<seal::Shake256PRNGFactory>(seal::prng_seed_type{1, 2, 3}));
  const seal::SEALContext context(parms, true, seal::sec_level_type::none);
  const KeyGenerator first(context);
  const KeyGenerator second(context);
  EXPECT_EQ(first.secret_key().data(), second.secret_key().data());
  PublicKey one;
  PublicKey other;
  first.create_public_key(one);
  first.create_public_key(other);
  EXPECT_TRUE(std::equal(one.data().dyn_array().begin(), one.data().dyn_array().end(),
                         other.data().dyn_array().begin()));
  // Within one call the stream goes on: no two parts of a key share their randomness.
  RelinKeys keys;
  first.create_relin_keys(keys);
  const std::vector<PublicKey>& parts = keys.key(2);
  EXPECT_NE(parts[0].data().data(1)[0], parts[1].data().data(1)[0]);
  std::stringstream stream;
  first.create_relin_keys().save(stream, compr_mode_type::none);
  RelinKeys loaded;
  loaded.load(context, stream);
  EXPECT_NE(loaded.key(2)[0].data().data(1)[0], loaded.key(2)[1].data().data(1)[0]);
}

}  // namespace
}  // namespace ringlet::test
