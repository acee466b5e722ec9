// SPDX-License-Identifier: Apache-2.0
// Calls SEAL's interface in any order: see support/calls/call_bench.hpp.

#include "compat/seal/src/native/convert.hpp"
#include "seal/seal.h"
#include "support/calls/call_bench.hpp"

namespace ringlet::test {
namespace {

struct SealShape {
  std::uint64_t t;
  std::vector<int> primes;  ///< The special prime included.
  bool expands_chain = true;
};

template <typename T>
T reloaded(const seal::SEALContext& context, const auto& object) {
  std::stringstream stream;
  object.save(stream);
  T result;
  result.load(context, stream);
  return result;
}

/// Gives other words at each encryption, but the same words in each run of one seed.
class RepeatableFactory : public seal::UniformRandomGeneratorFactory {
 public:
  explicit RepeatableFactory(std::uint64_t seed)
      : seal::UniformRandomGeneratorFactory(seal::prng_seed_type{seed}) {}

 protected:
  std::shared_ptr<seal::UniformRandomGenerator> create_impl(seal::prng_seed_type seed) override {
    if (seed == default_seed()) seed[1] = ++made_;
    return std::make_shared<seal::Blake2xbPRNG>(seed);
  }

 private:
  std::uint64_t made_ = 0;
};

class SealSide {
 public:
  struct Api {
    using Ciphertext = seal::Ciphertext;
    using Plaintext = seal::Plaintext;
    using RelinKeys = seal::RelinKeys;
    using GaloisKeys = seal::GaloisKeys;
    using Evaluator = seal::Evaluator;
    using CKKSEncoder = seal::CKKSEncoder;
    using BatchEncoder = seal::BatchEncoder;
    using Error = std::logic_error;  // std::invalid_argument and std::out_of_range, too

    static std::string snapshot(const auto& object) {
      std::stringstream stream;
      object.save(stream, seal::compr_mode_type::none);
      return stream.str();
    }
  };
  using Shape = SealShape;
  // SEAL's objects do not name their key, and plaintexts of BFV and BGV have no scale.
  static constexpr bool kNamesKeys = false;
  static constexpr bool kChecksPlainScale = false;

  SealSide(SchemeType scheme, const Shape& shape, std::uint64_t seed)
      : context(parameters(scheme, shape, seed), shape.expands_chain, seal::sec_level_type::none),
        keygen(context),
        encryptor(context, keygen.secret_key()),
        decryptor(context, keygen.secret_key()),
        evaluator(context) {
    seal::PublicKey public_key;
    keygen.create_public_key(public_key);
    encryptor.set_public_key(public_key);
    if (!context.using_keyswitching()) return;
    keygen.create_relin_keys(relin_keys);
    keygen.create_galois_keys(galois_keys);
    keygen.create_galois_keys(std::vector<int>{1}, few_keys);
  }

  std::vector<OperationOf<Api>> further_operations() const {
    return {{"save and load", OperationTraits::takes_a, [this](auto&, auto& w, auto& d) {
               std::stringstream stream;
               w.a.save(stream);
               d.load(context, stream);
             }}};
  }
  static std::span<const std::uint64_t> coefficients(const seal::Plaintext& plain) {
    return {plain.data(), plain.coeff_count()};
  }
  seal::Ciphertext encrypt(const seal::Plaintext& plain) const {
    seal::Ciphertext result;
    encryptor.encrypt(plain, result);
    return result;
  }
  seal::Ciphertext encrypt_symmetric(const seal::Plaintext& plain, bool is_seeded) const {
    if (is_seeded) return reloaded<seal::Ciphertext>(context, encryptor.encrypt_symmetric(plain));
    seal::Ciphertext result;
    encryptor.encrypt_symmetric(plain, result);
    return result;
  }
  bool decrypt_checked(const seal::Ciphertext& encrypted, seal::Plaintext& plain) {
    decryptor.decrypt(encrypted, plain);
    return decryptor.invariant_noise_budget(encrypted) > 0;
  }
  seal::Ciphertext zero_at_key_level() const {
    seal::Ciphertext zero;
    encryptor.encrypt_zero(context.key_parms_id(), zero);
    return zero;
  }
  seal::Plaintext zero_at_first_level() const {
    seal::Plaintext zero(native.ring().degree() * levels.front().primes);
    zero.parms_id() = levels.front().id;
    return zero;
  }
  void reload(WorldOf<Api>& w) const {
    if (native.scheme() != SchemeType::ckks) w.plain = reloaded<seal::Plaintext>(context, w.plain);
    w.leveled = reloaded<seal::Plaintext>(context, w.leveled);
    if (!context.using_keyswitching()) return;
    w.relin = reloaded<seal::RelinKeys>(context, w.relin);
    w.galois = reloaded<seal::GaloisKeys>(context, w.galois);
  }
  static void expect_told(const std::logic_error& error) { EXPECT_STRNE(error.what(), ""); }

  seal::SEALContext context;
  seal::KeyGenerator keygen;
  seal::Encryptor encryptor;
  seal::Decryptor decryptor;
  seal::Evaluator evaluator;
  seal::RelinKeys relin_keys;
  seal::GaloisKeys galois_keys;
  seal::GaloisKeys few_keys;
  const Context& native = seal4::native_context(context);
  std::vector<CallLevel> levels = levels_from(context.first_context_data(), [](const auto& level) {
    return level.parms().coeff_modulus().size();
  });

 private:
  static seal::EncryptionParameters parameters(SchemeType scheme, const Shape& shape,
                                               std::uint64_t seed) {
    seal::EncryptionParameters parms(scheme == SchemeType::ckks  ? seal::scheme_type::ckks
                                     : scheme == SchemeType::bfv ? seal::scheme_type::bfv
                                                                 : seal::scheme_type::bgv);
    parms.set_poly_modulus_degree(64);
    parms.set_coeff_modulus(seal::CoeffModulus::Create(64, shape.primes));
    parms.set_random_generator(std::make_shared<RepeatableFactory>(seed));
    if (scheme != SchemeType::ckks) parms.set_plain_modulus(shape.t);
    return parms;
  }
};

class SealCalls : public ::testing::TestWithParam<SchemeType> {};

// The second to last set has no special prime, the last one no lower levels.
TEST_P(SealCalls, AreRightOrRefused) {
  const std::uint64_t t = seal::PlainModulus::Batching(64, 16).value();
  expect_right_or_refused<SealSide>(
      GetParam(), {{t, {50, 45, 45, 45, 55}}, {257, {60}}, {t, {50, 45, 45, 56}, false}});
}

INSTANTIATE_TEST_SUITE_P(Schemes, SealCalls,
                         ::testing::Values(SchemeType::ckks, SchemeType::bfv, SchemeType::bgv));

}  // namespace
}  // namespace ringlet::test
