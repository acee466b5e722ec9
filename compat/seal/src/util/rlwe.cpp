// SPDX-License-Identifier: Apache-2.0
#include "seal/util/rlwe.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <span>

#include "native/bridge.hpp"
#include "native/native_keys.hpp"
#include "random/random_call.hpp"
#include "random/seed_expansion.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/schemes/encryptor.hpp"
#include "seal/encryptor.h"
#include "seal/util/iterator.h"
#include "seal/util/ntt.h"
#include "seal/util/uintarithsmallmod.h"

namespace ringlet::seal4_util {
namespace {

namespace native = seal4::detail;

void check_call(const std::shared_ptr<UniformRandomGenerator>& prng,
                const EncryptionParameters& parms, const std::uint64_t* destination) {
  const auto& primes = parms.coeff_modulus();
  if (prng && destination != nullptr && !primes.empty() &&
      std::none_of(primes.begin(), primes.end(), [](const Modulus& q) { return q.is_zero(); })) {
    return;
  }
  throw_invalid_argument({.operation = "sample_poly",
                          .offending = "no generator, no destination or no primes",
                          .limit = "a generator, a buffer of residues and parameters with primes",
                          .remedy = "pass valid parameters and memory for a polynomial"});
}

/// The coefficient plus - minus, both at least 0.
struct Small {
  std::uint64_t plus;
  std::uint64_t minus;
};

/// Writes coefficient c modulo each prime.
void write_small(Small value, std::size_t c, const EncryptionParameters& parms,
                 std::uint64_t* destination) {
  for (const Modulus& q : parms.coeff_modulus()) {
    destination[c] =
        sub_uint_mod(barrett_reduce_64(value.plus, q), barrett_reduce_64(value.minus, q), q);
    destination += parms.poly_modulus_degree();
  }
}

/// Writes sample(word) for each coefficient, from kBytes bytes of the stream, the lowest first.
template <std::size_t kBytes, typename Sample>
void sample_small(UniformRandomGenerator& prng, const EncryptionParameters& parms,
                  std::uint64_t* destination, const Sample& sample) {
  const std::size_t degree = parms.poly_modulus_degree();
  SecretVector<std::uint8_t> bytes(kBytes * degree);
  prng.generate(bytes.size(), reinterpret_cast<seal4::seal_byte*>(bytes.data()));
  for (std::size_t c = 0; c < degree; ++c) {
    std::uint64_t word = 0;
    for (std::size_t i = kBytes; i-- > 0;) word = word << 8 | bytes[c * kBytes + i];
    write_small(sample(word), c, parms, destination);
  }
}

constexpr std::size_t kMaxNormal = 19;

/// Returns, for k = 1, ..., 19, the probability of an absolute value below k, times 2^63.
std::array<std::uint64_t, kMaxNormal> normal_thresholds() {
  constexpr long double kDeviation = 3.2L, kClip = 6 * kDeviation;
  const auto within = [](long double bound) {
    return std::erf(bound / (kDeviation * std::numbers::sqrt2_v<long double>));
  };
  std::array<std::uint64_t, kMaxNormal> thresholds{};
  for (std::size_t k = 1; k <= kMaxNormal; ++k) {
    thresholds[k - 1] = static_cast<std::uint64_t>(
        std::ldexp(within(static_cast<long double>(k)) / within(kClip), 63));
  }
  return thresholds;
}

void set_form(const SEALContext& context, bool is_ntt_form, Ciphertext& ciphertext) {
  if (ciphertext.is_ntt_form() == is_ntt_form) return;
  const auto level = context.get_context_data(ciphertext.parms_id());
  if (is_ntt_form) {
    ntt_negacyclic_harvey(PolyIter(ciphertext), ciphertext.size(), level->small_ntt_tables());
  } else {
    inverse_ntt_negacyclic_harvey(PolyIter(ciphertext), ciphertext.size(),
                                  level->small_ntt_tables());
  }
  ciphertext.is_ntt_form() = is_ntt_form;
}

}  // namespace

void sample_poly_ternary(std::shared_ptr<UniformRandomGenerator> prng,
                         const EncryptionParameters& parms, std::uint64_t* destination) {
  check_call(prng, parms, destination);
  for (std::size_t c = 0; c < parms.poly_modulus_degree(); ++c) {
    std::uint64_t word = prng->generate();
    // The other 2^32 - 1 words are a multiple of 3.
    while (word == 0) word = prng->generate();
    write_small({.plus = 3 * word >> 32, .minus = 1}, c, parms, destination);
  }
}

void sample_poly_normal(std::shared_ptr<UniformRandomGenerator> prng,
                        const EncryptionParameters& parms, std::uint64_t* destination) {
  check_call(prng, parms, destination);
  static const auto kThresholds = normal_thresholds();
  sample_small<8>(*prng, parms, destination, [](std::uint64_t word) {
    std::uint64_t size = 0;
    for (const std::uint64_t threshold : kThresholds) {
      size += 1 - (((word >> 1) - threshold) >> 63);
    }
    const std::uint64_t sign = 0 - (word & 1);
    return Small{.plus = size & ~sign, .minus = size & sign};
  });
}

void sample_poly_cbd(std::shared_ptr<UniformRandomGenerator> prng,
                     const EncryptionParameters& parms, std::uint64_t* destination) {
  check_call(prng, parms, destination);
  sample_small<6>(*prng, parms, destination, [](std::uint64_t word) {
    constexpr std::uint64_t kSide = 0x1fffff;
    return Small{.plus = static_cast<std::uint64_t>(std::popcount(word & kSide)),
                 .minus = static_cast<std::uint64_t>(std::popcount(word >> 24 & kSide))};
  });
}

void sample_poly_uniform(std::shared_ptr<UniformRandomGenerator> prng,
                         const EncryptionParameters& parms, std::uint64_t* destination) {
  check_call(prng, parms, destination);
  std::vector<std::uint64_t> moduli;
  for (const Modulus& q : parms.coeff_modulus()) moduli.push_back(q.value());
  native::expand_stream(*prng, moduli, parms.poly_modulus_degree(), destination);
}

void encrypt_zero_asymmetric(const PublicKey& public_key, const SEALContext& context,
                             parms_id_type parms_id, bool is_ntt_form, Ciphertext& destination) {
  seal4::Encryptor(context, public_key).encrypt_zero(parms_id, destination);
  set_form(context, is_ntt_form, destination);
}

void encrypt_zero_symmetric(const SecretKey& secret_key, const SEALContext& context,
                            parms_id_type parms_id, bool is_ntt_form, bool save_seed,
                            Ciphertext& destination) {
  constexpr const char* kOperation = "encrypt_zero_symmetric";
  const native::Bridge bridge(context, kOperation);
  native::check_key(bridge, secret_key, kOperation);
  const bool at_key_level = bridge.is_pure_key_level(parms_id);
  const ringlet::Context& own = at_key_level ? bridge.key_level() : bridge.native();
  const ringlet::ParmsId& level =
      at_key_level ? own.first_parms_id() : bridge.native_parms_id(parms_id, kOperation);
  const Form form = is_ntt_form ? Form::ntt : Form::coefficient;

  native::RandomCall call(bridge.parms());
  const ringlet::Encryptor encryptor(
      own, native::borrow_key(own, secret_key),
      native::symmetric_random_source(bridge.parms(), own, form, save_seed));
  const ringlet::Ciphertext zero = encryptor.encrypt_zero_symmetric(level);
  if (at_key_level) {
    bridge.store_at_key_level(zero, destination);
  } else {
    bridge.store(zero, destination);
  }
  set_form(context, is_ntt_form, destination);
  if (save_seed) native::replace_by_seed(destination, call.take_public_seeds().at(0));
}

}  // namespace ringlet::seal4_util
