// SPDX-License-Identifier: Apache-2.0
// The inner products of key switching of the processor's backend. They go target by target, so that
// the data of one target stay in the cache; threads share out the targets.
#include <algorithm>
#include <array>

#include "base/assert.hpp"
#include "ntt/digit_sums.hpp"
#include "ring/backend/canonical_key.hpp"
#include "ring/backend/cpu_backend.hpp"
#include "ring/backend/scratch.hpp"
#include "ringlet/ring/key_switch_source.hpp"
#include "ringlet/ring/rns_poly.hpp"

namespace ringlet {
namespace {

/// The most digits that are transformed and summed up together. With more, twiddles are read and
/// sums written less often. But where a kernel takes the digits through each pass together, the
/// words of their limbs must stay in a second-level cache of 1 MB.
constexpr std::size_t kMostTogether = 6;
constexpr std::size_t kWordsTogether = 3 * (std::size_t{1} << 15);
/// Words of converted digits that are kept at the same time.
constexpr std::size_t kConvertedWords = std::size_t{1} << 20;
/// The gap in words between limbs whose length is a power of two: without it they would use the
/// same sets of the cache.
constexpr std::size_t kGap = 64;

/// Returns the part size that cuts `count` digits into the fewest parts of at most `most`.
std::size_t group_size(std::size_t count, std::size_t most) {
  const std::size_t groups = (count + most - 1) / most;
  return (count + groups - 1) / groups;
}

}  // namespace

/// One digit, for the sums modulo one target prime.
struct CpuBackend::DigitTerm {
  /// Coefficients: an offset digit of the prime `offset_prime`, or residues of the target.
  std::span<const std::uint64_t> coefficients;
  std::span<const std::uint64_t> values;  ///< The digit in NTT form; empty if not known.
  std::size_t offset_prime = 0;
  bool is_offset = false;
};

/// Adds up the two sums of one target.
class CpuBackend::DigitTarget {
 public:
  /// Takes the terms of `key` from `first_term` on.
  DigitTarget(const CpuBackend& backend, const CanonicalKey& key, std::size_t prime,
              std::size_t first_term, std::array<Words, 2> sums, Words scratch)
      : backend_(backend),
        key_(key),
        prime_(prime),
        next_(first_term),
        plan_(backend.transforms_.digit_sums(prime)),
        sums_(sums),
        scratch_(scratch) {}

  /// Adds the products of at most kMostTogether terms; `first` says that the sums are empty.
  void add(std::span<const DigitTerm> terms, bool first) {
    if (plan_ != nullptr && std::ranges::all_of(terms, [&](const DigitTerm& term) {
          return !term.values.empty() || !term.is_offset ||
                 backend_.modulus(term.offset_prime) + backend_.modulus(prime_) <=
                     kDigitOperandLimit;
        })) {
      add_by_kernel(terms, first);
    } else {
      add_by_parts(terms, first);
    }
    next_ += terms.size();
  }

 private:
  Words lifted(std::size_t k) const {
    const std::size_t degree = backend_.basis().degree();
    return scratch_.subspan(k * (degree + kGap), degree);
  }

  void add_by_kernel(std::span<const DigitTerm> terms, bool first) const {
    std::array<const std::uint64_t*, kMostTogether> operands{};
    std::array<const std::uint64_t*, kMostTogether> values{};
    std::array<const std::uint64_t*, 2 * kMostTogether> keys{};
    std::array<std::uint64_t, kMostTogether> shifts{};
    const Modulus& q = backend_.basis()[prime_];
    for (std::size_t k = 0; k < terms.size(); ++k) {
      const DigitTerm& term = terms[k];
      if (term.values.empty()) {
        operands[k] = term.coefficients.data();
        if (term.is_offset) {
          shifts[k] = q.value() - q.reduce(backend_.modulus(term.offset_prime) / 2);
        }
      } else {
        values[k] = term.values.data();
      }
      keys[2 * k] = key_.b()[next_ + k].limb(prime_).data();
      keys[2 * k + 1] = key_.a()[next_ + k].limb(prime_).data();
    }
    DigitSums::run(*plan_, {.results = {sums_[0].data(), sums_[1].data()},
                            .operands = operands.data(),
                            .values = values.data(),
                            .keys = keys.data(),
                            .shifts = shifts.data(),
                            .term_count = terms.size(),
                            .accumulate = !first,
                            .scratch = scratch_.data(),
                            .scratch_stride = backend_.basis().degree() + kGap});
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
    add_products(sums_[0], digits, terms.size(), key_.b(), first);
    add_products(sums_[1], digits, terms.size(), key_.a(), first);
  }

