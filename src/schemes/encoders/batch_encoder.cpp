// SPDX-License-Identifier: Apache-2.0
#include "ringlet/schemes/batch_encoder.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <type_traits>
#include <utility>

#include "arith/bits.hpp"
#include "base/declassify.hpp"
#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ring/backend/scratch.hpp"
#include "ringlet/arith/modular.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/ntt/ntt.hpp"
#include "rlwe/checks.hpp"
#include "schemes/evaluator/plain_polynomials.hpp"

namespace ringlet {
namespace {

const Context& check_batching(const Context& context) {
  if (context.parms().has_general_ring()) {
    refuse(rlwe::describe_ring(context.ring()), "rings X^N + 1",
           "use the encoder of slots of other cyclotomic rings");
  }
  if (!context.using_batching()) {
    const std::uint64_t t = context.parms().plain_modulus();
    refuse(concat("scheme ", to_string(context.scheme()), ", plain modulus t = ", t),
           "scheme bfv or bgv, t a prime = 1 mod 2N",
           "choose a prime that is 1 mod 2N as the plain modulus");
  }
  return context;
}

// Returns all ones if value is negative as a signed number, else 0.
std::uint64_t sign_mask(std::uint64_t value) { return opaque(0 - (value >> 63)); }

// Returns 0 if value is below t, else 1.
std::uint64_t offence(std::uint64_t value, std::uint64_t t) { return (value | ~(value - t)) >> 63; }
// Returns 0 if |value| is at most floor(t/2), else 1.
std::uint64_t offence(std::int64_t value, std::uint64_t t) {
  const auto word = static_cast<std::uint64_t>(value);
  const std::uint64_t mask = sign_mask(word);
  return offence((word ^ mask) - mask, t / 2 + 1);
}

template <typename T>
void check_range(std::span<const T> values, std::uint64_t t) {
  std::uint64_t offences = 0;
  for (const T value : values) offences |= offence(value, t);
  if (!declassify(offences != 0)) return;
  std::size_t i = 0;
  while (offence(values[i], t) == 0) ++i;
  refuse(concat("value ", i, " is out of range"),
         std::is_signed_v<T> ? concat("at most floor(t/2) = ", t / 2, " in absolute value")
                             : concat("below the plain modulus t = ", t),
         "reduce the values modulo t, or use a larger plain modulus");
}

std::uint64_t to_residue(std::uint64_t value, std::uint64_t) { return value; }
std::uint64_t to_residue(std::int64_t value, std::uint64_t t) {
  const auto word = static_cast<std::uint64_t>(value);
  return word + (t & sign_mask(word));
}

// Whether a result of `count` words may take the memory of `destination`: it has the size, and the
// values are not its own words.
template <typename T>
bool may_reuse(const Plaintext& destination, std::span<const T> values, std::size_t count) {
  if (destination.is_ntt_form() || destination.coeff_count() != count) return false;
  const std::span<const std::uint64_t> words = destination.coefficients();
  const std::less_equal<const void*> not_after;
  return not_after(values.data() + values.size(), words.data()) ||
         not_after(words.data() + words.size(), values.data());
}

void from_residue(std::uint64_t& value, std::uint64_t residue, std::uint64_t) { value = residue; }
void from_residue(std::int64_t& value, std::uint64_t residue, std::uint64_t t) {
  value = static_cast<std::int64_t>(residue - (t & sign_mask(t / 2 - residue)));
}

}  // namespace

struct BatchEncoder::Tables {
  explicit Tables(const Context& context);

  Ntt ntt;
  std::vector<std::size_t> places;  ///< The place of each slot in NTT form.
};

BatchEncoder::Tables::Tables(const Context& context)
    : ntt(context.ring().degree(), context.plain_modulus(), context.kernels()),
      places(context.ring().degree()) {
  const std::size_t degree = places.size();
  const int bits = std::countr_zero(degree);
  std::uint64_t exponent = 1;
  for (std::size_t i = 0; i < degree / 2; ++i) {
    places[i] = reverse_bits((exponent - 1) / 2, bits);
    places[degree / 2 + i] = reverse_bits((2 * degree - exponent - 1) / 2, bits);
    exponent = 3 * exponent % (2 * degree);
  }
}

BatchEncoder::BatchEncoder(const Context& context)
    : context_(public_entry("BatchEncoder",
                            [&]() -> const Context& { return check_batching(context); })),
      tables_(std::make_shared<const Tables>(context)) {}

std::size_t BatchEncoder::slot_count() const noexcept { return tables_->places.size(); }

template <typename T>
void BatchEncoder::encode_slots(std::span<const T> values, Plaintext& destination) const {
  public_entry("BatchEncoder::encode", [&] {
    if (values.size() > slot_count()) {
      refuse(concat(values.size(), " values"), concat("at most ", slot_count(), " slots"),
             "split the values over several plaintexts");
    }
    const std::uint64_t t = context_.plain_modulus().value();
    check_range(values, t);
    Plaintext result = may_reuse(destination, values, slot_count())
                           ? std::move(destination)
                           : Plaintext(slot_count(), context_.first_context_data()->pool());
    const auto coefficients = result.coefficients_for_writing();
    if (values.size() < coefficients.size()) std::ranges::fill(coefficients, 0);
    for (std::size_t i = 0; i < values.size(); ++i) {
      coefficients[tables_->places[i]] = to_residue(values[i], t);
    }
    tables_->ntt.inverse(coefficients);
    result.scale() = 1.0;
    destination = std::move(result);
  });
}

template <typename T>
void BatchEncoder::decode_slots(const Plaintext& plain, std::span<T> destination) const {
  public_entry("BatchEncoder::decode", [&] {
    schemes::check_coefficients(context_, plain);
    if (destination.size() != slot_count()) {
      refuse(concat("a span of ", destination.size(), " elements"), concat(slot_count(), " slots"),
             "pass a span of this size, or a vector");
    }
    const Scratch scratch(*context_.first_context_data()->pool(), slot_count());
    const std::span<std::uint64_t> values = scratch.words();
    const std::span<const std::uint64_t> coefficients = plain.coefficients();
    std::ranges::copy(coefficients, values.begin());
    std::ranges::fill(values.subspan(coefficients.size()), 0);
    tables_->ntt.forward(values);
    const std::uint64_t t = context_.plain_modulus().value();
    for (std::size_t i = 0; i < destination.size(); ++i) {
      from_residue(destination[i], values[tables_->places[i]], t);
    }
  });
}

void BatchEncoder::encode(std::span<const std::uint64_t> values, Plaintext& destination) const {
  encode_slots(values, destination);
}

void BatchEncoder::encode(std::span<const std::int64_t> values, Plaintext& destination) const {
  encode_slots(values, destination);
}

void BatchEncoder::decode(const Plaintext& plain, std::span<std::uint64_t> destination) const {
  decode_slots(plain, destination);
}

void BatchEncoder::decode(const Plaintext& plain, std::span<std::int64_t> destination) const {
  decode_slots(plain, destination);
}

void BatchEncoder::decode(const Plaintext& plain, std::vector<std::uint64_t>& destination) const {
  std::vector<std::uint64_t> slots(slot_count());
  decode_slots(plain, std::span(slots));
  destination = std::move(slots);
}

void BatchEncoder::decode(const Plaintext& plain, std::vector<std::int64_t>& destination) const {
  std::vector<std::int64_t> slots(slot_count());
  decode_slots(plain, std::span(slots));
  destination = std::move(slots);
}

}  // namespace ringlet
