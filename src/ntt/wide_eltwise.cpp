// SPDX-License-Identifier: Apache-2.0
#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "kernels/select.hpp"
#include "ntt/wide_checks.hpp"

namespace ringlet {

using kernels::WideEltwiseArguments;
using kernels::WideOperation;

struct WideEltwise::Plan {
  Plan(const WideModulus& q, const KernelSelection& selection)
      : modulus(to_double(q)), chosen(kernels::choose_wide(q.value().data(), selection)) {
    name = chosen.name();
    chosen.kernel->build_constants(constants, q.value().data());
  }

  void run(WideOperation operation, const WideEltwiseArguments& arguments) const {
    chosen.counter.count();
    chosen.kernel->run[static_cast<unsigned>(operation)](arguments, constants);
  }

  uint128_t modulus;
  kernels::Chosen<kernels::WideKernel> chosen;
  std::string name;
  kernels::WideConstants constants;
};

namespace {

WideEltwiseArguments arguments_of(const WideResult& result, const WideOperand& a,
                                  const WideOperand& b) {
  return {.result = to_words(result), .a = to_words(a), .b = to_words(b), .count = a.size()};
}

}  // namespace

WideEltwise::WideEltwise(const WideModulus& q, const KernelSelection& selection)
    : modulus_(q), plan_(public_entry("WideEltwise", [&] {
        check_double_modulus(q);
        return std::make_shared<const Plan>(q, selection);
      })) {}

void WideEltwise::add(WideResult result, WideOperand a, WideOperand b) const {
  public_entry("WideEltwise::add", [&] {
    check_wide_vectors(a.size(), {"result", result}, {{"a", a}, {"b", b}});
    plan_->run(WideOperation::add, arguments_of(result, a, b));
  });
}

void WideEltwise::subtract(WideResult result, WideOperand a, WideOperand b) const {
  public_entry("WideEltwise::subtract", [&] {
    check_wide_vectors(a.size(), {"result", result}, {{"a", a}, {"b", b}});
    plan_->run(WideOperation::subtract, arguments_of(result, a, b));
  });
}

void WideEltwise::multiply(WideResult result, WideOperand a, WideOperand b) const {
  public_entry("WideEltwise::multiply", [&] {
    check_wide_vectors(a.size(), {"result", result}, {{"a", a}, {"b", b}});
    plan_->run(WideOperation::multiply, arguments_of(result, a, b));
  });
}

void WideEltwise::multiply_scalar_add(WideResult result, DoubleWord scalar, WideOperand a,
                                      WideOperand b) const {
  public_entry("WideEltwise::multiply_scalar_add", [&] {
    check_wide_vectors(a.size(), {"result", result}, {{"a", a}, {"b", b}});
    const uint128_t value = join_words(scalar[0], scalar[1]);
    if (value >= plan_->modulus) {
      refuse(concat("scalar = ", decimal_digits(value)),
             concat("scalars below the modulus ", modulus_.to_string()), "reduce the scalar first");
    }
    std::uint64_t factor[kernels::kMaxWideFactorWords];
    plan_->chosen.kernel->make_factor(factor, scalar.data(), plan_->constants);
    WideEltwiseArguments arguments = arguments_of(result, a, b);
    arguments.factor = factor;
    plan_->run(WideOperation::multiply_scalar_add, arguments);
  });
}

DoubleWord WideEltwise::dot(WideOperand a, WideOperand b) const {
  return public_entry("WideEltwise::dot", [&] {
    check_wide_operands(a.size(), {{"a", a}, {"b", b}});
    DoubleWord sum{};
    const WideResult result{std::span<std::uint64_t>(sum)};
    plan_->run(WideOperation::dot, arguments_of(result, a, b));
    return sum;
  });
}

void WideEltwise::reduce(WideResult result, WideOperand a) const {
  public_entry("WideEltwise::reduce", [&] {
    check_wide_vectors(a.size(), {"result", result}, {{"a", a}});
    plan_->run(WideOperation::reduce, arguments_of(result, a, a));
  });
}

void WideEltwise::check(WideOperand a) const {
  public_entry("WideEltwise::check", [&] {
    check_wide_operands(a.size(), {{"a", a}});
    for (std::size_t i = 0; i < a.size(); ++i) {
      const uint128_t value = join_words(a.low()[i * a.step()], a.high()[i * a.step()]);
      if (value < plan_->modulus) continue;
      refuse(concat("a[", i, "] = ", decimal_digits(value)),
             concat("elements below the modulus ", modulus_.to_string()),
             "reduce the vector first");
    }
  });
}

const std::string& WideEltwise::kernel_name() const noexcept { return plan_->name; }

}  // namespace ringlet
