// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernels/ntt/radix2/table.hpp"

// For the builders of tables only: kernel units hold no containers.

namespace ringlet::kernels {

/// Writes one stream. `twiddles` has the twiddle of block b in stage s at index 2^s + b.
class Radix2StreamWriter {
 public:
  Radix2StreamWriter(std::uint64_t* out, const std::vector<std::uint64_t>& twiddles,
                     std::uint64_t q, const Radix2Shape& shape, bool descending = false)
      : out_(out), twiddles_(twiddles), q_(q), shape_(shape), descending_(descending) {}

  void operator()(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    const std::size_t mirror = descending_ ? (std::size_t{1} << pass.first_stage) - 1 : 0;
    for (std::size_t i = first_block; i < first_block + block_count; ++i) {
      const std::size_t block = i ^ mirror;
      write_tree(pass, block);
      if (pass.is_tail) {
        for (int v = 0; v < shape_.layout.log_lanes; ++v) {
          write_lane_stage(pass, block, v);
        }
      }
    }
  }

 private:
  void write_tree(const Pass& pass, std::size_t block) {
    std::uint64_t* const end = out_ + tree_words(pass);
    for (int u = 0; u < pass.row_stages; ++u) {
      const std::size_t count = std::size_t{1} << u;
      for (std::size_t j = 0; j < count; ++j) {
        const TwiddlePair pair = pair_at(pass.first_stage + u, block * count + j);
        *out_++ = pair.operand;
        *out_++ = pair.quotient;
      }
    }
    while (out_ != end) *out_++ = 0;
  }

  void write_lane_stage(const Pass& pass, std::size_t block, int v) {
    const std::size_t pairs = std::size_t{1} << (pass.row_stages - 1);
    const int words = shape_.layout.words[v];
    for (std::size_t r = 0; r < pairs; ++r) {
      const std::size_t base = (block * pairs + r) << (v + 1);
      for (int i = 0; i < words; ++i) {
        const auto x = static_cast<std::size_t>(shape_.layout.block_of_word[v][i]);
        const TwiddlePair pair = pair_at(pass.first_stage + pass.row_stages + v, base + x);
        out_[i] = pair.operand;
        out_[words + i] = pair.quotient;
      }
      out_ += 2 * words;
    }
  }

  TwiddlePair pair_at(int stage, std::size_t block) const {
    return make_twiddle_pair(twiddles_[(std::size_t{1} << stage) + block], q_, shape_);
  }

  std::uint64_t* out_;
  const std::vector<std::uint64_t>& twiddles_;
  std::uint64_t q_;
  const Radix2Shape& shape_;
  bool descending_;
};

}  // namespace ringlet::kernels
