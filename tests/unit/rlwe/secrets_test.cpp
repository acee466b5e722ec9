// SPDX-License-Identifier: Apache-2.0
// Secrets leave no trace in released memory. This program's aligned operator delete looks for them;
// it also serves the library's polynomials and secrets.

#include "ringlet/rlwe/serialization.hpp"
#include "ringlet/schemes/decryptor.hpp"
#include "ringlet/schemes/encryptor.hpp"
#include "rlwe/keys/key_switch.hpp"
#include "rlwe/random/samplers.hpp"
#include "rlwe_support.hpp"
#include "support/circuits/trace_watch.hpp"
#include "support/secret_randomness.hpp"

namespace ringlet::test {
namespace {

constexpr std::size_t kDegree = 1024;

// The traces that one secret key may leave: its values in every prime, its small coefficients.
Patterns patterns_of(const Context& context, const SecretKey& secret) {
  const ContextData& level = *context.key_context_data();
  Patterns patterns;
  for (std::size_t i = 0; i < level.prime_count(); ++i) {
    patterns.push_back(pattern_of(secret.view().limb(i)));
  }
  const auto signs = small_coefficients(context, secret.view(), level.primes());
  std::vector<std::int8_t> bytes(signs.begin(), signs.end());
  patterns.emplace_back(bytes.begin() + 512, bytes.begin() + 544);
  return patterns;
}

class Wiping : public WipingTest {
 protected:
  Wiping() {
    // The cache limit of 0 returns blocks at once to the system, where the watch sees them.
    context.first_context_data()->pool()->set_cache_limit(0);
  }
  static void expect_no_trace(Patterns patterns, std::size_t least,
                              const std::function<void()>& work) {
    EXPECT_EQ(traces(std::move(patterns), work, WatchedBlocks::aligned, least), 0u);
  }

