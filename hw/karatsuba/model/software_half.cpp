// SPDX-License-Identifier: Apache-2.0
#include "hw/karatsuba/model/software_half.hpp"

#include <bit>

#include "fv/products/finish.hpp"
#include "fv/products/karatsuba_recursions.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::hw {
namespace {

constexpr const char* kOperation = "software half of the accelerator";
constexpr std::uint32_t kFieldMask = (std::uint32_t{1} << wide::kFieldBits) - 1;

void require(bool condition, const char* offending, const char* limit, const char* remedy) {
  if (!condition) throw_invalid_argument({kOperation, offending, limit, remedy});
}

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

std::vector<Burst> SoftwareHalf::prepare(const WidePoly& p, wide::SmallOperands u) const {
  require(p.degree() == polynomial_.degree(), "a key of another degree", "that of the ring",
          "give n coefficients");
  require(!u.empty() && u.size() <= static_cast<std::size_t>(shape_.lanes),
          "another number of products", "1 to the lanes of the accelerator", "split the work");
  const std::size_t degree = shape_.degree();
  const std::size_t size = shape_.coeffs();
  const std::size_t parts = shape_.sub_polys();
  SecretVector<std::uint32_t> chunks(wide::kChunks * degree);
  SecretVector<std::uint32_t> key(wide::kChunks * size * parts);
  SecretVector<std::uint32_t> words(degree);
  SecretVector<std::uint32_t> small(size * parts);
  wide::split_chunks(chunks, p, degree);
  wide::split_wide(key, chunks, shape_.software);
  wide::pack_small(words, u);
  wide::split_small(small, words, shape_.software);

  std::vector<Burst> bursts(shape_.in_bursts());
  std::size_t at = 0;
  for (std::size_t t = 0; t < parts; ++t) {
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t k = 0; k < wide::kChunks; ++k, ++at) {
        bursts[at].slots[0] = key[(t * wide::kChunks + k) * size + i];
        if (k < u.size()) {
          bursts[at].slots[1] = (small[t * size + i] >> (k * wide::kFieldBits)) & kFieldMask;
        }
      }
    }
  }
  bursts.back().last = true;
  return bursts;
}

SoftwareHalf::Joined SoftwareHalf::join(std::span<const Burst> answer, std::size_t lane) const {
  require(answer.size() == shape_.out_bursts(), "an answer of another length",
          "the bursts of the accelerator", "read until the burst marked last");
  require(lane < static_cast<std::size_t>(shape_.lanes), "a lane that is not there",
          "the lanes of the accelerator", "count lanes from 0");
  const std::size_t count = shape_.out_polys() * shape_.out_coeffs();
  const std::size_t whole = 2 * shape_.degree() - 1;
  Joined joined;
  joined.length = 2 * polynomial_.degree() - 1;
  joined.planes = SecretVector<std::uint64_t>(wide::kChunks * joined.length);
  SecretVector<std::uint64_t> chunks(wide::kChunks * count);
  SecretVector<std::uint64_t> sums(whole);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < wide::kChunks; ++k) {
      chunks[k * count + i] = answer[i * wide::kChunks + k].slots[lane];
    }
  }
  const std::span<const std::uint64_t> planes(chunks);
  for (std::size_t k = 0; k < wide::kChunks; ++k) {
    wide::join_words(sums, planes.subspan(k * count, count), shape_.recursions() - shape_.post);
    // Coefficients beyond 2n - 1 are only multiples of q.
    for (std::size_t i = 0; i < joined.length; ++i) {
      joined.planes[k * joined.length + i] = sums[i];
    }
  }
  return joined;
}

void SoftwareHalf::finish(WidePoly& result, Joined& joined, std::span<const std::int32_t> e) const {
  const std::size_t n = polynomial_.degree();
  if (result.degree() != n || result.word_count() != q_.word_count()) {
    result = WidePoly(n, q_.word_count());
  }
  const std::span<std::uint64_t> planes(joined.planes);
  for (std::size_t k = 0; k < wide::kChunks; ++k) {
    reduction_.reduce_words(planes.subspan(k * joined.length, joined.length));
  }
  wide::Finish(q_, {wide::kChunkBits, wide::kChunks, value_bits_})
      .run(result, planes, joined.length, e);
}

}  // namespace ringlet::hw
