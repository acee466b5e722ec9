// SPDX-License-Identifier: Apache-2.0
#include "bench_wide.hpp"

#include "bindings/core/arguments.hpp"
#include "kernels/select.hpp"
#include "lab_bindings.hpp"
#include "ringlet/arith/primes.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/kernels/eltwise.hpp"
#include "ringlet/ntt/ntt.hpp"
#include "ringlet/ntt/wide.hpp"
#include "stopwatch.hpp"

// The jobs of `ringlet bench wide`: operations on double words by one kernel, the same operations
// in a residue number system of three primes, and their limits on this processor. All memory is
// allocated before the clock runs.

namespace ringlet::python {
namespace {

using Words = AlignedVector<std::uint64_t>;

/// A kernel that takes a modulus.
struct DoubleWordKernel {
  std::string name;
  bool named_only = false;       ///< For studies: chosen only if it is named.
  bool special_modulus = false;  ///< Supports only k * 2^104 + 1.
};

WideResult result_of(Planes& planes) { return {std::span(planes.low), std::span(planes.high)}; }
WideOperand operand_of(const Planes& planes) {
  return {std::span(planes.low), std::span(planes.high)};
}

/// Three vectors modulo q, by one kernel.
struct WideSubject {
  WideSubject(const WideModulus& q, const std::string& kernel, std::size_t size)
      : plan(q, KernelSelection(kernel)), a(size, q, 1), b(size, q, 2), c(size, q, 3) {
    scalar = {a.low[0], a.high[0]};
  }

  WideEltwise plan;
  Planes a, b, c;
  DoubleWord scalar{};
};

/// The same modulo three primes of a residue number system.
struct RnsSubject {
  static constexpr std::size_t kPrimes = 3;

  RnsSubject(std::span<const Modulus> primes, const KernelSelection& kernels, std::size_t size) {
    for (std::size_t k = 0; k < primes.size(); ++k) {
      plans.emplace_back(primes[k], kernels);
      for (auto* vectors : {&a, &b, &c}) {
        vectors->push_back(make_words(size, primes[k].value(), 10 * k + vectors->size()));
      }
      scalars.push_back(primes[k].value() - 1 - primes[k].value() / 3);
    }
  }

  template <typename Body>
  void each(const Body& body) {
    for (std::size_t k = 0; k < plans.size(); ++k) body(plans[k], k);
  }

