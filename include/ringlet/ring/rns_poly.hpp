// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include "ringlet/ring/backend.hpp"
#include "ringlet/ring/storage.hpp"

namespace ringlet {

/// An RNS polynomial that owns its words. Its form is part of its type, so that a function for an
/// NttPoly cannot get coefficients. Backend::forward_ntt and inverse_ntt convert between the forms.
template <Form F>
class RnsPoly {
 public:
  RnsPoly() = default;
  /// Makes a polynomial of `limb_count` limbs with `degree` residues each. Its words are 0 or, with
  /// Contents::unspecified, arbitrary: write them before you read them.
  RnsPoly(std::size_t limb_count, std::size_t degree, Secrecy secrecy = Secrecy::open,
          Contents contents = Contents::zero)
      : storage_({1, limb_count, degree}, secrecy, contents) {}

  /// Makes a polynomial of `limb_count` limbs of the backend's degree. Its host memory comes from
  /// the backend's pool.
  RnsPoly(const Backend& backend, std::size_t limb_count, Secrecy secrecy, Contents contents)
      : storage_({1, limb_count, backend.basis().degree()}, secrecy, contents, backend.pool()) {}

  std::size_t degree() const noexcept { return storage_.shape().degree; }
  std::size_t limb_count() const noexcept { return storage_.shape().limb_count; }

  ConstPolyView<F> view() const { return storage_.template host<F>(0); }
  PolyView<F> view_for_writing() { return storage_.template host_for_writing<F>(0); }
  /// Return a view in the memory in which `backend` computes.
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
