// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ring/backend.hpp"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "ring/backend/canonical_key.hpp"
#include "ring/backend/prepared_keys.hpp"
#include "ring/backend/reinterpret.hpp"
#include "ring/backend/scratch.hpp"
#include "ringlet/arith/modular.hpp"
#include "ringlet/ring/basis_conversion.hpp"
#include "ringlet/ring/rns_poly.hpp"

namespace ringlet {
namespace {

/// Holds the operands of divide_and_round and its steps that both forms share.
class Division {
 public:
  Division(const Backend& backend, PrimeIndices primes, const BasisConversion& conversion,
           std::uint64_t preserve)
      : backend_(backend),
        conversion_(conversion),
        preserve_(preserve),
        kept_(primes.first(primes.size() - conversion.from().size())),
        dropped_(primes.last(conversion.from().size())) {}

  PrimeIndices kept() const noexcept { return kept_; }
  PrimeIndices dropped() const noexcept { return dropped_; }

  /// result = a / preserve, in the dropped limbs.
  void divide_by_preserved(ResidueView result, ConstResidueView a) const {
    const Scratch scratch(*backend_.pool(), dropped_.size());
    const std::span<std::uint64_t> scalars = scratch.words();
    for (std::size_t i = 0; i < dropped_.size(); ++i) {
      scalars[i] = inverse_mod(preserve_, backend_.basis()[dropped_[i]]);
    }
    backend_.multiply_scalars(result, a, scalars, dropped_);
  }

  /// result = (a - preserve*r) / P, in the kept limbs; overwrites `r`.
  void finish(ResidueView result, ConstResidueView a, ResidueView r) const {
    const Scratch scratch(*backend_.pool(), kept_.size());
    const std::span<std::uint64_t> scalars = scratch.words();
    if (preserve_ != 1) {
      for (std::size_t j = 0; j < kept_.size(); ++j) {
        scalars[j] = backend_.basis()[kept_[j]].reduce(preserve_);
      }
      backend_.multiply_scalars(r, r, scalars, kept_);
    }
    backend_.subtract(r, a, r, kept_);
    for (std::size_t j = 0; j < kept_.size(); ++j) {
      scalars[j] = conversion_.product_inverse(j);
    }
    backend_.multiply_scalars(result, r, scalars, kept_);
  }

 private:
  const Backend& backend_;
  const BasisConversion& conversion_;
  std::uint64_t preserve_;
  PrimeIndices kept_;
  PrimeIndices dropped_;
};

template <Form F>
void divide_one_by_one(const Backend& backend, std::span<const PolyView<F>> results,
                       std::span<const ConstPolyView<F>> a, PrimeIndices primes,
                       const BasisConversion* conversion, std::uint64_t preserve) {
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (conversion == nullptr) {
      backend.divide_and_round_by_last(results[k], a[k], primes, preserve);
    } else {
      backend.divide_and_round(results[k], a[k], primes, *conversion, preserve);
    }
  }
}

}  // namespace

Memory::Memory() noexcept = default;
Memory::~Memory() = default;

PreparedKey::PreparedKey() noexcept = default;
PreparedKey::~PreparedKey() = default;

Backend::Backend(RnsBasis basis, std::shared_ptr<Memory> memory)
    : basis_(std::move(basis)),
      memory_(std::move(memory)),
      pool_(std::make_shared<HostPool>()),
      prepared_keys_(std::make_shared<PreparedKeys>()) {
  static std::atomic<std::uint64_t> count{0};
  id_ = count.fetch_add(1, std::memory_order_relaxed);
}
Backend::~Backend() = default;

void Backend::do_multiply_pairs(std::span<const NttView, 3> product,
                                std::span<const ConstNttView, 2> a,
                                std::span<const ConstNttView, 2> b, PrimeIndices primes) const {
  multiply(product[0], a[0], b[0], primes);
  multiply(product[1], a[0], b[1], primes);
  multiply_add(product[1], a[1], b[0], product[1], primes);
  multiply(product[2], a[1], b[1], primes);
}

void Backend::do_multiply_accumulate(NttView result, ConstViews a, ConstViews b,
                                     PrimeIndices primes) const {
  multiply(result, a[0], b[0], primes);
  for (std::size_t k = 1; k < a.size(); ++k) multiply_add(result, a[k], b[k], result, primes);
}

void Backend::do_multiply_scalars_add(ResidueView result, ConstResidueView a, ConstResidueView b,
                                      ConstWords scalars, PrimeIndices primes) const {
  NttPoly product(*this, primes.size(), Secrecy::secret, Contents::unspecified);
  const ResidueView words = product.view_for_writing(*this);
  multiply_scalars(words, a, scalars, primes);
  add(result, words, b, primes);
}

void Backend::do_scale_and_round(CoeffView result, ConstCoeffView over_q, ConstCoeffView over_r,
                                 const RnsScaling& scaling) const {
  CoeffPoly quotient(*this, scaling.r().size(), Secrecy::secret, Contents::unspecified);
  const CoeffView z = quotient.view_for_writing(*this);
  convert_basis(z, over_q, scaling.remainder());
  multiply_scalars(z, z, scaling.negated_inverses(), scaling.r());
  multiply_scalars_add(z, over_r, z, scaling.multipliers(), scaling.r());
  convert_basis(result, z, scaling.quotient());
}

bool Backend::do_is_reduced(ConstResidueView a, PrimeIndices primes) const {
  std::uint64_t offences = 0;
  for (std::size_t i = 0; i < primes.size(); ++i) {
    const std::uint64_t q = basis_[primes[i]].value();
    for (const std::uint64_t word : a.limb(i)) offences |= static_cast<std::uint64_t>(word >= q);
  }
  return offences == 0;
}

