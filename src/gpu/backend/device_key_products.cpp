// SPDX-License-Identifier: Apache-2.0
#include "gpu/backend/device_key_products.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "ringlet/gpu/device.hpp"
#include "ringlet/ring/rns_poly.hpp"

namespace ringlet::gpu {
namespace {

/// The targets that are a digit's own primes, among `count` targets from number `first` on, as
/// numbers relative to `first`.
struct OwnTargets {
  std::size_t begin;
  std::size_t end;

  OwnTargets(const KeySwitchDigit& digit, std::size_t first, std::size_t count)
      : begin(std::clamp(digit.first, first, first + count) - first),
        end(std::clamp(digit.first + digit.count, first, first + count) - first) {}
  std::size_t count() const { return end - begin; }
};

std::vector<std::size_t> without_own(PrimeIndices targets, const KeySwitchDigit& digit) {
  std::vector<std::size_t> others;
  for (const std::size_t prime : targets) {
    if (prime < digit.first || prime - digit.first >= digit.count) others.push_back(prime);
  }
  return others;
}

/// Returns the words of the constants of a digit's lifts, as division.inc has them.
std::uint64_t lift_constants(std::size_t limb_count) { return 8 * (limb_count + 1); }

Limbs later(const Limbs& limbs, std::uint64_t words) {
  return {{limbs.place.buffer, limbs.place.word + words}, limbs.stride};
}

}  // namespace

void DeviceKeyProducts::multiply(NttView sum_b, NttView sum_a, const KeySwitchSource& source,
                                 const DeviceKey& key, PrimeIndices targets) const {
  RINGLET_ASSERT(source.digits.size() <= key.digit_count());
  std::size_t at_once = targets.size();
  for (std::size_t first = 0; first < targets.size();) {
    const std::size_t count = std::min(at_once, targets.size() - first);
    const Part part{sum_b.part(first, count),
                    sum_a.part(first, count),
                    targets.subspan(first, count),
                    first,
                    source,
                    key};
    try {
      kernel_.is_there() ? multiply_in_passes(part) : multiply_plainly(part);
      first += count;
    } catch (const OutOfDeviceMemory&) {
      if (count == 1) throw;
      at_once = count / 2;
    }
  }
}

void DeviceKeyProducts::multiply_plainly(const Part& part) const {
  std::vector<NttPoly> lifted;
  std::vector<ConstNttView> views;
  for (const KeySwitchDigit& digit : part.source.digits) {
    lifted.emplace_back(part.targets.size(), launcher_.degree(), Secrecy::open,
                        Contents::unspecified);
    const NttView all = lifted.back().view_for_writing(backend_);
    lift_plainly(all, part, digit);
    views.push_back(all);
  }
  backend_.key_inner_product(part.sum_b, part.sum_a, views, {part.key}, part.targets);
}

/// Lifts one digit to the targets of a part. Modulo its own primes the digit is the source itself.
void DeviceKeyProducts::lift_plainly(NttView result, const Part& part,
                                     const KeySwitchDigit& digit) const {
  const KeySwitchSource& source = part.source;
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
  CoeffPoly converted(count - own.count(), launcher_.degree(), Secrecy::open,
                      Contents::unspecified);
  const CoeffView coefficients = converted.view_for_writing(backend_);
  if (coefficients.limb_count > 0) convert(launcher_.resolve(coefficients), part, digit);
  for_others([&](std::size_t target, std::size_t others, std::size_t from) {
    backend_.forward_ntt(result.part(target, others), coefficients.part(from, others),
                         part.targets.subspan(target, others));
  });
}

/// Converts a digit of several primes to the targets of a part that are not its own, at least one.
void DeviceKeyProducts::convert(const Limbs& rows, const Part& part,
                                const KeySwitchDigit& digit) const {
  const BasisConversion& all = *digit.lift;
  const ConstCoeffView own = part.source.coefficients.part(digit.first, digit.count);
  const std::vector<std::size_t> others = without_own(part.targets, digit);
  if (others.size() == all.to().size()) {
    conversions_.convert(rows, others.size(), own, all);
  } else {
    const BasisConversion some(backend_.basis(), all.from(), others);
    conversions_.convert(rows, others.size(), own, some);
  }
}

/// The launch of the kernel for one part. It finds its operands before anything is submitted.
class DeviceKeyProducts::Launch {
 public:
  /// `digits` has a limb for each target and a batch for each digit. Offset digits need `lifts`.
  Launch(const DeviceKeyProducts& products, const Part& part, KeyDigitForm form,
         const BatchLimbs& digits, ConstantCache::Block lifts)
      : kernels_(products.kernel_),
        form_(form),
        kernel_(kernels_.get(form)),
        tables_(products.launcher_.ntt().tables()),
        digits_(digits),
        digit_count_(part.source.digits.size()),
        lift_words_(lift_constants(part.targets.size())),
        constants_(products.kernel_constants(part)),
        lifts_(lifts == nullptr ? constants_ : std::move(lifts)),
        sum_b_(products.launcher_.resolve(part.sum_b)),
        sum_a_(products.launcher_.resolve(part.sum_a)),
        key_(part.key.resolve(products.launcher_.memory(), 0)),
        values_(digits.limbs) {
    const ConstNttView& values = part.source.values;
    // Limbs without a digit of their own read no values, so any limbs may stand in.
    if (values.limb_count == 0) return;
    values_ = products.launcher_.resolve(values);
    values_ = later(values_, part.first * values_.stride);
  }

