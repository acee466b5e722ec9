// SPDX-License-Identifier: Apache-2.0
#include "kernels/ntt/signed/reductions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace ringlet::kernels {
namespace {

/// Finds the ways of the passes of an inverse transform that together reduce the fewest values.
class InverseReductionSearch {
 public:
  /// Searches for operands in [0, operand*q).
  InverseReductionSearch(SignedArithmetic arithmetic, std::uint64_t q, const Schedule& schedule,
                         int operand)
      : arithmetic_(arithmetic),
        ranges_(signed_ranges(arithmetic, q)),
        reduces_both_(reduces_both(arithmetic)),
        q_(q),
        schedule_(schedule) {
    try_pass(schedule.pass_count - 1, operand, 0);
  }

  SignedReductions found;
  /// The number of reduced values, in units of N; infinite if operands are too large for all ways.
  double cost = std::numeric_limits<double>::infinity();

 private:
  /// Bounds of the values in the rows of a pass, in units of q, after a stage, and the cost so far.
  struct Rows {
    std::array<double, 32> bound;
    double cost;
  };

  /// The bound of sums. A subtraction of k*q leaves a bound of k or more, and sums of that are 2*k.
  double limit() const {
    const double most = std::min(ranges_.factor_limit, ranges_.value_limit);
    return ranges_.residue > 0 ? most : 2 * std::floor(most / 2);
  }
  bool fits(double sum) const { return sum <= limit() && ranges_.product(sum) <= limit(); }

  /// Extends the trial by pass p, whose values are up to `bound`, and the passes that run after it.
  void try_pass(int p, double bound, double cost_before) {
    if (p < 0) {
      cost = cost_before;
      found = trial_;
      return;
    }
    const Pass& pass = schedule_.passes[p];
    const int lane_stages = pass.is_tail ? schedule_.log_lanes : 0;
    const bool is_last = pass.first_stage == 0;
    const int ways = inverse_way_count(arithmetic_, pass.row_stages, lane_stages, is_last);
    for (int way = 0; way < ways; ++way) {
      if (!has_inverse_way(arithmetic_, way, pass.row_stages, lane_stages, is_last)) continue;
      const InverseReductions reductions =
          inverse_way(arithmetic_, way, pass.row_stages, lane_stages, is_last);
      Rows rows{{}, cost_before};
      if (!run_lanes(pass, lane_stages, reductions, bound, rows.cost)) continue;
      rows.bound.fill(bound_after_lanes_);
      if (!run_rows(p, lane_stages, reductions, rows) || rows.cost >= cost) continue;
      trial_.inverse_ways[p] = way;
      const auto end = rows.bound.begin() + (1 << pass.row_stages);
      try_pass(p - 1, *std::max_element(rows.bound.begin(), end), rows.cost);
    }
  }

  /// Runs the stages inside vectors, where all values have one bound. Returns whether sums fit.
  bool run_lanes(const Pass& pass, int lane_stages, InverseReductions reductions, double bound,
                 double& pass_cost) {
    for (int i = 0; i < lane_stages; ++i) {
      // Operands are not negative: their differences, which are multiplied, do not exceed them.
      const double sum = 2 * bound;
      const double difference = i == 0 ? bound : sum;
      if (i == 0 ? sum > std::max(2.0, limit()) : !fits(sum)) return false;
      const int k = reductions.at(i) ? ranges_.best_reduction(sum) : 0;
      trial_.inverse[pass.first_stage + pass.row_stages + lane_stages - 1 - i] = multiple(k);
      const double product = ranges_.product(difference);
      bound =
          std::max(ranges_.reduced(sum, k), reduces_both_ ? ranges_.reduced(product, k) : product);
      if (reductions.at(i)) pass_cost += stage_cost();
    }
    bound_after_lanes_ = bound;
    return true;
  }

