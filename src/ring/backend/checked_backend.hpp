// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include "ringlet/ring/backend.hpp"

namespace ringlet {

/// A backend that asserts the shapes of the views that it is given.
class CheckedBackend : public Backend {
 protected:
  using Backend::Backend;

  template <Form F, typename Word>
  bool fits(const BasicPolyView<F, Word>& view, std::size_t limb_count) const {
    return view.degree == basis().degree() && view.limb_count == limb_count &&
           (limb_count <= 1 || view.limb_stride >= view.degree);
  }
  /// Whether all views have one limb per entry of `primes`, all of them of this basis.
  template <typename... Views>
  bool match(PrimeIndices primes, const Views&... views) const {
    return std::all_of(primes.begin(), primes.end(),
                       [this](std::size_t prime) { return prime < basis().size(); }) &&
           (fits(views, primes.size()) && ...);
  }
};

}  // namespace ringlet
