// SPDX-License-Identifier: Apache-2.0
#include "rlwe/validation.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <string>

#include "base/text.hpp"
#include "ringlet/error.hpp"
#include "ringlet/primes.hpp"
#include "ringlet/ring_spec.hpp"

namespace ringlet::rlwe {
namespace {

constexpr const char* kOperation = "Context";

void check_scheme(SchemeType scheme) {
  if (scheme == SchemeType::ckks) return;
  throw_invalid_argument({.operation = kOperation,
                          .offending = concat("scheme = ", to_string(scheme)),
                          .limit = "ckks in this version",
                          .remedy = "construct EncryptionParameters with SchemeType::ckks"});
}

void check_count(std::size_t count) {
  if (count >= 1 && count <= kMaxCoeffModulusCount) return;
  throw_invalid_argument(
      {.operation = kOperation,
       .offending = concat("coefficient modulus of ", count, " primes"),
       .limit = concat("1 to ", kMaxCoeffModulusCount, " primes"),
       .remedy = "call set_coeff_modulus, for example with the result of CoeffModulus::create"});
}

[[noreturn]] void refuse_prime(const Modulus& q, std::size_t index, const std::string& what,
                               const std::string& limit) {
  throw_invalid_argument({.operation = kOperation,
                          .offending = concat("prime ", index, ", q = ", q.value(), ", ", what),
                          .limit = limit,
                          .remedy = "choose the primes with CoeffModulus::create"});
}

void check_prime(std::span<const Modulus> primes, std::size_t index, std::size_t degree) {
  const Modulus& q = primes[index];
  if (q.bit_count() > kMaxCoeffModulusBits) {
    refuse_prime(q, index, concat("has ", q.bit_count(), " bits"),
                 concat("at most ", kMaxCoeffModulusBits, " bits"));
  }
  if (q.value() % 2 == 0) refuse_prime(q, index, "is even", "odd primes");
  if (!is_prime(q.value())) refuse_prime(q, index, "is composite", "primes");
  if (q.value() % (2 * degree) != 1) {
    refuse_prime(q, index, concat("is ", q.value() % (2 * degree), " mod 2N"),
                 concat("primes that are 1 mod 2N = ", 2 * degree));
  }
  const auto earlier = primes.first(index);
  if (std::find(earlier.begin(), earlier.end(), q) != earlier.end()) {
    refuse_prime(q, index, "is repeated", "distinct primes");
  }
}

void check_security(const RnsBasis& basis, SecurityLevel level, SecurityTable table) {
  if (level == SecurityLevel::none) return;
  const int limit = max_modulus_bits(basis.degree(), level, table);
  const std::string rule = concat(to_string(level), " in table ", to_string(table));
  if (limit == 0) {
    throw_invalid_argument(
        {.operation = kOperation,
         .offending = concat("degree = ", basis.degree(), " has no entry for ", rule),
         .limit = "a degree that the table lists",
         .remedy = "use a larger degree, or SecurityLevel::none where nothing is at stake"});
  }
  const int bits = basis.product_bit_count(basis.size());
  if (bits > limit) {
    throw_invalid_argument(
        {.operation = kOperation,
         .offending = concat("coefficient modulus of ", bits, " bits, all ", basis.size(),
                             " primes together, at degree ", basis.degree()),
         .limit = concat("at most ", limit, " bits for ", rule),
         .remedy = "use fewer or smaller primes, or a larger degree"});
  }
}

}  // namespace

void check_degree(std::size_t degree, const char* operation) {
  if (std::has_single_bit(degree) && degree >= 2 && degree <= kMaxPolyModulusDegree) return;
  throw_invalid_argument({.operation = operation,
                          .offending = concat("degree = ", degree),
                          .limit = concat("powers of two from 2 to ", kMaxPolyModulusDegree),
                          .remedy = "choose a power of two such as 8192"});
}

RnsBasis validate_parameters(const EncryptionParameters& parms, SecurityLevel level,
                             SecurityTable table) {
  check_scheme(parms.scheme());
  check_degree(parms.poly_modulus_degree(), kOperation);
  const std::vector<Modulus>& primes = parms.coeff_modulus();
  check_count(primes.size());
  for (std::size_t i = 0; i < primes.size(); ++i) {
    check_prime(primes, i, parms.poly_modulus_degree());
  }
  RnsBasis basis(parms.poly_modulus_degree(), primes);
  check_security(basis, level, table);
  return basis;
}

}  // namespace ringlet::rlwe
