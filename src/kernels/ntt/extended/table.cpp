// SPDX-License-Identifier: Apache-2.0
#include "kernels/ntt/extended/table.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <new>
#include <utility>
#include <vector>

#include "kernels/ntt/radix2/stream.hpp"
#include "kernels/ntt/twiddle_powers.hpp"

namespace ringlet::kernels {
namespace {

std::size_t whole_lines(std::size_t words) { return (words + 7) / 8 * 8; }

bool has_lane_tail(const ExtendedShape& shape) { return shape.layout.log_lanes > 0; }

/// Returns the pass whose records a tail on pairs of vectors has, also where the stage between the
/// two vectors belongs to a radix-4 butterfly.
Pass pass_of_pairs(const Schedule& schedule) {
  return {schedule.log_degree - schedule.log_lanes - 1, 1, true};
}

/// Words of one stream of row passes and of one of tails.
struct StreamWords {
  std::size_t rows = 0;
  std::size_t tail = 0;
};

StreamWords count_words(const Schedule& schedule, const ExtendedShape& shape) {
  const std::size_t degree = std::size_t{1} << schedule.log_degree;
  StreamWords words;
  for (int p = 0; p < schedule.pass_count; ++p) {
    const Pass& pass = schedule.passes[p];
    if (pass.is_tail && has_lane_tail(shape)) continue;
    words.rows += extended_block_words(pass.row_stages) << pass.first_stage;
  }
  if (shape.variant.order == TwiddleOrder::extended_reverse) words.rows = 4 * degree;
  if (has_lane_tail(shape)) {
    const Pass& tail = schedule.passes[schedule.pass_count - 1];
    const int lanes = shape.layout.log_lanes;
    if (shape.variant.tail == ExtendedTail::pairs) {
      const Pass pair = pass_of_pairs(schedule);
      words.tail = record_words(pair, shape.layout) << pair.first_stage;
    } else {
      const std::size_t vectors = degree >> lanes;
      const std::size_t groups = vectors < kQuadTailVectors ? 1 : vectors / kQuadTailVectors;
      words.tail = groups * quad_tail_words(shape.layout, tail.row_stages);
    }
  }
  return {whole_lines(words.rows), whole_lines(words.tail)};
}

/// Where the factors of one transform go.
struct ExtendedStreams {
  std::uint64_t* rows;
  std::uint64_t* tail;
  bool is_inverse;
};

/// Writes the factors of one transform as a visitor of its walk.
class ExtendedWriter {
 public:
  ExtendedWriter(const ExtendedStreams& streams, std::vector<std::uint64_t> twiddles,
                 std::uint64_t scale, const Modulus& q, const ExtendedShape& shape)
      : rows_(streams.rows),
        tail_(streams.tail),
        is_inverse_(streams.is_inverse),
        twiddles_(std::move(twiddles)),
        scale_(scale),
        q_(q),
        shape_(shape),
        pairs_shape_(shape.pairs()),
        pairs_(tail_, twiddles_, q.value(), pairs_shape_) {
    const int log_degree = std::countr_zero(twiddles_.size());
    const bool is_all_pairs = shape.variant.tail == ExtendedTail::pairs &&
                              extended_tail_stages(log_degree, shape) == log_degree;
    if (is_all_pairs) twiddles_[1] = q.multiply(twiddles_[1], scale);
  }

  void operator()(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    if (shape_.variant.order == TwiddleOrder::extended_reverse) return;
    if (!pass.is_tail || !has_lane_tail(shape_)) {
      for (std::size_t i = 0; i < block_count; ++i) write_block(pass, first_block + i);
    } else if (shape_.variant.tail == ExtendedTail::pairs) {
      const int log_pair = shape_.layout.log_lanes + 1;
      const int first_stage = pass.first_stage + pass.row_stages - log_pair;
      pairs_({first_stage, 1, true}, (first_block << pass.row_stages) >> log_pair,
             (block_count << pass.row_stages) >> log_pair);
    } else {
      write_quad_tail(pass, first_block, block_count);
    }
  }

