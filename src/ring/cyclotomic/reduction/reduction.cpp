// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ring/cyclotomic/reduction/reducer.hpp"
#include "ring/cyclotomic/reduction/remainder_growth.hpp"
#include "ringlet/ring/cyclotomic.hpp"

namespace ringlet {

struct CyclotomicReduction::Plan {
  std::uint64_t index;
  std::size_t degree;
  ReductionMethod method;
  std::unique_ptr<const Reducer> reducer;
  std::size_t operation_count;
  std::optional<RemainderGrowth> growth;

  void check(std::size_t count) const {
    if (count >= degree && count <= 2 * index) return;
    refuse(concat("a has ", count, " coefficients"),
           concat(degree, " to ", 2 * index, " modulo Phi_", index),
           "pass a product of two reduced polynomials");
  }

  // Returns the multiple of q that takes every integer remainder of `count` residues into
  // [0, 2^64), if there is one.
  std::optional<std::uint64_t> offset(std::size_t count, std::uint64_t q) const {
    if (!growth) return std::nullopt;
    const std::uint64_t periods = count > index ? 2 : 1;
    const uint128_t range =
        static_cast<uint128_t>(growth->positive + growth->negative) * periods * q;
    if (range >> 64 != 0) return std::nullopt;
    return growth->negative * periods * q;
  }
};

namespace {

// The most entries of a matrix of remainders that a new reduction reads for its growth.
constexpr std::uint64_t kMaxGrowthWork = std::uint64_t{1} << 25;

std::optional<RemainderGrowth> affordable_growth(const CyclotomicPolynomial& polynomial) {
  if (remainder_growth_work(polynomial) > kMaxGrowthWork) return std::nullopt;
  return remainder_growth(polynomial);
}

std::unique_ptr<const Reducer> make_reducer(const CyclotomicPolynomial& polynomial,
                                            ReductionMethod method) {
  switch (method) {
    case ReductionMethod::sparse_divisors:
      return make_sparse_reducer(polynomial);
    case ReductionMethod::block_system:
      return make_block_reducer(polynomial);
    case ReductionMethod::barrett:
      return make_barrett_reducer(polynomial);
  }
  refuse(concat("method = ", static_cast<int>(method)), "a method that the library has",
         "pass another method");
}

}  // namespace

CyclotomicReduction::CyclotomicReduction(const CyclotomicPolynomial& polynomial,
                                         ReductionMethod method) {
  auto reducer =
      public_entry("CyclotomicReduction", [&] { return make_reducer(polynomial, method); });
  const std::size_t operations = reducer->operation_count(2 * polynomial.degree() - 1);
  plan_ = std::make_shared<const Plan>(Plan{.index = polynomial.index(),
                                            .degree = polynomial.degree(),
                                            .method = method,
                                            .reducer = std::move(reducer),
                                            .operation_count = operations,
                                            .growth = affordable_growth(polynomial)});
}

void CyclotomicReduction::reduce_words(std::span<std::uint64_t> a) const {
  public_entry("CyclotomicReduction::reduce_words", [&] { plan_->check(a.size()); });
  plan_->reducer->reduce(a, WrappingArithmetic{});
}

void CyclotomicReduction::reduce_residues(std::span<std::uint64_t> a, const Modulus& q) const {
  public_entry("CyclotomicReduction::reduce_residues", [&] { plan_->check(a.size()); });
  const std::optional<std::uint64_t> offset = plan_->offset(a.size(), q.value());
  if (!offset) {
    plan_->reducer->reduce(a, ResidueArithmetic(q));
    return;
  }
  // Integers that do not overflow are reduced once, at the end.
  plan_->reducer->reduce(a, WrappingArithmetic{});
  for (std::uint64_t& word : a.first(plan_->degree)) word = q.reduce(word + *offset);
}

ReductionMethod CyclotomicReduction::method() const noexcept { return plan_->method; }

std::size_t CyclotomicReduction::operation_count() const noexcept { return plan_->operation_count; }

}  // namespace ringlet
