// SPDX-License-Identifier: Apache-2.0
#include "ringlet/kernel_selection.hpp"

#include <cstdlib>

#include "base/text.hpp"
#include "kernels/select.hpp"
#include "ringlet/error.hpp"

namespace ringlet {
namespace {

using kernels::KernelTable;

const KernelTable* find_table(std::string_view name) {
  for (const KernelTable* table : kernels::kernel_table_list()) {
    if (name == table->name) return table;
  }
  return nullptr;
}

bool has_algorithm(const KernelTable& table, std::string_view algorithm) {
  for (std::size_t i = 0; i < table.ntt_count; ++i) {
    if (algorithm == table.ntt[i].algorithm) return true;
  }
  for (std::size_t i = 0; i < table.eltwise_count; ++i) {
    if (algorithm == table.eltwise[i].algorithm) return true;
  }
  return false;
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
       .limit = concat("table or table/algorithm with a table of: ", join(kernel_tables())),
       .remedy = "use a name that `ringlet info` lists, or leave it empty for the best kernels"});
}

}  // namespace

KernelSelection::KernelSelection(std::string_view text) {
  if (text.empty()) return;
  const std::size_t slash = text.find('/');
  const std::string_view table_name = text.substr(0, slash);
  const KernelTable* table = find_table(table_name);
  if (table == nullptr) refuse_name(text);
  if (slash != std::string_view::npos) {
    const std::string_view algorithm = text.substr(slash + 1);
    if (algorithm.empty() || !has_algorithm(*table, algorithm)) refuse_name(text);
    algorithm_ = algorithm;
  }
  const CpuFeatureMask missing = table->needs & ~detected_cpu_features();
  if (missing != 0) {
    throw_runtime_error({.operation = "kernel selection (RINGLET_FORCE_KERNELS)",
                         .offending = concat("'", text, "' on a processor without ",
                                             join(cpu_feature_names(missing))),
                         .limit = "tables whose features this processor has",
                         .remedy = "use a lower table; `ringlet info` shows which are available"});
  }
  table_ = table_name;
}

const KernelSelection& KernelSelection::from_environment() {
  static const KernelSelection selection = [] {
    const char* text = std::getenv("RINGLET_FORCE_KERNELS");
    return text == nullptr ? KernelSelection() : KernelSelection(text);
  }();
  return selection;
}

}  // namespace ringlet