  const Context context = toy_context(kDegree, {40, 41});
  const ContextData& level = *context.first_context_data();
};

TEST_F(Wiping, TheWatchSeesATrace) {
  const KeyGenerator keys(context);
  const auto work = [&] {
    NttPoly open(2, kDegree, Secrecy::open);
    const ConstNttView secret = keys.secret_key().view();
    for (std::size_t i = 0; i < 2; ++i) {
      std::ranges::copy(secret.limb(i), open.view_for_writing().limb(i).begin());
    }
  };
  EXPECT_EQ(traces(patterns_of(context, keys.secret_key()), work, WatchedBlocks::aligned, 1), 2u)
      << "both limbs of the open copy";
}

TEST_F(Wiping, SecretKeysLeaveNoTrace) {
  Patterns patterns;
  {
    const KeyGenerator keys(context, RandomSource::for_testing(21));
    patterns = patterns_of(context, keys.secret_key());
  }
  expect_no_trace(std::move(patterns), 21, [&] {
    const KeyGenerator keys(context, RandomSource::for_testing(21));
    SecretKey copy = keys.secret_key();
    SecretKey moved = std::move(copy);
    copy = keys.secret_key();
    moved = SecretKey();
    const KeyGenerator again(context, keys.secret_key());
    const Encryptor encryptor(context, keys.create_public_key(), keys.secret_key());
    const Decryptor decryptor(context, keys.secret_key());
    keys.create_relin_keys();
    keys.create_galois_keys();
    decryptor.decrypt(encryptor.encrypt_zero());
    decryptor.decrypt(encryptor.encrypt_zero_symmetric());
  });
}

TEST_F(Wiping, FilesOfSecretsLeaveNoTrace) {
  const KeyGenerator keys(context);
  auto rng = make_rng();
  Plaintext plain(level);
  fill_uniform(plain.ntt_view_for_writing(), context, level.primes(), rng);
  const auto key_file = save_secret_key(context, keys.secret_key());
  const auto plain_file = save(plain);
  auto patterns = patterns_of(context, keys.secret_key());
  patterns.push_back(pattern_of(plain.ntt_view().limb(0)));
  const auto* packed = reinterpret_cast<const std::uint8_t*>(key_file.data());
  patterns.emplace_back(packed + key_file.size() / 2, packed + key_file.size() / 2 + 32);
  expect_no_trace(std::move(patterns), 21, [&] {
    save_secret_key(context, keys.secret_key());
    load_secret_key(context, key_file);
    std::stringstream stream(std::ios::in | std::ios::out | std::ios::binary);
    save_secret_key(context, keys.secret_key(), stream);
    load_secret_key(context, stream);
    save(plain, stream);
    load<Plaintext>(context, stream);
    load<Plaintext>(context, plain_file);
    save(plain, Compression::zstd);
  });
}

TEST_F(Wiping, EphemeralSecretsLeaveNoTrace) {
  const KeyGenerator keys(context);
  const Encryptor encryptor(context, keys.create_public_key(), keys.secret_key(),
                            RandomSource::for_testing(31));
  Patterns patterns;
  {
    const rlwe::Seed seed(RandomSource::for_testing(31));
    rlwe::SmallPoly values(kDegree);
    rlwe::RandomStream ternary(seed, {rlwe::StreamPurpose::ternary});
    rlwe::sample_ternary(values, ternary);
    patterns.emplace_back(values.begin() + 512, values.begin() + 544);
    for (std::uint64_t poly = 0; poly < 2; ++poly) {
      rlwe::RandomStream error(seed, {rlwe::StreamPurpose::error, poly});
      rlwe::sample_error(values, error);
      patterns.emplace_back(values.begin() + 512, values.begin() + 544);
    }
  }
  expect_no_trace(std::move(patterns), 4, [&] { encryptor.encrypt_zero(); });
}

// Values that depend on secret keys, errors and seeds decide no branch and no address.

// Accepts one more branch than other such tests: whether a loaded secret key is valid.
const std::string kAccepted = kDeclassified + accept("fun:*ringlet*rlwe*check_equal*", {"Cond"});

Plaintext secret_plaintext(const ContextData& level) {
  Plaintext plain(level);
  for (std::size_t i = 0; i < level.prime_count(); ++i) {
    const auto limb = plain.ntt_view_for_writing().limb(i);
    make_secret(limb.data(), limb.size_bytes());
  }
  return plain;
}

using DISABLED_ConstantTimeBody = UnderValgrind;
using DISABLED_ConstantTimeControl = UnderValgrind;

TEST_F(DISABLED_ConstantTimeBody, KeysEncryptionAndDecryption) {
  for (const KernelSelection& table : available_tables()) {
    const Context context = toy_context(256, {30, 49, 60, 61}, table);
    const KeyGenerator keys(context);
    const Encryptor encryptor(context, keys.create_public_key(), keys.secret_key());
    const Decryptor decryptor(context, keys.secret_key());
    const RelinKeys relin = keys.create_relin_keys();
    const GaloisKeys galois = keys.create_galois_keys(std::vector<int>{1, 0});
    for (const ContextData* level : levels_of(context)) {
      const Plaintext plain = secret_plaintext(*level);
      decryptor.decrypt(published(encryptor.encrypt_symmetric(plain)));
      Ciphertext encrypted = published(encryptor.encrypt(plain));
      for (const KSwitchKey* key : {&relin.key(2), &galois.key(3)}) {
        rlwe::add_key_switched(context, *level, encrypted.ntt_view(1), *key,
                               encrypted.ntt_view_for_writing(0),
                               encrypted.ntt_view_for_writing(1));
      }
      if (const ContextData* lower = level->next_context_data()) {
        const std::vector<ConstNttView> c{encrypted.ntt_view(0), encrypted.ntt_view(1),
                                          encrypted.ntt_view(0)};
        const std::vector<const KSwitchKey*> used{&relin.key(2)};
        Ciphertext rescaled(*lower, 2, Form::ntt);
        rlwe::relinearize_and_rescale(context, *level, c, used, rescaled.ntt_view_for_writing(0),
                                      rescaled.ntt_view_for_writing(1));
        decryptor.decrypt(published(std::move(rescaled)));
      }
      decryptor.decrypt(published(std::move(encrypted)));
    }
  }
}

TEST_F(DISABLED_ConstantTimeBody, OnePrimeAndToyPrimes) {
  for (const KernelSelection& table : available_tables()) {
    for (const std::vector<int>& chain : {std::vector<int>{40}, {14, 15, 13}, {61, 25}}) {
      const Context context = toy_context(256, chain, table);
      const KeyGenerator keys(context);
      const Encryptor encryptor(context, keys.create_public_key(), keys.secret_key());
      Decryptor(context, keys.secret_key()).decrypt(published(encryptor.encrypt_zero()));
    }
  }
}

TEST_F(DISABLED_ConstantTimeBody, SavingSecrets) {
  for (const KernelSelection& table : available_tables()) {
    const Context context = toy_context(256, {30, 49, 61}, table);
    const KeyGenerator keys(context);
    save_secret_key(context, keys.secret_key());
    save(secret_plaintext(*context.first_context_data()));
  }
}

TEST_F(DISABLED_ConstantTimeBody, ErrorsAndTheirLift) {
  const rlwe::Seed seed{RandomSource()};
  rlwe::RandomStream stream(seed, {rlwe::StreamPurpose::error});
  rlwe::SmallPoly values(256);
  rlwe::sample_error(values, stream);
  for (const std::uint64_t prime : {std::uint64_t{12289}, std::uint64_t{0xffffee001}}) {
    const RnsBasis basis(256, {Modulus(prime)});
    const std::size_t index = 0;
    CoeffPoly poly(1, 256);
    rlwe::write_small(poly.view_for_writing(), values, basis, PrimeIndices(&index, 1));
  }
}

TEST_F(DISABLED_ConstantTimeControl, ABranchOnASecretIsFound) {
  const rlwe::Seed seed{RandomSource()};
  volatile int count = 0;
  for (const std::uint8_t byte : seed.bytes()) {
    if (byte > 127) count = count + 1;
  }
}

TEST(ConstantTime, NoBranchOrAddressDependsOnASecret) {
  expect_nothing_found("DISABLED_ConstantTimeBody", {"4 tests from 1 test suite ran"}, kAccepted);
}

TEST(ConstantTime, TheCheckSeesABranch) { expect_found("DISABLED_ConstantTimeControl", kAccepted); }

}  // namespace
}  // namespace ringlet::test
