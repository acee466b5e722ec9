// SPDX-License-Identifier: Apache-2.0
#include "ring/cyclotomic/galois.hpp"

#include <algorithm>
#include <array>

#include "arith/bits.hpp"
#include "base/assert.hpp"

namespace ringlet {
namespace {

constexpr std::size_t kMaxBlockSize = 8;

}  // namespace

GaloisPermutation::GaloisPermutation(std::size_t degree)
    : degree_(degree),
      block_size_(std::min(degree, kMaxBlockSize)),
      reversed_blocks_(degree / block_size_) {
  const int bits = log2_exact(reversed_blocks_.size());
  for (std::size_t i = 0; i < reversed_blocks_.size(); ++i) {
    reversed_blocks_[i] = static_cast<std::uint32_t>(reverse_bits(i, bits));
  }
}

template <typename Block>
void GaloisPermutation::for_blocks(std::uint64_t galois_element, const Block& block) const {
  const std::size_t blocks = reversed_blocks_.size();
  const int block_bits = log2_exact(blocks);
  const std::uint64_t offset = galois_element / 2;
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::uint64_t t = (galois_element * reversed_blocks_[i] + offset) & (degree_ - 1);
    block(i, reversed_blocks_[t & (blocks - 1)], t >> block_bits);
  }
}

std::size_t GaloisPermutation::lane_source(std::size_t pattern, std::size_t lane,
                                           std::uint64_t galois_element) const {
  const int lane_bits = log2_exact(block_size_);
  const std::uint64_t t = pattern + galois_element * reverse_bits(lane, lane_bits);
  return reverse_bits(t & (block_size_ - 1), lane_bits);
}

void GaloisPermutation::apply_to_values(std::span<std::uint64_t> result,
                                        std::span<const std::uint64_t> a,
                                        std::uint64_t galois_element) const {
  RINGLET_ASSERT(result.size() == degree_ && a.size() == degree_);
  std::array<std::array<std::uint8_t, kMaxBlockSize>, kMaxBlockSize> patterns{};
  for (std::size_t c = 0; c < block_size_; ++c) {
    for (std::size_t lane = 0; lane < block_size_; ++lane) {
      patterns[c][lane] = static_cast<std::uint8_t>(lane_source(c, lane, galois_element));
    }
  }
  for_blocks(galois_element, [&](std::size_t i, std::size_t source_block, std::size_t c) {
    const std::uint64_t* const source = &a[source_block * block_size_];
    std::uint64_t* const target = &result[i * block_size_];
    for (std::size_t lane = 0; lane < block_size_; ++lane) target[lane] = source[patterns[c][lane]];
  });
}

void GaloisPermutation::describe_values(std::span<std::uint32_t> sources,
                                        std::span<std::uint64_t, 64> patterns,
                                        std::uint64_t galois_element) const {
  RINGLET_ASSERT(block_size_ == kMaxBlockSize && sources.size() == reversed_blocks_.size());
  for (std::size_t c = 0; c < kMaxBlockSize; ++c) {
    for (std::size_t lane = 0; lane < kMaxBlockSize; ++lane) {
      patterns[c * kMaxBlockSize + lane] = lane_source(c, lane, galois_element);
    }
  }
  for_blocks(galois_element, [&](std::size_t i, std::size_t source_block, std::size_t c) {
    sources[i] = static_cast<std::uint32_t>(source_block * kMaxBlockSize + c);
  });
}

void GaloisPermutation::apply_to_coefficients(std::span<std::uint64_t> result,
                                              std::span<const std::uint64_t> a,
                                              std::uint64_t galois_element,
                                              const Modulus& q) const {
  RINGLET_ASSERT(result.size() == degree_ && a.size() == degree_);
  const int degree_bits = log2_exact(degree_);
  std::uint64_t exponent = 0;  // i * galois_element mod 2N
  for (std::size_t i = 0; i < degree_; ++i) {
    // X^(N+k) = -X^k. Both values are computed, because the sign changes too often to predict.
    const std::uint64_t negative = std::uint64_t{0} - (exponent >> degree_bits);
    const std::uint64_t negated = negate_mod(a[i], q.value());
    result[exponent & (degree_ - 1)] = (a[i] & ~negative) | (negated & negative);
    exponent = (exponent + galois_element) & (2 * degree_ - 1);
  }
}

}  // namespace ringlet
