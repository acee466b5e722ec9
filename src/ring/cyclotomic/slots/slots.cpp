// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "base/declassify.hpp"
#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ring/cyclotomic/slots/slot_tables.hpp"
#include "ringlet/arith/modular.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/ring/cyclotomic_slots.hpp"

namespace ringlet {
namespace {

using slots::SlotTables;
using Row = SecretVector<std::uint64_t>;

constexpr std::uint64_t kMaxSlotIndex = 65535;

void check_index(std::uint64_t index) {
  if (index >= 3 && index <= kMaxSlotIndex && index % 2 == 1) return;
  std::string remedy = "choose an odd index with the slots that are needed";
  if (index % 4 == 0) {
    remedy = "choose an odd index: for multiples of 4 the factors modulo 2 repeat";
  } else if (index % 2 == 0 && index / 2 >= 3 && index / 2 <= kMaxSlotIndex) {
    remedy = concat("use index ", index / 2, ", which is the same ring with X for -X");
  }
  refuse(concat("index m = ", index), concat("an odd index from 3 to ", kMaxSlotIndex), remedy);
}

void check_slot(const SlotTables& tables, std::size_t slot) {
  if (slot < tables.factors.size()) return;
  refuse<OutOfRange>(concat("slot ", slot), concat("below the ", tables.factors.size(), " slots"),
                     "count slots from 0");
}

void check_size(std::size_t size, std::size_t wanted, const char* what) {
  if (size == wanted) return;
  refuse(concat("a span of ", size, " ", what), concat("exactly ", wanted, " ", what),
         "pass a span of that size");
}

template <typename T>
std::uint64_t offences(std::span<const T> values) {
  std::uint64_t all = 0;
  for (const T value : values) all |= value;
  return all >> 1;
}

template <typename T>
[[noreturn]] void throw_not_binary(std::span<const T> values, const char* what) {
  std::size_t i = 0;
  while (values[i] <= 1) ++i;
  refuse(concat(what, " ", i, " is out of range"), "0 or 1", "reduce the values modulo 2");
}

template <typename T>
void check_binary(std::span<const T> values, const char* what) {
  if (declassify(offences(values) != 0)) throw_not_binary(values, what);
}

std::vector<std::uint8_t> spread(std::span<const std::uint64_t> words, std::size_t count) {
  std::vector<std::uint8_t> result(count);
  for (std::size_t i = 0; i < count; ++i) result[i] = binary::bit(words, i) ? 1 : 0;
  return result;
}

Row pack(std::span<const std::uint64_t> coefficients, std::size_t words) {
  Row row(words);
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    row[i / 64] |= (coefficients[i] & 1) << (i % 64);
  }
  return row;
}

void unpack(std::span<std::uint64_t> coefficients, std::span<const std::uint64_t> row) {
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    coefficients[i] = row[i / 64] >> (i % 64) & 1;
  }
}

// Adds the idempotents of the slots whose bit is 1; the bits are `stride` bytes apart.
void add_idempotents(const SlotTables& tables, std::span<std::uint64_t> row,
                     std::span<const std::uint8_t> bits, std::size_t stride) {
  for (std::size_t slot = 0; slot * stride < bits.size(); ++slot) {
    const std::uint64_t mask = opaque(0 - (std::uint64_t{bits[slot * stride]} & 1));
    const auto idempotent = tables.idempotent(slot);
    for (std::size_t w = 0; w < row.size(); ++w) row[w] ^= idempotent[w] & mask;
  }
}

// Writes the constant coefficient of the residue of each slot, `stride` bytes apart.
void constant_coefficients(const SlotTables& tables, std::span<std::uint8_t> constants,
                           std::size_t stride, std::span<const std::uint64_t> row) {
  for (std::size_t slot = 0; slot * stride < constants.size(); ++slot) {
    const auto places = tables.constants_of(slot);
    std::uint64_t sum = 0;
    for (std::size_t w = 0; w < row.size(); ++w) sum ^= row[w] & places[w];
    for (int half = 32; half > 0; half /= 2) sum ^= sum >> half;
    constants[slot * stride] = static_cast<std::uint8_t>(sum & 1);
  }
}

// Multiplies by X modulo Phi_m.
void multiply_by_x(const SlotTables& tables, std::span<std::uint64_t> row) {
  const std::size_t top = tables.degree - 1;
  const std::uint64_t mask = opaque(0 - (row[top / 64] >> (top % 64) & 1));
  row[top / 64] &= ~(std::uint64_t{1} << (top % 64));
  std::uint64_t carry = 0;
  for (std::size_t w = 0; w < row.size(); ++w) {
    const std::uint64_t next = row[w] >> 63;
    row[w] = (row[w] << 1 | carry) ^ (tables.cyclotomic[w] & mask);
    carry = next;
  }
}

