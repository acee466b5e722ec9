// SPDX-License-Identifier: Apache-2.0
#include "ring/backend/cpu_backend.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace ringlet {

CpuBackend::CpuBackend(RnsBasis rns_basis, const KernelSelection& selection)
    : Backend(std::move(rns_basis)),
      transforms_(basis(), selection),
      conversions_(selection),
      inverses_(basis().size() * basis().size()),
      automorphisms_(basis().ring()),
      ones_(basis().degree(), 1) {
  eltwise_.reserve(basis().size());
  for (const Modulus& q : basis().moduli()) eltwise_.emplace_back(q, selection);
}

std::uint64_t CpuBackend::inverse(std::size_t p, std::size_t q) const {
  std::atomic<std::uint64_t>& known = inverses_[p * basis().size() + q];
  std::uint64_t value = known.load(std::memory_order_relaxed);
  if (value == 0) {
    value = inverse_mod(modulus(p), basis()[q]);
    known.store(value, std::memory_order_relaxed);
  }
  return value;
}

std::vector<std::string> CpuBackend::kernel_names() const {
  std::vector<std::string> names;
  names.reserve(basis().size());
  for (std::size_t i = 0; i < basis().size(); ++i) names.push_back(transforms_.kernel_name(i));
  return names;
}

void CpuBackend::do_copy(ResidueView result, ConstResidueView a) const {
  for (std::size_t i = 0; i < result.limb_count; ++i)
    std::ranges::copy(a.limb(i), result.limb(i).begin());
}

void CpuBackend::do_forward_ntt(NttView result, ConstCoeffView a, PrimeIndices primes) const {
  transforms_.forward(result, a, primes);
}

void CpuBackend::do_inverse_ntt(CoeffView result, ConstNttView a, PrimeIndices primes) const {
  transforms_.inverse(result, a, primes);
}

void CpuBackend::do_add(ResidueView result, ConstResidueView a, ConstResidueView b,
                        PrimeIndices primes) const {
  for_limbs(primes.size(), kElementGrain,
            [&](std::size_t i) { eltwise_[primes[i]].add(result.limb(i), a.limb(i), b.limb(i)); });
}

void CpuBackend::do_subtract(ResidueView result, ConstResidueView a, ConstResidueView b,
                             PrimeIndices primes) const {
  for_limbs(primes.size(), kElementGrain, [&](std::size_t i) {
    eltwise_[primes[i]].subtract(result.limb(i), a.limb(i), b.limb(i));
  });
}

void CpuBackend::do_negate(ResidueView result, ConstResidueView a, PrimeIndices primes) const {
  for_limbs(primes.size(), kElementGrain,
            [&](std::size_t i) { eltwise_[primes[i]].negate(result.limb(i), a.limb(i)); });
}

void CpuBackend::do_multiply(NttView result, ConstNttView a, ConstNttView b,
                             PrimeIndices primes) const {
  for_limbs(primes.size(), kElementGrain, [&](std::size_t i) {
    eltwise_[primes[i]].multiply(result.limb(i), a.limb(i), b.limb(i));
  });
}

void CpuBackend::do_multiply_add(NttView result, ConstNttView a, ConstNttView b, ConstNttView c,
                                 PrimeIndices primes) const {
  for_limbs(primes.size(), kElementGrain, [&](std::size_t i) {
    eltwise_[primes[i]].multiply_add(result.limb(i), a.limb(i), b.limb(i), c.limb(i));
  });
}

void CpuBackend::do_multiply_pairs(std::span<const NttView, 3> product,
                                   std::span<const ConstNttView, 2> a,
                                   std::span<const ConstNttView, 2> b, PrimeIndices primes) const {
  for_limbs(primes.size(), kElementGrain, [&](std::size_t i) {
    eltwise_[primes[i]].multiply_pairs(
        std::array{product[0].limb(i), product[1].limb(i), product[2].limb(i)},
        std::array{a[0].limb(i), a[1].limb(i)}, std::array{b[0].limb(i), b[1].limb(i)});
  });
}

void CpuBackend::do_multiply_accumulate(NttView result, ConstViews a, ConstViews b,
                                        PrimeIndices primes) const {
  if (a.size() == 1) return multiply(result, a[0], b[0], primes);
  for_limb_ranges(primes.size(), kElementGrain, [&](std::size_t first, std::size_t end) {
    std::vector<ConstWords> a_limbs(a.size());
    std::vector<ConstWords> b_limbs(b.size());
    for (std::size_t i = first; i < end; ++i) {
      for (std::size_t k = 0; k < a.size(); ++k) {
        a_limbs[k] = a[k].limb(i);
        b_limbs[k] = b[k].limb(i);
      }
      eltwise_[primes[i]].multiply_accumulate(result.limb(i), a_limbs, b_limbs);
    }
  });
}

void CpuBackend::do_multiply_scalars(ResidueView result, ConstResidueView a, ConstWords scalars,
                                     PrimeIndices primes) const {
  for_limbs(primes.size(), kElementGrain, [&](std::size_t i) {
    eltwise_[primes[i]].multiply_scalar(result.limb(i), a.limb(i), scalars[i]);
  });
}

void CpuBackend::do_multiply_scalars_add(ResidueView result, ConstResidueView a, ConstResidueView b,
                                         ConstWords scalars, PrimeIndices primes) const {
  for_limbs(primes.size(), kElementGrain, [&](std::size_t i) {
    eltwise_[primes[i]].multiply_scalar_add(result.limb(i), a.limb(i), scalars[i], b.limb(i));
  });
}

void CpuBackend::do_lift_digit(CoeffView result, ConstWords digit, std::size_t digit_prime,
                               PrimeIndices primes) const {
  for_limbs(primes.size(), kElementGrain, [&](std::size_t i) {
    if (modulus(digit_prime) <= modulus(primes[i])) {
      std::ranges::copy(digit, result.limb(i).begin());
    } else {
      eltwise_[primes[i]].reduce(result.limb(i), digit);
    }
  });
}

std::shared_ptr<const Backend> make_cpu_backend(RnsBasis basis, const KernelSelection& selection) {
  return std::make_shared<const CpuBackend>(std::move(basis), selection);
}

}  // namespace ringlet
