// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ringlet::slots {

/// The units modulo m, modulo the powers of 2, as a direct product of cyclic groups: their cosets
/// are the slots of the m-th cyclotomic ring modulo 2.
///
/// The generators: g_1 is the smallest number of the largest order modulo the powers of 2; each
/// further one is the smallest number whose order is the largest that there is modulo the powers of
/// 2 and the former generators, and not larger modulo the powers of 2 alone. These are the fewest
/// generators that there can be, and the order of each divides that of the one before. A cyclic
/// group has one, a group of one element none.
struct SlotGroup {
  /// No slot: in slot_of, for numbers that are no units.
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::uint64_t index = 0;              ///< m.
  std::size_t slot_degree = 0;          ///< d: the order of 2.
  std::vector<std::size_t> dimensions;  ///< The orders of the generators.
  std::vector<std::uint64_t> generators;
  /// Of slot (e_1, ..., e_r), row-major: the product of g_j^e_j modulo m.
  std::vector<std::uint32_t> representatives;
  /// The slot in whose coset a number in [0, m) is.
  std::vector<std::uint32_t> slot_of;
};

/// For odd m >= 3.
SlotGroup make_slot_group(std::uint64_t index);

}  // namespace ringlet::slots
