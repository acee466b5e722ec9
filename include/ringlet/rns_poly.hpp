// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include "ringlet/storage.hpp"

namespace ringlet {

/// One RNS polynomial that owns its words. Its form is part of its type: what expects an
/// NttPoly cannot be handed coefficients. Backend::forward_ntt and inverse_ntt lead from one to
/// the other.
template <Form F>
class RnsPoly {
 public:
  RnsPoly() = default;
  /// The zero polynomial with `limb_count` limbs of `degree` residues.
  RnsPoly(std::size_t limb_count, std::size_t degree, Secrecy secrecy = Secrecy::open)
      : storage_({1, limb_count, degree}, secrecy) {}

  std::size_t degree() const noexcept { return storage_.shape().degree; }
  std::size_t limb_count() const noexcept { return storage_.shape().limb_count; }

  ConstPolyView<F> view() const { return storage_.template host<F>(0); }
  PolyView<F> view_for_writing() { return storage_.template host_for_writing<F>(0); }

 private:
  Storage storage_;
};

using CoeffPoly = RnsPoly<Form::coefficient>;
using NttPoly = RnsPoly<Form::ntt>;

}  // namespace ringlet
