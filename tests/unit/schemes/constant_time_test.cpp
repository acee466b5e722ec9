// SPDX-License-Identifier: Apache-2.0
// Values that depend on keys, randomness and messages decide no branch and no address. This holds
// in key generation, encoding, encryption, decryption and decoding of the three schemes and of FV
// with a wide modulus, and in the noise of results for sharing.

#include "ringlet/fv/fv.hpp"
#include "ringlet/fv/fv_serialization.hpp"
#include "schemes/sharing/flooding.hpp"
#include "support/secret_randomness.hpp"
#include "unit/schemes/exact_support.hpp"

namespace ringlet::test {
namespace {

// The noise budget is public, and so is the time of its computation.
const std::string kAccepted = kDeclassified +
                              accept("...\nfun:*ringlet*schemes*centred_bit_count*") +
                              accept("fun:*ringlet*fv*sample_uniform*");

constexpr std::size_t kTimedDegree = 64;

template <typename T>
std::vector<T> secret(std::vector<T> values) {
  make_secret(values.data(), values.size() * sizeof(T));
  return values;
}

// Some bits of words are known, such as the highest: at least one byte of each is secret.
void expect_secret(std::span<const std::uint64_t> words, const char* what) {
  for (const std::uint64_t& word : words) {
    ASSERT_TRUE(is_secret(&word, 1)) << what << " is not followed";
  }
}

std::span<const std::uint64_t> first_limb(const Plaintext& plain) {
  return plain.is_ntt_form() ? plain.ntt_view().limb(0) : plain.coefficients();
}

/// All keys of a context; marks their public parts as public.
struct Keys {
  explicit Keys(const Context& context)
      : generator(context), public_key(generator.create_public_key()) {
    expect_secret(generator.secret_key().view().limb(0), "the secret key");
    expect_secret(public_key.data().ntt_view(0).limb(0), "the public key");
    published(public_key.data());
    if (!context.using_keyswitching()) return;
    relin = generator.create_relin_keys();
    galois = context.ring().kind() == RingKind::cyclotomic
                 ? generator.create_galois_keys_for_elements({2})
                 : generator.create_galois_keys(std::vector<int>{1, 0});
    publish(relin.key(2));
    for (const std::uint64_t element : galois.galois_elements()) publish(galois.key(element));
  }

