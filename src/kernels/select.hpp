// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/kernel.hpp"
#include "ringlet/base/export.hpp"
#include "ringlet/kernels/kernel_selection.hpp"

namespace ringlet::kernels {

/// The tables of this build, lowest first.
std::span<const KernelTable* const> kernel_table_list();

/// Calls body(kernels, operation) for every list of a table, always in the same order; `operation`
/// is what the catalog calls them, or null where the kernel says it.
template <typename Body>
void for_each_list(const KernelTable& table, const Body& body) {
  body(table.ntt, "ntt");
  body(table.eltwise, nullptr);
  body(table.karatsuba, "karatsuba");
  body(table.wide, "wide");
  body(table.residue, "residues");
  body(table.conversion, "conversion");
  body(table.embedding, "embedding");
  body(table.sampling, "sampling");
}

/// Whether this program counts calls of kernels. False, unless the program defines it otherwise:
/// its own definition comes before the one in the archive, so that tests and users have the same
/// objects.
extern const bool kCountsKernelCalls;

/// Counts calls in programs that count them.
class CallCounter {
 public:
  CallCounter() = default;
  explicit CallCounter(std::atomic<std::uint64_t>* calls)
      : calls_(kCountsKernelCalls ? calls : nullptr) {}
  void count() const {
    if (calls_ != nullptr) calls_->fetch_add(1, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t>* calls_ = nullptr;
};

/// A kernel that was chosen, with its counter.
template <typename Kernel>
struct Chosen {
  const Kernel* kernel = nullptr;
  CallCounter counter;

  std::string name() const { return std::string(kernel->table) + "/" + kernel->algorithm; }
  bool is_named(std::string_view name) const {
    const std::string_view table = kernel->table;
    return name.starts_with(table) && name.substr(table.size()).starts_with('/') &&
           name.substr(table.size() + 1) == kernel->algorithm;
  }
};

/// The kernels that the selection allows, the processor has and that take N = 2^log_degree and q;
/// the estimate's choice first: the first kernel of the highest table, but kernels that suit the
/// processor and the degree before those that do not, and kernels of a table that the selection
/// names before all. Not empty, because scalar64 takes everything. An exact name restricts the
/// table alone here.
std::vector<Chosen<NttKernel>> ntt_candidates(int log_degree, std::uint64_t q,
                                              const KernelSelection& selection);
/// The same for one element-wise operation; empty if q is too large for every kernel of it.
std::vector<Chosen<EltwiseKernel>> eltwise_candidates(EltwiseOperation operation, std::uint64_t q,
                                                      const KernelSelection& selection);

/// The transform kernel for N = 2^log_degree and q: the one that the selection names exactly, or of
/// the candidates the one that its wisdom names, or the fastest in trials if its effort is measure,
/// or the estimate's. Trials are not counted as calls.
/// @throws InvalidArgument if the selection is exact and its kernel does not take them, or if the
///         effort is measure and q is not a prime that is 1 mod 2N.
Chosen<NttKernel> choose_ntt(int log_degree, std::uint64_t q, const KernelSelection& selection);

/// The same for one element-wise operation; none if q is too large for every kernel of it.
Chosen<EltwiseKernel> choose_eltwise(EltwiseOperation operation, std::uint64_t q,
                                     const KernelSelection& selection);

/// The kernel of Karatsuba's recursion that the selection names exactly, or the first one of the
/// highest table; each takes all moduli and degrees. It has a place for wisdom and effort no use
/// for: the shape matters more.
RINGLET_API Chosen<KaratsubaKernel> choose_karatsuba(const KernelSelection& selection);

/// Every such kernel that this processor runs, lowest table first; for tests and benchmarks.
std::vector<Chosen<KaratsubaKernel>> karatsuba_kernels();

/// The kernel of residues of wide products: the one that the selection names exactly, or that of
/// the highest table that it allows.
RINGLET_API Chosen<ResidueKernel> choose_residue(const KernelSelection& selection);

/// The same for samples.
RINGLET_API Chosen<SamplingKernel> choose_sampling(const KernelSelection& selection);

/// The kernel of basis conversions with primes and moduli up to `largest`, below 2^61: the one that
/// the selection names exactly if it takes them, or the first one that does in the highest table
/// that it allows. A basis may have primes for which there is none as good: no refusals.
RINGLET_API Chosen<ConversionKernel> choose_conversion(std::uint64_t largest,
                                                       const KernelSelection& selection);

/// The same for the embedding of CKKS with N = 2^log_degree.
RINGLET_API Chosen<EmbeddingKernel> choose_embedding(int log_degree,
                                                     const KernelSelection& selection);

/// The kernel of double words for an odd q: the one that the selection names exactly, or the first
/// one that takes q in the highest table that it allows. Not empty: scalar64 takes everything.
/// @throws InvalidArgument if the selection is exact and its kernel does not take q.
Chosen<WideKernel> choose_wide(const std::uint64_t q[2], const KernelSelection& selection);

/// Every such kernel that takes q and that this processor runs, lowest table first.
RINGLET_API std::vector<Chosen<WideKernel>> wide_kernels(const std::uint64_t q[2]);

}  // namespace ringlet::kernels
