// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <flint/flint.h>
#include <flint/nmod_vec.h>
#include <flint/ulong_extras.h>

#include "kernels/kernel.hpp"
#include "ringlet/eltwise.hpp"
#include "ringlet/modular.hpp"
#include "support/eltwise_kernels.hpp"
#include "support/test.hpp"

// Element-wise operations by name, and what they should give: by division of double words, and by
// FLINT.

namespace ringlet::test {

using kernels::EltwiseOperation;
using kernels::RangeFactors;

using Words = std::vector<std::uint64_t>;

inline constexpr auto kEltwiseNames = std::to_array(kernels::kEltwiseOperationNames);

inline EltwiseOperation eltwise_operation(std::string_view name) {
  for (unsigned i = 0; i < kernels::kEltwiseOperationCount; ++i) {
    if (name == kEltwiseNames[i]) return static_cast<EltwiseOperation>(i);
  }
  throw std::invalid_argument("no operation " + std::string(name));
}

/// Operands of any operation; those that it does not have are ignored.
struct EltwiseOperands {
  std::span<const std::uint64_t> a = {};
  std::span<const std::uint64_t> b = {};
  std::span<const std::uint64_t> c = {};
  std::uint64_t scalar = 0;  ///< Factor, summand or difference.
  /// The input factor is 1 for operations that have none; reduce_range reads 1 -> 1 as 2 -> 1.
  RangeFactors factors = {};
  Comparison comparison = Comparison::less;
  std::uint64_t bound = 0;
  /// The vectors of multiply_accumulate; without any, the one product a*b.
  std::vector<std::span<const std::uint64_t>> a_terms = {};
  std::vector<std::span<const std::uint64_t>> b_terms = {};
};

/// Ranges of reduce_range.
inline RangeFactors reduction_factors(const EltwiseOperands& x) {
  return x.factors.input == 1 ? RangeFactors{.input = 2, .output = 1} : x.factors;
}

/// Words of the result for vectors of n words.
inline std::size_t result_count(std::string_view operation, std::size_t n) {
  return operation == "dot" ? 1 : n;
}

/// Runs the member function of that name. `result` has result_count() words, or none for `dot` of
/// which only the checks matter.
inline void run_eltwise(const Eltwise& eltwise, std::string_view operation,
                        std::span<std::uint64_t> result, const EltwiseOperands& x) {
  const int input = x.factors.input;
  switch (eltwise_operation(operation)) {
    case EltwiseOperation::add:
      return eltwise.add(result, x.a, x.b);
    case EltwiseOperation::add_scalar:
      return eltwise.add_scalar(result, x.a, x.scalar);
    case EltwiseOperation::subtract:
      return eltwise.subtract(result, x.a, x.b);
    case EltwiseOperation::subtract_scalar:
      return eltwise.subtract_scalar(result, x.a, x.scalar);
    case EltwiseOperation::negate:
      return eltwise.negate(result, x.a);
    case EltwiseOperation::multiply:
      return eltwise.multiply(result, x.a, x.b, input);
    case EltwiseOperation::multiply_add:
      return eltwise.multiply_add(result, x.a, x.b, x.c);
    case EltwiseOperation::multiply_scalar:
      return eltwise.multiply_scalar(result, x.a, x.scalar, input);
    case EltwiseOperation::multiply_scalar_add:
      return eltwise.multiply_scalar_add(result, x.a, x.scalar, x.c, input);
    case EltwiseOperation::multiply_accumulate:
      if (!x.a_terms.empty()) return eltwise.multiply_accumulate(result, x.a_terms, x.b_terms);
      return eltwise.multiply_accumulate(result, std::array{x.a}, std::array{x.b});
    case EltwiseOperation::dot: {
      const std::uint64_t sum = eltwise.dot(x.a, x.b);
      if (!result.empty()) result[0] = sum;
      return;
    }
    case EltwiseOperation::reduce:
      return eltwise.reduce(result, x.a);
    case EltwiseOperation::reduce_range:
      return eltwise.reduce_range(result, x.a, reduction_factors(x).input,
                                  reduction_factors(x).output);
    case EltwiseOperation::compare_add:
      return eltwise.compare_add(result, x.a, x.comparison, x.bound, x.scalar);
    case EltwiseOperation::compare_subtract:
      return eltwise.compare_subtract(result, x.a, x.comparison, x.bound, x.scalar);
  }
}

/// The same into a new vector.
inline Words run_eltwise(const Eltwise& eltwise, std::string_view operation,
                         const EltwiseOperands& x) {
  Words result(result_count(operation, x.a.size()));
  run_eltwise(eltwise, operation, result, x);
  return result;
}

/// Names of those of a, b, c that the operation reads.
inline std::string_view operand_names(std::string_view operation) {
  if (operation == "add" || operation == "subtract" || operation == "multiply" ||
      operation == "multiply_accumulate" || operation == "dot") {
    return "ab";
  }
  if (operation == "multiply_add") return "abc";
  if (operation == "multiply_scalar_add") return "ac";
  return "a";
}

/// The comparison, spelt out.
inline bool holds(Comparison comparison, std::uint64_t x, std::uint64_t bound) {
  switch (comparison) {
    case Comparison::equal:
      return x == bound;
    case Comparison::less:
      return x < bound;
    case Comparison::less_equal:
      return x <= bound;
    case Comparison::never:
      return false;
    case Comparison::not_equal:
      return x != bound;
    case Comparison::not_less:
      return x >= bound;
    case Comparison::not_less_equal:
      return x > bound;
    case Comparison::always:
      return true;
  }
  throw std::invalid_argument("no such comparison");
}

/// The sum of the products of element i, each reduced by division; below 2^128 for any number of
/// terms that fits in memory.
inline uint128_t sum_of_products(const EltwiseOperands& x, std::size_t i, std::uint64_t q) {
  if (x.a_terms.empty()) return uint128_t{x.a[i]} * x.b[i] % q;
  uint128_t sum = 0;
  for (std::size_t k = 0; k < x.a_terms.size(); ++k) {
    sum += uint128_t{x.a_terms[k][i]} * x.b_terms[k][i] % q;
  }
  return sum;
}

/// All elements, by the remainder of double words.
inline Words expected_by_division(std::string_view operation, const EltwiseOperands& x,
                                  std::uint64_t q) {
  Words result(x.a.size());
  const auto fill = [&](auto wide) {
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] = static_cast<std::uint64_t>(wide(uint128_t{x.a[i]}, i) % q);
    }
  };
  switch (eltwise_operation(operation)) {
    case EltwiseOperation::add:
      fill([&](uint128_t a, auto i) { return a + x.b[i]; });
      break;
    case EltwiseOperation::add_scalar:
      fill([&](uint128_t a, auto) { return a + x.scalar; });
      break;
    case EltwiseOperation::subtract:
      fill([&](uint128_t a, auto i) { return a + q - x.b[i]; });
      break;
    case EltwiseOperation::subtract_scalar:
      fill([&](uint128_t a, auto) { return a + q - x.scalar; });
      break;
    case EltwiseOperation::negate:
      fill([&](uint128_t a, auto) { return q - a; });
      break;
    case EltwiseOperation::multiply:
      fill([&](uint128_t a, auto i) { return a * x.b[i]; });
      break;
    case EltwiseOperation::multiply_add:
      fill([&](uint128_t a, auto i) { return a * x.b[i] + x.c[i]; });
      break;
    case EltwiseOperation::multiply_scalar:
      fill([&](uint128_t a, auto) { return a * x.scalar; });
      break;
    case EltwiseOperation::multiply_scalar_add:
      fill([&](uint128_t a, auto i) { return a * x.scalar + x.c[i]; });
      break;
    case EltwiseOperation::multiply_accumulate:
      fill([&](uint128_t, auto i) { return sum_of_products(x, i, q); });
      break;
    case EltwiseOperation::dot: {
      uint128_t sum = 0;
      for (std::size_t i = 0; i < x.a.size(); ++i) sum += uint128_t{x.a[i]} * x.b[i] % q;
      result.assign(1, static_cast<std::uint64_t>(sum % q));
      break;
    }
    case EltwiseOperation::reduce:
      fill([](uint128_t a, auto) { return a; });
      break;
    case EltwiseOperation::reduce_range: {
      const auto range = static_cast<unsigned>(reduction_factors(x).output) * q;
      for (std::size_t i = 0; i < result.size(); ++i) result[i] = x.a[i] % range;
      break;
    }
    case EltwiseOperation::compare_add:
      for (std::size_t i = 0; i < result.size(); ++i) {
        result[i] = x.a[i] + (holds(x.comparison, x.a[i], x.bound) ? x.scalar : 0);
      }
      break;
    case EltwiseOperation::compare_subtract:
      fill([&](uint128_t a, auto i) {
        return holds(x.comparison, x.a[i], x.bound) ? a + q - x.scalar : a;
      });
      break;
  }
  return result;
}

