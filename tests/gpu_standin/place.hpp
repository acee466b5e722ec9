// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace ringlet::test {

/// A stand-in's path: in ../lib of the program, as a bundle has it, else where it was built.
inline std::string stand_in_path(const std::filesystem::path& built) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path bundled = program.parent_path().parent_path() / "lib" / built.filename();
  return fs::exists(bundled, error) ? bundled : built;
}

}  // namespace ringlet::test
