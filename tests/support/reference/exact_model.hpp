// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/schemes/batch_encoder.hpp"
#include "schemes/bgv/balance.hpp"
#include "support/circuits/circuit_run.hpp"
#include "support/reference/plain_poly.hpp"

namespace ringlet::test {

/// The slots of a message: two rows of N/2 integers modulo t, each computed alone.
class SlotMatrix {
 public:
  SlotMatrix(std::uint64_t t, std::vector<std::uint64_t> values) : values_(std::move(values)) {
    nmod_init(&t_, t);
  }

  const std::vector<std::uint64_t>& values() const noexcept { return values_; }

  friend SlotMatrix operator+(const SlotMatrix& a, const SlotMatrix& b) {
    return a.zip(b, [&](ulong x, ulong y) { return nmod_add(x, y, a.t_); });
  }
  friend SlotMatrix operator-(const SlotMatrix& a, const SlotMatrix& b) {
    return a.zip(b, [&](ulong x, ulong y) { return nmod_sub(x, y, a.t_); });
  }
  friend SlotMatrix operator*(const SlotMatrix& a, const SlotMatrix& b) {
    return a.zip(b, [&](ulong x, ulong y) { return nmod_mul(x, y, a.t_); });
  }
  SlotMatrix operator-() const {
    return zip(*this, [&](ulong x, ulong) { return nmod_neg(x, t_); });
  }
  /// Turns both rows left by `steps`.
  SlotMatrix rotated(int steps) const {
    SlotMatrix result = *this;
    const std::size_t row = values_.size() / 2;
    for (std::size_t i = 0; i < row; ++i) {
      const std::size_t from = static_cast<std::size_t>(static_cast<long>(i + row) + steps) % row;
      result.values_[i] = values_[from];
      result.values_[row + i] = values_[row + from];
    }
    return result;
  }
  SlotMatrix swapped() const {
    SlotMatrix result = *this;
    std::ranges::rotate(result.values_,
                        result.values_.begin() + static_cast<std::ptrdiff_t>(values_.size() / 2));
    return result;
  }
  /// m(X^element): element = 3^k or -3^k modulo 2N.
  SlotMatrix automorphism(std::uint64_t element) const {
    const std::uint64_t m = 2 * values_.size();
    std::uint64_t power = 1;
    for (int k = 0;; ++k, power = power * 3 % m) {
      if (power == element) return rotated(k);
      if (m - power == element) return rotated(k).swapped();
    }
  }

 private:
  template <typename F>
  SlotMatrix zip(const SlotMatrix& other, F&& f) const {
    SlotMatrix result = *this;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      result.values_[i] = f(values_[i], other.values_[i]);
    }
    return result;
  }

  nmod_t t_{};
  std::vector<std::uint64_t> values_;
};

/// The expected message of a ciphertext or a plaintext of BFV or BGV: the polynomial, and with
/// batching the slots. The two are computed independently.
struct Message {
  PlainPoly poly;
  std::optional<SlotMatrix> slots;

  template <typename F>
  static Message combine(const Message& a, const Message& b, F&& f) {
    Message result{f(a.poly, b.poly), std::nullopt};
    if (a.slots) result.slots = f(*a.slots, *b.slots);
    return result;
  }
  friend Message operator+(const Message& a, const Message& b) {
    return combine(a, b, [](const auto& x, const auto& y) { return x + y; });
  }
  friend Message operator-(const Message& a, const Message& b) {
    return combine(a, b, [](const auto& x, const auto& y) { return x - y; });
  }
  friend Message operator*(const Message& a, const Message& b) {
    return combine(a, b, [](const auto& x, const auto& y) { return x * y; });
  }
  Message operator-() const {
    return combine(*this, *this, [](const auto& x, const auto&) { return -x; });
  }
  friend Message automorphism(const Message& a, std::uint64_t element) {
    return combine(a, a, [element](const auto& x, const auto&) { return x.automorphism(element); });
  }
  /// The rows of slots exchanged.
  friend Message conjugated(const Message& a) {
    return {a.poly.automorphism(2 * a.poly.degree() - 1), a.slots->swapped()};
  }
  /// Turns both rows left by `steps`.
  friend Message rotated(const Message& a, int steps) {
    const auto degree = static_cast<int>(a.poly.degree());
    std::uint64_t element = 1;
    for (int k = (steps + degree / 2) % (degree / 2); k > 0; --k) {
      element = element * 3 % (2 * a.poly.degree());
    }
    return {a.poly.automorphism(element), a.slots->rotated(steps)};
  }
};

/// A bound of the noise, by which a circuit chooses its next operations.
struct Load {
  const ContextData* level = nullptr;
  std::size_t size = 2;
  /// A bound, in the canonical norm. For BFV it bounds w of t*(c_0 + c_1*s + ...) = q*m + w, for
  /// BGV c_0 + c_1*s + ... itself. Decryption is right while it is below q/2.
  long double noise = 0;
};

