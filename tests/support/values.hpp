// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/environment.hpp"

namespace ringlet::test {

using Words = std::vector<std::uint64_t>;

/// Guard words around vectors and between them, which no call may write.
inline constexpr std::uint64_t kSentinel = 0xa5a5a5a5a5a5a5a5u;

/// A generator that depends on the seed of the run, on the name of the running test and on
/// `stream`: a test sees the same numbers whether it runs alone or among others.
inline std::mt19937_64 make_rng(std::uint64_t stream = 0) {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  const auto mix = [&hash](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  };
  if (const auto* info = ::testing::UnitTest::GetInstance()->current_test_info()) {
    mix(info->test_suite_name());
    mix("/");
    mix(info->name());
  }
  const std::uint64_t seed = test_seed();
  std::seed_seq sequence{seed, seed >> 32, hash, hash >> 32, stream, stream >> 32};
  return std::mt19937_64(sequence);
}

/// `count` uniform values in [0, bound); bound >= 1.
inline Words random_values(std::size_t count, std::uint64_t bound, std::mt19937_64& rng) {
  std::uniform_int_distribution<std::uint64_t> distribution(0, bound - 1);
  Words values(count);
  for (auto& value : values) value = distribution(rng);
  return values;
}

/// `count` uniform residues modulo q, in [0, q).
inline Words random_residues(std::size_t count, std::uint64_t q, std::mt19937_64& rng) {
  return random_values(count, q, rng);
}

/// first, first + 1, ...
inline Words counted(std::size_t count, std::uint64_t first) {
  Words words(count);
  std::iota(words.begin(), words.end(), first);
  return words;
}

/// Integers at most 64 above and below 2^first to 2^last, where constants of a modulus change their
/// length. A large run has all of them, others two of each power. first >= 7.
inline Words neighbours_of_powers(int first, int last, std::mt19937_64& rng) {
  Words values;
  for (int bits = first; bits <= last; ++bits) {
    const std::uint64_t power = std::uint64_t{1} << bits;
    const std::uint64_t chosen = 1 + rng() % 64;
    for (std::uint64_t k = 1; k <= 64; ++k) {
      if (test_scale() > 1 || k == chosen) values.insert(values.end(), {power - k, power + k});
    }
  }
  return values;
}

/// Moduli below `limit`: the smallest, powers of two, and primes and composites on both sides of
/// the limits of kernels.
inline Words chosen_moduli(std::uint64_t limit) {
  constexpr std::pair<int, int> kBesidePowers[] = {
      {30, -35}, {30, 3}, {31, -1},  {32, 0},  {32, 15},  {44, -17}, {49, -113},
      {50, -27}, {50, 4}, {50, 55},  {52, 21}, {52, -47}, {60, 33},  {60, -93},
      {61, -1},  {61, 0}, {62, -57}, {62, -1}, {62, 0},   {63, -25}, {63, -1}};
  Words found{2, 3, 4, 5, 7, 12, 17, 97, 257, 1000, 1024, 12289, 65537, 562949953443841};
  for (const auto& [bits, distance] : kBesidePowers) {
    found.push_back((std::uint64_t{1} << bits) + static_cast<std::uint64_t>(distance));
  }
  std::erase_if(found, [limit](std::uint64_t q) { return q >= limit; });
  return found;
}

/// Values at the edges of the range [0, factor * q): neighbours of every multiple of q, of half of
/// q and of the powers of two, if they lie in the range. factor >= 1; factor * q must fit 64 bits.
inline Words edge_values(std::uint64_t q, std::uint64_t factor = 1) {
  const std::uint64_t limit = factor * q;
  Words values{0, 1};
  const auto add_neighbours = [&values](std::uint64_t centre) {
    values.insert(values.end(), {centre - 1, centre, centre + 1});
  };
  for (std::uint64_t multiple = 1; multiple <= factor; ++multiple) add_neighbours(multiple * q);
  add_neighbours(q / 2);
  for (const int bits : {31, 32, 51, 52, 63}) add_neighbours(std::uint64_t{1} << bits);
  std::erase_if(values, [limit](std::uint64_t value) { return value >= limit; });
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// `count` values in [0, factor * q): the edge values first (as many as fit), then uniform ones,
/// shuffled, so that edges meet every lane of a vector.
inline Words mixed_values(std::size_t count, std::uint64_t q, std::uint64_t factor,
                          std::mt19937_64& rng) {
  Words values = random_values(count, factor * q, rng);
  const Words edges = edge_values(q, factor);
  std::copy_n(edges.begin(), std::min(count, edges.size()), values.begin());
  std::shuffle(values.begin(), values.end(), rng);
  return values;
}

}  // namespace ringlet::test
