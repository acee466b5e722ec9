// SPDX-License-Identifier: Apache-2.0
#include "ringlet/keys.hpp"

#include <string>

#include "base/text.hpp"
#include "ringlet/error.hpp"

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

}  // namespace

std::size_t KSwitchKeys::byte_count() const noexcept {
  std::size_t bytes = 0;
  for (const auto& [index, key] : keys_) bytes += key->byte_count();
  return bytes;
}

const KSwitchKey* KSwitchKeys::find(std::uint64_t index) const noexcept {
  const auto entry = keys_.find(index);
  return entry == keys_.end() ? nullptr : entry->second.get();
}

std::vector<std::uint64_t> KSwitchKeys::indices() const {
  std::vector<std::uint64_t> result;
  result.reserve(keys_.size());
  for (const auto& [index, key] : keys_) result.push_back(index);
  return result;
}

const KSwitchKey& RelinKeys::key(std::size_t power) const {
  if (const KSwitchKey* found = find(power)) return *found;
  throw_invalid_argument({.operation = "RelinKeys::key",
                          .offending = concat("no key for power ", power, " of the secret"),
                          .limit = concat("powers with a key: ", list(indices())),
                          .remedy = "relinearize after every multiplication, with keys of "
                                    "KeyGenerator::create_relin_keys"});
}

const KSwitchKey& GaloisKeys::key(std::uint64_t galois_element) const {
  if (const KSwitchKey* found = find(galois_element)) return *found;
  throw_invalid_argument({.operation = "GaloisKeys::key",
                          .offending = concat("no key for Galois element ", galois_element),
                          .limit = concat("elements with a key: ", list(indices())),
                          .remedy = "name the rotation when the keys are made, "
                                    "KeyGenerator::create_galois_keys"});
}

}  // namespace ringlet
