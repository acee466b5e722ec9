// SPDX-License-Identifier: Apache-2.0
#include "ringlet/schemes/evaluator.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <tuple>
#include <utility>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "rlwe/checks.hpp"
#include "rlwe/scheme_traits.hpp"
#include "schemes/evaluator/evaluation.hpp"
#include "schemes/evaluator/key_switching.hpp"
#include "schemes/evaluator/plain_polynomials.hpp"
#include "schemes/evaluator/polynomials.hpp"
#include "schemes/evaluator/scheme_operations.hpp"
#include "schemes/operand_entry.hpp"

namespace ringlet {
namespace {

using schemes::check_next_level;
using schemes::check_target_level;
using schemes::evaluate;
using schemes::Evaluation;
using schemes::operand_entry;
using schemes::Sign;

void check_has_plain_modulus(const Context& context) {
  if (rlwe::traits_of(context.scheme()).has_plain_modulus) return;
  refuse<LogicError>(concat("scheme ", to_string(context.scheme())),
                     "schemes with exact messages: bfv and bgv",
                     "multiply, relinearize and rescale step by step");
}

void check_some(std::span<const Ciphertext> operands) {
  if (!operands.empty()) return;
  refuse("no operands", "at least one ciphertext", "pass at least one ciphertext");
}

// Returns the operands that checks pair with the first: all others, or itself if it is alone.
std::span<const Ciphertext> without_first(std::span<const Ciphertext> operands) {
  return operands.size() > 1 ? operands.subspan(1) : operands;
}

template <typename T>
void copy_unless_same(const T& a, T& destination) {
  if (&destination != &a) destination = a;
}

}  // namespace

Evaluator::Evaluator(const Context& context)
    : context_(schemes::is_on_host(context) ? context.on(Device::from_environment()) : context),
      operations_(make_scheme_operations(context_)) {}

Evaluator::Evaluator(const Context& context, const Device& device)
    : context_(context.on(device)), operations_(make_scheme_operations(context_)) {}

Evaluator::~Evaluator() = default;

void Evaluator::negate(const Ciphertext& a, Ciphertext& destination) const {
  evaluate("Evaluator::negate", context_, destination, std::tie(a), [&] {
    const ContextData& level = rlwe::check_ciphertext(context_, a, "operand");
    schemes::negate(context_, level, a, destination);
  });
}

void Evaluator::add(const Ciphertext& a, const Ciphertext& b, Ciphertext& destination) const {
  evaluate("Evaluator::add", context_, destination, std::tie(a, b),
           [&] { Evaluation(*this).add(a, b, Sign::plus, destination); });
}

void Evaluator::sub(const Ciphertext& a, const Ciphertext& b, Ciphertext& destination) const {
  evaluate("Evaluator::sub", context_, destination, std::tie(a, b),
           [&] { Evaluation(*this).add(a, b, Sign::minus, destination); });
}

void Evaluator::add_many(std::span<const Ciphertext> operands, Ciphertext& destination) const {
  constexpr const char* kOperation = "Evaluator::add_many";
  public_entry(kOperation, [&] { check_some(operands); });
  const Ciphertext& first = operands.front();
  std::size_t size = first.size();
  bool is_balanced = true;
  KeyId key_id = first.key_id();
  for (const Ciphertext& operand : without_first(operands)) {
    operand_entry(kOperation, context_, std::tie(first, operand), [&] {
      Evaluation(*this).check_addends(first, operand);
      const Balance balance = operations_->check_addends(first, operand);
      is_balanced = is_balanced && balance.of_a == 1 && balance.of_b == 1;
      rlwe::check_key_id(key_id, "the operands before", operand.key_id(), "an operand");
      key_id = rlwe::common_key(key_id, operand.key_id());
    });
    size = std::max(size, operand.size());
  }
  const ContextData& level = *context_.get_context_data(first.parms_id());
  // Partial sums may be transparent where the sum is not.
  Ciphertext sum(level, size, first.form());
  evaluate(kOperation, context_, sum, std::tie(first, operands.back()), [&] {
    if (is_balanced) {
      schemes::accumulate(context_, level, operands, sum);
    } else {
      sum_balanced(operands, sum);
    }
    schemes::check_not_transparent(context_, sum);
  });
  destination = std::move(sum);
}

// Brings the sum so far and each operand to a common correction factor, one after the other.
void Evaluator::sum_balanced(std::span<const Ciphertext> operands, Ciphertext& sum) const {
  const ContextData& level = *context_.get_context_data(sum.parms_id());
  sum.correction_factor() = operands.front().correction_factor();
  for (const Ciphertext& operand : operands) {
    const Balance balance = operations_->check_addends(sum, operand);
    Ciphertext addend;
    schemes::multiply_scalar(context_, level, sum, balance.of_a, sum);
    schemes::multiply_scalar(context_, level, operand, balance.of_b, addend);
    schemes::accumulate(context_, level, {&addend, 1}, sum);
    sum.correction_factor() = balance.common;
  }
}

void Evaluator::multiply(const Ciphertext& a, const Ciphertext& b, Ciphertext& destination) const {
  evaluate("Evaluator::multiply", context_, destination, std::tie(a, b),
           [&] { Evaluation(*this).multiply(a, b, destination); });
}

void Evaluator::square(const Ciphertext& a, Ciphertext& destination) const {
  evaluate("Evaluator::square", context_, destination, std::tie(a),
           [&] { Evaluation(*this).square(a, destination); });
}

void Evaluator::multiply_many(std::span<const Ciphertext> operands, const RelinKeys& keys,
                              Ciphertext& destination) const {
  constexpr const char* kOperation = "Evaluator::multiply_many";
  public_entry(kOperation, [&] {
    check_has_plain_modulus(context_);
    check_some(operands);
  });
  for (const Ciphertext& operand : without_first(operands)) {
    operand_entry(kOperation, context_, std::tie(operands.front(), operand),
                  [&] { schemes::check_pair(context_, operands.front(), operand); });
  }
  // A queue: two are taken from the front, their product goes to the end.
  std::deque<Ciphertext> factors(operands.begin(), operands.end());
  while (factors.size() > 1) {
    Ciphertext product;
    evaluate(kOperation, context_, product, std::tie(factors[0], factors[1]), [&] {
      const Evaluation evaluation(*this);
      evaluation.multiply(factors[0], factors[1], product);
      evaluation.relinearize(product, keys, product);
    });
    factors.erase(factors.begin(), factors.begin() + 2);
    factors.push_back(std::move(product));
  }
  destination = std::move(factors.front());
}

void Evaluator::exponentiate(const Ciphertext& a, std::uint64_t exponent, const RelinKeys& keys,
                             Ciphertext& destination) const {
  evaluate("Evaluator::exponentiate", context_, destination, std::tie(a), [&] {
    rlwe::check_operand(context_, a, "operand");
    if (exponent == 0) {
      refuse("exponent = 0", "1 and up", "encrypt 1 instead: anyone could read a^0");
    }
    if (exponent == 1) return copy_unless_same(a, destination);
    check_has_plain_modulus(context_);
    destination = power(a, exponent, keys);
  });
}

// Squares repeatedly: the depth is that of a tree of products.
Ciphertext Evaluator::power(const Ciphertext& a, std::uint64_t exponent,
                            const RelinKeys& keys) const {
  const Evaluation evaluation(*this);
  std::optional<Ciphertext> product;
  Ciphertext square_of = a;
  while (true) {
    if (exponent % 2 == 1) {
      if (product) {
        evaluation.multiply(*product, square_of, *product);
        evaluation.relinearize(*product, keys, *product);
      } else {
        product = square_of;
      }
    }
    exponent /= 2;
    if (exponent == 0) return std::move(*product);
    evaluation.square(square_of, square_of);
    evaluation.relinearize(square_of, keys, square_of);
  }
}

void Evaluator::relinearize(const Ciphertext& a, const RelinKeys& keys,
                            Ciphertext& destination) const {
  evaluate("Evaluator::relinearize", context_, destination, std::tie(a),
           [&] { Evaluation(*this).relinearize(a, keys, destination); });
}

void Evaluator::add_plain(const Ciphertext& a, const Plaintext& plain,
                          Ciphertext& destination) const {
  evaluate("Evaluator::add_plain", context_, destination, std::tie(a, plain), [&] {
    rlwe::check_operand(context_, a, "ciphertext");
    operations_->add_plain(a, plain, destination);
  });
}

void Evaluator::sub_plain(const Ciphertext& a, const Plaintext& plain,
                          Ciphertext& destination) const {
  evaluate("Evaluator::sub_plain", context_, destination, std::tie(a, plain), [&] {
    rlwe::check_operand(context_, a, "ciphertext");
    operations_->sub_plain(a, plain, destination);
  });
}

void Evaluator::multiply_plain(const Ciphertext& a, const Plaintext& plain,
                               Ciphertext& destination) const {
  evaluate("Evaluator::multiply_plain", context_, destination, std::tie(a, plain), [&] {
    const ContextData& level = rlwe::check_ciphertext(context_, a, "ciphertext");
    if (plain.is_ntt_form()) {
      rlwe::check_operand(context_, plain, "plaintext");
      rlwe::check_same_level(a, plain);
    } else {
      schemes::check_coefficients(context_, plain);
    }
    const double scale = operations_->product_scale(a, plain);
    schemes::multiply_plain(context_, level, a, plain, scale, destination);
  });
}

void Evaluator::rescale(const Ciphertext& a, const ContextData& target,
                        Ciphertext& destination) const {
  const double scale = operations_->rescaled_scale(a, target);
  Ciphertext result = schemes::mod_switch_divide_to(context_, target, a, destination);
  result.scale() = scale;
  destination = std::move(result);
}

void Evaluator::rescale_to_next(const Ciphertext& a, Ciphertext& destination) const {
  evaluate("Evaluator::rescale_to_next", context_, destination, std::tie(a),
           [&] { rescale(a, check_next_level(context_, a), destination); });
}

void Evaluator::relinearize_and_rescale_to_next(const Ciphertext& a, const RelinKeys& keys,
                                                Ciphertext& destination) const {
  evaluate("Evaluator::relinearize_and_rescale_to_next", context_, destination, std::tie(a),
           [&] { Evaluation(*this).relinearize_and_rescale_to_next(a, keys, destination); });
}

void Evaluator::rescale_to(const Ciphertext& a, const ParmsId& parms_id,
                           Ciphertext& destination) const {
  evaluate("Evaluator::rescale_to", context_, destination, std::tie(a), [&] {
    const ContextData& target = check_target_level(context_, a, parms_id);
    const bool has_scale = rlwe::traits_of(context_.scheme()).has_scale;
    if (has_scale && target.parms_id() == a.parms_id()) return copy_unless_same(a, destination);
    rescale(a, target, destination);
  });
}

void Evaluator::mod_switch_to_next(const Ciphertext& a, Ciphertext& destination) const {
  evaluate("Evaluator::mod_switch_to_next", context_, destination, std::tie(a),
           [&] { operations_->mod_switch(a, check_next_level(context_, a), destination); });
}

void Evaluator::mod_switch_to(const Ciphertext& a, const ParmsId& parms_id,
                              Ciphertext& destination) const {
  evaluate("Evaluator::mod_switch_to", context_, destination, std::tie(a),
           [&] { Evaluation(*this).mod_switch_to(a, parms_id, destination); });
}

void Evaluator::drop_primes(const Plaintext& plain, const ContextData& target,
                            Plaintext& destination) const {
  operations_->check_scale_at(plain.scale(), target);
  Plaintext result(target, Contents::unspecified);
  const Backend& backend = context_.backend();
  backend.copy(result.ntt_view_for_writing(backend), plain.ntt_view(backend));
  result.scale() = plain.scale();
  destination = std::move(result);
}

void Evaluator::mod_switch_to_next(const Plaintext& plain, Plaintext& destination) const {
  operand_entry("Evaluator::mod_switch_to_next", context_, std::tie(plain),
                [&] { drop_primes(plain, check_next_level(context_, plain), destination); });
}

void Evaluator::mod_switch_to(const Plaintext& plain, const ParmsId& parms_id,
                              Plaintext& destination) const {
  operand_entry("Evaluator::mod_switch_to", context_, std::tie(plain), [&] {
    const ContextData& target = check_target_level(context_, plain, parms_id);
    if (target.parms_id() == plain.parms_id()) return copy_unless_same(plain, destination);
    drop_primes(plain, target, destination);
  });
}

void Evaluator::drop_primes(const Ciphertext& a, const ContextData& target,
                            Ciphertext& destination) const {
  operations_->check_scale_at(a.scale(), target);
  schemes::drop_primes(context_, target, a, destination);
}

void Evaluator::mod_reduce_to_next(const Ciphertext& a, Ciphertext& destination) const {
  evaluate("Evaluator::mod_reduce_to_next", context_, destination, std::tie(a),
           [&] { drop_primes(a, check_next_level(context_, a), destination); });
}

void Evaluator::mod_reduce_to(const Ciphertext& a, const ParmsId& parms_id,
                              Ciphertext& destination) const {
  evaluate("Evaluator::mod_reduce_to", context_, destination, std::tie(a), [&] {
    const ContextData& target = check_target_level(context_, a, parms_id);
    if (target.parms_id() == a.parms_id()) return copy_unless_same(a, destination);
    drop_primes(a, target, destination);
  });
}

}  // namespace ringlet
