// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/driver.hpp"
#include "gpu/programs/programs.hpp"
#include "ringlet/arith/modulus.hpp"
#include "ringlet/gpu/device.hpp"

namespace ringlet::gpu {

/// The arithmetic that a prime needs, as src/gpu/kernels/ntt_butterfly.inc has it.
enum class NttPath : std::uint8_t { lazy = 1, exact = 2, narrow = 4 };

/// The paths of the primes of a basis: a sum of NttPath values.
using NttPaths = std::uint8_t;
constexpr NttPaths operator|(NttPaths paths, NttPath path) noexcept {
  return static_cast<NttPaths>(paths | static_cast<NttPaths>(path));
}
constexpr NttPaths operator|(NttPath a, NttPath b) noexcept { return static_cast<NttPaths>(a) | b; }
inline constexpr NttPaths kLazyPaths = 0 | NttPath::lazy;
inline constexpr NttPaths kExactPaths = 0 | NttPath::exact;
inline constexpr NttPaths kNarrowPaths = 0 | NttPath::narrow;
inline constexpr NttPaths kAllPaths = kLazyPaths | kExactPaths | kNarrowPaths;

/// Primes below 2^kNarrowPrimeBits go the narrow path, others below 2^kLazyPrimeBits the lazy one,
/// if the options have it.
inline constexpr int kNarrowPrimeBits = 30;
inline constexpr int kLazyPrimeBits = 57;
NttPath ntt_path(const Modulus& q, const DeviceOptions& options);
/// "narrow", "lazy" or "exact".
const char* name_of(NttPath path) noexcept;

/// Work next to a transform that its first or last pass does too, by the arithmetic of
/// src/gpu/kernels/division.inc. High radices have it.
enum class NttFusion : std::uint8_t {
  lift_digits,      ///< lift_offset of offset digits of a prime; then forward.
  divide_by_prime,  ///< lift_offset of divisor_digit of coefficients modulo the divisor;
                    ///< then forward; then take_off from the dividend.
  divide,           ///< Forward, then take_off from the dividend.
  make_digits,      ///< Inverse, then offset_digit.
};
inline constexpr std::size_t kNttFusionCount = 4;
/// Whether this variant has fusions.
bool has_fusions(GpuNtt variant) noexcept;

/// One launch: groups of one limb, and what the kernel takes beside the limbs.
struct NttStep {
  std::string kernel;
  std::size_t groups = 1;
  std::size_t group_size = 1;
  bool has_gap = false;
  std::uint64_t log_gap = 0;  ///< Of radix-2 rounds.
  /// In a plan with a fusion: whether the kernel is in its program, from ntt_fused.inc. The other
  /// kernels are those of the plan without a fusion.
  bool is_fused = false;
  bool takes_constants = false;  ///< Constants of divisions.
  bool takes_dividend = false;
};

/// How transforms of one degree are computed on a device: a pure function of the request and of the
/// device's properties.
struct NttPlan {
  std::string name;  ///< "radix8", "simd(8,8)", "simd(8,8) by emulated shuffles".
  Program program;
  std::vector<NttStep> forward;  ///< Empty if a fusion is of the inverse.
  std::vector<NttStep> inverse;
  /// Levels of the passes in the forward order, which lay out the tables of roots.
  std::vector<int> pass_levels;
};

/// The request for a plan.
struct NttRequest {
  GpuNtt variant = GpuNtt::radix8;
  int log_degree = 0;  ///< At least 1.
  NttPaths paths = NttPath::lazy | NttPath::exact;
  bool use_assembly = true;
  std::optional<NttFusion> fusion = std::nullopt;  ///< Only where has_fusions().
};

/// @throws RuntimeError if a shuffle variant is asked for and the device has sub-groups, but none
///         of 8 work-items or more.
NttPlan make_ntt_plan(const NttRequest& request, const DeviceProperties& device);

}  // namespace ringlet::gpu