  void add_products(Words sum, std::array<ConstWords, kMostTogether + 1>& digits, std::size_t count,
                    std::span<const ConstNttView> pairs, bool first) const {
    const Eltwise& eltwise = backend_.eltwise_[prime_];
    std::array<ConstWords, kMostTogether + 1> factors;
    for (std::size_t k = 0; k < count; ++k) factors[k] = pairs[next_ + k].limb(prime_);
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
  const CanonicalKey& key_;
  std::size_t prime_;
  std::size_t next_;  ///< The term of the key that comes next.
  const Ntt* plan_;
  std::array<Words, 2> sums_;
  Words scratch_;
};

std::size_t CpuBackend::most_together(PrimeIndices targets) const {
  const auto has_kernel = [&](std::size_t prime) {
    return transforms_.digit_sums(prime) != nullptr;
  };
  if (!std::ranges::all_of(targets, has_kernel)) return kMostTogether;
  return std::clamp<std::size_t>(kWordsTogether / basis().degree(), 1, kMostTogether);
}

void CpuBackend::do_key_inner_product(NttView sum_b, NttView sum_a, ConstViews lifted_digits,
                                      std::size_t first_digit, const PreparedKey& key,
                                      PrimeIndices primes) const {
  const auto& canonical = dynamic_cast<const CanonicalKey&>(key);
  const std::size_t count = lifted_digits.size();
  RINGLET_ASSERT(first_digit + count <= canonical.b().size());
  const std::size_t together = group_size(count, kMostTogether);
  for_limb_ranges(primes.size(), kElementGrain, [&](std::size_t first, std::size_t end) {
    std::array<DigitTerm, kMostTogether> terms;
    for (std::size_t i = first; i < end; ++i) {
      DigitTarget target(*this, canonical, primes[i], first_digit, {sum_b.limb(i), sum_a.limb(i)},
                         {});
      for (std::size_t begin = 0; begin < count; begin += together) {
        const std::size_t group = std::min(together, count - begin);
        for (std::size_t k = 0; k < group; ++k) {
          terms[k] = {};
          terms[k].values = lifted_digits[begin + k].limb(i);
        }
        target.add(std::span(terms).first(group), first_digit + begin == 0);
      }
    }
  });
}

void CpuBackend::do_multiply_digits_by_key(NttView sum_b, NttView sum_a,
                                           const KeySwitchSource& source, const PreparedKey& key,
                                           PrimeIndices targets) const {
  const auto& canonical = dynamic_cast<const CanonicalKey&>(key);
  if (source.digits.front().lift.has_value()) {
    add_converted_digits(sum_b, sum_a, source, canonical, targets);
  } else {
    add_single_digits(sum_b, sum_a, source, canonical, targets);
  }
}

void CpuBackend::add_single_digits(NttView sum_b, NttView sum_a, const KeySwitchSource& source,
                                   const CanonicalKey& key, PrimeIndices targets) const {
  const std::size_t count = source.digits.size();
  const std::size_t together = group_size(count, most_together(targets));
  for_limb_ranges(targets.size(), kTransformGrain, [&](std::size_t first, std::size_t end) {
    const Scratch scratch(*pool(), together * (basis().degree() + kGap));
    std::array<DigitTerm, kMostTogether> terms;
    for (std::size_t t = first; t < end; ++t) {
      DigitTarget target(*this, key, targets[t], 0, {sum_b.limb(t), sum_a.limb(t)},
                         scratch.words());
      for (std::size_t begin = 0; begin < count; begin += together) {
        const std::size_t group = std::min(together, count - begin);
        for (std::size_t k = 0; k < group; ++k) {
          const std::size_t j = begin + k;
          // Modulo its own prime a digit is the source itself.
          const bool is_own = j == t && source.values.limb_count != 0;
          terms[k] = {source.coefficients.limb(j), {}, j, true};
          if (is_own) terms[k].values = source.values.limb(j);
        }
        target.add(std::span(terms).first(group), begin == 0);
      }
    }
  });
}

void CpuBackend::add_converted_digits(NttView sum_b, NttView sum_a, const KeySwitchSource& source,
                                      const CanonicalKey& key, PrimeIndices targets) const {
  const std::size_t count = source.digits.size();
  const std::size_t limbs = targets.size() * basis().degree();
  const std::size_t together = std::min(group_size(count, most_together(targets)),
                                        std::max<std::size_t>(1, kConvertedWords / limbs));
  CoeffPoly memory(*this, together * targets.size(), Secrecy::open, Contents::unspecified);
  const CoeffView all = memory.view_for_writing();
  for (std::size_t begin = 0; begin < count; begin += together) {
    const std::span<const KeySwitchDigit> group =
        source.digits.subspan(begin, std::min(together, count - begin));
    for (std::size_t k = 0; k < group.size(); ++k) {
      const KeySwitchDigit& digit = group[k];
      convert_basis(all.part(k * targets.size(), targets.size() - digit.count),
                    source.coefficients.part(digit.first, digit.count), *digit.lift);
    }
    for_limb_ranges(targets.size(), kTransformGrain, [&](std::size_t first, std::size_t end) {
      const Scratch scratch(*pool(), group.size() * (basis().degree() + kGap));
      std::array<DigitTerm, kMostTogether> terms;
      for (std::size_t t = first; t < end; ++t) {
        DigitTarget target(*this, key, targets[t], begin, {sum_b.limb(t), sum_a.limb(t)},
                           scratch.words());
        for (std::size_t k = 0; k < group.size(); ++k) {
          const KeySwitchDigit& digit = group[k];
          terms[k] = {};
          if (t >= digit.first && t < digit.first + digit.count) {
            terms[k].values = source.values.limb(t);
          } else {
            // The other targets lie before and behind the digit's own primes.
            const std::size_t place = t < digit.first ? t : t - digit.count;
            terms[k].coefficients = all.limb(k * targets.size() + place);
          }
        }
        target.add(std::span(terms).first(group.size()), begin == 0);
      }
    });
  }
}

}  // namespace ringlet
