// SPDX-License-Identifier: Apache-2.0
#include "compat/seal/src/random/seed_expansion.hpp"
#include "service_setup.hpp"
#include "support/threads.hpp"
#include "unit/seal/files/object_file_checks.hpp"

namespace ringlet::test {
namespace {

using seal::Encryptor;

/// A call that writes an encryption to its argument, directly or through a file.
using Encrypt = std::function<void(Ciphertext&)>;

class SealEncryptor : public SealServices {
 protected:
  template <typename T>
  Ciphertext reloaded(const T& object) const {
    return loaded<Ciphertext>(s.context, saved(object));
  }

  const Slots a_ = counting(s, -9);
  const Plaintext plain_ = s.encode(a_);
  const Encryptor with_public_{s.context, s.public_key};
  const Encryptor with_secret_{s.context, s.keygen.secret_key()};
};

INSTANTIATE_TEST_SUITE_P(AllSchemes, SealEncryptor, testing::ValuesIn(kSchemes), scheme_name);

std::vector<std::uint64_t> polynomial_words(const Ciphertext& in, std::size_t poly) {
  return {in.data(poly), in.data(poly) + in.poly_modulus_degree() * in.coeff_modulus_size()};
}

TEST_P(SealEncryptor, everyOverloadEncryptsMessages) {
  const auto pool = MemoryPoolHandle::New();
  const Encryptor with_both(s.context, s.public_key, s.keygen.secret_key());
  const std::vector<Encrypt> calls{
      [&](Ciphertext& x) { with_public_.encrypt(plain_, x); },
      [&](Ciphertext& x) { with_both.encrypt(plain_, x); },
      [&](Ciphertext& x) { with_both.encrypt(plain_, x, pool); },
      [&](Ciphertext& x) { x = reloaded(with_both.encrypt(plain_)); },
      [&](Ciphertext& x) { x = reloaded(with_both.encrypt(plain_, pool)); },
      [&](Ciphertext& x) { with_secret_.encrypt_symmetric(plain_, x); },
      [&](Ciphertext& x) { with_both.encrypt_symmetric(plain_, x); },
      [&](Ciphertext& x) { with_both.encrypt_symmetric(plain_, x, pool); },
      [&](Ciphertext& x) { x = reloaded(with_both.encrypt_symmetric(plain_)); },
      [&](Ciphertext& x) { x = reloaded(with_both.encrypt_symmetric(plain_, pool)); },
  };
  for (std::size_t i = 0; i < calls.size(); ++i) {
    SCOPED_TRACE(i);
    Ciphertext x;
    calls[i](x);
    EXPECT_EQ(x.size(), 2U);
    EXPECT_EQ(x.parms_id(), s.context.first_parms_id());
    EXPECT_EQ(x.is_ntt_form(), s.scheme != scheme_type::bfv);
    EXPECT_EQ(x.correction_factor(), 1U);
    EXPECT_EQ(x.scale(), s.is_ckks() ? kServiceScale : 1.0);
    EXPECT_TRUE(seal::is_valid_for(x, s.context));
    EXPECT_EQ(s.decrypt(x), a_);
  }
}

TEST_P(SealEncryptor, everyOverloadEncryptsZerosAtEveryLevel) {
  const auto pool = MemoryPoolHandle::New();
  const Encryptor& e = s.encryptor;
  // With a level as the first argument, or without one.
  const auto expect_zeros = [&](const parms_id_type& expected_level, auto... level) {
    for (const Encrypt& call : std::initializer_list<Encrypt>{
             [&](Ciphertext& x) { e.encrypt_zero(level..., x); },
             [&](Ciphertext& x) { e.encrypt_zero(level..., x, pool); },
             [&](Ciphertext& x) { x = reloaded(e.encrypt_zero(level...)); },
             [&](Ciphertext& x) { x = reloaded(e.encrypt_zero(level..., pool)); },
             [&](Ciphertext& x) { e.encrypt_zero_symmetric(level..., x); },
             [&](Ciphertext& x) { e.encrypt_zero_symmetric(level..., x, pool); },
             [&](Ciphertext& x) { x = reloaded(e.encrypt_zero_symmetric(level...)); },
             [&](Ciphertext& x) { x = reloaded(e.encrypt_zero_symmetric(level..., pool)); }}) {
      Ciphertext x;
      call(x);
      EXPECT_EQ(x.parms_id(), expected_level);
      EXPECT_EQ(x.scale(), 1.0);
      EXPECT_FALSE(x.is_transparent());
      if (s.is_ckks()) x.scale() = std::pow(2.0, 30);  // the scale is still 1
      EXPECT_EQ(s.decrypt(x), Slots(s.slot_count()));
    }
  };
  expect_zeros(s.context.first_parms_id());
  for (auto data = s.context.first_context_data(); data; data = data->next_context_data()) {
    expect_zeros(data->parms_id(), data->parms_id());
  }
  Ciphertext x;
  EXPECT_INVALID_ARGUMENT(e.encrypt_zero(parms_id_zero, x));
  EXPECT_INVALID_ARGUMENT(e.encrypt_zero_symmetric(parms_id_type{1, 2, 3, 4}, x));
}

TEST_P(SealEncryptor, missingKeysAreALogicError) {
  const auto first = s.context.first_parms_id();
  Ciphertext x;
  EXPECT_LOGIC_ERROR(with_secret_.encrypt(plain_, x));
  EXPECT_LOGIC_ERROR(with_secret_.encrypt(plain_));
  EXPECT_LOGIC_ERROR(with_secret_.encrypt_zero(x));
  EXPECT_LOGIC_ERROR(with_secret_.encrypt_zero());
  EXPECT_LOGIC_ERROR(with_secret_.encrypt_zero(first, x));
  EXPECT_LOGIC_ERROR(with_secret_.encrypt_zero(first));
  EXPECT_LOGIC_ERROR(with_public_.encrypt_symmetric(plain_, x));
  EXPECT_LOGIC_ERROR(with_public_.encrypt_symmetric(plain_));
  EXPECT_LOGIC_ERROR(with_public_.encrypt_zero_symmetric(x));
  EXPECT_LOGIC_ERROR(with_public_.encrypt_zero_symmetric());
  EXPECT_LOGIC_ERROR(with_public_.encrypt_zero_symmetric(first, x));
  EXPECT_LOGIC_ERROR(with_public_.encrypt_zero_symmetric(first));
  EXPECT_EQ(x.size(), 0U);
}

TEST_P(SealEncryptor, keysCanBeSetLater) {
  const seal::KeyGenerator other(s.context);
  PublicKey other_key;
  other.create_public_key(other_key);
  Encryptor encryptor(s.context, other_key);
  Ciphertext x;
  encryptor.encrypt(plain_, x);
  EXPECT_NE(s.decrypt(x), a_);
  encryptor.set_public_key(s.public_key);
  encryptor.encrypt(plain_, x);
  EXPECT_EQ(s.decrypt(x), a_);
  encryptor.set_secret_key(s.keygen.secret_key());
  encryptor.encrypt_symmetric(plain_, x);
  EXPECT_EQ(s.decrypt(x), a_);
  encryptor.set_secret_key(other.secret_key());
  encryptor.encrypt_symmetric(plain_, x);
  EXPECT_NE(s.decrypt(x), a_);
}

TEST_P(SealEncryptor, badKeysAreRefused) {
  const seal::KeyGenerator generator(foreign_context(GetParam()));
  PublicKey key;
  generator.create_public_key(key);
  EXPECT_INVALID_ARGUMENT(Encryptor(s.context, key));
  EXPECT_INVALID_ARGUMENT(Encryptor(s.context, generator.secret_key()));
  EXPECT_INVALID_ARGUMENT(Encryptor(s.context, s.public_key, generator.secret_key()));
  EXPECT_INVALID_ARGUMENT(Encryptor(s.context, PublicKey()));
  EXPECT_INVALID_ARGUMENT(s.encryptor.set_public_key(key));
  EXPECT_INVALID_ARGUMENT(s.encryptor.set_secret_key(generator.secret_key()));
  PublicKey damaged = s.public_key;
  damaged.data()[3] = UINT64_MAX;
  EXPECT_INVALID_ARGUMENT(s.encryptor.set_public_key(damaged));
  EXPECT_INVALID_ARGUMENT(Encryptor(invalid_context(GetParam()), s.public_key));
  EXPECT_EQ(s.decrypt(s.encrypt(a_)), a_);  // the encryptor still has the old key
}

// As in SEAL, encryptions at the key level exist, but no operation computes on them.
TEST_P(SealEncryptor, zerosAtTheKeyLevel) {
  const auto level = s.context.key_context_data();
  const auto& primes = level->parms().coeff_modulus();
  for (const bool is_symmetric : {false, true}) {
    Ciphertext x;
    is_symmetric ? s.encryptor.encrypt_zero_symmetric(level->parms_id(), x)
                 : s.encryptor.encrypt_zero(level->parms_id(), x);
    EXPECT_EQ(x.parms_id(), level->parms_id());
    EXPECT_EQ(x.coeff_modulus_size(), 5U);
    EXPECT_EQ(x.is_ntt_form(), s.scheme != scheme_type::bfv);
    EXPECT_TRUE(seal::is_metadata_valid_for(x, s.context, true));
    EXPECT_FALSE(x.is_transparent());
    if (!x.is_ntt_form()) {
      for (std::size_t i = 0; i < 2 * primes.size(); ++i) {
        seal::util::ntt_negacyclic_harvey(x.data() + i * kServiceDegree,
                                          level->small_ntt_tables()[i % primes.size()]);
      }
    }
    const std::int64_t bound = std::int64_t{1} << 36;
    for (const std::int64_t noise : noise_of(s, x)) EXPECT_LT(std::abs(noise), bound);
    Plaintext plain;
    EXPECT_INVALID_ARGUMENT(s.decryptor.decrypt(x, plain));
  }
}

TEST_P(SealEncryptor, badMessagesAreRefused) {
  Ciphertext x;
  const auto refuse = [&](const Plaintext& plain) {
    EXPECT_INVALID_ARGUMENT(s.encryptor.encrypt(plain, x));
    EXPECT_INVALID_ARGUMENT(s.encryptor.encrypt_symmetric(plain));
  };
  Plaintext plain = s.encode({1});
  if (s.is_ckks()) {
    refuse(Plaintext("1"));
    plain.scale() = -1.0;
    refuse(plain);
    plain = s.encode({1});
    plain[7] = UINT64_MAX;
    refuse(plain);
    refuse(s.encode_at(s.context.key_parms_id(), {1}));
  } else {
    refuse(Plaintext(kServiceDegree + 1));
    plain = s.parms.plain_modulus().value();
    refuse(plain);
    plain = std::string("1");
    s.evaluator.transform_to_ntt_inplace(plain, s.context.first_parms_id());
    refuse(plain);
  }
  const MemoryPoolHandle no_pool;
  EXPECT_INVALID_ARGUMENT(s.encryptor.encrypt(plain_, x, no_pool));
  EXPECT_INVALID_ARGUMENT(s.encryptor.encrypt(plain_, no_pool));
  EXPECT_INVALID_ARGUMENT(s.encryptor.encrypt_zero_symmetric(no_pool));
  EXPECT_EQ(x.size(), 0U);
}

TEST_P(SealEncryptor, emptyMessagesAreZeroAndThoseOfCkksKeepTheirLevel) {
  Ciphertext x;
  if (s.is_ckks()) {
    const double scale = std::pow(2.0, 30);
    s.encryptor.encrypt(s.encode_at(s.context.last_parms_id(), a_, scale), x);
    EXPECT_EQ(x.parms_id(), s.context.last_parms_id());
    EXPECT_EQ(x.scale(), scale);
    EXPECT_EQ(s.decrypt(x), a_);
    return;
  }
  s.encryptor.encrypt(Plaintext(), x);
  Plaintext plain("5");
  plain.scale() = 7.0;  // has no meaning here
  s.encryptor.encrypt(plain, x);
  EXPECT_EQ(x.scale(), 1.0);
  s.encryptor.encrypt(Plaintext(), x);
  s.decryptor.decrypt(x, plain);
  EXPECT_EQ(plain.to_string(), "0");
}

TEST_P(SealEncryptor, symmetricResultsAreSavedWithASeed) {
  const std::size_t poly_words = kServiceDegree * 4;
  auto object = s.encryptor.encrypt_symmetric(plain_);
  const Bytes seeded = saved(object);
  EXPECT_EQ(saved(s.encryptor.encrypt(plain_)).size(), 16 + 73 + 24 + 2 * 8 * poly_words);
  EXPECT_EQ(seeded.size(), 16 + 73 + 24 + 8 * poly_words + 81);
  const auto copy = object;
  const auto moved = std::move(object);
  constexpr auto kNone = compr_mode_type::none;
  EXPECT_EQ(copy.save_size(kNone), std::ssize(seeded));
  Bytes buffer(seeded.size());
  EXPECT_EQ(copy.save(buffer.data(), buffer.size(), kNone), std::ssize(seeded));
  EXPECT_EQ(buffer, seeded);
  EXPECT_EQ(saved(moved), seeded);
  // The stored seed expands to c1, in the form of the ciphertext.
  seal::UniformRandomGeneratorInfo info;
  info.load(seeded.data() + seeded.size() - 81, 81);
  EXPECT_EQ(info.type(), seal::prng_type::blake2xb);
  const auto moduli = values_of(s.context.first_context_data()->parms().coeff_modulus());
  std::vector<std::uint64_t> expected(poly_words);
  seal4::detail::expand_seed(info, {}, moduli, kServiceDegree, expected.data());
  EXPECT_EQ(polynomial_words(loaded<Ciphertext>(s.context, seeded), 1), expected);
}

TEST_P(SealEncryptor, randomGeneratorsAreTheProgramsOwn) {
  EncryptionParameters parms = service_parameters(GetParam());
  parms.set_random_generator(
      std::make_shared<seal::Shake256PRNGFactory>(seal::prng_seed_type{4, 5, 6}));
  Services fixed(parms, true);
  EXPECT_TRUE(same(fixed.encrypt(a_), fixed.encrypt(a_)));
  EXPECT_EQ(fixed.decrypt(fixed.encrypt(a_)), a_);
  const Bytes seeded = saved(fixed.encryptor.encrypt_symmetric(plain_));
  EXPECT_EQ(seeded, saved(fixed.encryptor.encrypt_symmetric(plain_)));
  EXPECT_EQ(seeded[seeded.size() - 65], std::byte{2});  // SHAKE256
  EXPECT_EQ(fixed.decrypt(loaded<Ciphertext>(fixed.context, seeded)), a_);
  Ciphertext whole;
  fixed.encryptor.encrypt_symmetric(plain_, whole);
  EXPECT_TRUE(same(whole, loaded<Ciphertext>(fixed.context, seeded)));
  EXPECT_NE(polynomial_words(s.encrypt(a_), 1), polynomial_words(s.encrypt(a_), 1));

  // A generator that no file can name still gives readable files.
  parms.set_random_generator(std::make_shared<CountingFactory>());
  Services own(parms, true);
  const Bytes renamed = saved(own.encryptor.encrypt_symmetric(plain_));
  EXPECT_EQ(renamed[renamed.size() - 65], std::byte{1});   // BLAKE2Xb
  EXPECT_EQ(renamed[renamed.size() - 64], std::byte{32});  // the 32 before are the secret seed
  EXPECT_EQ(own.decrypt(loaded<Ciphertext>(own.context, renamed)), a_);
}

TEST_P(SealEncryptor, destinationsKeepTheirPools) {
  const auto pool = MemoryPoolHandle::New();
  Ciphertext x(pool);
  s.encryptor.encrypt(plain_, x);
  EXPECT_TRUE(x.pool() == pool);
  s.evaluator.square_inplace(x);
  EXPECT_TRUE(x.pool() == pool);
  s.encryptor.encrypt_zero_symmetric(x);
  EXPECT_TRUE(x.pool() == pool);
  EXPECT_EQ(x.size(), 2U);
}

TEST_P(SealEncryptor, servesManyThreads) {
  std::vector<Ciphertext> encrypted(4 * kThreads);
  in_threads([&](std::size_t thread) {
    for (std::size_t i = 4 * thread; i < 4 * thread + 4; i += 2) {
      s.encryptor.encrypt_symmetric(plain_, encrypted[i]);
      s.encryptor.encrypt(plain_, encrypted[i + 1]);
      Ciphertext key_level;
      s.encryptor.encrypt_zero(s.context.key_parms_id(), key_level);
    }
  });
  for (const Ciphertext& x : encrypted) EXPECT_EQ(s.decrypt(x), a_);
}

// Files have the sizes of SEAL's files at N = 4096.
TEST(SealEncryptorFiles, haveTheSizesOfSeal) {
  const SEALContext context(
      parameters_of(scheme_type::bfv, 4096, seal::CoeffModulus::BFVDefault(4096), 1024));
  const seal::KeyGenerator generator(context);
  const Encryptor encryptor(context, generator.secret_key());
  const Bytes file = saved(encryptor.encrypt_symmetric(std::string("1x^3 + 2x^1 + 3")));
  EXPECT_EQ(file.size(), 65730U);
  Plaintext plain;
  const auto x = loaded<Ciphertext>(context, file);
  seal::Decryptor(context, generator.secret_key()).decrypt(x, plain);
  EXPECT_EQ(plain.to_string(), "1x^3 + 2x^1 + 3");
  EXPECT_EQ(saved(x).size(), 131185U);
}

using seal::Decryptor;

using SealDecryptor = SealServices;

INSTANTIATE_TEST_SUITE_P(AllSchemes, SealDecryptor, testing::ValuesIn(kSchemes), scheme_name);

TEST_P(SealDecryptor, anySizeAtAnyLevel) {
  const Slots a(s.slot_count(), 3);
  Ciphertext x = s.encrypt(a);
  const Ciphertext one = s.encrypt(Slots(s.slot_count(), 1));
  if (s.is_ckks()) {
    s.evaluator.multiply_inplace(x, one);
  } else {
    for (int i = 0; i < 3; ++i) s.evaluator.multiply_inplace(x, one);
  }
  EXPECT_EQ(x.size(), s.is_ckks() ? 3U : 5U);
  EXPECT_EQ(s.decrypt(x), a);
  s.evaluator.mod_switch_to_next_inplace(x);
  EXPECT_EQ(s.decrypt(x), a);
}

TEST_P(SealDecryptor, resultsAreTrimmedOrHaveTheirLevel) {
  Plaintext plain;
  if (s.is_ckks()) {
    Ciphertext x = s.encrypt({1});
    s.evaluator.mod_switch_to_next_inplace(x);
    s.decryptor.decrypt(x, plain);
    EXPECT_EQ(plain.parms_id(), x.parms_id());
    EXPECT_EQ(plain.scale(), x.scale());
    EXPECT_EQ(plain.coeff_count(), 3 * kServiceDegree);
    s.decryptor.decrypt(s.encrypt({1}), plain);  // over an NTT form of another level
    EXPECT_EQ(plain.coeff_count(), 4 * kServiceDegree);
    return;
  }
  for (const auto& [text, count] :
       {std::pair("1x^7 + 5", 8), std::pair("9", 1), std::pair("0", 1)}) {
    Ciphertext x;
    s.encryptor.encrypt(std::string(text), x);
    s.decryptor.decrypt(x, plain);
    EXPECT_EQ(plain.to_string(), text);
    EXPECT_EQ(plain.coeff_count(), static_cast<std::size_t>(count));
    EXPECT_FALSE(plain.is_ntt_form());
    s.evaluator.transform_to_ntt_inplace(plain, s.context.first_parms_id());  // reused next
  }
}

TEST_P(SealDecryptor, keepsTheArrayWhosePointerIsKnown) {
  Plaintext plain, other;
  plain.reserve(kServiceDegree);
  s.decryptor.decrypt(s.encrypt({1, 2}), plain);
  const std::uint64_t* const words = plain.data();
  const Ciphertext x = s.encrypt({2, 1});
  s.decryptor.decrypt(x, plain);
  s.decryptor.decrypt(x, other);
  EXPECT_EQ(plain.data(), words);
  EXPECT_EQ(plain, other);
}

TEST_P(SealDecryptor, noiseBudgetsShrink) {
  Ciphertext x = s.encrypt(Slots(s.slot_count(), 2));
  if (s.is_ckks()) {
    EXPECT_LOGIC_ERROR(s.decryptor.invariant_noise_budget(x));
    return;
  }
  const int fresh = s.decryptor.invariant_noise_budget(x);
  EXPECT_GT(fresh, 100);
  EXPECT_LT(fresh, 170 - 20);
  s.evaluator.square_inplace(x);
  const int squared = s.decryptor.invariant_noise_budget(x);
  EXPECT_LT(squared, fresh - 20);
  EXPECT_GT(squared, 0);
  s.evaluator.relinearize_inplace(x, s.relin_keys);
  while (s.decryptor.invariant_noise_budget(x) > 0) {
    s.evaluator.square_inplace(x);
    s.evaluator.relinearize_inplace(x, s.relin_keys);
  }
  Plaintext plain;
  s.decryptor.decrypt(x, plain);  // a wrong result, no error
  EXPECT_TRUE(seal::is_valid_for(plain, s.context));
}

TEST_P(SealDecryptor, refusesWhatItCannotDecrypt) {
  const Ciphertext x = s.encrypt({1});
  Plaintext plain = s.encode({5});
  const Plaintext before = plain;
  const auto refuses = [&](const Ciphertext& bad) {
    EXPECT_INVALID_ARGUMENT(s.decryptor.decrypt(bad, plain));
    if (!s.is_ckks()) {
      EXPECT_INVALID_ARGUMENT(s.decryptor.invariant_noise_budget(bad));
    }
  };
  refuses(Ciphertext());
  refuses(Ciphertext(s.context));
  const auto refuses_after = [&](const auto& change) {
    Ciphertext bad = x;
    change(bad);
    refuses(bad);
  };
  refuses_after([](Ciphertext& bad) { bad[3] = UINT64_MAX; });
  refuses_after([](Ciphertext& bad) { bad.is_ntt_form() = !bad.is_ntt_form(); });
  refuses_after([](Ciphertext& bad) { bad.parms_id() = parms_id_type{1, 2, 3, 4}; });
  refuses_after([&](Ciphertext& bad) { bad.scale() = s.is_ckks() ? -1.0 : 2.0; });
  EXPECT_EQ(plain, before);

  EXPECT_INVALID_ARGUMENT(Decryptor(s.context, SecretKey()));
  const SEALContext foreign = foreign_context(GetParam());
  EXPECT_INVALID_ARGUMENT(Decryptor(s.context, seal::KeyGenerator(foreign).secret_key()));
  EXPECT_INVALID_ARGUMENT(Decryptor(invalid_context(GetParam()), s.keygen.secret_key()));
  Decryptor wrong(s.context, seal::KeyGenerator(s.context).secret_key());
  wrong.decrypt(x, plain);  // garbage
  EXPECT_NE(s.decode(plain), s.decode(before));
}

TEST_P(SealDecryptor, servesManyThreads) {
  const Slots a = counting(s, 1);
  const Ciphertext x = s.encrypt(a);
  in_threads([&](std::size_t) { EXPECT_EQ(s.decrypt(x), a); });
}

}  // namespace
}  // namespace ringlet::test
