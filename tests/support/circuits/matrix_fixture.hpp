// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/devices/device_backend_pair.hpp"

// Matrices of polynomials in the memory of any backend, and their products by definition.

namespace ringlet::test {

/// A product of a matrix of rows x depth entries with one of depth x columns.
struct MatrixCase {
  std::size_t rows = 1;
  std::size_t depth = 1;
  std::size_t columns = 1;
  std::size_t a_size = 2;
  std::size_t b_size = 2;

  std::size_t c_size() const { return a_size + b_size - 1; }
};

inline void PrintTo(const MatrixCase& one, std::ostream* out) {
  *out << one.rows << " x " << one.depth << " x " << one.columns << ", sizes " << one.a_size
       << " and " << one.b_size;
}

/// How entries are stored: whole rows in blocks, in the order of the matrix or in any order.
struct MatrixLayout {
  std::size_t rows_per_block = 1000;
  std::size_t gap = 0;  ///< Words between limbs.
  bool is_regular = true;
};

/// Residues of matrices modulo the primes of a list.
struct MatrixFill {
  const RnsBasis& basis;
  const Indices& primes;
  Fill fill;
  std::mt19937_64& rng;
};

/// The words of a matrix, from which several copies can be placed.
struct MatrixWords {
  MatrixWords(const MatrixFill& with, const MatrixLayout& layout, std::size_t row_count,
              std::size_t column_count, std::size_t entry_size)
      : rows(row_count), columns(column_count), size(entry_size), prime_count(with.primes.size()) {
    const std::size_t rows_per_block = std::min(rows, layout.rows_per_block);
    for (std::size_t row = 0; row < rows; row += rows_per_block) {
      const std::size_t entries = std::min(rows_per_block, rows - row) * columns;
      Indices repeated;
      for (std::size_t i = 0; i < entries * size; ++i) {
        repeated.insert(repeated.end(), with.primes.begin(), with.primes.end());
      }
      blocks.push_back(make_image(with.basis, repeated, with.rng, with.fill, layout.gap));
      std::vector<std::size_t> order(entries);
      std::iota(order.begin(), order.end(), std::size_t{0});
      if (!layout.is_regular) std::ranges::shuffle(order, with.rng);
      for (const std::size_t place : order) places.emplace_back(blocks.size() - 1, place);
    }
  }

  std::size_t rows;
  std::size_t columns;
  std::size_t size;
  std::size_t prime_count;
  std::vector<Image> blocks;
  std::vector<std::pair<std::size_t, std::size_t>> places;  ///< A block, and an entry in it.
};

/// A copy of the words in a backend's memory.
class PlacedMatrix {
 public:
  PlacedMatrix(const MatrixWords& words, const std::shared_ptr<Memory>& memory) : words_(words) {
    for (const Image& block : words.blocks) {
      blocks_.push_back(std::make_unique<Placed>(block, memory));
    }
    const std::size_t limbs = words.size * words.prime_count;
    for (const auto& [block, entry] : words.places) {
      entries_.push_back(blocks_[block]->values().part(entry * limbs, limbs));
      const_entries_.push_back(entries_.back());
    }
  }

  NttMatrix view() const { return {entries_, words_.rows, words_.columns, words_.size}; }
  ConstNttMatrix const_view() const {
    return {const_entries_, words_.rows, words_.columns, words_.size};
  }
  /// A word of a matrix on the host.
  std::uint64_t& word(std::size_t entry, std::size_t poly, std::size_t limb, std::size_t i) {
    return entries_[entry].limb(poly * words_.prime_count + limb)[i];
  }
  /// Returns all words, those between the limbs too.
  std::vector<Words> download() {
    std::vector<Words> all;
    for (const auto& block : blocks_) all.push_back(block->download());
    return all;
  }

 private:
  const MatrixWords& words_;
  std::vector<std::unique_ptr<Placed>> blocks_;
  std::vector<NttView> entries_;
  std::vector<ConstNttView> const_entries_;
};

/// The operands of one product.
struct MatrixOperands {
  MatrixOperands(const MatrixFill& with, const MatrixLayout& layout, const MatrixCase& one)
      : shape(one),
        primes(with.primes),
        c(with, layout, one.rows, one.columns, one.c_size()),
        a(with, layout, one.rows, one.depth, one.a_size),
        b(with, layout, one.depth, one.columns, one.b_size) {}

  /// Returns the words of c after the product.
  std::vector<Words> multiply(const Backend& backend, std::size_t held) const {
    PlacedMatrix sums(c, backend.memory());
    const PlacedMatrix left(a, backend.memory());
    const PlacedMatrix right(b, backend.memory());
    backend.multiply_matrices(sums.view(), left.const_view(), right.const_view(), held, primes);
    return sums.download();
  }
  /// Returns the words of c by the definition, term by term.
  std::vector<Words> expected(const RnsBasis& basis, std::size_t held) const {
    PlacedMatrix sums(c, nullptr);
    PlacedMatrix left(a, nullptr);
    PlacedMatrix right(b, nullptr);
    for (std::size_t entry = 0; entry < shape.rows * shape.columns; ++entry) {
      const std::size_t row = entry / shape.columns;
      const std::size_t column = entry % shape.columns;
      for (std::size_t l = 0; l < primes.size(); ++l) {
        const std::uint64_t q = basis[primes[l]].value();
        for (std::size_t i = 0; i < basis.degree(); ++i) {
          for (std::size_t p = 0; p < shape.c_size(); ++p) {
            std::uint64_t& word = sums.word(entry, p, l, i);
            if (p >= held) word = 0;
          }
          for (std::size_t x = 0; x < shape.a_size; ++x) {
            for (std::size_t y = 0; y < shape.b_size; ++y) {
              std::uint64_t& word = sums.word(entry, x + y, l, i);
              for (std::size_t t = 0; t < shape.depth; ++t) {
                const auto term =
                    static_cast<unsigned __int128>(left.word(row * shape.depth + t, x, l, i)) *
                    right.word(t * shape.columns + column, y, l, i);
                word = static_cast<std::uint64_t>((term + word) % q);
              }
            }
          }
        }
      }
    }
    return sums.download();
  }

  MatrixCase shape;
  Indices primes;
  MatrixWords c;
  MatrixWords a;
  MatrixWords b;
};

}  // namespace ringlet::test
