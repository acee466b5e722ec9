// SPDX-License-Identifier: Apache-2.0
#include "ring/rns/conversion_tile.hpp"

#include <algorithm>
#include <bit>

#include "base/assert.hpp"

namespace ringlet {

static_assert(ConversionTile::kMaxWords % kernels::kConversionPadding == 0);

ConversionKernels::ConversionKernels(const KernelSelection& selection)
    : short_(kernels::choose_conversion(kShortLimit - 1, selection)),
      any_(kernels::choose_conversion((std::uint64_t{1} << 61) - 1, selection)) {}

ConversionTile::ConversionTile(const ConversionKernels::Chosen& kernel, const RnsBasis& basis,
                               const BasisConversion& conversion, std::span<std::uint64_t> memory)
    : kernel_(kernel),
      basis_(basis),
      conversion_(conversion),
      memory_(memory),
      size_(conversion.from().size()),
      row_bits_(std::bit_width(size_)) {
  RINGLET_ASSERT(memory.size() >= memory_words(size_));
  for (std::size_t i = 0; i < size_; ++i) {
    const Modulus& q = basis[conversion.from()[i]];
    primes_[i] = {.q = q.value(),
                  .factor = conversion.punctured_inverses()[i],
                  .factor_quotient = conversion.punctured_inverse_quotients()[i],
                  .reciprocal = conversion.reciprocals()[i]};
    row_bits_ = std::max(row_bits_, q.bit_count());
  }
}

void ConversionTile::load(ConstCoeffView a, std::size_t first, std::size_t words) {
  RINGLET_ASSERT(words > 0 && words <= kMaxWords);
  kernel_.counter.count();
  kernel_.kernel->scale({.rows = memory_.data(),
                         .row_stride = kMaxWords,
                         .a = a.data + first,
                         .a_stride = a.limb_stride,
                         .primes = primes_.data(),
                         .prime_count = size_,
                         .words = words});
  count(words);
}

void ConversionTile::count(std::size_t words) {
  kernel_.kernel->count({.u = row(size_).data(),
                         .rows = memory_.data(),
                         .row_stride = kMaxWords,
                         .primes = primes_.data(),
                         .prime_count = size_,
                         .word_bits = conversion_.word_bits(),
                         .fraction_bits = conversion_.fraction_bits(),
                         .words = words});
}

void ConversionTile::sum(std::span<std::uint64_t> result, const Modulus& p,
                         std::span<const std::uint64_t> factors, const ConversionTerm& extra,
                         bool is_row) const {
  RINGLET_ASSERT(factors.size() == size_ + 1 && result.size() <= kMaxWords);
  const int extra_bits = extra.words == nullptr ? 0 : std::bit_width(extra.bound);
  kernel_.kernel->sum({.result = result.data(),
                       .rows = memory_.data(),
                       .row_stride = kMaxWords,
                       .factors = factors.data(),
                       .row_count = size_ + 1,
                       .row_bits = std::max(row_bits_, extra_bits),
                       .extra = extra.words,
                       .extra_factor = extra.factor,
                       .is_padded = is_row,
                       .p = p.value(),
                       .ratio = p.ratio(),
                       .words = result.size()});
}

void ConversionTile::convert(std::span<std::uint64_t> result, std::size_t j) const {
  sum(result, basis_[conversion_.to()[j]], conversion_.factors(j));
}

}  // namespace ringlet
