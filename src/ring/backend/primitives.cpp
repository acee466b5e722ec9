// SPDX-License-Identifier: Apache-2.0
// The public primitives. They assert what every implementation requires of its operands.
#include <algorithm>

#include "base/assert.hpp"
#include "ringlet/ring/backend.hpp"
#include "ringlet/ring/basis_conversion.hpp"
#include "ringlet/ring/key_switch_source.hpp"

namespace ringlet {
namespace {

template <Form F, typename Word>
bool fits(const RnsBasis& basis, const BasicPolyView<F, Word>& view, std::size_t limb_count) {
  return view.degree == basis.degree() && view.limb_count == limb_count &&
         (limb_count <= 1 || view.limb_stride >= view.degree);
}

/// Returns whether all views have one limb per entry of `primes`, all of them of this basis.
template <typename... Views>
bool match(const RnsBasis& basis, PrimeIndices primes, const Views&... views) {
  return std::ranges::all_of(primes, [&](std::size_t prime) { return prime < basis.size(); }) &&
         (fits(basis, views, primes.size()) && ...);
}

/// Returns whether there is a limb to work on, in views that match.
template <typename... Views>
bool has_limbs(const RnsBasis& basis, PrimeIndices primes, const Views&... views) {
  RINGLET_ASSERT(match(basis, primes, views...));
  return !primes.empty();
}

[[maybe_unused]] bool match_all(const RnsBasis& basis, PrimeIndices primes,
                                Backend::ConstViews views) {
  return std::ranges::all_of(views, [&](const auto& view) { return match(basis, primes, view); });
}

template <typename Word>
[[maybe_unused]] bool is_complete(const BasicNttMatrix<Word>& matrix, std::size_t primes) {
  return matrix.rows > 0 && matrix.columns > 0 && matrix.size > 0 &&
         matrix.entries.size() == matrix.rows * matrix.columns &&
         std::ranges::all_of(matrix.entries, [&](const auto& entry) {
           return entry.limb_count == matrix.size * primes;
         });
}

/// Returns whether `conversion` leads from the last primes to the others.
[[maybe_unused]] bool is_divisor(PrimeIndices primes, const BasisConversion& conversion) {
  const std::size_t dropped = conversion.from().size();
  if (primes.size() < dropped) return false;
  const std::size_t kept = primes.size() - dropped;
  return std::ranges::equal(primes.last(dropped), conversion.from()) &&
         conversion.to().size() >= kept &&
         std::ranges::equal(primes.first(kept), conversion.to().first(kept));
}

}  // namespace

void Backend::copy(ResidueView result, ConstResidueView a) const {
  RINGLET_ASSERT(result.limb_count <= a.limb_count && result.degree == a.degree);
  if (result.limb_count != 0 && result.data != a.data) do_copy(result, a);
}
void Backend::forward_ntt(NttView result, ConstCoeffView a, PrimeIndices primes) const {
  if (has_limbs(basis_, primes, result, a)) do_forward_ntt(result, a, primes);
}
void Backend::inverse_ntt(CoeffView result, ConstNttView a, PrimeIndices primes) const {
  if (has_limbs(basis_, primes, result, a)) do_inverse_ntt(result, a, primes);
}
void Backend::add(ResidueView result, ConstResidueView a, ConstResidueView b,
                  PrimeIndices primes) const {
  if (has_limbs(basis_, primes, result, a, b)) do_add(result, a, b, primes);
}
void Backend::subtract(ResidueView result, ConstResidueView a, ConstResidueView b,
                       PrimeIndices primes) const {
  if (has_limbs(basis_, primes, result, a, b)) do_subtract(result, a, b, primes);
}
void Backend::negate(ResidueView result, ConstResidueView a, PrimeIndices primes) const {
  if (has_limbs(basis_, primes, result, a)) do_negate(result, a, primes);
}
void Backend::multiply(NttView result, ConstNttView a, ConstNttView b, PrimeIndices primes) const {
  if (has_limbs(basis_, primes, result, a, b)) do_multiply(result, a, b, primes);
}
void Backend::multiply_add(NttView result, ConstNttView a, ConstNttView b, ConstNttView c,
                           PrimeIndices primes) const {
  if (has_limbs(basis_, primes, result, a, b, c)) do_multiply_add(result, a, b, c, primes);
}
bool Backend::multiply_add_if_reduced(NttView result, ConstNttView a, ConstNttView b,
                                      ConstNttView c, PrimeIndices primes) const {
  return !has_limbs(basis_, primes, result, a, b, c) ||
         do_multiply_add_if_reduced(result, a, b, c, primes);
}
void Backend::multiply_accumulate(NttView result, ConstViews a, ConstViews b,
                                  PrimeIndices primes) const {
  RINGLET_ASSERT(!a.empty() && a.size() == b.size());
  RINGLET_ASSERT(match_all(basis_, primes, a) && match_all(basis_, primes, b));
  if (has_limbs(basis_, primes, result)) do_multiply_accumulate(result, a, b, primes);
}
void Backend::multiply_pairs(std::span<const NttView, 3> product,
                             std::span<const ConstNttView, 2> a, std::span<const ConstNttView, 2> b,
                             PrimeIndices primes) const {
  if (has_limbs(basis_, primes, product[0], product[1], product[2], a[0], a[1], b[0], b[1])) {
    do_multiply_pairs(product, a, b, primes);
  }
}
void Backend::multiply_matrices(const NttMatrix& c, const ConstNttMatrix& a,
                                const ConstNttMatrix& b, std::size_t held,
                                PrimeIndices primes) const {
  RINGLET_ASSERT(is_complete(c, primes.size()) && is_complete(a, primes.size()));
  RINGLET_ASSERT(is_complete(b, primes.size()) && a.columns == b.rows);
  RINGLET_ASSERT(c.rows == a.rows && c.columns == b.columns && c.size == a.size + b.size - 1);
  if (has_limbs(basis_, primes)) do_multiply_matrices(c, a, b, held, primes);
}
void Backend::multiply_scalars(ResidueView result, ConstResidueView a, ConstWords scalars,
                               PrimeIndices primes) const {
  RINGLET_ASSERT(scalars.size() == primes.size());
  if (has_limbs(basis_, primes, result, a)) do_multiply_scalars(result, a, scalars, primes);
}
void Backend::multiply_scalars_add(ResidueView result, ConstResidueView a, ConstResidueView b,
                                   ConstWords scalars, PrimeIndices primes) const {
  RINGLET_ASSERT(scalars.size() == primes.size());
  if (has_limbs(basis_, primes, result, a, b)) {
    do_multiply_scalars_add(result, a, b, scalars, primes);
  }
}
void Backend::automorphism(NttView result, ConstNttView a, std::uint64_t galois_element,
                           PrimeIndices primes) const {
  RINGLET_ASSERT(basis_.ring().is_galois_element(galois_element));
  if (has_limbs(basis_, primes, result, a)) do_automorphism(result, a, galois_element, primes);
}
void Backend::automorphism(CoeffView result, ConstCoeffView a, std::uint64_t galois_element,
                           PrimeIndices primes) const {
  RINGLET_ASSERT(basis_.ring().is_galois_element(galois_element));
  if (has_limbs(basis_, primes, result, a)) do_automorphism(result, a, galois_element, primes);
}
void Backend::lift_digit(CoeffView result, ConstWords digit, std::size_t digit_prime,
                         PrimeIndices primes) const {
  RINGLET_ASSERT(digit.size() == basis_.degree() && digit_prime < basis_.size());
  if (has_limbs(basis_, primes, result)) do_lift_digit(result, digit, digit_prime, primes);
}
void Backend::inverse_ntt_to_digits(CoeffView result, ConstNttView a, PrimeIndices primes) const {
  if (has_limbs(basis_, primes, result, a)) do_inverse_ntt_to_digits(result, a, primes);
}
void Backend::to_digits(CoeffView result, ConstCoeffView a, PrimeIndices primes) const {
  if (has_limbs(basis_, primes, result, a)) do_to_digits(result, a, primes);
}
void Backend::lift_digit_to_ntt(NttView result, ConstWords digit, std::size_t digit_prime,
                                PrimeIndices primes) const {
  RINGLET_ASSERT(digit.size() == basis_.degree() && digit_prime < basis_.size());
  if (has_limbs(basis_, primes, result)) do_lift_digit_to_ntt(result, digit, digit_prime, primes);
}
void Backend::convert_basis(CoeffView result, ConstCoeffView a,
                            const BasisConversion& conversion) const {
  RINGLET_ASSERT(fits(basis_, result, result.limb_count));
  RINGLET_ASSERT(match(basis_, conversion.from(), a));
  RINGLET_ASSERT(result.limb_count <= conversion.to().size());
  if (result.limb_count != 0) do_convert_basis(result, a, conversion);
}
void Backend::convert_to_modulus(std::span<std::uint64_t> result, ConstCoeffView a,
                                 const BasisConversion& conversion) const {
  RINGLET_ASSERT(match(basis_, conversion.from(), a) && result.size() == basis_.degree());
  RINGLET_ASSERT(conversion.modulus().has_value());
  do_convert_to_modulus(result, a, conversion);
}
void Backend::scale_and_round(CoeffView result, ConstCoeffView over_q, ConstCoeffView over_r,
                              const RnsScaling& scaling) const {
  RINGLET_ASSERT(match(basis_, scaling.r(), over_r));
  if (has_limbs(basis_, scaling.q(), result, over_q)) {
    do_scale_and_round(result, over_q, over_r, scaling);
  }
}
bool Backend::is_reduced(ConstResidueView a, PrimeIndices primes) const {
  return !has_limbs(basis_, primes, a) || do_is_reduced(a, primes);
}
void Backend::lift_message(CoeffView result, ConstWords message, std::uint64_t t,
                           PrimeIndices primes) const {
  RINGLET_ASSERT(message.size() <= basis_.degree());
  if (has_limbs(basis_, primes, result)) do_lift_message(result, message, t, primes);
}
void Backend::combine_words(CoeffView result, ConstWords a, ConstWords b, std::uint64_t bound,
                            ConstWords scalars, PrimeIndices primes) const {
  RINGLET_ASSERT(scalars.size() == primes.size());
  RINGLET_ASSERT(a.size() == b.size() && a.size() <= basis_.degree());
  if (has_limbs(basis_, primes, result)) do_combine_words(result, a, b, bound, scalars, primes);
}
void Backend::divide_and_round_by_last(NttView result, ConstNttView a, PrimeIndices primes,
                                       std::uint64_t preserve) const {
  RINGLET_ASSERT(!primes.empty() && match(basis_, primes, a));
  RINGLET_ASSERT(fits(basis_, result, primes.size() - 1));
  do_divide_and_round_by_last(result, a, primes, preserve);
}
void Backend::divide_and_round_by_last(CoeffView result, ConstCoeffView a, PrimeIndices primes,
                                       std::uint64_t preserve) const {
  RINGLET_ASSERT(!primes.empty() && match(basis_, primes, a));
  RINGLET_ASSERT(fits(basis_, result, primes.size() - 1));
  do_divide_and_round_by_last(result, a, primes, preserve);
}
void Backend::divide_and_round(NttView result, ConstNttView a, PrimeIndices primes,
                               const BasisConversion& conversion, std::uint64_t preserve) const {
  RINGLET_ASSERT(is_divisor(primes, conversion) && match(basis_, primes, a));
  RINGLET_ASSERT(fits(basis_, result, primes.size() - conversion.from().size()));
  do_divide_and_round(result, a, primes, conversion, preserve);
}
void Backend::divide_and_round(CoeffView result, ConstCoeffView a, PrimeIndices primes,
                               const BasisConversion& conversion, std::uint64_t preserve) const {
  RINGLET_ASSERT(is_divisor(primes, conversion) && match(basis_, primes, a));
  RINGLET_ASSERT(fits(basis_, result, primes.size() - conversion.from().size()));
  do_divide_and_round(result, a, primes, conversion, preserve);
}
void Backend::divide_and_round_each(std::span<const NttView> results, ConstViews a,
                                    PrimeIndices primes, const BasisConversion* conversion,
                                    std::uint64_t preserve) const {
  RINGLET_ASSERT(results.size() == a.size());
  if (!results.empty()) do_divide_and_round_each(results, a, primes, conversion, preserve);
}
void Backend::divide_and_round_each(std::span<const CoeffView> results,
                                    std::span<const ConstCoeffView> a, PrimeIndices primes,
                                    const BasisConversion* conversion,
                                    std::uint64_t preserve) const {
  RINGLET_ASSERT(results.size() == a.size());
  if (!results.empty()) do_divide_and_round_each(results, a, primes, conversion, preserve);
}
std::shared_ptr<const PreparedKey> Backend::prepare_key(ConstViews b, ConstViews a) const {
  RINGLET_ASSERT(!b.empty() && a.size() == b.size());
  return do_prepare_key(b, a);
}
void Backend::key_inner_product(NttView sum_b, NttView sum_a, ConstViews lifted_digits,
                                const KeyTerms& terms, PrimeIndices primes) const {
  RINGLET_ASSERT(!lifted_digits.empty() && match_all(basis_, primes, lifted_digits));
  if (has_limbs(basis_, primes, sum_b, sum_a)) {
    do_key_inner_product(sum_b, sum_a, lifted_digits, terms, primes);
  }
}
void Backend::multiply_digits_by_key(NttView sum_b, NttView sum_a, const KeySwitchSource& source,
                                     const PreparedKey& key, PrimeIndices targets) const {
  RINGLET_ASSERT(!source.digits.empty());
  if (has_limbs(basis_, targets, sum_b, sum_a)) {
    do_multiply_digits_by_key(sum_b, sum_a, source, key, targets);
  }
}
void Backend::multiply_images_by_keys(std::span<const GadgetImages> sums,
                                      const KeySwitchSource& source, PrimeIndices targets) const {
  RINGLET_ASSERT(!source.digits.empty() && !source.digits.front().lift.has_value());
  RINGLET_ASSERT(std::ranges::all_of(sums, [&](const GadgetImages& sum) {
    return !sum.images.empty() && match(basis_, targets, sum.b, sum.a);
  }));
  do_multiply_images_by_keys(sums, source, targets);
}
void Backend::switch_key(const KeySwitchResult& result, const KeySwitchSource& source,
                         const PreparedKey& key, PrimeIndices targets) const {
  RINGLET_ASSERT(!source.digits.empty());
  RINGLET_ASSERT(match(basis_, targets.first(result.results[0].limb_count), result.results[0],
                       result.results[1]));
  do_switch_key(result, source, key, targets);
}

}  // namespace ringlet
