// SPDX-License-Identifier: Apache-2.0
#include "util/hex_polynomial.hpp"

#include "ringlet/base/error.hpp"
#include "seal/util/defines.h"

namespace ringlet::seal4::detail {

namespace {

constexpr std::string_view kSeparator = " + ";
constexpr std::size_t kMaxExponent = SEAL_POLY_MOD_DEGREE_MAX - 1;

/// Returns the value of a hexadecimal digit; -1 for other characters.
int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void append_hex(std::string& text, std::uint64_t value) {
  int shift = 60;
  while (shift > 0 && value >> shift == 0) shift -= 4;
  for (; shift >= 0; shift -= 4) text += "0123456789ABCDEF"[value >> shift & 15];
}

}  // namespace

void HexPolynomialReader::refuse(const char* expected) const {
  throw_invalid_argument(
      {"Plaintext::operator=", "the text has an error at character " + std::to_string(position_),
       expected, "write terms such as 7FFx^3 with falling exponents, joined by \" + \""});
}

std::uint64_t HexPolynomialReader::read_coefficient() {
  const std::size_t start = position_;
  std::uint64_t value = 0;
  for (; position_ < text_.size(); ++position_) {
    const int digit = hex_value(text_[position_]);
    if (digit < 0) break;
    if (value >> 60 != 0) refuse("coefficients of at most 64 bits");
    value = value << 4 | static_cast<std::uint64_t>(digit);
  }
  if (position_ == start) refuse("a hexadecimal coefficient here");
  return value;
}

std::size_t HexPolynomialReader::read_exponent() {
  if (position_ == text_.size() || text_[position_] != 'x') return 0;
  ++position_;
  if (position_ == text_.size() || text_[position_] != '^') refuse("'^' after 'x'");
  const std::size_t start = ++position_;
  std::size_t exponent = 0;
  for (; position_ < text_.size() && text_[position_] >= '0' && text_[position_] <= '9';
       ++position_) {
    exponent = 10 * exponent + static_cast<std::size_t>(text_[position_] - '0');
    if (exponent > kMaxExponent) refuse("exponents below 131072");
  }
  if (position_ == start) refuse("a decimal exponent here");
  return exponent;
}

void HexPolynomialReader::read_separator() {
  if (position_ == text_.size()) return;
  if (last_exponent_ == 0) refuse("the end after the constant term");
  if (text_.substr(position_, kSeparator.size()) != kSeparator) refuse("\" + \" or the end here");
  position_ += kSeparator.size();
}

std::optional<HexTerm> HexPolynomialReader::next() {
  if (position_ == text_.size()) return std::nullopt;
  HexTerm term;
  term.coefficient = read_coefficient();
  term.exponent = read_exponent();
  if (last_exponent_ && term.exponent >= *last_exponent_) {
    refuse("exponents that fall from term to term");
  }
  last_exponent_ = term.exponent;
  read_separator();
  return term;
}

HexPolynomialSummary check_hex_polynomial(std::string_view text) {
  HexPolynomialSummary summary;
  HexPolynomialReader reader(text);
  while (const auto term = reader.next()) {
    if (summary.coeff_count == 0) summary.coeff_count = term->exponent + 1;
    summary.is_zero = summary.is_zero && term->coefficient == 0;
  }
  return summary;
}

std::string hex_polynomial(const std::uint64_t* coefficients, std::size_t count) {
  std::string text;
  for (std::size_t i = count; i-- > 0;) {
    if (coefficients[i] == 0) continue;
    if (!text.empty()) text += kSeparator;
    append_hex(text, coefficients[i]);
    if (i > 0) text += "x^" + std::to_string(i);
  }
  return text.empty() ? "0" : text;
}

}  // namespace ringlet::seal4::detail
