// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "seal/ciphertext.h"
#include "seal/context.h"
#include "seal/galoiskeys.h"
#include "seal/kswitchkeys.h"
#include "seal/plaintext.h"
#include "seal/publickey.h"
#include "seal/relinkeys.h"
#include "seal/secretkey.h"
#include "seal/util/defines.h"

// Functions that check whether an object may be used with a context. No function here throws; for a
// context with invalid parameters no object is valid. No branch depends on a word of a plaintext or
// a secret key: all words are read, and only the result of the check is used.

namespace ringlet::seal4 {

/// Return true if the level, form, sizes, scale and correction factor fit each other and `context`.
/// The level is a data level, or any level if allow_pure_key_levels; keys are at the key level. A
/// plaintext has at most N coefficients (BFV, BGV) or N words for each prime of its level, and a
/// scale that is a positive normal number. A ciphertext has N and the primes of its level, and size
/// 0 or 2 to 16. Its scale is 1 in BFV and BGV, in CKKS a positive normal number. Its correction
/// factor is 1, in BGV 1 to t-1. A public key has size 2. Entries of key-switching keys are empty
/// or have one pair for each data prime. Relinearization keys have at most 14 entries, all other
/// key sets (GaloisKeys included) at most N.
RINGLET_SEAL_API bool is_metadata_valid_for(const Plaintext& in, const SEALContext& context,
                                            bool allow_pure_key_levels = false);
RINGLET_SEAL_API bool is_metadata_valid_for(const Ciphertext& in, const SEALContext& context,
                                            bool allow_pure_key_levels = false);
RINGLET_SEAL_API bool is_metadata_valid_for(const SecretKey& in, const SEALContext& context);
RINGLET_SEAL_API bool is_metadata_valid_for(const PublicKey& in, const SEALContext& context);
RINGLET_SEAL_API bool is_metadata_valid_for(const KSwitchKeys& in, const SEALContext& context);
RINGLET_SEAL_API bool is_metadata_valid_for(const RelinKeys& in, const SEALContext& context);

/// Return true if the number of words matches the sizes in the object.
RINGLET_SEAL_API bool is_buffer_valid(const Plaintext& in);
RINGLET_SEAL_API bool is_buffer_valid(const Ciphertext& in);
RINGLET_SEAL_API bool is_buffer_valid(const SecretKey& in);
RINGLET_SEAL_API bool is_buffer_valid(const PublicKey& in);
RINGLET_SEAL_API bool is_buffer_valid(const KSwitchKeys& in);

/// Return true if the metadata is valid, and each word is smaller than its modulus: its prime, or
/// the plain modulus. An object with an invalid buffer has no valid data.
RINGLET_SEAL_API bool is_data_valid_for(const Plaintext& in, const SEALContext& context);
RINGLET_SEAL_API bool is_data_valid_for(const Ciphertext& in, const SEALContext& context);
RINGLET_SEAL_API bool is_data_valid_for(const SecretKey& in, const SEALContext& context);
RINGLET_SEAL_API bool is_data_valid_for(const PublicKey& in, const SEALContext& context);
RINGLET_SEAL_API bool is_data_valid_for(const KSwitchKeys& in, const SEALContext& context);
RINGLET_SEAL_API bool is_data_valid_for(const RelinKeys& in, const SEALContext& context);

/// Return true if the buffer and the data are valid.
RINGLET_SEAL_API bool is_valid_for(const Plaintext& in, const SEALContext& context);
RINGLET_SEAL_API bool is_valid_for(const Ciphertext& in, const SEALContext& context);
RINGLET_SEAL_API bool is_valid_for(const SecretKey& in, const SEALContext& context);
RINGLET_SEAL_API bool is_valid_for(const PublicKey& in, const SEALContext& context);
RINGLET_SEAL_API bool is_valid_for(const KSwitchKeys& in, const SEALContext& context);
RINGLET_SEAL_API bool is_valid_for(const RelinKeys& in, const SEALContext& context);

}  // namespace ringlet::seal4

namespace seal {
using namespace ringlet::seal4;
}
