// SPDX-License-Identifier: Apache-2.0
#include "kernels/select.hpp"

#include <array>
#include <utility>

#include "base/text.hpp"
#include "kernels/isa/tables.hpp"
#include "ringlet/error.hpp"

namespace ringlet::kernels {
namespace {

constexpr std::size_t kMaxTables = 16;
constexpr std::size_t kMaxKernelsPerTable = 32;

/// Call counts by table and by place in it: transforms first, then element-wise kernels.
using Counts = std::array<std::array<std::atomic<std::uint64_t>, kMaxKernelsPerTable>, kMaxTables>;

Counts& call_counts() {
  static Counts counts{};
  return counts;
}

bool is_available(CpuFeatureMask needs) { return (needs & ~detected_cpu_features()) == 0; }

/// Is a kernel that suits processors with these traits preferred on this one?
bool is_suited(CpuTraitMask suits) { return suits == 0 || (suits & detected_cpu_traits()) != 0; }

template <typename Kernel>
struct KernelList {
  std::span<const Kernel> kernels;
  std::size_t first_count;  ///< Place of the first one in the table's call counts.
};

KernelList<NttKernel> kernels_of(const KernelTable& table, const NttKernel*) {
  return {{table.ntt, table.ntt_count}, 0};
}

KernelList<EltwiseKernel> kernels_of(const KernelTable& table, const EltwiseKernel*) {
  return {{table.eltwise, table.eltwise_count}, table.ntt_count};
}

/// Index of the named table (the highest of that name), or of the highest one when none is named.
std::size_t ceiling_index(const KernelSelection& selection) {
  const auto tables = kernel_table_list();
  std::size_t top = tables.size() - 1;
  if (selection.table().empty()) return top;
  while (selection.table() != tables[top]->name) --top;
  return top;
}

/// The first kernel of one table that this processor runs and `accepts` takes; none if there is
/// no such kernel.
template <typename Kernel, typename Accepts>
Chosen<Kernel> first_in_table(std::size_t table_index, Accepts accepts) {
  const auto [kernels, first_count] =
      kernels_of(*kernel_table_list()[table_index], static_cast<const Kernel*>(nullptr));
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (is_available(kernels[i].needs) && accepts(kernels[i])) {
      return {&kernels[i], CallCounter(&call_counts()[table_index][first_count + i])};
    }
  }
  return {};
}

/// The kernel named exactly if there is one that `concerns` the operation, else the first one that
/// fits and is preferred here from the ceiling down, else the first one that fits. An exact one
/// that does not fit is returned too: the caller refuses.
template <typename Kernel, typename Concerns, typename Fits, typename Preferred>
Chosen<Kernel> choose(const KernelSelection& selection, Concerns concerns, Fits fits,
                      Preferred preferred) {
  const std::size_t ceiling = ceiling_index(selection);
  for (std::size_t t = ceiling + 1; !selection.algorithm().empty() && t-- > 0;) {
    if (selection.table() != kernel_table_list()[t]->name) break;
    const auto exact = first_in_table<Kernel>(t, [&](const Kernel& kernel) {
      return concerns(kernel) && selection.algorithm() == kernel.algorithm;
    });
    if (exact.kernel != nullptr) return exact;
  }
  for (const bool only_preferred : {true, false}) {
    for (std::size_t t = ceiling + 1; t-- > 0;) {
      const auto chosen = first_in_table<Kernel>(t, [&](const Kernel& kernel) {
        return concerns(kernel) && fits(kernel) && (!only_preferred || preferred(kernel));
      });
      if (chosen.kernel != nullptr) return chosen;
    }
  }
  return {};
}

[[noreturn]] void refuse(std::string operation, std::string offending, std::string limit) {
  throw_invalid_argument({.operation = std::move(operation),
                          .offending = std::move(offending),
                          .limit = std::move(limit),
                          .remedy = "name the table alone, which falls back to lower tables, or "
                                    "leave the kernel open"});
}

template <typename Kernel>
KernelInfo describe(const KernelTable& table, const Kernel& kernel, const char* operation) {
  KernelInfo info;
  info.table = table.name;
  info.algorithm = kernel.algorithm;
  info.operation = operation;
  info.name = concat(info.table, "/", info.algorithm, "/", info.operation);
  info.features = cpu_feature_names(kernel.needs);
  info.available = is_available(kernel.needs);
  info.modulus_limit = kernel.modulus_limit;
  return info;
}

}  // namespace

