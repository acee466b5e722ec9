// SPDX-License-Identifier: Apache-2.0
#include "seal/encryptor.h"

#include <array>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "native/bridge.hpp"
#include "native/native_keys.hpp"
#include "random/random_call.hpp"
#include "random/seed_expansion.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/schemes/encryptor.hpp"
#include "seal/valcheck.h"

namespace ringlet::seal4 {
namespace {

using Service = std::shared_ptr<const ringlet::Encryptor>;

/// The key of an encryption, and whether the uniform half becomes a seed.
enum class Way : std::uint8_t { asymmetric, symmetric, seeded };

/// The level of a result: native services of the data levels do not have the key level.
enum class Place : std::uint8_t { data_level, key_level };

void check_has_key(bool has_key, const char* key, const char* remedy) {
  if (has_key) return;
  throw_logic_error({"Encryptor", std::string("the encryptor has no ") + key,
                     std::string("an encryptor with a ") + key, remedy});
}

void put_seed(detail::RandomCall& call, Way way, Ciphertext& destination) {
  if (way == Way::seeded) detail::replace_by_seed(destination, call.take_public_seeds().at(0));
}

}  // namespace

struct Encryptor::Impl {
  explicit Impl(const SEALContext& context) : bridge(context, "Encryptor") {}

  void set(const PublicKey& key) {
    detail::check_key(bridge, key, "Encryptor");
    public_key = key;
    services = {};
  }
  void set(const SecretKey& key) {
    detail::check_key(bridge, key, "Encryptor");
    secret_key = key;
    services = {};
  }

  void encrypt(const Plaintext& plain, Way way, const MemoryPoolHandle& pool,
               Ciphertext& destination) const {
    check_call(way, pool);
    const ringlet::Plaintext message = bridge.borrow(plain, "Encryptor::encrypt");
    if (!is_data_valid_for(plain, bridge.context())) {
      throw_invalid_argument({"Encryptor::encrypt", "a plaintext with words that are not reduced",
                              "words below the modulus that they belong to",
                              "do not change the words of a plaintext after it was encoded"});
    }
    detail::RandomCall call(bridge.parms());
    const Service native = service(way, Place::data_level);
    const parms_id_type& level =
        plain.is_ntt_form() ? plain.parms_id() : bridge.context().first_parms_id();
    run(level, destination, [&](ringlet::Ciphertext& result) {
      if (way == Way::asymmetric) return native->encrypt(message, result);
      native->encrypt_symmetric(message, result);
    });
    put_seed(call, way, destination);
  }

  void encrypt_zero(const parms_id_type& parms_id, Way way, const MemoryPoolHandle& pool,
                    Ciphertext& destination) const {
    check_call(way, pool);
    const bool at_key_level = bridge.is_pure_key_level(parms_id);
    const ringlet::ParmsId& level =
        at_key_level ? bridge.key_level().first_parms_id()
                     : bridge.native_parms_id(parms_id, "Encryptor::encrypt_zero");
    detail::RandomCall call(bridge.parms());
    const Service native = service(way, at_key_level ? Place::key_level : Place::data_level);
    const auto encrypt = [&](ringlet::Ciphertext& result) {
      if (way == Way::asymmetric) return native->encrypt_zero(level, result);
      native->encrypt_zero_symmetric(level, result);
    };
    if (at_key_level) {
      ringlet::Ciphertext zero;
      encrypt(zero);
      bridge.store_at_key_level(zero, destination);
    } else {
      run(parms_id, destination, encrypt);
    }
    put_seed(call, way, destination);
  }

  Serializable<Ciphertext> encrypt(const Plaintext& plain, Way way,
                                   const MemoryPoolHandle& pool) const {
    detail::check_pool(pool, "Encryptor::encrypt");
    Ciphertext result(pool);
    encrypt(plain, way, pool, result);
    return Serializable<Ciphertext>(std::move(result));
  }
  Serializable<Ciphertext> encrypt_zero(const parms_id_type& parms_id, Way way,
                                        const MemoryPoolHandle& pool) const {
    detail::check_pool(pool, "Encryptor::encrypt_zero");
    Ciphertext result(pool);
    encrypt_zero(parms_id, way, pool, result);
    return Serializable<Ciphertext>(std::move(result));
  }

  const parms_id_type& first() const { return bridge.context().first_parms_id(); }

