// SPDX-License-Identifier: Apache-2.0
#include "compat/seal/src/seed_expansion.hpp"
#include "service_setup.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

using seal::Ciphertext;
using seal::compr_mode_type;
using seal::Encryptor;
using seal::Plaintext;
using seal::scheme_type;

using SealEncryptor = SealServices;

INSTANTIATE_TEST_SUITE_P(AllSchemes, SealEncryptor, testing::ValuesIn(kServiceSchemes),
                         scheme_name);

std::vector<std::uint64_t> words(const Ciphertext& in, std::size_t poly) {
  return {in.data(poly), in.data(poly) + in.poly_modulus_degree() * in.coeff_modulus_size()};
}

Slots zeros(const Services& s) { return Slots(s.slot_count()); }

template <typename Saved>
std::string file_of(const Saved& object) {
  std::ostringstream stream;
  object.save(stream, compr_mode_type::none);
  return stream.str();
}

Ciphertext loaded(const seal::SEALContext& context, const std::string& file) {
  Ciphertext result;
  std::istringstream stream(file);
  result.load(context, stream);
  return result;
}

TEST_P(SealEncryptor, encryptsWithEitherKey) {
  const Slots a = counting(s, -9);
  const Plaintext plain = s.encode(a);
  const Encryptor with_public(s.context, s.public_key);
  const Encryptor with_secret(s.context, s.keygen.secret_key());
  const Encryptor with_both(s.context, s.public_key, s.keygen.secret_key());
  Ciphertext x;
  for (int i = 0; i < 4; ++i) {
    switch (i) {
      case 0:
        with_public.encrypt(plain, x);
        break;
      case 1:
        with_both.encrypt(plain, x);
        break;
      case 2:
        with_secret.encrypt_symmetric(plain, x);
        break;
      default:
        with_both.encrypt_symmetric(plain, x);
        break;
    }
    EXPECT_EQ(x.size(), 2U);
    EXPECT_EQ(x.parms_id(), s.context.first_parms_id());
    EXPECT_EQ(x.is_ntt_form(), s.scheme != scheme_type::bfv);
    EXPECT_EQ(x.correction_factor(), 1U);
    EXPECT_EQ(x.scale(), s.is_ckks() ? kServiceScale : 1.0);
    EXPECT_TRUE(seal::is_valid_for(x, s.context));
    EXPECT_EQ(s.decrypt(x), a);
  }
}

TEST_P(SealEncryptor, keysCanBeSetLater) {
  const Slots a = counting(s, 1);
  const seal::KeyGenerator other(s.context);
  seal::PublicKey other_key;
  other.create_public_key(other_key);
  Encryptor encryptor(s.context, other_key);
  Ciphertext x;
  encryptor.encrypt(s.encode(a), x);
  EXPECT_NE(s.decrypt(x), a);
  encryptor.set_public_key(s.public_key);
  encryptor.encrypt(s.encode(a), x);
  EXPECT_EQ(s.decrypt(x), a);
  encryptor.set_secret_key(s.keygen.secret_key());
  encryptor.encrypt_symmetric(s.encode(a), x);
  EXPECT_EQ(s.decrypt(x), a);
  encryptor.set_secret_key(other.secret_key());
  encryptor.encrypt_symmetric(s.encode(a), x);
  EXPECT_NE(s.decrypt(x), a);
}

TEST_P(SealEncryptor, badKeysAreRefused) {
  const seal::SEALContext foreign = foreign_context(GetParam());
  const seal::KeyGenerator generator(foreign);
  seal::PublicKey key;
  generator.create_public_key(key);
  EXPECT_INVALID_ARGUMENT(Encryptor(s.context, key));
  EXPECT_INVALID_ARGUMENT(Encryptor(s.context, generator.secret_key()));
  EXPECT_INVALID_ARGUMENT(Encryptor(s.context, s.public_key, generator.secret_key()));
  EXPECT_INVALID_ARGUMENT(Encryptor(s.context, seal::PublicKey()));
  EXPECT_INVALID_ARGUMENT(s.encryptor.set_public_key(key));
  EXPECT_INVALID_ARGUMENT(s.encryptor.set_secret_key(generator.secret_key()));
  seal::PublicKey damaged = s.public_key;
  damaged.data()[3] = UINT64_MAX;
  EXPECT_INVALID_ARGUMENT(s.encryptor.set_public_key(damaged));
  EXPECT_INVALID_ARGUMENT(Encryptor(invalid_context(GetParam()), s.public_key));
  const Slots a = counting(s, 1);
  EXPECT_EQ(s.decrypt(s.encrypt(a)), a);  // the old key is still there
}

