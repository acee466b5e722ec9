// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

#include "seal/randomgen.h"
#include "seal/util/defines.h"

namespace ringlet::seal4 {

/// Adapts a generator to the interface that the distributions of the C++ library need.
class RandomToStandardAdapter {
 public:
  using result_type = std::uint32_t;

  /// Makes an adapter without a generator. Do not call it before another adapter is assigned to it.
  RandomToStandardAdapter() = default;

  /// Adapts `generator`. Throws std::invalid_argument for null.
  explicit RandomToStandardAdapter(std::shared_ptr<UniformRandomGenerator> generator)
      : generator_(std::move(generator)) {
    if (!generator_) {
      throw std::invalid_argument("RandomToStandardAdapter: the generator is null");
    }
  }

  SEAL_NODISCARD const std::shared_ptr<UniformRandomGenerator>& generator() const noexcept {
    return generator_;
  }

  SEAL_NODISCARD result_type operator()() { return generator_->generate(); }

  SEAL_NODISCARD static constexpr result_type min() noexcept {
    return std::numeric_limits<result_type>::min();
  }
  SEAL_NODISCARD static constexpr result_type max() noexcept {
    return std::numeric_limits<result_type>::max();
  }

 private:
  std::shared_ptr<UniformRandomGenerator> generator_;
};

}  // namespace ringlet::seal4

namespace seal {
using namespace ringlet::seal4;
}
