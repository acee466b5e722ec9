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

/// A vector of a Circuit: what an input holds or an operation gives. Only of use with the circuit
/// that made it.
struct CircuitValue {
  std::size_t index = 0;
  friend bool operator==(const CircuitValue&, const CircuitValue&) = default;
};

/// A vector that everybody knows: one number for all slots, or numbers for the first slots and 0
/// for the others. Integers serve every scheme, real and complex numbers CKKS alone. Immutable;
/// copies share the numbers.
class RINGLET_API KnownVector {
 public:
  using Integers = std::vector<std::int64_t>;
  using Numbers = std::vector<std::complex<double>>;

  /// The same number in all slots.
  KnownVector(std::int64_t value);                              // NOLINT: a number is a vector here
  KnownVector(double value);                                    // NOLINT
  KnownVector(std::complex<double> value);                      // NOLINT
  KnownVector(int value) : KnownVector(std::int64_t{value}) {}  // NOLINT
  /// One number a slot.
  /// @throws InvalidArgument if there are none, or a number is not finite.
  explicit KnownVector(Integers values);
  explicit KnownVector(Numbers values);
  explicit KnownVector(std::span<const double> values);

  bool is_constant() const noexcept { return is_constant_; }
  bool is_integer() const noexcept { return std::holds_alternative<Integers>(*values_); }
  /// One integer of at most 1024 in absolute value for all slots: multiplying by it takes no level,
  /// as it adds ten bits to noise and message at most.
  bool is_small_integer() const noexcept;
  /// How many slots are given; 1 for a constant.
  std::size_t size() const noexcept;
  /// @throws LogicError for numbers that are not all integers.
  const Integers& integers() const;
  /// Integers too: each is then rounded to a double.
  Numbers numbers() const;
  /// The largest absolute value.
  double magnitude() const noexcept { return magnitude_; }

 private:
  using Values = std::variant<Integers, Numbers>;

  friend class Circuit;
  friend class ZeroRemover;

  KnownVector(Values values, bool is_constant);

  std::shared_ptr<const Values> values_;
  double magnitude_ = 0;
  std::uint64_t sample_ = 0;  // stands for the numbers where circuits are compared
  bool is_constant_ = false;
};

/// What a value of a circuit is made by.
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

/// One value: its operation and operands, which stand before it.
struct CircuitNode {
  CircuitOperation operation = CircuitOperation::input;
  std::size_t a = 0;     ///< the first operand
  std::size_t b = 0;     ///< the second: a value, or the place of a known vector
  int steps = 0;         ///< rotate: to the left, in [1, row_length)
  double magnitude = 0;  ///< a bound of the slots, if one was declared; otherwise 0

  bool has_two_values() const noexcept {
    return operation == CircuitOperation::add || operation == CircuitOperation::subtract ||
           operation == CircuitOperation::multiply;
  }
  bool has_known_vector() const noexcept {
    return operation == CircuitOperation::add_known ||
           operation == CircuitOperation::multiply_known;
  }
};

/// A computation on encrypted vectors, declared before anything is encrypted: which inputs, which
/// operations, which results. It knows nothing of levels, scales, keys and schemes. CircuitPlan
/// brings it to parameters; CircuitRunner computes it.
///
/// Vectors have rows of `row_length` slots: one row for CKKS (N/2 slots), two for BFV and BGV with
/// batching, which rotate together. Where a ring has longer rows, each row holds the vector of the
/// circuit again and again: so one declaration serves every ring from 2 * row_length on. The same
/// rotation of the same value is one value, and a rotation by the length of a row is none.
///
/// Not synchronised for concurrent writers. On an error the circuit stays as it was.
class RINGLET_API Circuit {
 public:
  /// @throws InvalidArgument unless row_length is a power of two in [1, 65536].
  explicit Circuit(std::size_t row_length);

  std::size_t row_length() const noexcept { return row_length_; }

  /// An encrypted input, in the order in which they are handed over. CKKS: no slot is larger than
  /// `magnitude` in absolute value, by which errors are estimated.
  /// @throws InvalidArgument if the magnitude is not positive and finite.
  CircuitValue input(double magnitude = 1);

  /// All of these throw InvalidArgument if a value is not one of this circuit, or a known vector
  /// has more slots than the two rows of BFV and BGV.
  CircuitValue negate(CircuitValue a);
  CircuitValue add(CircuitValue a, CircuitValue b);
  CircuitValue subtract(CircuitValue a, CircuitValue b);
  /// Slot by slot.
  CircuitValue multiply(CircuitValue a, CircuitValue b);
  CircuitValue add(CircuitValue a, const KnownVector& b);
  CircuitValue multiply(CircuitValue a, const KnownVector& b);
  /// Slot i of the result is slot i + steps of a, in each row, cyclically; any number of steps.
  CircuitValue rotate(CircuitValue a, int steps);
  /// CKKS: the complex conjugate; BFV and BGV: the rows change places.
  CircuitValue conjugate(CircuitValue a);
  /// The sum of all.
  /// @throws InvalidArgument also if there are none.
  CircuitValue sum(std::span<const CircuitValue> values);

  /// CKKS: says that no slot of `a` is above `magnitude`, where that is less than the operands of
  /// its operation let expect: for the estimate of errors. What turns out to be larger makes
  /// estimates too small, and the message may not fit its modulus.
  /// @throws InvalidArgument also if the magnitude is not positive and finite.
  void bound(CircuitValue a, double magnitude);

  /// Declares a result, in the order in which they are handed back.
  /// @throws InvalidArgument also if it is 0 or known numbers whatever the inputs hold, as products
  ///         by 0 and (a + 1) - a are: no key encrypts those.
  void output(CircuitValue a);

  std::span<const CircuitNode> nodes() const noexcept { return nodes_; }
  std::span<const std::size_t> inputs() const noexcept { return inputs_; }
  std::span<const std::size_t> outputs() const noexcept { return outputs_; }
  std::span<const KnownVector> known_vectors() const noexcept { return known_; }
  /// For each value whether a result depends on it: others are not computed.
  std::vector<bool> live_nodes() const;
  /// Products on the longest way from an input to a result, those by known vectors included unless
  /// is_small_integer(): the levels that CKKS and BGV take.
  std::size_t depth() const;
  /// The same, without products by known vectors.
  std::size_t multiplicative_depth() const;
  /// The steps of all rotations, ascending, each once: the keys that are needed besides
  /// relinearization and, if uses_conjugation(), conjugation.
  std::vector<int> rotations() const;
  bool uses_conjugation() const;

 private:
  friend class ZeroRemover;

  /// What a value is where inputs and known vectors are numbers that were drawn modulo a prime, in
  /// two addends: what depends on the inputs, and what does not. Either is 0 where the value has no
  /// such part, and but once in 2^50 elsewhere.
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
  std::vector<Sample> samples_;  // for each value
  std::vector<KnownVector> known_;
  std::vector<std::size_t> inputs_;
  std::vector<std::size_t> outputs_;
  std::map<std::pair<std::size_t, int>, std::size_t> rotated_;
};

}  // namespace ringlet
