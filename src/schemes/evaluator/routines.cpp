// SPDX-License-Identifier: Apache-2.0
#include "ringlet/schemes/routines.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <tuple>
#include <vector>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ringlet/base/error.hpp"
#include "rlwe/checks.hpp"
#include "schemes/batch_share.hpp"
#include "schemes/evaluator/evaluation.hpp"
#include "schemes/operand_entry.hpp"

namespace ringlet {
namespace {

using schemes::evaluate;
using schemes::Evaluation;
using Operands = std::span<const Ciphertext>;

/// Calls run(i, result) for every destination of the call `operation`. Destinations change when all
/// have succeeded.
template <typename Run>
void run_all(const char* operation, std::span<Ciphertext> destinations,
             std::initializer_list<std::size_t> operand_counts, const Run& run) {
  const std::size_t count = destinations.size();
  public_entry(operation, [&] { schemes::check_lengths(count, operand_counts); });
  std::vector<Ciphertext> results(count);
  for (std::size_t i = 0; i < count; ++i) {
    try {
      run(i, results[i]);
    } catch (const ErrorInfo& error) {
      refuse_at(concat("element ", i, " of ", count), error);
    }
  }
  std::ranges::move(results, destinations.begin());
}

double rescaled_scale(const Evaluator& evaluator, const Ciphertext& a, const Ciphertext& b) {
  const Context& context = evaluator.context();
  schemes::check_next_level(context, a, "first operand");
  const ContextData& level = schemes::check_pair(context, a, b);
  return a.scale() * b.scale() / static_cast<double>(level.coeff_modulus().back().value());
}

constexpr const char* kMultiply = "multiply_relinearize";
constexpr const char* kMultiplyRescale = "multiply_relinearize_rescale";
constexpr const char* kSquareRescale = "square_relinearize_rescale";
constexpr const char* kMultiplyRescaleAdd = "multiply_relinearize_rescale_add";
constexpr const char* kRotate = "rotate";

// Each routine has room for the product of three polynomials, which a batch uses again and again.

void mul_lin(const Evaluator& evaluator, const Ciphertext& a, const Ciphertext& b,
             const RelinKeys& keys, Ciphertext& product, Ciphertext& destination) {
  evaluate(kMultiply, evaluator.context(), destination, std::tie(a, b), [&] {
    const Evaluation evaluation(evaluator);
    evaluation.multiply(a, b, product);
    evaluation.relinearize(product, keys, destination);
  });
}

void mul_lin_rs(const Evaluator& evaluator, const Ciphertext& a, const Ciphertext& b,
                const RelinKeys& keys, Ciphertext& product, Ciphertext& destination) {
  evaluate(kMultiplyRescale, evaluator.context(), destination, std::tie(a, b), [&] {
    const Evaluation evaluation(evaluator);
    evaluation.multiply(a, b, product);
    evaluation.relinearize_and_rescale_to_next(product, keys, destination);
  });
}

void sqr_lin_rs(const Evaluator& evaluator, const Ciphertext& a, const RelinKeys& keys,
                Ciphertext& product, Ciphertext& destination) {
  evaluate(kSquareRescale, evaluator.context(), destination, std::tie(a), [&] {
    const Evaluation evaluation(evaluator);
    evaluation.square(a, product);
    evaluation.relinearize_and_rescale_to_next(product, keys, destination);
  });
}

struct ProductAndSum {
  const Ciphertext& a;
  const Ciphertext& b;
  const Ciphertext& addend;
};

void mul_lin_rs_mod_sw_add(const Evaluator& evaluator, const ProductAndSum& operands,
                           const RelinKeys& keys, Ciphertext& product, Ciphertext& destination) {
  const auto& [a, b, addend] = operands;
  const Context& context = evaluator.context();
  evaluate(kMultiplyRescaleAdd, context, destination, std::tie(a, b, addend), [&] {
    const Evaluation evaluation(evaluator);
    // The addend comes first: if it does not fit, nothing is multiplied.
    const ContextData& level = schemes::check_next_level(context, a, "first operand");
    Ciphertext lowered;
    evaluation.mod_switch_to(addend, level.parms_id(), lowered);
    const double scale = rescaled_scale(evaluator, a, b);
    if (!rlwe::scales_match(scale, lowered.scale())) {
      rlwe::refuse_scale(concat(": a rescaled product of ", rlwe::describe_scale(scale),
                                " and an addend of ", rlwe::describe_scale(lowered.scale())));
    }
    Ciphertext sum;
    evaluation.multiply(a, b, product);
    evaluation.relinearize_and_rescale_to_next(product, keys, sum);
    evaluation.add(sum, lowered, schemes::Sign::plus, destination);
  });
}

}  // namespace

void multiply_relinearize(const Evaluator& evaluator, const Ciphertext& a, const Ciphertext& b,
                          const RelinKeys& keys, Ciphertext& destination) {
  Ciphertext product;
  mul_lin(evaluator, a, b, keys, product, destination);
}

void multiply_relinearize(const Evaluator& evaluator, Operands a, Operands b, const RelinKeys& keys,
                          std::span<Ciphertext> destinations) {
  Ciphertext product;
  run_all(kMultiply, destinations, {a.size(), b.size()}, [&](std::size_t i, Ciphertext& result) {
    mul_lin(evaluator, a[i], b[i], keys, product, result);
  });
}

void multiply_relinearize_rescale(const Evaluator& evaluator, const Ciphertext& a,
                                  const Ciphertext& b, const RelinKeys& keys,
                                  Ciphertext& destination) {
  Ciphertext product;
  mul_lin_rs(evaluator, a, b, keys, product, destination);
}

void multiply_relinearize_rescale(const Evaluator& evaluator, Operands a, Operands b,
                                  const RelinKeys& keys, std::span<Ciphertext> destinations) {
  Ciphertext product;
  run_all(kMultiplyRescale, destinations, {a.size(), b.size()},
          [&](std::size_t i, Ciphertext& result) {
            mul_lin_rs(evaluator, a[i], b[i], keys, product, result);
          });
}

void square_relinearize_rescale(const Evaluator& evaluator, const Ciphertext& a,
                                const RelinKeys& keys, Ciphertext& destination) {
  Ciphertext product;
  sqr_lin_rs(evaluator, a, keys, product, destination);
}

void square_relinearize_rescale(const Evaluator& evaluator, Operands a, const RelinKeys& keys,
                                std::span<Ciphertext> destinations) {
  Ciphertext product;
  run_all(kSquareRescale, destinations, {a.size()}, [&](std::size_t i, Ciphertext& result) {
    sqr_lin_rs(evaluator, a[i], keys, product, result);
  });
}

void multiply_relinearize_rescale_add(const Evaluator& evaluator, const Ciphertext& a,
                                      const Ciphertext& b, const Ciphertext& addend,
                                      const RelinKeys& keys, Ciphertext& destination) {
  Ciphertext product;
  mul_lin_rs_mod_sw_add(evaluator, {a, b, addend}, keys, product, destination);
}

void multiply_relinearize_rescale_add(const Evaluator& evaluator, Operands a, Operands b,
                                      Operands addends, const RelinKeys& keys,
                                      std::span<Ciphertext> destinations) {
  Ciphertext product;
  run_all(kMultiplyRescaleAdd, destinations, {a.size(), b.size(), addends.size()},
          [&](std::size_t i, Ciphertext& result) {
            mul_lin_rs_mod_sw_add(evaluator, {a[i], b[i], addends[i]}, keys, product, result);
          });
}

double product_scale_after_rescale(const Evaluator& evaluator, const Ciphertext& a,
                                   const Ciphertext& b) {
  return schemes::operand_entry("product_scale_after_rescale", evaluator.context(), std::tie(a, b),
                                [&] { return rescaled_scale(evaluator, a, b); });
}

void rotate(const Evaluator& evaluator, const Ciphertext& a, int steps, const GaloisKeys& keys,
            Ciphertext& destination) {
  evaluate(kRotate, evaluator.context(), destination, std::tie(a),
           [&] { Evaluation(evaluator).rotate_vector(a, steps, keys, destination); });
}

void rotate(const Evaluator& evaluator, Operands a, int steps, const GaloisKeys& keys,
            std::span<Ciphertext> destinations) {
  run_all(kRotate, destinations, {a.size()},
          [&](std::size_t i, Ciphertext& result) { rotate(evaluator, a[i], steps, keys, result); });
}

}  // namespace ringlet
