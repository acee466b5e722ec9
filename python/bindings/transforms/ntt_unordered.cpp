// SPDX-License-Identifier: Apache-2.0
#include <nanobind/operators.h>

#include "bindings/transforms/ntt_methods.hpp"
#include "ringlet/base/error.hpp"

// Values in the order of a kernel.

namespace ringlet::python {
namespace {

/// The factor of copies, which take all values: no factor of q bounds them.
constexpr int kAnyValues = 0;

/// An array of values, and the order of its rows.
struct UnorderedArray {
  ArrayArgument array;
  NttOrder order;
};

std::string shown_order(const NttOrder& order) {
  return "NttOrder('" + order.name() + "', degree=" + std::to_string(order.degree()) + ")";
}

/// Values that a call reads, held while it runs.
class HeldValues {
 public:
  /// @throws InvalidArgument if they are in another order than that of the plan, or the array has
  ///         become unusable.
  HeldValues(const UnorderedArray& values, const ArraySpec& spec, const Ntt& plan)
      : held_(checked(values, spec, plan), spec, HeldArray::Access::read) {
    check_length(spec.operation, plan, batch());
  }
  Batch batch() const noexcept { return held_.batch(); }

 private:
  static const ArrayArgument& checked(const UnorderedArray& values, const ArraySpec& spec,
                                      const Ntt& plan) {
    if (values.order == plan.unordered_order()) return values.array;
    throw_invalid_argument(
        {spec.operation, std::string(spec.name) + " in " + shown_order(values.order),
         "values in " + shown_order(plan.unordered_order()),
         "use plans with the same kernel and degree, or call to_bit_reversed of the plan "
         "that made the values"});
  }

