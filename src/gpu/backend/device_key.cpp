// SPDX-License-Identifier: Apache-2.0
#include "gpu/backend/device_key.hpp"

#include <cstdint>

#include "base/assert.hpp"

namespace ringlet::gpu {

DeviceKey::DeviceKey(const std::shared_ptr<DeviceMemory>& memory, std::span<const ConstNttView> b,
                     std::span<const ConstNttView> a)
    : digit_count_(b.size()),
      prime_count_(b.front().limb_count),
      degree_(b.front().degree),
      block_(memory, 2 * digit_count_ * prime_count_ * degree_, Secrecy::open) {
  RINGLET_ASSERT(a.size() == b.size());
  std::uint64_t* target = block_.words();
  for (std::size_t prime = 0; prime < prime_count_; ++prime) {
    for (std::size_t j = 0; j < digit_count_; ++j) {
      RINGLET_ASSERT(b[j].limb_count == prime_count_ && a[j].limb_count == prime_count_);
      for (const ConstNttView& pair_half : {b[j], a[j]}) {
        memory->upload(target, pair_half.limb(prime).data(), degree_);
        target += degree_;
      }
    }
  }
}

Limbs DeviceKey::resolve(const DeviceMemory& memory, std::size_t first_digit) const {
  return {memory.resolve(block_.words() + 2 * first_digit * degree_), 2 * digit_count_ * degree_};
}

}  // namespace ringlet::gpu
