// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

#include "base/declassify.hpp"
#include "base/public_entry.hpp"
#include "fv/state.hpp"
#include "rlwe/checks.hpp"

namespace ringlet::fv {
namespace {

// Returns C_1 + C_2 * S.
WidePoly phase(const Access::State& state, const Ciphertext& encrypted, const SecretKey& key) {
  WidePoly result;
  const std::span<const std::int8_t> s = key.coefficients();
  const std::span<const std::int32_t> none;
  const auto prepared = state.product.prepare(encrypted[1]);
  state.product.multiply_add({&result, 1}, *prepared, {&s, 1}, {&none, 1});
  ringlet::add(result, result, encrypted[0], state.parameters.modulus);
  return result;
}

void check(const Context& context, const Ciphertext& encrypted, const SecretKey& key) {
  check_parms_id(context, encrypted.parms_id(), "ciphertext");
  rlwe::check_key_id(encrypted.key_id(), "the ciphertext", key.key_id(), "the decrypting key");
}

// The size of the noise is public, and so is the time in which it is found.
WideInteger declassified(const WideInteger& value) {
  constexpr std::uint64_t kMask = 0xffff;
  WideInteger result{};
  for (std::size_t w = 0; w < value.size(); ++w) {
    for (int shift = 0; shift < 64; shift += 16) {
      result[w] |= declassify(value[w] >> shift & kMask) << shift;
    }
  }
  return result;
}

}  // namespace

Decryptor::Decryptor(const Context& context, SecretKey secret_key)
    : context_(context), secret_key_(std::move(secret_key)) {
  public_entry("fv::Decryptor",
               [&] { check_parms_id(context_, secret_key_.parms_id(), "secret key"); });
}

Message Decryptor::decrypt(const Ciphertext& encrypted) const {
  public_entry("fv::Decryptor::decrypt", [&] { check(context_, encrypted, secret_key_); });
  const Access::State& state = Access::state(context_);
  Message message(state.parameters.ring.degree());
  state.scaling.unscale(message, phase(state, encrypted, secret_key_));
  return message;
}

double Decryptor::noise_budget(const Ciphertext& encrypted) const {
  public_entry("fv::Decryptor::noise_budget", [&] { check(context_, encrypted, secret_key_); });
  const Access::State& state = Access::state(context_);
  const WidePoly w = phase(state, encrypted, secret_key_);
  Message message(state.parameters.ring.degree());
  state.scaling.unscale(message, w);
  const double noise = to_double(declassified(state.scaling.largest_noise(w, message)));
  const double room = to_double(state.parameters.modulus.value()) /
                      (2 * static_cast<double>(state.parameters.plain_modulus));
  return std::max(0.0, std::log2(room / std::max(noise, 1.0)));
}

}  // namespace ringlet::fv
