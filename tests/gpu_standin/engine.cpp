// SPDX-License-Identifier: Apache-2.0
#include "gpu_standin/engine.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

namespace standin {
namespace {

void copy_text(char* target, std::size_t size, const std::string& text) {
  const std::size_t count = std::min(size - 1, text.size());
  std::memcpy(target, text.data(), count);
  target[count] = '\0';
}

}  // namespace

PlantedFault::PlantedFault() {
  const char* text = std::getenv("RINGLET_STANDIN_FAULT");
  if (text == nullptr) return;
  std::istringstream parts(text);
  std::getline(parts, action_, ':');
  std::getline(parts, entry_, ':');
  parts >> left_;
  if (parts.fail()) left_ = 1;
  if (action_ != "abort" && action_ != "hang") {
    throw std::invalid_argument("RINGLET_STANDIN_FAULT is abort or hang, an entry point, a number");
  }
}

void PlantedFault::meet(const std::string& entry) {
  if (entry != entry_ || --left_ != 0) return;
  if (action_ == "abort") std::abort();
  std::signal(SIGTERM, SIG_IGN);
  while (true) pause();
}

Engine& Engine::instance() {
  static Engine engine;
  return engine;
}

Engine::Engine() { set_default_options(); }

void Engine::set_default_options() {
  options_ = {
      {"count_nonzero", 1},    // look at what released memory holds
      {"eager", 0},            // 1: commands are carried out as they are submitted
      {"steps_per_query", 1},  // commands that are carried out when somebody asks for an event
      {"devices", 1},          // how many there are
      {"memory_bytes", std::int64_t{1} << 32},
      {"largest_group", 1024},
      {"local_memory_bytes", 48 << 10},
      {"compute_units", 8},
      {"driver_version", 13000},  // CUDA: of the driver
      {"capability_major", 9},    // CUDA
      {"capability_minor", 0},    // CUDA
      {"is_host_processor", 0},   // OpenCL: the device is the processor, not a GPU
      {"sub_group_size", 16},     // OpenCL: 0 if there are none
      {"largest_partition", 4},   // OpenCL: 1 if the device does not divide
      {"nvrtc_newest", 90},       // NVRTC: the newest generation that it knows
  };
}

void Engine::begin(const char* entry) {
  planted_fault_.meet(entry);
  current_ = {};
  copy_text(current_.entry, sizeof current_.entry, entry);
  current_.thread = threads_.try_emplace(std::this_thread::get_id(), threads_.size()).first->second;
}

bool Engine::take_failure(const std::string& entry, std::int64_t& code) {
  const auto found = failures_.find(entry);
  if (found == failures_.end()) return false;
  Failure& failure = found->second;
  code = failure.code;
  if (failure.nth == 0) return true;
  if (--failure.nth != 0) return false;
  failures_.erase(found);
  return true;
}

void Engine::end(std::int64_t result, bool injected) {
  current_.result = result;
  current_.injected = injected ? 1 : 0;
  calls_.push_back(current_);
}

void Engine::note_nonzero(const std::byte* memory, std::size_t bytes) {
  if (option("count_nonzero") == 0) return;
  current_.nonzero = static_cast<std::uint64_t>(
      std::count_if(memory, memory + bytes, [](std::byte b) { return b != std::byte{0}; }));
}

void Engine::note_detail(const std::string& detail) {
  copy_text(current_.detail, sizeof current_.detail, detail);
}

std::shared_ptr<Mark> Engine::submit(Stream& stream, std::function<std::int64_t()> run) {
  auto mark = std::make_shared<Mark>();
  mark->stream = &stream;
  mark->position = ++stream.submitted;
  stream.pending.push_back({std::move(run), mark});
  if (option("eager") != 0) run_all(stream);
  return mark;
}

void Engine::step(Stream& stream) {
  if (stream.pending.empty()) return;
  const Command command = std::move(stream.pending.front());
  stream.pending.pop_front();
  std::int64_t status = command.run();
  if (work_failure_.nth != 0 && --work_failure_.nth == 0) status = work_failure_.code;
  if (status != 0 && work_error_ == 0) work_error_ = status;
  constexpr std::uint64_t kNanosecondsPerCommand = 1000;
  clock_ += kNanosecondsPerCommand;
  if (command.mark != nullptr) {
    command.mark->done = true;
    command.mark->status = status;
    command.mark->nanoseconds = clock_;
  }
}

void Engine::go_on(Stream& stream) {
  for (std::int64_t i = 0; i < option("steps_per_query"); ++i) {
    if (stream.submitted - stream.pending.size() < stream.flushed) step(stream);
  }
}

void Engine::run_until(const Mark& mark) {
  while (!mark.done && mark.stream != nullptr && !mark.stream->pending.empty()) step(*mark.stream);
}

void Engine::run_all(Stream& stream) {
  while (!stream.pending.empty()) step(stream);
}

void Engine::run_kernel(const standin_launch& launch) const {
  const auto found = kernels_.find(launch.kernel);
  if (found != kernels_.end()) found->second(&launch);
}

void Engine::reset() {
  const std::lock_guard lock(mutex_);
  for (const auto& action : reset_actions_) action();
  heal();
  calls_.clear();
  live_.clear();
  kernels_.clear();
  threads_.clear();
  violations_.clear();
  work_error_ = 0;
  clock_ = 0;
  set_default_options();
}

void Engine::heal() {
  const std::lock_guard lock(mutex_);
  failures_.clear();
  work_failure_ = {0, 0};
}

void Engine::fail(const std::string& entry, std::uint64_t nth, std::int64_t code) {
  const std::lock_guard lock(mutex_);
  failures_[entry] = {nth, code};
}

void Engine::fail_work(std::uint64_t nth, std::int64_t code) {
  const std::lock_guard lock(mutex_);
  work_failure_ = {nth, code};
}

void Engine::set(const std::string& option, std::int64_t value) {
  const std::lock_guard lock(mutex_);
  options_.at(option) = value;
}

void Engine::register_kernel(const std::string& name, standin_kernel function) {
  const std::lock_guard lock(mutex_);
  kernels_[name] = function;
}

std::size_t Engine::call_count() {
  const std::lock_guard lock(mutex_);
  return calls_.size();
}

standin_call Engine::call_at(std::size_t index) {
  const std::lock_guard lock(mutex_);
  return calls_.at(index);
}

void Engine::clear_calls() {
  const std::lock_guard lock(mutex_);
  calls_.clear();
}

std::string Engine::live_text() {
  const std::lock_guard lock(mutex_);
  std::string text;
  for (const auto& [kind, count] : live_) text += kind + ' ' + std::to_string(count) + '\n';
  return text;
}

std::string Engine::violations() {
  const std::lock_guard lock(mutex_);
  return violations_;
}

}  // namespace standin
