// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/declassify.hpp"
#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "fv/ephemeral.hpp"
#include "fv/state.hpp"
#include "ringlet/arith/modular.hpp"

namespace ringlet::fv {
namespace {

constexpr std::size_t kAtOnce = 4;

using MessageView = std::span<const std::uint64_t>;

// The verdict alone depends on the message.
void check_message(const Access::State& state, MessageView message) {
  public_entry("fv::Encryptor::encrypt", [&] {
    const std::size_t degree = state.parameters.ring.degree();
    if (message.size() != degree) {
      refuse(concat("a message of ", message.size(), " coefficients"),
             concat("n = ", degree, " coefficients"), "encode bits to slots, or append zeros");
    }
    const std::uint64_t t = state.parameters.plain_modulus;
    std::uint64_t excess = 0;
    for (const std::uint64_t m : message) {
      // Not 0 where m >= t: high bits of m itself, or no borrow.
      excess |= (m >> 33) | (~opaque((m & ((std::uint64_t{1} << 33) - 1)) - t) >> 63);
    }
    if (!declassify(excess != 0)) return;
    refuse("a message with a coefficient that is not below t", concat("coefficients below t = ", t),
           "reduce the message modulo t");
  });
}

// Encrypts up to kAtOnce checked messages, in order.
void encrypt_some(const Access::State& state,
                  std::span<const std::shared_ptr<const PreparedWidePoly>, 2> key,
                  const KeyId& key_id, const RandomSource& random,
                  std::span<const MessageView> messages, std::vector<Ciphertext>& results) {
  std::vector<Ephemeral> ephemerals;
  ephemerals.reserve(messages.size());
  for (std::size_t k = 0; k < messages.size(); ++k) ephemerals.emplace_back(state, random);
  std::array<std::span<const std::int8_t>, kAtOnce> u;
  std::array<std::span<const std::int32_t>, kAtOnce> e;
  std::array<std::array<WidePoly, kAtOnce>, 2> polys;
  for (std::size_t i = 0; i < polys.size(); ++i) {
    for (std::size_t k = 0; k < messages.size(); ++k) {
      u[k] = ephemerals[k].secret;
      e[k] = ephemerals[k].errors[i];
    }
    state.product.multiply_add(std::span(polys[i]).first(messages.size()), *key[i],
                               std::span(u).first(messages.size()),
                               std::span(e).first(messages.size()));
  }
  for (std::size_t k = 0; k < messages.size(); ++k) {
    state.scaling.add_scaled(polys[0][k], messages[k]);
    Ciphertext& result = results.emplace_back();
    Access::polys(result) = {std::move(polys[0][k]), std::move(polys[1][k])};
    Access::set_owner(result, state, key_id);
  }
}

}  // namespace

Encryptor::Encryptor(const Context& context, const PublicKey& public_key, RandomSource random)
    : context_(context), random_(std::move(random)), key_id_(public_key.key_id()) {
  public_entry("fv::Encryptor",
               [&] { check_parms_id(context_, public_key.parms_id(), "public key"); });
  for (std::size_t i = 0; i < prepared_.size(); ++i) {
    prepared_[i] = context_.product().prepare(public_key[i]);
  }
}

Ciphertext Encryptor::encrypt(std::span<const std::uint64_t> message) const {
  const Access::State& state = Access::state(context_);
  check_message(state, message);
  std::vector<Ciphertext> results;
  encrypt_some(state, prepared_, key_id_, random_, {&message, 1}, results);
  return std::move(results.front());
}

std::vector<Ciphertext> Encryptor::encrypt(std::span<const Message> messages) const {
  const Access::State& state = Access::state(context_);
  for (const Message& message : messages) check_message(state, message);
  std::vector<Ciphertext> results;
  results.reserve(messages.size());
  for (std::size_t first = 0; first < messages.size(); first += kAtOnce) {
    const auto some = messages.subspan(first, std::min(kAtOnce, messages.size() - first));
    std::array<MessageView, kAtOnce> views;
    std::ranges::copy(some, views.begin());
    encrypt_some(state, prepared_, key_id_, random_, std::span(views).first(some.size()), results);
  }
  return results;
}

}  // namespace ringlet::fv
