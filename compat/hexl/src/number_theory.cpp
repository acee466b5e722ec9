// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <string>

#include "hexl/number-theory/number-theory.hpp"
#include "ringlet/arith/modular.hpp"
#include "ringlet/arith/modulus.hpp"
#include "ringlet/arith/primes.hpp"
#include "ringlet/base/error.hpp"

namespace intel::hexl {
namespace {

[[noreturn]] void refuse(const char* function, const char* argument, uint64_t value,
                         const char* limit) {
  ringlet::throw_invalid_argument(
      {.operation = function,
       .offending = std::string(argument) + " = " + std::to_string(value),
       .limit = limit,
       .remedy = "pass an argument within the limit"});
}

/// Returns all ones if `condition` holds, hidden from the optimiser, which would branch on it.
uint64_t mask(bool condition) { return ringlet::opaque(0 - static_cast<uint64_t>(condition)); }

}  // namespace

uint64_t ReverseBits(uint64_t x, uint64_t bit_width) {
  if (bit_width > 64) refuse("ReverseBits", "bit_width", bit_width, "at most 64");
  uint64_t reversed = 0;
  for (uint64_t i = 0; i < bit_width; ++i) reversed = (reversed << 1) | ((x >> i) & 1);
  return reversed;
}

uint64_t InverseMod(uint64_t x, uint64_t modulus) {
  return modulus == 1 ? 0 : ringlet::inverse_mod(x, modulus);
}

uint64_t MultiplyMod(uint64_t x, uint64_t y, uint64_t modulus) {
  if (modulus == 0) refuse("MultiplyMod", "modulus", modulus, "at least 1");
  return static_cast<uint64_t>(MultiplyUInt64(x, y) % modulus);
}

uint64_t MultiplyMod(uint64_t x, uint64_t y, uint64_t y_precon, uint64_t modulus) {
  return ringlet::mul_mod_shoup(x, y, y_precon, modulus);
}

uint64_t AddUIntMod(uint64_t x, uint64_t y, uint64_t modulus) {
  const uint64_t gap = modulus - y;
  return x - gap + (modulus & mask(x < gap));
}

uint64_t SubUIntMod(uint64_t x, uint64_t y, uint64_t modulus) {
  return x - y + (modulus & mask(x < y));
}

uint64_t PowMod(uint64_t base, uint64_t exp, uint64_t modulus) {
  if (modulus == 0) refuse("PowMod", "modulus", modulus, "at least 1");
  uint64_t result = 1 % modulus;
  uint64_t power = base % modulus;
  for (; exp != 0; exp >>= 1) {
    if ((exp & 1) != 0) result = MultiplyMod(result, power, modulus);
    power = MultiplyMod(power, power, modulus);
  }
  return result;
}

bool IsPrimitiveRoot(uint64_t root, uint64_t degree, uint64_t modulus) {
  const ringlet::Modulus q(modulus);
  return ringlet::is_primitive_root(q.reduce(root), degree, q);
}

uint64_t GeneratePrimitiveRoot(uint64_t degree, uint64_t modulus) {
  const ringlet::Modulus q(modulus);
  // Half of the elements of a prime field have a root of this order as their power, so no root
  // after so many trials means that there is none.
  constexpr uint64_t kTrials = 200;
  const bool divides = degree != 0 && (modulus - 1) % degree == 0;
  const uint64_t exponent = divides ? (modulus - 1) / degree : 0;
  for (uint64_t base = 2; base < kTrials && (base < modulus || base == 2); ++base) {
    const uint64_t root = ringlet::pow_mod(base, exponent, q);
    if (ringlet::is_primitive_root(root, degree, q)) return root;
  }
  return 0;
}

uint64_t MinimalPrimitiveRoot(uint64_t degree, uint64_t modulus) {
  return ringlet::minimal_primitive_root(degree, modulus);
}

bool IsPrime(uint64_t n) { return ringlet::is_prime(n); }

std::vector<uint64_t> GeneratePrimes(size_t num_primes, size_t bit_size, bool prefer_small_primes,
                                     size_t ntt_size) {
  const char* const function = "GeneratePrimes";
  if (bit_size < 1 || bit_size > 62) refuse(function, "bit_size", bit_size, "1 to 62");
  if (!std::has_single_bit(ntt_size) || ntt_size >= uint64_t{1} << bit_size) {
    refuse(function, "ntt_size", ntt_size, "a power of two below 2^bit_size");
  }
  const uint64_t lowest = (uint64_t{1} << bit_size) + 1;
  const uint64_t step = 2 * ntt_size;
  const uint64_t count = (uint64_t{1} << bit_size) / step;
  std::vector<uint64_t> primes;
  for (uint64_t i = 0; i < count && primes.size() < num_primes; ++i) {
    const uint64_t candidate = lowest + step * (prefer_small_primes ? i : count - 1 - i);
    if (IsPrime(candidate)) primes.push_back(candidate);
  }
  if (primes.size() < num_primes) {
    refuse(function, "num_primes", num_primes,
           "as many as there are primes between 2^bit_size and 2^(bit_size + 1) that are 1 mod "
           "2 * ntt_size");
  }
  return primes;
}

}  // namespace intel::hexl
