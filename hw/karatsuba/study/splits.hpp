// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "hw/karatsuba/model/link.hpp"

namespace ringlet::hw {

/// The constants of all splits of the recursions: the paper's setting (Migliore et al. 2017,
/// sections 3.1 and 3.3). A product has `base_coefficients` * 2^recursions coefficients.
struct SplitSetting {
  unsigned recursions = 9;
  std::uint64_t base_coefficients = 5;
  /// Chunks of 27 bits of a coefficient; one burst carries one chunk of the key and one coefficient
  /// of one binary polynomial, or one chunk of each of four results.
  std::uint64_t chunks = 5;
  std::uint64_t integer_multipliers = 5;  ///< In one multiplier of polynomials.
  std::uint64_t lanes = 4;                ///< Encryptions at once; one DSP block each.
  double ideal_mebibytes_per_second = 3000;
  double shared_mebibytes_per_second = 2000;
};

/// Cost of one component of up to four encryptions if hardware does `pre` of the recursions before
/// the products and `post` of those after them, and software the others.
struct SplitRow {
  std::uint64_t degree = 0;  ///< Coefficients of the whole product's operands.
  unsigned pre = 0, post = 0;
  std::uint64_t input_polynomials = 0, input_bursts = 0, input_bytes = 0;
  std::uint64_t output_polynomials = 0, output_bursts = 0, output_bytes = 0;
  std::uint64_t products = 0;
  std::uint64_t product_cycles = 0;     ///< For one product on one multiplier of polynomials.
  std::uint64_t multipliers = 0;        ///< The fewest that keep up with the input.
  std::uint64_t multiplier_cycles = 0;  ///< For all products on these multipliers.
  double multiplier_use = 0;            ///< Share of the input's cycles in which they are busy.
  std::uint64_t dsp = 0;
  /// Cycles without waiting for the link: the longest of input, products and output.
  std::uint64_t cycles = 0;
  /// The most bursts of the output that wait, and the power of two that holds them. Results arrive
  /// evenly while the input flows at the shared rate, and leave without a pause at the ideal one.
  std::uint64_t waiting_bursts = 0, fifo_bursts = 0;
  double ideal_us = 0, shared_us = 0;  ///< Card and link at once, both directions at once.
  std::optional<double> software_pre_us, software_post_us;
};

/// Measured microseconds of software, by its number of recursions. Never estimated.
struct SoftwareTimes {
  std::map<unsigned, double> pre, post;
};

inline std::uint64_t power_of_three(unsigned exponent) {
  std::uint64_t power = 1;
  for (unsigned i = 0; i < exponent; ++i) power *= 3;
  return power;
}

inline std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

namespace detail {

inline LinkModel link_of(double mebibytes_per_second) {
  LinkModel link;
  link.mebibytes_per_second = mebibytes_per_second;
  return link;
}

inline void set_times(SplitRow& row, const SplitSetting& setting) {
  const CardRun run{.input_bytes = row.input_bytes,
                    .output_bytes = row.output_bytes,
                    .cycles = row.cycles,
                    .overlapped = true};
  const LinkModel ideal = link_of(setting.ideal_mebibytes_per_second);
  const LinkModel shared = link_of(setting.shared_mebibytes_per_second);
  row.ideal_us = run_time(ideal, run).total_us;
  row.shared_us = run_time(shared, run).total_us;
  const double produced_us =
      std::max(transfer_microseconds(shared, row.input_bytes), microseconds_of_cycles(row.cycles));
  const double sent_us = transfer_microseconds(ideal, row.output_bytes);
  const double waiting = std::max(0.0, 1 - sent_us / produced_us);
  row.waiting_bursts =
      static_cast<std::uint64_t>(std::ceil(static_cast<double>(row.output_bursts) * waiting));
  row.fifo_bursts = std::bit_ceil(row.waiting_bursts);
}

}  // namespace detail

/// One row of the study.
/// @throws InvalidArgument if hardware shall do more recursions than exist, or the link's rates
///         are out of range.
inline SplitRow split_row(unsigned pre, unsigned post, const SplitSetting& setting = {},
                          const SoftwareTimes& software = {}) {
  if (pre > setting.recursions || post > setting.recursions) {
    throw_invalid_argument({"split of the recursions", "more recursions in hardware than there are",
                            "the recursions of the whole product", "ask for fewer in hardware"});
  }
  SplitRow row;
  row.degree = setting.base_coefficients << setting.recursions;
  row.pre = pre;
  row.post = post;
  row.input_polynomials = power_of_three(setting.recursions - pre);
  row.input_bursts = row.input_polynomials * (setting.base_coefficients << pre) * setting.chunks;
  row.input_bytes = row.input_bursts * kBurstBytes;
  row.output_polynomials = power_of_three(setting.recursions - post);
  row.output_bursts =
      row.output_polynomials * (2 * (setting.base_coefficients << post) - 1) * setting.chunks;
  row.output_bytes = row.output_bursts * kBurstBytes;
  row.products = power_of_three(setting.recursions);
  row.product_cycles = divide_up(setting.base_coefficients * setting.base_coefficients,
                                 setting.integer_multipliers) *
                       setting.chunks;
  const std::uint64_t work = row.products * row.product_cycles;
  row.multipliers = divide_up(work, row.input_bursts);
  row.multiplier_cycles = divide_up(work, row.multipliers);
  row.multiplier_use =
      static_cast<double>(work) / static_cast<double>(row.input_bursts * row.multipliers);
  row.dsp = row.multipliers * setting.integer_multipliers * setting.lanes;
  row.cycles = std::max({row.input_bursts, row.multiplier_cycles, row.output_bursts});
  detail::set_times(row, setting);
  const auto measured = [](const std::map<unsigned, double>& times, unsigned recursions) {
    const auto found = times.find(recursions);
    return found == times.end() ? std::nullopt : std::optional<double>(found->second);
  };
  row.software_pre_us = measured(software.pre, setting.recursions - pre);
  row.software_post_us = measured(software.post, setting.recursions - post);
  return row;
}

/// All splits with `pre` and `post` in the given ranges, both ends included.
inline std::vector<SplitRow> split_table(std::pair<unsigned, unsigned> pre,
                                         std::pair<unsigned, unsigned> post,
                                         const SplitSetting& setting = {},
                                         const SoftwareTimes& software = {}) {
  std::vector<SplitRow> rows;
  for (unsigned p = pre.first; p <= pre.second; ++p) {
    for (unsigned g = post.first; g <= post.second; ++g) {
      rows.push_back(split_row(p, g, setting, software));
    }
  }
  return rows;
}

}  // namespace ringlet::hw
