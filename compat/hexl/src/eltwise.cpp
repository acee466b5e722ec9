// SPDX-License-Identifier: Apache-2.0
#include "ringlet/kernels/eltwise.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <optional>

#include "call_named.hpp"
#include "hexl/eltwise/eltwise-add-mod.hpp"
#include "hexl/eltwise/eltwise-cmp-add.hpp"
#include "hexl/eltwise/eltwise-cmp-sub-mod.hpp"
#include "hexl/eltwise/eltwise-fma-mod.hpp"
#include "hexl/eltwise/eltwise-mult-mod.hpp"
#include "hexl/eltwise/eltwise-reduce-mod.hpp"
#include "hexl/eltwise/eltwise-sub-mod.hpp"

namespace intel::hexl {
namespace {

using ringlet::Eltwise;

/// The element-wise plans of the moduli that the process has used, for functions that receive the
/// modulus at every call. Lock-free: plans are added, never removed, so that a plan that was found
/// stays. Bounded: a modulus that finds no free place among its kTries gets a plan for one call.
/// Never destroyed, because destructors of static objects may still compute.
class EltwisePlans {
 public:
  /// Returns a plan modulo q. It is made in `own` if the process keeps none.
  /// @throws ringlet::InvalidArgument if q is not in [2, 2^63).
  RINGLET_INLINE const Eltwise& of(std::uint64_t q, std::optional<Eltwise>& own) {
    const Eltwise* plan = plans_[place(q, 0)].load(std::memory_order_acquire);
    if (plan != nullptr && plan->modulus().value() == q) [[likely]]
      return *plan;
    return search(q, own);
  }

 private:
  [[gnu::noinline]] const Eltwise& search(std::uint64_t q, std::optional<Eltwise>& own) {
    const Eltwise* plan = find(q);
    if (plan == nullptr) plan = add(q);
    return plan != nullptr ? *plan : own.emplace(q);
  }

  static constexpr std::size_t kPlaces = 1024;
  static constexpr std::size_t kTries = 8;

  static std::size_t place(std::uint64_t q, std::size_t attempt) noexcept {
    // Moduli of one chain share their low bits; a product by 2^64 over the golden ratio spreads
    // them.
    return (((q * 0x9e3779b97f4a7c15) >> 54) + attempt) % kPlaces;
  }

  const Eltwise* find(std::uint64_t q) const noexcept {
    for (std::size_t attempt = 0; attempt < kTries; ++attempt) {
      const Eltwise* plan = plans_[place(q, attempt)].load(std::memory_order_acquire);
      if (plan == nullptr) return nullptr;
      if (plan->modulus().value() == q) return plan;
    }
    return nullptr;
  }

  const Eltwise* add(std::uint64_t q) {
    auto made = std::make_unique<const Eltwise>(q);
    for (std::size_t attempt = 0; attempt < kTries; ++attempt) {
      const Eltwise* present = nullptr;
      if (plans_[place(q, attempt)].compare_exchange_strong(
              present, made.get(), std::memory_order_release, std::memory_order_acquire)) {
        return made.release();
      }
      if (present->modulus().value() == q) return present;
    }
    return nullptr;
  }

  std::array<std::atomic<const Eltwise*>, kPlaces> plans_{};
};

// Trivially destructible, and zero before any code of the program runs.
constinit EltwisePlans plans;

/// Runs `compute` on the plan of q.
template <typename Compute>
void run(const char* function, std::uint64_t q, Compute compute) {
  call_named(function, [&] {
    std::optional<Eltwise> own;
    compute(plans.of(q, own));
  });
}

/// Return the two factors as a plan takes them.
int input(std::uint64_t factor) { return narrow_factor("input_mod_factor", factor); }
int output(std::uint64_t factor) { return narrow_factor("output_mod_factor", factor); }

Eltwise::Operand operand(const std::uint64_t* words, std::uint64_t n) { return {words, n}; }

ringlet::Comparison comparison(CMPINT cmp) noexcept {
  return static_cast<ringlet::Comparison>(static_cast<int>(cmp));
}

/// Returns the scalar modulo q if it is in [0, factor * q), else the scalar itself.
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

}  // namespace intel::hexl
