// SPDX-License-Identifier: Apache-2.0
// Basis conversions of the processor's backend.
#include <algorithm>
#include <cassert>

#include "ring/conversion_tile.hpp"
#include "ring/cpu_backend.hpp"
#include "ringlet/basis_conversion.hpp"

namespace ringlet {

template <typename Body>
void CpuBackend::for_tiles(const BasisConversion& conversion, std::size_t target_count,
                           const Body& body) const {
  const std::size_t degree = basis().degree();
  const std::size_t words = std::min(degree, ConversionTile::kMaxWords);
  const std::size_t products = words * conversion.from().size() * (target_count + 1);
  parallel_for_chunks((degree + words - 1) / words,
                      [&](std::size_t first, std::size_t end) {
                        ConversionTile tile(eltwise_, conversion, words);
                        for (std::size_t i = first; i < end; ++i) {
                          body(i * words, std::min(words, degree - i * words), tile);
                        }
                      },
                      Chunks::even, std::max<std::size_t>(1, kElementGrain / products));
}

void CpuBackend::convert_basis(CoeffView result, ConstCoeffView a,
                               const BasisConversion& conversion) const {
  assert(match(conversion.from(), a) && fits(result, result.limb_count));
  assert(result.limb_count <= conversion.to().size());
  for_tiles(conversion, result.limb_count,
            [&](std::size_t first, std::size_t words, ConversionTile& tile) {
              tile.load(a, first, words);
              for (std::size_t j = 0; j < result.limb_count; ++j) {
                tile.convert(result.limb(j).subspan(first, words), j);
              }
            });
}

void CpuBackend::convert_to_modulus(Words result, ConstCoeffView a,
                                    const BasisConversion& conversion) const {
  assert(match(conversion.from(), a) && result.size() == basis().degree());
  assert(conversion.modulus().has_value());
  for_tiles(conversion, 1, [&](std::size_t first, std::size_t words, ConversionTile& tile) {
    tile.load(a, first, words);
    tile.convert_to_modulus(result.subspan(first, words));
  });
}

}  // namespace ringlet
