// SPDX-License-Identifier: Apache-2.0
#include "bindings/circuits/circuits.hpp"
#include "bindings/core/arguments.hpp"
#include "bindings/core/bindings.hpp"
#include "bindings/core/interrupts.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/tracing/tracing_evaluator.hpp"

namespace ringlet::python {
namespace {

constexpr const char* kOperation = "SecretContext.trace";

/// The measured steps of a circuit.
struct Trace {
  std::vector<TraceStep> steps;

  bool is_as_expected() const {
    return std::ranges::all_of(
        steps, [](const TraceStep& step) { return step.is_right && step.is_within_estimate; });
  }
};

const TraceStep& step_at(const Trace& trace, const Integer& index) {
  const int given = index.number("Trace.__getitem__", "index");
  const auto count = static_cast<int>(trace.steps.size());
  const int place = given < 0 ? given + count : given;
  if (place >= 0 && place < count) return trace.steps[static_cast<std::size_t>(place)];
  throw nb::index_error("no step of that index");
}

std::string table(const Trace& trace) {
  std::string text = to_string(std::span<const TraceStep>(trace.steps));
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

// Returns the given keys, which may be incomplete. Without them, makes those of the plan, one after
// the other, so that Ctrl-C ends it.
CircuitKeys keys_for(const SecretContext& secret, const Circuit& circuit,
                     const PublicContext* given) {
  const Workshop& workshop = *secret.workshop();
  if (given != nullptr) return {given->keys().relinearization, given->keys().galois};
  const CircuitPlan plan(circuit, workshop.context().parms(), workshop.parameters().scale);
  CircuitKeys keys;
  if (plan.needs_relinearization()) keys.relin_keys = secret.generator().create_relin_keys();
  const auto elements = plan.galois_elements();
  if (!elements.empty()) {
    keys.galois_keys = make_galois_keys(secret, {elements.begin(), elements.end()});
  }
  return keys;
}

const PublicContext* public_side(const SecretContext& secret, nb::handle keys) {
  if (keys.is_none()) return nullptr;
  if (!nb::isinstance<PublicContext>(keys)) {
    throw_invalid_argument({kOperation, "keys = " + shown(keys), "a PublicContext",
                            "leave keys out: trace makes them"});
  }
  const auto* side = nb::cast<const PublicContext*>(keys);
  check_same_context(*side->workshop(), *secret.workshop(), kOperation);
  return side;
}

Trace trace(const SecretContext& secret, nb::handle object, const nb::args& inputs,
            nb::handle keys) {
  const Circuit circuit = circuit_of(object, kOperation);
  std::vector<KnownVector> values;
  for (const nb::handle input : inputs) {
    values.push_back(known_vector(input, circuit.row_length(), kOperation));
  }
  const PublicContext* const given = public_side(secret, keys);
  const Workshop& workshop = *secret.workshop();
  const nb::gil_scoped_release unlocked;
  TracingEvaluator tracer(workshop.context(), secret.generator().secret_key());
  Interrupts interrupts;
  tracer.set_sink([&](const TraceStep&) { interrupts.check(); });
  tracer.trace(circuit, values, keys_for(secret, circuit, given), workshop.parameters().scale);
  return {{tracer.log().begin(), tracer.log().end()}};
}

void bind_step(nb::module_& module) {
  using S = TraceStep;
  nb::class_<S>(
      module, "TraceStep",
      "One step of a Trace: an operation and the noise of its result. A step is as secret\n"
      "as the Trace.")
      .def_ro("number", &S::number, "Number of the step, from 1 on.")
      .def_ro("result", &S::result, "Name of the result in the table.")
      .def_ro(
          "operation", &S::operation,
          "Name of the operation, as in the C++ library, such as \"multiply\" or \"relinearize\".")
      .def_ro("operands", &S::operands, "Names of the operands, then public arguments.")
      .def_ro("prime_count", &S::prime_count,
              "Number of data primes of the result, which is its level plus 1.")
      .def_ro("size", &S::size, "Number of polynomials of the result.")
      .def_ro("scale", &S::scale, "Scale of the result; 1 for BFV and BGV.")
      .def_ro("measured_bits", &S::measured_bits,
              "log2 of the measured noise; -inf for none. CKKS: largest error of a slot. BFV and\n"
              "BGV: largest coefficient of the noise that the noise budget measures.")
      .def_ro("estimated_bits", &S::estimated_bits, "log2 of the largest expected noise.")
      .def_ro("budget_bits", &S::budget_bits,
              "BFV and BGV: number of bits by which the noise may still grow. None for CKKS.")
      .def_ro("lost_bits", &S::lost_bits,
              "Bits that the operation lost. CKKS: by how many bits the error exceeds that of the\n"
              "worst operand. BFV and BGV: the bits of noise budget that the operation used. None\n"
              "for encryptions.")
      .def_ro("magnitude", &S::magnitude, "CKKS: largest absolute value of a slot.")
      .def_ro("magnitude_bound", &S::magnitude_bound,
              "CKKS: expected bound on the absolute value of a slot.")
      .def_ro("is_right", &S::is_right,
              "BFV and BGV: True if the result decrypts to the message that was computed without\n"
              "encryption. CKKS: True if at least two correct bits are left.")
      .def_ro("is_within_estimate", &S::is_within_estimate,
              "True if measured_bits <= estimated_bits.")
      .def_ro("advice", &S::advice,
              "What is wrong and what to do about it; \"\" if nothing is wrong.")
      .def("__repr__", [](const S& step) { return "<ringlet.TraceStep " + to_string(step) + ">"; });
}

}  // namespace

void bind_secret_trace(nb::class_<SecretContext>& type) {
  type.def("trace", &trace, "circuit"_a, "inputs"_a, "keys"_a = nb::none(),
           nb::sig("def trace(self, circuit: Circuit, *inputs: CkksValues, "
                   "keys: PublicContext | None = None) -> Trace"),
           "Runs a circuit step by step, decrypts every result and returns the Trace: it shows\n"
           "where precision is lost.\n"
           "\n"
           "- inputs: numbers for the first slots, one argument for each input.\n"
           "- keys: the PublicContext to examine; by default new keys are made.\n"
           "\n"
           "For debugging only: the call uses the secret key, and nobody else may see the\n"
           "result. It also traces circuits that a runner refuses because results may not\n"
           "decrypt. Ctrl-C ends the call.");
}

void bind_circuit_traces(nb::module_& module) {
  bind_step(module);
  nb::class_<Trace>(
      module, "Trace",
      "The steps of a circuit, with the measured and the expected noise of each.\n"
      "\n"
      "`secret.trace(circuit, ...)` makes it. It is a sequence of TraceStep, and print()\n"
      "shows a table. SECRET: anyone who sees it learns about the secret key.")
      .def("__len__", [](const Trace& self) { return self.steps.size(); })
      .def("__getitem__", &step_at, "index"_a, nb::rv_policy::copy,
           nb::sig("def __getitem__(self, index: int) -> TraceStep"))
      .def_prop_ro("is_as_expected", &Trace::is_as_expected,
                   "True if every step is right and within its estimate.")
      .def("__repr__", [](const Trace& self) { return table(self); });
}

}  // namespace ringlet::python
