// SPDX-License-Identifier: Apache-2.0
#include "ring/wide/finish.hpp"

#include <array>

#include "kernels/smooth/word_reduction.hpp"
#include "ring/wide/integer.hpp"
#include "ringlet/modular.hpp"

namespace ringlet::wide {
namespace {

__extension__ using int128_t = __int128;

/// value += limb * 2^(64 * word + shift), shift below 64.
RINGLET_INLINE void add_shifted(WideInteger& value, std::int64_t limb, std::size_t word,
                                int shift) {
  const auto shifted = static_cast<uint128_t>(static_cast<int128_t>(limb)) << shift;
  const auto sign = static_cast<std::uint64_t>(limb >> 63);
  const std::array<std::uint64_t, 3> part{static_cast<std::uint64_t>(shifted),
                                          static_cast<std::uint64_t>(shifted >> 64), sign};
  uint128_t carry = 0;
  for (std::size_t w = word; w < kWideWords; ++w) {
    carry += static_cast<uint128_t>(value[w]) + part[w - word];
    value[w] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
}

}  // namespace

Finish::Finish(const WideModulus& q, const LimbShape& shape)
    : barrett_(make_wide_barrett(q)),
      offset_(multiple_from(LongInteger::power_of_two(shape.value_bits), q)),
      shape_(shape) {}

void Finish::run(WidePoly& result, std::span<const std::uint64_t> planes, std::size_t stride,
                 std::span<const std::int32_t> e) const {
  std::array<std::uint64_t*, kWideWords> words{};
  for (std::size_t w = 0; w < result.word_count(); ++w) words[w] = result.plane(w).data();
  for (std::size_t i = 0; i < result.degree(); ++i) {
    WideInteger value = offset_;
    if (!e.empty()) kernels::add_signed(value, e[i]);
    for (std::size_t k = 0; k < shape_.limb_count; ++k) {
      const std::size_t bit = static_cast<std::size_t>(shape_.limb_bits) * k;
      add_shifted(value, static_cast<std::int64_t>(planes[k * stride + i]), bit / 64,
                  static_cast<int>(bit % 64));
    }
    kernels::reduce_words_modulo(value, barrett_);
    for (std::size_t w = 0; w < result.word_count(); ++w) words[w][i] = value[w];
  }
}

}  // namespace ringlet::wide
