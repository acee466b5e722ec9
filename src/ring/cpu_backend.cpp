// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cassert>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "ring/automorphisms.hpp"
#include "ring/canonical_key.hpp"
#include "ring/conversion_tile.hpp"
#include "ring/reinterpret.hpp"
#include "ring/ring_transforms.hpp"
#include "ring/scratch.hpp"
#include "ringlet/aligned.hpp"
#include "ringlet/backend.hpp"
#include "ringlet/basis_conversion.hpp"
#include "ringlet/eltwise.hpp"
#include "ringlet/rns_poly.hpp"

namespace ringlet {
namespace {

using Words = std::span<std::uint64_t>;
using ConstWords = std::span<const std::uint64_t>;

void copy_words(Words result, ConstWords a) {
  if (result.data() != a.data()) std::copy(a.begin(), a.end(), result.begin());
}

/// Words by which two buffers of a power of two of words are shifted against each other: without
/// them they would share the sets of the cache.
constexpr std::size_t kScratchGap = 64;

/// Words of a limb that make it worth waking up a thread, which takes 20 to 40 microseconds: of
/// transforms, of permutations, and of element-wise operations.
constexpr std::size_t kTransformGrain = std::size_t{1} << 14;
constexpr std::size_t kPermutationGrain = std::size_t{1} << 15;
constexpr std::size_t kElementGrain = std::size_t{1} << 16;

class CpuBackend final : public Backend {
 public:
  CpuBackend(RnsBasis rns_basis, const KernelSelection& selection);

  std::string name() const override { return "cpu"; }
  std::vector<std::string> kernel_names() const override;

  void copy(ResidueView result, ConstResidueView a) const override;
  void forward_ntt(NttView result, ConstCoeffView a, PrimeIndices primes) const override;
  void inverse_ntt(CoeffView result, ConstNttView a, PrimeIndices primes) const override;
  void add(ResidueView result, ConstResidueView a, ConstResidueView b,
           PrimeIndices primes) const override;
  void subtract(ResidueView result, ConstResidueView a, ConstResidueView b,
                PrimeIndices primes) const override;
  void negate(ResidueView result, ConstResidueView a, PrimeIndices primes) const override;
  void multiply(NttView result, ConstNttView a, ConstNttView b, PrimeIndices primes) const override;
  void multiply_add(NttView result, ConstNttView a, ConstNttView b, ConstNttView c,
                    PrimeIndices primes) const override;
  void multiply_accumulate(NttView result, std::span<const ConstNttView> a,
                           std::span<const ConstNttView> b, PrimeIndices primes) const override;
  void multiply_scalars(ResidueView result, ConstResidueView a, ConstWords scalars,
                        PrimeIndices primes) const override;
  void multiply_scalars_add(ResidueView result, ConstResidueView a, ConstResidueView b,
                            ConstWords scalars, PrimeIndices primes) const override;
  void automorphism(NttView result, ConstNttView a, std::uint64_t galois_element,
                    PrimeIndices primes) const override;
  void automorphism(CoeffView result, ConstCoeffView a, std::uint64_t galois_element,
                    PrimeIndices primes) const override;
  void lift_digit(CoeffView result, ConstWords digit, std::size_t digit_prime,
                  PrimeIndices primes) const override;
  void inverse_ntt_to_digits(CoeffView result, ConstNttView a, PrimeIndices primes) const override;
  void lift_digit_to_ntt(NttView result, ConstWords digit, std::size_t digit_prime,
                         PrimeIndices primes) const override;
  void to_digits(CoeffView result, ConstCoeffView a, PrimeIndices primes) const override;
  void convert_basis(CoeffView result, ConstCoeffView a,
                     const BasisConversion& conversion) const override;
  void convert_to_modulus(Words result, ConstCoeffView a,
                          const BasisConversion& conversion) const override;
  void divide_and_round_by_last(NttView result, ConstNttView a, PrimeIndices primes,
                                std::uint64_t preserve) const override;
  void divide_and_round_by_last(CoeffView result, ConstCoeffView a, PrimeIndices primes,
                                std::uint64_t preserve) const override;
  using Backend::divide_and_round;  // in coefficient form
  void divide_and_round(NttView result, ConstNttView a, PrimeIndices primes,
                        const BasisConversion& conversion, std::uint64_t preserve) const override;
  void key_inner_product(NttView sum_b, NttView sum_a, std::span<const ConstNttView> lifted_digits,
                         std::size_t first_digit, const PreparedKey& key,
                         PrimeIndices primes) const override;

