// SPDX-License-Identifier: Apache-2.0
#include "circuits/plan/declared_counts.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "rlwe/scheme_traits.hpp"

namespace ringlet {

PlanCounts declared_counts(const Circuit& circuit, SchemeType scheme) {
  const rlwe::SchemeTraits traits = rlwe::traits_of(scheme);
  // A plan depends only on the sizes of primes. Powers of two keep the scale at every level; with
  // primes next to them, the scale drifts away within fifty levels.
  const Modulus size(std::uint64_t{1} << 50);
  EncryptionParameters parms(scheme);
  parms.set_poly_modulus_degree(std::max<std::size_t>(2 * circuit.row_length(), 8));
  parms.set_coeff_modulus(std::vector<Modulus>(circuit.depth() + 1, size), {size});
  if (!traits.has_plain_modulus) return CircuitPlan(circuit, parms, 0x1p50).counts();
  parms.set_plain_modulus(PlainModulus::batching(parms.poly_modulus_degree(), 30));
  return CircuitPlan(circuit, parms).counts();
}

}  // namespace ringlet
