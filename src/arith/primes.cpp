// SPDX-License-Identifier: Apache-2.0
#include "ringlet/arith/primes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"

namespace ringlet {
namespace {

constexpr int kMinBits = 2;
constexpr int kMaxBits = 62;
constexpr std::size_t kMinDegree = 2;
constexpr std::size_t kMaxDegree = std::size_t{1} << 20;
constexpr int kHalfWordBits = 32;

// Transforms modulo longer primes reduce more often or split words.
constexpr int kFastBits = 49;

// As bases of Miller-Rabin these primes decide every n below 3.3 * 10^24 (Sorenson and Webster,
// "Strong pseudoprimes to twelve prime bases").
constexpr std::array<std::uint64_t, 12> kWitnesses = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};

// is_prime takes numbers that are too large for a Modulus, so it divides.
std::uint64_t multiply_any(std::uint64_t a, std::uint64_t b, std::uint64_t n) {
  return static_cast<std::uint64_t>(static_cast<uint128_t>(a) * b % n);
}

std::uint64_t pow_any(std::uint64_t base, std::uint64_t exponent, std::uint64_t n) {
  std::uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = multiply_any(result, base, n);
    base = multiply_any(base, base, n);
  }
  return result;
}

// One round of Miller-Rabin for odd n > base >= 2.
bool is_strong_probable_prime(std::uint64_t n, std::uint64_t base) {
  const int twos = std::countr_zero(n - 1);
  std::uint64_t power = pow_any(base, (n - 1) >> twos, n);
  if (power == 1 || power == n - 1) return true;
  for (int i = 1; i < twos; ++i) {
    power = multiply_any(power, power, n);
    if (power == n - 1) return true;
  }
  return false;
}

void check_root_order(std::uint64_t order) {
  if (order >= 2 && std::has_single_bit(order)) return;
  refuse(concat("order = ", order), "a power of two, at least 2",
         "pass twice the degree of the transform");
}

void check_ntt_degree(std::size_t degree) {
  if (degree >= kMinDegree && degree <= kMaxDegree && std::has_single_bit(degree)) return;
  refuse(concat("degree = ", degree), "a power of two from 2 to 2^20",
         "choose a power of two in this range");
}

void check_bit_count(int bit_count, const char* name = "bit_count") {
  if (bit_count >= kMinBits && bit_count <= kMaxBits) return;
  refuse(concat(name, " = ", bit_count), concat(kMinBits, " to ", kMaxBits, " bits"),
         "choose a bit count in this range");
}

/// Asks for `count` primes of exactly `bit_count` bits that are 1 mod `step`.
struct PrimeRequest {
  int bit_count;
  std::uint64_t step;
  std::size_t count;
  PrimePreference preference;

  /// The numbers of this width are in (first(), end()): powers of two are not 1 mod `step`.
  std::uint64_t first() const { return end() / 2; }
  std::uint64_t end() const { return std::uint64_t{1} << bit_count; }
};

[[noreturn]] void refuse_count(const PrimeRequest& request, const std::string& limit) {
  refuse(concat("count = ", request.count, " primes of ", request.bit_count,
                " bits that are 1 mod ", request.step),
         limit, "ask for fewer primes, more bits or a smaller degree");
}

bool is_half_word_one(std::uint64_t n) { return static_cast<std::uint32_t>(n) == 1; }

/// The least common multiple of `step` and 2^32; 0 if it exceeds every modulus.
std::uint64_t half_word_step(std::uint64_t step) {
  const int missing = kHalfWordBits - std::min(kHalfWordBits, std::countr_zero(step));
  return std::bit_width(step) + missing > kMaxBits ? 0 : step << missing;
}

/// Appends primes that are 1 mod `step`, from the largest down and without those for which
/// `skipped` is true, until there are as many as requested.
template <typename Skipped>
void append_primes(std::vector<Modulus>& primes, const PrimeRequest& request, std::uint64_t step,
                   Skipped skipped) {
  for (std::uint64_t candidate = (request.end() - 2) / step * step + 1;
       candidate > request.first() && primes.size() < request.count; candidate -= step) {
    if (!skipped(candidate) && is_prime(candidate)) primes.emplace_back(candidate);
  }
}

std::vector<Modulus> first_primes(const PrimeRequest& request) {
  const std::uint64_t step = request.step;
  // This comes before the search, which would take long if the count is absurd.
  const std::uint64_t candidates = (request.end() - 2) / step - (request.first() - 1) / step;
  if (request.count > candidates) {
    refuse_count(request, concat("only ", candidates, " such numbers exist"));
  }
  std::vector<Modulus> primes;
  const bool prefers = request.preference == PrimePreference::half_word_one;
  const std::uint64_t preferred_step = prefers ? half_word_step(step) : 0;
  if (preferred_step != 0) {
    append_primes(primes, request, preferred_step, [](std::uint64_t) { return false; });
  }
  append_primes(primes, request, step, [prefers](std::uint64_t candidate) {
    return prefers && is_half_word_one(candidate);
  });
  if (primes.size() < request.count) {
    refuse_count(request, concat("only ", primes.size(), " such primes exist"));
  }
  return primes;
}

