// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "ringlet/base/export.hpp"
#include "ringlet/circuits/circuit.hpp"

// Sums over slots. Rotations are cyclic in each row; for BFV and BGV both rows do the same.

namespace ringlet {

/// floor(log2(count)) + popcount(count) - 1: the key switches of sum_slots, the fewest that sums of
/// 2^k neighbours, each from the one before, allow. Fewer where a step is a multiple of row_length.
/// @throws InvalidArgument for count = 0.
RINGLET_API std::size_t sum_slots_rotations(std::size_t count);

/// Slot i of the result is x[i] + x[i + stride] + ... + x[i + (count - 1) * stride]. Depth 0,
/// sum_slots_rotations(count) key switches.
/// @throws InvalidArgument for count = 0, or if x is not a value of the circuit.
RINGLET_API CircuitValue sum_slots(Circuit& circuit, CircuitValue x, std::size_t count,
                                   int stride = 1);

/// CKKS: the same divided by count. Depth 1.
/// @throws InvalidArgument as sum_slots; CircuitPlan refuses it for BFV and BGV.
RINGLET_API CircuitValue mean_slots(Circuit& circuit, CircuitValue x, std::size_t count,
                                    int stride = 1);

/// The first `block` slots again and again until the row is full, if all others are 0. Depth 0,
/// log2(row_length / block) key switches.
/// @throws InvalidArgument unless block is a power of two in [1, row_length]; if x is not a value
///         of the circuit.
RINGLET_API CircuitValue replicate(Circuit& circuit, CircuitValue x, std::size_t block = 1);

/// x[slot] in all slots of the row, whatever the others hold. Depth 1, log2(row_length) key
/// switches.
/// @throws InvalidArgument unless slot < row_length; if x is not a value of the circuit.
RINGLET_API CircuitValue spread_slot(Circuit& circuit, CircuitValue x, std::size_t slot);

}  // namespace ringlet
