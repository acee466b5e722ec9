// SPDX-License-Identifier: Apache-2.0
#include "kernels/select.hpp"

#include <array>
#include <bit>
#include <type_traits>
#include <utility>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "kernels/measure.hpp"

namespace ringlet::kernels {
namespace {

constexpr std::size_t kMaxTables = 48;
constexpr std::size_t kMaxKernelsPerTable = 32;

/// Call counts by table and by place in it, in the order of the lists of KernelTable.
using Counts = std::array<std::array<std::atomic<std::uint64_t>, kMaxKernelsPerTable>, kMaxTables>;

Counts& call_counts() {
  static Counts counts{};
  return counts;
}

bool is_available(CpuFeatureMask needs) { return (needs & ~detected_cpu_features()) == 0; }

/// True if the estimate prefers the kernel on this processor.
template <typename Kernel>
bool is_suited(const Kernel& kernel) {
  return (kernel.avoids & detected_cpu_traits()) == 0;
}

template <typename Kernel>
struct KernelList {
  std::span<const Kernel> kernels;
  std::size_t first_count = 0;  ///< Place of the first kernel in the table's call counts.
};

template <typename Kernel>
KernelList<Kernel> kernels_of(const KernelTable& table) {
  KernelList<Kernel> found;
  std::size_t place = 0;
  for_each_list(table, [&]<typename Other>(std::span<const Other> kernels, const char*) {
    if constexpr (std::is_same_v<Kernel, Other>) found = {kernels, place};
    place += kernels.size();
  });
  return found;
}

/// Index of the named table (the highest of that name), or of the highest one when none is named.
std::size_t ceiling_index(const KernelSelection& selection) {
  const auto tables = kernel_table_list();
  std::size_t top = tables.size() - 1;
  if (selection.table().empty()) return top;
  while (selection.table() != tables[top]->name) --top;
  return top;
}

/// Calls body(kernel, counter) for the kernels of one table that this processor runs.
template <typename Kernel, typename Body>
void for_each_kernel(std::size_t table_index, const Body& body) {
  const auto [kernels, first_count] = kernels_of<Kernel>(*kernel_table_list()[table_index]);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (is_available(kernels[i].needs)) {
      body(Chosen<Kernel>{&kernels[i], CallCounter(&call_counts()[table_index][first_count + i])});
    }
  }
}

/// The kernel that the selection names exactly; none if it names none that `concerns` the
/// operation.
template <typename Kernel, typename Concerns>
Chosen<Kernel> exact_kernel(const KernelSelection& selection, const Concerns& concerns) {
  Chosen<Kernel> exact;
  if (selection.algorithm().empty()) return exact;
  for (std::size_t t = ceiling_index(selection) + 1; t-- > 0;) {
    if (selection.table() != kernel_table_list()[t]->name) break;
    for_each_kernel<Kernel>(t, [&](const Chosen<Kernel>& found) {
      const bool is_exact =
          concerns(*found.kernel) && selection.algorithm() == found.kernel->algorithm;
      if (exact.kernel == nullptr && is_exact) exact = found;
    });
  }
  return exact;
}

/// The kernels that fit, from the ceiling down. Kernels of a table that the selection names come
/// first; among these and among the others, those that are `preferred` come first.
template <typename Kernel, typename Fits, typename Preferred>
std::vector<Chosen<Kernel>> candidates(const KernelSelection& selection, const Fits& fits,
                                       const Preferred& preferred) {
  std::array<std::vector<Chosen<Kernel>>, 4> ranks;
  for (std::size_t t = ceiling_index(selection) + 1; t-- > 0;) {
    const unsigned other_table = selection.table() == kernel_table_list()[t]->name ? 0 : 2;
    for_each_kernel<Kernel>(t, [&](const Chosen<Kernel>& kernel) {
      if (!fits(*kernel.kernel)) return;
      ranks[other_table + (preferred(*kernel.kernel) ? 0 : 1)].push_back(kernel);
    });
  }
  std::vector<Chosen<Kernel>> found;
  for (const auto& rank : ranks) found.insert(found.end(), rank.begin(), rank.end());
  return found;
}

/// Chooses by wisdom, by `time`, which returns the seconds of all candidates, or by their order.
template <typename Kernel, typename Time>
Chosen<Kernel> decide(const std::vector<Chosen<Kernel>>& candidates, std::string_view wise,
                      PlanEffort effort, const Time& time) {
  if (candidates.empty()) return {};
  for (const Chosen<Kernel>& candidate : candidates) {
    if (candidate.is_named(wise)) return candidate;
  }
  if (effort == PlanEffort::estimate || candidates.size() == 1) return candidates.front();
  return candidates[fastest(time(candidates))];
}

bool takes(const NttKernel& kernel, int log_degree, std::uint64_t q) {
  return q < kernel.modulus_limit && log_degree >= kernel.min_log_degree &&
         log_degree <= kernel.max_log_degree;
}

bool takes(const EltwiseKernel& kernel, std::uint64_t q) {
  return q >= kernel.modulus_minimum && q < kernel.modulus_limit;
}

bool takes(const WideKernel& kernel, const std::uint64_t q[2]) {
  constexpr std::uint64_t kSpecialHigh = std::uint64_t{1} << (104 - 64);
  const int bits = q[1] != 0 ? 64 + std::bit_width(q[1]) : std::bit_width(q[0]);
  const bool is_special = q[0] == 1 && q[1] != 0 && q[1] % kSpecialHigh == 0;
  return bits >= kernel.min_modulus_bits && bits <= kernel.max_modulus_bits &&
         (is_special || !kernel.special_modulus);
}

constexpr auto kTakesAll = [](const auto&) { return true; };

/// Among the kernels for which `takes` holds: the one that the selection names exactly, or the
/// first in the highest table that the selection allows.
template <typename Kernel, typename Takes>
Chosen<Kernel> choose_highest(const KernelSelection& selection, const Takes& takes) {
  const auto exact = exact_kernel<Kernel>(selection, takes);
  if (exact.kernel != nullptr) return exact;
  return candidates<Kernel>(selection, takes, takes).front();
}

/// The kernels that this processor runs and for which `takes` holds, lowest table first.
template <typename Kernel, typename Takes>
std::vector<Chosen<Kernel>> all_kernels(const Takes& takes) {
  std::vector<Chosen<Kernel>> found;
  for (std::size_t t = 0; t < kernel_table_list().size(); ++t) {
    for_each_kernel<Kernel>(t, [&](const Chosen<Kernel>& kernel) {
      if (takes(*kernel.kernel)) found.push_back(kernel);
    });
  }
  return found;
}

const char* name_of(EltwiseOperation operation) {
  return kEltwiseOperationNames[static_cast<unsigned>(operation)];
}

constexpr const char* kNameRemedy =
    "name only the table, which falls back to lower tables, or name no kernel";

template <typename Kernel>
KernelInfo describe(const KernelTable& table, const Kernel& kernel, const char* name) {
  KernelInfo info;
  info.table = table.name;
  info.algorithm = kernel.algorithm;
  if constexpr (std::is_same_v<Kernel, EltwiseKernel>) name = name_of(kernel.operation);
  info.operation = name;
  info.name = concat(info.table, "/", info.algorithm, "/", info.operation);
  info.features = cpu_feature_names(kernel.needs);
  info.available = is_available(kernel.needs);
  info.modulus_limit = ~std::uint64_t{0};
  if constexpr (requires { kernel.modulus_limit; }) info.modulus_limit = kernel.modulus_limit;
  if constexpr (requires { kernel.modulus_minimum; }) info.modulus_minimum = kernel.modulus_minimum;
  if constexpr (requires { kernel.min_log_degree; }) {
    info.min_degree = std::size_t{1} << kernel.min_log_degree;
  }
  if constexpr (requires { kernel.named_only; }) info.named_only = kernel.named_only;
  return info;
}

}  // namespace

