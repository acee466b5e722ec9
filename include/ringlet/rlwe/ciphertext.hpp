// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "ringlet/base/export.hpp"
#include "ringlet/ring/storage.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/parameters.hpp"
#include "ringlet/rlwe/random.hpp"

namespace ringlet {

/// Limits of the number of polynomials of a ciphertext.
inline constexpr std::size_t kMinCiphertextSize = 2;
inline constexpr std::size_t kMaxCiphertextSize = 16;

/// An encrypted message: polynomials (c_0, ..., c_{n-1}) at a level of a context. It decrypts to
/// c_0 + c_1*s + ... + c_{n-1}*s^{n-1} for the secret s. A value type; not synchronised for
/// concurrent writers.
class RINGLET_API Ciphertext {
 public:
  /// Makes an empty object: size 0, parms_id() is kParmsIdZero.
  Ciphertext() = default;
  /// Makes a ciphertext of `size` polynomials at `level` with scale 1. Its words are 0 or, with
  /// Contents::unspecified, arbitrary: write them before you read them.
  /// @throws InvalidArgument if size is outside [2, 16]; std::bad_alloc.
  explicit Ciphertext(const ContextData& level, std::size_t size = kMinCiphertextSize,
                      Form form = Form::ntt, Contents contents = Contents::zero);
  /// Makes a ciphertext on memory of the caller, which must outlive it. Copies own their memory.
  /// `words` holds polynomial after polynomial, limb after limb, N words each. With
  /// Contents::unspecified it is a vacant place for a result, until its words are written: an
  /// operation with this destination may write to it before an error. It is refused as an operand,
  /// and its words must not be those of an operand.
  /// @throws InvalidArgument if size is outside [2, 16].
  static Ciphertext borrow(const ContextData& level, std::size_t size, Form form,
                           std::uint64_t* words, Contents contents = Contents::zero);
  /// Returns true if this is a vacant place, whose words nobody has written.
  bool is_vacant() const noexcept { return is_vacant_; }
  /// Returns a ciphertext for a result of this shape, with unspecified words: this one, moved, if
  /// it is a vacant place of this shape; otherwise a new one.
  /// @throws as the constructor.
  Ciphertext new_result(const ContextData& level, std::size_t size, Form form);

  /// Returns the number of polynomials.
  std::size_t size() const noexcept { return storage_.shape().poly_count; }
  const ParmsId& parms_id() const noexcept { return parms_id_; }
  bool is_ntt_form() const noexcept { return form_ == Form::ntt; }
  Form form() const noexcept { return form_; }
  /// Returns the scale of the encrypted message (CKKS); 1 otherwise.
  double& scale() noexcept { return scale_; }
  double scale() const noexcept { return scale_; }

  /// Returns, for BGV, the factor f in [1, t) by which the message modulo t is multiplied. Modulus
  /// switching changes f, and decryption divides by f. Returns 1 in other schemes.
  std::uint64_t& correction_factor() noexcept { return correction_factor_; }
  std::uint64_t correction_factor() const noexcept { return correction_factor_; }

  /// Returns the identifier of the secret key that decrypts this ciphertext. Operations refuse
  /// operands and keys of different secret keys.
  KeyId& key_id() noexcept { return key_id_; }
  const KeyId& key_id() const noexcept { return key_id_; }

  std::size_t poly_modulus_degree() const noexcept { return storage_.shape().degree; }
  std::size_t coeff_modulus_size() const noexcept { return storage_.shape().limb_count; }
  /// Returns the size in bytes, without padding: 8 per residue.
  std::size_t byte_count() const noexcept { return storage_.word_count() * 8; }

  /// Returns true if anybody can read the message: there are no polynomials, or all except c_0 are
  /// zero. Variable time; ciphertexts are public. Waits for a result on a device.
  bool is_transparent() const;
  /// Records whether this result must still be checked for transparency, because its words are on a
  /// device. If the result is transparent, the first read on the host throws LogicError.
  void check_on_host(bool is_needed) noexcept { unchecked_.set(is_needed ? "" : nullptr); }
  bool is_unchecked() const noexcept { return unchecked_.get() != nullptr; }
  /// Records the name of the public call that made this unchecked result. The LogicError names that
  /// call. A name that is already recorded does not change.
  void name_maker(const char* operation) noexcept {
    const char* const known = unchecked_.get();
    if (known != nullptr && *known == 0) unchecked_.set(operation);
  }

