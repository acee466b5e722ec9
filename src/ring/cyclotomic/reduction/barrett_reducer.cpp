// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "ring/backend/scratch.hpp"
#include "ring/cyclotomic/reduction/reducer.hpp"

namespace ringlet {
namespace {

// Barrett (CRYPTO '86) for polynomials: with mu = floor(X^(2n) / Phi) and A of degree below 2n, the
// quotient is floor(floor(A / X^n) * mu / X^n), exactly. Products are schoolbook and use only the
// part of mu that the length of A needs.
class BarrettReducer final : public Reducer {
 public:
  explicit BarrettReducer(const CyclotomicPolynomial& polynomial)
      : degree_(polynomial.degree()),
        polynomial_(polynomial.coefficients().begin(), polynomial.coefficients().end() - 1),
        inverse_(degree_) {
    struct Term {
      std::size_t distance;
      std::int64_t coefficient;
    };
    std::vector<Term> terms;
    for (std::size_t i = degree_; i-- > 0;) {
      if (polynomial_[i] != 0) terms.push_back({degree_ - i, polynomial_[i]});
    }
    // The coefficients of mu from that of X^n down: long division.
    for (std::size_t k = 0; k < degree_; ++k) {
      std::int64_t sum = k == 0 ? 1 : 0;
      for (const Term& term : terms) {
        if (term.distance > k) break;
        sum -= term.coefficient * inverse_[k - term.distance];
      }
      inverse_[k] = sum;
    }
  }

  void reduce(std::span<std::uint64_t> a, WrappingArithmetic arithmetic) const override {
    run(a, arithmetic);
  }
  void reduce(std::span<std::uint64_t> a, ResidueArithmetic arithmetic) const override {
    run(a, arithmetic);
  }
  // Counts an addition for each multiplication.
  std::size_t operation_count(std::size_t length) const override {
    std::size_t count = 0;
    for (; length > degree_; length -= std::min(length - degree_, degree_)) {
      const std::size_t quotient = std::min(length - degree_, degree_);
      const std::size_t triangle = quotient * (quotient + 1) / 2;
      count += 2 * (triangle + quotient * degree_ - (triangle - quotient));
    }
    return count;
  }

 private:
  template <typename Arithmetic>
  void run(std::span<std::uint64_t> a, Arithmetic arithmetic) const {
    if (a.size() == degree_) return;
    std::vector<std::uint64_t> inverse(degree_), polynomial(degree_);
    for (std::size_t i = 0; i < degree_; ++i) {
      inverse[i] = arithmetic.constant(inverse_[i]);
      polynomial[i] = arithmetic.constant(polynomial_[i]);
    }
    const Scratch scratch(degree_);
    while (a.size() > degree_) {
      const std::size_t count = std::min(a.size() - degree_, degree_);
      const std::size_t begin = a.size() - degree_ - count;
      const std::span<const std::uint64_t> high = a.subspan(begin + degree_);
      const std::span<std::uint64_t> quotient = scratch.words().first(count);
      std::fill(quotient.begin(), quotient.end(), 0);
      for (std::size_t k = 0; k < count; ++k) {
        for (std::size_t i = 0; i + k < count; ++i) {
          quotient[i] = arithmetic.add(quotient[i], arithmetic.multiply(high[i + k], inverse[k]));
        }
      }
      for (std::size_t j = 0; j < count; ++j) {
        for (std::size_t i = j; i < degree_; ++i) {
          a[begin + i] = arithmetic.subtract(a[begin + i],
                                             arithmetic.multiply(quotient[j], polynomial[i - j]));
        }
      }
      a = a.first(begin + degree_);
    }
  }

  std::size_t degree_;
  std::vector<std::int64_t> polynomial_;  // without the leading coefficient
  std::vector<std::int64_t> inverse_;     // of mu, from that of X^n down
};

}  // namespace

std::unique_ptr<const Reducer> make_barrett_reducer(const CyclotomicPolynomial& polynomial) {
  return std::make_unique<BarrettReducer>(polynomial);
}

}  // namespace ringlet
