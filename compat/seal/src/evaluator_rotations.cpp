// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "evaluator_impl.hpp"
#include "native/native_keys.hpp"
#include "seal/evaluator.h"

// The part of Evaluator that needs Galois keys.

namespace ringlet::seal4 {
namespace {

using Native = ringlet::Ciphertext;
using Elements = std::vector<std::uint64_t>;

enum class Slots : std::uint8_t { vector, matrix };

// If slots are of the other kind, keys are not checked: the native service refuses the call.
bool has_slots(const detail::Bridge& bridge, Slots slots) {
  const bool is_ckks = bridge.parms().scheme() == scheme_type::ckks;
  return slots == Slots::vector ? is_ckks : !is_ckks && bridge.native().using_batching();
}

// Returns the keys that a rotation may use: the key of its own element, or keys that compose it.
ringlet::GaloisKeys keys_of_rotation(const detail::Bridge& bridge, Slots slots, int steps,
                                     const GaloisKeys& keys, const char* operation) {
  if (!has_slots(bridge, slots)) return {};
  const RingSpec& ring = bridge.native().ring();
  Elements elements;
  if (steps != 0 && std::abs(std::int64_t{steps}) < static_cast<std::int64_t>(ring.degree() / 2)) {
    const std::uint64_t exact = ring.galois_element_from_step(steps);
    const bool has_exact = keys.has_key(static_cast<std::uint32_t>(exact));
    elements = has_exact ? Elements{exact} : ring.default_galois_elements();
  }
  return detail::borrow_keys(bridge, keys, elements, operation);
}

ringlet::GaloisKeys keys_of_conjugation(const detail::Bridge& bridge, Slots slots,
                                        const GaloisKeys& keys, const char* operation) {
  if (!has_slots(bridge, slots)) return {};
  const Elements elements{bridge.native().ring().conjugation_element()};
  return detail::borrow_keys(bridge, keys, elements, operation);
}

}  // namespace

void Evaluator::apply_galois(const Ciphertext& encrypted, std::uint32_t galois_elt,
                             const GaloisKeys& galois_keys, Ciphertext& destination,
                             MemoryPoolHandle pool) const {
  constexpr const char* kOperation = "Evaluator::apply_galois";
  detail::check_pool(pool, kOperation);
  impl_->switch_key(encrypted, destination, kOperation, [&](const Native& a, Native& result) {
    const Elements elements{galois_elt};
    const auto keys = detail::borrow_keys(impl_->bridge, galois_keys, elements, kOperation);
    impl_->native.apply_galois(a, galois_elt, keys, result);
  });
}

#define RINGLET_SEAL_DEFINE_ROTATION(name, slots)                                                \
  void Evaluator::name(const Ciphertext& encrypted, int steps, const GaloisKeys& galois_keys,    \
                       Ciphertext& destination, MemoryPoolHandle pool) const {                   \
    constexpr const char* kOperation = "Evaluator::" #name;                                      \
    detail::check_pool(pool, kOperation);                                                        \
    impl_->switch_key(encrypted, destination, kOperation, [&](const Native& a, Native& result) { \
      const auto keys = keys_of_rotation(impl_->bridge, slots, steps, galois_keys, kOperation);  \
      impl_->native.name(a, steps, keys, result);                                                \
    });                                                                                          \
  }
#define RINGLET_SEAL_DEFINE_CONJUGATION(name, slots)                                             \
  void Evaluator::name(const Ciphertext& encrypted, const GaloisKeys& galois_keys,               \
                       Ciphertext& destination, MemoryPoolHandle pool) const {                   \
    constexpr const char* kOperation = "Evaluator::" #name;                                      \
    detail::check_pool(pool, kOperation);                                                        \
    impl_->switch_key(encrypted, destination, kOperation, [&](const Native& a, Native& result) { \
      const auto keys = keys_of_conjugation(impl_->bridge, slots, galois_keys, kOperation);      \
      impl_->native.name(a, keys, result);                                                       \
    });                                                                                          \
  }

RINGLET_SEAL_DEFINE_ROTATION(rotate_rows, Slots::matrix)
RINGLET_SEAL_DEFINE_ROTATION(rotate_vector, Slots::vector)
RINGLET_SEAL_DEFINE_CONJUGATION(rotate_columns, Slots::matrix)
RINGLET_SEAL_DEFINE_CONJUGATION(complex_conjugate, Slots::vector)

}  // namespace ringlet::seal4
