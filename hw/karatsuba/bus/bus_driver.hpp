// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hw/karatsuba/bus/registers.hpp"
#include "hw/karatsuba/model/resident_frames.hpp"
#include "ringlet/arith/wide_modulus.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/fv/wide_poly.hpp"

namespace ringlet::hw::bus {

/// The largest number of bits of q, and a lower bound that q exceeds: rtl/resident/README.md.
inline constexpr int kMaxModulusBits = 125;
inline constexpr std::uint64_t kModulusAbove = std::uint64_t{1} << 15;

/// The failures of a card.
enum class CardFault : std::uint8_t {
  busy,        ///< It still runs at the start of work: after a timeout.
  timeout,     ///< It was not idle in time.
  wrong_key,   ///< It holds another key than an encryption names.
  bad_result,  ///< It does not understand a frame, or its results do not fit the request.
};

/// A failure of the card, not of its user.
class CardError : public RuntimeError {
 public:
  CardError(CardFault fault, const ErrorDetails& details) : RuntimeError(details), fault_(fault) {}
  CardFault fault() const noexcept { return fault_; }
  [[noreturn]] void throw_with(const ErrorDetails& details) const override {
    throw CardError(fault_, details);
  }

 private:
  CardFault fault_;
};

/// Memory that the program and the card share. Each must see what the other writes without cache
/// maintenance: through a coherent port of the chip, or in memory mapped uncached.
struct CardMemory {
  std::span<resident::Burst> words;
  /// The card's address of words[0], in words of 16 bytes.
  std::uint64_t place = 0;
};

/// (C_1, C_2), coefficients in [0, q).
using Ciphertext = std::array<WidePoly, 2>;

/// The software half of the card on a chip's bus (rtl/bus): writes frames to the shared memory,
/// starts the card, waits for a bounded time and reads results. It is the card's only user, from
/// one thread at a time. Secrets stay in shared memory only during a call if the card ends in time.
class BusDriver {
 public:
  /// `registers` and the memory must outlive this. `degree` is n of the card's ring.
  /// @throws InvalidArgument if degree is 0 or the memory ends above the card's word 2^32.
  BusDriver(Registers& registers, const CardMemory& memory, std::size_t degree,
            std::chrono::milliseconds patience);

  /// Words of memory for a key, or for `count` encryptions at once.
  static std::size_t words_for_key(std::size_t degree) noexcept;
  static std::size_t words_for(std::size_t degree, std::size_t count) noexcept;

  /// Puts a key on the card and replaces the previous one.
  /// @throws InvalidArgument unless 2^15 < q < 2^125, the polynomials have n coefficients, they and
  ///         the value of a message bit are below q, and the memory is large enough; the call then
  ///         has no effect.
  /// @throws CardError busy, timeout, bad_result; after the last two the card has no key.
  void load_key(const resident::Key& key);

  /// (P_1 * U + E_1 + bit * message, P_2 * U + E_2) modulo (Phi_m, q) for each encryption, in
  /// order. The driver sets tags and ends of groups itself and ignores those of `encryptions`.
  /// @throws LogicError if no key was loaded.
  /// @throws InvalidArgument if there are none, operands do not have n coefficients, bits are not 0
  ///         or 1, or the memory is too small; the call then has no effect.
  /// @throws CardError in all four cases.
  std::vector<Ciphertext> encrypt(std::span<const resident::Encryption> encryptions);

 private:
  void require_room(const char* operation, std::size_t words) const;
  Status require_idle(const char* operation);
  void run(const char* operation, std::span<const resident::Burst> input,
           std::span<resident::Burst> output);
  std::vector<Ciphertext> take(std::span<const resident::Burst> stream, std::size_t count) const;

  Registers& registers_;
  CardMemory memory_;
  std::size_t degree_;
  std::chrono::milliseconds patience_;
  std::optional<WideModulus> modulus_;  // of the key on the card
};

}  // namespace ringlet::hw::bus
