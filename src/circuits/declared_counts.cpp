// SPDX-License-Identifier: Apache-2.0
#include "circuits/declared_counts.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ringlet/parameters.hpp"

namespace ringlet {

PlanCounts declared_counts(const Circuit& circuit) {
  // A plan asks for the sizes of primes alone. Powers of two keep the scale for ever, where primes
  // next to them drift away within fifty levels.
  const Modulus size(std::uint64_t{1} << 50);
  EncryptionParameters parms(SchemeType::ckks);
  parms.set_poly_modulus_degree(std::max<std::size_t>(2 * circuit.row_length(), 8));
  parms.set_coeff_modulus(std::vector<Modulus>(circuit.depth() + 1, size), {size});
  return CircuitPlan(circuit, parms, 0x1p50).counts();
}

}  // namespace ringlet
