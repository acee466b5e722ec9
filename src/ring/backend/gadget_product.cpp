// SPDX-License-Identifier: Apache-2.0
// Inner products of key switching as a composition of primitives.
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/inline_vector.hpp"
#include "ring/backend/reinterpret.hpp"
#include "ringlet/ring/backend.hpp"
#include "ringlet/ring/basis_conversion.hpp"
#include "ringlet/ring/key_switch_source.hpp"
#include "ringlet/ring/rns_poly.hpp"

namespace ringlet {
namespace {

// Digits that are lifted before their products are added: such a sum is reduced once, and its limbs
// still fit the cache. With few digits this does not pay for the memory.
constexpr std::size_t kDigitsAtOnce = 4;

std::size_t digits_at_once(std::size_t digit_count) {
  return digit_count < kDigitsAtOnce ? 1 : kDigitsAtOnce;
}

/// Runs one call of multiply_digits_by_key.
class GadgetProduct {
 public:
  GadgetProduct(const Backend& backend, const KeySwitchSource& source, const PreparedKey& key,
                PrimeIndices targets)
      : backend_(backend), source_(source), key_(key), targets_(targets) {}

  void add_target_by_target(NttView sum_b, NttView sum_a) const;
  void add_converted(NttView sum_b, NttView sum_a) const;

 private:
  std::size_t degree() const { return backend_.basis().degree(); }

  const Backend& backend_;
  const KeySwitchSource& source_;
  const PreparedKey& key_;
  PrimeIndices targets_;
};

// The scratch limbs and the two sums stay in the cache over all digits.
void GadgetProduct::add_target_by_target(NttView sum_b, NttView sum_a) const {
  const std::size_t count = source_.digits.size();
  const std::size_t at_once = digits_at_once(count);
  NttPoly scratch(at_once, degree(), Secrecy::open, Contents::unspecified);
  const NttView limbs = scratch.view_for_writing(backend_);
  std::array<ConstNttView, kDigitsAtOnce> lifted;
  for (std::size_t t = 0; t < targets_.size(); ++t) {
    const PrimeIndices prime = targets_.subspan(t, 1);
    for (std::size_t first = 0; first < count; first += at_once) {
      const std::size_t group = std::min(at_once, count - first);
      for (std::size_t k = 0; k < group; ++k) {
        const std::size_t j = first + k;
        if (j == t && source_.values.limb_count != 0) {
          lifted[k] = source_.values.part(j, 1);  // modulo its own prime: the source itself
        } else {
          backend_.lift_digit_to_ntt(limbs.part(k, 1), source_.coefficients.limb(j), j, prime);
          lifted[k] = limbs.part(k, 1);
        }
      }
      backend_.key_inner_product(sum_b.part(t, 1), sum_a.part(t, 1), std::span(lifted).first(group),
                                 {key_, first}, prime);
    }
  }
}

void GadgetProduct::add_converted(NttView sum_b, NttView sum_a) const {
  NttPoly lifted(targets_.size(), degree(), Secrecy::open, Contents::unspecified);
  const NttView all = lifted.view_for_writing(backend_);
  for (std::size_t j = 0; j < source_.digits.size(); ++j) {
    const KeySwitchDigit& digit = source_.digits[j];
    backend_.copy(all.part(digit.first, digit.count),
                  source_.values.part(digit.first, digit.count));
    CoeffPoly converted(targets_.size() - digit.count, degree(), Secrecy::open,
                        Contents::unspecified);
    backend_.convert_basis(converted.view_for_writing(backend_),
                           source_.coefficients.part(digit.first, digit.count), *digit.lift);
    // The other targets lie before and behind the digit's own primes.
    const auto transform = [&](std::size_t target, std::size_t from, std::size_t count) {
      if (count == 0) return;
      backend_.forward_ntt(all.part(target, count), converted.view(backend_).part(from, count),
                           targets_.subspan(target, count));
    };
    const std::size_t behind = digit.first + digit.count;
    transform(0, 0, digit.first);
    transform(behind, digit.first, targets_.size() - behind);
    const ConstNttView operand = all;
    backend_.key_inner_product(sum_b, sum_a, {&operand, 1}, {key_, j}, targets_);
  }
}

/// Runs one call of multiply_images_by_keys, target by target, so that the digits of one target
/// stay in the cache over all images.
class ImageProducts {
 public:
  ImageProducts(const Backend& backend, const KeySwitchSource& source, PrimeIndices targets)
      : backend_(backend),
        source_(source),
        targets_(targets),
        lifted_(backend, source.digits.size(), Secrecy::open, Contents::unspecified),
        moved_(backend, source.digits.size(), Secrecy::open, Contents::unspecified) {}

