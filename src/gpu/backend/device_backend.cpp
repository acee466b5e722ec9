// SPDX-License-Identifier: Apache-2.0
#include "gpu/backend/device_backend.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/text.hpp"
#include "gpu/backend/device_constants.hpp"
#include "gpu/backend/device_conversions.hpp"
#include "gpu/backend/device_key.hpp"
#include "gpu/backend/device_key_products.hpp"
#include "gpu/backend/device_matrix.hpp"
#include "gpu/backend/limb_launcher.hpp"
#include "ringlet/ring/backend.hpp"
#include "ringlet/ring/basis_conversion.hpp"

namespace ringlet::gpu {
namespace {

/// Returns the inverse of an odd number modulo 2^64 (Newton). The first value is correct in three
/// bits, and each step doubles the number of correct bits.
std::uint64_t inverse_of_odd(std::uint64_t value) {
  std::uint64_t inverse = value;
  for (int bits = 3; bits < 64; bits *= 2) inverse *= 2 - value * inverse;
  return inverse;
}

// Every primitive first finds its operands, constants and scratch memory, so that a refusal changes
// nothing. Memory that it releases when it returns serves later launches only, because launches
// take effect in order.
class DeviceBackend final : public Backend {
 public:
  DeviceBackend(RnsBasis rns_basis, std::shared_ptr<DeviceMemory> device_memory)
      : Backend(std::move(rns_basis), device_memory),
        memory_(std::move(device_memory)),
        launcher_(memory_, basis()),
        constants_(memory_, basis()),
        conversions_(launcher_, constants_),
        key_products_(*this, launcher_, constants_, conversions_) {}

  std::string name() const override { return memory_->name(); }
  std::vector<std::string> kernel_names() const override {
    std::vector<std::string> names;
    names.reserve(basis().size());
    for (std::size_t i = 0; i < basis().size(); ++i) {
      names.push_back(concat(name(), "/", launcher_.ntt_name(i)));
    }
    return names;
  }

