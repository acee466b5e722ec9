// SPDX-License-Identifier: Apache-2.0
#include "circuits/plan/planner.hpp"

#include <algorithm>
#include <set>

#include "schemes/evaluator/key_switching.hpp"

namespace ringlet {
namespace {

// With more primes, products with keys take most of the time: a third rotation of a sum saves
// little then, and its key is as long as the others.
constexpr std::size_t kMostSharedPrimes = 3;

}  // namespace

CircuitPlan::Planner::Planner(const Circuit& circuit, const EncryptionParameters& parms,
                              const ModulusChain& chain, const HasGaloisKey& has_key,
                              CircuitPlan& plan)
    : circuit_(circuit),
      plan_(plan),
      chain_(chain),
      has_key_(has_key),
      has_one_special_prime_(parms.special_primes().size() == 1),
      ring_(parms.ring()),
      traits_(rlwe::traits_of(parms.scheme())),
      placement_(place(circuit)),
      versions_(circuit.nodes().size()),
      rotations_(circuit.nodes().size()) {}

// Products of BFV keep their modulus.
bool CircuitPlan::Planner::has_levels() const noexcept {
  return !traits_.multiplies_over_larger_modulus;
}

double CircuitPlan::Planner::scale_of(const Version& version) const {
  if (!traits_.has_scale) return 1;
  const double scale = plan_.scales_[version.level];
  return version.needs_rescale ? scale * scale : scale;
}

CircuitPlan::Planner::Version CircuitPlan::Planner::emit(PlanStep step, Version version) {
  version.register_index = plan_.register_count();
  step.result = version.register_index;
  step.prime_count = version.level;
  step.size = version.size;
  step.scale = scale_of(version);
  plan_.steps_.push_back(step);
  return version;
}

CircuitPlan::Planner::Version CircuitPlan::Planner::memoize(std::size_t node,
                                                            const Version& version) {
  versions_[node].push_back(version);
  return version;
}

std::optional<CircuitPlan::Planner::Version> CircuitPlan::Planner::find(std::size_t node,
                                                                        std::size_t level,
                                                                        std::size_t size,
                                                                        bool needs_rescale) const {
  for (const Version& version : versions_[node]) {
    if (version.level == level && version.size == size && version.needs_rescale == needs_rescale) {
      return version;
    }
  }
  return std::nullopt;
}

CircuitPlan::Planner::Version CircuitPlan::Planner::relinearized(std::size_t node) {
  const Version version = as_computed(node);
  if (version.size == 2) return version;
  if (const auto known = find(node, version.level, 2, version.needs_rescale)) return *known;
  Version result = version;
  result.size = 2;
  ++plan_.counts_.relinearizations;
  PlanStep step{.operation = PlanOperation::relinearize, .node = node};
  step.a = version.register_index;
  return memoize(node, emit(step, result));
}

CircuitPlan::Planner::Version CircuitPlan::Planner::relinearized_if_needed(std::size_t node) {
  return is_relinearized_anyway(node) ? relinearized(node) : as_computed(node);
}

bool CircuitPlan::Planner::is_relinearized_anyway(std::size_t node) const {
  return placement_.is_relinearized[node] || placement_.is_shared[node] ||
         versions_[node][0].size == 2;
}

CircuitPlan::Planner::Version CircuitPlan::Planner::mod_switched(std::size_t node,
                                                                 const Version& from,
                                                                 std::size_t level) {
  if (!traits_.has_scale) return memoize(node, match(node, from, level, 1, false));
  Version version = from;
  version.level = level;
  const auto [place, is_new] = mod_switched_.try_emplace({from.register_index, level}, 0);
  if (is_new) place->second = emit_mod_switch(node, from, level);
  version.register_index = place->second;
  return version;
}

std::size_t CircuitPlan::Planner::level_of_product(std::size_t node, std::size_t limit) const {
  if (!has_levels()) return limit;
  return std::min(limit, plan_.input_prime_count_ + 1 - placement_.depths[node]);
}

CircuitPlan::Planner::Version CircuitPlan::Planner::rescaled(std::size_t node) {
  const Version version = as_computed(node);
  if (!version.needs_rescale) return relinearized(node);
  if (const auto known = find(node, version.level - 1, 2, false)) return *known;
  Version result = version;
  result.level = version.level - 1;
  result.needs_rescale = false;
  result.size = 2;
  PlanStep step{.node = node};
  if (traits_.has_scale) {
    // One division relinearizes and rescales, unless the relinearized version exists already or
    // will be asked for.
    if (placement_.is_summed[node]) relinearized(node);
    const auto relinearized = find(node, version.level, 2, true);
    step.operation = relinearized ? PlanOperation::rescale : PlanOperation::relinearize_and_rescale;
    step.a = relinearized ? relinearized->register_index : version.register_index;
    plan_.counts_.relinearizations += relinearized ? 0 : 1;
  } else {
    step.operation = PlanOperation::switch_level;
    step.a = relinearized(node).register_index;
  }
  ++plan_.counts_.rescalings;
  return memoize(node, emit(step, result));
}

CircuitPlan::Planner::Version CircuitPlan::Planner::rescaled_any_size(std::size_t node) {
  const Version version = as_computed(node);
  if (is_relinearized_anyway(node) || !version.needs_rescale) return rescaled(node);
  if (const auto known = find(node, version.level - 1, 3, false)) return *known;
  Version result = version;
  result.level = version.level - 1;
  result.needs_rescale = false;
  PlanStep step{.node = node};
  step.operation = traits_.has_scale ? PlanOperation::rescale : PlanOperation::switch_level;
  step.a = version.register_index;
  ++plan_.counts_.rescalings;
  return memoize(node, emit(step, result));
}

// CKKS leaves out the division and keeps the scale.
std::size_t CircuitPlan::Planner::emit_mod_switch(std::size_t node, const Version& from,
                                                  std::size_t level) {
  PlanStep step{.operation = PlanOperation::switch_level, .node = node};
  step.a = from.register_index;
  step.result = plan_.register_count();
  step.prime_count = level;
  step.size = from.size;
  step.scale = scale_of(from);
  plan_.steps_.push_back(step);
  plan_.counts_.rescalings += traits_.has_scale ? 0 : 1;
  return step.result;
}

// BGV has no scales: dropping a prime by division is enough to match.
CircuitPlan::Planner::Version CircuitPlan::Planner::match(std::size_t node, const Version& from,
                                                          std::size_t level, double scale,
                                                          bool needs_rescale) {
  Version version = from;
  if (version.level != level) {
    version.register_index = emit_mod_switch(node, from, level);
    version.level = level;
  }
  version.needs_rescale = needs_rescale;
  if (!traits_.has_scale) return version;
  PlanStep step{.operation = PlanOperation::match_scale, .node = node};
  step.a = version.register_index;
  step.known_scale = scale / scale_of(from);
  version.register_index = plan_.register_count();
  step.result = version.register_index;
  step.prime_count = level;
  step.scale = scale;
  plan_.steps_.push_back(step);
  return version;
}

CircuitPlan::Planner::Version CircuitPlan::Planner::rescaled_at(std::size_t node,
                                                                std::size_t level) {
  const Version version = rescaled(node);
  if (version.level == level) return version;
  if (const auto known = find(node, level, 2, false)) return *known;
  if (!traits_.has_scale) return memoize(node, match(node, version, level, 1, false));
  // A product with 1 one level above, then a rescaling.
  const double above = plan_.scales_[level + 1];
  const Version product = match(node, version, level + 1, above * above, true);
  Version result = version;
  result.level = level;
  PlanStep step{.operation = PlanOperation::rescale, .node = node};
  step.a = product.register_index;
  ++plan_.counts_.rescalings;
  return memoize(node, emit(step, result));
}

CircuitPlan::Planner::Version CircuitPlan::Planner::unrescaled_at(std::size_t node,
                                                                  std::size_t level) {
  if (const auto known = find(node, level, 2, true)) return *known;
  const double scale = plan_.scales_[level];
  return memoize(node, match(node, rescaled(node), level, scale * scale, true));
}

void CircuitPlan::Planner::plan_sum(std::size_t node) {
  const CircuitNode& sum = circuit_.nodes()[node];
  Version a = as_computed(sum.a);
  Version b = as_computed(sum.b);
  if (a.level != b.level || a.needs_rescale != b.needs_rescale) {
    // The higher of two products is rescaled first. A single product stays unrescaled if the other
    // value can be brought to its level and scale.
    if (a.needs_rescale && b.needs_rescale) {
      Version& higher = a.level > b.level ? a : b;
      higher = rescaled(&higher == &a ? sum.a : sum.b);
    }
    if (a.needs_rescale && b.level >= a.level) {
      b = unrescaled_at(sum.b, a.level);
    } else if (b.needs_rescale && a.level >= b.level) {
      a = unrescaled_at(sum.a, b.level);
    } else {
      const std::size_t level = std::min(rescaled(sum.a).level, rescaled(sum.b).level);
      a = rescaled_at(sum.a, level);
      b = rescaled_at(sum.b, level);
    }
  }
  // If versions of size 2 of both operands are made anyway, the sum takes these.
  const bool relinearizes = placement_.is_relinearized[sum.a] && placement_.is_relinearized[sum.b];
  if (a.size > b.size || (a.size == 3 && relinearizes)) a = relinearized_if_needed(sum.a);
  if (b.size > a.size || (b.size == 3 && relinearizes)) b = relinearized_if_needed(sum.b);
  Version result = a;
  result.size = std::max(a.size, b.size);
  PlanStep step{.node = node};
  step.operation =
      sum.operation == CircuitOperation::add ? PlanOperation::add : PlanOperation::subtract;
  step.a = a.register_index;
  step.b = b.register_index;
  memoize(node, emit(step, result));
}

void CircuitPlan::Planner::plan_product(std::size_t node) {
  const CircuitNode& product = circuit_.nodes()[node];
  const std::size_t level =
      level_of_product(node, std::min(rescaled(product.a).level, rescaled(product.b).level));
  PlanStep step{.operation = PlanOperation::multiply, .node = node};
  step.a = rescaled_at(product.a, level).register_index;
  step.b = rescaled_at(product.b, level).register_index;
  ++plan_.counts_.multiplications;
  memoize(node, emit(step, {0, level, 3, has_levels()}));
}

// A factor of few bits takes no level, unless the sum of the product has a level to spare. Then the
// product gets the scale of the other products there.
bool CircuitPlan::Planner::takes_level(std::size_t node) {
  const CircuitNode& product = circuit_.nodes()[node];
  if (!has_levels()) return false;
  if (!circuit_.known_vectors()[product.b].is_small_integer()) return true;
  const Version& a = as_computed(product.a);
  const std::size_t below = a.needs_rescale ? a.level - 1 : a.level;
  return plan_.input_prime_count_ + 1 - placement_.depths[node] <= below;
}

void CircuitPlan::Planner::plan_known_product(std::size_t node) {
  const CircuitNode& product = circuit_.nodes()[node];
  PlanStep step{.operation = PlanOperation::multiply_known, .node = node};
  step.b = product.b;
  ++plan_.counts_.known_multiplications;
  if (!takes_level(node)) {
    const Version a = relinearized_if_needed(product.a);
    step.a = a.register_index;
    memoize(node, emit(step, a));
    return;
  }
  Version a = rescaled_any_size(product.a);
  const std::size_t level = level_of_product(node, a.level);
  if (const auto lower = find(product.a, level, a.size, false)) a = *lower;
  const double scale = scale_of(a);
  if (a.level != level) a = mod_switched(product.a, a, level);
  const Version result{0, level, a.size, true};
  step.a = a.register_index;
  step.known_scale = scale_of(result) / scale;
  memoize(node, emit(step, result));
}

// One rescaling before the rotations is less work than one for each rotation, and key switches of
// fewer primes are less work too. If sums take rotations, only the sum is rescaled, unless it is
// moved again.
CircuitPlan::Planner::Version CircuitPlan::Planner::source_of(std::size_t node,
                                                              std::span<const std::size_t> moved) {
  const Version version = as_computed(node);
  if (!has_levels()) return relinearized(node);
  const auto depth_of = [this](std::size_t i) { return placement_.depths[i]; };
  const std::size_t depth = depth_of(*std::ranges::min_element(moved, {}, depth_of));
  const std::size_t level = plan_.input_prime_count_ - depth;
  const std::size_t rescaled_level = version.level - (version.needs_rescale ? 1 : 0);
  const bool are_multiplied =
      std::ranges::all_of(moved, [this](std::size_t i) { return placement_.is_multiplied[i]; });
  const bool are_moved_again =
      std::ranges::any_of(moved, [this](std::size_t i) { return placement_.is_moved_again[i]; });
  if (level >= rescaled_level && !(version.needs_rescale && (are_multiplied || are_moved_again))) {
    return relinearized(node);
  }
  // Other values may take the version of size 2 that is not rescaled.
  if (placement_.is_shared[node] && !are_moved_again) relinearized(node);
  return rescaled_at(node, std::min(level, rescaled_level));
}

// Plans all rotations of a value at once, so that they can share the first part of a key switch.
void CircuitPlan::Planner::plan_rotations(std::size_t node) {
  std::vector<std::size_t> rotations = rotations_[node];
  const std::size_t count = rotations.size();
  if (!versions_[rotations.front()].empty()) return;
  if (const auto halves = halves_.find(rotations.front()); halves != halves_.end()) {
    return plan_rotated_sum(rotations.front(), halves->second);
  }
  const Version a = source_of(node, rotations);
  std::vector<std::vector<int>> parts;
  for (const std::size_t i : rotations) parts.push_back(parts_of(circuit_.nodes()[i].steps));
  for (std::size_t i = 0; i < count; ++i) {
    for (const int steps : further_steps(rotations[i], a.level)) {
      rotations.push_back(rotations[i]);
      parts.push_back({steps});
    }
  }
  std::vector<Version> versions(rotations.size(), a);
  std::map<std::pair<std::size_t, int>, Version> made;  // by register and steps
  const auto longest = std::ranges::max_element(parts, {}, &std::vector<int>::size)->size();
  for (std::size_t round = 0; round < longest; ++round) {
    for (std::size_t i = 0; i < rotations.size(); ++i) {
      if (round >= parts[i].size()) continue;
      PlanStep step{.operation = PlanOperation::rotate, .node = rotations[i]};
      step.a = versions[i].register_index;
      step.steps = parts[i][round];
      const auto [place, is_new] = made.try_emplace({step.a, step.steps});
      if (is_new) place->second = emit(step, a);
      versions[i] = place->second;
    }
    if (round == 0) plan_.counts_.hoisted += made.size() - 1;
  }
  plan_.counts_.automorphisms += made.size();
  for (std::size_t i = 0; i < count; ++i) memoize(rotations[i], versions[i]);
  for (std::size_t i = count; i < rotations.size(); i += 2) {
    halves_[doublings_.at(rotations[i])] = {versions[i], versions[i + 1]};
  }
}

// Finds y = x + rotate(x, s) and y + rotate(y, t) with nothing else that reads the rotations.
void CircuitPlan::Planner::find_doublings() {
  const auto nodes = circuit_.nodes();
  std::vector<std::size_t> uses(nodes.size());
  const std::vector<bool> is_live = circuit_.live_nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!is_live[i] || nodes[i].operation == CircuitOperation::input) continue;
    ++uses[nodes[i].a];
    if (nodes[i].has_two_values()) ++uses[nodes[i].b];
  }
  for (const std::size_t output : circuit_.outputs()) ++uses[output];
  // Returns the rotation of x, if a node is the sum of x and of a rotation that only it reads.
  const auto rotation_in = [&](std::size_t sum) -> std::optional<std::size_t> {
    const CircuitNode& node = nodes[sum];
    if (!is_live[sum] || node.operation != CircuitOperation::add) return std::nullopt;
    for (const auto& [x, moved] : {std::pair(node.a, node.b), std::pair(node.b, node.a)}) {
      const bool moves = nodes[moved].operation == CircuitOperation::rotate && nodes[moved].a == x;
      if (moves && uses[moved] == 1) return moved;
    }
    return std::nullopt;
  };
  std::set<std::size_t> seconds;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::optional<std::size_t> second = rotation_in(i);
    const std::size_t between = second ? nodes[*second].a : i;
    const std::optional<std::size_t> first = second ? rotation_in(between) : std::nullopt;
    if (!first || uses[between] != 2 || seconds.contains(*first)) continue;
    doublings_[*first] = *second;
    seconds.insert(*second);
  }
}

