// SPDX-License-Identifier: Apache-2.0
#include "ringlet/backend.hpp"

#include <cassert>
#include <utility>

namespace ringlet {

Backend::Backend(RnsBasis basis) : basis_(std::move(basis)) {}
Backend::~Backend() = default;

void Backend::multiply_accumulate(NttView result, std::span<const ConstNttView> a,
                                  std::span<const ConstNttView> b, PrimeIndices primes) const {
  assert(!a.empty() && a.size() == b.size());
  multiply(result, a[0], b[0], primes);
  for (std::size_t k = 1; k < a.size(); ++k) multiply_add(result, a[k], b[k], result, primes);
}

}  // namespace ringlet
