// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ring/rns_basis.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ringlet/arith/primes.hpp"
#include "ringlet/ntt/ntt.hpp"

namespace ringlet {
namespace {

void check_degree(std::size_t degree) {
  if (degree >= kMinNttDegree && degree <= kMaxNttDegree && std::has_single_bit(degree)) return;
  refuse(concat("degree = ", degree),
         concat("a power of two from ", kMinNttDegree, " to ", kMaxNttDegree),
         "choose a power of two in this range");
}

void check_size(std::size_t size) {
  if (size >= 1 && size <= kMaxRnsBasisSize) return;
  refuse(concat(size, " moduli"), concat("1 to ", kMaxRnsBasisSize, " moduli"),
         "choose a number of moduli in this range");
}

std::string step_rule(const RingSpec& ring) {
  if (ring.kind() == RingKind::power_of_two_cyclotomic) {
    return concat("moduli that are 1 mod ", ring.modulus_step(), ", twice the degree");
  }
  return concat("moduli that are 1 mod ", ring.modulus_step(),
                ", the multiple of m = ", ring.cyclotomic_index(),
                " and twice the length of transforms");
}

void check_modulus(const RingSpec& ring, std::span<const Modulus> moduli, std::size_t index) {
  const Modulus& q = moduli[index];
  const auto refuse_prime = [&](const std::string& reason, std::string limit) {
    refuse(concat("moduli[", index, "] = ", q.value(), reason), std::move(limit),
           "generate distinct primes for the ring");
  };
  if (q.bit_count() > kMaxRnsModulusBits) {
    refuse_prime(concat(" (", q.bit_count(), " bits)"),
                 concat("at most ", kMaxRnsModulusBits, " bits"));
  }
  if (q.value() % ring.modulus_step() != 1) refuse_prime("", step_rule(ring));
  if (!is_prime(q.value())) refuse_prime(", not prime", "prime moduli");
  if (std::find(moduli.begin(), moduli.begin() + static_cast<std::ptrdiff_t>(index), q) !=
      moduli.begin() + static_cast<std::ptrdiff_t>(index)) {
    refuse_prime(", a second time", "each modulus at most once");
  }
}

}  // namespace

RnsBasis::RnsBasis(std::size_t degree, std::vector<Modulus> moduli)
    : RnsBasis(public_entry("RnsBasis",
                            [&] {
                              check_degree(degree);
                              return RingSpec(RingKind::power_of_two_cyclotomic, degree,
                                              2 * std::uint64_t{degree}, degree);
                            }),
               std::move(moduli)) {}

RnsBasis::RnsBasis(const RingSpec& ring, std::vector<Modulus> moduli)
    : ring_(ring), moduli_(std::move(moduli)) {
  public_entry("RnsBasis", [&] {
    check_size(moduli_.size());
    for (std::size_t i = 0; i < moduli_.size(); ++i) check_modulus(ring_, moduli_, i);
  });
}

std::vector<std::uint64_t> RnsBasis::product(std::size_t count) const {
  public_entry("RnsBasis::product", [&] { check_count(count); });
  std::vector<std::uint64_t> words(count, 0);
  words[0] = 1;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t carry = 0;
    for (std::uint64_t& word : words) {
      const uint128_t sum = static_cast<uint128_t>(word) * moduli_[i].value() + carry;
      word = static_cast<std::uint64_t>(sum);
      carry = static_cast<std::uint64_t>(sum >> 64);
    }
  }
  return words;
}

int RnsBasis::product_bit_count(std::size_t count) const {
  public_entry("RnsBasis::product_bit_count", [&] { check_count(count); });
  const std::vector<std::uint64_t> words = product(count);
  std::size_t top = count - 1;
  while (words[top] == 0) --top;
  return static_cast<int>(64 * top) + std::bit_width(words[top]);
}

void RnsBasis::refuse_index(std::size_t i) const {
  throw_out_of_range({.operation = "RnsBasis::operator[]",
                      .offending = concat("index = ", i),
                      .limit = concat("indices below ", size(), ", the number of primes"),
                      .remedy = "pass an index in this range"});
}

void RnsBasis::check_count(std::size_t count) const {
  if (count >= 1 && count <= size()) return;
  refuse<OutOfRange>(concat("count = ", count), concat("1 to ", size(), ", the number of primes"),
                     "pass a count in this range");
}

}  // namespace ringlet