// Returns the steps of x whose rotations make up the rotation of x + `rotation`, or none.
std::vector<int> CircuitPlan::Planner::further_steps(std::size_t rotation,
                                                     std::size_t level) const {
  const auto second = doublings_.find(rotation);
  if (second == doublings_.end() || !has_key_ || !has_one_special_prime_) return {};
  if (chain_.prime_count(level) > kMostSharedPrimes) return {};
  const auto length = static_cast<int>(circuit_.row_length());
  const int first_steps = circuit_.nodes()[rotation].steps;
  const int second_steps = circuit_.nodes()[second->second].steps;
  const int both = (first_steps + second_steps) % length;
  for (const int steps : {first_steps, second_steps, both}) {
    if (steps == 0 || !has_key_(ring_.galois_element_from_step(steps))) return {};
  }
  return {second_steps, both};
}

void CircuitPlan::Planner::plan_rotated_sum(std::size_t node,
                                            const std::pair<Version, Version>& halves) {
  PlanStep step{.operation = PlanOperation::add, .node = node};
  step.a = halves.first.register_index;
  step.b = halves.second.register_index;
  memoize(node, emit(step, halves.first));
}

// A rotation by the length of the circuit's row changes nothing: rows of the ring repeat that row.
std::vector<int> CircuitPlan::Planner::parts_of(int steps) const {
  const auto length = static_cast<int>(circuit_.row_length());
  const auto has = [this](int part) { return has_key_(ring_.galois_element_from_step(part)); };
  if (!has_key_ || has(steps)) return {steps};
  if (has(steps - length)) return {steps - length};
  std::vector<int> parts = schemes::non_adjacent_form(steps);
  std::erase_if(parts, [length](int part) { return part % length == 0; });
  return std::ranges::all_of(parts, has) ? parts : std::vector<int>{steps};
}

