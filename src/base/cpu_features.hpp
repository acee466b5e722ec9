// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
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
};

inline constexpr std::size_t kCpuFeatureCount = 10;

/// A set of features: bit i stands for the CpuFeature of value i.
using CpuFeatureMask = std::uint32_t;

constexpr CpuFeatureMask feature_bit(CpuFeature feature) noexcept {
  return CpuFeatureMask{1} << static_cast<unsigned>(feature);
}

/// The set of the given features.
template <typename... Features>
constexpr CpuFeatureMask feature_mask(Features... features) noexcept {
  return (CpuFeatureMask{0} | ... | feature_bit(features));
}

/// The features that this processor has and whose registers the operating system saves; empty on
/// processors other than x86-64. Detected once per process.
CpuFeatureMask detected_cpu_features() noexcept;

/// Name of one feature, such as "avx512ifma".
const char* cpu_feature_name(CpuFeature feature) noexcept;

/// Names of all features of a set, in the order of the enumeration.
std::vector<std::string> cpu_feature_names(CpuFeatureMask mask);

/// The processor's own name; empty where it does not give one.
std::string cpu_model_name();

}  // namespace ringlet
