// SPDX-License-Identifier: Apache-2.0
#include "ring/cyclotomic/automorphisms.hpp"

#include <algorithm>
#include <numeric>

#include "base/assert.hpp"
#include "ring/backend/scratch.hpp"

namespace ringlet {
namespace {

std::variant<GaloisPermutation, CyclotomicPermutation> make_permutation(const RingSpec& ring) {
  if (ring.kind() == RingKind::power_of_two_cyclotomic) return GaloisPermutation(ring.degree());
  return CyclotomicPermutation(ring);
}

}  // namespace

CyclotomicPermutation::CyclotomicPermutation(const RingSpec& ring)
    : index_(ring.cyclotomic_index()),
      degree_(ring.degree()),
      places_(index_, kNoPlace),
      reduction_(CyclotomicPolynomial(index_)) {
  std::uint32_t place = 0;
  for (std::size_t k = 1; k < index_; ++k) {
    if (std::gcd(k, index_) == 1) places_[k] = place++;
  }
}

std::vector<std::uint32_t> CyclotomicPermutation::sources(std::uint64_t galois_element) const {
  std::vector<std::uint32_t> sources(degree_);
  std::uint64_t image = 0;  // k * g mod m
  for (std::size_t k = 0; k < index_; ++k) {
    if (places_[k] != kNoPlace) sources[places_[k]] = places_[image];
    image += galois_element;
    if (image >= index_) image -= index_;
  }
  return sources;
}

void CyclotomicPermutation::apply_to_values(std::span<std::uint64_t> result,
                                            std::span<const std::uint64_t> a,
                                            std::span<const std::uint32_t> sources) {
  RINGLET_ASSERT(result.size() == sources.size() && a.size() == sources.size());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = a[sources[i]];
}

void CyclotomicPermutation::apply_to_coefficients(std::span<std::uint64_t> result,
                                                  std::span<const std::uint64_t> a,
                                                  std::uint64_t galois_element,
                                                  const Modulus& q) const {
  RINGLET_ASSERT(result.size() == degree_ && a.size() == degree_);
  const Scratch scratch(index_);
  const std::span<std::uint64_t> words = scratch.words();
  std::ranges::fill(words, 0);
  std::uint64_t exponent = 0;  // i * g mod m
  for (std::size_t i = 0; i < degree_; ++i) {
    words[exponent] = a[i];
    exponent += galois_element;
    if (exponent >= index_) exponent -= index_;
  }
  reduction_.reduce_residues(words, q);
  std::ranges::copy(words.first(degree_), result.begin());
}

Automorphisms::Automorphisms(const RingSpec& ring) : permutation_(make_permutation(ring)) {}

Automorphisms::Map Automorphisms::of_values(std::uint64_t galois_element) const {
  Map map(*this, galois_element);
  if (const auto* cyclotomic = std::get_if<CyclotomicPermutation>(&permutation_)) {
    map.sources_ = cyclotomic->sources(galois_element);
  }
  return map;
}

void Automorphisms::Map::apply_to_values(std::span<std::uint64_t> result,
                                         std::span<const std::uint64_t> a) const {
  if (const auto* negacyclic = std::get_if<GaloisPermutation>(&owner_.permutation_)) {
    negacyclic->apply_to_values(result, a, galois_element_);
  } else {
    CyclotomicPermutation::apply_to_values(result, a, sources_);
  }
}

void Automorphisms::Map::apply_to_coefficients(std::span<std::uint64_t> result,
                                               std::span<const std::uint64_t> a,
                                               const Modulus& q) const {
  std::visit(
      [&](const auto& permutation) {
        permutation.apply_to_coefficients(result, a, galois_element_, q);
      },
      owner_.permutation_);
}

}  // namespace ringlet
