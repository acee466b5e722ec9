// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "gpu_standin/kernel_text.hpp"
#include "gpu_standin/standin.hpp"

namespace standin {

struct Stream;

/// What RINGLET_STANDIN_FAULT asks for: "abort:cuLaunchKernel" ends the process at every call of
/// this entry point, "hang:cuStreamSynchronize:3" never returns from the third one, as a driver
/// that waits for a lost device does. It is for whole programs; tests use standin_fail.
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
  std::int64_t status = 0;  ///< Of the command that it belongs to.
  std::uint64_t nanoseconds = 0;
};

struct Command {
  std::function<std::int64_t()> run;  ///< 0, or the error of the work.
  std::shared_ptr<Mark> mark;         ///< May be null.
};

/// Work that waits to be carried out, in order.
struct Stream {
  std::deque<Command> pending;
  std::uint64_t submitted = 0;
  std::uint64_t flushed = 0;  ///< Commands that the library was told to begin.
};

/// A kernel of a module, as launches see it.
struct KernelInfo {
  std::string name;
  std::vector<Parameter> parameters;
};

/// What all stand-ins share: the log, failures, commands, counts of objects. One per library; every
/// entry point holds its mutex.
class Engine {
 public:
  static Engine& instance();

  /// A call of an entry point. Its answer is body()'s, or the failure that was asked for.
  struct Entry {
    const char* name;
    bool releases = false;  ///< Carried out even if it is to fail.
  };
  template <typename Body>
  std::int64_t call(const Entry& entry, const Body& body) {
    const std::lock_guard lock(mutex_);
    begin(entry.name);
    std::int64_t code = 0;
    const bool injected = take_failure(entry.name, code);
    std::int64_t result = 0;
    if (!injected || entry.releases) result = body();
    if (injected) result = code;
    end(result, injected);
    return result;
  }

  // For the body of a call.
  void note_bytes(std::uint64_t bytes) { current_.bytes = bytes; }
  void note_nonzero(const std::byte* memory, std::size_t bytes);
  void note_detail(const std::string& detail);
  void note_wait() { current_.waits = 1; }
  void violation(const std::string& text) { violations_ += text + '\n'; }
  void count(const std::string& kind, std::int64_t change) { live_[kind] += change; }
  std::int64_t option(const std::string& name) const { return options_.at(name); }

  /// Appends a command, which is carried out at once if the option "eager" is set.
  std::shared_ptr<Mark> submit(Stream& stream, std::function<std::int64_t()> run);
  /// Carries out the next command of a stream, if there is one.
  void step(Stream& stream);
  /// What asking for an event of a stream does: work that was flushed goes on by "steps_per_query"
  /// commands.
  void go_on(Stream& stream);
  void run_until(const Mark& mark);
  void run_all(Stream& stream);
  /// Calls the host function of a kernel, if there is one.
  void run_kernel(const standin_launch& launch) const;
  /// The first error of work that was carried out.
  std::int64_t work_error() const { return work_error_; }

  /// What to do at a reset, beside what the engine itself does: objects go.
  void on_reset(std::function<void()> action) { reset_actions_.push_back(std::move(action)); }

  // The control interface.
  void reset();
  void heal();
  void fail(const std::string& entry, std::uint64_t nth, std::int64_t code);
  void fail_work(std::uint64_t nth, std::int64_t code);
  void set(const std::string& option, std::int64_t value);
  void register_kernel(const std::string& name, standin_kernel function);
  std::size_t call_count();
  standin_call call_at(std::size_t index);
  void clear_calls();
  std::string live_text();
  std::string violations();

 private:
  struct Failure {
    std::uint64_t nth;
    std::int64_t code;
  };
  Engine();
  void begin(const char* entry);
  bool take_failure(const std::string& entry, std::int64_t& code);
  void end(std::int64_t result, bool injected);
  void set_default_options();

  std::recursive_mutex mutex_;
  PlantedFault planted_fault_;
  std::vector<standin_call> calls_;
  standin_call current_{};
  std::map<std::string, Failure> failures_;
  Failure work_failure_{0, 0};
  std::int64_t work_error_ = 0;
  std::uint64_t clock_ = 0;
  std::map<std::string, std::int64_t> options_;
  std::map<std::string, std::int64_t> live_;
  std::map<std::string, standin_kernel> kernels_;
  std::map<std::thread::id, std::uint64_t> threads_;
  std::string violations_;
  std::vector<std::function<void()>> reset_actions_;
};

}  // namespace standin
