// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <flint/nmod_vec.h>

#include "ringlet/ringlet.hpp"
#include "unit/rlwe/rlwe_support.hpp"

// Runs declared circuits in the clear and under encryption.

namespace ringlet::test {

using Number = std::complex<long double>;

/// The largest difference of `actual` from `expected`, which is repeated to the same length.
inline double largest_difference(const std::vector<Number>& actual,
                                 const std::vector<Number>& expected) {
  long double largest = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    largest = std::max(largest, std::abs(actual[i] - expected[i % expected.size()]));
  }
  return static_cast<double>(largest);
}

/// Rows one after the other, each repeated until it has `length` slots.
template <typename Slot>
std::vector<Slot> repeated_rows(const std::vector<Slot>& rows, std::size_t length,
                                std::size_t row_count = 2) {
  const std::size_t given = rows.size() / row_count;
  std::vector<Slot> result(row_count * length);
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = rows[i / length * given + i % length % given];
  }
  return result;
}

template <typename Slot, typename F>
std::vector<Slot> zip(const std::vector<Slot>& a, const std::vector<Slot>& b, const F& f) {
  std::vector<Slot> result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) result[i] = f(a[i], b[i]);
  return result;
}

/// Random slots with parts in [-1, 1].
inline std::vector<Number> random_numbers(std::size_t count, std::mt19937_64& rng) {
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  std::vector<Number> slots(count);
  for (Number& z : slots) z = {part(rng), part(rng)};
  return slots;
}

/// Slots of CKKS: one row of numbers.
struct NumberSlots {
  using Slot = Number;
  using Encoder = CKKSEncoder;
  static constexpr std::size_t kRows = 1;

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
  static std::vector<Slot> random(std::size_t count, std::mt19937_64& rng) {
    return random_numbers(count, rng);
  }
  static Plaintext encode(const Encoder& encoder, const std::vector<Slot>& slots, double scale) {
    std::vector<std::complex<double>> rounded;
    for (const Slot& z : slots) {
      rounded.emplace_back(static_cast<double>(z.real()), static_cast<double>(z.imag()));
    }
    Plaintext plain;
    encoder.encode(std::span<const std::complex<double>>(rounded), scale, plain);
    return plain;
  }
  static std::vector<Slot> decode(const Encoder& encoder, const Plaintext& plain) {
    std::vector<std::complex<double>> decoded;
    encoder.decode(plain, decoded);
    return {decoded.begin(), decoded.end()};
  }
  static std::vector<Slot> traced(const TracedCiphertext& result) {
    return {result.numbers().begin(), result.numbers().end()};
  }
  /// Expects equality within `bound`. Returns the largest difference.
  static double expect_equal(const std::vector<Slot>& actual, const std::vector<Slot>& expected,
                             double bound) {
    const double difference = largest_difference(actual, expected);
    EXPECT_LE(difference, bound);
    return difference;
  }
};

/// Slots of BFV and BGV: two rows of integers modulo t, by FLINT.
struct ResidueSlots {
  using Slot = std::uint64_t;
  using Encoder = BatchEncoder;
  static constexpr std::size_t kRows = 2;

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
  std::vector<Slot> random(std::size_t count, std::mt19937_64& rng) const {
    return random_residues(count, t.n, rng);
  }
  static Plaintext encode(const Encoder& encoder, const std::vector<Slot>& slots, double) {
    Plaintext plain;
    encoder.encode(slots, plain);
    return plain;
  }
  static std::vector<Slot> decode(const Encoder& encoder, const Plaintext& plain) {
    std::vector<Slot> slots;
    encoder.decode(plain, slots);
    return slots;
  }
  static std::vector<Slot> traced(const TracedCiphertext& result) {
    return {result.residues().begin(), result.residues().end()};
  }
  static double expect_equal(const std::vector<Slot>& actual, const std::vector<Slot>& expected,
                             double) {
    EXPECT_EQ(actual, repeated_rows(expected, actual.size() / 2));
    return 0;
  }

  nmod_t t{};
};

