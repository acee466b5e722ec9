// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/circuits/circuit_run.hpp"

namespace ringlet::test {

/// A type of this namespace, so that argument-dependent lookup finds its operators.
struct ModelSlots : std::vector<std::complex<double>> {
  using vector::vector;
};

/// |z|^2. Squares of doubles below 2^-511 are no normal doubles.
inline long double square_of(std::complex<double> z) {
  return std::norm(std::complex<long double>(z));
}

inline double largest(const ModelSlots& slots) {
  long double square = 0;
  for (const auto& z : slots) square = std::max(square, square_of(z));
  return static_cast<double>(std::sqrt(square));
}

/// The root of the mean of the squared absolute values, with room for its rounding.
inline double rms(const ModelSlots& slots) {
  long double sum = 0;
  for (const auto& z : slots) sum += square_of(z);
  const auto mean = static_cast<double>(std::sqrt(sum / static_cast<long double>(slots.size())));
  return std::min(mean * (1 + 0x1p-30), largest(slots));
}

template <typename F>
ModelSlots zip(const ModelSlots& a, const ModelSlots& b, F&& f) {
  ModelSlots result(a.size());
  for (std::size_t j = 0; j < a.size(); ++j) result[j] = f(a[j], b[j]);
  return result;
}
inline ModelSlots operator+(const ModelSlots& a, const ModelSlots& b) {
  return zip(a, b, [](auto x, auto y) { return x + y; });
}
inline ModelSlots operator-(const ModelSlots& a, const ModelSlots& b) {
  return zip(a, b, [](auto x, auto y) { return x - y; });
}
// Written out: the operator of std::complex looks for infinities.
inline ModelSlots operator*(const ModelSlots& a, const ModelSlots& b) {
  return zip(a, b, [](auto x, auto y) {
    return std::complex<double>(x.real() * y.real() - x.imag() * y.imag(),
                                x.real() * y.imag() + x.imag() * y.real());
  });
}
inline ModelSlots operator-(const ModelSlots& a) {
  return zip(a, a, [](auto x, auto) { return -x; });
}
inline ModelSlots conjugated(const ModelSlots& a) {
  return zip(a, a, [](auto x, auto) { return std::conj(x); });
}
/// Slot i of the result is slot i + steps.
inline ModelSlots rotated(const ModelSlots& a, int steps) {
  ModelSlots result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    result[i] = a[static_cast<std::size_t>(static_cast<long>(i + a.size()) + steps) % a.size()];
  }
  return result;
}
/// m(X^element): element = 3^k or -3^k modulo 2N = 4 * slots.
inline ModelSlots automorphism(const ModelSlots& a, std::uint64_t element) {
  const std::uint64_t m = 4 * a.size();
  std::uint64_t power = 1;
  for (int k = 0;; ++k, power = power * 3 % m) {
    if (power == element) return rotated(a, k);
    if (m - power == element) return conjugated(rotated(a, k));
  }
}

/// A ciphertext of CKKS as the error model sees it: slot j decrypts to (scale*z_j + e_j) / scale
/// with |z_j| <= magnitude and |e_j| <= error. A plaintext has no level.
struct CkksLoad {
  const ContextData* level = nullptr;
  std::size_t size = 1;
  long double scale = 1;
  long double magnitude = 0;
  long double error = 0;
};

/// How operations of CKKS change the bound of the error: docs/notes/ckks_error_bound.md.
class CkksErrors {
 public:
  explicit CkksErrors(const CircuitBench& bench) : bench_(bench), noise_(bench.noise) {}

