// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Polynomials as text: terms "H" or "Hx^D", strictly decreasing exponents, " + " between them.

namespace ringlet::seal4::detail {

struct HexTerm {
  std::uint64_t coefficient = 0;
  std::size_t exponent = 0;
};

/// Reads the terms of a polynomial from left to right. Error messages name positions, never digits,
/// which are secret.
class HexPolynomialReader {
 public:
  explicit HexPolynomialReader(std::string_view text) noexcept : text_(text) {}

  /// Returns the next term, or nothing at the end.
  /// @throws InvalidArgument if the text is not that of a polynomial.
  std::optional<HexTerm> next();

 private:
  std::uint64_t read_coefficient();
  std::size_t read_exponent();
  void read_separator();
  [[noreturn]] void refuse(const char* expected) const;

  std::string_view text_;
  std::size_t position_ = 0;
  std::optional<std::size_t> last_exponent_;
};

struct HexPolynomialSummary {
  /// The first exponent plus 1; 0 without terms.
  std::size_t coeff_count = 0;
  bool is_zero = true;
};

/// Reads the whole text.
/// @throws InvalidArgument as the reader.
HexPolynomialSummary check_hex_polynomial(std::string_view text);

/// Returns the text of the polynomial with these coefficients, lowest degree first.
std::string hex_polynomial(const std::uint64_t* coefficients, std::size_t count);

}  // namespace ringlet::seal4::detail
