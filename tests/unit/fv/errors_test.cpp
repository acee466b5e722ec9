// SPDX-License-Identifier: Apache-2.0
// What FV refuses, by which error, and that operands stay as they are.

#include "support/refusal.hpp"
#include "unit/fv/support.hpp"

namespace ringlet::test {
namespace {

using fv::SecretDistribution;

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
  for (const std::uint64_t t :
       {std::uint64_t{0}, std::uint64_t{1}, (std::uint64_t{1} << 32) + 1, ~std::uint64_t{0}}) {
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
  for (const std::uint64_t bad : {std::uint64_t{5}, std::uint64_t{1} << 32,
                                  (std::uint64_t{1} << 33) + 1, ~std::uint64_t{0}}) {
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
  // What was promised is part of the parameters.
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
  expect_invalid({"uniform half"}, [&] { fv::KeyGenerator(context, source); });
}

}  // namespace
}  // namespace ringlet::test
