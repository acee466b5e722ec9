// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "ringlet/arith/modulus.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/ring/backend.hpp"
#include "ringlet/ring/cyclotomic.hpp"
#include "ringlet/ring/ring_spec.hpp"
#include "ringlet/ring/rns_basis.hpp"
#include "ringlet/ring/storage.hpp"
#include "rlwe/random/random_stream.hpp"

// Each sampler is one exact function of the stream's bytes, the same on every machine. The kernels
// are those that the environment selects, once per process.

namespace ringlet::rlwe {

/// Small signed coefficients: secrets, and the samples of errors. Wiped when released.
using SmallPoly = SecretVector<std::int8_t>;
/// Errors of a ring: signed coefficients. Wiped when released.
using ErrorPoly = SecretVector<std::int32_t>;

/// Bits on each side of the centred binomial distribution; also the largest absolute value.
inline constexpr int kErrorBits = 21;

/// Samples uniform residues modulo q. It takes the low bits of each 8 bytes (least significant
/// first), as many as q has, and rejects values that are not below q. The time shows which values
/// are rejected, but nothing about those that are kept.
void sample_uniform(std::span<std::uint64_t> result, const Modulus& q, RandomStream& stream);

/// Samples uniformly in {-1, 0, 1}: each byte has four fields of 2 bits, lowest first; 3 is
/// rejected, other fields f give f - 1. The time shows which fields are rejected.
void sample_ternary(std::span<std::int8_t> result, RandomStream& stream);

/// Samples the centred binomial distribution: of each 6 bytes, least significant first, the number
/// of ones among bits 0-20 minus that among bits 21-41. In [-21, 21], variance 10.5, standard
/// deviation 3.24. Constant time.
void sample_error(std::span<std::int8_t> result, RandomStream& stream);
void sample_error(std::span<std::int32_t> result, RandomStream& stream);
inline constexpr double kErrorVariance = 10.5;

/// Samples errors of one ring. For X^N + 1: N centred binomial coefficients. For Phi_m: m such
/// coefficients, a polynomial modulo X^m - 1, reduced modulo Phi_m over the integers; SECURITY.md
/// says why. Immutable. Constant time.
class ErrorSampler {
 public:
  /// @throws InvalidArgument if coefficients could leave 31 bits.
  explicit ErrorSampler(const RingSpec& ring);

  /// Samples n coefficients, at most bound() in absolute value.
  void sample(std::span<std::int32_t> result, RandomStream& stream) const;
  /// Returns whether coefficients are the samples themselves, which fit bytes: for X^N + 1.
  bool is_binomial() const noexcept { return !reduction_; }
  /// Returns 21 for X^N + 1, 21 * reduction_growth(Phi_m, m) for others.
  std::int32_t bound() const noexcept { return bound_; }

 private:
  std::size_t sampled_;  // n or m
  std::int32_t bound_;
  std::optional<CyclotomicReduction> reduction_;
};

/// result limb i = values modulo basis[primes[i]], for values in [-21, 21]. Constant time.
void write_small(CoeffView result, std::span<const std::int8_t> values, const RnsBasis& basis,
                 PrimeIndices primes);
/// Does the same for values in [-bound, bound].
void write_small(CoeffView result, std::span<const std::int32_t> values, std::int32_t bound,
                 const RnsBasis& basis, PrimeIndices primes);

/// result = value * factor - subtrahend modulo q, for values in [-bound, bound], bound < 2^61, and
/// a factor in [0, q). The subtrahend is reduced, or empty for 0; it may be the result. Constant
/// time in values and subtrahend. Integer is std::int8_t, std::int32_t or std::int64_t.
template <typename Integer>
void write_multiples(std::span<std::uint64_t> result, std::span<const Integer> values,
                     std::uint64_t bound, const Modulus& q, std::uint64_t factor,
                     std::span<const std::uint64_t> subtrahend = {});

/// result = error - (word + error modulo p, centred), for words in [0, p) and errors in
/// [-bound, bound]: what is added to the word to make it a multiple of p. At most floor(p/2) +
/// bound in absolute value. The result may be where the words are. Constant time. Integer is
/// std::int8_t or std::int32_t.
template <typename Integer>
void write_rounding(std::span<std::int64_t> result, std::span<const std::uint64_t> words,
                    std::span<const Integer> errors, std::uint64_t bound, const Modulus& p);

/// result = word or word - t, the smaller in absolute value and -t/2 rather than t/2, for words in
/// [0, t). Constant time.
void write_centred(std::span<std::int64_t> result, std::span<const std::uint64_t> words,
                   const Modulus& t);

/// Expands a published seed to limb `index` of its uniform half: residues modulo q.
void expand_uniform(std::span<std::uint64_t> result, const Modulus& q, const Seed& public_seed,
                    std::size_t index);

/// Returns the public name of the secret key that is drawn from `seed`. The name has its own
/// stream, so that it tells nothing about the key.
KeyId sample_key_id(const Seed& seed);

}  // namespace ringlet::rlwe
