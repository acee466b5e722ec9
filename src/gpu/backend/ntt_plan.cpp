// SPDX-License-Identifier: Apache-2.0
#include "gpu/backend/ntt_plan.hpp"

#include <algorithm>
#include <bit>
#include <string_view>

#include "base/text.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::gpu {
namespace {

/// Most words of a block in local memory, if the device has so much: 4096, in 36 KB with padding.
/// As many bytes hold 8192 words of 32 bits.
constexpr int kLogMostBlock = 12;
constexpr int kLogMostNarrowBlock = 13;
/// High radices take blocks as small as this where it costs no pass through global memory: groups
/// wait for fewer work-items, and there are more of them. On an H200 such transforms of 32768 words
/// take 6 to 17 % less time than in blocks of 4096 (docs/gpu.md).
constexpr int kLogLeastBlock = 11;
/// Lanes that exchange words by shuffles.
constexpr std::size_t kLanes = 8;
/// Work-items of a processor that get registers of 32 bits: 64 each for sets of 8 words, 32 if the
/// words are narrow, which still spills nothing. Compilers ignore the number where a processor
/// holds fewer work-items.
constexpr std::size_t kResidentItems = 1024;
constexpr std::size_t kResidentNarrowItems = 2048;
/// Most groups that a processor is asked to hold.
constexpr std::size_t kMostResidentGroups = 16;

/// Bytes of 16 words of 64 bits in local memory; padding adds an eighth.
constexpr std::size_t kPaddedBytes = 18 * 8;

/// Returns the most levels of a pass through global memory. Radix 8 goes to 16 there rather than to
/// a further pass: a pass of radix 16 is bound by memory, whatever the number of its registers.
int most_global_levels(int log_radix) { return log_radix == 2 ? 2 : 4; }

std::size_t largest_group(const DeviceProperties& device, std::size_t wanted) {
  return std::bit_floor(std::clamp<std::size_t>(device.largest_group, 1, wanted));
}

/// Returns how many passes through global memory take `levels` levels.
int global_passes(int levels, int log_radix) {
  const int most = most_global_levels(log_radix);
  return (levels + most - 1) / most;
}

/// Whether the first pass changes the words that it loads.
bool loads(NttFusion fusion) {
  return fusion == NttFusion::lift_digits || fusion == NttFusion::divide_by_prime;
}

const char* name_of(NttFusion fusion) {
  switch (fusion) {
    case NttFusion::lift_digits:
      return " with lifts of digits";
    case NttFusion::divide_by_prime:
      return " within a division by a prime";
    case NttFusion::divide:
      return " within a division";
    case NttFusion::make_digits:
      return " to digits";
  }
  return "";
}

std::string names_of(NttPaths paths) {
  std::string names;
  for (const NttPath path : {NttPath::narrow, NttPath::lazy, NttPath::exact}) {
    if ((paths | path) == paths) names += concat(names.empty() ? "" : " and ", name_of(path));
  }
  return names;
}

/// Builds the plan of one request, part by part.
class NttPlanBuilder {
 public:
  NttPlanBuilder(const NttRequest& request, const DeviceProperties& device)
      : request_(request), device_(device), log_degree_(request.log_degree) {
    plan_.program.files = {"arithmetic.inc", "ntt_butterfly.inc"};
    define("LOG_N", log_degree_);
    define("PRIME_PATHS", static_cast<int>(request.paths));
    define("RINGLET_ASSEMBLY", request.use_assembly ? 1 : 0);
  }

  NttPlan make() {
    switch (request_.variant) {
      case GpuNtt::naive:
        plan_naive();
        break;
      case GpuNtt::simd_8_8:
        plan_staged(1);
        break;
      case GpuNtt::simd_16_8:
        plan_staged(2);
        break;
      case GpuNtt::simd_32_8:
        plan_staged(4);
        break;
      case GpuNtt::radix4:
        plan_radix(2);
        break;
      case GpuNtt::radix8:
        plan_radix(3);
        break;
      case GpuNtt::radix16:
        plan_radix(4);
        break;
    }
    // Radix 2: every level is a pass of its own.
    if (plan_.pass_levels.empty()) {
      plan_.pass_levels.assign(static_cast<std::size_t>(log_degree_), 1);
    }
    plan_.program.name = concat("ntt ", plan_.name, " ", names_of(request_.paths), " N=", degree(),
                                request_.use_assembly ? " assembly" : "",
                                request_.fusion ? name_of(*request_.fusion) : "");
    return std::move(plan_);
  }

