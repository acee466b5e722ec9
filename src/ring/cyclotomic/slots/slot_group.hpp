// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ringlet::slots {

/// The units modulo m, modulo the powers of 2, as a direct product of cyclic groups: their cosets
/// are the slots of the m-th cyclotomic ring modulo 2.
///
/// The generators: g_1 is the smallest number of the largest order modulo the powers of 2. Each
/// further generator is the smallest number that has the largest order modulo the powers of 2 and
/// the former generators, and the same order modulo the powers of 2 alone. No fewer generators are
/// possible, and the order of each divides the order of the previous one. A cyclic group has one, a
/// group of one element none.
struct SlotGroup {
  /// The entry of slot_of for numbers that are no units.
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::uint64_t index = 0;              ///< m.
  std::size_t slot_degree = 0;          ///< d: the order of 2.
  std::vector<std::size_t> dimensions;  ///< The orders of the generators.
  std::vector<std::uint64_t> generators;
  /// The product of g_j^e_j modulo m for each slot (e_1, ..., e_r), row-major.
  std::vector<std::uint32_t> representatives;
  /// The slot of the coset of each number in [0, m).
  std::vector<std::uint32_t> slot_of;
};

/// Makes the group of an odd m >= 3.
SlotGroup make_slot_group(std::uint64_t index);

}  // namespace ringlet::slots
