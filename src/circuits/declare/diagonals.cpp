// SPDX-License-Identifier: Apache-2.0
#include "circuits/declare/diagonals.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/circuits/linear_transform.hpp"

namespace ringlet {
namespace {

/// Counts the steps of splits. A round number in each place saves clearing between splits.
class SplitCounter {
 public:
  SplitCounter(std::span<const std::size_t> diagonals, std::size_t length)
      : diagonals_(diagonals), length_(length), baby_round_(length), giant_round_(length) {}

  /// Counts the steps of that split; stops when they exceed `limit`.
  DiagonalSplit operator()(std::size_t babies, std::size_t negative_from, std::size_t limit) {
    ++round_;
    DiagonalSplit split{.babies = babies, .negative_from = negative_from};
    for (const std::size_t diagonal : diagonals_) {
      const auto [baby, giant] = steps_of(diagonal, split);
      split.baby_rotations += baby != 0 && is_new(baby_round_[baby]) ? 1 : 0;
      split.giant_rotations += giant != 0 && is_new(giant_round_[giant]) ? 1 : 0;
      if (split.rotations() > limit) break;
    }
    return split;
  }

  /// The steps of baby and giant of one diagonal, below length.
  std::pair<std::size_t, std::size_t> steps_of(std::size_t diagonal,
                                               const DiagonalSplit& split) const {
    if (diagonal < split.negative_from) {
      const std::size_t baby = diagonal % split.babies;
      return {baby, diagonal - baby};
    }
    // -below = baby - blocks * babies with as few blocks as possible.
    const std::size_t below = length_ - diagonal;
    const std::size_t giant = (below + split.babies - 1) / split.babies * split.babies;
    return {giant - below, (2 * length_ - giant) % length_};
  }

 private:
  bool is_new(std::uint32_t& seen) const {
    if (seen == round_) return false;
    seen = round_;
    return true;
  }

  std::span<const std::size_t> diagonals_;
  std::size_t length_;
  std::uint32_t round_ = 0;
  std::vector<std::uint32_t> baby_round_;
  std::vector<std::uint32_t> giant_round_;
};

// Returns where the largest gap between diagonals ends, or `length` if that gap is around 0.
std::size_t end_of_largest_gap(std::span<const std::size_t> sorted, std::size_t length) {
  if (sorted.empty()) return length;
  std::size_t largest = length - sorted.back() + sorted.front();
  std::size_t end = length;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i] - sorted[i - 1] <= largest) continue;
    largest = sorted[i] - sorted[i - 1];
    end = sorted[i];
  }
  return end;
}

bool is_better_split(const DiagonalSplit& a, const DiagonalSplit& b) {
  return a.rotations() != b.rotations() ? a.rotations() < b.rotations()
                                        : a.baby_rotations > b.baby_rotations;
}

// Returns the small integer that all slots hold, if they hold one.
std::optional<std::int64_t> uniform_integer(const KnownVector& vector, std::size_t row_length) {
  if (!vector.is_integer()) return std::nullopt;
  const KnownVector::Integers& slots = vector.integers();
  const bool is_full =
      vector.is_constant() || slots.size() == row_length || slots.size() == 2 * row_length;
  const bool is_uniform = std::ranges::all_of(slots, [&](auto v) { return v == slots.front(); });
  if (!is_full || !is_uniform || !KnownVector(slots.front()).is_small_integer()) {
    return std::nullopt;
  }
  return slots.front();
}

// v'[i] = v[i - steps] in each row. Zeros at the end of a single row are left out.
template <typename T>
std::vector<T> moved(const std::vector<T>& slots, std::size_t steps, std::size_t row_length) {
  const std::size_t rows = (slots.size() > row_length ? 2 : 1) * row_length;
  std::vector<T> result(std::min(rows, slots.size() + steps));
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::size_t row = i / row_length * row_length;
    result[row + (i - row + steps) % row_length] = slots[i];
  }
  return result;
}

/// Declares products of one value by diagonals.
class DiagonalProducts {
 public:
  DiagonalProducts(Circuit& circuit, CircuitValue x, bool is_uniform)
      : circuit_(circuit), x_(x), is_uniform_(is_uniform) {}

  /// Declares a product that gives v[i] * x[i + baby + giant] when it is rotated by `giant`.
  CircuitValue operator()(const KnownVector& v, std::size_t baby, std::size_t giant) const {
    const CircuitValue rotated = circuit_.rotate(x_, static_cast<int>(baby));
    const std::size_t length = circuit_.row_length();
    if (is_uniform_) {
      const std::int64_t factor = v.integers().front();
      return factor == 1 ? rotated : circuit_.multiply(rotated, KnownVector(factor));
    }
    if (v.is_constant() && !v.is_small_integer()) return circuit_.multiply(rotated, v);
    // As a constant it would take no level, and its product would lack the scale of the others.
    if (v.is_constant()) {
      const KnownVector::Integers slots(length, v.integers().front());
      return circuit_.multiply(rotated, KnownVector(slots));
    }
    return circuit_.multiply(rotated, v.is_integer()
                                          ? KnownVector(moved(v.integers(), giant, length))
                                          : KnownVector(moved(v.numbers(), giant, length)));
  }

