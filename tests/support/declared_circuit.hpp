// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <flint/nmod_vec.h>

#include "ringlet/ringlet.hpp"
#include "support/environment.hpp"
#include "support/test.hpp"
#include "support/values.hpp"
#include "unit/rlwe/rlwe_support.hpp"

namespace ringlet::test {

using Number = std::complex<long double>;

/// Numbers as slots of CKKS.
struct NumberSlots {
  using Slot = Number;
  static Slot add(const Slot& a, const Slot& b) { return a + b; }
  static Slot subtract(const Slot& a, const Slot& b) { return a - b; }
  static Slot multiply(const Slot& a, const Slot& b) { return a * b; }
  static std::vector<Slot> known(const KnownVector& vector) {
    std::vector<Slot> slots;
    for (const auto& z : vector.numbers()) slots.emplace_back(z.real(), z.imag());
    return slots;
  }
  static std::vector<Slot> conjugate(std::vector<Slot> a) {
    for (Slot& z : a) z = std::conj(z);
    return a;
  }
};

/// Integers modulo t, two rows, by FLINT.
struct ResidueSlots {
  using Slot = std::uint64_t;

  explicit ResidueSlots(std::uint64_t modulus) { nmod_init(&t, modulus); }
  Slot add(Slot a, Slot b) const { return nmod_add(a, b, t); }
  Slot subtract(Slot a, Slot b) const { return nmod_sub(a, b, t); }
  Slot multiply(Slot a, Slot b) const { return nmod_mul(a, b, t); }
  std::vector<Slot> known(const KnownVector& vector) const {
    std::vector<Slot> slots;
    for (const std::int64_t value : vector.integers()) {
      const auto modulus = static_cast<std::int64_t>(t.n);
      slots.push_back(static_cast<Slot>((value % modulus + modulus) % modulus));
    }
    return slots;
  }
  static std::vector<Slot> conjugate(std::vector<Slot> a) {
    std::ranges::rotate(a, a.begin() + static_cast<std::ptrdiff_t>(a.size() / 2));
    return a;
  }

  nmod_t t{};
};

/// A circuit on vectors in the clear, node by node: nothing of plans, levels and scales. `inputs`
/// hold `rows` rows one after the other.
template <typename Arithmetic>
class ClearCircuit {
 public:
  using Slot = typename Arithmetic::Slot;
  using Vector = std::vector<Slot>;

  ClearCircuit(const Circuit& circuit, std::size_t rows, Arithmetic arithmetic = Arithmetic())
      : circuit_(circuit), rows_(rows), arithmetic_(arithmetic) {}

  std::vector<Vector> operator()(const std::vector<Vector>& inputs) const {
    std::vector<Vector> values;
    for (const CircuitNode& node : circuit_.nodes()) values.push_back(value(node, values, inputs));
    std::vector<Vector> results;
    for (const std::size_t output : circuit_.outputs()) results.push_back(values[output]);
    return results;
  }

 private:
  Vector value(const CircuitNode& node, const std::vector<Vector>& values,
               const std::vector<Vector>& inputs) const {
    const Vector zero(rows_ * circuit_.row_length());
    const auto zip = [](const Vector& a, const Vector& b, const auto& f) {
      Vector result(a.size());
      for (std::size_t i = 0; i < a.size(); ++i) result[i] = f(a[i], b[i]);
      return result;
    };
    const auto add = [this](const Slot& x, const Slot& y) { return arithmetic_.add(x, y); };
    const auto subtract = [this](const Slot& x, const Slot& y) {
      return arithmetic_.subtract(x, y);
    };
    const auto multiply = [this](const Slot& x, const Slot& y) {
      return arithmetic_.multiply(x, y);
    };
    switch (node.operation) {
      case CircuitOperation::input:
        return inputs[node.a];
      case CircuitOperation::negate:
        return zip(zero, values[node.a], subtract);
      case CircuitOperation::add:
        return zip(values[node.a], values[node.b], add);
      case CircuitOperation::subtract:
        return zip(values[node.a], values[node.b], subtract);
      case CircuitOperation::multiply:
        return zip(values[node.a], values[node.b], multiply);
      case CircuitOperation::add_known:
        return zip(values[node.a], spread(circuit_.known_vectors()[node.b]), add);
      case CircuitOperation::multiply_known:
        return zip(values[node.a], spread(circuit_.known_vectors()[node.b]), multiply);
      case CircuitOperation::rotate:
        return rotated(values[node.a], static_cast<std::size_t>(node.steps));
      case CircuitOperation::conjugate:
        return arithmetic_.conjugate(values[node.a]);
    }
    return zero;
  }

