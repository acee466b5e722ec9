// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "ringlet/base/export.hpp"
#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/parameters.hpp"

// Exact sizes of all objects in memory and in files, from parameters alone. No Context is made, no
// prime is tested and no key generated, so that parameters can be compared by their cost. Times
// depend on public values only.
//
// The functions also accept some parameters that Context refuses, such as parameters with a
// composite modulus or too little security. first_level_primes() states which parameters they
// refuse. For all others no size overflows.

namespace ringlet {

/// The sizes in bytes of one object, or of several together.
struct ObjectSizes {
  /// Memory of the words, without the padding between limbs: byte_count() of objects that have this
  /// function, else 8 bytes for each word.
  std::size_t payload = 0;
  /// The size of the file with Compression::none, as save_size() returns it, if uniform halves are
  /// written out. It applies to ciphertexts that were computed or encrypted with the public key,
  /// and to keys without seeds.
  std::size_t saved = 0;
  /// The size of the file with a seed instead of each uniform half. It applies to SeededCiphertext
  /// and to all keys of a KeyGenerator, and equals `saved` if there is no uniform half.
  std::size_t saved_seeded = 0;

  /// Adds field by field. Sums of more than 2^64 bytes wrap; single objects are below 2^55.
  ObjectSizes& operator+=(const ObjectSizes& other) noexcept {
    payload += other.payload;
    saved += other.saved;
    saved_seeded += other.saved_seeded;
    return *this;
  }
  friend ObjectSizes operator+(ObjectSizes a, const ObjectSizes& b) noexcept { return a += b; }
  friend bool operator==(const ObjectSizes&, const ObjectSizes&) = default;
};

/// Returns the number of primes of the first level, where fresh messages are: all data primes.
/// @throws InvalidArgument if the parameters have no scheme, no ring or a number of primes that
///         Context refuses; for CKKS over a ring other than X^N + 1.
RINGLET_API std::size_t first_level_primes(const EncryptionParameters& parms);
/// Returns the number of primes of the last level: one for CKKS; for BFV and BGV, the fewest first
/// data primes whose product is above the plain modulus. Messages have levels from this number of
/// primes to first_level_primes().
/// @throws InvalidArgument as first_level_primes; for BFV and BGV without a plain modulus, or with
///         one that is not below the product of all data primes.
RINGLET_API std::size_t last_level_primes(const EncryptionParameters& parms);

/// Returns the sizes of a plaintext in NTT form at the level of `prime_count` primes: a message of
/// CKKS, or an operand of BFV or BGV that Evaluator::transform_to_ntt made.
/// @throws InvalidArgument as first_level_primes; if there is no such level.
RINGLET_API ObjectSizes plaintext_size(const EncryptionParameters& parms, std::size_t prime_count);
/// Returns the sizes of a plaintext of BFV or BGV in coefficient form with `coeff_count`
/// coefficients.
/// @throws InvalidArgument as first_level_primes; for CKKS; if there are more coefficients than the
///         ring has.
RINGLET_API ObjectSizes coefficient_plaintext_size(const EncryptionParameters& parms,
                                                   std::size_t coeff_count);

/// Returns the sizes of a ciphertext of `polynomials` polynomials at the level of `prime_count`
/// primes. `saved_seeded` is the file of a SeededCiphertext, which has two polynomials; for more
/// polynomials it equals `saved`. byte_count() of a SeededCiphertext is half the payload plus 32.
/// @throws InvalidArgument as first_level_primes; if there is no such level, or `polynomials` is
///         outside [2, 16].
RINGLET_API ObjectSizes ciphertext_size(const EncryptionParameters& parms, std::size_t prime_count,
                                        std::size_t polynomials = kMinCiphertextSize);

/// Returns the sizes of a public key. @throws InvalidArgument as first_level_primes.
RINGLET_API ObjectSizes public_key_size(const EncryptionParameters& parms);

/// Returns the sizes of a set of relinearization keys, one for each power of the secret;
/// KeyGenerator makes the key of s^2.
/// @throws InvalidArgument as first_level_primes; without special primes; for more than 14 keys.
RINGLET_API ObjectSizes relin_keys_size(const EncryptionParameters& parms,
                                        std::size_t key_count = 1);
/// Returns the sizes of a set of Galois keys of `element_count` elements. The payload is their
/// memory once all are loaded.
/// @throws InvalidArgument as first_level_primes; without special primes; for more elements than
///         the ring has automorphisms.
RINGLET_API ObjectSizes galois_keys_size(const EncryptionParameters& parms,
                                         std::size_t element_count);

/// Returns the sizes of a secret key, whose file save_secret_key writes.
/// @throws InvalidArgument as first_level_primes.
RINGLET_API ObjectSizes secret_key_size(const EncryptionParameters& parms);
/// Returns the sizes of SavedParameters. Its payload is the payload of the file.
/// @throws InvalidArgument as first_level_primes.
RINGLET_API ObjectSizes parameters_size(const EncryptionParameters& parms);

/// The keys that a server receives besides the public key.
struct ServerKeys {
  std::size_t relin_keys = 1;       ///< Relinearization keys; 0 for no set at all.
  std::size_t galois_elements = 0;  ///< Elements with a Galois key; 0 for no set at all.
};

/// Returns the sizes of the objects that a client keeps: parameters and the secret key.
/// @throws InvalidArgument as first_level_primes.
RINGLET_API ObjectSizes client_size(const EncryptionParameters& parms);
/// Returns the sizes of the objects that a server receives once: parameters, the public key, and
/// the sets of `keys`.
/// @throws InvalidArgument as relin_keys_size and galois_keys_size for the sets of `keys`.
RINGLET_API ObjectSizes server_size(const EncryptionParameters& parms, const ServerKeys& keys = {});

}  // namespace ringlet
