// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "base/text.hpp"
#include "tracing/trace_advice.hpp"

// What a trace says: advice, lines and tables.

namespace ringlet {
namespace {

// A bound that was multiplied in doubles may be below the message by their rounding.
constexpr double kRoundedBound = 1 + 0x1p-40;

std::string rounded(const char* format, double value) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

// Writes no sign if the value rounds to 0.
std::string bits(double value) { return rounded("%.1f", std::abs(value) < 0.05 ? 0.0 : value); }
std::string bits(std::optional<double> value) { return value ? bits(*value) : std::string(); }
std::string power_of_two(double value) { return rounded("2^%.2f", std::log2(value)); }

std::string name_of(const TraceStep& step) {
  return concat(step.result, " = ", step.operation, "(", step.operands, ")");
}

std::string verdict(const TraceStep& step) {
  if (step.is_right && step.is_within_estimate) return "ok";
  return concat(step.is_right ? "ABOVE ESTIMATE" : "WRONG", ": ", step.advice);
}

/// The cells of a line; name and verdict are aligned left, the other cells right.
using Cells = std::vector<std::string>;

Cells head_cells(bool has_scale) {
  Cells cells{"#", "result = operation(operands)", "primes", "size"};
  const Cells more = has_scale ? Cells{"scale", "error", "estimate", "lost", "largest", "verdict"}
                               : Cells{"noise", "estimate", "budget", "lost", "verdict"};
  cells.insert(cells.end(), more.begin(), more.end());
  return cells;
}

Cells step_cells(const TraceStep& step, bool has_scale) {
  Cells cells{concat(step.number), name_of(step), concat(step.prime_count), concat(step.size)};
  if (has_scale) cells.push_back(power_of_two(step.scale));
  cells.push_back(bits(step.measured_bits));
  cells.push_back(bits(step.estimated_bits));
  if (!has_scale) cells.push_back(bits(step.budget_bits));
  cells.push_back(bits(step.lost_bits));
  if (has_scale) cells.push_back(rounded("%.3g", step.magnitude));
  cells.push_back(verdict(step));
  return cells;
}

std::string padded(const std::string& cell, std::size_t width, bool is_left) {
  const std::string space(width - std::min(width, cell.size()), ' ');
  return is_left ? cell + space : space + cell;
}

}  // namespace

std::string circuits::advice_about(const TraceStep& step, const TracedResult& result) {
  if (step.is_right && step.is_within_estimate) return {};
  const TracedResult::ChangedScale& changed = result.operands.changed_scale;
  if (!changed.label.empty()) {
    return concat("the scale of ", changed.label, " was set by hand to ",
                  power_of_two(changed.scale), ", which multiplies its message by ",
                  rounded("%.10g", changed.expected / changed.scale),
                  ": multiply by 1 at the scale that is missing instead");
  }
  if (!result.operands.are_sound) return "an operand was so already: see the step that made it";
  const Ciphertext& ciphertext = result.ciphertext.ciphertext();
  const NoiseEstimate& estimate = result.ciphertext.estimate();
  if (ciphertext.correction_factor() != estimate.correction_factor()) {
    return "the correction factor was changed by hand: leave it to the evaluator";
  }
  if (step.magnitude > step.magnitude_bound * kRoundedBound) {
    return concat("slots reach ", rounded("%.3g", step.magnitude), ", said to be below ",
                  rounded("%.3g", step.magnitude_bound), ": declare the true bound");
  }
  if (!estimate.fits()) {
    return step.budget_bits
               ? "the noise is past the modulus: use more primes, a smaller plain modulus or fewer "
                 "products"
               : "message and noise pass half the modulus: use a larger first prime, a smaller "
                 "scale or smaller values";
  }
  if (step.is_within_estimate && !step.budget_bits) {
    return "the error has reached the message, as was to be expected: use a larger scale";
  }
  return "not explained by the operations: look for keys of another secret, or a ciphertext that "
         "was changed";
}

std::string to_string(const TraceStep& step) {
  std::string line = concat(name_of(step), "  primes ", step.prime_count, "  size ", step.size);
  const bool has_scale = !step.budget_bits;
  if (has_scale) line += concat("  scale ", power_of_two(step.scale));
  line += concat(has_scale ? "  error 2^" : "  noise 2^", bits(step.measured_bits), "  estimate 2^",
                 bits(step.estimated_bits));
  if (step.budget_bits) line += concat("  budget ", bits(*step.budget_bits));
  if (step.lost_bits) line += concat("  lost ", bits(*step.lost_bits));
  if (has_scale) line += concat("  largest ", rounded("%.3g", step.magnitude));
  return line + "  " + verdict(step);
}

std::string to_string(std::span<const TraceStep> steps) {
  const bool has_scale = steps.empty() || !steps.front().budget_bits;
  std::vector<Cells> rows{head_cells(has_scale)};
  for (const TraceStep& step : steps) rows.push_back(step_cells(step, has_scale));
  const std::size_t columns = rows.front().size();
  std::vector<std::size_t> widths(columns);
  for (const Cells& row : rows) {
    for (std::size_t i = 0; i < columns; ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  // Nothing follows the verdict.
  widths.back() = 0;
  std::string table;
  for (const Cells& row : rows) {
    for (std::size_t i = 0; i < columns; ++i) {
      const bool is_left = i == 1 || i + 1 == columns;
      table += concat(i == 0 ? "" : "  ", padded(row[i], widths[i], is_left));
    }
    table += '\n';
  }
  return table;
}

}  // namespace ringlet
