// SPDX-License-Identifier: Apache-2.0
#include "rlwe/key_switch.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "ringlet/backend.hpp"
#include "ringlet/rns_poly.hpp"

namespace ringlet::rlwe {
namespace {

// Digits that are lifted before their products are added: such a sum is reduced once, and its limbs
// still fit the cache. With few digits this does not pay for the memory.
constexpr std::size_t kDigitsAtOnce = 4;

std::size_t digits_at_once(const ContextData& level) {
  return level.prime_count() < kDigitsAtOnce ? 1 : kDigitsAtOnce;
}

// A limb for each of these digits and, if there are more, one for a part of a sum of products.
std::size_t scratch_limbs(const ContextData& level) {
  const std::size_t at_once = digits_at_once(level);
  return at_once == 1 ? 1 : std::min(at_once + 1, level.prime_count());
}

// One limb of both sums: sum0 = sum_j d_j*b_j, sum1 = sum_j d_j*a_j modulo one target prime.
struct TargetLimb {
  std::size_t index;  // position among the targets
  NttView sum0;
  NttView sum1;
  NttView scratch;
};

void accumulate(const Context& context, const ContextData& level, ConstNttView source,
                ConstCoeffView digits, const KSwitchKey& key, const TargetLimb& target) {
  const Backend& backend = context.backend();
  const PrimeIndices prime = level.key_switch_primes().subspan(target.index, 1);
  std::array<ConstNttView, kDigitsAtOnce> lifted;
  std::array<ConstNttView, kDigitsAtOnce> b;
  std::array<ConstNttView, kDigitsAtOnce> a;
  const std::size_t at_once = digits_at_once(level);
  for (std::size_t first = 0; first < level.prime_count(); first += at_once) {
    const std::size_t count = std::min(at_once, level.prime_count() - first);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t j = first + k;
      if (j == target.index) {
        lifted[k] = source.part(j, 1);  // modulo its own prime a digit is the source itself
      } else {
        backend.lift_digit_to_ntt(target.scratch.part(k, 1), digits.limb(j), j, prime);
        lifted[k] = target.scratch.part(k, 1);
      }
      b[k] = key.b(j).part(prime[0], 1);
      a[k] = key.a(j).part(prime[0], 1);
    }
    const auto add_products = [&](NttView sum, std::span<const ConstNttView> keys) {
      const std::span<const ConstNttView> factors = std::span(lifted).first(count);
      if (first == 0) {
        backend.multiply_accumulate(sum, factors, keys.first(count), prime);
      } else if (count == 1) {
        backend.multiply_add(sum, factors[0], keys[0], sum, prime);
      } else {
        const NttView part = target.scratch.part(kDigitsAtOnce, 1);
        backend.multiply_accumulate(part, factors, keys.first(count), prime);
        backend.add(sum, sum, part, prime);
      }
    };
    add_products(target.sum0, b);
    add_products(target.sum1, a);
  }
}

}  // namespace

void add_key_switched(const Context& context, const ContextData& level, ConstNttView source,
                      const KSwitchKey& key, NttView c0, NttView c1) {
  const Backend& backend = context.backend();
  const PrimeIndices targets = level.key_switch_primes();
  const std::size_t degree = level.degree();

  CoeffPoly digits(level.prime_count(), degree);
  backend.inverse_ntt_to_digits(digits.view_for_writing(), source, level.primes());

  NttPoly sum0(targets.size(), degree);
  NttPoly sum1(targets.size(), degree);
  NttPoly scratch(scratch_limbs(level), degree);
  const NttView sum0_view = sum0.view_for_writing();
  const NttView sum1_view = sum1.view_for_writing();
  // Targets outermost: the scratch limbs and the two sums stay in the cache over all digits.
  for (std::size_t t = 0; t < targets.size(); ++t) {
    accumulate(context, level, source, digits.view(), key,
               {t, sum0_view.part(t, 1), sum1_view.part(t, 1), scratch.view_for_writing()});
  }

  const NttView quotient0 = sum0_view.first(level.prime_count());
  const NttView quotient1 = sum1_view.first(level.prime_count());
  backend.divide_and_round_by_last(quotient0, sum0_view, targets);
  backend.divide_and_round_by_last(quotient1, sum1_view, targets);
  backend.add(c0, c0, quotient0, level.primes());
  backend.add(c1, c1, quotient1, level.primes());
}

}  // namespace ringlet::rlwe