/// The width and the order of the primes that generate_fast_ntt_primes returns for a width.
struct FastWidth {
  int bit_count;
  PrimePreference preference;
};

FastWidth fast_width(int max_bits) {
  if (max_bits <= kFastBits) return {max_bits, PrimePreference::largest};
  if (max_bits < kMinMontgomeryBits) return {kFastBits, PrimePreference::largest};
  return {std::min(max_bits, kMaxMontgomeryBits), PrimePreference::half_word_one};
}

// Returns an element of order `order`: x^((q-1)/order) has this order exactly if x is not a square,
// and half of all x are not squares.
std::uint64_t any_primitive_root(std::uint64_t order, const Modulus& q) {
  const std::uint64_t cofactor = (q.value() - 1) / order;
  for (std::uint64_t candidate = 2;; ++candidate) {
    const std::uint64_t root = pow_mod(candidate, cofactor, q);
    if (is_primitive_root(root, order, q)) return root;
  }
}

}  // namespace

bool is_prime(std::uint64_t n) {
  if (n < 2) return false;
  for (const std::uint64_t prime : kWitnesses) {
    if (n % prime == 0) return n == prime;
  }
  return std::all_of(kWitnesses.begin(), kWitnesses.end(),
                     [n](std::uint64_t base) { return is_strong_probable_prime(n, base); });
}

const char* to_string(PrimePreference preference) noexcept {
  return preference == PrimePreference::half_word_one ? "half_word_one" : "largest";
}

std::vector<Modulus> generate_ntt_primes(int bit_count, std::size_t degree, std::size_t count,
                                         PrimePreference preference) {
  return public_entry("generate_ntt_primes", [&] {
    check_ntt_degree(degree);
    check_bit_count(bit_count);
    return first_primes({bit_count, 2 * std::uint64_t{degree}, count, preference});
  });
}

std::vector<Modulus> generate_fast_ntt_primes(int max_bits, std::size_t degree, std::size_t count) {
  return public_entry("generate_fast_ntt_primes", [&] {
    check_ntt_degree(degree);
    check_bit_count(max_bits, "max_bits");
    const auto [bits, preference] = fast_width(max_bits);
    return first_primes({bits, 2 * std::uint64_t{degree}, count, preference});
  });
}

std::vector<Modulus> generate_primes(int bit_count, std::uint64_t step, std::size_t count,
                                     PrimePreference preference) {
  return public_entry("generate_primes", [&] {
    constexpr std::uint64_t kMaxStep = std::uint64_t{1} << 61;
    if (step < 2 || step > kMaxStep) {
      refuse(concat("step = ", step), "from 2 to 2^61", "choose a step in this range");
    }
    check_bit_count(bit_count);
    return first_primes({bit_count, step, count, preference});
  });
}

bool is_primitive_root(std::uint64_t root, std::uint64_t order, const Modulus& q) {
  public_entry("is_primitive_root", [&] { check_root_order(order); });
  // An element has the order 2^k exactly if its 2^(k-1)-th power is -1: the only element of
  // order 2.
  return root < q.value() && q.value() > 2 && pow_mod(root, order / 2, q) == q.value() - 1;
}

std::uint64_t minimal_primitive_root(std::uint64_t order, const Modulus& q) {
  public_entry("minimal_primitive_root", [&] {
    check_root_order(order);
    if (!is_prime(q.value())) {
      refuse(concat("modulus = ", q.value(), ", not prime"), "a prime modulus",
             "choose a prime with generate_ntt_primes");
    }
    if ((q.value() - 1) % order != 0) {
      refuse(concat("order = ", order, " modulo ", q.value()),
             "an order that divides the modulus minus 1",
             "choose a modulus that is 1 mod the order");
    }
  });
  // The elements of this order are the odd powers of any one of them.
  const std::uint64_t root = any_primitive_root(order, q);
  const std::uint64_t step = q.multiply(root, root);
  const std::uint64_t step_quotient = shoup_quotient(step, q.value());
  std::uint64_t smallest = root;
  std::uint64_t power = root;
  for (std::uint64_t i = 1; i < order / 2; ++i) {
    power = mul_mod_shoup(power, step, step_quotient, q.value());
    smallest = std::min(smallest, power);
  }
  return smallest;
}

}  // namespace ringlet
