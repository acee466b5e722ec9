// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/embedding/embedding_kernel.hpp"
#include "kernels/embedding/words.hpp"

// Slots to points and back, over lanes A that take four slots at a time:
//   scatter_reals(re, places, slots, factor), scatter_pairs(re, im, places, slots, factor)
//   gather_reals(slots, places, re), gather_pairs(slots, places, re, im)

namespace ringlet::kernels {

template <typename A>
struct EmbeddingSlots {
  static void scatter(const ScatterArguments& a) {
    clear(a);
    for_each_group(a.places, a.count,
                   [&](std::size_t slot, const std::uint32_t* places)
                       __attribute__((always_inline)) {
                         if (a.is_complex) {
                           A::scatter_pairs(a.re, a.im, places, a.slots + 2 * slot, a.factor);
                         } else {
                           A::scatter_reals(a.re, places, a.slots + slot, a.factor);
                         }
                       });
    for (std::size_t slot = a.count & ~kLast; slot < a.count; ++slot) {
      const std::size_t place = place_of(a.places, slot);
      if (a.is_complex) {
        const double sign = slot % 2 == 0 ? a.factor : -a.factor;
        a.re[place] = flush_tiny(a.slots[2 * slot]) * a.factor;
        a.im[place] = flush_tiny(a.slots[2 * slot + 1]) * sign;
      } else {
        a.re[place] = flush_tiny(a.slots[slot]) * a.factor;
      }
    }
  }

  static void gather(const GatherArguments& a) {
    const std::size_t count = a.places.slot_count;
    for_each_group(a.places, count,
                   [&](std::size_t slot, const std::uint32_t* places)
                       __attribute__((always_inline)) {
                         if (a.is_complex) {
                           A::gather_pairs(a.slots + 2 * slot, places, a.re, a.im);
                         } else {
                           A::gather_reals(a.slots + slot, places, a.re);
                         }
                       });
    for (std::size_t slot = count & ~kLast; slot < count; ++slot) {
      const std::size_t place = place_of(a.places, slot);
      if (a.is_complex) {
        a.slots[2 * slot] = a.re[place];
        a.slots[2 * slot + 1] = slot % 2 == 0 ? a.im[place] : -a.im[place];
      } else {
        a.slots[slot] = a.re[place];
      }
    }
  }

 private:
  static constexpr std::size_t kLast = 3;

  RINGLET_INLINE static std::size_t place_of(const SlotPlaces& p, std::size_t slot) {
    const std::size_t column = slot & (p.columns - 1);
    const std::size_t row = slot / p.columns;
    const std::size_t rows = p.slot_count / p.columns;
    return p.places[4 * (column / 4 * rows + row) + column % 4];
  }

  RINGLET_INLINE static void clear(const ScatterArguments& a) {
    const std::size_t slot_count = a.places.slot_count;
    if (a.count < slot_count) __builtin_memset(a.re, 0, slot_count * sizeof *a.re);
    if (a.count < slot_count || !a.is_complex) {
      __builtin_memset(a.im, 0, slot_count * sizeof *a.im);
    }
  }

  /// Calls body(slot, its four places) for whole groups of four slots below `count`, tile by tile.
  template <typename Body>
  RINGLET_INLINE static void for_each_group(const SlotPlaces& p, std::size_t count,
                                            const Body& body) {
    const std::size_t rows = p.slot_count / p.columns;
    for (std::size_t column = 0; column + 4 <= p.columns; column += 4) {
      const std::uint32_t* places = p.places + column * rows;
      for (std::size_t slot = column; slot + 4 <= count; slot += p.columns, places += 4) {
        body(slot, places);
      }
    }
  }
};

}  // namespace ringlet::kernels
