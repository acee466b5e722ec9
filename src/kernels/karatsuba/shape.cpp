// SPDX-License-Identifier: Apache-2.0
#include "kernels/karatsuba/shape.hpp"

#include <algorithm>

namespace ringlet::kernels {
namespace {

constexpr int kMaxRecursions = 12;

// Costs fitted to measurements on one machine (docs/notes/karatsuba.md), in units of one
// multiplication of a chunk by a small coefficient: to set up a base product, to store one of its
// coefficients, and to join one coefficient in a recursion.
constexpr double kProductCost = 60;
constexpr double kStoreCost = 4;
constexpr double kJoinCost = 3;

double cost(const KaratsubaKernel& kernel, const KaratsubaShape& shape) {
  const auto size = static_cast<double>(shape.base_size);
  const double block = static_cast<double>(kernel.base_multiple);
  double products = 1;
  double join = 0;
  for (int level = 0; level < shape.recursions; ++level) {
    join += products * size * static_cast<double>(1 << (shape.recursions - level));
    products *= 3;
  }
  const double base = products * (size * (size + block) + kStoreCost * size + kProductCost);
  return (base + kJoinCost * join) * static_cast<double>(shape.plane_count);
}

}  // namespace

KaratsubaShape karatsuba_shape(const KaratsubaKernel& kernel, const KaratsubaProblem& problem,
                               int recursions) {
  const int most =
      std::min({kernel.max_chunk_bits, kernel.word_bits - recursions, problem.max_chunk_bits});
  if (most < 1 || recursions < 0 || recursions > kMaxRecursions) return {};
  const std::size_t multiple = kernel.base_multiple;
  const std::size_t part = (problem.degree + (std::size_t{1} << recursions) - 1) >> recursions;
  const std::size_t size = (part + multiple - 1) / multiple * multiple;
  if ((size << recursions) > kMaxKaratsubaDegree) return {};
  if (recursions > 0 && (size << (recursions - 1)) >= problem.degree) return {};
  const int planes = (problem.bits + most - 1) / most;
  return {.base_size = size,
          .recursions = recursions,
          .chunk_bits = (problem.bits + planes - 1) / planes,
          .plane_count = static_cast<std::size_t>(planes)};
}

KaratsubaShape best_karatsuba_shape(const KaratsubaKernel& kernel,
                                    const KaratsubaProblem& problem) {
  KaratsubaShape best = karatsuba_shape(kernel, problem, 0);
  for (int recursions = 1; recursions <= kMaxRecursions; ++recursions) {
    const KaratsubaShape shape = karatsuba_shape(kernel, problem, recursions);
    if (shape.base_size > 0 && cost(kernel, shape) < cost(kernel, best)) best = shape;
  }
  return best;
}

}  // namespace ringlet::kernels
