// SPDX-License-Identifier: Apache-2.0
#include "service_setup.hpp"
#include "unit/seal/files/object_file_checks.hpp"

namespace ringlet::test {
namespace {

using seal::Ciphertext;
using seal::GaloisKeys;
using seal::KeyGenerator;
using seal::PublicKey;
using seal::RelinKeys;
using seal::scheme_type;

using SealKeyGenerator = SealServices;

INSTANTIATE_TEST_SUITE_P(AllSchemes, SealKeyGenerator, testing::ValuesIn(kSchemes), scheme_name);

TEST_P(SealKeyGenerator, drawsTernarySecretsAtTheKeyLevel) {
  const seal::SecretKey& key = s.keygen.secret_key();
  EXPECT_EQ(key.parms_id(), s.context.key_parms_id());
  EXPECT_TRUE(seal::is_valid_for(key, s.context));
  EXPECT_TRUE(key.pool() != seal::MemoryManager::GetPool());
  const auto coefficients = small_coefficients(s.context, words_of(key.data()));
  EXPECT_EQ(std::set(coefficients.begin(), coefficients.end()), (std::set<std::int64_t>{-1, 0, 1}));
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
  const std::int64_t t =
      s.scheme == scheme_type::bgv ? static_cast<std::int64_t>(s.parms.plain_modulus().value()) : 1;
  const std::vector<std::int64_t> noise = noise_of(s, s.public_key.data());
  EXPECT_GT(std::set(noise.begin(), noise.end()).size(), 3U);
  for (const std::int64_t value : noise) {
    EXPECT_EQ(value % t, 0);
    EXPECT_LE(std::abs(value), 21 * t);
  }
}

TEST_P(SealKeyGenerator, keysHaveTheShapesOfSeal) {
  EXPECT_TRUE(seal::is_valid_for(s.relin_keys, s.context));
  EXPECT_EQ(s.relin_keys.data().size(), 1U);
  EXPECT_EQ(s.relin_keys.key(2).size(), 4U);
  EXPECT_TRUE(seal::is_valid_for(s.galois_keys, s.context));
  EXPECT_EQ(s.galois_keys.data().size(), kServiceDegree);
  const std::uint32_t m = 2 * kServiceDegree;
  std::set<std::uint32_t> elements{m - 1};
  std::uint32_t power = 3;
  for (int i = 0; i < 5; ++i, power = power * power % m) {
    std::uint32_t inverse = 1;
    while (inverse * power % m != 1) inverse += 2;
    elements.insert({power, inverse});
  }
  for (std::uint32_t element = 1; element < m; element += 2) {
    EXPECT_EQ(s.galois_keys.has_key(element), elements.count(element) != 0) << element;
  }
  EXPECT_EQ(s.galois_keys.size(), elements.size());
}

TEST_P(SealKeyGenerator, galoisKeysOfElementsAndSteps) {
  using Elements = std::vector<std::uint32_t>;
  using Steps = std::vector<int>;
  GaloisKeys keys;
  s.keygen.create_galois_keys(Elements{1, 5, 5, 127}, keys);
  EXPECT_EQ(keys.size(), 3U);
  EXPECT_TRUE(keys.has_key(1) && keys.has_key(5) && keys.has_key(127));
  s.keygen.create_galois_keys(Steps{0, 1, -1, 31}, keys);
  EXPECT_TRUE(keys.has_key(127) && keys.has_key(3) && keys.has_key(43));
  EXPECT_EQ(keys.size(), 3U);  // -1 and 31 are the same rotation
  s.keygen.create_galois_keys(Steps{}, keys);
  EXPECT_EQ(keys.size(), 0U);
  EXPECT_EQ(keys.data().size(), kServiceDegree);
  for (const std::uint32_t element : {2U, 129U, UINT32_MAX}) {
    EXPECT_INVALID_ARGUMENT(s.keygen.create_galois_keys(Elements{element}, keys)) << element;
  }
  EXPECT_INVALID_ARGUMENT(s.keygen.create_galois_keys(Steps{32}, keys));
  EXPECT_INVALID_ARGUMENT(s.keygen.create_galois_keys(Steps{-32}, keys));
}

TEST_P(SealKeyGenerator, seededKeysHaveHalfTheSizeAndWork) {
  const std::size_t saving = 8 * kServiceDegree * 5 - (16 + 1 + 64);
  Bytes file = saved(s.keygen.create_public_key());
  EXPECT_EQ(saved(s.public_key).size() - file.size(), saving);
  const Slots a = counting(s, 1);
  Ciphertext x;
  seal::Encryptor(s.context, loaded<PublicKey>(s.context, file)).encrypt(s.encode(a), x);
  EXPECT_EQ(s.decrypt(x), a);

  file = saved(s.keygen.create_relin_keys());
  EXPECT_EQ(saved(s.relin_keys).size() - file.size(), 4 * saving);
  s.evaluator.square_inplace(x);
  s.evaluator.relinearize_inplace(x, loaded<RelinKeys>(s.context, file));
  EXPECT_EQ(s.decrypt(x), product(a, a));

  file = saved(s.keygen.create_galois_keys());
  EXPECT_LT(file.size(), saved(s.galois_keys).size() * 11 / 20);
  const auto all = loaded<GaloisKeys>(s.context, file);
  EXPECT_EQ(all.size(), s.galois_keys.size());
  const auto by_step =
      loaded<GaloisKeys>(s.context, saved(s.keygen.create_galois_keys(std::vector<int>{-1})));
  const auto by_element = loaded<GaloisKeys>(
      s.context, saved(s.keygen.create_galois_keys(std::vector<std::uint32_t>{127})));
  s.evaluator.apply_galois_inplace(x, 3, all);
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
  EXPECT_LOGIC_ERROR(one.keygen.create_relin_keys());
  EXPECT_LOGIC_ERROR(one.keygen.create_galois_keys(galois));
  EXPECT_LOGIC_ERROR(one.keygen.create_galois_keys());
  EXPECT_LOGIC_ERROR(one.keygen.create_galois_keys(std::vector<int>{100}, galois));
  EXPECT_LOGIC_ERROR(one.keygen.create_galois_keys(std::vector<std::uint32_t>{2}, galois));
  const Slots a = counting(one, 1);
  Ciphertext x;
  one.encryptor.encrypt(one.encode(a, std::pow(2.0, 20)), x);
  EXPECT_EQ(x.parms_id(), one.context.key_parms_id());
  EXPECT_EQ(one.decrypt(x), a);
}

TEST_P(SealKeyGenerator, aFixedSeedRepeatsItself) {
  seal::EncryptionParameters parms = service_parameters(GetParam());
  parms.set_random_generator(
      std::make_shared<seal::Shake256PRNGFactory>(seal::prng_seed_type{1, 2, 3}));
  const seal::SEALContext context(parms, true, seal::sec_level_type::none);
  const KeyGenerator first(context);
  EXPECT_EQ(first.secret_key().data(), KeyGenerator(context).secret_key().data());
  PublicKey one;
  PublicKey other;
  first.create_public_key(one);
  first.create_public_key(other);
  EXPECT_TRUE(same(one, other));
  // Within one call the stream goes on: no two parts of a key share their randomness.
  RelinKeys keys;
  first.create_relin_keys(keys);
  for (const RelinKeys& relin :
       {keys, loaded<RelinKeys>(context, saved(first.create_relin_keys()))}) {
    EXPECT_NE(relin.key(2)[0].data().data(1)[0], relin.key(2)[1].data().data(1)[0]);
  }
}

}  // namespace
}  // namespace ringlet::test
