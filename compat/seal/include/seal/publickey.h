// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <ios>
#include <iosfwd>
#include <utility>

#include "seal/ciphertext.h"
#include "seal/context.h"
#include "seal/encryptionparams.h"
#include "seal/memorymanager.h"
#include "seal/serialization.h"
#include "seal/util/defines.h"

namespace ringlet::seal4 {

/// An encryption of zero in NTT form at the key level. Saved exactly as a Ciphertext is. Also one
/// pair of a key-switching key.
class RINGLET_SEAL_API PublicKey {
 public:
  /// No key.
  PublicKey() = default;
  /// No key; the memory will come from `pool`.
  explicit PublicKey(MemoryPoolHandle pool) : pk_(std::move(pool)) {}

  Ciphertext& data() noexcept { return pk_; }
  const Ciphertext& data() const noexcept { return pk_; }
  parms_id_type& parms_id() noexcept { return pk_.parms_id(); }
  const parms_id_type& parms_id() const noexcept { return pk_.parms_id(); }
  MemoryPoolHandle pool() const noexcept { return pk_.pool(); }

  /// As the functions of Ciphertext of the same names.
  std::streamoff save_size(compr_mode_type compr_mode = Serialization::compr_mode_default) const;
  std::streamoff save(std::ostream& stream,
                      compr_mode_type compr_mode = Serialization::compr_mode_default) const;
  std::streamoff save(seal_byte* buffer, std::size_t size,
                      compr_mode_type compr_mode = Serialization::compr_mode_default) const;
  /// As the functions of Ciphertext of the same names; the key must be valid for `context`.
  std::streamoff load(const SEALContext& context, std::istream& stream);
  std::streamoff load(const SEALContext& context, const seal_byte* in, std::size_t size);
  std::streamoff unsafe_load(const SEALContext& context, std::istream& stream);
  std::streamoff unsafe_load(const SEALContext& context, const seal_byte* in, std::size_t size);

 private:
  Ciphertext pk_;
};

}  // namespace ringlet::seal4

namespace seal {
using namespace ringlet::seal4;
}
