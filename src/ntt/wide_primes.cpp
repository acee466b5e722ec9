// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "arith/wide_integer.hpp"
#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ntt/wide_checks.hpp"

namespace ringlet {
namespace {

constexpr int kMinPrimeBits = 100;
constexpr int kSpecialShift = 104;
constexpr std::size_t kMaxPrimes = 1000;

void check_bits(int bits, int least) {
  if (bits >= least && bits <= kMaxDoubleWordBits) return;
  refuse(concat("bits = ", bits), concat(least, " to ", kMaxDoubleWordBits, " bits"),
         "choose a size in this range");
}

void check_count(std::size_t count) {
  if (count <= kMaxPrimes) return;
  refuse(concat("count = ", count), concat("at most ", kMaxPrimes, " primes"),
         "ask for fewer primes");
}

/// The largest primes of exactly `bits` bits that are 1 mod 2^log_step; all if there are fewer.
std::vector<WideModulus> largest_primes(int bits, int log_step, std::size_t count) {
  const uint128_t step = uint128_t{1} << log_step;
  const uint128_t first = uint128_t{1} << (bits - 1);
  std::vector<WideModulus> primes;
  for (uint128_t candidate = 2 * first - step + 1; candidate > first && primes.size() < count;
       candidate -= step) {
    const WideInteger value = {low_word(candidate), high_word(candidate), 0};
    if (wide::is_probable_prime(value)) primes.emplace_back(value);
  }
  return primes;
}

}  // namespace

std::vector<WideModulus> generate_wide_ntt_primes(int bits, std::size_t degree, std::size_t count) {
  public_entry("generate_wide_ntt_primes", [&] {
    check_bits(bits, kMinPrimeBits);
    if (!std::has_single_bit(degree) || degree < 2 || degree > kMaxWideNttDegree) {
      refuse(concat("degree = ", degree), "powers of two from 2 to 2^20",
             "choose a power of two in that range");
    }
    check_count(count);
  });
  return largest_primes(bits, std::bit_width(degree), count);
}

std::vector<WideModulus> generate_special_wide_primes(int bits, std::size_t count) {
  return public_entry("generate_special_wide_primes", [&] {
    check_bits(bits, kSpecialShift + 2);
    check_count(count);
    std::vector<WideModulus> primes = largest_primes(bits, kSpecialShift, count);
    if (primes.size() == count) return primes;
    refuse(concat("count = ", count, " primes k * 2^104 + 1 of ", bits, " bits"),
           concat("only ", primes.size(), " such primes exist"),
           "ask for fewer primes or more bits");
  });
}

}  // namespace ringlet
