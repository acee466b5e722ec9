// SPDX-License-Identifier: Apache-2.0
#include "native/bridge.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "native/access.hpp"
#include "native/convert.hpp"
#include "ringlet/base/error.hpp"
#include "seal/valcheck.h"

namespace ringlet::seal4::detail {
namespace {

void copy_limbs(ConstResidueView from, ResidueView to) {
  for (std::size_t i = 0; i < from.limb_count; ++i) {
    std::ranges::copy(from.limb(i), to.limb(i).begin());
  }
}

[[noreturn]] void throw_unusable(const char* operation, const char* what) {
  throw_invalid_argument({operation, std::string(what) + " that is not valid for the context",
                          "objects at a data level of this context, with the sizes, the scale and "
                          "the correction factor that this level allows",
                          "make it with an encoder, encryptor or evaluator of this context"});
}

}  // namespace

Bridge::Bridge(const SEALContext& context, const char* operation)
    : context_([&]() -> const SEALContext& {
        if (context.parameters_set()) return context;
        throw_invalid_argument({operation,
                                std::string("a context with ") + context.parameter_error_name() +
                                    ": " + context.parameter_error_message(),
                                "a context whose parameters are valid",
                                "check SEALContext::parameters_set() first"});
      }()),
      native_(native_context(context_)),
      has_scale_(parms().scheme() == scheme_type::ckks) {
  bool is_for_data = false;
  for (auto level = context_.key_context_data(); level != nullptr;
       level = level->next_context_data()) {
    is_for_data = is_for_data || level->parms_id() == context_.first_parms_id();
    levels_.push_back({level.get(), &native_level(*level), is_for_data});
  }
}

const Bridge::Level* Bridge::find(const parms_id_type& parms_id) const noexcept {
  for (const Level& level : levels_) {
    if (level.data->parms_id() == parms_id) return level.is_for_data ? &level : nullptr;
  }
  return nullptr;
}

const parms_id_type* Bridge::next_parms_id(const parms_id_type& parms_id) const noexcept {
  const Level* level = find(parms_id);
  if (level == nullptr || level == &levels_.back()) return nullptr;
  return &level[1].data->parms_id();
}

bool Bridge::shape(Ciphertext& fresh, const parms_id_type& parms_id, std::size_t size,
                   bool is_ntt) const {
  const Level* level = find(parms_id);
  if (level == nullptr || size < SEAL_CIPHERTEXT_SIZE_MIN || size > SEAL_CIPHERTEXT_SIZE_MAX) {
    return false;
  }
  CiphertextAccess::reshape(fresh, level->data->parms(), size);
  fresh.parms_id() = parms_id;
  fresh.is_ntt_form() = is_ntt;
  return true;
}

const Bridge::Level* Bridge::find_native(const ringlet::ParmsId& parms_id) const noexcept {
  for (const Level& level : levels_) {
    if (level.native->parms_id() == parms_id) return &level;
  }
  return nullptr;
}

const Bridge::Level* Bridge::level_of(const Ciphertext& in) const {
  const Level* level = find(in.parms_id());
  const bool is_usable =
      level != nullptr && has_metadata_of(in, level->data->parms()) && is_buffer_valid(in);
  return is_usable ? level : nullptr;
}

bool Bridge::is_usable(const Plaintext& in, const Level* level) const {
  if (!std::isnormal(in.scale()) || in.scale() < 0 || !is_buffer_valid(in)) return false;
  const std::size_t degree = parms().poly_modulus_degree();
  if (!in.is_ntt_form()) return !has_scale_ && in.coeff_count() <= degree;
  return level != nullptr &&
         in.coeff_count() == degree * level->data->parms().coeff_modulus().size();
}

const ringlet::Context& Bridge::key_level() const {
  std::call_once(key_level_made_, [this] {
    ringlet::EncryptionParameters parms = native_.parms();
    parms.set_coeff_modulus(parms.coeff_modulus(), {});
    key_level_ = std::make_unique<const ringlet::Context>(parms, native_.security_level(),
                                                          native_.security_table());
  });
  return *key_level_;
}

const ringlet::ParmsId& Bridge::native_parms_id(const parms_id_type& parms_id,
                                                const char* operation) const {
  const auto level = context_.get_context_data(parms_id);
  if (level == nullptr || is_pure_key_level(parms_id)) {
    throw_invalid_argument({operation,
                            level == nullptr ? "a parms_id that the context does not have"
                                             : "the parms_id of the key level",
                            "identifiers of the context's data levels",
                            "take the parms_id from this context, or from an object at the level"});
  }
  return native_level(*level).parms_id();
}

ringlet::Ciphertext Bridge::borrow(const Ciphertext& in, const char* operation) const {
  const Level* level = level_of(in);
  if (in.size() == 0 || level == nullptr) throw_unusable(operation, "a ciphertext");
  // Operands are const where they are used, so nothing is written through this pointer.
  auto* words = const_cast<std::uint64_t*>(CiphertextAccess::array(in).begin());
  return borrow_words(*level->native, in, words);
}

std::shared_ptr<const ringlet::Ciphertext> Bridge::borrow_on_device(const Ciphertext& in,
                                                                    const char* operation) const {
  if (in.size() == 0 || level_of(in) == nullptr) throw_unusable(operation, "a ciphertext");
  return CiphertextAccess::on_device(context_, in);
}

ringlet::Plaintext Bridge::borrow(const Plaintext& in, const char* operation) const {
  const Level* level = in.is_ntt_form() ? find(in.parms_id()) : nullptr;
  if (!is_usable(in, level)) throw_unusable(operation, "a plaintext");
  return borrow_words(level != nullptr ? level->native : nullptr, has_scale_, in,
                      const_cast<std::uint64_t*>(PlaintextAccess::words(in)));
}

ringlet::Ciphertext Bridge::place(Ciphertext& destination) const {
  if (CiphertextAccess::is_only_on_device(destination)) return {};
  const Level* level = level_of(destination);
  if (level == nullptr) return {};
  const bool is_vacant = CiphertextAccess::take_vacancy(destination);
  return borrow_words(*level->native, destination,
                      CiphertextAccess::array_for_writing(destination).begin(),
                      is_vacant ? Contents::unspecified : Contents::zero);
}

ringlet::Plaintext Bridge::place(Plaintext& destination) const {
  const Level* level = destination.is_ntt_form() ? find(destination.parms_id()) : nullptr;
  if (destination.coeff_count() == 0 || !is_usable(destination, level)) return {};
  return borrow_words(level != nullptr ? level->native : nullptr, has_scale_, destination,
                      PlaintextAccess::words(destination));
}

ringlet::Plaintext Bridge::place_like(Plaintext& fresh, const Ciphertext& encrypted,
                                      const Plaintext& destination) const {
  const Level* level = find(encrypted.parms_id());
  if (!has_scale_ || level == nullptr || PlaintextAccess::is_exposed(destination)) return {};
  const std::size_t count =
      parms().poly_modulus_degree() * level->data->parms().coeff_modulus().size();
  std::uint64_t* const words = PlaintextAccess::reshape(fresh, count, destination.capacity());
  fresh.parms_id() = encrypted.parms_id();
  return borrow_words(level->native, has_scale_, fresh, words);
}

void Bridge::store(const ringlet::Ciphertext& result, Ciphertext& destination) const {
  const Level* level = find_native(result.parms_id());
  if (level == nullptr || result.size() == 0) return write_back(context_, result, destination);
  write_words(*level->data, result, destination);
}

void Bridge::store(const ringlet::Plaintext& result, Plaintext& destination) const {
  const Level* level = result.is_ntt_form() ? find_native(result.parms_id()) : nullptr;
  if (level == nullptr) return write_back(context_, result, destination);
  write_words(level->data, result, destination);
}

void Bridge::store_on_device(ringlet::Ciphertext&& result, Ciphertext& destination) const {
  CiphertextAccess::store(context_, std::move(result), destination);
}

void Bridge::store_at_key_level(const ringlet::Ciphertext& result, Ciphertext& destination) const {
  ringlet::Ciphertext own(*native_.key_context_data(), result.size(), result.form());
  for (std::size_t k = 0; k < result.size(); ++k) {
    copy_limbs(result.view(k), own.view_for_writing(k));
  }
  own.scale() = result.scale();
  store(own, destination);
}

void Bridge::store_at_key_level(const ringlet::Plaintext& result, Plaintext& destination) const {
  ringlet::Plaintext own(*native_.key_context_data());
  copy_limbs(result.ntt_view(), own.ntt_view_for_writing());
  own.scale() = result.scale();
  store(own, destination);
}

void check_pool(const MemoryPoolHandle& pool, const char* operation) {
  if (pool) return;
  throw_invalid_argument({operation, "the memory pool is not initialized", "an initialized pool",
                          "leave the argument out, or pass MemoryManager::GetPool()"});
}

void check_span(std::size_t size, std::size_t slot_count, const char* operation) {
  if (size == slot_count) return;
  throw_invalid_argument({operation, "a destination of " + std::to_string(size) + " elements",
                          "slot_count() = " + std::to_string(slot_count) + " elements",
                          "pass a span of slot_count() elements, or a std::vector"});
}

}  // namespace ringlet::seal4::detail
