// SPDX-License-Identifier: Apache-2.0
#include "ringlet/base/cpu.hpp"

#include "base/cpu_features.hpp"
#include "support/test.hpp"

namespace ringlet {
namespace {

/// The fields that the operating system reports for the first processor; empty on some systems.
std::map<std::string, std::string> reported() {
  std::ifstream file("/proc/cpuinfo");
  std::map<std::string, std::string> values;
  for (std::string line; std::getline(file, line) && !line.empty();) {
    const std::string name = line.substr(0, line.find_first_of("\t:"));
    values[name] = line.substr(std::min(line.find(':') + 2, line.size()));
  }
  return values;
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
  const CpuFeatureMask two = feature_mask(CpuFeature::avx512ifma, CpuFeature::avx2);
  EXPECT_EQ(cpu_feature_names(two), (std::vector<std::string>{"avx2", "avx512ifma"}));
}

TEST(CpuFeatures, AgreeWithWhatTheOperatingSystemReports) {
  std::string flags = reported()["flags"];
  if (flags.empty()) GTEST_SKIP() << "/proc/cpuinfo lists no flags on this system";
  // The system writes avx512_vbmi2 and sse4_2 where others write avx512vbmi2 and sse42.
  std::erase(flags, '_');
  std::istringstream words(flags);
  const std::set<std::string> plain{std::istream_iterator<std::string>(words), {}};
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
  EXPECT_TRUE(cpu_trait_names(0).empty());
  EXPECT_EQ(cpu_trait_names(trait_bit(CpuTrait::half_rate_store512)),
            (std::vector<std::string>{"half_rate_store512"}));
  EXPECT_EQ(cpu_trait_names(~CpuTraitMask{0}).size(), kCpuTraitCount);
  EXPECT_EQ(detected_cpu_traits() >> kCpuTraitCount, 0u);
}

TEST(CpuTraits, AgreeWithWhatTheOperatingSystemReports) {
  auto values = reported();
  if (values["vendor_id"].empty()) GTEST_SKIP() << "/proc/cpuinfo names no maker on this system";
  const auto family = static_cast<unsigned>(std::stoul(values["cpu family"]));
  EXPECT_EQ(detected_cpu_traits(), cpu_traits_of(values["vendor_id"], family));
}

}  // namespace
}  // namespace ringlet
