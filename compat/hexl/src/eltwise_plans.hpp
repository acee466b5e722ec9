// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "ringlet/kernels/eltwise.hpp"

namespace intel {
namespace hexl {

/// The element-wise plans of the moduli that the process has used, for functions that are told the
/// modulus at every call. Lock-free: plans are added, never removed, so that a plan that was found
/// stays. Bounded: a modulus that finds no free place among its few gets a plan for one call.
/// Never destroyed, because destructors of static objects may still compute.
class EltwisePlans {
 public:
  /// Calls `use` with a plan modulo q.
  /// @throws ringlet::InvalidArgument if q is not in [2, 2^63).
  template <typename Use>
  void with(std::uint64_t q, Use use) {
    const ringlet::Eltwise* plan = find(q);
    if (plan == nullptr) plan = add(q);
    if (plan != nullptr) return use(*plan);
    use(ringlet::Eltwise(q));
  }

 private:
  static constexpr std::size_t kPlaces = 1024;
  static constexpr std::size_t kTries = 8;

  static std::size_t place(std::uint64_t q, std::size_t attempt) noexcept {
    // Moduli of one chain share their low bits; a product by 2^64 over the golden ratio spreads
    // them.
    return (((q * 0x9e3779b97f4a7c15) >> 54) + attempt) % kPlaces;
  }

  const ringlet::Eltwise* find(std::uint64_t q) const noexcept {
    for (std::size_t attempt = 0; attempt < kTries; ++attempt) {
      const ringlet::Eltwise* plan = plans_[place(q, attempt)].load(std::memory_order_acquire);
      if (plan == nullptr) return nullptr;
      if (plan->modulus().value() == q) return plan;
    }
    return nullptr;
  }

  const ringlet::Eltwise* add(std::uint64_t q) {
    auto made = std::make_unique<const ringlet::Eltwise>(q);
    for (std::size_t attempt = 0; attempt < kTries; ++attempt) {
      const ringlet::Eltwise* present = nullptr;
      if (plans_[place(q, attempt)].compare_exchange_strong(
              present, made.get(), std::memory_order_release, std::memory_order_acquire)) {
        return made.release();
      }
      if (present->modulus().value() == q) return present;
    }
    return nullptr;
  }

  std::array<std::atomic<const ringlet::Eltwise*>, kPlaces> plans_{};
};

}  // namespace hexl
}  // namespace intel
