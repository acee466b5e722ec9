// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "ringlet/base/export.hpp"

namespace ringlet {

/// Tells whether memory is wiped when it is released.
enum class Secrecy : std::uint8_t { open, secret };

/// The memory of a device in which a backend computes; Storage uses it. Host memory has no such
/// object: a null pointer to Memory means the host.
///
/// Its addresses lie in a range that this process has reserved but cannot read or write. Views hold
/// such addresses like any others, and only the backend of this memory resolves them. A program
/// that dereferences such an address on the host crashes. Operations take effect as if they ran one
/// after the other, in the order of the calls and of the backend's primitives. Only download()
/// waits. Threads may share it.
class RINGLET_API Memory {
 public:
  virtual ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Returns the name of the device, such as "gpu:0", for messages.
  virtual std::string name() const = 0;

  /// Returns the largest number of words of a block that several operands share: 1 GiB, or the
  /// largest allocation of a device.
  /// @throws LogicError if the device is closed.
  virtual std::size_t shared_block_words() const { return std::size_t{1} << 27; }

  /// Returns a block of `words` words, at least one, with unspecified contents.
  /// @throws RuntimeError if the device has not enough memory; LogicError if the device is closed.
  virtual std::uint64_t* allocate(std::size_t words, Secrecy secrecy) = 0;
  /// Releases a block of allocate(); secret words are wiped first. Work that was submitted earlier
  /// can still use the block.
  virtual void release(std::uint64_t* block) noexcept = 0;

  /// Copies words of the host to the device. The host's words may change as soon as the call
  /// returns.
  /// @throws as allocate.
  virtual void upload(std::uint64_t* target, const std::uint64_t* source, std::size_t words) = 0;
  /// Copies words of the device to the host, after all work on them.
  /// @throws RuntimeError if that work failed; LogicError if the device is closed.
  virtual void download(std::uint64_t* target, const std::uint64_t* source, std::size_t words) = 0;
  /// Copies words between two places of the device, which do not overlap.
  virtual void copy(std::uint64_t* target, const std::uint64_t* source, std::size_t words) = 0;

 protected:
  Memory() noexcept;

 private:
  friend class Storage;
  std::mutex sharing_mutex_;  ///< Held while storages move to shared blocks.
};

}  // namespace ringlet
