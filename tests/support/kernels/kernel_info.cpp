// SPDX-License-Identifier: Apache-2.0
// Prints the kernels as JSON for the scripts, which take names, limits and factors from it alone.
#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "kernels/select.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/kernels/eltwise.hpp"
#include "ringlet/ntt/ntt.hpp"

namespace {

using Features = std::vector<std::string>;

std::string quoted_list(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "\"" : ", \"") + word + "\"";
  return "[" + text + "]";
}

/// A table needs what all of its kernels need; some of them may need more.
Features common_features(const std::vector<ringlet::KernelInfo>& catalog,
                         const std::string& table) {
  Features needed;
  bool is_first = true;
  for (const ringlet::KernelInfo& kernel : catalog) {
    if (kernel.table != table) continue;
    if (is_first) needed = kernel.features;
    is_first = false;
    std::erase_if(needed, [&kernel](const std::string& feature) {
      return std::ranges::find(kernel.features, feature) == kernel.features.end();
    });
  }
  return needed;
}

void print_tables(const std::vector<ringlet::KernelInfo>& catalog) {
  std::printf("  \"tables\": [");
  const char* separator = "\n";
  for (const std::string& table : ringlet::kernel_tables()) {
    const bool available = std::ranges::any_of(catalog, [&table](const auto& kernel) {
      return kernel.table == table && kernel.available;
    });
    const auto has = [&](const char* operation) {
      return std::ranges::any_of(catalog, [&](const auto& kernel) {
        return kernel.table == table && kernel.operation == operation;
      });
    };
    std::printf(
        "%s    {\"name\": \"%s\", \"available\": %s, \"transforms\": %s, "
        "\"double_words\": %s, \"features\": %s}",
        separator, table.c_str(), available ? "true" : "false", has("ntt") ? "true" : "false",
        has("wide") ? "true" : "false", quoted_list(common_features(catalog, table)).c_str());
    separator = ",\n";
  }
  std::printf("\n  ],\n");
}

/// Prints the kernels, best first in the order of the estimate, which ignores kernels' preferences.
void print_kernels() {
  std::printf("  \"kernels\": [");
  const char* separator = "\n";
  const auto print = [&separator](const auto& kernel, const char* operation,
                                  std::uint64_t minimum) {
    std::printf(
        "%s    {\"operation\": \"%s\", \"table\": \"%s\", \"algorithm\": \"%s\", "
        "\"modulus_minimum\": %" PRIu64 ", \"modulus_limit\": %" PRIu64
        ", \"features\": %s, \"avoids\": %s",
        separator, operation, kernel.table, kernel.algorithm, minimum, kernel.modulus_limit,
        quoted_list(ringlet::cpu_feature_names(kernel.needs)).c_str(),
        quoted_list(ringlet::cpu_trait_names(kernel.avoids)).c_str());
    separator = ",\n";
  };
  const auto tables = ringlet::kernels::kernel_table_list();
  for (std::size_t t = tables.size(); t-- > 0;) {
    for (const auto& kernel : tables[t]->ntt) {
      print(kernel, "ntt", 3);
      std::printf(
          ", \"min_log_degree\": %d, \"max_log_degree\": %d, \"estimate_min_log_degree\": %d, "
          "\"named_only\": %s}",
          kernel.min_log_degree, kernel.max_log_degree, kernel.estimate_min_log_degree,
          kernel.named_only ? "true" : "false");
    }
    for (const auto& kernel : tables[t]->eltwise) {
      const auto operation = static_cast<unsigned>(kernel.operation);
      print(kernel, ringlet::kernels::kEltwiseOperationNames[operation], kernel.modulus_minimum);
      std::printf("}");
    }
  }
  std::printf("\n  ],\n");
}

/// Whether the choice of a kernel does not depend on one modulus or degree, as for products of wide
/// polynomials and for the schemes.
bool takes_everything(const std::string& operation) {
  return operation == "karatsuba" || operation == "residues" || operation == "conversion" ||
         operation == "embedding" || operation == "sampling";
}

