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

/// Small signed coefficients: secrets, and what errors are made of. Wiped when released.
using SmallPoly = SecretVector<std::int8_t>;
/// Errors of a ring: signed coefficients. Wiped when released.
using ErrorPoly = SecretVector<std::int32_t>;

/// Bits on each side of the centred binomial distribution; also the largest absolute value.
inline constexpr int kErrorBits = 21;

/// Uniform residues modulo q. Of each 8 bytes (least significant first) the low bits, as many as q
/// has, are taken and rejected if they are not below q. Which words are rejected shows in the time;
/// it says nothing about the ones that are kept.
void sample_uniform(std::span<std::uint64_t> result, const Modulus& q, RandomStream& stream);

/// Uniform in {-1, 0, 1}: each byte has four fields of 2 bits, lowest first; 3 is rejected, other
/// fields f give f - 1. The same holds for the time.
void sample_ternary(std::span<std::int8_t> result, RandomStream& stream);

/// Centred binomial: of each 6 bytes, least significant first, the number of ones among bits 0-20
/// minus that among bits 21-41. In [-21, 21], variance 10.5, standard deviation 3.24. Constant
/// time.
void sample_error(std::span<std::int8_t> result, RandomStream& stream);
void sample_error(std::span<std::int32_t> result, RandomStream& stream);
inline constexpr double kErrorVariance = 10.5;

/// Errors of one ring. Of X^N + 1: N centred binomial coefficients. Of Phi_m: m such coefficients,
/// a polynomial modulo X^m - 1, reduced modulo Phi_m over the integers; SECURITY.md says why.
/// Immutable. Constant time.
class ErrorSampler {
 public:
  /// @throws InvalidArgument if coefficients could leave 31 bits.
  explicit ErrorSampler(const RingSpec& ring);

  /// n coefficients, at most bound() in absolute value.
  void sample(std::span<std::int32_t> result, RandomStream& stream) const;
  /// Whether coefficients are samples as they are, which bytes hold: that of X^N + 1.
  bool is_binomial() const noexcept { return !reduction_; }
  /// 21 for X^N + 1, 21 * reduction_growth(Phi_m, m) for others.
  std::int32_t bound() const noexcept { return bound_; }

 private:
  std::size_t sampled_;  // n or m
  std::int32_t bound_;
  std::optional<CyclotomicReduction> reduction_;
};

/// result limb i = values modulo basis[primes[i]], for values in [-21, 21]. Constant time.
void write_small(CoeffView result, std::span<const std::int8_t> values, const RnsBasis& basis,
                 PrimeIndices primes);
/// The same for values in [-bound, bound].
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

/// result = word - t or word, whichever is less in absolute value, and -t/2 of two: for words in
/// [0, t). Constant time.
void write_centred(std::span<std::int64_t> result, std::span<const std::uint64_t> words,
                   const Modulus& t);

/// Limb `index` of the uniform half that a published seed stands for: residues modulo q.
void expand_uniform(std::span<std::uint64_t> result, const Modulus& q, const Seed& public_seed,
                    std::size_t index);

/// The name of the secret key that is drawn from `seed`: public, from a stream of its own, so that
/// nothing about the key follows from it.
KeyId sample_key_id(const Seed& seed);

}  // namespace ringlet::rlwe
