// SPDX-License-Identifier: Apache-2.0
// Basis conversions, lifts and checks of residues of the processor's backend.
#include <algorithm>
#include <atomic>
#include <bit>

#include "ring/backend/cpu_backend.hpp"
#include "ring/backend/scratch.hpp"
#include "ring/rns/conversion_tile.hpp"
#include "ringlet/ring/basis_conversion.hpp"

namespace ringlet {
namespace {

/// Words of a limb that are checked before they are used.
constexpr std::size_t kCheckedWords = 1024;

std::uint64_t largest_of(const RnsBasis& basis, PrimeIndices primes, std::uint64_t least) {
  std::uint64_t largest = least;
  for (const std::size_t prime : primes) largest = std::max(largest, basis[prime].value());
  return largest;
}

/// Calls body(first, words) for the tiles [first_tile, end_tile) of a polynomial.
template <typename Body>
void for_tiles(std::size_t degree, std::size_t first_tile, std::size_t end_tile, const Body& body) {
  for (std::size_t tile = first_tile; tile < end_tile; ++tile) {
    const std::size_t first = tile * ConversionTile::kMaxWords;
    body(first, std::min(ConversionTile::kMaxWords, degree - first));
  }
}

}  // namespace

template <typename Body>
void CpuBackend::for_tile_ranges(std::size_t products, const Body& body) const {
  constexpr std::size_t kWords = ConversionTile::kMaxWords;
  parallel_for_chunks((basis().degree() + kWords - 1) / kWords, body, Chunks::even,
                      std::max<std::size_t>(1, kElementGrain / (kWords * products)));
}

void CpuBackend::do_convert_basis(CoeffView result, ConstCoeffView a,
                                  const BasisConversion& conversion) const {
  const std::size_t size = conversion.from().size();
  const std::uint64_t largest =
      largest_of(basis(), conversion.from(), largest_of(basis(), conversion.to(), 0));
  for_tile_ranges(size * (result.limb_count + 1), [&](std::size_t begin, std::size_t end) {
    const Scratch memory(*pool(), ConversionTile::memory_words(size));
    ConversionTile tile(conversions_.kernel(largest), basis(), conversion, memory.words());
    for_tiles(basis().degree(), begin, end, [&](std::size_t first, std::size_t words) {
      tile.load(a, first, words);
      for (std::size_t j = 0; j < result.limb_count; ++j) {
        tile.convert(result.limb(j).subspan(first, words), j);
      }
    });
  });
}

void CpuBackend::do_convert_to_modulus(Words result, ConstCoeffView a,
                                       const BasisConversion& conversion) const {
  const std::size_t size = conversion.from().size();
  const Modulus& t = *conversion.modulus();
  const std::uint64_t largest = largest_of(basis(), conversion.from(), t.value());
  for_tile_ranges(2 * size, [&](std::size_t begin, std::size_t end) {
    const Scratch memory(*pool(), ConversionTile::memory_words(size));
    ConversionTile tile(conversions_.kernel(largest), basis(), conversion, memory.words());
    for_tiles(basis().degree(), begin, end, [&](std::size_t first, std::size_t words) {
      tile.load(a, first, words);
      tile.sum(result.subspan(first, words), t, conversion.factors(0));
    });
  });
}

// The rows of both bases stay in the cache; memory receives only the result.
void CpuBackend::do_scale_and_round(CoeffView result, ConstCoeffView over_q, ConstCoeffView over_r,
                                    const RnsScaling& scaling) const {
  const PrimeIndices q = scaling.q();
  const PrimeIndices r = scaling.r();
  const auto& kernel = conversions_.kernel(largest_of(basis(), q, largest_of(basis(), r, 0)));
  for_tile_ranges(2 * q.size() * r.size(), [&](std::size_t begin, std::size_t end) {
    const std::size_t q_words = ConversionTile::memory_words(q.size());
    const Scratch memory(*pool(), q_words + ConversionTile::memory_words(r.size()));
    ConversionTile remainder(kernel, basis(), scaling.remainder(), memory.words().first(q_words));
    ConversionTile quotient(kernel, basis(), scaling.quotient(), memory.words().subspan(q_words));
    for_tiles(basis().degree(), begin, end, [&](std::size_t first, std::size_t words) {
      remainder.load(over_q, first, words);
      for (std::size_t j = 0; j < r.size(); ++j) {
        const Modulus& p = basis()[r[j]];
        const ConstWords factors = scaling.factors(j);
        remainder.sum(
            quotient.row(j).first(words), p, factors.first(q.size() + 1),
            {.words = over_r.limb(j).data() + first, .factor = factors.back(), .bound = p.value()},
            true);
      }
      quotient.count(words);
      for (std::size_t i = 0; i < q.size(); ++i) {
        quotient.convert(result.limb(i).subspan(first, words), i);
      }
    });
  });
}

bool CpuBackend::do_is_reduced(ConstResidueView a, PrimeIndices primes) const {
  const auto& kernel = conversions_.kernel(0);
  std::uint64_t offences = 0;
  for (std::size_t i = 0; i < primes.size(); ++i) {
    kernel.counter.count();
    offences |= kernel.kernel->count_from(a.limb(i).data(), a.degree, modulus(primes[i]));
  }
  return offences == 0;
}

// Checks words just before their use, while they are in the first-level cache.
bool CpuBackend::do_multiply_add_if_reduced(NttView result, ConstNttView a, ConstNttView b,
                                            ConstNttView c, PrimeIndices primes) const {
  const auto& kernel = conversions_.kernel(0);
  std::atomic<std::uint64_t> offences{0};
  for_limbs(primes.size(), kElementGrain, [&](std::size_t i) {
    const std::uint64_t q = modulus(primes[i]);
    std::uint64_t found = 0;
    kernel.counter.count();
    for (std::size_t first = 0; first < result.degree; first += kCheckedWords) {
      const std::size_t count = std::min(kCheckedWords, result.degree - first);
      const auto part = [&](const auto& view) { return view.limb(i).subspan(first, count); };
      found |= kernel.kernel->count_from(part(a).data(), count, q) |
               kernel.kernel->count_from(part(c).data(), count, q);
      if (found == 0) eltwise_[primes[i]].multiply_add(part(result), part(a), part(b), part(c));
    }
    offences |= found;
  });
  return offences == 0;
}

void CpuBackend::do_lift_message(CoeffView result, ConstWords message, std::uint64_t t,
                                 PrimeIndices primes) const {
  const std::uint64_t half = t / 2 + t % 2;
  for_limbs(primes.size(), kElementGrain, [&](std::size_t i) {
    const Modulus& q = basis()[primes[i]];
    const Words limb = result.limb(i).first(message.size());
    const std::uint64_t remainder = q.reduce(t);
    const std::uint64_t negative = remainder == 0 ? 0 : q.value() - remainder;
    eltwise_[primes[i]].compare_add(limb, message, Comparison::not_less, half, negative);
    // m - t + q is below q where t is at most q.
    if (t > q.value()) eltwise_[primes[i]].reduce(limb, limb);
    std::ranges::fill(result.limb(i).subspan(message.size()), 0);
  });
}

void CpuBackend::do_combine_words(CoeffView result, ConstWords a, ConstWords b, std::uint64_t bound,
                                  ConstWords scalars, PrimeIndices primes) const {
  for_limbs(primes.size(), kElementGrain, [&](std::size_t i) {
    const Eltwise& eltwise = eltwise_[primes[i]];
    const Words limb = result.limb(i).first(a.size());
    std::ranges::fill(result.limb(i).subspan(a.size()), 0);
    if (bound <= modulus(primes[i])) {
      eltwise.multiply_scalar_add(limb, a, scalars[i], b);
      return;
    }
    const Scratch memory(*pool(), a.size());
    eltwise.reduce(memory.words(), b);
    eltwise.reduce(limb, a);
    eltwise.multiply_scalar_add(limb, limb, scalars[i], memory.words());
  });
}

}  // namespace ringlet