  /// Runs the stages between vectors. Returns whether their sums fit.
  bool run_rows(int p, int lane_stages, InverseReductions reductions, Rows& rows) {
    const Pass& pass = schedule_.passes[p];
    const int count = 1 << pass.row_stages;
    for (int u = pass.row_stages - 1; u >= 0; --u) {
      const int half = count >> (u + 1);
      double most = 0;
      for (int e = 0; e < count; ++e) {
        if ((e & half) != 0) continue;
        const double sum = rows.bound[e] + rows.bound[e + half];
        if (!fits(sum)) return false;
        rows.bound[e] = sum;
        rows.bound[e + half] = ranges_.product(sum);
        most = std::max(most, sum);
      }
      const bool is_reduced = reductions.at(lane_stages + pass.row_stages - 1 - u);
      const int k = is_reduced ? ranges_.best_reduction(most) : 0;
      trial_.inverse[pass.first_stage + u] = multiple(k);
      for (int e = 0; e < count; ++e) {
        if (reduces_both_ || (e & half) == 0) rows.bound[e] = ranges_.reduced(rows.bound[e], k);
      }
      if (is_reduced) rows.cost += stage_cost();
    }
    for (int e = 0; e < std::min(reductions.rows, count); ++e) {
      const int k = ranges_.best_reduction(rows.bound[e]);
      trial_.inverse_rows[p][e] = multiple(k);
      rows.bound[e] = ranges_.reduced(rows.bound[e], k);
      rows.cost += 1.0 / count;
    }
    return true;
  }

  std::uint64_t multiple(int k) const { return static_cast<std::uint64_t>(k) * q_; }
  double stage_cost() const { return reduces_both_ ? 1 : 0.5; }

  SignedArithmetic arithmetic_;
  SignedRanges ranges_;
  bool reduces_both_;
  std::uint64_t q_;
  const Schedule& schedule_;
  SignedReductions trial_;
  double bound_after_lanes_ = 0;
};

/// The reductions of a forward transform of operands in [0, operand*q), and how many stages reduce.
struct ForwardMultiples {
  std::uint64_t multiples[kMaxSignedLogDegree] = {};
  int reductions = 0;
};

ForwardMultiples find_forward_multiples(SignedArithmetic arithmetic, std::uint64_t q,
                                        const Schedule& schedule, int operand) {
  const SignedRanges ranges = signed_ranges(arithmetic, q);
  const double limit = std::min(ranges.factor_limit, ranges.value_limit);
  ForwardMultiples result;
  double bound = operand;
  for (int s = 0; s < schedule.log_degree; ++s) {
    double product = ranges.product(bound);
    const int k = bound + product > limit ? ranges.best_reduction(bound) : 0;
    result.multiples[s] = static_cast<std::uint64_t>(k) * q;
    result.reductions += k > 0 ? 1 : 0;
    bound = ranges.reduced(bound, k);
    if (k > 0 && reduces_both(arithmetic)) product = ranges.product(bound);
    bound += product;
  }
  return result;
}

}  // namespace

SignedReductions make_signed_reductions(SignedArithmetic arithmetic, std::uint64_t q,
                                        const Schedule& schedule) {
  const InverseReductionSearch inverse(arithmetic, q, schedule, 1);
  const InverseReductionSearch inverse_of_2(arithmetic, q, schedule, 2);
  const bool takes_2 = inverse_of_2.cost <= inverse.cost;
  SignedReductions result = takes_2 ? inverse_of_2.found : inverse.found;
  result.inverse_operand = takes_2 ? 2 : 1;
  const double largest_operand = signed_ranges(arithmetic, q).factor_limit;
  const ForwardMultiples forward = find_forward_multiples(arithmetic, q, schedule, 1);
  if (std::isinf(inverse.cost)) {
    throw std::logic_error("make_signed_reductions: no pass is compiled for these reductions");
  }
  std::copy_n(forward.multiples, kMaxSignedLogDegree, result.forward);
  std::copy_n(forward.multiples, kMaxSignedLogDegree, result.forward_of_larger);
  for (int operand = 2; operand <= std::min(4.0, largest_operand); operand *= 2) {
    const ForwardMultiples larger = find_forward_multiples(arithmetic, q, schedule, operand);
    std::copy_n(larger.multiples, kMaxSignedLogDegree, result.forward_of_larger);
    result.larger_operand = operand;
    if (larger.reductions > forward.reductions) continue;
    std::copy_n(larger.multiples, kMaxSignedLogDegree, result.forward);
    result.forward_operand = operand;
  }
  return result;
}

}  // namespace ringlet::kernels
