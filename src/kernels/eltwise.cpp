// SPDX-License-Identifier: Apache-2.0
#include "ringlet/eltwise.hpp"

#include <array>

#include "base/buffer_check.hpp"
#include "base/text.hpp"
#include "kernels/select.hpp"
#include "ringlet/error.hpp"

namespace ringlet {

namespace {

using kernels::EltwiseArguments;
using kernels::EltwiseOperation;
using kernels::kEltwiseOperationCount;
using kernels::kEltwiseOperationNames;

constexpr std::array<const char*, kEltwiseOperationCount> kPublicNames{
    "Eltwise::add",
    "Eltwise::subtract",
    "Eltwise::negate",
    "Eltwise::multiply",
    "Eltwise::multiply_add",
    "Eltwise::multiply_scalar",
    "Eltwise::multiply_scalar_add",
    "Eltwise::reduce"};

void check_scalar(const char* operation, std::uint64_t scalar, const Modulus& q) {
  if (scalar < q.value()) return;
  throw_invalid_argument({.operation = operation,
                          .offending = concat("scalar = ", scalar),
                          .limit = concat("scalars below the modulus ", q.value()),
                          .remedy = "reduce the scalar first, with Modulus::reduce"});
}

}  // namespace

/// One kernel per operation, in the order of EltwiseOperation.
struct EltwiseKernels {
  std::array<kernels::Chosen<kernels::EltwiseKernel>, kEltwiseOperationCount> chosen;

  /// Checks all buffers and the scalar, then runs. `arguments` has the operands and the scalar; the
  /// rest is filled in here.
  void run(EltwiseOperation operation, const Modulus& q, std::span<std::uint64_t> result,
           std::initializer_list<NamedBuffer> operands, EltwiseArguments arguments) const {
    const auto index = static_cast<unsigned>(operation);
    check_buffers(kPublicNames[index], result.size(), {"result", result}, operands);
    check_scalar(kPublicNames[index], arguments.scalar, q);
    arguments.result = result.data();
    arguments.count = result.size();
    arguments.q = q.value();
    arguments.ratio = q.ratio();
    chosen[index].counter.count();
    chosen[index].kernel->run(arguments);
  }
};

Eltwise::Eltwise(const Modulus& q, const KernelSelection& selection) : modulus_(q) {
  const auto kernels = std::make_shared<EltwiseKernels>();
  for (unsigned i = 0; i < kEltwiseOperationCount; ++i) {
    kernels->chosen[i] =
        kernels::choose_eltwise(static_cast<EltwiseOperation>(i), q.value(), selection);
  }
  kernels_ = kernels;
}

void Eltwise::add(Result result, Operand a, Operand b) const {
  kernels_->run(EltwiseOperation::add, modulus_, result, {{"a", a}, {"b", b}},
                {.a = a.data(), .b = b.data()});
}

void Eltwise::subtract(Result result, Operand a, Operand b) const {
  kernels_->run(EltwiseOperation::subtract, modulus_, result, {{"a", a}, {"b", b}},
                {.a = a.data(), .b = b.data()});
}

void Eltwise::negate(Result result, Operand a) const {
  kernels_->run(EltwiseOperation::negate, modulus_, result, {{"a", a}}, {.a = a.data()});
}

void Eltwise::multiply(Result result, Operand a, Operand b) const {
  kernels_->run(EltwiseOperation::multiply, modulus_, result, {{"a", a}, {"b", b}},
                {.a = a.data(), .b = b.data()});
}

void Eltwise::multiply_add(Result result, Operand a, Operand b, Operand c) const {
  kernels_->run(EltwiseOperation::multiply_add, modulus_, result, {{"a", a}, {"b", b}, {"c", c}},
                {.a = a.data(), .b = b.data(), .c = c.data()});
}

void Eltwise::multiply_scalar(Result result, Operand a, std::uint64_t scalar) const {
  kernels_->run(EltwiseOperation::multiply_scalar, modulus_, result, {{"a", a}},
                {.a = a.data(), .scalar = scalar});
}

void Eltwise::multiply_scalar_add(Result result, Operand a, std::uint64_t scalar, Operand c) const {
  kernels_->run(EltwiseOperation::multiply_scalar_add, modulus_, result, {{"a", a}, {"c", c}},
                {.a = a.data(), .c = c.data(), .scalar = scalar});
}

void Eltwise::reduce(Result result, Operand a) const {
  kernels_->run(EltwiseOperation::reduce, modulus_, result, {{"a", a}}, {.a = a.data()});
}

std::string Eltwise::kernel_name(std::string_view operation) const {
  std::string names;
  for (unsigned i = 0; i < kEltwiseOperationCount; ++i) {
    if (operation == kEltwiseOperationNames[i]) return kernels_->chosen[i].name();
    if (i != 0) names += ", ";
    names += kEltwiseOperationNames[i];
  }
  throw_invalid_argument({.operation = "Eltwise::kernel_name",
                          .offending = concat("operation '", operation, "'"),
                          .limit = concat("one of: ", names),
                          .remedy = "use the name of a member function of Eltwise"});
}

}  // namespace ringlet
