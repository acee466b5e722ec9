// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "seal/serialization.h"
#include "seal/util/defines.h"
#include "seal/util/hestdparms.h"
#include "seal/version.h"

namespace ringlet::seal4 {

/// The security against classical attacks that parameters must reach, by the table of 2018.
enum class sec_level_type : int {
  none = 0,  ///< No check.
  tc128 = 128,
  tc192 = 192,
  tc256 = 256,
};

/// A modulus of at most 61 bits with the constants of its reduction, or zero, which means "not
/// set". A value type. Functions run in variable time if their comment states this.
class RINGLET_SEAL_API Modulus : public detail::Saved<Modulus>,
                                 public detail::LoadedAlone<Modulus> {
 public:
  /// Makes the modulus `value` and tests whether it is prime. The conversion is implicit, so that
  /// functions that expect a modulus accept integers.
  /// @throws std::invalid_argument if value is 1 or has more than 61 bits.
  Modulus(std::uint64_t value = 0);  // NOLINT(google-explicit-constructor)
  /// Replaces the modulus.
  /// @throws as the constructor; the modulus is then unchanged.
  Modulus& operator=(std::uint64_t value);

  SEAL_NODISCARD std::uint64_t value() const noexcept { return value_; }
  /// Returns the number of significant bits; 0 for zero.
  SEAL_NODISCARD int bit_count() const noexcept { return bit_count_; }
  /// Returns the number of words of the value, always 1.
  SEAL_NODISCARD std::size_t uint64_count() const noexcept { return 1; }
  /// Returns the value as little-endian words.
  SEAL_NODISCARD const std::uint64_t* data() const noexcept { return &value_; }
  /// Returns floor(2^128 / value), low word first, and the remainder of that division; zeros if the
  /// value is zero.
  SEAL_NODISCARD const std::array<std::uint64_t, 3>& const_ratio() const noexcept {
    return const_ratio_;
  }
  SEAL_NODISCARD bool is_zero() const noexcept { return value_ == 0; }
  SEAL_NODISCARD bool is_prime() const noexcept { return is_prime_; }

  /// Returns x mod value, in [0, value). Constant time in x.
  /// @throws std::logic_error if the modulus is zero.
  SEAL_NODISCARD std::uint64_t reduce(std::uint64_t x) const;

  SEAL_NODISCARD bool operator==(const Modulus& other) const noexcept {
    return value_ == other.value_;
  }
  SEAL_NODISCARD bool operator==(std::uint64_t other) const noexcept { return value_ == other; }
  SEAL_NODISCARD bool operator!=(const Modulus& other) const noexcept {
    return value_ != other.value_;
  }
  SEAL_NODISCARD bool operator!=(std::uint64_t other) const noexcept { return value_ != other; }
  SEAL_NODISCARD bool operator<(const Modulus& other) const noexcept {
    return value_ < other.value_;
  }
  SEAL_NODISCARD bool operator<(std::uint64_t other) const noexcept { return value_ < other; }
  SEAL_NODISCARD bool operator<=(const Modulus& other) const noexcept {
    return value_ <= other.value_;
  }
  SEAL_NODISCARD bool operator<=(std::uint64_t other) const noexcept { return value_ <= other; }
  SEAL_NODISCARD bool operator>(const Modulus& other) const noexcept {
    return value_ > other.value_;
  }
  SEAL_NODISCARD bool operator>(std::uint64_t other) const noexcept { return value_ > other; }
  SEAL_NODISCARD bool operator>=(const Modulus& other) const noexcept {
    return value_ >= other.value_;
  }
  SEAL_NODISCARD bool operator>=(std::uint64_t other) const noexcept { return value_ >= other; }

 private:
  std::uint64_t value_ = 0;
  std::array<std::uint64_t, 3> const_ratio_{};
  int bit_count_ = 0;
  bool is_prime_ = false;
};

/// Chooses the primes of a coefficient modulus.
class RINGLET_SEAL_API CoeffModulus {
 public:
  CoeffModulus() = delete;

  /// Returns the largest bit count of the product of all primes, the special prime included, at a
  /// security level of the table of 2018. Returns 0 for a degree that is not in the table, INT_MAX
  /// for level none.
  SEAL_NODISCARD static constexpr int MaxBitCount(
      std::size_t poly_modulus_degree, sec_level_type sec_level = sec_level_type::tc128) noexcept {
    switch (sec_level) {
      case sec_level_type::none:
        return std::numeric_limits<int>::max();
      case sec_level_type::tc128:
        return seal4_util::seal_he_std_parms_128_tc(poly_modulus_degree);
      case sec_level_type::tc192:
        return seal4_util::seal_he_std_parms_192_tc(poly_modulus_degree);
      case sec_level_type::tc256:
        return seal4_util::seal_he_std_parms_256_tc(poly_modulus_degree);
    }
    return 0;
  }

  /// Returns the default primes of SEAL for BFV and BGV, the special prime last.
  /// @throws std::invalid_argument if the degree is not in the table of that level, or the level is
  ///         none.
  SEAL_NODISCARD static std::vector<Modulus> BFVDefault(
      std::size_t poly_modulus_degree, sec_level_type sec_level = sec_level_type::tc128);

  /// Returns one prime of bit_sizes[i] bits, 1 modulo 2*poly_modulus_degree, at each position i.
  /// For a size b that occurs c times these are the c largest primes of exactly b bits, in
  /// ascending order. An empty list gives an empty result.
  /// @throws std::invalid_argument if the degree is not a power of two in [2, 131072], there are
  ///         more than 256 sizes, or a size is outside [2, 60]; std::logic_error if there are too
  ///         few such primes.
  SEAL_NODISCARD static std::vector<Modulus> Create(std::size_t poly_modulus_degree,
                                                    std::vector<int> bit_sizes);

  /// Returns primes as Create(poly_modulus_degree, bit_sizes) does, that are also 1 modulo
  /// plain_modulus. The correction factor of BGV then stays 1 when primes are dropped.
  /// @throws as Create(poly_modulus_degree, bit_sizes); std::invalid_argument also if plain_modulus
  ///         is zero, std::logic_error also if the least common multiple of 2*poly_modulus_degree
  ///         and plain_modulus exceeds 64 bits.
  SEAL_NODISCARD static std::vector<Modulus> Create(std::size_t poly_modulus_degree,
                                                    const Modulus& plain_modulus,
                                                    std::vector<int> bit_sizes);
};

/// Chooses a plaintext modulus for batching.
class RINGLET_SEAL_API PlainModulus {
 public:
  PlainModulus() = delete;

  /// Returns the largest prime of exactly bit_size bits that is 1 modulo 2*poly_modulus_degree.
  /// @throws as CoeffModulus::Create.
  SEAL_NODISCARD static Modulus Batching(std::size_t poly_modulus_degree, int bit_size);
  /// Returns CoeffModulus::Create(poly_modulus_degree, bit_sizes).
  SEAL_NODISCARD static std::vector<Modulus> Batching(std::size_t poly_modulus_degree,
                                                      std::vector<int> bit_sizes);
};

using SmallModulus RINGLET_SEAL_GONE("write seal::Modulus") = Modulus;

}  // namespace ringlet::seal4

namespace seal {
using namespace ringlet::seal4;
}
