// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <flint/ulong_extras.h>

#include "kernels/kernel.hpp"
#include "ringlet/kernels/eltwise.hpp"
#include "support/values.hpp"

// Element-wise operations by name, their operands, and their expected results by division of double
// words.

namespace ringlet::test {

using kernels::EltwiseOperation;
using kernels::RangeFactors;

inline constexpr auto kEltwiseNames = std::to_array(kernels::kEltwiseOperationNames);

inline EltwiseOperation eltwise_operation(std::string_view name) {
  const auto found = std::ranges::find(kEltwiseNames, name);
  if (found == kEltwiseNames.end()) throw std::invalid_argument(std::string(name));
  return static_cast<EltwiseOperation>(found - kEltwiseNames.begin());
}

/// The names of the vectors among a, b, c that the operation reads.
inline std::string_view operand_names(std::string_view operation) {
  if (operation == "multiply_add") return "abc";
  if (operation == "multiply_scalar_add") return "ac";
  const std::set<std::string_view> of_two{"add", "subtract", "multiply", "multiply_accumulate",
                                          "dot"};
  return of_two.contains(operation) ? "ab" : "a";
}

/// True if the operation takes any words, not only those of a range of the modulus.
inline bool takes_any_word(std::string_view operation) {
  return operation == "reduce" || operation.starts_with("compare_");
}

/// True if the operation has a factor, summand or difference.
inline bool has_scalar(std::string_view operation) {
  return operation.find("scalar") != operation.npos || operation.starts_with("compare_");
}

/// The ranges that an operation has for a modulus: those with input * q < 2^64.
inline std::vector<RangeFactors> factors_of(std::string_view operation, std::uint64_t q) {
  std::vector<RangeFactors> factors{{}};
  if (operation == "multiply") factors = {{1, 1}, {2, 1}, {4, 1}};
  if (operation.starts_with("multiply_scalar")) factors = {{1, 1}, {2, 1}, {4, 1}, {8, 1}};
  if (operation == "reduce_range") factors = {{2, 1}, {4, 1}, {4, 2}};
  std::erase_if(factors, [q](const RangeFactors& f) {
    return q > ~std::uint64_t{0} / static_cast<unsigned>(f.input);
  });
  return factors;
}

/// Moduli from 2 to 2^63 - 1: the neighbours of every power of two, all within 64 in a large run
/// and some of them otherwise; the neighbours of the values where the constants of Barrett's
/// reduction change; the smallest and the largest prime of every size; other composite ones.
inline const Words& eltwise_moduli() {
  static const Words all = [] {
    std::set<std::uint64_t> moduli;
    std::mt19937_64 rng(test_seed());
    const Words neighbours = neighbours_of_powers(7, 63, rng);
    moduli.insert(neighbours.begin(), neighbours.end());
    for (std::uint64_t q = 2; q < 20; ++q) moduli.insert(q);
    for (int k = 3; k <= 63; ++k) {
      const std::uint64_t power = std::uint64_t{1} << k;
      const std::uint64_t split = power / 16 * 13;
      for (std::uint64_t d = 0; d <= 3; ++d) {
        moduli.insert({power - d, power + d, split - d, split + d});
      }
      // For such q, quotients of powers of two by q are close to an integer.
      const std::uint64_t fraction = power / (3 + 2 * (rng() % 15)) * 2;
      moduli.insert({fraction - 1, fraction, fraction + 1, power - power / 7, power / 3 * 3});
      moduli.insert(n_nextprime(power / 2 - 1, 1));
      std::uint64_t largest = power - 1;
      while (n_is_prime(largest) == 0) largest -= 2;
      moduli.insert(largest);
    }
    std::erase_if(moduli, [](std::uint64_t q) { return q < 2 || q >> 63 != 0; });
    return Words(moduli.begin(), moduli.end());
  }();
  return all;
}

/// Operands of any operation, which ignores those that it does not have.
struct EltwiseOperands {
  std::span<const std::uint64_t> a = {};
  std::span<const std::uint64_t> b = {};
  std::span<const std::uint64_t> c = {};
  std::uint64_t scalar = 0;
  /// The input factor is 1 for operations that have none; reduce_range reads 1 -> 1 as 2 -> 1.
  RangeFactors factors = {};
  Comparison comparison = Comparison::less;
  std::uint64_t bound = 0;
  /// The vectors of multiply_accumulate; without any, the one product a*b.
  std::vector<std::span<const std::uint64_t>> a_terms = {};
  std::vector<std::span<const std::uint64_t>> b_terms = {};

