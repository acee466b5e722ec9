// SPDX-License-Identifier: Apache-2.0
#include "schemes/named_operands.hpp"

#include "base/text.hpp"

namespace ringlet::schemes {

ErrorDetails with_operands(const ErrorInfo& error, const char* operation,
                           std::initializer_list<std::string> operands) {
  std::string offending = error.offending();
  const char* separator = operands.size() == 1 ? ", operand [" : ", operands [";
  for (const std::string& operand : operands) {
    if (offending.find(operand) != std::string::npos) continue;
    offending += concat(separator, operand, "]");
    separator = " and [";
  }
  // A file from which a key is loaded names itself.
  const bool is_own = error.operation().starts_with("Evaluator::");
  return {is_own ? std::string(operation) : error.operation(), offending, error.limit(),
          error.remedy()};
}

}  // namespace ringlet::schemes
