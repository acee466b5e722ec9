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

/// What is declared before results of a key are shared. Public.
struct SharingPolicy {
  /// tau: how many results of this secret key are shared in its whole life, from 1 to 2^32, by
  /// whichever objects and processes. Copies of a SecretKey count together.
  std::uint64_t decryptions = 1;
  /// s, statistical, from 20 to 80: against any amount of computation, in the sense in which bits
  /// are counted for distinguishing (docs/notes/noise_flooding.md).
  int security_bits = 64;
  /// How many of them were made before, by another process or from a file of the key: what
  /// SharingDecryptor::policy() said last.
  std::uint64_t decryptions_before = 0;
};

/// The noise that a policy asks for, and what it does to results. Public.
struct FloodingNoiseSize {
  /// log2 of sigma, the deviation of the noise of one coefficient.
  double deviation_bits = 0;
  /// log2 of what no value of the flooding at a slot exceeds, times the scale, and of what no
  /// coefficient of it does; each with a probability of at least 1 - 2^-40 for a whole result.
  double slot_bits = 0;
  double coefficient_bits = 0;
};

/// A result that may be shown to others.
struct SharedResult {
  /// In NTT form at the level and with the scale of the ciphertext; to be decoded by CKKSEncoder.
  Plaintext plaintext;
  /// The flooding that is in it.
  FloodingNoiseSize flooding;
  /// log2 of what no slot is off by more than, in units of the message: flooding and the bound of
  /// the ciphertext's noise together. Decoding adds 2^-47 of the largest slot.
  double error_bits = 0;

  /// Bits behind the binary point that are right: -error_bits.
  double precision_bits() const noexcept { return -error_bits; }
};

/// Decrypts CKKS ciphertexts into results that may be handed to those who have the ciphertexts but
/// must not learn the key: IND-CPA-D security (Li and Micciancio, "On the security of
/// homomorphic encryption on approximate numbers", IACR ePrint 2020/1533) by noise flooding (Li,
/// Micciancio, Schultz and Sorrell, "Securing approximate homomorphic encryption using
/// differential privacy", IACR ePrint 2022/816).
///
/// Each coefficient of c_0 + c_1*s + ... gets a fresh Gaussian integer of deviation
///   sigma = sqrt(12 * tau) * 2^(s/2) * (E + sqrt(N)/2),
/// E bounding the noise of the ciphertext, before anything is decoded. What is promised, for what
/// bounds, and the proof are in docs/notes/noise_flooding.md: with tau = decryptions results,
/// nobody tells them from ones that were made without the key better than with an advantage of
/// 2^(-s/2) / 6.9, and none finds the key with a probability above 2^-s / 24, as far as that is
/// hard without the results. The promise is gone if
///   - more results than declared are shared: those beyond are refused, of all objects that were
///     made with copies of one SecretKey together; keys that were loaded count apart;
///   - E is below the noise of a ciphertext, for any inputs that others may have chosen. Averages
///     over random inputs are no such bound (Guo, Nabokov, Suvanto and Johansson, USENIX Security
///     2024);
///   - a ciphertext was not computed as E supposes: a server that deviates is not covered;
///   - the result of another Decryptor for the same ciphertexts is shared too.
///
/// Constant time in key, message and noise. All methods may be called by several threads at once.
class RINGLET_API SharingDecryptor {
 public:
  /// @throws InvalidArgument if the context is not for CKKS, the key is empty or belongs to another
  ///         context, a number of the policy is outside of its range, or other decryptions or
  ///         security_bits were declared for this key.
  SharingDecryptor(const Context& context, const SecretKey& secret_key, const SharingPolicy& policy,
                   RandomSource random = RandomSource());
  SharingDecryptor(const SharingDecryptor&) = delete;
  SharingDecryptor& operator=(const SharingDecryptor&) = delete;

  /// The message of `encrypted` with flooding noise.
  /// @param encrypted a ciphertext of this context that Decryptor::decrypt takes.
  /// @param noise_bits log2 of E, which bounds scale times the error of any slot: the canonical
  ///        norm of the noise, for any inputs. NoiseEstimate::hidden_noise_bits() is that of
  ///        estimates for CircuitInputs::any, noise_bits() with what the encoder rounds, which may
  ///        be left out where the key alone is to be protected from who knows the inputs: the note
  ///        tells. From a bound B of coefficients: log2(B) + log2(N)/2. At least
  ///        log2(10.5*N*ln(N))/2, what fresh errors exceed in one case of two; at most 180.
  /// @param magnitude bounds the absolute values of the slots; positive.
  /// @throws LogicError if all declared decryptions were made: it names their number.
  ///         InvalidArgument if the ciphertext is none that Decryptor::decrypt takes; if noise_bits
  ///         or magnitude is none; if message and noise do not fit below half of the level's
  ///         modulus; if no bit of the message is left, a slot being off by half the magnitude or
  ///         more. The messages name the scale or the modulus that would do. None of these is
  ///         counted. RuntimeError if there is no randomness, which is counted.
  SharedResult decrypt(const Ciphertext& encrypted, double noise_bits, double magnitude = 1.0);

  /// What was declared, with the results that were made up to now as decryptions_before: to be
  /// saved before a result is handed out, and declared again after a restart.
  SharingPolicy policy() const;
  /// How many decryptions are left.
  std::uint64_t decryptions_left() const;

  /// What decrypt() adds for this policy, degree and noise_bits: to choose scale and modulus
  /// before there are keys.
  /// @throws InvalidArgument if a number of the policy is outside of its range, the degree is not a
  ///         power of two in [2, 131072], or noise_bits is not as for decrypt().
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
