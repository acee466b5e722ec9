// SPDX-License-Identifier: Apache-2.0
// Both interfaces in one file: an exception of one library is also one of the other's type.
#include <cstdio>
#include <exception>

#include "ringlet/base/error.hpp"
#include "ringlet/rlwe/parameters.hpp"
#include "seal/seal.h"

int main() {
  const auto primes = seal::CoeffModulus::Create(4096, {40, 40});
  const auto native = ringlet::CoeffModulus::create(4096, {40, 40});
  bool good = primes.size() == 2 && primes[0].value() == native[0].value() &&
              primes[1].value() == native[1].value();
  try {
    seal::Modulus modulus(1);
    good = false;
  } catch (const ringlet::InvalidArgument& error) {
    good = good && !error.remedy().empty();
  } catch (const std::exception&) {
    good = false;
  }
  std::puts(good ? "one library under two names" : "FAILED");
  return good ? 0 : 1;
}
