// SPDX-License-Identifier: Apache-2.0
#include "compat/seal/src/random/seed_expansion.hpp"
#include "service_setup.hpp"
#include "unit/seal/files/object_file_checks.hpp"

namespace ringlet::test {
namespace {

TEST(SealKeys, secretKeysHavePoolsOfTheirOwn) {
  const SEALContext context = small_context(scheme_type::bfv);
  SecretKey key = random_secret_key(context);
  EXPECT_EQ(key.parms_id(), context.key_parms_id());
  EXPECT_EQ(key.data().coeff_count(), 3 * kSmallDegree);
  const SecretKey copy(key);
  EXPECT_TRUE(same(copy, key));
  SecretKey assigned;
  assigned = key;
  EXPECT_TRUE(same(assigned, key));
  EXPECT_TRUE(key.pool() != copy.pool());
  EXPECT_TRUE(key.pool() != assigned.pool());
  EXPECT_TRUE(key.pool() != seal::MemoryManager::GetPool());
  const MemoryPoolHandle pool = key.pool();
  const SecretKey moved(std::move(key));
  EXPECT_TRUE(moved.pool() == pool);
  EXPECT_EQ(key.data().coeff_count(), 0U);
  EXPECT_EQ(key.parms_id(), parms_id_zero);
}

TEST(SealKeys, publicKeysAreCiphertexts) {
  const SEALContext context = small_context(scheme_type::bfv);
  const MemoryPoolHandle pool = MemoryPoolHandle::New();
  PublicKey key(pool);
  EXPECT_TRUE(key.pool() == pool);
  EXPECT_EQ(key.parms_id(), parms_id_zero);
  key = random_public_key(context);
  EXPECT_EQ(key.parms_id(), context.key_parms_id());
  EXPECT_EQ(std::as_const(key).data().size(), 2U);
}

TEST(SealKeys, sizeCountsEntriesThatAreNotEmpty) {
  const SEALContext context = small_context(scheme_type::bfv);
  EXPECT_EQ(KSwitchKeys().size(), 0U);
  const auto keys = random_keys<KSwitchKeys>(context, 5, {1, 4});
  EXPECT_EQ(keys.size(), 2U);
  EXPECT_EQ(keys.data().size(), 5U);
  EXPECT_EQ(keys.data(4).size(), 2U);
  EXPECT_EQ(keys.parms_id(), context.key_parms_id());
  for (const std::size_t index : {0, 2, 5, 1000}) {
    EXPECT_INVALID_ARGUMENT(keys.data(index)) << index;
  }
}

TEST(SealKeys, relinKeysAreIndexedByPowersFromTwoOn) {
  const SEALContext context = small_context(scheme_type::bfv);
  EXPECT_EQ(RelinKeys::get_index(2), 0U);
  EXPECT_EQ(RelinKeys::get_index(5), 3U);
  EXPECT_INVALID_ARGUMENT(RelinKeys::get_index(0));
  EXPECT_INVALID_ARGUMENT(RelinKeys::get_index(1));
  const auto keys = random_keys<RelinKeys>(context, 3, {0, 2});
  EXPECT_TRUE(keys.has_key(2));
  EXPECT_FALSE(keys.has_key(3));
  EXPECT_TRUE(keys.has_key(4));
  EXPECT_FALSE(keys.has_key(5));
  EXPECT_INVALID_ARGUMENT(keys.has_key(1));
  EXPECT_EQ(&keys.key(4), &keys.data()[2]);
  EXPECT_INVALID_ARGUMENT(keys.key(3));
  EXPECT_INVALID_ARGUMENT(keys.key(5));
}

TEST(SealKeys, galoisKeysAreIndexedByOddElements) {
  const SEALContext context = small_context(scheme_type::bfv);
  EXPECT_EQ(GaloisKeys::get_index(1), 0U);
  EXPECT_EQ(GaloisKeys::get_index(3), 1U);
  EXPECT_EQ(GaloisKeys::get_index((1U << 18) - 1), (1U << 17) - 1);
  for (const std::uint32_t element : {0U, 2U, 1U << 18, (1U << 18) + 1, ~0U}) {
    EXPECT_INVALID_ARGUMENT(GaloisKeys::get_index(element)) << element;
  }
  const auto keys = random_keys<GaloisKeys>(context, kSmallDegree, {1, 7});
  EXPECT_TRUE(keys.has_key(3));
  EXPECT_TRUE(keys.has_key(15));
  EXPECT_FALSE(keys.has_key(5));
  EXPECT_FALSE(keys.has_key(17));
  EXPECT_INVALID_ARGUMENT(keys.has_key(4));
  EXPECT_EQ(&keys.key(15), &keys.data()[7]);
  EXPECT_INVALID_ARGUMENT(keys.key(5));
}

TEST(KeyFile, everyKindInEveryScheme) {
  for (const scheme_type scheme : kSchemes) {
    SCOPED_TRACE(static_cast<int>(scheme));
    const SEALContext context = small_context(scheme);
    const SecretKey secret = random_secret_key(context);
    expect_sound_files(context, secret);
    EXPECT_EQ(saved(secret), saved(secret.data())) << "the same file as that of the polynomial";
    const PublicKey key = random_public_key(context);
    expect_sound_files(context, key);
    EXPECT_EQ(saved(key), ciphertext_file(key.data()));
    expect_sound_files(context, random_keys<RelinKeys>(context, 1, {0}));
    expect_round_trips(context, random_keys<RelinKeys>(context, 14, {0, 13}));
    expect_round_trips(context, random_keys<RelinKeys>(context, 0, {}));
    expect_round_trips(context, random_keys<KSwitchKeys>(context, 3, {1}));
    expect_round_trips(context, random_keys<GaloisKeys>(context, kSmallDegree, {0, 3, 7}));
  }
  const SEALContext context = small_context(scheme_type::ckks);
  expect_sound_files(context, random_keys<GaloisKeys>(context, kSmallDegree, {7}));
}

TEST(KeyFile, secretKeysStandAtTheKeyLevel) {
  const SEALContext context = small_context(scheme_type::bfv);
  expect_refused<SecretKey>(context,
                            saved(random_ntt_plaintext(context, context.first_parms_id())));
  expect_refused<SecretKey>(context, saved(Plaintext("1x^2 + 1")));
}

TEST(KeyFile, publicKeysArePairsInNttFormAtTheKeyLevel) {
  for (const scheme_type scheme : kSchemes) {
    const SEALContext context = small_context(scheme);
    const auto refuse = [&](const auto& change) {
      PublicKey key = random_public_key(context);
      change(key.data());
      expect_refused<PublicKey>(context, saved(key));
    };
    refuse([](Ciphertext& c) { c.is_ntt_form() = false; });
    refuse([](Ciphertext& c) { c.resize(3); });
    refuse([](Ciphertext& c) { c.resize(0); });
    refuse([&](Ciphertext& c) { c.resize(context, 2); });
    refuse([](Ciphertext& c) { c.scale() = 0.0; });
  }
}

TEST(KeyFile, keySwitchingKeysHaveTheLayoutOfSeal) {
  const SEALContext context = small_context(scheme_type::bgv);
  const auto keys = random_keys<GaloisKeys>(context, 3, {1});
  FileWriter file;
  file.parms_id(keys.parms_id()).u64(3).u64(0).u64(2);
  for (const PublicKey& pair : keys.data(1)) file.append(ciphertext_file(pair.data()));
  file.u64(0);
  EXPECT_EQ(saved(keys), file.object());
}

TEST(KeyFile, keySwitchingKeysFitTheContext) {
  const SEALContext context = small_context(scheme_type::bfv);
  const auto refuse = [&](const auto& change) {
    auto keys = random_keys<RelinKeys>(context, 1, {0});
    change(keys);
    expect_refused<RelinKeys>(context, saved(keys));
  };
  expect_unsafe_only(context, RelinKeys());
  expect_unsafe_only(context, GaloisKeys());
  refuse([&](RelinKeys& keys) { keys = random_keys<RelinKeys>(context, 15, {0}); });
  refuse([&](RelinKeys& keys) { keys.parms_id() = context.first_parms_id(); });
  refuse([](RelinKeys& keys) { keys.data()[0].pop_back(); });
  refuse([](RelinKeys& keys) { keys.data()[0].push_back(PublicKey(keys.data()[0][0])); });
  refuse([](RelinKeys& keys) { keys.data()[0][1].data().is_ntt_form() = false; });
  expect_refused<GaloisKeys>(context,
                             saved(random_keys<GaloisKeys>(context, kSmallDegree + 1, {0})));
}

TEST(KeyFile, keySwitchingNeedsASpecialPrime) {
  const SEALContext context =
      context_of(parameters_of(scheme_type::bfv, kSmallDegree, {1048129ULL}, kSmallPlainModulus));
  ASSERT_FALSE(context.using_keyswitching());
  RelinKeys keys;
  keys.parms_id() = context.key_parms_id();
  expect_refused<RelinKeys>(context, saved(keys));
  expect_round_trips(context, random_secret_key(context));
}

TEST(KeyFile, keyWordsAreReduced) {
  const SEALContext context = small_context(scheme_type::ckks);
  const auto& primes = context.key_context_data()->parms().coeff_modulus();
  auto keys = random_keys<GaloisKeys>(context, kSmallDegree, {2, 5});
  keys.data()[5][1].data().data(1)[0] = primes[0].value();
  expect_unsafe_only(context, keys);
  SecretKey secret = random_secret_key(context);
  secret.data()[2 * kSmallDegree] = primes[2].value();
  expect_unsafe_only(context, secret);
}

TEST(KeyFile, hugeCountsAreRefused) {
  const SEALContext context = small_context(scheme_type::bfv);
  for (const std::uint64_t count : {std::uint64_t{1} << 32, std::uint64_t{1} << 61,
                                    std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    SCOPED_TRACE(count);
    FileWriter outer;
    outer.parms_id(context.key_parms_id()).u64(count);
    expect_refused<GaloisKeys>(context, outer.object());
    FileWriter inner;
    inner.parms_id(context.key_parms_id()).u64(1).u64(count);
    expect_refused<GaloisKeys>(context, inner.object());
    expect_refused<RelinKeys>(context, inner.object());
  }
}

TEST(KeyFile, memoryIsBoundedByTheInputAndOneKey) {
  constexpr std::size_t kDegree = 1024;
  const auto primes = seal::CoeffModulus::Create(kDegree, {30, 30, 31});
  const SEALContext context = context_of(parameters_of(scheme_type::bfv, kDegree, primes, 97));
  const std::size_t one = 2 * 2 * 3 * 8 * kDegree + 24 * kDegree;
  const auto honest = random_keys<GaloisKeys>(context, kDegree, {0, 2, 511, 1023});
  GaloisKeys bomb = honest;
  for (auto& entry : bomb.data()) {
    entry.assign(2, honest.data()[0][0]);
    for (PublicKey& pair : entry) std::fill_n(pair.data().data(), 2 * 3 * kDegree, 0);
  }
  for (const compr_mode_type mode : kModes) {
    EXPECT_TRUE(same(loaded<GaloisKeys>(context, saved(honest, mode)), honest));
    // The file is compressed as a whole; below, every pair is compressed inside it too.
    const std::string file = as_text(saved(bomb, mode));
    for (std::size_t length = file.size(); length > 16; length /= 3) {
      const auto pool = MemoryPoolHandle::New();
      const seal::MMProfGuard guard(std::make_unique<seal::MMProfFixed>(pool));
      const bool is_bomb = mode != compr_mode_type::none;
      GaloisKeys target;
      std::istringstream stream(file.substr(0, length), std::ios::binary);
      EXPECT_EQ(is_refused([&] { target.load(context, stream); }), is_bomb || length < file.size());
      EXPECT_LE(pool.alloc_byte_count(), 64 * length + one) << length;
    }
  }
  FileWriter outer;
  outer.parms_id(context.key_parms_id()).u64(kDegree);
  const Bytes pair = saved(bomb.data()[0][0], compr_mode_type::zstd);
  for (std::size_t i = 0; i < kDegree; ++i) outer.u64(2).append(pair).append(pair);
  EXPECT_LT(outer.object().size(), 64 * kDegree * 8);
  expect_refused<GaloisKeys>(context, outer.object());
  Ciphertext message = random_ciphertext(context, context.first_parms_id(), 16);
  EXPECT_TRUE(same(loaded<Ciphertext>(context, saved(message, compr_mode_type::zstd)), message));
  std::fill_n(message.data(), 16 * 2 * kDegree, 0);
  expect_refused<Ciphertext>(context, saved(message, compr_mode_type::zstd));
}

using seal::KeyGenerator;

using SealKeyGenerator = SealServices;

INSTANTIATE_TEST_SUITE_P(AllSchemes, SealKeyGenerator, testing::ValuesIn(kSchemes), scheme_name);

TEST_P(SealKeyGenerator, drawsTernarySecretsAtTheKeyLevel) {
  const SecretKey& key = s.keygen.secret_key();
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

  EXPECT_INVALID_ARGUMENT(KeyGenerator(s.context, SecretKey()));
  EXPECT_INVALID_ARGUMENT(
      KeyGenerator(s.context, KeyGenerator(foreign_context(GetParam())).secret_key()));
  SecretKey bad = s.keygen.secret_key();
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
  Services one(service_parameters(GetParam(), {50}), true);
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
  EncryptionParameters parms = service_parameters(GetParam());
  parms.set_random_generator(
      std::make_shared<seal::Shake256PRNGFactory>(seal::prng_seed_type{1, 2, 3}));
  const SEALContext context = context_of(parms);
  const KeyGenerator first(context);
  EXPECT_EQ(first.secret_key().data(), KeyGenerator(context).secret_key().data());
  PublicKey one;
  PublicKey other;
  first.create_public_key(one);
  first.create_public_key(other);
  EXPECT_TRUE(same(one, other));
  // Within one call the stream continues: no two parts of a key share their randomness.
  RelinKeys keys;
  first.create_relin_keys(keys);
  for (const RelinKeys& relin :
       {keys, loaded<RelinKeys>(context, saved(first.create_relin_keys()))}) {
    EXPECT_NE(relin.key(2)[0].data().data(1)[0], relin.key(2)[1].data().data(1)[0]);
  }
  // Seeded and whole keys are the same keys.
  EXPECT_TRUE(same(keys, loaded<RelinKeys>(context, saved(first.create_relin_keys()))));
  GaloisKeys galois;
  first.create_galois_keys(galois);
  EXPECT_TRUE(same(galois, loaded<GaloisKeys>(context, saved(first.create_galois_keys()))));
}

}  // namespace
}  // namespace ringlet::test
