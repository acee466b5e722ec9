// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "ring/backend/scratch.hpp"
#include "ring/cyclotomic/reduction/reducer.hpp"
#include "ring/cyclotomic/reduction/sparse_factor.hpp"
#include "ringlet/arith/primes.hpp"

// docs/notes/cyclotomic_reduction.md derives this method.

namespace ringlet {
namespace {

std::size_t pass_count(std::size_t length, std::size_t d) { return d < length ? length - d : 0; }

class SparseReducer final : public Reducer {
 public:
  explicit SparseReducer(const CyclotomicPolynomial& polynomial)
      : index_(polynomial.index()), degree_(polynomial.degree()) {
    // As a power series that is cut off after max(n, m - n) < m coefficients, 1 - X^m is 1.
    for (const std::uint64_t d : polynomial.factors()) {
      if (d != index_) factors_.push_back(d);
    }
    divisors_.assign(polynomial.divisors().begin(), polynomial.divisors().end());
    // divisors() are m/p for the primes p, and m over products of 3, 5, ... of these primes.
    std::size_t fewest = operation_count(2 * degree_ - 1);
    for (const std::size_t block : divisors_) {
      const std::size_t operations = count_with_block(2 * degree_ - 1, block);
      if (!is_prime(index_ / block) || operations >= fewest) continue;
      fewest = operations;
      block_ = block;
    }
  }

  void reduce(std::span<std::uint64_t> a, WrappingArithmetic arithmetic) const override {
    run(a, arithmetic);
  }
  void reduce(std::span<std::uint64_t> a, ResidueArithmetic arithmetic) const override {
    run(a, arithmetic);
  }
  std::size_t operation_count(std::size_t length) const override {
    return count_with_block(length, block_);
  }

 private:
  std::size_t count_with_block(std::size_t length, std::size_t block) const {
    std::size_t count = pass_count(length, index_);
    length = std::min(length, index_);
    if (block != 0 && length > index_ - block) {
      count += (length - (index_ - block)) * (index_ / block - 1);
      length = index_ - block;
    }
    if (length == degree_) return count;
    const std::size_t quotient = length - degree_;
    for (const std::size_t d : divisors_) count += pass_count(quotient, d);
    for (const std::size_t d : factors_) count += pass_count(quotient, d);
    std::size_t known = std::min(quotient, degree_);
    for (const std::size_t d : factors_) {
      known = std::min(known + d, degree_);
      count += pass_count(known, d);
    }
    for (std::size_t i = 0; i < divisors_.size(); ++i) {
      count += pass_count(i == 0 ? known : degree_, divisors_[i]);
    }
    return count + degree_;
  }

  template <typename Arithmetic>
  void run(std::span<std::uint64_t> a, Arithmetic arithmetic) const {
    a = fold(a, arithmetic);
    if (a.size() == degree_) return;
    const Scratch scratch(std::max(a.size() - degree_, degree_));
    std::uint64_t* const series = scratch.words().data();
    divide(series, a.subspan(degree_), arithmetic);
    multiply_and_subtract(a.first(degree_), series, a.size() - degree_, arithmetic);
  }

  // Reduces modulo X^m - 1, then, where that saves work, modulo Phi_p(X^block), block = m/p: the
  // top power of X^block is minus the sum of the lower ones.
  template <typename Arithmetic>
  std::span<std::uint64_t> fold(std::span<std::uint64_t> a, Arithmetic arithmetic) const {
    if (a.size() > index_) {
      std::uint64_t* __restrict const low = a.data();
      const std::uint64_t* __restrict const high = a.data() + index_;
      const std::size_t count = a.size() - index_;
      for (std::size_t i = 0; i < count; ++i) low[i] = arithmetic.add(low[i], high[i]);
      a = a.first(index_);
    }
    const std::size_t rest = index_ - block_;
    if (block_ == 0 || a.size() <= rest) return a;
    const std::uint64_t* __restrict const top = a.data() + rest;
    if (block_ == 1) {  // m is prime
      const std::uint64_t last = *top;
      for (std::uint64_t& word : a.first(rest)) word = arithmetic.subtract(word, last);
      return a.first(rest);
    }
    const std::size_t count = a.size() - rest;
    for (std::size_t begin = 0; begin < rest; begin += block_) {
      std::uint64_t* __restrict const low = a.data() + begin;
      for (std::size_t i = 0; i < count; ++i) low[i] = arithmetic.subtract(low[i], top[i]);
    }
    return a.first(rest);
  }

  // Computes the quotient B from the coefficients of X^n and above: rev(B) = rev(A) / rev(Phi), and
  // rev(Phi) is Phi.
  template <typename Arithmetic>
  void divide(std::uint64_t* series, std::span<const std::uint64_t> high,
              Arithmetic arithmetic) const {
    const std::size_t count = high.size();
    std::reverse_copy(high.begin(), high.end(), series);
    for (const std::size_t d : divisors_) multiply_by_factor(series, count, d, arithmetic);
    for (const std::size_t d : factors_) divide_by_factor(series, count, d, arithmetic);
    std::reverse(series, series + count);
  }

  // a -= quotient * Phi modulo X^n. The product of the quotient and the numerator is short; the
  // first running sum makes it long.
  template <typename Arithmetic>
  void multiply_and_subtract(std::span<std::uint64_t> a, std::uint64_t* series, std::size_t count,
                             Arithmetic arithmetic) const {
    std::size_t known = std::min(count, degree_);
    for (const std::size_t d : factors_) {
      const std::size_t extended = std::min(known + d, degree_);
      std::fill(series + known, series + extended, 0);
      known = extended;
      multiply_by_factor(series, known, d, arithmetic);
    }
    divide_and_extend(series, known, degree_, divisors_.front(), arithmetic);
    for (std::size_t i = 1; i < divisors_.size(); ++i) {
      divide_by_factor(series, degree_, divisors_[i], arithmetic);
    }
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = arithmetic.subtract(a[i], series[i]);
  }

  std::size_t index_;
  std::size_t degree_;
  std::size_t block_ = 0;  // 0: no reduction modulo Phi_p(X^block)
  std::vector<std::size_t> factors_;
  std::vector<std::size_t> divisors_;
};

}  // namespace

std::unique_ptr<const Reducer> make_sparse_reducer(const CyclotomicPolynomial& polynomial) {
  return std::make_unique<SparseReducer>(polynomial);
}

}  // namespace ringlet
