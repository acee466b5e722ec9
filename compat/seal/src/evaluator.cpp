// SPDX-License-Identifier: Apache-2.0
#include "seal/evaluator.h"

#include "evaluator_impl.hpp"
#include "native/native_keys.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::seal4 {

using Native = ringlet::Ciphertext;

void Evaluator::Impl::run(const Ciphertext& a, const Ciphertext& b, Ciphertext& destination,
                          const char* operation, Binary call) const {
  if (is_on_device) {
    const auto first = bridge.borrow_on_device(a, operation);
    const auto second = bridge.borrow_on_device(b, operation);
    Native result;
    (native.*call)(*first, *second, result);
    bridge.store_on_device(std::move(result), destination);
    return;
  }
  Native first = bridge.borrow(a, operation);
  std::optional<Native> second;
  if (&b != &a) second = bridge.borrow(b, operation);
  Native& other = second ? *second : first;
  std::optional<Native> separate;
  if (&destination != &a && &destination != &b) separate = bridge.place(destination);
  Native& result = separate ? *separate : &destination == &a ? first : other;
  (native.*call)(first, other, result);
  bridge.store(result, destination);
}

std::vector<Native> Evaluator::Impl::borrow_all(const std::vector<Ciphertext>& operands,
                                                const Ciphertext& destination,
                                                const char* operation) const {
  std::vector<Native> result;
  result.reserve(operands.size());
  for (const Ciphertext& operand : operands) {
    if (&operand == &destination) {
      throw_invalid_argument({operation, "the destination is one of the operands",
                              "a ciphertext that is not in the list",
                              "pass another destination and move it into the list afterwards"});
    }
    result.push_back(is_on_device ? *bridge.borrow_on_device(operand, operation)
                                  : bridge.borrow(operand, operation));
  }
  return result;
}

Evaluator::Evaluator(const SEALContext& context, bool throws_on_transparent)
    : impl_(std::make_unique<const Impl>(context, throws_on_transparent)) {}

Evaluator::~Evaluator() = default;

void Evaluator::negate(const Ciphertext& encrypted, Ciphertext& destination) const {
  impl_->run_for_shape(encrypted, destination, "Evaluator::negate", encrypted.size(), true,
                       [&](const Native& a, Native& result) { impl_->native.negate(a, result); });
}

void Evaluator::add(const Ciphertext& encrypted1, const Ciphertext& encrypted2,
                    Ciphertext& destination) const {
  impl_->add(encrypted1, encrypted2, destination, "Evaluator::add", &ringlet::Evaluator::add);
}

void Evaluator::sub(const Ciphertext& encrypted1, const Ciphertext& encrypted2,
                    Ciphertext& destination) const {
  impl_->add(encrypted1, encrypted2, destination, "Evaluator::sub", &ringlet::Evaluator::sub);
}

void Evaluator::add_many(const std::vector<Ciphertext>& encrypteds, Ciphertext& destination) const {
  const auto operands = impl_->borrow_all(encrypteds, destination, "Evaluator::add_many");
  Native result;
  impl_->native.add_many(operands, result);
  impl_->store(std::move(result), destination);
}

void Evaluator::multiply(const Ciphertext& encrypted1, const Ciphertext& encrypted2,
                         Ciphertext& destination, MemoryPoolHandle pool) const {
  detail::check_pool(pool, "Evaluator::multiply");
  const bool is_operand = &destination == &encrypted1 || &destination == &encrypted2;
  impl_->run_for_shape(destination, encrypted1.parms_id(),
                       encrypted1.size() + encrypted2.size() - 1, encrypted1.is_ntt_form(),
                       encrypted1.is_ntt_form() && !is_operand, [&](Ciphertext& target) {
                         impl_->run(encrypted1, encrypted2, target, "Evaluator::multiply",
                                    &ringlet::Evaluator::multiply);
                       });
}

void Evaluator::square(const Ciphertext& encrypted, Ciphertext& destination,
                       MemoryPoolHandle pool) const {
  detail::check_pool(pool, "Evaluator::square");
  const bool may_reuse = encrypted.is_ntt_form() && &destination != &encrypted;
  impl_->run_for_shape(encrypted, destination, "Evaluator::square", 2 * encrypted.size() - 1,
                       may_reuse,
                       [&](const Native& a, Native& result) { impl_->native.square(a, result); });
}

void Evaluator::relinearize(const Ciphertext& encrypted, const RelinKeys& relin_keys,
                            Ciphertext& destination, MemoryPoolHandle pool) const {
  constexpr const char* kOperation = "Evaluator::relinearize";
  detail::check_pool(pool, kOperation);
  const auto relinearize = [&](const Native& a, Native& result) {
    const auto keys = detail::borrow_keys(impl_->bridge, relin_keys, a.size(), kOperation);
    impl_->native.relinearize(a, keys, result);
  };
  // Of size 2, the operand is the result.
  impl_->run_for_shape(encrypted, destination, kOperation, SEAL_CIPHERTEXT_SIZE_MIN,
                       encrypted.size() == SEAL_CIPHERTEXT_SIZE_MIN, relinearize);
}

void Evaluator::multiply_many(const std::vector<Ciphertext>& encrypteds,
                              const RelinKeys& relin_keys, Ciphertext& destination,
                              MemoryPoolHandle pool) const {
  constexpr const char* kOperation = "Evaluator::multiply_many";
  detail::check_pool(pool, kOperation);
  const auto operands = impl_->borrow_all(encrypteds, destination, kOperation);
  // Keys are not checked if none is needed, or if the scheme has no such products.
  const bool needs_keys =
      encrypteds.size() > 1 && impl_->bridge.parms().scheme() != scheme_type::ckks;
  const auto keys = needs_keys ? detail::borrow_keys(impl_->bridge, relin_keys, 3, kOperation)
                               : ringlet::RelinKeys();
  Native result;
  impl_->native.multiply_many(operands, keys, result);
  impl_->store(std::move(result), destination);
}

void Evaluator::exponentiate(const Ciphertext& encrypted, std::uint64_t exponent,
                             const RelinKeys& relin_keys, Ciphertext& destination,
                             MemoryPoolHandle pool) const {
  constexpr const char* kOperation = "Evaluator::exponentiate";
  detail::check_pool(pool, kOperation);
  impl_->run(encrypted, destination, kOperation, [&](const Native& a, Native& result) {
    const auto keys = detail::borrow_keys(impl_->bridge, relin_keys, 3, kOperation);
    impl_->native.exponentiate(a, exponent, keys, result);
  });
}

#define RINGLET_SEAL_DEFINE_WITH_PLAIN(name, may_reuse)                                    \
  void Evaluator::name(const Ciphertext& encrypted, const Plaintext& plain,                \
                       Ciphertext& destination, MemoryPoolHandle pool) const {             \
    detail::check_pool(pool, "Evaluator::" #name);                                         \
    const ringlet::Plaintext operand = impl_->bridge.borrow(plain, "Evaluator::" #name);   \
    impl_->run_for_shape(                                                                  \
        encrypted, destination, "Evaluator::" #name, encrypted.size(), may_reuse,          \
        [&](const Native& a, Native& result) { impl_->native.name(a, operand, result); }); \
  }

RINGLET_SEAL_DEFINE_WITH_PLAIN(add_plain, true)
RINGLET_SEAL_DEFINE_WITH_PLAIN(sub_plain, true)
RINGLET_SEAL_DEFINE_WITH_PLAIN(multiply_plain, encrypted.is_ntt_form())

}  // namespace ringlet::seal4