bool Backend::do_multiply_add_if_reduced(NttView result, ConstNttView a, ConstNttView b,
                                         ConstNttView c, PrimeIndices primes) const {
  if (!is_reduced(a, primes) || !is_reduced(c, primes)) return false;
  multiply_add(result, a, b, c, primes);
  return true;
}

void Backend::do_lift_message(CoeffView result, ConstWords message, std::uint64_t t,
                              PrimeIndices primes) const {
  const std::uint64_t half = t / 2 + t % 2;
  for (std::size_t i = 0; i < primes.size(); ++i) {
    const Modulus& q = basis_[primes[i]];
    const std::uint64_t negative = negate_mod(q.reduce(t), q.value());
    const auto limb = result.limb(i);
    for (std::size_t n = 0; n < message.size(); ++n) {
      // All ones where m >= half; both are below 2^63.
      const std::uint64_t is_negative = opaque(((message[n] - half) >> 63) - 1);
      limb[n] = add_mod(q.reduce(message[n]), negative & is_negative, q.value());
    }
    std::ranges::fill(limb.subspan(message.size()), 0);
  }
}

void Backend::do_combine_words(CoeffView result, ConstWords a, ConstWords b, std::uint64_t,
                               ConstWords scalars, PrimeIndices primes) const {
  for (std::size_t i = 0; i < primes.size(); ++i) {
    const Modulus& q = basis_[primes[i]];
    const auto limb = result.limb(i);
    for (std::size_t n = 0; n < a.size(); ++n) {
      limb[n] = add_mod(q.multiply(q.reduce(a[n]), scalars[i]), q.reduce(b[n]), q.value());
    }
    std::ranges::fill(limb.subspan(a.size()), 0);
  }
}

void Backend::do_divide_and_round(NttView result, ConstNttView a, PrimeIndices primes,
                                  const BasisConversion& conversion, std::uint64_t preserve) const {
  const Division division(*this, primes, conversion, preserve);
  const std::size_t kept = division.kept().size();
  const std::size_t dropped = division.dropped().size();
  CoeffPoly source(*this, dropped, Secrecy::secret, Contents::unspecified);
  CoeffPoly remainder(*this, kept, Secrecy::secret, Contents::unspecified);
  const CoeffView coefficients = source.view_for_writing(*this);
  inverse_ntt(coefficients, a.part(kept, dropped), division.dropped());
  if (preserve != 1) division.divide_by_preserved(coefficients, coefficients);
  convert_basis(remainder.view_for_writing(*this), coefficients, conversion);
  const NttView values = as_values(remainder.view_for_writing(*this));
  forward_ntt(values, remainder.view(*this), division.kept());
  division.finish(result, a.first(kept), values);
}

void Backend::do_divide_and_round(CoeffView result, ConstCoeffView a, PrimeIndices primes,
                                  const BasisConversion& conversion, std::uint64_t preserve) const {
  const Division division(*this, primes, conversion, preserve);
  const std::size_t kept = division.kept().size();
  const std::size_t dropped = division.dropped().size();
  CoeffPoly source(*this, preserve == 1 ? 0 : dropped, Secrecy::secret, Contents::unspecified);
  CoeffPoly remainder(*this, kept, Secrecy::secret, Contents::unspecified);
  ConstCoeffView coefficients = a.part(kept, dropped);
  if (preserve != 1) {
    division.divide_by_preserved(source.view_for_writing(*this), coefficients);
    coefficients = source.view(*this);
  }
  convert_basis(remainder.view_for_writing(*this), coefficients, conversion);
  division.finish(result, a.first(kept), remainder.view_for_writing(*this));
}

void Backend::do_divide_and_round_each(std::span<const NttView> results, ConstViews a,
                                       PrimeIndices primes, const BasisConversion* conversion,
                                       std::uint64_t preserve) const {
  divide_one_by_one<Form::ntt>(*this, results, a, primes, conversion, preserve);
}

void Backend::do_divide_and_round_each(std::span<const CoeffView> results,
                                       std::span<const ConstCoeffView> a, PrimeIndices primes,
                                       const BasisConversion* conversion,
                                       std::uint64_t preserve) const {
  divide_one_by_one<Form::coefficient>(*this, results, a, primes, conversion, preserve);
}

std::shared_ptr<const PreparedKey> Backend::do_prepare_key(ConstViews b, ConstViews a) const {
  return std::make_shared<const CanonicalKey>(b, a);
}

void Backend::do_key_inner_product(NttView sum_b, NttView sum_a, ConstViews lifted_digits,
                                   const KeyTerms& terms, PrimeIndices primes) const {
  const auto& canonical = dynamic_cast<const CanonicalKey&>(terms.key);
  const std::size_t count = lifted_digits.size();
  RINGLET_ASSERT(terms.first + count <= canonical.b().size());
  std::vector<ConstNttView> factors(count);
  for (std::size_t l = 0; l < primes.size(); ++l) {
    const PrimeIndices prime = primes.subspan(l, 1);
    std::vector<ConstNttView> digits(count);
    for (std::size_t k = 0; k < count; ++k) digits[k] = lifted_digits[k].part(l, 1);
    const auto add_products = [&](NttView sum, std::span<const ConstNttView> pairs) {
      for (std::size_t k = 0; k < count; ++k) {
        factors[k] = pairs[terms.first + k].part(prime[0], 1);
      }
      if (!terms.adds) {
        multiply_accumulate(sum, digits, factors, prime);
        return;
      }
      for (std::size_t k = 0; k < count; ++k) {
        multiply_add(sum, digits[k], factors[k], sum, prime);
      }
    };
    add_products(sum_b.part(l, 1), canonical.b());
    add_products(sum_a.part(l, 1), canonical.a());
  }
}

}  // namespace ringlet