  Vector spread(const KnownVector& vector) const {
    const std::size_t length = circuit_.row_length();
    Vector slots = arithmetic_.known(vector);
    if (vector.is_constant()) return Vector(rows_ * length, slots.front());
    const bool has_two_rows = slots.size() > length;
    slots.resize(rows_ * length);
    for (std::size_t i = 0; rows_ == 2 && !has_two_rows && i < length; ++i) {
      slots[length + i] = slots[i];
    }
    return slots;
  }

  Vector rotated(const Vector& a, std::size_t steps) const {
    const std::size_t length = circuit_.row_length();
    Vector result(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      result[i] = a[i / length * length + (i % length + steps) % length];
    }
    return result;
  }

  const Circuit& circuit_;
  std::size_t rows_;
  Arithmetic arithmetic_;
};

/// Runs circuits of CKKS at toy parameters: data primes of `scale_bits` with a first one of ten
/// more bits, and special primes of that size.
class CkksBench {
 public:
  CkksBench(std::size_t degree, std::size_t levels, int scale_bits = 40)
      : CkksBench(context(degree, levels, scale_bits), std::ldexp(1.0, scale_bits)) {}
  CkksBench(const Context& context, double scale)
      : context_(context),
        scale_(scale),
        keygen_(context_, RandomSource::for_testing(test_seed())),
        encryptor_(context_, keygen_.create_public_key(),
                   RandomSource::for_testing(test_seed() + 1)),
        decryptor_(context_, keygen_.secret_key()),
        encoder_(context_),
        evaluator_(context_) {}

  using Vector = std::vector<Number>;

  /// What the circuit gives under encryption; inputs of row_length slots.
  std::vector<Vector> operator()(const Circuit& circuit, const std::vector<Vector>& inputs) const {
    const CircuitRunner runner(circuit, context_, scale_);
    std::vector<Ciphertext> encrypted;
    for (const Vector& input : inputs) {
      std::vector<std::complex<double>> slots(encoder_.slot_count());
      for (std::size_t i = 0; i < slots.size(); ++i) {
        const Number& z = input[i % input.size()];
        slots[i] = {static_cast<double>(z.real()), static_cast<double>(z.imag())};
      }
      Plaintext plain;
      encoder_.encode(std::span<const std::complex<double>>(slots), scale_, plain);
      encrypted.push_back(encryptor_.encrypt(plain));
    }
    std::vector<Vector> results;
    for (const Ciphertext& result :
         runner.run(evaluator_, encrypted, runner.create_keys(keygen_))) {
      std::vector<std::complex<double>> slots;
      encoder_.decode(decryptor_.decrypt(result), slots);
      Vector values;
      for (const auto& z : slots) values.emplace_back(z.real(), z.imag());
      results.push_back(std::move(values));
    }
    return results;
  }

  const Context& context() const { return context_; }
  double scale() const { return scale_; }

  static Context context(std::size_t degree, std::size_t levels, int scale_bits) {
    std::vector<int> sizes{scale_bits + 10};
    sizes.insert(sizes.end(), levels, scale_bits);
    sizes.push_back(scale_bits + 10);
    EncryptionParameters parms(SchemeType::ckks);
    parms.set_poly_modulus_degree(degree);
    parms.set_coeff_modulus(CoeffModulus::create(degree, sizes));
    return Context(parms, SecurityLevel::none);
  }

