// SPDX-License-Identifier: Apache-2.0
#include "compat/seal/src/random/seed_expansion.hpp"
#include "unit/seal/service_setup.hpp"

// Files of every class, in every mode, from every input, into new and used objects.

namespace ringlet::test {
namespace {

using seal::UniformRandomGeneratorInfo;
using Words = seal::DynArray<std::uint64_t>;
using OneByteValues = seal::DynArray<seal::seal_byte>;

class SealRoundTrips : public testing::TestWithParam<scheme_type> {
 protected:
  Services s{service_parameters(GetParam(), {50, 40, 50}), true};
  Services other{service_parameters(GetParam(), {50, 50}, 32), true};
  Plaintext plain = s.encode({1, -2, 3});
  Plaintext ntt_plain = plain;
  Ciphertext fresh = s.encrypt({4, 5});
  Ciphertext product = fresh;

  SealRoundTrips() {
    if (!s.is_ckks()) s.evaluator.transform_to_ntt_inplace(ntt_plain, s.context.last_parms_id());
    s.evaluator.square_inplace(product);
  }

  /// Calls visit(name, object, targets, context...) for each class T and its Serializable<T>. The
  /// targets are a new T, a used one, and one of other parameters.
  template <typename Visit>
  void for_each_class(const Visit& visit) const {
    visit("parameters", s.parms, std::vector{EncryptionParameters(), other.parms});
    visit("modulus", s.parms.coeff_modulus()[0], std::vector<seal::Modulus>{0, 5});
    const UniformRandomGeneratorInfo info(seal::prng_type::blake2xb, {1, 2, 3, 4, 5, 6, 7, 8});
    visit("seed", info,
          std::vector<UniformRandomGeneratorInfo>{{}, {seal::prng_type::shake256, {9}}});
    visit("words", fresh.dyn_array(), std::vector{Words(), Words(3), product.dyn_array()});
    visit("bytes", OneByteValues(9), std::vector{OneByteValues(), OneByteValues(3)});

    const auto row = [&](const char* name, const auto& object, const auto& used,
                         const auto& foreign) {
      visit(name, object, std::vector{std::decay_t<decltype(used)>(), used, foreign}, s.context);
    };
    const Plaintext small = other.encode({7});
    const Ciphertext short_ciphertext = other.encrypt({7});
    row("plaintext", plain, ntt_plain, small);
    row("plaintext in NTT form", ntt_plain, plain, small);
    row("ciphertext", fresh, product, short_ciphertext);
    row("ciphertext of size 3", product, fresh, short_ciphertext);
    row("secret key", s.keygen.secret_key(), SecretKey(), other.keygen.secret_key());
    row("public key", s.public_key, PublicKey(), other.public_key);
    const RelinKeys no_relin_keys;
    row("relinearization keys", s.relin_keys, no_relin_keys, other.relin_keys);
    row("Galois keys", s.galois_keys, GaloisKeys(), other.galois_keys);
    row("key switching keys", KSwitchKeys(s.galois_keys), KSwitchKeys(s.relin_keys),
        KSwitchKeys(other.relin_keys));
    row("seeded ciphertext", s.encryptor.encrypt_symmetric(plain), product, short_ciphertext);
    row("seeded zero", s.encryptor.encrypt_zero_symmetric(), fresh, short_ciphertext);
    row("seeded public key", s.keygen.create_public_key(), s.public_key, other.public_key);
    row("seeded relinearization keys", s.keygen.create_relin_keys(), s.relin_keys,
        other.relin_keys);
    row("seeded Galois keys", s.keygen.create_galois_keys(), s.galois_keys, other.galois_keys);
  }

