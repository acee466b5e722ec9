// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace ringlet::gpu {

/// Addresses of this process that stand for words of a device. They are reserved, so that nothing
/// else gets them, and have no memory, so that the processor stops a program that reads or writes
/// one. One page more than requested is reserved: no two ranges touch, and an address behind one is
/// not in another.
class AddressRange {
 public:
  AddressRange() noexcept = default;
  /// @throws RuntimeError if the process has no addresses left.
  explicit AddressRange(std::size_t words);
  ~AddressRange();
  AddressRange(AddressRange&& other) noexcept;
  AddressRange& operator=(AddressRange&& other) noexcept;

  std::uint64_t* begin() const noexcept { return begin_; }

 private:
  std::uint64_t* begin_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace ringlet::gpu