  void do_copy(ResidueView result, ConstResidueView a) const override {
    run(LimbKernel::copy, result.limb_count, writes(resolve(result)), reads(resolve(a)));
  }
  void do_forward_ntt(NttView result, ConstCoeffView a, PrimeIndices primes) const override {
    const Limbs to = resolve(result);
    const Limbs from = resolve(a);
    const auto list = constants_.prime_list(primes);
    memory_->with_lanes(
        [&](QueueLanes& lanes) { launcher_.forward(lanes, to, from, list.primes); });
  }
  void do_inverse_ntt(CoeffView result, ConstNttView a, PrimeIndices primes) const override {
    const Limbs to = resolve(result);
    const Limbs from = resolve(a);
    const auto list = constants_.prime_list(primes);
    memory_->with_lanes(
        [&](QueueLanes& lanes) { launcher_.inverse(lanes, to, from, list.primes); });
  }
  void do_add(ResidueView result, ConstResidueView a, ConstResidueView b,
              PrimeIndices primes) const override {
    run_on_words(LimbKernel::add, primes, result, a, b);
  }
  void do_subtract(ResidueView result, ConstResidueView a, ConstResidueView b,
                   PrimeIndices primes) const override {
    run_on_words(LimbKernel::subtract, primes, result, a, b);
  }
  void do_negate(ResidueView result, ConstResidueView a, PrimeIndices primes) const override {
    run_on_words(LimbKernel::negate, primes, result, a);
  }
  void do_multiply(NttView result, ConstNttView a, ConstNttView b,
                   PrimeIndices primes) const override {
    run_on_words(LimbKernel::multiply, primes, result, a, b);
  }
  void do_multiply_add(NttView result, ConstNttView a, ConstNttView b, ConstNttView c,
                       PrimeIndices primes) const override {
    run_on_words(LimbKernel::multiply_add, primes, result, a, b, c);
  }
  void do_multiply_accumulate(NttView result, ConstViews a, ConstViews b,
                              PrimeIndices primes) const override;
  // The base class multiplies entries that do not lie at constant distances one by one.
  void do_multiply_matrices(const NttMatrix& c, const ConstNttMatrix& a, const ConstNttMatrix& b,
                            std::size_t held, PrimeIndices primes) const override {
    const auto constants = constants_.primes(primes);
    if (matrices_.multiply(c, a, b, held, constants, primes.size())) return;
    Backend::do_multiply_matrices(c, a, b, held, primes);
  }
  void do_multiply_scalars(ResidueView result, ConstResidueView a, ConstWords scalars,
                           PrimeIndices primes) const override {
    run(LimbKernel::multiply_scalars, primes.size(), writes(resolve(result)), reads(resolve(a)),
        constants_.scalars(primes, scalars));
  }
  void do_multiply_scalars_add(ResidueView result, ConstResidueView a, ConstResidueView b,
                               ConstWords scalars, PrimeIndices primes) const override {
    run(LimbKernel::multiply_scalars_add, primes.size(), writes(resolve(result)), reads(resolve(a)),
        reads(resolve(b)), constants_.scalars(primes, scalars));
  }
  void do_automorphism(NttView result, ConstNttView a, std::uint64_t galois_element,
                       PrimeIndices primes) const override {
    run(LimbKernel::automorphism_values, primes.size(), writes(resolve(result)), reads(resolve(a)),
        galois_element, degree_bits());
  }
  void do_automorphism(CoeffView result, ConstCoeffView a, std::uint64_t galois_element,
                       PrimeIndices primes) const override {
    run(LimbKernel::automorphism_coefficients, primes.size(), writes(resolve(result)),
        reads(resolve(a)), inverse_of_odd(galois_element), degree_bits(),
        constants_.primes(primes));
  }
  void do_lift_digit(CoeffView result, ConstWords digit, std::size_t digit_prime,
                     PrimeIndices primes) const override {
    static_cast<void>(digit_prime);  // a value below a prime is reduced already
    run(LimbKernel::reduce, primes.size(), writes(resolve(result)), reads_all(resolve(digit), 1),
        constants_.primes(primes));
  }
  void do_inverse_ntt_to_digits(CoeffView result, ConstNttView a,
                                PrimeIndices primes) const override;
  void do_to_digits(CoeffView result, ConstCoeffView a, PrimeIndices primes) const override {
    run_on_words(LimbKernel::to_digits, primes, result, a);
  }
  void do_lift_digit_to_ntt(NttView result, ConstWords digit, std::size_t digit_prime,
                            PrimeIndices primes) const override;
  void do_convert_basis(CoeffView result, ConstCoeffView a,
                        const BasisConversion& conversion) const override {
    conversions_.convert(resolve(result), result.limb_count, a, conversion);
  }
  void do_convert_to_modulus(std::span<std::uint64_t> result, ConstCoeffView a,
                             const BasisConversion& conversion) const override {
    conversions_.convert(resolve(ConstWords(result)), 1, a, conversion);
  }
  void do_divide_and_round_by_last(NttView result, ConstNttView a, PrimeIndices primes,
                                   std::uint64_t preserve) const override {
    divide<Form::ntt>({&result, 1}, {&a, 1}, primes, nullptr, preserve);
  }
  void do_divide_and_round_by_last(CoeffView result, ConstCoeffView a, PrimeIndices primes,
                                   std::uint64_t preserve) const override {
    divide<Form::coefficient>({&result, 1}, {&a, 1}, primes, nullptr, preserve);
  }
  void do_divide_and_round(NttView result, ConstNttView a, PrimeIndices primes,
                           const BasisConversion& conversion,
                           std::uint64_t preserve) const override {
    divide<Form::ntt>({&result, 1}, {&a, 1}, primes, &conversion, preserve);
  }
  void do_divide_and_round(CoeffView result, ConstCoeffView a, PrimeIndices primes,
                           const BasisConversion& conversion,
                           std::uint64_t preserve) const override {
    divide<Form::coefficient>({&result, 1}, {&a, 1}, primes, &conversion, preserve);
  }
  void do_divide_and_round_each(std::span<const NttView> results, ConstViews a, PrimeIndices primes,
                                const BasisConversion* conversion,
                                std::uint64_t preserve) const override {
    divide<Form::ntt>(results, a, primes, conversion, preserve);
  }
  void do_divide_and_round_each(std::span<const CoeffView> results,
                                std::span<const ConstCoeffView> a, PrimeIndices primes,
                                const BasisConversion* conversion,
                                std::uint64_t preserve) const override {
    divide<Form::coefficient>(results, a, primes, conversion, preserve);
  }
  std::shared_ptr<const PreparedKey> do_prepare_key(ConstViews b, ConstViews a) const override {
    return std::make_shared<const DeviceKey>(memory_, b, a);
  }
  void do_key_inner_product(NttView sum_b, NttView sum_a, ConstViews lifted_digits,
                            const KeyTerms& terms, PrimeIndices primes) const override;
  void do_multiply_digits_by_key(NttView sum_b, NttView sum_a, const KeySwitchSource& source,
                                 const PreparedKey& key, PrimeIndices targets) const override {
    key_products_.multiply(sum_b, sum_a, source, dynamic_cast<const DeviceKey&>(key), targets);
  }

 private:
  std::size_t degree() const { return basis().degree(); }
  std::uint64_t degree_bits() const {
    return static_cast<std::uint64_t>(std::countr_zero(degree()));
  }

  template <Form F>
  void divide(std::span<const PolyView<F>> results, std::span<const ConstPolyView<F>> a,
              PrimeIndices primes, const BasisConversion* conversion,
              std::uint64_t preserve) const {
    const std::size_t dropped = conversion == nullptr ? 1 : conversion->from().size();
    conversions_.divide(results, a, {primes, dropped, preserve, conversion});
  }

  /// Runs a kernel on the limbs of `result` and of the operands, with constants of their primes.
  template <typename View, typename... Operands>
  void run_on_words(LimbKernel kernel, PrimeIndices primes, const View& result,
                    const Operands&... operands) const {
    run(kernel, primes.size(), writes(resolve(result)), reads(resolve(operands))...,
        constants_.primes(primes));
  }

