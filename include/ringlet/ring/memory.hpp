// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "ringlet/base/export.hpp"

namespace ringlet {

/// Whether memory is wiped when it is released.
enum class Secrecy : std::uint8_t { open, secret };

/// Memory of a device in which a backend computes, as Storage uses it. The host's own memory needs
/// no such object: where a Memory is expected, null stands for it.
///
/// Addresses are in a range that this process has reserved and cannot touch: views are made of them
/// and narrowed like any other, the backend that belongs to the memory resolves them, and whoever
/// follows one on the host is stopped by the processor. Operations take effect in the order of the
/// calls and of the primitives of the backend, as if one after the other; only download() waits.
/// Used by several threads.
class RINGLET_API Memory {
 public:
  virtual ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// For people, and for messages: the name of the device, such as "gpu:0".
  virtual std::string name() const = 0;

  /// Most words of a block that several operands share: 1 GiB, or what a device allocates at once.
  /// @throws LogicError if it is closed.
  virtual std::size_t shared_block_words() const { return std::size_t{1} << 27; }

  /// A block of `words` words, at least one, with unspecified contents.
  /// @throws RuntimeError if the device has no memory for it; LogicError if it is closed.
  virtual std::uint64_t* allocate(std::size_t words, Secrecy secrecy) = 0;
  /// Gives back a block of allocate(), whose words are wiped first if they are secret. Work that
  /// was submitted before still finds it.
  virtual void release(std::uint64_t* block) noexcept = 0;

  /// Words of the host to the device; they may be changed as soon as the call returns.
  /// @throws as allocate.
  virtual void upload(std::uint64_t* target, const std::uint64_t* source, std::size_t words) = 0;
  /// Words of the device to the host, when all work on them is done.
  /// @throws RuntimeError if that work failed; LogicError if the device is closed.
  virtual void download(std::uint64_t* target, const std::uint64_t* source, std::size_t words) = 0;
  /// Between two places of the device, which do not overlap.
  virtual void copy(std::uint64_t* target, const std::uint64_t* source, std::size_t words) = 0;

 protected:
  Memory() noexcept;

 private:
  friend class Storage;
  std::mutex sharing_mutex_;  ///< Held while words move to blocks that they share.
};

}  // namespace ringlet
