// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/rlwe/parameters.hpp"
#include "support/test.hpp"

namespace ringlet::test {

/// Parameters with primes of so many bits each, first those of data, then the special ones.
inline EncryptionParameters parameters_of(SchemeType scheme, const RingSpec& ring,
                                          const std::vector<int>& data,
                                          const std::vector<int>& special) {
  std::vector<int> sizes = data;
  sizes.insert(sizes.end(), special.begin(), special.end());
  const auto primes = CoeffModulus::create(ring, sizes);
  const auto middle = primes.begin() + static_cast<std::ptrdiff_t>(data.size());
  EncryptionParameters parms(scheme);
  parms.set_ring(ring);
  parms.set_coeff_modulus({primes.begin(), middle}, {middle, primes.end()});
  return parms;
}
inline EncryptionParameters parameters_of(SchemeType scheme, std::size_t degree,
                                          const std::vector<int>& data,
                                          const std::vector<int>& special) {
  return parameters_of(scheme, RingSpec::power_of_two(degree), data, special);
}

}  // namespace ringlet::test
