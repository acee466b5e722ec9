// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/values.hpp"

namespace ringlet::test {

/// Operands of a transform in [0, factor*q): at random and at the edges; zeros, q - 1, the top of
/// the range everywhere, in every second place, by a bit of the index, in one half, in the first
/// place; and three places at random.
inline std::vector<std::vector<std::uint64_t>> transform_operands(std::size_t degree,
                                                                  std::uint64_t q,
                                                                  std::uint64_t factor,
                                                                  std::mt19937_64& rng) {
  const std::uint64_t top = factor * q - 1;
  const auto filled = [&](auto is_top) {
    Words words(degree, 0);
    for (std::size_t i = 0; i < degree; ++i) words[i] = is_top(i) ? top : 0;
    return words;
  };
  Words sparse(degree, 0);
  for (int i = 0; i < 3; ++i) sparse[rng() % degree] = rng() % (factor * q);
  const std::size_t bit = std::size_t{1} << (rng() % 4);
  return {mixed_values(degree, q, factor, rng),
          Words(degree, 0),
          Words(degree, q - 1),
          Words(degree, top),
          filled([](std::size_t i) { return i % 2 == 0; }),
          filled([](std::size_t i) { return i % 2 != 0; }),
          filled([=](std::size_t i) { return (i & bit) == 0; }),
          filled([=](std::size_t i) { return (i & bit) != 0; }),
          filled([=](std::size_t i) { return i < degree / 2; }),
          filled([](std::size_t i) { return i == 0; }),
          std::move(sparse)};
}

/// `words` modulo q.
inline std::vector<std::uint64_t> reduced(std::vector<std::uint64_t> words, std::uint64_t q) {
  for (std::uint64_t& word : words) word %= q;
  return words;
}

}  // namespace ringlet::test
