// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/arith/primes.hpp"
#include "ringlet/kernels/kernel_selection.hpp"
#include "support/reference/flint_poly.hpp"
#include "support/values.hpp"

namespace ringlet {

/// Prints a kernel that is the parameter of a test, for GoogleTest.
inline void PrintTo(const KernelInfo& kernel, std::ostream* stream) { *stream << kernel.name; }

}  // namespace ringlet

namespace ringlet::test {

/// "table/algorithm" of every transform kernel: those that this processor runs, and the others.
struct NttKernelNames {
  std::vector<std::string> available;
  std::vector<std::string> missing;
};

inline NttKernelNames ntt_kernel_names() {
  NttKernelNames names;
  for (const KernelInfo& info : kernel_catalog()) {
    if (info.operation != "ntt") continue;
    (info.available ? names.available : names.missing).push_back(info.table + "/" + info.algorithm);
  }
  return names;
}

/// The transform kernels of all processors. RINGLET_FORCE_KERNELS restricts them to one table.
inline std::vector<KernelInfo> transform_kernels() {
  const char* forced = std::getenv("RINGLET_FORCE_KERNELS");
  const std::string text = forced == nullptr ? "" : forced;
  const std::string table = text.substr(0, text.find('/'));
  std::vector<KernelInfo> kernels = kernel_catalog();
  std::erase_if(kernels, [&](const KernelInfo& kernel) {
    return kernel.operation != "ntt" || (!table.empty() && table != kernel.table);
  });
  return kernels;
}

/// The name of a transform kernel as GoogleTest allows it in the name of a test.
inline std::string transform_kernel_name(const ::testing::TestParamInfo<KernelInfo>& kernel) {
  std::string name = kernel.param.table + "_" + kernel.param.algorithm;
  std::ranges::replace(name, '-', '_');
  return name;
}

inline std::size_t bit_reverse(std::size_t value, int bits) {
  std::size_t reversed = 0;
  for (int i = 0; i < bits; ++i) reversed |= ((value >> i) & 1) << (bits - 1 - i);
  return reversed;
}

/// a*b mod (X^N + 1, q) by FLINT's product of polynomials.
inline std::vector<std::uint64_t> negacyclic_product(const std::vector<std::uint64_t>& a,
                                                     const std::vector<std::uint64_t>& b,
                                                     std::uint64_t q) {
  const FlintPoly product = FlintPoly::from(a, q) * FlintPoly::from(b, q);
  std::vector<std::uint64_t> result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    result[i] = sub_mod(product[i], product[i + a.size()], q);
  }
  return result;
}

/// Value i of the transform of `a` by its definition: a(root^(2*bit_reverse(i) + 1)), by FLINT.
inline std::uint64_t ntt_value(const std::vector<std::uint64_t>& a, std::size_t i,
                               std::uint64_t root, const ringlet::Modulus& q) {
  int bits = 0;
  while ((std::size_t{1} << bits) < a.size()) ++bits;
  const std::uint64_t point = pow_mod(root, 2 * bit_reverse(i, bits) + 1, q);
  return FlintPoly::from(a, q.value()).evaluate(point);
}

/// The largest (below = true) or smallest prime on its side of `limit` that is 1 modulo 2*degree.
inline std::uint64_t ntt_prime_next_to(std::uint64_t limit, std::size_t degree, bool below) {
  const std::uint64_t step = 2 * degree;
  std::uint64_t candidate = (limit - 1) / step * step + 1;
  if (candidate >= limit) candidate -= step;
  if (!below) candidate += step;
  while (!is_prime(candidate)) candidate = below ? candidate - step : candidate + step;
  return candidate;
}

/// Operands of a transform in [0, factor*q). They hold random and edge values, zeros, q - 1, or the
/// top of the range: everywhere, in every second place, by a bit of the index, in one half, or in
/// the first place. The last operand has three random places.
inline std::vector<std::vector<std::uint64_t>> transform_operands(std::size_t degree,
                                                                  std::uint64_t q,
                                                                  std::uint64_t factor,
                                                                  std::mt19937_64& rng) {
  const std::uint64_t top = factor * q - 1;
  const auto filled = [&](auto is_top) {
    Words words(degree, 0);
    for (std::size_t i = 0; i < degree; ++i) words[i] = is_top(i) ? top : 0;
    return words;
  };
  Words sparse(degree, 0);
  for (int i = 0; i < 3; ++i) sparse[rng() % degree] = rng() % (factor * q);
  const std::size_t bit = std::size_t{1} << (rng() % 4);
  return {mixed_values(degree, q, factor, rng),
          Words(degree, 0),
          Words(degree, q - 1),
          Words(degree, top),
          filled([](std::size_t i) { return i % 2 == 0; }),
          filled([](std::size_t i) { return i % 2 != 0; }),
          filled([=](std::size_t i) { return (i & bit) == 0; }),
          filled([=](std::size_t i) { return (i & bit) != 0; }),
          filled([=](std::size_t i) { return i < degree / 2; }),
          filled([](std::size_t i) { return i == 0; }),
          std::move(sparse)};
}

/// `words` modulo q.
inline std::vector<std::uint64_t> reduced(std::vector<std::uint64_t> words, std::uint64_t q) {
  for (std::uint64_t& word : words) word %= q;
  return words;
}

}  // namespace ringlet::test
