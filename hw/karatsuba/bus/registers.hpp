// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace ringlet::hw::bus {

static_assert(std::endian::native == std::endian::little,
              "words of the card are written as the processor keeps them, low byte first");

/// Registers of rtl/bus/bus_card.sv, 32 bits each. Addresses and counts are in words of 16 bytes.
enum class Register : std::uint8_t {
  source = 0,
  source_count = 1,
  target = 2,
  target_count = 3,
  start = 4,  ///< Any value.
};
inline constexpr std::size_t kRegisters = 5;

/// The result of a read of any register.
struct Status {
  std::uint32_t value = 0;
  bool is_idle() const noexcept { return (value & 3) == 0; }
  /// Frames of unknown kinds since the reset, modulo 2^16.
  std::uint16_t unknown_frames() const noexcept { return static_cast<std::uint16_t>(value >> 16); }
};

/// Makes all earlier accesses of the program, to memory or to registers, visible to the card before
/// all later ones. ISO C++ orders threads alone: a card is no thread, and on ARM it may lie outside
/// of the domain that atomic_thread_fence (dmb ish) orders.
inline void fence_for_card() noexcept {
#if defined(__aarch64__)
  asm volatile("dmb osh" ::: "memory");
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

/// Gives a program access to the card's registers. Accesses happen once each and in the program's
/// order. They do not order other accesses, as fence_for_card() does.
class Registers {
 public:
  Registers() = default;
  Registers(const Registers&) = delete;
  Registers& operator=(const Registers&) = delete;
  virtual ~Registers() = default;
  virtual void write(Register name, std::uint32_t value) = 0;
  virtual Status status() = 0;
};

/// Registers that lie in the program's address space one after the other, as mapped from a device
/// file. `base` must be mapped as device memory, and outlive this.
class MappedRegisters : public Registers {
 public:
  explicit MappedRegisters(volatile std::uint32_t* base) noexcept : base_(base) {}
  void write(Register name, std::uint32_t value) override {
    base_[static_cast<std::size_t>(name)] = value;
  }
  Status status() override { return {base_[0]}; }

 private:
  volatile std::uint32_t* base_;
};

}  // namespace ringlet::hw::bus
