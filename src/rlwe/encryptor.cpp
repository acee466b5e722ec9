// SPDX-License-Identifier: Apache-2.0
#include "ringlet/encryptor.hpp"

#include <utility>

#include "ringlet/backend.hpp"
#include "ringlet/error.hpp"
#include "rlwe/checks.hpp"
#include "rlwe/encrypt_zero.hpp"

namespace ringlet {
namespace {

constexpr const char* kEncrypt = "Encryptor::encrypt";
constexpr const char* kEncryptSymmetric = "Encryptor::encrypt_symmetric";
constexpr const char* kEncryptZero = "Encryptor::encrypt_zero";
constexpr const char* kEncryptZeroSymmetric = "Encryptor::encrypt_zero_symmetric";

void check_present(bool present, const char* key, const char* remedy, const char* operation) {
  if (present) return;
  throw_logic_error({.operation = operation,
                     .offending = "the encryptor has no such key",
                     .limit = key,
                     .remedy = remedy});
}

// The message is added to c_0, as CKKS has it.
void add_message(const Context& context, const ContextData& level, const Plaintext& plain,
                 Ciphertext& encrypted) {
  const NttView c0 = encrypted.ntt_view_for_writing(0);
  context.backend().add(c0, c0, plain.ntt_view(), level.primes());
  encrypted.scale() = plain.scale();
}

}  // namespace

Encryptor::Encryptor(const Context& context, const PublicKey& public_key, RandomSource random)
    : context_(context), random_(std::move(random)) {
  set_public_key(public_key);
}

Encryptor::Encryptor(const Context& context, const SecretKey& secret_key, RandomSource random)
    : context_(context), random_(std::move(random)) {
  set_secret_key(secret_key);
}

Encryptor::Encryptor(const Context& context, const PublicKey& public_key,
                     const SecretKey& secret_key, RandomSource random)
    : context_(context), random_(std::move(random)) {
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

Ciphertext Encryptor::zero(const ContextData& level) const {
  Ciphertext result(level);
  rlwe::encrypt_zero_asymmetric(context_, level, *public_key_, random_,
                                result.ntt_view_for_writing(0), result.ntt_view_for_writing(1));
  return result;
}

Ciphertext Encryptor::zero_symmetric(const ContextData& level) const {
  Ciphertext result(level);
  rlwe::encrypt_zero_symmetric(context_.backend(), level.primes(),
                               secret_key_->view().first(level.prime_count()), random_,
                               result.ntt_view_for_writing(0), result.ntt_view_for_writing(1));
  return result;
}

void Encryptor::check_public_key(const char* operation) const {
  check_present(public_key_.has_value(), "a public key", "call set_public_key", operation);
}

void Encryptor::check_secret_key(const char* operation) const {
  check_present(secret_key_.has_value(), "a secret key", "call set_secret_key", operation);
}

Ciphertext Encryptor::encrypt(const Plaintext& plain) const {
  check_public_key(kEncrypt);
  const ContextData& level = rlwe::check_operand(context_, plain, "plaintext", kEncrypt);
  Ciphertext result = zero(level);
  add_message(context_, level, plain, result);
  return result;
}

Ciphertext Encryptor::encrypt_symmetric(const Plaintext& plain) const {
  check_secret_key(kEncryptSymmetric);
  const ContextData& level = rlwe::check_operand(context_, plain, "plaintext", kEncryptSymmetric);
  Ciphertext result = zero_symmetric(level);
  add_message(context_, level, plain, result);
  return result;
}

Ciphertext Encryptor::encrypt_zero(const ParmsId& parms_id) const {
  check_public_key(kEncryptZero);
  return zero(rlwe::check_data_level(context_, parms_id, kEncryptZero));
}

Ciphertext Encryptor::encrypt_zero_symmetric(const ParmsId& parms_id) const {
  check_secret_key(kEncryptZeroSymmetric);
  return zero_symmetric(rlwe::check_data_level(context_, parms_id, kEncryptZeroSymmetric));
}

}  // namespace ringlet
