// SPDX-License-Identifier: Apache-2.0
#include "ringlet/backend.hpp"

#include <cassert>
#include <utility>

namespace ringlet {
namespace {

// Element-wise primitives do not look at the form, so coefficients may pass as values.
NttView as_ntt(CoeffView view) {
  return {view.data, view.degree, view.limb_count, view.limb_stride};
}
ConstNttView as_ntt(ConstCoeffView view) {
  return {view.data, view.degree, view.limb_count, view.limb_stride};
}

}  // namespace

Backend::Backend(RnsBasis basis) : basis_(std::move(basis)) {}
Backend::~Backend() = default;

void Backend::add(CoeffView result, ConstCoeffView a, ConstCoeffView b, PrimeIndices primes) const {
  add(as_ntt(result), as_ntt(a), as_ntt(b), primes);
}

void Backend::subtract(CoeffView result, ConstCoeffView a, ConstCoeffView b,
                       PrimeIndices primes) const {
  subtract(as_ntt(result), as_ntt(a), as_ntt(b), primes);
}

void Backend::negate(CoeffView result, ConstCoeffView a, PrimeIndices primes) const {
  negate(as_ntt(result), as_ntt(a), primes);
}

void Backend::multiply_accumulate(NttView result, std::span<const ConstNttView> a,
                                  std::span<const ConstNttView> b, PrimeIndices primes) const {
  assert(!a.empty() && a.size() == b.size());
  multiply(result, a[0], b[0], primes);
  for (std::size_t k = 1; k < a.size(); ++k) multiply_add(result, a[k], b[k], result, primes);
}

void Backend::multiply_scalars(CoeffView result, ConstCoeffView a,
                               std::span<const std::uint64_t> scalars, PrimeIndices primes) const {
  multiply_scalars(as_ntt(result), as_ntt(a), scalars, primes);
}

}  // namespace ringlet
