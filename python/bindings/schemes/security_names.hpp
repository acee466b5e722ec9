// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/core/prelude.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/rlwe/security.hpp"

namespace ringlet::python {

/// "tc128" or another name; the number 128 means "tc128".
struct SecurityName {
  std::string text;
};

/// Returns the member of `known` that to_string calls `text`; text after a comma is optional.
/// @throws InvalidArgument naming the argument and all names.
template <typename Value, std::size_t kCount>
Value parse_name(const std::array<Value, kCount>& known, const std::string& text,
                 const char* argument, const char* operation) {
  std::string names;
  for (const Value value : known) {
    // "reproduction" stands for "reproduction, about 64 bits".
    const std::string full = to_string(value);
    const std::string brief = full.substr(0, full.find(','));
    if (text == full || text == brief) return value;
    names += (names.empty() ? "" : ", ") + brief;
  }
  throw_invalid_argument(
      {operation, std::string(argument) + " = '" + text + "'", names, "pass one of these names"});
}

inline SecurityLevel parse_security(const SecurityName& name, const char* operation,
                                    const char* argument = "security") {
  constexpr std::array kLevels = {SecurityLevel::none, SecurityLevel::reproduction,
                                  SecurityLevel::tc128, SecurityLevel::tc192, SecurityLevel::tc256};
  return parse_name(kLevels, name.text, argument, operation);
}

/// Parses the lowest security level that a loader accepts.
inline SecurityLevel parse_min_security(const SecurityName& name, const char* operation) {
  return parse_security(name, operation, "min_security");
}

inline SecurityTable parse_table(const std::string& text, const char* operation) {
  constexpr std::array kTables = {SecurityTable::classical_2024, SecurityTable::quantum_2024,
                                  SecurityTable::he_standard_2018,
                                  SecurityTable::he_standard_2018_quantum};
  return parse_name(kTables, text, "table", operation);
}

}  // namespace ringlet::python

namespace nanobind::detail {

template <>
struct type_caster<ringlet::python::SecurityName> {
  NB_TYPE_CASTER(ringlet::python::SecurityName, const_name("int | str"))

  bool from_python(handle source, std::uint32_t, cleanup_list*) noexcept {
    const bool is_integer = PyLong_Check(source.ptr());
    if (!is_integer && !PyUnicode_Check(source.ptr())) return false;
    value.text = (is_integer ? "tc" : "") + std::string(str(source).c_str());
    return true;
  }
  static handle from_cpp(const ringlet::python::SecurityName& source, rv_policy,
                         cleanup_list*) noexcept {
    return str(source.text.c_str()).release();
  }
};

}  // namespace nanobind::detail
