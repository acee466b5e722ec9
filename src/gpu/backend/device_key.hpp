// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "gpu/backend/device_constants.hpp"
#include "gpu/backend/limbs.hpp"
#include "ringlet/ring/backend.hpp"

namespace ringlet::gpu {

/// A key-switching key in a device's memory, in the order in which products with digits read it:
/// for each prime, for each digit j, N words of b[j] and N words of a[j].
class DeviceKey final : public PreparedKey {
 public:
  /// Uploads the words of at least one pair on the host; all polynomials have as many limbs.
  /// @throws as DeviceMemory::allocate and upload.
  DeviceKey(const std::shared_ptr<DeviceMemory>& memory, std::span<const ConstNttView> b,
            std::span<const ConstNttView> a);

  std::size_t digit_count() const noexcept { return digit_count_; }
  std::size_t prime_count() const noexcept { return prime_count_; }
  /// Returns the words from digit `first_digit` on; the stride leads from prime to prime.
  /// @throws LogicError if they are not in `memory`.
  Limbs resolve(const DeviceMemory& memory, std::size_t first_digit) const;

 private:
  std::size_t digit_count_;
  std::size_t prime_count_;
  std::size_t degree_;
  DeviceBlock block_;
};

}  // namespace ringlet::gpu
