// SPDX-License-Identifier: Apache-2.0
// Automorphisms of the processor's backend.
#include <array>
#include <cstdint>
#include <span>

#include "ntt/digit_sums.hpp"
#include "ring/backend/cpu_backend.hpp"
#include "ring/backend/scratch.hpp"

namespace ringlet {

// Kernels of inner products move blocks of values too. All limbs share one description of the map.
void CpuBackend::do_automorphism(NttView result, ConstNttView a, std::uint64_t galois_element,
                                 PrimeIndices primes) const {
  const Automorphisms::Map map = automorphisms_.of_values(galois_element);
  const GaloisPermutation* const negacyclic = automorphisms_.negacyclic();
  constexpr std::size_t kSourcesPerWord = 2;
  const std::size_t blocks = basis().degree() / 8;
  const Scratch memory(*pool(), negacyclic == nullptr ? 0 : blocks / kSourcesPerWord + 1,
                       Secrecy::open);
  const std::span sources(reinterpret_cast<std::uint32_t*>(memory.words().data()), blocks);
  alignas(64) std::array<std::uint64_t, 64> patterns;
  bool is_described = false;
  if (negacyclic != nullptr) {
    for (const std::size_t prime : primes) is_described |= transforms_.digit_sums(prime) != nullptr;
  }
  if (is_described) negacyclic->describe_values(sources, patterns, galois_element);
  for_limbs(primes.size(), kPermutationGrain, [&](std::size_t i) {
    const Ntt* const plan = transforms_.digit_sums(primes[i]);
    if (plan == nullptr) return map.apply_to_values(result.limb(i), a.limb(i));
    DigitSums::permute(*plan, {.result = result.limb(i).data(),
                               .values = a.limb(i).data(),
                               .map = {sources.data(), patterns.data()},
                               .block_count = blocks});
  });
}

void CpuBackend::do_automorphism(CoeffView result, ConstCoeffView a, std::uint64_t galois_element,
                                 PrimeIndices primes) const {
  const Automorphisms::Map map = automorphisms_.of_coefficients(galois_element);
  for_limbs(primes.size(), kPermutationGrain, [&](std::size_t i) {
    map.apply_to_coefficients(result.limb(i), a.limb(i), basis()[primes[i]]);
  });
}

}  // namespace ringlet
