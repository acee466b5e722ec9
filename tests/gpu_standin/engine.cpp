// SPDX-License-Identifier: Apache-2.0
#include "gpu_standin/engine.hpp"

#include <csignal>
#include <cstdlib>
#include <sstream>
#include <unistd.h>

STANDIN_EXPORT standin::Control* standin_control() { return &standin::engine(); }

namespace standin {

Engine& engine() {
  static Engine engine;
  return engine;
}

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

std::optional<int> Engine::take_failure(const std::string& entry) {
  const auto found = failures_.find(entry);
  if (found == failures_.end() || --found->second.nth != 0) return std::nullopt;
  const int code = found->second.code;
  failures_.erase(found);
  return code;
}

void Engine::note_nonzero(std::span<const std::byte> memory) {
  if (option("count_nonzero") == 0) return;
  current_.nonzero = memory.size() - static_cast<std::size_t>(
                                         std::count(memory.begin(), memory.end(), std::byte{0}));
}

std::shared_ptr<Mark> Engine::submit(Stream& stream, Run run) {
  const auto mark = std::make_shared<Mark>(Mark{&stream, ++stream.submitted});
  stream.pending.emplace_back(std::move(run), mark);
  if (option("eager") != 0) run_all(stream);
  return mark;
}

void Engine::step(Stream& stream) {
  const auto [run, mark] = std::move(stream.pending.front());
  stream.pending.pop_front();
  mark->status = run();
  if (work_failure_.nth != 0 && --work_failure_.nth == 0) mark->status = work_failure_.code;
  if (work_error_ == 0) work_error_ = mark->status;
  constexpr std::uint64_t kNanosecondsPerCommand = 1000;
  mark->nanoseconds = clock_ += kNanosecondsPerCommand;
  mark->done = true;
}

void Engine::go_on(Stream& stream) {
  for (std::int64_t i = 0; i < option("steps_per_query"); ++i) {
    if (stream.submitted - stream.pending.size() < stream.flushed) step(stream);
  }
}

void Engine::run_until(const Mark& mark) {
  while (!mark.done && !mark.stream->pending.empty()) step(*mark.stream);
}

void Engine::run_all(Stream& stream) {
  while (!stream.pending.empty()) step(stream);
}

void Engine::run_kernel(const Launch& launch) const {
  const auto found = kernels_.find(launch.kernel);
  if (found != kernels_.end()) found->second(launch);
}

void Engine::reset() {
  const std::lock_guard lock(mutex_);
  for (const auto& action : reset_actions_) action();
  failures_.clear();
  work_failure_ = {};
  calls_.clear();
  live_.clear();
  kernels_.clear();
  violations_.clear();
  work_error_ = 0;
  clock_ = 0;
  options_ = {
      {"count_nonzero", 1},    // look at what released memory holds
      {"eager", 0},            // 1: commands are carried out as they are submitted
      {"steps_per_query", 1},  // commands that a query of an event carries out
      {"devices", 1},          // how many there are
      {"memory_bytes", std::int64_t{1} << 32},
      {"largest_group", 1024},
      {"local_memory_bytes", 48 << 10},
      {"compute_units", 8},
      {"driver_version", 13000},  // CUDA: of the driver
      {"warp_size", 32},          // CUDA
      {"capability_major", 9},    // CUDA
      {"capability_minor", 0},    // CUDA
      {"sub_group_size", 16},     // OpenCL
      {"ip_version", 0},          // OpenCL: of an Intel GPU
      {"largest_partition", 4},   // OpenCL: 1 if the device does not divide
      {"nvrtc_newest", 90},       // NVRTC: the newest generation that it knows
  };
}

}  // namespace standin
