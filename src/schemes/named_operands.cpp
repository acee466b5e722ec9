// SPDX-License-Identifier: Apache-2.0
#include "schemes/named_operands.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.hpp"

namespace ringlet::schemes {
namespace {

// Parts of Evaluator, and the memory of a device; a file from which a key is loaded names itself.
bool is_part_of_evaluation(std::string_view operation) {
  constexpr std::array<std::string_view, 5> kParts{
      "Evaluator::", "Storage::", "gpu:", "opencl:", "cuda:"};
  return std::ranges::any_of(
      kParts, [operation](std::string_view part) { return operation.starts_with(part); });
}

// clEnqueueNDRangeKernel, cuLaunchKernel.
bool is_driver_call(std::string_view operation) {
  return operation.size() > 2 && (operation.starts_with("cl") || operation.starts_with("cu")) &&
         operation[2] >= 'A' && operation[2] <= 'Z';
}

}  // namespace

ErrorDetails with_operands(const ErrorInfo& error, const char* operation,
                           std::initializer_list<std::string> operands) {
  const bool is_driver = is_driver_call(error.operation());
  std::string offending =
      is_driver ? concat(error.operation(), ": ", error.offending()) : error.offending();
  const char* separator = operands.size() == 1 ? ", operand [" : ", operands [";
  for (const std::string& operand : operands) {
    if (offending.find(operand) != std::string::npos) continue;
    offending += concat(separator, operand, "]");
    separator = " and [";
  }
  const bool is_ours = is_driver || is_part_of_evaluation(error.operation());
  return {is_ours ? std::string(operation) : error.operation(), offending, error.limit(),
          error.remedy()};
}

}  // namespace ringlet::schemes
