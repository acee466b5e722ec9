// SPDX-License-Identifier: Apache-2.0
#include "gpu/self_check.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/text.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/ring/rns_poly.hpp"

namespace ringlet::gpu {
namespace {

/// Residues from all over the range, by a Weyl sequence.
std::vector<std::uint64_t> scattered_words(const RnsBasis& basis) {
  std::vector<std::uint64_t> words;
  std::uint64_t state = 0;
  for (const Modulus& q : basis.moduli()) {
    for (std::size_t i = 0; i < basis.degree(); ++i) {
      words.push_back(q.reduce(state += 0x9e3779b97f4a7c15));
    }
  }
  return words;
}

/// Returns the values of the polynomial's square, then its coefficients.
std::vector<std::uint64_t> square(const Backend& backend, std::vector<std::uint64_t> words) {
  const std::size_t count = backend.basis().size();
  std::vector<std::size_t> primes(count);
  std::iota(primes.begin(), primes.end(), 0);
  CoeffPoly coefficients(backend, count, Secrecy::open, Contents::unspecified);
  NttPoly values(backend, count, Secrecy::open, Contents::unspecified);
  const CoeffView a = coefficients.view_for_writing(backend);
  const NttView x = values.view_for_writing(backend);
  const std::size_t size = words.size();
  Memory* const memory = backend.memory().get();
  if (memory != nullptr) {
    memory->upload(a.data, words.data(), size);
  } else {
    std::ranges::copy(words, a.data);
  }
  backend.forward_ntt(x, a, primes);
  backend.multiply(x, x, x, primes);
  backend.inverse_ntt(a, x, primes);
  words.resize(2 * size);
  for (const auto& [from, to] : {std::pair{x.data, words.data()}, {a.data, words.data() + size}}) {
    if (memory != nullptr) {
      memory->download(to, from, size);
    } else {
      std::copy_n(from, size, to);
    }
  }
  return words;
}

}  // namespace

void check_against_processor(const Backend& backend) {
  const RnsBasis& basis = backend.basis();
  const std::vector<std::uint64_t> words = scattered_words(basis);
  const auto expected = square(*make_cpu_backend(basis), words);
  const auto found = square(backend, words);
  const auto [wanted, wrong] = std::ranges::mismatch(expected, found);
  if (wrong == found.end()) return;
  const auto word = static_cast<std::size_t>(wrong - found.begin()) % words.size();
  const std::size_t prime = word / basis.degree();
  throw_runtime_error({.operation = "make_backend",
                       .offending = concat("a product modulo ", basis[prime].value(), " on ",
                                           backend.name(), " differs from the processor's"),
                       .limit = "the same words on every device",
                       .remedy = "open the device with use_assembly = false, and report this "
                                 "as a defect"});
}

}  // namespace ringlet::gpu
