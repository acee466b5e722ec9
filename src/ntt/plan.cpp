// SPDX-License-Identifier: Apache-2.0
#include "ntt/plan.hpp"

#include <utility>

namespace ringlet {

void Ntt::Plan::sum(const kernels::NttSumArguments& arguments) const {
  if (arguments.term_count == 1 && !arguments.accumulate) return single_term(arguments);
  if (chosen_.kernel->sum == nullptr) return separate_sum(arguments);
  chosen_.counter.count();
  chosen_.kernel->sum(arguments, table_.data());
}

void Ntt::Plan::product(Result result, Operand a, Operand b, kernels::RangeFactors factors,
                        std::uint64_t* scratch) const {
  const bool is_square = a.data() == b.data();
  // The transform of the first factor overwrites what lies in the memory of the result.
  if (result.data() == b.data()) std::swap(a, b);
  Operand y = result;
  if (!is_square) {
    forward(scratch, b.data(), {factors.input, 4});
    y = {scratch, degree_};
  }
  forward(result.data(), a.data(), {factors.input, 4});
  eltwise_.multiply(result, result, y, 4);
  inverse(result.data(), result.data(), {1, factors.output});
}

/// One term needs no accumulator and no scratch: the memory of a result holds its transform.
void Ntt::Plan::single_term(const kernels::NttSumArguments& arguments) const {
  const std::size_t targets = arguments.target_count;
  if (targets == 0) return;
  const Result transformed(arguments.results[targets - 1], degree_);
  forward(transformed.data(), arguments.operands[0], {1, 4});
  for (std::size_t t = 0; t < targets; ++t) {
    const Result result(arguments.results[t], degree_);
    eltwise_.multiply(result, transformed, {arguments.keys[t], degree_}, 4);
    if (arguments.invert) inverse(result.data(), result.data(), {1, 1});
  }
}

void Ntt::Plan::separate_sum(const kernels::NttSumArguments& arguments) const {
  const std::size_t terms = arguments.term_count;
  const std::size_t targets = arguments.target_count;
  std::vector<Operand> values;
  for (std::size_t k = 0; k < terms; ++k) {
    std::uint64_t* const transformed = arguments.scratch + k * degree_;
    forward(transformed, arguments.operands[k], {1, 1});
    values.emplace_back(transformed, degree_);
  }
  std::vector<Operand> keys(terms);
  for (std::size_t t = 0; t < targets; ++t) {
    const Result result(arguments.results[t], degree_);
    for (std::size_t k = 0; k < terms; ++k) keys[k] = {arguments.keys[k * targets + t], degree_};
    if (!arguments.accumulate) {
      eltwise_.multiply_accumulate(result, values, keys);
    } else {
      for (std::size_t k = 0; k < terms; ++k) {
        eltwise_.multiply_add(result, values[k], keys[k], result);
      }
    }
    if (arguments.invert) inverse(result.data(), result.data(), {1, 1});
  }
}

}  // namespace ringlet