void CircuitPlan::Planner::plan_conjugate(std::size_t node) {
  const Version a = source_of(circuit_.nodes()[node].a, {&node, 1});
  PlanStep step{.operation = PlanOperation::conjugate, .node = node};
  step.a = a.register_index;
  ++plan_.counts_.automorphisms;
  memoize(node, emit(step, a));
}

void CircuitPlan::Planner::plan(std::size_t node) {
  const CircuitNode& made = circuit_.nodes()[node];
  PlanStep step{.node = node};
  switch (made.operation) {
    case CircuitOperation::input:
      memoize(node, {made.a, plan_.input_prime_count_, 2, false});
      return;
    case CircuitOperation::add:
    case CircuitOperation::subtract:
      return plan_sum(node);
    case CircuitOperation::multiply:
      return plan_product(node);
    case CircuitOperation::multiply_known:
      return plan_known_product(node);
    case CircuitOperation::rotate:
      return plan_rotations(made.a);
    case CircuitOperation::conjugate:
      return plan_conjugate(node);
    case CircuitOperation::negate:
    case CircuitOperation::add_known: {
      // Both versions of size 2 are asked for: they share the relinearization.
      const bool rescales = is_relinearized_anyway(made.a) && placement_.is_relinearized[node] &&
                            !placement_.is_shared[node];
      const Version a = rescales ? rescaled(made.a) : relinearized_if_needed(made.a);
      step.operation = made.operation == CircuitOperation::negate ? PlanOperation::negate
                                                                  : PlanOperation::add_known;
      step.a = a.register_index;
      step.b = made.b;
      memoize(node, emit(step, a));
      return;
    }
  }
}

void CircuitPlan::Planner::run() {
  const std::vector<bool> is_live = circuit_.live_nodes();
  const auto nodes = circuit_.nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (is_live[i] && nodes[i].operation == CircuitOperation::rotate) {
      rotations_[nodes[i].a].push_back(i);
    }
  }
  find_doublings();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (is_live[i]) plan(i);
  }
  for (const std::size_t output : circuit_.outputs()) {
    plan_.outputs_.push_back(rescaled(output).register_index);
  }
}

}  // namespace ringlet
