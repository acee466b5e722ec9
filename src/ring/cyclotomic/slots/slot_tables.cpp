// SPDX-License-Identifier: Apache-2.0
#include "ring/cyclotomic/slots/slot_tables.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "ringlet/ring/cyclotomic.hpp"

namespace ringlet::slots {
namespace {

using binary::Words;

constexpr std::size_t kSlotWordBits = 64;

Words modulo_2(const CyclotomicPolynomial& polynomial) {
  const auto coefficients = polynomial.coefficients();
  Words result(binary::word_count(coefficients.size()));
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    if (coefficients[i] % 2 != 0) binary::flip(result, i);
  }
  return result;
}

// Splits a product of factors until one of degree d is left.
class SlotSplitter {
 public:
  SlotSplitter(const CyclotomicPolynomial& polynomial, std::size_t slot_degree)
      : index_(polynomial.index()),
        slot_degree_(slot_degree),
        was_seen_(polynomial.index(), false),
        factor_(modulo_2(polynomial)) {}

  bool is_done() const { return binary::length(factor_) == slot_degree_ + 1; }
  Words take() { return std::move(factor_); }

  /// Splits by the sum of X^i over the numbers i = 2^e * j modulo m.
  void split(std::uint64_t j) {
    if (was_seen_[j]) return;
    Words sum = class_sum(j);
    binary::reduce(sum, factor_);
    if (binary::length(sum) < 2) return;
    Words common = binary::gcd(factor_, std::move(sum));
    if (binary::length(common) < 2) return;
    Words other = binary::quotient(factor_, common);
    const bool is_smaller = binary::length(common) <= binary::length(other);
    factor_ = is_smaller ? std::move(common) : std::move(other);
  }

 private:
  Words class_sum(std::uint64_t j) {
    Words sum(binary::word_count(index_));
    for (; !was_seen_[j]; j = 2 * j % index_) {
      binary::flip(sum, j);
      was_seen_[j] = true;
    }
    return sum;
  }

