// SPDX-License-Identifier: Apache-2.0
#include "native/bridge.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "native/access.hpp"
#include "native/convert.hpp"
#include "ringlet/base/error.hpp"
#include "seal/valcheck.h"

namespace ringlet::seal4::detail {
namespace {

template <typename T>
bool is_usable(const T& in, const SEALContext& context) {
  return is_metadata_valid_for(in, context) && is_buffer_valid(in);
}

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
      native_(native_context(context_)) {}

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
  if (in.size() == 0 || !is_usable(in, context_)) throw_unusable(operation, "a ciphertext");
  return borrow_native(context_, in);
}

std::shared_ptr<const ringlet::Ciphertext> Bridge::borrow_on_device(const Ciphertext& in,
                                                                    const char* operation) const {
  if (in.size() == 0 || !is_usable(in, context_)) throw_unusable(operation, "a ciphertext");
  return CiphertextAccess::on_device(context_, in);
}

ringlet::Plaintext Bridge::borrow(const Plaintext& in, const char* operation) const {
  if (!is_usable(in, context_)) throw_unusable(operation, "a plaintext");
  return borrow_native(context_, in);
}

ringlet::Ciphertext Bridge::place(Ciphertext& destination) const {
  if (CiphertextAccess::is_only_on_device(destination)) return {};
  if (!is_usable(destination, context_)) return {};
  return borrow_for_writing(context_, destination);
}

ringlet::Plaintext Bridge::place(Plaintext& destination) const {
  if (!destination.is_ntt_form() || !is_usable(destination, context_)) return {};
  return borrow_for_writing(context_, destination);
}

void Bridge::store(const ringlet::Ciphertext& result, Ciphertext& destination) const {
  write_back(context_, result, destination);
}

void Bridge::store(const ringlet::Plaintext& result, Plaintext& destination) const {
  write_back(context_, result, destination);
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
