// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "seal/ciphertext.h"
#include "seal/context.h"
#include "seal/encryptionparams.h"
#include "seal/publickey.h"
#include "seal/randomgen.h"
#include "seal/secretkey.h"

// Random polynomials and encryptions of zero.

namespace ringlet::seal4_util {

using seal4::Ciphertext;
using seal4::EncryptionParameters;
using seal4::parms_id_type;
using seal4::PublicKey;
using seal4::SEALContext;
using seal4::SecretKey;
using seal4::UniformRandomGenerator;

// Write a random polynomial of the degree of the parameters: its residues modulo each prime in
// turn. All randomness comes from the generator. The results have the same distribution as SEAL's.
// Each function throws std::invalid_argument for a null generator or destination, and for
// parameters without primes.

/// Writes coefficients that are uniform in {-1, 0, 1}, each from four bytes of the stream. Constant
/// time, except that four zero bytes are replaced by the next four.
RINGLET_SEAL_API void sample_poly_ternary(std::shared_ptr<UniformRandomGenerator> prng,
                                          const EncryptionParameters& parms,
                                          std::uint64_t* destination);
/// Writes coefficients of the normal distribution of standard deviation 3.2, clipped to
/// [-19.2, 19.2] and rounded towards 0, each from eight bytes. Constant time.
RINGLET_SEAL_API void sample_poly_normal(std::shared_ptr<UniformRandomGenerator> prng,
                                         const EncryptionParameters& parms,
                                         std::uint64_t* destination);
/// Writes coefficients of the centred binomial distribution of variance 10.5, each from six bytes:
/// the number of ones in the low 21 bits of three bytes less that of the next three. Constant time.
RINGLET_SEAL_API void sample_poly_cbd(std::shared_ptr<UniformRandomGenerator> prng,
                                      const EncryptionParameters& parms,
                                      std::uint64_t* destination);
/// Writes uniform residues, as readers of files expand a seed. For public polynomials: not constant
/// time.
RINGLET_SEAL_API void sample_poly_uniform(std::shared_ptr<UniformRandomGenerator> prng,
                                          const EncryptionParameters& parms,
                                          std::uint64_t* destination);

/// Encrypts zero at a level, the key level included, in NTT form or in coefficient form.
/// Randomness comes from the generator of the parameters, if they have one. Scale and correction
/// factor are 1.
/// @throws std::invalid_argument if the context or the key is not valid, or there is no such level.
RINGLET_SEAL_API void encrypt_zero_asymmetric(const PublicKey& public_key,
                                              const SEALContext& context, parms_id_type parms_id,
                                              bool is_ntt_form, Ciphertext& destination);
/// Does the same with the secret key.
/// @param save_seed true: the second polynomial is replaced by its seed, and the ciphertext can
///                  only be saved, copied and moved.
RINGLET_SEAL_API void encrypt_zero_symmetric(const SecretKey& secret_key,
                                             const SEALContext& context, parms_id_type parms_id,
                                             bool is_ntt_form, bool save_seed,
                                             Ciphertext& destination);

}  // namespace ringlet::seal4_util

namespace seal {
namespace util {
using namespace ringlet::seal4_util;
}
}  // namespace seal
