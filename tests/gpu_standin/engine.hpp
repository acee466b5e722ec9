// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "gpu_standin/standin.hpp"

/// Marks a definition as an entry point of the library, with exactly this name.
#define STANDIN_EXPORT extern "C" __attribute__((visibility("default")))

namespace standin {

struct Stream;

/// The fault that RINGLET_STANDIN_FAULT names: "abort:cuLaunchKernel" ends the process at the first
/// call of this entry point, "hang:cuStreamSynchronize:3" never returns from the third one, like a
/// driver that waits for a lost device. It is for whole programs; tests use Control::fail.
class PlantedFault {
 public:
  PlantedFault();
  void meet(const std::string& entry);

 private:
  std::string action_;
  std::string entry_;
  std::uint64_t left_ = 1;
};

/// A place in a stream, done when the commands before it are.
struct Mark {
  Stream* stream = nullptr;
  std::uint64_t position = 0;  ///< Number of commands before it.
  bool done = false;
  int status = 0;  ///< Of the command that it belongs to.
  std::uint64_t nanoseconds = 0;
};

/// Work; its result is 0, or the error of the work.
using Run = std::function<int()>;

/// Work that waits to be carried out, in order.
struct Stream {
  std::deque<std::pair<Run, std::shared_ptr<Mark>>> pending;
  std::uint64_t submitted = 0;
  std::uint64_t flushed = 0;  ///< Commands that the library was told to begin.
};

struct Entry {
  std::string name;
  bool releases = false;  ///< Carried out even if a failure is set.
};
inline constexpr bool kReleases = true;

/// Shared by all stand-ins: the log, failures, commands, counts of objects. Each library has one;
/// every entry point holds its mutex.
class Engine final : public Control {
 public:
  Engine() { reset(); }

  /// Runs a call of an entry point. Its answer is body()'s, or the failure that a test has set.
  template <typename Body>
  int call(const Entry& entry, const Body& body) {
    const std::lock_guard lock(mutex_);
    planted_fault_.meet(entry.name);
    current_ = {entry.name};
    const std::optional<int> injected = take_failure(entry.name);
    const int result = !injected || entry.releases ? body() : 0;
    calls_.push_back(current_);
    return injected.value_or(result);
  }

  // For the body of a call.
  void note_wait() { current_.waits = true; }
  void note_nonzero(std::span<const std::byte> memory);
  /// Notes a forbidden use and returns `code`.
  int violation(const std::string& text, int code) {
    violations_ += current_.entry + ": " + text + '\n';
    return code;
  }
  void count(const std::string& kind, std::int64_t change) { live_[kind] += change; }
  std::int64_t option(const std::string& name) const { return options_.at(name); }

  /// Appends a command, which is carried out at once if the option "eager" is set.
  std::shared_ptr<Mark> submit(Stream& stream, Run run);
  /// Does the effect of a query of a stream's event: flushed work goes on by "steps_per_query"
  /// commands.
  void go_on(Stream& stream);
  void run_until(const Mark& mark);
  void run_all(Stream& stream);
  /// Calls the host function of a kernel, if there is one.
  void run_kernel(const Launch& launch) const;
  /// Returns the first error of work that was carried out.
  int work_error() const { return work_error_; }
  /// Adds an action of a reset to those of the engine itself.
  void on_reset(std::function<void()> action) { reset_actions_.push_back(std::move(action)); }

  void reset() override;
  void fail(const std::string& entry, std::uint64_t nth, int code) override {
    const std::lock_guard lock(mutex_);
    failures_[entry] = {nth, code};
  }
  void fail_work(std::uint64_t nth, int code) override {
    const std::lock_guard lock(mutex_);
    work_failure_ = {nth, code};
  }
  void set(const std::string& option, std::int64_t value) override {
    const std::lock_guard lock(mutex_);
    options_.at(option) = value;
  }
  void register_kernel(const std::string& name, HostKernel function) override {
    const std::lock_guard lock(mutex_);
    kernels_[name] = std::move(function);
  }
  std::vector<Call> calls() override {
    const std::lock_guard lock(mutex_);
    return calls_;
  }
  std::map<std::string, std::int64_t> live() override {
    const std::lock_guard lock(mutex_);
    return live_;
  }
  std::string violations() override {
    const std::lock_guard lock(mutex_);
    return violations_;
  }

 private:
  struct Failure {
    std::uint64_t nth = 0;
    int code = 0;
  };
  std::optional<int> take_failure(const std::string& entry);
  void step(Stream& stream);

  std::mutex mutex_;
  PlantedFault planted_fault_;
  std::vector<Call> calls_;
  Call current_;
  std::map<std::string, Failure> failures_;
  Failure work_failure_;
  int work_error_ = 0;
  std::uint64_t clock_ = 0;
  std::map<std::string, std::int64_t> options_;
  std::map<std::string, std::int64_t> live_;
  std::map<std::string, HostKernel> kernels_;
  std::string violations_;
  std::vector<std::function<void()>> reset_actions_;
};

Engine& engine();
inline std::int64_t option(const std::string& name) { return engine().option(name); }

/// Live objects of one kind, by handle. A call with a handle that is not among them uses an object
/// after its end.
template <typename Object>
class Objects {
 public:
  explicit Objects(std::string kind) : kind_(std::move(kind)) {
    engine().on_reset([this] { all_.clear(); });
  }
  Object* make(Object object = {}) {
    auto made = std::make_unique<Object>(std::move(object));
    Object* const handle = made.get();
    all_[handle] = std::move(made);
    engine().count(kind_, 1);
    return handle;
  }
  bool has(Object* handle) const { return all_.contains(handle); }
  void release(Object* handle) {
    all_.erase(handle);
    engine().count(kind_, -1);
  }
  template <typename Action>
  void for_each(const Action& action) const {
    for (const auto& [handle, object] : all_) action(*object);
  }

 private:
  std::string kind_;
  std::map<Object*, std::unique_ptr<Object>> all_;
};

enum class Parameter { buffer, word };
using Kernels = std::map<std::string, std::vector<Parameter>>;

/// Finds the kernels of a text, by name, each with its parameters: every function that is marked
/// KERNEL, with the macros of the text expanded in its list of parameters. Conditions are ignored:
/// the last definition of a macro or kernel counts.
Kernels find_kernels(std::string_view text);
/// Returns "NAME=value" as a line of the preprocessor.
std::string define(std::string definition);

}  // namespace standin