  template <typename View>
  auto resolve(const View& view) const -> decltype(std::declval<LimbLauncher>().resolve(view)) {
    return launcher_.resolve(view);
  }
  template <typename... Values>
  void run(LimbKernel kernel, std::size_t limb_count, const Values&... values) const {
    launcher_.run(kernel, limb_count, values...);
  }

  std::shared_ptr<DeviceMemory> memory_;
  LimbLauncher launcher_;
  BackendConstants constants_;
  DeviceConversions conversions_;
  DeviceKeyProducts key_products_;
  DeviceMatrices matrices_{memory_};
};

void DeviceBackend::do_multiply_accumulate(NttView result, ConstViews a, ConstViews b,
                                           PrimeIndices primes) const {
  const Limbs sum = resolve(result);
  const std::vector<Limbs> a_limbs = resolve(a);
  const std::vector<Limbs> b_limbs = resolve(b);
  const auto constants = constants_.primes(primes);
  memory_->with_lanes([&](QueueLanes& lanes) {
    for (std::size_t first = 0; first < a.size(); first += kProductsPerLaunch) {
      const std::size_t count = std::min(kProductsPerLaunch, a.size() - first);
      std::vector<LimbOperand> pairs;
      for (std::size_t k = 0; k < kProductsPerLaunch; ++k) {
        const std::size_t pair = first + std::min(k, count - 1);
        pairs.push_back(reads(a_limbs[pair]));
        pairs.push_back(reads(b_limbs[pair]));
      }
      launcher_.launch(lanes, LimbKernel::sum_products, primes.size(), writes(sum), pairs,
                       constants, count, std::uint64_t{first != 0});
    }
  });
}

void DeviceBackend::do_inverse_ntt_to_digits(CoeffView result, ConstNttView a,
                                             PrimeIndices primes) const {
  const Limbs digits = resolve(result);
  const Limbs values = resolve(a);
  const auto list = constants_.prime_list(primes);
  const auto constants = constants_.primes(primes);
  const auto* fused = launcher_.ntt().fused(NttFusion::make_digits);
  memory_->with_lanes([&](QueueLanes& lanes) {
    if (fused != nullptr) {
      launcher_.transform(lanes, *fused,
                          {.result = {digits}, .a = {values}, .primes = list.primes});
      return;
    }
    launcher_.inverse(lanes, digits, values, list.primes);
    launcher_.launch(lanes, LimbKernel::to_digits, primes.size(), writes(digits), reads(digits),
                     constants);
  });
}

void DeviceBackend::do_lift_digit_to_ntt(NttView result, ConstWords digit, std::size_t digit_prime,
                                         PrimeIndices primes) const {
  const Limbs lifted = resolve(result);
  const Limbs source = resolve(digit);
  const auto list = constants_.prime_list(primes);
  const auto constants = constants_.digit_lift(primes, digit_prime);
  const auto* fused = launcher_.ntt().fused(NttFusion::lift_digits);
  memory_->with_lanes([&](QueueLanes& lanes) {
    if (fused != nullptr) {
      const Limbs shared{source.place, 0};
      launcher_.transform(lanes, *fused,
                          {.result = {lifted},
                           .a = {shared},
                           .primes = list.primes,
                           .constants = constants->place()});
      return;
    }
    launcher_.launch(lanes, LimbKernel::lift_offset_digit, primes.size(), writes(lifted),
                     reads_all(source, 1), constants);
    launcher_.forward(lanes, lifted, lifted, list.primes);
  });
}

void DeviceBackend::do_key_inner_product(NttView sum_b, NttView sum_a, ConstViews lifted_digits,
                                         const KeyTerms& terms, PrimeIndices primes) const {
  const auto& device_key = dynamic_cast<const DeviceKey&>(terms.key);
  const std::size_t count = lifted_digits.size();
  RINGLET_ASSERT(terms.first + count <= device_key.digit_count());
  const Limbs b = resolve(sum_b);
  const Limbs a = resolve(sum_a);
  const std::vector<Limbs> digits = resolve(lifted_digits);
  const auto constants = constants_.primes(primes);
  const Limbs pairs = device_key.resolve(*memory_, terms.first);
  memory_->with_lanes([&](QueueLanes& lanes) {
    for (std::size_t first = 0; first < count; first += kProductsPerLaunch) {
      const std::size_t digit_count = std::min(kProductsPerLaunch, count - first);
      std::vector<LimbOperand> used;
      for (std::size_t k = 0; k < kProductsPerLaunch; ++k) {
        used.push_back(reads(digits[first + std::min(k, digit_count - 1)]));
      }
      Limbs part = pairs;
      part.place.word += 2 * first * degree();
      launcher_.launch(lanes, LimbKernel::key_products, primes.size(), writes(b), writes(a), used,
                       part, constants, degree(), digit_count,
                       std::uint64_t{terms.adds || first != 0});
    }
  });
}

}  // namespace

std::shared_ptr<const Backend> make_device_backend(RnsBasis basis,
                                                   std::shared_ptr<DeviceMemory> memory) {
  return std::make_shared<const DeviceBackend>(std::move(basis), std::move(memory));
}

}  // namespace ringlet::gpu
