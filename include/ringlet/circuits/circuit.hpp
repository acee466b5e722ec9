// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "ringlet/base/export.hpp"

namespace ringlet {

/// A vector of a Circuit: an input or the result of an operation. It is valid only for the circuit
/// that made it.
struct CircuitValue {
  std::size_t index = 0;
  friend bool operator==(const CircuitValue&, const CircuitValue&) = default;
};

/// A vector in the clear: one number for all slots, or one number for each of the first slots and 0
/// for the others. Integers serve every scheme; real and complex numbers serve CKKS alone.
/// Immutable; copies share the numbers.
class RINGLET_API KnownVector {
 public:
  using Integers = std::vector<std::int64_t>;
  using Numbers = std::vector<std::complex<double>>;

  /// Makes a vector with the same number in all slots.
  /// @throws InvalidArgument if the number is not finite.
  KnownVector(std::int64_t value);                              // NOLINT: a number is a vector here
  KnownVector(double value);                                    // NOLINT
  KnownVector(std::complex<double> value);                      // NOLINT
  KnownVector(int value) : KnownVector(std::int64_t{value}) {}  // NOLINT
  /// Makes a vector with one number for each of the first slots.
  /// @throws InvalidArgument if there are no numbers, or a number is not finite.
  explicit KnownVector(Integers values);
  explicit KnownVector(Numbers values);
  explicit KnownVector(std::span<const double> values);

  bool is_constant() const noexcept { return is_constant_; }
  bool is_integer() const noexcept { return std::holds_alternative<Integers>(*values_); }
  /// Returns whether the vector is one integer of at most 1024 in absolute value for all slots. A
  /// product by such a vector uses no level; the product adds at most ten bits to noise and
  /// message.
  bool is_small_integer() const noexcept;
  /// Returns how many slots are given; 1 for a constant.
  std::size_t size() const noexcept;
  /// Returns the numbers of a vector of integers.
  /// @throws LogicError unless is_integer().
  const Integers& integers() const;
  /// Returns the numbers of any vector; integers are rounded to doubles.
  Numbers numbers() const;
  /// Returns the largest absolute value.
  double magnitude() const noexcept { return magnitude_; }

 private:
  using Values = std::variant<Integers, Numbers>;

  friend class Circuit;
  friend class ZeroRemover;

  KnownVector(Values values, bool is_constant);

  std::shared_ptr<const Values> values_;
  double magnitude_ = 0;
  std::uint64_t sample_ = 0;  // represents the numbers in Circuit::Sample
  bool is_constant_ = false;
};

/// The operation that computes a value of a circuit.
enum class CircuitOperation : std::uint8_t {
  input,
  negate,
  add,
  subtract,
  multiply,
  add_known,
  multiply_known,
  rotate,
  conjugate,
};

/// One value of a circuit: its operation and its operands, which have smaller indices.
struct CircuitNode {
  CircuitOperation operation = CircuitOperation::input;
  std::size_t a = 0;     ///< the first operand
  std::size_t b = 0;     ///< the second operand: a value, or the index of a known vector
  int steps = 0;         ///< rotate: steps to the left, in [1, row_length)
  double magnitude = 0;  ///< the declared bound of the slots; 0 if none was declared

  bool has_two_values() const noexcept {
    return operation == CircuitOperation::add || operation == CircuitOperation::subtract ||
           operation == CircuitOperation::multiply;
  }
  bool has_known_vector() const noexcept {
    return operation == CircuitOperation::add_known ||
           operation == CircuitOperation::multiply_known;
  }
};

/// A computation on encrypted vectors that is declared before anything is encrypted: inputs,
/// operations and results. It does not depend on levels, scales, keys and schemes. CircuitPlan fits
/// it to parameters; CircuitRunner computes it.
///
/// Vectors have rows of `row_length` slots: one row for CKKS (N/2 slots), two rows for BFV and BGV
/// with batching, which rotate together. If the rows of a ring are longer, each row repeats the
/// vector of the circuit until the row is full. So one declaration serves every ring of degree
/// 2 * row_length or more. Equal rotations of one value are one value of the circuit; a rotation by
/// a multiple of row_length returns its operand.
///
/// All operations throw InvalidArgument if an operand is not a value of this circuit, or a known
/// vector has more slots than the two rows of BFV and BGV together. On an error the circuit is
/// unchanged. Threads that change the same circuit must take turns.
class RINGLET_API Circuit {
 public:
  /// Makes a circuit without inputs, for rows of `row_length` slots.
  /// @throws InvalidArgument unless row_length is a power of two in [1, 65536].
  explicit Circuit(std::size_t row_length);

