// SPDX-License-Identifier: Apache-2.0
#include "context_level.hpp"

#include <cstddef>

#include "multiword.hpp"
#include "seal/util/common.h"

namespace ringlet::seal4::detail {
namespace {

void precompute_plain_modulus(ContextLevel& level) {
  const std::vector<Modulus>& primes = level.parms.coeff_modulus();
  const Words& q = level.total_coeff_modulus;
  const std::uint64_t t = level.parms.plain_modulus().value();
  const Words q_div_t = quotient_of(q, t);
  const std::uint64_t q_mod_t = remainder_of(q, t);
  const bool fast_lift = level.qualifiers.using_fast_plain_lift;

  level.coeff_modulus_mod_plain_modulus = q_mod_t;
  level.plain_upper_half_threshold = (t + 1) / 2;
  level.coeff_div_plain_modulus.resize(primes.size());
  for (std::size_t i = 0; i < primes.size(); ++i) {
    level.coeff_div_plain_modulus[i].set(remainder_of(q_div_t, primes[i].value()), primes[i]);
    level.upper_half_increment.push_back(primes[i].reduce(q_mod_t));
    if (fast_lift) level.plain_upper_half_increment.push_back(primes[i].value() - t);
  }
  if (!fast_lift) level.plain_upper_half_increment = minus(q, t);
}

}  // namespace

void precompute(ContextLevel& level) {
  level.galois_tool.emplace(seal4_util::get_power_of_two(level.parms.poly_modulus_degree()));
  if (level.parms.scheme() == scheme_type::ckks) {
    level.upper_half_threshold = upper_half(level.total_coeff_modulus);
  } else {
    precompute_plain_modulus(level);
  }
}

}  // namespace ringlet::seal4::detail
