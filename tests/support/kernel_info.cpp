// SPDX-License-Identifier: Apache-2.0
// Prints the kernel tables as JSON for the scripts: the names are written nowhere else.
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
    bool available = false;
    std::string features;
    for (const ringlet::KernelInfo& kernel : catalog) {
      if (kernel.table != table) continue;
      available = available || kernel.available;
      for (const std::string& feature : kernel.features) {
        const std::string quoted = "\"" + feature + "\"";
        if (features.find(quoted) != std::string::npos) continue;
        features += (features.empty() ? "" : ", ") + quoted;
      }
    }
    std::printf("%s    {\"name\": \"%s\", \"available\": %s, \"features\": [%s]}", separator,
                table.c_str(), available ? "true" : "false", features.c_str());
    separator = ",\n";
  }
  std::printf("\n  ]\n}\n");
}
