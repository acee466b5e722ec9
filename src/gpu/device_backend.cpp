// SPDX-License-Identifier: Apache-2.0
#include "gpu/device_backend.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "gpu/device_backend_kernels.hpp"
#include "gpu/device_constants.hpp"
#include "gpu/device_key.hpp"
#include "gpu/device_ntt.hpp"
#include "ringlet/basis_conversion.hpp"

namespace ringlet::gpu {
namespace {

using ConstWords = std::span<const std::uint64_t>;

/// The inverse of an odd number modulo 2^64 (Newton): each step doubles the bits that are right,
/// of which an odd number has three to begin with.
std::uint64_t inverse_of_odd(std::uint64_t value) {
  std::uint64_t inverse = value;
  for (int bits = 3; bits < 64; bits *= 2) inverse *= 2 - value * inverse;
  return inverse;
}

// Every primitive finds its operands, constants and scratch memory first: what may be refused has
// changed nothing. What it does not hold any more when it returns serves later launches only,
// because the queue is in order.
class DeviceBackend final : public Backend {
 public:
  DeviceBackend(RnsBasis rns_basis, std::shared_ptr<DeviceMemory> device_memory)
      : Backend(std::move(rns_basis), device_memory),
        memory_(std::move(device_memory)),
        kernels_(memory_->device(), memory_->options()),
        ntt_(memory_, basis()),
        constants_(memory_, basis()) {}

  std::string name() const override { return memory_->name(); }
  std::vector<std::string> kernel_names() const override;

  void copy(ResidueView result, ConstResidueView a) const override;
  void forward_ntt(NttView result, ConstCoeffView a, PrimeIndices primes) const override;
  void inverse_ntt(CoeffView result, ConstNttView a, PrimeIndices primes) const override;
  void add(ResidueView result, ConstResidueView a, ConstResidueView b,
           PrimeIndices primes) const override;
  void subtract(ResidueView result, ConstResidueView a, ConstResidueView b,
                PrimeIndices primes) const override;
  void negate(ResidueView result, ConstResidueView a, PrimeIndices primes) const override;
  void multiply(NttView result, ConstNttView a, ConstNttView b, PrimeIndices primes) const override;
  void multiply_add(NttView result, ConstNttView a, ConstNttView b, ConstNttView c,
                    PrimeIndices primes) const override;
  void multiply_accumulate(NttView result, std::span<const ConstNttView> a,
                           std::span<const ConstNttView> b, PrimeIndices primes) const override;
  void multiply_scalars(ResidueView result, ConstResidueView a, ConstWords scalars,
                        PrimeIndices primes) const override;
  void automorphism(NttView result, ConstNttView a, std::uint64_t galois_element,
                    PrimeIndices primes) const override;
  void automorphism(CoeffView result, ConstCoeffView a, std::uint64_t galois_element,
                    PrimeIndices primes) const override;
  void lift_digit(CoeffView result, ConstWords digit, std::size_t digit_prime,
                  PrimeIndices primes) const override;
  void inverse_ntt_to_digits(CoeffView result, ConstNttView a, PrimeIndices primes) const override;
  void to_digits(CoeffView result, ConstCoeffView a, PrimeIndices primes) const override;
  void lift_digit_to_ntt(NttView result, ConstWords digit, std::size_t digit_prime,
                         PrimeIndices primes) const override;
  void convert_basis(CoeffView result, ConstCoeffView a,
                     const BasisConversion& conversion) const override;
  void convert_to_modulus(std::span<std::uint64_t> result, ConstCoeffView a,
                          const BasisConversion& conversion) const override;
  void divide_and_round_by_last(NttView result, ConstNttView a, PrimeIndices primes,
                                std::uint64_t preserve) const override;
  void divide_and_round_by_last(CoeffView result, ConstCoeffView a, PrimeIndices primes,
                                std::uint64_t preserve) const override;
  void divide_and_round(NttView result, ConstNttView a, PrimeIndices primes,
                        const BasisConversion& conversion, std::uint64_t preserve) const override;
  void divide_and_round(CoeffView result, ConstCoeffView a, PrimeIndices primes,
                        const BasisConversion& conversion, std::uint64_t preserve) const override;
  std::shared_ptr<const PreparedKey> prepare_key(std::span<const ConstNttView> b,
                                                 std::span<const ConstNttView> a) const override;
  void key_inner_product(NttView sum_b, NttView sum_a, std::span<const ConstNttView> lifted_digits,
                         std::size_t first_digit, const PreparedKey& key,
                         PrimeIndices primes) const override;

