// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "ringlet/base/export.hpp"
#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/parameters.hpp"

// Exact sizes of everything that is made or saved, from parameters alone: no Context is made, no
// prime is tested and no key generated, so that parameters may be compared by what they cost. Times
// depend on public values only.
//
// Each function throws InvalidArgument if the parameters have no scheme, no ring or no primes, and
// where its own arguments are none of an object that a Context of these parameters could have.
// Sizes of parameters that Context refuses for another reason, such as a composite modulus or
// their security, are given all the same. Within these limits nothing overflows.

namespace ringlet {

/// Bytes of one object, or of several together.
struct ObjectSizes {
  /// What its words take in memory, without the padding between limbs: byte_count() of objects that
  /// have one, else 8 bytes for each word.
  std::size_t payload = 0;
  /// What save() writes with Compression::none, and save_size() says, if uniform halves are written
  /// out: ciphertexts that were computed or encrypted with the public key, keys without seeds.
  std::size_t saved = 0;
  /// The same with a seed in the place of each uniform half: SeededCiphertext, and all keys that a
  /// KeyGenerator makes. Equal to `saved` where no half is uniform.
  std::size_t saved_seeded = 0;

  /// Field by field. Sums of more than 2^64 bytes wrap; single objects are below 2^55.
  ObjectSizes& operator+=(const ObjectSizes& other) noexcept {
    payload += other.payload;
    saved += other.saved;
    saved_seeded += other.saved_seeded;
    return *this;
  }
  friend ObjectSizes operator+(ObjectSizes a, const ObjectSizes& b) noexcept { return a += b; }
  friend bool operator==(const ObjectSizes&, const ObjectSizes&) = default;
};

/// Primes of the first level, where fresh messages are: all data primes.
/// @throws InvalidArgument as above.
RINGLET_API std::size_t first_level_primes(const EncryptionParameters& parms);
/// Primes of the last level: one; with BFV and BGV the fewest first data primes whose product is
/// above the plain modulus. The levels of messages are those from this number of primes to
/// first_level_primes().
/// @throws InvalidArgument as above; for BFV and BGV without a plain modulus, or with one that is
///         not below the product of all data primes.
RINGLET_API std::size_t last_level_primes(const EncryptionParameters& parms);

/// A plaintext in NTT form at the level of so many primes: a message of CKKS, or an operand of BFV
/// or BGV that Evaluator::transform_to_ntt made.
/// @throws InvalidArgument as above; if there is no such level.
RINGLET_API ObjectSizes plaintext_size(const EncryptionParameters& parms, std::size_t prime_count);
/// A plaintext of BFV or BGV in coefficient form with so many coefficients.
/// @throws InvalidArgument as above; for CKKS; if there are more coefficients than the ring has.
RINGLET_API ObjectSizes coefficient_plaintext_size(const EncryptionParameters& parms,
                                                   std::size_t coeff_count);

/// A ciphertext of so many polynomials at the level of so many primes. With a seed: that of
/// Encryptor::encrypt_symmetric_seeded, of two polynomials alone, whose byte_count() is half the
/// payload and 32.
/// @throws InvalidArgument as above; if there is no such level, or `polynomials` is outside
///         [2, 16].
RINGLET_API ObjectSizes ciphertext_size(const EncryptionParameters& parms, std::size_t prime_count,
                                        std::size_t polynomials = kMinCiphertextSize);

/// A public key. @throws InvalidArgument as above.
RINGLET_API ObjectSizes public_key_size(const EncryptionParameters& parms);

/// A set of relinearization keys, one for each power of the secret; KeyGenerator makes that of s^2.
/// @throws InvalidArgument as above; without special primes; if there are more than 14.
RINGLET_API ObjectSizes relin_keys_size(const EncryptionParameters& parms,
                                        std::size_t key_count = 1);
/// A set of Galois keys of so many elements. The payload is what they take once all are loaded.
/// @throws InvalidArgument as above; without special primes; if there are more than the ring has
///         automorphisms.
RINGLET_API ObjectSizes galois_keys_size(const EncryptionParameters& parms,
                                         std::size_t element_count);

/// A secret key; saved by save_secret_key. @throws InvalidArgument as above.
RINGLET_API ObjectSizes secret_key_size(const EncryptionParameters& parms);
/// SavedParameters. The payload is that of the file. @throws InvalidArgument as above.
RINGLET_API ObjectSizes parameters_size(const EncryptionParameters& parms);

/// The keys that a server is given beside the public key.
struct ServerKeys {
  std::size_t relin_keys = 1;       ///< Relinearization keys; 0 for no set at all.
  std::size_t galois_elements = 0;  ///< Elements with a Galois key; 0 for no set at all.
};

/// What a client keeps: parameters and the secret key.
/// @throws InvalidArgument as above.
RINGLET_API ObjectSizes client_size(const EncryptionParameters& parms);
/// What a server is given once: parameters, the public key, and these sets of keys.
/// @throws InvalidArgument as relin_keys_size and galois_keys_size for the sets that there are.
RINGLET_API ObjectSizes server_size(const EncryptionParameters& parms, const ServerKeys& keys = {});

}  // namespace ringlet
