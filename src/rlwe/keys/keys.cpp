// SPDX-License-Identifier: Apache-2.0
#include "ringlet/rlwe/keys.hpp"

#include <mutex>
#include <string>
#include <utility>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ring/backend/prepared_keys.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/ring/backend.hpp"
#include "rlwe/checks.hpp"
#include "rlwe/shared_results.hpp"

namespace ringlet {
namespace {

constexpr std::size_t kListedElements = 32;

std::string list(const std::vector<std::uint64_t>& elements) {
  std::string text;
  for (std::size_t i = 0; i < elements.size() && i < kListedElements; ++i) {
    text += concat(i == 0 ? "" : ", ", elements[i]);
  }
  if (elements.size() > kListedElements) text += concat(", ... (", elements.size(), " in all)");
  return elements.empty() ? "none" : text;
}

void check_pair(const Context& context, const Ciphertext& pair, const char* name) {
  if (pair.parms_id() == context.key_parms_id() && pair.size() == 2 && pair.is_ntt_form()) return;
  refuse(concat(name, " of size ", pair.size(), ", ", rlwe::describe(context, pair)),
         concat("size 2 in NTT form at the key level, ", context.key_context_data()->chain_index()),
         "take it from a key of the same parameters");
}

void check_pairs(const Context& context, const std::vector<Ciphertext>& pairs,
                 std::size_t seed_count) {
  const std::size_t digits = context.parms().digit_count();
  if (pairs.size() != digits || (seed_count != 0 && seed_count != digits)) {
    refuse(concat(pairs.size(), " pairs and ", seed_count, " seeds"),
           concat(digits, " pairs, one per digit, and one seed per pair or no seeds"),
           "take pairs and seeds from a key of the same parameters");
  }
  for (const Ciphertext& pair : pairs) {
    check_pair(context, pair, "a pair");
    rlwe::check_key_id(pairs.front().key_id(), "the first pair", pair.key_id(), "another pair");
  }
}

void check_switch_key(const Context& context, std::uint64_t index, const KSwitchKey* key) {
  if (key != nullptr && key->digit_count() == context.parms().digit_count() &&
      key->digit_count() != 0 && key->pair(0).parms_id() == context.key_parms_id()) {
    return;
  }
  refuse(concat("the key of index ", index, key == nullptr ? " is null" : ""),
         "a key at the key level of this context",
         "make the key with a key generator of the same parameters");
}

void check_of_set(const KeyId& set, const KSwitchKey& key) {
  rlwe::check_key_id(set, "the set", key.key_id(), "a key in it");
}

void check_powers(const std::vector<std::uint64_t>& powers) {
  for (const std::uint64_t power : powers) {
    if (power >= 2 && power < kMaxCiphertextSize) continue;
    refuse(concat("power ", power, " of the secret"), concat("2 to ", kMaxCiphertextSize - 1),
           "index keys by the power that they lead from");
  }
}

void check_galois_elements(const Context& context, const std::vector<std::uint64_t>& elements) {
  for (const std::uint64_t element : elements) {
    if (context.ring().is_galois_element(element)) continue;
    refuse(concat("Galois element ", element), rlwe::describe_galois_elements(context.ring()),
           "index keys by their Galois element");
  }
}

}  // namespace

SecretKey::SecretKey() : shared_results_(std::make_shared<rlwe::SharedResults>()) {}

SecretKey SecretKey::borrow(const Context& context, std::uint64_t* words) {
  const ContextData& level = *context.key_context_data();
  SecretKey key;
  key.storage_ = Storage::borrow({1, level.prime_count(), level.degree()}, words, level.degree(),
                                 Secrecy::secret);
  key.parms_id_ = level.parms_id();
  return key;
}

PublicKey::PublicKey(const Context& context, Ciphertext data, std::optional<PublicSeed> seed) {
  public_entry("PublicKey", [&] { check_pair(context, data, "a ciphertext"); });
  data_ = std::move(data);
  seed_ = std::move(seed);
}

/// The backends that have prepared this key. They own the prepared forms.
struct KSwitchKey::Preparations {
  ~Preparations() {
    for (const auto& [id, keys] : by_backend) {
      const auto backend = keys.lock();
      if (backend == nullptr) continue;
      decltype(backend->by_owner)::node_type released;
      const std::lock_guard lock(backend->mutex);
      released = backend->by_owner.extract(this);
    }
  }

