// SPDX-License-Identifier: Apache-2.0
#include "base/cpu_features.hpp"

#include <array>

#include "base/text.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <cstring>
#elif defined(__s390x__)
#include <sys/auxv.h>
#endif

namespace ringlet {
namespace {

#if defined(__x86_64__)

CpuFeatureMask detect() noexcept {
  __builtin_cpu_init();
  CpuFeatureMask mask = 0;
  const auto record = [&mask](CpuFeature feature, int supported) {
    if (supported != 0) mask |= feature_bit(feature);
  };
  record(CpuFeature::avx2, __builtin_cpu_supports("avx2"));
  record(CpuFeature::bmi2, __builtin_cpu_supports("bmi2"));
  record(CpuFeature::fma, __builtin_cpu_supports("fma"));
  record(CpuFeature::avx512f, __builtin_cpu_supports("avx512f"));
  record(CpuFeature::avx512dq, __builtin_cpu_supports("avx512dq"));
  record(CpuFeature::avx512bw, __builtin_cpu_supports("avx512bw"));
  record(CpuFeature::avx512vl, __builtin_cpu_supports("avx512vl"));
  record(CpuFeature::avx512ifma, __builtin_cpu_supports("avx512ifma"));
  record(CpuFeature::avx512vbmi, __builtin_cpu_supports("avx512vbmi"));
  record(CpuFeature::avx512vbmi2, __builtin_cpu_supports("avx512vbmi2"));
  record(CpuFeature::avx512vnni, __builtin_cpu_supports("avx512vnni"));
  record(CpuFeature::sse42, __builtin_cpu_supports("sse4.2"));
  return mask;
}

// Leaves 0x80000002 to 0x80000004 of CPUID hold the name in 48 characters, padded with zeros.
std::string read_model_name() {
  constexpr unsigned kFirstLeaf = 0x80000002u;
  constexpr unsigned kLeaves = 3;
  std::array<unsigned, 4 * kLeaves> words{};
  for (unsigned i = 0; i < kLeaves; ++i) {
    unsigned* const out = &words[4 * i];
    if (__get_cpuid(kFirstLeaf + i, out, out + 1, out + 2, out + 3) == 0) return {};
  }
  std::array<char, sizeof(words) + 1> characters{};
  std::memcpy(characters.data(), words.data(), sizeof(words));
  return characters.data();
}

/// The maker of this processor and the maker's numbers for it.
struct Identity {
  std::string vendor;
  unsigned family = 0;
  unsigned model = 0;
  unsigned stepping = 0;
};

// Leaf 0 of CPUID holds the maker's name in three registers. Leaf 1 holds the stepping in bits 0 to
// 3, the model in bits 4 to 7, the upper half of the model in bits 16 to 19, and the family in bits
// 8 to 11. If the family's bits are all ones, bits 20 to 27 are added to it.
Identity read_identity() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(0, &eax, &ebx, &ecx, &edx) == 0) return {};
  const std::array<unsigned, 3> words{ebx, edx, ecx};
  std::array<char, sizeof(words)> vendor{};
  std::memcpy(vendor.data(), words.data(), sizeof(words));
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0) return {};
  const unsigned base = (eax >> 8) & 0xf;
  return {.vendor = {vendor.data(), vendor.size()},
          .family = base == 0xf ? base + ((eax >> 20) & 0xff) : base,
          .model = ((eax >> 4) & 0xf) | ((eax >> 12) & 0xf0),
          .stepping = eax & 0xf};
}

CpuTraitMask detect_traits() {
  const Identity identity = read_identity();
  return cpu_traits_of(identity.vendor, identity.family);
}

std::string read_signature() {
  const Identity identity = read_identity();
  return concat(identity.vendor, " ", identity.family, "/", identity.model, "/", identity.stepping);
}

#else

#if defined(__s390x__)
CpuFeatureMask detect() noexcept {
  // Bit 13, which Linux calls HWCAP_S390_VXRS_EXT or HWCAP_S390_VXE: set where the processor has
  // vector enhancements facility 1 and vector registers are saved.
  constexpr unsigned long kVectorEnhancements1 = 1ul << 13;
  const bool has_vxe = (getauxval(AT_HWCAP) & kVectorEnhancements1) != 0;
  return has_vxe ? feature_bit(CpuFeature::vxe) : 0;
}
#else
CpuFeatureMask detect() noexcept { return 0; }
#endif
CpuTraitMask detect_traits() { return 0; }
std::string read_signature() { return "unknown"; }
std::string read_model_name() { return {}; }

#endif

}  // namespace

CpuFeatureMask detected_cpu_features() noexcept {
  static const CpuFeatureMask mask = detect();
  return mask;
}

const char* cpu_feature_name(CpuFeature feature) noexcept {
  switch (feature) {
    case CpuFeature::avx2:
      return "avx2";
    case CpuFeature::bmi2:
      return "bmi2";
    case CpuFeature::fma:
      return "fma";
    case CpuFeature::avx512f:
      return "avx512f";
    case CpuFeature::avx512dq:
      return "avx512dq";
    case CpuFeature::avx512bw:
      return "avx512bw";
    case CpuFeature::avx512vl:
      return "avx512vl";
    case CpuFeature::avx512ifma:
      return "avx512ifma";
    case CpuFeature::avx512vbmi:
      return "avx512vbmi";
    case CpuFeature::avx512vbmi2:
      return "avx512vbmi2";
    case CpuFeature::avx512vnni:
      return "avx512vnni";
    case CpuFeature::sse42:
      return "sse42";
    case CpuFeature::vxe:
      return "vxe";
  }
  return "unknown";
}

std::vector<std::string> cpu_feature_names(CpuFeatureMask mask) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < kCpuFeatureCount; ++i) {
    const auto feature = static_cast<CpuFeature>(i);
    if ((mask & feature_bit(feature)) != 0) names.emplace_back(cpu_feature_name(feature));
  }
  return names;
}

CpuTraitMask cpu_traits_of(std::string_view vendor, unsigned family) noexcept {
  if (vendor != "AuthenticAMD") return 0;
  // Family 19h is Zen 3, which has no 512-bit instructions, and Zen 4; family 1Ah is Zen 5.
  if (family == 0x19) {
    return trait_bit(CpuTrait::half_rate_store512) | trait_bit(CpuTrait::fast_multiply64);
  }
  return family == 0x1a ? trait_bit(CpuTrait::fast_multiply64) : 0;
}

CpuTraitMask detected_cpu_traits() {
  static const CpuTraitMask mask = detect_traits();
  return mask;
}

const char* cpu_trait_name(CpuTrait trait) noexcept {
  switch (trait) {
    case CpuTrait::half_rate_store512:
      return "half_rate_store512";
    case CpuTrait::fast_multiply64:
      return "fast_multiply64";
  }
  return "unknown";
}

std::vector<std::string> cpu_trait_names(CpuTraitMask mask) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < kCpuTraitCount; ++i) {
    const auto trait = static_cast<CpuTrait>(i);
    if ((mask & trait_bit(trait)) != 0) names.emplace_back(cpu_trait_name(trait));
  }
  return names;
}

std::string cpu_signature() { return read_signature(); }

std::string cpu_model_name() {
  const std::string name = read_model_name();
  const std::size_t first = name.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return name.substr(first, name.find_last_not_of(' ') - first + 1);
}

}  // namespace ringlet
