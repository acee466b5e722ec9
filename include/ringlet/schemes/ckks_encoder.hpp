// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ringlet/base/export.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/parameters.hpp"
#include "ringlet/rlwe/plaintext.hpp"

namespace ringlet {

/// Turns vectors of up to N/2 real or complex numbers ("slots") into plaintexts of CKKS and back.
///
/// Slot j of a plaintext m is m(zeta^(3^j)) / scale with zeta = e^(i*pi/N) (Cheon, Kim, Kim and
/// Song, "Homomorphic encryption for arithmetic of approximate numbers"). encode() rounds the
/// coefficients, times the scale, to the nearest integers. Each slot is then off by at most about
/// N/2 / scale, typically by sqrt(N/12) / scale, plus 2^-48 times the largest slot.
///
/// Immutable, cheap to copy; threads may share it. No branch and no index depends on values, with
/// three exceptions: whether a value is not finite, whether a value is too large for the modulus,
/// and how many 64-bit words the largest scaled coefficient has with its sign. Some processors take
/// longer for floating-point operations on subnormal numbers.
///
/// On an error the destination keeps its value.
class RINGLET_API CKKSEncoder {
 public:
  /// Makes an encoder for the parameters of `context`.
  /// @throws InvalidArgument if the context is not for CKKS.
  explicit CKKSEncoder(const Context& context);

  /// Returns N/2.
  std::size_t slot_count() const noexcept;

  /// Encodes `values` as a plaintext at the data level `parms_id`. Missing values are 0. Magnitudes
  /// below 2^-900 count as 0.
  /// @throws InvalidArgument if no data level has that identifier, there are more values than
  ///         slots, a value is not finite, the scale is not a positive normal number, or the scale
  ///         or a scaled value is too large: with B the bits of the level's modulus, the scale must
  ///         be below 2^(B-1) and each coefficient times the scale at most 2^(B-2).
  void encode(std::span<const double> values, const ParmsId& parms_id, double scale,
              Plaintext& destination) const;
  void encode(std::span<const std::complex<double>> values, const ParmsId& parms_id, double scale,
              Plaintext& destination) const;
  /// Encodes one value for all slots.
  void encode(double value, const ParmsId& parms_id, double scale, Plaintext& destination) const;
  void encode(std::complex<double> value, const ParmsId& parms_id, double scale,
              Plaintext& destination) const;
  /// Encodes one integer for all slots, exactly, with scale 1.
  void encode(std::int64_t value, const ParmsId& parms_id, Plaintext& destination) const;

  /// Encodes at the first data level.
  void encode(std::span<const double> values, double scale, Plaintext& destination) const {
    encode(values, context_.first_parms_id(), scale, destination);
  }
  void encode(std::span<const std::complex<double>> values, double scale,
              Plaintext& destination) const {
    encode(values, context_.first_parms_id(), scale, destination);
  }
  void encode(double value, double scale, Plaintext& destination) const {
    encode(value, context_.first_parms_id(), scale, destination);
  }
  void encode(std::complex<double> value, double scale, Plaintext& destination) const {
    encode(value, context_.first_parms_id(), scale, destination);
  }
  void encode(std::int64_t value, Plaintext& destination) const {
    encode(value, context_.first_parms_id(), destination);
  }

  /// Decodes all slots of a plaintext. The real overloads drop imaginary parts. Each coefficient is
  /// read as its representative of least absolute value. The error of a slot is about 2^-48 times
  /// the largest slot.
  /// @throws InvalidArgument if the plaintext is empty, of another context, at the key level or not
  ///         in NTT form, its scale is not a positive normal number below 2^B (B the bits of its
  ///         level's modulus), or a span does not have slot_count() elements.
  void decode(const Plaintext& plain, std::span<double> destination) const;
  void decode(const Plaintext& plain, std::span<std::complex<double>> destination) const;
  void decode(const Plaintext& plain, std::vector<double>& destination) const;
  void decode(const Plaintext& plain, std::vector<std::complex<double>>& destination) const;

 private:
  struct Tables;

  template <typename T>
  void encode_slots(std::span<const T> values, const ParmsId& parms_id, double scale,
                    Plaintext& destination) const;
  template <typename T>
  void decode_slots(const Plaintext& plain, std::span<T> destination) const;
  /// Computes the points of the transform from the residues of a plaintext.
  void to_points(const ContextData& level, const Plaintext& plain, std::span<double> buffer) const;
  template <typename T>
  void decode_all(const Plaintext& plain, std::vector<T>& destination) const;

  Context context_;
  std::shared_ptr<const Tables> tables_;
};

}  // namespace ringlet