 private:
  template <typename Value>
  void define(std::string_view name, const Value& value) {
    plan_.program.definitions.push_back(concat(name, "=", value));
  }
  /// Whether all primes are narrow.
  bool is_narrow() const { return request_.paths == static_cast<NttPaths>(NttPath::narrow); }
  std::size_t degree() const { return std::size_t{1} << log_degree_; }
  /// Whether a first pass lifts to narrow and other primes. It would spill a few bytes at 64
  /// registers; it does not at 80.
  bool lifts_to_mixed_words() const {
    return request_.fusion && loads(*request_.fusion) && !is_narrow() &&
           (request_.paths | NttPath::narrow) == request_.paths;
  }

  void plan_naive() {
    plan_.name = "naive";
    define_rounds();
    add_rounds(0);
    const NttStep& round = plan_.forward.back();
    plan_.forward.push_back(
        {.kernel = "ntt_forward_end", .groups = round.groups, .group_size = round.group_size});
  }
  void plan_staged(std::size_t slots) {
    // The words of 8 lanes; smaller degrees have no stages.
    const int log_segment = std::countr_zero(2 * kLanes * slots);
    if (log_degree_ < log_segment) return plan_naive();
    plan_.name = concat("simd(", kLanes * slots, ",", kLanes, ")");
    define_shuffle();
    define_rounds();
    plan_.program.files.emplace_back("ntt_staged.inc");
    const int log_slm = std::max(log_block(16 * 8, kLogMostBlock), log_segment);
    const std::size_t slm_group =
        largest_group(device_, std::min(std::size_t{512}, std::size_t{1} << (log_slm - 1)));
    const std::size_t simd_items = degree() / (2 * slots);
    const std::size_t simd_group = largest_group(device_, std::min<std::size_t>(256, simd_items));
    define("TER_SLM_GAP_SZ", std::size_t{1} << (log_slm - 1));
    define("TER_SIMD_GAP_SZ", kLanes * slots);
    define("LOG_SLM", log_slm);
    define("LOG_SLM_END", log_segment);
    define("SLM_GROUP", slm_group);
    define("SIMD_GROUP", simd_group);
    add_rounds(log_slm);
    if (log_slm > log_segment) add_step("slm", degree() >> log_slm, slm_group);
    add_step("simd", simd_items / simd_group, simd_group);
  }

  void plan_radix(int log_radix) {
    const std::size_t radix = std::size_t{1} << log_radix;
    plan_.name = concat("radix", radix);
    if (request_.fusion) plan_.program.files = {"arithmetic.inc", "limbs.inc", "division.inc"};
    if (request_.fusion) plan_.program.files.emplace_back("ntt_butterfly.inc");
    plan_.program.files.emplace_back("ntt_sets.inc");
    plan_.program.files.emplace_back("ntt_radix.inc");
    plan_.program.files.emplace_back(request_.fusion ? "ntt_fused.inc" : "ntt_radix_kernels.inc");
    const int log_words = log_radix_block(log_radix);
    const int passes = (log_words + log_radix - 1) / log_radix;
    const int first_levels = log_words - (passes - 1) * log_radix;
    const std::size_t items = std::max<std::size_t>(1, (std::size_t{1} << log_words) / radix);
    // PoCL 3.1 does not finish compiling radix 4 with mixed paths and blocks of 4096 words if a
    // group takes two rounds. So it takes one round, where a group may be so large.
    const std::size_t most_items = log_radix == 4 ? 256 : log_radix == 3 ? 512 : 1024;
    const std::size_t group = largest_group(device_, std::min(most_items, items));
    define("LOG_RADIX", log_radix);
    define("LOG_BLOCK", log_words);
    define("FIRST_LEVELS", first_levels);
    define("BLOCK_GROUP", group);
    // A block that begins with lifts, and whose primes take different paths, would spill a few
    // bytes at 64 registers.
    const bool is_crowded = request_.fusion && log_words == log_degree_ &&
                            !std::has_single_bit(request_.paths) && loads(*request_.fusion);
    const std::size_t resident = resident_groups(group, log_radix, items / group);
    define("BLOCK_GROUPS", is_crowded ? std::max<std::size_t>(1, resident / 2) : resident);
    add_global_passes(log_words, log_radix);
    plan_.pass_levels.push_back(first_levels);
    plan_.pass_levels.insert(plan_.pass_levels.end(), static_cast<std::size_t>(passes - 1),
                             log_radix);
    add_step("block", degree() >> log_words, group);
    if (request_.fusion) fuse(*request_.fusion);
    if (log_radix == 3 && log_degree_ >= 10 && !is_crowded) {
      for (const std::vector<NttStep>* steps : {&plan_.forward, &plan_.inverse}) {
        for (const NttStep& step : *steps) {
          if (step.is_fused != request_.fusion.has_value()) continue;
          plan_.program.main_kernels.push_back(step.kernel);
          const bool is_large = step.kernel.ends_with("global_0") &&
                                (plan_.pass_levels[0] > log_radix || lifts_to_mixed_words());
          if (is_large) plan_.program.large_kernels.push_back(step.kernel);
        }
      }
    }
  }

