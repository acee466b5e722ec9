// SPDX-License-Identifier: Apache-2.0
#include "ringlet/schemes/evaluator.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "ringlet/base/error.hpp"
#include "rlwe/checks.hpp"
#include "rlwe/scheme_traits.hpp"
#include "schemes/evaluator/key_switching.hpp"
#include "schemes/evaluator/plain_polynomials.hpp"
#include "schemes/evaluator/polynomials.hpp"
#include "schemes/evaluator/scheme_operations.hpp"
#include "schemes/named_operands.hpp"

namespace ringlet {
namespace {

using schemes::name_operands;

// Both operands fit for the context, in native form and at one level.
const ContextData& check_pair(const Context& context, const Ciphertext& a, const Ciphertext& b,
                              const char* operation) {
  const ContextData& level = rlwe::check_operand(context, a, "first operand", operation);
  rlwe::check_operand(context, b, "second operand", operation);
  rlwe::check_same_level(context, a, b, operation);
  rlwe::check_same_key(a, b, operation);
  return level;
}

void check_has_plain_modulus(const Context& context, const char* operation) {
  if (rlwe::traits_of(context.scheme()).has_plain_modulus) return;
  throw_logic_error({operation, concat("scheme ", to_string(context.scheme())),
                     "schemes with exact messages: bfv and bgv",
                     "multiply, relinearize and rescale step by step"});
}

template <typename T>
const ContextData& check_next_level(const Context& context, const T& operand,
                                    const char* operation) {
  const ContextData& level = rlwe::check_operand(context, operand, "operand", operation);
  if (level.next_context_data() == nullptr) {
    throw_invalid_argument({operation,
                            concat("operand at the last level: ", rlwe::describe(context, operand)),
                            "a level that has a lower one (chain index 1 and up)",
                            "use parameters with more primes, or fewer multiplications"});
  }
  return *level.next_context_data();
}

// The level to go to, at or below that of the operand.
template <typename T>
const ContextData& check_target_level(const Context& context, const T& operand,
                                      const ParmsId& parms_id, const char* operation) {
  const ContextData& level = rlwe::check_operand(context, operand, "operand", operation);
  const ContextData& target = rlwe::check_data_level(context, parms_id, operation);
  if (target.chain_index() > level.chain_index()) {
    throw_invalid_argument({operation,
                            concat("target at chain index ", target.chain_index(),
                                   " above the operand: ", rlwe::describe(context, operand)),
                            concat("chain index ", level.chain_index(), " or lower"),
                            "levels only go down; start from a ciphertext at a higher level"});
  }
  return target;
}

void check_some(std::span<const Ciphertext> operands, const char* operation) {
  if (!operands.empty()) return;
  throw_invalid_argument(
      {operation, "no operands", "at least one ciphertext", "check the list before the call"});
}

// What the first one is paired with in checks: all others, or itself if it is alone.
std::span<const Ciphertext> without_first(std::span<const Ciphertext> operands) {
  return operands.size() > 1 ? operands.subspan(1) : operands;
}

template <typename T>
void copy_unless_same(const T& a, T& destination) {
  if (&destination != &a) destination = a;
}

// change(a, level, destination, operation) for the level below that of the operand.
template <typename T, typename Change>
void to_next_level(const char* operation, const Context& context, const T& a, T& destination,
                   const Change& change) {
  const auto call = [&] {
    change(a, check_next_level(context, a, operation), destination, operation);
  };
  name_operands(operation, context, call, a);
}

// The same for the level of an identifier; a copy where the operand is there already.
template <typename T, typename Change>
void to_level(const char* operation, const Context& context, const T& a, const ParmsId& parms_id,
              T& destination, const Change& change) {
  const auto call = [&] {
    const ContextData& target = check_target_level(context, a, parms_id, operation);
    if (target.parms_id() == a.parms_id()) return copy_unless_same(a, destination);
    change(a, target, destination, operation);
  };
  name_operands(operation, context, call, a);
}

}  // namespace

Evaluator::Evaluator(const Context& context)
    : context_(schemes::is_on_host(context) ? context.on(Device::from_environment()) : context),
      operations_(make_scheme_operations(context_)) {}

Evaluator::Evaluator(const Context& context, const Device& device)
    : context_(context.on(device)), operations_(make_scheme_operations(context_)) {}

Evaluator::~Evaluator() = default;

void Evaluator::negate(const Ciphertext& a, Ciphertext& destination) const {
  constexpr const char* kOperation = "Evaluator::negate";
  const auto call = [&] {
    const ContextData& level = rlwe::check_ciphertext(context_, a, "operand", kOperation);
    schemes::negate(context_, level, a, destination);
  };
  name_operands(kOperation, context_, call, a);
}

const ContextData& Evaluator::check_addends(const Ciphertext& a, const Ciphertext& b,
                                            const char* operation) const {
  const ContextData& level = rlwe::check_ciphertext(context_, a, "first operand", operation);
  rlwe::check_ciphertext(context_, b, "second operand", operation);
  rlwe::check_same_level(context_, a, b, operation);
  rlwe::check_same_form(a, b, operation);
  rlwe::check_same_key(a, b, operation);
  return level;
}

void Evaluator::add_or_subtract(const Ciphertext& a, const Ciphertext& b, bool is_sum,
                                Ciphertext& destination) const {
  const char* operation = is_sum ? "Evaluator::add" : "Evaluator::sub";
  const schemes::Sign sign = is_sum ? schemes::Sign::plus : schemes::Sign::minus;
  const ContextData& level = check_addends(a, b, operation);
  const Balance balance = operations_->check_addends(a, b, operation);
  if (balance.of_a == 1 && balance.of_b == 1) {
    schemes::add(context_, level, a, b, sign, destination);
    return;
  }
  Ciphertext balanced_a;
  Ciphertext balanced_b;
  schemes::multiply_scalar(context_, level, a, balance.of_a, balanced_a);
  schemes::multiply_scalar(context_, level, b, balance.of_b, balanced_b);
  schemes::add(context_, level, balanced_a, balanced_b, sign, balanced_a);
  balanced_a.correction_factor() = balance.common;
  destination = std::move(balanced_a);
}

void Evaluator::add(const Ciphertext& a, const Ciphertext& b, Ciphertext& destination) const {
  const auto call = [&] { add_or_subtract(a, b, true, destination); };
  name_operands("Evaluator::add", context_, call, a, b);
}

void Evaluator::sub(const Ciphertext& a, const Ciphertext& b, Ciphertext& destination) const {
  const auto call = [&] { add_or_subtract(a, b, false, destination); };
  name_operands("Evaluator::sub", context_, call, a, b);
}

void Evaluator::add_many(std::span<const Ciphertext> operands, Ciphertext& destination) const {
  constexpr const char* kOperation = "Evaluator::add_many";
  check_some(operands, kOperation);
  const Ciphertext& first = operands.front();
  std::size_t size = first.size();
  bool is_balanced = true;
  KeyId key_id = first.key_id();
  for (const Ciphertext& operand : without_first(operands)) {
    const auto check = [&] {
      check_addends(first, operand, kOperation);
      const Balance balance = operations_->check_addends(first, operand, kOperation);
      is_balanced = is_balanced && balance.of_a == 1 && balance.of_b == 1;
      rlwe::check_key_id(key_id, "the operands before", operand.key_id(), "an operand", kOperation);
      key_id = rlwe::common_key(key_id, operand.key_id());
    };
    name_operands(kOperation, context_, check, first, operand);
    size = std::max(size, operand.size());
  }
  const ContextData& level = *context_.get_context_data(first.parms_id());
  // Partial sums may be transparent where the sum is not.
  Ciphertext sum(level, size, first.form());
  const auto add_up = [&] {
    if (is_balanced) {
      schemes::accumulate(context_, level, operands, sum);
    } else {
      sum_balanced(operands, sum);
    }
    schemes::check_not_transparent(context_, sum, kOperation);
  };
  name_operands(kOperation, context_, add_up, first, operands.back());
  destination = std::move(sum);
}

// Factor by factor: what is summed so far and the next operand are brought to a common one.
void Evaluator::sum_balanced(std::span<const Ciphertext> operands, Ciphertext& sum) const {
  const ContextData& level = *context_.get_context_data(sum.parms_id());
  sum.correction_factor() = operands.front().correction_factor();
  for (const Ciphertext& operand : operands) {
    const Balance balance = operations_->check_addends(sum, operand, "Evaluator::add_many");
    Ciphertext addend;
    schemes::multiply_scalar(context_, level, sum, balance.of_a, sum);
    schemes::multiply_scalar(context_, level, operand, balance.of_b, addend);
    schemes::accumulate(context_, level, {&addend, 1}, sum);
    sum.correction_factor() = balance.common;
  }
}

void Evaluator::multiply(const Ciphertext& a, const Ciphertext& b, Ciphertext& destination) const {
  constexpr const char* kOperation = "Evaluator::multiply";
  const auto call = [&] {
    check_pair(context_, a, b, kOperation);
    operations_->multiply(a, b, destination);
  };
  name_operands(kOperation, context_, call, a, b);
}

void Evaluator::square(const Ciphertext& a, Ciphertext& destination) const {
  constexpr const char* kOperation = "Evaluator::square";
  const auto call = [&] {
    rlwe::check_operand(context_, a, "operand", kOperation);
    operations_->square(a, destination);
  };
  name_operands(kOperation, context_, call, a);
}

void Evaluator::multiply_many(std::span<const Ciphertext> operands, const RelinKeys& keys,
                              Ciphertext& destination) const {
  constexpr const char* kOperation = "Evaluator::multiply_many";
  check_has_plain_modulus(context_, kOperation);
  check_some(operands, kOperation);
  for (const Ciphertext& operand : without_first(operands)) {
    const auto check = [&] { check_pair(context_, operands.front(), operand, kOperation); };
    name_operands(kOperation, context_, check, operands.front(), operand);
  }
  // A queue: two are taken from the front, their product goes to the end.
  std::deque<Ciphertext> factors(operands.begin(), operands.end());
  while (factors.size() > 1) {
    Ciphertext product;
    const auto call = [&] {
      multiply(factors[0], factors[1], product);
      relinearize(product, keys, product);
    };
    name_operands(kOperation, context_, call, factors[0], factors[1]);
    factors.erase(factors.begin(), factors.begin() + 2);
    factors.push_back(std::move(product));
  }
  destination = std::move(factors.front());
}

void Evaluator::exponentiate(const Ciphertext& a, std::uint64_t exponent, const RelinKeys& keys,
                             Ciphertext& destination) const {
  constexpr const char* kOperation = "Evaluator::exponentiate";
  const auto call = [&] {
    rlwe::check_operand(context_, a, "operand", kOperation);
    if (exponent == 0) {
      throw_invalid_argument({kOperation, "exponent = 0", "1 and up",
                              "encrypt 1 instead: a^0 would need no key to be read"});
    }
    if (exponent == 1) return copy_unless_same(a, destination);
    check_has_plain_modulus(context_, kOperation);
    destination = power(a, exponent, keys);
  };
  name_operands(kOperation, context_, call, a);
}

// By squaring: the depth is that of a tree of products.
Ciphertext Evaluator::power(const Ciphertext& a, std::uint64_t exponent,
                            const RelinKeys& keys) const {
  std::optional<Ciphertext> product;
  Ciphertext square_of = a;
  while (true) {
    if (exponent % 2 == 1) {
      if (product) {
        multiply(*product, square_of, *product);
        relinearize(*product, keys, *product);
      } else {
        product = square_of;
      }
    }
    exponent /= 2;
    if (exponent == 0) return std::move(*product);
    square(square_of, square_of);
    relinearize(square_of, keys, square_of);
  }
}

void Evaluator::relinearize(const Ciphertext& a, const RelinKeys& keys,
                            Ciphertext& destination) const {
  constexpr const char* kOperation = "Evaluator::relinearize";
  const auto call = [&] {
    rlwe::check_operand(context_, a, "operand", kOperation);
    schemes::relinearize(context_, a, keys, destination);
  };
  name_operands(kOperation, context_, call, a);
}

void Evaluator::add_plain(const Ciphertext& a, const Plaintext& plain,
                          Ciphertext& destination) const {
  constexpr const char* kOperation = "Evaluator::add_plain";
  const auto call = [&] {
    rlwe::check_operand(context_, a, "ciphertext", kOperation);
    operations_->add_plain(a, plain, destination);
  };
  name_operands(kOperation, context_, call, a, plain);
}

void Evaluator::sub_plain(const Ciphertext& a, const Plaintext& plain,
                          Ciphertext& destination) const {
  constexpr const char* kOperation = "Evaluator::sub_plain";
  const auto call = [&] {
    rlwe::check_operand(context_, a, "ciphertext", kOperation);
    operations_->sub_plain(a, plain, destination);
  };
  name_operands(kOperation, context_, call, a, plain);
}

void Evaluator::multiply_plain(const Ciphertext& a, const Plaintext& plain,
                               Ciphertext& destination) const {
  constexpr const char* kOperation = "Evaluator::multiply_plain";
  const auto call = [&] {
    const ContextData& level = rlwe::check_ciphertext(context_, a, "ciphertext", kOperation);
    if (plain.is_ntt_form()) {
      rlwe::check_operand(context_, plain, "plaintext", kOperation);
      rlwe::check_same_level(context_, a, plain, kOperation);
    } else {
      schemes::check_coefficients(context_, plain, kOperation);
    }
    const double scale = operations_->product_scale(a, plain, kOperation);
    schemes::multiply_plain(context_, level, a, plain, scale, destination);
  };
  name_operands(kOperation, context_, call, a, plain);
}

void Evaluator::rescale(const Ciphertext& a, const ContextData& target, Ciphertext& destination,
                        const char* operation) const {
  const double scale = operations_->rescaled_scale(a, target, operation);
  Ciphertext result = schemes::mod_switch_divide_to(context_, target, a, operation);
  result.scale() = scale;
  destination = std::move(result);
}

void Evaluator::rescale_to_next(const Ciphertext& a, Ciphertext& destination) const {
  to_next_level("Evaluator::rescale_to_next", context_, a, destination,
                [this](auto&&... call) { rescale(call...); });
}

void Evaluator::relinearize_and_rescale_to_next(const Ciphertext& a, const RelinKeys& keys,
                                                Ciphertext& destination) const {
  constexpr const char* kOperation = "Evaluator::relinearize_and_rescale_to_next";
  const auto call = [&] {
    const ContextData& target = check_next_level(context_, a, kOperation);
    const double scale = operations_->rescaled_scale(a, target, kOperation);
    Ciphertext result = schemes::relinearize_and_rescale(context_, a, keys, target, kOperation);
    result.scale() = scale;
    destination = std::move(result);
  };
  name_operands(kOperation, context_, call, a);
}

void Evaluator::rescale_to(const Ciphertext& a, const ParmsId& parms_id,
                           Ciphertext& destination) const {
  constexpr const char* kOperation = "Evaluator::rescale_to";
  const auto call = [&] {
    const ContextData& target = check_target_level(context_, a, parms_id, kOperation);
    const bool has_scale = rlwe::traits_of(context_.scheme()).has_scale;
    if (has_scale && target.parms_id() == a.parms_id()) return copy_unless_same(a, destination);
    rescale(a, target, destination, kOperation);
  };
  name_operands(kOperation, context_, call, a);
}

void Evaluator::mod_switch_to_next(const Ciphertext& a, Ciphertext& destination) const {
  to_next_level("Evaluator::mod_switch_to_next", context_, a, destination,
                [this](auto&&... call) { operations_->mod_switch(call...); });
}

void Evaluator::mod_switch_to(const Ciphertext& a, const ParmsId& parms_id,
                              Ciphertext& destination) const {
  to_level("Evaluator::mod_switch_to", context_, a, parms_id, destination,
           [this](auto&&... call) { operations_->mod_switch(call...); });
}

void Evaluator::drop_primes(const Plaintext& plain, const ContextData& target,
                            Plaintext& destination, const char* operation) const {
  operations_->check_scale_at(plain.scale(), target, operation,
                              [&] { return rlwe::describe(context_, plain); });
  Plaintext result(target, Contents::unspecified);
  const Backend& backend = context_.backend();
  backend.copy(result.ntt_view_for_writing(backend), plain.ntt_view(backend));
  result.scale() = plain.scale();
  destination = std::move(result);
}

void Evaluator::mod_switch_to_next(const Plaintext& plain, Plaintext& destination) const {
  to_next_level("Evaluator::mod_switch_to_next", context_, plain, destination,
                [this](auto&&... call) { drop_primes(call...); });
}

void Evaluator::mod_switch_to(const Plaintext& plain, const ParmsId& parms_id,
                              Plaintext& destination) const {
  to_level("Evaluator::mod_switch_to", context_, plain, parms_id, destination,
           [this](auto&&... call) { drop_primes(call...); });
}

void Evaluator::drop_primes(const Ciphertext& a, const ContextData& target, Ciphertext& destination,
                            const char* operation) const {
  operations_->check_scale_at(a.scale(), target, operation,
                              [&] { return rlwe::describe(context_, a); });
  schemes::drop_primes(context_, target, a, destination, operation);
}

void Evaluator::mod_reduce_to_next(const Ciphertext& a, Ciphertext& destination) const {
  to_next_level("Evaluator::mod_reduce_to_next", context_, a, destination,
                [this](auto&&... call) { drop_primes(call...); });
}

void Evaluator::mod_reduce_to(const Ciphertext& a, const ParmsId& parms_id,
                              Ciphertext& destination) const {
  to_level("Evaluator::mod_reduce_to", context_, a, parms_id, destination,
           [this](auto&&... call) { drop_primes(call...); });
}

}  // namespace ringlet
