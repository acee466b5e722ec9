// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arguments.hpp"
#include "bench_wide.hpp"
#include "lab/kernels/projection.hpp"
#include "lab/kernels/wide_projection.hpp"
#include "lab_bindings.hpp"
#include "ringlet/aligned.hpp"
#include "ringlet/error.hpp"
#include "ringlet/wide.hpp"
#include "stopwatch.hpp"

// Projections of `ringlet bench wide` as jobs of the same stopwatch. What these kernels write is
// wrong; nothing reads it.

namespace nb = nanobind;
using namespace nb::literals;

namespace ringlet::python {
namespace {

using Words = AlignedVector<std::uint64_t>;
using kernels::WideOperation;

constexpr std::array<std::pair<const char*, WideOperation>, 5> kOperations{{
    {"add", WideOperation::add},
    {"subtract", WideOperation::subtract},
    {"multiply", WideOperation::multiply},
    {"axpy", WideOperation::multiply_scalar_add},
    {"dot", WideOperation::dot},
}};

kernels::WideWords result_of(Planes& planes) { return {planes.low.data(), planes.high.data(), 1}; }
kernels::ConstWideWords operand_of(const Planes& planes) {
  return {planes.low.data(), planes.high.data(), 1};
}

struct EltwiseSubject {
  EltwiseSubject(std::size_t size, const WideModulus& q, const kernels::WideKernel& kernel)
      : a(size, q, 1), b(size, q, 2), c(size, q, 3) {
    const std::uint64_t scalar[2] = {a.low[0], a.high[0]};
    kernel.build_constants(constants, q.value().data());
    kernel.make_factor(factor, scalar, constants);
    arguments = {result_of(c), operand_of(a), operand_of(b), size, factor};
  }

  Planes a, b, c;
  kernels::WideConstants constants;
  std::uint64_t factor[kernels::kMaxWideFactorWords] = {};
  kernels::WideEltwiseArguments arguments;
};

struct TransformSubject {
  TransformSubject(std::size_t degree, const WideModulus& q, const kernels::WideKernel& kernel)
      : operand(degree, q, 1), result(degree, q, 2) {
    const int log_degree = std::countr_zero(degree);
    // The checks of a plan, and a root.
    const WideNtt plan(degree, q, WideRing::negacyclic, KernelSelection("scalar64"));
    table.resize(kernel.table_bytes(log_degree) / sizeof(std::uint64_t));
    scratch.resize(kernel.scratch_words(log_degree));
    const DoubleWord root = plan.root_of_unity();
    kernel.build_table(table.data(), {.log_degree = log_degree,
                                      .cyclic = false,
                                      .q = {q.value()[0], q.value()[1]},
                                      .root = {root[0], root[1]}});
  }

  Planes operand, result;
  Words table, scratch;
};

const kernels::WideKernel& kernel_of(const char* function, const std::string& product,
                                     const WideModulus& q) {
  std::string names;
  for (const kernels::ProjectedWideKernel& projected : kernels::projected_wide_kernels()) {
    names += std::string(names.empty() ? "" : ", ") + projected.product;
    if (product != projected.product) continue;
    const int least = projected.kernel.min_modulus_bits;
    if (q.value()[0] % 2 == 1 && q.bit_count() >= std::max(least, 66) &&
        q.bit_count() <= kMaxDoubleWordBits) {
      return projected.kernel;
    }
    throw_invalid_argument({function, "modulus = " + q.to_string(), "odd moduli of 66 to 124 bits",
                            "choose such a modulus"});
  }
  throw_invalid_argument({function, "product '" + product + "'",
                          names.empty() ? "none on this processor" : "one of: " + names,
                          "use a name of projected_products()"});
}

std::vector<std::string> projected_products() {
  std::vector<std::string> names;
  for (const auto& projected : kernels::projected_wide_kernels()) {
    names.emplace_back(projected.product);
  }
  return names;
}

std::size_t add_projected_eltwise(Stopwatch& stopwatch, const std::string& operation,
                                  const Integer& count, const std::string& modulus,
                                  const std::string& product) {
  const char* function = "add_projected_eltwise";
  const WideModulus q = WideModulus::parse(modulus);
  const kernels::WideKernel& kernel = kernel_of(function, product, q);
  const auto* const found = std::ranges::find_if(
      kOperations, [&](const auto& entry) { return operation == entry.first; });
  if (found == kOperations.end()) {
    throw_invalid_argument({function, "operation '" + operation + "'",
                            "add, subtract, multiply, axpy or dot", "use one of these names"});
  }
  auto subject =
      std::make_shared<EltwiseSubject>(checked_size(function, "count", count), q, kernel);
  const auto run = kernel.run[static_cast<unsigned>(found->second)];
  return stopwatch.add([subject, run](std::uint64_t repetitions) {
    for (std::uint64_t i = 0; i < repetitions; ++i) run(subject->arguments, subject->constants);
  });
}

std::size_t add_projected_ntt(Stopwatch& stopwatch, const Integer& degree,
                              const std::string& modulus, const std::string& product,
                              bool forward) {
  const char* function = "add_projected_ntt";
  const WideModulus q = WideModulus::parse(modulus);
  const kernels::WideKernel& kernel = kernel_of(function, product, q);
  auto subject =
      std::make_shared<TransformSubject>(checked_size(function, "degree", degree), q, kernel);
  const auto run = forward ? kernel.forward : kernel.inverse;
  return stopwatch.add([subject, run](std::uint64_t repetitions) {
    for (std::uint64_t i = 0; i < repetitions; ++i) {
      run({result_of(subject->result), operand_of(subject->operand), subject->scratch.data()},
          subject->table.data());
    }
  });
}

std::vector<ProjectionCheck> checks(const Integer& degree, const std::string& modulus,
                                    const Integer& runs) {
  const char* function = "check_projection";
  const std::size_t n = degree.word(function, "degree");
  const WideModulus q = WideModulus::parse(modulus);
  const int count = runs.number(function, "runs");
  const nb::gil_scoped_release unlocked;
  return check_projection(n, q, count);
}

}  // namespace

void bind_bench_wide_projection(nb::module_& module) {
  nb::class_<ProjectionCheck>(module, "ProjectionCheck",
                              "How well a stand-in tells the time of an instruction that exists.")
      .def_ro("instruction", &ProjectionCheck::instruction, "What the transform executes.")
      .def_ro("stand_in", &ProjectionCheck::stand_in, "What stands in for it.")
      .def_prop_ro(
          "real_ns", [](const ProjectionCheck& check) { return check.real.minimum_ns; },
          "Nanoseconds per butterfly, minimum.")
      .def_prop_ro(
          "projected_ns", [](const ProjectionCheck& check) { return check.projected.minimum_ns; },
          "Nanoseconds per butterfly, minimum.")
      .def_ro("error_percent", &ProjectionCheck::error_percent,
              "100 * (projected - real) / real, of the minima.");
  module.def("projected_products", &projected_products,
             "The products of words that MQX is projected with; none where stand-ins are missing.");
  module.def("add_projected_eltwise", &add_projected_eltwise, "stopwatch"_a, "operation"_a,
             "count"_a, "modulus"_a, "product"_a, "Adds MQX with stand-ins; the result is wrong.");
  module.def("add_projected_ntt", &add_projected_ntt, "stopwatch"_a, "degree"_a, "modulus"_a,
             "product"_a, "forward"_a, "Adds MQX with stand-ins; the result is wrong.");
  module.def("check_projection", &checks, "degree"_a, "modulus"_a, "runs"_a,
             "Times instructions of the AVX-512 transform and stand-ins for them, in turn.");
}

}  // namespace ringlet::python
