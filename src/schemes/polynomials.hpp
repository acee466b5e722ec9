// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "ringlet/ciphertext.hpp"
#include "ringlet/context.hpp"
#include "ringlet/storage.hpp"

// Operations on ciphertexts as vectors of polynomials, the same in every scheme.

namespace ringlet::schemes {

/// Where an element-wise operation writes: `destination` itself where it has the wanted level and
/// size already, so that loops do not allocate; otherwise a new ciphertext, which commit() moves
/// there. Everything that can fail comes before the first write.
class ElementwiseResult {
 public:
  ElementwiseResult(Ciphertext& destination, const ContextData& level, std::size_t size);
  /// The same, but never the memory of `destination` if that is one of the operands.
  ElementwiseResult(Ciphertext& destination, const ContextData& level, std::size_t size,
                    const Ciphertext& a, const Ciphertext& b);

  Ciphertext& ciphertext() noexcept { return is_fresh_ ? fresh_ : destination_; }
  void commit(double scale);

 private:
  Ciphertext& destination_;
  Ciphertext fresh_;
  bool is_fresh_;
};

/// destination = source, limb by limb, as many as the destination has; nothing if they are the
/// same.
void copy(NttView destination, ConstNttView source);

/// -a.
void negate(const Context& context, const ContextData& level, const Ciphertext& a,
            Ciphertext& destination);

enum class Sign { plus, minus };

/// a + b or a - b with the scale of a.
/// @throws LogicError if the result is transparent.
void add(const Context& context, const ContextData& level, const Ciphertext& a, const Ciphertext& b,
         Sign sign, Ciphertext& destination);

/// The sum of one or more ciphertexts with the scale of the first.
/// @throws LogicError if the result is transparent.
void add_many(const Context& context, const ContextData& level,
              std::span<const Ciphertext> operands, Ciphertext& destination);

/// @throws LogicError: the message of transparent results.
[[noreturn]] void throw_transparent(const char* operation);
/// @throws LogicError if `result` is transparent.
void check_not_transparent(const Ciphertext& result, const char* operation);

/// True if a word of `a` and the word of `b` in the same place are both nonzero: then the product,
/// residues modulo primes, is not zero. Stops at the first such word.
bool product_is_nonzero(ConstNttView a, ConstNttView b);

}  // namespace ringlet::schemes
