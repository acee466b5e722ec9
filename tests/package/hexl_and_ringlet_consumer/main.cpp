// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <cstdio>

#include <hexl/hexl.hpp>
#include <ringlet/base/error.hpp>
#include <ringlet/kernels/eltwise.hpp>
#include <ringlet/ntt/ntt.hpp>

// Both names give the same words, and HEXL's functions throw Ringlet's own exception.
int main() {
  const std::uint64_t q = intel::hexl::GeneratePrimes(1, 49, true, 8)[0];
  std::array<std::uint64_t, 8> a = {1, 2, 3, 4, 5, 6, 7, q - 1};
  auto b = a;
  intel::hexl::NTT(8, q).ComputeForward(a.data(), a.data(), 1, 1);
  intel::hexl::EltwiseMultMod(a.data(), a.data(), a.data(), a.size(), q, 1);
  ringlet::Ntt(8, q).forward(b);
  ringlet::Eltwise(q).multiply(b, b, b);
  bool refused = false;
  try {
    intel::hexl::EltwiseMultMod(a.data(), a.data(), a.data(), a.size(), q, 3);
  } catch (const ringlet::InvalidArgument& error) {
    refused = error.operation() == "EltwiseMultMod";
  }
  std::printf("same: %d, refused: %d\n", a == b, refused);
  return a == b && refused ? 0 : 1;
}
