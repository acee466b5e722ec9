// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <random>
#include <utility>
#include <vector>

// Reference results by division of double words, and the check of the callers below.

using Words = std::vector<std::uint64_t>;
__extension__ typedef unsigned __int128 DoubleWord;

inline int failures = 0;

inline void check(bool condition, const char* what) {
  if (condition) return;
  std::printf("FAILED: %s\n", what);
  ++failures;
}

inline std::uint64_t times(std::uint64_t a, std::uint64_t b, std::uint64_t q) {
  return static_cast<std::uint64_t>(static_cast<DoubleWord>(a) * b % q);
}
inline std::uint64_t plus(std::uint64_t a, std::uint64_t b, std::uint64_t q) {
  return static_cast<std::uint64_t>((static_cast<DoubleWord>(a) + b) % q);
}
inline std::uint64_t minus(std::uint64_t a, std::uint64_t b, std::uint64_t q) {
  return static_cast<std::uint64_t>((static_cast<DoubleWord>(a) + q - b % q) % q);
}

inline std::mt19937_64& generator() {
  static std::mt19937_64 rng(20240229);
  return rng;
}

/// Words in [0, bound), or any words if bound is 0, including the ends of the range.
inline Words random_words(std::size_t n, std::uint64_t bound) {
  Words words(n);
  for (auto& word : words) word = bound == 0 ? generator()() : generator()() % bound;
  words[0] = 0;
  words[n / 2] = bound - 1;
  return words;
}

template <typename Vector, typename Element>
bool all_are(const Vector& words, Element element) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] != element(i)) return false;
  }
  return true;
}

/// a*b mod (X^N + 1, q), term by term.
inline Words schoolbook_product(const Words& a, const Words& b, std::uint64_t q) {
  const std::size_t n = a.size();
  Words result(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      auto& place = result[(i + j) % n];
      const auto term = times(a[i] % q, b[j] % q, q);
      place = i + j < n ? plus(place, term, q) : minus(place, term, q);
    }
  }
  return result;
}

/// A hash for maps by length and modulus.
struct PairHash {
  template <class A, class B>
  std::size_t operator()(const std::pair<A, B>& key) const {
    return std::hash<A>{}(key.first) ^ (std::hash<B>{}(key.second) << 1);
  }
};

void call_as_helib();
void call_as_openfhe();
void call_as_seal();
