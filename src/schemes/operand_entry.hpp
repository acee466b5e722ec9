// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <tuple>

#include "base/public_entry.hpp"
#include "base/text.hpp"
#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/context.hpp"
#include "rlwe/checks.hpp"

namespace ringlet::schemes {

/// Does public_entry; messages end with level and scale of all operands, a tuple of references.
template <typename Operands, typename Call>
decltype(auto) operand_entry(const char* operation, const Context& context,
                             const Operands& operands, const Call& call) {
  const auto describe = [&] {
    std::string text;
    const char* separator = std::tuple_size_v<Operands> == 1 ? ", operand [" : ", operands [";
    const auto append = [&](const auto& operand) {
      text += concat(separator, rlwe::describe(context, operand), "]");
      separator = " and [";
    };
    std::apply([&](const auto&... each) { (append(each), ...); }, operands);
    return text;
  };
  return public_entry(operation, describe, call);
}

/// Does the same for a call that computes `destination`. Errors that the host finds in it later
/// have the same name.
template <typename Operands, typename Call>
void evaluate(const char* operation, const Context& context, Ciphertext& destination,
              const Operands& operands, const Call& call) {
  operand_entry(operation, context, operands, call);
  destination.name_maker(operation);
}

/// Does the same for several destinations: `call()` returns their new values.
template <typename Operands, typename Call>
void evaluate(const char* operation, const Context& context, std::span<Ciphertext> destinations,
              const Operands& operands, const Call& call) {
  operand_entry(operation, context, operands,
                [&] { std::ranges::move(call(), destinations.begin()); });
  for (Ciphertext& destination : destinations) destination.name_maker(operation);
}

}  // namespace ringlet::schemes