std::vector<Chosen<NttKernel>> ntt_candidates(int log_degree, std::uint64_t q,
                                              const KernelSelection& selection) {
  return candidates<NttKernel>(
      selection,
      [&](const NttKernel& kernel) { return !kernel.named_only && takes(kernel, log_degree, q); },
      [&](const NttKernel& kernel) {
        return is_suited(kernel) && log_degree >= kernel.estimate_min_log_degree;
      });
}

std::vector<Chosen<EltwiseKernel>> eltwise_candidates(EltwiseOperation operation, std::uint64_t q,
                                                      const KernelSelection& selection) {
  return candidates<EltwiseKernel>(
      selection,
      [&](const EltwiseKernel& kernel) {
        return kernel.operation == operation && takes(kernel, q);
      },
      [](const EltwiseKernel& kernel) { return is_suited(kernel); });
}

Chosen<NttKernel> choose_ntt(int log_degree, std::uint64_t q, const KernelSelection& selection) {
  const auto exact = exact_kernel<NttKernel>(selection, kTakesAll);
  if (exact.kernel != nullptr && !takes(*exact.kernel, log_degree, q)) {
    refuse(concat("degree = ", std::uint64_t{1} << log_degree, ", modulus = ", q, " for kernel ",
                  exact.name()),
           concat("degree from ", std::uint64_t{1} << exact.kernel->min_log_degree, " to ",
                  std::uint64_t{1} << exact.kernel->max_log_degree, ", modulus below ",
                  exact.kernel->modulus_limit),
           kNameRemedy);
  }
  if (exact.kernel != nullptr) return exact;
  return decide<NttKernel>(ntt_candidates(log_degree, q, selection),
                           selection.wisdom().kernel("ntt", log_degree, std::bit_width(q)),
                           selection.effort(), [&](const auto& kernels) {
                             return time_transforms(log_degree, q, kernels, kPlanTransformTrials);
                           });
}

