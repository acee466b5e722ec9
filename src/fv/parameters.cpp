// SPDX-License-Identifier: Apache-2.0
#include <numeric>
#include <string>

#include "arith/wide_integer.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "fv/message_scaling.hpp"
#include "fv/state.hpp"

namespace ringlet::fv {
namespace {

Parameters with_prime(std::uint64_t index, int bits, SecretDistribution secrets) {
  return {.ring = RingSpec::cyclotomic(index),
          .modulus = WideModulus::largest_prime(bits),
          .plain_modulus = 2,
          .secrets = secrets,
          .way = ProductWay::automatic};
}

bool checks_security(SecurityLevel level) {
  return level != SecurityLevel::none && level != SecurityLevel::reproduction;
}

void check_plain_modulus(const Parameters& parameters) {
  const std::uint64_t t = parameters.plain_modulus;
  const auto refuse_modulus = [&](const std::string& limit, const char* remedy) {
    refuse(concat("plain modulus t = ", t), limit, remedy);
  };
  if (t < 2 || t > kMaxPlainModulus) {
    refuse_modulus("from 2 to 2^32", "take 2 for bits, or another small number");
  }
  const std::uint64_t index = parameters.ring.cyclotomic_index();
  if (std::gcd(t, index) != 1) {
    refuse_modulus(concat("coprime to m = ", index, ": otherwise there are no slots"),
                   "take another plain modulus, or an odd m for t = 2");
  }
  WideInteger quotient = parameters.modulus.value();
  if (std::gcd(wide::divide(quotient, t), t) != 1) {
    refuse_modulus(concat("coprime to q = ", parameters.modulus.to_string()),
                   "take a prime modulus, such as the largest of its bits");
  }
}

void check_secrets(const Parameters& parameters, SecurityLevel level) {
  if (parameters.secrets == SecretDistribution::ternary) return;
  if (parameters.secrets != SecretDistribution::binary) {
    refuse(concat("secret distribution ", static_cast<unsigned>(parameters.secrets)),
           "ternary or binary", "take ternary secrets");
  }
  if (!checks_security(level)) return;
  refuse(concat("binary secrets at security level ", to_string(level),
                ": they are for reproduction, about 64 bits with the paper's rings"),
         "ternary secrets: the table estimates no others",
         "take ternary secrets, or security level reproduction for a comparison that protects "
         "nothing");
}

void check_security(const Parameters& parameters, SecurityLevel level, SecurityTable table) {
  const std::size_t degree = parameters.ring.degree();
  const int bits = parameters.modulus.bit_count();
  const int limit = max_modulus_bits(degree, level, table);
  if (bits <= limit) return;
  const bool is_of_paper = degree == 2420 || degree == 2560;
  refuse(concat("a modulus of ", bits, " bits with n = ", degree,
                is_of_paper ? ": reproduction, about 64 bits" : ""),
         concat("at most ", limit, " bits for ", to_string(level), " by ", to_string(table)),
         "take the default parameters, a larger ring or a smaller modulus; security level "
         "reproduction is for comparisons that protect nothing");
}

}  // namespace

Parameters Parameters::default_128() { return with_prime(10773, 125, SecretDistribution::ternary); }

Parameters Parameters::default_128_8190() {
  return with_prime(8191, 135, SecretDistribution::ternary);
}

Parameters Parameters::reproduction_2420() {
  return with_prime(2783, 125, SecretDistribution::binary);
}

Parameters Parameters::reproduction_2560() {
  return with_prime(3485, 125, SecretDistribution::binary);
}

void validate(const Parameters& parameters, SecurityLevel level, SecurityTable table) {
  check_plain_modulus(parameters);
  check_security(parameters, level, table);
  check_secrets(parameters, level);
  if (parameters.ring.degree() > kMaxDegree) {
    refuse(concat("n = ", parameters.ring.degree()), concat("at most ", kMaxDegree),
           "take a smaller ring, or BFV with primes");
  }
}

}  // namespace ringlet::fv