TEST_P(SealEncryptor, missingKeysAreALogicError) {
  const Encryptor with_public(s.context, s.public_key);
  const Encryptor with_secret(s.context, s.keygen.secret_key());
  const Plaintext plain = s.encode({1});
  Ciphertext x;
  EXPECT_LOGIC_ERROR(with_secret.encrypt(plain, x));
  EXPECT_LOGIC_ERROR((void)with_secret.encrypt(plain));
  EXPECT_LOGIC_ERROR(with_secret.encrypt_zero(x));
  EXPECT_LOGIC_ERROR((void)with_secret.encrypt_zero());
  EXPECT_LOGIC_ERROR(with_secret.encrypt_zero(s.context.first_parms_id(), x));
  EXPECT_LOGIC_ERROR((void)with_secret.encrypt_zero(s.context.first_parms_id()));
  EXPECT_LOGIC_ERROR(with_public.encrypt_symmetric(plain, x));
  EXPECT_LOGIC_ERROR((void)with_public.encrypt_symmetric(plain));
  EXPECT_LOGIC_ERROR(with_public.encrypt_zero_symmetric(x));
  EXPECT_LOGIC_ERROR((void)with_public.encrypt_zero_symmetric());
  EXPECT_LOGIC_ERROR(with_public.encrypt_zero_symmetric(s.context.first_parms_id(), x));
  EXPECT_LOGIC_ERROR((void)with_public.encrypt_zero_symmetric(s.context.first_parms_id()));
  EXPECT_EQ(x.size(), 0U);
}

TEST_P(SealEncryptor, zerosAtEveryLevel) {
  Ciphertext x;
  s.encryptor.encrypt_zero(x);
  EXPECT_EQ(x.parms_id(), s.context.first_parms_id());
  if (s.is_ckks()) x.scale() = kServiceScale;
  EXPECT_EQ(s.decrypt(x), zeros(s));
  s.encryptor.encrypt_zero_symmetric(x);
  if (s.is_ckks()) x.scale() = kServiceScale;
  EXPECT_EQ(s.decrypt(x), zeros(s));
  for (auto level = s.context.first_context_data(); level; level = level->next_context_data()) {
    s.encryptor.encrypt_zero(level->parms_id(), x);
    EXPECT_EQ(x.parms_id(), level->parms_id());
    EXPECT_EQ(x.scale(), 1.0);
    if (s.is_ckks()) x.scale() = kServiceScale / 1024;
    EXPECT_EQ(s.decrypt(x), zeros(s));
    s.encryptor.encrypt_zero_symmetric(level->parms_id(), x);
    EXPECT_EQ(x.parms_id(), level->parms_id());
    if (s.is_ckks()) x.scale() = kServiceScale / 1024;
    EXPECT_EQ(s.decrypt(x), zeros(s));
    x = loaded(s.context, file_of(s.encryptor.encrypt_zero_symmetric(level->parms_id())));
    EXPECT_EQ(x.parms_id(), level->parms_id());
    x = loaded(s.context, file_of(s.encryptor.encrypt_zero(level->parms_id())));
    EXPECT_EQ(x.parms_id(), level->parms_id());
  }
  EXPECT_INVALID_ARGUMENT(s.encryptor.encrypt_zero(seal::parms_id_zero, x));
  EXPECT_INVALID_ARGUMENT(s.encryptor.encrypt_zero_symmetric(seal::parms_id_type{1, 2, 3, 4}, x));
}

