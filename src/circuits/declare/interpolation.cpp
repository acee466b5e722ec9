// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <utility>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ringlet/arith/primes.hpp"
#include "ringlet/circuits/polynomial.hpp"
#include "ringlet/ntt/ntt.hpp"

namespace ringlet {
namespace {

using Words = std::vector<std::uint64_t>;
using WordSpan = std::span<const std::uint64_t>;

std::vector<std::uint64_t> checked_points(const Modulus& t, std::span<const std::uint64_t> points,
                                          std::size_t value_count) {
  if (!is_prime(t.value())) {
    refuse(concat("t = ", t.value()), "a prime", "choose a prime, for slots one with t = 1 mod 2N");
  }
  const bool fits = !points.empty() && points.size() <= Polynomial::kMaxDegree + 1;
  if (!fits || points.size() != value_count) {
    refuse(concat(points.size(), " points and ", value_count, " values"),
           concat("1 to ", Polynomial::kMaxDegree + 1, " points, a value for each"),
           "pass as many values as points");
  }
  std::vector<std::uint64_t> residues;
  for (const std::uint64_t point : points) residues.push_back(t.reduce(point));
  std::vector<std::uint64_t> sorted = residues;
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice == sorted.end()) return residues;
  refuse(concat("point ", *twice, " modulo ", t.value(), " twice"), "points that differ modulo t",
         "remove one of the two, or use a larger t");
}

/// Products of polynomials modulo any t, computed as integers modulo enough NTT primes.
class Products {
 public:
  explicit Products(const Modulus& t) : t_(t) {
    // Holds sums of 2^16 products, of either sign, below a quarter of the primes' product.
    const int bits = 2 * t.bit_count() + 16 + 2;
    const auto count = static_cast<std::size_t>((bits + kPrimeBits - 2) / (kPrimeBits - 1));
    primes_ = generate_fast_ntt_primes(kPrimeBits, 2 * (Polynomial::kMaxDegree + 1), count);
  }

  const Modulus& modulus() const { return t_; }

  /// Returns a * b; both have at least one coefficient.
  Words operator()(WordSpan a, WordSpan b) {
    const std::size_t size = a.size() + b.size() - 1;
    if (!std::has_single_bit(size - 1)) {
      Words result = wrapped(a, b, std::bit_ceil(size));
      result.resize(size);
      return result;
    }
    // Half the length suffices: only the last coefficient wraps around, to the first place.
    Words result = wrapped(a, b, size - 1);
    result.push_back(t_.multiply(a.back(), b.back()));
    result[0] = add_mod(result[0], result.back(), t_.value());
    return result;
  }

  /// The transpose of the product by b: the sums over i of a[i + j] * b[i] for j < count.
  Words transposed(WordSpan a, WordSpan b, std::size_t count) {
    const Words reversed(b.rbegin(), b.rend());
    const std::size_t first = b.size() - 1;
    // Coefficients that wrap around land below `first`.
    const Words all = wrapped(a, reversed, std::bit_ceil(std::max(a.size(), first + count)));
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
    return {begin, begin + static_cast<std::ptrdiff_t>(count)};
  }

 private:
  static constexpr int kPrimeBits = 61;

  // Returns a * b modulo X^length + 1; length is a power of two, and neither operand is longer.
  Words wrapped(WordSpan a, WordSpan b, std::size_t length) {
    constexpr std::size_t kSchoolbook = 32;
    if (std::min(a.size(), b.size()) > kSchoolbook) return by_transforms(a, b, length);
    Words result(length);
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (std::size_t k = 0; k < b.size(); ++k) {
        std::uint64_t& sum = result[(i + k) & (length - 1)];
        const std::uint64_t term = t_.multiply(a[i], b[k]);
        sum = i + k < length ? add_mod(sum, term, t_.value()) : sub_mod(sum, term, t_.value());
      }
    }
    return result;
  }

  Words by_transforms(WordSpan a, WordSpan b, std::size_t length) {
    std::vector<Ntt>& plans = plans_[length];
    for (std::size_t k = plans.size(); k < primes_.size(); ++k) {
      plans.emplace_back(length, primes_[k]);
    }
    std::vector<Words> digits;
    for (const Ntt& plan : plans) {
      Words left(length);
      Words right(length);
      const auto reduce = [&](std::uint64_t word) { return plan.modulus().reduce(word); };
      std::ranges::transform(a, left.begin(), reduce);
      std::ranges::transform(b, right.begin(), reduce);
      plan.multiply(left, left, right);
      digits.push_back(std::move(left));
    }
    return joined(std::move(digits));
  }