  /// True if the modulus has room for the message, and the error is far below the scale.
  static bool is_sound(const CkksLoad& load) {
    const long double q = modulus_of(*load.level);
    return (load.scale * load.magnitude + load.error) * 4 < q && load.scale * 2 < q &&
           load.error < load.scale * kLargestError;
  }
  /// Sets the magnitude to that of these slots.
  static void tighten(CkksLoad& load, const ModelSlots& slots) { load.magnitude = largest(slots); }
  /// The error of rounding to integers and of the transform in floating point.
  CkksLoad encoded(long double scale, long double magnitude) const {
    return {nullptr, 1, scale, magnitude, noise_.rounding() + scale * magnitude * kEncoding};
  }
  CkksLoad fresh(const ContextData& level, bool is_symmetric, const CkksLoad& plain) const {
    const long double added = is_symmetric ? noise_.fresh_symmetric() : noise_.fresh_public(level);
    return {&level, 2, plain.scale, plain.magnitude, plain.error + added};
  }
  CkksLoad add(const CkksLoad& a, const CkksLoad& b) const {
    const long double magnitude = a.magnitude + b.magnitude;
    return {a.level, std::max(a.size, b.size), a.scale, magnitude,
            a.error + b.error + a.scale * magnitude * kModel};
  }
  CkksLoad add_plain(const CkksLoad& a, const CkksLoad& b) const { return add(a, b); }
  CkksLoad multiply(const CkksLoad& a, const CkksLoad& b) const {
    const long double x = a.scale * a.magnitude;
    const long double y = b.scale * b.magnitude;
    return {a.level, a.size + b.size - 1, a.scale * b.scale, a.magnitude * b.magnitude,
            x * b.error + y * a.error + a.error * b.error + x * y * kModel};
  }
  CkksLoad multiply_plain(const CkksLoad& a, const CkksLoad& b) const { return multiply(a, b); }
  CkksLoad square(const CkksLoad& a) const { return multiply(a, a); }
  CkksLoad switch_key(CkksLoad a) const {
    a.error += noise_.key_switch(*a.level);
    return a;
  }
  CkksLoad relinearize(CkksLoad a) const {
    if (a.size == 2) return a;
    a.size = 2;
    return switch_key(a);
  }
  static CkksLoad mod_switch(CkksLoad a, const ContextData& target) {
    a.level = &target;
    return a;
  }
  CkksLoad rescale(CkksLoad a, const ContextData& target) const {
    while (a.level != &target) {
      const auto q = static_cast<long double>(a.level->coeff_modulus().back().value());
      a.scale /= q;
      a.error = a.error / q + noise_.rounding(a.size) + a.scale * a.magnitude * kModel;
      a.level = a.level->next_context_data();
    }
    return a;
  }
  /// The bound of |decoded - expected|.
  static long double decoded(const CkksLoad& a) {
    const long double error = a.error / a.scale;
    return error + (a.magnitude + error) * kEncoding;
  }

  CkksLoad relinearize_if_possible(const CkksLoad& a) const {
    return bench_.has_keys() && a.size == 3 ? relinearize(a) : a;
  }
  /// The level to which a value is rescaled before a product: the lowest at which its scale stays
  /// near that of messages.
  const ContextData& rescaled_level(const CkksLoad& a) const {
    const ContextData* level = a.level;
    long double scale = a.scale;
    while (level->next_context_data() != nullptr) {
      scale /= static_cast<long double>(level->coeff_modulus().back().value());
      if (scale * 64 < static_cast<long double>(bench_.set.scale)) break;
      level = level->next_context_data();
    }
    return *level;
  }
  int remaining_depth(CkksLoad a) const {
    for (int depth = 0;; ++depth) {
      a = relinearize_if_possible(a);
      a = rescale(a, rescaled_level(a));
      if (2 * a.size - 1 > kLargestSize || !is_sound(a)) return depth;
      a = relinearize_if_possible(square(a));
      if (!is_sound(a)) return depth;
    }
  }

 private:
  static constexpr long double kLargestError = 0x1p-8L;
  static constexpr long double kEncoding = 0x1p-47L;  // the encoder promises about 2^-48
  static constexpr long double kModel = 0x1p-50L;  // roundings of the model's doubles and of scales
  static constexpr std::size_t kLargestSize = 9;

  const CircuitBench& bench_;
  CircuitNoise noise_;
};

}  // namespace ringlet::test
