// SPDX-License-Identifier: Apache-2.0
#include "base/refuse.hpp"
#include "ntt/checks.hpp"
#include "ntt/plan.hpp"

// Values in the order that costs a kernel least.

namespace ringlet {
namespace {

std::string text(const NttOrder& order) {
  return concat(order.name(), " order for degree ", order.degree());
}

/// @throws InvalidArgument unless the values are in the order `expected`.
void check_order(const char* name, const UnorderedValues& values, const NttOrder& expected) {
  if (values.order() == expected) return;
  refuse(concat(name, " in ", text(values.order())),
         concat("values in ", text(expected), ", which this plan reads"),
         "use plans with the same kernel and degree, or call to_bit_reversed of the plan that made "
         "the values");
}

}  // namespace

std::string NttOrder::name() const {
  return is_bit_reversed() ? "bit-reversed" : concat(table_, "/", algorithm_);
}

NttOrder Ntt::unordered_order() const noexcept {
  const kernels::NttKernel& kernel = plan_->kernel();
  if (kernel.reorder == nullptr) return {degree(), {}, {}};
  return {degree(), kernel.table, kernel.algorithm};
}

UnorderedValues Ntt::as_unordered(std::span<const std::uint64_t> words) const {
  return public_entry("Ntt::as_unordered", [&] {
    check_operands(degree(), {{"words", words}});
    return UnorderedValues(words, unordered_order());
  });
}

UnorderedValues Ntt::forward_unordered(std::span<std::uint64_t> result,
                                       std::span<const std::uint64_t> operand, int input_mod_factor,
                                       int output_mod_factor) const {
  return public_entry("Ntt::forward_unordered", [&] {
    check_buffers(degree(), {"result", result}, {{"operand", operand}});
    const kernels::RangeFactors factors{input_mod_factor, output_mod_factor};
    check_forward_factors(factors);
    plan_->forward_unordered(result.data(), operand.data(), factors);
    return UnorderedValues(result, unordered_order());
  });
}

void Ntt::inverse_unordered(std::span<std::uint64_t> result, const UnorderedValues& operand,
                            int input_mod_factor, int output_mod_factor) const {
  public_entry("Ntt::inverse_unordered", [&] {
    check_order("operand", operand, unordered_order());
    check_buffers(degree(), {"result", result}, {{"operand", operand.words()}});
    const kernels::RangeFactors factors{input_mod_factor, output_mod_factor};
    check_inverse_factors(factors);
    plan_->inverse_unordered(result.data(), operand.words().data(), factors);
  });
}

UnorderedValues Ntt::multiply_unordered(std::span<std::uint64_t> result, const UnorderedValues& a,
                                        const UnorderedValues& b, int input_mod_factor) const {
  return public_entry("Ntt::multiply_unordered", [&] {
    const NttOrder order = unordered_order();
    check_order("a", a, order);
    check_order("b", b, order);
    check_buffers(degree(), {"result", result}, {{"a", a.words()}, {"b", b.words()}});
    check_forward_input(input_mod_factor);
    plan_->eltwise().multiply(result, a.words(), b.words(), input_mod_factor);
    return UnorderedValues(result, order);
  });
}

void Ntt::to_bit_reversed(std::span<std::uint64_t> result, const UnorderedValues& operand) const {
  public_entry("Ntt::to_bit_reversed", [&] {
    check_order("operand", operand, unordered_order());
    check_buffers(degree(), {"result", result}, {{"operand", operand.words()}});
    plan_->reorder(result.data(), operand.words().data(), true);
  });
}

UnorderedValues Ntt::from_bit_reversed(std::span<std::uint64_t> result,
                                       std::span<const std::uint64_t> operand) const {
  return public_entry("Ntt::from_bit_reversed", [&] {
    check_buffers(degree(), {"result", result}, {{"operand", operand}});
    plan_->reorder(result.data(), operand.data(), false);
    return UnorderedValues(result, unordered_order());
  });
}

}  // namespace ringlet
