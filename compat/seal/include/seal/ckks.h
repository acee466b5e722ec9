// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "seal/context.h"
#include "seal/encryptionparams.h"
#include "seal/memorymanager.h"
#include "seal/plaintext.h"
#include "seal/util/defines.h"
#ifdef SEAL_USE_MSGSL
#include <gsl/span>
#endif

namespace ringlet::seal4 {

/// Encodes vectors of up to N/2 real or complex numbers ("slots") as plaintexts of CKKS, and
/// decodes them. Slot j of a plaintext m is m(zeta^(3^j)) / scale with zeta = e^(i*pi/N) (Cheon,
/// Kim, Kim and Song, "Homomorphic encryption for arithmetic of approximate numbers").
/// Coefficients, times the scale, are rounded to the nearest integers. Threads may share an
/// encoder.
///
/// Errors of encode: std::invalid_argument for an identifier that names no level, too many values,
/// a value that is not finite, a scale that is not a positive normal number, values or a scale that
/// are too large for the level's modulus, and an uninitialized pool. The destination then keeps its
/// value.
class RINGLET_SEAL_API CKKSEncoder {
  template <typename T>
  using IfSlot = std::enable_if_t<std::is_same<std::remove_cv_t<T>, double>::value ||
                                  std::is_same<std::remove_cv_t<T>, std::complex<double>>::value>;

 public:
  /// Makes an encoder for `context`.
  /// @throws std::invalid_argument unless the context is valid and for CKKS.
  explicit CKKSEncoder(const SEALContext& context);
  CKKSEncoder(const CKKSEncoder&) = delete;
  CKKSEncoder& operator=(const CKKSEncoder&) = delete;
  ~CKKSEncoder();

  /// Encodes `values`, double or std::complex<double>, at a level, by default the first data level;
  /// the key level is allowed. Missing slots are 0.
  template <typename T, typename = IfSlot<T>>
  void encode(const std::vector<T>& values, parms_id_type parms_id, double scale,
              Plaintext& destination, MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    encode_slots(values.data(), values.size(), parms_id, scale, destination, pool);
  }
  template <typename T, typename = IfSlot<T>>
  void encode(const std::vector<T>& values, double scale, Plaintext& destination,
              MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    encode_slots(values.data(), values.size(), first_parms_id(), scale, destination, pool);
  }
#ifdef SEAL_USE_MSGSL
  template <typename T, typename = IfSlot<T>>
  void encode(gsl::span<const T> values, parms_id_type parms_id, double scale,
              Plaintext& destination, MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    encode_slots(values.data(), values.size(), parms_id, scale, destination, pool);
  }
  template <typename T, typename = IfSlot<T>>
  void encode(gsl::span<const T> values, double scale, Plaintext& destination,
              MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    encode_slots(values.data(), values.size(), first_parms_id(), scale, destination, pool);
  }
#endif

  /// Encode one value for all slots.
  void encode(double value, parms_id_type parms_id, double scale, Plaintext& destination,
              MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void encode(double value, double scale, Plaintext& destination,
              MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void encode(std::complex<double> value, parms_id_type parms_id, double scale,
              Plaintext& destination, MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  void encode(std::complex<double> value, double scale, Plaintext& destination,
              MemoryPoolHandle pool = MemoryManager::GetPool()) const;
  /// Encode one integer for all slots, exactly, with scale 1.
  void encode(std::int64_t value, parms_id_type parms_id, Plaintext& destination) const;
  void encode(std::int64_t value, Plaintext& destination) const;

  /// Decodes all N/2 slots, as double (real parts) or std::complex<double>.
  /// @throws std::invalid_argument if the plaintext is not valid for the context or not in NTT
  ///         form, its scale is too large for its level, or the pool is uninitialized. The
  ///         destination then keeps its value.
  template <typename T, typename = IfSlot<T>>
  void decode(const Plaintext& plain, std::vector<T>& destination,
              MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    decode_slots(plain, destination, pool);
  }
#ifdef SEAL_USE_MSGSL
  /// As above, but throws std::invalid_argument also unless the span has N/2 elements.
  template <typename T, typename = IfSlot<T>>
  void decode(const Plaintext& plain, gsl::span<T> destination,
              MemoryPoolHandle pool = MemoryManager::GetPool()) const {
    decode_slots(plain, destination.data(), destination.size(), pool);
  }
#endif

  /// Returns N/2.
  SEAL_NODISCARD std::size_t slot_count() const noexcept;

 private:
  struct Impl;

  const parms_id_type& first_parms_id() const noexcept;
  void encode_slots(const double* values, std::size_t count, const parms_id_type& parms_id,
                    double scale, Plaintext& destination, const MemoryPoolHandle& pool) const;
  void encode_slots(const std::complex<double>* values, std::size_t count,
                    const parms_id_type& parms_id, double scale, Plaintext& destination,
                    const MemoryPoolHandle& pool) const;
  void decode_slots(const Plaintext& plain, std::vector<double>& destination,
                    const MemoryPoolHandle& pool) const;
  void decode_slots(const Plaintext& plain, std::vector<std::complex<double>>& destination,
                    const MemoryPoolHandle& pool) const;
  void decode_slots(const Plaintext& plain, double* destination, std::size_t count,
                    const MemoryPoolHandle& pool) const;
  void decode_slots(const Plaintext& plain, std::complex<double>* destination, std::size_t count,
                    const MemoryPoolHandle& pool) const;

  std::unique_ptr<const Impl> impl_;
};

}  // namespace ringlet::seal4

namespace seal {
using namespace ringlet::seal4;
}
