// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include <gtest/gtest.h>

#include "kernels/select.hpp"
#include "ringlet/error.hpp"
#include "ringlet/kernel_selection.hpp"

namespace ringlet {
namespace {

using kernels::choose_eltwise;
using kernels::choose_ntt;
using kernels::EltwiseOperation;

constexpr std::uint64_t kSmall = (std::uint64_t{1} << 49) - 1;
constexpr std::uint64_t kLarge = (std::uint64_t{1} << 60) - 1;

/// Operations that take every Modulus.
constexpr std::array<std::string_view, 5> kSums{"add", "add_scalar", "subtract", "subtract_scalar",
                                                "negate"};

bool table_available(const std::string& table) {
  for (const KernelInfo& info : kernel_catalog()) {
    if (info.table == table && info.available) return true;
  }
  return false;
}

TEST(KernelCatalog, NamesAreUniqueAndMadeOfTheirParts) {
  std::set<std::string> names;
  for (const KernelInfo& info : kernel_catalog()) {
    EXPECT_EQ(info.name, info.table + "/" + info.algorithm + "/" + info.operation);
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_GE(info.modulus_limit, 2U);
  }
}

TEST(KernelCatalog, ScalarNeedsNothingAndTakesEverything) {
  std::set<std::string> operations;
  for (const KernelInfo& info : kernel_catalog()) {
    if (info.table != "scalar64") continue;
    operations.insert(info.operation);
    EXPECT_TRUE(info.features.empty());
    EXPECT_TRUE(info.available);
    EXPECT_EQ(info.modulus_minimum, 2U) << info.name;
    const bool is_sum = std::ranges::count(kSums, info.operation) != 0;
    EXPECT_GE(info.modulus_limit, std::uint64_t{1} << (is_sum ? 63 : 62)) << info.name;
  }
  EXPECT_EQ(operations.size(), 1 + kernels::kEltwiseOperationCount);
}

TEST(KernelCatalog, SimdTablesNameTheirFeatures) {
  const auto needs = [](const KernelInfo& info, const char* feature) {
    return std::count(info.features.begin(), info.features.end(), feature) == 1;
  };
  for (const KernelInfo& info : kernel_catalog()) {
    if (info.table == "avx2") {
      EXPECT_TRUE(needs(info, "avx2")) << info.name;
    }
    if (info.table == "avx512dq") {
      EXPECT_TRUE(needs(info, "avx512dq")) << info.name;
    }
    if (info.table == "ifma52") {
      EXPECT_TRUE(needs(info, "avx512ifma")) << info.name;
    }
    if (info.table == "avx512dq" && info.operation == "ntt") {
      EXPECT_FALSE(needs(info, "avx512vbmi2")) << "VBMI2 must stay a refinement";
    }
  }
}

TEST(KernelSelection, UnknownNamesAreRefusedWithTheKnownOnes) {
  for (const char* text : {"avx3", "scalar", "SCALAR64", "scalar64/", "/radix2", "scalar64/radix3",
                           "scalar64/radix2/ntt", " scalar64"}) {
    try {
      const KernelSelection selection{std::string_view(text)};
      FAIL() << text;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(error.offending().find(text), std::string::npos);
      EXPECT_NE(error.limit().find("scalar64"), std::string::npos);
      EXPECT_FALSE(error.remedy().empty());
    }
  }
}

TEST(KernelSelection, TablesThatTheProcessorLacksAreRefused) {
  for (const std::string& table : kernel_tables()) {
    if (table_available(table)) {
      EXPECT_EQ(KernelSelection(table).text(), table);
    } else {
      EXPECT_THROW(KernelSelection{table}, RuntimeError) << table;
    }
  }
}

TEST(KernelSelection, TextFormRoundTrips) {
  EXPECT_EQ(KernelSelection("").text(), "");
  EXPECT_EQ(KernelSelection("").table(), "");
  const KernelSelection exact("scalar64/radix2");
  EXPECT_EQ(exact.table(), "scalar64");
  EXPECT_EQ(exact.algorithm(), "radix2");
  EXPECT_EQ(exact.text(), "scalar64/radix2");
}

TEST(ChooseNtt, ATableIsACeiling) {
  for (const std::string& table : kernel_tables()) {
    if (!table_available(table)) continue;
    const auto small = choose_ntt(12, kSmall, KernelSelection(table));
    EXPECT_EQ(small.kernel->table, table);
    const auto large = choose_ntt(12, kLarge, KernelSelection(table));
    if (table == "ifma52") {
      EXPECT_STREQ(large.kernel->table, "avx512dq");
    } else {
      EXPECT_EQ(large.kernel->table, table);
    }
    EXPECT_STREQ(choose_ntt(1, kSmall, KernelSelection(table)).kernel->table, "scalar64");
  }
}

TEST(ChooseNtt, AnExactNameRefusesWhatItDoesNotTake) {
  if (!table_available("ifma52")) GTEST_SKIP() << "this processor lacks ifma52";
  const KernelSelection exact("ifma52/radix2");
  const std::uint64_t limit = std::uint64_t{1} << 50;
  EXPECT_STREQ(choose_ntt(12, limit - 1, exact).kernel->table, "ifma52");
  EXPECT_THROW(choose_ntt(12, limit, exact), InvalidArgument);
  EXPECT_STREQ(choose_ntt(4, kSmall, exact).kernel->table, "ifma52");
  EXPECT_THROW(choose_ntt(3, kSmall, exact), InvalidArgument);
}

TEST(ChooseEltwise, AnExactTransformNameIsACeilingForOtherOperations) {
  const KernelSelection exact("scalar64/radix2");
  for (unsigned i = 0; i < kernels::kEltwiseOperationCount; ++i) {
    const auto chosen = choose_eltwise(static_cast<EltwiseOperation>(i), kLarge, exact);
    EXPECT_STREQ(chosen.kernel->table, "scalar64");
  }
}

TEST(ChooseNtt, WithoutRestrictionTheHighestFittingTableIsTaken) {
  std::string highest;
  for (const std::string& table : kernel_tables()) {
    if (table_available(table)) highest = table;
  }
  EXPECT_EQ(choose_ntt(12, kSmall, KernelSelection()).kernel->table, highest);
}

}  // namespace
}  // namespace ringlet
