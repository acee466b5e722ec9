// SPDX-License-Identifier: Apache-2.0
#include "ringlet/schemes/routines.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "ringlet/base/error.hpp"
#include "rlwe/checks.hpp"
#include "schemes/named_operands.hpp"

namespace ringlet {
namespace {

using schemes::name_operands;
using Operands = std::span<const Ciphertext>;

void check_lengths(const char* operation, std::size_t results,
                   std::initializer_list<std::size_t> operands) {
  std::string lengths;
  bool is_same = results > 0;
  for (const std::size_t length : operands) {
    lengths += concat(length, ", ");
    is_same = is_same && length == results;
  }
  if (is_same) return;
  throw_invalid_argument({.operation = operation,
                          .offending = concat("operands of ", lengths, "destinations of ", results),
                          .limit = "spans of one length, at least 1",
                          .remedy = "pass as many destinations as there are operands"});
}

ErrorDetails in_element(const ErrorInfo& error, std::size_t index, std::size_t count) {
  return {error.operation(), concat("element ", index, " of ", count, ": ", error.offending()),
          error.limit(), error.remedy()};
}

/// run(i, result) for every destination; these change when all have succeeded.
template <typename Run>
void run_all(std::span<Ciphertext> destinations, const Run& run) {
  const std::size_t count = destinations.size();
  std::vector<Ciphertext> results(count);
  for (std::size_t i = 0; i < count; ++i) {
    try {
      run(i, results[i]);
    } catch (const InvalidArgument& error) {
      throw_invalid_argument(in_element(error, i, count));
    } catch (const LogicError& error) {
      throw_logic_error(in_element(error, i, count));
    }
  }
  std::ranges::move(results, destinations.begin());
}

const ContextData& check_next_level(const Evaluator& evaluator, const Ciphertext& a,
                                    const char* operation) {
  const ContextData& level =
      rlwe::check_operand(evaluator.context(), a, "first operand", operation);
  if (level.next_context_data() == nullptr) {
    throw_invalid_argument(
        {.operation = operation,
         .offending = concat("operand at the last level: ", rlwe::describe(evaluator.context(), a)),
         .limit = "a level that has a lower one (chain index 1 and up)",
         .remedy = "use parameters with more primes"});
  }
  return *level.next_context_data();
}

double rescaled_scale(const Evaluator& evaluator, const Ciphertext& a, const Ciphertext& b,
                      const char* operation) {
  const Context& context = evaluator.context();
  check_next_level(evaluator, a, operation);
  const ContextData& level = rlwe::check_operand(context, b, "second operand", operation);
  rlwe::check_same_level(context, a, b, operation);
  rlwe::check_same_key(a, b, operation);
  return a.scale() * b.scale() / static_cast<double>(level.coeff_modulus().back().value());
}

// Each routine with room for the product of three polynomials, which a batch uses again and again.

void mul_lin(const Evaluator& evaluator, const Ciphertext& a, const Ciphertext& b,
             const RelinKeys& keys, Ciphertext& product, Ciphertext& destination) {
  const auto call = [&] {
    evaluator.multiply(a, b, product);
    evaluator.relinearize(product, keys, destination);
  };
  name_operands("multiply_relinearize", evaluator.context(), call, a, b);
}

void mul_lin_rs(const Evaluator& evaluator, const Ciphertext& a, const Ciphertext& b,
                const RelinKeys& keys, Ciphertext& product, Ciphertext& destination) {
  const auto call = [&] {
    evaluator.multiply(a, b, product);
    evaluator.relinearize_and_rescale_to_next(product, keys, destination);
  };
  name_operands("multiply_relinearize_rescale", evaluator.context(), call, a, b);
}

void sqr_lin_rs(const Evaluator& evaluator, const Ciphertext& a, const RelinKeys& keys,
                Ciphertext& product, Ciphertext& destination) {
  const auto call = [&] {
    evaluator.square(a, product);
    evaluator.relinearize_and_rescale_to_next(product, keys, destination);
  };
  name_operands("square_relinearize_rescale", evaluator.context(), call, a);
}

struct ProductAndSum {
  const Ciphertext& a;
  const Ciphertext& b;
  const Ciphertext& addend;
};

void mul_lin_rs_mod_sw_add(const Evaluator& evaluator, const ProductAndSum& operands,
                           const RelinKeys& keys, Ciphertext& product, Ciphertext& destination) {
  const auto& [a, b, addend] = operands;
  constexpr const char* kOperation = "multiply_relinearize_rescale_add";
  const auto call = [&] {
    // The addend first: where it does not fit, nothing is multiplied.
    const ContextData& level = check_next_level(evaluator, a, kOperation);
    Ciphertext lowered;
    evaluator.mod_switch_to(addend, level.parms_id(), lowered);
    const double scale = rescaled_scale(evaluator, a, b, kOperation);
    if (!rlwe::scales_match(scale, lowered.scale())) {
      rlwe::throw_scale_mismatch(concat("a rescaled product of ", rlwe::describe_scale(scale)),
                                 concat("an addend of ", rlwe::describe_scale(lowered.scale())),
                                 kOperation);
    }
    Ciphertext sum;
    evaluator.multiply(a, b, product);
    evaluator.relinearize_and_rescale_to_next(product, keys, sum);
    evaluator.add(sum, lowered, destination);
  };
  name_operands(kOperation, evaluator.context(), call, a, b, addend);
}

}  // namespace

void multiply_relinearize(const Evaluator& evaluator, const Ciphertext& a, const Ciphertext& b,
                          const RelinKeys& keys, Ciphertext& destination) {
  Ciphertext product;
  mul_lin(evaluator, a, b, keys, product, destination);
}

void multiply_relinearize(const Evaluator& evaluator, Operands a, Operands b, const RelinKeys& keys,
                          std::span<Ciphertext> destinations) {
  check_lengths("multiply_relinearize", destinations.size(), {a.size(), b.size()});
  Ciphertext product;
  run_all(destinations, [&](std::size_t i, Ciphertext& result) {
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
  check_lengths("multiply_relinearize_rescale", destinations.size(), {a.size(), b.size()});
  Ciphertext product;
  run_all(destinations, [&](std::size_t i, Ciphertext& result) {
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
  check_lengths("square_relinearize_rescale", destinations.size(), {a.size()});
  Ciphertext product;
  run_all(destinations, [&](std::size_t i, Ciphertext& result) {
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
  check_lengths("multiply_relinearize_rescale_add", destinations.size(),
                {a.size(), b.size(), addends.size()});
  Ciphertext product;
  run_all(destinations, [&](std::size_t i, Ciphertext& result) {
    mul_lin_rs_mod_sw_add(evaluator, {a[i], b[i], addends[i]}, keys, product, result);
  });
}

double product_scale_after_rescale(const Evaluator& evaluator, const Ciphertext& a,
                                   const Ciphertext& b) {
  return rescaled_scale(evaluator, a, b, "product_scale_after_rescale");
}

void rotate(const Evaluator& evaluator, const Ciphertext& a, int steps, const GaloisKeys& keys,
            Ciphertext& destination) {
  const auto call = [&] { evaluator.rotate_vector(a, steps, keys, destination); };
  name_operands("rotate", evaluator.context(), call, a);
}

void rotate(const Evaluator& evaluator, Operands a, int steps, const GaloisKeys& keys,
            std::span<Ciphertext> destinations) {
  check_lengths("rotate", destinations.size(), {a.size()});
  run_all(destinations,
          [&](std::size_t i, Ciphertext& result) { rotate(evaluator, a[i], steps, keys, result); });
}

}  // namespace ringlet