// Divides by X modulo Phi_m, whose constant coefficient is 1.
void divide_by_x(const SlotTables& tables, std::span<std::uint64_t> row) {
  const std::size_t top = tables.degree - 1;
  const std::uint64_t mask = opaque(0 - (row[0] & 1));
  for (std::size_t w = 0; w < row.size(); ++w) row[w] ^= tables.cyclotomic[w] & mask;
  for (std::size_t w = 0; w + 1 < row.size(); ++w) row[w] = row[w] >> 1 | row[w + 1] << 63;
  row.back() >>= 1;
  row[top / 64] |= (std::uint64_t{1} << (top % 64)) & mask;
}

// Returns the inverse of a unit a modulo m, by Euclid's algorithm.
std::uint64_t inverse_modulo(std::uint64_t a, std::uint64_t m) {
  std::int64_t factor = 1, next_factor = 0;
  std::uint64_t rest = a, next_rest = m;
  while (next_rest != 0) {
    const std::uint64_t quotient = rest / next_rest;
    rest = std::exchange(next_rest, rest % next_rest);
    factor = std::exchange(next_factor, factor - static_cast<std::int64_t>(quotient) * next_factor);
  }
  return static_cast<std::uint64_t>(factor + (factor < 0 ? static_cast<std::int64_t>(m) : 0));
}

// Returns a slot that holds neither 0 nor 1, or the number of slots.
std::size_t find_offending_slot(const SlotTables& tables, std::span<const std::uint8_t> elements) {
  const std::size_t d = tables.group.slot_degree;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (i % d != 0 && elements[i] != 0) return i / d;
  }
  return tables.factors.size();
}

}  // namespace

struct CyclotomicSlots::Tables : SlotTables {};

CyclotomicSlots::CyclotomicSlots(std::uint64_t index)
    : tables_(public_entry("CyclotomicSlots", [&] {
        check_index(index);
        return std::make_shared<const Tables>(Tables{slots::make_slot_tables(index)});
      })) {}

std::uint64_t CyclotomicSlots::index() const noexcept { return tables_->group.index; }
std::size_t CyclotomicSlots::degree() const noexcept { return tables_->degree; }
std::size_t CyclotomicSlots::slot_count() const noexcept { return tables_->factors.size(); }
std::size_t CyclotomicSlots::slot_degree() const noexcept { return tables_->group.slot_degree; }

std::span<const std::size_t> CyclotomicSlots::dimensions() const noexcept {
  return tables_->group.dimensions;
}

std::vector<std::uint8_t> CyclotomicSlots::factor(std::size_t i) const {
  return public_entry("CyclotomicSlots::factor", [&] {
    check_slot(*tables_, i);
    return spread(tables_->factors[i], slot_degree() + 1);
  });
}

std::vector<std::uint8_t> CyclotomicSlots::idempotent(std::size_t i) const {
  return public_entry("CyclotomicSlots::idempotent", [&] {
    check_slot(*tables_, i);
    return spread(tables_->idempotent(i), degree());
  });
}

void CyclotomicSlots::encode(std::span<std::uint64_t> result,
                             std::span<const std::uint8_t> bits) const {
  public_entry("CyclotomicSlots::encode", [&] {
    check_size(result.size(), degree(), "coefficients");
    if (bits.size() > slot_count()) {
      refuse(concat(bits.size(), " bits"), concat("at most ", slot_count(), " slots"),
             "split the bits over several polynomials");
    }
    check_binary(bits, "bit");
    Row row(tables_->row_words);
    add_idempotents(*tables_, row, bits, 1);
    unpack(result, row);
  });
}

