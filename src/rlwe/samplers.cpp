// SPDX-License-Identifier: Apache-2.0
#include "rlwe/samplers.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "base/text.hpp"
#include "ringlet/error.hpp"

namespace ringlet::rlwe {
namespace {

// The first `bytes` <= 8 bytes of a stream as a little-endian number, the same on every processor.
RINGLET_INLINE std::uint64_t load_little_endian(const std::uint8_t* from, std::size_t bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, bytes);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

// Branch- and table-free, unlike what __builtin_popcountll may call on a baseline processor.
RINGLET_INLINE int count_ones(std::uint64_t x) noexcept {
  x -= (x >> 1) & 0x5555555555555555u;
  x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return static_cast<int>((x * 0x0101010101010101u) >> 56);
}

}  // namespace

// The two samplers that reject stay out of line: a test that follows secrets through the program
// knows them by name.
[[gnu::noinline]] void sample_uniform(std::span<std::uint64_t> result, const Modulus& q,
                                      RandomStream& stream) {
  const std::uint64_t mask = (std::uint64_t{1} << q.bit_count()) - 1;
  const std::uint64_t bound = q.value();
  std::size_t filled = 0;
  while (filled < result.size()) {
    const auto block = stream.next_block();
    for (std::size_t i = 0; i < block.size() && filled < result.size(); i += 8) {
      const std::uint64_t word = load_little_endian(block.data() + i, sizeof(word)) & mask;
      result[filled] = word;
      filled += static_cast<std::size_t>(word < bound);
    }
  }
}

[[gnu::noinline]] void sample_ternary(std::span<std::int8_t> result, RandomStream& stream) {
  std::size_t filled = 0;
  while (filled < result.size()) {
    for (const std::uint8_t byte : stream.next_block()) {
      for (int shift = 0; shift < 8 && filled < result.size(); shift += 2) {
        const int field = (byte >> shift) & 3;
        result[filled] = static_cast<std::int8_t>(field - 1);
        filled += static_cast<std::size_t>(field != 3);
      }
    }
  }
}

namespace {

template <typename Small>
void sample_binomial(std::span<Small> result, RandomStream& stream) {
  constexpr std::size_t kBytes = 6;
  constexpr std::uint64_t kSide = (std::uint64_t{1} << kErrorBits) - 1;
  std::size_t filled = 0;
  while (filled < result.size()) {
    const auto block = stream.next_block();
    const std::size_t count = std::min(result.size() - filled, block.size() / kBytes);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t word = load_little_endian(block.data() + kBytes * i, kBytes);
      // ones(low) - ones(high) = ones(low) + ones(not high) - 21: one count instead of two.
      word = (word ^ (kSide << kErrorBits)) & (kSide | (kSide << kErrorBits));
      result[filled + i] = static_cast<Small>(count_ones(word) - kErrorBits);
    }
    filled += count;
  }
}

std::int32_t error_bound(const CyclotomicPolynomial& polynomial) {
  constexpr std::uint64_t kLimit = std::numeric_limits<std::int32_t>::max() / kErrorBits;
  const std::uint64_t growth = reduction_growth(polynomial, polynomial.index());
  if (growth <= kLimit) return static_cast<std::int32_t>(growth * kErrorBits);
  throw_invalid_argument(
      {.operation = "Context",
       .offending = concat("Phi_m of m = ", polynomial.index(),
                           ", whose reduction lets errors grow ", growth, "-fold"),
       .limit = concat("at most ", kLimit),
       .remedy = "take a ring with smaller coefficients of Phi_m"});
}

template <typename Small>
void write_signed(CoeffView result, std::span<const Small> values, std::uint64_t bound,
                  const RnsBasis& basis, PrimeIndices primes) {
  for (std::size_t i = 0; i < primes.size(); ++i) {
    const Modulus& modulus = basis[primes[i]];
    const std::uint64_t q = modulus.value();
    const std::span<std::uint64_t> limb = result.limb(i);
    for (std::size_t n = 0; n < values.size(); ++n) {
      const auto value = static_cast<std::uint64_t>(std::int64_t{values[n]});
      const std::uint64_t negative = std::uint64_t{0} - (value >> 63);
      limb[n] = value + (q & negative);
    }
    if (q > bound) continue;
    // Toy primes: bring what one q has not brought into range, as wrapped above.
    for (std::uint64_t& word : limb) word = modulus.reduce(word + bound * q);
  }
}

}  // namespace

void sample_error(std::span<std::int8_t> result, RandomStream& stream) {
  sample_binomial(result, stream);
}

void sample_error(std::span<std::int32_t> result, RandomStream& stream) {
  sample_binomial(result, stream);
}

ErrorSampler::ErrorSampler(const RingSpec& ring) : sampled_(ring.degree()), bound_(kErrorBits) {
  if (ring.kind() == RingKind::power_of_two_cyclotomic) return;
  const CyclotomicPolynomial polynomial(ring.cyclotomic_index());
  sampled_ = polynomial.index();
  bound_ = error_bound(polynomial);
  reduction_.emplace(polynomial);
}

void ErrorSampler::sample(std::span<std::int32_t> result, RandomStream& stream) const {
  if (!reduction_) return sample_error(result, stream);
  ErrorPoly errors(sampled_);
  sample_error(errors, stream);
  SecretVector<std::uint64_t> words(sampled_);
  std::ranges::transform(errors, words.begin(), [](std::int32_t error) {
    return static_cast<std::uint64_t>(std::int64_t{error});
  });
  reduction_->reduce_words(words);
  std::ranges::transform(std::span(words).first(result.size()), result.begin(),
                         [](std::uint64_t word) { return static_cast<std::int32_t>(word); });
}

void write_small(CoeffView result, std::span<const std::int8_t> values, const RnsBasis& basis,
                 PrimeIndices primes) {
  write_signed(result, values, kErrorBits, basis, primes);
}

void write_small(CoeffView result, std::span<const std::int32_t> values, std::int32_t bound,
                 const RnsBasis& basis, PrimeIndices primes) {
  write_signed(result, values, static_cast<std::uint64_t>(bound), basis, primes);
}

void expand_uniform(std::span<std::uint64_t> result, const Modulus& q, const Seed& public_seed,
                    std::size_t index) {
  RandomStream stream(public_seed, {StreamPurpose::uniform, 0, index});
  sample_uniform(result, q, stream);
}

}  // namespace ringlet::rlwe
