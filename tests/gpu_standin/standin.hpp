// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <dlfcn.h>
#include <filesystem>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

// Stand-ins of libcuda, libnvrtc and libOpenCL: shared libraries with the entry points that Ringlet
// uses, over memory of the host. They record every call, fail where a test says so, and notice
// uses that the real libraries forbid. They carry out work of a queue only when a call waits for
// it: code that relies on an order or a wait that it never requested goes wrong every time. They
// know kernels by name and parameters, from their text; running one calls the host function that
// was registered for its name, if any.

namespace standin {

/// One call of an entry point, in the order in which they ended.
struct Call {
  std::string entry;          ///< Such as "cuMemAlloc_v2".
  std::uint64_t nonzero = 0;  ///< Release of memory: bytes in it that are not zero.
  bool waits = false;         ///< The host waits for the device in the call.
};

/// A launch, as a registered host function sees it. An argument is a word, or the address of the
/// buffer's first byte.
struct Launch {
  std::string kernel;
  std::array<std::uint64_t, 3> groups{};
  std::uint64_t group_size = 0;
  std::vector<std::uint64_t> arguments;
};
using HostKernel = std::function<void(const Launch&)>;

/// The interface of a library for tests. Each library has a state of its own.
struct Control {
  virtual ~Control() = default;
  /// Returns the library to its state after loading. Objects that are still there are gone.
  virtual void reset() = 0;
  /// Lets the nth call of `entry` from now on answer `code` and do nothing. A call that releases
  /// something still does so and answers `code`, as the libraries do for an earlier error.
  virtual void fail(const std::string& entry, std::uint64_t nth, int code) = 0;
  /// Lets the nth command that is carried out from now on end in the error `code`.
  virtual void fail_work(std::uint64_t nth, int code) = 0;
  /// Sets a property of the device, such as "memory_bytes": see engine.cpp.
  virtual void set(const std::string& option, std::int64_t value) = 0;
  virtual void register_kernel(const std::string& name, HostKernel function) = 0;

  virtual std::vector<Call> calls() = 0;
  /// Counts objects that were made and not released, by kind: "memory", "stream", "event", ...
  virtual std::map<std::string, std::int64_t> live() = 0;
  /// Returns uses that the real library forbids, a line each; empty if there were none.
  virtual std::string violations() = 0;
};

}  // namespace standin

namespace ringlet::test {

/// Returns a stand-in's path: in ../lib of the program, as in a bundle, else where it was built.
inline std::string stand_in_path(const std::filesystem::path& built) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path bundled = program.parent_path().parent_path() / "lib" / built.filename();
  return fs::exists(bundled, error) ? bundled : built;
}

/// One stand-in, loaded.
class StandIn {
 public:
  explicit StandIn(const std::string& path)
      : path_(path), handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw std::runtime_error(dlerror());
    const auto get = reinterpret_cast<standin::Control* (*)()>(dlsym(handle_, "standin_control"));
    if (get == nullptr) throw std::runtime_error(path + " is no stand-in");
    control_ = get();
    control_->reset();
  }
  ~StandIn() {
    control_->reset();
    dlclose(handle_);
  }
  StandIn(const StandIn&) = delete;
  StandIn& operator=(const StandIn&) = delete;

  const std::string& path() const noexcept { return path_; }
  standin::Control* operator->() const noexcept { return control_; }

  std::size_t count(const std::string& entry) const {
    return static_cast<std::size_t>(
        std::ranges::count(control_->calls(), entry, &standin::Call::entry));
  }
  std::size_t wait_count() const {
    return static_cast<std::size_t>(
        std::ranges::count(control_->calls(), true, &standin::Call::waits));
  }

 private:
  std::string path_;
  void* handle_;
  standin::Control* control_ = nullptr;
};

}  // namespace ringlet::test
