// SPDX-License-Identifier: Apache-2.0
#include "fv/products/costs.hpp"

#include <algorithm>
#include <bit>

namespace ringlet::wide {
namespace {

/// Microseconds per unit of each step.
struct NttCosts {
  std::string_view table;
  double butterfly;    ///< Per prime, word and stage.
  double word;         ///< Per prime and word.
  double coefficient;  ///< Per prime and coefficient of the result.
  double reduction;    ///< Per prime and operation of the reduction modulo Phi_m.
  double prime;
  double call;
};
constexpr NttCosts kNttCosts[] = {
    {"scalar64", 1.05e-3, 3.8e-3, 1.01e-2, 3.6e-4, 0, 0.39},
    {"avx2", 7.0e-4, 2.3e-3, 2.0e-3, 3.1e-4, 0.17, 0},
    {"avx512dq", 3.0e-4, 2.9e-3, 2.5e-4, 3.2e-4, 0.13, 0},
    {"ifma52", 4.3e-5, 1.84e-3, 0, 3.2e-4, 0.14, 0.037},
};

struct KaratsubaCosts {
  std::string_view table;
  double product;      ///< Per plane and product of coefficients.
  double row;          ///< Per plane, base product and coefficient of it.
  double base;         ///< Per plane and base product.
  double reduction;    ///< Per plane and operation of the reduction modulo Phi_m.
  double coefficient;  ///< Per plane and coefficient of the result.
  double degree;       ///< Per coefficient.
  double call;
};
constexpr KaratsubaCosts kKaratsubaCosts[] = {
    {"scalar64", 4.4e-4, 0, 0.038, 3.1e-4, 8.1e-4, 1.7e-2, 0.14},
    {"sse42", 7.6e-5, 1.8e-3, 0.015, 3.0e-4, 3.1e-3, 9.0e-3, 0.19},
    {"avx2", 3.1e-5, 1.3e-3, 0.014, 3.1e-4, 3.1e-3, 5.0e-3, 0.21},
    {"avx512dq", 2.7e-5, 4.3e-4, 0.016, 2.7e-4, 0, 7.1e-3, 0.15},
};

struct AdditionsCosts {
  std::string_view table;
  double product;      ///< Per plane and product of coefficients.
  double coefficient;  ///< Per plane and coefficient of the result.
};
constexpr AdditionsCosts kAdditionsCosts[] = {
    {"scalar64", 1.52e-4, 7.4e-3},
    {"avx2", 6.1e-5, 2.5e-3},
    {"avx512dq", 5.9e-5, 4.0e-3},
    {"ifma52", 5.9e-5, 4.0e-3},
};

/// Returns the costs of a table, or of the first one for tables that are not listed.
template <typename Costs, std::size_t kCount>
const Costs& costs_of(const Costs (&costs)[kCount], std::string_view table) {
  const auto* const found = std::ranges::find(costs, table, &Costs::table);
  return found == std::end(costs) ? costs[0] : *found;
}

double stages(std::size_t length) {
  return length == 0
             ? 0
             : static_cast<double>(length * static_cast<std::size_t>(std::bit_width(length) - 1));
}

}  // namespace

double ntt_microseconds(std::string_view table, const ProductLength& length, std::size_t primes,
                        const RingWork& ring) {
  const NttCosts& c = costs_of(kNttCosts, table);
  const double per_prime = c.butterfly * (stages(length.first) + stages(length.second)) +
                           c.word * static_cast<double>(length.total()) +
                           c.coefficient * static_cast<double>(ring.degree) +
                           c.reduction * static_cast<double>(ring.reduction) + c.prime;
  return static_cast<double>(primes) * per_prime + c.call;
}

double karatsuba_microseconds(std::string_view table, const kernels::KaratsubaShape& shape,
                              const RingWork& ring) {
  const KaratsubaCosts& c = costs_of(kKaratsubaCosts, table);
  const auto size = static_cast<double>(shape.base_size);
  const auto degree = static_cast<double>(ring.degree);
  double bases = 1;
  for (int level = 0; level < shape.recursions; ++level) bases *= 3;
  const double per_plane = bases * (c.product * size * size + c.row * size + c.base) +
                           c.reduction * static_cast<double>(ring.reduction) +
                           c.coefficient * degree;
  return static_cast<double>(shape.plane_count) * per_plane + c.degree * degree + c.call;
}

double additions_microseconds(std::string_view table, std::size_t planes, const RingWork& ring) {
  constexpr double kReduction = 3.6e-4;
  constexpr double kCoefficient = 5e-3;
  constexpr double kCall = 0.18;
  const AdditionsCosts& c = costs_of(kAdditionsCosts, table);
  const auto n = static_cast<double>(ring.degree);
  const double per_plane =
      c.product * n * n + c.coefficient * n + kReduction * static_cast<double>(ring.reduction);
  return static_cast<double>(planes) * per_plane + kCoefficient * n + kCall;
}

}  // namespace ringlet::wide