void CyclotomicSlots::decode(std::span<std::uint8_t> bits,
                             std::span<const std::uint64_t> coefficients) const {
  public_entry("CyclotomicSlots::decode", [&] {
    check_size(bits.size(), slot_count(), "bits");
    check_size(coefficients.size(), degree(), "coefficients");
    Row row = pack(coefficients, tables_->row_words);
    SecretVector<std::uint8_t> constants(slot_count());
    constant_coefficients(*tables_, constants, 1, row);
    // This leaves 0 if and only if each slot holds a bit.
    add_idempotents(*tables_, row, constants, 1);
    std::uint64_t offence = offences(coefficients);
    for (const std::uint64_t word : row) offence |= word;
    if (declassify(offence != 0)) {
      if (offences(coefficients) != 0) throw_not_binary(coefficients, "coefficient");
      SecretVector<std::uint8_t> elements(degree());
      decode_elements(elements, coefficients);
      refuse(concat("slot ", find_offending_slot(*tables_, elements),
                    " holds another element than 0 or 1"),
             "a bit in each slot", "decode elements instead of bits");
    }
    std::ranges::copy(constants, bits.begin());
  });
}

void CyclotomicSlots::encode_elements(std::span<std::uint64_t> result,
                                      std::span<const std::uint8_t> elements) const {
  public_entry("CyclotomicSlots::encode_elements", [&] {
    const std::size_t d = slot_degree();
    check_size(result.size(), degree(), "coefficients");
    if (elements.size() > degree() || elements.size() % d != 0) {
      refuse(concat(elements.size(), " bits of elements"),
             concat("whole elements of ", d, " bits, at most ", slot_count()),
             "split the elements over several polynomials");
    }
    check_binary(elements, "bit");
    Row row(tables_->row_words);
    // Adds X^c times the idempotents with bit c, by Horner's rule.
    for (std::size_t c = elements.empty() ? 0 : d; c-- > 0;) {
      multiply_by_x(*tables_, row);
      add_idempotents(*tables_, row, elements.subspan(c), d);
    }
    unpack(result, row);
  });
}

void CyclotomicSlots::decode_elements(std::span<std::uint8_t> elements,
                                      std::span<const std::uint64_t> coefficients) const {
  const std::size_t d = slot_degree();
  public_entry("CyclotomicSlots::decode_elements", [&] {
    check_size(elements.size(), degree(), "bits of elements");
    check_size(coefficients.size(), degree(), "coefficients");
    check_binary(coefficients, "coefficient");
  });
  Row row = pack(coefficients, tables_->row_words);
  // The constant coefficients of X^-c times a residue r are the power series r/phi.
  SecretVector<std::uint8_t> series(degree());
  for (std::size_t c = 0; c < d; ++c) {
    constant_coefficients(*tables_, std::span(series).subspan(c), d, row);
    divide_by_x(*tables_, row);
  }
  const std::size_t words = binary::word_count(d);
  Row quotient(words);
  Row residue(2 * words);
  for (std::size_t slot = 0; slot < slot_count(); ++slot) {
    std::ranges::fill(quotient, 0);
    std::ranges::fill(residue, 0);
    for (std::size_t c = 0; c < d; ++c) {
      quotient[c / 64] |= std::uint64_t{series[slot * d + c]} << (c % 64);
    }
    const binary::Words& factor = tables_->factors[slot];
    for (std::size_t power = 0; power < d; ++power) {
      if (binary::bit(factor, power)) binary::add_shifted(residue, quotient, power);
    }
    for (std::size_t c = 0; c < d; ++c) {
      elements[slot * d + c] = static_cast<std::uint8_t>(residue[c / 64] >> (c % 64) & 1);
    }
  }
}

std::uint64_t CyclotomicSlots::galois_element(std::size_t dimension, std::int64_t step) const {
  const auto sizes = dimensions();
  if (dimension >= sizes.size()) {
    throw_out_of_range({"CyclotomicSlots::galois_element", concat("dimension ", dimension),
                        concat("below the number of dimensions, ", sizes.size()),
                        "check the number of dimensions first"});
  }
  const auto size = static_cast<std::int64_t>(sizes[dimension]);
  const std::int64_t places = (step % size + size) % size;
  std::uint64_t element = 1;
  for (std::int64_t i = 0; i < places; ++i) {
    element = element * tables_->group.generators[dimension] % index();
  }
  return element;
}

std::size_t CyclotomicSlots::image(std::size_t i, std::uint64_t galois_element) const {
  return public_entry("CyclotomicSlots::image", [&] {
    check_slot(*tables_, i);
    const std::uint64_t m = index();
    const std::uint64_t g = galois_element % m;
    if (std::gcd(g, m) != 1) {
      refuse(concat("Galois element ", galois_element), concat("coprime to m = ", m),
             "pass the Galois element of a rotation of the slots");
    }
    // The slot of h receives the value in the slot of g*h.
    const auto& group = tables_->group;
    return group.slot_of[group.representatives[i] * inverse_modulo(g, m) % m];
  });
}

}  // namespace ringlet