  // The integers with these residues, modulo t: by Garner's digits in mixed radix.
  Words joined(std::vector<Words> digits) const {
    Words result(digits[0].size());
    std::uint64_t radix = 1;  // the product of primes_[i] for i < k, modulo t
    for (std::size_t k = 0; k < primes_.size(); ++k) {
      const Modulus& p = primes_[k];
      for (std::size_t j = 0; j < k; ++j) {
        const std::uint64_t inverse = inverse_mod(p.reduce(primes_[j].value()), p);
        for (std::size_t i = 0; i < result.size(); ++i) {
          const std::uint64_t rest = sub_mod(digits[k][i], p.reduce(digits[j][i]), p.value());
          digits[k][i] = p.multiply(rest, inverse);
        }
      }
      for (std::size_t i = 0; i < result.size(); ++i) {
        result[i] = add_mod(result[i], t_.multiply(radix, digits[k][i]), t_.value());
      }
      radix = t_.multiply(radix, p.value());
    }
    for (std::size_t i = 0; i < result.size(); ++i) {
      const bool is_negative = digits.back()[i] > primes_.back().value() / 2;
      if (is_negative) result[i] = sub_mod(result[i], radix, t_.value());
    }
    return result;
  }

  Modulus t_;
  std::vector<Modulus> primes_;
  std::map<std::size_t, std::vector<Ntt>> plans_;
};

/// The products of 1 - x Z over halves of the points, halves of these, and so on.
class PointTree {
 public:
  PointTree(const Modulus& t, WordSpan x) : products_(t), nodes_(2 * std::bit_ceil(x.size())) {
    grow(1, x);
  }

  /// Returns f(x) for each point; f has as many coefficients as there are points. f(x) is f times
  /// the power series 1/(1 - x Z), summed term by term (Bernstein, "Scaled remainder trees", 2004).
  Words evaluate(WordSpan f) {
    Words result;
    descend(1, products_.transposed(f, inverse(nodes_[1], f.size()), f.size()), result);
    return result;
  }

  /// Returns the sum over i of w_i times the product of 1 - x_j Z for all j != i.
  Words sum(WordSpan w) { return sum(1, w); }

  const Words& root() const { return nodes_[1]; }

 private:
  // The left half comes first, and is the smaller one.
  static std::size_t half_of(std::size_t count) { return count / 2; }

  void grow(std::size_t node, WordSpan x) {
    const Modulus& t = products_.modulus();
    if (x.size() == 1) {
      nodes_[node] = {1, negate_mod(x[0], t.value())};
      return;
    }
    grow(2 * node, x.first(half_of(x.size())));
    grow(2 * node + 1, x.subspan(half_of(x.size())));
    nodes_[node] = products_(nodes_[2 * node], nodes_[2 * node + 1]);
  }

  void descend(std::size_t node, WordSpan sums, Words& values) {
    if (sums.size() == 1) return values.push_back(sums[0]);
    const std::size_t half = half_of(sums.size());
    descend(2 * node, products_.transposed(sums, nodes_[2 * node + 1], half), values);
    const std::size_t others = sums.size() - half;
    descend(2 * node + 1, products_.transposed(sums, nodes_[2 * node], others), values);
  }

  Words sum(std::size_t node, WordSpan w) {
    if (w.size() == 1) return {w[0]};
    const std::size_t half = half_of(w.size());
    Words result = products_(sum(2 * node + 1, w.subspan(half)), nodes_[2 * node]);
    const Words other = products_(sum(2 * node, w.first(half)), nodes_[2 * node + 1]);
    for (std::size_t i = 0; i < other.size(); ++i) {
      result[i] = add_mod(result[i], other[i], products_.modulus().value());
    }
    return result;
  }

  // 1/f modulo Z^count for f(0) = 1: Newton's iteration.
  Words inverse(const Words& f, std::size_t count) {
    const std::uint64_t t = products_.modulus().value();
    Words result{1};
    while (result.size() < count) {
      const std::size_t size = std::min(2 * result.size(), count);
      Words error = products_(WordSpan(f).first(std::min(size, f.size())), result);
      error.resize(size);
      for (std::uint64_t& word : error) word = negate_mod(word, t);
      error[0] = add_mod(error[0], products_.modulus().reduce(2), t);
      result = products_(result, error);
      result.resize(size);
    }
    return result;
  }

  Products products_;
  std::vector<Words> nodes_;
};

}  // namespace

Polynomial interpolate(const Modulus& t, std::span<const std::uint64_t> points,
                       std::span<const std::uint64_t> values) {
  const Words x =
      public_entry("interpolate", [&] { return checked_points(t, points, values.size()); });
  PointTree tree(t, x);
  // Lagrange's formula divides the value at x_i by the derivative of the product of all X - x_j.
  Words derivative;
  for (std::size_t i = 0; i < x.size(); ++i) {
    derivative.push_back(t.multiply(tree.root()[x.size() - 1 - i], i + 1));
  }
  Words weights = tree.evaluate(derivative);
  for (std::size_t i = 0; i < x.size(); ++i) {
    weights[i] = t.multiply(t.reduce(values[i]), inverse_mod(weights[i], t));
  }
  const Words sum = tree.sum(weights);
  return Polynomial::integers({sum.rbegin(), sum.rend()}).modulo(t);
}

Polynomial interpolate(const Modulus& t, std::span<const std::uint64_t> values) {
  std::vector<std::uint64_t> points(values.size());
  std::iota(points.begin(), points.end(), std::uint64_t{0});
  return interpolate(t, points, values);
}

}  // namespace ringlet
