// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "seal/modulus.h"
#include "support/test.hpp"

namespace ringlet::test {

/// The lines of tests/vectors/seal/parameters.txt whose first word is `kind`, as streams positioned
/// after that word.
inline std::vector<std::istringstream> parameter_vectors(const std::string& kind) {
  const std::string path = RINGLET_SOURCE_DIR "/tests/vectors/seal/parameters.txt";
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<std::istringstream> lines;
  for (std::string line; std::getline(file, line);) {
    std::istringstream stream(line);
    std::string first;
    stream >> first;
    if (first == kind) lines.push_back(std::move(stream));
  }
  return lines;
}

/// The parts of a text between separators.
inline std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

/// The moduli of a list of hexadecimal numbers; "-" is the empty list.
inline std::vector<seal4::Modulus> parse_moduli(const std::string& text) {
  std::vector<seal4::Modulus> moduli;
  if (text == "-") return moduli;
  for (const std::string& part : split(text, ','))
    moduli.emplace_back(std::stoull(part, nullptr, 16));
  return moduli;
}

}  // namespace ringlet::test