/// Prints the kernels of operations that take everything, lowest table first.
void print_products(const std::vector<ringlet::KernelInfo>& catalog) {
  std::printf("  \"products\": [");
  const char* separator = "\n";
  for (const ringlet::KernelInfo& kernel : catalog) {
    if (!takes_everything(kernel.operation)) continue;
    std::printf(
        "%s    {\"operation\": \"%s\", \"table\": \"%s\", \"algorithm\": \"%s\", \"features\": %s}",
        separator, kernel.operation.c_str(), kernel.table.c_str(), kernel.algorithm.c_str(),
        quoted_list(kernel.features).c_str());
    separator = ",\n";
  }
  std::printf("\n  ],\n");
}

/// Prints the kernels of double words, best first.
void print_double_words() {
  std::printf("  \"wide\": [");
  const char* separator = "\n";
  const auto tables = ringlet::kernels::kernel_table_list();
  for (std::size_t t = tables.size(); t-- > 0;) {
    for (const auto& kernel : tables[t]->wide) {
      std::printf(
          "%s    {\"table\": \"%s\", \"algorithm\": \"%s\", \"features\": %s, "
          "\"min_bits\": %d, \"max_bits\": %d, \"special\": %s, \"named_only\": %s}",
          separator, kernel.table, kernel.algorithm,
          quoted_list(ringlet::cpu_feature_names(kernel.needs)).c_str(), kernel.min_modulus_bits,
          kernel.max_modulus_bits, kernel.special_modulus ? "true" : "false",
          kernel.named_only ? "true" : "false");
      separator = ",\n";
    }
  }
  std::printf("\n  ],\n");
}

/// The pairs "input->output" with one of these outputs that `call` accepts.
template <typename Call>
std::vector<std::string> accepted_factors(std::initializer_list<int> outputs, Call call) {
  std::vector<std::string> accepted;
  for (const int input : {1, 2, 4, 8, 16}) {
    for (const int output : outputs) {
      try {
        call(input, output);
        accepted.push_back(std::to_string(input) + "->" + std::to_string(output));
      } catch (const ringlet::InvalidArgument&) {
        continue;
      }
    }
  }
  return accepted;
}

/// Prints the range factors of every operation that has some, as the operations report them.
void print_factors() {
  const ringlet::Eltwise eltwise{ringlet::Modulus(97)};
  const ringlet::Ntt ntt(16, 97);
  std::vector<std::uint64_t> words(16);
  auto print = [separator = "\n"](const char* operation,
                                  const std::vector<std::string>& factors) mutable {
    std::printf("%s    \"%s\": %s", separator, operation, quoted_list(factors).c_str());
    separator = ",\n";
  };
  std::printf("  \"factors\": {");
  const auto any = {1, 2, 4, 8, 16};
  print("ntt forward",
        accepted_factors(any, [&](int in, int out) { ntt.forward(words, words, in, out); }));
  print("ntt inverse",
        accepted_factors(any, [&](int in, int out) { ntt.inverse(words, words, in, out); }));
  print("reduce_range", accepted_factors(any, [&](int in, int out) {
          eltwise.reduce_range(words, words, in, out);
        }));
  print("multiply",
        accepted_factors({1}, [&](int in, int) { eltwise.multiply(words, words, words, in); }));
  print("multiply_scalar",
        accepted_factors({1}, [&](int in, int) { eltwise.multiply_scalar(words, words, 1, in); }));
  print("multiply_scalar_add", accepted_factors({1}, [&](int in, int) {
          eltwise.multiply_scalar_add(words, words, 1, words, in);
        }));
  std::printf("\n  }\n");
}

}  // namespace

int main() {
  const std::vector<ringlet::KernelInfo> catalog = ringlet::kernel_catalog();
  std::printf("{\n  \"statistics\": %s,\n",
              ringlet::kernel_statistics_enabled() ? "true" : "false");
  print_tables(catalog);
  print_kernels();
  print_products(catalog);
  print_double_words();
  print_factors();
  std::printf("}\n");
}
