// SPDX-License-Identifier: Apache-2.0
#include "native/native_keys.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "native/access.hpp"
#include "native/convert.hpp"
#include "ringlet/base/error.hpp"
#include "seal/valcheck.h"

namespace ringlet::seal4::detail {
namespace {

[[noreturn]] void throw_foreign(const char* operation, const char* what) {
  throw_invalid_argument({operation, std::string(what) + " not valid for the context",
                          "keys at the key level of this context",
                          "make them with a KeyGenerator of the same parameters"});
}

ringlet::Ciphertext borrow_pair(const ringlet::Context& context, const PublicKey& key) {
  return ringlet::Ciphertext::borrow(
      *context.key_context_data(), key.data().size(), Form::ntt,
      const_cast<std::uint64_t*>(CiphertextAccess::array(key.data()).begin()));
}

void check_parms_id(const Bridge& bridge, const KSwitchKeys& keys, const char* what,
                    const char* operation) {
  if (keys.parms_id() != bridge.context().key_parms_id()) throw_foreign(operation, what);
}

}  // namespace

struct NativeKeys::State {
  std::mutex mutex;
  parms_id_type parms_id{};  ///< The key level to which all of the keys belong.
  std::map<std::size_t, std::shared_ptr<const ringlet::KSwitchKey>> keys;
};

NativeKeys::NativeKeys() : state_(std::make_shared<State>()) {}

std::shared_ptr<const ringlet::KSwitchKey> KeyAccess::native(const SEALContext& context,
                                                             const KSwitchKeys& keys,
                                                             std::size_t index) {
  const auto make = [&] {
    return std::make_shared<const ringlet::KSwitchKey>(borrow_native(context, keys.data(index)));
  };
  const std::shared_ptr<NativeKeys::State> state = keys.native_.state_;
  if (state == nullptr) return make();
  const std::lock_guard lock(state->mutex);
  if (state->parms_id != keys.parms_id()) state->keys.clear();
  state->parms_id = keys.parms_id();
  auto& native = state->keys[index];
  if (native == nullptr) native = make();
  return native;
}

ringlet::SecretKey borrow_key(const ringlet::Context& context, const SecretKey& key) {
  return ringlet::SecretKey::borrow(context, const_cast<std::uint64_t*>(key.data().data()));
}

ringlet::PublicKey borrow_key(const ringlet::Context& context, const PublicKey& key) {
  return {context, borrow_pair(context, key)};
}

void check_key(const Bridge& bridge, const SecretKey& key, const char* operation) {
  if (!is_valid_for(key, bridge.context())) throw_foreign(operation, "a secret key");
}

void check_key(const Bridge& bridge, const PublicKey& key, const char* operation) {
  if (!is_valid_for(key, bridge.context())) throw_foreign(operation, "a public key");
}

ringlet::RelinKeys borrow_keys(const Bridge& bridge, const RelinKeys& keys, std::size_t size,
                               const char* operation) {
  check_parms_id(bridge, keys, "relinearization keys", operation);
  KSwitchKeyMap native;
  for (std::size_t power = 2; power < std::max<std::size_t>(size, 3); ++power) {
    if (!keys.has_key(power)) continue;
    native.emplace(power, KeyAccess::native(bridge.context(), keys, keys.get_index(power)));
  }
  return {bridge.native(), std::move(native)};
}

ringlet::GaloisKeys borrow_keys(const Bridge& bridge, const GaloisKeys& keys,
                                std::span<const std::uint64_t> elements, const char* operation) {
  check_parms_id(bridge, keys, "Galois keys", operation);
  KSwitchKeyMap native;
  for (const std::uint64_t element : elements) {
    const auto index = static_cast<std::size_t>(element / 2);
    if (index >= keys.data().size() || keys.data()[index].empty()) continue;
    native.emplace(element, KeyAccess::native(bridge.context(), keys, index));
  }
  if (native.empty()) {
    const auto& entries = keys.data();
    const auto some = std::find_if(entries.begin(), entries.end(),
                                   [](const auto& entry) { return !entry.empty(); });
    const auto index = static_cast<std::size_t>(some - entries.begin());
    if (some != entries.end()) {
      native.emplace(2 * index + 1, KeyAccess::native(bridge.context(), keys, index));
    }
  }
  return {bridge.native(), std::move(native)};
}

}  // namespace ringlet::seal4::detail
