// SPDX-License-Identifier: Apache-2.0
#include "ringlet/base/error.hpp"

#include <exception>
#include <utility>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"

namespace ringlet {
namespace {

[[noreturn]] void throw_again(const ErrorInfo& error, const ErrorDetails& details) {
  error.throw_with(details);
  std::terminate();  // GCC does not believe that a virtual function never returns.
}

}  // namespace

ErrorInfo::ErrorInfo(ErrorDetails details)
    : details_(std::make_shared<const ErrorDetails>(std::move(details))) {}

// The destructors are defined here so that type information and virtual tables have one home: an
// exception that crosses the border of a shared library must still match its handler.
ErrorInfo::~ErrorInfo() = default;

InvalidArgument::InvalidArgument(const ErrorDetails& details)
    : std::invalid_argument(format_error(details)), ErrorInfo(details) {}
InvalidArgument::~InvalidArgument() = default;
void InvalidArgument::throw_with(const ErrorDetails& details) const {
  throw InvalidArgument(details);
}

OutOfRange::OutOfRange(const ErrorDetails& details)
    : std::out_of_range(format_error(details)), ErrorInfo(details) {}
OutOfRange::~OutOfRange() = default;
void OutOfRange::throw_with(const ErrorDetails& details) const { throw OutOfRange(details); }

LogicError::LogicError(const ErrorDetails& details)
    : std::logic_error(format_error(details)), ErrorInfo(details) {}
LogicError::~LogicError() = default;
void LogicError::throw_with(const ErrorDetails& details) const { throw LogicError(details); }

RuntimeError::RuntimeError(const ErrorDetails& details)
    : std::runtime_error(format_error(details)), ErrorInfo(details) {}
RuntimeError::~RuntimeError() = default;
void RuntimeError::throw_with(const ErrorDetails& details) const { throw RuntimeError(details); }

std::string format_error(const ErrorDetails& details) {
  return concat(details.operation, details.operation.empty() ? "" : ": ", details.offending,
                "; limit: ", details.limit, "; remedy: ", details.remedy);
}

void throw_invalid_argument(const ErrorDetails& details) { throw InvalidArgument(details); }
void throw_out_of_range(const ErrorDetails& details) { throw OutOfRange(details); }
void throw_logic_error(const ErrorDetails& details) { throw LogicError(details); }
void throw_runtime_error(const ErrorDetails& details) { throw RuntimeError(details); }

void refuse_at(const std::string& place, const ErrorInfo& error) {
  throw_again(error, {error.operation(), concat(place, ": ", error.offending()), error.limit(),
                      error.remedy()});
}

void refuse_in_name_of(const ErrorInfo& error, const char* operation, const std::string& operands) {
  if (!error.operation().empty()) throw;
  throw_again(error,
              {operation, concat(error.offending(), operands), error.limit(), error.remedy()});
}

}  // namespace ringlet
