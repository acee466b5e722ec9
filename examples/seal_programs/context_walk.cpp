// SPDX-License-Identifier: Apache-2.0
// What a context tells of each level, against the same values computed here.
#include <cstdio>
#include <cstdlib>

#include "seal/seal.h"
#include "seal/util/galois.h"
#include "seal/util/rns.h"
#include "seal/util/uintarith.h"
#include "seal/util/uintarithsmallmod.h"

using namespace seal;
using namespace seal::util;

constexpr std::size_t kDegree = 4096;
using Level = SEALContext::ContextData;
using Words = std::vector<std::uint64_t>;

Words product_of(const std::vector<Modulus>& primes) {
  Words product(primes.size()), next(primes.size());
  product[0] = 1;
  for (const Modulus& q : primes) {
    multiply_uint(product.data(), primes.size(), q.value(), primes.size(), next.data());
    product = next;
  }
  return product;
}

bool modulus_is_right(const Level& level) {
  const Words product = product_of(level.parms().coeff_modulus());
  const RNSBase& base = *level.rns_tool()->base_q();
  return std::equal(product.begin(), product.end(), level.total_coeff_modulus()) &&
         std::equal(product.begin(), product.end(), base.base_prod()) &&
         get_significant_bit_count_uint(product.data(), product.size()) ==
             level.total_coeff_modulus_bit_count();
}

bool transforms_are_right(const Level& level) {
  bool good = true;
  const auto& primes = level.parms().coeff_modulus();
  for (std::size_t i = 0; i < primes.size(); ++i) {
    const NTTTables& tables = level.small_ntt_tables()[i];
    std::uint64_t root = 0, inverse = 0;
    good = good && try_minimal_primitive_root(2 * kDegree, primes[i], root) &&
           try_invert_uint_mod(kDegree, primes[i], inverse) && tables.get_root() == root &&
           tables.inv_degree_modulo().operand == inverse;
    // The powers of the root are in bit-reversed order.
    for (const std::uint64_t power : {std::uint64_t{1}, std::uint64_t{77}}) {
      const auto place = static_cast<std::size_t>(reverse_bits(power, 12));
      good = good && tables.get_from_root_powers(place).operand ==
                         exponentiate_uint_mod(root, power, primes[i]);
    }
  }
  return good;
}

// Q = t * quotient + rest, and how coefficients of negative numbers are lifted; t = 2^64 for CKKS.
bool plain_modulus_is_right(const Level& level) {
  const Modulus& t = level.parms().plain_modulus();
  const auto& primes = level.parms().coeff_modulus();
  const Words product = product_of(primes);
  bool good = true;
  for (std::size_t i = 0; i < primes.size(); ++i) {
    const std::uint64_t half = primes[i].reduce(level.plain_upper_half_threshold());
    const std::uint64_t lift = level.plain_upper_half_increment()[i];
    const std::uint64_t odd = t.is_zero() ? 0 : 1;  // of t, which the threshold rounds up
    good = good && add_uint_mod(primes[i].reduce(2 * half - odd), lift, primes[i]) == 0;
  }
  if (t.is_zero()) return good && level.coeff_div_plain_modulus() == nullptr;
  const std::uint64_t rest = modulo_uint(product.data(), product.size(), t);
  good = good && rest == level.coeff_modulus_mod_plain_modulus() &&
         level.qualifiers().using_fast_plain_lift && level.qualifiers().using_batching &&
         level.plain_ntt_tables()->modulus() == t;
  for (std::size_t i = 0; i < primes.size(); ++i) {
    const std::uint64_t quotient = level.coeff_div_plain_modulus()[i].operand;
    good = good && multiply_add_uint_mod(quotient, t.value(), rest, primes[i]) == 0;
  }
  return good;
}

bool rotations_are_right(const GaloisTool& tool) {
  std::uint32_t element = 1;
  for (std::size_t step = 0; step < kDegree / 2 - 1; ++step) element = element * 3 % (2 * kDegree);
  return tool.get_elt_from_step(0) == 2 * kDegree - 1 && tool.get_elt_from_step(2) == 9 &&
         tool.get_elt_from_step(-1) == element && tool.get_elts_all().size() == 2 * 11 + 1;
}

bool chain_is_right(scheme_type scheme) {
  EncryptionParameters parms(scheme);
  parms.set_poly_modulus_degree(kDegree);
  parms.set_coeff_modulus(CoeffModulus::Create(kDegree, {30, 30, 30}));
  if (scheme != scheme_type::ckks) parms.set_plain_modulus(PlainModulus::Batching(kDegree, 20));
  const SEALContext context(parms);
  bool good = context.parameters_set() && context.using_keyswitching();
  std::size_t primes = 3;
  auto level = context.key_context_data();
  for (; level != nullptr; level = level->next_context_data(), --primes) {
    good = good && level->parms().coeff_modulus().size() == primes &&
           level->chain_index() + 1 == primes &&
           (level->prev_context_data() == nullptr) == (primes == 3) &&
           context.get_context_data(level->parms_id()) == level && modulus_is_right(*level) &&
           transforms_are_right(*level) && plain_modulus_is_right(*level) &&
           rotations_are_right(*level->galois_tool());
  }
  return good && primes == 0 && context.last_context_data()->chain_index() == 0 &&
         context.first_context_data()->prev_context_data() == context.key_context_data();
}

int main() {
  bool good = true;
  for (const auto scheme : {scheme_type::bfv, scheme_type::bgv, scheme_type::ckks}) {
    good = good && chain_is_right(scheme);
  }
  EncryptionParameters parms(scheme_type::bfv);
  parms.set_poly_modulus_degree(1000);
  parms.set_coeff_modulus(CoeffModulus::Create(1024, {20}));
  const SEALContext refused(parms);
  std::printf("%s: %s\n", refused.parameter_error_name(), refused.parameter_error_message());
  good = good && refused.parameter_error_name() ==
                     std::string("invalid_poly_modulus_degree_non_power_of_two");
  std::printf("levels: %s\n", good ? "right" : "wrong");
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
