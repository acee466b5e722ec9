// SPDX-License-Identifier: Apache-2.0
#include "fv/samplers.hpp"

#include <algorithm>

#include "rlwe/serialization/little_endian.hpp"

namespace ringlet::fv {

void sample_binary(std::span<std::int8_t> result, rlwe::RandomStream& stream) {
  constexpr std::size_t kPerBlock = 8 * rlwe::RandomStream::kBlockBytes;
  while (!result.empty()) {
    const auto block = stream.next_block();
    const std::size_t count = std::min(result.size(), kPerBlock);
    for (std::size_t i = 0; i < count; ++i) {
      result[i] = static_cast<std::int8_t>(block[i / 8] >> (i % 8) & 1);
    }
    result = result.subspan(count);
  }
}

void sample_secret(std::span<std::int8_t> result, SecretDistribution distribution,
                   const rlwe::Seed& seed) {
  if (distribution == SecretDistribution::binary) {
    rlwe::RandomStream stream(seed, {rlwe::StreamPurpose::binary});
    return sample_binary(result, stream);
  }
  rlwe::RandomStream stream(seed, {rlwe::StreamPurpose::ternary});
  rlwe::sample_ternary(result, stream);
}

// Out of line: a test that follows secrets through the program knows it by name.
[[gnu::noinline]] void sample_uniform(WidePoly& result, const WideModulus& q,
                                      rlwe::RandomStream& stream) {
  static_assert(rlwe::RandomStream::kBlockBytes % 16 == 0 &&
                rlwe::RandomStream::kBlockBytes % 24 == 0);
  const std::size_t words = q.word_count();
  const int top_bits = q.bit_count() - 64 * (static_cast<int>(words) - 1);
  const std::uint64_t top_mask = ~std::uint64_t{0} >> (64 - top_bits);
  // Plain pointers: the test knows this function by the frame in which an address is formed.
  std::uint64_t* planes[kWideWords] = {};
  for (std::size_t w = 0; w < words; ++w) planes[w] = result.plane(w).data();
  std::size_t filled = 0;
  while (filled < result.degree()) {
    const auto block = stream.next_block();
    for (std::size_t at = 0; at < block.size() && filled < result.degree(); at += 8 * words) {
      WideInteger value{};
      bool is_below = false;
      for (std::size_t w = 0; w < words; ++w) {
        value[w] = rlwe::load_little_endian(block.subspan(at + 8 * w, 8));
        if (w == words - 1) value[w] &= top_mask;
        is_below = value[w] < q.value()[w] || (value[w] == q.value()[w] && is_below);
      }
      for (std::size_t w = 0; w < words; ++w) planes[w][filled] = value[w];
      filled += static_cast<std::size_t>(is_below);
    }
  }
}

void expand_uniform(WidePoly& result, const WideModulus& q, const rlwe::Seed& public_seed) {
  rlwe::RandomStream stream(public_seed, {rlwe::StreamPurpose::wide_uniform});
  sample_uniform(result, q, stream);
}

}  // namespace ringlet::fv
