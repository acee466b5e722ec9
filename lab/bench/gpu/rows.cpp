// SPDX-License-Identifier: Apache-2.0
#include "gpu/rows.hpp"

#include "gpu/line.hpp"

namespace ringlet::bench {
namespace {

// Bytes of a chunk that should stay in a device's cache.
constexpr std::size_t kChunkBytes = std::size_t{32} << 20U;
constexpr int kNarrowBits = 30;

/// Returns options with only the variant. Routines leave the fused multiply-add out too.
constexpr DeviceOptions plain(GpuNtt ntt, bool use_fused_multiply_add = true) {
  return {.ntt = ntt,
          .use_assembly = false,
          .use_fused_multiply_add = use_fused_multiply_add,
          .use_lazy_reduction = false,
          .use_narrow_words = false,
          .use_fused_passes = false};
}

constexpr DeviceOptions with(bool DeviceOptions::* flag, DeviceOptions options) {
  options.*flag = true;
  return options;
}
constexpr DeviceOptions with_two_queues(DeviceOptions options) {
  options.queue_count = 2;
  return options;
}

constexpr DeviceOptions kAssembly = with(&DeviceOptions::use_assembly, plain(GpuNtt::radix8));
constexpr DeviceOptions kLazy = with(&DeviceOptions::use_lazy_reduction, kAssembly);
constexpr std::array kNttRows{
    NttRow{"naive", "radix 2, naive", 2, plain(GpuNtt::naive)},
    NttRow{"simd_8_8", "staged, shuffles, 1 slot", 2, plain(GpuNtt::simd_8_8)},
    NttRow{"simd_16_8", "2 slots", 2, plain(GpuNtt::simd_16_8)},
    NttRow{"simd_32_8", "4 slots", 2, plain(GpuNtt::simd_32_8)},
    NttRow{"radix4", "radix 4 in registers", 4, plain(GpuNtt::radix4)},
    NttRow{"radix8", "radix 8", 8, plain(GpuNtt::radix8)},
    NttRow{"radix16", "radix 16", 16, plain(GpuNtt::radix16)},
    NttRow{"assembly", "+ assembly (radix 8)", 8, kAssembly},
    NttRow{"two_queues", "+ two queues", 8, with_two_queues(kAssembly)},
    NttRow{"lazy", "beyond: lazy reduction", 8, kLazy},
    NttRow{"chunks", "beyond: chunks for the cache", 8, kLazy, 50, true},
    NttRow{"wide_30", "beyond: 30 bits, 64-bit words", 8, kLazy, kNarrowBits},
    NttRow{"narrow_30", "beyond: 30 bits, 32-bit words", 8,
           with(&DeviceOptions::use_narrow_words, kLazy), kNarrowBits},
};

constexpr DeviceOptions kRoutine = plain(GpuNtt::radix8, false);
constexpr DeviceOptions kRoutineAssembly = with(&DeviceOptions::use_assembly, kRoutine);
constexpr DeviceOptions kBeyond = with(&DeviceOptions::use_fused_multiply_add,
                                       with(&DeviceOptions::use_lazy_reduction, kRoutineAssembly));
constexpr std::array kRoutineBars{
    Bar{"naive", "naive NTT", plain(GpuNtt::naive, false)},
    Bar{"radix8", "radix 8, local memory", kRoutine},
    Bar{"assembly", "+ assembly", kRoutineAssembly},
    Bar{"two_queues", "+ two queues", with_two_queues(kRoutineAssembly)},
    Bar{"beyond", "beyond: lazy, fused multiply-add", kBeyond},
    Bar{"one_division", "+ one division for both", kBeyond, true},
    Bar{"fused_passes", "+ fused passes", with(&DeviceOptions::use_fused_passes, kBeyond), true},
};

constexpr DeviceOptions product(bool cache, bool fused, bool assembly) {
  return {.use_memory_cache = cache, .use_assembly = assembly, .use_fused_multiply_add = fused};
}
constexpr std::array kProductBars{
    Bar{"baseline", "baseline", product(false, false, false), false, false},
    Bar{"fused", "+ fused multiply-add", product(false, true, false)},
    Bar{"assembly", "+ assembly", product(false, true, true)},
    Bar{"cache", "+ memory cache", product(true, true, true)},
    Bar{"cache_alone", "baseline with memory cache", product(true, false, false), false, false},
};

}  // namespace

DeviceOptions NttRow::options_for(std::size_t degree) const {
  DeviceOptions result = options;
  if (is_chunked) result.ntt_chunk_limbs = std::max(kRowPrimes, kChunkBytes / (8 * degree));
  return result;
}

std::span<const NttRow> ntt_rows() { return kNttRows; }
std::span<const Bar> routine_bars() { return kRoutineBars; }
std::span<const Bar> key_switch_bars() { return std::span(kRoutineBars).last(2); }
std::span<const Bar> product_bars() { return kProductBars; }

std::string options_json(const DeviceOptions& options) {
  // The first rows are the plain variants, and their keys name them.
  const auto variant =
      std::ranges::find(kNttRows, options.ntt, [](const NttRow& row) { return row.options.ntt; });
  Object object;
  object.add("ntt", variant->key).add("use_memory_cache", options.use_memory_cache);
  object.add("use_assembly", options.use_assembly);
  object.add("use_fused_multiply_add", options.use_fused_multiply_add);
  object.add("use_lazy_reduction", options.use_lazy_reduction);
  object.add("use_narrow_words", options.use_narrow_words);
  object.add("use_fused_passes", options.use_fused_passes);
  object.add("queue_count", options.queue_count).add("ntt_chunk_limbs", options.ntt_chunk_limbs);
  return object.text();
}

}  // namespace ringlet::bench