/// Evaluates a circuit on vectors in the clear, node by node, without plans, levels and scales.
/// `inputs` hold rows one after the other.
template <typename Slots>
class ClearCircuit {
 public:
  using Slot = typename Slots::Slot;
  using Vector = std::vector<Slot>;

  ClearCircuit(const Circuit& circuit, const Slots& slots) : circuit_(circuit), slots_(slots) {}

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
    const auto plus = [this](const Slot& x, const Slot& y) { return slots_.add(x, y); };
    const auto minus = [this](const Slot& x, const Slot& y) { return slots_.subtract(x, y); };
    const auto times = [this](const Slot& x, const Slot& y) { return slots_.multiply(x, y); };
    const auto known = [&] { return spread(circuit_.known_vectors()[node.b]); };
    using enum CircuitOperation;
    if (node.operation == input) return inputs[node.a];
    const Vector& a = values[node.a];
    if (node.operation == add) return zip(a, values[node.b], plus);
    if (node.operation == subtract) return zip(a, values[node.b], minus);
    if (node.operation == multiply) return zip(a, values[node.b], times);
    if (node.operation == add_known) return zip(a, known(), plus);
    if (node.operation == multiply_known) return zip(a, known(), times);
    if (node.operation == rotate) return rotated(a, static_cast<std::size_t>(node.steps));
    if (node.operation == conjugate) return slots_.conjugate(a);
    return zip(Vector(a.size()), a, minus);
  }

  Vector spread(const KnownVector& vector) const {
    const std::size_t length = circuit_.row_length();
    Vector slots = slots_.known(vector);
    if (vector.is_constant()) return Vector(Slots::kRows * length, slots.front());
    const std::size_t given = slots.size() > length ? Slots::kRows : 1;
    slots.resize(given * length);
    for (std::size_t row = given; row < Slots::kRows; ++row) {
      for (std::size_t i = 0; i < length; ++i) slots.push_back(slots[i]);
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
  Slots slots_;
};

/// Runs circuits under encryption, at toy parameters unless given a context.
template <typename Slots>
class DeclaredBench {
 public:
  using Vector = std::vector<typename Slots::Slot>;

  DeclaredBench(const Context& context, double scale, const Slots& slots)
      : context_(context),
        scale_(scale),
        slots_(slots),
        keygen_(context_, RandomSource::for_testing(test_seed())),
        encryptor_(context_, keygen_.create_public_key(),
                   RandomSource::for_testing(test_seed() + 1)),
        decryptor_(context_, keygen_.secret_key()),
        encoder_(context_),
        evaluator_(context_) {}

  /// The results of the circuit. Input rows that are shorter than the ring's are repeated.
  std::vector<Vector> operator()(const Circuit& circuit, const std::vector<Vector>& inputs) const {
    const CircuitRunner runner(circuit, context_, scale_, 0, {}, has_key);
    std::vector<Ciphertext> encrypted;
    for (const Vector& input : inputs) {
      const Vector rows = repeated_rows(input, encoder_.slot_count() / Slots::kRows, Slots::kRows);
      encrypted.push_back(encryptor_.encrypt(Slots::encode(encoder_, rows, scale_)));
    }
    std::vector<Vector> results;
    for (const Ciphertext& result :
         runner.run(evaluator_, encrypted, runner.create_keys(keygen_))) {
      results.push_back(Slots::decode(encoder_, decryptor_.decrypt(result)));
    }
    return results;
  }

  std::vector<Vector> random_inputs(const Circuit& circuit, std::mt19937_64& rng) const {
    std::vector<Vector> inputs;
    for (std::size_t i = 0; i < circuit.inputs().size(); ++i) {
      inputs.push_back(slots_.random(Slots::kRows * circuit.row_length(), rng));
    }
    return inputs;
  }

  /// Expects the results in the clear, numbers within `bound`. Returns the largest difference.
  double expect_run(const Circuit& circuit, const std::vector<Vector>& inputs,
                    double bound = 1e-6) const {
    const std::vector<Vector> expected = ClearCircuit(circuit, slots_)(inputs);
    const std::vector<Vector> actual = (*this)(circuit, inputs);
    EXPECT_EQ(actual.size(), expected.size());
    double largest = 0;
    for (std::size_t i = 0; i < std::min(actual.size(), expected.size()); ++i) {
      SCOPED_TRACE(testing::Message() << to_string(context_.scheme()) << ", result " << i);
      largest = std::max(largest, slots_.expect_equal(actual[i], expected[i], bound));
    }
    return largest;
  }

  double expect_run(const Circuit& circuit, std::mt19937_64& rng, double bound = 1e-6) const {
    return expect_run(circuit, random_inputs(circuit, rng), bound);
  }

  CircuitPlan plan(const Circuit& circuit) const {
    return CircuitPlan(circuit, context_.parms(), scale_, has_key);
  }
  const Context& context() const { return context_; }
  const Slots& slots() const { return slots_; }

  HasGaloisKey has_key;  ///< For plans.

 private:
  Context context_;
  double scale_;
  Slots slots_;
  KeyGenerator keygen_;
  Encryptor encryptor_;
  Decryptor decryptor_;
  typename Slots::Encoder encoder_;
  Evaluator evaluator_;
};

/// Data primes of `scale_bits`; the first one and the special prime have ten bits more.
struct CkksBench : DeclaredBench<NumberSlots> {
  CkksBench(std::size_t degree, std::size_t levels, int scale_bits = 40)
      : CkksBench(context(degree, levels, scale_bits), std::ldexp(1.0, scale_bits)) {}
  CkksBench(const Context& context, double scale) : DeclaredBench(context, scale, NumberSlots()) {}

  using DeclaredBench::context;
  static Context context(std::size_t degree, std::size_t levels, int scale_bits = 40) {
    std::vector<int> sizes(levels + 2, scale_bits);
    sizes.front() = sizes.back() = scale_bits + 10;
    return toy_context(degree, sizes);
  }
};

/// Slots modulo a prime of `plain_bits`.
struct ExactBench : DeclaredBench<ResidueSlots> {
  ExactBench(SchemeType scheme, std::size_t degree, std::size_t primes, int plain_bits = 17)
      : ExactBench(context(scheme, degree, primes, plain_bits)) {}
  explicit ExactBench(const Context& context)
      : DeclaredBench(context, 1, ResidueSlots(context.plain_modulus().value())) {}

  using DeclaredBench::context;
  static Context context(SchemeType scheme, std::size_t degree, std::size_t primes,
                         int plain_bits = 17) {
    EncryptionParameters parms(scheme);
    parms.set_poly_modulus_degree(degree);
    parms.set_coeff_modulus(CoeffModulus::create(degree, std::vector<int>(primes + 1, 49)));
    parms.set_plain_modulus(PlainModulus::batching(degree, plain_bits));
    return Context(parms, SecurityLevel::none);
  }
};

inline constexpr SchemeType kExactSchemes[] = {SchemeType::bfv, SchemeType::bgv};

inline CircuitPlan ckks_plan(const Circuit& circuit, std::size_t levels, std::size_t degree = 64) {
  return {circuit, CkksBench::context(degree, levels).parms(), 0x1p40};
}
inline CircuitPlan exact_plan(const Circuit& circuit, SchemeType scheme) {
  return {circuit, ExactBench::context(scheme, 64, 9).parms()};
}

/// Expects exactly this line in docs/circuits.md: the figures of its tables are the library's.
inline void expect_documented(const std::string& line) {
  std::ifstream file(RINGLET_SOURCE_DIR "/docs/circuits.md");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_NE(text.find("\n" + line + "\n"), std::string::npos) << line;
}

/// A circuit with the one result f(circuit, x).
template <typename F>
Circuit circuit_of(std::size_t row_length, const F& f, double magnitude = 1) {
  Circuit circuit(row_length);
  circuit.output(f(circuit, circuit.input(magnitude)));
  return circuit;
}

}  // namespace ringlet::test
