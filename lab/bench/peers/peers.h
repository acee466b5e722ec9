// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

// Other libraries' implementations of Ringlet's operations, for measurements beside Ringlet's own.
// `ringlet bench tables --peers` and `ringlet bench wide --peers` load this C interface at run
// time: nothing that Ringlet installs depends on these libraries. Use a job in the thread that made
// it.

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ringlet_peer_job ringlet_peer_job;

#pragma GCC visibility push(default)
/// The number of operations, and for each its name ("ntl/ntt_forward") and a description.
size_t ringlet_peer_count(void);
const char* ringlet_peer_name(size_t index);
const char* ringlet_peer_description(size_t index);

/// A job on vectors of n words modulo q, n a power of two; null if the library cannot do that.
ringlet_peer_job* ringlet_peer_create(size_t index, uint64_t n, uint64_t q);
void ringlet_peer_destroy(ringlet_peer_job* job);

/// A modulus of up to 124 bits for operations on double words; each number is a low word, then a
/// high word. `root` has the order 2n, root * inverse_root = 1 and n * inverse_degree = 1 modulo q.
/// Operations without a transform ignore these three.
typedef struct ringlet_wide_modulus {
  uint64_t q[2];
  uint64_t root[2];
  uint64_t inverse_root[2];
  uint64_t inverse_degree[2];
} ringlet_wide_modulus;

/// The same functions for double words; their vectors are 2n words: pairs (low, high).
size_t ringlet_wide_peer_count(void);
const char* ringlet_wide_peer_name(size_t index);
const char* ringlet_wide_peer_description(size_t index);
ringlet_peer_job* ringlet_wide_peer_create(size_t index, uint64_t n,
                                           const ringlet_wide_modulus* modulus);

/// Sets the operands, n words (of double words: 2n) in [0, q) each. The scalar of operations that
/// have one is b[0].
void ringlet_peer_load(ringlet_peer_job* job, const uint64_t* a, const uint64_t* b);

/// Computes `repetitions` times.
void ringlet_peer_run(ringlet_peer_job* job, uint64_t repetitions);

/// Writes the n words (of double words: 2n) of the result of the last run.
void ringlet_peer_result(const ringlet_peer_job* job, uint64_t* result);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