 private:
  /// Runs call(ringlet::Ciphertext& result) for an encryption at a level.
  template <typename Call>
  void run(const parms_id_type& level, Ciphertext& destination, Call call) const {
    const bool is_ntt = bridge.native().ciphertext_form() == Form::ntt;
    bridge.run_for_shape(destination, level, SEAL_CIPHERTEXT_SIZE_MIN, is_ntt, true,
                         [&](Ciphertext& target) {
                           ringlet::Ciphertext result = bridge.place(target);
                           call(result);
                           bridge.store(result, target);
                         });
  }
  void check_call(Way way, const MemoryPoolHandle& pool) const {
    if (way == Way::asymmetric) {
      check_has_key(public_key.has_value(), "public key", "call set_public_key");
    } else {
      check_has_key(secret_key.has_value(), "secret key", "call set_secret_key");
    }
    detail::check_pool(pool, "Encryptor");
  }
  Service service(Way way, Place place) const {
    const std::lock_guard lock(mutex);
    Service& service = services[static_cast<std::size_t>(way)][static_cast<std::size_t>(place)];
    if (!service) {
      service = make_service(way, place == Place::key_level ? bridge.key_level() : bridge.native());
    }
    return service;
  }
  Service make_service(Way way, const ringlet::Context& context) const {
    if (way == Way::asymmetric) {
      return std::make_shared<const ringlet::Encryptor>(
          context, detail::borrow_key(context, *public_key), detail::random_source(bridge.parms()));
    }
    return std::make_shared<const ringlet::Encryptor>(
        context, detail::borrow_key(context, *secret_key),
        detail::symmetric_random_source(bridge.parms(), context, context.ciphertext_form(),
                                        way == Way::seeded));
  }

  detail::Bridge bridge;
  std::optional<PublicKey> public_key;
  std::optional<SecretKey> secret_key;
  /// By way and place. Made when first needed; a new key clears them.
  mutable std::mutex mutex;
  mutable std::array<std::array<Service, 2>, 3> services;
};

Encryptor::Encryptor(const SEALContext& context, const PublicKey& public_key)
    : impl_(std::make_unique<Impl>(context)) {
  impl_->set(public_key);
}

Encryptor::Encryptor(const SEALContext& context, const SecretKey& secret_key)
    : impl_(std::make_unique<Impl>(context)) {
  impl_->set(secret_key);
}

Encryptor::Encryptor(const SEALContext& context, const PublicKey& public_key,
                     const SecretKey& secret_key)
    : impl_(std::make_unique<Impl>(context)) {
  impl_->set(public_key);
  impl_->set(secret_key);
}

Encryptor::~Encryptor() = default;

void Encryptor::set_public_key(const PublicKey& public_key) { impl_->set(public_key); }

void Encryptor::set_secret_key(const SecretKey& secret_key) { impl_->set(secret_key); }

// Defines the encryptions with one key: into a destination, and with `saved` into a Serializable.
#define RINGLET_SEAL_DEFINE_ENCRYPTIONS(encrypt_by, encrypt_zero_by, way, saved)                \
  void Encryptor::encrypt_by(const Plaintext& plain, Ciphertext& destination,                   \
                             MemoryPoolHandle pool) const {                                     \
    impl_->encrypt(plain, way, pool, destination);                                              \
  }                                                                                             \
  Serializable<Ciphertext> Encryptor::encrypt_by(const Plaintext& plain, MemoryPoolHandle pool) \
      const {                                                                                   \
    return impl_->encrypt(plain, saved, pool);                                                  \
  }                                                                                             \
  void Encryptor::encrypt_zero_by(parms_id_type parms_id, Ciphertext& destination,              \
                                  MemoryPoolHandle pool) const {                                \
    impl_->encrypt_zero(parms_id, way, pool, destination);                                      \
  }                                                                                             \
  Serializable<Ciphertext> Encryptor::encrypt_zero_by(parms_id_type parms_id,                   \
                                                      MemoryPoolHandle pool) const {            \
    return impl_->encrypt_zero(parms_id, saved, pool);                                          \
  }                                                                                             \
  void Encryptor::encrypt_zero_by(Ciphertext& destination, MemoryPoolHandle pool) const {       \
    impl_->encrypt_zero(impl_->first(), way, pool, destination);                                \
  }                                                                                             \
  Serializable<Ciphertext> Encryptor::encrypt_zero_by(MemoryPoolHandle pool) const {            \
    return impl_->encrypt_zero(impl_->first(), saved, pool);                                    \
  }

RINGLET_SEAL_DEFINE_ENCRYPTIONS(encrypt, encrypt_zero, Way::asymmetric, Way::asymmetric)
RINGLET_SEAL_DEFINE_ENCRYPTIONS(encrypt_symmetric, encrypt_zero_symmetric, Way::symmetric,
                                Way::seeded)

}  // namespace ringlet::seal4
