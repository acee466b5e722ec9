// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include "seal/ciphertext.h"
#include "seal/context.h"
#include "seal/encryptionparams.h"
#include "seal/memorymanager.h"
#include "seal/serialization.h"
#include "seal/util/defines.h"

namespace ringlet::seal4 {

/// An encryption of zero in NTT form at the key level: a public key, or one pair of a key-switching
/// key. Saved exactly as a Ciphertext is.
class RINGLET_SEAL_API PublicKey : public detail::Saved<PublicKey>,
                                   public detail::Loaded<PublicKey> {
 public:
  /// Makes an object without a key.
  PublicKey() = default;
  /// Makes an object without a key whose memory will come from `pool`.
  explicit PublicKey(MemoryPoolHandle pool) : pk_(std::move(pool)) {}

  Ciphertext& data() noexcept { return pk_; }
  const Ciphertext& data() const noexcept { return pk_; }
  parms_id_type& parms_id() noexcept { return pk_.parms_id(); }
  const parms_id_type& parms_id() const noexcept { return pk_.parms_id(); }
  MemoryPoolHandle pool() const noexcept { return pk_.pool(); }

 private:
  Ciphertext pk_;
};

}  // namespace ringlet::seal4

namespace seal {
using namespace ringlet::seal4;
}
