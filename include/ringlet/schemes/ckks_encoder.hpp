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
/// coefficients, times the scale, to the nearest integers; each slot is then off by at most about
/// N/2 / scale, typically sqrt(N/12) / scale, plus 2^-48 relative to the largest slot.
///
/// Immutable, cheap to copy, shared by threads. No branch and no index depends on values, with
/// three verdicts that become known: whether a value is not finite, whether one is too large for
/// the modulus, and how many 64-bit words the largest scaled coefficient takes with its sign.
/// Floating-point operations on subnormal numbers may take longer than others on some processors.
///
/// On an error the destination keeps its value.
class RINGLET_API CKKSEncoder {
 public:
  /// @throws InvalidArgument if the context is not for CKKS.
  explicit CKKSEncoder(const Context& context);

  /// N/2.
  std::size_t slot_count() const noexcept;

  /// The plaintext of `values` at a data level; slots that are not given become 0. Magnitudes below
  /// 2^-900 count as 0.
  /// @throws InvalidArgument if no data level has that identifier, there are more values than
  ///         slots, a value is not finite, the scale is not a positive normal number, or scale or
  ///         scaled values are too large: with B the bits of the level's modulus, the scale must be
  ///         below 2^(B-1) and each coefficient times the scale at most 2^(B-2).
  void encode(std::span<const double> values, const ParmsId& parms_id, double scale,
              Plaintext& destination) const;
  void encode(std::span<const std::complex<double>> values, const ParmsId& parms_id, double scale,
              Plaintext& destination) const;
  /// One value for all slots.
  void encode(double value, const ParmsId& parms_id, double scale, Plaintext& destination) const;
  void encode(std::complex<double> value, const ParmsId& parms_id, double scale,
              Plaintext& destination) const;
  /// One integer for all slots, exact, with scale 1.
  void encode(std::int64_t value, const ParmsId& parms_id, Plaintext& destination) const;

  /// The same at the first data level.
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

  /// All slots of a plaintext. The real overloads drop imaginary parts. Coefficients are taken as
  /// the representatives of least absolute value; relative error about 2^-48 of the largest slot.
  /// @throws InvalidArgument if the plaintext is empty, of another context, at the key level, not
  ///         in NTT form, its scale is not a positive normal number below 2^B (B the bits of its
  ///         level's modulus), or a span is not of slot_count() elements.
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
  /// The points of the transform from the residues of a plaintext.
  void to_points(const ContextData& level, const Plaintext& plain, std::span<double> buffer) const;
  template <typename T>
  void decode_all(const Plaintext& plain, std::vector<T>& destination) const;

  Context context_;
  std::shared_ptr<const Tables> tables_;
};

}  // namespace ringlet
