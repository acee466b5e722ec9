// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <sys/wait.h>

#include "support/environment.hpp"

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#define RINGLET_TEST_HAS_VALGRIND 1
#else
#define RINGLET_TEST_HAS_VALGRIND 0
#endif

// No branch and no address depends on a secret. Valgrind's memcheck follows undefined bits through
// every instruction and reports the branches and addresses that they reach; a test tells it that
// secrets are undefined. Such a test is disabled, and another one runs this program again under
// valgrind with the first alone. Divisions are not seen this way.

namespace ringlet::test {

/// Exit status of a program in which memcheck found something.
inline constexpr int kMemcheckFound = 9;

inline bool under_valgrind() {
#if RINGLET_TEST_HAS_VALGRIND
  return RUNNING_ON_VALGRIND != 0;
#else
  return false;
#endif
}

inline void make_secret([[maybe_unused]] const void* data, [[maybe_unused]] std::size_t bytes) {
#if RINGLET_TEST_HAS_VALGRIND
  (void)VALGRIND_MAKE_MEM_UNDEFINED(data, bytes);
#endif
}

/// What follows from a secret and is handed to everybody on purpose: keys and ciphertexts.
inline void make_public([[maybe_unused]] const void* data, [[maybe_unused]] std::size_t bytes) {
#if RINGLET_TEST_HAS_VALGRIND
  (void)VALGRIND_MAKE_MEM_DEFINED(data, bytes);
#endif
}

/// Whether all of these bytes follow from a secret, wholly or in part.
inline bool is_secret([[maybe_unused]] const void* data, [[maybe_unused]] std::size_t bytes) {
#if RINGLET_TEST_HAS_VALGRIND
  std::vector<unsigned char> bits(bytes);
  if (VALGRIND_GET_VBITS(data, bits.data(), bytes) != 1) return false;
  return std::find(bits.begin(), bits.end(), 0) == bits.end();
#else
  return false;
#endif
}

/// Why memcheck cannot run here, if so.
inline std::optional<std::string> no_memcheck_because() {
  if (RINGLET_TEST_SANITIZED) return "valgrind does not run programs of a sanitizer";
  if (!RINGLET_TEST_HAS_VALGRIND) return "built without valgrind's headers (package valgrind)";
  if (under_valgrind()) return "this program runs under valgrind already";
  if (std::system("valgrind --version > /dev/null 2>&1") != 0) {
    return "valgrind is not installed (package valgrind)";
  }
  return std::nullopt;
}

struct MemcheckOutcome {
  int status;
  std::string output;
};

/// Runs the disabled tests of one suite of this program under memcheck, with suppressions in
/// valgrind's form.
inline MemcheckOutcome run_under_memcheck(const std::string& suite,
                                          const std::string& suppressions = "") {
  const std::string base =
      ::testing::TempDir() + "ringlet_memcheck_" + std::to_string(getpid()) + "_" + suite;
  const std::string suppression_file = base + ".supp";
  const std::string log = base + ".log";
  std::ofstream(suppression_file) << suppressions;
  const std::string command =
      "RINGLET_FORCE_KERNELS= valgrind --quiet --error-exitcode=" + std::to_string(kMemcheckFound) +
      " --suppressions='" + suppression_file + "' /proc/" + std::to_string(getpid()) +
      "/exe --gtest_also_run_disabled_tests --gtest_filter='" + suite + ".*' > '" + log + "' 2>&1";
  const int status = std::system(command.c_str());
  std::ostringstream output;
  output << std::ifstream(log).rdbuf();
  std::remove(suppression_file.c_str());
  std::remove(log.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output.str()};
}

/// The rest of a test: memcheck finds nothing in the disabled tests of `suite`, which print all of
/// `texts`.
inline void expect_nothing_found(const std::string& suite, std::initializer_list<const char*> texts,
                                 const std::string& suppressions = "") {
  if (const auto reason = no_memcheck_because()) GTEST_SKIP() << *reason;
  const MemcheckOutcome body = run_under_memcheck(suite, suppressions);
  EXPECT_EQ(body.status, 0) << body.output;
  for (const char* text : texts) {
    EXPECT_NE(body.output.find(text), std::string::npos) << body.output;
  }
}

/// The rest of a test: memcheck finds what was planted in the disabled tests of `suite`.
inline void expect_found(const std::string& suite, const std::string& suppressions = "") {
  if (const auto reason = no_memcheck_because()) GTEST_SKIP() << *reason;
  const MemcheckOutcome control = run_under_memcheck(suite, suppressions);
  EXPECT_EQ(control.status, kMemcheckFound) << control.output;
}

}  // namespace ringlet::test
