// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>

#include "kernels/kernel.hpp"
#include "ringlet/kernel_selection.hpp"

namespace ringlet::kernels {

/// The tables of this build, lowest first.
std::span<const KernelTable* const> kernel_table_list();

/// Counts calls in builds with RINGLET_KERNEL_STATISTICS, and does nothing in others.
class CallCounter {
 public:
  CallCounter() = default;
  explicit CallCounter(std::atomic<std::uint64_t>* calls) : calls_(calls) {}
  void count() const {
#ifdef RINGLET_KERNEL_STATISTICS
    calls_->fetch_add(1, std::memory_order_relaxed);
#endif
  }

 private:
  [[maybe_unused]] std::atomic<std::uint64_t>* calls_ = nullptr;
};

/// A kernel that was chosen, with its counter.
template <typename Kernel>
struct Chosen {
  const Kernel* kernel = nullptr;
  CallCounter counter;

  std::string name() const { return std::string(kernel->table) + "/" + kernel->algorithm; }
};

/// The transform kernel for N = 2^log_degree and q: of the highest table that the selection allows
/// and the processor has, the first that takes them. scalar64 takes everything.
/// @throws InvalidArgument if the selection is exact and its kernel does not take them.
Chosen<NttKernel> choose_ntt(int log_degree, std::uint64_t q, const KernelSelection& selection);

/// The same for one element-wise operation; none if q is too large for every kernel of it.
Chosen<EltwiseKernel> choose_eltwise(EltwiseOperation operation, std::uint64_t q,
                                     const KernelSelection& selection);

}  // namespace ringlet::kernels
