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
/// is their name in the catalog, or null if each kernel names its own.
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

/// True if this program counts calls of kernels, for which it defines this constant itself. The
/// linker takes that definition before the one in the archive, so that tests and users have the
/// same objects.
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

/// The kernels that the selection allows, that the processor can run and that take N = 2^log_degree
/// and q. They are in the estimate's order: from the highest table down, but kernels that suit the
/// processor and the degree before others, and kernels of a table that the selection names before
/// all. Not empty, because scalar64 takes everything. Of an exact name, only the table counts here.
std::vector<Chosen<NttKernel>> ntt_candidates(int log_degree, std::uint64_t q,
                                              const KernelSelection& selection);
/// The candidates for one element-wise operation; empty if q is too large for all its kernels.
std::vector<Chosen<EltwiseKernel>> eltwise_candidates(EltwiseOperation operation, std::uint64_t q,
                                                      const KernelSelection& selection);

/// The transform kernel for N = 2^log_degree and q, by the first of these that applies: the
/// selection's exact name, its wisdom among the candidates, trials if its effort is measure, and
/// the estimate. Trials are not counted as calls.
/// @throws InvalidArgument if the selection is exact and its kernel does not take N and q, or if
///         the effort is measure and q is not a prime that is 1 mod 2N.
Chosen<NttKernel> choose_ntt(int log_degree, std::uint64_t q, const KernelSelection& selection);

/// The kernel of one element-wise operation, chosen likewise; none if q is too large for all.
Chosen<EltwiseKernel> choose_eltwise(EltwiseOperation operation, std::uint64_t q,
                                     const KernelSelection& selection);

/// The kernel of Karatsuba's recursion that the selection names exactly, or the first one of the
/// highest table; each takes all moduli and degrees. Wisdom and effort do not count: the shape
/// matters more.
RINGLET_API Chosen<KaratsubaKernel> choose_karatsuba(const KernelSelection& selection);

/// Every Karatsuba kernel that this processor runs, lowest table first; for tests and benchmarks.
std::vector<Chosen<KaratsubaKernel>> karatsuba_kernels();

/// The kernel of residues of wide products: the one that the selection names exactly, or that of
/// the highest table that it allows.
RINGLET_API Chosen<ResidueKernel> choose_residue(const KernelSelection& selection);

/// The kernel of samples, chosen likewise.
RINGLET_API Chosen<SamplingKernel> choose_sampling(const KernelSelection& selection);

/// The kernel of basis conversions with primes and moduli up to `largest`, below 2^61: the one that
/// the selection names exactly if it takes them, or the first that does in the highest table that
/// the selection allows. It never refuses: a basis may have primes that the better kernels do not
/// take.
RINGLET_API Chosen<ConversionKernel> choose_conversion(std::uint64_t largest,
                                                       const KernelSelection& selection);

/// The kernel of the embedding of CKKS with N = 2^log_degree, chosen likewise.
RINGLET_API Chosen<EmbeddingKernel> choose_embedding(int log_degree,
                                                     const KernelSelection& selection);

/// The kernel of double words for an odd q: the one that the selection names exactly, or the first
/// one that takes q in the highest table that it allows. Not empty: scalar64 takes everything.
/// @throws InvalidArgument if the selection is exact and its kernel does not take q.
Chosen<WideKernel> choose_wide(const std::uint64_t q[2], const KernelSelection& selection);

/// Every kernel of double words that takes q and that this processor runs, lowest table first.
RINGLET_API std::vector<Chosen<WideKernel>> wide_kernels(const std::uint64_t q[2]);

}  // namespace ringlet::kernels
