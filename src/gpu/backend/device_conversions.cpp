// SPDX-License-Identifier: Apache-2.0
#include "gpu/backend/device_conversions.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "ringlet/gpu/device.hpp"

namespace ringlet::gpu {
namespace {

/// Returns limbs of one buffer at constant distances as batches; nothing if they are elsewhere.
std::optional<BatchLimbs> in_batches(std::span<const Limbs> all) {
  const Limbs& first = all.front();
  const std::uint64_t distance = all.size() == 1 ? 0 : all[1].place.word - first.place.word;
  for (std::size_t k = 1; k < all.size(); ++k) {
    const auto& [place, stride] = all[k];
    const bool follows =
        place.word > all[k - 1].place.word && place.word - all[k - 1].place.word == distance;
    if (!follows || place.buffer != first.place.buffer || stride != first.stride) return {};
  }
  return BatchLimbs{first, distance};
}

Limbs batch(const BatchLimbs& all, std::size_t k) {
  const Limbs& first = all.limbs;
  return {{first.place.buffer, first.place.word + k * all.batch_stride}, first.stride};
}

BatchLimbs from_batch(const BatchLimbs& all, std::size_t k) {
  return {batch(all, k), all.batch_stride};
}

BatchLimbs from_limb(const BatchLimbs& all, std::size_t i) {
  const auto& [place, stride] = all.limbs;
  return {{{place.buffer, place.word + i * stride}, stride}, all.batch_stride};
}

LimbOperand in_batches(const LimbOperand& operand, const BatchLimbs& all, std::size_t count) {
  return in_batches(operand, count, all.batch_stride);
}

std::uint64_t fraction_bits(const BasisConversion& conversion) {
  return static_cast<std::uint64_t>(conversion.fraction_bits());
}

}  // namespace

void DeviceConversions::launch_conversion(QueueLanes& lanes, const BatchLimbs& result,
                                          const BatchLimbs& a, std::size_t batch_count,
                                          const Conversion& conversion) const {
  const std::size_t sources = conversion.formula.from().size();
  const LimbOperand source = in_batches(reads_all(a.limbs, sources), a, batch_count);
  // Nothing is divided, so any limbs may stand in for the kept limbs.
  launcher_.launch(lanes, LimbKernel::convert, conversion.count,
                   in_batches(writes(result.limbs), result, batch_count), source, source,
                   conversion.constants, sources, fraction_bits(conversion.formula),
                   std::uint64_t{0});
}

void DeviceConversions::convert(const Limbs& result, std::size_t count, ConstCoeffView a,
                                const BasisConversion& conversion) const {
  const Limbs source = launcher_.resolve(a);
  const Constants constants = constants_.conversion(conversion, count, 1);
  launcher_.memory().with_lanes([&](QueueLanes& lanes) {
    launch_conversion(lanes, {result}, {source}, 1, {conversion, constants, count});
  });
}

DeviceConversions::Constants DeviceConversions::constants_of(const Division& division) const {
  if (division.conversion == nullptr) {
    return constants_.division_by_last(division.primes, division.preserve);
  }
  return constants_.conversion(*division.conversion, division.kept(), division.preserve);
}

/// Returns the constants of the last step of a division in NTT form.
DeviceConversions::Constants DeviceConversions::end_constants(const Division& division,
                                                              const Constants& constants) const {
  if (division.conversion == nullptr) return constants;
  return constants_.division_end(*division.conversion, division.kept(), division.preserve);
}

void DeviceConversions::divide(std::span<const NttView> results, std::span<const ConstNttView> a,
                               const Division& division) const {
  if (division.kept() == 0) {
    constants_of(division);  // may refuse the modulus to preserve
    return;
  }
  const std::vector<Limbs> quotients = launcher_.resolve(results);
  const std::vector<Limbs> dividends = launcher_.resolve(a);
  const std::size_t words = division.primes.size() * launcher_.degree();
  std::size_t at_once = a.size();
  for (std::size_t first = 0; first < a.size();) {
    const std::size_t count = std::min(at_once, a.size() - first);
    const auto batches = in_batches(std::span(dividends).subspan(first, count));
    at_once = std::max<std::size_t>(1, count / 2);
    if (!batches) continue;
    std::optional<DeviceBlock> scratch;
    try {
      scratch.emplace(launcher_.shared_memory(), count * words, Secrecy::secret);
    } catch (const OutOfDeviceMemory&) {
      if (count == 1) throw;
      continue;
    }
    divide_batch(std::span(quotients).subspan(first, count), *batches,
                 {{scratch->place(), launcher_.degree()}, words}, division);
    at_once = count;
    first += count;
  }
}

/// Divides by way of scratch memory, which has a limb for each limb of the dividends.
void DeviceConversions::divide_batch(std::span<const Limbs> quotients, const BatchLimbs& dividends,
                                     const BatchLimbs& scratch, const Division& division) const {
  const std::size_t kept = division.kept();
  const std::size_t count = quotients.size();
  const Constants constants = constants_of(division);
  const Constants end = end_constants(division, constants);
  const auto list = constants_.prime_list(division.primes);
  PrimeList last = list.primes;
  last.place.word += kept;
  last.count = division.dropped;
  const PrimeList others{list.primes.place, kept};
  const BatchLimbs& lifted = scratch;
  const BatchLimbs remainders = from_limb(scratch, kept);
  const bool is_by_prime = division.conversion == nullptr;
  const DeviceNtt& ntt = launcher_.ntt();
  const auto* fused = ntt.fused(is_by_prime ? NttFusion::divide_by_prime : NttFusion::divide);
  const auto divide = [&](QueueLanes& lanes, const BatchLimbs& quotient, std::size_t first,
                          std::size_t batch_count) {
    BatchLimbs source = from_batch(is_by_prime ? remainders : lifted, first);
    if (is_by_prime) source.limbs.stride = 0;
    launcher_.transform(lanes, *fused,
                        {.result = quotient,
                         .a = source,
                         .primes = others,
                         .batch_count = batch_count,
                         .constants = end->place(),
                         .dividend = from_batch(dividends, first),
                         .between = from_batch(lifted, first)});
  };
  launcher_.memory().with_lanes([&](QueueLanes& lanes) {
    launcher_.transform(lanes, ntt.inverse_passes(),
                        {.result = remainders,
                         .a = from_limb(dividends, kept),
                         .primes = last,
                         .batch_count = count});
    if (!is_by_prime) {
      launch_conversion(lanes, lifted, remainders, count, {*division.conversion, constants, kept});
    }
    if (fused != nullptr) {
      if (const auto batches = in_batches(quotients)) return divide(lanes, *batches, 0, count);
      for (std::size_t k = 0; k < count; ++k) divide(lanes, {quotients[k]}, k, 1);
      return;
    }
    if (is_by_prime) {
      for (std::size_t k = 0; k < count; ++k) {
        launcher_.launch(lanes, LimbKernel::lift_divisor_digit, kept, writes(batch(lifted, k)),
                         reads_all(batch(remainders, k), 1), constants);
      }
    }
    launcher_.transform(lanes, ntt.forward_passes(),
                        {.result = lifted, .a = lifted, .primes = others, .batch_count = count});
    for (std::size_t k = 0; k < count; ++k) {
      launcher_.launch(lanes, LimbKernel::division_finish, kept, writes(quotients[k]),
                       reads(batch(dividends, k)), reads(batch(lifted, k)), end);
    }
  });
}

void DeviceConversions::divide(std::span<const CoeffView> results,
                               std::span<const ConstCoeffView> a, const Division& division) const {
  const std::size_t kept = division.kept();
  const std::size_t count = a.size();
  const Constants constants = constants_of(division);
  if (kept == 0) return;
  const auto quotients = in_batches(launcher_.resolve(results));
  const auto dividends = in_batches(launcher_.resolve(a));
  if (!quotients || !dividends) {
    for (std::size_t k = 0; k < count; ++k) {
      divide(results.subspan(k, 1), a.subspan(k, 1), division);
    }
    return;
  }
  const LimbOperand quotient = in_batches(writes(quotients->limbs), *quotients, count);
  const LimbOperand dividend = in_batches(reads(dividends->limbs), *dividends, count);
  const BatchLimbs divided = from_limb(*dividends, kept);
  if (division.conversion == nullptr) {
    launcher_.run(LimbKernel::division_coefficients, kept, quotient, dividend,
                  in_batches(also_reads_all(divided.limbs, 1), divided, count), constants,
                  std::uint64_t{kept});
    return;
  }
  launcher_.run(LimbKernel::convert, kept, quotient,
                in_batches(reads_all(divided.limbs, division.dropped), divided, count), dividend,
                constants, division.dropped, fraction_bits(*division.conversion), std::uint64_t{1});
}

}  // namespace ringlet::gpu
