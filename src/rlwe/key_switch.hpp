// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/context.hpp"
#include "ringlet/keys.hpp"
#include "ringlet/storage.hpp"

namespace ringlet::rlwe {

/// Key switching with one digit per prime: adds to (c0, c1) an encryption under s of source * s',
/// where `key` leads from s' to s. With d_j the residues of `source` modulo q_j, lifted to integers
/// in [0, q_j), and P the special prime,
///   (c0, c1) += (round(sum_j d_j*b_j / P), round(sum_j d_j*a_j / P)).
/// All views are at `level` of `context` (a data level below the key level), in NTT form; `source`
/// may be c0 or c1. Brakerski and Vaikuntanathan's decomposition with the modulus raising of
/// Gentry, Halevi and Smart, IACR ePrint 2012/099. Constant time in the data.
void add_key_switched(const Context& context, const ContextData& level, ConstNttView source,
                      const KSwitchKey& key, NttView c0, NttView c1);

}  // namespace ringlet::rlwe
