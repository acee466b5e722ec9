// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernels/ntt/lazy/levels.hpp"
#include "kernels/ntt/radix2/table.hpp"
#include "kernels/ntt/twiddle_powers.hpp"

// For the builders of tables only: kernel units hold no containers.

namespace ringlet::kernels {

/// Counts the words of a stream, as a visitor of its walk.
struct LevelStreamCounter {
  std::size_t words = 0;

  void operator()(const Pass& pass, std::size_t, std::size_t blocks) {
    words += level_stream_words(pass, blocks);
  }
};

/// Writes the outer factors of levels: the powers of r, or of 1/r if `root` is the inverse root.
class LevelStreamWriter {
 public:
  LevelStreamWriter(std::uint64_t* out, const NttRequest& request, std::uint64_t root,
                    const Radix2Shape& shape)
      : out_(out),
        log_degree_(request.log_degree),
        q_(request.q),
        roots_(bit_reversed_powers(root, request.log_degree, q_)),
        shape_(shape) {}

  /// Writes the factors of one block, each times `scale`.
  void write_level(const Pass& pass, std::size_t block, std::uint64_t scale) {
    std::uint64_t* const end = out_ + level_words(pass.row_stages);
    const std::uint64_t r = root(pass.first_stage, pass.row_stages, block);
    std::uint64_t power = scale;
    for (int j = 1; j < 1 << pass.row_stages; ++j) {
      power = q_.multiply(power, r);
      const TwiddlePair pair = make_twiddle_pair(power, q_.value(), shape_);
      *out_++ = pair.operand;
      *out_++ = pair.quotient;
    }
    while (out_ != end) *out_++ = 0;
  }

  /// Writes the factors of the level inside vectors, for some groups.
  void write_groups(std::size_t first_group, std::size_t groups) {
    for (std::size_t group = first_group; group < first_group + groups; ++group) {
      write_group(group);
    }
  }

 private:
  std::uint64_t root(int first_stage, int stages, std::size_t block) const {
    return roots_[(std::size_t{1} << (first_stage + stages - 1)) + (block << (stages - 1))];
  }

  void write_group(std::size_t group) {
    constexpr std::size_t kBlocks = std::size_t{1} << kLevelLogLanes;
    for (std::size_t lane = 0; lane < kBlocks; ++lane) {
      const std::uint64_t r =
          root(log_degree_ - kLevelLogLanes, kLevelLogLanes, group * kBlocks + lane);
      std::uint64_t power = 1;
      for (std::size_t j = 1; j < kLevelRows; ++j) {
        power = q_.multiply(power, r);
        const TwiddlePair pair = make_twiddle_pair(power, q_.value(), shape_);
        out_[(j - 1) * 2 * kBlocks + lane] = pair.operand;
        out_[(j - 1) * 2 * kBlocks + kBlocks + lane] = pair.quotient;
      }
    }
    out_ += kLaneFactorWords;
  }

  std::uint64_t* out_;
  int log_degree_;
  Modulus q_;
  std::vector<std::uint64_t> roots_;
  const Radix2Shape& shape_;
};

}  // namespace ringlet::kernels
