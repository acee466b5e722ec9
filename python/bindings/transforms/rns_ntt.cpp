// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ntt/rns_ntt.hpp"

#include "bindings/core/arrays.hpp"
#include "bindings/core/bindings.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::python {
namespace {

using Indices = std::vector<std::size_t>;

RnsNtt make_rns_ntt(const Integer& degree, const std::vector<Integer>& moduli,
                    const OptionalText& kernels) {
  const std::size_t n = degree.word("RnsNtt", "degree");
  std::vector<Modulus> primes;
  for (const Integer& modulus : moduli) primes.emplace_back(modulus.word("RnsNtt", "modulus"));
  const KernelSelection selection = kernel_selection(kernels);
  const nb::gil_scoped_release unlocked;
  return RnsNtt(n, primes, selection);
}

Indices prime_indices(const RnsNtt& rns, const char* operation,
                      const std::optional<std::vector<Integer>>& primes) {
  Indices indices;
  if (!primes) {
    indices.resize(rns.size());
    std::iota(indices.begin(), indices.end(), std::size_t{0});
    return indices;
  }
  for (const Integer& prime : *primes) indices.push_back(prime.word(operation, "prime"));
  return indices;
}

std::string shape_text(const Stack& stack) {
  return std::to_string(stack.count) + " times " + stack.matrix.shape.text();
}

void check_matrices(const char* operation, const Stack& stack, std::size_t limbs,
                    std::size_t degree) {
  const BatchShape expected{true, limbs, degree};
  if (stack.matrix.shape == expected) return;
  throw_invalid_argument(
      {operation,
       std::string(stack.matrix.name) + " has matrices of shape " + stack.matrix.shape.text(),
       "shape " + expected.text() + ": limbs of one polynomial",
       "pass one row of N residues per prime"});
}

/// Returns the words of the matrices; there must be at least one.
RnsWords rns_words(const char* operation, const Stack& stack) {
  const BatchShape& shape = stack.matrix.shape;
  const auto stride = [&](std::size_t count, std::ptrdiff_t words) -> std::size_t {
    if (count <= 1) return 0;
    if (words >= static_cast<std::ptrdiff_t>(shape.length)) return static_cast<std::size_t>(words);
    throw_invalid_argument({operation,
                            std::string(stack.matrix.name) + " has rows or matrices " +
                                std::to_string(words) + " words apart",
                            "at least the " + std::to_string(shape.length) + " words of a row",
                            "pass " + std::string(stack.matrix.name) + ".copy()"});
  };
  const std::size_t limb_stride = stride(shape.rows, stack.matrix.row_stride);
  const std::size_t polynomial_stride = stride(stack.count, stack.stride);
  const std::size_t words =
      (stack.count - 1) * polynomial_stride + (shape.rows - 1) * limb_stride + shape.length;
  return {{stack.matrix.words, words}, limb_stride, stack.count, polynomial_stride};
}

void check_ranges(const RnsNtt& rns, const char* operation, const Stack& stack,
                  const Indices& primes, int factor) {
  Batch matrix = stack.matrix;
  for (std::size_t p = 0; p < stack.count; ++p, matrix.words += stack.stride) {
    for (std::size_t i = 0; i < primes.size(); ++i) {
      if (primes[i] >= rns.size()) return;  // the library will refuse it
      check_range(operation, matrix.name, matrix.row(i), rns[primes[i]].modulus().value(), factor);
    }
  }
}

/// Where a call writes: the caller's `out`, or a new array of the shape of `source`.
class ResultStack {
 public:
  ResultStack(const OptionalArray& out, const char* operation, const Stack& source,
              bool is_single) {
    if (out && !out->object.is_none()) {
      array_ = *out;
      const int dimensions = is_single ? 2 : 3;
      held_.emplace(*out, ArraySpec{operation, "out", dimensions, dimensions},
                    HeldArray::Access::write);
      stack_ = held_->stack();
      check_same_shape(operation, source);
      return;
    }
    const BatchShape& shape = source.matrix.shape;
    Target values;
    array_ = make_array(source.count * shape.rows * shape.length, values);
    const nb::object reshape = array_.object.attr("reshape");
    array_ = {is_single ? reshape(shape.rows, shape.length)
                        : reshape(source.count, shape.rows, shape.length)};
    stack_ = {{"out", values.data(), static_cast<std::ptrdiff_t>(shape.length), shape},
              source.count,
              static_cast<std::ptrdiff_t>(shape.rows * shape.length)};
  }

  const Stack& stack() const noexcept { return stack_; }
  ArrayArgument array() const { return array_; }

