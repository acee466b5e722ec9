// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ntt.hpp"

#include <optional>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "ringlet/eltwise.hpp"
#include "ringlet/primes.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace ringlet::python {
namespace {

using OptionalArray = std::optional<ArrayArgument>;
using Source = std::span<const std::uint64_t>;
using Target = std::span<std::uint64_t>;

Ntt make_ntt(const Integer& degree, const Integer& modulus, const std::optional<Integer>& root,
             const OptionalText& kernels) {
  const std::size_t n = degree.word("Ntt", "degree");
  const Modulus q(modulus.word("Ntt", "modulus"));
  const KernelSelection selection = kernel_selection(kernels);
  if (!root) {
    const nb::gil_scoped_release unlocked;
    return Ntt(n, q, selection);
  }
  const std::uint64_t w = root->word("Ntt", "root");
  const nb::gil_scoped_release unlocked;
  return Ntt(n, q, w, selection);
}

template <bool kForward>
ArrayArgument transform(const Ntt& plan, const ArrayArgument& a, const OptionalArray& out) {
  const char* operation = kForward ? "Ntt.forward" : "Ntt.inverse";
  const ArraySpec spec{operation, "a", plan.degree()};
  const Words source(a, spec, Words::Access::read);
  const Result result(out, {operation, "out", plan.degree()});
  {
    const nb::gil_scoped_release unlocked;
    check_reduced(source.values(), plan.modulus().value(), spec);
    if constexpr (kForward) {
      plan.forward(result.values(), source.values());
    } else {
      plan.inverse(result.values(), source.values());
    }
  }
  return result.array();
}

// The element-wise operations, by the number of their array operands.
template <typename Operation>
ArrayArgument unary(const Eltwise& plan, const char* name, const ArrayArgument& a,
                    const OptionalArray& out, Operation operation, bool reduced = true) {
  const ArraySpec spec{name, "a", std::nullopt};
  const Words x(a, spec, Words::Access::read);
  const Result result(out, {name, "out", x.size()});
  const nb::gil_scoped_release unlocked;
  if (reduced) check_reduced(x.values(), plan.modulus().value(), spec);
  operation(result.values(), x.values());
  return result.array();
}

template <typename Operation>
ArrayArgument binary(const Eltwise& plan, const char* name, const ArrayArgument& a,
                     const ArrayArgument& b, const char* second, const OptionalArray& out,
                     Operation operation) {
  const Words x(a, {name, "a", std::nullopt}, Words::Access::read);
  const Words y(b, {name, second, x.size()}, Words::Access::read);
  const Result result(out, {name, "out", x.size()});
  const std::uint64_t q = plan.modulus().value();
  const nb::gil_scoped_release unlocked;
  check_reduced(x.values(), q, {name, "a", std::nullopt});
  check_reduced(y.values(), q, {name, second, std::nullopt});
  operation(result.values(), x.values(), y.values());
  return result.array();
}

ArrayArgument multiply_add(const Eltwise& plan, const ArrayArgument& a, const ArrayArgument& b,
                           const ArrayArgument& c, const OptionalArray& out) {
  const char* name = "Eltwise.multiply_add";
  const Words z(c, {name, "c", std::nullopt}, Words::Access::read);
  const ArraySpec spec{name, "c", std::nullopt};
  return binary(plan, name, a, b, "b", out, [&](Target result, Source x, Source y) {
    check_reduced(z.values(), plan.modulus().value(), spec);
    plan.multiply_add(result, x, y, z.values());
  });
}

ArrayArgument multiply_scalar(const Eltwise& plan, const ArrayArgument& a, const Integer& scalar,
                              const OptionalArray& out) {
  const char* name = "Eltwise.multiply_scalar";
  const std::uint64_t s = scalar.word(name, "scalar");
  return unary(plan, name, a, out,
               [&](Target result, Source x) { plan.multiply_scalar(result, x, s); });
}

ArrayArgument multiply_scalar_add(const Eltwise& plan, const ArrayArgument& a,
                                  const Integer& scalar, const ArrayArgument& c,
                                  const OptionalArray& out) {
  const char* name = "Eltwise.multiply_scalar_add";
  const std::uint64_t s = scalar.word(name, "scalar");
  return binary(plan, name, a, c, "c", out, [&](Target result, Source x, Source z) {
    plan.multiply_scalar_add(result, x, s, z);
  });
}

void bind_ntt_class(nb::module_& module) {
  nb::class_<Ntt>(module, "Ntt",
                  "Plan for the negacyclic number-theoretic transform over Z_q[X]/(X^N + 1).\n\n"
                  "result[i] = sum_j a[j] * w^((2*bit_reverse(i) + 1) * j) mod q for a root w of "
                  "order 2N,\nby default the smallest. The kernel is chosen once, here; "
                  "kernel_name shows it.\n`kernels` is a text as in RINGLET_FORCE_KERNELS; None "
                  "takes that variable.")
      .def(nb::new_(&make_ntt), "degree"_a, "modulus"_a, "root"_a = nb::none(),
           "kernels"_a = nb::none())
      .def("forward", &transform<true>, "a"_a, "out"_a = nb::none(),
           "Coefficients in [0, q) to NTT form. `out` may be `a` itself, and is returned.")
      .def("inverse", &transform<false>, "a"_a, "out"_a = nb::none(),
           "NTT form in [0, q) to coefficients, the factor 1/N included.")
      .def_prop_ro("degree", &Ntt::degree, "N.")
      .def_prop_ro(
          "modulus", [](const Ntt& plan) { return plan.modulus().value(); }, "q.")
      .def_prop_ro("root_of_unity", &Ntt::root_of_unity, "w, of order 2N modulo q.")
      .def_prop_ro("kernel_name", &Ntt::kernel_name, "\"table/algorithm\" of what runs.")
      .def_prop_ro("table_bytes", &Ntt::table_bytes, "Bytes of twiddle tables.")
      .def("__repr__", [](const Ntt& plan) {
        return "Ntt(degree=" + std::to_string(plan.degree()) +
               ", modulus=" + std::to_string(plan.modulus().value()) + ", kernel='" +
               plan.kernel_name() + "')";
      });
}

void bind_eltwise_class(nb::module_& module) {
  using Plan = const Eltwise&;
  using In = const ArrayArgument&;
  using Out = const OptionalArray&;
  const auto none = nb::none();
  nb::class_<Eltwise>(module, "Eltwise",
                      "Element-wise arithmetic on vectors of residues modulo q in [2, 2^62).\n\n"
                      "Operands are arrays of uint64 with values in [0, q) of one length; `out` "
                      "may be an operand,\nand is returned. `kernels` as in Ntt.")
      .def(nb::new_([](const Integer& modulus, const OptionalText& kernels) {
             return Eltwise(Modulus(modulus.word("Eltwise", "modulus")), kernel_selection(kernels));
           }),
           "modulus"_a, "kernels"_a = none)
      .def(
          "add",
          [](Plan plan, In a, In b, Out out) {
            return binary(plan, "Eltwise.add", a, b, "b", out,
                          [&](Target r, Source x, Source y) { plan.add(r, x, y); });
          },
          "a"_a, "b"_a, "out"_a = none, "(a + b) mod q.")
      .def(
          "subtract",
          [](Plan plan, In a, In b, Out out) {
            return binary(plan, "Eltwise.subtract", a, b, "b", out,
                          [&](Target r, Source x, Source y) { plan.subtract(r, x, y); });
          },
          "a"_a, "b"_a, "out"_a = none, "(a - b) mod q.")
      .def(
          "negate",
          [](Plan plan, In a, Out out) {
            return unary(plan, "Eltwise.negate", a, out,
                         [&](Target r, Source x) { plan.negate(r, x); });
          },
          "a"_a, "out"_a = none, "-a mod q.")
      .def(
          "multiply",
          [](Plan plan, In a, In b, Out out) {
            return binary(plan, "Eltwise.multiply", a, b, "b", out,
                          [&](Target r, Source x, Source y) { plan.multiply(r, x, y); });
          },
          "a"_a, "b"_a, "out"_a = none, "a * b mod q.")
      .def("multiply_add", &multiply_add, "a"_a, "b"_a, "c"_a, "out"_a = none, "(a * b + c) mod q.")
      .def("multiply_scalar", &multiply_scalar, "a"_a, "scalar"_a, "out"_a = none,
           "a * scalar mod q, scalar in [0, q).")
      .def("multiply_scalar_add", &multiply_scalar_add, "a"_a, "scalar"_a, "c"_a, "out"_a = none,
           "(a * scalar + c) mod q, scalar in [0, q).")
      .def(
          "reduce",
          [](Plan plan, In a, Out out) {
            return unary(
                plan, "Eltwise.reduce", a, out, [&](Target r, Source x) { plan.reduce(r, x); },
                false);
          },
          "a"_a, "out"_a = none, "a mod q for any 64-bit values.")
      .def("kernel_name", &Eltwise::kernel_name, "operation"_a,
           "\"table/algorithm\" of what runs the operation of that name.")
      .def_prop_ro(
          "modulus", [](Plan plan) { return plan.modulus().value(); }, "q.")
      .def("__repr__", [](Plan plan) {
        return "Eltwise(modulus=" + std::to_string(plan.modulus().value()) + ")";
      });
}

}  // namespace

