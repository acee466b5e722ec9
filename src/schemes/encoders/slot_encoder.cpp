// SPDX-License-Identifier: Apache-2.0
#include "ringlet/schemes/slot_encoder.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/base/error.hpp"
#include "schemes/evaluator/evaluation.hpp"
#include "schemes/evaluator/plain_polynomials.hpp"
#include "schemes/operand_entry.hpp"

namespace ringlet {
namespace {

std::string describe(const Context& context) {
  const RingSpec& ring = context.ring();
  const bool is_power_of_two = ring.kind() == RingKind::power_of_two_cyclotomic;
  return concat("scheme ", to_string(context.scheme()),
                ", plain modulus t = ", context.parms().plain_modulus(), ", ring ",
                is_power_of_two ? concat("X^", ring.degree(), " + 1")
                                : concat("Phi_", ring.cyclotomic_index()));
}

const char* find_remedy(const Context& context) {
  const bool is_exact = context.scheme() == SchemeType::bfv || context.scheme() == SchemeType::bgv;
  const bool is_odd = context.ring().cyclotomic_index() % 2 == 1;
  const bool is_power_of_two = context.ring().kind() == RingKind::power_of_two_cyclotomic;
  if (!is_exact) return "use scheme bfv or bgv, or the encoder of ckks for this one";
  if (is_power_of_two) return "use batching with a larger t, or the ring of an odd m";
  if (!is_odd) return "take an odd m: modulo 2 the factors of Phi_m repeat for multiples of 4";
  if (context.parms().plain_modulus() != 2) return "set the plain modulus to 2";
  return nullptr;
}

std::uint64_t check_context(const Context& context) {
  if (const char* remedy = find_remedy(context)) {
    refuse(describe(context), "scheme bfv or bgv, t = 2, ring Phi_m for an odd m", remedy);
  }
  return context.ring().cyclotomic_index();
}

// Returns n coefficients; missing ones are 0.
SecretVector<std::uint64_t> all_coefficients(const Context& context, const Plaintext& plain) {
  schemes::check_coefficients(context, plain);
  SecretVector<std::uint64_t> coefficients(context.ring().degree());
  std::ranges::copy(plain.coefficients(), coefficients.begin());
  return coefficients;
}

// Returns the steps of a rotation: itself if it has its own key, else powers of two.
std::vector<std::int64_t> plan_steps(const CyclotomicSlots& slots, std::size_t dimension,
                                     std::int64_t step, const GaloisKeys& keys) {
  const std::uint64_t exact = slots.galois_element(dimension, step);
  const auto size = static_cast<std::int64_t>(slots.dimensions()[dimension]);
  const std::int64_t places = (step % size + size) % size;
  if (places == 0) return {};
  if (keys.has_key(exact)) return {places};
  std::vector<std::int64_t> steps;
  for (std::int64_t power = 1; power <= places; power *= 2) {
    if ((places & power) != 0) steps.push_back(power);
  }
  return steps;
}

}  // namespace

SlotEncoder::SlotEncoder(const Context& context)
    : context_(context),
      slots_(public_entry("SlotEncoder", [&] { return check_context(context); })) {}

void SlotEncoder::encode(std::span<const std::uint8_t> bits, Plaintext& destination) const {
  destination = encode(bits);
}

Plaintext SlotEncoder::encode(std::span<const std::uint8_t> bits) const {
  Plaintext result(slots_.degree());
  slots_.encode(result.coefficients_for_writing(), bits);
  return result;
}

void SlotEncoder::decode(const Plaintext& plain, std::span<std::uint8_t> destination) const {
  slots_.decode(destination, public_entry("SlotEncoder::decode",
                                          [&] { return all_coefficients(context_, plain); }));
}

std::vector<std::uint8_t> SlotEncoder::decode(const Plaintext& plain) const {
  std::vector<std::uint8_t> bits(slot_count());
  decode(plain, bits);
  return bits;
}

void SlotEncoder::encode_elements(std::span<const std::uint8_t> elements,
                                  Plaintext& destination) const {
  Plaintext result(slots_.degree());
  slots_.encode_elements(result.coefficients_for_writing(), elements);
  destination = std::move(result);
}

void SlotEncoder::decode_elements(const Plaintext& plain,
                                  std::span<std::uint8_t> destination) const {
  slots_.decode_elements(destination, public_entry("SlotEncoder::decode_elements", [&] {
                           return all_coefficients(context_, plain);
                         }));
}

Plaintext SlotEncoder::mask(std::span<const std::size_t> chosen) const {
  std::vector<std::uint8_t> bits(slot_count());
  for (const std::size_t slot : chosen) {
    if (slot >= bits.size()) {
      throw_out_of_range({.operation = "SlotEncoder::mask",
                          .offending = concat("slot ", slot),
                          .limit = concat("below the ", bits.size(), " slots"),
                          .remedy = "count slots from 0"});
    }
    bits[slot] = 1;
  }
  return encode(bits);
}

Plaintext SlotEncoder::all_ones() const {
  Plaintext result(1);
  result.coefficients_for_writing()[0] = 1;
  return result;
}

std::vector<std::uint64_t> SlotEncoder::rotation_elements() const {
  std::vector<std::uint64_t> elements;
  for (std::size_t j = 0; j < dimensions().size(); ++j) {
    for (std::size_t step = 1; step < dimensions()[j]; step *= 2) {
      elements.push_back(galois_element(j, static_cast<std::int64_t>(step)));
    }
  }
  std::ranges::sort(elements);
  return elements;
}

void SlotEncoder::rotate_inplace(const Evaluator& evaluator, Ciphertext& a, std::size_t dimension,
                                 std::int64_t step, const GaloisKeys& keys) const {
  const Context& context = evaluator.context();
  schemes::evaluate("SlotEncoder::rotate_inplace", context, a, std::tie(a), [&] {
    const std::vector<std::int64_t> steps = plan_steps(slots_, dimension, step, keys);
    for (const std::int64_t part : steps) {
      if (keys.has_key(galois_element(dimension, part))) continue;
      refuse(concat("no key for step ", part, " along dimension ", dimension),
             concat("a key for step ", step, ", or for all rotation elements"),
             "create Galois keys for these elements");
    }
    if (steps.empty()) return;
    const schemes::Evaluation evaluation(evaluator);
    Ciphertext result;
    evaluation.apply_galois(a, galois_element(dimension, steps[0]), keys, result);
    for (const std::int64_t part : std::span(steps).subspan(1)) {
      evaluation.apply_galois(result, galois_element(dimension, part), keys, result);
    }
    a = std::move(result);
  });
}

}  // namespace ringlet
