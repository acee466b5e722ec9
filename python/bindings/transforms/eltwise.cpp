// SPDX-License-Identifier: Apache-2.0
#include "ringlet/kernels/eltwise.hpp"

#include <nanobind/stl/string_view.h>

#include "bindings/core/arrays.hpp"
#include "bindings/core/bindings.hpp"
#include "bindings/transforms/eltwise_call.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::python {
namespace {

using Plans = const RowPlans&;
using In = const ArrayArgument&;
using Out = const OptionalArray&;

ArrayArgument array_of(const ArrayOrScalar& operand) { return {operand.object}; }

ArrayArgument add_scalar(Plans plans, In a, const Scalars& b, Out out) {
  Call call(plans, "Eltwise.add", {{"a", a}});
  const auto scalar = call.scalars(b, "b");
  return call.run(out, 1, [&](const Eltwise& plan, std::size_t row, Target r, const Sources& x) {
    plan.add_scalar(r, x[0], scalar(row));
  });
}

ArrayArgument add(Plans plans, In a, const ArrayOrScalar& b, Out out) {
  if (is_scalar(b.object)) return add_scalar(plans, a, {b.object}, out);
  Call call(plans, "Eltwise.add", {{"a", a}, {"b", array_of(b)}});
  return call.run(out, 1, [](const Eltwise& plan, std::size_t, Target r, const Sources& x) {
    plan.add(r, x[0], x[1]);
  });
}

ArrayArgument subtract_scalar(Plans plans, In a, const Scalars& b, Out out) {
  Call call(plans, "Eltwise.subtract", {{"a", a}});
  const auto scalar = call.scalars(b, "b");
  return call.run(out, 1, [&](const Eltwise& plan, std::size_t row, Target r, const Sources& x) {
    plan.subtract_scalar(r, x[0], scalar(row));
  });
}

ArrayArgument subtract(Plans plans, In a, const ArrayOrScalar& b, Out out) {
  if (is_scalar(b.object)) return subtract_scalar(plans, a, {b.object}, out);
  Call call(plans, "Eltwise.subtract", {{"a", a}, {"b", array_of(b)}});
  return call.run(out, 1, [](const Eltwise& plan, std::size_t, Target r, const Sources& x) {
    plan.subtract(r, x[0], x[1]);
  });
}

ArrayArgument negate(Plans plans, In a, Out out) {
  Call call(plans, "Eltwise.negate", {{"a", a}});
  return call.run(out, 1, [](const Eltwise& plan, std::size_t, Target r, const Sources& x) {
    plan.negate(r, x[0]);
  });
}

ArrayArgument multiply_scalar(Plans plans, In a, const Scalars& scalar, Out out,
                              const Integer& input_mod_factor) {
  const char* name = "Eltwise.multiply_scalar";
  const int factor = input_mod_factor.number(name, "input_mod_factor");
  Call call(plans, name, {{"a", a}});
  const auto word = call.scalars(scalar, "scalar");
  return call.run(out, factor,
                  [&](const Eltwise& plan, std::size_t row, Target r, const Sources& x) {
                    plan.multiply_scalar(r, x[0], word(row), factor);
                  });
}

ArrayArgument multiply(Plans plans, In a, const ArrayOrScalar& b, Out out,
                       const Integer& input_mod_factor) {
  if (is_scalar(b.object)) return multiply_scalar(plans, a, {b.object}, out, input_mod_factor);
  const int factor = input_mod_factor.number("Eltwise.multiply", "input_mod_factor");
  Call call(plans, "Eltwise.multiply", {{"a", a}, {"b", array_of(b)}});
  return call.run(out, factor, [&](const Eltwise& plan, std::size_t, Target r, const Sources& x) {
    plan.multiply(r, x[0], x[1], factor);
  });
}

ArrayArgument multiply_scalar_add(Plans plans, In a, const Scalars& scalar, In c, Out out,
                                  const Integer& input_mod_factor) {
  const char* name = "Eltwise.multiply_scalar_add";
  const int factor = input_mod_factor.number(name, "input_mod_factor");
  Call call(plans, name, {{"a", a}, {"c", c}});
  const auto word = call.scalars(scalar, "scalar");
  return call.run(out, factor,
                  [&](const Eltwise& plan, std::size_t row, Target r, const Sources& x) {
                    plan.multiply_scalar_add(r, x[0], word(row), x[1], factor);
                  });
}

ArrayArgument multiply_add(Plans plans, In a, const ArrayOrScalar& b, In c, Out out,
                           const Integer& input_mod_factor) {
  if (is_scalar(b.object))
    return multiply_scalar_add(plans, a, {b.object}, c, out, input_mod_factor);
  const char* name = "Eltwise.multiply_add";
  if (input_mod_factor.number(name, "input_mod_factor") != 1) {
    throw_invalid_argument({name, "input_mod_factor = " + shown(input_mod_factor.object),
                            "1 if b is an array", "reduce the operands first"});
  }
  Call call(plans, name, {{"a", a}, {"b", array_of(b)}, {"c", c}});
  return call.run(out, 1, [](const Eltwise& plan, std::size_t, Target r, const Sources& x) {
    plan.multiply_add(r, x[0], x[1], x[2]);
  });
}

ArrayArgument reduce(Plans plans, In a, Out out) {
  Call call(plans, "Eltwise.reduce", {{"a", a}});
  return call.run(out, kAnyWords, [](const Eltwise& plan, std::size_t, Target r, const Sources& x) {
    plan.reduce(r, x[0]);
  });
}

ArrayArgument reduce_range(Plans plans, In a, const Integer& input_mod_factor,
                           const Integer& output_mod_factor, Out out) {
  const char* name = "Eltwise.reduce_range";
  const int input = input_mod_factor.number(name, "input_mod_factor");
  const int output = output_mod_factor.number(name, "output_mod_factor");
  Call call(plans, name, {{"a", a}});
  return call.run(out, input, [&](const Eltwise& plan, std::size_t, Target r, const Sources& x) {
    plan.reduce_range(r, x[0], input, output);
  });
}

ArrayArgument compare_add(Plans plans, In a, Comparison comparison, const Scalars& bound,
                          const Scalars& summand, Out out) {
  Call call(plans, "Eltwise.compare_add", {{"a", a}});
  const auto limit = call.scalars(bound, "bound");
  const auto word = call.scalars(summand, "summand");
  return call.run(out, kAnyWords,
                  [&](const Eltwise& plan, std::size_t row, Target r, const Sources& x) {
                    plan.compare_add(r, x[0], comparison, limit(row), word(row));
                  });
}

ArrayArgument compare_subtract(Plans plans, In a, Comparison comparison, const Scalars& bound,
                               const Scalars& difference, Out out) {
  Call call(plans, "Eltwise.compare_subtract", {{"a", a}});
  const auto limit = call.scalars(bound, "bound");
  const auto word = call.scalars(difference, "difference");
  return call.run(out, kAnyWords,
                  [&](const Eltwise& plan, std::size_t row, Target r, const Sources& x) {
                    plan.compare_subtract(r, x[0], comparison, limit(row), word(row));
                  });
}

IntegerOrArray dot(Plans plans, In a, In b, Out out) {
  const char* name = "Eltwise.dot";
  Call call(plans, name, {{"a", a}, {"b", b}});
  const BatchShape shape = call.shape();
  std::optional<ResultArray<>> result;
  std::uint64_t only = 0;
  Target sums(&only, 1);
  if (shape.is_matrix || (out && !out->object.is_none())) {
    result.emplace(out, name, BatchShape{false, 1, shape.rows});
    sums = result->batch().row(0);
  }
  {
    const nb::gil_scoped_release unlocked;
    for (std::size_t i = 0; i < plans.size(); ++i) plans.row(i).dot({}, {});
    call.check_words(1);
    std::vector<std::uint64_t> values(shape.rows);
    for (std::size_t i = 0; i < shape.rows; ++i) {
      values[i] = plans.row(i).dot(call.operands()[0].row(i), call.operands()[1].row(i));
    }
    std::ranges::copy(values, sums.begin());
  }
  return {result ? result->array().object : nb::object(nb::int_(only))};
}

// Returns the vectors of one operand of multiply_accumulate, from a sequence of arrays or from an
// array with one more dimension.
std::vector<Batch> terms_of(const ArraySequence& argument, const char* operation, const char* name,
                            std::deque<HeldArray>& held) {
  std::vector<Batch> terms;
  if (is_sequence(argument.object)) {
    for (nb::handle item : argument.object) {
      held.emplace_back(ArrayArgument{nb::borrow(item)}, ArraySpec{operation, name},
                        HeldArray::Access::read);
      terms.push_back(held.back().batch());
    }
  } else {
    held.emplace_back(ArrayArgument{argument.object}, ArraySpec{operation, name, 2, 3},
                      HeldArray::Access::read);
    terms = held.back().parts();
  }
  return terms;
}

void run_accumulate(Plans plans, const Batch& result, const std::vector<Batch>& a,
                    const std::vector<Batch>& b) {
  std::vector<Source> x(a.size());
  std::vector<Source> y(b.size());
  for (std::size_t i = 0; i < plans.size(); ++i) plans.row(i).multiply_accumulate({}, x, y);
  for (const auto* terms : {&a, &b}) {
    for (const Batch& term : *terms) {
      for (std::size_t i = 0; i < result.shape.rows; ++i) {
        check_range("Eltwise.multiply_accumulate", term.name, term.row(i),
                    plans.row(i).modulus().value());
      }
      check_overlap("Eltwise.multiply_accumulate", result, term);
    }
  }
  for (std::size_t i = 0; i < result.shape.rows; ++i) {
    for (std::size_t k = 0; k < a.size(); ++k) {
      x[k] = a[k].row(i);
      y[k] = b[k].row(i);
    }
    plans.row(i).multiply_accumulate(result.row(i), x, y);
  }
}

ArrayArgument multiply_accumulate(Plans plans, const ArraySequence& a, const ArraySequence& b,
                                  Out out) {
  const char* name = "Eltwise.multiply_accumulate";
  std::deque<HeldArray> held;
  const auto x = terms_of(a, name, "a", held);
  const auto y = terms_of(b, name, "b", held);
  if (x.size() != y.size() || x.empty()) {
    throw_invalid_argument(
        {name, std::to_string(x.size()) + " terms in a, " + std::to_string(y.size()) + " in b",
         "the same number in both, at least one",
         "pass as many vectors in a as in b: vectors with the same index are multiplied"});
  }
  const BatchShape shape = x.front().shape;
  for (const auto* terms : {&x, &y}) {
    for (const Batch& term : *terms) check_shape(name, term, shape);
  }
  plans.check_rows(name, shape);
  const ResultArray result(out, name, shape);
  {
    const nb::gil_scoped_release unlocked;
    run_accumulate(plans, result.batch(), x, y);
  }
  return result.array();
}

void bind_comparison(nb::module_& module) {
  nb::enum_<Comparison>(module, "Comparison",
                        "A comparison of an unsigned word x with a bound, for compare_add and\n"
                        "compare_subtract.")
      .value("EQUAL", Comparison::equal, "x == bound")
      .value("LESS", Comparison::less, "x < bound")
      .value("LESS_EQUAL", Comparison::less_equal, "x <= bound")
      .value("NEVER", Comparison::never, "false")
      .value("NOT_EQUAL", Comparison::not_equal, "x != bound")
      .value("NOT_LESS", Comparison::not_less, "x >= bound")
      .value("NOT_LESS_EQUAL", Comparison::not_less_equal, "x > bound")
      .value("ALWAYS", Comparison::always, "true");
}

using EltwiseClass = nb::class_<RowPlans>;

void bind_sums(EltwiseClass& type) {
  const auto none = nb::none();
  type.def("add", &add, "a"_a, "b"_a, "out"_a = none,
           "Returns (a + b) mod q, for q < 2^63. b is an array of a's shape, or a scalar in [0,\n"
           "q).")
      .def("add_scalar", &add_scalar, "a"_a, "scalar"_a, "out"_a = none,
           "Returns (a + scalar) mod q, for q < 2^63 and a scalar in [0, q).")
      .def("subtract", &subtract, "a"_a, "b"_a, "out"_a = none,
           "Returns (a - b) mod q, for q < 2^63. b is an array of a's shape, or a scalar in [0,\n"
           "q).")
      .def("subtract_scalar", &subtract_scalar, "a"_a, "scalar"_a, "out"_a = none,
           "Returns (a - scalar) mod q, for q < 2^63 and a scalar in [0, q).")
      .def("negate", &negate, "a"_a, "out"_a = none, "Returns -a mod q, for q < 2^63.");
}

void bind_products(EltwiseClass& type) {
  const auto none = nb::none();
  type.def("multiply", &multiply, "a"_a, "b"_a, "out"_a = none, nb::kw_only(),
           "input_mod_factor"_a = 1,
           "Returns a * b mod q. b is an array of a's shape, or a scalar in [0, q).\n"
           "\n"
           "- input_mod_factor: 1, 2 or 4, and 8 with a scalar; arrays hold values in [0,\n"
           "  input_mod_factor * q).")
      .def("multiply_scalar", &multiply_scalar, "a"_a, "scalar"_a, "out"_a = none, nb::kw_only(),
           "input_mod_factor"_a = 1,
           "Returns a * scalar mod q, for a scalar in [0, q) and a in [0, input_mod_factor * q).\n"
           "The factor is 1, 2, 4 or 8.")
      .def("multiply_add", &multiply_add, "a"_a, "b"_a, "c"_a, "out"_a = none, nb::kw_only(),
           "input_mod_factor"_a = 1,
           "Returns (a * b + c) mod q. b is an array of a's shape, or a scalar in [0, q).\n"
           "\n"
           "- input_mod_factor: with a scalar 1, 2, 4 or 8, and a and c are in [0,\n"
           "  input_mod_factor * q). With three arrays the factor is 1.")
      .def("multiply_scalar_add", &multiply_scalar_add, "a"_a, "scalar"_a, "c"_a, "out"_a = none,
           nb::kw_only(), "input_mod_factor"_a = 1,
           "Returns (a * scalar + c) mod q, for a scalar in [0, q), and a and c in [0,\n"
           "input_mod_factor * q).")
      .def("multiply_accumulate", &multiply_accumulate, "a"_a, "b"_a, "out"_a = none,
           "Returns the sum over k of a[k] * b[k] mod q; the result has the shape of one term.\n"
           "\n"
           "- a, b: arrays of shape (terms, n) or (terms, rows, n), or lists of arrays of shape\n"
           "  (n,) or (rows, n); at least one term.")
      .def("dot", &dot, "a"_a, "b"_a, "out"_a = none,
           "Returns the sum of a * b mod q along the last dimension: an int for shape (n,), an\n"
           "array of shape (rows,) for shape (rows, n).");
}

void bind_reductions(EltwiseClass& type) {
  const auto none = nb::none();
  type.def("reduce", &reduce, "a"_a, "out"_a = none, "Returns a mod q, for any 64-bit values.")
      .def("reduce_range", &reduce_range, "a"_a, "input_mod_factor"_a, "output_mod_factor"_a,
           "out"_a = none,
           "Returns values congruent to a modulo q, brought from [0, input_mod_factor * q) to\n"
           "[0, output_mod_factor * q).\n"
           "\n"
           "(input_mod_factor, output_mod_factor) is (2, 1), (4, 1) or (4, 2).")
      .def("compare_add", &compare_add, "a"_a, "comparison"_a, "bound"_a, "summand"_a,
           "out"_a = none,
           "Returns a + summand modulo 2^64 where `a comparison bound` holds, and a elsewhere.\n"
           "All values are any 64-bit words; q is not used.")
      .def("compare_subtract", &compare_subtract, "a"_a, "comparison"_a, "bound"_a, "difference"_a,
           "out"_a = none,
           "Returns (a - difference) mod q where `a comparison bound` holds, and a mod q\n"
           "elsewhere.\n"
           "\n"
           "a and bound are any 64-bit words; difference is in [0, q).");
}

}  // namespace

