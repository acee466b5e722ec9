// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>

#include "kernels/select.hpp"
#include "ringlet/kernels/eltwise.hpp"
#include "support/kernels/wisdom_text.hpp"
#include "support/scratch.hpp"

// The variables of the environment are read once per process, so every case is a process of its
// own: this program, started again with one test that compares what it reads with what it was
// given.

namespace ringlet {
namespace {

std::string variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? std::string() : std::string(text);
}

// Started by the tests below.
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
  // A plan that is made without a selection takes that of the environment. Two plans may measure
  // differently.
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
