// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ringlet/base/export.hpp"

namespace ringlet {

/// The order in which the unordered values of a transform stand: of a kernel and a degree, whatever
/// the modulus and the root. Kernels to which bit-reversed order costs nothing have no other one.
/// A value of a few words; equal for all plans that leave their values in the same order.
class RINGLET_API NttOrder {
 public:
  std::size_t degree() const noexcept { return degree_; }
  bool is_bit_reversed() const noexcept { return table_.empty(); }
  /// "bit-reversed", or "table/algorithm" of the kernel whose order it is.
  std::string name() const;

  friend bool operator==(const NttOrder&, const NttOrder&) = default;

 private:
  friend class Ntt;
  /// Both names last as long as the process, and are empty for bit-reversed order.
  NttOrder(std::size_t degree, std::string_view table, std::string_view algorithm) noexcept
      : degree_(degree), table_(table), algorithm_(algorithm) {}

  std::size_t degree_;
  std::string_view table_;
  std::string_view algorithm_;
};

/// Values of a transform and the order in which they stand: what Ntt::forward_unordered returns and
/// what the calls that read such values take, so that orders cannot be mixed. A view: it is good
/// for as long as the words are there and hold those values. Ntt::as_unordered makes one of words
/// that came another way, such as sums.
class RINGLET_API UnorderedValues {
 public:
  std::span<const std::uint64_t> words() const noexcept { return words_; }
  const NttOrder& order() const noexcept { return order_; }

 private:
  friend class Ntt;
  UnorderedValues(std::span<const std::uint64_t> words, const NttOrder& order) noexcept
      : words_(words), order_(order) {}

  std::span<const std::uint64_t> words_;
  NttOrder order_;
};

}  // namespace ringlet
