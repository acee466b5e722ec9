// SPDX-License-Identifier: Apache-2.0
// Nothing that follows from secret keys, errors and seeds decides a branch or an address.

#include "ringlet/rlwe/serialization.hpp"
#include "ringlet/schemes/decryptor.hpp"
#include "ringlet/schemes/encryptor.hpp"
#include "rlwe/keys/key_switch.hpp"
#include "rlwe/random/samplers.hpp"
#include "rlwe_support.hpp"
#include "support/secret_randomness.hpp"

namespace ringlet::test {
namespace {

// Beside what all such tests accept: whether a secret key that is loaded is one.
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