  KeyGenerator generator;
  PublicKey public_key;
  RelinKeys relin;
  GaloisKeys galois;
};

// Shapes with one special prime, with several and with none.
std::vector<ExactShape> shapes() {
  return {{kTimedDegree, 257, {50, 40, 41}, {60}},
          {kTimedDegree,
           PlainModulus::batching(kTimedDegree, 40).value(),
           {49, 48, 49, 61},
           {61, 60},
           2},
          {kTimedDegree, 65537, {61}, {}}};
}

// Encrypts with either key, computes a little, decrypts.
template <typename Check>
void through_encryption(const Context& context, const Keys& keys, const Plaintext& plain,
                        const Check& check) {
  const Encryptor encryptor(context, keys.public_key, keys.generator.secret_key());
  const Decryptor decryptor(context, keys.generator.secret_key());
  const Evaluator evaluator(context);
  for (const bool is_symmetric : {false, true}) {
    Ciphertext fresh = is_symmetric ? encryptor.encrypt_symmetric(plain) : encryptor.encrypt(plain);
    expect_secret(fresh.view(0).limb(0), "the first polynomial");
    Ciphertext encrypted = published(std::move(fresh));
    check(decryptor.decrypt(encrypted));
    // Servers use plaintexts of their own, which are as secret to others.
    evaluator.add_plain_inplace(encrypted, plain);
    encrypted = published(std::move(encrypted));
    if (context.using_keyswitching()) {
      evaluator.apply_galois_inplace(encrypted, keys.galois.galois_elements().front(), keys.galois);
      evaluator.square_inplace(encrypted);
      if (context.scheme() == SchemeType::ckks) {
        Ciphertext rescaled = encrypted;
        rescaled.scale() = 0x1p60;
        evaluator.relinearize_and_rescale_to_next_inplace(rescaled, keys.relin);
      }
      evaluator.relinearize_inplace(encrypted, keys.relin);
      evaluator.mod_switch_to_next_inplace(encrypted);
    }
    check(decryptor.decrypt(encrypted));
    if (context.scheme() != SchemeType::ckks) decryptor.invariant_noise_budget(encrypted);
  }
}

void follow_exact(SchemeType scheme) {
  auto rng = make_rng();
  for (const KernelSelection& table : available_tables()) {
    for (const ExactShape& shape : shapes()) {
      const Context context = exact_context(scheme, shape, table);
      const Keys keys(context);
      const BatchEncoder encoder(context);
      std::vector<std::int64_t> values(kTimedDegree);
      for (auto& value : values) value = static_cast<std::int64_t>(rng() % shape.t) / 2 - 7;
      Plaintext plain;
      encoder.encode(secret(values), plain);
      expect_secret(first_limb(plain), "an encoded message");
      encoder.encode(secret(random_values(kTimedDegree, shape.t, rng)), plain);
      expect_secret(first_limb(plain), "an encoded message");
      through_encryption(context, keys, plain, [&](const Plaintext& decrypted) {
        expect_secret(first_limb(decrypted), "a decrypted message");
        Words slots;
        encoder.decode(decrypted, slots);
        expect_secret(slots, "a decoded message");
        encoder.decode(decrypted, values);
      });
      // Coefficients without an encoder serve as a transformed operand and as a factor.
      const Plaintext coefficients = plain_of(secret(random_values(kTimedDegree, shape.t, rng)));
      const Evaluator evaluator(context);
      Plaintext transformed;
      evaluator.transform_to_ntt(coefficients, context.first_parms_id(), transformed);
      expect_secret(first_limb(transformed), "a transformed message");
    }
  }
}

// Bits in slots, over a ring with four of them.
void follow_slots(SchemeType scheme, const KernelSelection& table) {
  const RingSpec ring = RingSpec::cyclotomic(105);
  const Context context(parameters_of(scheme, ring, {45, 45}, {46}, 2), SecurityLevel::none,
                        SecurityTable::classical_2024, table);
  const Keys keys(context);
  const SlotEncoder encoder(context);
  Plaintext plain;
  encoder.encode_elements(secret(std::vector<std::uint8_t>(ring.degree(), 1)), plain);
  expect_secret(first_limb(plain), "encoded elements");
  through_encryption(context, keys, plain, [&](const Plaintext& decrypted) {
    std::vector<std::uint8_t> elements(ring.degree());
    encoder.decode_elements(decrypted, elements);
    ASSERT_TRUE(is_secret(elements.data(), elements.size())) << "decoded elements not followed";
  });
  encoder.encode(secret(std::vector<std::uint8_t>{1, 0, 0, 1}), plain);
  through_encryption(context, keys, plain, [&](const Plaintext& decrypted) {
    const std::vector<std::uint8_t> bits = encoder.decode(decrypted);
    ASSERT_TRUE(is_secret(bits.data(), bits.size())) << "decoded bits are not followed";
  });
}

using DISABLED_SchemesConstantTimeBody = UnderValgrind;
using DISABLED_SchemesConstantTimeControl = UnderValgrind;

TEST_F(DISABLED_SchemesConstantTimeBody, BitsInSlots) {
  for (const KernelSelection& table : available_tables()) {
    follow_slots(SchemeType::bfv, table);
    follow_slots(SchemeType::bgv, table);
  }
}

TEST_F(DISABLED_SchemesConstantTimeBody, Bfv) { follow_exact(SchemeType::bfv); }
TEST_F(DISABLED_SchemesConstantTimeBody, Bgv) { follow_exact(SchemeType::bgv); }

TEST_F(DISABLED_SchemesConstantTimeBody, Ckks) {
  auto rng = make_rng();
  for (const KernelSelection& table : available_tables()) {
    for (const ExactShape& shape : shapes()) {
      const Context context = exact_context(SchemeType::ckks, shape, table);
      const Keys keys(context);
      const CKKSEncoder encoder(context);
      Plaintext plain;
      encoder.encode(secret(std::vector<double>{1.5})[0], 0x1p20, plain);
      expect_secret(first_limb(plain), "an encoded number");
      encoder.encode(secret(std::vector<std::int64_t>{-77})[0], plain);
      expect_secret(first_limb(plain), "an encoded integer");
      encoder.encode(secret(std::vector<double>(kTimedDegree / 2, 0.25)), 0x1p20, plain);
      expect_secret(first_limb(plain), "encoded slots");
      encoder.encode(secret(random_slots(kTimedDegree / 2, rng)), 0x1p20, plain);
      expect_secret(first_limb(plain), "encoded slots");
      through_encryption(context, keys, plain, [&](const Plaintext& decrypted) {
        expect_secret(first_limb(decrypted), "a decrypted message");
        Slots slots;
        encoder.decode(decrypted, slots);
        ASSERT_TRUE(is_secret(&slots[3], 1)) << "a decoded slot is not followed";
        std::vector<double> real;
        encoder.decode(decrypted, real);
      });
    }
  }
}

// A secure degree, on the best table that Valgrind knows.
TEST_F(DISABLED_SchemesConstantTimeBody, ADegreeInUse) {
  auto rng = make_rng();
  for (const SchemeType scheme : {SchemeType::ckks, SchemeType::bfv}) {
    const Context context(default_parameters(scheme, 4096));
    const Keys keys(context);
    Plaintext plain;
    if (scheme == SchemeType::ckks) {
      CKKSEncoder(context).encode(secret(random_slots(2048, rng)), 0x1p16, plain);
    } else {
      const std::uint64_t t = context.plain_modulus().value();
      BatchEncoder(context).encode(secret(random_values(4096, t, rng)), plain);
    }
    expect_secret(first_limb(plain), "an encoded message");
    through_encryption(context, keys, plain, [&](const Plaintext& decrypted) {
      expect_secret(first_limb(decrypted), "a decrypted message");
    });
  }
}

// Noise of one term and of many, from narrow to wide.
TEST_F(DISABLED_SchemesConstantTimeBody, ResultsForSharing) {
  auto rng = make_rng();
  std::vector<std::int8_t> noise(100);
  rlwe::RandomStream stream(rlwe::Seed(RandomSource()), {rlwe::StreamPurpose::flooding});
  schemes::sample_flooding_base(noise, stream);
  ASSERT_TRUE(is_secret(noise.data(), noise.size())) << "the noise is not followed";
  for (const KernelSelection& table : available_tables()) {
    const Context context = toy_context(kTimedDegree, {50, 61, 60, 60}, table);
    const Keys keys(context);
    const CKKSEncoder encoder(context);
    const Encryptor encryptor(context, keys.public_key);
    Plaintext plain;
    encoder.encode(secret(random_slots(kTimedDegree / 2, rng)), 0x1p140, plain);
    const Ciphertext encrypted = published(encryptor.encrypt(plain));
    SharingDecryptor decryptor(context, keys.generator.secret_key(), {.decryptions = 3});
    for (const double noise_bits : {10.0, 20.0, 90.0}) {
      const SharedResult result = decryptor.decrypt(encrypted, noise_bits);
      expect_secret(first_limb(result.plaintext), "a result for sharing");
      Slots slots;
      encoder.decode(result.plaintext, slots);
    }
  }
}

void publish(const WidePoly& poly) {
  for (std::size_t w = 0; w < poly.word_count(); ++w) {
    make_public(poly.plane(w).data(), poly.plane(w).size_bytes());
  }
}

// Keys, encryption of one message and of four, decryption and a saved key, for one set of FV's
// parameters.
void follow_fv(const fv::Parameters& parameters, const KernelSelection& table) {
  auto rng = make_rng();
  const fv::Context context(parameters, SecurityLevel::none, SecurityTable::classical_2024, table);
  const fv::KeyGenerator keys(context);
  const auto coefficients = keys.secret_key().coefficients();
  ASSERT_TRUE(is_secret(coefficients.data(), coefficients.size())) << "the key is not followed";
  const fv::PublicKey key = keys.create_public_key();
  for (std::size_t i = 0; i < 2; ++i) {
    expect_secret(key[i].plane(0), "the public key");
    publish(key[i]);
  }
  const fv::Encryptor encryptor(context, key);
  const fv::Decryptor decryptor(context, keys.secret_key());
  const std::size_t degree = parameters.ring.degree();
  const Words words = secret(random_values(degree, parameters.plain_modulus, rng));
  std::vector<fv::Message> messages(4, fv::Message(words.begin(), words.end()));
  std::vector<fv::Ciphertext> encrypted = encryptor.encrypt(messages);
  encrypted.push_back(encryptor.encrypt(words));
  for (const fv::Ciphertext& ciphertext : encrypted) {
    for (std::size_t i = 0; i < 2; ++i) {
      expect_secret(ciphertext[i].plane(0), "a ciphertext");
      publish(ciphertext[i]);
    }
    expect_secret(decryptor.decrypt(ciphertext), "a decrypted message");
  }
  decryptor.noise_budget(encrypted.front());
  save_secret_key(context, keys.secret_key());
}

TEST_F(DISABLED_SchemesConstantTimeBody, FvWithAWideModulus) {
  for (const KernelSelection& table : available_tables()) {
    for (const ProductWay way : {ProductWay::ntt, ProductWay::karatsuba, ProductWay::additions}) {
      for (const auto secrets : {fv::SecretDistribution::ternary, fv::SecretDistribution::binary}) {
        fv::Parameters parameters = fv::Parameters::default_128();
        parameters.ring = RingSpec::cyclotomic(105);
        parameters.secrets = secrets;
        parameters.way = way;
        follow_fv(parameters, table);
        parameters.plain_modulus = 65537;
        parameters.modulus = WideModulus::largest_prime(135);
        follow_fv(parameters, table);
      }
    }
  }
}

// This branches on a decrypted message, the last value of the longest path.
TEST_F(DISABLED_SchemesConstantTimeControl, ABranchOnADecryptedMessageIsFound) {
  const Context context = exact_context(SchemeType::bfv, shapes()[0]);
  const Keys keys(context);
  const Encryptor encryptor(context, keys.public_key);
  const Decryptor decryptor(context, keys.generator.secret_key());
  const Plaintext plain = plain_of(secret(Words(kTimedDegree, 5)));
  const Plaintext decrypted = decryptor.decrypt(published(encryptor.encrypt(plain)));
  volatile int count = 0;
  for (const std::uint64_t m : decrypted.coefficients()) {
    if (m > 100) count = count + 1;
  }
}

TEST(SchemesConstantTime, NoBranchOrAddressDependsOnASecret) {
  expect_nothing_found("DISABLED_SchemesConstantTimeBody", {"7 tests from 1 test suite ran"},
                       kAccepted);
}

TEST(SchemesConstantTime, TheCheckSeesABranch) {
  expect_found("DISABLED_SchemesConstantTimeControl", kAccepted);
}

}  // namespace
}  // namespace ringlet::test