  std::vector<Eltwise> plans;
  std::vector<Words> a, b, c;
  std::vector<std::uint64_t> scalars;
};

/// An element-wise operation on c, a and b.
struct Operation {
  const char* name;
  void (*run)(WideSubject& x);
  void (*run_rns)(RnsSubject& x);
};

constexpr std::array<Operation, 5> kOperations{{
    {"add", [](WideSubject& x) { x.plan.add(result_of(x.c), operand_of(x.a), operand_of(x.b)); },
     [](RnsSubject& x) {
       x.each([&](const Eltwise& plan, std::size_t k) { plan.add(x.c[k], x.a[k], x.b[k]); });
     }},
    {"subtract",
     [](WideSubject& x) { x.plan.subtract(result_of(x.c), operand_of(x.a), operand_of(x.b)); },
     [](RnsSubject& x) {
       x.each([&](const Eltwise& plan, std::size_t k) { plan.subtract(x.c[k], x.a[k], x.b[k]); });
     }},
    {"multiply",
     [](WideSubject& x) { x.plan.multiply(result_of(x.c), operand_of(x.a), operand_of(x.b)); },
     [](RnsSubject& x) {
       x.each([&](const Eltwise& plan, std::size_t k) { plan.multiply(x.c[k], x.a[k], x.b[k]); });
     }},
    {"axpy",
     [](WideSubject& x) {
       x.plan.multiply_scalar_add(result_of(x.c), x.scalar, operand_of(x.a), operand_of(x.b));
     },
     [](RnsSubject& x) {
       x.each([&](const Eltwise& plan, std::size_t k) {
         plan.multiply_scalar_add(x.c[k], x.a[k], x.scalars[k], x.b[k]);
       });
     }},
    {"dot", [](WideSubject& x) { x.scalar = x.plan.dot(operand_of(x.a), operand_of(x.b)); },
     [](RnsSubject& x) {
       x.each([&](const Eltwise& plan, std::size_t k) { x.scalars[k] = plan.dot(x.a[k], x.b[k]); });
     }},
}};

std::vector<DoubleWordKernel> double_word_kernels(const std::string& modulus) {
  const WideModulus q = WideModulus::parse(modulus);
  std::vector<DoubleWordKernel> found;
  for (const auto& chosen : kernels::wide_kernels(q.value().data())) {
    found.push_back({chosen.name(), chosen.kernel->named_only, chosen.kernel->special_modulus});
  }
  return found;
}

std::string double_word_prime(const Integer& bits, const Integer& degree, bool special) {
  const char* function = "double_word_prime";
  const int width = bits.number(function, "bits");
  const std::size_t n = checked_size(function, "degree", degree);
  const auto primes =
      special ? generate_special_wide_primes(width, 1) : generate_wide_ntt_primes(width, n, 1);
  return primes.front().to_string();
}

TimedJob add_double_eltwise(Stopwatch& stopwatch, const std::string& operation,
                            const Integer& count, const std::string& modulus,
                            const std::string& kernel) {
  const char* function = "add_double_eltwise";
  const Operation& call = find_named(function, "operation", kOperations, operation);
  const std::size_t size = checked_size(function, "count", count);
  auto subject = std::make_shared<WideSubject>(WideModulus::parse(modulus), kernel, size);
  return {.index = stopwatch.add(repeated([subject, run = call.run] { run(*subject); })),
          .kernel = subject->plan.kernel_name(),
          .operand_bytes = 3 * 16 * size};
}

/// A transform in place, with its memory.
struct TransformSubject {
  TransformSubject(std::size_t degree, const WideModulus& q, const std::string& kernel)
      : plan(degree, q, WideRing::negacyclic, KernelSelection(kernel)),
        values(degree, q, 1),
        scratch(plan.scratch_words()) {}

  WideNtt plan;
  Planes values;
  Words scratch;
};

TimedJob add_double_ntt(Stopwatch& stopwatch, const Integer& degree, const std::string& modulus,
                        const std::string& kernel, bool forward) {
  const std::size_t n = checked_size("add_double_ntt", "degree", degree);
  auto subject = std::make_shared<TransformSubject>(n, WideModulus::parse(modulus), kernel);
  return {.index = stopwatch.add(repeated([subject, forward] {
            auto& x = *subject;
            if (forward) {
              x.plan.forward(result_of(x.values), operand_of(x.values), x.scratch);
            } else {
              x.plan.inverse(result_of(x.values), operand_of(x.values), x.scratch);
            }
          })),
          .kernel = subject->plan.kernel_name(),
          .operand_bytes = 16 * n,
          .table_bytes = subject->plan.table_bytes()};
}

/// A product of two polynomials modulo X^N + 1: two transforms, products of values, one back.
struct ProductSubject : TransformSubject {
  ProductSubject(std::size_t degree, const WideModulus& q, const std::string& kernel)
      : TransformSubject(degree, q, kernel),
        eltwise(q, KernelSelection(kernel)),
        second(degree, q, 2),
        first_values(values),
        second_values(second) {}

  void run() {
    plan.forward(result_of(first_values), operand_of(values), scratch);
    plan.forward(result_of(second_values), operand_of(second), scratch);
    eltwise.multiply(result_of(first_values), operand_of(first_values), operand_of(second_values));
    plan.inverse(result_of(first_values), operand_of(first_values), scratch);
  }

