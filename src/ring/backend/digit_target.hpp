// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ntt/digit_sums.hpp"
#include "ring/backend/cpu_backend.hpp"

namespace ringlet {

/// The most digits that are transformed and summed up together. With more, twiddles are read and
/// sums written less often. But where a kernel takes the digits through each pass together, the
/// words of their limbs must stay in a second-level cache of 1 MB.
inline constexpr std::size_t kMostTogether = 6;
/// The gap in words between limbs whose length is a power of two: without it they would use the
/// same sets of the cache.
inline constexpr std::size_t kGap = 64;

/// One digit, for the sums modulo one target prime.
struct CpuBackend::DigitTerm {
  /// Coefficients: an offset digit of the prime `offset_prime`, or residues of the target.
  std::span<const std::uint64_t> coefficients;
  std::span<const std::uint64_t> values;  ///< The digit in NTT form; empty if not known.
  Words memory;  ///< Where the transform may be: the coefficients, if nobody needs them later.
  std::size_t offset_prime = 0;
  bool is_offset = false;
  std::array<ConstWords, 2> pair;  ///< The factors of the digit in a key, modulo the target.
};

/// Adds up the two sums of one target.
class CpuBackend::DigitTarget {
 public:
  DigitTarget(const CpuBackend& backend, std::size_t prime, std::array<Words, 2> sums,
              Words scratch)
      : backend_(backend),
        prime_(prime),
        plan_(backend.transforms_.digit_sums(prime)),
        sums_(sums),
        scratch_(scratch) {}

  /// Whether a kernel reads images out of values.
  bool has_images() const { return plan_ != nullptr; }

  /// Adds the products of at most kMostTogether terms; `first` says that the sums are empty.
  void add(std::span<const DigitTerm> terms, bool first) const {
    if (plan_ != nullptr && std::ranges::all_of(terms, [&](const DigitTerm& term) {
          return !term.values.empty() || !term.is_offset ||
                 backend_.modulus(term.offset_prime) + backend_.modulus(prime_) <=
                     kDigitOperandLimit;
        })) {
      add_by_kernel(terms, nullptr, first);
    } else {
      add_by_parts(terms, first);
    }
  }

  /// Does the same with the images of values under one map per term; values are images already
  /// where has_images() is false.
  void add_images(std::span<const DigitTerm> terms, const kernels::BlockMap* maps,
                  bool first) const {
    has_images() ? add_by_kernel(terms, maps, first) : add_by_parts(terms, first);
  }

 private:
  Words lifted(std::size_t k) const {
    const std::size_t degree = backend_.basis().degree();
    return scratch_.subspan(k * (degree + kGap), degree);
  }

  void add_by_kernel(std::span<const DigitTerm> terms, const kernels::BlockMap* maps,
                     bool first) const {
    std::array<const std::uint64_t*, kMostTogether> operands{};
    std::array<const std::uint64_t*, kMostTogether> values{};
    std::array<const std::uint64_t*, 2 * kMostTogether> keys{};
    std::array<std::uint64_t, kMostTogether> shifts{};
    std::array<std::uint64_t*, kMostTogether> scratch{};
    const Modulus& q = backend_.basis()[prime_];
    for (std::size_t k = 0; k < terms.size(); ++k) {
      const DigitTerm& term = terms[k];
      if (term.values.empty()) {
        operands[k] = term.coefficients.data();
        scratch[k] = (term.memory.empty() ? lifted(k) : term.memory).data();
        if (term.is_offset) {
          shifts[k] = q.value() - q.reduce(backend_.modulus(term.offset_prime) / 2);
        }
      } else {
        values[k] = term.values.data();
      }
      keys[2 * k] = term.pair[0].data();
      keys[2 * k + 1] = term.pair[1].data();
    }
    DigitSums::run(*plan_, {.results = {sums_[0].data(), sums_[1].data()},
                            .operands = operands.data(),
                            .values = values.data(),
                            .keys = keys.data(),
                            .shifts = shifts.data(),
                            .term_count = terms.size(),
                            .accumulate = !first,
                            .maps = maps,
                            .scratch = scratch.data()});
  }

  void add_by_parts(std::span<const DigitTerm> terms, bool first) const {
    std::array<ConstWords, kMostTogether + 1> digits;
    for (std::size_t k = 0; k < terms.size(); ++k) {
      const DigitTerm& term = terms[k];
      if (term.values.empty()) {
        if (term.is_offset) {
          backend_.lift_offset_digit(lifted(k), term.coefficients, term.offset_prime, prime_);
        } else {
          backend_.transforms_.forward(prime_, lifted(k), term.coefficients);
        }
        digits[k] = lifted(k);
      } else {
        digits[k] = term.values;
      }
    }
    for (std::size_t half = 0; half < 2; ++half) add_products(half, digits, terms, first);
  }

  void add_products(std::size_t half, std::array<ConstWords, kMostTogether + 1>& digits,
                    std::span<const DigitTerm> terms, bool first) const {
    const Words sum = sums_[half];
    const std::size_t count = terms.size();
    const Eltwise& eltwise = backend_.eltwise_[prime_];
    std::array<ConstWords, kMostTogether + 1> factors;
    for (std::size_t k = 0; k < count; ++k) factors[k] = terms[k].pair[half];
    if (count == 1) {
      if (first) {
        eltwise.multiply(sum, digits[0], factors[0]);
      } else {
        eltwise.multiply_add(sum, digits[0], factors[0], sum);
      }
      return;
    }
    std::size_t all = count;
    if (!first) {
      digits[all] = backend_.ones_;
      factors[all] = sum;
      ++all;
    }
    eltwise.multiply_accumulate(sum, std::span(digits).first(all), std::span(factors).first(all));
  }

  const CpuBackend& backend_;
  std::size_t prime_;
  const Ntt* plan_;
  std::array<Words, 2> sums_;
  Words scratch_;
};

}  // namespace ringlet
