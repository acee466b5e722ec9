// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "ringlet/base/export.hpp"
#include "ringlet/ring/storage.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/parameters.hpp"

namespace ringlet {

/// An encoded message. It is secret: its memory is wiped when it is released. A value type; not
/// synchronised for concurrent writers.
///
/// Coefficient form (BFV and BGV): up to N coefficients modulo the plain modulus t; missing
/// coefficients are zero. Such a plaintext belongs to no level: parms_id() is kParmsIdZero. NTT
/// form (CKKS, and operands that are transformed once for many products): one RNS polynomial at a
/// level.
class RINGLET_API Plaintext {
 public:
  /// Makes an empty plaintext without coefficients.
  Plaintext() = default;
  /// Makes `coeff_count` zeros in coefficient form. Memory comes from `pool`, or from the system if
  /// `pool` is null.
  /// @throws std::bad_alloc.
  explicit Plaintext(std::size_t coeff_count, std::shared_ptr<HostPool> pool = nullptr);
  /// Makes a polynomial in NTT form at `level` with scale 1. Its words are 0 or, with
  /// Contents::unspecified, arbitrary: write them before you read them.
  /// @throws std::bad_alloc.
  explicit Plaintext(const ContextData& level, Contents contents = Contents::zero);

  /// Makes a plaintext on memory of the caller, which must outlive it. Copies own their memory.
  /// `words` holds `coeff_count` coefficients, or N residues for each prime of `level`, prime after
  /// prime.
  static Plaintext borrow(std::size_t coeff_count, std::uint64_t* words);
  static Plaintext borrow(const ContextData& level, std::uint64_t* words);

  bool empty() const noexcept { return storage_.empty(); }
  /// Returns the level of a polynomial in NTT form; kParmsIdZero in coefficient form.
  const ParmsId& parms_id() const noexcept { return parms_id_; }
  bool is_ntt_form() const noexcept { return parms_id_ != kParmsIdZero; }
  Form form() const noexcept { return is_ntt_form() ? Form::ntt : Form::coefficient; }
  /// Returns the factor by which the message was multiplied before rounding (CKKS); 1 otherwise.
  double& scale() noexcept { return scale_; }
  double scale() const noexcept { return scale_; }

  /// Returns the number of words: the number of coefficients or, in NTT form, N times the number of
  /// primes of the level.
  std::size_t coeff_count() const noexcept { return storage_.word_count(); }
  /// Returns the size in bytes, without padding: 8 per word.
  std::size_t byte_count() const noexcept { return storage_.word_count() * 8; }

  /// Returns the coefficients of X^0, X^1, ...; they must be below t.
  /// @throws LogicError in NTT form.
  std::span<const std::uint64_t> coefficients() const;
  std::span<std::uint64_t> coefficients_for_writing();
  /// Keeps the first `coeff_count` coefficients and appends zeros if there are fewer.
  /// @throws LogicError in NTT form; std::bad_alloc.
  void resize(std::size_t coeff_count);

  /// Returns the polynomial in NTT form.
  /// @throws LogicError in coefficient form.
  ConstNttView ntt_view() const;
  NttView ntt_view_for_writing();
  /// Returns the polynomial in the memory in which `backend` computes. For public calls of the
  /// library, which add the name of the operation to errors.
  /// @throws LogicError in coefficient form; InvalidArgument if the words are on another device;
  ///         OutOfDeviceMemory.
  ConstNttView ntt_view(const Backend& backend) const;
  NttView ntt_view_for_writing(const Backend& backend);
  /// Copies the words to the host if only a device has them, and frees the memory of the words on
  /// devices. No other thread may use this object during the call.
  void drop_device_copies() { storage_.drop_device_copies(); }

 private:
  void check_form(Form wanted) const;

  Storage storage_;
  ParmsId parms_id_{};
  double scale_ = 1.0;
};

}  // namespace ringlet
