// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "ringlet/context.hpp"
#include "ringlet/export.hpp"
#include "ringlet/parameters.hpp"
#include "ringlet/storage.hpp"

namespace ringlet {

/// An encoded message: one RNS polynomial at a level of a context. Holds secret data; its memory is
/// wiped when it is released. A value type; not synchronised for concurrent writers.
class RINGLET_API Plaintext {
 public:
  /// Holds nothing: parms_id() is kParmsIdZero.
  Plaintext() = default;
  /// The zero polynomial at `level`, with scale 1.
  /// @throws std::bad_alloc.
  explicit Plaintext(const ContextData& level, Form form = Form::ntt);

  bool empty() const noexcept { return storage_.empty(); }
  const ParmsId& parms_id() const noexcept { return parms_id_; }
  bool is_ntt_form() const noexcept { return form_ == Form::ntt; }
  Form form() const noexcept { return form_; }
  /// The factor by which the message was multiplied before rounding (CKKS); 1 otherwise.
  double& scale() noexcept { return scale_; }
  double scale() const noexcept { return scale_; }

  std::size_t poly_modulus_degree() const noexcept { return storage_.shape().degree; }
  std::size_t coeff_modulus_size() const noexcept { return storage_.shape().limb_count; }
  /// Payload: 8 bytes per residue, without padding.
  std::size_t byte_count() const noexcept { return storage_.word_count() * 8; }

  /// The polynomial.
  /// @throws LogicError if it is in the other form or there is none.
  ConstNttView ntt_view() const;
  NttView ntt_view_for_writing();
  ConstCoeffView coeff_view() const;
  CoeffView coeff_view_for_writing();

 private:
  Storage storage_;
  ParmsId parms_id_{};
  double scale_ = 1.0;
  Form form_ = Form::ntt;
};

}  // namespace ringlet