  /// Writes the rows by index. The factor at bit-reversed index i is at 2i. Behind a factor of an
  /// odd stage is its product with the factor of the stage before, negated for the second of two.
  void write_extended_reverse() {
    for (std::size_t i = 1; i < twiddles_.size(); ++i) {
      const int stage = static_cast<int>(std::bit_width(i)) - 1;
      const std::size_t block = i - (std::size_t{1} << stage);
      write_at(2 * i, scaled(twiddles_[i], stage & ~1));
      if (stage % 2 == 0) continue;
      const int factor = block % 2 == 0 ? 3 : 4;
      write_at(2 * i + 1, quad_factor(stage - 1, block / 2, factor));
    }
  }

 private:
  static constexpr int kFactors = 5;

  std::uint64_t scaled(std::uint64_t w, int stage) const {
    return stage == 0 ? q_.multiply(w, scale_) : w;
  }
  std::uint64_t at(int stage, std::size_t block) const {
    return twiddles_[(std::size_t{1} << stage) + block];
  }
  /// Factor w1..w5 (0 to 4) of the radix-4 butterfly of stages s and s + 1 in block b of stage s.
  std::uint64_t quad_factor(int stage, std::size_t block, int factor) const {
    const std::uint64_t w1 = at(stage, block);
    const std::uint64_t w2 = at(stage + 1, 2 * block);
    const std::uint64_t w3 = at(stage + 1, 2 * block + 1);
    const std::uint64_t products[kFactors] = {w1, w2, w3, q_.multiply(w1, w2),
                                              q_.value() - q_.multiply(w1, w3)};
    return scaled(products[factor], stage);
  }

  void write_at(std::size_t index, std::uint64_t w) {
    const TwiddlePair pair = make_twiddle_pair(w, q_.value(), pairs_shape_);
    rows_[2 * index] = pair.operand;
    rows_[2 * index + 1] = pair.quotient;
  }
  void write(std::uint64_t w) {
    write_at(0, w);
    rows_ += 2;
  }
  /// Writes the factors of a block in compressed order.
  void write_block(const Pass& pass, std::size_t block) {
    int u = 0;
    for (; u + 1 < pass.row_stages; u += 2) {
      for (std::size_t b = 0; b < std::size_t{1} << u; ++b) {
        for (int factor = 0; factor < kFactors; ++factor) {
          write(quad_factor(pass.first_stage + u, (block << u) + b, factor));
        }
      }
    }
    for (std::size_t b = 0; u < pass.row_stages && b < std::size_t{1} << u; ++b) {
      write(at(pass.first_stage + u, (block << u) + b));
    }
  }

  /// Writes the lane words of one factor of exchange e, and their quotients.
  template <typename FactorOf>
  std::uint64_t* write_lanes(std::uint64_t* out, int e, const FactorOf& factor_of) const {
    const int words = shape_.layout.words[e];
    for (int i = 0; i < words; ++i) {
      const auto lane = static_cast<std::size_t>(shape_.layout.block_of_word[e][i]);
      const TwiddlePair pair = make_twiddle_pair(factor_of(lane), q_.value(), pairs_shape_);
      out[i] = pair.operand;
      out[words + i] = pair.quotient;
    }
    return out + 2 * words;
  }

  /// Writes the factors of a radix-4 butterfly on four words in pairs, as WordQuadPolicy has them.
  void write_word_quad(int stage, std::size_t block) {
    const std::uint64_t w1 = quad_factor(stage, block, 0);
    const std::uint64_t w2 = quad_factor(stage, block, 1);
    const std::uint64_t w3 = quad_factor(stage, block, 2);
    const std::uint64_t w4 = quad_factor(stage, block, 3);
    const std::uint64_t w5 = quad_factor(stage, block, 4);
    const std::array<std::array<std::uint64_t, 2>, 3> forward{{{w1, 0}, {w2, w4}, {w3, w5}}};
    const std::array<std::array<std::uint64_t, 2>, 3> inverse{
        {{w1, q_.value() - w1}, {w2, w3}, {w4, w5}}};
    for (const auto& factors : is_inverse_ ? inverse : forward) {
      for (std::size_t i = 0; i < 2; ++i) {
        const TwiddlePair pair = make_twiddle_pair(factors[i], q_.value(), pairs_shape_);
        tail_[i] = pair.operand;
        tail_[2 + i] = pair.quotient;
      }
      tail_ += 4;
    }
  }

