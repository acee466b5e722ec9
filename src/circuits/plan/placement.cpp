// SPDX-License-Identifier: Apache-2.0
#include "circuits/plan/placement.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace ringlet {
namespace {

constexpr std::size_t kNone = ~std::size_t{0};

class Placer {
 public:
  explicit Placer(const Circuit& circuit)
      : circuit_(circuit),
        nodes_(circuit.nodes()),
        is_live_(circuit.live_nodes()),
        least_(nodes_.size()),
        is_fixed_(nodes_.size()),
        needs_rescale_(nodes_.size()),
        demands_(nodes_.size()) {
    result_.depths.resize(nodes_.size());
    result_.is_relinearized.resize(nodes_.size());
    result_.is_shared.resize(nodes_.size());
    result_.is_summed.resize(nodes_.size());
    result_.is_multiplied.resize(nodes_.size(), true);
    result_.is_moved_again.resize(nodes_.size());
  }

  Placement operator()() {
    find_moved();
    for (std::size_t i = 0; i < nodes_.size(); ++i) walk_up(i);
    for (const std::size_t output : circuit_.outputs()) {
      demand(output, {least_[output], false, false, true, kNone});
      result_.is_relinearized[output] = true;
    }
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      if (is_live_[i]) walk_down(i);
    }
    return std::move(result_);
  }

 private:
  struct Demand {
    std::size_t depth = 0;
    bool is_sum = false;   // only sums at this depth use the value
    bool has_sum = false;  // at least one sum uses it
    bool is_asked = false;
    std::size_t sum_depth = kNone;  // the least depth of a sum that takes it as computed
  };

  bool is_free(const CircuitNode& node) const {
    return circuit_.known_vectors()[node.b].is_small_integer();
  }

  // Whether a value has the size and the scale of its operands.
  bool is_sum(const CircuitNode& node) const {
    switch (node.operation) {
      case CircuitOperation::negate:
      case CircuitOperation::add:
      case CircuitOperation::subtract:
      case CircuitOperation::add_known:
        return true;
      case CircuitOperation::multiply_known:
        return is_free(node);
      default:
        return false;
    }
  }

  // Of rotations and conjugates, and of sums before these, marks what another one moves.
  void find_moved() {
    std::vector<bool> feeds(nodes_.size());  // a rotation takes it, itself or in a sum
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      const CircuitNode& node = nodes_[i];
      if (!is_live_[i] || node.operation == CircuitOperation::input) continue;
      const bool moves = moves_slots(node);
      result_.is_moved_again[i] = moves && feeds[i];
      if (!moves && !(is_sum(node) && feeds[i])) continue;
      feeds[node.a] = true;
      if (node.has_two_values()) feeds[node.b] = true;
    }
  }

  // A rotation or a sum of which one operand has been rescaled for the rotations after it.
  bool is_rescaled_early(std::size_t i) const {
    const CircuitNode& node = nodes_[i];
    return result_.is_moved_again[i] ||
           (is_sum(node) && (result_.is_moved_again[node.a] ||
                             (node.has_two_values() && result_.is_moved_again[node.b])));
  }

  void walk_up(std::size_t i) {
    const CircuitNode& node = nodes_[i];
    if (node.operation == CircuitOperation::input) return;
    const std::size_t b = node.has_two_values() ? node.b : node.a;
    least_[i] = std::max(least_[node.a], least_[b]);
    if (is_sum(node) || moves_slots(node)) {
      is_fixed_[i] = is_fixed_[node.a] || is_fixed_[b];
      needs_rescale_[i] = !is_rescaled_early(i) && (needs_rescale_[node.a] || needs_rescale_[b]);
      return;
    }
    ++least_[i];
    is_fixed_[i] = node.operation == CircuitOperation::multiply;
    needs_rescale_[i] = true;
  }

  void demand(std::size_t i, const Demand& demand) {
    Demand& known = demands_[i];
    if (!known.is_asked) {
      known = demand;
      return;
    }
    known.is_sum = known.is_sum && demand.is_sum && known.depth == demand.depth;
    known.has_sum = known.has_sum || demand.has_sum;
    known.depth = std::min(known.depth, demand.depth);
    known.sum_depth = std::min(known.sum_depth, demand.sum_depth);
  }

  static bool moves_slots(const CircuitNode& node) {
    return node.operation == CircuitOperation::rotate ||
           node.operation == CircuitOperation::conjugate;
  }

  std::size_t depth_of(std::size_t i) const {
    const CircuitNode& node = nodes_[i];
    const Demand& demanded = demands_[i];
    if (node.operation == CircuitOperation::input) return least_[i];
    if (!moves_slots(node)) {
      return demanded.is_sum || !is_fixed_[i] ? demanded.depth : least_[i];
    }
    // A value that is brought down gets rescaled. A sum with unrescaled products takes it from one
    // level above.
    const bool stays_unrescaled = needs_rescale_[i] && !is_fixed_[i];
    const bool is_above = demanded.has_sum && !stays_unrescaled && demanded.depth > 0;
    return std::max(least_[i], demanded.depth - (is_above ? 1 : 0));
  }

  void walk_down(std::size_t i) {
    const CircuitNode& node = nodes_[i];
    const std::size_t depth = depth_of(i);
    result_.depths[i] = depth;
    result_.is_summed[i] = demands_[i].sum_depth == depth;
    if (node.operation == CircuitOperation::input) return;
    const bool sums = is_sum(node);
    const bool is_known = node.operation == CircuitOperation::multiply_known;
    const bool multiplies = !sums && (is_known || node.operation == CircuitOperation::multiply);
    const bool takes_rescaled =
        node.operation == CircuitOperation::negate || node.operation == CircuitOperation::add_known;
    const bool sums_as_is =
        sums && !is_rescaled_early(i) &&
        !(takes_rescaled && result_.is_relinearized[i] && !result_.is_shared[i]);
    const Demand next{multiplies ? depth - 1 : depth, sums, sums, true, sums_as_is ? depth : kNone};
    ask(node.a, next, !sums && !is_known, multiplies);
    if (node.has_two_values() && node.b != node.a) ask(node.b, next, !sums, multiplies);
  }

  void ask(std::size_t operand, const Demand& next, bool relinearizes, bool multiplies) {
    result_.is_shared[operand] = result_.is_shared[operand] || demands_[operand].is_asked;
    result_.is_relinearized[operand] = result_.is_relinearized[operand] || relinearizes;
    result_.is_multiplied[operand] = result_.is_multiplied[operand] && multiplies;
    demand(operand, next);
  }

  const Circuit& circuit_;
  std::span<const CircuitNode> nodes_;
  std::vector<bool> is_live_;
  std::vector<std::size_t> least_;
  std::vector<bool> is_fixed_;       // a sum with products of two values, which do not move freely
  std::vector<bool> needs_rescale_;  // a sum with products of any kind, rescaled when it is taken
  std::vector<Demand> demands_;
  Placement result_;
};

}  // namespace

Placement place(const Circuit& circuit) { return Placer(circuit)(); }

}  // namespace ringlet
