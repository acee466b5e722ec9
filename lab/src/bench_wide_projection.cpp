// SPDX-License-Identifier: Apache-2.0
#include "bench_wide.hpp"
#include "bindings/core/arguments.hpp"
#include "lab/kernels/projection.hpp"
#include "lab_bindings.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/ntt/wide.hpp"
#include "stopwatch.hpp"

// The projections of `ringlet bench wide` as jobs of the same stopwatch. These kernels write wrong
// results, which nothing reads.

namespace ringlet::python {
namespace {

using Words = AlignedVector<std::uint64_t>;
using kernels::WideOperation;

struct Operation {
  const char* name;
  WideOperation value;
};
constexpr std::array<Operation, 5> kOperations{{
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
    // The plan checks the arguments and gives a root.
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

WideModulus parse_modulus(const char* function, const std::string& modulus) {
  const WideModulus q = WideModulus::parse(modulus);
  constexpr int kLeastBits = 66;
  if (q.value()[0] % 2 == 1 && q.bit_count() >= kLeastBits && q.bit_count() <= kMaxDoubleWordBits) {
    return q;
  }
  throw_invalid_argument({function, "modulus = " + q.to_string(), "odd moduli of 66 to 124 bits",
                          "choose an odd modulus of this size"});
}

const kernels::WideKernel& kernel_of(const char* function, const std::string& product) {
  const auto projected = kernels::available_projections().projected;
  return find_named(function, "product", projected, product).kernel;
}

std::vector<std::string> projected_products() {
  std::vector<std::string> names;
  for (const auto& each : kernels::available_projections().projected) names.push_back(each.name);
  return names;
}

std::size_t add_projected_eltwise(Stopwatch& stopwatch, const std::string& operation,
                                  const Integer& count, const std::string& modulus,
                                  const std::string& product) {
  const char* function = "add_projected_eltwise";
  const WideModulus q = parse_modulus(function, modulus);
  const kernels::WideKernel& kernel = kernel_of(function, product);
  const WideOperation chosen = find_named(function, "operation", kOperations, operation).value;
  auto subject =
      std::make_shared<EltwiseSubject>(checked_size(function, "count", count), q, kernel);
  const auto run = kernel.run[static_cast<unsigned>(chosen)];
  return stopwatch.add(repeated([=] { run(subject->arguments, subject->constants); }));
}

std::size_t add_transform(Stopwatch& stopwatch, const char* function, const Integer& degree,
                          const std::string& modulus, const kernels::WideKernel& kernel,
                          bool forward) {
  const std::size_t n = checked_size(function, "degree", degree);
  auto subject = std::make_shared<TransformSubject>(n, parse_modulus(function, modulus), kernel);
  const auto run = forward ? kernel.forward : kernel.inverse;
  return stopwatch.add(repeated([=] {
    run({result_of(subject->result), operand_of(subject->operand), subject->scratch.data()},
        subject->table.data());
  }));
}

std::size_t add_projected_ntt(Stopwatch& stopwatch, const Integer& degree,
                              const std::string& modulus, const std::string& product,
                              bool forward) {
  const char* function = "add_projected_ntt";
  return add_transform(stopwatch, function, degree, modulus, kernel_of(function, product), forward);
}

std::vector<std::pair<std::string, std::string>> stand_ins() {
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& pair : kernels::available_projections().stand_ins) {
    names.emplace_back(pair.instruction, pair.stand_in);
  }
  return names;
}

/// Adds two jobs, of the instruction and of its stand-in.
std::pair<std::size_t, std::size_t> add_stand_in(Stopwatch& stopwatch, std::size_t index,
                                                 const Integer& degree,
                                                 const std::string& modulus) {
  const char* function = "add_stand_in";
  const auto pairs = kernels::available_projections().stand_ins;
  if (index >= pairs.size()) {
    throw_out_of_range({function, "index = " + std::to_string(index),
                        std::to_string(pairs.size()) + " pairs", "pass an index of stand_ins()"});
  }
  const auto& pair = pairs[index];
  return {add_transform(stopwatch, function, degree, modulus, pair.real, true),
          add_transform(stopwatch, function, degree, modulus, pair.projected, true)};
}

}  // namespace

void bind_bench_wide_projection(nb::module_& module) {
  module.def("projected_products", &projected_products,
             "The products of words that MQX is projected with; none where stand-ins are missing.");
  module.def("add_projected_eltwise", &add_projected_eltwise, "stopwatch"_a, "operation"_a,
             "count"_a, "modulus"_a, "product"_a, "Adds MQX with stand-ins; the result is wrong.");
  module.def("add_projected_ntt", &add_projected_ntt, "stopwatch"_a, "degree"_a, "modulus"_a,
             "product"_a, "forward"_a, "Adds MQX with stand-ins; the result is wrong.");
  module.def("stand_ins", &stand_ins,
             "Pairs: an instruction of the AVX-512 transform that exists, and another in its "
             "place.\nThe first is an instruction and itself.");
  module.def("add_stand_in", &add_stand_in, "stopwatch"_a, "index"_a, "degree"_a, "modulus"_a,
             "Adds forward transforms with both of a pair of stand_ins(); returns their indices.");
}

}  // namespace ringlet::python