  std::vector<LimbOperand> sums() const { return {writes(sum_b_), writes(sum_a_)}; }

  /// Submits the launch for limbs [first, end).
  void submit(Queue& queue, std::size_t first, std::size_t end) const {
    std::vector<Argument> arguments;
    append(arguments, sum_b_);
    append(arguments, sum_a_);
    append(arguments, digits_.limbs);
    arguments.emplace_back(digits_.batch_stride);
    append(arguments, values_);
    append(arguments, key_);
    append(arguments, constants_->place());
    append(arguments, lifts_->place());
    arguments.emplace_back(lift_words_);
    append(arguments, tables_);
    arguments.emplace_back(digit_count_);
    arguments.emplace_back(std::uint64_t{first});
    queue.launch(kernel_, kernels_.grid(form_, end - first), arguments);
  }

 private:
  static void append(std::vector<Argument>& arguments, const Place& place) {
    arguments.emplace_back(*place.buffer);
    arguments.emplace_back(place.word);
  }
  static void append(std::vector<Argument>& arguments, const Limbs& limbs) {
    append(arguments, limbs.place);
    arguments.emplace_back(limbs.stride);
  }

  const KeyProductKernel& kernels_;
  KeyDigitForm form_;
  const Kernel& kernel_;
  const Place& tables_;
  BatchLimbs digits_;
  std::uint64_t digit_count_;
  std::uint64_t lift_words_;
  ConstantCache::Block constants_;
  ConstantCache::Block lifts_;
  Limbs sum_b_;
  Limbs sum_a_;
  Limbs key_;
  Limbs values_;
};

void DeviceKeyProducts::multiply_in_passes(const Part& part) const {
  if (part.source.digits.front().lift.has_value()) {
    multiply_converted(part);
  } else {
    multiply_single_primes(part);
  }
}

ConstantCache::Block DeviceKeyProducts::kernel_constants(const Part& part) const {
  const std::span<const KeySwitchDigit> digits = part.source.digits;
  std::vector<std::uint64_t> rows;
  std::vector<std::uint64_t> own_digits(part.targets.size(), digits.size());
  for (std::size_t k = 0; k < digits.size(); ++k) {
    OwnTargets own(digits[k], part.first, part.targets.size());
    const bool is_converted = digits[k].lift.has_value();
    rows.push_back(own.end);
    rows.push_back(is_converted ? own.count() : 0);
    if (part.source.values.limb_count == 0) continue;
    std::fill(own_digits.begin() + static_cast<std::ptrdiff_t>(own.begin),
              own_digits.begin() + static_cast<std::ptrdiff_t>(own.end), k);
  }
  return constants_.key_products(part.targets, rows, own_digits);
}

/// Launches each pass on each lane, digit k of the prime of target digits.front().first + k. Unless
/// blocks are few, the products' kernel runs their pass.
void DeviceKeyProducts::multiply_single_primes(const Part& part) const {
  const DeviceNtt& ntt = launcher_.ntt();
  const std::size_t degree = launcher_.degree();
  const std::size_t limb_count = part.targets.size();
  const std::size_t count = part.source.digits.size();
  const KeyDigitForm form = kernel_.has_few_groups(limb_count) ? KeyDigitForm::values
                            : ntt.has_passes_above_block()     ? KeyDigitForm::above_blocks
                                                               : KeyDigitForm::offsets;
  const bool has_scratch = form != KeyDigitForm::offsets;
  const DeviceNtt::Passes* passes = has_scratch ? ntt.fused(NttFusion::lift_digits) : nullptr;
  const Limbs offset_digits = launcher_.resolve(part.source.coefficients);
  const auto list = constants_.prime_list(part.targets);
  const auto lifts = constants_.digit_lifts(part.targets, part.source.digits.front().first, count);
  const std::uint64_t lift_words = lift_constants(limb_count);
  std::optional<DeviceBlock> scratch;
  if (has_scratch) {
    scratch.emplace(launcher_.shared_memory(), limb_count * count * degree, Secrecy::open);
  }
  const BatchLimbs loaded{{offset_digits.place, 0}, offset_digits.stride};
  const BatchLimbs lifted =
      has_scratch ? BatchLimbs{{scratch->place(), count * degree}, degree} : loaded;
  const Launch launch(*this, part, form, lifted, has_scratch ? nullptr : lifts);
  // A digit with values is not lifted to its own prime.
  const bool leaves_out = part.source.values.limb_count != 0;
  const NttWork work{
      .result = lifted,
      .a = loaded,
      .primes = list.primes,
      .batch_count = count,
      .constants = lifts->place(),
      .constants_stride = lift_words,
      .dividend = {},
      .between = {},
      .left_out = leaves_out ? part.source.digits.front().first - part.first : kNoneLeftOut};
  std::vector<LimbOperand> operands = launch.sums();
  if (has_scratch) operands.push_back(in_batches(writes(lifted.limbs), count, degree));
  launcher_.memory().with_lanes([&](QueueLanes& lanes) {
    launcher_.for_parts(lanes, limb_count, operands,
                        [&](Queue& queue, std::size_t first, std::size_t end) {
                          if (form == KeyDigitForm::values) {
                            ntt.run(queue, *passes, work, first, end);
                          } else if (has_scratch) {
                            ntt.run_above_block(queue, *passes, work, first, end);
                          }
                          launch.submit(queue, first, end);
                        });
  });
}

/// Converts each digit and launches its passes above the block, or all its passes where blocks are
/// too few. Then launches the products.
void DeviceKeyProducts::multiply_converted(const Part& part) const {
  const DeviceNtt& ntt = launcher_.ntt();
  const std::size_t degree = launcher_.degree();
  const std::size_t limb_count = part.targets.size();
  const std::size_t count = part.source.digits.size();
  const DeviceBlock scratch(launcher_.shared_memory(), limb_count * count * degree, Secrecy::open);
  const BatchLimbs lifted{{scratch.place(), count * degree}, degree};
  const KeyDigitForm form =
      kernel_.has_few_groups(limb_count) ? KeyDigitForm::values : KeyDigitForm::above_blocks;
  const Launch launch(*this, part, form, lifted, nullptr);
  for (std::size_t k = 0; k < count; ++k) {
    const KeySwitchDigit& digit = part.source.digits[k];
    const std::vector<std::size_t> others = without_own(part.targets, digit);
    if (others.empty()) continue;
    const Limbs rows = later(lifted.limbs, k * degree);
    convert(rows, part, digit);
    if (form != KeyDigitForm::values && !ntt.has_passes_above_block()) continue;
    const auto list = constants_.prime_list(others);
    const NttWork work{.result = {rows},
                       .a = {rows},
                       .primes = list.primes,
                       .constants = {},
                       .dividend = {},
                       .between = {}};
    const std::array operands{writes(rows)};
    launcher_.memory().with_lanes([&](QueueLanes& lanes) {
      launcher_.for_parts(lanes, others.size(), operands,
                          [&](Queue& queue, std::size_t first, std::size_t end) {
                            if (form == KeyDigitForm::values) {
                              ntt.run(queue, ntt.forward_passes(), work, first, end);
                            } else {
                              ntt.run_above_block(queue, ntt.forward_passes(), work, first, end);
                            }
                          });
    });
  }
  launcher_.memory().with_lanes([&](QueueLanes& lanes) {
    launcher_.for_parts(lanes, limb_count, launch.sums(),
                        [&](Queue& queue, std::size_t first, std::size_t end) {
                          launch.submit(queue, first, end);
                        });
  });
}

}  // namespace ringlet::gpu
