// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>

#include "ringlet/base/error.hpp"
#include "ringlet/gpu/device.hpp"
#include "ringlet/rlwe/context.hpp"
#include "rlwe/checks.hpp"

namespace ringlet::schemes {

/// The parts of `error` in the name of `operation`, if it came from a part of Evaluator, from the
/// memory that it computes in or from the driver, whose call is then named too, and with the
/// operands that it does not describe yet.
ErrorDetails with_operands(const ErrorInfo& error, const char* operation,
                           std::initializer_list<std::string> operands);

/// Runs `call`. Whatever part of the work refuses, the exception names the operation that the user
/// called, and level and scale of all its operands.
template <typename Call, typename... Operands>
void name_operands(const char* operation, const Context& context, const Call& call,
                   const Operands&... operands) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    throw_invalid_argument(with_operands(error, operation, {rlwe::describe(context, operands)...}));
  } catch (const LogicError& error) {
    throw_logic_error(with_operands(error, operation, {rlwe::describe(context, operands)...}));
  } catch (const OutOfDeviceMemory& error) {
    throw OutOfDeviceMemory(
        with_operands(error, operation, {rlwe::describe(context, operands)...}));
  } catch (const RuntimeError& error) {
    throw_runtime_error(with_operands(error, operation, {rlwe::describe(context, operands)...}));
  }
}

}  // namespace ringlet::schemes
