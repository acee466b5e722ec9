// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/syscall.h>

#include "ringlet/rlwe/keys.hpp"
#include "support/kernels/available_tables.hpp"
#include "support/memcheck.hpp"

// Shared by tests under memcheck that follow secrets through keys and schemes. It replaces the C
// library's getrandom: include it in one source file of a program.

namespace ringlet::test {

/// Set by the bodies of these tests, so that other tests of the program can run under valgrind too.
inline bool randomness_is_secret = false;

/// The fixture of these tests. They are disabled: outside of valgrind they test nothing.
struct UnderValgrind : ::testing::Test {
  void SetUp() override {
    ASSERT_TRUE(under_valgrind()) << "the tests of constant time run this";
    randomness_is_secret = true;
  }
};

/// Suppressions of valgrind's reports in a function: of branches, addresses or both.
inline std::string accept(const std::string& frames,
                          std::initializer_list<std::string> kinds = {"Cond", "Value8"}) {
  std::string text;
  for (const std::string& kind : kinds) {
    text += "{\naccepted\nMemcheck:" + kind + "\n" + frames + "\n}\n";
  }
  return text;
}

/// What may depend on a secret, each for a reason that SECURITY.md gives. These are values that
/// pass declassify(), and the number of rejected words, which depends on discarded words and says
/// nothing about the kept ones. Uniform halves are expanded from seeds that are published with
/// them. Inlined functions have frames of their own, which "..." skips.
inline const std::string kDeclassified =
    accept("fun:*ringlet*declassify*", {"Cond"}) + accept("fun:*ringlet*rlwe*sample_ternary*") +
    accept("...\nfun:*ringlet*kernels*sample_ternary*") +
    accept("...\nfun:*ringlet*kernels*sample_uniform*") +
    accept("fun:*ringlet*rlwe*expand_uniform*") + accept("fun:*ringlet*rlwe*sample_uniform*");

/// Marks a ciphertext as public: operations on it may depend on its words.
inline Ciphertext published(Ciphertext encrypted) {
  for (std::size_t k = 0; k < encrypted.size(); ++k) {
    const ConstResidueView poly = encrypted.view(k);
    for (std::size_t i = 0; i < poly.limb_count; ++i) {
      make_public(poly.limb(i).data(), poly.limb(i).size_bytes());
    }
  }
  return encrypted;
}

/// Marks an evaluation key as public, too.
inline void publish(const KSwitchKey& key) {
  for (std::size_t digit = 0; digit < key.digit_count(); ++digit) {
    for (const ConstNttView part : {key.b(digit), key.a(digit)}) {
      for (std::size_t i = 0; i < part.limb_count; ++i) {
        make_public(part.limb(i).data(), part.limb(i).size_bytes());
      }
    }
  }
}

}  // namespace ringlet::test

// Replaces the C library's function: everything that depends on the system's randomness is secret.
extern "C" ssize_t getrandom(void* buffer, std::size_t length, unsigned flags) {
  const ssize_t count = syscall(SYS_getrandom, buffer, length, flags);
  if (count > 0 && ringlet::test::randomness_is_secret) {
    ringlet::test::make_secret(buffer, static_cast<std::size_t>(count));
  }
  return count;
}