  void write_quad_tail(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    const int lanes = shape_.layout.log_lanes;
    const int log_degree = pass.first_stage + pass.row_stages;
    const std::size_t group_words = kQuadTailVectors << lanes;
    const std::size_t first = first_block << pass.row_stages;
    const std::size_t last = (first_block + block_count) << pass.row_stages;
    for (std::size_t word = first; word < last; word += group_words) {
      if (shape_.word_quads && pass.row_stages == 2) {
        for (std::size_t i = 0; i < group_words; i += 4) {
          // A transform of four words has them twice.
          write_word_quad(log_degree - 2, (word + i) / 4 % (std::size_t{1} << (log_degree - 2)));
        }
        continue;
      }
      for (int e = 0; e < lanes; ++e) {
        if (!has_quad_after(e, lanes, pass.row_stages)) continue;
        const int log_block = lanes + 1 - e;
        const std::size_t blocks = std::size_t{1} << (log_degree - log_block);
        std::uint64_t* out = tail_;
        for (int factor = 0; factor < kFactors; ++factor) {
          out = write_lanes(out, e, [&](std::size_t lane) {
            // A transform of two vectors has two more beside it that repeat them.
            const std::size_t block = ((word >> log_block) + lane) % blocks;
            return quad_factor(log_degree - log_block, block, factor);
          });
        }
        tail_ += quad_lane_words(shape_.layout, e);
      }
      if (pass.row_stages % 2 == 0) continue;
      for (std::size_t pair = 0; pair < 2; ++pair) {
        tail_ = write_lanes(tail_, lanes - 1, [&](std::size_t lane) {
          return at(log_degree - 1, word / 2 + 2 * lane + pair);
        });
      }
    }
  }

  std::uint64_t* rows_;
  std::uint64_t* tail_;
  bool is_inverse_;
  std::vector<std::uint64_t> twiddles_;
  std::uint64_t scale_;  ///< Multiplies the factors of stage 0.
  const Modulus& q_;
  const ExtendedShape& shape_;
  Radix2Shape pairs_shape_;
  Radix2StreamWriter pairs_;
};

}  // namespace

std::size_t extended_table_bytes(int log_degree, const ExtendedShape& shape) {
  const StreamWords words = count_words(make_extended_schedule(log_degree, shape), shape);
  return sizeof(ExtendedTable) + 2 * sizeof(std::uint64_t) * (words.rows + words.tail);
}

void build_extended_table(void* memory, const NttRequest& request, const ExtendedShape& shape) {
  const Modulus q(request.q);
  auto* table = new (memory) ExtendedTable;
  table->schedule = make_extended_schedule(request.log_degree, shape);
  table->q = request.q;
  const StreamWords words = count_words(table->schedule, shape);
  table->row_words = words.rows;
  table->tail_words = words.tail;
  const std::uint64_t degree_inverse = inverse_mod(std::uint64_t{1} << request.log_degree, q);
  table->degree_inverse = make_twiddle_pair(degree_inverse, request.q, shape.pairs());
  auto* const streams = reinterpret_cast<std::uint64_t*>(table + 1);
  std::fill_n(streams, 2 * (words.rows + words.tail), 0);

  const ExtendedStreams forward_streams{streams, streams + 2 * words.rows, false};
  const ExtendedStreams inverse_streams{streams + words.rows, streams + 2 * words.rows + words.tail,
                                        true};
  ExtendedWriter forward(forward_streams, bit_reversed_powers(request.root, request.log_degree, q),
                         1, q, shape);
  ExtendedWriter inverse(inverse_streams,
                         bit_reversed_powers(inverse_mod(request.root, q), request.log_degree, q),
                         degree_inverse, q, shape);
  if (shape.variant.order == TwiddleOrder::extended_reverse) {
    forward.write_extended_reverse();
    inverse.write_extended_reverse();
  }
  walk_forward(table->schedule, forward);
  walk_inverse(table->schedule, inverse);
}

}  // namespace ringlet::kernels
