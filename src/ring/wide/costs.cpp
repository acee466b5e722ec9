// SPDX-License-Identifier: Apache-2.0
#include "ring/wide/costs.hpp"

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
  double prime;
  double call;
};
constexpr NttCosts kNttCosts[] = {
    {"scalar64", 9.4e-4, 5.6e-3, 9.6e-3, 0.05, 0.044},
    {"avx2", 8.8e-4, 1.1e-3, 2.3e-3, 0.18, 0},
    {"avx512dq", 3.1e-4, 3.4e-3, 2.4e-4, 0.09, 0.02},
    {"ifma52", 8.3e-5, 2.0e-3, 0, 0.17, 0.01},
};

struct KaratsubaCosts {
  std::string_view table;
  double product;      ///< Per plane and product of coefficients.
  double row;          ///< Per plane, base product and coefficient of it.
  double base;         ///< Per plane and base product.
  double coefficient;  ///< Per plane and coefficient of the result.
  double degree;       ///< Per coefficient.
  double call;
};
constexpr KaratsubaCosts kKaratsubaCosts[] = {
    {"scalar64", 4.0e-4, 0, 0.046, 6.0e-3, 1.3e-2, 0.09},
    {"sse42", 7.6e-5, 1.3e-3, 0.036, 5.0e-3, 8.5e-3, 0.13},
    {"avx2", 3.9e-5, 1.8e-4, 0.042, 4.7e-3, 2.1e-3, 0.16},
    {"avx512dq", 3.3e-5, 1.7e-5, 0.034, 3.9e-4, 6.4e-3, 0.18},
};

/// The costs of a table, or of the first one for tables that are not listed.
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
                        std::size_t degree) {
  const NttCosts& c = costs_of(kNttCosts, table);
  const double per_prime = c.butterfly * (stages(length.first) + stages(length.second)) +
                           c.word * static_cast<double>(length.total()) +
                           c.coefficient * static_cast<double>(degree) + c.prime;
  return static_cast<double>(primes) * per_prime + c.call;
}

double karatsuba_microseconds(std::string_view table, const kernels::KaratsubaShape& shape,
                              std::size_t degree) {
  const KaratsubaCosts& c = costs_of(kKaratsubaCosts, table);
  const auto size = static_cast<double>(shape.base_size);
  double bases = 1;
  for (int level = 0; level < shape.recursions; ++level) bases *= 3;
  const double per_plane = bases * (c.product * size * size + c.row * size + c.base) +
                           c.coefficient * static_cast<double>(degree);
  return static_cast<double>(shape.plane_count) * per_plane +
         c.degree * static_cast<double>(degree) + c.call;
}

double additions_microseconds(std::size_t planes, std::size_t degree) {
  constexpr double kProduct = 1.43e-4;
  constexpr double kCoefficient = 0.01;
  constexpr double kCall = 0.15;
  const auto n = static_cast<double>(degree);
  return static_cast<double>(planes) * (kProduct * n * n + kCoefficient * n) + kCall;
}

}  // namespace ringlet::wide