 private:
  Context context_;
  double scale_;
  KeyGenerator keygen_;
  Encryptor encryptor_;
  Decryptor decryptor_;
  CKKSEncoder encoder_;
  Evaluator evaluator_;
};

/// The same for BFV and BGV, with slots modulo a prime of `plain_bits`.
class ExactBench {
 public:
  ExactBench(SchemeType scheme, std::size_t degree, std::size_t primes, int plain_bits = 17)
      : ExactBench(context(scheme, degree, primes, plain_bits)) {}
  explicit ExactBench(const Context& context)
      : context_(context),
        keygen_(context_, RandomSource::for_testing(test_seed())),
        encryptor_(context_, keygen_.create_public_key(),
                   RandomSource::for_testing(test_seed() + 1)),
        decryptor_(context_, keygen_.secret_key()),
        encoder_(context_),
        evaluator_(context_) {}

  using Vector = std::vector<std::uint64_t>;

  /// Inputs and results of two rows; rows of the circuit that are shorter than those of the ring
  /// are repeated.
  std::vector<Vector> operator()(const Circuit& circuit, const std::vector<Vector>& inputs) const {
    const CircuitRunner runner(circuit, context_);
    std::vector<Ciphertext> encrypted;
    for (const Vector& input : inputs) {
      Vector slots(encoder_.slot_count());
      const std::size_t row = slots.size() / 2;
      const std::size_t length = input.size() / 2;
      for (std::size_t i = 0; i < slots.size(); ++i) {
        slots[i] = input[i / row * length + i % row % length];
      }
      Plaintext plain;
      encoder_.encode(slots, plain);
      encrypted.push_back(encryptor_.encrypt(plain));
    }
    std::vector<Vector> results;
    for (const Ciphertext& result :
         runner.run(evaluator_, encrypted, runner.create_keys(keygen_))) {
      Vector slots;
      encoder_.decode(decryptor_.decrypt(result), slots);
      results.push_back(std::move(slots));
    }
    return results;
  }

  const Context& context() const { return context_; }
  ResidueSlots slots() const { return ResidueSlots(context_.plain_modulus().value()); }

  static Context context(SchemeType scheme, std::size_t degree, std::size_t primes,
                         int plain_bits) {
    std::vector<int> sizes(primes + 1, 49);
    EncryptionParameters parms(scheme);
    parms.set_poly_modulus_degree(degree);
    parms.set_coeff_modulus(CoeffModulus::create(degree, sizes));
    parms.set_plain_modulus(PlainModulus::batching(degree, plain_bits));
    return Context(parms, SecurityLevel::none);
  }

 private:
  Context context_;
  KeyGenerator keygen_;
  Encryptor encryptor_;
  Decryptor decryptor_;
  BatchEncoder encoder_;
  Evaluator evaluator_;
};

/// Random slots with parts in [-1, 1].
inline std::vector<Number> random_numbers(std::size_t count, std::mt19937_64& rng) {
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  std::vector<Number> slots(count);
  for (Number& z : slots) z = {part(rng), part(rng)};
  return slots;
}

/// The largest difference of `actual` to `expected`, which is repeated as often as there is room.
inline double largest_difference(const std::vector<Number>& actual,
                                 const std::vector<Number>& expected) {
  long double largest = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    largest = std::max(largest, std::abs(actual[i] - expected[i % expected.size()]));
  }
  return static_cast<double>(largest);
}

/// Two rows, each repeated until it has `row` slots.
inline std::vector<std::uint64_t> repeated_rows(const std::vector<std::uint64_t>& rows,
                                                std::size_t row) {
  const std::size_t length = rows.size() / 2;
  std::vector<std::uint64_t> result(2 * row);
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = rows[i / row * length + i % row % length];
  }
  return result;
}

}  // namespace ringlet::test
