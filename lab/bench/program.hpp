// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "standard.hpp"

namespace ringlet::bench {

/// Returns the exit status of run(argc, argv); for an exception prints its message and returns 2.
inline int run_program(int (*run)(int, char**), int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}

/// Parses a number. @throws std::invalid_argument for other text and for numbers below `least`.
inline int parse(std::string_view text, int least) {
  int number = 0;
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data(), end, number).ptr != end || number < least) {
    throw std::invalid_argument(std::string(text) + ": not a number from " + std::to_string(least) +
                                " on");
  }
  return number;
}

/// Sets the texts of options, and `quick` for --quick if the program has it. @throws
/// std::invalid_argument with the usage for anything else.
inline void take_options(int argc, char** argv, const char* usage,
                         std::initializer_list<std::pair<std::string_view, std::string*>> texts,
                         bool* quick = nullptr) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    std::string* text = nullptr;
    for (const auto& [name, value] : texts) {
      if (option == name) text = value;
    }
    if (quick != nullptr && option == "--quick") {
      *quick = true;
    } else if (text != nullptr && i + 1 < argc) {
      *text = argv[++i];
    } else {
      throw std::invalid_argument(std::string("usage: ") + usage);
    }
  }
}

/// Marks where a program that steps through this one starts and stops to count. @throws
/// std::runtime_error on processors other than x86-64.
inline void breakpoint() {
#if defined(__x86_64__)
  asm volatile("int3" ::: "memory");
#else
  throw std::runtime_error("only on x86-64");
#endif
}

}  // namespace ringlet::bench