  /// Changes the plan to one with the fusion.
  void fuse(NttFusion fusion) {
    // Values of NTT_LOAD and NTT_STORE in ntt_radix.inc.
    constexpr int kOffsetDigits = 1;
    constexpr int kRemainders = 2;
    constexpr int kQuotients = 1;
    constexpr int kStoredDigits = 2;
    const auto mark = [](NttStep& step, std::string_view pass) {
      step.kernel = concat("ntt_fused_", pass);
      step.is_fused = true;
    };
    const std::string_view first = plan_.forward.size() == 1 ? "block" : "global_0";
    if (fusion == NttFusion::make_digits) {
      define("NTT_STORE", kStoredDigits);
      plan_.forward.clear();
      mark(plan_.inverse.back(), first);
      return;
    }
    plan_.inverse.clear();
    if (loads(fusion)) {
      define("NTT_LOAD", fusion == NttFusion::lift_digits ? kOffsetDigits : kRemainders);
      mark(plan_.forward.front(), first);
      plan_.forward.front().takes_constants = true;
    }
    if (fusion != NttFusion::lift_digits) {
      define("NTT_STORE", kQuotients);
      NttStep& last = plan_.forward.back();
      mark(last, "block");
      last.takes_constants = true;
      last.takes_dividend = true;
    }
  }

  void define_rounds() {
    plan_.program.files.emplace_back("ntt_round.inc");
    define("ROUND_GROUP", largest_group(device_, std::min<std::size_t>(256, degree() / 2)));
  }
  void define_shuffle() {
    plan_.program.files.emplace_back("shuffle.inc");
    const std::vector<std::size_t>& widths = device_.sub_group_sizes;
    define("RINGLET_SHUFFLE", widths.empty() ? 2 : 1);
    if (widths.empty()) {
      plan_.name += " by emulated shuffles";
      return;
    }
    const auto width = std::find_if(widths.begin(), widths.end(),
                                    [](std::size_t candidate) { return candidate >= kLanes; });
    if (width == widths.end()) {
      throw_runtime_error({.offending = concat(device_.name, " has sub-groups of at most ",
                                               widths.back(), " work-items"),
                           .limit = concat(plan_.name, " exchanges words among ", kLanes),
                           .remedy = "choose another variant, such as radix8"});
    }
    if (device_.api == Api::opencl) {
      define("SUB_GROUPS", 1);
      define("RINGLET_SUB_GROUP_SIZE", *width);
    }
  }

