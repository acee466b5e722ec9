// SPDX-License-Identifier: Apache-2.0
#include "ring/backend/ring_transforms.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "ntt/digit_sums.hpp"
#include "ntt/rns_call.hpp"

namespace ringlet {
namespace {

// The words of convolutions from which another thread pays.
constexpr std::size_t kGrain = std::size_t{1} << 14;

template <Form F, typename Word>
BasicRnsWords<Word> rns_words(const BasicPolyView<F, Word>& view) {
  if (view.limb_count == 0) return {};
  return {{view.data, (view.limb_count - 1) * view.limb_stride + view.degree}, view.limb_stride};
}

template <typename Body>
void for_limbs(const RingSpec& ring, std::size_t count, const Body& body) {
  parallel_for(count, body, Chunks::even,
               std::max<std::size_t>(1, kGrain / (2 * ring.transform_length())));
}

}  // namespace

RingTransforms::RingTransforms(const RnsBasis& basis, const KernelSelection& selection) {
  if (basis.ring().kind() == RingKind::power_of_two_cyclotomic) {
    negacyclic_.emplace(basis.degree(), basis.moduli(), selection);
    return;
  }
  const auto indices = std::make_shared<const CyclotomicIndices>(basis.ring());
  cyclotomic_.reserve(basis.size());
  for (const Modulus& q : basis.moduli()) cyclotomic_.emplace_back(indices, q, selection);
}

void RingTransforms::forward(NttView result, ConstCoeffView operand, PrimeIndices primes) const {
  if (negacyclic_) {
    negacyclic_->run(
        {RnsNtt::Call::Direction::forward, rns_words(result), rns_words(operand), primes});
    return;
  }
  for_limbs(cyclotomic_.front().ring(), primes.size(), [&](std::size_t i) {
    cyclotomic_[primes[i]].forward(result.limb(i), operand.limb(i));
  });
}

void RingTransforms::inverse(CoeffView result, ConstNttView operand, PrimeIndices primes) const {
  if (negacyclic_) {
    negacyclic_->run(
        {RnsNtt::Call::Direction::inverse, rns_words(result), rns_words(operand), primes});
    return;
  }
  for_limbs(cyclotomic_.front().ring(), primes.size(), [&](std::size_t i) {
    cyclotomic_[primes[i]].inverse(result.limb(i), operand.limb(i));
  });
}

void RingTransforms::forward(std::size_t prime, std::span<std::uint64_t> result,
                             std::span<const std::uint64_t> operand, int input_mod_factor) const {
  if (negacyclic_) {
    (*negacyclic_)[prime].forward(result, operand, input_mod_factor, 1);
  } else {
    cyclotomic_[prime].forward(result, operand, input_mod_factor);
  }
}

void RingTransforms::inverse(std::size_t prime, std::span<std::uint64_t> result,
                             std::span<const std::uint64_t> operand) const {
  if (negacyclic_) {
    (*negacyclic_)[prime].inverse(result, operand);
  } else {
    cyclotomic_[prime].inverse(result, operand);
  }
}

const Ntt* RingTransforms::digit_sums(std::size_t prime) const {
  if (!negacyclic_) return nullptr;
  const Ntt& plan = (*negacyclic_)[prime];
  return DigitSums::has_kernel(plan) ? &plan : nullptr;
}

const std::string& RingTransforms::kernel_name(std::size_t prime) const {
  return negacyclic_ ? (*negacyclic_)[prime].kernel_name() : cyclotomic_[prime].kernel_name();
}

}  // namespace ringlet
