// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the program knows of the interfaces that it compares. C++17: a module with another SEAL
// includes this header, too.

#include <cstddef>
#include <cstdint>
#include <memory>

namespace ringlet::bench {

enum class SealScheme : std::uint8_t { bfv, bgv, ckks };

/// The operations of one interface for one scheme and degree, with keys and operands.
class SealRows {
 public:
  virtual ~SealRows() = default;
  virtual std::size_t size() const = 0;
  virtual const char* name(std::size_t row) const = 0;
  /// Runs the operation once. Returns whether its result is right.
  virtual bool is_right(std::size_t row) = 0;
  /// Returns microseconds per call; copies of operands before the calls do not count.
  virtual double time(std::size_t row, std::int64_t calls) = 0;
};

using MakeSealRows = std::unique_ptr<SealRows>(SealScheme scheme, std::size_t degree);

MakeSealRows make_own_rows;   ///< Ringlet's own interface.
MakeSealRows make_seal_rows;  ///< SEAL's interface of the library that is linked.

}  // namespace ringlet::bench
