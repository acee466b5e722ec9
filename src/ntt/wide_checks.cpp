// SPDX-License-Identifier: Apache-2.0
#include "ntt/wide_checks.hpp"

#include <algorithm>
#include <array>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"

namespace ringlet {
namespace {

using WordSpan = std::span<const std::uint64_t>;

/// The memory of a vector: two planes, or one run of pairs and an empty span.
std::array<WordSpan, 2> memory_of(const WideOperand& v) {
  if (v.step() == 2) return {WordSpan(v.low(), 2 * v.size()), WordSpan()};
  return {WordSpan(v.low(), v.size()), WordSpan(v.high(), v.size())};
}

bool overlap(WordSpan a, WordSpan b) {
  const auto a_start = reinterpret_cast<std::uintptr_t>(a.data());
  const auto b_start = reinterpret_cast<std::uintptr_t>(b.data());
  return !a.empty() && !b.empty() && a_start < b_start + b.size_bytes() &&
         b_start < a_start + a.size_bytes();
}

bool overlap(const WideOperand& a, const WideOperand& b) {
  for (const WordSpan x : memory_of(a)) {
    for (const WordSpan y : memory_of(b)) {
      if (overlap(x, y)) return true;
    }
  }
  return false;
}

bool is_same(const WideOperand& a, const WideOperand& b) {
  return a.low() == b.low() && a.high() == b.high() && a.step() == b.step();
}

void check_memory(std::size_t length, const NamedWide& v) {
  if (v.vector.size() != length) {
    refuse(concat(v.name, " has ", v.vector.size(), " double words"),
           concat(length, " double words in every vector of this call"),
           concat("pass a vector of ", length, " double words as ", v.name));
  }
  if (length == 0) return;
  for (const std::uint64_t* const plane : {v.vector.low(), v.vector.high()}) {
    const auto address = reinterpret_cast<std::uintptr_t>(plane);
    if (plane == nullptr) {
      refuse(concat(v.name, " is null, with ", length, " double words"),
             "a null pointer only for 0 double words", concat("pass allocated memory as ", v.name));
    }
    if (address % alignof(std::uint64_t) != 0) {
      refuse(concat(v.name, " starts at address ", hex(address)),
             concat("addresses that are multiples of ", alignof(std::uint64_t)),
             "copy the words to an aligned buffer (alignment to 64 bytes is fastest)");
    }
  }
}

}  // namespace

void check_wide_operands(std::size_t length, std::initializer_list<NamedWide> operands) {
  for (const NamedWide& operand : operands) check_memory(length, operand);
}

void check_wide_vectors(std::size_t length, const NamedWide& result,
                        std::initializer_list<NamedWide> operands) {
  check_memory(length, result);
  check_wide_operands(length, operands);
  const auto planes = memory_of(result.vector);
  if (overlap(planes[0], planes[1])) {
    refuse(concat("the planes of ", result.name, " overlap"), "no word in common",
           "pass separate memory for the high words");
  }
  for (const NamedWide& operand : operands) {
    if (is_same(result.vector, operand.vector) || !overlap(result.vector, operand.vector)) continue;
    refuse(concat(result.name, " overlaps ", operand.name),
           "the same memory in the same layout, or no word in common",
           concat("pass the same vector for both, or separate memory as ", result.name));
  }
}

std::string decimal_digits(uint128_t x) {
  std::string digits;
  do {
    digits.push_back(static_cast<char>('0' + static_cast<int>(x % 10)));
    x /= 10;
  } while (x != 0);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

void check_double_modulus(const WideModulus& q) {
  const bool is_even = q.value()[0] % 2 == 0;
  if (!is_even && q.bit_count() <= kMaxDoubleWordBits) return;
  refuse(
      concat("modulus = ", q.to_string(), ", of ", q.bit_count(), " bits", is_even ? ", even" : ""),
      concat("odd moduli of at most ", kMaxDoubleWordBits, " bits"), "generate a wide prime");
}

bool have_common_words(const WideOperand& a, std::span<const std::uint64_t> b) {
  for (const WordSpan plane : memory_of(a)) {
    if (overlap(plane, b)) return true;
  }
  return false;
}

namespace {

std::size_t checked_planes(WordSpan low, WordSpan high) {
  if (low.size() == high.size()) return low.size();
  refuse(concat("low has ", low.size(), " words, high has ", high.size()),
         "planes of the same length", "pass one low and one high word for every element");
}

std::size_t checked_pairs(WordSpan pairs) {
  if (pairs.size() % 2 == 0) return pairs.size() / 2;
  refuse(concat("pairs has ", pairs.size(), " words"), "an even number of words",
         "pass a low and a high word for every element");
}

template <typename Word>
Word* second_word(std::span<Word> pairs) {
  return pairs.empty() || pairs.data() == nullptr ? nullptr : pairs.data() + 1;
}

}  // namespace

WideResult::WideResult(std::span<std::uint64_t> low, std::span<std::uint64_t> high)
    : low_(low.data()),
      high_(high.data()),
      size_(public_entry("WideResult", [&] { return checked_planes(low, high); })),
      step_(1) {}

WideResult::WideResult(std::span<std::uint64_t> pairs)
    : low_(pairs.data()),
      high_(second_word(pairs)),
      size_(public_entry("WideResult", [&] { return checked_pairs(pairs); })),
      step_(2) {}

WideOperand::WideOperand(std::span<const std::uint64_t> low, std::span<const std::uint64_t> high)
    : low_(low.data()),
      high_(high.data()),
      size_(public_entry("WideOperand", [&] { return checked_planes(low, high); })),
      step_(1) {}

WideOperand::WideOperand(std::span<const std::uint64_t> pairs)
    : low_(pairs.data()),
      high_(second_word(pairs)),
      size_(public_entry("WideOperand", [&] { return checked_pairs(pairs); })),
      step_(2) {}

}  // namespace ringlet
