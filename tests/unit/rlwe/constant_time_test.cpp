// SPDX-License-Identifier: Apache-2.0
// No branch and no address depends on a secret. Valgrind's memcheck follows undefined bits through
// every instruction and reports the branches and addresses that they reach; here it is told that
// secrets are undefined. The test below runs this program again under valgrind. Divisions are not
// seen this way; the code has none on secrets.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "ringlet/decryptor.hpp"
#include "ringlet/encryptor.hpp"
#include "rlwe/key_switch.hpp"
#include "rlwe/samplers.hpp"
#include "rlwe_support.hpp"

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#define RINGLET_TEST_HAS_VALGRIND 1
#else
#define RINGLET_TEST_HAS_VALGRIND 0
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RINGLET_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define RINGLET_TEST_SANITIZED 1
#endif
#endif
#ifndef RINGLET_TEST_SANITIZED
#define RINGLET_TEST_SANITIZED 0
#endif

namespace {

bool under_valgrind() {
#if RINGLET_TEST_HAS_VALGRIND
  return RUNNING_ON_VALGRIND != 0;
#else
  return false;
#endif
}

void make_secret([[maybe_unused]] const void* data, [[maybe_unused]] std::size_t bytes) {
#if RINGLET_TEST_HAS_VALGRIND
  (void)VALGRIND_MAKE_MEM_UNDEFINED(data, bytes);
#endif
}

// Set by the bodies below, so that the other tests may run under valgrind too.
bool randomness_is_secret = false;

}  // namespace

// In place of the C library's: everything that follows from the system's randomness is secret.
extern "C" ssize_t getrandom(void* buffer, std::size_t length, unsigned flags) {
  const ssize_t count = syscall(SYS_getrandom, buffer, length, flags);
  if (count > 0 && randomness_is_secret) make_secret(buffer, static_cast<std::size_t>(count));
  return count;
}

namespace ringlet::test {
namespace {

constexpr int kFound = 9;

// What a secret may decide, each for a reason: the number of rejected words depends on words that
// are thrown away, and says nothing about those that are kept.
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
uniform-rejection-branch
Memcheck:Cond
fun:*ringlet*rlwe*sample_uniform*
}
{
uniform-rejection-address
Memcheck:Value8
fun:*ringlet*rlwe*sample_uniform*
}
)";

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
      decryptor.decrypt(encryptor.encrypt_symmetric(plain));
      Ciphertext encrypted = encryptor.encrypt(plain);
      for (const KSwitchKey* key : {&relin.key(2), &galois.key(3)}) {
        rlwe::add_key_switched(context, *level, encrypted.ntt_view(1), *key,
                               encrypted.ntt_view_for_writing(0),
                               encrypted.ntt_view_for_writing(1));
      }
      decryptor.decrypt(encrypted);
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
      Decryptor(context, keys.secret_key()).decrypt(encryptor.encrypt_zero());
    }
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

struct Outcome {
  int status;
  std::string output;
};

Outcome run_under_valgrind(const std::string& suite) {
  const std::string base =
      ::testing::TempDir() + "ringlet_constant_time_" + std::to_string(getpid());
  const std::string suppressions = base + ".supp";
  const std::string log = base + ".log";
  std::ofstream(suppressions) << kDeclassified;
  const std::string program = std::to_string(getpid());
  const std::string command =
      "RINGLET_FORCE_KERNELS= valgrind --quiet --error-exitcode=" + std::to_string(kFound) +
      " --suppressions='" + suppressions + "' /proc/" + program +
      "/exe --gtest_also_run_disabled_tests --gtest_filter='" + suite + ".*' > '" + log + "' 2>&1";
  const int status = std::system(command.c_str());
  std::ostringstream output;
  output << std::ifstream(log).rdbuf();
  std::remove(suppressions.c_str());
  std::remove(log.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output.str()};
}

std::optional<std::string> why_not() {
  if (RINGLET_TEST_SANITIZED) return "valgrind does not run programs of a sanitizer";
  if (!RINGLET_TEST_HAS_VALGRIND) return "built without valgrind's headers (package valgrind)";
  if (std::system("valgrind --version > /dev/null 2>&1") != 0) {
    return "valgrind is not installed (package valgrind)";
  }
  return std::nullopt;
}

TEST(ConstantTime, NoBranchOrAddressDependsOnASecret) {
  if (const auto reason = why_not()) GTEST_SKIP() << *reason;
  const Outcome body = run_under_valgrind("DISABLED_ConstantTimeBody");
  EXPECT_EQ(body.status, 0) << body.output;
  EXPECT_NE(body.output.find("3 tests from 1 test suite ran"), std::string::npos) << body.output;
}

TEST(ConstantTime, TheCheckSeesABranch) {
  if (const auto reason = why_not()) GTEST_SKIP() << *reason;
  const Outcome control = run_under_valgrind("DISABLED_ConstantTimeControl");
  EXPECT_EQ(control.status, kFound) << control.output;
}

}  // namespace
}  // namespace ringlet::test
