// SPDX-License-Identifier: Apache-2.0
#include "ringlet/rlwe/key_generator.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ringlet/ring/backend.hpp"
#include "ringlet/ring/rns_poly.hpp"
#include "rlwe/checks.hpp"
#include "rlwe/random/encrypt_zero.hpp"
#include "rlwe/random/random_stream.hpp"
#include "rlwe/random/samplers.hpp"

namespace ringlet {
namespace {

void check_keyswitching(const Context& context) {
  if (context.using_keyswitching()) return;
  refuse<LogicError>("the coefficient modulus has no special prime",
                     "data primes and at least one special prime",
                     "add a prime to the coefficient modulus");
}

void check_elements(const Context& context, const std::vector<std::uint64_t>& elements) {
  check_keyswitching(context);
  for (const std::uint64_t element : elements) {
    if (context.ring().is_galois_element(element)) continue;
    refuse(concat("Galois element ", element), rlwe::describe_galois_elements(context.ring()),
           rlwe::galois_element_source(context.ring()));
  }
}

// Returns the product of `factors` modulo q.
std::uint64_t product_of(std::span<const Modulus> factors, const Modulus& q) {
  std::uint64_t product = 1;
  for (const Modulus& factor : factors) {
    product = q.multiply(product, q.reduce(factor.value()));
  }
  return product;
}

}  // namespace

KeyGenerator::KeyGenerator(const Context& context, RandomSource random)
    : context_(context.on_host()),
      random_(std::move(random)),
      secret_key_(create_secret_key(context_, random_)) {}

SecretKey KeyGenerator::create_secret_key(const Context& context, const RandomSource& random,
                                          SecretKey memory) {
  const Context host = context.on_host();
  const ContextData& level = *host.key_context_data();
  const Backend& backend = host.backend();
  const rlwe::Seed seed(random);
  rlwe::RandomStream stream(seed, {rlwe::StreamPurpose::ternary});
  rlwe::SmallPoly values(level.degree());
  rlwe::sample_ternary(values, stream);

  SecretKey key;
  key.storage_ = memory.parms_id() == level.parms_id()
                     ? std::move(memory.storage_)
                     : Storage({1, level.prime_count(), level.degree()}, Secrecy::secret,
                               Contents::unspecified);
  const CoeffView coefficients = key.storage_.host_for_writing<Form::coefficient>(0);
  rlwe::write_small(coefficients, values, backend.basis(), level.primes());
  backend.forward_ntt(key.storage_.host_for_writing<Form::ntt>(0), coefficients, level.primes());
  key.parms_id_ = level.parms_id();
  key.key_id_ = rlwe::sample_key_id(seed);
  return key;
}

KeyGenerator::KeyGenerator(const Context& context, RandomSource random, SecretKey&& secret_key,
                           KeyMemory memory)
    : context_(context.on_host()), random_(std::move(random)), memory_(std::move(memory)) {
  public_entry("KeyGenerator",
               [&] { rlwe::check_key(context_, secret_key.parms_id(), "secret key"); });
  secret_key_ = std::move(secret_key);
}

KeyGenerator::KeyGenerator(const Context& context, const SecretKey& secret_key, RandomSource random)
    : KeyGenerator(context, std::move(random), SecretKey(secret_key), {}) {}

KeyGenerator KeyGenerator::in_memory(const Context& context, SecretKey secret_key,
                                     RandomSource random, KeyMemory memory) {
  return KeyGenerator(context, std::move(random), std::move(secret_key), std::move(memory));
}

Ciphertext KeyGenerator::new_pair() const {
  const ContextData& level = *context_.key_context_data();
  Ciphertext pair =
      memory_ ? memory_(level) : Ciphertext(level, 2, Form::ntt, Contents::unspecified);
  if (pair.size() != 2 || !pair.is_ntt_form() || pair.parms_id() != level.parms_id()) {
    throw_invalid_argument({"KeyGenerator", "memory of another shape for a key",
                            "a ciphertext of size 2 in NTT form at the key level",
                            "make the memory at the level that the function is given"});
  }
  pair.key_id() = secret_key_.key_id();
  return pair;
}

PublicKey KeyGenerator::create_public_key() const {
  const ContextData& level = *context_.key_context_data();
  PublicKey key;
  key.data_ = new_pair();
  key.seed_ = rlwe::encrypt_zero_symmetric(
      context_, level, secret_key_.view(), random_,
      {key.data_.ntt_view_for_writing(0), key.data_.ntt_view_for_writing(1)});
  return key;
}

KSwitchKey KeyGenerator::create_key_switch_key(ConstNttView source) const {
  const ContextData& level = *context_.key_context_data();
  const Backend& backend = context_.backend();
  const EncryptionParameters& parms = context_.parms();
  const std::size_t data_count = parms.data_primes().size();
  std::vector<Ciphertext> pairs;
  std::vector<PublicSeed> seeds;
  for (std::size_t first = 0; first < data_count; first += parms.digit_size()) {
    Ciphertext& pair = pairs.emplace_back(new_pair());
    const NttView b = pair.ntt_view_for_writing(0);
    const NttView a = pair.ntt_view_for_writing(1);
    const auto seed =
        rlwe::encrypt_zero_symmetric(context_, level, secret_key_.view(), random_, {b, a});
    if (seed) seeds.push_back(*seed);
    for (std::size_t j = first; j < std::min(first + parms.digit_size(), data_count); ++j) {
      const PrimeIndices prime = level.primes().subspan(j, 1);
      const std::uint64_t factor = product_of(parms.special_primes(), level.coeff_modulus()[j]);
      backend.multiply_scalars_add(b.part(j, 1), source.part(j, 1), b.part(j, 1),
                                   std::span(&factor, 1), prime);
    }
  }
  return {context_, std::move(pairs), std::move(seeds)};
}

RelinKeys KeyGenerator::create_relin_keys() const {
  public_entry("KeyGenerator::create_relin_keys", [&] { check_keyswitching(context_); });
  const ContextData& level = *context_.key_context_data();
  NttPoly square(context_.backend(), level.prime_count(), Secrecy::secret, Contents::unspecified);
  context_.backend().multiply(square.view_for_writing(), secret_key_.view(), secret_key_.view(),
                              level.primes());
  KSwitchKeyMap keys;
  keys.emplace(2, std::make_shared<const KSwitchKey>(create_key_switch_key(square.view())));
  return {context_, std::move(keys)};
}

GaloisKeys KeyGenerator::create_galois_keys() const {
  return create_galois_keys_for_elements(context_.ring().default_galois_elements());
}

GaloisKeys KeyGenerator::create_galois_keys(const std::vector<int>& steps) const {
  std::vector<std::uint64_t> elements;
  elements.reserve(steps.size());
  for (const int step : steps) {
    elements.push_back(context_.ring().galois_element_from_step(step));
  }
  return create_galois_keys_for_elements(elements);
}

GaloisKeys KeyGenerator::create_galois_keys_for_elements(
    const std::vector<std::uint64_t>& elements) const {
  public_entry("KeyGenerator::create_galois_keys", [&] { check_elements(context_, elements); });
  const ContextData& level = *context_.key_context_data();
  NttPoly image(context_.backend(), level.prime_count(), Secrecy::secret, Contents::unspecified);
  KSwitchKeyMap keys;
  for (const std::uint64_t element : elements) {
    if (keys.contains(element)) continue;
    context_.backend().automorphism(image.view_for_writing(), secret_key_.view(), element,
                                    level.primes());
    keys.emplace(element, std::make_shared<const KSwitchKey>(create_key_switch_key(image.view())));
  }
  return {context_, std::move(keys)};
}

}  // namespace ringlet
