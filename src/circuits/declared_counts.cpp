// SPDX-License-Identifier: Apache-2.0
#include "circuits/declared_counts.hpp"

#include <algorithm>
#include <vector>

#include "ringlet/parameters.hpp"

namespace ringlet {

PlanCounts declared_counts(const Circuit& circuit) {
  constexpr int kScaleBits = 50;
  const std::size_t degree = std::max<std::size_t>(2 * circuit.row_length(), 8);
  // Primes next to 2^50 keep the scales of a hundred levels together.
  const std::vector<int> sizes(circuit.depth() + 2, kScaleBits);
  EncryptionParameters parms(SchemeType::ckks);
  parms.set_poly_modulus_degree(degree);
  parms.set_coeff_modulus(CoeffModulus::create(degree, sizes));
  return CircuitPlan(circuit, parms, 0x1p50).counts();
}

}  // namespace ringlet
