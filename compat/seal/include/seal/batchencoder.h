// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "seal/context.h"
#include "seal/memorymanager.h"
#include "seal/plaintext.h"
#include "seal/util/defines.h"
#ifdef SEAL_USE_MSGSL
#include <gsl/span>
#endif

namespace ringlet::seal4 {

/// Encodes vectors of up to N integers modulo t ("slots") as plaintexts of BFV and BGV, and decodes
/// them. Sums and products of such plaintexts are sums and products slot by slot. Slots form a
/// matrix of two rows of N/2, row after row: slot i of the first row is m(psi^(3^i)), slot i of the
/// second is m(psi^(-3^i)), where psi is the smallest primitive 2N-th root of unity modulo t.
/// Threads may share an encoder. Constant time in the values.
class RINGLET_SEAL_API BatchEncoder {
 public:
  /// Makes an encoder for `context`.
  /// @throws std::invalid_argument unless the context is valid, for BFV or BGV and with batching.
  explicit BatchEncoder(const SEALContext& context);
  BatchEncoder(const BatchEncoder&) = delete;
  BatchEncoder& operator=(const BatchEncoder&) = delete;
  ~BatchEncoder();

  /// Encodes values; missing slots are 0.
  /// @throws std::invalid_argument if there are more than N values, an unsigned value is not below
  ///         t, or a signed value is above floor(t/2) in absolute value; std::logic_error if the
  ///         destination is in NTT form. The destination then keeps its value.
  void encode(const std::vector<std::uint64_t>& values, Plaintext& destination) const;
  void encode(const std::vector<std::int64_t>& values, Plaintext& destination) const;

  /// Decodes all N slots: unsigned values in [0, t), signed values in [-floor(t/2), floor(t/2)].
  /// @throws std::invalid_argument if the plaintext is not valid for the context or in NTT form, or
  ///         the pool is uninitialized. The destination then keeps its value.
  void decode(const Plaintext& plain, std::vector<std::uint64_t>& destination,
              MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void decode(const Plaintext& plain, std::vector<std::int64_t>& destination,
              MemoryPoolHandle pool = MemoryManager::GetPool()) const;

#ifdef SEAL_USE_MSGSL
  /// These forms for spans have the same errors. A span to decode into must also have N elements,
  /// otherwise decode throws std::invalid_argument.
  void encode(gsl::span<const std::uint64_t> values, Plaintext& destination) const {
    encode_slots(values.data(), values.size(), destination);
  }
  void encode(gsl::span<const std::int64_t> values, Plaintext& destination) const {
    encode_slots(values.data(), values.size(), destination);
  }
  void decode(const Plaintext& plain, gsl::span<std::uint64_t> destination,
              MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    decode_slots(plain, destination.data(), destination.size(), pool);
  }
  void decode(const Plaintext& plain, gsl::span<std::int64_t> destination,
              MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    decode_slots(plain, destination.data(), destination.size(), pool);
  }
#endif

  /// Returns N.
  SEAL_NODISCARD std::size_t slot_count() const noexcept;

 private:
  struct Impl;

  void encode_slots(const std::uint64_t* values, std::size_t count, Plaintext& destination) const;
  void encode_slots(const std::int64_t* values, std::size_t count, Plaintext& destination) const;
  void decode_slots(const Plaintext& plain, std::uint64_t* destination, std::size_t count,
                    const MemoryPoolHandle& pool) const;
  void decode_slots(const Plaintext& plain, std::int64_t* destination, std::size_t count,
                    const MemoryPoolHandle& pool) const;

  std::unique_ptr<const Impl> impl_;
};

class RINGLET_SEAL_GONE("write seal::BatchEncoder, or assign numbers to a Plaintext")
    IntegerEncoder;

}  // namespace ringlet::seal4

namespace seal {
using namespace ringlet::seal4;
}
