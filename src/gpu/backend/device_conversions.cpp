// SPDX-License-Identifier: Apache-2.0
#include "gpu/backend/device_conversions.hpp"

namespace ringlet::gpu {
namespace {

Limbs limbs_of(const DeviceBlock& block, std::size_t first, std::size_t stride) {
  return {{block.place().buffer, block.place().word + first * stride}, stride};
}

std::uint64_t fraction_bits(const BasisConversion& conversion) {
  return static_cast<std::uint64_t>(conversion.fraction_bits());
}

}  // namespace

void DeviceConversions::launch_conversion(QueueLanes& lanes, const Limbs& result, std::size_t count,
                                          const Limbs& a, const BasisConversion& conversion,
                                          const Constants& constants) const {
  const std::size_t sources = conversion.from().size();
  // Nothing is divided, so any limbs may stand in for the kept limbs.
  launcher_.launch(lanes, LimbKernel::convert, count, writes(result), reads_all(a, sources),
                   reads_all(a, sources), constants, sources, fraction_bits(conversion),
                   std::uint64_t{0});
}

void DeviceConversions::convert(const Limbs& result, std::size_t count, ConstCoeffView a,
                                const BasisConversion& conversion) const {
  const Limbs source = launcher_.resolve(a);
  const Constants constants = constants_.conversion(conversion, count, 1);
  launcher_.memory().with_lanes([&](QueueLanes& lanes) {
    launch_conversion(lanes, result, count, source, conversion, constants);
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

void DeviceConversions::divide(NttView result, ConstNttView a, const Division& division) const {
  const std::size_t kept = division.kept();
  const std::size_t degree = launcher_.degree();
  const Constants constants = constants_of(division);
  if (kept == 0) return;
  const Constants end = end_constants(division, constants);
  const auto list = constants_.prime_list(division.primes);
  PrimeList last = list.primes;
  last.place.word += kept;
  last.count = division.dropped;
  const PrimeList others{list.primes.place, kept};
  const Limbs quotient = launcher_.resolve(result);
  const Limbs dividend = launcher_.resolve(a);
  const Limbs divided = launcher_.resolve(a.part(kept, division.dropped));
  const DeviceBlock scratch(launcher_.shared_memory(), division.primes.size() * degree,
                            Secrecy::secret);
  const Limbs lifted = limbs_of(scratch, 0, degree);
  const Limbs remainders = limbs_of(scratch, kept, degree);
  const bool is_by_prime = division.conversion == nullptr;
  const auto* fused =
      launcher_.ntt().fused(is_by_prime ? NttFusion::divide_by_prime : NttFusion::divide);
  launcher_.memory().with_lanes([&](QueueLanes& lanes) {
    launcher_.inverse(lanes, remainders, divided, last);
    if (!is_by_prime) {
      launch_conversion(lanes, lifted, kept, remainders, *division.conversion, constants);
    }
    if (fused != nullptr) {
      launcher_.transform(lanes, *fused,
                          {.result = {quotient},
                           .a = {is_by_prime ? Limbs{remainders.place, 0} : lifted},
                           .primes = others,
                           .constants = end->place(),
                           .dividend = {dividend},
                           .between = {lifted}});
      return;
    }
    if (is_by_prime) {
      launcher_.launch(lanes, LimbKernel::lift_divisor_digit, kept, writes(lifted),
                       reads_all(remainders, 1), constants);
    }
    launcher_.forward(lanes, lifted, lifted, others);
    launcher_.launch(lanes, LimbKernel::division_finish, kept, writes(quotient), reads(dividend),
                     reads(lifted), end);
  });
}

void DeviceConversions::divide(CoeffView result, ConstCoeffView a, const Division& division) const {
  const std::size_t kept = division.kept();
  const Constants constants = constants_of(division);
  if (kept == 0) return;
  const Limbs quotient = launcher_.resolve(result);
  const Limbs dividend = launcher_.resolve(a);
  const Limbs divided = launcher_.resolve(a.part(kept, division.dropped));
  if (division.conversion == nullptr) {
    launcher_.run(LimbKernel::division_coefficients, kept, writes(quotient), reads(dividend),
                  also_reads_all(divided, 1), constants, std::uint64_t{kept});
    return;
  }
  launcher_.run(LimbKernel::convert, kept, writes(quotient), reads_all(divided, division.dropped),
                reads(dividend), constants, division.dropped, fraction_bits(*division.conversion),
                std::uint64_t{1});
}

}  // namespace ringlet::gpu
