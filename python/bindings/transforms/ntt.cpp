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

/// Refuses uint32 for moduli that do not fit it.
void check_half_words(const char* operation, std::uint64_t q, int factor) {
  constexpr std::uint64_t kEnd = std::uint64_t{1} << 32;
  if (q <= kEnd / static_cast<std::uint64_t>(factor)) return;
  throw_invalid_argument({operation,
                          "a has dtype uint32, with modulus " + std::to_string(q) +
                              " and range factor " + std::to_string(factor),
                          "factor * modulus up to 2^32 for values in 32-bit words",
                          "convert the array: a.astype(numpy.uint64)"});
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

void bind_ntt_facts(nb::class_<Ntt>& ntt) {
  ntt.def_prop_ro("degree", &Ntt::degree, "The degree N.")
      .def_prop_ro(
          "modulus", [](const Ntt& plan) { return plan.modulus().value(); }, "The modulus q.")
      .def_prop_ro("root_of_unity", &Ntt::root_of_unity,
                   "The root w, an element of order 2N modulo q.")
      .def_prop_ro("kernel_name", &Ntt::kernel_name,
                   "Name of the chosen kernel: \"table/algorithm\".")
      .def_prop_ro("table_bytes", &Ntt::table_bytes, "Size of the twiddle tables in bytes.")
      .def("__repr__", [](const Ntt& plan) {
        return "Ntt(degree=" + std::to_string(plan.degree()) +
               ", modulus=" + std::to_string(plan.modulus().value()) + ", kernel='" +
               plan.kernel_name() + "')";
      });
}

void bind_ntt_class(nb::module_& module) {
  nb::class_<Ntt> ntt(
      module, "Ntt",
      "Plan for the negacyclic number-theoretic transform (NTT) over Z_q[X]/(X^N + 1).\n"
      "\n"
      "    result[i] = sum_j a[j] * w^((2*bit_reverse(i) + 1) * j) mod q\n"
      "\n"
      "- degree: N, a power of two from 2 to 1048576.\n"
      "- modulus: q, a prime that is 1 mod 2N; generate_ntt_primes finds such primes.\n"
      "- root: w, an element of order 2N modulo q; by default the smallest one.\n"
      "- kernels: a kernel selection as in RINGLET_FORCE_KERNELS; None reads that variable.\n"
      "\n"
      "The plan chooses its kernel once; kernel_name shows it. Raises InvalidArgument for\n"
      "other degrees, moduli and roots.\n"
      "Several threads may use one plan. Calls release the interpreter's lock. Transforms\n"
      "are constant time in the data.");
  ntt.def(nb::new_(&make_ntt), "degree"_a, "modulus"_a, "root"_a = nb::none(),
          "kernels"_a = nb::none())
      .def("forward", &transform<true>, "a"_a, "out"_a = nb::none(), nb::kw_only(),
           "input_mod_factor"_a = 1, "output_mod_factor"_a = 1,
           "Returns the NTT form of the coefficients `a`, in bit-reversed order.\n"
           "\n"
           "- a: array of uint64 of shape (N,), or (rows, N) with contiguous rows; each row is\n"
           "  transformed. Values are in [0, input_mod_factor * q).\n"
           "- out: array to write, of the shape of `a`; it may be `a` itself. The call returns\n"
           "  it. By default the result is a new array.\n"
           "- input_mod_factor: 1, 2 or 4.\n"
           "- output_mod_factor: 1, 4, 8 or 16; the result is in [0, output_mod_factor * q).\n"
           "\n"
           "Arrays of uint32 also work if factor * q <= 2^32; the result is then of uint32.\n"
           "Raises InvalidArgument if an argument does not fit; nothing is written then.")
      .def("inverse", &transform<false>, "a"_a, "out"_a = nb::none(), nb::kw_only(),
           "input_mod_factor"_a = 1, "output_mod_factor"_a = 1,
           "Returns the coefficients of the NTT form `a`; the factor 1/N is included.\n"
           "\n"
           "input_mod_factor and output_mod_factor are 1 or 2. Shapes, types, `out` and errors\n"
           "are those of `forward`.")
      .def("multiply", &multiply, "a"_a, "b"_a, "out"_a = nb::none(), nb::kw_only(),
           "input_mod_factor"_a = 1, "output_mod_factor"_a = 1,
           "Returns the product a * b modulo X^N + 1 and q. All arrays hold coefficients.\n"
           "\n"
           "- a, b: arrays of one shape, as in `forward`, with values in [0, input_mod_factor *\n"
           "  q).\n"
           "- out: array to write; it may be an operand. The call returns it.\n"
           "- input_mod_factor: 1, 2 or 4.\n"
           "- output_mod_factor: 1 or 2.\n"
           "\n"
           "A square (the same array twice) needs one transform less. Raises InvalidArgument as\n"
           "`forward` does.");
  bind_ntt_facts(ntt);
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
      "Returns `count` primes of exactly `bit_count` bits that are 1 mod 2*degree.\n"
      "\n"
      "- bit_count: 2 to 62.\n"
      "- preference: \"largest\" gives the largest primes, in descending order.\n"
      "  \"half_word_one\" puts primes that are 1 mod 2^32 first; transforms with primes of\n"
      "  55 to 61 bits reduce faster modulo these.\n"
      "\n"
      "Raises InvalidArgument if there are fewer than `count` such primes.");
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
      "Returns `count` primes of at most `max_bits` bits that are 1 mod 2*degree and have\n"
      "fast transforms.\n"
      "\n"
      "- max_bits up to 49: the largest primes.\n"
      "- 50 to 54: the largest primes below 2^49.\n"
      "- 55 to 61: preferably primes that are 1 mod 2^32.\n"
      "- 62: the primes for 61.\n"
      "\n"
      "Raises InvalidArgument if there are fewer than `count` such primes.");
  module.def(
      "is_prime", [](const Integer& n) { return ringlet::is_prime(n.word("is_prime", "n")); },
      "n"_a,
      "Returns True if n is prime. Exact for 0 <= n < 2^64; raises InvalidArgument outside\n"
      "of this range.");
  module.def(
      "minimal_primitive_root",
      [](const Integer& order, const Integer& modulus) {
        const char* operation = "minimal_primitive_root";
        return ringlet::minimal_primitive_root(order.word(operation, "order"),
                                               Modulus(modulus.word(operation, "modulus")));
      },
      "order"_a, "modulus"_a,
      "Returns the smallest element of order `order` modulo the prime `modulus`.\n"
      "\n"
      "- order: a power of two, at least 2. Raises InvalidArgument for other orders.");
}

}  // namespace ringlet::python
