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
  /// The entry point `symbol`; null if there is none.
  void* address(const char* symbol) const noexcept;

 private:
  Library(std::string name, void* handle) noexcept;

  std::string name_;
  void* handle_;
};

/// Finds entry points for the structure that begins with it: the others are its members, each
/// `= find("symbol")`. Without a library all are null.
class EntryPoints {
 public:
  EntryPoints() = default;
  /// `library` is only read while the structure is made.
  explicit EntryPoints(const Library& library) noexcept : library_(&library) {}

  /// A pointer to a function of the type that is asked for.
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
  /// The first that the library lacks; null if it has them all.
  const char* missing() const noexcept { return missing_; }

 private:
  const Library* library_ = nullptr;
  const char* missing_ = nullptr;
};

}  // namespace ringlet::gpu
