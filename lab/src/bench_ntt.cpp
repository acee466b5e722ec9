// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arguments.hpp"
#include "lab/kernels/ntt_variant.hpp"
#include "lab_bindings.hpp"
#include "ringlet/eltwise.hpp"
#include "ringlet/error.hpp"
#include "ringlet/ntt.hpp"
#include "stopwatch.hpp"

// The jobs of `ringlet bench ntt --figures`: a form of a kernel of transforms, without what a plan
// does around it.

namespace nb = nanobind;
using namespace nb::literals;

namespace ringlet::python {
namespace {

/// One job of a stopwatch.
struct VariantJob {
  std::size_t index = 0;
  std::size_t polynomials = 1;  ///< So many transforms in one call.
  std::size_t table_bytes = 0;  ///< Twiddles of both directions.
};

int log_degree_of(const char* function, const Integer& degree) {
  const std::uint64_t n = degree.word(function, "degree");
  if (std::has_single_bit(n) && n >= 2) return std::countr_zero(n);
  throw_invalid_argument({function, "degree = " + std::to_string(n), "powers of two from 2 on",
                          "choose a power of two"});
}

std::vector<std::pair<std::string, std::string>> variants(const Integer& degree,
                                                          const Integer& modulus) {
  const char* function = "ntt_variants";
  const int log_degree = log_degree_of(function, degree);
  std::vector<std::pair<std::string, std::string>> names;
  for (auto& found : kernels::ntt_variants(log_degree, modulus.word(function, "modulus"))) {
    const auto form = kernels::kNttFormNames[static_cast<unsigned>(found.form)];
    names.emplace_back(std::move(found.kernel), form);
  }
  return names;
}

VariantJob add_ntt_variant(Stopwatch& stopwatch, const Integer& degree, const Integer& modulus,
                           const std::string& kernel, const std::string& form, bool forward) {
  const char* function = "add_ntt_variant";
  const int log_degree = log_degree_of(function, degree);
  const std::uint64_t q = modulus.word(function, "modulus");
  auto variant = std::make_shared<kernels::NttVariant>(
      kernel, kernels::parse_ntt_form(function, form), log_degree, q);
  VariantJob job;
  job.polynomials = variant->polynomial_count();
  job.table_bytes = variant->table_bytes();
  job.index = stopwatch.add([variant, forward](std::uint64_t repetitions) {
    for (std::uint64_t i = 0; i < repetitions; ++i) variant->run(forward);
  });
  return job;
}

// Of this extension's library, whose selections may name kernels for study.

std::string ntt_kernel(const Integer& degree, const Integer& modulus, const OptionalText& kernels) {
  const char* function = "ntt_kernel";
  return Ntt(degree.word(function, "degree"), Modulus(modulus.word(function, "modulus")),
             kernel_selection(kernels))
      .kernel_name();
}

std::string eltwise_kernel(const std::string& operation, const Integer& modulus) {
  return Eltwise(Modulus(modulus.word("eltwise_kernel", "modulus")), kernel_selection(std::nullopt))
      .kernel_name(operation);
}

}  // namespace

void bind_bench_ntt(nb::module_& module) {
  nb::class_<VariantJob>(module, "VariantJob", "A job of a Stopwatch that transforms.")
      .def_ro("index", &VariantJob::index, "Its index in the stopwatch.")
      .def_ro("polynomials", &VariantJob::polynomials, "So many transforms in one call.")
      .def_ro("table_bytes", &VariantJob::table_bytes, "Bytes of twiddles, both directions.");
  module.def("ntt_kernel", &ntt_kernel, "degree"_a, "modulus"_a, "kernels"_a = nb::none(),
             "The name of the kernel that a plan takes.");
  module.def("eltwise_kernel", &eltwise_kernel, "operation"_a, "modulus"_a,
             "The name of the kernel that an operation takes.");
  module.def("ntt_variants", &variants, "degree"_a, "modulus"_a,
             "Kernel and form (ordered, unordered, two) of what this processor can transform so.");
  module.def("add_ntt_variant", &add_ntt_variant, "stopwatch"_a, "degree"_a, "modulus"_a,
             "kernel"_a, "form"_a, "forward"_a,
             "Adds a form of a kernel, called directly, in place, outputs in [0, q).");
}

}  // namespace ringlet::python
