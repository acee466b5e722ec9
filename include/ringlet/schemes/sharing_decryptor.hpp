// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ringlet/base/export.hpp"
#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/keys.hpp"
#include "ringlet/rlwe/plaintext.hpp"
#include "ringlet/rlwe/random.hpp"
#include "ringlet/schemes/decryptor.hpp"

namespace ringlet {

/// Limits of a SharingPolicy.
inline constexpr std::uint64_t kMaxSharedDecryptions = std::uint64_t{1} << 32;
inline constexpr int kMinSharingSecurityBits = 20;
inline constexpr int kMaxSharingSecurityBits = 80;

/// A policy that is declared before results of a key are shared. Public.
struct SharingPolicy {
  /// tau: how many results of this secret key are shared in its whole life, from 1 to 2^32, by all
  /// objects and processes together. Copies of a SecretKey count together.
  std::uint64_t decryptions = 1;
  /// s, the statistical security in bits, from 20 to 80: it holds against any amount of
  /// computation. Bits are counted as for distinguishing problems (docs/notes/noise_flooding.md).
  int security_bits = 64;
  /// How many of these results were shared earlier, by another process or with a key from a file.
  /// Take it from the last SharingDecryptor::policy(). At most `decryptions`.
  std::uint64_t decryptions_before = 0;
};

/// The noise that a policy requires, and its effect on results. Public.
struct FloodingNoiseSize {
  /// log2 of sigma, the standard deviation of the noise of one coefficient.
  double deviation_bits = 0;
  /// log2 of two bounds of the flooding noise: slot_bits of its largest value at a slot, times the
  /// scale, and coefficient_bits of its largest coefficient. Each bound holds for a whole result
  /// with a probability of at least 1 - 2^-40.
  double slot_bits = 0;
  double coefficient_bits = 0;
};

/// A result that others may see.
struct SharedResult {
  /// The message in NTT form, at the level and with the scale of the ciphertext. CKKSEncoder
  /// decodes it.
  Plaintext plaintext;
  /// The flooding noise in the plaintext.
  FloodingNoiseSize flooding;
  /// log2 of a bound of the error of every slot, in units of the message: flooding and the bound of
  /// the ciphertext's noise together. Decoding adds an error of 2^-47 times the largest slot.
  double error_bits = 0;

  /// Returns the number of correct bits after the binary point: -error_bits.
  double precision_bits() const noexcept { return -error_bits; }
};

/// Decrypts CKKS ciphertexts into results for others who have the ciphertexts but must not learn
/// the key. It gives IND-CPA-D security (Li and Micciancio, "On the security of homomorphic
/// encryption on approximate numbers", IACR ePrint 2020/1533) by noise flooding (Li, Micciancio,
/// Schultz and Sorrell, "Securing approximate homomorphic encryption using differential privacy",
/// IACR ePrint 2022/816).
///
/// Before decoding, each coefficient of c_0 + c_1*s + ... gets a fresh Gaussian integer of standard
/// deviation
///   sigma = sqrt(12 * tau) * 2^(s/2) * (E + sqrt(N)/2),
/// where E bounds the noise of the ciphertext. docs/notes/noise_flooding.md states the guarantee,
/// its conditions and the proof. Nobody can distinguish the tau = decryptions results from results
/// that were made without the key, except with an advantage of at most 2^(-s/2) / 6.9. Nobody finds
/// the key with a probability above 2^-s / 24, provided that finding it is hard without the
/// results. The guarantee is lost if
///   - more results than declared are shared. The decryptor refuses further results. All objects
///     with copies of one SecretKey share a count, but a key that is loaded again from a file
///     starts a new count;
///   - E is below the noise of a ciphertext, for any inputs that others may have chosen. Averages
///     over random inputs are no such bound (Guo, Nabokov, Suvanto and Johansson, USENIX Security
///     2024);
///   - a ciphertext was not computed as E assumes: a server that deviates is not covered;
///   - the result of another Decryptor for the same ciphertexts is shared too.
///
/// Constant time in key, message and noise. All methods may be called by several threads at once.
class RINGLET_API SharingDecryptor {
 public:
  /// Makes a decryptor with a copy of the secret key, and declares the policy of this key.
  /// @throws InvalidArgument if the context is not for CKKS, the key is empty or belongs to another
  ///         context, a number of the policy is out of range, or another number of decryptions or
  ///         of security_bits was declared for this key.
  SharingDecryptor(const Context& context, const SecretKey& secret_key, const SharingPolicy& policy,
                   RandomSource random = RandomSource());
  SharingDecryptor(const SharingDecryptor&) = delete;
  SharingDecryptor& operator=(const SharingDecryptor&) = delete;

  /// Returns the message of `encrypted` with flooding noise.
  /// @param encrypted a ciphertext of this context that Decryptor::decrypt takes.
  /// @param noise_bits log2 of E, which bounds scale times the error of any slot: the canonical
  ///        norm of the noise, for any inputs. Use NoiseEstimate::hidden_noise_bits() of an
  ///        estimate for CircuitInputs::any, or noise_bits(), which includes the rounding of the
  ///        encoder. That rounding may be left out if only the key must be protected from those who
  ///        know the inputs: see the note. If B bounds the coefficients of the noise, use
  ///        log2(B) + log2(N)/2. The least value accepted is log2(10.5*N*ln(N))/2, which fresh
  ///        errors exceed in one of two cases; the largest is 180.
  /// @param magnitude bounds the absolute values of the slots; positive.
  /// @throws LogicError if all declared decryptions were made; the message names their number.
  ///         InvalidArgument if Decryptor::decrypt would refuse the ciphertext; if noise_bits or
  ///         magnitude is out of range; if message and noise are not below half of the level's
  ///         modulus; or if no bit of the message is left because a slot may be off by half the
  ///         magnitude or more. The messages name a scale or a modulus that suffices. None of these
  ///         calls is counted. RuntimeError if there is no randomness; that call is counted.
  SharedResult decrypt(const Ciphertext& encrypted, double noise_bits, double magnitude = 1.0);

  /// Returns the declared policy, with the number of results so far as decryptions_before. Save it
  /// before you share a result, and declare it again after a restart.
  SharingPolicy policy() const;
  /// Returns how many decryptions are left.
  std::uint64_t decryptions_left() const;

  /// Returns the flooding that decrypt() adds for this policy, degree and noise_bits. Use it to
  /// choose scale and modulus before there are keys.
  /// @throws InvalidArgument if a number of the policy is out of range, the degree is not a power
  ///         of two in [2, 131072], or noise_bits is not as for decrypt().
  static FloodingNoiseSize flooding(const SharingPolicy& policy, std::size_t degree,
                                    double noise_bits);

 private:
  void check_fit(const ContextData& level, const SharedResult& result, double noise_bits,
                 double magnitude) const;
  void declare(const SharingPolicy& policy);
  void count_one();

  Context context_;
  Decryptor decryptor_;
  SharingPolicy policy_;
  RandomSource random_;
  std::shared_ptr<rlwe::SharedResults> results_;
};

}  // namespace ringlet
