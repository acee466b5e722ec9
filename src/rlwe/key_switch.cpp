// SPDX-License-Identifier: Apache-2.0
#include "rlwe/key_switch.hpp"

#include <cstddef>

#include "ringlet/backend.hpp"
#include "ringlet/rns_poly.hpp"

namespace ringlet::rlwe {
namespace {

// One limb of both sums: sum0 = sum_j d_j*b_j, sum1 = sum_j d_j*a_j modulo one target prime.
struct TargetLimb {
  std::size_t index;  // position among the targets
  NttView sum0;
  NttView sum1;
  NttView digit;  // scratch
};

void accumulate(const Context& context, const ContextData& level, ConstNttView source,
                ConstCoeffView digits, const KSwitchKey& key, const TargetLimb& target) {
  const Backend& backend = context.backend();
  const PrimeIndices prime = level.key_switch_primes().subspan(target.index, 1);
  for (std::size_t j = 0; j < level.prime_count(); ++j) {
    ConstNttView digit = target.digit;
    if (j == target.index) {
      digit = source.part(j, 1);  // modulo its own prime a digit is the source itself
    } else {
      backend.lift_digit_to_ntt(target.digit, digits.limb(j), j, prime);
    }
    const ConstNttView b = key.b(j).part(prime[0], 1);
    const ConstNttView a = key.a(j).part(prime[0], 1);
    if (j == 0) {
      backend.multiply(target.sum0, digit, b, prime);
      backend.multiply(target.sum1, digit, a, prime);
    } else {
      backend.multiply_add(target.sum0, digit, b, target.sum0, prime);
      backend.multiply_add(target.sum1, digit, a, target.sum1, prime);
    }
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
  NttPoly digit(1, degree);
  const NttView sum0_view = sum0.view_for_writing();
  const NttView sum1_view = sum1.view_for_writing();
  // Targets outermost: the scratch limb and the two sums stay in the cache over all digits.
  for (std::size_t t = 0; t < targets.size(); ++t) {
    accumulate(context, level, source, digits.view(), key,
               {t, sum0_view.part(t, 1), sum1_view.part(t, 1), digit.view_for_writing()});
  }

  const NttView quotient0 = sum0_view.first(level.prime_count());
  const NttView quotient1 = sum1_view.first(level.prime_count());
  backend.divide_and_round_by_last(quotient0, sum0_view, targets);
  backend.divide_and_round_by_last(quotient1, sum1_view, targets);
  backend.add(c0, c0, quotient0, level.primes());
  backend.add(c1, c1, quotient1, level.primes());
}

}  // namespace ringlet::rlwe
