// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "kernels/measure.hpp"
#include "kernels/select.hpp"
#include "ringlet/arith/primes.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/kernels/wisdom.hpp"

namespace ringlet {
namespace {

using kernels::Chosen;
using kernels::EltwiseOperation;
using kernels::kEltwiseOperationCount;
using kernels::kEltwiseOperationNames;

constexpr const char* kTransform = "ntt";
constexpr int kMaxLogDegree = 20;

std::vector<int> range(int first, int last) {
  std::vector<int> numbers(static_cast<std::size_t>(last - first + 1));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

void check(const char* option, const std::vector<int>& values, int least, int most) {
  for (const int value : values) {
    if (value >= least && value <= most) continue;
    refuse(concat(option, " = ", value), concat(least, " to ", most), "leave the value out");
  }
}

/// The element-wise operation of this name; none for transforms.
std::optional<EltwiseOperation> eltwise_operation(const std::string& name) {
  for (unsigned i = 0; i < kEltwiseOperationCount; ++i) {
    if (name == kEltwiseOperationNames[i]) return static_cast<EltwiseOperation>(i);
  }
  if (name == kTransform) return std::nullopt;
  std::string names = kTransform;
  for (const char* known : kEltwiseOperationNames) names += concat(", ", known);
  refuse(concat("operation '", name, "'"), concat("one of: ", names), "use one of these names");
}

/// One point of the grid.
struct Point {
  std::string operation;
  int log_degree = 0;
  int modulus_bits = 0;

  friend auto operator<=>(const Point&, const Point&) = default;
};

/// The points, sorted, each once.
std::vector<Point> grid(const TuneOptions& options) {
  check("log_degree", options.log_degrees, 1, kMaxLogDegree);
  check("modulus_bits", options.modulus_bits, 2, kMaxModulusBits);
  std::vector<Point> points;
  for (const std::string& operation : options.operations) {
    const bool is_transform = !eltwise_operation(operation);
    for (const int log_degree : is_transform ? options.log_degrees : std::vector<int>{0}) {
      for (const int bits : options.modulus_bits) points.push_back({operation, log_degree, bits});
    }
  }
  std::ranges::sort(points);
  const auto repeated = std::ranges::unique(points);
  points.erase(repeated.begin(), repeated.end());
  return points;
}

/// Names and seconds of the kernels for one point, the estimate's first.
struct Times {
  std::vector<std::string> names;
  std::vector<double> seconds;
};

/// Times all candidates, and once more if the estimate is not the fastest: that may be noise.
template <typename Kernel, typename Time>
Times timed(const std::vector<Chosen<Kernel>>& candidates, const Time& time) {
  Times times;
  if (candidates.empty()) return times;
  for (const auto& candidate : candidates) times.names.push_back(candidate.name());
  times.seconds = time(candidates);
  if (kernels::fastest(times.seconds) != 0) {
    const std::vector<double> again = time(candidates);
    for (std::size_t i = 0; i < again.size(); ++i) {
      times.seconds[i] = std::min(times.seconds[i], again[i]);
    }
  }
  return times;
}

/// The largest prime of the width that has transforms of the length; none if there is no such
/// prime.
std::optional<Modulus> transform_prime(int bits, int log_degree) {
  try {
    return generate_ntt_primes(bits, std::size_t{1} << log_degree, 1).front();
  } catch (const InvalidArgument&) {
    return std::nullopt;
  }
}

Times time_point(const Point& point) {
  const KernelSelection all;
  if (const auto operation = eltwise_operation(point.operation)) {
    const std::uint64_t q = (std::uint64_t{1} << point.modulus_bits) - 1;
    return timed(kernels::eltwise_candidates(*operation, q, all), [&](const auto& candidates) {
      return kernels::time_eltwise(*operation, q, candidates, kernels::kTuneEltwiseTrials);
    });
  }
  const auto q = transform_prime(point.modulus_bits, point.log_degree);
  if (!q) return {};
  return timed(kernels::ntt_candidates(point.log_degree, q->value(), all),
               [&](const auto& candidates) {
                 return kernels::time_transforms(point.log_degree, q->value(), candidates,
                                                 kernels::kTuneTransformTrials);
               });
}

}  // namespace

TuneOptions::TuneOptions()
    : log_degrees(range(3, 17)), modulus_bits(range(20, 62)), operations{kTransform} {
  operations.insert(operations.end(), std::begin(kEltwiseOperationNames),
                    std::end(kEltwiseOperationNames));
}

TuneOptions TuneOptions::quick() {
  TuneOptions options;
  options.log_degrees = range(10, 14);
  options.modulus_bits = {30, 45, 48, 49, 50, 55, 60, 61};
  return options;
}

Wisdom Wisdom::tune(const TuneOptions& options) {
  const std::vector<Point> points = public_entry("Wisdom::tune", [&] { return grid(options); });
  std::vector<WisdomEntry> entries;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Times times = time_point(points[i]);
    if (times.names.empty()) continue;
    const std::size_t best = kernels::fastest(times.seconds);
    entries.push_back(
        {points[i].operation, points[i].log_degree, points[i].modulus_bits, times.names[best]});
    if (options.progress) {
      options.progress({.completed = i + 1,
                        .total = points.size(),
                        .entry = entries.back(),
                        .estimate = times.names.front(),
                        .gain = times.seconds.front() / times.seconds[best]});
    }
  }
  return Wisdom(std::move(entries));
}

}  // namespace ringlet
