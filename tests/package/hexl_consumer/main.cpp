// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <stdexcept>

#include "check.hpp"
#include "hexl/hexl.hpp"

static_assert(__cplusplus < 202002L, "users of HEXL write C++17 at most; nothing may ask for more");

namespace {

void refuse() {
  std::uint64_t word = 1;
  int refused = 0;
  try {
    intel::hexl::EltwiseMultMod(&word, &word, &word, 1, std::uint64_t{1} << 62, 1);
  } catch (const std::invalid_argument& error) {
    refused += error.what()[0] != '\0' ? 1 : 0;
  }
  try {
    intel::hexl::NTT().ComputeForward(&word, &word, 1, 1);
  } catch (const std::exception&) {
    ++refused;
  }
  check(refused == 2, "bad arguments are refused by exceptions that cross the library");
  check(word == 1, "and leave the result");
}

}  // namespace

int main() {
  call_as_seal();
  call_as_openfhe();
  call_as_helib();
  refuse();
  std::printf("%d checks failed\n", failures);
  return failures == 0 ? 0 : 1;
}
