// SPDX-License-Identifier: Apache-2.0
#include "hw/karatsuba/model/software_half.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "fv/products/finish.hpp"
#include "fv/products/karatsuba_recursions.hpp"
#include "ring/backend/scratch.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::hw {
namespace {

constexpr const char* kOperation = "software half of the accelerator";
/// Recursions before the products whose results are written to the stream at once.
constexpr int kGroupRecursions = 3;
constexpr std::uint32_t kFieldMask = (std::uint32_t{1} << wide::kFieldBits) - 1;

void require(bool condition, const char* offending, const char* limit, const char* remedy) {
  if (!condition) throw_invalid_argument({kOperation, offending, limit, remedy});
}

/// Four words of 32 bits: the slots of a burst. Compilers keep them in one register.
using Slots [[gnu::vector_size(16)]] = std::uint32_t;
/// Four words of 64 bits.
using Words [[gnu::vector_size(32)]] = std::uint64_t;

/// Writes the bursts of one sub-polynomial; `key` has a plane of `size` words for each chunk.
Burst* write_part(Burst* to, const std::uint32_t* key, const std::uint32_t* small,
                  std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < wide::kChunks; ++k, ++to) {
      const auto field = std::uint64_t{small[i]} >> (k * wide::kFieldBits) & kFieldMask;
      const Slots slots{key[k * size + i], static_cast<std::uint32_t>(field), 0, 0};
      std::memcpy(to->slots.data(), &slots, sizeof slots);
      to->last = false;
    }
  }
  return to;
}

/// Transposes four bursts: rows[lane] gets slot `lane` of each. They are kChunks apart.
void transpose(Words (&rows)[4], const Burst* bursts) {
  Slots a[4];
  for (std::size_t i = 0; i < 4; ++i) {
    std::memcpy(&a[i], bursts[i * wide::kChunks].slots.data(), sizeof a[i]);
  }
  const Slots low01 = __builtin_shufflevector(a[0], a[1], 0, 4, 1, 5);
  const Slots low23 = __builtin_shufflevector(a[2], a[3], 0, 4, 1, 5);
  const Slots high01 = __builtin_shufflevector(a[0], a[1], 2, 6, 3, 7);
  const Slots high23 = __builtin_shufflevector(a[2], a[3], 2, 6, 3, 7);
  rows[0] = __builtin_convertvector(__builtin_shufflevector(low01, low23, 0, 1, 4, 5), Words);
  rows[1] = __builtin_convertvector(__builtin_shufflevector(low01, low23, 2, 3, 6, 7), Words);
  rows[2] = __builtin_convertvector(__builtin_shufflevector(high01, high23, 0, 1, 4, 5), Words);
  rows[3] = __builtin_convertvector(__builtin_shufflevector(high01, high23, 2, 3, 6, 7), Words);
}

/// Writes a plane for each lane and chunk, the chunks of lane 0 first.
template <std::size_t kLanes>
void read_lanes(std::uint64_t* planes, std::span<const Burst> bursts) {
  const std::size_t words = bursts.size() / wide::kChunks;
  std::size_t i = 0;
  for (; i + 4 <= words; i += 4) {
    for (std::size_t k = 0; k < wide::kChunks; ++k) {
      Words rows[4];
      transpose(rows, &bursts[i * wide::kChunks + k]);
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        std::memcpy(planes + (lane * wide::kChunks + k) * words + i, &rows[lane], sizeof *rows);
      }
    }
  }
  for (; i < words; ++i) {
    for (std::size_t k = 0; k < wide::kChunks; ++k) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        planes[(lane * wide::kChunks + k) * words + i] = bursts[i * wide::kChunks + k].slots[lane];
      }
    }
  }
}

/// read_lanes() by the number of lanes less one.
constexpr std::array kReadLanes{&read_lanes<1>, &read_lanes<2>, &read_lanes<3>, &read_lanes<4>};

}  // namespace

SoftwareHalf::SoftwareHalf(const Shape& shape, const CyclotomicPolynomial& polynomial,
                           const WideModulus& q)
    : shape_(shape), polynomial_(polynomial), reduction_(polynomial), q_(q) {
  require(shape.chunk_bits == wide::kChunkBits &&
              static_cast<std::size_t>(shape.chunks) == wide::kChunks &&
              shape.software <= wide::kMaxPackedRecursions,
          "an accelerator of other chunks or recursions",
          "five chunks of 27 bits, at most 7 recursions in software", "build such an accelerator");
  require(polynomial.degree() <= shape.degree(), "a ring of a degree that does not fit",
          "the degree of the accelerator", "take a smaller ring or more recursions");
  require(q.bit_count() <= shape.max_modulus_bits(), "a modulus that does not fit",
          "what the chunks hold after all pre-recursions", "take a smaller modulus");
  // Residues are below q; a post-recursion adds at most four; the ring bounds the reduction.
  const std::size_t length = 2 * polynomial.degree() - 1;
  value_bits_ = q.bit_count() + 2 * (shape.recursions() - shape.post) +
                static_cast<int>(std::bit_width(reduction_growth(polynomial, length))) + 1;
}

