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

// Checks that no branch and no address depends on a secret. A test marks secrets as undefined;
// valgrind's memcheck follows undefined bits through every instruction and reports the branches and
// addresses that they reach. Such a test is disabled: another test runs this program again under
// valgrind with the disabled test alone. Memcheck does not report divisions.

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

/// Declares data public that depends on a secret and is published on purpose: keys and ciphertexts.
inline void make_public([[maybe_unused]] const void* data, [[maybe_unused]] std::size_t bytes) {
#if RINGLET_TEST_HAS_VALGRIND
  (void)VALGRIND_MAKE_MEM_DEFINED(data, bytes);
#endif
}

/// Whether all of these bytes depend on a secret, wholly or in part.
inline bool is_secret([[maybe_unused]] const void* data, [[maybe_unused]] std::size_t bytes) {
#if RINGLET_TEST_HAS_VALGRIND
  std::vector<unsigned char> bits(bytes);
  if (VALGRIND_GET_VBITS(data, bits.data(), bytes) != 1) return false;
  return std::find(bits.begin(), bits.end(), 0) == bits.end();
#else
  return false;
#endif
}

/// The reason why memcheck cannot run here, if there is one.
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

/// Runs the disabled tests of one suite of this program under memcheck. `suppressions` have
/// valgrind's format.
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

/// Expects that memcheck finds nothing in the disabled tests of `suite`, and that they print all
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

/// Expects that memcheck finds the planted mistakes in the disabled tests of `suite`.
inline void expect_found(const std::string& suite, const std::string& suppressions = "") {
  if (const auto reason = no_memcheck_because()) GTEST_SKIP() << *reason;
  const MemcheckOutcome control = run_under_memcheck(suite, suppressions);
  EXPECT_EQ(control.status, kMemcheckFound) << control.output;
}

}  // namespace ringlet::test
