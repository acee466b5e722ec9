// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "bindings/schemes/state.hpp"
#include "ringlet/rlwe/serialization.hpp"

// Bytes of Python's objects.
//
// Ciphertexts are files of the C++ library. Parameters, public contexts and secret keys are
// containers: 56 bytes, then files of the C++ library one after the other. The 56 bytes:
//   0  magic number 89 52 47 50 0d 0a 1a 0a ("RGP")
//   8  format version, 1, in 4 bytes, then the parts that follow the parameters, in 4 bytes:
//      1 public key, 2 relinearization keys, 4 Galois keys, 8 secret key
//  16  scale of CKKS (IEEE 754 double), 1.0 otherwise
//  24  SHA-256 of the 24 bytes above
// All little-endian. The parameters come first, then the parts in the order of their bits.

namespace ringlet::python {

/// Parses "none" or "zstd". @throws InvalidArgument for other names.
Compression parse_compression(const std::string& name, const char* operation);

nb::bytes parameters_to_bytes(const SchemeParameters& parameters);
/// Reads a container without parts, or a bare file of parameters.
/// @throws InvalidArgument and RuntimeError as loading does, or if the scheme is another one.
SchemeParameters parameters_from_bytes(SchemeType scheme, const nb::bytes& bytes,
                                       SecurityLevel min_security, const char* operation);
/// Reads parameters of CKKS; a bare file of parameters needs a scale.
ParametersOf<SchemeType::ckks> ckks_parameters_from_bytes(const nb::bytes& bytes,
                                                          const std::optional<Integer>& scale_bits,
                                                          const std::optional<double>& scale,
                                                          SecurityLevel min_security);
bool same_parameters(const SchemeParameters& a, nb::handle other);

/// @throws LogicError if the ciphertext is detached.
nb::bytes ciphertext_to_bytes(const BoundCiphertext& ciphertext, Compression compression);

/// Writes parameters and public keys. Needs no interpreter.
void write_public(const Workshop& workshop, Compression compression, std::ostream& stream);
/// Writes parameters and public keys into a file. @throws RuntimeError if it cannot be written.
void write_public_file(const Workshop& workshop, Compression compression,
                       const std::filesystem::path& path);
/// The source of a public context, and how to read it.
struct PublicSource {
  SchemeType scheme = SchemeType::none;
  const char* operation = "";
  std::shared_ptr<std::istream> stream;
  /// Galois keys are read one by one when they are used; the stream must be able to seek.
  bool is_lazy = false;
  SecurityLevel min_security = SecurityLevel::tc128;
  /// The limit of all keys together in memory; 0 as in LoadLimits.
  std::uint64_t max_bytes = 0;
};

/// Reads a public context. Needs no interpreter; between keys Ctrl-C ends it.
/// @throws InvalidArgument and RuntimeError as loading does; ContextMismatch for another scheme.
SharedWorkshop read_public(const PublicSource& source, const KernelSelection& kernels);
/// @throws InvalidArgument if anything follows in the stream.
void check_at_end(std::istream& stream, const char* operation);

/// Writes parameters and secret key into a new file that only the user may read.
/// @throws RuntimeError if there is such a file already, or it cannot be written.
void write_secret_key_file(const Workshop& workshop, const SecretKey& key,
                           const std::filesystem::path& path);
/// Reads parameters and secret key, which it writes to `key`. @throws as reading does.
SharedWorkshop read_secret_key_file(SchemeType scheme, const std::filesystem::path& path,
                                    SecurityLevel min_security, const KernelSelection& kernels,
                                    SecretKey& key);

/// Check and set the scale of CKKS parameters (parameters.cpp).
void check_scale_choice(const std::optional<Integer>& bits, const std::optional<double>& scale);
void set_scale(SchemeParameters& parameters, const std::optional<Integer>& bits,
               const std::optional<double>& scale, const char* operation);
void check_scale(const SchemeParameters& parameters, const char* operation);
std::string describe(const SchemeParameters& parameters);

}  // namespace ringlet::python
