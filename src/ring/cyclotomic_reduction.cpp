// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "ring/reducer.hpp"
#include "ringlet/cyclotomic.hpp"
#include "ringlet/error.hpp"

namespace ringlet {

struct CyclotomicReduction::Plan {
  std::uint64_t index;
  std::size_t degree;
  ReductionMethod method;
  std::unique_ptr<const Reducer> reducer;
  std::size_t operation_count;

  void check(const char* operation, std::size_t count) const {
    if (count >= degree && count <= 2 * index) return;
    throw_invalid_argument({.operation = operation,
                            .offending = concat("a has ", count, " coefficients"),
                            .limit = concat(degree, " to ", 2 * index, " modulo Phi_", index),
                            .remedy = "pass a product of two reduced polynomials"});
  }
};

namespace {

std::unique_ptr<const Reducer> make_reducer(const CyclotomicPolynomial& polynomial,
                                            ReductionMethod method) {
  switch (method) {
    case ReductionMethod::sparse_divisors:
      return make_sparse_reducer(polynomial);
    case ReductionMethod::block_system:
    case ReductionMethod::barrett:
      break;
  }
  throw_invalid_argument({.operation = "CyclotomicReduction",
                          .offending = concat("method = ", static_cast<int>(method)),
                          .limit = "a value of ReductionMethod",
                          .remedy = "name one of them"});
}

}  // namespace

CyclotomicReduction::CyclotomicReduction(const CyclotomicPolynomial& polynomial,
                                         ReductionMethod method) {
  std::unique_ptr<const Reducer> reducer = make_reducer(polynomial, method);
  const std::size_t operations = reducer->operation_count(2 * polynomial.degree() - 1);
  plan_ = std::make_shared<const Plan>(Plan{.index = polynomial.index(),
                                            .degree = polynomial.degree(),
                                            .method = method,
                                            .reducer = std::move(reducer),
                                            .operation_count = operations});
}

void CyclotomicReduction::reduce_words(std::span<std::uint64_t> a) const {
  plan_->check("CyclotomicReduction::reduce_words", a.size());
  plan_->reducer->reduce(a, WrappingArithmetic{});
}

void CyclotomicReduction::reduce_residues(std::span<std::uint64_t> a, const Modulus& q) const {
  plan_->check("CyclotomicReduction::reduce_residues", a.size());
  plan_->reducer->reduce(a, ResidueArithmetic{q.value()});
}

ReductionMethod CyclotomicReduction::method() const noexcept { return plan_->method; }

std::size_t CyclotomicReduction::operation_count() const noexcept { return plan_->operation_count; }

}  // namespace ringlet
