// SPDX-License-Identifier: Apache-2.0
#include "bindings/core/arguments.hpp"
#include "bindings/core/bindings.hpp"
#include "bindings/schemes/files.hpp"
#include "bindings/schemes/security_names.hpp"
#include "bindings/schemes/sharing.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/circuits/predict_times.hpp"
#include "ringlet/circuits/suggest_parameters.hpp"

namespace ringlet::python {
namespace {

constexpr const char* kOperation = "suggest_parameters";

/// A suggestion with what it was asked for.
struct Advice {
  ParameterSuggestion found;
  SecurityLevel level = SecurityLevel::tc128;
  SecurityTable table = SecurityTable::classical_2024;
  Circuit circuit;
  std::size_t depth = 0;

  SchemeParameters parameters() const { return {found.parms, level, table, found.scale}; }
  bool is_ckks() const { return found.parms.scheme() == SchemeType::ckks; }
};

SchemeType parse_scheme(const std::string& name) {
  for (const SchemeType scheme : {SchemeType::ckks, SchemeType::bfv, SchemeType::bgv}) {
    if (name == to_string(scheme)) return scheme;
  }
  throw_invalid_argument(
      {kOperation, "scheme = '" + name + "'", "ckks, bfv, bgv", "pass one of these names"});
}

struct Wanted {
  ParameterRequest request;
  std::optional<Circuit> circuit;
  std::size_t depth = 0;
};

void set_circuit(Wanted& wanted, nb::handle circuit, const std::optional<Integer>& depth) {
  if (circuit.is_none() == !depth) {
    throw_invalid_argument({kOperation, depth ? "both depth and circuit" : "no depth",
                            "exactly one of depth and circuit", "pass for example depth=3"});
  }
  if (depth) {
    wanted.depth = depth->word(kOperation, "depth");
    return;
  }
  if (!nb::isinstance<Circuit>(circuit)) {
    throw_invalid_argument({kOperation, "circuit = " + shown(circuit), "a ringlet.Circuit",
                            "declare one, or pass depth"});
  }
  wanted.circuit = nb::cast<const Circuit&>(circuit);
  wanted.depth = wanted.circuit->depth();
}

Advice suggest(const std::string& scheme, const std::optional<Integer>& depth, double precision,
               const Integer& plain_bits, const Integer& slots, const SecurityName& security,
               const std::string& table, nb::handle circuit,
               const std::optional<Integer>& plain_modulus, const std::optional<Integer>& degree,
               nb::handle sharing) {
  Wanted wanted;
  ParameterRequest& request = wanted.request;
  request.scheme = parse_scheme(scheme);
  request.precision_bits = precision;
  request.plain_bits = plain_bits.number(kOperation, "plain_bits");
  if (plain_modulus) request.plain_modulus = plain_modulus->word(kOperation, "plain_modulus");
  request.slots = slots.word(kOperation, "slots");
  request.level = parse_security(security, kOperation);
  request.table = parse_table(table, kOperation);
  if (degree) request.degree = degree->word(kOperation, "degree");
  if (!sharing.is_none()) request.sharing = policy_of(sharing, kOperation);
  set_circuit(wanted, circuit, depth);
  const nb::gil_scoped_release unlocked;
  Circuit declared = wanted.circuit ? *wanted.circuit : depth_circuit(wanted.depth);
  ParameterSuggestion found = suggest_parameters(declared, request);
  return {std::move(found), request.level, request.table, std::move(declared), wanted.depth};
}

std::map<std::string, ObjectSizes> sizes_of(const Advice& advice) {
  const ParameterSuggestion& found = advice.found;
  return {{"input", found.input},
          {"result", found.result},
          {"public_key", found.public_key},
          {"relin_keys", found.relin_keys},
          {"galois_keys", found.galois_keys}};
}

std::map<std::string, double> times_of(const Advice& advice) {
  const nb::gil_scoped_release unlocked;
  const PredictedTimes times =
      predict_times(advice.circuit, advice.found.parms, advice.found.scale);
  return {{"keys", times.context + times.keys},
          {"encrypt", times.encode + times.encrypt},
          {"circuit", times.circuit},
          {"decrypt", times.decrypt + times.decode}};
}

std::string describe(const Advice& advice) {
  const ParameterSuggestion& found = advice.found;
  const std::string promise = advice.is_ckks()
                                  ? " precision_bits=" + bits_text(found.precision_bits)
                                  : " budget_bits=" + bits_text(found.budget_bits);
  return "<ringlet.ParameterSuggestion " + describe(advice.parameters()) +
         " depth=" + std::to_string(advice.depth) +
         " modulus_bits=" + std::to_string(found.modulus_bits) + " of " +
         std::to_string(found.modulus_bits_limit) + promise + ">";
}

void bind_sizes(nb::module_& module) {
  nb::class_<ObjectSizes>(module, "ObjectSizes", "Bytes of one object, or of several together.")
      .def_ro("memory", &ObjectSizes::payload, "What its words take in memory.")
      .def_ro("saved", &ObjectSizes::saved,
              "A file of it, without compression, with uniform halves written out.")
      .def_ro("saved_seeded", &ObjectSizes::saved_seeded,
              "The same with a seed in the place of each uniform half: keys as they are made, and "
              "what a\nSecretContext encrypts.")
      .def("__repr__", [](const ObjectSizes& sizes) {
        return "ObjectSizes(memory=" + std::to_string(sizes.payload) +
               ", saved=" + std::to_string(sizes.saved) +
               ", saved_seeded=" + std::to_string(sizes.saved_seeded) + ")";
      });
}

void bind_counts(nb::module_& module) {
  nb::class_<PlanCounts>(module, "PlanCounts", "How often a plan does what costs time.")
      .def_ro("multiplications", &PlanCounts::multiplications, "Products of two ciphertexts.")
      .def_ro("known_multiplications", &PlanCounts::known_multiplications,
              "Products by known numbers.")
      .def_ro("relinearizations", &PlanCounts::relinearizations, "Each is one key switch.")
      .def_ro("automorphisms", &PlanCounts::automorphisms,
              "Rotations and conjugations: each is one key switch.")
      .def_ro("hoisted", &PlanCounts::hoisted,
              "Rotations of a value that has been rotated before, which are cheaper.")
      .def_ro("rescalings", &PlanCounts::rescalings, "Divisions by a prime.")
      .def_prop_ro("key_switches", &PlanCounts::key_switches, "Relinearizations and automorphisms.")
      .def("__repr__", [](const PlanCounts& counts) {
        return "PlanCounts(multiplications=" + std::to_string(counts.multiplications) +
               ", known_multiplications=" + std::to_string(counts.known_multiplications) +
               ", relinearizations=" + std::to_string(counts.relinearizations) +
               ", automorphisms=" + std::to_string(counts.automorphisms) +
               ", hoisted=" + std::to_string(counts.hoisted) +
               ", rescalings=" + std::to_string(counts.rescalings) + ")";
      });
}

void bind_advice(nb::module_& module) {
  using A = const Advice&;
  nb::class_<Advice>(module, "ParameterSuggestion",
                     "Parameters that carry a circuit, and what they cost: nothing has been "
                     "generated yet.")
      .def_prop_ro(
          "parameters", [](A a) { return to_python(a.parameters()); },
          nb::sig("def parameters(self) -> Any"),
          "CkksParameters, BfvParameters or BgvParameters: ready for the SecretContext of their "
          "scheme.")
      .def_prop_ro(
          "scale", [](A a) { return a.found.scale; }, "CKKS: that of inputs; 1 otherwise.")
      .def_prop_ro(
          "depth", [](A a) { return a.depth; }, "Levels that the circuit takes.")
      .def_prop_ro(
          "modulus_bits", [](A a) { return a.found.modulus_bits; },
          "Significant bits of all primes together,")
      .def_prop_ro(
          "modulus_bits_limit", [](A a) { return a.found.modulus_bits_limit; },
          "and how many the security allows.")
      .def_prop_ro(
          "precision_bits",
          [](A a) { return a.is_ckks() ? std::optional(a.found.precision_bits) : std::nullopt; },
          "CKKS: every slot of every result is off by at most 2^-precision_bits, but with "
          "probability 2^-40.")
      .def_prop_ro(
          "noise_bits",
          [](A a) { return a.is_ckks() ? std::optional(a.found.noise_bits) : std::nullopt; },
          "CKKS: the most hidden_noise_bits of a result, for SharingDecryptor.decrypt.")
      .def_prop_ro(
          "budget_bits",
          [](A a) { return a.is_ckks() ? std::nullopt : std::optional(a.found.budget_bits); },
          "BFV and BGV: noise budget left in the result that has least.")
      .def_prop_ro(
          "counts", [](A a) { return a.found.counts; }, "How often the circuit does what costs.")
      .def_prop_ro(
          "galois_key_count", [](A a) { return a.found.galois_key_count; },
          "Keys of rotations and conjugation.")
      .def_prop_ro("sizes", &sizes_of,
                   "Bytes of one `input`, one `result`, the `public_key`, the `relin_keys` and all "
                   "`galois_keys`.")
      .def("predict_times", &times_of,
           "Seconds that this machine will take: `keys` for secret.public(circuit=...), the new "
           "context included,\n`encrypt` for one input of all slots, `circuit` for one run of a "
           "runner, `decrypt` for one result,\nboth with encoding. "
           "Times every kind of step\non numbers that stand in for ciphertexts and keys, about 10 "
           "ms each; needs the memory of the keys, up\nto 256 MiB of them.")
      .def("__repr__", [](A a) { return describe(a); });
}

}  // namespace

void bind_parameters_advice(nb::module_& module) {
  bind_sizes(module);
  bind_counts(module);
  bind_advice(module);
  module.def(
      "suggest_parameters", &suggest, "scheme"_a = "ckks", nb::kw_only(), "depth"_a = nb::none(),
      "precision"_a = 20.0, "plain_bits"_a = 20, "slots"_a = 1, "security"_a = 128,
      "table"_a = "classical_2024", "circuit"_a = nb::none(), "plain_modulus"_a = nb::none(),
      "degree"_a = nb::none(), "sharing"_a = nb::none(),
      nb::sig("def suggest_parameters(scheme: str = 'ckks', *, depth: int | None = None, "
              "precision: float = 20.0, plain_bits: int = 20, slots: int = 1, security: int | str "
              "= 128, table: str = 'classical_2024', circuit: Circuit | None = None, "
              "plain_modulus: int | None = None, degree: int | None = None, sharing: SharingPolicy "
              "| None = None) -> ParameterSuggestion"),
      "The smallest parameters that carry a circuit, or `depth` squarings one after the other of "
      "slots of\nat most 1, and one rotation.\n\nprecision: bits, CKKS: slots of results are off "
      "by at most 2^-precision. plain_bits or\nplain_modulus: the modulus t of messages, BFV and "
      "BGV. slots: N/2 is at least that for CKKS, N for\nBFV and BGV. security: 128, 192, 256 or a "
      "name, in `table`. degree: N, if no other shall be tried.\nsharing: results of CKKS are "
      "shared under this policy; precision is then that of what is shared.\nGenerates nothing and "
      "takes milliseconds. InvalidArgument if nothing within the table does, with the\nmost that "
      "the largest degree gives.");
}

}  // namespace ringlet::python
