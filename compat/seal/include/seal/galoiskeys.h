// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "seal/kswitchkeys.h"
#include "seal/util/defines.h"

namespace ringlet::seal4 {

/// Key-switching keys from s(X^g) to s, for Galois elements g, which are odd. Saved exactly as
/// KSwitchKeys are.
class RINGLET_SEAL_API GaloisKeys : public KSwitchKeys, public detail::Loaded<GaloisKeys> {
 public:
  /// Returns the index of the entry for `galois_elt`: (galois_elt - 1) / 2.
  /// @throws std::invalid_argument if galois_elt is even or not below 2^18.
  static std::size_t get_index(std::uint32_t galois_elt);
  /// Returns true if there is a key for `galois_elt`.
  /// @throws std::invalid_argument as get_index.
  bool has_key(std::uint32_t galois_elt) const;
  /// Returns the key for `galois_elt`.
  /// @throws std::invalid_argument if there is no key for `galois_elt`.
  const std::vector<PublicKey>& key(std::uint32_t galois_elt) const {
    return data(get_index(galois_elt));
  }

  /// The functions load at most N entries.
  using detail::Loaded<GaloisKeys>::load;
  using detail::Loaded<GaloisKeys>::unsafe_load;
};

}  // namespace ringlet::seal4

namespace seal {
using namespace ringlet::seal4;
}
