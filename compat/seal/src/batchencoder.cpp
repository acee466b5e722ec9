// SPDX-License-Identifier: Apache-2.0
#include "seal/batchencoder.h"

#include <span>

#include "native/bridge.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/schemes/batch_encoder.hpp"

namespace ringlet::seal4 {

struct BatchEncoder::Impl {
  explicit Impl(const SEALContext& context)
      : bridge(context, "BatchEncoder"), native(bridge.native()) {}

  template <typename T>
  void encode(std::span<const T> values, Plaintext& destination) const {
    if (destination.is_ntt_form()) {
      throw_logic_error({"BatchEncoder::encode", "a destination in NTT form",
                         "plaintexts in coefficient form",
                         "encode into another plaintext, or release() this one first"});
    }
    ringlet::Plaintext result = bridge.place(destination);
    native.encode(values, result);
    bridge.store(result, destination);
  }

  template <typename T>
  void decode(const Plaintext& plain, std::vector<T>& destination,
              const MemoryPoolHandle& pool) const {
    detail::check_pool(pool, "BatchEncoder::decode");
    native.decode(bridge.borrow(plain, "BatchEncoder::decode"), destination);
  }

  template <typename T>
  void decode(const Plaintext& plain, std::span<T> destination,
              const MemoryPoolHandle& pool) const {
    detail::decode_to_span(destination, native.slot_count(), "BatchEncoder::decode",
                           [&](std::vector<T>& slots) { decode(plain, slots, pool); });
  }

  detail::Bridge bridge;
  ringlet::BatchEncoder native;
};

BatchEncoder::BatchEncoder(const SEALContext& context)
    : impl_(std::make_unique<const Impl>(context)) {}

BatchEncoder::~BatchEncoder() = default;

void BatchEncoder::encode(const std::vector<std::uint64_t>& values, Plaintext& destination) const {
  impl_->encode<std::uint64_t>(values, destination);
}

void BatchEncoder::encode(const std::vector<std::int64_t>& values, Plaintext& destination) const {
  impl_->encode<std::int64_t>(values, destination);
}

void BatchEncoder::encode_slots(const std::uint64_t* values, std::size_t count,
                                Plaintext& destination) const {
  impl_->encode(std::span(values, count), destination);
}

void BatchEncoder::encode_slots(const std::int64_t* values, std::size_t count,
                                Plaintext& destination) const {
  impl_->encode(std::span(values, count), destination);
}

void BatchEncoder::decode(const Plaintext& plain, std::vector<std::uint64_t>& destination,
                          MemoryPoolHandle pool) const {
  impl_->decode(plain, destination, pool);
}

void BatchEncoder::decode(const Plaintext& plain, std::vector<std::int64_t>& destination,
                          MemoryPoolHandle pool) const {
  impl_->decode(plain, destination, pool);
}

void BatchEncoder::decode_slots(const Plaintext& plain, std::uint64_t* destination,
                                std::size_t count, const MemoryPoolHandle& pool) const {
  impl_->decode(plain, std::span(destination, count), pool);
}

void BatchEncoder::decode_slots(const Plaintext& plain, std::int64_t* destination,
                                std::size_t count, const MemoryPoolHandle& pool) const {
  impl_->decode(plain, std::span(destination, count), pool);
}

std::size_t BatchEncoder::slot_count() const noexcept { return impl_->native.slot_count(); }

}  // namespace ringlet::seal4