  /// Calls body(vector) for all vectors.
  template <typename Body>
  void for_each_vector(Body body) {
    for (auto* vector : {&a, &b, &c}) body(*vector);
    for (auto* terms : {&a_terms, &b_terms}) std::ranges::for_each(*terms, body);
  }
};

/// The ranges of reduce_range.
inline RangeFactors reduction_factors(const EltwiseOperands& x) {
  return x.factors.input == 1 ? RangeFactors{.input = 2, .output = 1} : x.factors;
}

/// The number of words of the result for vectors of n words.
inline std::size_t result_count(std::string_view operation, std::size_t n) {
  return operation == "dot" ? 1 : n;
}

/// The member functions, ordered by name.
using EltwiseCall = void (*)(const Eltwise&, std::span<std::uint64_t>, const EltwiseOperands&);
inline constexpr std::array<EltwiseCall, kernels::kEltwiseOperationCount> kEltwiseCalls{
    [](auto& e, auto r, auto& x) { e.add(r, x.a, x.b); },
    [](auto& e, auto r, auto& x) { e.add_scalar(r, x.a, x.scalar); },
    [](auto& e, auto r, auto& x) { e.subtract(r, x.a, x.b); },
    [](auto& e, auto r, auto& x) { e.subtract_scalar(r, x.a, x.scalar); },
    [](auto& e, auto r, auto& x) { e.negate(r, x.a); },
    [](auto& e, auto r, auto& x) { e.multiply(r, x.a, x.b, x.factors.input); },
    [](auto& e, auto r, auto& x) { e.multiply_add(r, x.a, x.b, x.c); },
    [](auto& e, auto r, auto& x) { e.multiply_scalar(r, x.a, x.scalar, x.factors.input); },
    [](auto& e, auto r, auto& x) { e.multiply_scalar_add(r, x.a, x.scalar, x.c, x.factors.input); },
    [](auto& e, auto r, auto& x) {
      if (!x.a_terms.empty()) return e.multiply_accumulate(r, x.a_terms, x.b_terms);
      e.multiply_accumulate(r, std::array{x.a}, std::array{x.b});
    },
    [](auto& e, auto r, auto& x) {
      const std::uint64_t sum = e.dot(x.a, x.b);
      if (!r.empty()) r[0] = sum;
    },
    [](auto& e, auto r, auto& x) { e.reduce(r, x.a); },
    [](auto& e, auto r, auto& x) {
      e.reduce_range(r, x.a, reduction_factors(x).input, reduction_factors(x).output);
    },
    [](auto& e, auto r, auto& x) { e.compare_add(r, x.a, x.comparison, x.bound, x.scalar); },
    [](auto& e, auto r, auto& x) { e.compare_subtract(r, x.a, x.comparison, x.bound, x.scalar); },
};

/// Runs the member function of that name. `result` has result_count() words; it may be empty for a
/// call of `dot` that only tests the checks.
inline void run_eltwise(const Eltwise& eltwise, std::string_view operation,
                        std::span<std::uint64_t> result, const EltwiseOperands& x) {
  kEltwiseCalls.at(static_cast<unsigned>(eltwise_operation(operation)))(eltwise, result, x);
}

/// Runs the member function into a new vector.
inline Words run_eltwise(const Eltwise& eltwise, std::string_view operation,
                         const EltwiseOperands& x) {
  Words result(result_count(operation, x.a.size()));
  run_eltwise(eltwise, operation, result, x);
  return result;
}

/// Whether a comparison holds: the bits of its mask stand for less, equal, greater.
inline bool holds(Comparison comparison, std::uint64_t x, std::uint64_t bound) {
  constexpr std::array<unsigned, kComparisonCount> kMasks{2, 1, 3, 0, 5, 6, 4, 7};
  const unsigned order = x < bound ? 0 : x == bound ? 1 : 2;
  return (kMasks.at(static_cast<unsigned>(comparison)) >> order & 1) != 0;
}

/// Computes element i by definition: modulo q, except for compare_add and reduce_range. For `dot`
/// it is a summand.
using EltwiseElement = uint128_t (*)(const EltwiseOperands&, std::size_t, std::uint64_t);
inline constexpr std::array<EltwiseElement, kernels::kEltwiseOperationCount> kEltwiseElements{
    [](auto& x, auto i, auto) { return uint128_t{x.a[i]} + x.b[i]; },
    [](auto& x, auto i, auto) { return uint128_t{x.a[i]} + x.scalar; },
    [](auto& x, auto i, auto q) { return uint128_t{x.a[i]} + q - x.b[i]; },
    [](auto& x, auto i, auto q) { return uint128_t{x.a[i]} + q - x.scalar; },
    [](auto& x, auto i, auto q) { return uint128_t{q} - x.a[i]; },
    [](auto& x, auto i, auto) { return uint128_t{x.a[i]} * x.b[i]; },
    [](auto& x, auto i, auto) { return uint128_t{x.a[i]} * x.b[i] + x.c[i]; },
    [](auto& x, auto i, auto) { return uint128_t{x.a[i]} * x.scalar; },
    [](auto& x, auto i, auto) { return uint128_t{x.a[i]} * x.scalar + x.c[i]; },
    [](auto& x, auto i, auto q) {
      uint128_t sum = x.a_terms.empty() ? uint128_t{x.a[i]} * x.b[i] : 0;
      for (std::size_t k = 0; k < x.a_terms.size(); ++k) {
        sum += uint128_t{x.a_terms[k][i]} * x.b_terms[k][i] % q;
      }
      return sum;
    },
    [](auto& x, auto i, auto) { return uint128_t{x.a[i]} * x.b[i]; },
    [](auto& x, auto i, auto) { return uint128_t{x.a[i]}; },
    [](auto& x, auto i, auto) { return uint128_t{x.a[i]}; },
    [](auto& x, auto i, auto) {
      return uint128_t{x.a[i]} + (holds(x.comparison, x.a[i], x.bound) ? x.scalar : 0);
    },
    [](auto& x, auto i, auto q) {
      return uint128_t{x.a[i]} + (holds(x.comparison, x.a[i], x.bound) ? q - x.scalar : 0);
    },
};

/// The words of all elements by definition.
inline Words expected_words(std::string_view operation, const EltwiseOperands& x, std::uint64_t q) {
  const EltwiseOperation named = eltwise_operation(operation);
  const EltwiseElement element = kEltwiseElements.at(static_cast<unsigned>(named));
  uint128_t modulus = q;
  if (named == EltwiseOperation::compare_add) modulus = uint128_t{1} << 64;
  if (named == EltwiseOperation::reduce_range) modulus *= reduction_factors(x).output;
  Words result(x.a.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = static_cast<std::uint64_t>(element(x, i, q) % modulus);
  }
  if (named != EltwiseOperation::dot) return result;
  const uint128_t sum = std::accumulate(result.begin(), result.end(), uint128_t{0});
  return {static_cast<std::uint64_t>(sum % q)};
}

/// `count` words of any value. Among them are the edges of the word and of its parts, and the
/// neighbours of multiples of q.
inline Words mixed_words(std::size_t count, std::uint64_t q, std::mt19937_64& rng) {
  const std::uint64_t all_ones = ~std::uint64_t{0};
  Words edges{0, all_ones, all_ones / q * q, all_ones / q * q - 1, all_ones - 1};
  for (const std::uint64_t middle :
       {q, 2 * q, q / 2, std::uint64_t{1} << 31, std::uint64_t{1} << 52, std::uint64_t{1} << 63}) {
    edges.insert(edges.end(), {middle - 1, middle, middle + 1});
  }
  Words words(count);
  for (std::uint64_t& word : words) word = rng();
  std::copy_n(edges.begin(), std::min(count, edges.size()), words.begin());
  std::shuffle(words.begin(), words.end(), rng);
  return words;
}

/// Operands of one operation in its ranges; vectors that it does not read stay empty.
class EltwiseSample {
 public:
  /// `count` words in [0, factor*q).
  using Draw = std::function<Words(std::size_t count, std::uint64_t q, unsigned factor)>;

