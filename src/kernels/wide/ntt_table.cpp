// SPDX-License-Identifier: Apache-2.0
#include "kernels/wide/ntt_table.hpp"

#include <new>
#include <vector>

#include "arith/wide_integer.hpp"
#include "kernels/wide/double_residues.hpp"
#include "kernels/wide/factor_writer.hpp"

namespace ringlet::kernels {
namespace {

/// Counts the words of a stream.
struct WideStreamCounter {
  const WideNttShape& shape;
  std::size_t words = 0;

  void operator()(const Pass& pass, std::size_t, std::size_t block_count) {
    const int factor = shape.format.factor_words();
    std::size_t record = wide_tree_words(pass, factor);
    if (pass.is_tail) {
      for (int v = 0; v < shape.layout.log_lanes; ++v) {
        record += wide_lane_words(shape.layout, v, factor) << (pass.row_stages - 1);
      }
    }
    words += block_count * record;
  }
};

/// Writes one stream. `twiddles` has the twiddle of block b in stage s at index 2^s + b.
class StreamWriter {
 public:
  StreamWriter(std::uint64_t* out, const std::vector<uint128_t>& twiddles,
               const WideFactorWriter& writer, const WideNttShape& shape)
      : out_(out), twiddles_(twiddles), writer_(writer), shape_(shape) {}

  void operator()(const Pass& pass, std::size_t first_block, std::size_t block_count) {
    for (std::size_t block = first_block; block < first_block + block_count; ++block) {
      write_tree(pass, block);
      for (int v = 0; pass.is_tail && v < shape_.layout.log_lanes; ++v) {
        write_lane_stage(pass, block, v);
      }
    }
  }

 private:
  void write_tree(const Pass& pass, std::size_t block) {
    std::uint64_t* const end = out_ + wide_tree_words(pass, shape_.format.factor_words());
    for (int u = 0; u < pass.row_stages; ++u) {
      const std::size_t count = std::size_t{1} << u;
      for (std::size_t j = 0; j < count; ++j) {
        writer_.write(out_, twiddle(pass.first_stage + u, block * count + j));
        out_ += shape_.format.factor_words();
      }
    }
    while (out_ != end) *out_++ = 0;
  }

  void write_lane_stage(const Pass& pass, std::size_t block, int v) {
    const std::size_t pairs = std::size_t{1} << (pass.row_stages - 1);
    const int words = shape_.layout.words[v];
    const int factor_words = shape_.format.factor_words();
    for (std::size_t r = 0; r < pairs; ++r) {
      const std::size_t base = (block * pairs + r) << (v + 1);
      for (int i = 0; i < words; ++i) {
        const auto x = static_cast<std::size_t>(shape_.layout.block_of_word[v][i]);
        std::uint64_t factor[kMaxWideFactorWords];
        writer_.write(factor, twiddle(pass.first_stage + pass.row_stages + v, base + x));
        for (int w = 0; w < factor_words; ++w) out_[w * words + i] = factor[w];
      }
      out_ += wide_lane_words(shape_.layout, v, factor_words);
    }
  }

  uint128_t twiddle(int stage, std::size_t block) const {
    return twiddles_[(std::size_t{1} << stage) + block];
  }

  std::uint64_t* out_;
  const std::vector<uint128_t>& twiddles_;
  const WideFactorWriter& writer_;
  const WideNttShape& shape_;
};

std::size_t count_stream_words(const Schedule& schedule, const WideNttShape& shape) {
  WideStreamCounter counter{shape};
  walk_forward(schedule, counter);
  return (counter.words + 7) / 8 * 8;
}

/// Returns the twiddle of block b in stage s at index 2^s + b. Negacyclic: root^bit_reverse(2^s +
/// b) over log2 N bits. Cyclic: root^bit_reverse(b) over log2 N - 1 bits, the same in every stage.
std::vector<uint128_t> make_twiddles(uint128_t root, const WideNttRequest& request,
                                     const DoubleResidues& residues) {
  const int n = request.log_degree;
  const int bits = request.cyclic ? n - 1 : n;
  std::vector<uint128_t> powers(std::size_t{1} << bits, 1);
  for (int bit = 0; bit < bits; ++bit) {
    const std::size_t half = std::size_t{1} << bit;
    const uint128_t factor = residues.power(root, uint128_t{1} << (bits - 1 - bit));
    for (std::size_t i = 0; i < half; ++i) powers[half + i] = residues.multiply(powers[i], factor);
  }
  if (!request.cyclic) return powers;
  std::vector<uint128_t> twiddles(std::size_t{1} << n, 1);
  for (int s = 0; s < n; ++s) {
    const std::size_t blocks = std::size_t{1} << s;
    for (std::size_t b = 0; b < blocks; ++b) twiddles[blocks + b] = powers[b];
  }
  return twiddles;
}

/// Writes a multiple of q in limbs.
void write_multiple(std::uint64_t* limbs, const std::uint64_t q[2], std::uint64_t multiple,
                    const LimbFormat& format) {
  split_limbs(limbs, wide::multiply_add({q[0], q[1], 0}, multiple, 0), format);
}

}  // namespace

std::size_t wide_ntt_table_bytes(int log_degree, const WideNttShape& shape) {
  const Schedule schedule = make_schedule(log_degree, shape.layout.log_lanes, shape.max_row_stages);
  return sizeof(WideNttTable) + 2 * sizeof(std::uint64_t) * count_stream_words(schedule, shape);
}

void build_wide_ntt_table(void* memory, const WideNttRequest& request, const WideNttShape& shape) {
  const int n = request.log_degree;
  const LimbFormat& format = shape.format;
  const DoubleResidues residues(join_words(request.q[0], request.q[1]));
  const uint128_t root = join_words(request.root[0], request.root[1]);
  const WideFactorWriter writer(residues.modulus(), format);

  auto* table = new (memory) WideNttTable;
  table->schedule = make_schedule(n, shape.layout.log_lanes, shape.max_row_stages);
  build_wide_constants(table->constants, request.q, format);
  table->stream_words = count_stream_words(table->schedule, shape);
  write_multiple(table->forward_offset, request.q,
                 static_cast<std::uint64_t>(format.forward_multiple + format.forward_growth * n),
                 format);
  write_multiple(table->inverse_offset, request.q,
                 static_cast<std::uint64_t>(format.inverse_multiple)
                     << (format.inverse_doubles ? n : 0),
                 format);
  auto* stream = reinterpret_cast<std::uint64_t*>(table + 1);

  std::vector<uint128_t> twiddles = make_twiddles(root, request, residues);
  StreamWriter forward(stream, twiddles, writer, shape);
  walk_forward(table->schedule, forward);

  // (q + 1)/2 is the inverse of 2.
  const uint128_t degree_inverse = residues.power((residues.modulus() + 1) / 2,
                                                  static_cast<uint128_t>(static_cast<unsigned>(n)));
  writer.write(table->degree_inverse, degree_inverse);
  // The last power before 1 is the inverse.
  const uint128_t order = uint128_t{request.cyclic ? 1U : 2U} << n;
  twiddles = make_twiddles(residues.power(root, order - 1), request, residues);
  twiddles[1] = residues.multiply(twiddles[1], degree_inverse);
  StreamWriter inverse(stream + table->stream_words, twiddles, writer, shape);
  walk_inverse(table->schedule, inverse);
}

}  // namespace ringlet::kernels
