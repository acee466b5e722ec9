// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <unordered_map>

#include "ringlet/base/error.hpp"
#include "ringlet/kernels/eltwise.hpp"
#include "seal/util/polyarithsmallmod.h"

namespace ringlet::seal4_util {
namespace {

/// Returns the kernels of a modulus. Each thread keeps those that it used, so no call takes a lock.
const Eltwise& kernels_of(const Modulus& modulus) {
  constexpr std::size_t kMaxKept = 1024;
  thread_local std::unordered_map<std::uint64_t, Eltwise> kept;
  const auto found = kept.find(modulus.value());
  if (found != kept.end()) return found->second;
  if (kept.size() == kMaxKept) kept.clear();
  return kept.emplace(modulus.value(), Eltwise(ringlet::Modulus(modulus.value()))).first->second;
}

template <class... Iters>
void check(const char* operation, std::size_t count, const Modulus& modulus,
           const Iters&... iters) {
  const bool set = (static_cast<bool>(iters) && ...);
  if (!modulus.is_zero() && (set || count == 0)) return;
  throw_invalid_argument(
      {.operation = operation,
       .offending = modulus.is_zero() ? "the modulus is zero" : "an iterator is null",
       .limit = "a modulus of at least 2, and buffers of coeff_count words",
       .remedy = "set the modulus and pass polynomials"});
}

void check_scalar(const char* operation, std::uint64_t scalar, const Modulus& modulus) {
  if (scalar < modulus.value()) return;
  throw_invalid_argument({.operation = operation,
                          .offending = "scalar = " + std::to_string(scalar),
                          .limit = "below the modulus " + std::to_string(modulus.value()),
                          .remedy = "reduce the scalar"});
}

/// The factor of the range of words for which kernels multiply.
constexpr int kFactor = 4;

/// Returns true if all words are below kFactor * modulus, which has at most 63 bits. Constant time.
bool in_range(ConstCoeffIter words, std::size_t count, const Modulus& modulus) {
  const std::uint64_t last = kFactor * modulus.value() - 1;
  std::uint64_t signs = 0;
  for (std::size_t i = 0; i < count; ++i) signs |= (last - words[i]) | words[i];
  return signs >> 63 == 0;
}

Eltwise::Result out(CoeffIter words, std::size_t count) { return {words.ptr(), count}; }
Eltwise::Operand in(ConstCoeffIter words, std::size_t count) { return {words.ptr(), count}; }

}  // namespace

void detail::refuse_iterators() {
  throw_invalid_argument({.operation = "an operation on polynomials",
                          .offending = "iterators that are null or differ in shape",
                          .limit = "operands and a result of one degree and number of primes",
                          .remedy = "pass iterators of the same parameters"});
}

void modulo_poly_coeffs(ConstCoeffIter poly, std::size_t coeff_count, const Modulus& modulus,
                        CoeffIter result) {
  check("modulo_poly_coeffs", coeff_count, modulus, poly, result);
  kernels_of(modulus).reduce(out(result, coeff_count), in(poly, coeff_count));
}

void negate_poly_coeffmod(ConstCoeffIter poly, std::size_t coeff_count, const Modulus& modulus,
                          CoeffIter result) {
  check("negate_poly_coeffmod", coeff_count, modulus, poly, result);
  kernels_of(modulus).negate(out(result, coeff_count), in(poly, coeff_count));
}

void add_poly_coeffmod(ConstCoeffIter a, ConstCoeffIter b, std::size_t coeff_count,
                       const Modulus& modulus, CoeffIter result) {
  check("add_poly_coeffmod", coeff_count, modulus, a, b, result);
  kernels_of(modulus).add(out(result, coeff_count), in(a, coeff_count), in(b, coeff_count));
}

void sub_poly_coeffmod(ConstCoeffIter a, ConstCoeffIter b, std::size_t coeff_count,
                       const Modulus& modulus, CoeffIter result) {
  check("sub_poly_coeffmod", coeff_count, modulus, a, b, result);
  kernels_of(modulus).subtract(out(result, coeff_count), in(a, coeff_count), in(b, coeff_count));
}

void add_poly_scalar_coeffmod(ConstCoeffIter poly, std::size_t coeff_count, std::uint64_t scalar,
                              const Modulus& modulus, CoeffIter result) {
  check("add_poly_scalar_coeffmod", coeff_count, modulus, poly, result);
  check_scalar("add_poly_scalar_coeffmod", scalar, modulus);
  kernels_of(modulus).add_scalar(out(result, coeff_count), in(poly, coeff_count), scalar);
}

void sub_poly_scalar_coeffmod(ConstCoeffIter poly, std::size_t coeff_count, std::uint64_t scalar,
                              const Modulus& modulus, CoeffIter result) {
  check("sub_poly_scalar_coeffmod", coeff_count, modulus, poly, result);
  check_scalar("sub_poly_scalar_coeffmod", scalar, modulus);
  kernels_of(modulus).subtract_scalar(out(result, coeff_count), in(poly, coeff_count), scalar);
}

void multiply_poly_scalar_coeffmod(ConstCoeffIter poly, std::size_t coeff_count,
                                   MultiplyUIntModOperand scalar, const Modulus& modulus,
                                   CoeffIter result) {
  check("multiply_poly_scalar_coeffmod", coeff_count, modulus, poly, result);
  check_scalar("multiply_poly_scalar_coeffmod", scalar.operand, modulus);
  if (in_range(poly, coeff_count, modulus)) {
    kernels_of(modulus).multiply_scalar(out(result, coeff_count), in(poly, coeff_count),
                                        scalar.operand, kFactor);
    return;
  }
  for (std::size_t i = 0; i < coeff_count; ++i) {
    result[i] = multiply_uint_mod(poly[i], scalar, modulus);
  }
}

void multiply_poly_scalar_coeffmod(ConstCoeffIter poly, std::size_t coeff_count,
                                   std::uint64_t scalar, const Modulus& modulus, CoeffIter result) {
  check("multiply_poly_scalar_coeffmod", coeff_count, modulus, poly, result);
  MultiplyUIntModOperand factor;
  factor.set(barrett_reduce_64(scalar, modulus), modulus);
  multiply_poly_scalar_coeffmod(poly, coeff_count, factor, modulus, result);
}

void dyadic_product_coeffmod(ConstCoeffIter a, ConstCoeffIter b, std::size_t coeff_count,
                             const Modulus& modulus, CoeffIter result) {
  check("dyadic_product_coeffmod", coeff_count, modulus, a, b, result);
  if (in_range(a, coeff_count, modulus) && in_range(b, coeff_count, modulus)) {
    kernels_of(modulus).multiply(out(result, coeff_count), in(a, coeff_count), in(b, coeff_count),
                                 kFactor);
    return;
  }
  for (std::size_t i = 0; i < coeff_count; ++i) result[i] = multiply_uint_mod(a[i], b[i], modulus);
}

std::uint64_t poly_infty_norm_coeffmod(ConstCoeffIter operand, std::size_t coeff_count,
                                       const Modulus& modulus) {
  check("poly_infty_norm_coeffmod", coeff_count, modulus, operand);
  std::uint64_t norm = 0;
  for (std::size_t i = 0; i < coeff_count; ++i) {
    const std::uint64_t word = barrett_reduce_64(operand[i], modulus);
    const std::uint64_t negated = modulus.value() - word;
    const std::uint64_t size = negated ^ ((negated ^ word) & detail::mask_below(word, negated));
    norm ^= (norm ^ size) & detail::mask_below(norm, size);
  }
  return norm;
}

void negacyclic_shift_poly_coeffmod(ConstCoeffIter poly, std::size_t coeff_count, std::size_t shift,
                                    const Modulus& modulus, CoeffIter result) {
  check("negacyclic_shift_poly_coeffmod", coeff_count, modulus, poly, result);
  if (coeff_count == 0) return;
  const bool negative = shift / coeff_count % 2 != 0;  // X^coeff_count is -1
  shift %= coeff_count;
  const std::size_t split = coeff_count - shift;
  const std::uint64_t* from = poly;
  std::uint64_t* to = result;
  if (from == to) {
    std::rotate(to, to + split, to + coeff_count);
  } else {
    std::rotate_copy(from, from + split, from + coeff_count, to);
  }
  const CoeffIter negated = negative ? to + shift : to;
  negate_poly_coeffmod(negated, negative ? split : shift, modulus, negated);
}

}  // namespace ringlet::seal4_util