void bind_eltwise(nb::module_& module) {
  bind_comparison(module);
  EltwiseClass type(
      module, "Eltwise",
      "Element-wise arithmetic on vectors of residues modulo q.\n"
      "\n"
      "- modulus: q in [2, 2^63) for sums and differences, [2, 2^62) for products and\n"
      "  reductions; q need not be prime. A list gives one modulus for each row: all arrays\n"
      "  then have that many rows, and a scalar is one integer or a list of one for each\n"
      "  row.\n"
      "- kernels: a kernel selection as in RINGLET_FORCE_KERNELS; None reads that variable.\n"
      "\n"
      "Operands are arrays of uint64 of one shape, (n,) or (rows, n), with contiguous rows.\n"
      "They are read and written in place, never copied or converted. Values are in [0, q)\n"
      "unless a method says otherwise.\n"
      "`out` is the array to write, and is returned. It may be an operand, but must not\n"
      "overlap an operand in another way. Without it the result is a new array.\n"
      "All methods raise InvalidArgument for a wrong shape, type, layout, overlap, factor,\n"
      "scalar or value; nothing is written then.");
  type.def(nb::new_([](const Scalars& modulus, const OptionalText& kernels) {
             return RowPlans(modulus, kernels);
           }),
           "modulus"_a, "kernels"_a = nb::none());
  bind_sums(type);
  bind_products(type);
  bind_reductions(type);
  type.def(
          "kernel_name",
          [](Plans plans, std::string_view operation) {
            return plans.only("Eltwise.kernel_name").kernel_name(operation);
          },
          "operation"_a,
          "Returns the name of the kernel that computes this operation: \"table/algorithm\", or\n"
          "\"\" if q is too large for it.")
      .def_prop_ro(
          "modulus", [](Plans plans) { return plans.only("Eltwise.modulus").modulus().value(); },
          "The modulus q.")
      .def_prop_ro("moduli", &RowPlans::moduli, "All moduli: one, or one for each row.")
      .def("__repr__", [](Plans plans) {
        if (plans.size() > 1) return "Eltwise(" + std::to_string(plans.size()) + " moduli)";
        return "Eltwise(modulus=" + std::to_string(plans.row(0).modulus().value()) + ")";
      });
}

}  // namespace ringlet::python
