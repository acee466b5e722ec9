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

/// An encoded message. Holds secret data; its memory is wiped when it is released. A value type;
/// not synchronised for concurrent writers.
///
/// In coefficient form, that of BFV and BGV: up to N coefficients modulo the plain modulus t, the
/// missing ones being zero; bound to no level, parms_id() is kParmsIdZero. In NTT form, that of
/// CKKS and of operands that were transformed once for many products: one RNS polynomial at a
/// level.
class RINGLET_API Plaintext {
 public:
  /// Holds nothing: no coefficients.
  Plaintext() = default;
  /// Coefficient form: `coeff_count` zeros, in memory of `pool`, or of the system without one.
  /// @throws std::bad_alloc.
  explicit Plaintext(std::size_t coeff_count, std::shared_ptr<HostPool> pool = nullptr);
  /// NTT form: the zero polynomial at `level`, or words to be written, with scale 1.
  /// @throws std::bad_alloc.
  explicit Plaintext(const ContextData& level, Contents contents = Contents::zero);

  /// Plaintexts on memory of the caller, which must outlive them, and copies of which own theirs:
  /// `coeff_count` coefficients, or the limbs of `level` one after the other.
  static Plaintext borrow(std::size_t coeff_count, std::uint64_t* words);
  static Plaintext borrow(const ContextData& level, std::uint64_t* words);

  bool empty() const noexcept { return storage_.empty(); }
  /// The level of a polynomial in NTT form; kParmsIdZero in coefficient form.
  const ParmsId& parms_id() const noexcept { return parms_id_; }
  bool is_ntt_form() const noexcept { return parms_id_ != kParmsIdZero; }
  Form form() const noexcept { return is_ntt_form() ? Form::ntt : Form::coefficient; }
  /// The factor by which the message was multiplied before rounding (CKKS); 1 otherwise.
  double& scale() noexcept { return scale_; }
  double scale() const noexcept { return scale_; }

  /// Number of words: of coefficients, or N times the primes of the level.
  std::size_t coeff_count() const noexcept { return storage_.word_count(); }
  /// Payload: 8 bytes per word, without padding.
  std::size_t byte_count() const noexcept { return storage_.word_count() * 8; }

  /// Coefficients of X^0, X^1, ..., to be below t.
  /// @throws LogicError in NTT form.
  std::span<const std::uint64_t> coefficients() const;
  std::span<std::uint64_t> coefficients_for_writing();
  /// Keeps the first coefficients and adds zeros as needed.
  /// @throws LogicError in NTT form; std::bad_alloc.
  void resize(std::size_t coeff_count);

  /// The polynomial in NTT form.
  /// @throws LogicError in coefficient form.
  ConstNttView ntt_view() const;
  NttView ntt_view_for_writing();
  /// The same where `backend` computes, within a public call, which names what these refuse.
  /// @throws as above; InvalidArgument if its words are on another device; OutOfDeviceMemory.
  ConstNttView ntt_view(const Backend& backend) const;
  NttView ntt_view_for_writing(const Backend& backend);
  /// Gives back the memory that its words take on devices. Not while another thread uses it.
  void drop_device_copies() { storage_.drop_device_copies(); }

 private:
  void check_form(Form wanted) const;

  Storage storage_;
  ParmsId parms_id_{};
  double scale_ = 1.0;
};

}  // namespace ringlet
