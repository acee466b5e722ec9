// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ntt/ntt.hpp"

#include "bindings/core/arrays.hpp"
#include "bindings/core/bindings.hpp"
#include "bindings/transforms/ntt_methods.hpp"
#include "ringlet/arith/primes.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::python {
namespace {

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

/// With such moduli, uint32 is the wrong type.
void check_half_words(const char* operation, std::uint64_t q, int factor) {
  constexpr std::uint64_t kEnd = std::uint64_t{1} << 32;
  if (q <= kEnd / static_cast<std::uint64_t>(factor)) return;
  throw_invalid_argument({operation,
                          "a has dtype uint32, with modulus " + std::to_string(q) +
                              " and range factor " + std::to_string(factor),
                          "factor * modulus up to 2^32 for values in 32-bit words",
                          "convert it: a.astype(numpy.uint64)"});
}

template <bool kForward>
ArrayArgument transform(const Ntt& plan, const ArrayArgument& a, const OptionalArray& out,
                        const Integer& input_mod_factor, const Integer& output_mod_factor) {
  const char* operation = kForward ? "Ntt.forward" : "Ntt.inverse";
  const int input = input_mod_factor.number(operation, "input_mod_factor");
  const int output = output_mod_factor.number(operation, "output_mod_factor");
  const HeldArray held(a, {operation, "a", 1, 2, 0}, HeldArray::Access::read);
  const auto run = [&]<typename Word>(const BatchOf<Word>& source) {
    check_length(operation, plan, source);
    const auto row = [&](std::span<Word> to, std::span<const Word> from) {
      kForward ? plan.forward(to, from, input, output) : plan.inverse(to, from, input, output);
    };
    return write_rows({operation, plan, out, input}, row, source);
  };
  if (!held.holds_half_words()) return run(held.batch());
  check_half_words(operation, plan.modulus().value(), std::max({input, output, 1}));
  return run(held.batch<std::uint32_t>());
}

ArrayArgument multiply(const Ntt& plan, const ArrayArgument& a, const ArrayArgument& b,
                       const OptionalArray& out, const Integer& input_mod_factor,
                       const Integer& output_mod_factor) {
  const char* operation = "Ntt.multiply";
  const int input = input_mod_factor.number(operation, "input_mod_factor");
  const int output = output_mod_factor.number(operation, "output_mod_factor");
  const HeldArray held_a(a, {operation, "a"}, HeldArray::Access::read);
  const HeldArray held_b(b, {operation, "b"}, HeldArray::Access::read);
  const Batch x = held_a.batch();
  const Batch y = held_b.batch();
  check_length(operation, plan, x);
  check_shape(operation, y, x.shape);
  const auto row = [&](Target to, Source of_x, Source of_y) {
    plan.multiply(to, of_x, of_y, input, output);
  };
  return write_rows({operation, plan, out, input}, row, x, y);
}

void bind_ntt_class(nb::module_& module) {
  nb::class_<Ntt> ntt(
      module, "Ntt",
      "Plan for the negacyclic number-theoretic transform over Z_q[X]/(X^N + 1).\n\nresult[i] = "
      "sum_j a[j] * w^((2*bit_reverse(i) + 1) * j) mod q for a root w of order 2N,\nby default the "
      "smallest. The kernel is chosen once, here; kernel_name shows it.\n`kernels` is a text as in "
      "RINGLET_FORCE_KERNELS; None takes that variable.");
  ntt.def(nb::new_(&make_ntt), "degree"_a, "modulus"_a, "root"_a = nb::none(),
          "kernels"_a = nb::none())
      .def("forward", &transform<true>, "a"_a, "out"_a = nb::none(), nb::kw_only(),
           "input_mod_factor"_a = 1, "output_mod_factor"_a = 1,
           "Coefficients in [0, input_mod_factor * q) to NTT form in [0, output_mod_factor * q);\n"
           "factors 1, 2, 4 and 1, 4, 8, 16. `a` is an array of uint64 of shape (N,), or (rows, N) "
           "with contiguous\nrows, each of which is transformed. `out` may be `a` itself, and is "
           "returned.\nArrays of uint32 are taken too, where factor * q <= 2^32; the "
           "result is of uint32 then.\nRaises InvalidArgument, and changes nothing then.")
      .def("inverse", &transform<false>, "a"_a, "out"_a = nb::none(), nb::kw_only(),
           "input_mod_factor"_a = 1, "output_mod_factor"_a = 1,
           "NTT form to coefficients, the factor 1/N included; factors 1, 2 and 1, 2. Otherwise "
           "as forward.")
      .def("multiply", &multiply, "a"_a, "b"_a, "out"_a = nb::none(), nb::kw_only(),
           "input_mod_factor"_a = 1, "output_mod_factor"_a = 1,
           "a * b modulo X^N + 1 and q, all as coefficients; factors 1, 2, 4 and 1, 2. Arrays as "
           "in forward, of\none shape; `out` may be an operand, and is returned. A square (the "
           "same array twice) takes one\ntransform less.")
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
  bind_unordered(module, ntt);
  bind_two(ntt);
}

}  // namespace

PrimePreference parse_prime_preference(const std::string& name, const char* operation) {
  constexpr std::array kPreferences = {PrimePreference::largest, PrimePreference::half_word_one};
  for (const PrimePreference preference : kPreferences) {
    if (name == to_string(preference)) return preference;
  }
  throw_invalid_argument({operation, "prime preference '" + name + "'", "largest or half_word_one",
                          "pass one of these names"});
}

void bind_ntt(nb::module_& module) {
  bind_ntt_class(module);
  module.def(
      "generate_ntt_primes",
      [](const Integer& bit_count, const Integer& degree, const Integer& count,
         const std::string& preference) {
        const char* operation = "generate_ntt_primes";
        const int bits = bit_count.number(operation, "bit_count");
        const std::size_t n = degree.word(operation, "degree");
        return values_of(
            ringlet::generate_ntt_primes(bits, n, count.word(operation, "count"),
                                         parse_prime_preference(preference, operation)));
      },
      "bit_count"_a, "degree"_a, "count"_a = 1, "preference"_a = "largest",
      "The first `count` primes of exactly that many bits that are 1 mod 2*degree: from the "
      "largest down, or with\nthe preference \"half_word_one\" those first that are 1 mod 2^32, "
      "which transforms of 55 to 61 bits reduce\nfaster.");
  module.def(
      "generate_fast_ntt_primes",
      [](const Integer& max_bits, const Integer& degree, const Integer& count) {
        const char* operation = "generate_fast_ntt_primes";
        const int bits = max_bits.number(operation, "max_bits");
        const std::size_t n = degree.word(operation, "degree");
        return values_of(
            ringlet::generate_fast_ntt_primes(bits, n, count.word(operation, "count")));
      },
      "max_bits"_a, "degree"_a, "count"_a = 1,
      "`count` primes of at most `max_bits` bits that are 1 mod 2*degree and have fast "
      "transforms: up to 49 bits the\nlargest, for 50 to 54 the largest below 2^49, for 55 to 61 "
      "preferably 1 mod 2^32, for 62 those of 61.");
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
