// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/base/export.hpp"
#include "ringlet/fv/fv.hpp"
#include "ringlet/rlwe/security.hpp"
#include "ringlet/rlwe/serialization.hpp"

// Files of FV with a multi-precision modulus: save, load<fv::Ciphertext>, load<fv::PublicKey>,
// load_parameters<fv::SavedParameters>, save_secret_key and load_secret_key<fv::SecretKey> of
// ringlet/rlwe/serialization.hpp. Of a public key P_1 and the seed of A are saved. Beside what is
// said there, ciphertexts that anybody can read (C_2 = 0) are refused, and secret keys whose
// coefficients are not of the parameters' distribution.

namespace ringlet {
namespace fv {

/// What both sides of a computation have to agree about. Loading validates them as Context does,
/// but for the limit of the table, the level that binary secrets need, and the bound on noise:
/// these are left to Context. The tables of the ring that they name take up to about 3 MiB. The way
/// to multiply is not saved.
struct RINGLET_API SavedParameters {
  Parameters parameters;
  /// `none` if whoever made the parameters asked for no check: then nothing is promised.
  SecurityLevel level = SecurityLevel::tc128;
  SecurityTable table = SecurityTable::classical_2024;

  /// What `context` was made from.
  static SavedParameters of(const Context& context);
  /// A context of these parameters; its identifier is that of the context that was saved.
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
