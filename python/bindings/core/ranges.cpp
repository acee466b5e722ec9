// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "bindings/core/arrays.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::python {

template <typename Word>
void check_range(const char* operation, const char* name,
                 std::type_identity_t<std::span<const Word>> values, std::uint64_t q, int factor) {
  constexpr std::uint64_t kTopBit = std::uint64_t{1} << 63;
  const std::uint64_t end = static_cast<std::uint64_t>(factor) * q;
  bool too_large = false;
  if (end <= kTopBit) {
    // If a value is too large, the subtraction borrows or the value has the top bit itself. This
    // needs no comparison per word.
    std::uint64_t excess = 0;
    for (const std::uint64_t value : values) excess |= value | (end - 1 - value);
    too_large = (excess & kTopBit) != 0;
  } else {
    std::uint64_t largest = 0;
    for (const std::uint64_t value : values) largest = std::max(largest, value);
    too_large = largest >= end;
  }
  if (!too_large) return;
  const std::string bound = factor == 1 ? "q" : std::to_string(factor) + "*q";
  throw_invalid_argument({operation, std::string(name) + " holds a value >= " + bound,
                          "values in [0, " + bound + "), q = " + std::to_string(q),
                          "reduce the values first, for example with Eltwise(q).reduce"});
}

template void check_range<std::uint64_t>(const char*, const char*, Source, std::uint64_t, int);
template void check_range<std::uint32_t>(const char*, const char*, std::span<const std::uint32_t>,
                                         std::uint64_t, int);

}  // namespace ringlet::python
