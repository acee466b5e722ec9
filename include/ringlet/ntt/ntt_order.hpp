// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ringlet/base/export.hpp"

namespace ringlet {

/// The order of the unordered values of a transform. It depends on the kernel and the degree, not
/// on the modulus or the root. If bit-reversed order costs a kernel no time, the kernel has only
/// this order. A small value type; equal for all plans that leave their values in the same order.
class RINGLET_API NttOrder {
 public:
  std::size_t degree() const noexcept { return degree_; }
  bool is_bit_reversed() const noexcept { return table_.empty(); }
  /// Returns "bit-reversed", or "table/algorithm" of the kernel that defines the order.
  std::string name() const;

  friend bool operator==(const NttOrder&, const NttOrder&) = default;

 private:
  friend class Ntt;
  /// Both names live as long as the process. They are empty for bit-reversed order.
  NttOrder(std::size_t degree, std::string_view table, std::string_view algorithm) noexcept
      : degree_(degree), table_(table), algorithm_(algorithm) {}

  std::size_t degree_;
  std::string_view table_;
  std::string_view algorithm_;
};

/// A view of the values of a transform, together with their order. Ntt::forward_unordered returns
/// it, and the calls that read unordered values take it, so that orders cannot be mixed up. The
/// view is valid as long as the words exist and hold these values. Ntt::as_unordered makes a view
/// of words that another computation wrote, such as sums.
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
