// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/policy/lazy_policy.hpp"
#include "support/test.hpp"

// What the tests of the ranges of the lazy transforms run levels on, in the place of a policy.

namespace ringlet::test {

using Wide = __int128;

/// Intervals [lower, upper] of integers. Every product leaves a centred residue, and every fraction
/// an interval of what it exceeds the exact one by. `overflows` counts the operands of both that
/// did not fit a word, and the sums of fractions that are not those of one residue.
struct Intervals {
  struct Vec {
    Wide lower = 0;
    Wide upper = 0;
  };
  static inline int overflows = 0;

  static void expect_word(const Vec& y) {
    if (y.lower < 0 || y.upper >= Wide{kernels::kLazyWord}) ++overflows;
  }
  static Vec add(const Vec& x, const Vec& y) { return {x.lower + y.lower, x.upper + y.upper}; }
  static Vec sub(const Vec& x, const Vec& y) { return {x.lower - y.upper, x.upper - y.lower}; }
  static Vec product_from(const Vec& start, const Vec& y, const kernels::Twiddle<Intervals>&,
                          const kernels::LazyModulus<Intervals>& m) {
    expect_word(y);
    return {start.lower, start.upper + m.q.upper - 1};
  }
  static Vec fraction(const Vec& rounding, const Vec& y, const kernels::Twiddle<Intervals>&) {
    expect_word(y);
    return {rounding.lower - 2, rounding.upper};
  }
  static Vec residue(const Vec& f, const kernels::LazyModulus<Intervals>& m) {
    if (f.lower < 0 || f.upper * m.q.upper >= Wide{kernels::kLazyWord}) ++overflows;
    return {0, m.q.upper - 1};
  }

  static kernels::LazyModulus<Intervals> modulus_of(std::uint64_t q) {
    kernels::LazyModulus<Intervals> m;
    m.q = {Wide{q}, Wide{q}};
    m.negated_half = {-Wide{q / 2}, -Wide{q / 2}};
    return m;
  }
};

/// A centred residue plus `bias` times q.
inline Intervals::Vec row_at(int bias, std::uint64_t q) {
  const Wide half = q / 2;
  return {Wide{bias} * q - half, Wide{bias} * q + half};
}

/// The same after a reduction that leaves [0, 2q).
inline Intervals::Vec wide_row_at(int bias, std::uint64_t q) {
  return {Wide{bias} * q - q, Wide{bias} * q + q - 1};
}

/// Rows of numbers "| stages | limit | row | lower | upper |" below the heading `section` of the
/// note.
inline std::vector<std::vector<double>> table_of_lazy_note(const std::string& section) {
  std::ifstream note(RINGLET_SOURCE_DIR "/docs/notes/lazy52.md");
  std::vector<std::vector<double>> rows;
  bool inside = false;
  for (std::string line; std::getline(note, line);) {
    if (line.starts_with("#")) inside = line.find(section) != std::string::npos;
    if (!inside || !line.starts_with("| ")) continue;
    std::replace(line.begin(), line.end(), '|', ' ');
    std::istringstream cells(line);
    std::vector<double> row;
    for (double value = 0; cells >> value;) row.push_back(value);
    if (row.size() == 5) rows.push_back(row);
  }
  return rows;
}

}  // namespace ringlet::test
