// SPDX-License-Identifier: Apache-2.0
// Prints the kernel tables as JSON for the scripts: the names are written nowhere else.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "ringlet/kernel_selection.hpp"

int main() {
  const std::vector<ringlet::KernelInfo> catalog = ringlet::kernel_catalog();
  std::printf("{\n  \"statistics\": %s,\n  \"tables\": [",
              ringlet::kernel_statistics_enabled() ? "true" : "false");
  const char* separator = "\n";
  for (const std::string& table : ringlet::kernel_tables()) {
    // A table needs what all of its kernels need; some of them may need more.
    bool available = false;
    bool is_first = true;
    std::vector<std::string> needed;
    for (const ringlet::KernelInfo& kernel : catalog) {
      if (kernel.table != table) continue;
      available = available || kernel.available;
      if (is_first) needed = kernel.features;
      is_first = false;
      std::erase_if(needed, [&kernel](const std::string& feature) {
        return std::ranges::find(kernel.features, feature) == kernel.features.end();
      });
    }
    std::string features;
    for (const std::string& feature : needed) {
      features += (features.empty() ? "\"" : ", \"") + feature + "\"";
    }
    std::printf("%s    {\"name\": \"%s\", \"available\": %s, \"features\": [%s]}", separator,
                table.c_str(), available ? "true" : "false", features.c_str());
    separator = ",\n";
  }
  std::printf("\n  ]\n}\n");
}
