// SPDX-License-Identifier: Apache-2.0
#include "gpu/backend/device_matrix.hpp"

#include <algorithm>
#include <bit>

#include "gpu/programs/module_cache.hpp"

namespace ringlet::gpu {
namespace {

// GROUP_MOST in limbs.inc.
constexpr std::size_t kMatrixGroupMost = 256;
// Drivers take 65535 groups in dimensions 1 and 2.
constexpr std::size_t kMostMatrixGroups = std::size_t{1} << 15;
// Words of both operands that should stay in a device's cache while all entries of a result are
// computed for one block of coefficients: 4 MiB, of which even small GPUs have twice as much.
constexpr std::size_t kCachedWords = std::size_t{1} << 19;
// MATRIX_CONSTANTS in matrix.inc.
constexpr std::size_t kConstantsPerLimb = 4;

std::uint64_t bits_of(std::size_t power) {
  return static_cast<std::uint64_t>(std::countr_zero(power));
}

/// Returns the words that `row_count` rows of a piece span from `first_row` on, gaps included.
Access access_of(const MatrixPiece& piece, std::size_t first_row, std::size_t row_count,
                 std::size_t row_words, bool is_write) {
  const std::uint64_t begin = piece.place.word + (first_row - piece.first_row) * piece.row_stride;
  const std::uint64_t words = (row_count - 1) * piece.row_stride + row_words;
  return {piece.place.buffer.get(), begin, begin + words, is_write};
}

}  // namespace

/// How the work-items of a launch are arranged: matrix.inc says why.
struct DeviceMatrices::Tiling {
  std::size_t group_size;
  std::size_t groups_per_block;
  std::size_t blocks;  ///< Of a limb.
  std::size_t most_rows;
  std::size_t most_limbs;
};

/// What all launches of a product have in common.
struct DeviceMatrices::Product {
  const Kernel& kernel;
  const ConstantCache::Block& constants;
  std::size_t degree;
  std::size_t prime_count;
  std::size_t columns;
  std::size_t depth;
  std::size_t a_size;
  std::size_t b_size;

  bool is_of_pairs() const { return a_size == 2 && b_size == 2; }
  std::size_t c_size() const { return a_size + b_size - 1; }
  /// Returns the groups in the dimension that counts rows.
  std::size_t row_groups(std::size_t rows) const {
    return is_of_pairs() ? (rows + 1) / 2 : rows * c_size();
  }
  /// Returns the tiling for sums of `terms` terms in `rows` rows.
  Tiling tiling(std::size_t rows, std::size_t terms) const {
    Tiling t{};
    t.group_size = std::bit_floor(std::min({degree, kMatrixGroupMost, kernel.largest_group()}));
    const std::size_t groups = degree / t.group_size;
    const std::size_t words = t.group_size * (rows * a_size + columns * b_size) * terms;
    const std::size_t fitting = std::bit_floor(std::max<std::size_t>(1, kCachedWords / words));
    t.groups_per_block = std::min(groups, std::max(fitting, groups / kMostMatrixGroups));
    t.blocks = groups / t.groups_per_block;
    t.most_rows = is_of_pairs() ? 2 * kMostMatrixGroups
                                : std::max<std::size_t>(1, kMostMatrixGroups / c_size());
    t.most_limbs = kMostMatrixGroups / t.blocks;
    return t;
  }
  /// Returns the words from the first of an entry to its last.
  std::size_t entry_words(std::size_t size, const MatrixPiece& piece) const {
    return (size * prime_count - 1) * piece.limb_stride + degree;
  }
  std::size_t row_words(std::size_t row_length, std::size_t size, const MatrixPiece& piece) const {
    return (row_length - 1) * piece.column_stride + entry_words(size, piece);
  }
};

const DeviceMatrices::Kernels& DeviceMatrices::kernels() const {
  const std::lock_guard lock(mutex_);
  if (!kernels_) {
    const Program program = matrix_program(memory_->options());
    const auto module = build_module(memory_->device(), program_text(program), program.definitions);
    kernels_ =
        Kernels{module->kernel(program.main_kernels[0]), module->kernel(program.main_kernels[1])};
  }
  return *kernels_;
}

// Both ends of a row are resolved: an entry in another block may happen to lie at the distance that
// the stride states, although blocks never touch.
template <typename Word>
std::optional<std::vector<MatrixPiece>> DeviceMatrices::find_pieces(
    const BasicNttMatrix<Word>& matrix) const {
  const auto word_of = [](const auto& view) { return reinterpret_cast<std::uintptr_t>(view.data); };
  const auto& first = matrix.entries.front();
  const std::uintptr_t step = matrix.columns == 1 ? 0 : word_of(matrix.entries[1]) - word_of(first);
  const std::uint64_t column_stride = step / sizeof(std::uint64_t);
  const std::size_t entry_words = (first.limb_count - 1) * first.limb_stride + first.degree;
  std::vector<MatrixPiece> pieces;
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    const auto row = matrix.entries.subspan(i * matrix.columns, matrix.columns);
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (word_of(row[j]) != word_of(row[0]) + j * step) return std::nullopt;
      if (row[j].limb_stride != first.limb_stride) return std::nullopt;
    }
    const Place start = memory_->resolve(row.front().data);
    const Place end = memory_->resolve(row.back().data + entry_words);
    if (start.buffer != end.buffer || start.word > end.word) return std::nullopt;
    if (!pieces.empty()) {
      MatrixPiece& last = pieces.back();
      const std::uint64_t before = last.place.word + (last.row_count - 1) * last.row_stride;
      const std::uint64_t distance = start.word - before;
      const bool is_behind = start.buffer == last.place.buffer && start.word > before;
      if (is_behind && (last.row_count == 1 || distance == last.row_stride)) {
        last.row_stride = distance;
        ++last.row_count;
        continue;
      }
    }
    pieces.push_back({start, i, 1, 0, column_stride, first.limb_stride});
  }
  return pieces;
}

