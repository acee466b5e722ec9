// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>

#include "seal/memorymanager.h"
#include "seal/util/defines.h"
#include "seal/util/pointer.h"

namespace ringlet::seal4_util {

/// The complex roots of unity of one degree.
class ComplexRoots {
 public:
  /// @throws std::invalid_argument if the degree is no power of two or below 8, or without a pool.
  RINGLET_SEAL_API ComplexRoots(std::size_t degree_of_roots, seal4::MemoryPoolHandle pool);

  /// Returns exp(2*pi*i*index/degree), for any index.
  SEAL_NODISCARD std::complex<double> get_root(std::size_t index) const noexcept {
    return roots_[index & (degree_ - 1)];
  }

 private:
  std::size_t degree_;
  Pointer<std::complex<double>> roots_;
};

}  // namespace ringlet::seal4_util

namespace seal {
namespace util {
using namespace ringlet::seal4_util;
}
}  // namespace seal