Chosen<EltwiseKernel> choose_eltwise(EltwiseOperation operation, std::uint64_t q,
                                     const KernelSelection& selection) {
  const auto exact = exact_kernel<EltwiseKernel>(
      selection, [&](const EltwiseKernel& kernel) { return kernel.operation == operation; });
  if (exact.kernel != nullptr && !takes(*exact.kernel, q)) {
    refuse(concat("modulus = ", q, " for kernel ", exact.name(), "/", name_of(operation)),
           concat("modulus from ", exact.kernel->modulus_minimum, " to ",
                  exact.kernel->modulus_limit - 1),
           kNameRemedy);
  }
  if (exact.kernel != nullptr) return exact;
  return decide<EltwiseKernel>(
      eltwise_candidates(operation, q, selection),
      selection.wisdom().kernel(name_of(operation), 0, std::bit_width(q)), selection.effort(),
      [&](const auto& kernels) { return time_eltwise(operation, q, kernels, kPlanEltwiseTrials); });
}

Chosen<KaratsubaKernel> choose_karatsuba(const KernelSelection& selection) {
  return choose_highest<KaratsubaKernel>(selection, kTakesAll);
}

std::vector<Chosen<KaratsubaKernel>> karatsuba_kernels() {
  return all_kernels<KaratsubaKernel>(kTakesAll);
}

Chosen<ResidueKernel> choose_residue(const KernelSelection& selection) {
  return choose_highest<ResidueKernel>(selection, kTakesAll);
}

Chosen<ConversionKernel> choose_conversion(std::uint64_t largest,
                                           const KernelSelection& selection) {
  return choose_highest<ConversionKernel>(
      selection, [=](const ConversionKernel& kernel) { return largest < kernel.modulus_limit; });
}

Chosen<EmbeddingKernel> choose_embedding(int log_degree, const KernelSelection& selection) {
  return choose_highest<EmbeddingKernel>(selection, [=](const EmbeddingKernel& kernel) {
    return log_degree >= kernel.min_log_degree;
  });
}

Chosen<SamplingKernel> choose_sampling(const KernelSelection& selection) {
  return choose_highest<SamplingKernel>(selection, kTakesAll);
}

Chosen<WideKernel> choose_wide(const std::uint64_t q[2], const KernelSelection& selection) {
  const auto exact = exact_kernel<WideKernel>(selection, kTakesAll);
  if (exact.kernel != nullptr && !takes(*exact.kernel, q)) {
    refuse(concat("modulus with the words ", hex(q[0]), " and ", hex(q[1]), " for kernel ",
                  exact.name()),
           concat(exact.kernel->special_modulus ? "k * 2^104 + 1" : "odd numbers", " of ",
                  exact.kernel->min_modulus_bits, " to ", exact.kernel->max_modulus_bits, " bits"),
           kNameRemedy);
  }
  if (exact.kernel != nullptr) return exact;
  return candidates<WideKernel>(
             selection,
             [&](const WideKernel& kernel) {
               return takes(kernel, q) && (!kernel.named_only || selection.table() == kernel.table);
             },
             kTakesAll)
      .front();
}

std::vector<Chosen<WideKernel>> wide_kernels(const std::uint64_t q[2]) {
  return all_kernels<WideKernel>([&](const WideKernel& kernel) { return takes(kernel, q); });
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
    const std::atomic<std::uint64_t>* calls = kernels::call_counts()[t].data();
    kernels::for_each_list(table, [&](auto list, const char* name) {
      for (const auto& kernel : list) {
        KernelInfo info = kernels::describe(table, kernel, name);
        info.calls = (calls++)->load(std::memory_order_relaxed);
        catalog.push_back(std::move(info));
      }
    });
  }
  return catalog;
}

bool kernel_statistics_enabled() noexcept { return kernels::kCountsKernelCalls; }

}  // namespace ringlet
