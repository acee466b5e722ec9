// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "circuits/plan/placement.hpp"
#include "ringlet/circuits/circuit.hpp"
#include "ringlet/circuits/circuit_plan.hpp"
#include "ringlet/ring/ring_spec.hpp"
#include "rlwe/scheme_traits.hpp"

namespace ringlet {

/// Walks through a circuit and writes the steps of its plan, whose levels it counts by the rungs of
/// a LevelLadder. A value has forms: as its operation
/// left it, relinearized, settled (fit for a product), at lower levels; each is made when it is
/// first asked for.
class CircuitPlan::Planner {
 public:
  Planner(const Circuit& circuit, const EncryptionParameters& parms, const HasGaloisKey& has_key,
          CircuitPlan& plan);

  void run();

 private:
  struct Form {
    std::size_t place = 0;  // the register
    std::size_t prime_count = 0;
    std::size_t size = 2;
    /// A product that has not been rescaled: its scale is D^2.
    bool is_pending = false;
  };

  bool has_levels() const noexcept;
  Form& natural(std::size_t node) { return forms_[node].front(); }

  /// As it is, of size 2.
  Form small(std::size_t node);
  /// Of size 2 and not pending.
  Form settled(std::size_t node);
  /// Settled, at a level not above that of settled().
  Form settled_at(std::size_t node, std::size_t prime_count);
  /// With the scale of a product at a level not above that of settled().
  Form pending_at(std::size_t node, std::size_t prime_count);
  /// Of size 2 where it takes that form anyway, else as it is.
  Form reduced(std::size_t node);
  /// What these rotations or conjugates of the node are made of.
  Form source_of(std::size_t node, std::span<const std::size_t> moved);
  /// Not pending, for a product by a known vector: of size 3 if nothing else asks for size 2.
  Form rescaled(std::size_t node);
  /// A value that is not pending, at a lower level; of CKKS without division, so that its scale is
  /// still that of the level it comes from.
  Form dropped(std::size_t node, const Form& from, std::size_t prime_count);
  /// The register of the step that brings it there.
  std::size_t switched(std::size_t node, const Form& from, std::size_t prime_count);
  bool is_small_anyway(std::size_t node) const;
  /// Where Placement has a product computed, at a level not above `limit`.
  std::size_t level_of_product(std::size_t node, std::size_t limit) const;
  /// Known to the node, so that it is made once.
  Form keep(std::size_t node, const Form& form);
  std::optional<Form> find(std::size_t node, std::size_t prime_count, std::size_t size,
                           bool is_pending) const;

  void plan(std::size_t node);
  void plan_sum(std::size_t node);
  void plan_product(std::size_t node);
  bool takes_level(std::size_t node);
  void plan_known_product(std::size_t node);
  std::vector<int> parts_of(int steps) const;
  void plan_rotations(std::size_t node);
  void plan_conjugate(std::size_t node);

  /// Appends a step with that form as its result, whose register it sets.
  Form emit(PlanStep step, Form form);
  double scale_of(const Form& form) const;
  Form match(std::size_t node, const Form& from, std::size_t prime_count, double scale,
             bool is_pending);

  const Circuit& circuit_;
  CircuitPlan& plan_;
  const HasGaloisKey& has_key_;
  RingSpec ring_;
  rlwe::SchemeTraits traits_;
  Placement placement_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> dropped_;
  std::vector<std::vector<Form>> forms_;
  std::vector<std::vector<std::size_t>> rotations_;  // of each node
};

}  // namespace ringlet