  WideEltwise eltwise;
  Planes second, first_values, second_values;
};

TimedJob add_double_product(Stopwatch& stopwatch, const Integer& degree, const std::string& modulus,
                            const std::string& kernel) {
  const std::size_t n = checked_size("add_double_product", "degree", degree);
  auto subject = std::make_shared<ProductSubject>(n, WideModulus::parse(modulus), kernel);
  return {.index = stopwatch.add(repeated([subject] { subject->run(); })),
          .kernel = subject->plan.kernel_name(),
          .operand_bytes = 3 * 16 * n,
          .table_bytes = subject->plan.table_bytes()};
}

TimedJob add_rns_eltwise(Stopwatch& stopwatch, const std::string& operation, const Integer& count,
                         const Integer& bits, const std::string& kernels) {
  const char* function = "add_rns_eltwise";
  constexpr std::size_t kAnyDegree = 1024;
  const Operation& call = find_named(function, "operation", kOperations, operation);
  const std::size_t size = checked_size(function, "count", count);
  const auto primes =
      generate_ntt_primes(bits.number(function, "bits"), kAnyDegree, RnsSubject::kPrimes);
  auto subject = std::make_shared<RnsSubject>(primes, KernelSelection(kernels), size);
  const std::string name = operation == "axpy" ? "multiply_scalar_add" : operation;
  return {.index = stopwatch.add(repeated([subject, run = call.run_rns] { run(*subject); })),
          .kernel = subject->plans.front().kernel_name(name),
          .operand_bytes = 3 * 8 * RnsSubject::kPrimes * size};
}

TimedJob add_rns_ntt(Stopwatch& stopwatch, const Integer& degree, const Integer& bits,
                     const std::string& kernels, bool forward) {
  const char* function = "add_rns_ntt";
  const std::size_t n = checked_size(function, "degree", degree);
  const KernelSelection selection(kernels);
  auto plans = std::make_shared<std::vector<Ntt>>();
  auto values = std::make_shared<std::vector<Words>>();
  TimedJob job;
  for (const Modulus& prime :
       generate_ntt_primes(bits.number(function, "bits"), n, RnsSubject::kPrimes)) {
    plans->emplace_back(n, prime, selection);
    values->push_back(make_words(n, prime.value(), plans->size()));
    job.operand_bytes += 8 * n;
    job.table_bytes += plans->back().table_bytes();
  }
  job.kernel = plans->front().kernel_name();
  job.index = stopwatch.add(repeated([=] {
    for (std::size_t k = 0; k < plans->size(); ++k) {
      const std::span<std::uint64_t> words((*values)[k]);
      forward ? (*plans)[k].forward(words) : (*plans)[k].inverse(words);
    }
  }));
  return job;
}

}  // namespace

void bind_bench_wide(nb::module_& module) {
  nb::class_<DoubleWordKernel>(module, "DoubleWordKernel", "A kernel that takes a modulus.")
      .def_ro("name", &DoubleWordKernel::name, "\"table/algorithm\".")
      .def_ro("named_only", &DoubleWordKernel::named_only,
              "For studies: never chosen unless it is named.")
      .def_ro("special_modulus", &DoubleWordKernel::special_modulus, "Takes k * 2^104 + 1 alone.");
  module.def("double_word_kernels", &double_word_kernels, "modulus"_a,
             "The kernels of double words that this processor runs and that take q (in decimal).");
  module.def("double_word_prime", &double_word_prime, "bits"_a, "degree"_a, "special"_a,
             "The largest prime of so many bits, in decimal: 1 mod 2N, or of the form "
             "k * 2^104 + 1.");
  module.def("add_double_eltwise", &add_double_eltwise, "stopwatch"_a, "operation"_a, "count"_a,
             "modulus"_a, "kernel"_a,
             "Adds add, subtract, multiply, axpy or dot on planes of `count` double words.");
  module.def("add_double_ntt", &add_double_ntt, "stopwatch"_a, "degree"_a, "modulus"_a, "kernel"_a,
             "forward"_a, "Adds a negacyclic transform in place, in planes, with its scratch.");
  module.def("add_double_product", &add_double_product, "stopwatch"_a, "degree"_a, "modulus"_a,
             "kernel"_a, "Adds a product modulo X^N + 1 by three transforms.");
  module.def("add_rns_eltwise", &add_rns_eltwise, "stopwatch"_a, "operation"_a, "count"_a, "bits"_a,
             "kernels"_a, "Adds the operation on words modulo each of three primes.");
  module.def("add_rns_ntt", &add_rns_ntt, "stopwatch"_a, "degree"_a, "bits"_a, "kernels"_a,
             "forward"_a, "Adds transforms in place modulo each of three primes.");
}

}  // namespace ringlet::python
