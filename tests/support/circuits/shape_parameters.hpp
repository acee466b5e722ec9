// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/rlwe/parameters.hpp"
#include "support/test.hpp"

namespace ringlet::test {

/// Parameters with primes of so many bits each, first those of data, then the special ones; CKKS
/// has t = 0.
inline EncryptionParameters parameters_of(SchemeType scheme, const RingSpec& ring,
                                          const std::vector<int>& data,
                                          const std::vector<int>& special, std::uint64_t t = 0,
                                          std::size_t digit_size = 0) {
  std::vector<int> sizes = data;
  sizes.insert(sizes.end(), special.begin(), special.end());
  const auto primes = CoeffModulus::create(ring, sizes);
  const auto middle = primes.begin() + static_cast<std::ptrdiff_t>(data.size());
  EncryptionParameters parms(scheme);
  parms.set_ring(ring);
  parms.set_coeff_modulus({primes.begin(), middle}, {middle, primes.end()});
  parms.set_digit_size(digit_size);
  if (t != 0) parms.set_plain_modulus(t);
  return parms;
}

}  // namespace ringlet::test
