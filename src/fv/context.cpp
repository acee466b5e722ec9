// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "fv/state.hpp"
#include "rlwe/checks.hpp"
#include "rlwe/random/samplers.hpp"
#include "rlwe/random/sha256.hpp"

namespace ringlet::fv {
namespace {

constexpr const char* kContext = "fv::Context";

const Parameters& validated(const Parameters& parameters, SecurityLevel level,
                            SecurityTable table) {
  public_entry(kContext, [&] { validate(parameters, level, table); });
  return parameters;
}

// Excludes the way of products: all ways give the same bits.
ParmsId digest(const Parameters& parameters, SecurityLevel level, SecurityTable table) {
  rlwe::ByteString message;
  message.append("ringlet.fv.v1");
  message.append(static_cast<std::uint64_t>(parameters.ring.kind()));
  message.append(parameters.ring.cyclotomic_index());
  for (const std::uint64_t word : parameters.modulus.value()) message.append(word);
  message.append(parameters.plain_modulus);
  message.append(static_cast<std::uint64_t>(parameters.secrets));
  message.append(static_cast<std::uint64_t>(level));
  message.append(level == SecurityLevel::none ? 0 : static_cast<std::uint64_t>(table));
  return rlwe::sha256_words(message);
}

NoiseBound checked_noise(const Parameters& parameters, const rlwe::ErrorSampler& errors) {
  const auto growth = static_cast<std::uint64_t>(errors.bound() / rlwe::kErrorBits);
  const NoiseBound bound =
      bound_noise(parameters.ring.degree(), growth, parameters.modulus, parameters.plain_modulus);
  if (bound.max_additions >= 1) return bound;
  refuse(concat("q = ", parameters.modulus.to_string(), " with t = ", parameters.plain_modulus),
         concat("q / (2t) above the bound on the noise of a fresh ciphertext, 2^",
                std::log2(bound.fresh)),
         "take a larger modulus or a smaller plain modulus");
}

const WidePoly& polynomial_of(const std::array<WidePoly, 2>& polys, std::size_t i) {
  if (i < polys.size()) return polys[i];
  refuse<OutOfRange>(concat("polynomial ", i), "0 and 1",
                     "use index 0 or 1: keys and ciphertexts of FV have two polynomials");
}

}  // namespace

Context::State::State(const Parameters& given, SecurityLevel security_level,
                      SecurityTable security_table, const KernelSelection& kernels)
    : parameters(validated(given, security_level, security_table)),
      level(security_level),
      table(security_table),
      parms_id(digest(given, security_level, security_table)),
      polynomial(given.ring.cyclotomic_index()),
      product(polynomial, given.modulus, given.way, kernels),
      scaling(given.modulus, given.plain_modulus),
      errors(public_entry(kContext, [&] { return rlwe::ErrorSampler(given.ring); })),
      noise(public_entry(kContext, [&] { return checked_noise(given, errors); })) {}

Context::Context(const Parameters& parameters, SecurityLevel level, SecurityTable table,
                 const KernelSelection& kernels)
    : state_(std::make_shared<const State>(parameters, level, table, kernels)) {}

const Parameters& Context::parameters() const noexcept { return state_->parameters; }
SecurityLevel Context::security_level() const noexcept { return state_->level; }
SecurityTable Context::security_table() const noexcept { return state_->table; }
const ParmsId& Context::parms_id() const noexcept { return state_->parms_id; }
const WideProduct& Context::product() const noexcept { return state_->product; }
double Context::fresh_noise_bits() const noexcept { return std::log2(state_->noise.fresh); }
std::uint64_t Context::max_additions() const noexcept { return state_->noise.max_additions; }

Ciphertext Context::add(const Ciphertext& a, const Ciphertext& b) const {
  public_entry("fv::Context::add", [&] {
    check_parms_id(*this, a.parms_id(), "first ciphertext");
    check_parms_id(*this, b.parms_id(), "second ciphertext");
    rlwe::check_key_id(a.key_id(), "first ciphertext", b.key_id(), "second ciphertext");
  });
  const WideModulus& q = state_->parameters.modulus;
  Ciphertext sum;
  Access::set_owner(sum, *state_, rlwe::common_key(a.key_id(), b.key_id()));
  for (std::size_t i = 0; i < sum.polys_.size(); ++i) {
    sum.polys_[i] = WidePoly(state_->parameters.ring.degree(), q.word_count());
    ringlet::add(sum.polys_[i], a.polys_[i], b.polys_[i], q);
  }
  return sum;
}

const WidePoly& PublicKey::operator[](std::size_t i) const {
  return public_entry("fv::PublicKey::operator[]",
                      [&]() -> auto& { return polynomial_of(polys_, i); });
}

const WidePoly& Ciphertext::operator[](std::size_t i) const {
  return public_entry("fv::Ciphertext::operator[]",
                      [&]() -> auto& { return polynomial_of(polys_, i); });
}

void check_parms_id(const Context& context, const ParmsId& parms_id, const char* what) {
  if (parms_id == context.parms_id()) return;
  refuse(parms_id == kParmsIdZero ? concat(what, " holds nothing")
                                  : concat(what, " has identifier ", rlwe::describe(parms_id)),
         concat("the context of ", rlwe::describe_ring(context.parameters().ring), ", identifier ",
                rlwe::describe(context.parms_id())),
         "use keys and ciphertexts of the same parameters and security level");
}

}  // namespace ringlet::fv