  void add(std::span<const GadgetImages> sums) {
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      lift(t);
      for (const GadgetImages& sum : sums) {
        bool adds = sum.adds;
        for (const KeyedImage& image : sum.images) {
          multiply(t, image, std::exchange(adds, true), sum);
        }
      }
    }
  }

 private:
  void lift(std::size_t t) {
    const NttView lifted = lifted_.view_for_writing(backend_);
    for (std::size_t j = 0; j < source_.digits.size(); ++j) {
      if (j == t && source_.values.limb_count != 0) {
        backend_.copy(lifted.part(j, 1), source_.values.part(j, 1));
      } else {
        backend_.lift_digit_to_ntt(lifted.part(j, 1), source_.coefficients.limb(j), j,
                                   targets_.subspan(t, 1));
      }
    }
  }

  void multiply(std::size_t t, const KeyedImage& image, bool adds, const GadgetImages& sum) {
    const NttView moved = moved_.view_for_writing(backend_);
    const std::vector<std::size_t> primes(source_.digits.size(), targets_[t]);
    backend_.automorphism(moved, lifted_.view(backend_), image.galois_element, primes);
    std::vector<ConstNttView> digits;
    for (std::size_t j = 0; j < source_.digits.size(); ++j) digits.push_back(moved.part(j, 1));
    backend_.key_inner_product(sum.b.part(t, 1), sum.a.part(t, 1), digits, {*image.key, 0, adds},
                               targets_.subspan(t, 1));
  }

  const Backend& backend_;
  const KeySwitchSource& source_;
  PrimeIndices targets_;
  NttPoly lifted_;  ///< The digits modulo one target.
  NttPoly moved_;   ///< Their images.
};

template <Form F>
PolyView<F> in_form(ResidueView view) {
  return {view.data, view.degree, view.limb_count, view.limb_stride};
}

/// Divides the sums, one after the other in `words`. A quotient to which something is added takes
/// the place of its sum.
template <Form F>
void divide_sums(const Backend& backend, const KeySwitchResult& result, ResidueView words,
                 PrimeIndices targets) {
  const PrimeIndices kept = targets.first(result.results[0].limb_count);
  std::array<ConstPolyView<F>, 2> sums;
  std::array<PolyView<F>, 2> quotients;
  for (std::size_t i = 0; i < 2; ++i) {
    const PolyView<F> sum = in_form<F>(words.part(i * targets.size(), targets.size()));
    const bool has_addend = result.addends[i].limb_count != 0;
    sums[i] = sum;
    quotients[i] = has_addend ? sum.first(kept.size()) : in_form<F>(result.results[i]);
  }
  backend.divide_and_round_each(quotients, sums, targets, result.conversion, result.preserve);
  for (std::size_t i = 0; i < 2; ++i) {
    if (result.addends[i].limb_count == 0) continue;
    backend.add(result.results[i], result.addends[i], quotients[i], kept);
  }
}

}  // namespace

void Backend::do_switch_key(const KeySwitchResult& result, const KeySwitchSource& source,
                            const PreparedKey& key, PrimeIndices targets) const {
  const std::size_t count = targets.size();
  // Side by side, so that a device takes both sums in the same launches.
  NttPoly words(*this, 2 * count, Secrecy::open, Contents::unspecified);
  const NttView sums = words.view_for_writing(*this);
  multiply_digits_by_key(sums.first(count), sums.part(count, count), source, key, targets);
  if (result.form == Form::ntt) return divide_sums<Form::ntt>(*this, result, sums, targets);
  InlineVector<std::size_t, 2 * kMaxConversionSize> primes;
  for (std::size_t i = 0; i < 2 * count; ++i) primes.push_back(targets[i < count ? i : i - count]);
  inverse_ntt(as_coefficients(sums), sums, primes);
  divide_sums<Form::coefficient>(*this, result, sums, targets);
}

void Backend::do_multiply_images_by_keys(std::span<const GadgetImages> sums,
                                         const KeySwitchSource& source,
                                         PrimeIndices targets) const {
  ImageProducts(*this, source, targets).add(sums);
}

void Backend::do_multiply_digits_by_key(NttView sum_b, NttView sum_a, const KeySwitchSource& source,
                                        const PreparedKey& key, PrimeIndices targets) const {
  const GadgetProduct products(*this, source, key, targets);
  if (source.digits.front().lift.has_value()) {
    products.add_converted(sum_b, sum_a);
  } else {
    products.add_target_by_target(sum_b, sum_a);
  }
}

}  // namespace ringlet