  std::size_t row_length() const noexcept { return row_length_; }

  /// Declares an encrypted input. CircuitRunner::run takes the inputs in the order of their
  /// declaration. CKKS: no slot may exceed `magnitude` in absolute value; estimates of errors
  /// depend on it.
  /// @throws InvalidArgument if the magnitude is not positive and finite.
  CircuitValue input(double magnitude = 1);

  /// Returns -a, slot by slot.
  CircuitValue negate(CircuitValue a);
  CircuitValue add(CircuitValue a, CircuitValue b);
  CircuitValue subtract(CircuitValue a, CircuitValue b);
  /// Returns a * b, slot by slot.
  CircuitValue multiply(CircuitValue a, CircuitValue b);
  CircuitValue add(CircuitValue a, const KnownVector& b);
  CircuitValue multiply(CircuitValue a, const KnownVector& b);
  /// Rotates `a` to the left: slot i of the result is slot i + steps of `a`, cyclically in each
  /// row. `steps` may be any number.
  CircuitValue rotate(CircuitValue a, int steps);
  /// Returns the complex conjugate of `a` (CKKS), or exchanges its two rows (BFV and BGV).
  CircuitValue conjugate(CircuitValue a);
  /// Returns the sum of all values, slot by slot.
  /// @throws InvalidArgument also if `values` is empty.
  CircuitValue sum(std::span<const CircuitValue> values);

  /// Declares, for CKKS, that no slot of `a` exceeds `magnitude` in absolute value. Use it where
  /// the bound is less than that which follows from the operands of `a`: estimates of errors become
  /// tighter. If a slot is larger all the same, estimates are too small and the message may not fit
  /// the modulus.
  /// @throws InvalidArgument also if the magnitude is not positive and finite.
  void bound(CircuitValue a, double magnitude);

  /// Declares a result. CircuitRunner::run returns the results in the order of their declaration.
  /// @throws InvalidArgument also if the result does not depend on the inputs, such as products by
  ///         0 and (a + 1) - a: no key would encrypt it.
  void output(CircuitValue a);

  std::span<const CircuitNode> nodes() const noexcept { return nodes_; }
  std::span<const std::size_t> inputs() const noexcept { return inputs_; }
  std::span<const std::size_t> outputs() const noexcept { return outputs_; }
  std::span<const KnownVector> known_vectors() const noexcept { return known_; }
  /// Returns for each value whether a result depends on it. Other values are not computed.
  std::vector<bool> live_nodes() const;
  /// Returns the largest number of products on a path from an input to a result: the levels that
  /// CKKS and BGV use. Products by known vectors count, except by vectors that are
  /// KnownVector::is_small_integer().
  std::size_t depth() const;
  /// Returns the largest number of products of two encrypted values on such a path.
  std::size_t multiplicative_depth() const;
  /// Returns the steps of all rotations, in ascending order without repetition. Each needs a Galois
  /// key. If uses_conjugation() is true, one more Galois key is needed. Products need
  /// relinearization keys.
  std::vector<int> rotations() const;
  bool uses_conjugation() const;

 private:
  friend class ZeroRemover;

  /// A value computed modulo a prime with random numbers for inputs and known vectors, as a sum of
  /// two parts: one depends on the inputs, the other does not. A part that the value does not have
  /// is 0; any other part is nonzero except with probability 2^-50.
  struct Sample {
    std::uint64_t encrypted = 0;
    std::uint64_t known = 0;
    bool is_zero() const { return encrypted == 0 && known == 0; }
  };

  static Sample sample_of(const CircuitNode& node, std::span<const Sample> values,
                          std::uint64_t known);
  std::size_t longest_way(bool counts_known) const;
  void check(CircuitValue a) const;
  static void check_magnitude(double magnitude);
  std::size_t keep(const KnownVector& vector);
  CircuitValue append(const CircuitNode& node);

  std::size_t row_length_;
  std::vector<CircuitNode> nodes_;
  std::vector<Sample> samples_;  // one for each value
  std::vector<KnownVector> known_;
  std::vector<std::size_t> inputs_;
  std::vector<std::size_t> outputs_;
  std::map<std::pair<std::size_t, int>, std::size_t> rotated_;
};

}  // namespace ringlet
