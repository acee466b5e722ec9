// SPDX-License-Identifier: Apache-2.0
#include "kernels/ntt/lazy/forward_table.hpp"

#include "kernels/ntt/lazy/level_stream.hpp"

namespace ringlet::kernels {
namespace {

/// Writes the stream as a visitor of walk_forward.
struct ForwardStreamWriter {
  LevelStreamWriter out;

  void operator()(const Pass& pass, std::size_t first_block, std::size_t blocks) {
    for (std::size_t b = first_block; b < first_block + blocks; ++b) out.write_level(pass, b, 1);
    if (pass.is_tail) {
      out.write_groups(groups_of(pass, first_block), groups_of(pass, blocks));
    }
  }
};

void fill_starts(std::uint64_t* out, const ForwardBiases& biases, std::uint64_t q) {
  for (int e = 0; e < kLevelRows; ++e) {
    out[e] = static_cast<std::uint64_t>(biases.row[e]) * q - q / 2;
  }
}

void fill_roots(LazyForward& forward, const NttRequest& request, const Radix2Shape& shape) {
  const Modulus q(request.q);
  const std::uint64_t quarter = (std::uint64_t{1} << request.log_degree) / 4;
  const auto pair = [&](std::uint64_t w) { return make_twiddle_pair(w, request.q, shape); };
  const std::uint64_t zeta = pow_mod(request.root, quarter, q);
  const std::uint64_t i = q.multiply(zeta, zeta);
  const std::uint64_t i_zeta = q.multiply(i, zeta);
  const std::uint64_t half = (request.q + 1) / 2;
  forward.i = pair(i);
  forward.zeta = pair(zeta);
  forward.i_zeta = pair(i_zeta);
  forward.half_difference = pair(q.multiply(half, q.reduce(zeta + request.q - i_zeta)));
  forward.half_sum = pair(q.multiply(half, q.reduce(zeta + i_zeta)));
}

}  // namespace

std::size_t lazy_forward_stream_words(int log_degree) {
  LevelStreamCounter counter;
  walk_forward(make_level_schedule(log_degree), counter);
  return counter.words;
}

void build_lazy_forward(LazyForward& forward, std::uint64_t* stream, const NttRequest& request,
                        const Radix2Shape& shape) {
  const std::uint64_t q = request.q;
  const bool tight = is_tight(q);
  forward.schedule = make_level_schedule(request.log_degree);
  forward.levels = forward_levels(forward.schedule, q);
  fill_starts(forward.pair_starts, forward_biases(2, tight), q);
  fill_starts(forward.triple_starts, forward_biases(3, tight), q);
  fill_starts(forward.last_starts, tight ? forward_biases(3, tight) : kForwardLastBiases, q);
  const auto bias = static_cast<std::uint64_t>(forward.levels.bias);
  forward.shift = bias * q;
  forward.centre = bias * q - q / 2;
  forward.negated_count = 1 - bias;
  forward.partner_start = static_cast<std::uint64_t>(forward_partner_bias(tight)) * q;
  forward.roundings = forward_roundings(tight);
  forward.bound = forward_interval(forward.levels, forward.schedule.pass_count, q).upper;
  fill_roots(forward, request, shape);
  ForwardStreamWriter writer{{stream, request, request.root, shape}};
  walk_forward(forward.schedule, writer);
}

}  // namespace ringlet::kernels
