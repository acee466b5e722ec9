// SPDX-License-Identifier: Apache-2.0
#include "ringlet/kernels/kernel_selection.hpp"

#include <cstdlib>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "kernels/select.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet {
namespace {

using kernels::KernelTable;

/// The features that this processor lacks for the named table or, with an algorithm, for its
/// kernels of that name; none if one of them can run. No value if there is no such name.
std::optional<CpuFeatureMask> missing_features(std::string_view table_name,
                                               std::string_view algorithm) {
  std::optional<CpuFeatureMask> missing;
  const auto include = [&missing](CpuFeatureMask needs) {
    const CpuFeatureMask lacking = needs & ~detected_cpu_features();
    if (!missing || lacking == 0) missing = lacking;
  };
  for (const KernelTable* table : kernels::kernel_table_list()) {
    if (table_name != table->name) continue;
    if (algorithm.empty()) include(table->needs);
    kernels::for_each_list(*table, [&](auto list, const char*) {
      for (const auto& kernel : list) {
        if (algorithm == kernel.algorithm) include(kernel.needs);
      }
    });
  }
  return missing;
}

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ", ";
    text += word;
  }
  return text;
}

[[noreturn]] void refuse_name(std::string_view text) {
  throw_invalid_argument(
      {.operation = "kernel selection (RINGLET_FORCE_KERNELS)",
       .offending = concat("'", text, "'"),
       .limit =
           concat("TABLE or TABLE/ALGORITHM with one of these tables: ", join(kernel_tables())),
       .remedy = "use a name that `ringlet info --kernels` lists, or leave it empty for the best "
                 "kernels"});
}

PlanEffort effort_of(std::string_view word) {
  for (const PlanEffort effort : {PlanEffort::estimate, PlanEffort::measure}) {
    if (word == plan_effort_name(effort)) return effort;
  }
  throw_invalid_argument({.operation = "plan effort (RINGLET_PLAN_EFFORT)",
                          .offending = concat("'", word, "'"),
                          .limit = "estimate or measure",
                          .remedy = "use one of these words, or leave it empty for estimate"});
}

/// The value of a variable; empty where it is unset.
std::string_view environment(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? std::string_view() : std::string_view(text);
}

}  // namespace

const char* plan_effort_name(PlanEffort effort) noexcept {
  return effort == PlanEffort::measure ? "measure" : "estimate";
}

KernelSelection::KernelSelection(std::string_view text) {
  if (text.empty()) return;
  const std::size_t slash = text.find('/');
  const std::string_view table = text.substr(0, slash);
  std::string_view algorithm;
  if (slash != std::string_view::npos) {
    algorithm = text.substr(slash + 1);
    if (algorithm.empty()) refuse_name(text);
  }
  const std::optional<CpuFeatureMask> missing = missing_features(table, algorithm);
  if (!missing) refuse_name(text);
  if (*missing != 0) {
    throw_runtime_error({.operation = "kernel selection (RINGLET_FORCE_KERNELS)",
                         .offending = concat("'", text, "' on a processor without ",
                                             join(cpu_feature_names(*missing))),
                         .limit = "tables whose features this processor has",
                         .remedy = "use a lower table; `ringlet info` shows which are available"});
  }
  table_ = table;
  algorithm_ = algorithm;
}

const KernelSelection& KernelSelection::from_environment() {
  static const KernelSelection selection = [] {
    const KernelSelection kernels(environment("RINGLET_FORCE_KERNELS"));
    const std::string_view effort = environment("RINGLET_PLAN_EFFORT");
    return kernels.with_effort(effort.empty() ? PlanEffort::estimate : effort_of(effort))
        .with_wisdom(Wisdom::from_environment().wisdom);
  }();
  return selection;
}

KernelSelection KernelSelection::with_effort(PlanEffort effort) const {
  KernelSelection selection = *this;
  selection.effort_ = effort;
  return selection;
}

KernelSelection KernelSelection::with_wisdom(Wisdom wisdom) const {
  KernelSelection selection = *this;
  selection.wisdom_ = std::move(wisdom);
  return selection;
}

}  // namespace ringlet