 private:
  std::uint64_t modulus(std::size_t prime) const { return basis()[prime].value(); }

  template <Form F, typename Word>
  bool fits(const BasicPolyView<F, Word>& view, std::size_t limb_count) const {
    return view.degree == basis().degree() && view.limb_count == limb_count &&
           (limb_count <= 1 || view.limb_stride >= view.degree);
  }
  /// Whether all views have one limb per entry of `primes`, all of them of this basis.
  template <typename... Views>
  bool match(PrimeIndices primes, const Views&... views) const {
    return std::all_of(primes.begin(), primes.end(),
                       [this](std::size_t prime) { return prime < basis().size(); }) &&
           (fits(views, primes.size()) && ...);
  }

  /// body(first, end) for parts of the limbs [0, limb_count), over several threads where a part has
  /// `grain` words or more. Limbs do not depend on each other.
  template <typename Body>
  void for_limb_ranges(std::size_t limb_count, std::size_t grain, const Body& body) const {
    parallel_for_chunks(limb_count, body, Chunks::even,
                        std::max<std::size_t>(1, grain / basis().degree()));
  }
  /// The same, limb by limb: body(i).
  template <typename Body>
  void for_limbs(std::size_t limb_count, std::size_t grain, const Body& body) const {
    for_limb_ranges(limb_count, grain, [&body](std::size_t first, std::size_t end) {
      for (std::size_t i = first; i < end; ++i) body(i);
    });
  }

  /// body(first, words, tile) for tiles of coefficients of a basis conversion.
  template <typename Body>
  void for_tiles(const BasisConversion& conversion, std::size_t target_count,
                 const Body& body) const;

  /// One limb of lift_digit_to_ntt, in coefficient form in [0, 4q): digit - floor(p/2) + q.
  void subtract_offset(Words result, ConstWords digit, std::size_t digit_prime,
                       std::size_t target) const;
  /// One limb of lift_digit_to_ntt.
  void lift_offset_digit(Words result, ConstWords digit, std::size_t digit_prime,
                         std::size_t target) const;
  /// Makes of coefficients modulo the prime of index `divisor` the offset digit that a division by
  /// it takes off.
  void make_divisor_digit(Words digit, std::size_t divisor, std::uint64_t preserve) const;
  /// The end of a division: (a - preserve * lifted) * inverse modulo the prime of index `target`,
  /// in the form of its operands; `lifted` is used up, and may be the result.
  void finish_division(Words result, ConstWords a, Words lifted, std::size_t target,
                       std::uint64_t inverse, std::uint64_t preserve) const;

  /// p^-1 mod q for the primes of indices p and q of the basis, computed when first asked for.
  std::uint64_t inverse(std::size_t p, std::size_t q) const;

