// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "ringlet/base/export.hpp"
#include "ringlet/circuits/circuit.hpp"

// Sums over slots. Rotations are cyclic in each row; for BFV and BGV both rows rotate alike.

namespace ringlet {

/// Returns the number of key switches of sum_slots(): floor(log2(count)) + popcount(count) - 1, the
/// fewest if sums of 2^k neighbours are each computed from the sum of 2^(k-1). sum_slots() has
/// fewer key switches if a step is a multiple of row_length, and more where CircuitPlan joins two
/// of these sums.
/// @throws InvalidArgument for count = 0.
RINGLET_API std::size_t sum_slots_rotations(std::size_t count);

/// Sums `count` slots at distance `stride`: slot i of the result is
/// x[i] + x[i + stride] + ... + x[i + (count - 1) * stride]. Takes no level, and
/// sum_slots_rotations(count) key switches.
/// @throws InvalidArgument for count = 0, or if x is not a value of the circuit.
RINGLET_API CircuitValue sum_slots(Circuit& circuit, CircuitValue x, std::size_t count,
                                   int stride = 1);

/// Computes sum_slots() divided by count. CKKS. Depth 1.
/// @throws InvalidArgument as sum_slots; CircuitPlan refuses the result for BFV and BGV.
RINGLET_API CircuitValue mean_slots(Circuit& circuit, CircuitValue x, std::size_t count,
                                    int stride = 1);

/// Repeats the first `block` slots until the row is full. All other slots must be 0. Depth 0,
/// log2(row_length / block) key switches.
/// @throws InvalidArgument unless block is a power of two in [1, row_length]; if x is not a value
///         of the circuit.
RINGLET_API CircuitValue replicate(Circuit& circuit, CircuitValue x, std::size_t block = 1);

/// Copies x[slot] into all slots of the row. The other slots of x may hold anything. Depth 1,
/// log2(row_length) key switches.
/// @throws InvalidArgument unless slot < row_length; if x is not a value of the circuit.
RINGLET_API CircuitValue spread_slot(Circuit& circuit, CircuitValue x, std::size_t slot);

}  // namespace ringlet