  HeldArray held_;
};

UnorderedArray forward_unordered(const Ntt& plan, const ArrayArgument& a, const OptionalArray& out,
                                 const Integer& input_mod_factor,
                                 const Integer& output_mod_factor) {
  const char* operation = "Ntt.forward_unordered";
  const int input = input_mod_factor.number(operation, "input_mod_factor");
  const int output = output_mod_factor.number(operation, "output_mod_factor");
  const HeldArray held(a, {operation, "a"}, HeldArray::Access::read);
  const Batch source = held.batch();
  check_length(operation, plan, source);
  const auto row = [&](Target to, Source from) { plan.forward_unordered(to, from, input, output); };
  return {write_rows({operation, plan, out, input}, row, source), plan.unordered_order()};
}

ArrayArgument inverse_unordered(const Ntt& plan, const UnorderedArray& values,
                                const OptionalArray& out, const Integer& input_mod_factor,
                                const Integer& output_mod_factor) {
  const char* operation = "Ntt.inverse_unordered";
  const int input = input_mod_factor.number(operation, "input_mod_factor");
  const int output = output_mod_factor.number(operation, "output_mod_factor");
  const HeldValues held(values, {operation, "values"}, plan);
  const auto row = [&](Target to, Source from) {
    plan.inverse_unordered(to, plan.as_unordered(from), input, output);
  };
  return write_rows({operation, plan, out, input}, row, held.batch());
}

UnorderedArray multiply_unordered(const Ntt& plan, const UnorderedArray& a, const UnorderedArray& b,
                                  const OptionalArray& out, const Integer& input_mod_factor) {
  const char* operation = "Ntt.multiply_unordered";
  const int input = input_mod_factor.number(operation, "input_mod_factor");
  const HeldValues held_a(a, {operation, "a"}, plan);
  const HeldValues held_b(b, {operation, "b"}, plan);
  const Batch x = held_a.batch();
  const Batch y = held_b.batch();
  check_shape(operation, y, x.shape);
  const auto row = [&](Target to, Source of_x, Source of_y) {
    plan.multiply_unordered(to, plan.as_unordered(of_x), plan.as_unordered(of_y), input);
  };
  return {write_rows({operation, plan, out, input}, row, x, y), plan.unordered_order()};
}

ArrayArgument to_bit_reversed(const Ntt& plan, const UnorderedArray& values,
                              const OptionalArray& out) {
  const char* operation = "Ntt.to_bit_reversed";
  const HeldValues held(values, {operation, "values"}, plan);
  const auto row = [&](Target to, Source from) {
    plan.to_bit_reversed(to, plan.as_unordered(from));
  };
  return write_rows({operation, plan, out, kAnyValues}, row, held.batch());
}

UnorderedArray from_bit_reversed(const Ntt& plan, const ArrayArgument& a,
                                 const OptionalArray& out) {
  const char* operation = "Ntt.from_bit_reversed";
  const HeldArray held(a, {operation, "a"}, HeldArray::Access::read);
  const Batch source = held.batch();
  check_length(operation, plan, source);
  const auto row = [&](Target to, Source from) { plan.from_bit_reversed(to, from); };
  return {write_rows({operation, plan, out, kAnyValues}, row, source), plan.unordered_order()};
}

UnorderedArray as_unordered(const Ntt& plan, const ArrayArgument& a) {
  const char* operation = "Ntt.as_unordered";
  const HeldArray held(a, {operation, "a"}, HeldArray::Access::read);
  check_length(operation, plan, held.batch());
  return {a, plan.unordered_order()};
}

void bind_types(nb::module_& module) {
  nb::class_<NttOrder>(
      module, "NttOrder",
      "The order of the unordered values of a transform. It depends on the kernel and the\n"
      "degree, not on the modulus or the root.\n"
      "\n"
      "Two plans that leave their values in one order have equal NttOrder objects.")
      .def_prop_ro("degree", &NttOrder::degree, "The degree N.")
      .def_prop_ro(
          "is_bit_reversed", &NttOrder::is_bit_reversed,
          "True if the order is the bit-reversed order, because that order costs this kernel\n"
          "nothing.")
      .def_prop_ro("name", &NttOrder::name,
                   "Name: \"bit-reversed\", or \"table/algorithm\" of the kernel to which the "
                   "order belongs.")
      .def(nb::self == nb::self, nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def(nb::self != nb::self, nb::sig("def __ne__(self, other: object, /) -> bool"))
      .def("__hash__",
           [](const NttOrder& order) { return nb::hash(nb::str(shown_order(order).c_str())); })
      .def("__repr__", &shown_order);
  nb::class_<UnorderedArray>(
      module, "UnorderedValues",
      "Values of transforms in the order of a kernel.\n"
      "\n"
      "Ntt.forward_unordered returns such values, and the methods that read them take only\n"
      "this type: orders cannot be mixed.")
      .def_ro("array", &UnorderedArray::array,
              "The values: the array that the call wrote, not a copy.")
      .def_ro("order", &UnorderedArray::order, "Order of the values.")
      .def("__repr__", [](const UnorderedArray& values) {
        return "UnorderedValues(" + shown_order(values.order) + ")";
      });
}

}  // namespace

void bind_unordered(nb::module_& module, nb::class_<Ntt>& ntt) {
  bind_types(module);
  ntt.def_prop_ro("unordered_order", &Ntt::unordered_order,
                  "Order of the unordered values of this plan.")
      .def("forward_unordered", &forward_unordered, "a"_a, "out"_a = nb::none(), nb::kw_only(),
           "input_mod_factor"_a = 1, "output_mod_factor"_a = 1,
           "Returns the NTT form of `a` in the order that costs the kernel least, as\n"
           "UnorderedValues whose array is `out`.\n"
           "\n"
           "This order is enough for operations value by value. It is private to the kernel:\n"
           "save and send to_bit_reversed(values) instead. Arguments and errors are those of\n"
           "`forward`.")
      .def("inverse_unordered", &inverse_unordered, "values"_a, "out"_a = nb::none(), nb::kw_only(),
           "input_mod_factor"_a = 1, "output_mod_factor"_a = 1,
           "Returns the coefficients of values in unordered_order. `out` may be the array of\n"
           "`values`.\n"
           "\n"
           "Raises InvalidArgument for values in another order. Factors are those of `inverse`.")
      .def("multiply_unordered", &multiply_unordered, "a"_a, "b"_a, "out"_a = nb::none(),
           nb::kw_only(), "input_mod_factor"_a = 1,
           "Returns a * b mod q, value by value, in unordered_order.\n"
           "\n"
           "- a, b: values of this plan, or of other plans with the same kernel and degree.\n"
           "- out: array to write; it may be the array of an operand.\n"
           "- input_mod_factor: 1, 2 or 4.")
      .def("to_bit_reversed", &to_bit_reversed, "values"_a, "out"_a = nb::none(),
           "Copies values from unordered_order to bit-reversed order, the order of `forward`,\n"
           "and returns the array. `out` may be the array of `values`.")
      .def("from_bit_reversed", &from_bit_reversed, "a"_a, "out"_a = nb::none(),
           "Copies values from bit-reversed order to unordered_order and returns them as\n"
           "UnorderedValues. `out` may be `a`.")
      .def("as_unordered", &as_unordered, "a"_a,
           "Returns the array as UnorderedValues, without a copy.\n"
           "\n"
           "Use it for words that were computed value by value from unordered values of this\n"
           "plan, such as sums by Eltwise.");
}

}  // namespace ringlet::python