// The key level as SEAL has it: made, but nothing computes on it.
TEST_P(SealEncryptor, zerosAtTheKeyLevel) {
  const auto level = s.context.key_context_data();
  const auto& primes = level->parms().coeff_modulus();
  for (const bool is_symmetric : {false, true}) {
    Ciphertext x;
    if (is_symmetric) {
      s.encryptor.encrypt_zero_symmetric(s.context.key_parms_id(), x);
    } else {
      s.encryptor.encrypt_zero(s.context.key_parms_id(), x);
    }
    EXPECT_EQ(x.parms_id(), s.context.key_parms_id());
    EXPECT_EQ(x.coeff_modulus_size(), 5U);
    EXPECT_EQ(x.is_ntt_form(), s.scheme != scheme_type::bfv);
    EXPECT_TRUE(seal::is_metadata_valid_for(x, s.context, true));
    EXPECT_FALSE(x.is_transparent());
    // c0 + c1*s is small.
    for (std::size_t i = 0; i < primes.size(); ++i) {
      const auto& table = level->small_ntt_tables()[i];
      std::uint64_t* c0 = x.data(0) + i * kServiceDegree;
      std::uint64_t* c1 = x.data(1) + i * kServiceDegree;
      if (!x.is_ntt_form()) seal::util::ntt_negacyclic_harvey(c0, table);
      if (!x.is_ntt_form()) seal::util::ntt_negacyclic_harvey(c1, table);
      for (std::size_t n = 0; n < kServiceDegree; ++n) {
        c0[n] = seal::util::add_uint_mod(
            c0[n],
            seal::util::multiply_uint_mod(
                c1[n], s.keygen.secret_key().data()[i * kServiceDegree + n], primes[i]),
            primes[i]);
      }
      seal::util::inverse_ntt_negacyclic_harvey(c0, table);
      const std::uint64_t bound = std::uint64_t{1} << 36;
      for (std::size_t n = 0; n < kServiceDegree; ++n) {
        EXPECT_TRUE(c0[n] < bound || primes[i].value() - c0[n] < bound);
      }
    }
    Plaintext plain;
    EXPECT_INVALID_ARGUMENT(s.decryptor.decrypt(x, plain));
  }
}

TEST_P(SealEncryptor, badMessagesAreRefused) {
  Ciphertext x;
  if (s.is_ckks()) {
    EXPECT_INVALID_ARGUMENT(s.encryptor.encrypt(Plaintext("1"), x));
    Plaintext plain = s.encode({1});
    plain.scale() = -1.0;
    EXPECT_INVALID_ARGUMENT(s.encryptor.encrypt(plain, x));
    plain = s.encode({1});
    plain[7] = UINT64_MAX;
    EXPECT_INVALID_ARGUMENT(s.encryptor.encrypt(plain, x));
    seal::CKKSEncoder(s.context).encode(1.0, s.context.key_parms_id(), kServiceScale, plain);
    EXPECT_INVALID_ARGUMENT(s.encryptor.encrypt(plain, x));
    EXPECT_INVALID_ARGUMENT((void)s.encryptor.encrypt_symmetric(plain));
  } else {
    Plaintext plain(kServiceDegree + 1);
    EXPECT_INVALID_ARGUMENT(s.encryptor.encrypt(plain, x));
    plain = s.parms.plain_modulus().value();
    EXPECT_INVALID_ARGUMENT(s.encryptor.encrypt(plain, x));
    EXPECT_INVALID_ARGUMENT((void)s.encryptor.encrypt_symmetric(plain));
    plain = std::string("1");
    s.evaluator.transform_to_ntt_inplace(plain, s.context.first_parms_id());
    EXPECT_INVALID_ARGUMENT(s.encryptor.encrypt(plain, x));
  }
  const seal::MemoryPoolHandle no_pool;
  EXPECT_INVALID_ARGUMENT(s.encryptor.encrypt(s.encode({1}), x, no_pool));
  EXPECT_INVALID_ARGUMENT((void)s.encryptor.encrypt(s.encode({1}), no_pool));
  EXPECT_INVALID_ARGUMENT((void)s.encryptor.encrypt_zero_symmetric(no_pool));
  EXPECT_EQ(x.size(), 0U);
}

