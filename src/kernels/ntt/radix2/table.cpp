// SPDX-License-Identifier: Apache-2.0
#include "kernels/ntt/radix2/table.hpp"

#include <new>
#include <vector>

#include "kernels/ntt/radix2/stream.hpp"
#include "kernels/ntt/signed/factor.hpp"
#include "kernels/ntt/twiddle_powers.hpp"

namespace ringlet::kernels {
namespace {

std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// Counts the words of a stream.
struct StreamCounter {
  const LaneLayout& layout;
  std::size_t words = 0;

  void operator()(const Pass& pass, std::size_t, std::size_t block_count) {
    words += block_count * record_words(pass, layout);
  }
};

std::size_t count_stream_words(const Schedule& schedule, const Radix2Shape& shape) {
  StreamCounter counter{shape.layout};
  walk_forward(schedule, counter);
  return round_up(counter.words, 8);
}

}  // namespace

TwiddlePair make_twiddle_pair(std::uint64_t w, std::uint64_t q, const Radix2Shape& shape) {
  if (shape.form > TwiddleForm::fraction) return make_signed_pair(w, q, shape.form);
  const uint128_t shifted = static_cast<uint128_t>(w) << shape.quotient_bits;
  const auto quotient = static_cast<std::uint64_t>(shifted / q);
  if (shape.form == TwiddleForm::quotient) return {w, quotient};
  const uint128_t rest = (shifted % q) << shape.quotient_bits;
  return {static_cast<std::uint64_t>(rest / q), quotient};
}

std::size_t radix2_table_bytes(int log_degree, const Radix2Shape& shape) {
  const Schedule schedule =
      make_schedule(log_degree, shape.layout.log_lanes, shape.max_row_stages, shape.max_far_stages);
  const std::size_t streams = shape.has_inverse ? 2 : 1;
  return sizeof(Radix2Table) +
         streams * sizeof(std::uint64_t) * count_stream_words(schedule, shape);
}

void build_radix2_table(void* memory, const NttRequest& request, const Radix2Shape& shape) {
  const Modulus q(request.q);
  auto* table = new (memory) Radix2Table;
  table->schedule = make_schedule(request.log_degree, shape.layout.log_lanes, shape.max_row_stages,
                                  shape.max_far_stages);
  table->q = request.q;
  table->ratio = q.ratio();
  table->stream_words = count_stream_words(table->schedule, shape);
  auto* stream = reinterpret_cast<std::uint64_t*>(table + 1);

  std::vector<std::uint64_t> twiddles = bit_reversed_powers(request.root, request.log_degree, q);
  Radix2StreamWriter forward(stream, twiddles, request.q, shape, shape.descending);
  walk_forward(table->schedule, forward);

  const std::uint64_t degree_inverse = inverse_mod(std::uint64_t{1} << request.log_degree, q);
  table->degree_inverse = make_twiddle_pair(degree_inverse, request.q, shape);
  if (!shape.has_inverse) return;
  twiddles = bit_reversed_powers(inverse_mod(request.root, q), request.log_degree, q);
  twiddles[1] = q.multiply(twiddles[1], degree_inverse);
  Radix2StreamWriter inverse(stream + table->stream_words, twiddles, request.q, shape);
  walk_inverse(table->schedule, inverse);
}

}  // namespace ringlet::kernels
