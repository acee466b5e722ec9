// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/eltwise_reference.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

namespace ringlet::test {

/// `count` words of any value, those at the edges of the word and of the multiples of q among them.
inline Words mixed_words(std::size_t count, std::uint64_t q, std::mt19937_64& rng) {
  const std::uint64_t all_ones = ~std::uint64_t{0};
  Words edges{0, all_ones, all_ones / q * q, all_ones / q * q - 1, all_ones - 1};
  for (const std::uint64_t multiple : {q, 2 * q, q / 2}) {
    edges.insert(edges.end(), {multiple - 1, multiple, multiple + 1});
  }
  Words words(count);
  for (std::uint64_t& word : words) word = rng();
  std::copy_n(edges.begin(), std::min(count, edges.size()), words.begin());
  std::shuffle(words.begin(), words.end(), rng);
  return words;
}

/// Operands of one operation in its ranges, edge values among them; vectors that it does not read
/// stay empty.
class EltwiseSample {
 public:
  EltwiseSample(std::string_view operation, std::size_t count, std::uint64_t q,
                RangeFactors factors, std::mt19937_64& rng)
      : factors_(factors) {
    const auto input = static_cast<unsigned>(factors.input);
    const bool any_word = takes_any_word(operation);
    a_ = any_word ? mixed_words(count, q, rng) : mixed_values(count, q, input, rng);
    const std::string_view names = operand_names(operation);
    if (names.find('b') != names.npos) {
      b_ = mixed_values(count, q, operation == "multiply" ? input : 1, rng);
    }
    if (names.find('c') != names.npos) {
      c_ = mixed_values(count, q, operation == "multiply_scalar_add" ? input : 1, rng);
    }
    constexpr std::size_t kEdges = 4;
    const Words scalars{0, 1, q - 1, q / 2, rng() % q, rng() % q, rng() % q, rng() % q};
    scalar_ = scalars[rng() % (2 * kEdges)];
    if (operation == "compare_add" && rng() % 2 != 0) scalar_ = rng();
    comparison_ = static_cast<Comparison>(rng() % kComparisonCount);
    bound_ = count != 0 && rng() % 2 != 0 ? a_[rng() % count] : mixed_words(1, q, rng)[0];
    if (operation != "multiply_accumulate") return;
    const std::size_t terms = 1 + rng() % 5;
    for (std::size_t k = 0; k < terms; ++k) {
      a_terms_.push_back(k == 0 ? a_ : mixed_values(count, q, 1, rng));
      b_terms_.push_back(k == 0 ? b_ : mixed_values(count, q, 1, rng));
    }
  }

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
