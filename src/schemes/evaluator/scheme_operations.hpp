// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/plaintext.hpp"

namespace ringlet {

/// The factors that bring two ciphertexts to one correction factor before they are added: a * of_a
/// and b * of_b have the factor `common`.
struct Balance {
  std::int64_t of_a = 1;
  std::int64_t of_b = 1;
  std::uint64_t common = 1;
};

/// The operations that differ between schemes; Encryptor, Decryptor and Evaluator do the rest.
/// Ciphertexts fit the context, in its native form (rlwe::check_operand) unless a function says
/// otherwise, and two of them are at the same level; everything else is checked here. As in
/// Evaluator, a destination may be an operand, and on an error nothing changes. Immutable, shared
/// by threads.
class SchemeOperations {
 public:
  virtual ~SchemeOperations() = default;

  /// Returns the level at which a message is encrypted: its own, or the first one for plaintexts in
  /// coefficient form.
  /// @throws InvalidArgument unless `plain` is a message of the scheme: native form, and
  ///         coefficients below t (the verdict is no secret, the rest is constant-time).
  virtual const ContextData& check_message(const Plaintext& plain) const = 0;
  /// Return a bound of absolute values, and write all N coefficients of a checked message, where
  /// messages are polynomials of small signed coefficients that a fresh encryption adds itself.
  /// Elsewhere return 0 and write nothing. Constant time.
  virtual std::uint64_t small_message_bound() const { return 0; }
  virtual void write_small_message(const Plaintext&, std::span<std::int64_t>) const {}
  /// Adds a checked message that is not small to a fresh encryption of zero in native form at its
  /// level, and gives it the scale. Constant time.
  virtual void add_message(const Plaintext&, Ciphertext&) const {}
  /// Returns the message in `phase` = c_0 + c_1*s + ..., which is in native form at the level of
  /// `encrypted` and may be overwritten. Constant time. It is not called for schemes whose messages
  /// have a scale: the phase is the message.
  virtual Plaintext decode_phase(const ContextData& level, ResidueView phase,
                                 const Ciphertext& encrypted) const;
  /// Overwrites `phase` with a polynomial in coefficient form whose largest coefficient w, centred
  /// modulo q, leaves a budget of log2(q / (2|w|)) bits.
  /// @throws LogicError if the scheme has no noise budget.
  virtual void phase_to_noise(const ContextData& level, ResidueView phase) const = 0;

  /// Takes operands in one form, native or not.
  /// @throws InvalidArgument unless a + b and a - b make sense for the scheme.
  virtual Balance check_addends(const Ciphertext& a, const Ciphertext& b) const = 0;

  virtual void multiply(const Ciphertext& a, const Ciphertext& b,
                        Ciphertext& destination) const = 0;
  virtual void square(const Ciphertext& a, Ciphertext& destination) const = 0;

  /// @throws InvalidArgument unless the plaintext is a message of the scheme that fits.
  virtual void add_plain(const Ciphertext& a, const Plaintext& plain,
                         Ciphertext& destination) const = 0;
  virtual void sub_plain(const Ciphertext& a, const Plaintext& plain,
                         Ciphertext& destination) const = 0;
  /// Returns the scale of a * plain; both are in either form.
  /// @throws InvalidArgument if it is too large.
  virtual double product_scale(const Ciphertext& a, const Plaintext& plain) const = 0;

  /// Returns the scale of the operand divided by all primes down to `target`, which is a level
  /// below that of the operand, in this function and the next.
  /// @throws InvalidArgument if the scheme has no scale, or it is too large there.
  virtual double rescaled_scale(const Ciphertext& a, const ContextData& target) const = 0;
  virtual void mod_switch(const Ciphertext& a, const ContextData& target,
                          Ciphertext& destination) const = 0;
  /// @throws InvalidArgument if the scale is too large for the modulus of the level.
  void check_scale_at(double scale, const ContextData& level) const {
    if (!fits_scale(scale, level)) refuse_scale(scale, level);
  }

 protected:
  virtual bool fits_scale(double scale, const ContextData& level) const = 0;
  virtual void refuse_scale(double scale, const ContextData& level) const = 0;
  SchemeOperations() = default;
  SchemeOperations(const SchemeOperations&) = default;
  SchemeOperations& operator=(const SchemeOperations&) = default;
};

/// Returns the operations of the scheme of `context`.
std::unique_ptr<const SchemeOperations> make_scheme_operations(const Context& context);

std::unique_ptr<const SchemeOperations> make_bfv_operations(const Context& context);
std::unique_ptr<const SchemeOperations> make_bgv_operations(const Context& context);
std::unique_ptr<const SchemeOperations> make_ckks_operations(const Context& context);

}  // namespace ringlet
