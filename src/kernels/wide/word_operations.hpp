// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cpu_features.hpp"

// The words that WideDoubleWord is made of, one instruction at a time: for tests.

namespace ringlet::kernels {

/// Operations on eight words; bit i of a mask belongs to word i.
struct WordOperations {
  const char* name = nullptr;
  CpuFeatureMask needs = 0;
  void (*mul_words)(std::uint64_t* high, std::uint64_t* low, const std::uint64_t* a,
                    const std::uint64_t* b) = nullptr;
  /// Return the mask of carries or borrows that come out.
  std::uint8_t (*add_carry)(std::uint64_t* sum, const std::uint64_t* a, const std::uint64_t* b,
                            std::uint8_t in) = nullptr;
  std::uint8_t (*subtract_borrow)(std::uint64_t* difference, const std::uint64_t* a,
                                  const std::uint64_t* b, std::uint8_t in) = nullptr;
};

// Defined in its unit.
extern const WordOperations kAvx512WordOperations;

/// The operations of the words W.
template <typename W>
struct WordOperationsOf {
  static void mul_words(std::uint64_t* high, std::uint64_t* low, const std::uint64_t* a,
                        const std::uint64_t* b) {
    typename W::Vec high_words;
    typename W::Vec low_words;
    W::mul_words(W::load(a), W::load(b), high_words, low_words);
    W::store(high, high_words);
    W::store(low, low_words);
  }
  static std::uint8_t add_carry(std::uint64_t* sum, const std::uint64_t* a, const std::uint64_t* b,
                                std::uint8_t in) {
    typename W::Mask out;
    W::store(sum, W::add_carry(W::load(a), W::load(b), in, out));
    return out;
  }
  static std::uint8_t subtract_borrow(std::uint64_t* difference, const std::uint64_t* a,
                                      const std::uint64_t* b, std::uint8_t in) {
    typename W::Mask out;
    W::store(difference, W::subtract_borrow(W::load(a), W::load(b), in, out));
    return out;
  }
  static constexpr WordOperations table(const char* name, CpuFeatureMask needs) {
    return {name, needs, &mul_words, &add_carry, &subtract_borrow};
  }
};

}  // namespace ringlet::kernels
