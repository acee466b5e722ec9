// SPDX-License-Identifier: Apache-2.0
#include "ringlet/rlwe/parameters.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ring/cyclotomic/ring_degree.hpp"
#include "ringlet/arith/primes.hpp"
#include "rlwe/validation.hpp"

namespace ringlet {
namespace {

constexpr int kMinPrimeBits = 2;

void check_bit_sizes(const std::vector<int>& bit_sizes) {
  if (bit_sizes.size() > kMaxCoeffModulusCount) {
    refuse(concat(bit_sizes.size(), " bit sizes"), concat("at most ", kMaxCoeffModulusCount),
           "ask for fewer primes");
  }
  for (const int bits : bit_sizes) {
    if (bits >= kMinPrimeBits && bits <= kMaxCoeffModulusBits) continue;
    refuse(concat("bit size ", bits),
           concat("sizes from ", kMinPrimeBits, " to ", kMaxCoeffModulusBits),
           "split a larger modulus into several primes");
  }
}

struct PrimeRequest {
  const RingSpec& ring;
  int bits;
  std::size_t count;
  PrimePreference preference;
};

std::vector<Modulus> coprime_primes(const PrimeRequest& request, std::uint64_t plain_modulus) {
  const auto divides = [&](const Modulus& q) {
    return plain_modulus != 0 && plain_modulus % q.value() == 0;
  };
  for (std::size_t tried = request.count;; ++tried) {
    auto primes = rlwe::ring_primes(request.ring, request.bits, tried, request.preference);
    std::erase_if(primes, divides);
    if (primes.size() == request.count) return primes;
  }
}

}  // namespace

const char* to_string(SchemeType scheme) noexcept {
  switch (scheme) {
    case SchemeType::none:
      return "none";
    case SchemeType::bfv:
      return "bfv";
    case SchemeType::ckks:
      return "ckks";
    case SchemeType::bgv:
      return "bgv";
  }
  return "unknown";
}

std::string to_string(const ParmsId& parms_id) {
  std::string text;
  for (const std::uint64_t word : parms_id) {
    for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[word >> shift & 15];
  }
  return text;
}

std::vector<Modulus> CoeffModulus::create(std::size_t degree, const std::vector<int>& bit_sizes,
                                          PrimePreference preference, std::uint64_t plain_modulus) {
  public_entry("CoeffModulus::create", [&] { check_power_of_two_degree(degree); });
  return create(RingSpec::power_of_two(degree), bit_sizes, preference, plain_modulus);
}

std::vector<Modulus> CoeffModulus::create(const RingSpec& ring, const std::vector<int>& bit_sizes,
                                          PrimePreference preference, std::uint64_t plain_modulus) {
  public_entry("CoeffModulus::create", [&] { check_bit_sizes(bit_sizes); });
  std::map<int, std::size_t> counts;
  for (const int bits : bit_sizes) ++counts[bits];
  // The most wanted prime is first. Taking from the back gives the least wanted of the chosen ones
  // first: by default the smallest.
  std::map<int, std::vector<Modulus>> primes;
  for (const auto& [bits, count] : counts) {
    // Primes of smaller sizes gain nothing and would be further from the scale of CKKS.
    const auto own = bits < kMinMontgomeryBits ? PrimePreference::largest : preference;
    primes.emplace(bits, coprime_primes({ring, bits, count, own}, plain_modulus));
  }
  std::vector<Modulus> result;
  result.reserve(bit_sizes.size());
  for (const int bits : bit_sizes) {
    std::vector<Modulus>& stock = primes.at(bits);
    result.push_back(stock.back());
    stock.pop_back();
  }
  return result;
}

Modulus PlainModulus::batching(std::size_t degree, int bits, std::span<const Modulus> taken) {
  public_entry("PlainModulus::batching", [&] {
    check_power_of_two_degree(degree);
    if (bits >= kMinPrimeBits && bits <= kMaxPlainModulusBits) return;
    refuse(concat("bits = ", bits), concat("from ", kMinPrimeBits, " to ", kMaxPlainModulusBits),
           "pass the smallest number of bits that holds your values, often 20");
  });
  for (std::size_t tried = 1;; ++tried) {
    const Modulus t = generate_ntt_primes(bits, degree, tried).back();
    if (std::ranges::find(taken, t) == taken.end()) return t;
  }
}

void EncryptionParameters::set_coeff_modulus(std::vector<Modulus> data_primes,
                                             std::vector<Modulus> special_primes) {
  special_prime_count_ = special_primes.size();
  primes_ = std::move(data_primes);
  primes_.insert(primes_.end(), special_primes.begin(), special_primes.end());
}

void EncryptionParameters::set_coeff_modulus(std::vector<Modulus> primes) {
  special_prime_count_ = primes.size() > 1 ? 1 : 0;
  primes_ = std::move(primes);
}

RingSpec EncryptionParameters::ring() const {
  if (general_ring_) return *general_ring_;
  public_entry("EncryptionParameters::ring", [&] { check_power_of_two_degree(degree_); });
  return RingSpec::power_of_two(degree_);
}

std::size_t EncryptionParameters::digit_count() const noexcept {
  const std::size_t size = digit_size();
  const std::size_t count = data_primes().size();
  if (special_prime_count_ == 0 || count == 0) return 0;
  // Rounds up without a sum, which could overflow: any digit size may be set.
  return (count - 1) / size + 1;
}

}  // namespace ringlet