  RingTransforms transforms_;
  std::vector<Eltwise> eltwise_;  ///< One per prime.
  /// 0 where the inverse is not known yet; whoever computes it stores the same value.
  mutable std::vector<std::atomic<std::uint64_t>> inverses_;
  Automorphisms automorphisms_;
  AlignedVector<std::uint64_t> ones_;  ///< A limb: sum * 1 is one more term of a sum of products.
};

CpuBackend::CpuBackend(RnsBasis rns_basis, const KernelSelection& selection)
    : Backend(std::move(rns_basis)),
      transforms_(basis(), selection),
      inverses_(basis().size() * basis().size()),
      automorphisms_(basis().ring()),
      ones_(basis().degree(), 1) {
  eltwise_.reserve(basis().size());
  for (const Modulus& q : basis().moduli()) eltwise_.emplace_back(q, selection);
}

std::uint64_t CpuBackend::inverse(std::size_t p, std::size_t q) const {
  std::atomic<std::uint64_t>& known = inverses_[p * basis().size() + q];
  std::uint64_t value = known.load(std::memory_order_relaxed);
  if (value == 0) {
    value = inverse_mod(modulus(p), basis()[q]);
    known.store(value, std::memory_order_relaxed);
  }
  return value;
}

std::vector<std::string> CpuBackend::kernel_names() const {
  std::vector<std::string> names;
  names.reserve(basis().size());
  for (std::size_t i = 0; i < basis().size(); ++i) names.push_back(transforms_.kernel_name(i));
  return names;
}

void CpuBackend::copy(ResidueView result, ConstResidueView a) const {
  assert(result.limb_count <= a.limb_count && result.degree == a.degree);
  for (std::size_t i = 0; i < result.limb_count; ++i) copy_words(result.limb(i), a.limb(i));
}

void CpuBackend::forward_ntt(NttView result, ConstCoeffView a, PrimeIndices primes) const {
  assert(match(primes, result, a));
  transforms_.forward(result, a, primes);
}

void CpuBackend::inverse_ntt(CoeffView result, ConstNttView a, PrimeIndices primes) const {
  assert(match(primes, result, a));
  transforms_.inverse(result, a, primes);
}

void CpuBackend::add(ResidueView result, ConstResidueView a, ConstResidueView b,
                     PrimeIndices primes) const {
  assert(match(primes, result, a, b));
  for_limbs(primes.size(), kElementGrain,
            [&](std::size_t i) { eltwise_[primes[i]].add(result.limb(i), a.limb(i), b.limb(i)); });
}

void CpuBackend::subtract(ResidueView result, ConstResidueView a, ConstResidueView b,
                          PrimeIndices primes) const {
  assert(match(primes, result, a, b));
  for_limbs(primes.size(), kElementGrain, [&](std::size_t i) {
    eltwise_[primes[i]].subtract(result.limb(i), a.limb(i), b.limb(i));
  });
}

void CpuBackend::negate(ResidueView result, ConstResidueView a, PrimeIndices primes) const {
  assert(match(primes, result, a));
  for_limbs(primes.size(), kElementGrain,
            [&](std::size_t i) { eltwise_[primes[i]].negate(result.limb(i), a.limb(i)); });
}

void CpuBackend::multiply(NttView result, ConstNttView a, ConstNttView b,
                          PrimeIndices primes) const {
  assert(match(primes, result, a, b));
  for_limbs(primes.size(), kElementGrain, [&](std::size_t i) {
    eltwise_[primes[i]].multiply(result.limb(i), a.limb(i), b.limb(i));
  });
}

void CpuBackend::multiply_add(NttView result, ConstNttView a, ConstNttView b, ConstNttView c,
                              PrimeIndices primes) const {
  assert(match(primes, result, a, b, c));
  for_limbs(primes.size(), kElementGrain, [&](std::size_t i) {
    eltwise_[primes[i]].multiply_add(result.limb(i), a.limb(i), b.limb(i), c.limb(i));
  });
}

void CpuBackend::multiply_accumulate(NttView result, std::span<const ConstNttView> a,
                                     std::span<const ConstNttView> b, PrimeIndices primes) const {
  assert(!a.empty() && a.size() == b.size() && match(primes, result));
  if (a.size() == 1) return multiply(result, a[0], b[0], primes);
  for_limb_ranges(primes.size(), kElementGrain, [&](std::size_t first, std::size_t end) {
    std::vector<ConstWords> a_limbs(a.size());
    std::vector<ConstWords> b_limbs(b.size());
    for (std::size_t i = first; i < end; ++i) {
      for (std::size_t k = 0; k < a.size(); ++k) {
        assert(match(primes, a[k], b[k]));
        a_limbs[k] = a[k].limb(i);
        b_limbs[k] = b[k].limb(i);
      }
      eltwise_[primes[i]].multiply_accumulate(result.limb(i), a_limbs, b_limbs);
    }
  });
}

void CpuBackend::multiply_scalars(ResidueView result, ConstResidueView a, ConstWords scalars,
                                  PrimeIndices primes) const {
  assert(match(primes, result, a) && scalars.size() == primes.size());
  for_limbs(primes.size(), kElementGrain, [&](std::size_t i) {
    eltwise_[primes[i]].multiply_scalar(result.limb(i), a.limb(i), scalars[i]);
  });
}

void CpuBackend::multiply_scalars_add(ResidueView result, ConstResidueView a, ConstResidueView b,
                                      ConstWords scalars, PrimeIndices primes) const {
  assert(match(primes, result, a, b) && scalars.size() == primes.size());
  for_limbs(primes.size(), kElementGrain, [&](std::size_t i) {
    eltwise_[primes[i]].multiply_scalar_add(result.limb(i), a.limb(i), scalars[i], b.limb(i));
  });
}

void CpuBackend::automorphism(NttView result, ConstNttView a, std::uint64_t galois_element,
                              PrimeIndices primes) const {
  assert(match(primes, result, a));
  assert(basis().ring().is_galois_element(galois_element));
  const Automorphisms::Map map = automorphisms_.of_values(galois_element);
  for_limbs(primes.size(), kPermutationGrain,
            [&](std::size_t i) { map.apply_to_values(result.limb(i), a.limb(i)); });
}

void CpuBackend::automorphism(CoeffView result, ConstCoeffView a, std::uint64_t galois_element,
                              PrimeIndices primes) const {
  assert(match(primes, result, a));
  assert(basis().ring().is_galois_element(galois_element));
  const Automorphisms::Map map = automorphisms_.of_coefficients(galois_element);
  for_limbs(primes.size(), kPermutationGrain, [&](std::size_t i) {
    map.apply_to_coefficients(result.limb(i), a.limb(i), basis()[primes[i]]);
  });
}

void CpuBackend::lift_digit(CoeffView result, ConstWords digit, std::size_t digit_prime,
                            PrimeIndices primes) const {
  assert(match(primes, result) && digit.size() == basis().degree() && digit_prime < basis().size());
  for_limbs(primes.size(), kElementGrain, [&](std::size_t i) {
    if (modulus(digit_prime) <= modulus(primes[i])) {
      copy_words(result.limb(i), digit);
    } else {
      eltwise_[primes[i]].reduce(result.limb(i), digit);
    }
  });
}

void CpuBackend::subtract_offset(Words result, ConstWords digit, std::size_t digit_prime,
                                 std::size_t target) const {
  const std::uint64_t p = modulus(digit_prime);
  const std::uint64_t q = modulus(target);
  // digit - floor(p/2) + q stays below 4q where p <= 3q.
  const std::uint64_t shift = q - basis()[target].reduce(p / 2);
  ConstWords t = digit;
  if (p > 3 * q) {
    eltwise_[target].reduce(result, digit);
    t = result;
  }
  for (std::size_t j = 0; j < result.size(); ++j) result[j] = t[j] + shift;
}

void CpuBackend::lift_offset_digit(Words result, ConstWords digit, std::size_t digit_prime,
                                   std::size_t target) const {
  subtract_offset(result, digit, digit_prime, target);
  transforms_.forward(target, result, result, 4);  // which reduces it on its way
}

void CpuBackend::inverse_ntt_to_digits(CoeffView result, ConstNttView a,
                                       PrimeIndices primes) const {
  assert(match(primes, result, a));
  for_limbs(primes.size(), kTransformGrain, [&](std::size_t i) {
    const std::size_t prime = primes[i];
    transforms_.inverse(prime, result.limb(i), a.limb(i));
    eltwise_[prime].add_scalar(result.limb(i), result.limb(i), modulus(prime) / 2);
  });
}

void CpuBackend::to_digits(CoeffView result, ConstCoeffView a, PrimeIndices primes) const {
  assert(match(primes, result, a));
  for_limbs(primes.size(), kElementGrain, [&](std::size_t i) {
    eltwise_[primes[i]].add_scalar(result.limb(i), a.limb(i), modulus(primes[i]) / 2);
  });
}

void CpuBackend::lift_digit_to_ntt(NttView result, ConstWords digit, std::size_t digit_prime,
                                   PrimeIndices primes) const {
  assert(match(primes, result) && digit.size() == basis().degree() && digit_prime < basis().size());
  for_limbs(primes.size(), kTransformGrain, [&](std::size_t i) {
    lift_offset_digit(result.limb(i), digit, digit_prime, primes[i]);
  });
}

template <typename Body>
void CpuBackend::for_tiles(const BasisConversion& conversion, std::size_t target_count,
                           const Body& body) const {
  const std::size_t degree = basis().degree();
  const std::size_t words = std::min(degree, ConversionTile::kMaxWords);
  const std::size_t products = words * conversion.from().size() * (target_count + 1);
  parallel_for_chunks((degree + words - 1) / words,
                      [&](std::size_t first, std::size_t end) {
                        ConversionTile tile(eltwise_, conversion, words);
                        for (std::size_t i = first; i < end; ++i) {
                          body(i * words, std::min(words, degree - i * words), tile);
                        }
                      },
                      Chunks::even, std::max<std::size_t>(1, kElementGrain / products));
}

void CpuBackend::convert_basis(CoeffView result, ConstCoeffView a,
                               const BasisConversion& conversion) const {
  assert(match(conversion.from(), a) && fits(result, result.limb_count));
  assert(result.limb_count <= conversion.to().size());
  for_tiles(conversion, result.limb_count,
            [&](std::size_t first, std::size_t words, ConversionTile& tile) {
              tile.load(a, first, words);
              for (std::size_t j = 0; j < result.limb_count; ++j) {
                tile.convert(result.limb(j).subspan(first, words), j);
              }
            });
}

void CpuBackend::convert_to_modulus(Words result, ConstCoeffView a,
                                    const BasisConversion& conversion) const {
  assert(match(conversion.from(), a) && result.size() == basis().degree());
  assert(conversion.modulus().has_value());
  for_tiles(conversion, 1, [&](std::size_t first, std::size_t words, ConversionTile& tile) {
    tile.load(a, first, words);
    tile.convert_to_modulus(result.subspan(first, words));
  });
}

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

// With h = floor(p/2) and t = (a + h) mod p, the quotient is (a - (t - h)) / p, exactly: t is the
// offset digit of p, and t - h its lift. What is to be preserved is divided off before and comes
// back as a factor of the lift.
void CpuBackend::divide_and_round_by_last(NttView result, ConstNttView a, PrimeIndices primes,
                                          std::uint64_t preserve) const {
  assert(match(primes, a) && !primes.empty() && fits(result, primes.size() - 1));
  const std::size_t last = primes.size() - 1;
  const std::size_t divisor = primes[last];
  const std::size_t degree = basis().degree();
  const Scratch digit(degree);

  transforms_.inverse(divisor, digit.words(), a.limb(last));
  make_divisor_digit(digit.words(), divisor, preserve);
  for_limb_ranges(last, kTransformGrain, [&](std::size_t first, std::size_t end) {
    const Scratch scratch(degree + kScratchGap);
    const Words lifted = scratch.words().last(degree);
    for (std::size_t i = first; i < end; ++i) {
      lift_offset_digit(lifted, digit.words(), divisor, primes[i]);
      finish_division(result.limb(i), a.limb(i), lifted, primes[i], inverse(divisor, primes[i]),
                      preserve);
    }
  });
}

void CpuBackend::divide_and_round_by_last(CoeffView result, ConstCoeffView a, PrimeIndices primes,
                                          std::uint64_t preserve) const {
  assert(match(primes, a) && !primes.empty() && fits(result, primes.size() - 1));
  const std::size_t last = primes.size() - 1;
  const std::size_t divisor = primes[last];
  const std::size_t degree = basis().degree();
  const Scratch digit(degree);

  copy_words(digit.words(), a.limb(last));
  make_divisor_digit(digit.words(), divisor, preserve);
  for_limb_ranges(last, kElementGrain, [&](std::size_t first, std::size_t end) {
    const Scratch scratch(degree + kScratchGap);
    const Words lifted = scratch.words().last(degree);
    for (std::size_t i = first; i < end; ++i) {
      subtract_offset(lifted, digit.words(), divisor, primes[i]);
      eltwise_[primes[i]].reduce_range(lifted, lifted, 4, 1);
      finish_division(result.limb(i), a.limb(i), lifted, primes[i], inverse(divisor, primes[i]),
                      preserve);
    }
  });
}

// The last transform of a limb and what follows it leave the limb in the cache; where the result is
// apart from the operand it is the only memory that they need.
void CpuBackend::divide_and_round(NttView result, ConstNttView a, PrimeIndices primes,
                                  const BasisConversion& conversion, std::uint64_t preserve) const {
  const std::size_t dropped = conversion.from().size();
  assert(match(primes, a) && primes.size() >= dropped && fits(result, primes.size() - dropped));
  const std::size_t kept = primes.size() - dropped;
  std::vector<std::uint64_t> inverses(dropped, 1);
  for (std::size_t i = 0; i < dropped; ++i) {
    if (preserve != 1) inverses[i] = inverse_mod(preserve, basis()[primes[kept + i]]);
  }
  const bool is_in_place = result.data == a.data;
  CoeffPoly source(dropped, a.degree, Secrecy::secret, Contents::unspecified);
  CoeffPoly remainder(is_in_place ? kept : 0, a.degree, Secrecy::secret, Contents::unspecified);
  const CoeffView digits = source.view_for_writing();
  const CoeffView lifted = is_in_place ? remainder.view_for_writing() : as_coefficients(result);
  for_limbs(dropped, kTransformGrain, [&](std::size_t i) {
    const std::size_t prime = primes[kept + i];
    transforms_.inverse(prime, digits.limb(i), a.limb(kept + i));
    if (preserve == 1) return;
    eltwise_[prime].multiply_scalar(digits.limb(i), digits.limb(i), inverses[i]);
  });
  convert_basis(lifted, digits, conversion);
  for_limbs(kept, kTransformGrain, [&](std::size_t i) {
    transforms_.forward(primes[i], lifted.limb(i), lifted.limb(i));
    finish_division(result.limb(i), a.limb(i), lifted.limb(i), primes[i],
                    conversion.product_inverse(i), preserve);
  });
}

void CpuBackend::key_inner_product(NttView sum_b, NttView sum_a,
                                   std::span<const ConstNttView> lifted_digits,
                                   std::size_t first_digit, const PreparedKey& key,
                                   PrimeIndices primes) const {
  const auto& canonical = dynamic_cast<const CanonicalKey&>(key);
  const std::size_t count = lifted_digits.size();
  assert(match(primes, sum_b, sum_a) && count > 0 && first_digit + count <= canonical.b().size());
  for_limb_ranges(primes.size(), kElementGrain, [&](std::size_t first, std::size_t end) {
    std::vector<ConstWords> digits(count);
    std::vector<ConstWords> factors(count);
    if (first_digit != 0) {
      digits.push_back(ones_);
      factors.emplace_back();
    }
    for (std::size_t i = first; i < end; ++i) {
      for (std::size_t k = 0; k < count; ++k) digits[k] = lifted_digits[k].limb(i);
      const Eltwise& eltwise = eltwise_[primes[i]];
      const auto add_products = [&](Words sum, std::span<const ConstNttView> pairs) {
        for (std::size_t k = 0; k < count; ++k) {
          factors[k] = pairs[first_digit + k].limb(primes[i]);
        }
        if (count > 1) {
          if (first_digit != 0) factors.back() = sum;
          eltwise.multiply_accumulate(sum, digits, factors);
        } else if (first_digit == 0) {
          eltwise.multiply(sum, digits[0], factors[0]);
        } else {
          eltwise.multiply_add(sum, digits[0], factors[0], sum);
        }
      };
      add_products(sum_b.limb(i), canonical.b());
      add_products(sum_a.limb(i), canonical.a());
    }
  });
}

}  // namespace

std::shared_ptr<const Backend> make_cpu_backend(RnsBasis basis, const KernelSelection& selection) {
  return std::make_shared<const CpuBackend>(std::move(basis), selection);
}

}  // namespace ringlet
