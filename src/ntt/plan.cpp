// SPDX-License-Identifier: Apache-2.0
#include "ntt/plan.hpp"

namespace ringlet {

void Ntt::Plan::product(const kernels::NttProductArguments& arguments) const {
  if (chosen_.kernel->product == nullptr) return separate_product(arguments);
  chosen_.counter.count();
  chosen_.kernel->product(arguments, table_.data());
}

/// A single product needs no wide sum.
void Ntt::Plan::sum(const kernels::NttSumArguments& arguments) const {
  if (chosen_.kernel->sum == nullptr || arguments.term_count == 1) return separate_sum(arguments);
  chosen_.counter.count();
  chosen_.kernel->sum(arguments, table_.data());
}

/// The transform of one factor is made in the memory of the result, which the other must not share.
void Ntt::Plan::separate_product(const kernels::NttProductArguments& arguments) const {
  const bool swap = arguments.result == arguments.b;
  const std::uint64_t* const a = swap ? arguments.b : arguments.a;
  const std::uint64_t* const b = swap ? arguments.a : arguments.b;
  const Result x(arguments.result, degree_);
  Operand y = x;
  if (a != b) {
    forward(arguments.scratch, b, {arguments.factors.input, 4});
    y = {arguments.scratch, degree_};
  }
  forward(x.data(), a, {arguments.factors.input, 4});
  eltwise_.multiply(x, x, y, 4);
  inverse(x.data(), x.data(), {1, arguments.factors.output});
}

void Ntt::Plan::separate_sum(const kernels::NttSumArguments& arguments) const {
  const std::size_t terms = arguments.term_count;
  const std::size_t targets = arguments.target_count;
  const auto transformed = [&](std::size_t k) {
    return Operand(arguments.scratch + k * degree_, degree_);
  };
  const bool is_single = terms == 1 && !arguments.accumulate;
  for (std::size_t k = 0; k < terms; ++k) {
    forward(arguments.scratch + k * degree_, arguments.operands[k], {1, is_single ? 4 : 1});
  }
  std::vector<Operand> values;
  std::vector<Operand> keys(terms);
  for (std::size_t k = 0; k < terms; ++k) values.push_back(transformed(k));
  for (std::size_t t = 0; t < targets; ++t) {
    const Result result(arguments.results[t], degree_);
    for (std::size_t k = 0; k < terms; ++k) {
      keys[k] = {arguments.keys[k * targets + t], degree_};
    }
    if (is_single) {
      eltwise_.multiply(result, values[0], keys[0], 4);
    } else if (arguments.accumulate) {
      for (std::size_t k = 0; k < terms; ++k) {
        eltwise_.multiply_add(result, values[k], keys[k], result);
      }
    } else {
      eltwise_.multiply_accumulate(result, values, keys);
    }
    if (arguments.invert) inverse(result.data(), result.data(), {1, 1});
  }
}

}  // namespace ringlet
