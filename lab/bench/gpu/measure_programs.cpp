// SPDX-License-Identifier: Apache-2.0
#include "gpu/backend/ntt_plan.hpp"
#include "gpu/cuda/nvrtc.hpp"
#include "gpu/device_registry.hpp"
#include "gpu/measure.hpp"
#include "gpu/programs/module_cache.hpp"
#include "gpu/programs/programs.hpp"
#include "gpu/rows.hpp"

namespace ringlet::bench {
namespace {

constexpr const char* kOperation = "gpu_bench";

std::shared_ptr<gpu::DriverDevice> open_driver_device(const Options& options) {
  const Device device = open_device(options);
  return gpu::DeviceRegistry::of_process()
      .open(gpu::parse_device_name(device.name()), device.options())
      ->device;
}

/// Builds all programs on `thread_count` threads; returns the seconds of each.
std::vector<double> time_builds(gpu::DriverDevice& device, std::span<const gpu::Program> programs,
                                std::size_t thread_count) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> seconds(programs.size());
  std::atomic<std::size_t> next{0};
  std::exception_ptr error;
  std::mutex mutex;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < programs.size(); i = next++) {
        const auto start = Clock::now();
        gpu::build_module(device, program_text(programs[i]), programs[i].definitions);
        seconds[i] = std::chrono::duration<double>(Clock::now() - start).count();
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      error = std::current_exception();
      next = programs.size();
    }
  };
  {
    std::vector<std::jthread> threads;
    while (threads.size() < thread_count) threads.emplace_back(work);
  }
  if (error) std::rethrow_exception(error);
  return seconds;
}

/// Returns all programs, or `most` of them spread over all kinds.
std::vector<gpu::Program> some_programs(std::vector<gpu::Program> all, std::size_t most) {
  if (most == 0 || most >= all.size()) return all;
  std::vector<gpu::Program> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(std::move(all[i * all.size() / most]));
  return some;
}

/// Returns the version of NVRTC that a driver such as "CUDA 13.0" takes.
std::string compiler_of(const gpu::DeviceProperties& device) {
  if (device.api != gpu::Api::cuda) return device.driver_version;
  const int major = std::atoi(device.driver_version.c_str() + std::string_view("CUDA ").size());
  return gpu::cuda::Nvrtc(1000 * major, "").version();
}

struct Arithmetic {
  gpu::NttPath path;
  const char* name;
};
constexpr std::array kArithmetics{Arithmetic{gpu::NttPath::exact, "exact"},
                                  Arithmetic{gpu::NttPath::lazy, "lazy"},
                                  Arithmetic{gpu::NttPath::narrow, "narrow"}};
constexpr int kLogDegree = 15;

/// Returns the butterflies of one work-item in each launch of a transform. A launch through global
/// memory has one pass. The launch of blocks, last forward and first backward, has all others.
std::string kernels_json(const gpu::NttPlan& plan, const char* path) {
  std::string kernels;
  const auto add = [&](const gpu::NttStep& step, const char* direction, int levels) {
    const auto items = static_cast<double>(step.groups * step.group_size);
    Object kernel;
    kernel.add("kernel", step.kernel).add("path", path).add("direction", direction);
    kernel.add("butterflies", static_cast<double>(levels) * (1U << (kLogDegree - 1)) / items);
    kernels += concat(kernels.empty() ? "" : ", ", kernel.text());
  };
  const std::size_t last = plan.forward.size() - 1;
  int block_levels = kLogDegree;
  for (std::size_t i = 0; i < last; ++i) {
    add(plan.forward[i], "forward", plan.pass_levels[i]);
    add(plan.inverse[last - i], "inverse", plan.pass_levels[i]);
    block_levels -= plan.pass_levels[i];
  }
  add(plan.forward[last], "forward", block_levels);
  add(plan.inverse[0], "inverse", block_levels);
  return "[" + kernels + "]";
}

}  // namespace

void list_devices(const Options& options, Reporter& reporter) {
  options.check_names({});
  gpu::DeviceRegistry& registry = gpu::DeviceRegistry::of_process();
  std::map<std::string, std::size_t> counts;
  for (const DeviceInfo& info : registry.list()) {
    if (info.api == "host") continue;
    // The name has the API, which says which library computes.
    Line line("device");
    line.add("name", concat(info.api, ":", counts[info.api]++))
        .add("api", info.api)
        .add("description", info.description);
    line.add("driver_version", info.driver_version)
        .add("is_host_processor", info.is_host_processor);
    line.add("memory_bytes", info.memory_bytes);
    reporter.say(line.add("compute_units", info.compute_units));
  }
  for (const gpu::LibraryState& library : registry.libraries()) {
    reporter.say(Line("library").add("library", library.library).add("reason", library.reason));
  }
}

void measure_compiler(const Options& options, Reporter& reporter) {
  options.check_names({"device", "threads", "programs"});
  const auto device = open_driver_device(options);
  const gpu::DeviceProperties& properties = device->properties();
  const auto programs =
      some_programs(program_catalogue(properties), options.number("programs", 0, 0, 10000));
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t threads = options.number("threads", cores, 1, 256);
  reporter.say(Line("context").add("compiler", compiler_of(properties)));
  for (const bool is_cold : {true, false}) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    const std::vector<double> seconds = time_builds(*device, programs, threads);
    const double wall = std::chrono::duration<double>(Clock::now() - start).count();
    const char* row = is_cold ? "cold" : "cached";
    Line line = entry(concat("gpu_compile/", row), "compile", seconds);
    line.add("row", row).add("programs", programs.size()).add("threads", threads);
    reporter.say(line.add("wall_seconds", wall).add("clock", "host"));
    reporter.progress("compile", is_cold ? 1 : 2, 2);
  }
}

void write_machine_code(const Options& options, Reporter& reporter) {
  options.check_names({"device", "folder"});
  const auto device = open_driver_device(options);
  const std::string folder = options.text("folder", ".");
  for (const Arithmetic& arithmetic : kArithmetics) {
    const gpu::NttPlan plan =
        gpu::make_ntt_plan({.variant = GpuNtt::radix8,
                            .log_degree = kLogDegree,
                            .paths = static_cast<gpu::NttPaths>(arithmetic.path)},
                           device->properties());
    const auto binary =
        gpu::build_module(*device, program_text(plan.program), plan.program.definitions)->binary();
    const std::string file = concat("radix8-", arithmetic.name, ".cubin");
    std::ofstream out(concat(folder, "/", file), std::ios::binary);
    out.write(reinterpret_cast<const char*>(binary.data()),
              static_cast<std::streamsize>(binary.size()));
    if (!out.flush()) {
      throw_runtime_error({kOperation, concat("cannot write ", folder, "/", file),
                           "a folder with room that can be written", "name another --folder"});
    }
    Line line("cubin");
    line.add("file", file);
    reporter.say(line.add_json("kernels", kernels_json(plan, arithmetic.name)));
  }
}

}  // namespace ringlet::bench
