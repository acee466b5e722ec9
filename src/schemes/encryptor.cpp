// SPDX-License-Identifier: Apache-2.0
#include "ringlet/encryptor.hpp"

#include <utility>

#include "ring/reinterpret.hpp"
#include "ringlet/backend.hpp"
#include "ringlet/error.hpp"
#include "rlwe/checks.hpp"
#include "rlwe/encrypt_zero.hpp"
#include "schemes/named_operands.hpp"
#include "schemes/scheme_operations.hpp"

namespace ringlet {
namespace {

constexpr const char* kEncrypt = "Encryptor::encrypt";
constexpr const char* kEncryptSymmetric = "Encryptor::encrypt_symmetric";
constexpr const char* kEncryptZero = "Encryptor::encrypt_zero";
constexpr const char* kEncryptSeeded = "Encryptor::encrypt_symmetric_seeded";
constexpr const char* kEncryptZeroSeeded = "Encryptor::encrypt_zero_symmetric_seeded";
constexpr const char* kEncryptZeroSymmetric = "Encryptor::encrypt_zero_symmetric";

const ContextData& check_message(const Context& context, const SchemeOperations& operations,
                                 const Plaintext& plain, const char* operation) {
  const ContextData* level = nullptr;
  const auto check = [&] { level = &operations.check_message(plain, operation); };
  schemes::name_operands(operation, context, check, plain);
  return *level;
}

void check_present(bool present, const char* key, const char* remedy, const char* operation) {
  if (present) return;
  throw_logic_error({.operation = operation,
                     .offending = "the encryptor has no such key",
                     .limit = key,
                     .remedy = remedy});
}

SeededCiphertext with_seed(const Context& context, Ciphertext fresh,
                           const std::optional<PublicSeed>& seed, const char* operation) {
  if (seed) return {context, std::move(fresh), *seed};
  throw_logic_error({.operation = operation,
                     .offending = "a random source with uniform halves of its own",
                     .limit = "uniform halves that are expanded from a seed",
                     .remedy = "use a RandomSource without with_uniform_half"});
}

}  // namespace

Encryptor::~Encryptor() = default;

Encryptor::Encryptor(const Context& context, const PublicKey& public_key, RandomSource random)
    : context_(context.on_host()),
      operations_(make_scheme_operations(context_)),
      random_(std::move(random)) {
  set_public_key(public_key);
}

Encryptor::Encryptor(const Context& context, const SecretKey& secret_key, RandomSource random)
    : context_(context.on_host()),
      operations_(make_scheme_operations(context_)),
      random_(std::move(random)) {
  set_secret_key(secret_key);
}

Encryptor::Encryptor(const Context& context, const PublicKey& public_key,
                     const SecretKey& secret_key, RandomSource random)
    : context_(context.on_host()),
      operations_(make_scheme_operations(context_)),
      random_(std::move(random)) {
  set_public_key(public_key);
  set_secret_key(secret_key);
}

void Encryptor::set_public_key(const PublicKey& public_key) {
  rlwe::check_key(context_, public_key.parms_id(), "public key", "Encryptor");
  public_key_ = public_key;
}

void Encryptor::set_secret_key(const SecretKey& secret_key) {
  rlwe::check_key(context_, secret_key.parms_id(), "secret key", "Encryptor");
  secret_key_ = secret_key;
}

// The words of a fresh ciphertext as polynomials in NTT form, whatever its form is going to be.
NttView Encryptor::values(Ciphertext& fresh, std::size_t index) {
  return fresh.is_ntt_form() ? fresh.ntt_view_for_writing(index)
                             : as_values(fresh.coeff_view_for_writing(index));
}

Ciphertext Encryptor::in_native_form(Ciphertext fresh, const ContextData& level) const {
  if (fresh.is_ntt_form()) return fresh;
  for (std::size_t k = 0; k < fresh.size(); ++k) {
    context_.backend().inverse_ntt(fresh.coeff_view_for_writing(k), values(fresh, k),
                                   level.primes());
  }
  return fresh;
}

Ciphertext Encryptor::zero(const ContextData& level) const {
  Ciphertext result(level, 2, context_.ciphertext_form());
  rlwe::encrypt_zero_asymmetric(context_, level, *public_key_, random_, values(result, 0),
                                values(result, 1));
  return in_native_form(std::move(result), level);
}

Ciphertext Encryptor::zero_symmetric(const ContextData& level,
                                     std::optional<PublicSeed>* seed) const {
  Ciphertext result(level, 2, context_.ciphertext_form());
  const auto published =
      rlwe::encrypt_zero_symmetric(context_, level, secret_key_->view().first(level.prime_count()),
                                   random_, values(result, 0), values(result, 1));
  if (seed != nullptr) *seed = published;
  return in_native_form(std::move(result), level);
}

void Encryptor::check_public_key(const char* operation) const {
  check_present(public_key_.has_value(), "a public key", "call set_public_key", operation);
}

void Encryptor::check_secret_key(const char* operation) const {
  check_present(secret_key_.has_value(), "a secret key", "call set_secret_key", operation);
}

Ciphertext Encryptor::encrypt(const Plaintext& plain) const {
  check_public_key(kEncrypt);
  Ciphertext result = zero(check_message(context_, *operations_, plain, kEncrypt));
  operations_->add_message(plain, result);
  return result;
}

Ciphertext Encryptor::encrypt_symmetric(const Plaintext& plain) const {
  check_secret_key(kEncryptSymmetric);
  Ciphertext result =
      zero_symmetric(check_message(context_, *operations_, plain, kEncryptSymmetric), nullptr);
  operations_->add_message(plain, result);
  return result;
}

Ciphertext Encryptor::encrypt_zero(const ParmsId& parms_id) const {
  check_public_key(kEncryptZero);
  return zero(rlwe::check_data_level(context_, parms_id, kEncryptZero));
}

Ciphertext Encryptor::encrypt_zero_symmetric(const ParmsId& parms_id) const {
  check_secret_key(kEncryptZeroSymmetric);
  return zero_symmetric(rlwe::check_data_level(context_, parms_id, kEncryptZeroSymmetric), nullptr);
}

SeededCiphertext Encryptor::encrypt_symmetric_seeded(const Plaintext& plain) const {
  check_secret_key(kEncryptSeeded);
  std::optional<PublicSeed> seed;
  Ciphertext result =
      zero_symmetric(check_message(context_, *operations_, plain, kEncryptSeeded), &seed);
  operations_->add_message(plain, result);
  return with_seed(context_, std::move(result), seed, kEncryptSeeded);
}

SeededCiphertext Encryptor::encrypt_zero_symmetric_seeded(const ParmsId& parms_id) const {
  check_secret_key(kEncryptZeroSeeded);
  std::optional<PublicSeed> seed;
  Ciphertext result =
      zero_symmetric(rlwe::check_data_level(context_, parms_id, kEncryptZeroSeeded), &seed);
  return with_seed(context_, std::move(result), seed, kEncryptZeroSeeded);
}

}  // namespace ringlet
