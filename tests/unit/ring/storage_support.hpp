// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/ring/storage.hpp"
#include "support/devices/fake_memory.hpp"

// Storages whose words tell their place, on the host (a null memory) or on a device.

namespace ringlet::test {

using FakePointer = std::shared_ptr<FakeMemory>;
inline FakePointer fake(const std::string& name = "gpu:0") {
  return std::make_shared<FakeMemory>(name);
}

inline constexpr StorageShape kShape{2, 3, 12};

/// A value for each word, different for every `version`.
inline std::uint64_t label(std::uint64_t version, std::size_t poly, std::size_t limb,
                           std::size_t i) {
  return ((version * 100 + poly) * 100 + limb) * 10000 + i + 1;
}

template <typename View>
auto limb_in(const View& view, std::size_t l, const FakePointer& memory) {
  if (memory == nullptr) return view.limb(l);
  return decltype(view.limb(l))(memory->words_at(view.limb(l).data(), view.degree));
}

inline void fill(Storage& storage, std::uint64_t version, const FakePointer& memory = nullptr) {
  for (std::size_t p = 0; p < storage.shape().poly_count; ++p) {
    const CoeffView view = storage.view_for_writing<Form::coefficient>(p, memory);
    for (std::size_t l = 0; l < view.limb_count; ++l) {
      const auto words = limb_in(view, l, memory);
      for (std::size_t i = 0; i < view.degree; ++i) words[i] = label(version, p, l, i);
    }
  }
}

/// The number of words that differ from those of fill().
inline std::size_t wrong_words(const Storage& storage, std::uint64_t version,
                               const FakePointer& memory = nullptr) {
  std::size_t wrong = 0;
  for (std::size_t p = 0; p < storage.shape().poly_count; ++p) {
    const ConstCoeffView view = storage.view<Form::coefficient>(p, memory);
    for (std::size_t l = 0; l < view.limb_count; ++l) {
      const auto words = limb_in(view, l, memory);
      for (std::size_t i = 0; i < view.degree; ++i) wrong += words[i] != label(version, p, l, i);
    }
  }
  return wrong;
}

inline Storage on_host(std::uint64_t version, Secrecy secrecy = Secrecy::open) {
  Storage storage(kShape, secrecy);
  fill(storage, version);
  return storage;
}

/// A Storage whose words only `memory` has.
inline Storage on_device(const FakePointer& memory, std::uint64_t version,
                         Secrecy secrecy = Secrecy::open) {
  Storage storage(kShape, secrecy, Contents::unspecified);
  fill(storage, version, memory);
  return storage;
}

/// Borrowed words with gaps between the limbs, which no call may touch.
struct Borrowed {
  static constexpr std::size_t kStride = 17;
  static constexpr std::uint64_t kGap = 0xa5a5a5a5a5a5a5a5u;

  std::size_t touched_gaps() const {
    std::size_t touched = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      touched += i % kStride >= kShape.degree && words[i] != kGap;
    }
    return touched;
  }

  // The last limb has no gap after it, so that a sanitizer sees accesses there.
  std::vector<std::uint64_t> words = std::vector<std::uint64_t>(5 * kStride + kShape.degree, kGap);
  Storage storage = Storage::borrow(kShape, words.data(), kStride);
};

}  // namespace ringlet::test
