// SPDX-License-Identifier: Apache-2.0
#include "seal_objects.hpp"
#include "service_setup.hpp"
#include "support/test.hpp"

// Every overload of the services but Evaluator once, as programs call it.

namespace ringlet::test {
namespace {

using seal::Ciphertext;
using seal::MemoryPoolHandle;
using seal::Plaintext;
using seal::Serializable;

using SealServiceSignatures = SealServices;

INSTANTIATE_TEST_SUITE_P(AllSchemes, SealServiceSignatures, testing::ValuesIn(kServiceSchemes),
                         scheme_name);

template <typename T>
T loaded(const seal::SEALContext& context, const Serializable<T>& object) {
  std::stringstream stream;
  EXPECT_LE(object.save(stream), object.save_size());
  T result;
  result.load(context, stream);
  return result;
}

TEST_P(SealServiceSignatures, keyGenerator) {
  const seal::KeyGenerator generator(s.context);
  const seal::KeyGenerator again(s.context, generator.secret_key());
  EXPECT_TRUE(same(generator.secret_key(), again.secret_key()));
  EXPECT_TRUE((std::is_same_v<decltype(generator.secret_key()), const seal::SecretKey&>));

  seal::PublicKey public_key;
  generator.create_public_key(public_key);
  EXPECT_TRUE(seal::is_valid_for(public_key, s.context));
  const Serializable<seal::PublicKey> seeded_public = generator.create_public_key();
  EXPECT_TRUE(seal::is_valid_for(loaded(s.context, seeded_public), s.context));

  seal::RelinKeys relin_keys;
  generator.create_relin_keys(relin_keys);
  EXPECT_TRUE(relin_keys.has_key(2));
  const Serializable<seal::RelinKeys> seeded_relin = generator.create_relin_keys();
  EXPECT_TRUE(loaded(s.context, seeded_relin).has_key(2));

  seal::GaloisKeys galois_keys;
  generator.create_galois_keys(galois_keys);
  EXPECT_TRUE(galois_keys.has_key(127));
  Serializable<seal::GaloisKeys> seeded_galois = generator.create_galois_keys();
  EXPECT_TRUE(loaded(s.context, seeded_galois).has_key(127));
  const std::vector<int> steps{2};
  generator.create_galois_keys(steps, galois_keys);
  EXPECT_TRUE(galois_keys.has_key(9));
  seeded_galois = generator.create_galois_keys(steps);
  EXPECT_TRUE(loaded(s.context, seeded_galois).has_key(9));
  const std::vector<std::uint32_t> elements{11};
  generator.create_galois_keys(elements, galois_keys);
  EXPECT_TRUE(galois_keys.has_key(11));
  EXPECT_EQ(galois_keys.size(), 1U);
  seeded_galois = generator.create_galois_keys(elements);
  EXPECT_TRUE(loaded(s.context, seeded_galois).has_key(11));
}

TEST_P(SealServiceSignatures, encryptorAndDecryptor) {
  const Slots a = counting(s, 1);
  const Slots zero(s.slot_count());
  const Plaintext plain = s.encode(a);
  const seal::parms_id_type first = s.context.first_parms_id();
  const auto pool = MemoryPoolHandle::New();
  const auto slots = [&](Ciphertext x) {
    if (s.is_ckks()) x.scale() = kServiceScale;  // zeros have none of their own
    return s.decrypt(x);
  };
  const seal::Encryptor& e = s.encryptor;
  const std::vector<std::function<void(Ciphertext&)>> messages{
      [&](Ciphertext& x) { e.encrypt(plain, x); },
      [&](Ciphertext& x) { e.encrypt(plain, x, pool); },
      [&](Ciphertext& x) { x = loaded(s.context, e.encrypt(plain)); },
      [&](Ciphertext& x) { x = loaded(s.context, e.encrypt(plain, pool)); },
      [&](Ciphertext& x) { e.encrypt_symmetric(plain, x); },
      [&](Ciphertext& x) { e.encrypt_symmetric(plain, x, pool); },
      [&](Ciphertext& x) { x = loaded(s.context, e.encrypt_symmetric(plain)); },
      [&](Ciphertext& x) { x = loaded(s.context, e.encrypt_symmetric(plain, pool)); },
  };
  const std::vector<std::function<void(Ciphertext&)>> zeros{
      [&](Ciphertext& x) { e.encrypt_zero(x); },
      [&](Ciphertext& x) { e.encrypt_zero(x, pool); },
      [&](Ciphertext& x) { e.encrypt_zero(first, x); },
      [&](Ciphertext& x) { e.encrypt_zero(first, x, pool); },
      [&](Ciphertext& x) { x = loaded(s.context, e.encrypt_zero()); },
      [&](Ciphertext& x) { x = loaded(s.context, e.encrypt_zero(pool)); },
      [&](Ciphertext& x) { x = loaded(s.context, e.encrypt_zero(first)); },
      [&](Ciphertext& x) { x = loaded(s.context, e.encrypt_zero(first, pool)); },
      [&](Ciphertext& x) { e.encrypt_zero_symmetric(x); },
      [&](Ciphertext& x) { e.encrypt_zero_symmetric(x, pool); },
      [&](Ciphertext& x) { e.encrypt_zero_symmetric(first, x); },
      [&](Ciphertext& x) { e.encrypt_zero_symmetric(first, x, pool); },
      [&](Ciphertext& x) { x = loaded(s.context, e.encrypt_zero_symmetric()); },
      [&](Ciphertext& x) { x = loaded(s.context, e.encrypt_zero_symmetric(pool)); },
      [&](Ciphertext& x) { x = loaded(s.context, e.encrypt_zero_symmetric(first)); },
      [&](Ciphertext& x) { x = loaded(s.context, e.encrypt_zero_symmetric(first, pool)); },
  };
  for (std::size_t i = 0; i < messages.size(); ++i) {
    Ciphertext x;
    messages[i](x);
    EXPECT_EQ(slots(x), a) << i;
  }
  for (std::size_t i = 0; i < zeros.size(); ++i) {
    Ciphertext x;
    zeros[i](x);
    EXPECT_FALSE(x.is_transparent());
    EXPECT_EQ(slots(x), zero) << i;
  }
  seal::Decryptor decryptor(s.context, s.keygen.secret_key());
  Plaintext decrypted;
  decryptor.decrypt(s.encrypt(a), decrypted);
  EXPECT_EQ(s.decode(decrypted), a);
  if (!s.is_ckks()) {
    EXPECT_GT(decryptor.invariant_noise_budget(s.encrypt(a)), 0);
  }
}

TEST_P(SealServiceSignatures, serializableObjectsAreOnlySaved) {
  using Saved = Serializable<Ciphertext>;
  EXPECT_TRUE(std::is_copy_constructible_v<Saved>);
  EXPECT_TRUE(std::is_copy_assignable_v<Saved>);
  EXPECT_TRUE(std::is_nothrow_move_constructible_v<Saved>);
  EXPECT_FALSE(std::is_default_constructible_v<Saved>);
  EXPECT_FALSE((std::is_constructible_v<Saved, Ciphertext>));
  EXPECT_FALSE((std::is_convertible_v<Saved, Ciphertext>));
  const Slots a = counting(s, 1);
  const Saved object = s.encryptor.encrypt_symmetric(s.encode(a));
  Saved copy = object;
  const Saved moved = std::move(copy);
  std::vector<seal::seal_byte> buffer(
      static_cast<std::size_t>(moved.save_size(seal::compr_mode_type::none)));
  const auto bytes = moved.save(buffer.data(), buffer.size(), seal::compr_mode_type::none);
  EXPECT_EQ(bytes, static_cast<std::streamoff>(buffer.size()));
  Ciphertext x;
  EXPECT_EQ(x.load(s.context, buffer.data(), buffer.size()), bytes);
  EXPECT_EQ(s.decrypt(x), a);
}

TEST_P(SealServiceSignatures, encoders) {
  const auto pool = MemoryPoolHandle::New();
  Plaintext plain;
  if (!s.is_ckks()) {
    const seal::BatchEncoder encoder(s.context);
    EXPECT_EQ(encoder.slot_count(), kServiceDegree);
    std::vector<std::uint64_t> numbers{1, 2};
    std::vector<std::int64_t> integers{-1, 2};
    encoder.encode(numbers, plain);
    encoder.decode(plain, numbers);
    encoder.decode(plain, numbers, pool);
    EXPECT_EQ(numbers[1], 2U);
    encoder.encode(integers, plain);
    encoder.decode(plain, integers);
    encoder.decode(plain, integers, pool);
    EXPECT_EQ(integers[0], -1);
    return;
  }
  const seal::CKKSEncoder encoder(s.context);
  EXPECT_EQ(encoder.slot_count(), kServiceDegree / 2);
  const seal::parms_id_type last = s.context.last_parms_id();
  const double scale = std::pow(2.0, 30);
  const std::vector<double> reals{3, 4};
  const std::vector<std::complex<double>> numbers{{3, 1}, {4, 2}};
  const std::complex<double> number{3, 1};
  using Call = std::function<void()>;
  const std::vector<std::pair<Call, std::complex<double>>> calls{
      {[&] { encoder.encode(reals, scale, plain); }, 3},
      {[&] { encoder.encode(reals, scale, plain, pool); }, 3},
      {[&] { encoder.encode(reals, last, scale, plain); }, 3},
      {[&] { encoder.encode(reals, last, scale, plain, pool); }, 3},
      {[&] { encoder.encode<double>(reals, scale, plain); }, 3},
      {[&] { encoder.encode(numbers, scale, plain); }, number},
      {[&] { encoder.encode(numbers, scale, plain, pool); }, number},
      {[&] { encoder.encode(numbers, last, scale, plain); }, number},
      {[&] { encoder.encode(numbers, last, scale, plain, pool); }, number},
      {[&] { encoder.encode(3.0, scale, plain); }, 3},
      {[&] { encoder.encode(3.0, scale, plain, pool); }, 3},
      {[&] { encoder.encode(3.0, last, scale, plain); }, 3},
      {[&] { encoder.encode(3.0, last, scale, plain, pool); }, 3},
      {[&] { encoder.encode(number, scale, plain); }, number},
      {[&] { encoder.encode(number, scale, plain, pool); }, number},
      {[&] { encoder.encode(number, last, scale, plain); }, number},
      {[&] { encoder.encode(number, last, scale, plain, pool); }, number},
      {[&] { encoder.encode(std::int64_t{3}, plain); }, 3},
      {[&] { encoder.encode(std::int64_t{3}, last, plain); }, 3},
  };
  for (std::size_t i = 0; i < calls.size(); ++i) {
    calls[i].first();
    std::vector<std::complex<double>> decoded;
    std::vector<double> real_parts;
    encoder.decode(plain, decoded);
    encoder.decode(plain, real_parts, pool);
    EXPECT_NEAR(std::abs(decoded[0] - calls[i].second), 0.0, 1e-6) << i;
    EXPECT_NEAR(real_parts[0], 3.0, 1e-6) << i;
    encoder.decode(plain, decoded, pool);
    encoder.decode<double>(plain, real_parts);
    EXPECT_EQ(real_parts[0], decoded[0].real());
  }
}

}  // namespace
}  // namespace ringlet::test
