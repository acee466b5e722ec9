// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/base/export.hpp"
#include "ringlet/fv/fv.hpp"
#include "ringlet/rlwe/security.hpp"
#include "ringlet/rlwe/serialization.hpp"

// Files of FV with a multi-precision modulus. Use the functions of ringlet/rlwe/serialization.hpp:
// save, load<fv::Ciphertext>, load<fv::PublicKey>, load_parameters<fv::SavedParameters>,
// save_secret_key and load_secret_key<fv::SecretKey>. The file of a public key holds P_1 and the
// seed of A. Besides the checks of that header, loading refuses ciphertexts that can be read
// without the key (C_2 = 0), and secret keys with a coefficient outside the distribution of the
// parameters.

namespace ringlet {
namespace fv {

/// The settings that both sides of a computation must share. Loading validates them as Context
/// does, except for three conditions that only Context checks: the limit of the security table, the
/// level that binary secrets need, and the bound on the noise. The tables of the ring need up to
/// about 3 MiB. The way to multiply is not saved.
struct RINGLET_API SavedParameters {
  Parameters parameters;
  /// Is `none` if the saved context checked no security level: then the library promises no
  /// security.
  SecurityLevel level = SecurityLevel::tc128;
  SecurityTable table = SecurityTable::classical_2024;

  /// Returns the settings of `context`.
  static SavedParameters of(const Context& context);
  /// Returns a context of these parameters. Its identifier equals that of the saved context.
  /// @throws as Context.
  Context make_context() const;
};

}  // namespace fv

template <>
struct FileTraits<fv::SavedParameters> : FileOf<FileKind::parameters, fv::Context> {};
template <>
struct FileTraits<fv::PublicKey> : FileOf<FileKind::object, fv::Context> {};
template <>
struct FileTraits<fv::Ciphertext> : FileOf<FileKind::object, fv::Context> {};
template <>
struct FileTraits<fv::SecretKey> : FileOf<FileKind::secret_key, fv::Context> {};

}  // namespace ringlet