TEST_P(SealEncryptor, noMessageIsZero) {
  if (s.is_ckks()) return;
  Ciphertext x;
  s.encryptor.encrypt(Plaintext(), x);
  Plaintext plain;
  s.decryptor.decrypt(x, plain);
  EXPECT_EQ(plain.to_string(), "0");
  Plaintext scaled("5");
  scaled.scale() = 7.0;  // means nothing here
  s.encryptor.encrypt(scaled, x);
  EXPECT_EQ(x.scale(), 1.0);
}

TEST_P(SealEncryptor, ckksMessagesKeepTheirLevel) {
  if (!s.is_ckks()) return;
  const Slots a = counting(s, 1);
  Ciphertext x;
  s.encryptor.encrypt(s.encode_at(s.context.last_parms_id(), a, std::pow(2.0, 30)), x);
  EXPECT_EQ(x.parms_id(), s.context.last_parms_id());
  EXPECT_EQ(x.scale(), std::pow(2.0, 30));
  EXPECT_EQ(s.decrypt(x), a);
}

TEST_P(SealEncryptor, symmetricResultsAreSavedWithASeed) {
  const Slots a = counting(s, 4);
  const std::size_t poly_words = kServiceDegree * 4;
  const std::string seeded = file_of(s.encryptor.encrypt_symmetric(s.encode(a)));
  const std::string whole = file_of(s.encryptor.encrypt(s.encode(a)));
  EXPECT_EQ(whole.size(), 16 + 73 + 24 + 2 * 8 * poly_words);
  EXPECT_EQ(seeded.size(), 16 + 73 + 24 + 8 * poly_words + 81);
  const Ciphertext x = loaded(s.context, seeded);
  EXPECT_EQ(s.decrypt(x), a);
  EXPECT_EQ(s.decrypt(loaded(s.context, whole)), a);
  // c1 is what the stored seed expands to, in the form of the ciphertext.
  seal::UniformRandomGeneratorInfo info;
  std::istringstream stream(seeded.substr(seeded.size() - 81));
  info.load(stream);
  EXPECT_EQ(info.type(), seal::prng_type::blake2xb);
  std::vector<std::uint64_t> moduli;
  for (const auto& q : s.context.first_context_data()->parms().coeff_modulus()) {
    moduli.push_back(q.value());
  }
  std::vector<std::uint64_t> expected(poly_words);
  seal4::detail::expand_seed(info, {}, moduli, kServiceDegree, expected.data());
  EXPECT_EQ(words(x, 1), expected);
}

TEST_P(SealEncryptor, randomGeneratorsAreTheProgramsOwn) {
  seal::EncryptionParameters parms = service_parameters(GetParam());
  parms.set_random_generator(
      std::make_shared<seal::Shake256PRNGFactory>(seal::prng_seed_type{4, 5, 6}));
  Services fixed(parms, true);
  const Slots a = counting(fixed, 1);
  const Plaintext plain = fixed.encode(a);
  const Ciphertext x = fixed.encrypt(a);
  const Ciphertext y = fixed.encrypt(a);
  EXPECT_EQ(words(x, 0), words(y, 0));
  EXPECT_EQ(words(x, 1), words(y, 1));
  EXPECT_EQ(fixed.decrypt(x), a);
  const std::string seeded = file_of(fixed.encryptor.encrypt_symmetric(plain));
  EXPECT_EQ(seeded, file_of(fixed.encryptor.encrypt_symmetric(plain)));
  EXPECT_EQ(seeded[seeded.size() - 65], 2);  // SHAKE256
  EXPECT_EQ(fixed.decrypt(loaded(fixed.context, seeded)), a);
  EXPECT_NE(words(s.encrypt(a), 1), words(s.encrypt(a), 1));
}