void bind_ntt(nb::module_& module) {
  bind_ntt_class(module);
  bind_eltwise_class(module);
  module.def(
      "generate_ntt_primes",
      [](const Integer& bit_count, const Integer& degree, const Integer& count) {
        const char* operation = "generate_ntt_primes";
        const int bits = bit_count.number(operation, "bit_count");
        const std::size_t n = degree.word(operation, "degree");
        std::vector<std::uint64_t> primes;
        for (const Modulus& q :
             ringlet::generate_ntt_primes(bits, n, count.word(operation, "count"))) {
          primes.push_back(q.value());
        }
        return primes;
      },
      "bit_count"_a, "degree"_a, "count"_a = 1,
      "The largest `count` primes of exactly that many bits that are 1 mod 2*degree, decreasing.");
  module.def(
      "is_prime", [](const Integer& n) { return ringlet::is_prime(n.word("is_prime", "n")); },
      "n"_a, "True if n is prime; exact below 2^64.");
  module.def(
      "minimal_primitive_root",
      [](const Integer& order, const Integer& modulus) {
        const char* operation = "minimal_primitive_root";
        return ringlet::minimal_primitive_root(order.word(operation, "order"),
                                               Modulus(modulus.word(operation, "modulus")));
      },
      "order"_a, "modulus"_a,
      "The smallest element of order exactly `order` modulo the prime `modulus`.");
}

}  // namespace ringlet::python
