// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/backend.hpp"
#include "ringlet/error.hpp"
#include "ringlet/kernel_selection.hpp"
#include "ringlet/primes.hpp"
#include "ringlet/rns_poly.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

namespace ringlet::test {

using Words = std::vector<std::uint64_t>;

using Indices = std::vector<std::size_t>;

/// The indices [first, end).
inline Indices range(std::size_t first, std::size_t end) {
  Indices indices(end - first);
  std::iota(indices.begin(), indices.end(), first);
  return indices;
}

/// Primes of the given bits, neighbours where bits repeat; of more bits where the degree has none.
inline RnsBasis make_basis_of_bits(std::size_t degree, const std::vector<int>& bits) {
  constexpr int kMostBits = 61;
  std::vector<Modulus> moduli;
  for (int size : bits) {
    for (const std::size_t before = moduli.size(); moduli.size() == before; ++size) {
      const auto used =
          static_cast<std::size_t>(std::ranges::count(moduli, size, &Modulus::bit_count));
      try {
        moduli.push_back(generate_ntt_primes(size, degree, used + 1).back());
      } catch (const InvalidArgument&) {
        if (size >= kMostBits) throw;
      }
    }
  }
  return {degree, moduli};
}

/// A basis of eight primes, far apart and close together, in no order; the degree is at most 2^16.
inline RnsBasis make_basis(std::size_t degree) {
  return make_basis_of_bits(degree, {50, 30, 61, 49, 50, 22, 60, 52});
}

/// One backend for every table that this processor can run, and one for the selection of the
/// environment, which comes first.
inline std::vector<std::shared_ptr<const Backend>> make_backends(const RnsBasis& basis) {
  std::vector<std::shared_ptr<const Backend>> backends{make_cpu_backend(basis)};
  const std::vector<KernelInfo> catalog = kernel_catalog();
  for (const std::string& table : kernel_tables()) {
    const bool available = std::any_of(catalog.begin(), catalog.end(), [&](const auto& kernel) {
      return kernel.table == table && kernel.available;
    });
    if (available) backends.push_back(make_cpu_backend(basis, KernelSelection(table)));
  }
  return backends;
}

/// For messages: the kernel of each prime.
inline std::string describe(const Backend& backend) {
  std::string text;
  for (const std::string& name : backend.kernel_names()) text += name + " ";
  return text;
}

/// 0, 1, ..., count - 1.
inline Indices first_primes(std::size_t count) { return range(0, count); }

/// `count` residues modulo q: a quarter of them at the edges, the others uniform. Unlike
/// mixed_values, short vectors get both kinds.
inline Words scattered_residues(std::size_t count, std::uint64_t q, std::mt19937_64& rng) {
  const Words edges = edge_values(q);
  Words values = random_residues(count, q, rng);
  for (std::uint64_t& value : values) {
    if (rng() % 4 == 0) value = edges[rng() % edges.size()];
  }
  return values;
}

/// Limb i holds residues modulo the prime of index primes[i], edges included.
template <Form F>
RnsPoly<F> random_poly(const RnsBasis& basis, PrimeIndices primes, std::mt19937_64& rng) {
  RnsPoly<F> poly(primes.size(), basis.degree());
  const PolyView<F> view = poly.view_for_writing();
  for (std::size_t i = 0; i < primes.size(); ++i) {
    const Words values = scattered_residues(basis.degree(), basis[primes[i]].value(), rng);
    std::copy(values.begin(), values.end(), view.limb(i).begin());
  }
  return poly;
}

template <Form F>
Words limb_words(const RnsPoly<F>& poly, std::size_t i) {
  const auto limb = poly.view().limb(i);
  return {limb.begin(), limb.end()};
}

/// All limbs, one after the other.
template <Form F>
Words all_words(const RnsPoly<F>& poly) {
  Words words;
  for (std::size_t i = 0; i < poly.limb_count(); ++i) {
    const Words limb = limb_words(poly, i);
    words.insert(words.end(), limb.begin(), limb.end());
  }
  return words;
}

}  // namespace ringlet::test