void SoftwareHalf::prepare(std::vector<Burst>& stream, const WidePoly& p,
                           wide::SmallOperands u) const {
  require(p.degree() == polynomial_.degree(), "a key of another degree", "that of the ring",
          "give n coefficients");
  require(!u.empty() && u.size() <= static_cast<std::size_t>(shape_.lanes),
          "another number of products", "1 to the lanes of the accelerator", "split the work");
  const std::size_t degree = shape_.degree();
  const std::size_t size = shape_.coeffs();
  // The last recursions run group by group: their results stay in the first cache.
  const int inner = std::min(shape_.software, kGroupRecursions);
  const int outer = shape_.software - inner;
  const std::size_t groups = wide::sub_polynomial_count(outer);
  const std::size_t parts = wide::sub_polynomial_count(inner);
  const std::size_t group = degree >> outer;
  SecretVector<std::uint32_t> chunks(wide::kChunks * degree);
  SecretVector<std::uint32_t> words(degree);
  SecretVector<std::uint32_t> keys(wide::kChunks * group * groups);
  SecretVector<std::uint32_t> smalls(group * groups);
  SecretVector<std::uint32_t> key(wide::kChunks * size * parts);
  SecretVector<std::uint32_t> small(size * parts);
  wide::split_chunks(chunks, p, degree);
  wide::split_wide(keys, chunks, outer);
  wide::pack_small(words, u);
  wide::split_small(smalls, words, outer);

  stream.resize(shape_.in_bursts());
  Burst* to = stream.data();
  for (std::size_t g = 0; g < groups; ++g) {
    const std::size_t words_of_group = wide::kChunks * group;
    wide::split_wide(key, std::span(keys).subspan(g * words_of_group, words_of_group), inner);
    wide::split_small(small, std::span(smalls).subspan(g * group, group), inner);
    for (std::size_t t = 0; t < parts; ++t) {
      to = write_part(to, &key[t * wide::kChunks * size], &small[t * size], size);
    }
  }
  stream.back().last = true;
}

void SoftwareHalf::join(std::span<Joined> joined, std::span<const Burst> answer) const {
  require(answer.size() == shape_.out_bursts(), "an answer of another length",
          "the bursts of the accelerator", "read until the burst marked last");
  require(!joined.empty() && joined.size() <= static_cast<std::size_t>(shape_.lanes),
          "another number of lanes", "1 to the lanes of the accelerator", "join others");
  const int recursions = shape_.recursions() - shape_.post;
  const int inner = recursions / 2;
  const std::size_t groups = wide::sub_polynomial_count(recursions - inner);
  const std::size_t words = wide::sub_polynomial_count(inner) * shape_.out_coeffs();
  const std::size_t length = ((shape_.out_coeffs() + 1) << inner) - 1;
  const std::size_t planes = joined.size() * wide::kChunks;
  const Scratch scratch(planes * (words + groups * length));
  const std::span<std::uint64_t> products = scratch.words().first(planes * words);
  const std::span<std::uint64_t> sums = scratch.words().subspan(planes * words);
  const auto read = kReadLanes[joined.size() - 1];
  for (std::size_t g = 0; g < groups; ++g) {
    const auto bursts = answer.subspan(g * words * wide::kChunks, words * wide::kChunks);
    read(products.data(), bursts);
    for (std::size_t i = 0; i < planes; ++i) {
      wide::join_words(sums.subspan((i * groups + g) * length, length),
                       products.subspan(i * words, words), inner);
    }
  }
  for (std::size_t lane = 0; lane < joined.size(); ++lane) {
    joined[lane].stride = 2 * shape_.degree() - 1;
    joined[lane].planes.resize(wide::kChunks * joined[lane].stride);
    for (std::size_t k = 0; k < wide::kChunks; ++k) {
      wide::join_words(joined[lane].plane(k),
                       sums.subspan((lane * wide::kChunks + k) * groups * length, groups * length),
                       recursions - inner);
    }
  }
}

void SoftwareHalf::finish(WidePoly& result, Joined& joined, std::span<const std::int32_t> e) const {
  const std::size_t n = polynomial_.degree();
  if (result.degree() != n || result.word_count() != q_.word_count()) {
    result = WidePoly(n, q_.word_count());
  }
  // Coefficients beyond 2n - 1 are only multiples of q.
  for (std::size_t k = 0; k < wide::kChunks; ++k) {
    reduction_.reduce_words(joined.plane(k).first(2 * n - 1));
  }
  wide::Finish(q_, {wide::kChunkBits, wide::kChunks, value_bits_})
      .run(result, joined.planes, joined.stride, e);
}

}  // namespace ringlet::hw
