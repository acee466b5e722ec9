// SPDX-License-Identifier: Apache-2.0
#include "ringlet/cpu.hpp"

#include "base/cpu_features.hpp"
#include "support/test.hpp"

namespace ringlet {
namespace {

// The flags that the kernel of the operating system reports for the first processor.
std::set<std::string> reported_flags() {
  std::ifstream file("/proc/cpuinfo");
  std::set<std::string> flags;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("flags", 0) != 0) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    for (std::string word; words >> word;) flags.insert(word);
    break;
  }
  return flags;
}

// The operating system writes avx512_vbmi2 and sse4_2 where others write avx512vbmi2 and sse42.
std::string without_underscore(std::string name) {
  name.erase(std::remove(name.begin(), name.end(), '_'), name.end());
  return name;
}

TEST(CpuFeatures, BitsAndNamesAreDistinct) {
  std::set<std::string> names;
  CpuFeatureMask all = 0;
  for (unsigned i = 0; i < kCpuFeatureCount; ++i) {
    const auto feature = static_cast<CpuFeature>(i);
    EXPECT_EQ(all & feature_bit(feature), 0u);
    all |= feature_bit(feature);
    names.insert(cpu_feature_name(feature));
  }
  EXPECT_EQ(names.size(), kCpuFeatureCount);
  EXPECT_EQ(names.count("unknown"), 0u);
  EXPECT_EQ(cpu_feature_names(all).size(), kCpuFeatureCount);
  EXPECT_TRUE(cpu_feature_names(0).empty());
  EXPECT_EQ(detected_cpu_features() & ~all, 0u);
}

TEST(CpuFeatures, MaskNamesItsFeaturesInOrder) {
  const CpuFeatureMask mask = feature_mask(CpuFeature::avx512ifma, CpuFeature::avx2);
  EXPECT_EQ(cpu_feature_names(mask), (std::vector<std::string>{"avx2", "avx512ifma"}));
}

TEST(CpuFeatures, AgreeWithWhatTheOperatingSystemReports) {
  const std::set<std::string> flags = reported_flags();
  if (flags.empty()) GTEST_SKIP() << "/proc/cpuinfo lists no flags on this system";
  std::set<std::string> plain;
  for (const std::string& flag : flags) plain.insert(without_underscore(flag));
  for (unsigned i = 0; i < kCpuFeatureCount; ++i) {
    const auto feature = static_cast<CpuFeature>(i);
    const bool detected = (detected_cpu_features() & feature_bit(feature)) != 0;
    EXPECT_EQ(detected, plain.count(cpu_feature_name(feature)) == 1) << cpu_feature_name(feature);
  }
}

TEST(CpuInfo, NamesTheProcessorAndItsFeatures) {
  const CpuInfo info = cpu_info();
  EXPECT_FALSE(info.model.empty());
  EXPECT_NE(info.model.front(), ' ');
  EXPECT_NE(info.model.back(), ' ');
  EXPECT_EQ(info.features, cpu_feature_names(detected_cpu_features()));
  EXPECT_EQ(info.traits, cpu_trait_names(detected_cpu_traits()));
}

TEST(CpuTraits, FollowFromMakerAndFamily) {
  EXPECT_EQ(cpu_traits_of("AuthenticAMD", 0x19),
            trait_bit(CpuTrait::half_rate_store512) | trait_bit(CpuTrait::fast_multiply64));
  EXPECT_EQ(cpu_traits_of("AuthenticAMD", 0x17), 0u);
  EXPECT_EQ(cpu_traits_of("AuthenticAMD", 0x1a), trait_bit(CpuTrait::fast_multiply64));
  EXPECT_EQ(cpu_traits_of("GenuineIntel", 0x19), 0u);
  EXPECT_EQ(cpu_traits_of("", 0x19), 0u);
}

TEST(CpuTraits, MaskNamesItsTraits) {
  EXPECT_TRUE(cpu_trait_names(0).empty());
  EXPECT_EQ(cpu_trait_names(trait_bit(CpuTrait::half_rate_store512)),
            (std::vector<std::string>{"half_rate_store512"}));
  EXPECT_EQ(cpu_trait_names(~CpuTraitMask{0}).size(), kCpuTraitCount);
  EXPECT_EQ(detected_cpu_traits() >> kCpuTraitCount, 0u);
}

// The operating system names the maker and the family of the processor by itself.
TEST(CpuTraits, AgreeWithWhatTheOperatingSystemReports) {
  std::ifstream file("/proc/cpuinfo");
  std::string vendor;
  unsigned family = 0;
  for (std::string line; std::getline(file, line) && !line.empty();) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("vendor_id", 0) == 0) vendor = line.substr(colon + 2);
    if (line.rfind("cpu family", 0) == 0) {
      family = static_cast<unsigned>(std::stoul(line.substr(colon + 2)));
    }
  }
  if (vendor.empty()) GTEST_SKIP() << "/proc/cpuinfo names no maker on this system";
  EXPECT_EQ(detected_cpu_traits(), cpu_traits_of(vendor, family));
}

}  // namespace
}  // namespace ringlet
