// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include "ringlet/ring/backend.hpp"
#include "ringlet/ring/storage.hpp"

namespace ringlet {

/// One RNS polynomial that owns its words. Its form is part of its type: what expects an
/// NttPoly cannot be handed coefficients. Backend::forward_ntt and inverse_ntt lead from one to
/// the other.
template <Form F>
class RnsPoly {
 public:
  RnsPoly() = default;
  /// `limb_count` limbs of `degree` residues: the zero polynomial, or words to be written.
  RnsPoly(std::size_t limb_count, std::size_t degree, Secrecy secrecy = Secrecy::open,
          Contents contents = Contents::zero)
      : storage_({1, limb_count, degree}, secrecy, contents) {}

  /// `limb_count` limbs of the backend's degree, whose words on the host are of its pool.
  RnsPoly(const Backend& backend, std::size_t limb_count, Secrecy secrecy, Contents contents)
      : storage_({1, limb_count, backend.basis().degree()}, secrecy, contents, backend.pool()) {}

  std::size_t degree() const noexcept { return storage_.shape().degree; }
  std::size_t limb_count() const noexcept { return storage_.shape().limb_count; }

  ConstPolyView<F> view() const { return storage_.template host<F>(0); }
  PolyView<F> view_for_writing() { return storage_.template host_for_writing<F>(0); }
  /// The same where `backend` computes.
  ConstPolyView<F> view(const Backend& backend) const {
    return storage_.template view<F>(0, backend.memory());
  }
  PolyView<F> view_for_writing(const Backend& backend) {
    return storage_.template view_for_writing<F>(0, backend.memory());
  }

 private:
  Storage storage_;
};

using CoeffPoly = RnsPoly<Form::coefficient>;
using NttPoly = RnsPoly<Form::ntt>;

}  // namespace ringlet