  EltwiseSample(std::string_view operation, std::size_t count, std::uint64_t q,
                RangeFactors factors, std::mt19937_64& rng, const Draw& draw)
      : factors_(factors) {
    const auto input = static_cast<unsigned>(factors.input);
    a_ = takes_any_word(operation) ? mixed_words(count, q, rng) : draw(count, q, input);
    const std::string_view names = operand_names(operation);
    const auto reads = [&](char name) { return names.find(name) != names.npos; };
    if (reads('b')) b_ = draw(count, q, operation == "multiply" ? input : 1);
    if (reads('c')) c_ = draw(count, q, operation == "multiply_scalar_add" ? input : 1);
    const Words scalars{0, 1, q - 1, q / 2, draw(1, q, 1)[0], rng() % q, rng() % q, rng() % q};
    scalar_ = scalars[rng() % scalars.size()];
    if (operation == "compare_add" && rng() % 2 != 0) scalar_ = rng();
    comparison_ = static_cast<Comparison>(rng() % kComparisonCount);
    bound_ = count != 0 && rng() % 2 != 0 ? a_[rng() % count] : mixed_words(1, q, rng)[0];
    if (operation != "multiply_accumulate") return;
    // 33 terms use other memory than 32.
    constexpr std::size_t kTerms[] = {1, 2, 3, 4, 5, 18, 21, 33};
    const std::size_t terms = kTerms[rng() % std::size(kTerms)];
    for (std::size_t k = 0; k < terms; ++k) {
      a_terms_.push_back(k == 0 ? a_ : draw(count, q, 1));
      b_terms_.push_back(k == 0 ? b_ : draw(count, q, 1));
    }
  }
  /// A sample of edge values and uniform ones.
  EltwiseSample(std::string_view operation, std::size_t count, std::uint64_t q,
                RangeFactors factors, std::mt19937_64& rng)
      : EltwiseSample(operation, count, q, factors, rng,
                      [&rng](std::size_t words, std::uint64_t modulus, unsigned factor) {
                        return mixed_values(words, modulus, factor, rng);
                      }) {}

  EltwiseOperands operands() const {
    EltwiseOperands x{a_, b_, c_, scalar_, factors_, comparison_, bound_};
    x.a_terms.assign(a_terms_.begin(), a_terms_.end());
    x.b_terms.assign(b_terms_.begin(), b_terms_.end());
    return x;
  }

 private:
  Words a_;
  Words b_;
  Words c_;
  std::uint64_t scalar_ = 0;
  RangeFactors factors_;
  Comparison comparison_ = Comparison::equal;
  std::uint64_t bound_ = 0;
  std::vector<Words> a_terms_;
  std::vector<Words> b_terms_;
};

}  // namespace ringlet::test
