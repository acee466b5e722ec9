// SPDX-License-Identifier: Apache-2.0
#include "ring/cyclotomic/slots/binary_polynomial.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace ringlet::binary {

std::size_t length(std::span<const std::uint64_t> a) noexcept {
  std::size_t w = a.size();
  while (w > 0 && a[w - 1] == 0) --w;
  return w == 0 ? 0 : 64 * (w - 1) + static_cast<std::size_t>(std::bit_width(a[w - 1]));
}

void add_shifted(std::span<std::uint64_t> a, std::span<const std::uint64_t> b, std::size_t shift) {
  const std::size_t words = shift / 64;
  const std::size_t bits = shift % 64;
  if (bits == 0) {
    for (std::size_t w = 0; w < b.size(); ++w) a[words + w] ^= b[w];
    return;
  }
  std::uint64_t carry = 0;
  for (std::size_t w = 0; w < b.size(); ++w) {
    a[words + w] ^= b[w] << bits | carry;
    carry = b[w] >> (64 - bits);
  }
  if (words + b.size() < a.size()) a[words + b.size()] ^= carry;
}

namespace {

std::span<const std::uint64_t> used_words(const Words& a) {
  return std::span(a).first(word_count(length(a)));
}

// Divides a by f, leaves the remainder in a, and calls tell with each power of X in the quotient.
template <typename Tell>
void divide(Words& a, const Words& f, const Tell& tell) {
  const std::span<const std::uint64_t> divisor = used_words(f);
  const std::size_t divisor_length = length(f);
  for (std::size_t left = length(a); left >= divisor_length;) {
    add_shifted(a, divisor, left - divisor_length);
    tell(left - divisor_length);
    left = length(std::span(a).first(word_count(left)));
  }
  a.resize(word_count(divisor_length - 1));
}

}  // namespace

void reduce(Words& a, const Words& f) {
  divide(a, f, [](std::size_t) {});
}

Words quotient(Words a, const Words& f) {
  Words result(a.size());
  divide(a, f, [&result](std::size_t power) { flip(result, power); });
  result.resize(word_count(length(result)));
  return result;
}

Words gcd(Words a, Words b) {
  while (length(b) != 0) {
    reduce(a, b);
    std::swap(a, b);
  }
  a.resize(word_count(length(a)));
  return a;
}

bool precedes(const Words& a, const Words& b) {
  const std::size_t length_a = length(a);
  const std::size_t length_b = length(b);
  if (length_a != length_b) return length_a < length_b;
  for (std::size_t w = word_count(length_a); w-- > 0;) {
    if (a[w] != b[w]) return a[w] < b[w];
  }
  return false;
}

Words minimal_relation(std::span<const std::uint8_t> sequence) {
  const std::size_t words = word_count(sequence.size() + 1);
  // relation and former are polynomials in the delay; window holds s_i, s_(i-1), ... from bit 0 on.
  Words relation(words), former(words), window(words);
  relation[0] = former[0] = 1;
  std::size_t degree = 0;
  std::size_t since = 1;
  for (std::size_t i = 0; i < sequence.size(); ++i, ++since) {
    std::uint64_t carry = sequence[i];
    std::uint64_t sum = 0;
    for (std::size_t w = 0; w <= i / 64; ++w) {
      carry = std::exchange(window[w], window[w] << 1 | carry) >> 63;
      sum ^= window[w] & relation[w];
    }
    if (std::popcount(sum) % 2 == 0) continue;
    Words kept = relation;
    add_shifted(relation, used_words(former), since);
    if (2 * degree > i) continue;
    former = std::move(kept);
    since = 0;
    degree = i + 1 - degree;
  }
  // The delay of j places turns into X^(d - j).
  Words result(word_count(degree + 1));
  for (std::size_t j = 0; j <= degree; ++j) {
    if (bit(relation, j)) flip(result, degree - j);
  }
  return result;
}

std::vector<std::uint8_t> recurring_sequence(Words r, const Words& f, std::size_t count) {
  const std::size_t degree = length(f) - 1;
  const std::size_t words = word_count(degree + 1);
  r.resize(words);
  std::vector<std::uint8_t> sequence(count);
  for (std::uint8_t& term : sequence) {
    std::uint64_t carry = 0;
    for (std::size_t w = 0; w < words; ++w) {
      carry = std::exchange(r[w], r[w] << 1 | carry) >> 63;
    }
    const std::uint64_t top = r[degree / 64] >> (degree % 64) & 1;
    const std::uint64_t mask = 0 - top;
    for (std::size_t w = 0; w < words; ++w) r[w] ^= f[w] & mask;
    term = static_cast<std::uint8_t>(top);
  }
  return sequence;
}

Words derivative(const Words& f) {
  constexpr std::uint64_t kOddPowers = 0xAAAAAAAAAAAAAAAA;
  Words result(f.size());
  for (std::size_t w = 0; w < f.size(); ++w) result[w] = (f[w] & kOddPowers) >> 1;
  return result;
}

}  // namespace ringlet::binary
