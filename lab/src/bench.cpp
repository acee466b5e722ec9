// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "bindings/core/arguments.hpp"
#include "eltwise_rows.hpp"
#include "lab/kernels/ntt_variant.hpp"
#include "lab_bindings.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/ntt/ntt.hpp"
#include "stopwatch.hpp"

namespace ringlet::python {
namespace {

using Words = AlignedVector<std::uint64_t>;

template <typename Word>
Stopwatch::Job ntt_job(const Ntt& plan, bool is_forward) {
  const Words words = make_words(plan.degree(), plan.modulus().value(), 1);
  auto values = std::make_shared<AlignedVector<Word>>(words.size());
  std::ranges::transform(words, values->begin(),
                         [](std::uint64_t word) { return static_cast<Word>(word); });
  return repeated([=] {
    const std::span<Word> in_place(*values);
    is_forward ? plan.forward(in_place) : plan.inverse(in_place);
  });
}

int checked_rounds(const Integer& rounds, double block_us, const char* operation) {
  const int count = rounds.number(operation, "rounds");
  constexpr double kShortestBlock = 200;
  constexpr double kLongestBlock = 1e6;
  if (count < 1) {
    throw_invalid_argument(
        {operation, "rounds = " + std::to_string(count), "rounds >= 1", "ask for 1 or more"});
  }
  if (!(block_us >= kShortestBlock && block_us <= kLongestBlock)) {
    throw_invalid_argument({operation, "block_us = " + std::to_string(block_us),
                            "200 <= block_us <= 1000000",
                            "use blocks much longer than the resolution of the clock"});
  }
  return count;
}

// Each of these functions adds a job and gives the name of the kernel that it runs.

std::string add_ntt(Stopwatch& stopwatch, const Integer& degree, const Integer& modulus,
                    const std::string& kernels, bool forward, bool half_words) {
  const char* operation = "Stopwatch.add_ntt";
  const Ntt plan(degree.word(operation, "degree"), Modulus(modulus.word(operation, "modulus")),
                 KernelSelection(kernels));
  stopwatch.add(half_words ? ntt_job<std::uint32_t>(plan, forward)
                           : ntt_job<std::uint64_t>(plan, forward));
  return plan.kernel_name();
}

std::string add_eltwise(Stopwatch& stopwatch, const std::string& operation, const Integer& count,
                        const Integer& modulus, const std::string& kernels,
                        const Integer& input_mod_factor) {
  const char* name = "Stopwatch.add_eltwise";
  const bench::Operation& row = find_named(name, "operation", bench::kOperations, operation);
  const Eltwise plan(Modulus(modulus.word(name, "modulus")), KernelSelection(kernels));
  const int factor = input_mod_factor.number(name, "input_mod_factor");
  const std::size_t size = count.word(name, "count");
  bench::Buffers trial(1, 1);
  row.call(plan, trial, factor);  // refuses wrong factors and moduli before it takes memory
  const std::uint64_t range =
      row.factor == 0 ? 0 : plan.modulus().value() * static_cast<std::uint64_t>(factor);
  auto buffers = std::make_shared<bench::Buffers>(size, range);
  stopwatch.add(repeated([=, call = row.call] { call(plan, *buffers, factor); }));
  return plan.kernel_name(operation);
}

// The product in one call, or by the four calls that it replaces.
std::string add_product(Stopwatch& stopwatch, const Integer& degree, const Integer& modulus,
                        const std::string& kernels, bool fused) {
  const char* operation = "Stopwatch.add_product";
  const Modulus q(modulus.word(operation, "modulus"));
  const KernelSelection selection(kernels);
  const Ntt plan(degree.word(operation, "degree"), q, selection);
  // The operands, the result and one transform.
  auto words = std::make_shared<std::array<Words, 4>>();
  for (std::size_t i = 0; i < words->size(); ++i) {
    (*words)[i] = make_words(plan.degree(), q.value(), i + 1);
  }
  stopwatch.add(repeated([plan, fused, eltwise = Eltwise(q, selection), words] {
    auto& [a, b, result, scratch] = *words;
    if (fused) {
      plan.multiply(result, a, b, 1, 1, scratch);
    } else {
      plan.forward(result, a);
      plan.forward(scratch, b);
      eltwise.multiply(result, result, scratch);
      plan.inverse(result);
    }
  }));
  return plan.kernel_name();
}

int log_degree_of(const char* function, const Integer& degree) {
  const std::uint64_t n = degree.word(function, "degree");
  if (std::has_single_bit(n) && n >= 2) return std::countr_zero(n);
  throw_invalid_argument({function, "degree = " + std::to_string(n), "powers of two from 2 on",
                          "choose a power of two"});
}

std::vector<std::pair<std::string, std::string>> ntt_variants(const Integer& degree,
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

TimedJob add_ntt_variant(Stopwatch& stopwatch, const Integer& degree, const Integer& modulus,
                         const std::string& kernel, const std::string& form, bool forward) {
  const char* function = "add_ntt_variant";
  const int log_degree = log_degree_of(function, degree);
  const std::uint64_t q = modulus.word(function, "modulus");
  auto variant = std::make_shared<kernels::NttVariant>(
      kernel, kernels::parse_ntt_form(function, form), log_degree, q);
  return {.index = stopwatch.add(repeated([variant, forward] { variant->run(forward); })),
          .kernel = kernel,
          .polynomials = variant->polynomial_count(),
          .table_bytes = variant->table_bytes()};
}

// Functions of this extension's library, whose selections may name study kernels.

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

// Adds a function void(void* state, std::uint64_t repetitions) of another library.
void add_function(Stopwatch& stopwatch, std::uintptr_t function, std::uintptr_t state) {
  if (function == 0) {
    throw_invalid_argument({"Stopwatch.add_function", "function = 0", "the address of a function",
                            "pass the address that ctypes gives for the function"});
  }
  const auto run = reinterpret_cast<void (*)(void*, std::uint64_t)>(function);
  stopwatch.add([run, state](std::uint64_t repetitions) {
    run(reinterpret_cast<void*>(state), repetitions);
  });
}

// Adds a Python function of the number of repetitions. Other jobs run without the interpreter's
// lock.
void add_callable(Stopwatch& stopwatch, nb::callable function) {
  stopwatch.add([run = std::move(function)](std::uint64_t repetitions) {
    const nb::gil_scoped_acquire locked;
    run(repetitions);
  });
}

void run_alone(Stopwatch& stopwatch, const Integer& times, const Integer& warm_up,
               const Integer& calls) {
  const char* operation = "Stopwatch.run_alone";
  const int count = times.number(operation, "times");
  const std::uint64_t before = warm_up.word(operation, "warm_up");
  const std::uint64_t timed = calls.word(operation, "calls");
  if (count < 1 || timed < 1) {
    throw_invalid_argument(
        {operation, "times = " + std::to_string(count) + ", calls = " + std::to_string(timed),
         "1 or more of each", "ask for 1 or more"});
  }
  const nb::gil_scoped_release unlocked;
  stopwatch.run_alone(count, before, timed);
}

void bind_stopwatch(nb::module_& module) {
  nb::class_<Stopwatch>(module, "Stopwatch",
                        "Times jobs against each other, one block of each per round.")
      .def(nb::init<>())
      .def("add_ntt", &add_ntt, "degree"_a, "modulus"_a, "kernels"_a, "forward"_a,
           "half_words"_a = false,
           "Adds an in-place transform with outputs in [0, q), of 64-bit words or of 32-bit words; "
           "returns the\nkernel's name.")
      .def("add_eltwise", &add_eltwise, "operation"_a, "count"_a, "modulus"_a, "kernels"_a,
           "input_mod_factor"_a = 1,
           "Adds an element-wise operation by its name in Eltwise, with a result of its own; "
           "returns the\nkernel's name. multiply_accumulate runs four terms.")
      .def("add_product", &add_product, "degree"_a, "modulus"_a, "kernels"_a, "fused"_a,
           "Adds a negacyclic product, by Ntt.multiply or by two forward transforms, a product and "
           "an\ninverse; returns the name of the transform's kernel.")
      .def("add_function", &add_function, "function"_a, "state"_a,
           "Adds void(void* state, uint64_t repetitions), given as addresses.")
      .def("add_callable", &add_callable, "function"_a,
           nb::sig("def add_callable(self, function: Callable[[int], Any]) -> None"),
           "Adds a function of Python that is called with a number of repetitions.")
      .def(
          "run",
          [](Stopwatch& stopwatch, const Integer& rounds, double block_us) {
            const int count = checked_rounds(rounds, block_us, "Stopwatch.run");
            const nb::gil_scoped_release unlocked;
            stopwatch.run(count, block_us * 1e3);
          },
          "rounds"_a, "block_us"_a = 500.0, "Runs so many more rounds.")
      .def("run_alone", &run_alone, "times"_a = 10, "warm_up"_a = 10, "calls"_a = 200,
           "Runs one job after the other: so many times over, warm-up calls and then a timed block "
           "of calls.\nAs given, the method of Bradbury, Drucker and Hillenbrand, section 7.2.")
      .def(
          "times_ns",
          [](const Stopwatch& stopwatch, std::size_t job) {
            if (job >= stopwatch.size()) {
              throw_out_of_range({"Stopwatch.times_ns", "job = " + std::to_string(job),
                                  std::to_string(stopwatch.size()) + " jobs",
                                  "pass the number of a job: jobs count from 0 in the order in "
                                  "which they were added"});
            }
            return stopwatch.times_ns(job);
          },
          "job"_a, "Nanoseconds per call of a job, one entry per round.")
      .def("__len__", &Stopwatch::size)
      .def_prop_ro("clock_hz", &Stopwatch::clock_hz,
                   "Cycles per second, measured once per round by a chain of dependent additions.");
}

}  // namespace

void bind_bench(nb::module_& module) {
  bind_stopwatch(module);
  nb::class_<TimedJob>(module, "Job", "A job of a Stopwatch, and the memory that it takes.")
      .def_ro("index", &TimedJob::index, "Its index in the stopwatch.")
      .def_ro("kernel", &TimedJob::kernel, "What runs.")
      .def_ro("polynomials", &TimedJob::polynomials, "So many transforms in one call.")
      .def_ro("operand_bytes", &TimedJob::operand_bytes, "Bytes of operands and result.")
      .def_ro("prepared_bytes", &TimedJob::prepared_bytes, "Bytes made of an operand once per key.")
      .def_ro("table_bytes", &TimedJob::table_bytes, "Bytes of tables, made once.")
      .def_ro("scratch_bytes", &TimedJob::scratch_bytes, "Bytes that one call takes.");
  module.def("ntt_kernel", &ntt_kernel, "degree"_a, "modulus"_a, "kernels"_a = nb::none(),
             "The name of the kernel that a plan takes.");
  module.def("eltwise_kernel", &eltwise_kernel, "operation"_a, "modulus"_a,
             "The name of the kernel that an operation takes.");
  module.def("ntt_variants", &ntt_variants, "degree"_a, "modulus"_a,
             "Kernel and form (ordered, unordered, two) of what this processor can transform so.");
  module.def("add_ntt_variant", &add_ntt_variant, "stopwatch"_a, "degree"_a, "modulus"_a,
             "kernel"_a, "form"_a, "forward"_a,
             "Adds a form of a kernel, called directly, in place, outputs in [0, q).");
}

}  // namespace ringlet::python