 private:
  std::size_t degree() const { return basis().degree(); }
  std::uint64_t degree_bits() const {
    return static_cast<std::uint64_t>(std::countr_zero(degree()));
  }

  template <Form F, typename Word>
  bool fits(const BasicPolyView<F, Word>& view, std::size_t limb_count) const {
    return view.degree == degree() && view.limb_count == limb_count &&
           (limb_count <= 1 || view.limb_stride >= view.degree);
  }
  /// Whether all views have one limb per entry of `primes`, all of them of this basis.
  template <typename... Views>
  bool match(PrimeIndices primes, const Views&... views) const {
    return std::all_of(primes.begin(), primes.end(),
                       [this](std::size_t prime) { return prime < basis().size(); }) &&
           (fits(views, primes.size()) && ...);
  }

  /// @throws LogicError if the words are not in this backend's memory.
  template <Form F, typename Word>
  Limbs resolve(const BasicPolyView<F, Word>& view) const {
    return {memory_->resolve(view.data), view.limb_stride};
  }
  std::vector<Limbs> resolve(std::span<const ConstNttView> views) const;
  Limbs resolve(ConstWords limb) const { return {memory_->resolve(limb.data()), degree()}; }
  static Limbs limbs_of(const DeviceBlock& block, std::size_t first, std::size_t stride) {
    return {{block.place().buffer, block.place().word + first * stride}, stride};
  }

  /// One launch over limbs; the arguments are followed by their number.
  template <typename... Values>
  void launch(Queue& queue, LimbKernel kernel, std::size_t limb_count,
              const Values&... values) const {
    const auto list = make_arguments(values..., std::uint64_t{limb_count});
    kernels_.launch(queue, kernel, degree(), limb_count, list);
  }
  template <typename... Values>
  void run(LimbKernel kernel, std::size_t limb_count, const Values&... values) const {
    memory_->with_queue([&](Queue& queue) { launch(queue, kernel, limb_count, values...); });
  }

  /// A conversion or, where there are limbs that are kept, a division by its product.
  struct Converted {
    Limbs result;
    Limbs a;
    const Limbs* kept;
    std::size_t target_count;
  };
  void launch_conversion(Queue& queue, const Converted& limbs, const BasisConversion& conversion,
                         const ConstantCache::Block& constants) const;
  /// Whether the last primes are those that `conversion` starts from, and the others those that it
  /// leads to.
  static bool is_divisor(PrimeIndices primes, const BasisConversion& conversion);

