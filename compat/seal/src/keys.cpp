// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "native/access.hpp"
#include "ringlet/base/error.hpp"
#include "seal/galoiskeys.h"
#include "seal/kswitchkeys.h"
#include "seal/relinkeys.h"
#include "seal/secretkey.h"

namespace ringlet::seal4 {

namespace {

MemoryPoolHandle secret_pool() { return MemoryManager::GetPool(mm_force_new, true); }

}  // namespace

SecretKey::SecretKey() : sk_(secret_pool()) {}

SecretKey::SecretKey(const SecretKey& copy) : sk_(copy.sk_, secret_pool()) {}

std::vector<std::vector<PublicKey>>& KSwitchKeys::data() noexcept {
  detail::KeyAccess::forget_native(*this);
  return keys_;
}

std::vector<PublicKey>& KSwitchKeys::data(std::size_t index) {
  std::as_const(*this).data(index);
  return data()[index];
}

std::size_t KSwitchKeys::size() const noexcept {
  return static_cast<std::size_t>(
      std::count_if(keys_.begin(), keys_.end(), [](const auto& entry) { return !entry.empty(); }));
}

const std::vector<PublicKey>& KSwitchKeys::data(std::size_t index) const {
  if (index >= keys_.size() || keys_[index].empty()) {
    throw_invalid_argument({"KSwitchKeys::data", "no key at index " + std::to_string(index),
                            "indices of keys that were generated",
                            "generate the key for this power or Galois element"});
  }
  return keys_[index];
}

std::size_t RelinKeys::get_index(std::size_t key_power) {
  if (key_power < 2) {
    throw_invalid_argument({"RelinKeys::get_index", "key_power = " + std::to_string(key_power),
                            "powers of the secret from 2 on", "use a larger power"});
  }
  return key_power - 2;
}

bool RelinKeys::has_key(std::size_t key_power) const {
  const std::size_t index = get_index(key_power);
  return index < data().size() && !data()[index].empty();
}

std::size_t GaloisKeys::get_index(std::uint32_t galois_elt) {
  constexpr std::uint32_t kLimit = 2 * SEAL_POLY_MOD_DEGREE_MAX;
  if (galois_elt % 2 == 0 || galois_elt >= kLimit) {
    throw_invalid_argument({"GaloisKeys::get_index", "galois_elt = " + std::to_string(galois_elt),
                            "odd numbers below 2^18", "use an element of the Galois group"});
  }
  return (galois_elt - 1) / 2;
}

bool GaloisKeys::has_key(std::uint32_t galois_elt) const {
  const std::size_t index = get_index(galois_elt);
  return index < data().size() && !data()[index].empty();
}

}  // namespace ringlet::seal4
