// SPDX-License-Identifier: Apache-2.0
#include "scheme_contexts.hpp"

#include "ringlet/serialization.hpp"
#include "scheme_values.hpp"

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

}  // namespace

nb::object encode_on(const SharedWorkshop& workshop, nb::handle values,
                     const std::optional<Integer>& level, const std::optional<double>& scale) {
  const EncodingTarget target = encoding_target(*workshop, level, scale);
  return to_python(BoundPlaintext{workshop, encode_object(*workshop, values, target)});
}

std::shared_ptr<const Plaintext> plaintext_of(const Workshop& workshop, nb::handle values) {
  if (!nb::isinstance<BoundPlaintext>(values)) {
    return encode_object(workshop, values, encoding_target(workshop, std::nullopt, std::nullopt));
  }
  const auto& bound = nb::cast<const BoundPlaintext&>(values);
  bound.value_for(workshop, "encrypt");
  return bound.value;
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
