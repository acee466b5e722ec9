// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ringlet/base/aligned.hpp"
#include "ringlet/base/export.hpp"
#include "ringlet/rlwe/parameters.hpp"

// Estimates of the noise of ciphertexts from parameters alone: no Context is made, and no key, no
// ciphertext and no transform modulo a prime is needed. Times depend on public values only,
// but for NoiseEstimator::known_plain.

namespace ringlet {

namespace estimates {
class NoiseModel;
enum class Dependence : bool;
}  // namespace estimates

/// How large a polynomial is at the roots of the ring's cyclotomic polynomial: what factors of a
/// product let noise grow by. A constant c has {|c|, |c|, |c|}; a polynomial with n independent
/// coefficients of variance v has an rms of about sqrt(n*v), a quartic mean of 2^(1/4) times that,
/// and is at no root much above sqrt(log(n)) times it; no polynomial of n coefficients is above n
/// times the largest of them.
struct PolynomialSize {
  double largest = 0;       ///< The largest absolute value over all roots.
  double rms = 0;           ///< The root of the mean of the squares.
  double quartic_mean = 0;  ///< The fourth root of the mean of the fourth powers; 0: not known.
};

/// What is known of a plaintext. An immutable value, made by the NoiseEstimator that takes it;
/// copies stand for the same plaintext, which makes operands that it went into dependent.
class RINGLET_API PlainEstimate {
 public:
  /// CKKS: the factor by which slots were multiplied; 1 otherwise.
  double scale() const noexcept { return scale_; }
  /// CKKS: what no slot exceeds; 0 otherwise.
  double magnitude() const noexcept { return magnitude_; }
  /// CKKS: what the root of the mean of the slots' squares does not exceed; 0 otherwise.
  double rms() const noexcept { return rms_; }
  /// BFV and BGV: of the lift of the coefficients to (-t/2, t/2].
  const PolynomialSize& size() const noexcept { return size_; }

 private:
  friend class NoiseEstimator;
  enum class Kind : std::uint8_t { encoded, constant, exact, uniform, bounded, known };

  std::shared_ptr<const estimates::NoiseModel> model_;
  Kind kind_ = Kind::uniform;
  double scale_ = 1;
  double magnitude_ = 0;
  double rms_ = 0;
  PolynomialSize size_;
  std::shared_ptr<const SecretVector<std::uint64_t>> coefficients_;
  std::uint64_t message_ = 0;
};

/// The noise that a ciphertext is expected to have, with what later operations need to know. An
/// immutable value; copies share their contents and stand for the same ciphertext.
class RINGLET_API NoiseEstimate {
 public:
  /// Primes of the level, and polynomials of the ciphertext.
  std::size_t prime_count() const noexcept;
  std::size_t size() const noexcept;
  /// As Ciphertext::scale; 1 for BFV and BGV.
  double scale() const noexcept;
  /// CKKS: what no slot of the message exceeds in absolute value; 0 for BFV and BGV.
  double magnitude() const noexcept;
  /// CKKS: what the root of the mean of their squares does not exceed; 0 for BFV and BGV.
  double rms() const noexcept;
  /// As Ciphertext::correction_factor.
  std::uint64_t correction_factor() const noexcept;
  /// True if somewhere on the way operands were combined that have an encryption in common, as in
  /// x*x or x + x*y. Estimates are then further above the noise.
  bool has_dependent_operands() const noexcept;

  /// Over how many roots the noise is spread, from 2 to N: N times its mean variance over the
  /// largest. A factor that is large at few roots, such as a polynomial with equal coefficients,
  /// leaves few: the noise is then a matter of chance, and may be far below its estimate.
  double spread() const;

  /// log2 of what the noise exceeds with probability 2^-failure_bits at most. CKKS: the largest
  /// error of a slot times the scale. BFV and BGV: the largest coefficient of what
  /// Decryptor::invariant_noise_budget measures, t*(c_0 + c_1*s + ...) modulo q for BFV and
  /// c_0 + c_1*s + ... with the message for BGV. -infinity for no noise.
  double noise_bits() const;
  /// log2 of the root of its mean square, as the model expects it: over all slots for CKKS, over
  /// all coefficients for BFV and BGV (in Phi_m, values at the roots over the root of their
  /// number).
  double rms_noise_bits() const;
  /// CKKS: the same without what encoders and scales lose in floating point, which depends on no
  /// key. SharingDecryptor::decrypt takes it of an estimate whose inputs depend on each other
  /// (CircuitInputs::any, NoiseEstimator::depending_on). Equal to noise_bits() for BFV and BGV.
  double hidden_noise_bits() const;
  /// BFV and BGV: log2(q) - 1 - noise_bits(); negative where decryption may fail.
  /// @throws LogicError for CKKS.
  double budget_bits() const;
  /// CKKS: log2 of the largest error of a decoded slot, with what encoder and decoder lose in
  /// floating point; precision_bits() is minus that.
  /// @throws LogicError for BFV and BGV.
  double error_bits() const;
  double precision_bits() const { return -error_bits(); }
  /// True if the message decrypts: the noise, for CKKS with scale times magnitude, is below q/2.
  bool fits() const;