  std::mutex mutex;
  std::map<std::uint64_t, std::weak_ptr<PreparedKeys>> by_backend;
};

KSwitchKey::KSwitchKey(const Context& context, std::vector<Ciphertext> pairs,
                       std::vector<PublicSeed> seeds)
    : preparations_(std::make_unique<Preparations>()) {
  public_entry("KSwitchKey", [&] { check_pairs(context, pairs, seeds.size()); });
  pairs_ = std::move(pairs);
  seeds_ = std::move(seeds);
}

KSwitchKey::KSwitchKey(KSwitchKey&&) noexcept = default;
KSwitchKey& KSwitchKey::operator=(KSwitchKey&&) noexcept = default;
KSwitchKey::~KSwitchKey() = default;

const PreparedKey& KSwitchKey::prepared(const Backend& backend) const {
  const std::lock_guard lock(preparations_->mutex);
  PreparedKeys& keys = *backend.prepared_keys();
  {
    const std::lock_guard keys_lock(keys.mutex);
    const auto found = keys.by_owner.find(preparations_.get());
    if (found != keys.by_owner.end()) return *found->second;
  }
  std::vector<ConstNttView> b;
  std::vector<ConstNttView> a;
  for (const Ciphertext& pair : pairs_) {
    b.push_back(pair.ntt_view(0));
    a.push_back(pair.ntt_view(1));
  }
  const std::shared_ptr<const PreparedKey> key = backend.prepare_key(b, a);
  std::erase_if(preparations_->by_backend,
                [](const auto& entry) { return entry.second.expired(); });
  preparations_->by_backend.insert_or_assign(backend.id(), backend.prepared_keys());
  const std::lock_guard keys_lock(keys.mutex);
  return *keys.by_owner.emplace(preparations_.get(), key).first->second;
}

const Ciphertext& KSwitchKey::pair(std::size_t digit) const {
  if (digit < pairs_.size()) return pairs_[digit];
  throw_out_of_range({.operation = "KSwitchKey::pair",
                      .offending = concat("digit ", digit),
                      .limit = concat("below the ", pairs_.size(), " digits"),
                      .remedy = "ask for the number of digits first"});
}

std::size_t KSwitchKey::byte_count() const noexcept {
  std::size_t bytes = 0;
  for (const Ciphertext& pair : pairs_) bytes += pair.byte_count();
  return bytes;
}

KSwitchKeySource::~KSwitchKeySource() = default;

/// The keys of a source; each is loaded at most once.
struct KSwitchKeys::Lazy {
  struct Entry {
    std::mutex mutex;
    std::shared_ptr<const KSwitchKey> key;
  };

  Lazy(const Context& context_in, std::shared_ptr<const KSwitchKeySource> source_in)
      : context(context_in), source(std::move(source_in)) {}

  Context context;
  std::shared_ptr<const KSwitchKeySource> source;
  std::map<std::uint64_t, Entry> entries;

  const KSwitchKey* load(std::uint64_t index) {
    Entry& entry = entries.at(index);
    const std::lock_guard lock(entry.mutex);
    if (entry.key == nullptr) {
      auto key = source->load(index);
      check_switch_key(context, index, key.get());
      check_of_set(source->key_id(), *key);
      entry.key = std::move(key);
    }
    return entry.key.get();
  }
};

void KSwitchKeys::set(const Context& context, KSwitchKeyMap keys) {
  for (const auto& [index, key] : keys) {
    check_switch_key(context, index, key.get());
    if (key_id_ == kKeyIdUnknown) key_id_ = key->key_id();
    check_of_set(key_id_, *key);
  }
  parms_id_ = context.key_parms_id();
  keys_ = std::move(keys);
}

void KSwitchKeys::set(const Context& context, std::shared_ptr<const KSwitchKeySource> source) {
  if (source == nullptr) {
    refuse("source = null", "a source of keys",
           "pass a source of keys, such as an open file of Galois keys");
  }
  lazy_ = std::make_shared<Lazy>(context, std::move(source));
  for (const std::uint64_t index : lazy_->source->indices()) {
    keys_.try_emplace(index);
    lazy_->entries.try_emplace(index);
  }
  parms_id_ = context.key_parms_id();
  key_id_ = lazy_->source->key_id();
}

std::size_t KSwitchKeys::byte_count() const noexcept {
  std::size_t bytes = 0;
  for (const auto& [index, key] : keys_) {
    if (key != nullptr) bytes += key->byte_count();
  }
  if (lazy_ == nullptr) return bytes;
  const ContextData& level = *lazy_->context.key_context_data();
  return keys_.size() * lazy_->context.parms().digit_count() * 2 * level.prime_count() *
         level.degree() * 8;
}

const KSwitchKey* KSwitchKeys::find(std::uint64_t index) const {
  const auto entry = keys_.find(index);
  if (entry == keys_.end()) return nullptr;
  return lazy_ != nullptr ? lazy_->load(index) : entry->second.get();
}

std::vector<std::uint64_t> KSwitchKeys::indices() const {
  std::vector<std::uint64_t> result;
  result.reserve(keys_.size());
  for (const auto& [index, key] : keys_) result.push_back(index);
  return result;
}

RelinKeys::RelinKeys(const Context& context, KSwitchKeyMap keys) {
  public_entry("RelinKeys", [&] {
    set(context, std::move(keys));
    check_powers(indices());
  });
}

GaloisKeys::GaloisKeys(const Context& context, KSwitchKeyMap keys) {
  public_entry("GaloisKeys", [&] {
    set(context, std::move(keys));
    check_galois_elements(context, indices());
  });
}

GaloisKeys::GaloisKeys(const Context& context, std::shared_ptr<const KSwitchKeySource> source) {
  public_entry("GaloisKeys", [&] {
    set(context, std::move(source));
    check_galois_elements(context, indices());
  });
}

const KSwitchKey& RelinKeys::key(std::size_t power) const {
  return public_entry("RelinKeys::key", [&]() -> const KSwitchKey& {
    if (const KSwitchKey* found = find(power)) return *found;
    refuse(concat("no key for power ", power, " of the secret"),
           concat("powers with a key: ", list(indices())),
           "create relinearization keys, and relinearize after every multiplication");
  });
}

const KSwitchKey& GaloisKeys::key(std::uint64_t galois_element) const {
  return public_entry("GaloisKeys::key", [&]() -> const KSwitchKey& {
    if (const KSwitchKey* found = find(galois_element)) return *found;
    refuse(concat("no key for Galois element ", galois_element),
           concat("elements with a key: ", list(indices())),
           "create the Galois keys with this element");
  });
}

}  // namespace ringlet
