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

// Where slots are of the other kind no key is looked at: the native service refuses the call.
bool has_slots(const detail::Bridge& bridge, Slots slots) {
  const bool is_ckks = bridge.parms().scheme() == scheme_type::ckks;
  return slots == Slots::vector ? is_ckks : !is_ckks && bridge.native().using_batching();
}

// The keys that a rotation may use: that of its own element, or those that it can be composed of.
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
  impl_->run(encrypted, destination, kOperation, [&](const Native& a, Native& result) {
    const Elements elements{galois_elt};
    const auto keys = detail::borrow_keys(impl_->bridge, galois_keys, elements, kOperation);
    impl_->native.apply_galois(a, galois_elt, keys, result);
  });
}

void Evaluator::rotate_rows(const Ciphertext& encrypted, int steps, const GaloisKeys& galois_keys,
                            Ciphertext& destination, MemoryPoolHandle pool) const {
  constexpr const char* kOperation = "Evaluator::rotate_rows";
  detail::check_pool(pool, kOperation);
  impl_->run(encrypted, destination, kOperation, [&](const Native& a, Native& result) {
    const auto keys =
        keys_of_rotation(impl_->bridge, Slots::matrix, steps, galois_keys, kOperation);
    impl_->native.rotate_rows(a, steps, keys, result);
  });
}

void Evaluator::rotate_columns(const Ciphertext& encrypted, const GaloisKeys& galois_keys,
                               Ciphertext& destination, MemoryPoolHandle pool) const {
  constexpr const char* kOperation = "Evaluator::rotate_columns";
  detail::check_pool(pool, kOperation);
  impl_->run(encrypted, destination, kOperation, [&](const Native& a, Native& result) {
    const auto keys = keys_of_conjugation(impl_->bridge, Slots::matrix, galois_keys, kOperation);
    impl_->native.rotate_columns(a, keys, result);
  });
}

void Evaluator::rotate_vector(const Ciphertext& encrypted, int steps, const GaloisKeys& galois_keys,
                              Ciphertext& destination, MemoryPoolHandle pool) const {
  constexpr const char* kOperation = "Evaluator::rotate_vector";
  detail::check_pool(pool, kOperation);
  impl_->run(encrypted, destination, kOperation, [&](const Native& a, Native& result) {
    const auto keys =
        keys_of_rotation(impl_->bridge, Slots::vector, steps, galois_keys, kOperation);
    impl_->native.rotate_vector(a, steps, keys, result);
  });
}

void Evaluator::complex_conjugate(const Ciphertext& encrypted, const GaloisKeys& galois_keys,
                                  Ciphertext& destination, MemoryPoolHandle pool) const {
  constexpr const char* kOperation = "Evaluator::complex_conjugate";
  detail::check_pool(pool, kOperation);
  impl_->run(encrypted, destination, kOperation, [&](const Native& a, Native& result) {
    const auto keys = keys_of_conjugation(impl_->bridge, Slots::vector, galois_keys, kOperation);
    impl_->native.complex_conjugate(a, keys, result);
  });
}

}  // namespace ringlet::seal4
