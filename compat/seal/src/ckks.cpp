// SPDX-License-Identifier: Apache-2.0
#include "seal/ckks.h"

#include <mutex>
#include <span>

#include "native/bridge.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/schemes/ckks_encoder.hpp"
#include "seal/valcheck.h"

namespace ringlet::seal4 {

struct CKKSEncoder::Impl {
  explicit Impl(const SEALContext& context)
      : bridge(context, "CKKSEncoder"), native(bridge.native()) {}

  /// `encode` writes a native plaintext of the level with an encoder that knows the level.
  template <typename Encode>
  void run(const parms_id_type& parms_id, Plaintext& destination, Encode encode) const {
    if (bridge.is_pure_key_level(parms_id)) {
      ringlet::Plaintext result;
      encode(key_level_encoder(), bridge.key_level().first_parms_id(), result);
      bridge.store_at_key_level(result, destination);
      return;
    }
    const ringlet::ParmsId& level = bridge.native_parms_id(parms_id, "CKKSEncoder::encode");
    ringlet::Plaintext result = bridge.place(destination);
    encode(native, level, result);
    bridge.store(result, destination);
  }

  template <typename T>
  void encode_slots(std::span<const T> values, const parms_id_type& parms_id, double scale,
                    Plaintext& destination, const MemoryPoolHandle& pool) const {
    detail::check_pool(pool, "CKKSEncoder::encode");
    run(parms_id, destination,
        [&](const ringlet::CKKSEncoder& encoder, const ringlet::ParmsId& level,
            ringlet::Plaintext& result) { encoder.encode(values, level, scale, result); });
  }

  template <typename T>
  void encode_value(T value, const parms_id_type& parms_id, double scale, Plaintext& destination,
                    const MemoryPoolHandle& pool) const {
    detail::check_pool(pool, "CKKSEncoder::encode");
    run(parms_id, destination,
        [&](const ringlet::CKKSEncoder& encoder, const ringlet::ParmsId& level,
            ringlet::Plaintext& result) { encoder.encode(value, level, scale, result); });
  }

  template <typename T>
  void decode_slots(const Plaintext& plain, std::vector<T>& destination,
                    const MemoryPoolHandle& pool) const {
    constexpr const char* kOperation = "CKKSEncoder::decode";
    detail::check_pool(pool, kOperation);
    const ringlet::Plaintext operand = bridge.borrow(plain, kOperation);
    if (!is_data_valid_for(plain, bridge.context())) {
      throw_invalid_argument(
          {kOperation, "a plaintext with words that are not reduced",
           "words below the prime that they belong to",
           "do not change the words of a plaintext after it was encoded, decrypted or loaded"});
    }
    native.decode(operand, destination);
  }

  template <typename T>
  void decode_slots(const Plaintext& plain, std::span<T> destination,
                    const MemoryPoolHandle& pool) const {
    detail::decode_to_span(destination, native.slot_count(), "CKKSEncoder::decode",
                           [&](std::vector<T>& slots) { decode_slots(plain, slots, pool); });
  }

  const ringlet::CKKSEncoder& key_level_encoder() const {
    std::call_once(key_level_made, [this] {
      key_level = std::make_unique<const ringlet::CKKSEncoder>(bridge.key_level());
    });
    return *key_level;
  }

  detail::Bridge bridge;
  ringlet::CKKSEncoder native;
  mutable std::once_flag key_level_made;
  mutable std::unique_ptr<const ringlet::CKKSEncoder> key_level;
};

CKKSEncoder::CKKSEncoder(const SEALContext& context)
    : impl_(std::make_unique<const Impl>(context)) {}

CKKSEncoder::~CKKSEncoder() = default;

const parms_id_type& CKKSEncoder::first_parms_id() const noexcept {
  return impl_->bridge.context().first_parms_id();
}

std::size_t CKKSEncoder::slot_count() const noexcept { return impl_->native.slot_count(); }

void CKKSEncoder::encode_slots(const double* values, std::size_t count,
                               const parms_id_type& parms_id, double scale, Plaintext& destination,
                               const MemoryPoolHandle& pool) const {
  impl_->encode_slots(std::span(values, count), parms_id, scale, destination, pool);
}

void CKKSEncoder::encode_slots(const std::complex<double>* values, std::size_t count,
                               const parms_id_type& parms_id, double scale, Plaintext& destination,
                               const MemoryPoolHandle& pool) const {
  impl_->encode_slots(std::span(values, count), parms_id, scale, destination, pool);
}

void CKKSEncoder::encode(double value, parms_id_type parms_id, double scale, Plaintext& destination,
                         MemoryPoolHandle pool) const {
  impl_->encode_value(value, parms_id, scale, destination, pool);
}

void CKKSEncoder::encode(double value, double scale, Plaintext& destination,
                         MemoryPoolHandle pool) const {
  impl_->encode_value(value, first_parms_id(), scale, destination, pool);
}

void CKKSEncoder::encode(std::complex<double> value, parms_id_type parms_id, double scale,
                         Plaintext& destination, MemoryPoolHandle pool) const {
  impl_->encode_value(value, parms_id, scale, destination, pool);
}

void CKKSEncoder::encode(std::complex<double> value, double scale, Plaintext& destination,
                         MemoryPoolHandle pool) const {
  impl_->encode_value(value, first_parms_id(), scale, destination, pool);
}

void CKKSEncoder::encode(std::int64_t value, parms_id_type parms_id, Plaintext& destination) const {
  impl_->run(parms_id, destination,
             [&](const ringlet::CKKSEncoder& encoder, const ringlet::ParmsId& level,
                 ringlet::Plaintext& result) { encoder.encode(value, level, result); });
}

void CKKSEncoder::encode(std::int64_t value, Plaintext& destination) const {
  encode(value, first_parms_id(), destination);
}

void CKKSEncoder::decode_slots(const Plaintext& plain, std::vector<double>& destination,
                               const MemoryPoolHandle& pool) const {
  impl_->decode_slots(plain, destination, pool);
}

void CKKSEncoder::decode_slots(const Plaintext& plain,
                               std::vector<std::complex<double>>& destination,
                               const MemoryPoolHandle& pool) const {
  impl_->decode_slots(plain, destination, pool);
}

void CKKSEncoder::decode_slots(const Plaintext& plain, double* destination, std::size_t count,
                               const MemoryPoolHandle& pool) const {
  impl_->decode_slots(plain, std::span(destination, count), pool);
}

void CKKSEncoder::decode_slots(const Plaintext& plain, std::complex<double>* destination,
                               std::size_t count, const MemoryPoolHandle& pool) const {
  impl_->decode_slots(plain, std::span(destination, count), pool);
}

}  // namespace ringlet::seal4