bool DeviceMatrices::multiply(const NttMatrix& c, const ConstNttMatrix& a, const ConstNttMatrix& b,
                              std::size_t held, const ConstantCache::Block& constants,
                              std::size_t prime_count) const {
  const auto c_pieces = find_pieces(c);
  const auto a_pieces = find_pieces(a);
  const auto b_pieces = find_pieces(b);
  if (!c_pieces || !a_pieces || !b_pieces) return false;
  const bool is_of_pairs = a.size == 2 && b.size == 2;
  const Product product{.kernel = is_of_pairs ? *kernels().pairs : *kernels().any,
                        .constants = constants,
                        .degree = c.entries.front().degree,
                        .prime_count = prime_count,
                        .columns = c.columns,
                        .depth = a.columns,
                        .a_size = a.size,
                        .b_size = b.size};
  memory_->with_lanes([&](QueueLanes& lanes) {
    for (const MatrixPiece& of_b : *b_pieces) {
      const std::size_t held_now = of_b.first_row == 0 ? held : c.size;
      for (const MatrixPiece& of_c : *c_pieces) {
        for (const MatrixPiece& of_a : *a_pieces) {
          const std::size_t first = std::max(of_c.first_row, of_a.first_row);
          const std::size_t end =
              std::min(of_c.first_row + of_c.row_count, of_a.first_row + of_a.row_count);
          if (first < end) launch(lanes, product, {&of_c, &of_a, &of_b, first, end, held_now});
        }
      }
    }
  });
  return true;
}

/// Launches the rows of c in parts, one for each queue.
void DeviceMatrices::launch(QueueLanes& lanes, const Product& product, const Part& part) const {
  const std::size_t rows = part.row_end - part.first_row;
  const std::size_t parts = lanes.part_count(rows);
  for (std::size_t k = 0; k < parts; ++k) {
    Part one = part;
    one.first_row = part.first_row + k * rows / parts;
    one.row_end = part.first_row + (k + 1) * rows / parts;
    const std::size_t count = one.row_end - one.first_row;
    const std::array accesses{
        access_of(*part.c, one.first_row, count,
                  product.row_words(product.columns, product.c_size(), *part.c), true),
        access_of(*part.a, one.first_row, count,
                  product.row_words(product.depth, product.a_size, *part.a), false),
        access_of(*part.b, part.b->first_row, part.b->row_count,
                  product.row_words(product.columns, product.b_size, *part.b), false)};
    const auto submit = [&](Queue& queue) { launch_rows(queue, product, one); };
    if (parts > 1) {
      lanes.submit_to(k, accesses, submit);
    } else {
      lanes.submit(accesses, submit);
    }
  }
}

void DeviceMatrices::launch_rows(Queue& queue, const Product& product, const Part& part) const {
  const std::size_t rows = part.row_end - part.first_row;
  const Tiling tiling = product.tiling(rows, part.b->row_count);
  const std::uint64_t first_term = part.b->first_row;
  const std::uint64_t terms = part.b->row_count;
  for (std::size_t row = 0; row < rows; row += tiling.most_rows) {
    for (std::size_t limb = 0; limb < product.prime_count; limb += tiling.most_limbs) {
      const std::size_t row_count = std::min(tiling.most_rows, rows - row);
      const std::size_t limb_count = std::min(tiling.most_limbs, product.prime_count - limb);
      std::vector<Argument> arguments;
      const auto append = [&](const MatrixPiece& piece, std::size_t first_row,
                              std::size_t first_column) {
        arguments.emplace_back(*piece.place.buffer);
        arguments.emplace_back(piece.place.word + (first_row - piece.first_row) * piece.row_stride +
                               first_column * piece.column_stride + limb * piece.limb_stride);
        arguments.emplace_back(piece.row_stride);
        arguments.emplace_back(piece.column_stride);
        arguments.emplace_back(product.prime_count * piece.limb_stride);
        arguments.emplace_back(piece.limb_stride);
      };
      append(*part.c, part.first_row + row, 0);
      append(*part.a, part.first_row + row, first_term);
      append(*part.b, first_term, 0);
      const Place& constants = product.constants->place();
      arguments.emplace_back(*constants.buffer);
      arguments.emplace_back(constants.word + kConstantsPerLimb * limb);
      for (const std::uint64_t value : {std::uint64_t{row_count}, terms, std::uint64_t{part.held},
                                        bits_of(tiling.groups_per_block), bits_of(tiling.blocks)}) {
        arguments.emplace_back(value);
      }
      if (!product.is_of_pairs()) {
        arguments.emplace_back(std::uint64_t{product.a_size});
        arguments.emplace_back(std::uint64_t{product.b_size});
      }
      Grid grid;
      grid.group_size = tiling.group_size;
      grid.groups = {tiling.groups_per_block * product.columns, product.row_groups(row_count),
                     tiling.blocks * limb_count};
      queue.launch(product.kernel, grid, arguments);
    }
  }
}

}  // namespace ringlet::gpu