  /// Adds rounds through global memory, whose pairs are N/2 down to 2^log_last words apart.
  void add_rounds(int log_last) {
    const std::size_t group = largest_group(device_, std::min<std::size_t>(256, degree() / 2));
    for (int log_gap = log_degree_ - 1; log_gap >= log_last; --log_gap) {
      add_step("round", degree() / 2 / group, group);
      for (NttStep* step : {&plan_.forward.back(), &plan_.inverse.front()}) {
        step->has_gap = true;
        step->log_gap = static_cast<std::uint64_t>(log_gap);
      }
    }
  }
  /// Adds the passes of a high radix above blocks of 2^log_block words.
  void add_global_passes(int log_block, int log_radix) {
    const int most = most_global_levels(log_radix);
    int levels = log_degree_ - log_block;
    int passes = global_passes(levels, log_radix);
    if (passes == 0) return;
    const std::size_t group =
        largest_group(device_, std::min<std::size_t>(256, degree() >> std::min(most, levels)));
    define("GLOBAL_GROUP", group);
    int most_taken = 0;
    for (int number = 0; passes > 0; ++number, --passes) {
      const int taken = (levels + passes - 1) / passes;
      most_taken = std::max(most_taken, taken);
      define(concat("GLOBAL_LEVELS_", number), taken);
      plan_.pass_levels.push_back(taken);
      add_step(concat("global_", number), (degree() >> taken) / group, group);
      levels -= taken;
    }
    const std::size_t resident = resident_groups(group, most_taken, 1);
    define("GLOBAL_GROUPS", lifts_to_mixed_words() ? resident - resident / 4 : resident);
  }

  /// Returns the logarithm of the words of a block that fits local memory, `log_most` at most; 16
  /// words take `padded_bytes`.
  int log_block(std::size_t padded_bytes, int log_most) const {
    int log_words = std::min(log_degree_, log_most);
    while (log_words > 4 && (std::size_t{1} << log_words) / 16 * padded_bytes >
                                std::max<std::size_t>(device_.local_memory_bytes, 1)) {
      --log_words;
    }
    return log_words;
  }
  /// Returns log_block of a high radix, down to kLogLeastBlock where a smaller block costs no pass.
  int log_radix_block(int log_radix) const {
    int log_words = is_narrow() ? log_block(kPaddedBytes / 2, kLogMostNarrowBlock)
                                : log_block(kPaddedBytes, kLogMostBlock);
    const int passes = global_passes(log_degree_ - log_words, log_radix);
    while (log_words > kLogLeastBlock &&
           global_passes(log_degree_ - log_words + 1, log_radix) == passes) {
      --log_words;
    }
    return log_words;
  }
  /// Returns for how many groups of `group` work-items a processor has registers, if each work-item
  /// takes sets of up to 2^levels words, `rounds` times.
  std::size_t resident_groups(std::size_t group, int levels, std::size_t rounds) const {
    std::size_t items = is_narrow() ? kResidentNarrowItems : kResidentItems;
    if (levels > 3) items /= 2;
    // Several rounds need registers beside the words, and a fusion computes on words of 64 bits.
    // Either would spill at 32 registers; it does not at 40.
    if (is_narrow() && (rounds > 1 || request_.fusion)) items -= items / 4;
    if (is_narrow() && rounds > 1 && request_.fusion) items = std::min(items, kResidentItems);
    return std::clamp<std::size_t>(items / group, 1, kMostResidentGroups);
  }
  /// Adds a launch to both transforms: at the end of the forward one, at the start of the inverse.
  void add_step(const std::string& kernel, std::size_t groups, std::size_t group_size) {
    const auto step = [&](const char* direction) {
      return NttStep{.kernel = concat("ntt_", direction, "_", kernel),
                     .groups = groups,
                     .group_size = group_size};
    };
    plan_.forward.push_back(step("forward"));
    plan_.inverse.insert(plan_.inverse.begin(), step("inverse"));
  }

  const NttRequest& request_;
  const DeviceProperties& device_;
  int log_degree_;
  NttPlan plan_;
};

}  // namespace

bool has_fusions(GpuNtt variant) noexcept {
  return variant == GpuNtt::radix4 || variant == GpuNtt::radix8 || variant == GpuNtt::radix16;
}

NttPath ntt_path(const Modulus& q, const DeviceOptions& options) {
  if (options.use_narrow_words && q.bit_count() <= kNarrowPrimeBits) return NttPath::narrow;
  if (options.use_lazy_reduction && q.bit_count() <= kLazyPrimeBits) return NttPath::lazy;
  return NttPath::exact;
}

const char* name_of(NttPath path) noexcept {
  switch (path) {
    case NttPath::lazy:
      return "lazy";
    case NttPath::exact:
      return "exact";
    case NttPath::narrow:
      return "narrow";
  }
  return "";
}

NttPlan make_ntt_plan(const NttRequest& request, const DeviceProperties& device) {
  return NttPlanBuilder(request, device).make();
}

}  // namespace ringlet::gpu
