// SPDX-License-Identifier: Apache-2.0
#include "evaluator_impl.hpp"
#include "ringlet/base/error.hpp"
#include "seal/evaluator.h"

// The part of Evaluator that changes levels and forms.

namespace ringlet::seal4 {

using Native = ringlet::Ciphertext;
using NativePlain = ringlet::Plaintext;

void Evaluator::Impl::check_has_next(const parms_id_type& parms_id, const char* operation) const {
  if (!bridge.is_last(parms_id)) return;
  throw_invalid_argument(
      {operation, "an operand at the last level", "levels above the lowest (chain index 1 and up)",
       "use parameters with more primes, or a context with its whole modulus chain"});
}

#define RINGLET_SEAL_DEFINE_TO_NEXT(name)                                                   \
  void Evaluator::name(const Ciphertext& encrypted, Ciphertext& destination,                \
                       MemoryPoolHandle pool) const {                                       \
    detail::check_pool(pool, "Evaluator::" #name);                                          \
    impl_->to_next(encrypted, destination, "Evaluator::" #name, &ringlet::Evaluator::name); \
  }
#define RINGLET_SEAL_DEFINE_TO_LEVEL(name)                                     \
  void Evaluator::name(const Ciphertext& encrypted, parms_id_type parms_id,    \
                       Ciphertext& destination, MemoryPoolHandle pool) const { \
    detail::check_pool(pool, "Evaluator::" #name);                             \
    impl_->to_level(encrypted, parms_id, destination, "Evaluator::" #name,     \
                    &ringlet::Evaluator::name);                                \
  }

RINGLET_SEAL_DEFINE_TO_NEXT(rescale_to_next)
RINGLET_SEAL_DEFINE_TO_LEVEL(rescale_to)
RINGLET_SEAL_DEFINE_TO_NEXT(mod_switch_to_next)
RINGLET_SEAL_DEFINE_TO_LEVEL(mod_switch_to)
RINGLET_SEAL_DEFINE_TO_NEXT(mod_reduce_to_next)
RINGLET_SEAL_DEFINE_TO_LEVEL(mod_reduce_to)

void Evaluator::mod_switch_to_next(const Plaintext& plain, Plaintext& destination) const {
  impl_->to_next(plain, destination, "Evaluator::mod_switch_to_next",
                 &ringlet::Evaluator::mod_switch_to_next);
}

void Evaluator::mod_switch_to(const Plaintext& plain, parms_id_type parms_id,
                              Plaintext& destination) const {
  impl_->to_level(plain, parms_id, destination, "Evaluator::mod_switch_to",
                  &ringlet::Evaluator::mod_switch_to);
}

void Evaluator::transform_to_ntt(const Plaintext& plain, parms_id_type parms_id,
                                 Plaintext& destination_ntt, MemoryPoolHandle pool) const {
  constexpr const char* kOperation = "Evaluator::transform_to_ntt";
  detail::check_pool(pool, kOperation);
  if (impl_->bridge.is_pure_key_level(parms_id)) {
    const ringlet::Context& context = impl_->bridge.key_level();
    NativePlain result;
    ringlet::Evaluator(context).transform_to_ntt(impl_->bridge.borrow(plain, kOperation),
                                                 context.first_parms_id(), result);
    impl_->bridge.store_at_key_level(result, destination_ntt);
    return;
  }
  const auto& level = impl_->bridge.native_parms_id(parms_id, kOperation);
  impl_->run(plain, destination_ntt, kOperation, [&](const NativePlain& a, NativePlain& result) {
    impl_->native.transform_to_ntt(a, level, result);
  });
}

void Evaluator::transform_to_ntt(const Ciphertext& encrypted, Ciphertext& destination_ntt) const {
  impl_->transform(encrypted, destination_ntt, "Evaluator::transform_to_ntt", true,
                   &ringlet::Evaluator::transform_to_ntt);
}

void Evaluator::transform_from_ntt(const Ciphertext& encrypted_ntt, Ciphertext& destination) const {
  impl_->transform(encrypted_ntt, destination, "Evaluator::transform_from_ntt", false,
                   &ringlet::Evaluator::transform_from_ntt);
}

}  // namespace ringlet::seal4
