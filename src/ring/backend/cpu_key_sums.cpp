// SPDX-License-Identifier: Apache-2.0
// The inner products of key switching of the processor's backend. They go target by target, so that
// the data of one target stay in the cache; threads share out the targets.
#include <algorithm>
#include <array>

#include "base/assert.hpp"
#include "ring/backend/canonical_key.hpp"
#include "ring/backend/cpu_backend.hpp"
#include "ring/backend/digit_target.hpp"
#include "ring/backend/scratch.hpp"
#include "ringlet/base/parallel.hpp"
#include "ringlet/ring/key_switch_source.hpp"
#include "ringlet/ring/rns_poly.hpp"

namespace ringlet {
namespace {

/// Words of digits that are summed up together, see kMostTogether.
constexpr std::size_t kWordsTogether = 3 * (std::size_t{1} << 15);
/// Words of converted digits that are kept at the same time.
constexpr std::size_t kConvertedWords = std::size_t{1} << 20;
/// The most words of converted digits of a key switch that converts all digits first.
constexpr std::size_t kAllConvertedWords = std::size_t{1} << 22;
/// Returns the part size that cuts `count` digits into the fewest parts of at most `most`.
std::size_t group_size(std::size_t count, std::size_t most) {
  const std::size_t groups = (count + most - 1) / most;
  return (count + groups - 1) / groups;
}

}  // namespace

/// The products of the digits of a source with a key. Digits of several primes are converted to the
/// other primes first, some at a time.
class CpuBackend::GadgetProducts {
 public:
  GadgetProducts(const CpuBackend& backend, const KeySwitchSource& source, const PreparedKey& key,
                 PrimeIndices targets)
      : backend_(backend),
        source_(source),
        key_(dynamic_cast<const CanonicalKey&>(key)),
        targets_(targets),
        together_(group_size(source.digits.size(), backend.most_together(targets))),
        memory_(backend, 0, Secrecy::open, Contents::unspecified) {}

  /// Returns how many digits fit the memory for converted ones.
  std::size_t most_at_hand() const {
    if (!is_converted()) return source_.digits.size();
    const std::size_t limbs = targets_.size() * backend_.basis().degree();
    return std::min(source_.digits.size(), std::max<std::size_t>(1, kConvertedWords / limbs));
  }
  /// Takes at most `count` digits from `first` on, for add(); returns whether there are any.
  bool take(std::size_t first, std::size_t count) {
    if (first >= source_.digits.size()) return false;
    first_ = first;
    count_ = std::min(count, source_.digits.size() - first);
    if (!is_converted()) return true;
    if (first == 0) {
      memory_ = CoeffPoly(backend_, count_ * targets_.size(), Secrecy::open, Contents::unspecified);
      converted_ = memory_.view_for_writing();
    }
    for (std::size_t k = 0; k < count_; ++k) {
      const KeySwitchDigit& digit = source_.digits[first + k];
      const std::size_t limb = k * targets_.size();
      backend_.convert_basis(converted_.part(limb, targets_.size() - digit.count),
                             source_.coefficients.part(digit.first, digit.count), *digit.lift);
    }
    return true;
  }
  /// Words of scratch memory for add().
  std::size_t scratch_words() const {
    return std::min(together_, count_) * (backend_.basis().degree() + kGap);
  }
  /// Adds the products of the digits at hand to the sums of a target; the first digit starts them.
  void add(std::size_t target, std::array<Words, 2> sums, Words scratch) const {
    const DigitTarget to(backend_, targets_[target], sums, scratch);
    std::array<DigitTerm, kMostTogether> terms;
    for (std::size_t begin = 0; begin < count_; begin += together_) {
      const std::size_t group = std::min(together_, count_ - begin);
      for (std::size_t k = 0; k < group; ++k) terms[k] = term(target, begin + k);
      to.add(std::span(terms).first(group), first_ + begin == 0);
    }
  }

 private:
  bool is_converted() const { return source_.digits.front().lift.has_value(); }

  DigitTerm term(std::size_t target, std::size_t k) const {
    const KeySwitchDigit& digit = source_.digits[first_ + k];
    const bool is_own = target >= digit.first && target - digit.first < digit.count;
    DigitTerm result;
    result.pair = key_.pair(first_ + k, targets_[target]);
    if (is_own && source_.values.limb_count != 0) {
      // Modulo its own primes a digit is the source itself.
      result.values = source_.values.limb(target);
    } else if (!is_converted()) {
      result.coefficients = source_.coefficients.limb(digit.first);
      result.offset_prime = digit.first;
      result.is_offset = true;
    } else {
      // The other targets lie before and behind the digit's own primes.
      const std::size_t place = target < digit.first ? target : target - digit.count;
      result.memory = converted_.limb(k * targets_.size() + place);
      result.coefficients = result.memory;
    }
    return result;
  }

