// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/test.hpp"

namespace ringlet::test {

/// The known answers in one file of tests/vectors/seal; the README there describes them.
class SealVectors {
 public:
  /// Reads tests/vectors/seal/<name>.txt.
  explicit SealVectors(const std::string& name) {
    const std::string path = std::string(RINGLET_SOURCE_DIR "/tests/vectors/seal/") + name + ".txt";
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path);
    std::vector<std::byte>* object = nullptr;
    for (std::string line; std::getline(file, line);) {
      if (line.empty() || line[0] == '#') continue;
      if (line.rfind("object ", 0) == 0) {
        object = &objects_[line.substr(7)];
        continue;
      }
      for (std::size_t i = 0; i + 1 < line.size(); i += 2) {
        object->push_back(static_cast<std::byte>(std::stoul(line.substr(i, 2), nullptr, 16)));
      }
    }
  }

  /// The bytes of an object. Throws std::out_of_range for an unknown name.
  const std::vector<std::byte>& bytes(const std::string& name) const { return objects_.at(name); }

  /// The bytes of an object as a stream that holds nothing else.
  std::istringstream stream(const std::string& name) const {
    const std::vector<std::byte>& content = bytes(name);
    return std::istringstream(
        std::string(reinterpret_cast<const char*>(content.data()), content.size()),
        std::ios::binary);
  }

  bool has(const std::string& name) const { return objects_.count(name) != 0; }

 private:
  std::map<std::string, std::vector<std::byte>> objects_;
};

}  // namespace ringlet::test
