// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "hw/karatsuba/bus/registers.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::hw::bus {

/// Represents the registers if the card is a simulation in another process, which answers one
/// request after the other. It lies in memory that both share, and is zero at first.
struct Mailbox {
  enum class Kind : std::uint32_t { read = 0, write = 1 };
  std::atomic<std::uint32_t> request;  ///< Number of the latest one, written after its fields.
  std::atomic<std::uint32_t> answer;   ///< Number of the latest request that has an answer.
  Kind kind;
  std::uint32_t address;
  std::uint32_t value;       ///< The value to write, or the answer to a read.
  std::uint32_t run_cycles;  ///< With each answer: cycles of the last run, from start to idle.
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free && sizeof(Mailbox) == 24,
              "processes of different processors agree on it");

/// The program's side of a mailbox.
class MailboxRegisters : public Registers {
 public:
  /// The mailbox must outlive this.
  MailboxRegisters(Mailbox& mailbox, std::chrono::milliseconds patience) noexcept
      : mailbox_(mailbox), patience_(patience) {}

  /// @throws RuntimeError, like status(), if no answer comes in time.
  void write(Register name, std::uint32_t value) override {
    mailbox_.kind = Mailbox::Kind::write;
    mailbox_.address = static_cast<std::uint32_t>(name);
    mailbox_.value = value;
    exchange();
  }
  Status status() override {
    mailbox_.kind = Mailbox::Kind::read;
    exchange();
    return {mailbox_.value};
  }
  /// Cycles of the last run of the simulation, known after any access.
  std::uint32_t run_cycles() const noexcept { return mailbox_.run_cycles; }

 private:
  void exchange() {
    const std::uint32_t number = mailbox_.request.load(std::memory_order_relaxed) + 1;
    mailbox_.request.store(number, std::memory_order_release);
    const auto end = std::chrono::steady_clock::now() + patience_;
    while (mailbox_.answer.load(std::memory_order_acquire) != number) {
      if (std::chrono::steady_clock::now() > end) {
        throw_runtime_error({"registers of the simulated card", "no answer", "an answer in time",
                             "see what the simulation says"});
      }
      std::this_thread::yield();
    }
  }

  Mailbox& mailbox_;
  std::chrono::milliseconds patience_;
};

}  // namespace ringlet::hw::bus
