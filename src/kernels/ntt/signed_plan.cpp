// SPDX-License-Identifier: Apache-2.0
#include "kernels/ntt/signed_plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringlet::kernels {
namespace {

/// The plan of an inverse transform that reduces up to `rows` rows after each pass, and sums inside
/// passes where there is no other way; and the number of reductions of values that it takes, in
/// units of N.
class InversePlanner {
 public:
  InversePlanner(SignedArithmetic arithmetic, std::uint64_t q, const Schedule& schedule, int rows)
      : ranges_(signed_ranges(arithmetic, q)),
        reduces_both_(reduces_both(arithmetic)),
        q_(q),
        schedule_(schedule),
        rows_(rows) {
    for (int p = schedule.pass_count - 1; p >= 0; --p) add_pass(p);
  }

  SignedPlan plan;
  double cost = 0;

 private:
  /// Sums stay within this. A subtraction of k*q leaves k at least, and sums of that are 2*k.
  double limit() const {
    const double most = std::min(ranges_.factor_limit, ranges_.value_limit);
    return ranges_.residue > 0 ? most : 2 * std::floor(most / 2);
  }
  std::uint64_t multiple(int k) const { return static_cast<std::uint64_t>(k) * q_; }
  /// May values of which the next stage makes sums up to `sum` stay as they are?
  bool fit(double sum) const { return sum <= limit() && ranges_.product(sum) <= limit(); }

  void add_pass(int p) {
    const Pass& pass = schedule_.passes[p];
    const double cost_before = cost;
    const int count = 1 << pass.row_stages;
    if (pass.is_tail) {
      for (int s = schedule_.log_degree - 1; s >= pass.first_stage + pass.row_stages; --s) {
        add_lane_stage(s);
      }
    }
    std::array<double, kMaxRows> rows{};
    std::fill_n(rows.begin(), count, bound_);
    for (int u = pass.row_stages - 1; u >= 0; --u) add_row_stage(pass, u, rows.data());
    if (pass.first_stage > 0) reduce_rows(p, rows.data());
    bound_ = *std::max_element(rows.begin(), rows.begin() + count);
    if (cost > cost_before) cost += pass.is_tail ? 2 * kMixedPass : kMixedPass;
  }

  /// Butterflies of values that are all alike.
  void add_lane_stage(int stage) {
    const double sum = 2 * bound_;
    const double product = ranges_.product(sum);
    const int k = fit(2 * std::max(sum, product)) ? 0 : reduce(stage, sum);
    const double other = reduces_both_ ? ranges_.reduced(product, k) : product;
    bound_ = std::max(ranges_.reduced(sum, k), other);
  }

  void add_row_stage(const Pass& pass, int u, double* rows) {
    const int count = 1 << pass.row_stages;
    const int half = count >> (u + 1);
    const int stage = pass.first_stage + u;
    double most = 0;
    for (int e = 0; e < count; ++e) {
      if ((e & half) != 0) continue;
      const double sum = rows[e] + rows[e + half];
      rows[e] = sum;
      rows[e + half] = ranges_.product(sum);
      most = std::max(most, sum);
    }
    if (stage == 0) return;  // Products too.
    const double next = u > 0 ? largest_sum(rows, count, half * 2) : 2 * after_rows(rows, count);
    if (fit(next)) return;
    const int k = reduce(stage, most);
    for (int e = 0; e < count; ++e) {
      if (reduces_both_ || (e & half) == 0) rows[e] = ranges_.reduced(rows[e], k);
    }
  }

  /// The largest sum of the stage whose partners are `half` rows apart.
  static double largest_sum(const double* rows, int count, int half) {
    double most = 0;
    for (int e = 0; e < count; ++e) {
      if ((e & half) == 0) most = std::max(most, rows[e] + rows[e + half]);
    }
    return most;
  }

  int reducible_rows(int count) const { return std::min(rows_, count / 2); }

  /// The bound after a pass whose first rows are reduced.
  double after_rows(const double* rows, int count) const {
    double most = 0;
    for (int e = 0; e < count; ++e) {
      const bool is_reduced = e < reducible_rows(count);
      most = std::max(
          most, is_reduced ? ranges_.reduced(rows[e], ranges_.best_reduction(rows[e])) : rows[e]);
    }
    return most;
  }

  void reduce_rows(int p, double* rows) {
    const int count = 1 << schedule_.passes[p].row_stages;
    for (int e = 0; e < reducible_rows(count); ++e) {
      const int k = ranges_.best_reduction(rows[e]);
      plan.inverse_rows[p][e] = multiple(k);
      rows[e] = ranges_.reduced(rows[e], k);
      if (k > 0) cost += 1.0 / count;
    }
  }

  /// Has the stage, whose sums are up to `sum`, reduce them.
  int reduce(int stage, double sum) {
    const int k = ranges_.best_reduction(sum);
    plan.inverse[stage] = multiple(k);
    cost += reduces_both_ ? 1 : 0.5;
    return k;
  }

  /// What a row pass that asks at every stage is slower by, as so many reductions of all values.
  static constexpr double kMixedPass = 0.5;
  static constexpr std::size_t kMaxRows = 32;

  SignedRanges ranges_;
  bool reduces_both_;
  std::uint64_t q_;
  const Schedule& schedule_;
  int rows_;
  double bound_ = 1;
};

}  // namespace

SignedPlan make_signed_plan(SignedArithmetic arithmetic, std::uint64_t q,
                            const Schedule& schedule) {
  const SignedRanges ranges = signed_ranges(arithmetic, q);
  InversePlanner best(arithmetic, q, schedule, 0);
  for (int rows = 1; rows <= kMaxReducedRows; rows *= 2) {
    const InversePlanner planner(arithmetic, q, schedule, rows);
    if (planner.cost < best.cost) {
      best.plan = planner.plan;
      best.cost = planner.cost;
    }
  }
  const double limit = std::min(ranges.factor_limit, ranges.value_limit);
  SignedPlan plan = best.plan;
  double bound = 1;
  for (int s = 0; s < schedule.log_degree; ++s) {
    double product = ranges.product(bound);
    const int k = bound + product > limit ? ranges.best_reduction(bound) : 0;
    plan.forward[s] = static_cast<std::uint64_t>(k) * q;
    bound = ranges.reduced(bound, k);
    if (k > 0 && reduces_both(arithmetic)) product = ranges.product(bound);
    bound += product;
  }
  return plan;
}

}  // namespace ringlet::kernels
