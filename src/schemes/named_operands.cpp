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

}  // namespace

ErrorDetails with_operands(const ErrorInfo& error, const char* operation,
                           std::initializer_list<std::string> operands) {
  std::string offending = error.offending();
  const char* separator = operands.size() == 1 ? ", operand [" : ", operands [";
  for (const std::string& operand : operands) {
    if (offending.find(operand) != std::string::npos) continue;
    offending += concat(separator, operand, "]");
    separator = " and [";
  }
  return {is_part_of_evaluation(error.operation()) ? std::string(operation) : error.operation(),
          offending, error.limit(), error.remedy()};
}

}  // namespace ringlet::schemes
