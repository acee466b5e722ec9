// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bindings/core/prelude.hpp"
#include "ringlet/arith/primes.hpp"
#include "ringlet/kernels/kernel_selection.hpp"

// Arguments that arrive unchecked, so that a wrong one is refused with one of the package's own
// exceptions (operation, value, limit, remedy) and not with a generic TypeError.

namespace ringlet::python {

/// A Python integer of any size.
struct Integer {
  static constexpr char kStubType[] = "int";
  nb::object object;

  /// Returns a word. @throws InvalidArgument if the value is not an integer in [0, 2^64).
  std::uint64_t word(const char* operation, const char* name) const;
  /// Returns the value as an int. @throws InvalidArgument if it is not an integer that fits.
  int number(const char* operation, const char* name) const;
};

/// A NumPy array of residues.
struct ArrayArgument {
  static constexpr char kStubType[] = "Array";
  nb::object object;
};

/// bytes, or a bytearray or memoryview, which is copied.
struct BytesLike {
  nb::bytes value;
};

using OptionalText = std::optional<std::string>;

/// Parses text as RINGLET_FORCE_KERNELS is parsed; None gives the selection of that variable.
KernelSelection kernel_selection(const OptionalText& kernels);

/// Returns the preference of that name. @throws InvalidArgument if there is none.
PrimePreference parse_prime_preference(const std::string& name, const char* operation);

/// Returns the name of an object's type for messages: float, numpy.ndarray, Decimal.
std::string name_of_type(nb::handle object);

/// Returns a shortened repr() of an object, for messages.
std::string shown(nb::handle object);

/// Refuses masks: functions that take plain arrays would lose them.
/// @throws InvalidArgument if elements of an array of numpy.ma, or of such in a list, are masked.
void refuse_masked(nb::handle object, const char* operation, const char* name, int depth = 0);

/// Writes bits of a precision or a budget for a repr(), with one digit after the point.
inline std::string bits_text(double bits) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", bits);
  return text.data();
}

inline std::vector<std::uint64_t> values_of(std::span<const Modulus> primes) {
  std::vector<std::uint64_t> values;
  values.reserve(primes.size());
  for (const Modulus& q : primes) values.push_back(q.value());
  return values;
}

}  // namespace ringlet::python

namespace nanobind::detail {

/// Types with a member `object` take any Python object unchanged; stubs show kStubType for them.
template <typename T>
  requires requires { T::kStubType; }
struct type_caster<T> {
  NB_TYPE_CASTER(T, const_name(T::kStubType))

  bool from_python(handle source, std::uint32_t, cleanup_list*) noexcept {
    value.object = borrow(source);
    return true;
  }
  static handle from_cpp(const T& source, rv_policy, cleanup_list*) noexcept {
    return source.object.inc_ref();
  }
};

template <>
struct type_caster<ringlet::python::BytesLike> {
  NB_TYPE_CASTER(ringlet::python::BytesLike, const_name("bytes | bytearray | memoryview"))

  bool from_python(handle source, std::uint32_t, cleanup_list*) noexcept {
    if (!PyObject_CheckBuffer(source.ptr())) return false;
    value.value = steal<bytes>(PyBytes_FromObject(source.ptr()));
    if (value.value.is_valid()) return true;
    PyErr_Clear();
    return false;
  }
  static handle from_cpp(const ringlet::python::BytesLike& source, rv_policy,
                         cleanup_list*) noexcept {
    return source.value.inc_ref();
  }
};

}  // namespace nanobind::detail