namespace flint_reference {

/// x mod q, element by element.
inline Words reduced(std::span<const std::uint64_t> x, nmod_t mod) {
  Words result(x.size());
  _nmod_vec_reduce(result.data(), x.data(), static_cast<slong>(x.size()), mod);
  return result;
}

/// x*y mod q, for any words.
inline Words product(std::span<const std::uint64_t> x, std::span<const std::uint64_t> y,
                     nmod_t mod) {
  Words result(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    result[i] = n_mulmod2_preinv(x[i], y[i], mod.n, mod.ninv);
  }
  return result;
}

/// sum += summand mod q.
inline void accumulate(Words& sum, const Words& summand, nmod_t mod) {
  _nmod_vec_add(sum.data(), sum.data(), summand.data(), static_cast<slong>(sum.size()), mod);
}

inline Words sums_of_products(const EltwiseOperands& x, nmod_t mod) {
  if (x.a_terms.empty()) return product(x.a, x.b, mod);
  Words sum(x.a_terms[0].size());
  for (std::size_t k = 0; k < x.a_terms.size(); ++k) {
    accumulate(sum, product(x.a_terms[k], x.b_terms[k], mod), mod);
  }
  return sum;
}

/// The bits of the mask say for which of less, equal, greater the comparison holds.
inline Words compared(EltwiseOperation operation, const EltwiseOperands& x, nmod_t mod) {
  constexpr std::array<unsigned, kComparisonCount> kMasks{2, 1, 3, 0, 5, 6, 4, 7};
  const unsigned mask = kMasks.at(static_cast<unsigned>(x.comparison));
  Words result(x.a.begin(), x.a.end());
  if (operation == EltwiseOperation::compare_subtract) result = reduced(x.a, mod);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const unsigned order = x.a[i] < x.bound ? 0 : x.a[i] == x.bound ? 1 : 2;
    if ((mask >> order & 1) == 0) continue;
    result[i] = operation == EltwiseOperation::compare_add ? result[i] + x.scalar
                                                           : nmod_sub(result[i], x.scalar, mod);
  }
  return result;
}

}  // namespace flint_reference

