// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/test.hpp"

namespace ringlet::test {

/// docs/circuits.md has exactly this line: the figures of its tables are those of the library.
inline void expect_documented(const std::string& line) {
  std::ifstream file(RINGLET_SOURCE_DIR "/docs/circuits.md");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_NE(text.find("\n" + line + "\n"), std::string::npos) << line;
}

}  // namespace ringlet::test
