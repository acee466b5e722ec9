// SPDX-License-Identifier: Apache-2.0
#include "rlwe/validation.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ring/cyclotomic/ring_degree.hpp"
#include "ringlet/ring/ring_spec.hpp"
#include "rlwe/scheme_traits.hpp"

namespace ringlet::rlwe {
namespace {

constexpr const char* kReproductionRemedy =
    "; security level reproduction repeats published experiments and protects nothing";

void check_ring(const EncryptionParameters& parms) {
  if (!parms.has_general_ring()) {
    return check_power_of_two_degree(parms.poly_modulus_degree());
  }
  if (!traits_of(parms.scheme()).has_scale) return;
  refuse(concat("scheme ", to_string(parms.scheme()),
                " over Z[X]/Phi_m with m = ", parms.ring().cyclotomic_index()),
         "bfv and bgv over such rings: ckks encodes over X^N + 1",
         "choose bfv or bgv, or a degree that is a power of two");
}

[[noreturn]] void refuse_prime(const Modulus& q, std::size_t index, const std::string& what,
                               const std::string& limit) {
  refuse(concat("prime ", index, ", q = ", q.value(), ", ", what), limit,
         "pass the bits of the primes instead: the library then chooses primes");
}

// Returns "2N = 16384", or the like for another ring.
std::string describe_step(const RingSpec& ring) {
  if (ring.kind() == RingKind::power_of_two_cyclotomic) {
    return concat("2N = ", ring.modulus_step());
  }
  return concat(ring.modulus_step(), ", the multiple of m = ", ring.cyclotomic_index(),
                " and twice the length of transforms");
}

void check_prime(std::span<const Modulus> primes, std::size_t index, const RingSpec& ring) {
  const Modulus& q = primes[index];
  if (q.bit_count() > kMaxCoeffModulusBits) {
    refuse_prime(q, index, concat("has ", q.bit_count(), " bits"),
                 concat("at most ", kMaxCoeffModulusBits, " bits"));
  }
  if (q.value() % 2 == 0) refuse_prime(q, index, "is even", "odd primes");
  if (!is_prime(q.value())) refuse_prime(q, index, "is composite", "primes");
  const std::uint64_t residue = q.value() % ring.modulus_step();
  if (residue != 1) {
    const bool has_general_ring = ring.kind() != RingKind::power_of_two_cyclotomic;
    refuse_prime(q, index,
                 concat("is ", residue, " mod ",
                        has_general_ring ? concat(ring.modulus_step()) : std::string("2N")),
                 concat("primes that are 1 mod ", describe_step(ring)));
  }
  const auto earlier = primes.first(index);
  if (std::find(earlier.begin(), earlier.end(), q) != earlier.end()) {
    refuse_prime(q, index, "is repeated", "distinct primes");
  }
}

int product_bits(std::span<const Modulus> primes, const RingSpec& ring) {
  const RnsBasis basis(ring, {primes.begin(), primes.end()});
  return basis.product_bit_count(basis.size());
}

// A digit beyond the special primes would bring in more noise than they divide away.
void check_digits(const EncryptionParameters& parms) {
  const auto data = parms.data_primes();
  const std::size_t size = parms.digit_size();
  if (parms.special_primes().empty() || size <= 1) return;
  const int limit = product_bits(parms.special_primes(), parms.ring());
  for (std::size_t first = 0; first < data.size(); first += size) {
    const auto digit = data.subspan(first, std::min(size, data.size() - first));
    const int bits = product_bits(digit, parms.ring());
    if (bits <= limit) continue;
    refuse(concat("a digit of key switching of ", digit.size(), " primes and ", bits, " bits"),
           concat("at most the special primes together, ", limit, " bits"),
           "use a smaller digit size, or more or larger special primes");
  }
}

[[noreturn]] void refuse_plain_modulus(std::uint64_t t, const char* what, const std::string& limit,
                                       const char* remedy) {
  refuse(concat("plain modulus t = ", t, what), limit, remedy);
}

void check_plain_modulus(const EncryptionParameters& parms) {
  const std::uint64_t t = parms.plain_modulus();
  if (!traits_of(parms.scheme()).has_plain_modulus) {
    if (t == 0) return;
    refuse_plain_modulus(t, " for CKKS", "none: CKKS encodes by a scale",
                         "leave the plain modulus out");
  }
  if (t == 0 || std::bit_width(t) > kMaxPlainModulusBits) {
    refuse_plain_modulus(t, t == 0 ? " (not set)" : "",
                         concat("2 to ", kMaxPlainModulusBits, " bits"),
                         "set a plain modulus, for slots a prime t = 1 mod 2N");
  }
  for (const Modulus& q : parms.coeff_modulus()) {
    if (std::gcd(q.value(), t) == 1) continue;
    refuse_plain_modulus(t, concat(", a multiple of the prime q = ", q.value()).c_str(),
                         "coprime to all primes of the coefficient modulus",
                         "choose another plain modulus or other primes");
  }
  const RingSpec ring = parms.ring();
  if (parms.has_general_ring() && std::gcd(ring.cyclotomic_index(), t) != 1) {
    refuse_plain_modulus(t, "", concat("coprime to m = ", ring.cyclotomic_index()),
                         "choose another plain modulus, or a ring whose m is coprime to it");
  }
  const auto data = parms.data_primes();
  const int bits = product_bits(data, parms.ring());
  if (bits > kMaxPlainModulusBits + 4) return;
  std::uint64_t product = 1;
  for (const Modulus& q : data) product *= q.value();
  if (t >= product) {
    refuse_plain_modulus(t, "", concat("below the product of the data primes, ", product),
                         "use more or larger primes, or a smaller plain modulus");
  }
}

// 49-bit primes run on the fastest kernels; beside larger primes they would gain nothing.
int auxiliary_bits(const EncryptionParameters& parms) {
  const auto is_small = [](const Modulus& q) { return q.bit_count() <= 50; };
  return std::ranges::all_of(parms.coeff_modulus(), is_small) ? 49 : kMaxCoeffModulusBits;
}

std::vector<Modulus> with_auxiliary_primes(const EncryptionParameters& parms) {
  std::vector<Modulus> primes = parms.coeff_modulus();
  if (!traits_of(parms.scheme()).multiplies_over_larger_modulus) return primes;
  const RingSpec ring = parms.ring();
  std::size_t missing = auxiliary_prime_count(parms, product_bits(parms.data_primes(), ring));
  const std::size_t own = primes.size();
  const int bits = auxiliary_bits(parms);
  const auto preference =
      bits == kMaxCoeffModulusBits ? PrimePreference::half_word_one : PrimePreference::largest;
  for (const Modulus& q : ring_primes(ring, bits, own + missing, preference)) {
    if (missing == 0) break;
    if (std::find(primes.begin(), primes.begin() + static_cast<std::ptrdiff_t>(own), q) !=
        primes.begin() + static_cast<std::ptrdiff_t>(own)) {
      continue;
    }
    primes.push_back(q);
    --missing;
  }
  return primes;
}

void check_security(const RnsBasis& basis, SecurityLevel level, SecurityTable table) {
  if (level == SecurityLevel::none) return;
  const int limit = max_modulus_bits(basis.degree(), level, table);
  const std::string rule = level == SecurityLevel::reproduction
                               ? concat(to_string(level))
                               : concat(to_string(level), " in table ", to_string(table));
  if (limit == 0) {
    refuse(concat("degree = ", basis.degree(), " has no entry for ", rule),
           level == SecurityLevel::reproduction
               ? concat("degrees from ", kReproductionDegree, " on")
               : std::string("a degree between the smallest and the largest of the table"),
           "use a larger degree, or security level none for data that is not secret");
  }
  const int bits = basis.product_bit_count(basis.size());
  if (bits > limit) {
    const bool may_be_reproduced =
        bits <= max_modulus_bits(basis.degree(), SecurityLevel::reproduction, table);
    refuse(concat("coefficient modulus of ", bits, " bits, all ", basis.size(),
                  " primes together, at degree ", basis.degree()),
           concat("at most ", limit, " bits for ", rule),
           concat("use fewer or smaller primes, or a larger degree",
                  may_be_reproduced ? kReproductionRemedy : ""));
  }
}

}  // namespace

void check_prime_count(const EncryptionParameters& parms) {
  const std::size_t count = parms.coeff_modulus().size();
  if (parms.data_primes().size() >= 1 && count <= kMaxCoeffModulusCount) return;
  refuse(concat("coefficient modulus of ", count, " primes, ", parms.special_primes().size(),
                " of them special"),
         concat("1 to ", kMaxCoeffModulusCount, " primes, at least one a data prime"),
         "set the primes, for example by their bits");
}

std::vector<Modulus> ring_primes(const RingSpec& ring, int bit_count, std::size_t count,
                                 PrimePreference preference) {
  if (ring.kind() == RingKind::power_of_two_cyclotomic) {
    return generate_ntt_primes(bit_count, ring.degree(), count, preference);
  }
  return generate_primes(bit_count, ring.modulus_step(), count, preference);
}

std::size_t auxiliary_prime_count(const EncryptionParameters& parms, int modulus_bits) {
  const int needed = modulus_bits + std::bit_width(parms.plain_modulus()) +
                     std::bit_width(parms.ring().expansion_factor()) + 4;
  const int each = auxiliary_bits(parms) - 1;
  return static_cast<std::size_t>((needed + each - 1) / each);
}

RnsBasis validate_parameters(const EncryptionParameters& parms, SecurityLevel level,
                             SecurityTable table) {
  checked_traits(parms.scheme(), "make the parameters with a scheme");
  check_ring(parms);
  const RingSpec ring = parms.ring();
  check_prime_count(parms);
  const std::vector<Modulus>& primes = parms.coeff_modulus();
  for (std::size_t i = 0; i < primes.size(); ++i) {
    check_prime(primes, i, ring);
  }
  check_digits(parms);
  check_plain_modulus(parms);
  check_security(RnsBasis(ring, primes), level, table);
  return {ring, with_auxiliary_primes(parms)};
}

}  // namespace ringlet::rlwe
