// SPDX-License-Identifier: Apache-2.0
#include "kernels/ntt/lazy/inverse_table.hpp"

#include "kernels/ntt/lazy/level_stream.hpp"

namespace ringlet::kernels {
namespace {

/// Writes the stream as a visitor of walk_lazy_inverse.
struct InverseStreamWriter {
  LevelStreamWriter out;
  std::uint64_t degree_inverse;

  void operator()(const Pass& pass, std::size_t first_block, std::size_t blocks) {
    if (pass.is_tail) {
      out.write_groups(groups_of(pass, first_block), groups_of(pass, blocks));
    }
    for (std::size_t b = first_block; b < first_block + blocks; ++b) {
      out.write_level(pass, b, pass.first_stage == 0 ? degree_inverse : 1);
    }
  }
};

void fill_multiples(std::uint64_t* out, const InverseBiases& biases, std::uint64_t q,
                    std::uint64_t subtrahend) {
  for (int e = 0; e < kLevelRows; ++e) {
    out[e] = static_cast<std::uint64_t>(biases.row[e]) * q - subtrahend;
  }
}

}  // namespace

std::size_t lazy_inverse_stream_words(int log_degree) {
  LevelStreamCounter counter;
  walk_lazy_inverse(make_level_schedule(log_degree), counter);
  return counter.words;
}

void build_lazy_inverse(LazyInverse& inverse, std::uint64_t* stream, const NttRequest& request,
                        const Radix2Shape& shape) {
  const Modulus q(request.q);
  const bool tight = is_tight(request.q);
  inverse.schedule = make_level_schedule(request.log_degree);
  fill_multiples(inverse.pair_starts, inverse_biases(2, tight), request.q, request.q / 2);
  fill_multiples(inverse.triple_starts, inverse_biases(3, tight), request.q, request.q / 2);
  for (int e = 0; e < kLevelRows; ++e) {
    inverse.pair_counts[e] = static_cast<std::uint64_t>(1 - inverse_biases(2, tight).row[e]);
  }
  fill_multiples(inverse.input_biases, inverse_input_biases(tight), request.q, 0);

  const std::uint64_t degree = std::uint64_t{1} << request.log_degree;
  const auto root_power = [&](std::uint64_t exponent) {
    return make_twiddle_pair(pow_mod(inverse_mod(request.root, q), exponent, q), request.q, shape);
  };
  inverse.i = root_power(degree / 2);
  inverse.zeta = root_power(degree / 4);
  inverse.i_zeta = root_power(degree / 2 + degree / 4);
  const std::uint64_t degree_inverse = inverse_mod(degree, q);
  inverse.degree_inverse = make_twiddle_pair(degree_inverse, request.q, shape);

  InverseStreamWriter writer{{stream, request, inverse_mod(request.root, q), shape},
                             degree_inverse};
  walk_lazy_inverse(inverse.schedule, writer);
}

}  // namespace ringlet::kernels
