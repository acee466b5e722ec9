// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "ringlet/base/export.hpp"

namespace ringlet {

/// The four parts of every error message of the library.
struct ErrorDetails {
  std::string operation = {};  ///< The public call, such as "Ntt"; internal code leaves it empty.
  std::string offending;       ///< The offending values, such as "degree = 12".
  std::string limit;           ///< What the call accepts.
  std::string remedy;          ///< What the caller can do.
};

/// Second base class of all exceptions of the library; carries the parts of the message. It is not
/// an exception itself, so that a handler for a std:: type is never ambiguous. Copies share the
/// parts and never throw, as C++ requires of exceptions.
class RINGLET_API ErrorInfo {
 public:
  explicit ErrorInfo(ErrorDetails details);
  ErrorInfo(const ErrorInfo&) noexcept = default;
  ErrorInfo& operator=(const ErrorInfo&) noexcept = default;
  virtual ~ErrorInfo();

  const std::string& operation() const noexcept { return details_->operation; }
  const std::string& offending() const noexcept { return details_->offending; }
  const std::string& limit() const noexcept { return details_->limit; }
  const std::string& remedy() const noexcept { return details_->remedy; }

  /// Throws an exception of the same type as this object, with the parts `details`.
  [[noreturn]] virtual void throw_with(const ErrorDetails& details) const = 0;

 private:
  std::shared_ptr<const ErrorDetails> details_;
};

/// Reports an argument that the operation does not accept.
class RINGLET_API InvalidArgument : public std::invalid_argument, public ErrorInfo {
 public:
  explicit InvalidArgument(const ErrorDetails& details);
  ~InvalidArgument() override;
  [[noreturn]] void throw_with(const ErrorDetails& details) const override;
};

/// Reports an index outside a container of the library.
class RINGLET_API OutOfRange : public std::out_of_range, public ErrorInfo {
 public:
  explicit OutOfRange(const ErrorDetails& details);
  ~OutOfRange() override;
  [[noreturn]] void throw_with(const ErrorDetails& details) const override;
};

/// Reports a call that the state of the object does not allow.
class RINGLET_API LogicError : public std::logic_error, public ErrorInfo {
 public:
  explicit LogicError(const ErrorDetails& details);
  ~LogicError() override;
  [[noreturn]] void throw_with(const ErrorDetails& details) const override;
};

/// Reports a failure of the environment: memory, randomness, a file, or an unusable setting.
class RINGLET_API RuntimeError : public std::runtime_error, public ErrorInfo {
 public:
  explicit RuntimeError(const ErrorDetails& details);
  ~RuntimeError() override;
  [[noreturn]] void throw_with(const ErrorDetails& details) const override;
};

/// Returns the message of an exception: "operation: offending; limit: ...; remedy: ...".
RINGLET_API std::string format_error(const ErrorDetails& details);

/// Throws InvalidArgument. The function is not inline, so that checks compile to little code.
[[noreturn]] RINGLET_API void throw_invalid_argument(const ErrorDetails& details);
/// Throws OutOfRange.
[[noreturn]] RINGLET_API void throw_out_of_range(const ErrorDetails& details);
/// Throws LogicError.
[[noreturn]] RINGLET_API void throw_logic_error(const ErrorDetails& details);
/// Throws RuntimeError.
[[noreturn]] RINGLET_API void throw_runtime_error(const ErrorDetails& details);

}  // namespace ringlet