/// How operations of BFV and BGV change the bound.
class ExactNoise {
 public:
  explicit ExactNoise(const CircuitBench& bench) : ExactNoise(bench.context, bench.noise) {}
  ExactNoise(const Context& context, const CircuitNoise& noise)
      : context_(context),
        noise_(noise),
        t_(static_cast<long double>(context.plain_modulus().value())),
        is_bgv_(context.scheme() == SchemeType::bgv) {}

  /// Keeps a factor of two in reserve, so that the budget of the decryptor is above 0.
  bool is_sound(const Load& load) const {
    return load.noise * noise_.coefficient_factor() * 4 < modulus_of(*load.level);
  }

  /// The norm of a message in a ciphertext or as a summand. BGV lifts it to (-t/2, t/2]; BFV rounds
  /// q/t*m, with an error of half of 1/t of t. Either is below t/2 in each coefficient.
  long double message() const { return noise_.degree() * t_ / 2; }

  static void tighten(Load& /*load*/, const Message& /*message*/) {}
  Load fresh(const ContextData& level, bool is_symmetric, long double /*plain*/ = 0) const {
    const long double added = is_symmetric ? noise_.fresh_symmetric() : noise_.fresh_public(level);
    return {&level, 2, t_ * added + message()};
  }
  Load add_plain(Load a, long double /*plain*/ = 0) const {
    a.noise += message();
    return a;
  }
  Load multiply_plain(Load a, long double norm) const {
    a.noise *= norm;
    return a;
  }
  /// BFV, for t*ph = w + q*M with ph = c_0 + c_1*s + ... of centred polynomials: t*ph/q bounds M
  /// up to w/q, and t/q*ph_1*ph_2 has the noise w_1*w_2/q + w_1*M_2 + w_2*M_1 + rounding.
  Load multiply(const Load& a, const Load& b) const {
    Load product{a.level, a.size + b.size - 1, a.noise * b.noise};
    if (is_bgv_) return product;
    const long double q = modulus_of(*a.level);
    const long double multiple_a = t_ * noise_.uniform(a.size) + a.noise / q;
    const long double multiple_b = t_ * noise_.uniform(b.size) + b.noise / q;
    product.noise = a.noise * b.noise / q + a.noise * multiple_b + b.noise * multiple_a +
                    t_ * noise_.rounding(product.size);
    return product;
  }
  Load square(const Load& a) const { return multiply(a, a); }
  Load relinearize(Load a) const {
    if (a.size == 2) return a;
    return switch_key({a.level, 2, a.noise});
  }
  Load switch_key(Load a) const {
    a.noise += t_ * noise_.key_switch(*a.level);
    return a;
  }
  Load mod_switch(Load a, const ContextData& target) const {
    while (a.level != &target) {
      const auto p = static_cast<long double>(a.level->coeff_modulus().back().value());
      a.noise = a.noise / p + t_ * noise_.rounding(a.size);
      a.level = a.level->next_context_data();
    }
    return a;
  }
  Load add(const Load& a, const Load& b, std::uint64_t factor_a = 1,
           std::uint64_t factor_b = 1) const {
    long double of_a = 1;
    long double of_b = 1;
    if (factor_a != factor_b) {
      const Balance balance = bgv::balance(factor_a, factor_b, context_.plain_modulus());
      of_a = static_cast<long double>(std::abs(balance.of_a));
      of_b = static_cast<long double>(std::abs(balance.of_b));
    }
    return {a.level, std::max(a.size, b.size), a.noise * of_a + b.noise * of_b};
  }

  /// Returns the products at all levels that have room for them, relinearized if there are keys.
  std::vector<Load> products(const Load& a, const Load& b) const {
    std::vector<Load> result;
    const bool a_is_lower = a.level->chain_index() < b.level->chain_index();
    for (const ContextData* level = a_is_lower ? a.level : b.level; level != nullptr;
         level = level->next_context_data()) {
      const Load low_a = mod_switch(a, *level);
      const Load low_b = mod_switch(b, *level);
      const Load product = relinearize_if_possible(multiply(low_a, low_b));
      if (is_sound(low_a) && is_sound(low_b) && is_sound(product)) result.push_back(product);
    }
    return result;
  }
  static long double room(const Load& a) { return modulus_of(*a.level) / a.noise; }
  static const Load& roomiest(const std::vector<Load>& loads) {
    return *std::ranges::max_element(loads, {}, room);
  }

  /// Returns how often a value can be squared if each square is at the level with the most room.
  int remaining_depth(Load a) const {
    for (int depth = 0;; ++depth) {
      a = relinearize_if_possible(a);
      if (2 * a.size - 1 > kLargestSize) return depth;
      const std::vector<Load> squares = products(a, a);
      if (squares.empty()) return depth;
      a = roomiest(squares);
    }
  }

 private:
  // Without relinearization keys the number of polynomials grows.
  static constexpr std::size_t kLargestSize = 9;

  Load relinearize_if_possible(const Load& a) const {
    return context_.using_keyswitching() && a.size == 3 ? relinearize(a) : a;
  }

  Context context_;
  CircuitNoise noise_;
  long double t_;
  bool is_bgv_;
};

}  // namespace ringlet::test
