// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ringlet/ring/storage.hpp"
#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/context.hpp"

// Operations on ciphertexts as vectors of polynomials, the same in every scheme.

namespace ringlet::schemes {

/// Returns whether the backend of `context` computes in the host's memory, so that words may be
/// read without waiting.
bool is_on_host(const Context& context);

/// The target of an element-wise operation: `destination` itself if it has the wanted level and
/// size already, so that loops do not allocate; otherwise a new ciphertext, which commit() moves
/// there. On the host everything that can fail comes before the first write. On a device any
/// primitive may fail, also after others have written: there the target is always a new ciphertext,
/// of blocks that the device keeps for reuse.
class ElementwiseResult {
 public:
  /// With may_reuse = false never takes the memory of `destination`, which may be that of an
  /// operand that is read after the first write.
  ElementwiseResult(const Context& context, Ciphertext& destination, const ContextData& level,
                    std::size_t size, Form form, bool may_reuse = true);

  Ciphertext& ciphertext() noexcept { return is_fresh_ ? fresh_ : destination_; }
  /// Commits a result that is known not to be transparent, or is on a device and not checked yet.
  void commit(const KeyId& key_id, double scale, std::uint64_t correction_factor = 1);

 private:
  const Context& context_;
  Ciphertext& destination_;
  Ciphertext fresh_;
  bool is_fresh_;
};

/// destination = -a, in either form, like all functions below.
void negate(const Context& context, const ContextData& level, const Ciphertext& a,
            Ciphertext& destination);

enum class Sign { plus, minus };

/// destination = a + b or a - b with the scale of a, of operands of one form.
/// @throws LogicError if the result is transparent.
void add(const Context& context, const ContextData& level, const Ciphertext& a, const Ciphertext& b,
         Sign sign, Ciphertext& destination);

/// destination = a with `message` added to or subtracted from its first polynomial, both in the
/// form of a. Scale and correction factor are those of a, which is known not to be transparent.
void add_to_first(const Context& context, const Ciphertext& a, ConstResidueView message, Sign sign,
                  Ciphertext& destination);

/// sum += all operands, of the form, level and at most the size of the sum; scale and correction
/// factor become those of the first.
void accumulate(const Context& context, const ContextData& level,
                std::span<const Ciphertext> operands, Ciphertext& sum);

/// destination = the first limbs of `a`, as many as `target` has.
/// @throws LogicError if the result is transparent.
void drop_primes(const Context& context, const ContextData& target, const Ciphertext& a,
                 Ciphertext& destination);

/// Switches the modulus, or rescales: divides the polynomials of `a`, in either form, by the last
/// prime of each level down to the lower level `target`, as Backend::divide_and_round_by_last does
/// with `preserve`. Scale and correction factor of the result are 1, for the scheme to set. The
/// result is for `destination` (Ciphertext::new_result).
/// @throws LogicError if the result is transparent.
Ciphertext mod_switch_divide_to(const Context& context, const ContextData& target,
                                const Ciphertext& a, Ciphertext& destination,
                                std::uint64_t preserve = 1);

/// Gives `result` the key, the scale and the correction factor of `operand`.
/// @throws LogicError if it is transparent.
void take_over(const Context& context, Ciphertext& result, const Ciphertext& operand);

/// destination = factor * a, the factor reduced modulo each prime.
void multiply_scalar(const Context& context, const ContextData& level, const Ciphertext& a,
                     std::int64_t factor, Ciphertext& destination);

/// Returns whether operations look for transparent results themselves: not on a device, whose
/// results are checked when the host reads them, and not where the context allows such results.
bool refuses_transparent_here(const Context& context);
/// Checks that a result is not transparent, unless the context allows it.
/// @throws LogicError if it is transparent; of a result on a device, when the host first reads it.
void check_not_transparent(const Context& context, Ciphertext& result);
/// Checks an operand whose result is transparent if the operand is, in the same cases.
void check_operand_not_transparent(const Context& context, const Ciphertext& a);

/// Returns whether a word of `a` and the word of `b` in the same place are both nonzero: then the
/// product, residues modulo primes, is not zero. Stops at the first such word.
bool product_is_nonzero(ConstResidueView a, ConstResidueView b);

}  // namespace ringlet::schemes
