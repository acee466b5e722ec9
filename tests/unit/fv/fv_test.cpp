// SPDX-License-Identifier: Apache-2.0
// FV against its textbook, by FLINT and GMP on keys in the open.

#include "ringlet/fv/fv_serialization.hpp"
#include "ringlet/ring/cyclotomic_slots.hpp"
#include "rlwe/random/sha256.hpp"
#include "support/refusal.hpp"
#include "unit/fv/support.hpp"

namespace ringlet::test {
namespace {

using fv::SecretDistribution;

// log2 of the largest error: 21 for X^N + 1, where errors are sampled by coefficients.
double log2_error_bound(const fv::Context& context) {
  const std::uint64_t index = context.parameters().ring.cyclotomic_index();
  const double growth =
      std::has_single_bit(index)
          ? 1
          : static_cast<double>(reduction_growth(CyclotomicPolynomial(index), index));
  return std::log2(21 * growth);
}

// Keys, ciphertexts and messages satisfy their equations.
void expect_textbook(const fv::Context& context, std::size_t messages, std::mt19937_64& rng) {
  SCOPED_TRACE(describe(context.parameters()));
  const OpenFv open(context);
  const FvBench bench(context, RandomSource::for_testing(rng()));
  const fv::SecretKey& secret_key = bench.keys.secret_key();
  const double error_bits = OpenFv::log2_norm(open.multiply_add(
      FlintIntegerPoly(bench.public_key[0]), FlintIntegerPoly(bench.public_key[1]),
      FlintIntegerPoly(secret_key.coefficients())));
  EXPECT_GE(error_bits, 0) << "no error at all";
  EXPECT_LE(error_bits, log2_error_bound(context));

  for (std::size_t i = 0; i < messages; ++i) {
    fv::Message message = random_message(context, rng);
    if (i == 0) std::ranges::fill(message, 0);
    if (i == 1) std::ranges::fill(message, context.parameters().plain_modulus - 1);
    const fv::Ciphertext encrypted = bench.encryptor.encrypt(message);
    const FlintIntegerPoly phase = open.phase(encrypted, secret_key);
    const double noise_bits = OpenFv::log2_norm(open.noise(phase, message));
    EXPECT_GE(noise_bits, 0);
    EXPECT_LE(noise_bits, context.fresh_noise_bits());
    EXPECT_EQ(bench.decryptor.decrypt(encrypted), message);
    EXPECT_EQ(open.decrypt(phase), message);
    const double room = context.parameters().modulus.bit_count() - 1 -
                        std::log2(2.0 * static_cast<double>(context.parameters().plain_modulus));
    EXPECT_NEAR(bench.decryptor.noise_budget(encrypted), room - noise_bits, 1.01);
  }
}

TEST(Fv, ToyRingsWithModuliOfEverySize) {
  auto rng = make_rng();
  for (const std::uint64_t index : {7u, 15u, 21u, 9u, 16u, 105u}) {
    for (const int bits : {20, 64, 65, 100, 125, 128, 129, 135}) {
      for (const std::uint64_t t : {2u, 11u, 257u, 65537u}) {
        if (std::gcd(t, index) != 1 || (bits == 20 && t > 11) || (index == 105 && bits == 20))
          continue;
        for (const auto secrets : {SecretDistribution::ternary, SecretDistribution::binary}) {
          expect_textbook(toy_fv(index, bits, t, secrets), scaled(3), rng);
        }
      }
    }
  }
}

// Even and composite moduli, and the largest modulus of messages.
TEST(Fv, ModuliThatAreNotPrime) {
  auto rng = make_rng();
  const std::vector<std::pair<const char*, std::uint64_t>> kModuli{
      {"18446744073709551616", 3},
      {"340282366920938463463374607431768211456", 5},
      {"21778071482940061661655974875633165533184", 11},
      {"43556142965880123323311949751266331066367", 2},
      {"1000000000000000000000000000001", std::uint64_t{1} << 32},
      {"43556142965880123323311949751266331066367", std::uint64_t{1} << 32},
      {"340282366920938463463374607431768211455", (std::uint64_t{1} << 32) - 2}};
  for (const std::uint64_t index : {7u, 13u}) {
    for (const auto& [q, t] : kModuli) {
      const fv::Parameters parameters =
          fv_parameters(index, WideModulus::parse(q), t, SecretDistribution::ternary);
      if (std::gcd(t, index) != 1) continue;
      expect_textbook(fv::Context(parameters, SecurityLevel::none), scaled(3), rng);
    }
  }
}

TEST(Fv, NamedSetsSatisfyTheTextbook) {
  auto rng = make_rng();
  for (const auto& [make, level, index, degree] :
       {std::tuple(&fv::Parameters::default_128, SecurityLevel::tc128, 10773, 5832),
        std::tuple(&fv::Parameters::default_128_8190, SecurityLevel::tc128, 8191, 8190),
        std::tuple(&fv::Parameters::reproduction_2420, SecurityLevel::reproduction, 2783, 2420),
        std::tuple(&fv::Parameters::reproduction_2560, SecurityLevel::reproduction, 3485, 2560)}) {
    const fv::Context context(make(), level);
    EXPECT_EQ(context.parameters().ring.cyclotomic_index(), static_cast<std::uint64_t>(index));
    EXPECT_EQ(context.parameters().ring.degree(), static_cast<std::size_t>(degree));
    expect_textbook(context, 2, rng);
  }
}

TEST(Fv, SumsDecryptToSums) {
  auto rng = make_rng();
  for (const std::uint64_t t : {2u, 3u, 257u}) {
    const FvBench bench(toy_fv(35, 60, t));
    for (std::size_t i = 0; i < scaled(10); ++i) {
      const fv::Message a = random_message(bench.context, rng);
      const fv::Message b = random_message(bench.context, rng);
      const fv::Message found = bench.decryptor.decrypt(
          bench.context.add(bench.encryptor.encrypt(a), bench.encryptor.encrypt(b)));
      for (std::size_t k = 0; k < a.size(); ++k) ASSERT_EQ(found[k], (a[k] + b[k]) % t);
    }
  }
}

// Encrypting many messages at once gives the same ciphertexts as one by one.
TEST(Fv, ManyAtOnceAreTheSameAsOneByOne) {
  auto rng = make_rng();
  const fv::Context context = toy_fv(45, 125, 7);
  const fv::PublicKey key = fv::KeyGenerator(context).create_public_key();
  for (const std::size_t count : {0u, 1u, 2u, 3u, 4u, 5u, 8u, 11u}) {
    std::vector<fv::Message> messages;
    for (std::size_t i = 0; i < count; ++i) messages.push_back(random_message(context, rng));
    const fv::Encryptor together(context, key, RandomSource::for_testing(count));
    const fv::Encryptor alone(context, key, RandomSource::for_testing(count));
    const std::vector<fv::Ciphertext> found = together.encrypt(messages);
    ASSERT_EQ(found.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      const fv::Ciphertext wanted = alone.encrypt(messages[i]);
      EXPECT_EQ(found[i][0], wanted[0]);
      EXPECT_EQ(found[i][1], wanted[1]);
      EXPECT_EQ(found[i].parms_id(), wanted.parms_id());
    }
  }
}

// Keys, ciphertexts and identifiers do not depend on how products are computed.
TEST(Fv, EveryWayGivesTheSameBits) {
  auto rng = make_rng();
  for (const std::uint64_t index : {35u, 64u, 441u, 2783u}) {
    for (const auto secrets : {SecretDistribution::ternary, SecretDistribution::binary}) {
      fv::Parameters parameters =
          fv_parameters(index, WideModulus::largest_prime(125), 13, secrets);
      std::vector<fv::PublicKey> keys;
      std::vector<fv::Ciphertext> ciphertexts;
      fv::Message message;
      for (const ProductWay way :
           {ProductWay::automatic, ProductWay::additions, ProductWay::ntt, ProductWay::karatsuba}) {
        parameters.way = way;
        const fv::Context context(parameters, SecurityLevel::none);
        if (way != ProductWay::automatic) {
          EXPECT_EQ(context.product().way(), way);
        }
        const auto random = RandomSource::for_testing(9);
        const fv::KeyGenerator generator(context, random);
        keys.push_back(generator.create_public_key());
        if (message.empty()) message = random_message(context, rng);
        ciphertexts.push_back(fv::Encryptor(context, keys.back(), random).encrypt(message));
        // The first context decrypts what the others made, too.
        const fv::Decryptor decryptor(context, generator.secret_key());
        EXPECT_EQ(decryptor.decrypt(ciphertexts.front()), message);
      }
      for (std::size_t i = 1; i < keys.size(); ++i) {
        EXPECT_EQ(keys[i].parms_id(), keys[0].parms_id());
        EXPECT_EQ(keys[i].seed(), keys[0].seed());
        for (std::size_t k = 0; k < 2; ++k) {
          EXPECT_EQ(keys[i][k], keys[0][k]) << i;
          EXPECT_EQ(ciphertexts[i][k], ciphertexts[0][k]) << i;
        }
      }
    }
  }
}

std::string digest_of(const std::vector<std::byte>& file) {
  rlwe::ByteString message;
  message.append({reinterpret_cast<const std::uint8_t*>(file.data()), file.size()});
  std::array<std::uint8_t, 32> digest{};
  rlwe::sha256(message, digest);
  std::ostringstream text;
  for (const unsigned byte : digest) text << std::hex << byte / 16 << byte % 16;
  return text.str();
}

// The files of a key and a ciphertext of one seed must not change between machines, builds and
// versions.
TEST(Fv, SeedsGiveTheSameFilesForEver) {
  struct Known {
    fv::Context context;
    const char* key;
    const char* ciphertext;
  };
  const Known known[] = {
      {fv::Context(fv::Parameters::default_128()),
       "b2c9c936d6db222a0245990f9a65c92004ae1e97e3e449e91893fefc6d2006e0",
       "010ec556c780ca69c7d9d086e2cd794aa9bdb067ed84461123b65e3f3a66c24c"},
      {fv::Context(fv::Parameters::reproduction_2420(), SecurityLevel::reproduction),
       "86b864e8979a2e881495fc08baf9677ff5ed3b7e45e4a14c92f8bd4d8f6bf824",
       "75ff22b074f702470f420cd97d98befe946a5ebb4fb1171c8347b5e6b17849b7"},
      {toy_fv(64, 65, 5), "4a0e41bd7dc69023250e21bf9945a6d00f1bae0a7702de78c4a06540ca16b6f5",
       "a20d524014c39bd7449877d8eb715d8b81bea1f29b573057a891dcb2fb5e57ae"}};
  for (const Known& k : known) {
    SCOPED_TRACE(describe(k.context.parameters()));
    const auto random = RandomSource::for_testing(2017);
    const fv::PublicKey key = fv::KeyGenerator(k.context, random).create_public_key();
    fv::Message message(k.context.parameters().ring.degree());
    for (std::size_t i = 0; i < message.size(); ++i) {
      message[i] = i * i % 7 % k.context.parameters().plain_modulus;
    }
    const fv::Ciphertext encrypted = fv::Encryptor(k.context, key, random).encrypt(message);
    EXPECT_EQ(digest_of(save(key)), k.key);
    EXPECT_EQ(digest_of(save(encrypted)), k.ciphertext);
  }
}

TEST(Fv, ASecretKeyMakesFurtherPublicKeys) {
  auto rng = make_rng();
  const FvBench first(toy_fv(35, 60));
  const fv::KeyGenerator second(first.context, first.keys.secret_key());
  const fv::Message message = random_message(first.context, rng);
  const fv::Encryptor encryptor(first.context, second.create_public_key());
  EXPECT_EQ(first.decryptor.decrypt(encryptor.encrypt(message)), message);
}

TEST(Fv, CiphertextsOfAnotherKeyAreRefused) {
  const FvBench own(toy_fv(35, 60));
  const FvBench other(own.context);
  const fv::Message message(own.degree, 1);
  const fv::Ciphertext a = own.encryptor.encrypt(message);
  const fv::Ciphertext b =
      load<fv::Ciphertext>(own.context, save(other.encryptor.encrypt({&message, 1})[0]));
  const auto expect_refused = [](const char* operation, const auto& call) {
    expect_refusal_of(operation, {"belongs to secret key", "the same secret key"}, call);
  };
  expect_refused("fv::Context::add", [&] { (void)own.context.add(a, b); });
  expect_refused("fv::Decryptor::decrypt", [&] { (void)own.decryptor.decrypt(b); });
  expect_refused("fv::Decryptor::noise_budget", [&] { (void)own.decryptor.noise_budget(b); });
}

TEST(Fv, FreshKeysAndCiphertextsDiffer) {
  const FvBench bench(toy_fv(35, 60));
  const fv::PublicKey other = bench.keys.create_public_key();
  EXPECT_NE(other.seed(), bench.public_key.seed());
  EXPECT_NE(other[0], bench.public_key[0]);
  const fv::Message message(bench.degree, 1);
  EXPECT_NE(bench.encryptor.encrypt(message)[0], bench.encryptor.encrypt(message)[0]);
  EXPECT_FALSE(std::ranges::equal(bench.keys.secret_key().coefficients(),
                                  fv::KeyGenerator(bench.context).secret_key().coefficients()));
}

std::vector<std::uint8_t> random_bits(std::size_t count, std::mt19937_64& rng) {
  std::vector<std::uint8_t> bits(count);
  for (auto& bit : bits) bit = static_cast<std::uint8_t>(rng() % 2);
  return bits;
}

// Encrypts bits in slots, adds them and decrypts: the result is their exclusive or.
void expect_xor(const fv::Context& context, std::size_t slot_count, std::mt19937_64& rng) {
  SCOPED_TRACE(describe(context.parameters()));
  const CyclotomicSlots slots(context.parameters().ring.cyclotomic_index());
  ASSERT_EQ(slots.slot_count(), slot_count);
  const FvBench bench(context);
  std::vector<std::vector<std::uint8_t>> bits;
  std::vector<fv::Message> messages;
  for (std::size_t i = 0; i < 5; ++i) {
    bits.push_back(random_bits(slot_count, rng));
    messages.emplace_back(slots.degree());
    slots.encode(messages.back(), bits.back());
  }
  const std::vector<fv::Ciphertext> encrypted = bench.encryptor.encrypt(messages);
  std::vector<std::uint8_t> wanted(slot_count, 0);
  fv::Ciphertext sum;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    for (std::size_t k = 0; k < slot_count; ++k) wanted[k] ^= bits[i][k];
    sum = i == 0 ? encrypted[0] : context.add(sum, encrypted[i]);
    std::vector<std::uint8_t> found(slot_count);
    slots.decode(found, bench.decryptor.decrypt(sum));
    ASSERT_EQ(found, wanted) << "after " << i + 1;
  }
}

TEST(FvSlots, SumsAreExclusiveOrs) {
  auto rng = make_rng();
  for (std::size_t i = 0; i < scaled(5); ++i) {
    expect_xor(toy_fv(15, 30), 2, rng);
    expect_xor(toy_fv(127, 64), 18, rng);
    expect_xor(toy_fv(255, 129), 16, rng);
  }
  expect_xor(fv::Context(fv::Parameters::default_128()), 108, rng);
  expect_xor(fv::Context(fv::Parameters::default_128_8190()), 630, rng);
  expect_xor(fv::Context(fv::Parameters::reproduction_2420(), SecurityLevel::reproduction), 22,
             rng);
  expect_xor(fv::Context(fv::Parameters::reproduction_2560(), SecurityLevel::reproduction), 64,
             rng);
}

// Which error refuses what in FV, and that operands stay unchanged.

using Parts = std::initializer_list<std::string>;

void expect_invalid(const Parts& parts, const std::function<void()>& call) {
  expect_error_says<InvalidArgument>(parts, call);
}

fv::Parameters good() {
  return fv_parameters(35, WideModulus::largest_prime(60), 2, SecretDistribution::ternary);
}

void expect_refused(const fv::Parameters& parameters, const Parts& parts,
                    SecurityLevel level = SecurityLevel::none) {
  SCOPED_TRACE(describe(parameters));
  expect_invalid(parts, [&] { fv::Context(parameters, level); });
}

TEST(FvErrors, ReproductionSetsNeedTheirLevel) {
  for (const auto make : {fv::Parameters::reproduction_2420, fv::Parameters::reproduction_2560}) {
    fv::Parameters parameters = make();
    for (const auto secrets : {SecretDistribution::binary, SecretDistribution::ternary}) {
      parameters.secrets = secrets;
      for (const SecurityLevel level :
           {SecurityLevel::tc128, SecurityLevel::tc192, SecurityLevel::tc256}) {
        expect_refused(parameters, {"reproduction, about 64 bits"}, level);
      }
      for (const SecurityLevel level : {SecurityLevel::reproduction, SecurityLevel::none}) {
        EXPECT_NO_THROW(fv::Context(parameters, level));
      }
    }
  }
}

TEST(FvErrors, BinarySecretsAreForReproduction) {
  fv::Parameters parameters = fv::Parameters::default_128();
  EXPECT_NO_THROW(fv::Context{parameters});
  parameters.secrets = SecretDistribution::binary;
  expect_refused(parameters, {"binary secrets", "reproduction, about 64 bits"},
                 SecurityLevel::tc128);
  EXPECT_NO_THROW(fv::Context(parameters, SecurityLevel::reproduction));
  parameters.secrets = static_cast<SecretDistribution>(2);
  expect_refused(parameters, {"secret distribution 2"});
}

TEST(FvErrors, TheTableLimitsTheModulus) {
  fv::Parameters parameters = fv::Parameters::default_128();
  const int limit = max_modulus_bits(parameters.ring.degree());
  EXPECT_GE(limit, 125) << "the default has 128 bits";
  EXPECT_LT(limit, 214) << "what the next power of two allows";
  EXPECT_GE(max_modulus_bits(fv::Parameters::default_128_8190().ring.degree()), 135);
  expect_refused(parameters, {"125 bits", "tc256"}, SecurityLevel::tc256);
  parameters.ring = RingSpec::cyclotomic(4999);  // a prime
  parameters.modulus = WideModulus::largest_prime(135);
  expect_refused(parameters, {"135 bits", "n = 4998"}, SecurityLevel::tc128);
}

TEST(FvErrors, PlainModuli) {
  fv::Parameters parameters = good();
  for (const std::uint64_t t : Words{0, 1, (1ull << 32) + 1, ~0ull}) {
    parameters.plain_modulus = t;
    expect_refused(parameters, {"plain modulus t = " + std::to_string(t), "2^32"});
  }
  for (const std::uint64_t t : {5u, 7u, 14u}) {
    parameters.plain_modulus = t;
    expect_refused(parameters, {"coprime to m = 35"});
  }
  parameters.plain_modulus = 6;
  parameters.modulus = WideModulus::parse("1000000000000000000");
  expect_refused(parameters, {"coprime to q"});
}

TEST(FvErrors, RingsThatAreTooLargeAndModuliThatAreTooSmall) {
  fv::Parameters parameters = good();
  parameters.ring = RingSpec::power_of_two(32768);
  parameters.plain_modulus = 3;
  expect_refused(parameters, {"n = 32768", "16384"});
  parameters = good();
  for (const int bits : {2, 3, 8, 11}) {
    parameters.modulus = WideModulus::largest_prime(bits);
    expect_refused(parameters, {"noise"});
  }
  parameters.modulus = WideModulus::largest_prime(20);
  EXPECT_GE(fv::Context(parameters, SecurityLevel::none).max_additions(), 1u);
}

TEST(FvErrors, UnknownKernelsAndWays) {
  EXPECT_THROW(KernelSelection("no such table"), InvalidArgument);
  fv::Parameters parameters = good();
  parameters.way = static_cast<ProductWay>(77);
  EXPECT_THROW(fv::Context(parameters, SecurityLevel::none), InvalidArgument);
}

TEST(FvErrors, MessagesThatAreRefusedDrawNoRandomness) {
  const fv::Context context = toy_fv(39, 60, 5);
  const FvBench refusing(context, RandomSource::for_testing(1));
  const FvBench other(context, RandomSource::for_testing(1));
  const std::size_t n = refusing.degree;
  for (const std::size_t size : {std::size_t{0}, n - 1, n + 1}) {
    expect_invalid({"n = 24"}, [&] { refusing.encryptor.encrypt(fv::Message(size)); });
  }
  for (const std::uint64_t bad : Words{5, 1ull << 32, (1ull << 33) + 1, ~0ull}) {
    for (const std::size_t place : {std::size_t{0}, n / 2, n - 1}) {
      fv::Message message(n, 4);
      message[place] = bad;
      expect_invalid({"below t = 5"}, [&] { refusing.encryptor.encrypt(message); });
      std::vector<fv::Message> messages(6, fv::Message(n, 1));
      messages[5] = message;
      expect_invalid({"below t = 5"}, [&] { refusing.encryptor.encrypt(messages); });
    }
  }
  const fv::Message message(n, 4);
  EXPECT_EQ(refusing.encryptor.encrypt(message)[0], other.encryptor.encrypt(message)[0]);
}

TEST(FvErrors, KeysAndCiphertextsOfOtherParameters) {
  const FvBench own(toy_fv(35, 60));
  const fv::Context& context = own.context;
  const fv::Message ones(own.degree, 1);
  const fv::Ciphertext encrypted = own.encryptor.encrypt(ones);
  for (const fv::Context& other : {toy_fv(39, 60), toy_fv(35, 61), toy_fv(35, 60, 3),
                                   toy_fv(35, 60, 2, SecretDistribution::binary)}) {
    SCOPED_TRACE(describe(other.parameters()));
    EXPECT_NE(other.parms_id(), context.parms_id());
    const FvBench foreign(other);
    const fv::SecretKey& secret = foreign.keys.secret_key();
    const fv::Ciphertext bad = foreign.encryptor.encrypt(ones);
    expect_invalid({"public key", "identifier"},
                   [&] { fv::Encryptor(context, foreign.public_key); });
    expect_invalid({"secret key"}, [&] { fv::Decryptor(context, secret); });
    expect_invalid({"secret key"}, [&] { fv::KeyGenerator(context, secret); });
    expect_invalid({"ciphertext"}, [&] { own.decryptor.decrypt(bad); });
    expect_invalid({"ciphertext"}, [&] { own.decryptor.noise_budget(bad); });
    expect_invalid({"second ciphertext"}, [&] { context.add(encrypted, bad); });
    expect_invalid({"first ciphertext"}, [&] { context.add(bad, encrypted); });
  }
  // The promised security level is part of the parameters.
  const fv::Parameters safe = fv::Parameters::default_128();
  EXPECT_NE(fv::Context(safe).parms_id(), fv::Context(safe, SecurityLevel::none).parms_id());
  // The same parameters in another context are the same parameters.
  const fv::Context twin = toy_fv(35, 60);
  EXPECT_EQ(twin.parms_id(), context.parms_id());
  EXPECT_EQ(fv::Decryptor(twin, own.keys.secret_key()).decrypt(encrypted), ones);
}

TEST(FvErrors, ObjectsThatHoldNothingAndSourcesWithAUniformHalf) {
  const FvBench own(toy_fv(35, 60));
  const fv::Context& context = own.context;
  expect_invalid({"holds nothing"}, [&] { fv::Encryptor(context, fv::PublicKey()); });
  expect_invalid({"holds nothing"}, [&] { fv::Decryptor(context, fv::SecretKey()); });
  expect_invalid({"holds nothing"}, [&] { own.decryptor.decrypt(fv::Ciphertext()); });
  expect_invalid({"holds nothing"}, [&] { context.add(fv::Ciphertext(), fv::Ciphertext()); });
  EXPECT_THROW(fv::PublicKey()[2], OutOfRange);
  EXPECT_THROW(fv::Ciphertext()[2], OutOfRange);
  EXPECT_EQ(fv::Ciphertext()[1].degree(), 0u);
  const RandomSource source =
      RandomSource::for_testing(1).with_uniform_half([](NttView, std::span<const Modulus>) {});
  expect_invalid({"uniform halves of its own"}, [&] { fv::KeyGenerator(context, source); });
}

}  // namespace
}  // namespace ringlet::test
