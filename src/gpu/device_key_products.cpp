// SPDX-License-Identifier: Apache-2.0
#include "gpu/device_key_products.hpp"

#include <algorithm>
#include <cassert>
#include <vector>

#include "ringlet/device.hpp"
#include "ringlet/rns_poly.hpp"

namespace ringlet::gpu {
namespace {

/// Of `count` targets from number `first` on, those that are a digit's own primes: numbers from
/// `first` on.
struct OwnTargets {
  std::size_t begin;
  std::size_t end;

  OwnTargets(const KeySwitchDigit& digit, std::size_t first, std::size_t count)
      : begin(std::clamp(digit.first, first, first + count) - first),
        end(std::clamp(digit.first + digit.count, first, first + count) - first) {}
  std::size_t count() const { return end - begin; }
};

}  // namespace

void DeviceKeyProducts::multiply(NttView sum_b, NttView sum_a, const KeySwitchSource& source,
                                 const PreparedKey& key, PrimeIndices targets) const {
  std::size_t at_once = targets.size();
  for (std::size_t first = 0; first < targets.size();) {
    const std::size_t count = std::min(at_once, targets.size() - first);
    const Part part{sum_b.part(first, count), sum_a.part(first, count),
                    targets.subspan(first, count), first};
    try {
      multiply_part(part, source, key);
      first += count;
    } catch (const OutOfDeviceMemory&) {
      if (count == 1) throw;
      at_once = count / 2;
    }
  }
}

void DeviceKeyProducts::multiply_part(const Part& part, const KeySwitchSource& source,
                                      const PreparedKey& key) const {
  std::vector<NttPoly> lifted;
  std::vector<ConstNttView> views;
  for (const KeySwitchDigit& digit : source.digits) {
    lifted.emplace_back(part.targets.size(), backend_.basis().degree(), Secrecy::open,
                        Contents::unspecified);
    const NttView all = lifted.back().view_for_writing(backend_);
    lift(all, part, source, digit);
    views.push_back(all);
  }
  backend_.key_inner_product(part.sum_b, part.sum_a, views, 0, key, part.targets);
}

/// One digit to the targets of a part; modulo its own primes it is the source itself.
void DeviceKeyProducts::lift(NttView result, const Part& part, const KeySwitchSource& source,
                             const KeySwitchDigit& digit) const {
  const std::size_t count = part.targets.size();
  OwnTargets own(digit, part.first, count);
  if (source.values.limb_count == 0) own.begin = own.end = count;
  const auto for_others = [&](const auto& work) {
    if (own.begin > 0) work(0, own.begin, 0);
    if (own.end < count) work(own.end, count - own.end, own.begin);
  };
  if (own.count() > 0) {
    backend_.copy(result.part(own.begin, own.count()),
                  source.values.part(part.first + own.begin, own.count()));
  }
  if (!digit.lift.has_value()) {
    for_others([&](std::size_t target, std::size_t others, std::size_t /*from*/) {
      backend_.lift_digit_to_ntt(result.part(target, others), source.coefficients.limb(digit.first),
                                 digit.first, part.targets.subspan(target, others));
    });
    return;
  }
  CoeffPoly converted(count - own.count(), backend_.basis().degree(), Secrecy::open,
                      Contents::unspecified);
  convert(converted.view_for_writing(backend_), part, source, digit);
  for_others([&](std::size_t target, std::size_t others, std::size_t from) {
    backend_.forward_ntt(result.part(target, others), converted.view(backend_).part(from, others),
                         part.targets.subspan(target, others));
  });
}

/// A digit of several primes to the targets of a part without its own.
void DeviceKeyProducts::convert(CoeffView result, const Part& part, const KeySwitchSource& source,
                                const KeySwitchDigit& digit) const {
  const BasisConversion& all = *digit.lift;
  const ConstCoeffView own = source.coefficients.part(digit.first, digit.count);
  if (result.limb_count == 0) return;
  if (result.limb_count == all.to().size()) return backend_.convert_basis(result, own, all);
  std::vector<std::size_t> others;
  for (const std::size_t prime : part.targets) {
    if (prime < digit.first || prime >= digit.first + digit.count) others.push_back(prime);
  }
  backend_.convert_basis(result, own, BasisConversion(backend_.basis(), all.from(), others));
}

}  // namespace ringlet::gpu
