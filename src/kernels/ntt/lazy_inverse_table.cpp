// SPDX-License-Identifier: Apache-2.0
#include "kernels/ntt/lazy_inverse_table.hpp"

#include <algorithm>
#include <vector>

#include "kernels/ntt/twiddle_powers.hpp"

namespace ringlet::kernels {
namespace {

struct StreamCounter {
  std::size_t words = 0;

  void operator()(const Pass& pass, std::size_t, std::size_t blocks) {
    words += inverse_stream_words(pass, blocks);
  }
};

/// Writes the stream as a visitor of walk_lazy_inverse.
class StreamWriter {
 public:
  StreamWriter(std::uint64_t* out, const NttRequest& request, std::uint64_t degree_inverse,
               const Radix2Shape& shape)
      : out_(out),
        log_degree_(request.log_degree),
        degree_inverse_(degree_inverse),
        q_(request.q),
        roots_(bit_reversed_powers(inverse_mod(request.root, q_), request.log_degree, q_)),
        shape_(shape) {}

  void operator()(const Pass& pass, std::size_t first_block, std::size_t blocks) {
    if (pass.is_tail) {
      const std::size_t first_group = inverse_groups(pass, first_block);
      const std::size_t groups = inverse_groups(pass, blocks);
      for (std::size_t g = first_group; g < first_group + groups; ++g) write_group(g);
    }
    for (std::size_t b = first_block; b < first_block + blocks; ++b) write_level(pass, b);
  }

 private:
  /// The inverse of r of a level of `stages` stages from first_stage on.
  std::uint64_t root(int first_stage, int stages, std::size_t block) const {
    return roots_[(std::size_t{1} << (first_stage + stages - 1)) + (block << (stages - 1))];
  }

  void write_level(const Pass& pass, std::size_t block) {
    std::uint64_t* const end = out_ + inverse_level_words(pass.row_stages);
    const std::uint64_t r = root(pass.first_stage, pass.row_stages, block);
    std::uint64_t power = pass.first_stage == 0 ? degree_inverse_ : 1;
    for (int j = 1; j < 1 << pass.row_stages; ++j) {
      power = q_.multiply(power, r);
      const TwiddlePair pair = make_twiddle_pair(power, q_.value(), shape_);
      *out_++ = pair.operand;
      *out_++ = pair.quotient;
    }
    while (out_ != end) *out_++ = 0;
  }

  void write_group(std::size_t group) {
    constexpr std::size_t kBlocks = std::size_t{1} << kInverseLogLanes;
    for (std::size_t lane = 0; lane < kBlocks; ++lane) {
      const std::uint64_t r =
          root(log_degree_ - kInverseLogLanes, kInverseLogLanes, group * kBlocks + lane);
      std::uint64_t power = 1;
      for (std::size_t j = 1; j < kInverseLevelRows; ++j) {
        power = q_.multiply(power, r);
        const TwiddlePair pair = make_twiddle_pair(power, q_.value(), shape_);
        out_[(j - 1) * 2 * kBlocks + lane] = pair.operand;
        out_[(j - 1) * 2 * kBlocks + kBlocks + lane] = pair.quotient;
      }
    }
    out_ += kInverseLaneWords;
  }

  std::uint64_t* out_;
  int log_degree_;
  std::uint64_t degree_inverse_;
  Modulus q_;
  std::vector<std::uint64_t> roots_;
  const Radix2Shape& shape_;
};

void fill_multiples(std::uint64_t* out, const InverseBiases& biases, std::uint64_t q,
                    std::uint64_t subtrahend) {
  for (int e = 0; e < kInverseLevelRows; ++e) {
    out[e] = static_cast<std::uint64_t>(biases.row[e]) * q - subtrahend;
  }
}

}  // namespace

std::size_t lazy_inverse_stream_words(int log_degree) {
  StreamCounter counter;
  walk_lazy_inverse(make_inverse_schedule(log_degree), counter);
  return counter.words;
}

void build_lazy_inverse(LazyInverse& inverse, std::uint64_t* stream, const NttRequest& request,
                        const Radix2Shape& shape) {
  const Modulus q(request.q);
  const bool tight = inverse_is_tight(request.q);
  inverse.schedule = make_inverse_schedule(request.log_degree);
  fill_multiples(inverse.pair_starts, inverse_biases(2, tight), request.q, request.q / 2);
  fill_multiples(inverse.triple_starts, inverse_biases(3, tight), request.q, request.q / 2);
  for (int e = 0; e < kInverseLevelRows; ++e) {
    inverse.pair_counts[e] = static_cast<std::uint64_t>(1 - inverse_biases(2, tight).row[e]);
  }
  fill_multiples(inverse.input_biases, kInverseInputBiases, request.q, 0);

  const std::uint64_t degree = std::uint64_t{1} << request.log_degree;
  const auto root_power = [&](std::uint64_t exponent) {
    return make_twiddle_pair(pow_mod(inverse_mod(request.root, q), exponent, q), request.q, shape);
  };
  inverse.i = root_power(degree / 2);
  inverse.zeta = root_power(degree / 4);
  inverse.i_zeta = root_power(degree / 2 + degree / 4);
  const std::uint64_t degree_inverse = inverse_mod(degree, q);
  inverse.degree_inverse = make_twiddle_pair(degree_inverse, request.q, shape);

  StreamWriter writer(stream, request, degree_inverse, shape);
  walk_lazy_inverse(inverse.schedule, writer);
}

}  // namespace ringlet::kernels
