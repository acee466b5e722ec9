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

/// A suggestion with its request.
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
                            "declare a circuit, or pass depth"});
  }
  wanted.circuit = nb::cast<const Circuit&>(circuit);
  wanted.depth = wanted.circuit->depth();
}

Advice suggest(const std::string& scheme, const std::optional<Integer>& depth, double precision,
               const Integer& plain_bits, const Integer& slots, const SecurityName& security,
               const std::string& table, nb::handle circuit,
               const std::optional<Integer>& plain_modulus, const std::optional<Integer>& degree,
               nb::handle sharing, bool symmetric_inputs) {
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
  request.symmetric_inputs = symmetric_inputs;
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
  nb::class_<ObjectSizes>(module, "ObjectSizes",
                          "Sizes in bytes of one object, or of several objects together.")
      .def_ro("memory", &ObjectSizes::payload, "Size in memory.")
      .def_ro("saved", &ObjectSizes::saved, "Size of a file without compression and without seeds.")
      .def_ro("saved_seeded", &ObjectSizes::saved_seeded,
              "Size of a file in which a seed stands for each uniform half: new keys, and\n"
              "ciphertexts that a SecretContext encrypted.")
      .def("__repr__", [](const ObjectSizes& sizes) {
        return "ObjectSizes(memory=" + std::to_string(sizes.payload) +
               ", saved=" + std::to_string(sizes.saved) +
               ", saved_seeded=" + std::to_string(sizes.saved_seeded) + ")";
      });
}

void bind_counts(nb::module_& module) {
  nb::class_<PlanCounts>(module, "PlanCounts",
                         "How often a circuit plan executes each expensive operation.")
      .def_ro("multiplications", &PlanCounts::multiplications,
              "Number of products of two ciphertexts.")
      .def_ro("known_multiplications", &PlanCounts::known_multiplications,
              "Number of products of a ciphertext by known numbers.")
      .def_ro("relinearizations", &PlanCounts::relinearizations,
              "Number of relinearizations. Each is one key switch.")
      .def_ro("automorphisms", &PlanCounts::automorphisms,
              "Number of rotations and conjugations. Each is one key switch.")
      .def_ro("hoisted", &PlanCounts::hoisted,
              "Number of rotations of a value that was rotated before. They are cheaper.")
      .def_ro("rescalings", &PlanCounts::rescalings, "Number of divisions by a prime.")
      .def_prop_ro("key_switches", &PlanCounts::key_switches,
                   "Number of key switches: relinearizations, rotations and conjugations.")
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
  nb::class_<Advice>(
      module, "ParameterSuggestion",
      "Parameters that suffice for a circuit, and their cost. No key has been generated\n"
      "yet.")
      .def_prop_ro(
          "parameters", [](A a) { return to_python(a.parameters()); },
          nb::sig("def parameters(self) -> Any"),
          "The suggested CkksParameters, BfvParameters or BgvParameters, ready for the\n"
          "SecretContext of the scheme.")
      .def_prop_ro(
          "scale", [](A a) { return a.found.scale; }, "CKKS: scale of inputs. BFV and BGV: 1.")
      .def_prop_ro(
          "depth", [](A a) { return a.depth; }, "Number of levels that the circuit needs.")
      .def_prop_ro(
          "modulus_bits", [](A a) { return a.found.modulus_bits; },
          "Size of the modulus in bits, all primes together.")
      .def_prop_ro(
          "modulus_bits_limit", [](A a) { return a.found.modulus_bits_limit; },
          "Largest size of the modulus in bits that the security level allows.")
      .def_prop_ro(
          "precision_bits",
          [](A a) { return a.is_ckks() ? std::optional(a.found.precision_bits) : std::nullopt; },
          "CKKS: the error of every slot of every result is at most 2^-precision_bits, except\n"
          "with probability 2^-40. None for BFV and BGV.")
      .def_prop_ro(
          "noise_bits",
          [](A a) { return a.is_ckks() ? std::optional(a.found.noise_bits) : std::nullopt; },
          "CKKS: the largest hidden_noise_bits of a result, for SharingDecryptor.decrypt. None\n"
          "for BFV and BGV.")
      .def_prop_ro(
          "budget_bits",
          [](A a) { return a.is_ckks() ? std::nullopt : std::optional(a.found.budget_bits); },
          "BFV and BGV: smallest noise budget of a result, in bits. None for CKKS.")
      .def_prop_ro(
          "counts", [](A a) { return a.found.counts; },
          "How often the circuit executes each expensive operation.")
      .def_prop_ro(
          "galois_key_count", [](A a) { return a.found.galois_key_count; },
          "Number of keys of rotations and conjugation.")
      .def_prop_ro(
          "sizes", &sizes_of,
          "Sizes of one \"input\", one \"result\", the \"public_key\", the \"relin_keys\" and all\n"
          "\"galois_keys\".")
      .def("predict_times", &times_of,
           "Predicts how many seconds this machine needs, as a dict.\n"
           "\n"
           "- \"keys\": secret.public(circuit=...), including the new context.\n"
           "- \"encrypt\": one input with all slots, including encoding.\n"
           "- \"circuit\": one run of a runner.\n"
           "- \"decrypt\": one result, including decoding.\n"
           "\n"
           "The call measures every kind of step, about 10 ms each, on stand-ins for ciphertexts\n"
           "and keys. It needs the memory of the keys, at most 256 MiB.")
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
      "degree"_a = nb::none(), "sharing"_a = nb::none(), "symmetric_inputs"_a = false,
      nb::sig("def suggest_parameters(scheme: str = 'ckks', *, depth: int | None = None, "
              "precision: float = 20.0, plain_bits: int = 20, slots: int = 1, security: int | str "
              "= 128, table: str = 'classical_2024', circuit: Circuit | None = None, "
              "plain_modulus: int | None = None, degree: int | None = None, sharing: SharingPolicy "
              "| None = None, symmetric_inputs: bool = False) -> ParameterSuggestion"),
      "Returns the smallest parameters that suffice for a circuit, or for `depth` squarings\n"
      "in a row and one rotation.\n"
      "\n"
      "- scheme: \"ckks\", \"bfv\" or \"bgv\".\n"
      "- depth: number of squarings in a row, 0 to 64; for CKKS, slots are at most 1 in\n"
      "  absolute value.\n"
      "- circuit: a Circuit, instead of `depth`.\n"
      "- precision: CKKS: slots of results have errors of at most 2^-precision.\n"
      "- plain_bits or plain_modulus: BFV and BGV: the modulus t of messages.\n"
      "- slots: least number of slots. Parameters have N/2 slots for CKKS, and N slots for\n"
      "  BFV and BGV.\n"
      "- security: 128, 192, 256 or a name.\n"
      "- table: name of the security table.\n"
      "- degree: N. The call then tries no other degree.\n"
      "- sharing: CKKS: results are shared under this policy; `precision` then holds for\n"
      "  the shared results.\n"
      "- symmetric_inputs: CKKS: the secret key encrypts the inputs, as SecretContext.encrypt\n"
      "  does it; they have less noise than those of PublicContext.encrypt.\n"
      "\n"
      "The call generates no keys and takes milliseconds. Raises InvalidArgument if no\n"
      "parameters in the table suffice; the error states what the largest degree gives.");
}

}  // namespace ringlet::python
