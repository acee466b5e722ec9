// SPDX-License-Identifier: Apache-2.0
#include "circuits/run/schedule.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

namespace ringlet::circuits {
namespace {

/// Finds the sums from their first steps to their last.
class Finder {
 public:
  explicit Finder(const CircuitPlan& plan)
      : steps_(plan.steps()), inputs_(plan.input_count()), uses_(plan.register_count()) {
    for (const PlanStep& step : steps_) {
      ++uses_[step.a];
      if (step.reads_two()) ++uses_[step.b];
    }
    for (const std::size_t output : plan.outputs()) ++uses_[output];
  }

  std::map<std::size_t, RotationSum> operator()() {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const PlanStep& step = steps_[i];
      if (step.operation != PlanOperation::add || step.size != 2) continue;
      RotationSum sum;
      take(sum, step.a);
      take(sum, step.b);
      if (sum.rotated.empty()) continue;
      std::ranges::sort(sum.parts);
      sum.parts.push_back(i);
      sums_.emplace(i, std::move(sum));
    }
    return std::move(sums_);
  }

 private:
  // Adds a register to the sum: as the parts that make it, if nothing else reads it.
  void take(RotationSum& sum, std::size_t place) {
    const std::optional<std::size_t> maker = only_maker(place);
    if (maker && steps_[*maker].operation == PlanOperation::rotate) {
      sum.rotated[steps_[*maker].a].push_back(steps_[*maker].steps);
      sum.parts.push_back(*maker);
    } else if (maker && sums_.contains(*maker)) {
      RotationSum other = std::move(sums_.extract(*maker).mapped());
      for (const auto& [source, rotations] : other.rotated) {
        std::ranges::copy(rotations, std::back_inserter(sum.rotated[source]));
      }
      std::ranges::copy(other.addends, std::back_inserter(sum.addends));
      std::ranges::copy(other.parts, std::back_inserter(sum.parts));
    } else {
      sum.addends.push_back(place);
    }
  }

  std::optional<std::size_t> only_maker(std::size_t place) const {
    if (place < inputs_ || uses_[place] != 1) return std::nullopt;
    return place - inputs_;
  }

  std::span<const PlanStep> steps_;
  std::size_t inputs_;
  std::vector<std::size_t> uses_;
  std::map<std::size_t, RotationSum> sums_;
};

}  // namespace

Schedule::Schedule(const CircuitPlan& plan)
    : sums(Finder(plan)()), is_part(plan.steps().size()), last_use(plan.register_count()) {
  const auto steps = plan.steps();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    last_use[steps[i].a] = i;
    if (steps[i].reads_two()) last_use[steps[i].b] = i;
  }
  for (const auto& [last, sum] : sums) {
    for (const std::size_t part : sum.parts) is_part[part] = part != last;
    const auto is_read_there = [&](std::size_t place) {
      last_use[place] = std::max(last_use[place], last);
    };
    for (const auto& [source, rotations] : sum.rotated) is_read_there(source);
    std::ranges::for_each(sum.addends, is_read_there);
  }
  for (const std::size_t output : plan.outputs()) last_use[output] = steps.size();
}

}  // namespace ringlet::circuits
