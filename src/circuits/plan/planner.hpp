// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "circuits/plan/modulus_chain.hpp"
#include "circuits/plan/placement.hpp"
#include "ringlet/circuits/circuit.hpp"
#include "ringlet/circuits/circuit_plan.hpp"
#include "ringlet/ring/ring_spec.hpp"
#include "rlwe/scheme_traits.hpp"

namespace ringlet {

/// Walks through a circuit and writes the steps of its plan, in the levels of a ModulusChain. A
/// value has versions: as computed, relinearized, rescaled, at lower levels. Each is made when it
/// is first asked for.
class CircuitPlan::Planner {
 public:
  /// Plans in the levels of `chain`.
  Planner(const Circuit& circuit, const EncryptionParameters& parms, const ModulusChain& chain,
          const HasGaloisKey& has_key, CircuitPlan& plan);

  void run();

 private:
  struct Version {
    std::size_t register_index = 0;
    std::size_t level = 0;
    std::size_t size = 2;
    /// A product that has not been rescaled: its scale is D^2.
    bool needs_rescale = false;
  };

  bool has_levels() const noexcept;
  Version& as_computed(std::size_t node) { return versions_[node].front(); }

  /// Returns the version of size 2.
  Version relinearized(std::size_t node);
  /// Returns the rescaled version of size 2, which a product takes as a factor.
  Version rescaled(std::size_t node);
  /// Returns rescaled(), brought to a level that is not above its own.
  Version rescaled_at(std::size_t node, std::size_t level);
  /// Returns a version with a product's scale D^2, at a level not above that of rescaled().
  Version unrescaled_at(std::size_t node, std::size_t level);
  /// Returns relinearized() if another value needs it as well, else the version as computed.
  Version relinearized_if_needed(std::size_t node);
  /// Returns the version of the node that these rotations or conjugates are computed from.
  Version source_of(std::size_t node, std::span<const std::size_t> moved);
  /// Returns a rescaled version for a product by a known vector, of size 3 unless size 2 is needed.
  Version rescaled_any_size(std::size_t node);
  /// Returns a rescaled version at a lower level. CKKS switches the modulus without division, so
  /// the version keeps the scale of the level of `from`.
  Version mod_switched(std::size_t node, const Version& from, std::size_t level);
  /// Returns the register of the step's result.
  std::size_t emit_mod_switch(std::size_t node, const Version& from, std::size_t level);
  bool is_relinearized_anyway(std::size_t node) const;
  /// Returns the level at which Placement computes a product, at most `limit`.
  std::size_t level_of_product(std::size_t node, std::size_t limit) const;
  /// Remembers a version of the node, so that it is made once.
  Version memoize(std::size_t node, const Version& version);
  std::optional<Version> find(std::size_t node, std::size_t level, std::size_t size,
                              bool needs_rescale) const;

  void plan(std::size_t node);
  void plan_sum(std::size_t node);
  void plan_product(std::size_t node);
  bool takes_level(std::size_t node);
  void plan_known_product(std::size_t node);
  std::vector<int> parts_of(int steps) const;
  void plan_rotations(std::size_t node);
  void find_doublings();
  std::vector<int> further_steps(std::size_t rotation, std::size_t level) const;
  void plan_rotated_sum(std::size_t node, const std::pair<Version, Version>& halves);
  void plan_conjugate(std::size_t node);

  /// Appends a step with that version as its result, whose register it sets.
  Version emit(PlanStep step, Version version);
  double scale_of(const Version& version) const;
  Version match(std::size_t node, const Version& from, std::size_t level, double scale,
                bool needs_rescale);

  const Circuit& circuit_;
  CircuitPlan& plan_;
  const ModulusChain& chain_;
  const HasGaloisKey& has_key_;
  bool has_one_special_prime_;
  RingSpec ring_;
  rlwe::SchemeTraits traits_;
  Placement placement_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> mod_switched_;
  std::vector<std::vector<Version>> versions_;
  std::vector<std::vector<std::size_t>> rotations_;  // of each node
  /// By a rotation r of x whose only use is x + r: the rotation of that sum, if its only use is the
  /// sum with it. It is then computed as the sum of two rotations of x.
  std::map<std::size_t, std::size_t> doublings_;
  std::map<std::size_t, std::pair<Version, Version>> halves_;  // by the rotation of the sum
};

}  // namespace ringlet
