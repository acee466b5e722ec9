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

// Estimates of the noise of ciphertexts from parameters alone, without a Context, keys, ciphertexts
// or transforms modulo a prime. Times depend on public values only, except for
// NoiseEstimator::known_plain.

namespace ringlet {

namespace estimates {
class NoiseModel;
enum class Dependence : bool;
}  // namespace estimates

/// The size of a polynomial at the roots of the ring's cyclotomic polynomial: these values
/// determine how much a factor of a product enlarges noise. A constant c has {|c|, |c|, |c|}. A
/// polynomial with n independent coefficients of variance v has an rms of about sqrt(n*v). Its
/// quartic mean is about 2^(1/4) times the rms, and its values at the roots are not much above
/// sqrt(log(n)) times the rms. At any root, a polynomial of n coefficients is at most n times its
/// largest coefficient.
struct PolynomialSize {
  double largest = 0;       ///< The largest absolute value over all roots.
  double rms = 0;           ///< The root of the mean of the squares.
  double quartic_mean = 0;  ///< The fourth root of the mean of the fourth powers; 0 if unknown.
};

/// The known properties of a plaintext. An immutable value; only the NoiseEstimator that made it,
/// or a copy of that estimator, accepts it. Copies describe the same plaintext: operands that
/// contain it are dependent.
class RINGLET_API PlainEstimate {
 public:
  /// Returns, for CKKS, the factor by which slots were multiplied; 1 otherwise.
  double scale() const noexcept { return scale_; }
  /// Returns, for CKKS, a bound of the absolute values of the slots; 0 otherwise.
  double magnitude() const noexcept { return magnitude_; }
  /// Returns, for CKKS, a bound of the root of the mean of the slots' squares; 0 otherwise.
  double rms() const noexcept { return rms_; }
  /// Returns, for BFV and BGV, the size of the polynomial with its coefficients lifted to
  /// (-t/2, t/2].
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

/// The expected noise of a ciphertext, with all that estimates of later operations need. An
/// immutable value; copies share their contents and describe the same ciphertext.
class RINGLET_API NoiseEstimate {
 public:
  /// Return the number of primes of the level, and the number of polynomials of the ciphertext.
  std::size_t prime_count() const noexcept;
  std::size_t size() const noexcept;
  /// Returns the scale of the ciphertext; 1 for BFV and BGV.
  double scale() const noexcept;
  /// Returns, for CKKS, a bound of the absolute values of the message's slots; 0 for BFV and BGV.
  double magnitude() const noexcept;
  /// Returns, for CKKS, a bound of the root of the mean of the slots' squares; 0 for BFV and BGV.
  double rms() const noexcept;
  /// Returns the correction factor of the ciphertext.
  std::uint64_t correction_factor() const noexcept;
  /// Returns true if an operation had operands with an encryption in common, as in x*x or x + x*y.
  /// The estimate is then further above the noise.
  bool has_dependent_operands() const noexcept;

  /// Returns the number of roots over which the noise is spread, from 2 to N: N times its mean
  /// variance, divided by its largest variance. The number is small after a product by a factor
  /// that is large at few roots, such as a polynomial with equal coefficients. The noise then
  /// depends on few random values and may be far below its estimate.
  double spread() const;

  /// Returns log2 of the bound that the noise exceeds with a probability of at most
  /// 2^-failure_bits; -infinity for no noise. CKKS: the noise is the largest error of a slot times
  /// the scale. BFV and BGV: it is the largest coefficient of the polynomial that
  /// Decryptor::invariant_noise_budget measures. For BFV this polynomial is t*(c_0 + c_1*s + ...)
  /// modulo q, for BGV it is c_0 + c_1*s + ..., which includes the message.
  double noise_bits() const;
  /// Returns log2 of the root of the mean square of the noise, as the model expects it: over all
  /// slots for CKKS, over all coefficients for BFV and BGV (in Phi_m: over the values at the roots,
  /// divided by the root of their number).
  double rms_noise_bits() const;
  /// Returns noise_bits() without the floating-point errors of encoders and scales, which do not
  /// depend on a key. Pass it to SharingDecryptor::decrypt, from an estimate whose inputs may
  /// depend on each other (CircuitInputs::any, NoiseEstimator::depending_on). Equal to noise_bits()
  /// for BFV and BGV.
  double hidden_noise_bits() const;
  /// Returns, for BFV and BGV, log2(q) - 1 - noise_bits(); negative if decryption may fail.
  /// @throws LogicError for CKKS.
  double budget_bits() const;
  /// Returns, for CKKS, log2 of the largest error of a decoded slot, with the floating-point errors
  /// of encoder and decoder. precision_bits() returns -error_bits().
  /// @throws LogicError for BFV and BGV.
  double error_bits() const;
  double precision_bits() const { return -error_bits(); }
  /// Returns true if the message decrypts: the noise (CKKS: the noise plus scale times magnitude)
  /// is below q/2.
  bool fits() const;

