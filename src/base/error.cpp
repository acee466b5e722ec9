// SPDX-License-Identifier: Apache-2.0
#include "ringlet/base/error.hpp"

#include <utility>

#include "base/text.hpp"

namespace ringlet {

ErrorInfo::ErrorInfo(ErrorDetails details)
    : details_(std::make_shared<const ErrorDetails>(std::move(details))) {}

// The destructors are defined here so that type information and virtual tables have one home: an
// exception that crosses the border of a shared library must still match its handler.
ErrorInfo::~ErrorInfo() = default;

InvalidArgument::InvalidArgument(const ErrorDetails& details)
    : std::invalid_argument(format_error(details)), ErrorInfo(details) {}
InvalidArgument::~InvalidArgument() = default;

OutOfRange::OutOfRange(const ErrorDetails& details)
    : std::out_of_range(format_error(details)), ErrorInfo(details) {}
OutOfRange::~OutOfRange() = default;

LogicError::LogicError(const ErrorDetails& details)
    : std::logic_error(format_error(details)), ErrorInfo(details) {}
LogicError::~LogicError() = default;

RuntimeError::RuntimeError(const ErrorDetails& details)
    : std::runtime_error(format_error(details)), ErrorInfo(details) {}
RuntimeError::~RuntimeError() = default;

std::string format_error(const ErrorDetails& details) {
  return concat(details.operation, ": ", details.offending, "; limit: ", details.limit,
                "; remedy: ", details.remedy);
}

void throw_invalid_argument(const ErrorDetails& details) { throw InvalidArgument(details); }
void throw_out_of_range(const ErrorDetails& details) { throw OutOfRange(details); }
void throw_logic_error(const ErrorDetails& details) { throw LogicError(details); }
void throw_runtime_error(const ErrorDetails& details) { throw RuntimeError(details); }

}  // namespace ringlet
