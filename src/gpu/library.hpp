// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <memory>
#include <string>

namespace ringlet::gpu {

/// A shared library that is loaded while the program runs. Its code stays in the process when the
/// object goes: drivers have threads of their own, which go on running that code.
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
  /// Returns the entry point `symbol`; null if there is none.
  void* address(const char* symbol) const noexcept;

 private:
  Library(std::string name, void* handle) noexcept;

  std::string name_;
  void* handle_;
};

/// Finds the entry points of a structure whose first member it is. The other members are entry
/// points, each `= find("symbol")`. Without a library all are null.
class EntryPoints {
 public:
  EntryPoints() = default;
  /// `library` is only read while the structure is made.
  explicit EntryPoints(const Library& library) noexcept : library_(&library) {}

  /// Converts to a pointer to a function of any type.
  struct Address {
    void* value;
    template <typename Function>
    operator Function*() const noexcept {  // NOLINT: its type is that of the member
      return reinterpret_cast<Function*>(value);
    }
  };
  Address operator()(const char* symbol) noexcept {
    void* const found = library_ == nullptr ? nullptr : library_->address(symbol);
    if (found == nullptr && missing_ == nullptr) missing_ = symbol;
    return {found};
  }
  /// Returns the first entry point that the library lacks; null if it has them all.
  const char* missing() const noexcept { return missing_; }

 private:
  const Library* library_ = nullptr;
  const char* missing_ = nullptr;
};

}  // namespace ringlet::gpu