/// All elements, by FLINT.
inline Words expected_by_flint(std::string_view operation, const EltwiseOperands& x,
                               std::uint64_t q) {
  nmod_t mod;
  nmod_init(&mod, q);
  const auto n = static_cast<slong>(x.a.size());
  Words result(x.a.size());
  switch (const EltwiseOperation op = eltwise_operation(operation)) {
    case EltwiseOperation::add:
      _nmod_vec_add(result.data(), x.a.data(), x.b.data(), n, mod);
      break;
    case EltwiseOperation::add_scalar:
      for (std::size_t i = 0; i < x.a.size(); ++i) result[i] = nmod_add(x.a[i], x.scalar, mod);
      break;
    case EltwiseOperation::subtract:
      _nmod_vec_sub(result.data(), x.a.data(), x.b.data(), n, mod);
      break;
    case EltwiseOperation::subtract_scalar:
      for (std::size_t i = 0; i < x.a.size(); ++i) result[i] = nmod_sub(x.a[i], x.scalar, mod);
      break;
    case EltwiseOperation::negate:
      _nmod_vec_neg(result.data(), x.a.data(), n, mod);
      break;
    case EltwiseOperation::multiply:
      return flint_reference::product(x.a, x.b, mod);
    case EltwiseOperation::multiply_add:
      result = flint_reference::product(x.a, x.b, mod);
      flint_reference::accumulate(result, Words(x.c.begin(), x.c.end()), mod);
      break;
    case EltwiseOperation::multiply_scalar:
      result = flint_reference::reduced(x.a, mod);
      _nmod_vec_scalar_mul_nmod(result.data(), result.data(), n, x.scalar, mod);
      break;
    case EltwiseOperation::multiply_scalar_add:
      result = flint_reference::reduced(x.c, mod);
      _nmod_vec_scalar_addmul_nmod(result.data(), flint_reference::reduced(x.a, mod).data(), n,
                                   x.scalar, mod);
      break;
    case EltwiseOperation::multiply_accumulate:
      return flint_reference::sums_of_products(x, mod);
    case EltwiseOperation::dot:
      return {_nmod_vec_dot(x.a.data(), x.b.data(), n, mod, _nmod_vec_dot_bound_limbs(n, mod))};
    case EltwiseOperation::reduce:
      return flint_reference::reduced(x.a, mod);
    case EltwiseOperation::reduce_range:
      nmod_init(&mod, static_cast<unsigned>(reduction_factors(x).output) * q);
      return flint_reference::reduced(x.a, mod);
    case EltwiseOperation::compare_add:
    case EltwiseOperation::compare_subtract:
      return flint_reference::compared(op, x, mod);
  }
  return result;
}

}  // namespace ringlet::test