  std::uint64_t index_;
  std::size_t slot_degree_;
  std::vector<bool> was_seen_;
  Words factor_;
};

// Returns a factor of degree d of Phi_m. Classes of multiples of the stride come first: if d is the
// stride times the order modulo m/stride, all other classes have trace 0 everywhere.
Words some_factor(const CyclotomicPolynomial& polynomial, std::size_t slot_degree) {
  const std::uint64_t m = polynomial.index();
  SlotSplitter splitter(polynomial, slot_degree);
  for (std::uint64_t j = polynomial.stride(); j < m && !splitter.is_done();
       j += polynomial.stride()) {
    splitter.split(j);
  }
  for (std::uint64_t j = 1; j < m && !splitter.is_done(); ++j) splitter.split(j);
  return splitter.take();
}

// Returns Tr(x^j) of a root x of f for j < count.
std::vector<std::uint8_t> traces(const Words& f, std::size_t count) {
  return binary::recurring_sequence(binary::derivative(f), f, count);
}

// Returns the minimal polynomial of zeta^g for each slot, from the traces of the powers of zeta.
std::vector<Words> minimal_polynomials(const SlotGroup& group,
                                       const std::vector<std::uint8_t>& trace) {
  std::vector<Words> factors;
  std::vector<std::uint8_t> sequence(2 * group.slot_degree);
  for (const std::uint64_t g : group.representatives) {
    std::uint64_t power = 0;
    for (std::uint8_t& term : sequence) {
      term = trace[power];
      power = (power + g) % group.index;
    }
    factors.push_back(binary::minimal_relation(sequence));
  }
  return factors;
}

// Power series whose coefficients are words: each bit belongs to one of 64 series.
void multiply_by(std::span<std::uint64_t> a, std::uint64_t power) {  // by 1 + X^power
  for (std::size_t i = a.size(); i-- > power;) a[i] ^= a[i - power];
}
void divide_by(std::span<std::uint64_t> a, std::uint64_t power) {
  for (std::size_t i = power; i < a.size(); ++i) a[i] ^= a[i - power];
}

// Takes polynomials E below X^m to R = E mod Phi_m. For Psi = (X^m - 1)/Phi_m, R*Psi is E*Psi
// modulo X^m - 1, and both products are series in factors 1 + X^d. `a` has 2m - n words.
void reduce_modulo_cyclotomic(std::span<std::uint64_t> a, const CyclotomicPolynomial& polynomial) {
  const std::uint64_t m = polynomial.index();
  for (const std::uint64_t d : polynomial.divisors()) multiply_by(a, d);
  for (const std::uint64_t d : polynomial.factors()) {
    if (d != m) divide_by(a, d);
  }
  for (std::size_t i = m; i < a.size(); ++i) a[i - m] ^= a[i];
  const auto low = a.first(polynomial.degree());
  for (const std::uint64_t d : polynomial.factors()) multiply_by(low, d);
  for (const std::uint64_t d : polynomial.divisors()) divide_by(low, d);
}

// Exchanges bit j of word i with bit i of word j.
void transpose(std::array<std::uint64_t, kSlotWordBits>& block) {
  std::uint64_t mask = 0xFFFFFFFF;
  for (std::size_t width = kSlotWordBits / 2; width > 0; width /= 2) {
    for (std::size_t i = 0; i < kSlotWordBits; i = (i + width + 1) & ~width) {
      const std::uint64_t swapped = (block[i] >> width ^ block[i + width]) & mask;
      block[i] ^= swapped << width;
      block[i + width] ^= swapped;
    }
    mask ^= mask << (width / 2);
  }
}

// Makes the idempotents of up to 64 slots, from slot `first` on.
void make_idempotents(SlotTables& tables, std::size_t first, const CyclotomicPolynomial& polynomial,
                      const std::vector<std::uint8_t>& trace) {
  const std::uint64_t m = polynomial.index();
  const std::size_t count = std::min(kSlotWordBits, tables.group.representatives.size() - first);
  std::vector<std::uint64_t> series(2 * m - tables.degree);
  for (std::size_t b = 0; b < count; ++b) {
    const std::uint64_t step = m - tables.group.representatives[first + b];
    std::uint64_t power = 0;
    for (std::size_t j = 0; j < m; ++j) {
      series[j] |= std::uint64_t{trace[power]} << b;
      power += step;
      if (power >= m) power -= m;
    }
  }
  reduce_modulo_cyclotomic(series, polynomial);
  std::array<std::uint64_t, kSlotWordBits> block{};
  for (std::size_t w = 0; w < tables.row_words; ++w) {
    const std::size_t filled = std::min(kSlotWordBits, tables.degree - w * kSlotWordBits);
    block.fill(0);
    std::copy_n(series.begin() + static_cast<std::ptrdiff_t>(w * kSlotWordBits), filled,
                block.begin());
    transpose(block);
    for (std::size_t b = 0; b < count; ++b) {
      tables.idempotents[(first + b) * tables.row_words + w] = block[b];
    }
  }
}

// The constant coefficients of X^j mod f recur by f and begin with 1, 0, ..., 0 (d terms): they are
// the series of floor(f/X)/f.
void make_constants(SlotTables& tables, std::size_t slot) {
  const Words& factor = tables.factors[slot];
  Words shifted(factor.size());
  for (std::size_t w = 0; w < factor.size(); ++w) {
    shifted[w] = factor[w] >> 1;
    if (w + 1 < factor.size()) shifted[w] |= factor[w + 1] << 63;
  }
  const auto sequence = binary::recurring_sequence(std::move(shifted), factor, tables.degree);
  const auto row = std::span(tables.constants).subspan(slot * tables.row_words, tables.row_words);
  for (std::size_t j = 0; j < sequence.size(); ++j) {
    row[j / kSlotWordBits] |= std::uint64_t{sequence[j]} << (j % kSlotWordBits);
  }
}

}  // namespace

SlotTables make_slot_tables(std::uint64_t index) {
  const CyclotomicPolynomial polynomial(index);
  SlotTables tables;
  tables.group = make_slot_group(index);
  tables.degree = polynomial.degree();
  tables.row_words = binary::word_count(tables.degree);
  tables.cyclotomic = modulo_2(polynomial);
  // Rows have n bits and no place for X^n.
  binary::flip(tables.cyclotomic, tables.degree);
  tables.cyclotomic.resize(tables.row_words);
  const Words first = some_factor(polynomial, tables.group.slot_degree);
  const std::vector<Words> found = minimal_polynomials(tables.group, traces(first, index));
  const Words& smallest = *std::ranges::min_element(found, binary::precedes);
  const std::vector<std::uint8_t> trace = traces(smallest, index);
  tables.factors = minimal_polynomials(tables.group, trace);
  const std::size_t slot_count = tables.factors.size();
  tables.idempotents.resize(slot_count * tables.row_words);
  tables.constants.resize(slot_count * tables.row_words);
  for (std::size_t first_slot = 0; first_slot < slot_count; first_slot += kSlotWordBits) {
    make_idempotents(tables, first_slot, polynomial, trace);
  }
  for (std::size_t slot = 0; slot < slot_count; ++slot) make_constants(tables, slot);
  return tables;
}

}  // namespace ringlet::slots
