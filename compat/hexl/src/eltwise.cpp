// SPDX-License-Identifier: Apache-2.0
#include "ringlet/kernels/eltwise.hpp"

#include "call_named.hpp"
#include "eltwise_plans.hpp"
#include "hexl/eltwise/eltwise-add-mod.hpp"
#include "hexl/eltwise/eltwise-cmp-add.hpp"
#include "hexl/eltwise/eltwise-cmp-sub-mod.hpp"
#include "hexl/eltwise/eltwise-fma-mod.hpp"
#include "hexl/eltwise/eltwise-mult-mod.hpp"
#include "hexl/eltwise/eltwise-reduce-mod.hpp"
#include "hexl/eltwise/eltwise-sub-mod.hpp"

namespace intel {
namespace hexl {
namespace {

using ringlet::Eltwise;

// Trivially destructible, and zero before any code of the program runs.
constinit EltwisePlans plans;

/// Runs `compute` on the plan of q.
template <typename Compute>
void run(const char* function, std::uint64_t q, Compute compute) {
  call_named(function, [&] { plans.with(q, compute); });
}

/// The two factors as a plan takes them.
int input(std::uint64_t factor) { return narrow_factor("input_mod_factor", factor); }
int output(std::uint64_t factor) { return narrow_factor("output_mod_factor", factor); }

Eltwise::Operand operand(const std::uint64_t* words, std::uint64_t n) { return {words, n}; }

ringlet::Comparison comparison(CMPINT cmp) noexcept {
  return static_cast<ringlet::Comparison>(static_cast<int>(cmp));
}

/// The scalar reduced, if it is in [0, factor * q).
std::uint64_t reduced(const Eltwise& plan, std::uint64_t scalar, std::uint64_t factor) {
  const std::uint64_t q = plan.modulus().value();
  if (scalar < q || scalar / q >= factor) return scalar;
  return plan.modulus().reduce(scalar);
}

}  // namespace

void EltwiseAddMod(uint64_t* result, const uint64_t* operand1, const uint64_t* operand2, uint64_t n,
                   uint64_t modulus) {
  run("EltwiseAddMod", modulus, [&](const Eltwise& plan) {
    plan.add({result, n}, operand(operand1, n), operand(operand2, n));
  });
}

void EltwiseAddMod(uint64_t* result, const uint64_t* operand1, uint64_t operand2, uint64_t n,
                   uint64_t modulus) {
  run("EltwiseAddMod", modulus,
      [&](const Eltwise& plan) { plan.add_scalar({result, n}, operand(operand1, n), operand2); });
}

void EltwiseSubMod(uint64_t* result, const uint64_t* operand1, const uint64_t* operand2, uint64_t n,
                   uint64_t modulus) {
  run("EltwiseSubMod", modulus, [&](const Eltwise& plan) {
    plan.subtract({result, n}, operand(operand1, n), operand(operand2, n));
  });
}

void EltwiseSubMod(uint64_t* result, const uint64_t* operand1, uint64_t operand2, uint64_t n,
                   uint64_t modulus) {
  run("EltwiseSubMod", modulus, [&](const Eltwise& plan) {
    plan.subtract_scalar({result, n}, operand(operand1, n), operand2);
  });
}

void EltwiseMultMod(uint64_t* result, const uint64_t* operand1, const uint64_t* operand2,
                    uint64_t n, uint64_t modulus, uint64_t input_mod_factor) {
  run("EltwiseMultMod", modulus, [&](const Eltwise& plan) {
    plan.multiply({result, n}, operand(operand1, n), operand(operand2, n), input(input_mod_factor));
  });
}

void EltwiseFMAMod(uint64_t* result, const uint64_t* arg1, uint64_t arg2, const uint64_t* arg3,
                   uint64_t n, uint64_t modulus, uint64_t input_mod_factor) {
  run("EltwiseFMAMod", modulus, [&](const Eltwise& plan) {
    const std::uint64_t scalar = reduced(plan, arg2, input_mod_factor);
    if (arg3 == nullptr) {
      plan.multiply_scalar({result, n}, operand(arg1, n), scalar, input(input_mod_factor));
    } else {
      plan.multiply_scalar_add({result, n}, operand(arg1, n), scalar, operand(arg3, n),
                               input(input_mod_factor));
    }
  });
}

void EltwiseReduceMod(uint64_t* result, const uint64_t* operand_words, uint64_t n, uint64_t modulus,
                      uint64_t input_mod_factor, uint64_t output_mod_factor) {
  run("EltwiseReduceMod", modulus, [&](const Eltwise& plan) {
    const Eltwise::Operand a = operand(operand_words, n);
    const bool any_word = input_mod_factor == modulus || input_mod_factor == 1;
    if (any_word && (output_mod_factor == 1 || output_mod_factor == 2)) {
      plan.reduce({result, n}, a);
    } else if (input_mod_factor == 2 && output_mod_factor == 2) {
      plan.compare_add({result, n}, a, ringlet::Comparison::never, 0, 0);
    } else {
      plan.reduce_range({result, n}, a, input(input_mod_factor), output(output_mod_factor));
    }
  });
}

void EltwiseCmpAdd(uint64_t* result, const uint64_t* operand1, uint64_t n, CMPINT cmp,
                   uint64_t bound, uint64_t diff) {
  // A plan of any modulus adds without one.
  constexpr std::uint64_t kSomeModulus = 65537;
  run("EltwiseCmpAdd", kSomeModulus, [&](const Eltwise& plan) {
    plan.compare_add({result, n}, operand(operand1, n), comparison(cmp), bound, diff);
  });
}

void EltwiseCmpSubMod(uint64_t* result, const uint64_t* operand1, uint64_t n, uint64_t modulus,
                      CMPINT cmp, uint64_t bound, uint64_t diff) {
  run("EltwiseCmpSubMod", modulus, [&](const Eltwise& plan) {
    plan.compare_subtract({result, n}, operand(operand1, n), comparison(cmp), bound, diff);
  });
}

}  // namespace hexl
}  // namespace intel
