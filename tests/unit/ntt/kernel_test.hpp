// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/ntt/ntt.hpp"
#include "support/reference/ntt_reference.hpp"

namespace ringlet::test {

/// A test of one transform kernel, by its exact name.
struct KernelTest : ::testing::TestWithParam<KernelInfo> {
  void SetUp() override {
    if (!GetParam().available) GTEST_SKIP() << "this processor cannot run " << name();
  }
  static std::string name() { return GetParam().table + "/" + GetParam().algorithm; }
  static Ntt plan(std::size_t degree, const Modulus& q) {
    return {degree, q, KernelSelection(name())};
  }
  /// Calls body for all degrees up to 2^10 and some above, with a narrow prime and the largest one.
  template <typename Body>
  static void for_each_plan(const Body& body) {
    std::vector<std::size_t> degrees{1 << 12, 1 << 15};
    if (test_scale() > 1) degrees.insert(degrees.end(), {1 << 11, 1 << 13, 1 << 14, 1 << 16});
    for (std::size_t degree = GetParam().min_degree; degree <= 1024; degree *= 2) {
      degrees.push_back(degree);
    }
    for (const std::size_t degree : degrees) {
      for (const std::uint64_t q : {generate_ntt_primes(30, degree, 1)[0].value(),
                                    ntt_prime_next_to(GetParam().modulus_limit, degree, true)}) {
        SCOPED_TRACE("N = " + std::to_string(degree) + ", q = " + std::to_string(q));
        body(plan(degree, q));
        if (HasFatalFailure()) return;
      }
    }
  }
};

}  // namespace ringlet::test