 private:
  void check_same_shape(const char* operation, const Stack& source) const {
    if (stack_.count == source.count && stack_.matrix.shape == source.matrix.shape) return;
    throw_invalid_argument({operation, "out has shape " + shape_text(stack_),
                            "shape " + shape_text(source),
                            "pass an out array of the same shape as a"});
  }

  ArrayArgument array_;
  std::optional<HeldArray> held_;
  Stack stack_;
};

template <bool kForward>
ArrayArgument transform(const RnsNtt& rns, const ArrayArgument& a, const OptionalArray& out,
                        const std::optional<std::vector<Integer>>& primes,
                        const Integer& input_mod_factor, const Integer& output_mod_factor) {
  const char* operation = kForward ? "RnsNtt.forward" : "RnsNtt.inverse";
  const int input = input_mod_factor.number(operation, "input_mod_factor");
  const int output = output_mod_factor.number(operation, "output_mod_factor");
  const Indices indices = prime_indices(rns, operation, primes);
  const HeldArray held(a, {operation, "a", 2, 3}, HeldArray::Access::read);
  const Stack source = held.stack();
  check_matrices(operation, source, indices.size(), rns.degree());
  const ResultStack result(out, operation, source, held.dimensions() == 2);
  if (source.count == 0 || indices.empty()) return result.array();
  const RnsWords from = rns_words(operation, source);
  const RnsWords to = rns_words(operation, result.stack());
  {
    const nb::gil_scoped_release unlocked;
    // The library will refuse other factors: they get no check of ranges.
    if (input == 1 || input == 2 || input == 4) {
      check_ranges(rns, operation, source, indices, input);
    }
    if constexpr (kForward) {
      rns.forward(to, from, indices, input, output);
    } else {
      rns.inverse(to, from, indices, input, output);
    }
  }
  return result.array();
}

}  // namespace

void bind_rns_ntt(nb::module_& module) {
  nb::class_<RnsNtt>(
      module, "RnsNtt",
      "Transforms many polynomials modulo many primes in one call, with thread_count()\n"
      "threads.\n"
      "\n"
      "The plan makes one Ntt for each prime.\n"
      "\n"
      "- degree: N, as for Ntt.\n"
      "- moduli: the primes, as for Ntt.\n"
      "- kernels: a kernel selection, as for Ntt.")
      .def(nb::new_(&make_rns_ntt), "degree"_a, "moduli"_a, "kernels"_a = nb::none())
      .def("forward", &transform<true>, "a"_a, "out"_a = nb::none(), nb::kw_only(),
           "primes"_a = nb::none(), "input_mod_factor"_a = 1, "output_mod_factor"_a = 1,
           "Returns the NTT form of each row of `a`: Ntt.forward of the row's prime.\n"
           "\n"
           "- a: array of uint64 of shape (limbs, N), or (polynomials, limbs, N), with\n"
           "  contiguous rows.\n"
           "- primes: row i of a polynomial belongs to the prime of index primes[i]. By default\n"
           "  there is one row for each prime, in order.\n"
           "- out: array to write; it may be `a` itself. The call returns it.\n"
           "- input_mod_factor, output_mod_factor: as in Ntt.forward.\n"
           "\n"
           "Raises InvalidArgument if an argument does not fit, OutOfRange for an index without\n"
           "a prime; nothing is written then.")
      .def("inverse", &transform<false>, "a"_a, "out"_a = nb::none(), nb::kw_only(),
           "primes"_a = nb::none(), "input_mod_factor"_a = 1, "output_mod_factor"_a = 1,
           "Returns the coefficients of each row of `a`: Ntt.inverse of the row's prime.\n"
           "Arguments and errors are those of `forward`, factors those of Ntt.inverse.")
      .def("__len__", &RnsNtt::size)
      .def(
          "__getitem__",
          [](const RnsNtt& rns, const Integer& i) { return rns[i.word("RnsNtt[]", "i")]; }, "i"_a,
          "Returns the Ntt of prime i.")
      .def_prop_ro("degree", &RnsNtt::degree, "The degree N.")
      .def_prop_ro(
          "moduli",
          [](const RnsNtt& rns) {
            std::vector<std::uint64_t> moduli;
            for (std::size_t i = 0; i < rns.size(); ++i) moduli.push_back(rns[i].modulus().value());
            return moduli;
          },
          "The primes, in order.")
      .def_prop_ro("table_bytes", &RnsNtt::table_bytes,
                   "Size of the twiddle tables of all primes in bytes.")
      .def("__repr__", [](const RnsNtt& rns) {
        return "RnsNtt(degree=" + std::to_string(rns.degree()) + ", " + std::to_string(rns.size()) +
               " primes)";
      });
}

}  // namespace ringlet::python
