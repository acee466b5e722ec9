// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "support/environment.hpp"

// Hostile files: a good file is cut, damaged or forged. Works for files of every format; a caller
// that knows the format mends the checksums, so that the damage gets past them.

namespace ringlet::test {

using ByteVector = std::vector<std::byte>;

/// The number of mutations of each kind of file: RINGLET_TEST_MUTATIONS, or 4000.
inline std::size_t mutation_count() {
  const char* text = std::getenv("RINGLET_TEST_MUTATIONS");
  const std::size_t count = text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
  return count == 0 ? 4000 : count;
}

/// Calls `check` with every proper prefix. Each has a block of its own size, so that
/// AddressSanitizer sees reads beyond it: behind the first 96 bytes it sees every fifth, which the
/// seed chooses.
inline void for_each_truncation(const ByteVector& file,
                                const std::function<void(const ByteVector&)>& check) {
  for (std::size_t size = 0; size < file.size(); ++size) {
    if (RINGLET_TEST_SANITIZED && size >= 96 && (size + test_seed() % 5) % 5 != 0) continue;
    check(ByteVector(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)));
  }
}

/// Calls `check` with every file that differs in one bit. Where sanitizers slow it down, it flips
/// all bits of the first `whole` bytes, and one bit of each byte of every eighth word behind them;
/// the seed chooses which. The long run reads a million damaged files under sanitizers.
inline void for_each_flipped_bit(ByteVector file,
                                 const std::function<void(const ByteVector&)>& check,
                                 std::size_t whole = 96) {
  for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
    const std::size_t byte = bit / 8;
    const std::size_t turn = byte + test_seed() % 64;
    const bool is_sampled = bit % 8 == turn % 8 && turn / 8 % 8 == 0;
    if (RINGLET_TEST_SANITIZED && byte >= whole && !is_sampled) continue;
    const auto mask = static_cast<std::byte>(1u << (bit % 8));
    file[bit / 8] ^= mask;
    check(file);
    file[bit / 8] ^= mask;
  }
}

/// Numbers that hostile files contain: sizes that overflow, signs, infinity and NaN, and the
/// neighbours of these.
inline std::uint64_t hostile_number(std::mt19937_64& rng) {
  constexpr std::array<std::uint64_t, 18> kNumbers{0,
                                                   1,
                                                   2,
                                                   3,
                                                   16,
                                                   17,
                                                   255,
                                                   0x10000,
                                                   0x100000,
                                                   0x80000000,
                                                   0x100000000,
                                                   0x2000000000000000,
                                                   0x8000000000000000,
                                                   0x1FFFFFFFFFFFFFFF,
                                                   0x7FF0000000000000,
                                                   0x7FF8000000000000,
                                                   0xFFFFFFFFFFFFFFF8,
                                                   0xFFFFFFFFFFFFFFFF};
  const std::uint64_t number = kNumbers[rng() % kNumbers.size()];
  return rng() % 4 == 0 ? number + rng() % 5 - 2 : number;
}

/// Changes a file once, at random: flips bits, changes bytes or numbers of 8 bytes (aligned to 8
/// from the start, or not), cuts, doubles, moves or fills ranges, cuts or extends the end.
inline void mutate_once(ByteVector& file, std::mt19937_64& rng) {
  const auto place = [&](std::size_t end) { return end == 0 ? 0 : rng() % end; };
  const std::size_t size = file.size();
  const std::size_t begin = place(size);
  const std::size_t length = std::min(size - begin, std::size_t{1} + place(24));
  const auto at = [&file](std::size_t i) { return file.begin() + static_cast<std::ptrdiff_t>(i); };
  switch (size == 0 ? 9 : rng() % 10) {
    case 0:
    case 1:
      file[begin] ^= static_cast<std::byte>(1u << (rng() % 8));
      break;
    case 2:
      file[begin] = static_cast<std::byte>(rng());
      break;
    case 3:
    case 4: {
      const std::size_t start = rng() % 4 == 0 ? begin : begin / 8 * 8;
      std::uint64_t number = hostile_number(rng);
      for (std::size_t i = start; i < std::min(start + 8, size); ++i, number >>= 8) {
        file[i] = static_cast<std::byte>(number);
      }
      break;
    }
    case 5:
      file.erase(at(begin), at(begin + length));
      break;
    case 6: {
      const ByteVector part(at(begin), at(begin + length));
      file.insert(at(place(size)), part.begin(), part.end());
      break;
    }
    case 7:
      std::fill(at(begin), at(begin + length), rng() % 2 == 0 ? std::byte{0} : std::byte{0xff});
      break;
    case 8: {
      const std::size_t other = place(size - length + 1);
      const ByteVector part(at(begin), at(begin + length));
      std::copy(part.begin(), part.end(), at(other));
      break;
    }
    default:
      if (rng() % 2 == 0) {
        file.resize(begin);
      } else {
        for (std::size_t i = 0; i < length + 1; ++i) file.push_back(static_cast<std::byte>(rng()));
      }
      break;
  }
}

/// A file after one to four changes. Mostly it is one change, so that a loader reads far.
inline ByteVector mutated(ByteVector file, std::mt19937_64& rng) {
  const std::size_t changes = rng() % 4 != 0 ? 1 : 2 + rng() % 3;
  for (std::size_t i = 0; i < changes; ++i) mutate_once(file, rng);
  return file;
}

/// How many files of one kind were refused and accepted.
struct MutationCounts {
  std::size_t tried = 0;
  std::size_t refused = 0;
  std::size_t accepted = 0;

  std::string text() const {
    return std::to_string(tried) + " mutations, " + std::to_string(refused) + " refused, " +
           std::to_string(accepted) + " accepted and used";
  }
};

}  // namespace ringlet::test
