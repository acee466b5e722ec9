// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "seal/kswitchkeys.h"
#include "seal/util/defines.h"

namespace ringlet::seal4 {

/// Key-switching keys from the powers s^2, s^3, ... of the secret to s. Saved exactly as
/// KSwitchKeys are.
class RINGLET_SEAL_API RelinKeys : public KSwitchKeys, public detail::Loaded<RelinKeys> {
 public:
  /// Returns the index of the entry for s^key_power: key_power - 2.
  /// @throws std::invalid_argument if key_power < 2.
  static std::size_t get_index(std::size_t key_power);
  /// Returns true if there is a key for s^key_power.
  /// @throws std::invalid_argument if key_power < 2.
  bool has_key(std::size_t key_power) const;
  /// Returns the key for s^key_power.
  /// @throws std::invalid_argument if there is no key for s^key_power.
  const std::vector<PublicKey>& key(std::size_t key_power) const {
    return data(get_index(key_power));
  }

  /// The functions load at most 14 entries.
  using detail::Loaded<RelinKeys>::load;
  using detail::Loaded<RelinKeys>::unsafe_load;
};

}  // namespace ringlet::seal4

namespace seal {
using namespace ringlet::seal4;
}
