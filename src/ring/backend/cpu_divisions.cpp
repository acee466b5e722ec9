// SPDX-License-Identifier: Apache-2.0
// Divisions with rounding of the processor's backend.
#include <algorithm>
#include <array>

#include "ntt/digit_sums.hpp"
#include "ring/backend/cpu_backend.hpp"
#include "ring/backend/reinterpret.hpp"
#include "ring/backend/scratch.hpp"
#include "ringlet/ring/basis_conversion.hpp"
#include "ringlet/ring/rns_poly.hpp"

namespace ringlet {
namespace {

/// The gap in words between two buffers whose lengths are powers of two: without it both would use
/// the same sets of the cache.
constexpr std::size_t kScratchGap = 64;

/// Words of a limb that go through all steps of a division in coefficient form together.
constexpr std::size_t kDivisionWords = 1024;

}  // namespace

void CpuBackend::make_divisor_digit(Words digit, std::size_t divisor,
                                    std::uint64_t preserve) const {
  const Eltwise& eltwise = eltwise_[divisor];
  if (preserve != 1) {
    eltwise.multiply_scalar(digit, digit, inverse_mod(preserve, basis()[divisor]));
  }
  eltwise.add_scalar(digit, digit, modulus(divisor) / 2);
}

void CpuBackend::finish_division(Words result, ConstWords a, Words lifted, std::size_t target,
                                 std::uint64_t inverse, std::uint64_t preserve) const {
  const Eltwise& eltwise = eltwise_[target];
  if (preserve == 1) {
    eltwise.subtract(lifted, a, lifted);
  } else {
    const std::uint64_t factor = basis()[target].reduce(preserve);
    eltwise.multiply_scalar_add(lifted, lifted, negate_mod(factor, modulus(target)), a);
  }
  eltwise.multiply_scalar(result, lifted, inverse);
}

// The quotient is a * inverse - lifted * (preserve * inverse). For kernels this is one sum of two
// products, during which they transform the second operand.
void CpuBackend::divide_limb(Words result, const Dividend& a, const DivisorDigit& digit,
                             std::size_t target, std::uint64_t inverse, Words scratch) const {
  const Modulus& q = basis()[target];
  const Ntt* const plan = transforms_.digit_sums(target);
  const bool fits_kernel =
      !digit.is_offset || modulus(digit.offset_prime) + q.value() <= kDigitOperandLimit;
  if (plan != nullptr && fits_kernel) {
    const std::uint64_t shift =
        digit.is_offset ? q.value() - q.reduce(modulus(digit.offset_prime) / 2) : 0;
    const std::uint64_t factor = q.multiply(inverse, q.reduce(digit.preserve));
    const std::array<const std::uint64_t*, 3> operands{nullptr, digit.words.data(), nullptr};
    const std::array<const std::uint64_t*, 3> values{a.words.data(), nullptr, a.addend.data()};
    const std::array<std::uint64_t, 3> scalars{inverse, negate_mod(factor, q.value()), 1};
    const std::array<std::uint64_t, 3> shifts{0, shift, 0};
    const std::array<std::uint64_t*, 3> memory{nullptr, scratch.data(), nullptr};
    DigitSums::run(*plan, {.results = {result.data(), nullptr},
                           .operands = operands.data(),
                           .values = values.data(),
                           .scalars = scalars.data(),
                           .shifts = shifts.data(),
                           .term_count = a.addend.empty() ? std::size_t{2} : std::size_t{3},
                           .scratch = memory.data()});
    return;
  }
  if (digit.is_offset) {
    lift_offset_digit(scratch, digit.words, digit.offset_prime, target);
  } else {
    transforms_.forward(target, scratch, digit.words);
  }
  if (a.addend.empty()) {
    finish_division(result, a.words, scratch, target, inverse, digit.preserve);
  } else {
    finish_division(scratch, a.words, scratch, target, inverse, digit.preserve);
    eltwise_[target].add(result, a.addend, scratch);
  }
}

// Goes through all steps for some words before the next ones, which stay in the first-level cache.
void CpuBackend::divide_coefficients(Words result, const Dividend& a, const DivisorDigit& digit,
                                     std::size_t target, std::uint64_t inverse,
                                     Words scratch) const {
  const Eltwise& eltwise = eltwise_[target];
  for (std::size_t first = 0; first < result.size(); first += kDivisionWords) {
    const std::size_t count = std::min(kDivisionWords, result.size() - first);
    const Words lifted = scratch.first(count);
    subtract_offset(lifted, digit.words.subspan(first, count), digit.offset_prime, target);
    eltwise.reduce_range(lifted, lifted, 4, 1);
    const Words quotient = result.subspan(first, count);
    const ConstWords part = a.words.subspan(first, count);
    if (a.addend.empty()) {
      finish_division(quotient, part, lifted, target, inverse, digit.preserve);
    } else {
      finish_division(lifted, part, lifted, target, inverse, digit.preserve);
      eltwise.add(quotient, a.addend.subspan(first, count), lifted);
    }
  }
}

// With h = floor(p/2) and t = (a + h) mod p, the quotient is (a - (t - h)) / p, exactly: t is the
// offset digit of p, and t - h its lift. The digit is divided by `preserve` first, and the lift is
// multiplied by `preserve`.
void CpuBackend::do_divide_and_round_by_last(NttView result, ConstNttView a, PrimeIndices primes,
                                             std::uint64_t preserve) const {
  const std::size_t last = primes.size() - 1;
  const std::size_t divisor = primes[last];
  const std::size_t degree = basis().degree();
  const Scratch digit(*pool(), degree);

  transforms_.inverse(divisor, digit.words(), a.limb(last));
  make_divisor_digit(digit.words(), divisor, preserve);
  for_limb_ranges(last, kTransformGrain, [&](std::size_t first, std::size_t end) {
    const Scratch scratch(*pool(), degree + kScratchGap);
    for (std::size_t i = first; i < end; ++i) {
      divide_limb(result.limb(i), {a.limb(i), {}}, {digit.words(), preserve, divisor, true},
                  primes[i], inverse(divisor, primes[i]), scratch.words().last(degree));
    }
  });
}

void CpuBackend::do_divide_and_round_by_last(CoeffView result, ConstCoeffView a,
                                             PrimeIndices primes, std::uint64_t preserve) const {
  const std::size_t last = primes.size() - 1;
  const std::size_t divisor = primes[last];
  const std::size_t degree = basis().degree();
  const Scratch digit(*pool(), degree);

  std::ranges::copy(a.limb(last), digit.words().begin());
  make_divisor_digit(digit.words(), divisor, preserve);
  for_limb_ranges(last, kElementGrain, [&](std::size_t first, std::size_t end) {
    const Scratch scratch(*pool(), degree + kScratchGap);
    const Words lifted = scratch.words().last(degree);
    for (std::size_t i = first; i < end; ++i) {
      divide_coefficients(result.limb(i), {a.limb(i), {}}, {digit.words(), preserve, divisor, true},
                          primes[i], inverse(divisor, primes[i]), lifted);
    }
  });
}

// A limb stays in the cache from its last transform to its result. Unless the division is in place,
// the result holds the converted digits, which then need no memory of their own.
void CpuBackend::do_divide_and_round(NttView result, ConstNttView a, PrimeIndices primes,
                                     const BasisConversion& conversion,
                                     std::uint64_t preserve) const {
  const std::size_t dropped = conversion.from().size();
  const std::size_t kept = primes.size() - dropped;
  const bool is_in_place = result.data == a.data;
  CoeffPoly source(*this, dropped, Secrecy::secret, Contents::unspecified);
  CoeffPoly remainder(*this, is_in_place ? kept : 0, Secrecy::secret, Contents::unspecified);
  const CoeffView digits = source.view_for_writing();
  const CoeffView lifted = is_in_place ? remainder.view_for_writing() : as_coefficients(result);
  for_limbs(dropped, kTransformGrain, [&](std::size_t i) {
    const std::size_t prime = primes[kept + i];
    transforms_.inverse(prime, digits.limb(i), a.limb(kept + i));
    if (preserve == 1) return;
    eltwise_[prime].multiply_scalar(digits.limb(i), digits.limb(i),
                                    inverse_mod(preserve, basis()[prime]));
  });
  convert_basis(lifted, digits, conversion);
  for_limb_ranges(kept, kTransformGrain, [&](std::size_t first, std::size_t end) {
    const Scratch scratch(*pool(), basis().degree() + kScratchGap);
    for (std::size_t i = first; i < end; ++i) {
      divide_limb(result.limb(i), {a.limb(i), {}}, {lifted.limb(i), preserve}, primes[i],
                  conversion.product_inverse(i), scratch.words().last(basis().degree()));
    }
  });
}

}  // namespace ringlet
