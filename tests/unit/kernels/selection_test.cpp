// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>

#include "kernels/select.hpp"
#include "ringlet/arith/primes.hpp"
#include "ringlet/kernels/eltwise.hpp"
#include "support/kernels/wisdom_text.hpp"
#include "support/refusal.hpp"
#include "support/scratch.hpp"

namespace ringlet {
namespace {

using kernels::choose_eltwise;
using kernels::choose_ntt;
using kernels::EltwiseOperation;

constexpr std::uint64_t kSmall = (std::uint64_t{1} << 49) - 1;
constexpr std::uint64_t kLarge = (std::uint64_t{1} << 60) - 1;
/// A prime of 49 bits with transforms of degree 4096.
const std::uint64_t kPrime = generate_ntt_primes(49, 4096, 1).front().value();

/// Operations that take every Modulus.
constexpr std::array<std::string_view, 5> kSums{"add", "add_scalar", "subtract", "subtract_scalar",
                                                "negate"};

/// The tables that this processor runs, lowest first.
std::vector<std::string> tables_here() {
  std::vector<std::string> tables = kernel_tables();
  std::erase_if(tables, [](const std::string& table) {
    return std::ranges::none_of(kernel_catalog(), [&](const KernelInfo& info) {
      return info.table == table && info.available;
    });
  });
  return tables;
}

bool table_available(const std::string& table) {
  return std::ranges::count(tables_here(), table) != 0;
}

/// Calls body(operation) for all element-wise operations.
template <typename Body>
void for_each_operation(Body body) {
  for (unsigned i = 0; i < kernels::kEltwiseOperationCount; ++i) {
    SCOPED_TRACE(kernels::kEltwiseOperationNames[i]);
    body(static_cast<EltwiseOperation>(i));
  }
}

TEST(KernelCatalog, NamesAreUniqueAndMadeOfTheirPartsAndTablesNameTheirFeatures) {
  const std::map<std::string, std::string> features{
      {"avx2", "avx2"}, {"avx512dq", "avx512dq"}, {"ifma52", "avx512ifma"}};
  std::set<std::string> names;
  for (const KernelInfo& info : kernel_catalog()) {
    SCOPED_TRACE(info.name);
    EXPECT_EQ(info.name, info.table + "/" + info.algorithm + "/" + info.operation);
    EXPECT_TRUE(names.insert(info.name).second);
    EXPECT_GE(info.modulus_limit, 2U);
    const auto needs = [&](const std::string& feature) {
      return std::ranges::count(info.features, feature) == 1;
    };
    EXPECT_TRUE(!features.contains(info.table) || needs(features.at(info.table)));
    EXPECT_FALSE(info.table == "avx512dq" && info.operation == "ntt" && needs("avx512vbmi2"))
        << "VBMI2 must stay a refinement";
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
    if (info.named_only) continue;
    const bool is_sum = std::ranges::count(kSums, info.operation) != 0;
    // The primes of the bases of conversions have at most 61 bits.
    const int bits = is_sum ? 63 : info.operation == "conversion" ? 61 : 62;
    EXPECT_GE(info.modulus_limit, std::uint64_t{1} << bits) << info.name;
  }
  EXPECT_EQ(operations.size(), 7 + kernels::kEltwiseOperationCount);
}

TEST(KernelSelection, UnknownNamesAreRefusedWithTheKnownOnes) {
  for (const std::string text : {"avx3", "scalar", "SCALAR64", "scalar64/", "/radix2",
                                 "scalar64/radix3", "scalar64/radix2/ntt", " scalar64"}) {
    test::expect_error<InvalidArgument>(
        text, [&] { KernelSelection{text}; },
        [&](const InvalidArgument& error) {
          EXPECT_NE(error.offending().find(text), std::string::npos);
          EXPECT_NE(error.limit().find("scalar64"), std::string::npos);
        });
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

TEST(ChooseNtt, ATableIsACeiling) {
  EXPECT_STREQ(choose_ntt(12, kSmall, KernelSelection("scalar64")).kernel->table, "scalar64");
  for (const std::string& table : tables_here()) {
    const bool has_transforms = std::ranges::any_of(kernel_catalog(), [&](const KernelInfo& info) {
      return info.table == table && info.operation == "ntt";
    });
    if (!has_transforms) continue;
    const auto table_for = [&](int log_degree, std::uint64_t q) {
      return std::string(choose_ntt(log_degree, q, KernelSelection(table)).kernel->table);
    };
    EXPECT_EQ(table_for(12, kSmall), table);
    EXPECT_EQ(table_for(12, kLarge), table == "ifma52" ? "avx512dq" : table);
    EXPECT_EQ(table_for(1, kSmall), "scalar64");
  }
  EXPECT_EQ(choose_ntt(12, kSmall, KernelSelection()).kernel->table, tables_here().back())
      << "the highest without restriction";
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

/// Only its exact name selects a kernel for studies: no other setting of a plan does.
TEST(ChooseNtt, KernelsForStudiesAreTakenByTheirExactNameAlone) {
  constexpr int kLogDegree = 12;
  const std::uint64_t q = generate_ntt_primes(45, 4096, 1).front().value();
  const auto is_for_studies = [](const auto& chosen) { return chosen.kernel->named_only; };
  std::size_t count = 0;
  for (const KernelInfo& info : kernel_catalog()) {
    if (!info.named_only || info.operation != "ntt") continue;
    ++count;
    if (!info.available) continue;
    const std::string name = info.table + "/" + info.algorithm;
    const auto exact = choose_ntt(kLogDegree, q, KernelSelection(name));
    EXPECT_EQ(exact.name(), name);
    EXPECT_TRUE(exact.kernel->named_only);

    const Wisdom wisdom(std::vector<WisdomEntry>{{"ntt", kLogDegree, 45, name}});
    for (const std::string& ceiling : {std::string(), info.table}) {
      for (const PlanEffort effort : {PlanEffort::estimate, PlanEffort::measure}) {
        const KernelSelection selection = KernelSelection(ceiling).with_effort(effort);
        EXPECT_FALSE(is_for_studies(choose_ntt(kLogDegree, q, selection))) << name;
        EXPECT_FALSE(is_for_studies(choose_ntt(kLogDegree, q, selection.with_wisdom(wisdom))))
            << name;
        EXPECT_TRUE(std::ranges::none_of(kernels::ntt_candidates(kLogDegree, q, selection),
                                         is_for_studies));
      }
    }
  }
  const bool has_avx512 = std::ranges::any_of(
      kernel_catalog(), [](const KernelInfo& info) { return info.table == "ifma52"; });
  EXPECT_GE(count, has_avx512 ? 6U : 3U);
  TuneOptions options;
  options.operations = {"ntt"};
  options.log_degrees = {kLogDegree};
  options.modulus_bits = {45};
  const Wisdom tuned = Wisdom::tune(options);
  EXPECT_EQ(tuned.entries().size(), 1U);
  for (const WisdomEntry& entry : tuned.entries()) {
    EXPECT_FALSE(is_for_studies(choose_ntt(kLogDegree, q, KernelSelection(entry.kernel))))
        << entry.kernel;
  }
}

TEST(ChooseEltwise, AnExactTransformNameIsACeilingForOtherOperations) {
  for_each_operation([](EltwiseOperation operation) {
    const auto chosen = choose_eltwise(operation, kLarge, KernelSelection("scalar64/radix2"));
    EXPECT_STREQ(chosen.kernel->table, "scalar64");
  });
}

// On a processor with a trait that a kernel avoids, the estimate takes another kernel. The name of
// its table still selects it.
TEST(ChooseEltwise, KernelsThatAvoidThisProcessorAreTakenByNameAlone) {
  const CpuTraitMask traits = detected_cpu_traits();
  const KernelSelection open;
  std::size_t avoided = 0;
  for (const auto* table : kernels::kernel_table_list()) {
    for (const auto& kernel : table->eltwise) {
      if ((kernel.avoids & traits) == 0 || (kernel.needs & ~detected_cpu_features()) != 0) continue;
      ++avoided;
      EXPECT_NE(choose_eltwise(kernel.operation, kSmall, open).kernel, &kernel);
      EXPECT_EQ(choose_eltwise(kernel.operation, kSmall, KernelSelection(kernel.table)).kernel,
                &kernel);
    }
  }
  if (avoided == 0) GTEST_SKIP() << "no kernel avoids this processor";
}

// AVX2 multiplies in doubles up to 52 bits, and its sums of products take every modulus.
TEST(ChooseEltwise, Avx2MultipliesInDoublesBelowTwoToThe52) {
  const bool has_fma = (detected_cpu_features() & feature_mask(CpuFeature::fma)) != 0;
  if (!has_fma || !table_available("avx2")) GTEST_SKIP() << "this processor lacks avx2 or fma";
  const KernelSelection avx2("avx2");
  using enum EltwiseOperation;
  for (const auto operation : {multiply, multiply_add, multiply_scalar, multiply_scalar_add}) {
    const auto name = [&](std::uint64_t q) { return choose_eltwise(operation, q, avx2).name(); };
    EXPECT_EQ(name((std::uint64_t{1} << 52) - 1), "avx2/float");
    EXPECT_NE(name(std::uint64_t{1} << 52), "avx2/float");
  }
  EXPECT_EQ(choose_eltwise(dot, (std::uint64_t{1} << 62) - 1, avx2).name(), "avx2/wide-lanes");
}

TEST(Candidates, TheFirstIsTheEstimate) {
  for (const std::string& table : tables_here()) {
    const KernelSelection selection(table);
    for (int log_degree = 1; log_degree <= 20; ++log_degree) {
      const auto candidates = kernels::ntt_candidates(log_degree, kSmall, selection);
      EXPECT_EQ(candidates.front().kernel, choose_ntt(log_degree, kSmall, selection).kernel);
    }
    for_each_operation([&](EltwiseOperation operation) {
      const auto candidates = kernels::eltwise_candidates(operation, kLarge, selection);
      EXPECT_EQ(candidates.front().kernel, choose_eltwise(operation, kLarge, selection).kernel);
    });
  }
}

TEST(Candidates, AreDifferentKernelsThatFit) {
  for_each_operation([](EltwiseOperation operation) {
    std::set<std::string> names;
    for (const auto& candidate : kernels::eltwise_candidates(operation, kSmall, {})) {
      EXPECT_TRUE(names.insert(candidate.name()).second) << candidate.name();
      EXPECT_TRUE(candidate.is_named(candidate.name()));
      EXPECT_FALSE(candidate.is_named(candidate.name() + "x"));
      EXPECT_FALSE(candidate.is_named(candidate.kernel->table));
      EXPECT_EQ(candidate.kernel->operation, operation);
      EXPECT_LT(kSmall, candidate.kernel->modulus_limit);
    }
    EXPECT_GE(names.size(), 1U);
  });
}

/// Wisdom that names kernels of scalar64, which no estimate and no trial would choose.
Wisdom slow_wisdom() {
  return Wisdom({{"ntt", 12, 49, "scalar64/radix2"}, {"multiply", 0, 49, "scalar64/barrett"}});
}

TEST(Decision, WisdomComesFirst) {
  for (const PlanEffort effort : {PlanEffort::estimate, PlanEffort::measure}) {
    const KernelSelection wise = KernelSelection().with_wisdom(slow_wisdom()).with_effort(effort);
    EXPECT_EQ(choose_ntt(12, kPrime, wise).name(), "scalar64/radix2");
    EXPECT_EQ(choose_eltwise(EltwiseOperation::multiply, kSmall, wise).name(), "scalar64/barrett");
  }
}

TEST(Decision, WisdomSpeaksOfItsOwnOperationDegreeAndWidthAlone) {
  const auto others = [](const KernelSelection& selection) {
    return std::vector{choose_ntt(11, kPrime, selection).name(),
                       choose_ntt(12, kLarge, selection).name(),
                       choose_eltwise(EltwiseOperation::multiply, kLarge, selection).name(),
                       choose_eltwise(EltwiseOperation::reduce, kSmall, selection).name()};
  };
  EXPECT_EQ(others(KernelSelection().with_wisdom(slow_wisdom())), others(KernelSelection()));
}

TEST(Decision, TheCeilingAndExactNamesComeBeforeWisdom) {
  if (!table_available("avx2")) GTEST_SKIP() << "this processor lacks avx2";
  const Wisdom wisdom({{"ntt", 12, 49, "avx2/radix2"}, {"add", 0, 49, "avx2/direct"}});
  const KernelSelection below = KernelSelection("scalar64").with_wisdom(wisdom);
  EXPECT_STREQ(choose_ntt(12, kPrime, below).kernel->table, "scalar64");
  EXPECT_STREQ(choose_eltwise(EltwiseOperation::add, kSmall, below).kernel->table, "scalar64");
  const KernelSelection open = KernelSelection().with_wisdom(wisdom);
  EXPECT_EQ(choose_ntt(12, kPrime, open).name(), "avx2/radix2");
  const KernelSelection exact = KernelSelection("avx2/radix2").with_wisdom(slow_wisdom());
  EXPECT_EQ(choose_ntt(12, kPrime, exact).name(), "avx2/radix2");
  EXPECT_EQ(choose_eltwise(EltwiseOperation::multiply, kSmall, exact).name(), "scalar64/barrett");
}

TEST(Decision, WisdomForAProcessorWithMoreFeaturesIsIgnored) {
  const auto chosen = [](const KernelSelection& selection) {
    return choose_eltwise(EltwiseOperation::multiply, kSmall, selection).name();
  };
  for (const KernelInfo& kernel : kernel_catalog()) {
    if (kernel.available || kernel.operation != "multiply") continue;
    const Wisdom wisdom(
        std::vector<WisdomEntry>{{"multiply", 0, 49, kernel.table + "/" + kernel.algorithm}});
    EXPECT_EQ(chosen(KernelSelection().with_wisdom(wisdom)), chosen(KernelSelection()));
    return;
  }
  GTEST_SKIP() << "this processor has every feature";
}

TEST(KernelSelection, IsAValueOfTextEffortAndWisdom) {
  EXPECT_EQ(KernelSelection("").text(), "");
  EXPECT_EQ(KernelSelection("").table(), "");
  const KernelSelection plain("scalar64/radix2");
  EXPECT_EQ(plain.table(), "scalar64");
  EXPECT_EQ(plain.algorithm(), "radix2");
  EXPECT_EQ(plain.text(), "scalar64/radix2");
  EXPECT_EQ(plain.effort(), PlanEffort::estimate);
  EXPECT_TRUE(plain.wisdom().empty());
  const KernelSelection changed = plain.with_effort(PlanEffort::measure).with_wisdom(slow_wisdom());
  EXPECT_EQ(changed.effort(), PlanEffort::measure);
  EXPECT_EQ(changed.wisdom(), slow_wisdom());
  EXPECT_EQ(changed.text(), plain.text());
  EXPECT_NE(changed, plain);
  EXPECT_EQ(changed.with_effort(PlanEffort::estimate).with_wisdom(Wisdom()), plain);
}

// The environment is read once per process, so every case is a process of its own: this program,
// started again with one test that compares the values read with those given.

std::string variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? std::string() : std::string(text);
}

// The tests below start this one.
TEST(Environment, DISABLED_IsReadAsGiven) {
  const KernelSelection& selection = KernelSelection::from_environment();
  EXPECT_EQ(selection.text(), variable("RINGLET_FORCE_KERNELS"));
  EXPECT_EQ(plan_effort_name(selection.effort()), variable("EXPECTED_EFFORT"));
  const WisdomFile& file = Wisdom::from_environment();
  EXPECT_EQ(wisdom_state_name(file.state), variable("EXPECTED_STATE"));
  EXPECT_EQ(file.reason.empty(), file.state == WisdomState::used) << file.reason;
  EXPECT_EQ(file.path, variable("RINGLET_WISDOM"));
  const bool is_used = file.state == WisdomState::used;
  EXPECT_EQ(selection.wisdom(), is_used ? test::sample_wisdom() : Wisdom());
  // A plan made without a selection takes that of the environment. Two plans may measure different
  // times and so choose different kernels.
  constexpr std::uint64_t kModulus = (std::uint64_t{1} << 30) - 1;
  constexpr auto kOperation = kernels::EltwiseOperation::multiply;
  const std::string kernel = Eltwise(Modulus(kModulus)).kernel_name("multiply");
  if (selection.effort() == PlanEffort::estimate) {
    EXPECT_EQ(kernel, kernels::choose_eltwise(kOperation, kModulus, selection).name());
  } else {
    const auto timed = kernels::eltwise_candidates(kOperation, kModulus, selection);
    EXPECT_TRUE(std::ranges::any_of(timed, [&](const auto& each) { return each.name() == kernel; }))
        << kernel;
    EXPECT_TRUE(selection.text() != "scalar64" || kernel.starts_with("scalar64/")) << kernel;
  }
}

struct Outcome {
  int status = -1;
  std::string output;
};

/// Runs the test above with only these assignments.
Outcome run_with(const std::string& assignments) {
  std::array<char, 4096> program{};
  EXPECT_GT(::readlink("/proc/self/exe", program.data(), program.size() - 1), 0);
  const std::string command =
      "env -u RINGLET_FORCE_KERNELS -u RINGLET_WISDOM -u RINGLET_PLAN_EFFORT " + assignments +
      " '" + program.data() +
      "' --gtest_also_run_disabled_tests --gtest_filter=Environment.DISABLED_IsReadAsGiven 2>&1";
  Outcome outcome;
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return outcome;
  std::array<char, 256> part{};
  while (std::fgets(part.data(), part.size(), pipe) != nullptr) outcome.output += part.data();
  const int status = ::pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

void expect_read(const std::string& assignments, const std::string& effort,
                 const std::string& state) {
  const Outcome outcome =
      run_with("EXPECTED_EFFORT=" + effort + " EXPECTED_STATE=" + state + " " + assignments);
  EXPECT_EQ(outcome.status, 0) << assignments << "\n" << outcome.output;
  EXPECT_NE(outcome.output.find("1 test from"), std::string::npos) << outcome.output;
}

TEST(Environment, SetsTheEffort) {
  expect_read("", "estimate", "absent");
  expect_read("RINGLET_PLAN_EFFORT=", "estimate", "absent");
  expect_read("RINGLET_PLAN_EFFORT=estimate", "estimate", "absent");
  expect_read("RINGLET_PLAN_EFFORT=measure", "measure", "absent");
  expect_read("RINGLET_PLAN_EFFORT=measure RINGLET_FORCE_KERNELS=scalar64", "measure", "absent");
}

TEST(Environment, AnUnknownEffortIsRefusedByName) {
  for (const char* word : {"Measure", "patient", "1", "' measure'"}) {
    const Outcome outcome = run_with(std::string("RINGLET_PLAN_EFFORT=") + word);
    EXPECT_NE(outcome.status, 0) << word;
    EXPECT_NE(outcome.output.find("RINGLET_PLAN_EFFORT"), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find("estimate or measure"), std::string::npos) << outcome.output;
  }
}

TEST(Environment, NamesAWisdomFileWhichIsUsedOrIgnored) {
  const test::Folder temporary;
  const std::string folder = temporary.path.string();
  const std::string good = folder + "/good";
  const std::string stale = folder + "/stale";
  const std::string damaged = folder + "/damaged";
  test::sample_wisdom().save(good);
  const std::string text = test::sample_wisdom().text();
  std::ofstream(stale) << test::with_line(text, "library", "library 0.0.1");
  std::ofstream(damaged) << text.substr(0, text.size() / 2);
  expect_read("RINGLET_WISDOM=", "estimate", "absent");
  expect_read("RINGLET_WISDOM=" + good, "estimate", "used");
  expect_read("RINGLET_WISDOM=" + good + " RINGLET_PLAN_EFFORT=measure", "measure", "used");
  expect_read("RINGLET_WISDOM=" + good + " RINGLET_FORCE_KERNELS=scalar64", "estimate", "used");
  expect_read("RINGLET_WISDOM=" + stale, "estimate", "stale");
  expect_read("RINGLET_WISDOM=" + damaged, "estimate", "damaged");
  expect_read("RINGLET_WISDOM=" + folder, "estimate", "damaged");
  expect_read("RINGLET_WISDOM=/dev/zero", "estimate", "damaged");
  expect_read("RINGLET_WISDOM=" + folder + "/missing", "estimate", "absent");
}

}  // namespace
}  // namespace ringlet
