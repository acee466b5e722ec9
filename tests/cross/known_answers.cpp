// SPDX-License-Identifier: Apache-2.0
//
// Prints checksums of transforms and element-wise operations on fixed inputs. The program is built
// for other processors too; all of them have to print the same lines as the native build, whose
// results the other tests compare with FLINT.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "ringlet/eltwise.hpp"
#include "ringlet/ntt.hpp"
#include "ringlet/primes.hpp"

namespace {

using Words = std::vector<std::uint64_t>;

/// Residues from Steele, Lea and Flood's SplitMix64, which is the same everywhere.
Words inputs(std::size_t count, std::uint64_t q, std::uint64_t seed) {
  Words words(count);
  for (std::uint64_t& word : words) {
    std::uint64_t z = seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    word = (z ^ (z >> 31)) % q;
  }
  return words;
}

std::uint64_t checksum(const Words& words) {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a over words
  for (const std::uint64_t word : words) hash = (hash ^ word) * 0x100000001b3u;
  return hash;
}

bool print_transform(std::size_t degree, const ringlet::Modulus& q) {
  const ringlet::Ntt ntt(degree, q);
  const Words a = inputs(degree, q.value(), degree);
  Words values(degree);
  ntt.forward(values, a);
  std::printf("ntt n=%zu q=%" PRIu64 " root=%" PRIu64 " %016" PRIx64 "\n", degree, q.value(),
              ntt.root_of_unity(), checksum(values));
  ntt.inverse(values);
  return values == a;
}

void print_eltwise(const ringlet::Modulus& q) {
  const ringlet::Eltwise eltwise(q);
  constexpr std::size_t kCount = 1000;
  const Words a = inputs(kCount, q.value(), 1);
  const Words b = inputs(kCount, q.value(), 2);
  const Words c = inputs(kCount, q.value(), 3);
  const std::uint64_t scalar = c[0];
  const auto print = [&q](const char* name, const Words& result) {
    std::printf("%s q=%" PRIu64 " %016" PRIx64 "\n", name, q.value(), checksum(result));
  };
  Words result(kCount);
  eltwise.add(result, a, b);
  print("add", result);
  eltwise.subtract(result, a, b);
  print("subtract", result);
  eltwise.negate(result, a);
  print("negate", result);
  eltwise.multiply(result, a, b);
  print("multiply", result);
  eltwise.multiply_add(result, a, b, c);
  print("multiply_add", result);
  eltwise.multiply_scalar(result, a, scalar);
  print("multiply_scalar", result);
  eltwise.multiply_scalar_add(result, a, scalar, c);
  print("multiply_scalar_add", result);
  eltwise.reduce(result, inputs(kCount, ~std::uint64_t{0}, 4));
  print("reduce", result);
}

}  // namespace

int main() {
  bool inverted = true;
  for (const int bits : {30, 49, 50, 61}) {
    for (std::size_t degree = 2; degree <= 4096; degree *= 2) {
      inverted &= print_transform(degree, ringlet::generate_ntt_primes(bits, degree, 1)[0]);
    }
    print_eltwise(ringlet::generate_ntt_primes(bits, 1024, 1)[0]);
  }
  print_eltwise(ringlet::Modulus((std::uint64_t{1} << 62) - 1));
  if (!inverted) std::puts("an inverse transform did not lead back");
  return inverted ? 0 : 1;
}
