// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <iostream>

namespace ringlet::bench {

/// Exit status of run(argc, argv); 2, and a message, for what it throws.
inline int run_program(int (*run)(int, char**), int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}

}  // namespace ringlet::bench
