// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include "support/test.hpp"

namespace ringlet::test {

/// Sets an environment variable for one scope, or unsets it if there is no value.
class Variable {
 public:
  Variable(const char* name, const std::optional<std::string>& value) : name_(name) {
    if (const char* const old = std::getenv(name)) old_ = old;
    set(value);
  }
  ~Variable() { set(old_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

  void set(const std::optional<std::string>& value) const {
    value ? ::setenv(name_, value->c_str(), 1) : ::unsetenv(name_);
  }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

/// A new folder for one scope.
struct Folder {
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "ringlet_XXXXXX").native();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder " + name);
    path = name;
  }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::filesystem::path path;
};

}  // namespace ringlet::test
