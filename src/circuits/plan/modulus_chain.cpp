// SPDX-License-Identifier: Apache-2.0
#include "circuits/plan/modulus_chain.hpp"

#include <algorithm>

#include "rlwe/scheme_traits.hpp"

namespace ringlet {

ModulusChain::ModulusChain(const EncryptionParameters& parms, double scale)
    : prime_count_(parms.data_primes().size()), levels_(prime_count_) {
  for (const Modulus& q : parms.data_primes()) primes_.push_back(static_cast<double>(q.value()));
  if (prime_count_ < 2 || !rlwe::traits_of(parms.scheme()).has_scale) return;
  double product = primes_.back();
  while (2 * product < scale && primes_per_level_ < prime_count_) {
    ++primes_per_level_;
    product *= primes_[prime_count_ - primes_per_level_];
  }
  levels_ = (prime_count_ - 1) / primes_per_level_ + 1;
}

double ModulusChain::divisor(std::size_t level) const {
  double product = 1;
  for (std::size_t i = prime_count(level - 1); i < prime_count(level); ++i) product *= primes_[i];
  return product;
}

std::vector<PlanStep> expand_steps(const std::vector<PlanStep>& steps, std::size_t input_count,
                                   const ModulusChain& chain, std::vector<std::size_t>& outputs,
                                   const EncryptionParameters& parms) {
  std::vector<std::size_t> place(input_count + steps.size());
  for (std::size_t i = 0; i < input_count; ++i) place[i] = i;
  std::vector<PlanStep> expanded;
  const auto append = [&](PlanStep step) {
    step.result = input_count + expanded.size();
    expanded.push_back(step);
    return step.result;
  };
  for (const PlanStep& planned : steps) {
    PlanStep step = planned;
    step.a = place[planned.a];
    const bool has_known_operand = step.operation == PlanOperation::add_known ||
                                   step.operation == PlanOperation::multiply_known;
    if (!has_known_operand) step.b = place[planned.b];
    step.prime_count = chain.prime_count(planned.prime_count);
    const bool rescales = step.operation == PlanOperation::rescale ||
                          step.operation == PlanOperation::relinearize_and_rescale;
    if (rescales) {
      // The first part also relinearizes. Each part's scale is that after its division.
      for (std::size_t left = chain.primes_per_level() - 1; left > 0; --left) {
        PlanStep part = step;
        part.prime_count = step.prime_count + left;
        for (std::size_t i = step.prime_count; i < part.prime_count; ++i) {
          part.scale *= static_cast<double>(parms.data_primes()[i].value());
        }
        step.a = append(part);
        step.operation = PlanOperation::rescale;
      }
    }
    place[planned.result] = append(step);
  }
  for (std::size_t& output : outputs) output = place[output];
  return expanded;
}

}  // namespace ringlet
