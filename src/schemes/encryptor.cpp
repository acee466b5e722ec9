// SPDX-License-Identifier: Apache-2.0
#include "ringlet/schemes/encryptor.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ring/backend/scratch.hpp"
#include "ringlet/ring/backend.hpp"
#include "rlwe/checks.hpp"
#include "rlwe/random/encrypt_zero.hpp"
#include "schemes/evaluator/polynomials.hpp"
#include "schemes/evaluator/scheme_operations.hpp"
#include "schemes/operand_entry.hpp"

namespace ringlet {
namespace {

void check_present(bool present, const char* key, const char* remedy) {
  if (present) return;
  refuse<LogicError>(concat("the encryptor does not have ", key), concat("an encryptor with ", key),
                     remedy);
}

SeededCiphertext with_seed(const Context& context, Ciphertext fresh,
                           const std::optional<PublicSeed>& seed) {
  if (seed) return {context, std::move(fresh), *seed};
  refuse<LogicError>("a random source with uniform halves of its own",
                     "uniform halves that are expanded from a seed",
                     "use a source that draws no uniform halves");
}

ResidueView words(Ciphertext& result, std::size_t index) {
  if (result.is_ntt_form()) return result.ntt_view_for_writing(index);
  return result.coeff_view_for_writing(index);
}

rlwe::FreshEncryption fresh(Ciphertext& result, rlwe::SmallPolyView message) {
  const Form form = result.is_ntt_form() ? Form::ntt : Form::coefficient;
  return {words(result, 0), words(result, 1), form, message};
}

/// A checked message as small coefficients, wiped; none for zero, and where the scheme has no such
/// messages.
class SmallMessage {
 public:
  SmallMessage(const Context& context, const SchemeOperations& operations, const Plaintext* plain)
      : bound_(plain == nullptr ? 0 : operations.small_message_bound()) {
    if (bound_ == 0) return;
    words_.emplace(*context.backend().pool(), context.ring().degree());
    operations.write_small_message(*plain, coefficients());
  }
  rlwe::SmallPolyView view() const {
    if (bound_ == 0) return {};
    return {coefficients(), bound_};
  }

 private:
  std::span<std::int64_t> coefficients() const {
    const std::span<std::uint64_t> words = words_->words();
    return {reinterpret_cast<std::int64_t*>(words.data()), words.size()};
  }

  std::uint64_t bound_;
  std::optional<Scratch> words_;
};

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
  public_entry("Encryptor",
               [&] { rlwe::check_key(context_, public_key.parms_id(), "public key"); });
  public_key_ = public_key;
}

void Encryptor::set_secret_key(const SecretKey& secret_key) {
  public_entry("Encryptor",
               [&] { rlwe::check_key(context_, secret_key.parms_id(), "secret key"); });
  secret_key_ = secret_key;
}

void Encryptor::check_has(Key key) const {
  if (key == Key::public_key) {
    check_present(public_key_.has_value(), "a public key", "set a public key");
  } else {
    check_present(secret_key_.has_value(), "a secret key", "set a secret key");
  }
}

// Everything that can fail, apart from lack of memory, comes before the first write to a
// destination that is used again.
std::optional<PublicSeed> Encryptor::write(Key key, const ContextData& level,
                                           const Plaintext* plain, Ciphertext& destination) const {
  const SmallMessage small(context_, *operations_, plain);
  const bool may_reuse =
      random_.uniform_half() == nullptr && destination.device_memory() == nullptr;
  schemes::ElementwiseResult result(context_, destination, level, kMinCiphertextSize,
                                    context_.ciphertext_form(), may_reuse);
  Ciphertext& target = result.ciphertext();
  std::optional<PublicSeed> seed;
  if (key == Key::public_key) {
    rlwe::encrypt_zero_asymmetric(context_, level, *public_key_, random_,
                                  fresh(target, small.view()));
  } else {
    seed = rlwe::encrypt_zero_symmetric(context_, level,
                                        secret_key_->view().first(level.prime_count()), random_,
                                        fresh(target, small.view()));
  }
  target.scale() = 1.0;
  target.correction_factor() = 1;
  if (plain != nullptr) operations_->add_message(*plain, target);
  result.commit(key == Key::public_key ? public_key_->key_id() : secret_key_->key_id(),
                target.scale(), target.correction_factor());
  return seed;
}

std::optional<PublicSeed> Encryptor::encrypt_by(Key key, const Plaintext& plain,
                                                Ciphertext& destination) const {
  check_has(key);
  return write(key, operations_->check_message(plain), &plain, destination);
}

std::optional<PublicSeed> Encryptor::zero_by(Key key, const ParmsId& parms_id,
                                             Ciphertext& destination) const {
  check_has(key);
  return write(key, rlwe::check_data_level(context_, parms_id), nullptr, destination);
}

void Encryptor::encrypt(const Plaintext& plain, Ciphertext& destination) const {
  schemes::operand_entry("Encryptor::encrypt", context_, std::tie(plain),
                         [&] { encrypt_by(Key::public_key, plain, destination); });
}

void Encryptor::encrypt_symmetric(const Plaintext& plain, Ciphertext& destination) const {
  schemes::operand_entry("Encryptor::encrypt_symmetric", context_, std::tie(plain),
                         [&] { encrypt_by(Key::secret_key, plain, destination); });
}

void Encryptor::encrypt_zero(const ParmsId& parms_id, Ciphertext& destination) const {
  public_entry("Encryptor::encrypt_zero", [&] { zero_by(Key::public_key, parms_id, destination); });
}

void Encryptor::encrypt_zero_symmetric(const ParmsId& parms_id, Ciphertext& destination) const {
  public_entry("Encryptor::encrypt_zero_symmetric",
               [&] { zero_by(Key::secret_key, parms_id, destination); });
}

Ciphertext Encryptor::encrypt(const Plaintext& plain) const {
  Ciphertext result;
  encrypt(plain, result);
  return result;
}

Ciphertext Encryptor::encrypt_symmetric(const Plaintext& plain) const {
  Ciphertext result;
  encrypt_symmetric(plain, result);
  return result;
}

Ciphertext Encryptor::encrypt_zero(const ParmsId& parms_id) const {
  Ciphertext result;
  encrypt_zero(parms_id, result);
  return result;
}

Ciphertext Encryptor::encrypt_zero_symmetric(const ParmsId& parms_id) const {
  Ciphertext result;
  encrypt_zero_symmetric(parms_id, result);
  return result;
}

SeededCiphertext Encryptor::encrypt_symmetric_seeded(const Plaintext& plain) const {
  constexpr const char* kOperation = "Encryptor::encrypt_symmetric_seeded";
  return schemes::operand_entry(kOperation, context_, std::tie(plain), [&] {
    Ciphertext result;
    const auto seed = encrypt_by(Key::secret_key, plain, result);
    return with_seed(context_, std::move(result), seed);
  });
}

SeededCiphertext Encryptor::encrypt_zero_symmetric_seeded(const ParmsId& parms_id) const {
  return public_entry("Encryptor::encrypt_zero_symmetric_seeded", [&] {
    Ciphertext result;
    const auto seed = zero_by(Key::secret_key, parms_id, result);
    return with_seed(context_, std::move(result), seed);
  });
}

}  // namespace ringlet
