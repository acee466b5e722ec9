// SPDX-License-Identifier: Apache-2.0
// Nothing that follows from secret keys, errors and seeds decides a branch or an address.
#include <cstddef>
#include <cstdio>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/syscall.h>

#include "ringlet/decryptor.hpp"
#include "ringlet/encryptor.hpp"
#include "ringlet/serialization.hpp"
#include "rlwe/key_switch.hpp"
#include "rlwe/samplers.hpp"
#include "rlwe_support.hpp"
#include "support/memcheck.hpp"

namespace {

// Set by the bodies below, so that the other tests may run under valgrind too.
bool randomness_is_secret = false;

}  // namespace

// In place of the C library's: everything that follows from the system's randomness is secret.
extern "C" ssize_t getrandom(void* buffer, std::size_t length, unsigned flags) {
  const ssize_t count = syscall(SYS_getrandom, buffer, length, flags);
  if (count > 0 && randomness_is_secret) {
    ringlet::test::make_secret(buffer, static_cast<std::size_t>(count));
  }
  return count;
}

namespace ringlet::test {
namespace {

// What a secret may decide, each for a reason: the number of rejected words depends on words that
// are thrown away, and says nothing about those that are kept. Uniform halves are expanded from
// seeds that are published with them.
constexpr const char* kDeclassified = R"({
ternary-rejection-branch
Memcheck:Cond
fun:*ringlet*rlwe*sample_ternary*
}
{
ternary-rejection-address
Memcheck:Value8
fun:*ringlet*rlwe*sample_ternary*
}
{
expansion-branch
Memcheck:Cond
fun:*ringlet*rlwe*expand_uniform*
}
{
expansion-address
Memcheck:Value8
fun:*ringlet*rlwe*expand_uniform*
}
{
uniform-rejection-branch
Memcheck:Cond
fun:*ringlet*rlwe*sample_uniform*
}
{
uniform-rejection-address
Memcheck:Value8
fun:*ringlet*rlwe*sample_uniform*
}
{
ternary-verdict
Memcheck:Cond
fun:*ringlet*rlwe*check_equal*
}
)";

// Ciphertexts are for everybody: the decryptor may check their residues.
Ciphertext published(Ciphertext encrypted) {
  for (std::size_t k = 0; k < encrypted.size(); ++k) {
    const ConstResidueView poly = encrypted.view(k);
    for (std::size_t i = 0; i < poly.limb_count; ++i) {
      make_public(poly.limb(i).data(), poly.limb(i).size_bytes());
    }
  }
  return encrypted;
}

std::vector<KernelSelection> available_tables() {
  std::vector<KernelSelection> tables;
  for (const std::string& table : kernel_tables()) {
    try {
      tables.emplace_back(table);
    } catch (const RuntimeError& error) {
      std::printf("not on this processor: %s\n", error.what());
    }
  }
  return tables;
}

// The bodies are disabled: outside of valgrind they test nothing.
TEST(DISABLED_ConstantTimeBody, KeysEncryptionAndDecryption) {
  ASSERT_TRUE(under_valgrind()) << "the tests of ConstantTime run this";
  randomness_is_secret = true;
  for (const KernelSelection& table : available_tables()) {
    const Context context = toy_context(256, {30, 49, 60, 61}, table);
    const KeyGenerator keys(context);
    const Encryptor encryptor(context, keys.create_public_key(), keys.secret_key());
    const Decryptor decryptor(context, keys.secret_key());
    const RelinKeys relin = keys.create_relin_keys();
    const GaloisKeys galois = keys.create_galois_keys(std::vector<int>{1, 0});
    for (const ContextData* level = context.first_context_data(); level != nullptr;
         level = level->next_context_data()) {
      Plaintext plain(*level);
      for (std::size_t i = 0; i < level->prime_count(); ++i) {
        const auto limb = plain.ntt_view_for_writing().limb(i);
        make_secret(limb.data(), limb.size_bytes());
      }
      decryptor.decrypt(published(encryptor.encrypt_symmetric(plain)));
      Ciphertext encrypted = published(encryptor.encrypt(plain));
      for (const KSwitchKey* key : {&relin.key(2), &galois.key(3)}) {
        rlwe::add_key_switched(context, *level, encrypted.ntt_view(1), *key,
                               encrypted.ntt_view_for_writing(0),
                               encrypted.ntt_view_for_writing(1));
      }
      decryptor.decrypt(published(std::move(encrypted)));
    }
  }
}

TEST(DISABLED_ConstantTimeBody, OnePrimeAndToyPrimes) {
  ASSERT_TRUE(under_valgrind()) << "the tests of ConstantTime run this";
  randomness_is_secret = true;
  for (const KernelSelection& table : available_tables()) {
    for (const std::vector<int>& chain : {std::vector<int>{40}, {14, 15, 13}, {61, 25}}) {
      const Context context = toy_context(256, chain, table);
      const KeyGenerator keys(context);
      const Encryptor encryptor(context, keys.create_public_key(), keys.secret_key());
      Decryptor(context, keys.secret_key()).decrypt(published(encryptor.encrypt_zero()));
    }
  }
}

TEST(DISABLED_ConstantTimeBody, SavingSecrets) {
  ASSERT_TRUE(under_valgrind()) << "the tests of ConstantTime run this";
  randomness_is_secret = true;
  for (const KernelSelection& table : available_tables()) {
    const Context context = toy_context(256, {30, 49, 61}, table);
    const KeyGenerator keys(context);
    save_secret_key(context, keys.secret_key());
    Plaintext plain(*context.first_context_data());
    for (std::size_t i = 0; i < 2; ++i) {
      const auto limb = plain.ntt_view_for_writing().limb(i);
      make_secret(limb.data(), limb.size_bytes());
    }
    save(plain);
  }
}

TEST(DISABLED_ConstantTimeBody, ErrorsAndTheirLift) {
  ASSERT_TRUE(under_valgrind()) << "the tests of ConstantTime run this";
  randomness_is_secret = true;
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

TEST(DISABLED_ConstantTimeControl, ABranchOnASecretIsFound) {
  ASSERT_TRUE(under_valgrind()) << "the tests of ConstantTime run this";
  randomness_is_secret = true;
  const rlwe::Seed seed{RandomSource()};
  volatile int count = 0;
  for (const std::uint8_t byte : seed.bytes()) {
    if (byte > 127) count = count + 1;
  }
}

TEST(ConstantTime, NoBranchOrAddressDependsOnASecret) {
  if (const auto reason = no_memcheck_because()) GTEST_SKIP() << *reason;
  const auto body = run_under_memcheck("DISABLED_ConstantTimeBody", kDeclassified);
  EXPECT_EQ(body.status, 0) << body.output;
  EXPECT_NE(body.output.find("4 tests from 1 test suite ran"), std::string::npos) << body.output;
}

TEST(ConstantTime, TheCheckSeesABranch) {
  if (const auto reason = no_memcheck_because()) GTEST_SKIP() << *reason;
  const auto control = run_under_memcheck("DISABLED_ConstantTimeControl", kDeclassified);
  EXPECT_EQ(control.status, kMemcheckFound) << control.output;
}

}  // namespace
}  // namespace ringlet::test
