// SPDX-License-Identifier: Apache-2.0
#include "ringlet/circuits/circuit.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <utility>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "circuits/declare/diagonals.hpp"
#include "ringlet/arith/modulus.hpp"

namespace ringlet {
namespace {

constexpr std::size_t kLongestRow = 65536;
constexpr double kLargestFreeFactor = 1024;

constexpr std::uint64_t kInputs = 1;
constexpr std::uint64_t kConstants = 2;
constexpr std::uint64_t kKnownVectors = 3;

// A prime without special form: coefficients of a circuit, such as 2^61 - 1, do not equal it by
// chance.
const Modulus& sample_modulus() {
  static const Modulus modulus(3141592653589793239);
  return modulus;
}

// One round of a hash of words.
std::uint64_t mixed(std::uint64_t from, std::uint64_t word) {
  const uint128_t product = static_cast<uint128_t>(from ^ word) * 0x9e3779b97f4a7c15U;
  return static_cast<std::uint64_t>(product >> 64) ^ static_cast<std::uint64_t>(product);
}

std::uint64_t mixed(std::uint64_t from, std::int64_t number) {
  return mixed(from, static_cast<std::uint64_t>(number));
}

std::uint64_t mixed(std::uint64_t from, std::complex<double> number) {
  const auto word = [](double part) { return std::bit_cast<std::uint64_t>(part + 0.0); };  // no -0
  return mixed(mixed(from, word(number.real())), word(number.imag()));
}

// Hashes two words: related words give unrelated numbers.
std::uint64_t drawn(std::uint64_t from, std::uint64_t word) {
  return sample_modulus().reduce(mixed(mixed(from, word), word));
}

double magnitude_of(std::int64_t value) { return std::abs(static_cast<double>(value)); }
double magnitude_of(std::complex<double> value) {
  return value.imag() == 0 ? std::abs(value.real()) : std::abs(value);
}

}  // namespace

KnownVector::KnownVector(Values values, bool is_constant)
    : values_(std::make_shared<const Values>(std::move(values))),
      sample_(is_constant ? kConstants : kKnownVectors),
      is_constant_(is_constant) {
  const auto measure = [this](const auto& numbers) {
    for (const auto& number : numbers) {
      const double size = magnitude_of(number);
      if (!std::isfinite(size)) {
        refuse("a number that is not finite", "finite numbers", "remove infinities and NaN");
      }
      magnitude_ = std::max(magnitude_, size);
      sample_ = mixed(sample_, number);
    }
    sample_ = drawn(sample_, numbers.size());
  };
  public_entry("KnownVector", [&] {
    if (size() == 0) refuse("no numbers", "at least one number", "pass the numbers of the slots");
    std::visit(measure, *values_);
  });
  if (magnitude_ == 0) {
    sample_ = 0;
  } else if (is_small_integer()) {  // products by it equal sums
    const auto size = static_cast<std::uint64_t>(magnitude_);
    sample_ = integers()[0] > 0 ? size : negate_mod(size, sample_modulus().value());
  }
}

KnownVector::KnownVector(std::int64_t value) : KnownVector(Values(Integers{value}), true) {}
KnownVector::KnownVector(double value) : KnownVector(Values(Numbers{{value, 0.0}}), true) {}
KnownVector::KnownVector(std::complex<double> value) : KnownVector(Values(Numbers{value}), true) {}
KnownVector::KnownVector(Integers values) : KnownVector(Values(std::move(values)), false) {}
KnownVector::KnownVector(Numbers values) : KnownVector(Values(std::move(values)), false) {}
KnownVector::KnownVector(std::span<const double> values)
    : KnownVector(Values(Numbers(values.begin(), values.end())), false) {}

bool KnownVector::is_small_integer() const noexcept {
  return is_constant_ && is_integer() && magnitude_ <= kLargestFreeFactor;
}

std::size_t KnownVector::size() const noexcept {
  return std::visit([](const auto& numbers) { return numbers.size(); }, *values_);
}

const KnownVector::Integers& KnownVector::integers() const {
  if (!is_integer()) {
    throw_logic_error({"KnownVector::integers", "real or complex numbers", "integers",
                       "declare the vector with integers for BFV and BGV"});
  }
  return std::get<Integers>(*values_);
}

KnownVector::Numbers KnownVector::numbers() const {
  if (!is_integer()) return std::get<Numbers>(*values_);
  Numbers result;
  for (const std::int64_t value : std::get<Integers>(*values_)) {
    result.emplace_back(static_cast<double>(value), 0.0);
  }
  return result;
}

Circuit::Circuit(std::size_t row_length) : row_length_(row_length) {
  if (std::has_single_bit(row_length) && row_length <= kLongestRow) return;
  throw_invalid_argument({"Circuit", concat("row_length = ", row_length),
                          concat("a power of two in [1, ", kLongestRow, "]"),
                          "use N/2, the number of slots in a row"});
}

// A value is a polynomial in inputs, known vectors and rotated values; one that is 0 at a random
// point is 0 (Schwartz and Zippel). Samples are computed while values are declared, as a circuit
// may have as many results as values.
Circuit::Sample Circuit::sample_of(const CircuitNode& node, std::span<const Sample> values,
                                   std::uint64_t known) {
  const Modulus& p = sample_modulus();
  const auto add = [&p](Sample a, Sample b) {
    return Sample{add_mod(a.encrypted, b.encrypted, p.value()),
                  add_mod(a.known, b.known, p.value())};
  };
  const auto negate = [&p](Sample a) {
    return Sample{negate_mod(a.encrypted, p.value()), negate_mod(a.known, p.value())};
  };
  const auto multiply = [&p](Sample a, Sample b) {
    const std::uint64_t left = p.multiply(a.encrypted, add_mod(b.encrypted, b.known, p.value()));
    return Sample{add_mod(left, p.multiply(a.known, b.encrypted), p.value()),
                  p.multiply(a.known, b.known)};
  };
  switch (node.operation) {
    case CircuitOperation::input:
      return {drawn(kInputs, node.a), 0};
    case CircuitOperation::negate:
      return negate(values[node.a]);
    case CircuitOperation::add:
      return add(values[node.a], values[node.b]);
    case CircuitOperation::subtract:
      return add(values[node.a], negate(values[node.b]));
    case CircuitOperation::multiply:
      return multiply(values[node.a], values[node.b]);
    case CircuitOperation::add_known:
      return add(values[node.a], {0, known});
    case CircuitOperation::multiply_known:
      return multiply(values[node.a], {0, known});
    default: {  // a conjugate counts as a rotation by 0
      const Sample a = values[node.a];
      const auto steps = static_cast<std::uint64_t>(node.steps);
      return {a.encrypted == 0 ? 0 : drawn(a.encrypted, steps),
              a.known == 0 ? 0 : drawn(a.known, steps)};
    }
  }
}

CircuitValue Circuit::append(const CircuitNode& node) {
  const std::uint64_t known = node.has_known_vector() ? known_[node.b].sample_ : 0;
  samples_.push_back(sample_of(node, samples_, known));
  nodes_.push_back(node);
  return {nodes_.size() - 1};
}

void Circuit::check(CircuitValue a) const { circuits::check_value(*this, a); }

std::size_t Circuit::keep(const KnownVector& vector) {
  if (vector.size() > 2 * row_length_) {
    refuse(concat("a known vector of ", vector.size(), " slots"),
           concat("two rows of ", row_length_), "split the vector, or use longer rows");
  }
  known_.push_back(vector);
  return known_.size() - 1;
}

void Circuit::check_magnitude(double magnitude) {
  if (magnitude > 0 && std::isfinite(magnitude)) return;
  refuse(concat("magnitude = ", magnitude), "a positive, finite number",
         "pass the largest absolute value of a slot");
}

CircuitValue Circuit::input(double magnitude) {
  return public_entry("Circuit::input", [&] {
    check_magnitude(magnitude);
    inputs_.push_back(nodes_.size());
    return append(
        {.operation = CircuitOperation::input, .a = inputs_.size() - 1, .magnitude = magnitude});
  });
}

void Circuit::bound(CircuitValue a, double magnitude) {
  public_entry("Circuit::bound", [&] {
    check(a);
    check_magnitude(magnitude);
    nodes_[a.index].magnitude = magnitude;
  });
}

CircuitValue Circuit::negate(CircuitValue a) {
  return public_entry("Circuit::negate", [&] {
    check(a);
    return append({.operation = CircuitOperation::negate, .a = a.index});
  });
}

CircuitValue Circuit::add(CircuitValue a, CircuitValue b) {
  return public_entry("Circuit::add", [&] {
    check(a);
    check(b);
    return append({.operation = CircuitOperation::add, .a = a.index, .b = b.index});
  });
}

CircuitValue Circuit::subtract(CircuitValue a, CircuitValue b) {
  return public_entry("Circuit::subtract", [&] {
    check(a);
    check(b);
    return append({.operation = CircuitOperation::subtract, .a = a.index, .b = b.index});
  });
}

CircuitValue Circuit::multiply(CircuitValue a, CircuitValue b) {
  return public_entry("Circuit::multiply", [&] {
    check(a);
    check(b);
    return append({.operation = CircuitOperation::multiply, .a = a.index, .b = b.index});
  });
}

CircuitValue Circuit::add(CircuitValue a, const KnownVector& b) {
  return public_entry("Circuit::add", [&] {
    check(a);
    return append({.operation = CircuitOperation::add_known, .a = a.index, .b = keep(b)});
  });
}

CircuitValue Circuit::multiply(CircuitValue a, const KnownVector& b) {
  return public_entry("Circuit::multiply", [&] {
    check(a);
    return append({.operation = CircuitOperation::multiply_known, .a = a.index, .b = keep(b)});
  });
}

CircuitValue Circuit::rotate(CircuitValue a, int steps) {
  return public_entry("Circuit::rotate", [&] {
    check(a);
    const int length = static_cast<int>(row_length_);
    const int left = ((steps % length) + length) % length;
    if (left == 0) return a;
    const auto [place, is_new] = rotated_.try_emplace({a.index, left}, nodes_.size());
    if (!is_new) return CircuitValue{place->second};
    return append({.operation = CircuitOperation::rotate, .a = a.index, .steps = left});
  });
}

CircuitValue Circuit::conjugate(CircuitValue a) {
  return public_entry("Circuit::conjugate", [&] {
    check(a);
    return append({.operation = CircuitOperation::conjugate, .a = a.index});
  });
}

CircuitValue Circuit::sum(std::span<const CircuitValue> values) {
  return public_entry("Circuit::sum", [&] {
    if (values.empty()) {
      refuse("no values", "at least one", "pass the addends");
    }
    for (const CircuitValue value : values) check(value);
    CircuitValue total = values.front();
    for (const CircuitValue value : values.subspan(1)) total = add(total, value);
    return total;
  });
}

void Circuit::output(CircuitValue a) {
  public_entry("Circuit::output", [&] {
    check(a);
    const Sample& sample = samples_[a.index];
    if (sample.encrypted == 0) {
      refuse(sample.is_zero() ? "a result that is 0 for all inputs"
                              : "a result of known numbers alone",
             "results that depend on an input", "remove this output");
    }
    outputs_.push_back(a.index);
  });
}

std::size_t Circuit::longest_way(bool counts_known) const {
  std::vector<std::size_t> depths(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const CircuitNode& node = nodes_[i];
    switch (node.operation) {
      case CircuitOperation::input:
        break;
      case CircuitOperation::add:
      case CircuitOperation::subtract:
        depths[i] = std::max(depths[node.a], depths[node.b]);
        break;
      case CircuitOperation::multiply:
        depths[i] = std::max(depths[node.a], depths[node.b]) + 1;
        break;
      case CircuitOperation::multiply_known:
        depths[i] = depths[node.a] + (counts_known && !known_[node.b].is_small_integer() ? 1 : 0);
        break;
      default:
        depths[i] = depths[node.a];
    }
  }
  std::size_t longest = 0;
  for (const std::size_t output : outputs_) longest = std::max(longest, depths[output]);
  return longest;
}

std::size_t Circuit::depth() const { return longest_way(true); }
std::size_t Circuit::multiplicative_depth() const { return longest_way(false); }

std::vector<bool> Circuit::live_nodes() const {
  std::vector<bool> is_live(nodes_.size());
  for (const std::size_t output : outputs_) is_live[output] = true;
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const CircuitNode& node = nodes_[i];
    if (!is_live[i] || node.operation == CircuitOperation::input) continue;
    is_live[node.a] = true;
    if (node.has_two_values()) is_live[node.b] = true;
  }
  return is_live;
}

std::vector<int> Circuit::rotations() const {
  const std::vector<bool> is_live = live_nodes();
  std::set<int> steps;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (is_live[i] && nodes_[i].operation == CircuitOperation::rotate)
      steps.insert(nodes_[i].steps);
  }
  return {steps.begin(), steps.end()};
}

bool Circuit::uses_conjugation() const {
  const std::vector<bool> is_live = live_nodes();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (is_live[i] && nodes_[i].operation == CircuitOperation::conjugate) return true;
  }
  return false;
}

}  // namespace ringlet
