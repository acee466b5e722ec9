// SPDX-License-Identifier: Apache-2.0
#include "ringlet/schemes/sharing_decryptor.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

#include "base/parallel.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ring/cyclotomic/ring_degree.hpp"
#include "ringlet/ring/rns_poly.hpp"
#include "rlwe/checks.hpp"
#include "rlwe/random/random_stream.hpp"
#include "rlwe/random/samplers.hpp"
#include "rlwe/scheme_traits.hpp"
#include "rlwe/shared_results.hpp"
#include "schemes/operand_entry.hpp"
#include "schemes/sharing/flooding.hpp"

namespace ringlet {
namespace {

// Bounds of the flooding are exceeded with a probability of at most 2^-this.
constexpr double kSharedFailureBits = 40;

// With the factor of a policy, at most 2^(2 + 16 + 40), deviations stay below 2^240 for all
// degrees.
constexpr double kMaxNoiseBits = 180;

void check_policy(const SharingPolicy& policy) {
  if (policy.decryptions < 1 || policy.decryptions > kMaxSharedDecryptions) {
    refuse(concat(policy.decryptions, " declared decryptions"),
           concat("1 to ", kMaxSharedDecryptions),
           "declare how many results of this key are to be shared; make new keys for more");
  }
  if (policy.security_bits < kMinSharingSecurityBits ||
      policy.security_bits > kMaxSharingSecurityBits) {
    refuse(concat("security_bits = ", policy.security_bits),
           concat(kMinSharingSecurityBits, " to ", kMaxSharingSecurityBits, " bits, statistical"),
           "keep the default of 64, or pass 30 if the results need more precision");
  }
  if (policy.decryptions_before > policy.decryptions) {
    refuse(concat(policy.decryptions_before, " earlier decryptions"),
           concat("at most the ", policy.decryptions, " declared decryptions"),
           "make new keys: no declared decryption of this key is left");
  }
}

// Returns log2 of what the error slots of an encryption exceed in one case of two. They are N/2
// complex Gaussian values of variance N times that of a coefficient; one exceeds sqrt(x) times its
// deviation with probability exp(-x).
double fresh_noise_bits(std::size_t degree) {
  const auto n = static_cast<double>(degree);
  return std::log2(rlwe::kErrorVariance * n * std::log(n)) / 2;
}

void check_noise_bits(double noise_bits, std::size_t degree) {
  const double least = fresh_noise_bits(degree);
  if (noise_bits >= least && noise_bits <= kMaxNoiseBits) return;
  refuse(concat("noise_bits = ", noise_bits),
         concat(std::ceil(10 * least) / 10, " (a fresh ciphertext for N = ", degree, ") to ",
                kMaxNoiseBits),
         "pass log2 of a bound of scale times the error of a slot, such as the estimate of the "
         "circuit");
}

// Returns a with a*exp(1 - a) = 2^-bits: a vector of two coordinates, sub-Gaussian with variance
// v/2 in every direction, is longer than sqrt(a*v) with at most that probability.
double squared_deviations(double bits) {
  const double target = bits * std::log(2.0) + 1;
  double a = target;
  for (int i = 0; i < 50; ++i) a = target + std::log(a);
  return a;
}

double log2_of_modulus(const ContextData& level) {
  double bits = 0;
  for (const Modulus& q : level.coeff_modulus()) bits += std::log2(static_cast<double>(q.value()));
  return bits;
}

std::string in_bits(double bits) { return concat("2^", std::round(bits * 100) / 100); }

schemes::FloodingDistribution distribution_for(const SharingPolicy& policy, std::size_t degree,
                                               double noise_bits) {
  // The simulated message is itself rounded to integers, by up to a half per coefficient.
  const double distance = std::exp2(noise_bits) + std::sqrt(static_cast<double>(degree)) / 2;
  const double factor = std::sqrt(12.0 * static_cast<double>(policy.decryptions)) *
                        std::exp2(policy.security_bits / 2.0);
  return schemes::FloodingDistribution(factor * distance);
}

FloodingNoiseSize size_of(const schemes::FloodingDistribution& distribution, std::size_t degree) {
  const double log2_n = std::log2(static_cast<double>(degree));
  const double slots = squared_deviations(kSharedFailureBits + log2_n);
  const double coefficients = 2 * std::log(2.0) * (kSharedFailureBits + log2_n + 1);
  const double bits = std::log2(distribution.deviation());
  return {.deviation_bits = bits,
          .slot_bits = bits + (log2_n + std::log2(slots)) / 2,
          .coefficient_bits = bits + std::log2(coefficients) / 2};
}

}  // namespace

FloodingNoiseSize SharingDecryptor::flooding(const SharingPolicy& policy, std::size_t degree,
                                             double noise_bits) {
  public_entry("SharingDecryptor::flooding", [&] {
    check_policy(policy);
    check_power_of_two_degree(degree);
    check_noise_bits(noise_bits, degree);
  });
  return size_of(distribution_for(policy, degree, noise_bits), degree);
}

SharingDecryptor::SharingDecryptor(const Context& context, const SecretKey& secret_key,
                                   const SharingPolicy& policy, RandomSource random)
    : context_(context.on_host()),
      decryptor_(context, secret_key),
      policy_(policy),
      random_(std::move(random)),
      results_(secret_key.shared_results_) {
  public_entry("SharingDecryptor", [&] { declare(policy); });
}

void SharingDecryptor::declare(const SharingPolicy& policy) {
  if (!rlwe::traits_of(context_.scheme()).has_scale) {
    refuse(concat("a context for ", to_string(context_.scheme())), "contexts for ckks",
           "share the decrypted values: bfv and bgv decrypt without noise");
  }
  check_policy(policy);
  if (!results_) rlwe::check_key(context_, kParmsIdZero, "secret key");  // moved from
  const std::scoped_lock locked(results_->mutex);
  if (results_->declared == 0) {
    results_->declared = policy.decryptions;
    results_->security_bits = policy.security_bits;
  }
  if (policy.decryptions != results_->declared || policy.security_bits != results_->security_bits) {
    refuse(concat(policy.decryptions, " decryptions at ", policy.security_bits, " bits"),
           concat(results_->declared, " at ", results_->security_bits,
                  " bits, which were declared for this key"),
           "declare the decryptions and bits of this key again, or make new keys");
  }
  results_->made = std::max(results_->made, policy.decryptions_before);
}

SharingPolicy SharingDecryptor::policy() const {
  SharingPolicy policy = policy_;
  const std::scoped_lock locked(results_->mutex);
  policy.decryptions_before = results_->made;
  return policy;
}

std::uint64_t SharingDecryptor::decryptions_left() const {
  return policy_.decryptions - policy().decryptions_before;
}

void SharingDecryptor::count_one() {
  const std::scoped_lock locked(results_->mutex);
  if (results_->made < policy_.decryptions) {
    ++results_->made;
    return;
  }
  refuse<LogicError>(concat("decryption ", policy_.decryptions + 1, " for sharing"),
                     concat("at most the declared number, ", policy_.decryptions),
                     "make new keys, and declare more decryptions for them: the noise was chosen "
                     "for this number and does not protect more");
}

void SharingDecryptor::check_fit(const ContextData& level, const SharedResult& result,
                                 double noise_bits, double magnitude) const {
  const double scale = result.plaintext.scale();
  const double modulus_bits = log2_of_modulus(level);
  // The bound of a coefficient: none is above the largest slot.
  const double message = scale * magnitude + std::exp2(noise_bits);
  const double needed = 1 + std::log2(message + std::exp2(result.flooding.coefficient_bits));
  if (!(needed < modulus_bits)) {
    refuse(
        concat("message of up to ", in_bits(std::log2(scale * magnitude)), " and noise of up to ",
               in_bits(result.flooding.coefficient_bits), " in a coefficient"),
        concat("half of the level's modulus of ", in_bits(modulus_bits)),
        concat("share at a level whose modulus is above ", in_bits(needed),
               ", or declare fewer decryptions or bits"));
  }
  const double magnitude_bits = std::log2(magnitude);
  if (result.error_bits < magnitude_bits - 1) return;
  refuse(concat("an error of up to ", in_bits(result.error_bits), " at scale ",
                in_bits(std::log2(scale))),
         concat("below half of the message's magnitude, ", in_bits(magnitude_bits)),
         concat("use a scale above ",
                in_bits(std::log2(scale) + result.error_bits - magnitude_bits + 1),
                ", or declare fewer decryptions or bits"));
}

SharedResult SharingDecryptor::decrypt(const Ciphertext& encrypted, double noise_bits,
                                       double magnitude) {
  return schemes::operand_entry("SharingDecryptor::decrypt", context_, std::tie(encrypted), [&] {
    const ContextData& level = rlwe::check_operand(context_, encrypted, "ciphertext");
    check_noise_bits(noise_bits, level.degree());
    if (!(std::isnormal(magnitude) && magnitude > 0)) {
      refuse(concat("magnitude = ", magnitude), "a positive normal number",
             "pass an upper bound of the absolute values of the slots");
    }
    SharedResult result;
    const auto distribution = distribution_for(policy_, level.degree(), noise_bits);
    result.flooding = size_of(distribution, level.degree());
    result.plaintext = decryptor_.message_of(encrypted);
    result.error_bits = std::log2(std::exp2(noise_bits) + std::exp2(result.flooding.slot_bits)) -
                        std::log2(result.plaintext.scale());
    check_fit(level, result, noise_bits, magnitude);
    count_one();
    const rlwe::Seed seed(random_);
    const schemes::FloodingNoise noise(distribution, level.degree(), seed);
    const Backend& backend = context_.backend();
    CoeffPoly residues(backend, level.prime_count(), Secrecy::secret, Contents::unspecified);
    NttPoly values(backend, level.prime_count(), Secrecy::secret, Contents::unspecified);
    const CoeffView limbs = residues.view_for_writing();
    parallel_for(level.prime_count(),
                 [&](std::size_t i) { noise.write(limbs.limb(i), level.coeff_modulus()[i]); });
    backend.forward_ntt(values.view_for_writing(), residues.view(), level.primes());
    const NttView sum = result.plaintext.ntt_view_for_writing();
    backend.add(sum, sum, values.view(), level.primes());
    return result;
  });
}

}  // namespace ringlet
