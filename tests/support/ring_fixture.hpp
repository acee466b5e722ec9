// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/arith/primes.hpp"
#include "ringlet/ring/rns_poly.hpp"
#include "support/devices/forwarding_backend.hpp"
#include "support/kernels/available_tables.hpp"
#include "support/values.hpp"

namespace ringlet::test {

using Indices = std::vector<std::size_t>;

/// Rings by their m. With sanitizers only the `smaller` ones: the largest ring of a prime m shows
/// them nothing new.
inline std::vector<std::uint64_t> rings(std::vector<std::uint64_t> smaller) {
  if (!RINGLET_TEST_SANITIZED) smaller.push_back(8191);
  return smaller;
}

/// The indices [first, end).
inline Indices range(std::size_t first, std::size_t end) {
  Indices indices(end - first);
  std::iota(indices.begin(), indices.end(), first);
  return indices;
}

/// Primes of the given bits, neighbours where bits repeat; of more bits if the ring has none.
inline RnsBasis make_basis_of_bits(const RingSpec& ring, const std::vector<int>& bits) {
  constexpr int kMostBits = 61;
  std::vector<Modulus> moduli;
  for (int size : bits) {
    for (const std::size_t before = moduli.size(); moduli.size() == before; ++size) {
      const auto used =
          static_cast<std::size_t>(std::ranges::count(moduli, size, &Modulus::bit_count));
      try {
        moduli.push_back(generate_primes(size, ring.modulus_step(), used + 1).back());
      } catch (const InvalidArgument&) {
        if (size >= kMostBits) throw;
      }
    }
  }
  return {ring, moduli};
}
inline RnsBasis make_basis_of_bits(std::size_t degree, const std::vector<int>& bits) {
  return make_basis_of_bits(RingSpec::power_of_two(degree), bits);
}

/// A basis of eight primes, far apart and close together, in no order.
inline RnsBasis make_basis(const RingSpec& ring) {
  return make_basis_of_bits(ring, {50, 30, 61, 49, 50, 22, 60, 52});
}
/// A basis for X^N + 1; the degree is at most 2^16.
inline RnsBasis make_basis(std::size_t degree) {
  return make_basis(RingSpec::power_of_two(degree));
}

/// One backend with the kernels that the environment selects, one for every table that this
/// processor can run, and compositions of the first.
inline std::vector<std::shared_ptr<const Backend>> make_backends(const RnsBasis& basis) {
  std::vector<std::shared_ptr<const Backend>> backends{make_cpu_backend(basis)};
  for (const KernelSelection& table : available_tables()) {
    backends.push_back(make_cpu_backend(basis, table));
  }
  backends.push_back(std::make_shared<Compositions>(backends.front()));
  return backends;
}

/// Names a backend and the kernel of each prime, for messages.
inline std::string describe(const Backend& backend) {
  std::string text = backend.name() + ": ";
  for (const std::string& name : backend.kernel_names()) text += name + " ";
  return text;
}

/// 0, 1, ..., count - 1.
inline Indices first_primes(std::size_t count) { return range(0, count); }

/// `count` residues modulo q: a quarter of them at the edges, the others uniform. Unlike those of
/// mixed_values, short vectors also get both kinds.
inline Words scattered_residues(std::size_t count, std::uint64_t q, std::mt19937_64& rng) {
  const Words edges = edge_values(q);
  Words values = random_residues(count, q, rng);
  for (std::uint64_t& value : values) {
    if (rng() % 4 == 0) value = edges[rng() % edges.size()];
  }
  return values;
}

/// A polynomial whose limb i holds residues modulo the prime of index primes[i], edges included.
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

inline NttPoly to_values(const Backend& backend, const CoeffPoly& a, PrimeIndices primes) {
  NttPoly values(primes.size(), a.degree());
  backend.forward_ntt(values.view_for_writing(), a.view(), primes);
  return values;
}

inline CoeffPoly to_coefficients(const Backend& backend, const NttPoly& a, PrimeIndices primes) {
  CoeffPoly coefficients(primes.size(), a.degree());
  backend.inverse_ntt(coefficients.view_for_writing(), a.view(), primes);
  return coefficients;
}

inline std::vector<ConstNttView> views_of(const std::vector<NttPoly>& polys) {
  std::vector<ConstNttView> views;
  for (const NttPoly& poly : polys) views.push_back(poly.view());
  return views;
}

}  // namespace ringlet::test
