// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <memory>
#include <string>

namespace ringlet::gpu {

/// A shared library that is loaded while the program runs. Its code stays in the process when the
/// object goes: drivers have threads of their own, which would run on into nothing.
class Library {
 public:
  /// Loads the first of `names` that the system finds. Null if there is none: then `reason` says
  /// what the loader said.
  static std::unique_ptr<Library> open(std::initializer_list<std::string> names,
                                       std::string& reason);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  /// The name by which it was found.
  const std::string& name() const noexcept { return name_; }
  /// Sets `function` to the entry point `symbol`, to null if there is none; whether there is one.
  template <typename Function>
  bool find(const char* symbol, Function*& function) const noexcept {
    function = reinterpret_cast<Function*>(address(symbol));
    return function != nullptr;
  }

 private:
  Library(std::string name, void* handle) noexcept;
  void* address(const char* symbol) const noexcept;

  std::string name_;
  void* handle_;
};

}  // namespace ringlet::gpu