  /// Returns polynomial `index` on the host, in the form of the ciphertext. Waits for a result on a
  /// device.
  /// @throws OutOfRange if index >= size(); LogicError if the result is transparent and was
  ///         unchecked; RuntimeError if the device failed.
  ConstResidueView view(std::size_t index) const;
  ResidueView view_for_writing(std::size_t index);
  /// Returns polynomial `index` on the host, as a view of one form: NTT form or coefficients.
  /// @throws as view; LogicError if the ciphertext is in the other form.
  ConstNttView ntt_view(std::size_t index) const;
  NttView ntt_view_for_writing(std::size_t index);
  ConstCoeffView coeff_view(std::size_t index) const;
  CoeffView coeff_view_for_writing(std::size_t index);

  /// Returns polynomial `index` in the memory in which `backend` computes, without waiting. For
  /// public calls of the library, which add the name of the operation to errors.
  /// @throws OutOfRange if index >= size(); LogicError if the ciphertext is in the other form;
  ///         InvalidArgument if the words are on another device; OutOfDeviceMemory.
  ConstResidueView view(std::size_t index, const Backend& backend) const;
  ResidueView view_for_writing(std::size_t index, const Backend& backend);
  ConstNttView ntt_view(std::size_t index, const Backend& backend) const;
  NttView ntt_view_for_writing(std::size_t index, const Backend& backend);
  ConstCoeffView coeff_view(std::size_t index, const Backend& backend) const;
  CoeffView coeff_view_for_writing(std::size_t index, const Backend& backend);
  /// Returns all polynomials as one view: limb i of polynomial p is limb
  /// p * coeff_modulus_size() + i.
  /// @throws as ntt_view; OutOfRange if there are no polynomials.
  ConstNttView all_ntt_limbs(const Backend& backend) const;
  NttView all_ntt_limbs_for_writing(const Backend& backend);
  /// Moves the words of `ciphertexts` to shared blocks in the memory of `backend`; see
  /// Storage::share_blocks. Does nothing if `backend` computes on the host.
  static void share_blocks(std::span<const Ciphertext> ciphertexts, std::size_t row_length,
                           const Backend& backend);
  /// Copies the words to the host if only a device has them. Waits. @throws as view.
  void bring_to_host() const;
  /// Copies the words to the host if only a device has them, and frees the memory of the words on
  /// devices. A device that needs the words later copies them again. No other thread may use this
  /// object during the call.
  /// @throws as view.
  void drop_device_copies();
  /// Calls bring_to_host() for a public call, which adds the name of the operation to errors.
  void await_words() const;
  /// Returns the memory of the device that has the words; null if no device has them.
  std::shared_ptr<Memory> device_memory() const noexcept { return storage_.device_memory(); }

 private:
  /// The name of the operation that made an unchecked result: empty while the name is unknown, null
  /// if nothing is left to check. Atomic, because threads that only read a ciphertext may clear the
  /// name.
  class Unchecked {
   public:
    Unchecked() = default;
    Unchecked(const Unchecked& other) noexcept : operation_(other.get()) {}
    Unchecked& operator=(const Unchecked& other) noexcept {
      set(other.get());
      return *this;
    }
    const char* get() const noexcept { return operation_.load(std::memory_order_acquire); }
    void set(const char* operation) noexcept {
      operation_.store(operation, std::memory_order_release);
    }

   private:
    std::atomic<const char*> operation_{nullptr};
  };

  void check_access(std::size_t index, Form form) const;
  template <Form F>
  ConstPolyView<F> checked_view(std::size_t index, const Backend* backend) const;
  template <Form F>
  PolyView<F> checked_view_for_writing(std::size_t index, const Backend* backend);

  Storage storage_;
  ParmsId parms_id_{};
  KeyId key_id_ = kKeyIdUnknown;
  double scale_ = 1.0;
  std::uint64_t correction_factor_ = 1;
  Form form_ = Form::ntt;
  bool is_vacant_ = false;
  mutable Unchecked unchecked_;
};

}  // namespace ringlet
