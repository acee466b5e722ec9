// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

// Stand-ins of libcuda, libnvrtc and libOpenCL: shared libraries with the entry points that Ringlet
// uses, over memory of the host. They record every call, fail where they are told to, and notice
// uses that the real libraries forbid. Work that is submitted to a queue is carried out when
// somebody waits for it, and no sooner: what relies on an order or a wait that was never asked for
// goes wrong every time. Kernels are known by name and parameters, from their text; running one
// calls the host function that was registered for its name, if any.
//
// Each library has this control interface, and a state of its own.

extern "C" {

/// One call of an entry point, in the order in which they ended.
struct standin_call {
  char entry[56];         ///< Such as "cuMemAlloc_v2".
  char detail[64];        ///< A launch: the name of the kernel. Else empty.
  std::uint64_t thread;   ///< Numbers threads in the order in which they came.
  std::int64_t result;    ///< What the caller was told.
  std::uint64_t bytes;    ///< Size of what was allocated, released or copied.
  std::uint64_t nonzero;  ///< Release of device memory: bytes in it that are not zero.
  std::int32_t waits;     ///< 1 if the host waits for the device in it.
  std::int32_t injected;  ///< 1 if the result was asked for by standin_fail.
};

/// A launch, as a registered host function sees it. An argument is a word, or the address of the
/// buffer's first byte.
struct standin_launch {
  const char* kernel;
  std::uint64_t groups[3];
  std::uint64_t group_size;
  std::uint64_t argument_count;
  const std::uint64_t* arguments;
};
using standin_kernel = void (*)(const standin_launch*);

}  // extern "C"

namespace ringlet::test {

/// The control interface of one stand-in.
class StandIn {
 public:
  explicit StandIn(const std::string& path)
      : path_(path), handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw std::runtime_error(dlerror());
    reset();
  }
  ~StandIn() {
    reset();
    dlclose(handle_);
  }
  StandIn(const StandIn&) = delete;
  StandIn& operator=(const StandIn&) = delete;

  const std::string& path() const noexcept { return path_; }

  /// As if it had just been loaded. Objects that are still there are gone.
  void reset() const { get<void()>("standin_reset")(); }
  /// The nth call of `entry` from now on (0: every one) answers `code` and does nothing; one that
  /// releases something does that and answers `code`, as the libraries do for an earlier error.
  void fail(const std::string& entry, std::uint64_t nth, std::int64_t code) const {
    get<void(const char*, std::uint64_t, std::int64_t)>("standin_fail")(entry.c_str(), nth, code);
  }
  /// The nth command that is carried out from now on ends in the error `code`.
  void fail_work(std::uint64_t nth, std::int64_t code) const {
    get<void(std::uint64_t, std::int64_t)>("standin_fail_work")(nth, code);
  }
  /// No more failures.
  void heal() const { get<void()>("standin_heal")(); }
  /// Sets a property of the device, such as "memory_bytes": see engine.cpp.
  void set(const std::string& option, std::int64_t value) const {
    get<void(const char*, std::int64_t)>("standin_set")(option.c_str(), value);
  }
  void register_kernel(const std::string& name, standin_kernel function) const {
    get<void(const char*, standin_kernel)>("standin_register_kernel")(name.c_str(), function);
  }

  std::vector<standin_call> calls() const {
    std::vector<standin_call> calls(get<std::uint64_t()>("standin_call_count")());
    const auto copy = get<void(std::uint64_t, standin_call*)>("standin_copy_call");
    for (std::size_t i = 0; i < calls.size(); ++i) copy(i, &calls[i]);
    return calls;
  }
  void clear_calls() const { get<void()>("standin_clear_calls")(); }
  std::size_t count(const std::string& entry) const {
    std::size_t count = 0;
    for (const standin_call& call : calls()) count += entry == call.entry;
    return count;
  }
  std::size_t wait_count() const {
    std::size_t count = 0;
    for (const standin_call& call : calls()) count += call.waits != 0;
    return count;
  }

  /// Objects that were made and not released, by kind: "memory", "stream", "event", ...
  std::map<std::string, std::int64_t> live() const {
    std::map<std::string, std::int64_t> live;
    const auto lines = text("standin_live");
    for (std::size_t begin = 0; begin < lines.size();) {
      const std::size_t end = lines.find('\n', begin);
      const std::string line = lines.substr(begin, end - begin);
      const std::size_t space = line.find(' ');
      live[line.substr(0, space)] = std::stoll(line.substr(space + 1));
      begin = end + 1;
    }
    return live;
  }
  /// What was done that the real library forbids, a line each; empty if nothing was.
  std::string violations() const { return text("standin_violations"); }

 private:
  template <typename Function>
  Function* get(const char* name) const {
    void* address = dlsym(handle_, name);
    if (address == nullptr) throw std::runtime_error(path_ + " has no " + name);
    return reinterpret_cast<Function*>(address);
  }
  std::string text(const char* name) const {
    const auto copy = get<std::uint64_t(char*, std::uint64_t)>(name);
    std::string text(copy(nullptr, 0), '\0');
    copy(text.data(), text.size());
    return text;
  }

  std::string path_;
  void* handle_;
};

}  // namespace ringlet::test
