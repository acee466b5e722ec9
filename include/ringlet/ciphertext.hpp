// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "ringlet/context.hpp"
#include "ringlet/export.hpp"
#include "ringlet/parameters.hpp"
#include "ringlet/storage.hpp"

namespace ringlet {

/// Limits of the number of polynomials of a ciphertext.
inline constexpr std::size_t kMinCiphertextSize = 2;
inline constexpr std::size_t kMaxCiphertextSize = 16;

/// Polynomials (c_0, ..., c_{n-1}) at a level of a context, which decrypt to
/// c_0 + c_1*s + ... + c_{n-1}*s^{n-1} for the secret s. A value type; not synchronised for
/// concurrent writers.
class RINGLET_API Ciphertext {
 public:
  /// Holds nothing: size 0, parms_id() is kParmsIdZero.
  Ciphertext() = default;
  /// `size` zero polynomials at `level`, with scale 1.
  /// @throws InvalidArgument if size is outside [2, 16]; std::bad_alloc.
  explicit Ciphertext(const ContextData& level, std::size_t size = kMinCiphertextSize,
                      Form form = Form::ntt);
  /// A ciphertext on memory of the caller, which must outlive it; copies own theirs. `words` holds
  /// polynomial after polynomial, limb after limb, N words each.
  /// @throws InvalidArgument if size is outside [2, 16].
  static Ciphertext borrow(const ContextData& level, std::size_t size, Form form,
                           std::uint64_t* words);

  /// Number of polynomials.
  std::size_t size() const noexcept { return storage_.shape().poly_count; }
  const ParmsId& parms_id() const noexcept { return parms_id_; }
  bool is_ntt_form() const noexcept { return form_ == Form::ntt; }
  Form form() const noexcept { return form_; }
  /// The scale of the encrypted message (CKKS); 1 otherwise.
  double& scale() noexcept { return scale_; }
  double scale() const noexcept { return scale_; }

  /// BGV: the factor f, in [1, t), by which the message modulo t is multiplied: modulus switching
  /// changes it, decryption divides by it. 1 in other schemes.
  std::uint64_t& correction_factor() noexcept { return correction_factor_; }
  std::uint64_t correction_factor() const noexcept { return correction_factor_; }

  std::size_t poly_modulus_degree() const noexcept { return storage_.shape().degree; }
  std::size_t coeff_modulus_size() const noexcept { return storage_.shape().limb_count; }
  /// Payload: 8 bytes per residue, without padding.
  std::size_t byte_count() const noexcept { return storage_.word_count() * 8; }

  /// True if anybody can read the message: there are no polynomials, or all but c_0 are zero.
  /// Variable time; ciphertexts are public.
  bool is_transparent() const;

  /// Polynomial `index` in whichever form it is.
  /// @throws OutOfRange if index >= size().
  ConstResidueView view(std::size_t index) const;
  ResidueView view_for_writing(std::size_t index);
  /// Polynomial `index`.
  /// @throws OutOfRange if index >= size(); LogicError if the ciphertext is in the other form.
  ConstNttView ntt_view(std::size_t index) const;
  NttView ntt_view_for_writing(std::size_t index);
  ConstCoeffView coeff_view(std::size_t index) const;
  CoeffView coeff_view_for_writing(std::size_t index);

 private:
  Storage storage_;
  ParmsId parms_id_{};
  double scale_ = 1.0;
  std::uint64_t correction_factor_ = 1;
  Form form_ = Form::ntt;
};

}  // namespace ringlet
