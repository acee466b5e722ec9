// SPDX-License-Identifier: Apache-2.0
#include "ringlet/parameters.hpp"

#include <map>

#include "base/text.hpp"
#include "ringlet/error.hpp"
#include "ringlet/primes.hpp"
#include "ringlet/ring_spec.hpp"
#include "rlwe/sha256.hpp"
#include "rlwe/validation.hpp"

namespace ringlet {
namespace {

constexpr int kMinPrimeBits = 2;

void check_bit_sizes(const std::vector<int>& bit_sizes) {
  constexpr const char* kOperation = "CoeffModulus::create";
  if (bit_sizes.size() > kMaxCoeffModulusCount) {
    throw_invalid_argument({.operation = kOperation,
                            .offending = concat(bit_sizes.size(), " bit sizes"),
                            .limit = concat("at most ", kMaxCoeffModulusCount),
                            .remedy = "ask for fewer primes"});
  }
  for (const int bits : bit_sizes) {
    if (bits >= kMinPrimeBits && bits <= kMaxCoeffModulusBits) continue;
    throw_invalid_argument(
        {.operation = kOperation,
         .offending = concat("bit size ", bits),
         .limit = concat("sizes from ", kMinPrimeBits, " to ", kMaxCoeffModulusBits),
         .remedy = "split a larger modulus into several primes"});
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

std::vector<Modulus> CoeffModulus::create(std::size_t degree, const std::vector<int>& bit_sizes) {
  rlwe::check_degree(degree, "CoeffModulus::create");
  check_bit_sizes(bit_sizes);
  std::map<int, std::size_t> counts;
  for (const int bits : bit_sizes) ++counts[bits];
  // Largest first, so that taking from the back gives the smallest of the chosen ones first.
  std::map<int, std::vector<Modulus>> primes;
  for (const auto& [bits, count] : counts) {
    primes.emplace(bits, generate_ntt_primes(bits, degree, count));
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

ParmsId EncryptionParameters::parms_id() const {
  rlwe::ByteString message;
  message.append("ringlet.parms.v1");
  message.append(static_cast<std::uint64_t>(scheme_));
  message.append(static_cast<std::uint64_t>(RingKind::power_of_two_cyclotomic));
  message.append(std::uint64_t{degree_});
  message.append(std::uint64_t{0});  // plain modulus
  message.append(std::uint64_t{primes_.size()});
  for (const Modulus& prime : primes_) message.append(prime.value());

  std::array<std::uint8_t, 32> digest{};
  rlwe::sha256(message, digest);
  ParmsId parms_id{};
  for (std::size_t i = 0; i < digest.size(); ++i) {
    parms_id[i / 8] |= std::uint64_t{digest[i]} << (8 * (i % 8));
  }
  return parms_id;
}

}  // namespace ringlet
