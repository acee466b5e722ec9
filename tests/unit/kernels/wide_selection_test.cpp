// SPDX-License-Identifier: Apache-2.0
#include "kernels/select.hpp"
#include "ringlet/kernels/kernel_selection.hpp"
#include "ringlet/ntt/wide.hpp"
#include "support/refusal.hpp"

// The choice of kernels of double words, over whatever tables this build and this processor have.

namespace ringlet::test {
namespace {

using kernels::choose_wide;
using kernels::WideKernel;

/// Short ones, general ones and one of the special family.
std::vector<WideModulus> sample_moduli() {
  std::vector<WideModulus> moduli = {WideModulus({3, 0, 0}),
                                     generate_special_wide_primes(124, 1).front(),
                                     generate_special_wide_primes(112, 1).front(),
                                     WideModulus({1, std::uint64_t{1} << 40, 0})};  // 2^104 + 1
  for (const int bits : {20, 64, 65, 100, 105, 112, 124}) {
    moduli.push_back(WideModulus::largest_prime(bits));
  }
  return moduli;
}

bool runs_here(CpuFeatureMask needs) { return (needs & ~detected_cpu_features()) == 0; }

/// What the descriptor says, in terms of the words of the modulus.
bool takes(const WideKernel& kernel, const WideModulus& q) {
  const bool is_special =
      q.bit_count() > 104 && q.value()[0] == 1 && q.value()[1] << (64 - 40) == 0;
  return q.bit_count() >= kernel.min_modulus_bits && q.bit_count() <= kernel.max_modulus_bits &&
         (!kernel.special_modulus || is_special);
}

/// Every kernel of double words that this processor runs, lowest table first.
std::vector<const WideKernel*> wide_kernels_here() {
  std::vector<const WideKernel*> found;
  for (const auto* table : kernels::kernel_table_list()) {
    for (const WideKernel& kernel : table->wide) {
      if (runs_here(kernel.needs)) found.push_back(&kernel);
    }
  }
  return found;
}

std::string name_of(const WideKernel& kernel) {
  return std::string(kernel.table) + "/" + kernel.algorithm;
}

TEST(ChooseWide, ATableIsACeiling) {
  const std::vector<const WideKernel*> all = wide_kernels_here();
  for (const WideModulus& q : sample_moduli()) {
    for (const std::string& table : kernel_tables()) {
      const auto owns = [&](const WideKernel* kernel) { return kernel->table == table; };
      if (std::ranges::none_of(all, owns)) continue;
      const auto chosen = choose_wide(q.value().data(), KernelSelection(table));
      ASSERT_NE(chosen.kernel, nullptr);
      EXPECT_TRUE(takes(*chosen.kernel, q)) << chosen.name() << " for " << q.to_string();
      const bool own_takes = std::ranges::any_of(
          all, [&](const WideKernel* kernel) { return owns(kernel) && takes(*kernel, q); });
      EXPECT_EQ(chosen.kernel->table == table, own_takes) << table << ": " << chosen.name();
      const auto last_of = [&](std::string_view name) {
        return std::ranges::find_if(all.rbegin(), all.rend(), [&](const WideKernel* kernel) {
          return kernel->table == name;
        });
      };
      EXPECT_GE(last_of(chosen.kernel->table), last_of(table)) << "above " << table;
    }
  }
}

TEST(ChooseWide, TheFirstKernelOfTheHighestTableThatTakesTheModulusIsTaken) {
  for (const WideModulus& q : sample_moduli()) {
    std::vector<const WideKernel*> taking = wide_kernels_here();
    std::erase_if(taking, [&](const WideKernel* kernel) { return !takes(*kernel, q); });
    EXPECT_STREQ(taking.front()->table, "scalar64") << "the portable table takes all";
    EXPECT_FALSE(taking.front()->named_only);
    std::vector<const WideKernel*> listed;
    for (const auto& chosen : kernels::wide_kernels(q.value().data())) {
      listed.push_back(chosen.kernel);
    }
    EXPECT_EQ(listed, taking);
    std::erase_if(taking, [](const WideKernel* kernel) { return kernel->named_only; });
    const auto first = std::ranges::find_if(taking, [&](const WideKernel* kernel) {
      return std::string_view(kernel->table) == taking.back()->table;
    });
    EXPECT_EQ(choose_wide(q.value().data(), KernelSelection()).kernel, *first) << q.to_string();
  }
}

TEST(ChooseWide, KernelsForStudiesAreTakenByTheirNameAlone) {
  const WideModulus q = generate_special_wide_primes(124, 1).front();
  std::size_t named_only = 0;
  for (const WideKernel* kernel : wide_kernels_here()) {
    if (!kernel->named_only) continue;
    ++named_only;
    EXPECT_STREQ(choose_wide(q.value().data(), KernelSelection(kernel->table)).kernel->table,
                 kernel->table);
    EXPECT_EQ(choose_wide(q.value().data(), KernelSelection(name_of(*kernel))).kernel, kernel);
  }
  std::vector<std::string> others = {""};
  for (const WideKernel* kernel : wide_kernels_here()) {
    if (!kernel->named_only) others.insert(others.end(), {kernel->table, name_of(*kernel)});
  }
  for (const std::string& text : others) {
    EXPECT_FALSE(choose_wide(q.value().data(), KernelSelection(text)).kernel->named_only) << text;
  }
  if (named_only == 0) GTEST_SKIP() << "no kernel is there for studies alone";
}

TEST(ChooseWide, AnExactNameTakesItsModuliAndRefusesOthers) {
  std::size_t refusals = 0;
  for (const WideKernel* kernel : wide_kernels_here()) {
    const KernelSelection exact(name_of(*kernel));
    for (const WideModulus& q : sample_moduli()) {
      if (takes(*kernel, q)) {
        EXPECT_EQ(choose_wide(q.value().data(), exact).kernel, kernel);
        EXPECT_EQ(WideEltwise(q, exact).kernel_name(), name_of(*kernel));
        continue;
      }
      ++refusals;
      for (const std::string& text :
           {name_of(*kernel), std::to_string(kernel->min_modulus_bits),
            std::string(kernel->special_modulus ? "k * 2^104 + 1" : "")}) {
        expect_refusal_says(text, [&] { WideEltwise(q, exact); });
      }
    }
  }
  // The name of another operation's kernel is a ceiling.
  const WideModulus q = WideModulus::largest_prime(124);
  const auto chosen = choose_wide(q.value().data(), KernelSelection("scalar64/radix2"));
  EXPECT_STREQ(chosen.kernel->table, "scalar64");
  const bool all_take_all = std::ranges::all_of(wide_kernels_here(), [](const WideKernel* kernel) {
    return !kernel->special_modulus && kernel->min_modulus_bits <= 2;
  });
  EXPECT_EQ(refusals == 0, all_take_all);
}

TEST(WideKernelCatalog, ListsEveryKernelOfDoubleWords) {
  std::set<std::string> listed;
  for (const KernelInfo& info : kernel_catalog()) {
    if (info.operation == "wide") listed.insert(info.table + "/" + info.algorithm);
  }
  std::set<std::string> expected;
  for (const auto* table : kernels::kernel_table_list()) {
    for (const WideKernel& kernel : table->wide) {
      EXPECT_STREQ(kernel.table, table->name);
      EXPECT_EQ(kernel.max_modulus_bits, kMaxDoubleWordBits) << name_of(kernel);
      EXPECT_LE(kernel.min_log_degree, 4) << name_of(kernel) << ": transforms of 16 elements";
      EXPECT_LE(kernel.factor_words, kernels::kMaxWideFactorWords);
      expected.insert(name_of(kernel));
    }
  }
  EXPECT_EQ(listed, expected);
}

std::uint64_t calls_of(const std::string& kernel) {
  for (const KernelInfo& info : kernel_catalog()) {
    if (info.name == kernel + "/wide") return info.calls;
  }
  return 0;
}

TEST(WideKernelCatalog, CountsTheCallsOfTheKernelThatRan) {
  if (!kernel_statistics_enabled()) GTEST_SKIP() << "built without statistics of kernels";
  const WideModulus q = generate_special_wide_primes(124, 1).front();
  for (const auto& chosen : kernels::wide_kernels(q.value().data())) {
    const std::string name = chosen.name();
    const std::uint64_t before = calls_of(name);
    std::vector<std::uint64_t> words(32, 1);
    const WideResult view{std::span(words)};
    const WideEltwise eltwise(q, KernelSelection(name));
    eltwise.add(view, view, view);
    EXPECT_EQ(calls_of(name), before + 1) << name;
    const WideNtt ntt(16, q, WideRing::cyclic, KernelSelection(name));
    ntt.forward(view, view);
    ntt.inverse(view, view);
    EXPECT_EQ(calls_of(name), before + 3) << name;
    EXPECT_THROW(eltwise.add(view, view, WideOperand(std::span(words).first(2))), InvalidArgument);
    EXPECT_EQ(calls_of(name), before + 3) << "a refused call runs no kernel";
  }
}

}  // namespace
}  // namespace ringlet::test
