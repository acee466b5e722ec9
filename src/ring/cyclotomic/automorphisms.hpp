// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "ring/cyclotomic/galois.hpp"
#include "ringlet/arith/modulus.hpp"
#include "ringlet/ring/cyclotomic.hpp"
#include "ringlet/ring/ring_spec.hpp"

namespace ringlet {

/// The automorphisms a(X) -> a(X^g) of Z_q[X]/Phi_m, g coprime to m and below it, on one limb.
/// Value i of NTT form is a(w^units[i]), so it takes the value at w^(g*units[i]): a permutation.
/// Coefficient i goes to the exponent g*i mod m; then the result is reduced modulo Phi_m. The
/// addresses that are read and written depend on g alone.
class CyclotomicPermutation {
 public:
  explicit CyclotomicPermutation(const RingSpec& ring);

  /// Returns, for each value of the result, the index of its source.
  std::vector<std::uint32_t> sources(std::uint64_t galois_element) const;
  /// result(X) = a(X^g) on values in NTT form; result and a do not overlap.
  static void apply_to_values(std::span<std::uint64_t> result, std::span<const std::uint64_t> a,
                              std::span<const std::uint32_t> sources);
  /// result(X) = a(X^g) on coefficients modulo q.
  void apply_to_coefficients(std::span<std::uint64_t> result, std::span<const std::uint64_t> a,
                             std::uint64_t galois_element, const Modulus& q) const;

 private:
  static constexpr std::uint32_t kNoPlace = ~std::uint32_t{0};

  std::size_t index_;
  std::size_t degree_;
  std::vector<std::uint32_t> places_;  ///< The place of k < m among the units, or kNoPlace.
  CyclotomicReduction reduction_;
};

/// The automorphisms of a ring, X^N + 1 or another one.
class Automorphisms {
 public:
  explicit Automorphisms(const RingSpec& ring);

  /// Applies X -> X^g, for one g, to any number of limbs.
  class Map {
   public:
    void apply_to_values(std::span<std::uint64_t> result, std::span<const std::uint64_t> a) const;
    void apply_to_coefficients(std::span<std::uint64_t> result, std::span<const std::uint64_t> a,
                               const Modulus& q) const;

   private:
    friend class Automorphisms;
    Map(const Automorphisms& owner, std::uint64_t galois_element)
        : owner_(owner), galois_element_(galois_element) {}

    const Automorphisms& owner_;
    std::uint64_t galois_element_;
    std::vector<std::uint32_t> sources_;
  };

  /// Return the map in NTT form, or in coefficients. It refers to this object.
  Map of_values(std::uint64_t galois_element) const;
  Map of_coefficients(std::uint64_t galois_element) const { return {*this, galois_element}; }

  /// Returns the automorphisms of X^N + 1; null for other rings.
  const GaloisPermutation* negacyclic() const {
    return std::get_if<GaloisPermutation>(&permutation_);
  }

 private:
  std::variant<GaloisPermutation, CyclotomicPermutation> permutation_;
};

}  // namespace ringlet
