// SPDX-License-Identifier: Apache-2.0
#include "fv/products/finish.hpp"

#include <algorithm>

#include "fv/products/digit_constants.hpp"
#include "fv/products/integer.hpp"

namespace ringlet::wide {
namespace {

/// Kernels with limbs take sums of fewer than so many bits more than q has, whose highest plane
/// begins within the bits of q.
constexpr int kLimbQuotientBits = 50;

kernels::Chosen<kernels::ResidueKernel> choose(const WideModulus& q, const LimbShape& shape,
                                               const KernelSelection& selection) {
  const int highest = shape.limb_bits * static_cast<int>(shape.limb_count - 1);
  const bool fits = shape.value_bits < q.bit_count() + kLimbQuotientBits && highest < q.bit_count();
  return kernels::choose_residue(fits ? selection : KernelSelection("scalar64"));
}

}  // namespace

Finish::Finish(const WideModulus& q, const LimbShape& shape, const KernelSelection& kernels)
    : shape_(shape), constants_(modulus_constants(q)), kernel_(choose(q, shape, kernels)) {
  const WideInteger offset = multiple_from(LongInteger::power_of_two(shape.value_bits), q);
  std::copy(offset.begin(), offset.end(), constants_.offset);
}

void Finish::run(WidePoly& result, std::span<const std::uint64_t> planes, std::size_t stride,
                 std::span<const std::int32_t> e) const {
  kernels::FinishArguments arguments;
  arguments.digits = &constants_;
  arguments.planes = planes.data();
  arguments.stride = stride;
  arguments.limb_bits = shape_.limb_bits;
  arguments.limb_count = shape_.limb_count;
  arguments.e = e.empty() ? nullptr : e.data();
  arguments.count = result.degree();
  for (std::size_t w = 0; w < result.word_count(); ++w) {
    arguments.results[w] = result.plane(w).data();
  }
  kernel_.counter.count();
  kernel_.kernel->finish(arguments);
}

}  // namespace ringlet::wide