  const CpuBackend& backend_;
  const KeySwitchSource& source_;
  const CanonicalKey& key_;
  PrimeIndices targets_;
  std::size_t together_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;  ///< Digits at hand, from first_ on.
  CoeffPoly memory_;
  CoeffView converted_;
};

std::size_t CpuBackend::most_together(PrimeIndices targets) const {
  const auto has_kernel = [&](std::size_t prime) {
    return transforms_.digit_sums(prime) != nullptr;
  };
  if (!std::ranges::all_of(targets, has_kernel)) return kMostTogether;
  return std::clamp<std::size_t>(kWordsTogether / basis().degree(), 1, kMostTogether);
}

void CpuBackend::do_key_inner_product(NttView sum_b, NttView sum_a, ConstViews lifted_digits,
                                      const KeyTerms& terms, PrimeIndices primes) const {
  const auto& canonical = dynamic_cast<const CanonicalKey&>(terms.key);
  const std::size_t count = lifted_digits.size();
  RINGLET_ASSERT(terms.first + count <= canonical.b().size());
  const std::size_t together = group_size(count, kMostTogether);
  for_limb_ranges(primes.size(), kElementGrain, [&](std::size_t first, std::size_t end) {
    std::array<DigitTerm, kMostTogether> digits;
    for (std::size_t i = first; i < end; ++i) {
      const DigitTarget target(*this, primes[i], {sum_b.limb(i), sum_a.limb(i)}, {});
      for (std::size_t begin = 0; begin < count; begin += together) {
        const std::size_t group = std::min(together, count - begin);
        for (std::size_t k = 0; k < group; ++k) {
          digits[k] = {};
          digits[k].values = lifted_digits[begin + k].limb(i);
          digits[k].pair = canonical.pair(terms.first + begin + k, primes[i]);
        }
        target.add(std::span(digits).first(group), begin == 0 && !terms.adds);
      }
    }
  });
}

void CpuBackend::do_multiply_digits_by_key(NttView sum_b, NttView sum_a,
                                           const KeySwitchSource& source, const PreparedKey& key,
                                           PrimeIndices targets) const {
  GadgetProducts products(*this, source, key, targets);
  const std::size_t most = products.most_at_hand();
  for (std::size_t digit = 0; products.take(digit, most); digit += most) {
    for_limb_ranges(targets.size(), kTransformGrain, [&](std::size_t first, std::size_t end) {
      const Scratch scratch(*pool(), products.scratch_words(), Secrecy::open);
      for (std::size_t t = first; t < end; ++t) {
        products.add(t, {sum_b.limb(t), sum_a.limb(t)}, scratch.words());
      }
    });
  }
}

/// Divides the sums of a key switch, target by target, and adds the addends.
class CpuBackend::KeySwitchDivision {
 public:
  KeySwitchDivision(const CpuBackend& backend, const KeySwitchResult& result, PrimeIndices targets)
      : backend_(backend),
        result_(result),
        targets_(targets),
        kept_(result.results[0].limb_count),
        dropped_(targets.size() - kept_),
        early_(early_targets(backend.basis().degree(), dropped_, kept_)),
        memory_(backend, 2 * (dropped_ + early_), Secrecy::open, Contents::unspecified),
        converted_(backend, result.conversion == nullptr ? 0 : 2 * kept_, Secrecy::open,
                   Contents::unspecified),
        words_(memory_.view_for_writing()) {}

  std::size_t kept() const { return kept_; }
  /// Primes whose sums this class holds: the dropped ones, and targets that are left from 0 on for
  /// threads that the dropped ones do not need.
  std::size_t dropped() const { return dropped_; }
  std::size_t early() const { return early_; }

