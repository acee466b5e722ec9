// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/ring/storage.hpp"

// Views of the same words in the other form, for transforms in place.

namespace ringlet {

inline CoeffView as_coefficients(NttView view) {
  return {view.data, view.degree, view.limb_count, view.limb_stride};
}

inline NttView as_values(CoeffView view) {
  return {view.data, view.degree, view.limb_count, view.limb_stride};
}

}  // namespace ringlet
