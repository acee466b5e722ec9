// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ntt/ntt.hpp"

#include <bit>

#include "base/refuse.hpp"
#include "ntt/checks.hpp"
#include "ntt/plan.hpp"
#include "ringlet/arith/primes.hpp"

namespace ringlet {
namespace {

void check_degree(std::size_t degree) {
  if (std::has_single_bit(degree) && degree >= kMinNttDegree && degree <= kMaxNttDegree) return;
  refuse(concat("degree = ", degree),
         concat("powers of two from ", kMinNttDegree, " to ", kMaxNttDegree),
         "choose a power of two in that range");
}

void check_modulus(std::size_t degree, const Modulus& q) {
  const std::string remedy = "take a prime from generate_ntt_primes";
  const std::string offending = concat("modulus = ", q.value());
  if (q.bit_count() > kMaxNttModulusBits) {
    refuse(concat(offending, " of ", q.bit_count(), " bits"),
           concat("at most ", kMaxNttModulusBits, " bits"), remedy);
  }
  if (q.value() % 2 == 0) refuse(concat(offending, ", even"), "odd primes", remedy);
  if (!is_prime(q.value())) refuse(concat(offending, ", composite"), "primes", remedy);
  if ((q.value() - 1) % (2 * degree) != 0) {
    refuse(concat(offending, " = ", q.value() % (2 * degree), " mod ", 2 * degree),
           concat("primes that are 1 mod 2*degree = ", 2 * degree), remedy);
  }
}

void check_request(std::size_t degree, const Modulus& q) {
  check_degree(degree);
  check_modulus(degree, q);
}

using Results = std::array<std::span<std::uint64_t>, 2>;
using Operands = std::array<std::span<const std::uint64_t>, 2>;

/// Checks that a result is its own operand or has no word in common with any other vector.
kernels::NttTwoArguments checked_two(std::size_t degree, const Results& results,
                                     const Operands& operands, kernels::RangeFactors factors) {
  static constexpr const char* kResults[] = {"results[0]", "results[1]"};
  static constexpr const char* kOperands[] = {"operands[0]", "operands[1]"};
  for (std::size_t i = 0; i < 2; ++i) {
    check_buffers(degree, {kResults[i], results[i]}, {{kOperands[i], operands[i]}});
  }
  check_disjoint({kResults[0], results[0]}, {kResults[1], results[1]});
  for (std::size_t i = 0; i < 2; ++i) {
    check_disjoint({kResults[i], results[i]}, {kOperands[1 - i], operands[1 - i]});
  }
  return {
      {results[0].data(), results[1].data()}, {operands[0].data(), operands[1].data()}, factors};
}

}  // namespace

Ntt::Ntt(std::size_t degree, const Modulus& q, const KernelSelection& selection)
    : plan_(public_entry("Ntt", [&] {
        check_request(degree, q);
        return std::make_shared<const Plan>(degree, q, minimal_primitive_root(2 * degree, q),
                                            selection);
      })) {}

Ntt::Ntt(std::size_t degree, const Modulus& q, std::uint64_t root_of_unity,
         const KernelSelection& selection)
    : Ntt(degree, q, root_of_unity, selection, *std::pmr::new_delete_resource()) {}

Ntt::Ntt(std::size_t degree, const Modulus& q, std::uint64_t root_of_unity,
         const KernelSelection& selection, std::pmr::memory_resource& memory) {
  public_entry("Ntt", [&] {
    check_request(degree, q);
    if (root_of_unity >= q.value() || !is_primitive_root(root_of_unity, 2 * degree, q)) {
      refuse(concat("root_of_unity = ", root_of_unity),
             concat("elements of order ", 2 * degree, " modulo ", q.value()),
             "leave the root out to use the smallest one");
    }
    plan_ = std::make_shared<const Plan>(degree, q, root_of_unity, selection, memory);
  });
}

void Ntt::forward(std::span<std::uint64_t> result, std::span<const std::uint64_t> operand,
                  int input_mod_factor, int output_mod_factor) const {
  public_entry("Ntt::forward", [&] {
    check_buffers(degree(), {"result", result}, {{"operand", operand}});
    const kernels::RangeFactors factors{input_mod_factor, output_mod_factor};
    check_forward_factors(factors);
    plan_->forward(result.data(), operand.data(), factors);
  });
}

void Ntt::inverse(std::span<std::uint64_t> result, std::span<const std::uint64_t> operand,
                  int input_mod_factor, int output_mod_factor) const {
  public_entry("Ntt::inverse", [&] {
    check_buffers(degree(), {"result", result}, {{"operand", operand}});
    const kernels::RangeFactors factors{input_mod_factor, output_mod_factor};
    check_inverse_factors(factors);
    plan_->inverse(result.data(), operand.data(), factors);
  });
}

void Ntt::forward_two(Results results, Operands operands, int input_mod_factor,
                      int output_mod_factor) const {
  public_entry("Ntt::forward_two", [&] {
    const kernels::RangeFactors factors{input_mod_factor, output_mod_factor};
    check_forward_factors(factors);
    plan_->forward_two(checked_two(degree(), results, operands, factors));
  });
}

void Ntt::inverse_two(Results results, Operands operands, int input_mod_factor,
                      int output_mod_factor) const {
  public_entry("Ntt::inverse_two", [&] {
    const kernels::RangeFactors factors{input_mod_factor, output_mod_factor};
    check_inverse_factors(factors);
    plan_->inverse_two(checked_two(degree(), results, operands, factors));
  });
}

std::size_t Ntt::degree() const noexcept { return plan_->degree(); }
const Modulus& Ntt::modulus() const noexcept { return plan_->modulus(); }
std::uint64_t Ntt::root_of_unity() const noexcept { return plan_->root(); }
const std::string& Ntt::kernel_name() const noexcept { return plan_->kernel_name(); }
std::size_t Ntt::table_bytes() const noexcept { return plan_->table_bytes(); }

}  // namespace ringlet
