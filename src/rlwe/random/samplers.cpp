// SPDX-License-Identifier: Apache-2.0
#include "rlwe/random/samplers.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/declassify.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "kernels/select.hpp"
#include "ringlet/arith/modular.hpp"
#include "ringlet/base/wipe.hpp"
#include "rlwe/serialization/little_endian.hpp"

namespace ringlet::rlwe {
namespace {

constexpr std::size_t kErrorsPerBlock = RandomStream::kBlockBytes / kernels::kBinomialBytes;
static_assert(kErrorBits == kernels::kBinomialSideBits);

/// Returns the kernels of this process.
const kernels::SamplingKernel& sampling() {
  static const kernels::Chosen<kernels::SamplingKernel> chosen =
      kernels::choose_sampling(KernelSelection::from_environment());
  chosen.counter.count();
  return *chosen.kernel;
}

}  // namespace

// The two samplers that reject stay out of line: a test that follows secrets through the program
// knows them by name.
[[gnu::noinline]] void sample_uniform(std::span<std::uint64_t> result, const Modulus& q,
                                      RandomStream& stream) {
  const kernels::SamplingKernel& kernel = sampling();
  const std::uint64_t mask = (std::uint64_t{1} << q.bit_count()) - 1;
  while (!result.empty()) {
    const auto block = stream.next_block();
    result = result.subspan(
        kernel.uniform(result.data(), result.size(), block.data(), block.size(), mask, q.value()));
  }
}

[[gnu::noinline]] void sample_ternary(std::span<std::int8_t> result, RandomStream& stream) {
  const kernels::SamplingKernel& kernel = sampling();
  while (!result.empty()) {
    const auto block = stream.next_block();
    result =
        result.subspan(kernel.ternary(result.data(), result.size(), block.data(), block.size()));
  }
}

void sample_error(std::span<std::int8_t> result, RandomStream& stream) {
  const kernels::SamplingKernel& kernel = sampling();
  while (!result.empty()) {
    const std::size_t count = std::min(result.size(), kErrorsPerBlock);
    kernel.binomial(result.data(), count, stream.next_block().data());
    result = result.subspan(count);
  }
}

void sample_error(std::span<std::int32_t> result, RandomStream& stream) {
  std::array<std::int8_t, kErrorsPerBlock> errors;
  while (!result.empty()) {
    const auto part = std::span(errors).first(std::min(result.size(), errors.size()));
    sample_error(part, stream);
    std::ranges::copy(part, result.begin());
    result = result.subspan(part.size());
  }
  secure_wipe(errors.data(), errors.size());
}

namespace {

std::int32_t error_bound(const CyclotomicPolynomial& polynomial) {
  constexpr std::uint64_t kLimit = std::numeric_limits<std::int32_t>::max() / kErrorBits;
  const std::uint64_t growth = reduction_growth(polynomial, polynomial.index());
  if (growth <= kLimit) return static_cast<std::int32_t>(growth * kErrorBits);
  refuse(concat("Phi_m of m = ", polynomial.index(), ", whose reduction lets errors grow ", growth,
                "-fold"),
         concat("at most ", kLimit, "-fold"), "take a ring with smaller coefficients of Phi_m");
}

/// Returns the least multiple of q that is at least `bound`.
std::uint64_t multiple_from(std::uint64_t bound, std::uint64_t q) {
  return (bound + q - 1) / q * q;
}

template <typename Integer>
void write_limbs(CoeffView result, std::span<const Integer> values, std::uint64_t bound,
                 const RnsBasis& basis, PrimeIndices primes) {
  for (std::size_t i = 0; i < primes.size(); ++i) {
    write_multiples(result.limb(i), values, bound, basis[primes[i]], 1);
  }
}

}  // namespace

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

template <typename Integer>
void write_multiples(std::span<std::uint64_t> result, std::span<const Integer> values,
                     std::uint64_t bound, const Modulus& q, std::uint64_t factor,
                     std::span<const std::uint64_t> subtrahend) {
  const std::uint64_t offset = multiple_from(bound, q.value());
  const kernels::SignedResidueArguments<Integer> arguments{
      .result = result.data(),
      .values = values.data(),
      .subtrahend = subtrahend.data(),
      .count = values.size(),
      .q = q.value(),
      .offset = offset,
      .limit = offset + bound + 1,
      .factor = factor,
      .quotient = shoup_quotient(factor, q.value())};
  if constexpr (sizeof(Integer) == sizeof(std::int8_t)) {
    sampling().residues8(arguments);
  } else if constexpr (sizeof(Integer) == sizeof(std::int32_t)) {
    sampling().residues32(arguments);
  } else {
    sampling().residues64(arguments);
  }
}

template void write_multiples(std::span<std::uint64_t>, std::span<const std::int8_t>, std::uint64_t,
                              const Modulus&, std::uint64_t, std::span<const std::uint64_t>);
template void write_multiples(std::span<std::uint64_t>, std::span<const std::int32_t>,
                              std::uint64_t, const Modulus&, std::uint64_t,
                              std::span<const std::uint64_t>);
template void write_multiples(std::span<std::uint64_t>, std::span<const std::int64_t>,
                              std::uint64_t, const Modulus&, std::uint64_t,
                              std::span<const std::uint64_t>);

template <typename Integer>
void write_rounding(std::span<std::int64_t> result, std::span<const std::uint64_t> words,
                    std::span<const Integer> errors, std::uint64_t bound, const Modulus& p) {
  const std::uint64_t half = p.value() / 2;
  const std::uint64_t offset = half + multiple_from(bound, p.value());
  const kernels::RoundingArguments<Integer> arguments{.result = result.data(),
                                                      .words = words.data(),
                                                      .errors = errors.data(),
                                                      .count = words.size(),
                                                      .p = p.value(),
                                                      .half = half,
                                                      .offset = offset,
                                                      .limit = p.value() + offset + bound,
                                                      .quotient = shoup_quotient(1, p.value())};
  if constexpr (sizeof(Integer) == sizeof(std::int8_t)) {
    sampling().rounding8(arguments);
  } else {
    sampling().rounding32(arguments);
  }
}

template void write_rounding(std::span<std::int64_t>, std::span<const std::uint64_t>,
                             std::span<const std::int8_t>, std::uint64_t, const Modulus&);
template void write_rounding(std::span<std::int64_t>, std::span<const std::uint64_t>,
                             std::span<const std::int32_t>, std::uint64_t, const Modulus&);

// With error 0, write_rounding gives the centred word, negated.
void write_centred(std::span<std::int64_t> result, std::span<const std::uint64_t> words,
                   const Modulus& t) {
  static constexpr std::array<std::int8_t, 1024> kNone{};
  while (!words.empty()) {
    const std::size_t count = std::min(words.size(), kNone.size());
    const auto part = result.first(count);
    write_rounding<std::int8_t>(part, words.first(count), std::span(kNone).first(count), 0, t);
    for (std::int64_t& value : part) value = -value;
    result = result.subspan(count);
    words = words.subspan(count);
  }
}

void write_small(CoeffView result, std::span<const std::int8_t> values, const RnsBasis& basis,
                 PrimeIndices primes) {
  write_limbs(result, values, kErrorBits, basis, primes);
}

void write_small(CoeffView result, std::span<const std::int32_t> values, std::int32_t bound,
                 const RnsBasis& basis, PrimeIndices primes) {
  write_limbs(result, values, static_cast<std::uint64_t>(bound), basis, primes);
}

void expand_uniform(std::span<std::uint64_t> result, const Modulus& q, const Seed& public_seed,
                    std::size_t index) {
  RandomStream stream(public_seed, {StreamPurpose::uniform, 0, index});
  sample_uniform(result, q, stream);
}

KeyId sample_key_id(const Seed& seed) {
  RandomStream stream(seed, {StreamPurpose::key_id});
  const auto block = stream.next_block();
  KeyId id{};
  for (std::size_t i = 0; i < 8; ++i) {
    const std::uint64_t part = declassify(load_little_endian(block.subspan(2 * i, 2)));
    id[i / 4] |= part << (16 * (i % 4));
  }
  return id;
}

}  // namespace ringlet::rlwe