 private:
  Circuit& circuit_;
  CircuitValue x_;
  bool is_uniform_;
};

}  // namespace

DiagonalSplit best_split(std::span<const std::size_t> diagonals, std::size_t length) {
  constexpr std::size_t kLongest = 65536;
  std::vector<std::size_t> sorted(diagonals.begin(), diagonals.end());
  std::ranges::sort(sorted);
  const auto [repeated, end] = std::ranges::unique(sorted);
  sorted.erase(repeated, end);
  if (length == 0 || length > kLongest || (!sorted.empty() && sorted.back() >= length)) {
    throw_invalid_argument(
        {"best_split",
         concat("length = ", length, ", largest diagonal ", sorted.empty() ? 0 : sorted.back()),
         concat("length in [1, ", kLongest, "], diagonals below it"),
         "reduce the diagonals modulo the length of the row"});
  }
  SplitCounter count(sorted, length);
  DiagonalSplit best = count(1, length, sorted.size());
  for (const std::size_t negative_from : {length, end_of_largest_gap(sorted, length)}) {
    for (std::size_t babies = 1; babies <= length; ++babies) {
      const DiagonalSplit split = count(babies, negative_from, best.rotations());
      if (is_better_split(split, best)) best = split;
    }
    if (end_of_largest_gap(sorted, length) == length) break;
  }
  return best;
}

namespace circuits {

CircuitValue sum_of_diagonals(Circuit& circuit, CircuitValue x, const DiagonalMap& diagonals,
                              std::size_t period, std::span<const std::size_t> split_for) {
  std::vector<std::size_t> steps;
  bool is_uniform = true;
  for (const auto& [step, vector] : diagonals) {
    if (vector.magnitude() == 0) continue;
    steps.push_back(step);
    is_uniform = is_uniform && uniform_integer(vector, circuit.row_length()).has_value();
  }
  if (steps.empty()) {
    refuse("a matrix of zeros", "at least one entry that is not zero",
           "remove the product: it is always zero");
  }
  const DiagonalSplit split = best_split(split_for.empty() ? steps : split_for, period);
  const SplitCounter counter({}, period);
  const DiagonalProducts product(circuit, x, is_uniform);
  std::map<std::size_t, std::vector<std::size_t>> parts;  // steps by giant
  for (const std::size_t step : steps) {
    parts[counter.steps_of(step, split).second].push_back(step);
  }
  // A run computes values in this order: each product is added while it is in the cache.
  std::vector<CircuitValue> sums;
  for (const auto& [giant, part] : parts) {
    std::optional<CircuitValue> sum;
    for (const std::size_t step : part) {
      const std::size_t baby = counter.steps_of(step, split).first;
      const CircuitValue value = product(diagonals.at(step), baby, giant);
      sum = sum ? circuit.add(*sum, value) : value;
    }
    sums.push_back(circuit.rotate(*sum, static_cast<int>(giant)));
  }
  return circuit.sum(sums);
}

std::vector<double> magnitudes_of(const Circuit& circuit, std::size_t count) {
  std::vector<double> bounds;
  for (const CircuitNode& node : circuit.nodes().first(count)) {
    double bound = node.magnitude;
    if (node.operation != CircuitOperation::input) bound = bounds[node.a];
    switch (node.operation) {
      case CircuitOperation::add:
      case CircuitOperation::subtract:
        bound += bounds[node.b];
        break;
      case CircuitOperation::multiply:
        bound *= bounds[node.b];
        break;
      case CircuitOperation::add_known:
        bound += circuit.known_vectors()[node.b].magnitude();
        break;
      case CircuitOperation::multiply_known:
        bound *= circuit.known_vectors()[node.b].magnitude();
        break;
      default:
        break;
    }
    bounds.push_back(node.magnitude > 0 ? std::min(bound, node.magnitude) : bound);
  }
  return bounds;
}

double magnitude_of(const Circuit& circuit, CircuitValue x) {
  return magnitudes_of(circuit, x.index + 1).back();
}

void bound_if_finite(Circuit& circuit, CircuitValue x, double magnitude) {
  if (magnitude > 0 && std::isfinite(magnitude)) circuit.bound(x, magnitude);
}

void check_value(const Circuit& circuit, CircuitValue x) {
  const std::size_t count = circuit.nodes().size();
  if (x.index < count) return;
  refuse(concat("value ", x.index), concat("one of the ", count, " values of this circuit"),
         "use values that this circuit returned");
}

}  // namespace circuits
}  // namespace ringlet