 private:
  friend class NoiseEstimator;
  struct State;
  explicit NoiseEstimate(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

/// A part of a sum, and the factor of its noise: see NoiseEstimator::with_noise_of.
struct NoisePart {
  NoiseEstimate estimate;
  double gain;
};

/// Estimates the noise of encryptions and operations. Its functions have the names of those
/// operations in Encryptor and Evaluator.
///
/// The model treats values at the roots of X^N + 1 (or Phi_m) as Gaussian. It adds variances if
/// operands have no encryption in common, and standard deviations if they have. It treats the
/// powers of the secret, which all ciphertexts share, separately (docs/notes/noise_estimate.md;
/// Murphy and Player, IACR ePrint 2019/452; Costache, Laine and Player, ESORICS 2020; Biasioli,
/// Marcolla, Murru and Urani, arXiv 2504.18597). The estimates are not proven bounds;
/// docs/notes/noise_estimate.md states how far they are above measured noise.
///
/// Estimates hold for encryptions of one key set by this library's samplers. Methods throw
/// InvalidArgument unless this estimator, or a copy of it, made each operand. They also throw it if
/// Evaluator would refuse the operation because of levels, scales, sizes or the scheme. All methods
/// are const and may be called by several threads at once.
class RINGLET_API NoiseEstimator {
 public:
  /// Makes an estimator for these parameters. 2^-failure_bits bounds the probability that the noise
  /// of any slot or coefficient of a ciphertext exceeds the estimate.
  /// @throws InvalidArgument as first_level_primes, for BFV and BGV without a plain modulus, and
  ///         unless failure_bits is from 1 to 1000.
  explicit NoiseEstimator(const EncryptionParameters& parms,
                          double failure_bits = kDefaultFailureBits);

  static constexpr double kDefaultFailureBits = 24;

  // Plaintexts.

  /// Describes, for CKKS, slots of at most `magnitude` that are multiplied by `scale` and rounded.
  /// `rms` bounds the root of the mean of their squares and is `magnitude` by default. Set it if
  /// most slots are small: spread() depends on it.
  /// @throws InvalidArgument for other schemes; unless scale is positive and normal, magnitude is
  ///         finite, and 0 <= rms <= magnitude.
  PlainEstimate encode(double scale, double magnitude, std::optional<double> rms = {}) const;
  /// Describes, for CKKS, one number for all slots. Its plaintext has three nonzero coefficients,
  /// or one if the number is real.
  /// @throws as encode.
  PlainEstimate encode_constant(double scale, double magnitude) const;
  /// Describes, for CKKS, one integer for all slots, with scale 1 and without rounding.
  /// @throws as encode.
  PlainEstimate encode_integer(double magnitude) const;
  /// Describes, for BFV and BGV, a message whose coefficients look uniform modulo t, such as a
  /// message of BatchEncoder.
  /// @throws InvalidArgument for CKKS.
  PlainEstimate uniform_plain() const;
  /// Describes, for BFV and BGV, a message of bounded size.
  /// @throws InvalidArgument for CKKS, for sizes that are negative or not finite, and for rms above
  ///         `largest`.
  PlainEstimate bounded_plain(const PolynomialSize& size) const;
  /// Describes, for BFV and BGV, a known message with coefficients below t as in a Plaintext. The
  /// time is proportional to N*log(N) and may depend on the message. The result keeps a copy of the
  /// message, which is wiped with its last PlainEstimate; intermediate values are wiped too.
  /// @throws InvalidArgument for CKKS, for more than N coefficients, or for a coefficient that is
  ///         not below t.
  PlainEstimate known_plain(std::span<const std::uint64_t> coefficients) const;

  // Encryption at the level of `prime_count` primes; without a number, of all data primes. BFV and
  // BGV encrypt messages at the first level alone.
  // @throws InvalidArgument if there is no such level.

  NoiseEstimate encrypt(const PlainEstimate& plain,
                        std::optional<std::size_t> prime_count = {}) const;
  NoiseEstimate encrypt_symmetric(const PlainEstimate& plain,
                                  std::optional<std::size_t> prime_count = {}) const;
  NoiseEstimate encrypt_zero(std::optional<std::size_t> prime_count = {}) const;
  NoiseEstimate encrypt_zero_symmetric(std::optional<std::size_t> prime_count = {}) const;

  // Operations of one ciphertext.

  NoiseEstimate negate(const NoiseEstimate& a) const;
  /// Estimates transform_to_ntt and transform_from_ntt, which change no noise.
  NoiseEstimate transform(const NoiseEstimate& a) const;
  NoiseEstimate add_plain(const NoiseEstimate& a, const PlainEstimate& plain) const;
  NoiseEstimate sub_plain(const NoiseEstimate& a, const PlainEstimate& plain) const;
  NoiseEstimate multiply_plain(const NoiseEstimate& a, const PlainEstimate& plain) const;
  NoiseEstimate square(const NoiseEstimate& a) const;
  NoiseEstimate relinearize(const NoiseEstimate& a) const;
  /// Estimate a division by the last primes. CKKS.
  NoiseEstimate rescale_to_next(const NoiseEstimate& a) const;
  NoiseEstimate rescale_to(const NoiseEstimate& a, std::size_t prime_count) const;
  NoiseEstimate relinearize_and_rescale_to_next(const NoiseEstimate& a) const;
  NoiseEstimate mod_switch_to_next(const NoiseEstimate& a) const;
  NoiseEstimate mod_switch_to(const NoiseEstimate& a, std::size_t prime_count) const;
  /// Estimate a change of level that drops primes without a division. CKKS and BGV.
  NoiseEstimate mod_reduce_to_next(const NoiseEstimate& a) const;
  NoiseEstimate mod_reduce_to(const NoiseEstimate& a, std::size_t prime_count) const;
  /// Estimates an automorphism, such as a rotation: one key switch, or `switch_count` if several
  /// automorphisms compose it.
  NoiseEstimate apply_galois(const NoiseEstimate& a, std::size_t switch_count = 1) const;
  /// Estimates Evaluator::exponentiate, which relinearizes after each product. BFV and BGV.
  NoiseEstimate exponentiate(const NoiseEstimate& a, std::uint64_t exponent) const;

  // Operations of several ciphertexts.

  NoiseEstimate add(const NoiseEstimate& a, const NoiseEstimate& b) const;
  NoiseEstimate sub(const NoiseEstimate& a, const NoiseEstimate& b) const;
  NoiseEstimate add_many(std::span<const NoiseEstimate> operands) const;
  NoiseEstimate multiply(const NoiseEstimate& a, const NoiseEstimate& b) const;
  /// Estimates Evaluator::multiply_many, which relinearizes after each product. BFV and BGV.
  NoiseEstimate multiply_many(std::span<const NoiseEstimate> operands) const;

  /// Returns `a` as dependent on `other`: both may have random choices in common, for example
  /// because another party chooses both and may choose the same ciphertext twice. Standard
  /// deviations then add instead of variances.
  NoiseEstimate depending_on(const NoiseEstimate& a, const NoiseEstimate& other) const;

  // Facts that the caller knows and the estimator does not. For CKKS; InvalidArgument for other
  // schemes.

  /// Returns `a` with a bound of its slots that is tighter than the bound from its operands.
  NoiseEstimate with_magnitude(const NoiseEstimate& a, double magnitude,
                               std::optional<double> rms = {}) const;
  /// Returns `a` with another scale: the message is multiplied by the old scale / `scale`.
  NoiseEstimate with_scale(const NoiseEstimate& a, double scale) const;
  /// Estimate a sum of rotations of one value times known slots, such as a product by a matrix.
  /// Estimates of each operation alone count every part with its largest slot, although a slot of
  /// the sum contains only one slot of each part. Instead, estimate the sum for
  /// without_noise(part), then add the noises of independent parts by with_noise_of(). The gain of
  /// a part bounds, for every slot of the sum, the sum of the absolute values of its factors times
  /// their scales, with rounding_bound() included; or the root of the sum of their squares, if each
  /// factor has another slot of the part and their noises are uncorrelated.
  NoiseEstimate without_noise(const NoiseEstimate& part) const;
  NoiseEstimate with_noise_of(const NoiseEstimate& sum, std::span<const NoisePart> parts) const;
  /// Returns a bound of the error of a slot of an encoded plaintext, times its scale.
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
