// SPDX-License-Identifier: Apache-2.0
#include "circuits/plan/planner.hpp"

#include <algorithm>

#include "schemes/evaluator/key_switching.hpp"

namespace ringlet {
CircuitPlan::Planner::Planner(const Circuit& circuit, const EncryptionParameters& parms,
                              const HasGaloisKey& has_key, CircuitPlan& plan)
    : circuit_(circuit),
      plan_(plan),
      has_key_(has_key),
      ring_(parms.ring()),
      traits_(rlwe::traits_of(parms.scheme())),
      placement_(place(circuit)),
      forms_(circuit.nodes().size()),
      rotations_(circuit.nodes().size()) {}

// Products of BFV leave the modulus as it is.
bool CircuitPlan::Planner::has_levels() const noexcept {
  return !traits_.multiplies_over_larger_modulus;
}

double CircuitPlan::Planner::scale_of(const Form& form) const {
  if (!traits_.has_scale) return 1;
  const double scale = plan_.scales_[form.prime_count];
  return form.is_pending ? scale * scale : scale;
}

CircuitPlan::Planner::Form CircuitPlan::Planner::emit(PlanStep step, Form form) {
  form.place = plan_.register_count();
  step.result = form.place;
  step.prime_count = form.prime_count;
  step.size = form.size;
  step.scale = scale_of(form);
  plan_.steps_.push_back(step);
  return form;
}

CircuitPlan::Planner::Form CircuitPlan::Planner::keep(std::size_t node, const Form& form) {
  forms_[node].push_back(form);
  return form;
}

std::optional<CircuitPlan::Planner::Form> CircuitPlan::Planner::find(std::size_t node,
                                                                     std::size_t prime_count,
                                                                     std::size_t size,
                                                                     bool is_pending) const {
  for (const Form& form : forms_[node]) {
    if (form.prime_count == prime_count && form.size == size && form.is_pending == is_pending) {
      return form;
    }
  }
  return std::nullopt;
}

CircuitPlan::Planner::Form CircuitPlan::Planner::small(std::size_t node) {
  const Form form = natural(node);
  if (form.size == 2) return form;
  if (const auto known = find(node, form.prime_count, 2, form.is_pending)) return *known;
  Form result = form;
  result.size = 2;
  ++plan_.counts_.relinearizations;
  PlanStep step{.operation = PlanOperation::relinearize, .node = node};
  step.a = form.place;
  return keep(node, emit(step, result));
}

CircuitPlan::Planner::Form CircuitPlan::Planner::reduced(std::size_t node) {
  return is_small_anyway(node) ? small(node) : natural(node);
}

bool CircuitPlan::Planner::is_small_anyway(std::size_t node) const {
  return placement_.is_settled[node] || placement_.is_shared[node] || forms_[node][0].size == 2;
}

CircuitPlan::Planner::Form CircuitPlan::Planner::dropped(std::size_t node, const Form& from,
                                                         std::size_t prime_count) {
  if (!traits_.has_scale) return keep(node, match(node, from, prime_count, 1, false));
  Form form = from;
  form.prime_count = prime_count;
  const auto [place, is_new] = dropped_.try_emplace({from.place, prime_count}, 0);
  if (is_new) place->second = switched(node, from, prime_count);
  form.place = place->second;
  return form;
}

std::size_t CircuitPlan::Planner::level_of_product(std::size_t node, std::size_t limit) const {
  if (!has_levels()) return limit;
  return std::min(limit, plan_.input_prime_count_ + 1 - placement_.depths[node]);
}

CircuitPlan::Planner::Form CircuitPlan::Planner::settled(std::size_t node) {
  const Form form = natural(node);
  if (!form.is_pending) return small(node);
  if (const auto known = find(node, form.prime_count - 1, 2, false)) return *known;
  Form result = form;
  result.prime_count = form.prime_count - 1;
  result.is_pending = false;
  result.size = 2;
  PlanStep step{.node = node};
  if (traits_.has_scale) {
    // Relinearizing and rescaling are one division, unless the relinearized form is there already
    // or will be asked for.
    if (placement_.is_summed[node]) small(node);
    const auto relinearized = find(node, form.prime_count, 2, true);
    step.operation = relinearized ? PlanOperation::rescale : PlanOperation::relinearize_and_rescale;
    step.a = relinearized ? relinearized->place : form.place;
    plan_.counts_.relinearizations += relinearized ? 0 : 1;
  } else {
    step.operation = PlanOperation::switch_level;
    step.a = small(node).place;
  }
  ++plan_.counts_.rescalings;
  return keep(node, emit(step, result));
}

CircuitPlan::Planner::Form CircuitPlan::Planner::rescaled(std::size_t node) {
  const Form form = natural(node);
  if (is_small_anyway(node) || !form.is_pending) return settled(node);
  if (const auto known = find(node, form.prime_count - 1, 3, false)) return *known;
  Form result = form;
  result.prime_count = form.prime_count - 1;
  result.is_pending = false;
  PlanStep step{.node = node};
  step.operation = traits_.has_scale ? PlanOperation::rescale : PlanOperation::switch_level;
  step.a = form.place;
  ++plan_.counts_.rescalings;
  return keep(node, emit(step, result));
}

// CKKS leaves the division out, and the scale is what it was.
std::size_t CircuitPlan::Planner::switched(std::size_t node, const Form& from,
                                           std::size_t prime_count) {
  PlanStep step{.operation = PlanOperation::switch_level, .node = node};
  step.a = from.place;
  step.result = plan_.register_count();
  step.prime_count = prime_count;
  step.size = from.size;
  step.scale = scale_of(from);
  plan_.steps_.push_back(step);
  plan_.counts_.rescalings += traits_.has_scale ? 0 : 1;
  return step.result;
}

// BGV has no scales: dropping a prime with division is all there is to match.
CircuitPlan::Planner::Form CircuitPlan::Planner::match(std::size_t node, const Form& from,
                                                       std::size_t prime_count, double scale,
                                                       bool is_pending) {
  Form form = from;
  if (form.prime_count != prime_count) {
    form.place = switched(node, from, prime_count);
    form.prime_count = prime_count;
  }
  form.is_pending = is_pending;
  if (!traits_.has_scale) return form;
  PlanStep step{.operation = PlanOperation::match_scale, .node = node};
  step.a = form.place;
  step.known_scale = scale / scale_of(from);
  form.place = plan_.register_count();
  step.result = form.place;
  step.prime_count = prime_count;
  step.scale = scale;
  plan_.steps_.push_back(step);
  return form;
}

CircuitPlan::Planner::Form CircuitPlan::Planner::settled_at(std::size_t node,
                                                            std::size_t prime_count) {
  const Form form = settled(node);
  if (form.prime_count == prime_count) return form;
  if (const auto known = find(node, prime_count, 2, false)) return *known;
  if (!traits_.has_scale) return keep(node, match(node, form, prime_count, 1, false));
  // A product with 1 one level above, then a rescaling.
  const double above = plan_.scales_[prime_count + 1];
  const Form product = match(node, form, prime_count + 1, above * above, true);
  Form result = form;
  result.prime_count = prime_count;
  PlanStep step{.operation = PlanOperation::rescale, .node = node};
  step.a = product.place;
  ++plan_.counts_.rescalings;
  return keep(node, emit(step, result));
}

CircuitPlan::Planner::Form CircuitPlan::Planner::pending_at(std::size_t node,
                                                            std::size_t prime_count) {
  if (const auto known = find(node, prime_count, 2, true)) return *known;
  const double scale = plan_.scales_[prime_count];
  return keep(node, match(node, settled(node), prime_count, scale * scale, true));
}

void CircuitPlan::Planner::plan_sum(std::size_t node) {
  const CircuitNode& sum = circuit_.nodes()[node];
  Form a = natural(sum.a);
  Form b = natural(sum.b);
  if (a.prime_count != b.prime_count || a.is_pending != b.is_pending) {
    // The higher of two products is settled first; a product stays one if the other value can be
    // brought to it.
    if (a.is_pending && b.is_pending) {
      Form& higher = a.prime_count > b.prime_count ? a : b;
      higher = settled(&higher == &a ? sum.a : sum.b);
    }
    if (a.is_pending && b.prime_count >= a.prime_count) {
      b = pending_at(sum.b, a.prime_count);
    } else if (b.is_pending && a.prime_count >= b.prime_count) {
      a = pending_at(sum.a, b.prime_count);
    } else {
      const std::size_t level = std::min(settled(sum.a).prime_count, settled(sum.b).prime_count);
      a = settled_at(sum.a, level);
      b = settled_at(sum.b, level);
    }
  }
  // A form of size 2 that is made anyway keeps the sum small, unless the other value does not.
  const bool settles = placement_.is_settled[sum.a] && placement_.is_settled[sum.b];
  if (a.size > b.size || (a.size == 3 && settles)) a = reduced(sum.a);
  if (b.size > a.size || (b.size == 3 && settles)) b = reduced(sum.b);
  Form result = a;
  result.size = std::max(a.size, b.size);
  PlanStep step{.node = node};
  step.operation =
      sum.operation == CircuitOperation::add ? PlanOperation::add : PlanOperation::subtract;
  step.a = a.place;
  step.b = b.place;
  keep(node, emit(step, result));
}

void CircuitPlan::Planner::plan_product(std::size_t node) {
  const CircuitNode& product = circuit_.nodes()[node];
  const std::size_t level = level_of_product(
      node, std::min(settled(product.a).prime_count, settled(product.b).prime_count));
  PlanStep step{.operation = PlanOperation::multiply, .node = node};
  step.a = settled_at(product.a, level).place;
  step.b = settled_at(product.b, level).place;
  ++plan_.counts_.multiplications;
  keep(node, emit(step, {0, level, 3, has_levels()}));
}

// A factor of few bits takes no level, unless the sum that the product belongs to has one to spare:
// then it comes at the scale of the products there.
bool CircuitPlan::Planner::takes_level(std::size_t node) {
  const CircuitNode& product = circuit_.nodes()[node];
  if (!has_levels()) return false;
  if (!circuit_.known_vectors()[product.b].is_small_integer()) return true;
  const Form& a = natural(product.a);
  const std::size_t below = a.is_pending ? a.prime_count - 1 : a.prime_count;
  return plan_.input_prime_count_ + 1 - placement_.depths[node] <= below;
}

void CircuitPlan::Planner::plan_known_product(std::size_t node) {
  const CircuitNode& product = circuit_.nodes()[node];
  PlanStep step{.operation = PlanOperation::multiply_known, .node = node};
  step.b = product.b;
  ++plan_.counts_.known_multiplications;
  if (!takes_level(node)) {
    const Form a = reduced(product.a);
    step.a = a.place;
    keep(node, emit(step, a));
    return;
  }
  Form a = rescaled(product.a);
  const std::size_t level = level_of_product(node, a.prime_count);
  if (const auto lower = find(product.a, level, a.size, false)) a = *lower;
  const double scale = scale_of(a);
  if (a.prime_count != level) a = dropped(product.a, a, level);
  const Form result{0, level, a.size, true};
  step.a = a.place;
  step.known_scale = scale_of(result) / scale;
  keep(node, emit(step, result));
}

// Rescaling once, before, is less work than once for each rotation, and so are key switches of
// fewer primes. Where sums take rotations, these stay products until the sum is rescaled.
CircuitPlan::Planner::Form CircuitPlan::Planner::source_of(std::size_t node,
                                                           std::span<const std::size_t> moved) {
  const Form form = natural(node);
  if (!has_levels()) return small(node);
  const auto depth_of = [this](std::size_t i) { return placement_.depths[i]; };
  const std::size_t depth = depth_of(*std::ranges::min_element(moved, {}, depth_of));
  const std::size_t level = plan_.input_prime_count_ - depth;
  const std::size_t settled_level = form.prime_count - (form.is_pending ? 1 : 0);
  const bool are_multiplied =
      std::ranges::all_of(moved, [this](std::size_t i) { return placement_.is_multiplied[i]; });
  if (level >= settled_level && !(form.is_pending && are_multiplied)) return small(node);
  // Others may take the form of size 2 that is not rescaled.
  if (placement_.is_shared[node]) small(node);
  return settled_at(node, std::min(level, settled_level));
}

// All rotations of a value at once, so that they can share what a key switch does first.
void CircuitPlan::Planner::plan_rotations(std::size_t node) {
  const std::vector<std::size_t>& rotations = rotations_[node];
  if (!forms_[rotations.front()].empty()) return;
  const Form a = source_of(node, rotations);
  std::vector<std::vector<int>> parts;
  for (const std::size_t i : rotations) parts.push_back(parts_of(circuit_.nodes()[i].steps));
  std::vector<Form> forms(rotations.size(), a);
  std::map<std::pair<std::size_t, int>, Form> made;  // by what is rotated and how far
  const auto longest = std::ranges::max_element(parts, {}, &std::vector<int>::size)->size();
  for (std::size_t round = 0; round < longest; ++round) {
    for (std::size_t i = 0; i < rotations.size(); ++i) {
      if (round >= parts[i].size()) continue;
      PlanStep step{.operation = PlanOperation::rotate, .node = rotations[i]};
      step.a = forms[i].place;
      step.steps = parts[i][round];
      const auto [place, is_new] = made.try_emplace({step.a, step.steps});
      if (is_new) place->second = emit(step, a);
      forms[i] = place->second;
    }
    if (round == 0) plan_.counts_.hoisted += made.size() - 1;
  }
  plan_.counts_.automorphisms += made.size();
  for (std::size_t i = 0; i < rotations.size(); ++i) keep(rotations[i], forms[i]);
}

// A turn of the circuit's row is none: rows of the ring hold it again and again.
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
  const Form a = source_of(circuit_.nodes()[node].a, {&node, 1});
  PlanStep step{.operation = PlanOperation::conjugate, .node = node};
  step.a = a.place;
  ++plan_.counts_.automorphisms;
  keep(node, emit(step, a));
}

void CircuitPlan::Planner::plan(std::size_t node) {
  const CircuitNode& made = circuit_.nodes()[node];
  PlanStep step{.node = node};
  switch (made.operation) {
    case CircuitOperation::input:
      keep(node, {made.a, plan_.input_prime_count_, 2, false});
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
      // Both are asked for as factors: they share what settles them.
      const bool settles =
          is_small_anyway(made.a) && placement_.is_settled[node] && !placement_.is_shared[node];
      const Form a = settles ? settled(made.a) : reduced(made.a);
      step.operation = made.operation == CircuitOperation::negate ? PlanOperation::negate
                                                                  : PlanOperation::add_known;
      step.a = a.place;
      step.b = made.b;
      keep(node, emit(step, a));
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
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (is_live[i]) plan(i);
  }
  for (const std::size_t output : circuit_.outputs()) {
    plan_.outputs_.push_back(settled(output).place);
  }
}

}  // namespace ringlet