 private:
  friend class NoiseEstimator;
  struct State;
  explicit NoiseEstimate(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

/// Says how much noise operations bring in, under the names that Encryptor and Evaluator give them.
///
/// The model takes values at the roots of X^N + 1 (or Phi_m) for Gaussian, adds variances where
/// operands have no encryption in common and deviations where they have, and keeps the powers of
/// the secret apart, which all ciphertexts share (docs/notes/noise_estimate.md; Murphy and Player,
/// IACR ePrint 2019/452; Costache, Laine and Player, ESORICS 2020; Biasioli, Marcolla, Murru and
/// Urani, arXiv 2504.18597). It is a model, not a proof; docs/notes/noise_estimate.md says how far
/// above measured noise it is.
///
/// Estimates hold for encryptions of one key set by this library's samplers. An operand must be an
/// estimate of the same estimator, or of a copy: otherwise InvalidArgument. Operations that the
/// Evaluator would refuse for levels, scales, sizes or the scheme are refused with InvalidArgument.
/// All methods are const and may be called by several threads at once.
class RINGLET_API NoiseEstimator {
 public:
  /// The probability 2^-failure_bits is meant for one estimate, over all slots or coefficients.
  /// @throws InvalidArgument as first_level_primes, for BFV and BGV without a plain modulus, and
  ///         unless failure_bits is from 1 to 1000.
  explicit NoiseEstimator(const EncryptionParameters& parms,
                          double failure_bits = kDefaultFailureBits);

  static constexpr double kDefaultFailureBits = 24;

  // Plaintexts.

  /// CKKS: slots of at most `magnitude`, multiplied by `scale` and rounded. The root of the mean of
  /// their squares, by default as large, tells spread() of slots that are mostly small.
  /// @throws InvalidArgument for other schemes, unless scale is positive and normal, and
  ///         0 <= rms <= magnitude, finite.
  PlainEstimate encode(double scale, double magnitude, std::optional<double> rms = {}) const;
  /// CKKS: one number for all slots, which has three coefficients, or one if it is real.
  /// @throws as encode.
  PlainEstimate encode_constant(double scale, double magnitude) const;
  /// CKKS: one integer for all slots, with scale 1 and without rounding. @throws as encode.
  PlainEstimate encode_integer(double magnitude) const;
  /// BFV and BGV: a message whose coefficients look uniform modulo t, as those that BatchEncoder
  /// makes of slots do. @throws InvalidArgument for CKKS.
  PlainEstimate uniform_plain() const;
  /// BFV and BGV: a message of which this is known. @throws InvalidArgument for CKKS, and for
  /// negative sizes or an rms above the largest.
  PlainEstimate bounded_plain(const PolynomialSize& size) const;
  /// BFV and BGV: this message, with coefficients below t as in a Plaintext. In time N*log(N),
  /// which may depend on the message. Keeps a copy, which is wiped with the last PlainEstimate that
  /// stands for it, as is what is made of it on the way.
  /// @throws InvalidArgument for CKKS, for more than N coefficients, or one that is not below t.
  PlainEstimate known_plain(std::span<const std::uint64_t> coefficients) const;

  // Encryption, at the level of so many primes: all data primes without a number. BFV and BGV
  // encrypt messages at the first level alone.
  // @throws InvalidArgument if there is no such level.

  NoiseEstimate encrypt(const PlainEstimate& plain,
                        std::optional<std::size_t> prime_count = {}) const;
  NoiseEstimate encrypt_symmetric(const PlainEstimate& plain,
                                  std::optional<std::size_t> prime_count = {}) const;
  NoiseEstimate encrypt_zero(std::optional<std::size_t> prime_count = {}) const;
  NoiseEstimate encrypt_zero_symmetric(std::optional<std::size_t> prime_count = {}) const;

  // Operations of one ciphertext.

  NoiseEstimate negate(const NoiseEstimate& a) const;
  /// transform_to_ntt and transform_from_ntt: no change.
  NoiseEstimate transform(const NoiseEstimate& a) const;
  NoiseEstimate add_plain(const NoiseEstimate& a, const PlainEstimate& plain) const;
  NoiseEstimate sub_plain(const NoiseEstimate& a, const PlainEstimate& plain) const;
  NoiseEstimate multiply_plain(const NoiseEstimate& a, const PlainEstimate& plain) const;
  NoiseEstimate square(const NoiseEstimate& a) const;
  NoiseEstimate relinearize(const NoiseEstimate& a) const;
  /// CKKS.
  NoiseEstimate rescale_to_next(const NoiseEstimate& a) const;
  NoiseEstimate rescale_to(const NoiseEstimate& a, std::size_t prime_count) const;
  NoiseEstimate relinearize_and_rescale_to_next(const NoiseEstimate& a) const;
  NoiseEstimate mod_switch_to_next(const NoiseEstimate& a) const;
  NoiseEstimate mod_switch_to(const NoiseEstimate& a, std::size_t prime_count) const;
  /// CKKS and BGV.
  NoiseEstimate mod_reduce_to_next(const NoiseEstimate& a) const;
  NoiseEstimate mod_reduce_to(const NoiseEstimate& a, std::size_t prime_count) const;
  /// An automorphism, such as a rotation: one key switch, or as many as it is composed of.
  NoiseEstimate apply_galois(const NoiseEstimate& a, std::size_t switch_count = 1) const;
  /// BFV and BGV: the power, relinearized after each product as Evaluator::exponentiate does.
  NoiseEstimate exponentiate(const NoiseEstimate& a, std::uint64_t exponent) const;

  // Operations of several ciphertexts.

  NoiseEstimate add(const NoiseEstimate& a, const NoiseEstimate& b) const;
  NoiseEstimate sub(const NoiseEstimate& a, const NoiseEstimate& b) const;
  NoiseEstimate add_many(std::span<const NoiseEstimate> operands) const;
  NoiseEstimate multiply(const NoiseEstimate& a, const NoiseEstimate& b) const;
  /// BFV and BGV: the product, relinearized after each step as Evaluator::multiply_many does.
  NoiseEstimate multiply_many(std::span<const NoiseEstimate> operands) const;

  /// `a` where it may have random choices in common with `other`: where both may be one ciphertext
  /// for example, because somebody else chooses them. Deviations then add instead of variances.
  NoiseEstimate depending_on(const NoiseEstimate& a, const NoiseEstimate& other) const;

  // What the caller knows better. CKKS; InvalidArgument for other schemes.

  /// A tighter bound of the slots' magnitudes than the product or sum of those of the operands.
  NoiseEstimate with_magnitude(const NoiseEstimate& a, double magnitude,
                               std::optional<double> rms = {}) const;
  /// A scale that was set by hand: the message is then the former one times scale / new scale.
  NoiseEstimate with_scale(const NoiseEstimate& a, double scale) const;
  /// Sums of one value moved by several steps and multiplied by known slots, such as a product by a
  /// matrix: step by step, every part counts with its largest slot, though one slot of the sum
  /// meets one slot of each. Estimate the sum for without_noise(part), then add the noise of
  /// `part`: in no slot of the sum do the absolute values of its factors, times their scales, add
  /// up to more than `gain`; rounding_bound included.
  NoiseEstimate without_noise(const NoiseEstimate& part) const;
  NoiseEstimate with_noise_of(const NoiseEstimate& sum, const NoiseEstimate& part,
                              double gain) const;
  /// What no slot of an encoded plaintext, times its scale, is off by.
  double rounding_bound(const PlainEstimate& plain) const;

 private:
  using State = NoiseEstimate::State;

  const State& state_of(const NoiseEstimate& a) const;
  void check_plain(const PlainEstimate& plain) const;
  static void check_some(std::span<const NoiseEstimate> operands);
  static NoiseEstimate made(State state);
  State fresh(bool is_symmetric, std::size_t prime_count) const;
  static estimates::Dependence join(State& state, const PlainEstimate& plain);
  void add_message(State& state, const PlainEstimate& plain) const;
  NoiseEstimate encrypted(const PlainEstimate& plain, std::optional<std::size_t> prime_count,
                          bool is_symmetric) const;
  static void set_ckks_product(State& a, const State& b, estimates::Dependence dependence);
  void set_bfv_product(State& a, const State& b, estimates::Dependence dependence) const;
  NoiseEstimate multiplied(const State& a, const State& b) const;
  NoiseEstimate divided(State state, std::size_t prime_count) const;

  std::shared_ptr<const estimates::NoiseModel> model_;
};

}  // namespace ringlet