  std::shared_ptr<DeviceMemory> memory_;
  BackendKernels kernels_;
  DeviceNtt ntt_;
  BackendConstants constants_;
};

std::vector<std::string> DeviceBackend::kernel_names() const {
  std::vector<std::string> names;
  names.reserve(basis().size());
  for (std::size_t i = 0; i < basis().size(); ++i) {
    names.push_back(concat(name(), "/", ntt_.name(i)));
  }
  return names;
}

std::vector<Limbs> DeviceBackend::resolve(std::span<const ConstNttView> views) const {
  std::vector<Limbs> limbs;
  limbs.reserve(views.size());
  for (const ConstNttView& view : views) limbs.push_back(resolve(view));
  return limbs;
}

void DeviceBackend::copy(ResidueView result, ConstResidueView a) const {
  assert(result.limb_count <= a.limb_count && result.degree == a.degree);
  if (result.limb_count == 0 || result.data == a.data) return;
  run(LimbKernel::copy, result.limb_count, resolve(result), resolve(a));
}

void DeviceBackend::forward_ntt(NttView result, ConstCoeffView a, PrimeIndices primes) const {
  assert(match(primes, result, a));
  if (primes.empty()) return;
  const Limbs to = resolve(result);
  const Limbs from = resolve(a);
  const auto list = constants_.prime_list(primes);
  memory_->with_queue([&](Queue& queue) { ntt_.forward(queue, to, from, list.primes); });
}

void DeviceBackend::inverse_ntt(CoeffView result, ConstNttView a, PrimeIndices primes) const {
  assert(match(primes, result, a));
  if (primes.empty()) return;
  const Limbs to = resolve(result);
  const Limbs from = resolve(a);
  const auto list = constants_.prime_list(primes);
  memory_->with_queue([&](Queue& queue) { ntt_.inverse(queue, to, from, list.primes); });
}

void DeviceBackend::add(ResidueView result, ConstResidueView a, ConstResidueView b,
                        PrimeIndices primes) const {
  assert(match(primes, result, a, b));
  if (primes.empty()) return;
  run(LimbKernel::add, primes.size(), resolve(result), resolve(a), resolve(b),
      constants_.primes(primes));
}

void DeviceBackend::subtract(ResidueView result, ConstResidueView a, ConstResidueView b,
                             PrimeIndices primes) const {
  assert(match(primes, result, a, b));
  if (primes.empty()) return;
  run(LimbKernel::subtract, primes.size(), resolve(result), resolve(a), resolve(b),
      constants_.primes(primes));
}

void DeviceBackend::negate(ResidueView result, ConstResidueView a, PrimeIndices primes) const {
  assert(match(primes, result, a));
  if (primes.empty()) return;
  run(LimbKernel::negate, primes.size(), resolve(result), resolve(a), constants_.primes(primes));
}

void DeviceBackend::multiply(NttView result, ConstNttView a, ConstNttView b,
                             PrimeIndices primes) const {
  assert(match(primes, result, a, b));
  if (primes.empty()) return;
  run(LimbKernel::multiply, primes.size(), resolve(result), resolve(a), resolve(b),
      constants_.primes(primes));
}

void DeviceBackend::multiply_add(NttView result, ConstNttView a, ConstNttView b, ConstNttView c,
                                 PrimeIndices primes) const {
  assert(match(primes, result, a, b, c));
  if (primes.empty()) return;
  run(LimbKernel::multiply_add, primes.size(), resolve(result), resolve(a), resolve(b), resolve(c),
      constants_.primes(primes));
}

void DeviceBackend::multiply_accumulate(NttView result, std::span<const ConstNttView> a,
                                        std::span<const ConstNttView> b,
                                        PrimeIndices primes) const {
  assert(!a.empty() && a.size() == b.size() && match(primes, result));
  if (primes.empty()) return;
  const Limbs sum = resolve(result);
  const std::vector<Limbs> a_limbs = resolve(a);
  const std::vector<Limbs> b_limbs = resolve(b);
  const auto constants = constants_.primes(primes);
  memory_->with_queue([&](Queue& queue) {
    for (std::size_t first = 0; first < a.size(); first += kProductsPerLaunch) {
      const std::size_t count = std::min(kProductsPerLaunch, a.size() - first);
      std::vector<Limbs> pairs;
      for (std::size_t k = 0; k < kProductsPerLaunch; ++k) {
        const std::size_t pair = first + std::min(k, count - 1);
        assert(match(primes, a[pair], b[pair]));
        pairs.push_back(a_limbs[pair]);
        pairs.push_back(b_limbs[pair]);
      }
      launch(queue, LimbKernel::sum_products, primes.size(), sum, std::span<const Limbs>(pairs),
             constants, count, std::uint64_t{first != 0});
    }
  });
}

void DeviceBackend::multiply_scalars(ResidueView result, ConstResidueView a, ConstWords scalars,
                                     PrimeIndices primes) const {
  assert(match(primes, result, a) && scalars.size() == primes.size());
  if (primes.empty()) return;
  run(LimbKernel::multiply_scalars, primes.size(), resolve(result), resolve(a),
      constants_.scalars(primes, scalars));
}

void DeviceBackend::automorphism(NttView result, ConstNttView a, std::uint64_t galois_element,
                                 PrimeIndices primes) const {
  assert(match(primes, result, a));
  assert(galois_element % 2 == 1 && galois_element < 2 * degree());
  if (primes.empty()) return;
  run(LimbKernel::automorphism_values, primes.size(), resolve(result), resolve(a), galois_element,
      degree_bits());
}

void DeviceBackend::automorphism(CoeffView result, ConstCoeffView a, std::uint64_t galois_element,
                                 PrimeIndices primes) const {
  assert(match(primes, result, a));
  assert(galois_element % 2 == 1 && galois_element < 2 * degree());
  if (primes.empty()) return;
  run(LimbKernel::automorphism_coefficients, primes.size(), resolve(result), resolve(a),
      inverse_of_odd(galois_element), degree_bits(), constants_.primes(primes));
}

void DeviceBackend::lift_digit(CoeffView result, ConstWords digit, std::size_t digit_prime,
                               PrimeIndices primes) const {
  assert(match(primes, result) && digit.size() == degree() && digit_prime < basis().size());
  static_cast<void>(digit_prime);  // what is below a prime already stays as it is
  if (primes.empty()) return;
  run(LimbKernel::reduce, primes.size(), resolve(result), resolve(digit),
      constants_.primes(primes));
}

void DeviceBackend::inverse_ntt_to_digits(CoeffView result, ConstNttView a,
                                          PrimeIndices primes) const {
  assert(match(primes, result, a));
  if (primes.empty()) return;
  const Limbs digits = resolve(result);
  const Limbs values = resolve(a);
  const auto list = constants_.prime_list(primes);
  const auto constants = constants_.primes(primes);
  memory_->with_queue([&](Queue& queue) {
    ntt_.inverse(queue, digits, values, list.primes);
    launch(queue, LimbKernel::to_digits, primes.size(), digits, digits, constants);
  });
}

void DeviceBackend::to_digits(CoeffView result, ConstCoeffView a, PrimeIndices primes) const {
  assert(match(primes, result, a));
  if (primes.empty()) return;
  run(LimbKernel::to_digits, primes.size(), resolve(result), resolve(a), constants_.primes(primes));
}

void DeviceBackend::lift_digit_to_ntt(NttView result, ConstWords digit, std::size_t digit_prime,
                                      PrimeIndices primes) const {
  assert(match(primes, result) && digit.size() == degree() && digit_prime < basis().size());
  if (primes.empty()) return;
  const Limbs lifted = resolve(result);
  const Limbs source = resolve(digit);
  const auto list = constants_.prime_list(primes);
  const auto constants = constants_.digit_lift(primes, digit_prime);
  memory_->with_queue([&](Queue& queue) {
    launch(queue, LimbKernel::lift_offset_digit, primes.size(), lifted, source, constants);
    ntt_.forward(queue, lifted, lifted, list.primes);
  });
}

void DeviceBackend::launch_conversion(Queue& queue, const Converted& limbs,
                                      const BasisConversion& conversion,
                                      const ConstantCache::Block& constants) const {
  const Limbs& kept = limbs.kept != nullptr ? *limbs.kept : limbs.a;  // any limbs where none are
  const auto list = make_arguments(
      limbs.result, limbs.a, kept, constants, std::uint64_t{conversion.from().size()},
      std::uint64_t{limbs.target_count}, static_cast<std::uint64_t>(conversion.fraction_bits()),
      std::uint64_t{limbs.kept != nullptr});
  const std::size_t groups = (limbs.target_count + kTargetsPerItem - 1) / kTargetsPerItem;
  kernels_.launch(queue, LimbKernel::convert, degree(), groups, list);
}

void DeviceBackend::convert_basis(CoeffView result, ConstCoeffView a,
                                  const BasisConversion& conversion) const {
  assert(match(conversion.from(), a) && fits(result, result.limb_count));
  assert(result.limb_count <= conversion.to().size());
  if (result.limb_count == 0) return;
  const Converted limbs{resolve(result), resolve(a), nullptr, result.limb_count};
  const auto constants = constants_.conversion(conversion, result.limb_count, 1);
  memory_->with_queue(
      [&](Queue& queue) { launch_conversion(queue, limbs, conversion, constants); });
}

void DeviceBackend::convert_to_modulus(std::span<std::uint64_t> result, ConstCoeffView a,
                                       const BasisConversion& conversion) const {
  assert(match(conversion.from(), a) && result.size() == degree());
  assert(conversion.modulus().has_value());
  const Converted limbs{resolve(ConstWords(result)), resolve(a), nullptr, 1};
  const auto constants = constants_.conversion(conversion, 1, 1);
  memory_->with_queue(
      [&](Queue& queue) { launch_conversion(queue, limbs, conversion, constants); });
}

void DeviceBackend::divide_and_round_by_last(NttView result, ConstNttView a, PrimeIndices primes,
                                             std::uint64_t preserve) const {
  assert(match(primes, a) && !primes.empty() && fits(result, primes.size() - 1));
  const std::size_t kept = primes.size() - 1;
  const auto constants = constants_.division_by_last(primes, preserve);
  if (kept == 0) return;
  const auto list = constants_.prime_list(primes);
  PrimeList last = list.primes;
  last.place.word += kept;
  last.count = 1;
  const PrimeList others{list.primes.place, kept};
  const Limbs quotient = resolve(result);
  const Limbs dividend = resolve(a);
  const Limbs divided = resolve(a.part(kept, 1));
  const DeviceBlock scratch(memory_, primes.size() * degree(), Secrecy::secret);
  const Limbs lifted = limbs_of(scratch, 0, degree());
  const Limbs remainder = limbs_of(scratch, kept, degree());
  memory_->with_queue([&](Queue& queue) {
    ntt_.inverse(queue, remainder, divided, last);
    launch(queue, LimbKernel::lift_divisor_digit, kept, lifted, remainder, constants);
    ntt_.forward(queue, lifted, lifted, others);
    launch(queue, LimbKernel::division_finish, kept, quotient, dividend, lifted, constants);
  });
}

void DeviceBackend::divide_and_round_by_last(CoeffView result, ConstCoeffView a,
                                             PrimeIndices primes, std::uint64_t preserve) const {
  assert(match(primes, a) && !primes.empty() && fits(result, primes.size() - 1));
  const std::size_t kept = primes.size() - 1;
  const auto constants = constants_.division_by_last(primes, preserve);
  if (kept == 0) return;
  run(LimbKernel::division_coefficients, kept, resolve(result), resolve(a), constants);
}

bool DeviceBackend::is_divisor(PrimeIndices primes, const BasisConversion& conversion) {
  const std::size_t dropped = conversion.from().size();
  if (primes.size() < dropped) return false;
  const std::size_t kept = primes.size() - dropped;
  return std::ranges::equal(primes.last(dropped), conversion.from()) &&
         conversion.to().size() >= kept &&
         std::ranges::equal(primes.first(kept), conversion.to().first(kept));
}

void DeviceBackend::divide_and_round(NttView result, ConstNttView a, PrimeIndices primes,
                                     const BasisConversion& conversion,
                                     std::uint64_t preserve) const {
  assert(match(primes, a) && is_divisor(primes, conversion));
  const std::size_t dropped = conversion.from().size();
  const std::size_t kept = primes.size() - dropped;
  assert(fits(result, kept));
  const auto constants = constants_.conversion(conversion, kept, preserve);
  if (kept == 0) return;
  const auto end = constants_.division_end(conversion, kept, preserve);
  const auto list = constants_.prime_list(primes);
  PrimeList last = list.primes;
  last.place.word += kept;
  last.count = dropped;
  const PrimeList others{list.primes.place, kept};
  const Limbs quotient = resolve(result);
  const Limbs dividend = resolve(a);
  const Limbs divided = resolve(a.part(kept, dropped));
  const DeviceBlock scratch(memory_, primes.size() * degree(), Secrecy::secret);
  const Limbs lifted = limbs_of(scratch, 0, degree());
  const Limbs remainders = limbs_of(scratch, kept, degree());
  memory_->with_queue([&](Queue& queue) {
    ntt_.inverse(queue, remainders, divided, last);
    launch_conversion(queue, {lifted, remainders, nullptr, kept}, conversion, constants);
    ntt_.forward(queue, lifted, lifted, others);
    launch(queue, LimbKernel::division_finish, kept, quotient, dividend, lifted, end);
  });
}

void DeviceBackend::divide_and_round(CoeffView result, ConstCoeffView a, PrimeIndices primes,
                                     const BasisConversion& conversion,
                                     std::uint64_t preserve) const {
  assert(match(primes, a) && is_divisor(primes, conversion));
  const std::size_t dropped = conversion.from().size();
  const std::size_t kept = primes.size() - dropped;
  assert(fits(result, kept));
  const auto constants = constants_.conversion(conversion, kept, preserve);
  if (kept == 0) return;
  const Limbs dividend = resolve(a);
  const Converted limbs{resolve(result), resolve(a.part(kept, dropped)), &dividend, kept};
  memory_->with_queue(
      [&](Queue& queue) { launch_conversion(queue, limbs, conversion, constants); });
}

std::shared_ptr<const PreparedKey> DeviceBackend::prepare_key(
    std::span<const ConstNttView> b, std::span<const ConstNttView> a) const {
  assert(!b.empty() && a.size() == b.size());
  return std::make_shared<const DeviceKey>(memory_, b, a);
}

void DeviceBackend::key_inner_product(NttView sum_b, NttView sum_a,
                                      std::span<const ConstNttView> lifted_digits,
                                      std::size_t first_digit, const PreparedKey& key,
                                      PrimeIndices primes) const {
  const auto& device_key = dynamic_cast<const DeviceKey&>(key);
  const std::size_t count = lifted_digits.size();
  assert(match(primes, sum_b, sum_a) && count > 0);
  assert(first_digit + count <= device_key.digit_count());
  if (primes.empty()) return;
  const Limbs b = resolve(sum_b);
  const Limbs a = resolve(sum_a);
  const std::vector<Limbs> digits = resolve(lifted_digits);
  const auto constants = constants_.primes(primes);
  const Limbs pairs = device_key.resolve(*memory_, first_digit);
  memory_->with_queue([&](Queue& queue) {
    for (std::size_t first = 0; first < count; first += kProductsPerLaunch) {
      const std::size_t digit_count = std::min(kProductsPerLaunch, count - first);
      std::vector<Limbs> used(digits.begin() + static_cast<std::ptrdiff_t>(first),
                              digits.begin() + static_cast<std::ptrdiff_t>(first + digit_count));
      used.resize(kProductsPerLaunch, used.back());
      Limbs part = pairs;
      part.place.word += 2 * first * degree();
      launch(queue, LimbKernel::key_products, primes.size(), b, a, std::span<const Limbs>(used),
             part, constants, degree(), digit_count, std::uint64_t{first_digit + first != 0});
    }
  });
}

}  // namespace

std::shared_ptr<const Backend> make_device_backend(RnsBasis basis,
                                                   std::shared_ptr<DeviceMemory> memory) {
  return std::make_shared<const DeviceBackend>(std::move(basis), std::move(memory));
}

}  // namespace ringlet::gpu
