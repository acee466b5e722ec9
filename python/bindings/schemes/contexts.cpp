// SPDX-License-Identifier: Apache-2.0
#include "bindings/schemes/contexts.hpp"

#include "bindings/circuits/circuits.hpp"
#include "bindings/schemes/values.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/rlwe/serialization.hpp"

namespace ringlet::python {
namespace {

EncodingTarget encoding_target(const Workshop& workshop, const std::optional<Integer>& level,
                               const std::optional<double>& scale) {
  const ContextData& data = level ? workshop.level(level->word("encode", "level"), "encode")
                                  : *workshop.context().first_context_data();
  return {data.parms_id(), scale.value_or(workshop.parameters().scale)};
}

std::shared_ptr<const Plaintext> encode_object(const Workshop& workshop, nb::handle object,
                                               const EncodingTarget& target) {
  const SlotValues values = slot_values(workshop, object, "encode");
  const nb::gil_scoped_release unlocked;
  return std::make_shared<const Plaintext>(encode(workshop, values, target));
}

void check_magnitude(const InputFacts& facts, const Circuit& circuit, const char* operation) {
  double largest = 0;
  for (const std::size_t input : circuit.inputs()) {
    largest = std::max(largest, circuit.nodes()[input].magnitude);
  }
  if (circuit.inputs().empty() || fits_magnitude(facts, largest)) return;
  throw_invalid_argument({operation,
                          "a number above the declared magnitude of the circuit's inputs",
                          "absolute values up to magnitude = " + std::to_string(largest),
                          "declare circuit.input(magnitude=...), or scale the numbers"});
}

}  // namespace

nb::object encode_on(const SharedWorkshop& workshop, nb::handle values,
                     const std::optional<Integer>& level, const std::optional<double>& scale) {
  const EncodingTarget target = encoding_target(*workshop, level, scale);
  return to_python(BoundPlaintext{workshop, encode_object(*workshop, values, target)});
}

Prepared prepared(const Workshop& workshop, nb::handle values, nb::handle circuit) {
  const char* operation = "encrypt";
  if (nb::isinstance<BoundPlaintext>(values)) {
    const auto& bound = nb::cast<const BoundPlaintext&>(values);
    bound.value_for(workshop, operation);
    if (circuit.is_none()) return {bound.value, std::nullopt};
    throw_invalid_argument({operation, "a plaintext for a circuit", "numbers",
                            "pass the numbers: encrypt arranges and checks them"});
  }
  nb::object given = nb::borrow(values);
  if (!circuit.is_none()) {
    given = tiled(values, circuit_of(circuit, operation).row_length(), workshop);
  }
  const SlotValues numbers = slot_values(workshop, given, operation);
  const InputFacts facts = facts_of(workshop, numbers);
  if (!circuit.is_none()) check_magnitude(facts, circuit_of(circuit, operation), operation);
  const EncodingTarget target = encoding_target(workshop, std::nullopt, std::nullopt);
  const nb::gil_scoped_release unlocked;
  return {std::make_shared<const Plaintext>(encode(workshop, numbers, target)), facts};
}

nb::object load_ciphertext(const SharedWorkshop& workshop, const nb::bytes& data) {
  std::shared_ptr<const Ciphertext> loaded;
  {
    const nb::gil_scoped_release unlocked;
    const auto* bytes = reinterpret_cast<const std::byte*>(data.c_str());
    loaded = std::make_shared<const Ciphertext>(
        load<Ciphertext>(workshop->context(), std::span(bytes, data.size())));
  }
  return to_python(BoundCiphertext(workshop, std::move(loaded)));
}

}  // namespace ringlet::python