  /// The raw file of an object as it is after loading.
  template <typename T, typename Object, typename... Context>
  static Bytes loaded_file(const Object& object, const Context&... context) {
    const Bytes file = saved(object);
    T whole;
    whole.load(context..., file.data(), file.size());
    const Bytes raw = saved(whole);
    const bool has_seed = !std::is_same_v<T, Object>;
    EXPECT_TRUE(has_seed ? file.size() < raw.size() * 2 / 3 : file == raw);
    return raw;
  }
};

INSTANTIATE_TEST_SUITE_P(Schemes, SealRoundTrips, testing::ValuesIn(kSchemes), scheme_name);

TEST_P(SealRoundTrips, everyClass) {
  for_each_class(
      [](const char* name, const auto& object, const auto& targets, const auto&... context) {
        SCOPED_TRACE(name);
        using T = typename std::decay_t<decltype(targets)>::value_type;
        expect_round_trips(object, loaded_file<T>(object, context...), targets, context...);
      });
}

TEST_P(SealRoundTrips, objectsOfEveryClassInOneStream) {
  std::stringstream stream(std::ios::binary | std::ios::in | std::ios::out);
  std::vector<std::function<void()>> loads;
  for_each_class(
      [&](const char* name, const auto& object, const auto& targets, const auto&... context) {
        using T = typename std::decay_t<decltype(targets)>::value_type;
        object.save(stream, kModes[loads.size() % std::size(kModes)]);
        const Bytes raw = loaded_file<T>(object, context...);
        loads.push_back([&stream, &context..., name, raw, target = targets.back()]() mutable {
          target.load(context..., stream);
          EXPECT_EQ(saved(target), raw) << name;
        });
      });
  for (const auto& load : loads) load();
  EXPECT_EQ(stream.peek(), std::char_traits<char>::eof());
}

/// Programs cannot make these objects. Computation refuses them until a file has expanded them.
TEST_P(SealRoundTrips, seededObjectsServeOnlyAfterLoading) {
  const UniformRandomGeneratorInfo seed(seal::prng_type::blake2xb, {1});
  const auto replace = [&](KSwitchKeys& keys) {
    for (auto& entry : keys.data())
      for (PublicKey& pair : entry) seal4::detail::replace_by_seed(pair.data(), seed);
  };
  Ciphertext x = fresh, result;
  seal4::detail::replace_by_seed(x, seed);
  PublicKey public_key = s.public_key;
  seal4::detail::replace_by_seed(public_key.data(), seed);
  RelinKeys relin_keys = s.relin_keys;
  replace(relin_keys);
  GaloisKeys galois_keys = s.galois_keys;
  replace(galois_keys);
  Plaintext decrypted;
  EXPECT_FALSE(is_valid_for(x, s.context) || is_valid_for(public_key, s.context) ||
               is_valid_for(relin_keys, s.context) || is_valid_for(galois_keys, s.context));
  EXPECT_INVALID_ARGUMENT(s.decryptor.decrypt(x, decrypted));
  EXPECT_INVALID_ARGUMENT(s.decryptor.invariant_noise_budget(x));
  EXPECT_INVALID_ARGUMENT(s.evaluator.negate(x, result));
  EXPECT_INVALID_ARGUMENT(s.evaluator.add(fresh, x, result));
  EXPECT_INVALID_ARGUMENT(s.evaluator.multiply(x, fresh, result));
  EXPECT_INVALID_ARGUMENT(s.evaluator.relinearize(product, relin_keys, result));
  EXPECT_INVALID_ARGUMENT(s.evaluator.apply_galois(fresh, 3, galois_keys, result));
  EXPECT_INVALID_ARGUMENT(seal::Encryptor(s.context, public_key));

  const auto back = [&](const auto& object, auto target) {
    const Bytes file = saved(object, compr_mode_type::zlib);
    target.load(s.context, file.data(), file.size());
    return target;
  };
  EXPECT_EQ(s.decrypt(back(s.encryptor.encrypt_symmetric(plain), fresh)), s.decode(plain));
  seal::Encryptor(s.context, back(s.keygen.create_public_key(), s.public_key)).encrypt(plain, x);
  EXPECT_EQ(s.decrypt(x), s.decode(plain));
  s.evaluator.relinearize(product, back(s.keygen.create_relin_keys(), s.relin_keys), result);
  EXPECT_EQ(s.decrypt(result), s.decrypt(product));
  const auto one_step = back(s.keygen.create_galois_keys(std::vector<int>{1}), s.galois_keys);
  s.evaluator.apply_galois(fresh, 3, one_step, x);
  s.evaluator.apply_galois(fresh, 3, s.galois_keys, result);
  EXPECT_EQ(s.decrypt(x), s.decrypt(result));
}

}  // namespace
}  // namespace ringlet::test