std::span<const KernelTable* const> kernel_table_list() { return kTables; }

Chosen<NttKernel> choose_ntt(int log_degree, std::uint64_t q, const KernelSelection& selection) {
  const auto fits = [&](const NttKernel& kernel) {
    return q < kernel.modulus_limit && log_degree >= kernel.min_log_degree &&
           log_degree <= kernel.max_log_degree;
  };
  const auto preferred = [&](const NttKernel& kernel) {
    return is_suited(kernel.suits) && log_degree >= kernel.estimate_min_log_degree;
  };
  const auto chosen =
      choose<NttKernel>(selection, [](const NttKernel&) { return true; }, fits, preferred);
  if (!fits(*chosen.kernel)) {
    refuse(concat("Ntt with kernel ", chosen.name()),
           concat("degree = ", std::uint64_t{1} << log_degree, ", modulus = ", q),
           concat("degree from ", std::uint64_t{1} << chosen.kernel->min_log_degree, " to ",
                  std::uint64_t{1} << chosen.kernel->max_log_degree, ", modulus below ",
                  chosen.kernel->modulus_limit));
  }
  return chosen;
}

Chosen<EltwiseKernel> choose_eltwise(EltwiseOperation operation, std::uint64_t q,
                                     const KernelSelection& selection) {
  const auto fits = [&](const EltwiseKernel& kernel) {
    return q >= kernel.modulus_minimum && q < kernel.modulus_limit;
  };
  const auto chosen = choose<EltwiseKernel>(
      selection, [&](const EltwiseKernel& kernel) { return kernel.operation == operation; }, fits,
      [](const EltwiseKernel& kernel) { return is_suited(kernel.suits); });
  if (chosen.kernel != nullptr && !fits(*chosen.kernel)) {
    refuse(concat("Eltwise ", kEltwiseOperationNames[static_cast<unsigned>(operation)],
                  " with kernel ", chosen.name()),
           concat("modulus = ", q),
           concat("modulus from ", chosen.kernel->modulus_minimum, " to ",
                  chosen.kernel->modulus_limit - 1));
  }
  return chosen;
}

}  // namespace ringlet::kernels

namespace ringlet {

using kernels::KernelTable;

std::vector<std::string> kernel_tables() {
  std::vector<std::string> names;
  for (const KernelTable* table : kernels::kernel_table_list()) {
    if (names.empty() || names.back() != table->name) names.emplace_back(table->name);
  }
  return names;
}

std::vector<KernelInfo> kernel_catalog() {
  std::vector<KernelInfo> catalog;
  const auto tables = kernels::kernel_table_list();
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const KernelTable& table = *tables[t];
    const auto& counts = kernels::call_counts()[t];
    for (std::size_t i = 0; i < table.ntt_count; ++i) {
      KernelInfo info = kernels::describe(table, table.ntt[i], "ntt");
      info.min_degree = std::size_t{1} << table.ntt[i].min_log_degree;
      info.calls = counts[i].load(std::memory_order_relaxed);
      catalog.push_back(std::move(info));
    }
    for (std::size_t i = 0; i < table.eltwise_count; ++i) {
      const auto operation = static_cast<unsigned>(table.eltwise[i].operation);
      KernelInfo info =
          kernels::describe(table, table.eltwise[i], kernels::kEltwiseOperationNames[operation]);
      info.modulus_minimum = table.eltwise[i].modulus_minimum;
      info.calls = counts[table.ntt_count + i].load(std::memory_order_relaxed);
      catalog.push_back(std::move(info));
    }
  }
  return catalog;
}

bool kernel_statistics_enabled() noexcept {
#ifdef RINGLET_KERNEL_STATISTICS
  return true;
#else
  return false;
#endif
}

}  // namespace ringlet
