// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "seal/context.h"
#include "seal/encryptionparams.h"
#include "seal/memorymanager.h"
#include "seal/plaintext.h"
#include "seal/serialization.h"
#include "seal/util/defines.h"

namespace ringlet::seal4 {

/// The secret key s: a polynomial with coefficients -1, 0 and 1, in NTT form at the key level. Its
/// memory comes from its own pool and is wiped. Saved exactly as a Plaintext is. Loading does not
/// check that the polynomial is small.
class RINGLET_SEAL_API SecretKey : public detail::Saved<SecretKey>,
                                   public detail::Loaded<SecretKey> {
 public:
  /// Makes an object without a key.
  SecretKey();

  SecretKey(const SecretKey& copy);
  SecretKey(SecretKey&& source) noexcept = default;
  SecretKey& operator=(const SecretKey& assign) = default;
  SecretKey& operator=(SecretKey&& assign) noexcept = default;

  Plaintext& data() noexcept { return sk_; }
  const Plaintext& data() const noexcept { return sk_; }
  parms_id_type& parms_id() noexcept { return sk_.parms_id(); }
  const parms_id_type& parms_id() const noexcept { return sk_.parms_id(); }
  MemoryPoolHandle pool() const noexcept { return sk_.pool(); }

 private:
  Plaintext sk_;
};

}  // namespace ringlet::seal4

namespace seal {
using namespace ringlet::seal4;
}
