// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringlet {

/// An instruction-set extension that some kernel needs. The value is its bit in a CpuFeatureMask.
enum class CpuFeature : unsigned {
  avx2,
  bmi2,
  fma,
  avx512f,
  avx512dq,
  avx512bw,
  avx512vl,
  avx512ifma,
  avx512vbmi,
  avx512vbmi2,
  avx512vnni,
  sse42,
  vxe,  ///< Vector enhancements facility 1 of IBM Z, from z14 on.
};

inline constexpr std::size_t kCpuFeatureCount = 13;

/// A set of features: bit i stands for the CpuFeature of value i.
using CpuFeatureMask = std::uint32_t;

constexpr CpuFeatureMask feature_bit(CpuFeature feature) noexcept {
  return CpuFeatureMask{1} << static_cast<unsigned>(feature);
}

template <typename... Features>
constexpr CpuFeatureMask feature_mask(Features... features) noexcept {
  return (CpuFeatureMask{0} | ... | feature_bit(features));
}

/// The features that this processor has and whose registers the operating system saves; empty on
/// processors other than x86-64 and IBM Z. Detected once per process.
CpuFeatureMask detected_cpu_features() noexcept;

/// Name of one feature, such as "avx512ifma".
const char* cpu_feature_name(CpuFeature feature) noexcept;

/// Names of all features of a set, in the order of the enumeration.
std::vector<std::string> cpu_feature_names(CpuFeatureMask mask);

/// A property of a processor that changes which of several kernels is fastest, not which can run.
/// The value is its bit in a CpuTraitMask.
enum class CpuTrait : unsigned {
  /// A 512-bit store takes two cycles, so it stores no faster than 256-bit stores do: Zen 4.
  half_rate_store512,
  /// The low words of 64-bit products of 512-bit vectors take one operation: Zen 4 and Zen 5.
  /// Elsewhere they take three.
  fast_multiply64,
};

inline constexpr std::size_t kCpuTraitCount = 2;

/// A set of traits: bit i stands for the CpuTrait of value i.
using CpuTraitMask = std::uint32_t;

constexpr CpuTraitMask trait_bit(CpuTrait trait) noexcept {
  return CpuTraitMask{1} << static_cast<unsigned>(trait);
}

/// The traits of the processors of one maker (as CPUID spells it, "AuthenticAMD") and family
/// (extended family included); empty for processors of unknown traits.
CpuTraitMask cpu_traits_of(std::string_view vendor, unsigned family) noexcept;

/// The traits of this processor; empty on processors other than x86-64. Detected once per process.
CpuTraitMask detected_cpu_traits();

/// Name of one trait, such as "half_rate_store512".
const char* cpu_trait_name(CpuTrait trait) noexcept;

/// Names of all traits of a set, in the order of the enumeration.
std::vector<std::string> cpu_trait_names(CpuTraitMask mask);

/// Maker, family, model and stepping of this processor, "AuthenticAMD 25/17/1"; "unknown" on
/// processors other than x86-64. Processors of one name may have different signatures.
std::string cpu_signature();

/// The processor's own name; empty where it does not give one.
std::string cpu_model_name();

}  // namespace ringlet