/// A generator that no file can name.
class CountingGenerator : public seal::UniformRandomGenerator {
 public:
  explicit CountingGenerator(seal::prng_seed_type seed) : UniformRandomGenerator(seed) {}

 protected:
  seal::prng_type type() const noexcept override { return seal::prng_type::unknown; }
  void refill_buffer() override {
    for (auto* byte = buffer_begin_; byte != buffer_end_; ++byte) *byte = std::byte{next_++};
  }

 private:
  std::uint8_t next_ = 0;
};

class CountingFactory : public seal::UniformRandomGeneratorFactory {
 private:
  std::shared_ptr<seal::UniformRandomGenerator> create_impl(seal::prng_seed_type seed) override {
    return std::make_shared<CountingGenerator>(seed);
  }
};

TEST_P(SealEncryptor, unknownGeneratorsStillMakeReadableFiles) {
  seal::EncryptionParameters parms = service_parameters(GetParam());
  parms.set_random_generator(std::make_shared<CountingFactory>());
  Services own(parms, true);
  const Slots a = counting(own, 1);
  const std::string seeded = file_of(own.encryptor.encrypt_symmetric(own.encode(a)));
  EXPECT_EQ(seeded[seeded.size() - 65], 1);   // BLAKE2Xb
  EXPECT_EQ(seeded[seeded.size() - 64], 32);  // the 32 bytes before are the secret seed
  EXPECT_EQ(own.decrypt(loaded(own.context, seeded)), a);
}

TEST_P(SealEncryptor, destinationsKeepTheirPools) {
  const auto pool = seal::MemoryPoolHandle::New();
  Ciphertext x(pool);
  s.encryptor.encrypt(s.encode({1}), x);
  EXPECT_TRUE(x.pool() == pool);
  s.evaluator.square_inplace(x);
  EXPECT_TRUE(x.pool() == pool);
  s.encryptor.encrypt_zero_symmetric(x);
  EXPECT_TRUE(x.pool() == pool);
  EXPECT_EQ(x.size(), 2U);
}

TEST_P(SealEncryptor, servesManyThreads) {
  const Slots a = counting(s, 1);
  const Plaintext plain = s.encode(a);
  std::vector<std::string> files(4);
  std::vector<std::thread> threads;
  for (auto& file : files) {
    threads.emplace_back([&] {
      for (int i = 0; i < 4; ++i) {
        file += file_of(s.encryptor.encrypt_symmetric(plain));
        file += file_of(s.encryptor.encrypt(plain));
        Ciphertext key_level;
        s.encryptor.encrypt_zero(s.context.key_parms_id(), key_level);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& file : files) {
    std::istringstream stream(file);
    for (int i = 0; i < 8; ++i) {
      Ciphertext x;
      x.load(s.context, stream);
      EXPECT_EQ(s.decrypt(x), a);
    }
  }
}

// The sizes that SEAL's files have at N = 4096.
TEST(SealEncryptorFiles, haveTheSizesOfSeal) {
  seal::EncryptionParameters parms(scheme_type::bfv);
  parms.set_poly_modulus_degree(4096);
  parms.set_coeff_modulus(seal::CoeffModulus::BFVDefault(4096));
  parms.set_plain_modulus(1024);
  const seal::SEALContext context(parms);
  const seal::KeyGenerator generator(context);
  const Encryptor encryptor(context, generator.secret_key());
  seal::Decryptor decryptor(context, generator.secret_key());
  const std::string file = file_of(encryptor.encrypt_symmetric(std::string("1x^3 + 2x^1 + 3")));
  EXPECT_EQ(file.size(), 65730U);
  Plaintext plain;
  const Ciphertext x = loaded(context, file);
  decryptor.decrypt(x, plain);
  EXPECT_EQ(plain.to_string(), "1x^3 + 2x^1 + 3");
  EXPECT_EQ(file_of(x).size(), 131185U);
}

}  // namespace
}  // namespace ringlet::test