  /// Returns the memory of both sums modulo prime j of those.
  std::array<Words, 2> sums(std::size_t j) const {
    return {words_.limb(j), words_.limb(dropped_ + early_ + j)};
  }
  /// Takes the sums modulo a dropped prime, in NTT form.
  void take(std::size_t j) const {
    const std::size_t prime = targets_[kept_ + j];
    for (const Words sum : sums(j)) {
      backend_.transforms_.inverse(prime, sum, sum);
      if (result_.conversion == nullptr) {
        backend_.make_divisor_digit(sum, prime, result_.preserve);
      } else if (result_.preserve != 1) {
        backend_.eltwise_[prime].multiply_scalar(
            sum, sum, inverse_mod(result_.preserve, backend_.basis()[prime]));
      }
    }
  }
  /// Converts what was taken to the other primes.
  void convert() {
    if (result_.conversion == nullptr) return;
    for (std::size_t i = 0; i < 2; ++i) {
      backend_.convert_basis(converted_.view_for_writing().part(i * kept_, kept_),
                             words_.part(i * (dropped_ + early_), dropped_), *result_.conversion);
    }
  }
  /// Computes result i modulo a target that is left from its sum, which it overwrites. `scratch` is
  /// one limb.
  void finish(std::size_t i, std::size_t target, Words sum, Words scratch) const {
    const std::size_t prime = targets_[target];
    const bool is_offset = result_.conversion == nullptr;
    const std::size_t divisor = targets_.back();
    const DivisorDigit digit{
        is_offset ? ConstWords(sums(0)[i]) : converted_.view().limb(i * kept_ + target),
        result_.preserve, divisor, is_offset};
    const std::uint64_t inverse =
        is_offset ? backend_.inverse(divisor, prime) : result_.conversion->product_inverse(target);
    const Words result = result_.results[i].limb(target);
    ConstWords addend;
    if (result_.addends[i].limb_count != 0) addend = result_.addends[i].limb(target);
    if (result_.form == Form::ntt) {
      backend_.divide_limb(result, {sum, addend}, digit, prime, inverse, scratch);
    } else {
      backend_.transforms_.inverse(prime, sum, sum);
      backend_.divide_coefficients(result, {sum, addend}, digit, prime, inverse, scratch);
    }
  }

 private:
  static std::size_t early_targets(std::size_t degree, std::size_t dropped, std::size_t kept) {
    if (degree < kTransformGrain) return 0;
    const std::size_t threads = thread_count();
    return std::min(kept, (threads - dropped % threads) % threads);
  }

  const CpuBackend& backend_;
  const KeySwitchResult& result_;
  PrimeIndices targets_;
  std::size_t kept_;
  std::size_t dropped_;
  std::size_t early_;
  CoeffPoly memory_;
  CoeffPoly converted_;  ///< The sums of dropped primes modulo the others, if there are several.
  CoeffView words_;
};

// The sums of a target stay in the cache from their first product to the result. Ciphertexts and
// keys that others hold are open, and so is what is computed of them.
void CpuBackend::do_switch_key(const KeySwitchResult& result, const KeySwitchSource& source,
                               const PreparedKey& key, PrimeIndices targets) const {
  const std::size_t degree = basis().degree();
  const bool is_converted = source.digits.front().lift.has_value();
  // The default takes no longer where sums in coefficient form are divided by several primes.
  if ((is_converted && source.digits.size() * targets.size() * degree > kAllConvertedWords) ||
      (result.form != Form::ntt && result.conversion != nullptr)) {
    return Backend::do_switch_key(result, source, key, targets);
  }
  GadgetProducts products(*this, source, key, targets);
  products.take(0, source.digits.size());
  KeySwitchDivision division(*this, result, targets);
  const std::size_t kept = division.kept();
  const std::size_t dropped = division.dropped();
  const std::size_t held = dropped + division.early();
  for_limb_ranges(held, kTransformGrain, [&](std::size_t first, std::size_t end) {
    const Scratch scratch(*pool(), products.scratch_words(), Secrecy::open);
    for (std::size_t j = first; j < end; ++j) {
      products.add(j < dropped ? kept + j : j - dropped, division.sums(j), scratch.words());
      if (j < dropped) division.take(j);
    }
  });
  division.convert();
  for_limb_ranges(kept, kTransformGrain, [&](std::size_t first, std::size_t end) {
    const Scratch memory(*pool(), products.scratch_words() + 2 * (degree + kGap), Secrecy::open);
    const Words scratch = memory.words().subspan(2 * (degree + kGap));
    const std::array<Words, 2> room{memory.words().first(degree),
                                    memory.words().subspan(degree + kGap, degree)};
    for (std::size_t t = first; t < end; ++t) {
      const bool is_held = dropped + t < held;
      const std::array<Words, 2> sums = is_held ? division.sums(dropped + t) : room;
      if (!is_held) products.add(t, sums, scratch);
      for (std::size_t i = 0; i < 2; ++i) division.finish(i, t, sums[i], scratch.first(degree));
    }
  });
}

}  // namespace ringlet
