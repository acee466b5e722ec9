// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/inline_vector.hpp"
#include "ringlet/ring/ring_spec.hpp"
#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/keys.hpp"

// The operations that end in a key switch, the same in every scheme.

namespace ringlet::schemes {

/// Relinearizes to size 2. `a` fits the context.
/// @throws as Evaluator::relinearize.
void relinearize(const Context& context, const Ciphertext& a, const RelinKeys& keys,
                 Ciphertext& destination);

/// Relinearizes to size 2 and rescales to the next lower level, `target`: the result of
/// Evaluator::relinearize_and_rescale_to_next without its scale. `a` fits the context, is in NTT
/// form, and not at the last level.
/// @throws as Evaluator::relinearize; LogicError if the result is transparent.
Ciphertext relinearize_and_rescale(const Context& context, const Ciphertext& a,
                                   const RelinKeys& keys, const ContextData& target,
                                   Ciphertext& destination);

/// Applies the automorphisms one after the other; all keys are known to be there. An empty list
/// copies. `a` is fit for the context and of size 2.
void apply_automorphisms(const Context& context, const Ciphertext& a,
                         std::span<const std::uint64_t> galois_elements, const GaloisKeys& keys,
                         Ciphertext& destination);

/// Returns the images of `a` under each of the automorphisms, whose keys are known to be there,
/// with the same bits as one by one. `a` fits the context and has size 2.
std::vector<Ciphertext> apply_each_automorphism(const Context& context, const Ciphertext& a,
                                                std::span<const std::uint64_t> galois_elements,
                                                const GaloisKeys& keys);

/// A ciphertext of size 2 and automorphisms.
struct Images {
  const Ciphertext* source = nullptr;
  std::vector<std::uint64_t> galois_elements;
};

/// Returns the sum of `addends` and of all images, in one division by the special primes. All are
/// at `level`, in one form, and have one scale, key and correction factor; all keys are there.
Ciphertext sum_of_images(const Context& context, const ContextData& level,
                         std::span<const Images> images, std::span<const Ciphertext* const> addends,
                         const GaloisKeys& keys);

/// Checks that `a` has size 2 and the keys belong to the context.
/// @throws InvalidArgument otherwise.
void check_automorphism_operands(const Context& context, const Ciphertext& a,
                                 const GaloisKeys& keys);

/// Checks that there is a key for `galois_element`. Messages call the automorphism `meaning`.
/// @throws InvalidArgument otherwise.
void check_galois_key(const GaloisKeys& keys, std::uint64_t galois_element, const char* meaning);
/// Checks that the context has the automorphism and that there is a key for it.
/// @throws InvalidArgument otherwise.
void check_galois_element(const Context& context, std::uint64_t galois_element,
                          const GaloisKeys& keys);

/// Returns the non-adjacent form of `value`: signed powers of two of which no two are neighbours,
/// lowest first; their sum is `value`. Reitwiesner, "Binary arithmetic", 1960.
std::vector<int> non_adjacent_form(int value);

/// Galois elements; there are at most as many as a number below kMaxNttDegree / 2 has digits in
/// non-adjacent form.
using RotationPlan = InlineVector<std::uint64_t, 20>;

/// Returns the automorphisms that rotate by `steps`: one where its key exists, otherwise those of
/// the non-adjacent form.
/// @throws InvalidArgument if |steps| >= N/2 or keys are missing; the message lists the steps.
RotationPlan plan_rotation(const RingSpec& ring, int steps, const GaloisKeys& keys);

}  // namespace ringlet::schemes
