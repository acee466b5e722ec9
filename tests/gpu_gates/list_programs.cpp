// SPDX-License-Identifier: Apache-2.0
// Prints as JSON the programs, with their text, that the GPU backend compiles for devices, which
// this machine need not have: the compile gates have no list of their own.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/cuda/nvrtc.hpp"
#include "gpu/opencl/options.hpp"
#include "gpu/programs/kernel_sources.hpp"
#include "gpu/programs/programs.hpp"

namespace {

using ringlet::gpu::Api;
using ringlet::gpu::DeviceProperties;
using ringlet::gpu::Program;

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else {
      if (c == '"' || c == '\\') result += '\\';
      result += c;
    }
  }
  return result + '"';
}

std::string list(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + quoted(word);
  return "[" + text + "]";
}

/// The properties that the driver reports for such a device.
DeviceProperties hopper() {
  return {.name = "NVIDIA H200",
          .vendor = "NVIDIA Corporation",
          .driver_version = "13.0",
          .api = Api::cuda,
          .memory_bytes = std::uint64_t{141} << 30U,
          .largest_allocation_bytes = std::uint64_t{141} << 30U,
          .local_memory_bytes = std::size_t{227} << 10U,
          .largest_group = 1024,
          .compute_units = 132,
          .sub_group_sizes = {32}};
}

DeviceProperties ponte_vecchio() {
  return {.name = "Intel(R) Data Center GPU Max 1550",
          .vendor = "Intel(R) Corporation",
          .driver_version = "22.43",
          .api = Api::opencl,
          .memory_bytes = std::uint64_t{128} << 30U,
          .largest_allocation_bytes = std::uint64_t{64} << 30U,
          .local_memory_bytes = std::size_t{64} << 10U,
          .largest_group = 1024,
          .compute_units = 1024,
          .sub_group_sizes = {16, 32},
          .is_xe_hpc = true,
          .largest_partition = 2};
}

DeviceProperties host_runtime() {
  return {.name = "pthread",
          .vendor = "The pocl project",
          .driver_version = "3.1",
          .api = Api::opencl,
          .is_host_processor = true,
          .memory_bytes = std::uint64_t{8} << 30U,
          .largest_allocation_bytes = std::uint64_t{2} << 30U,
          .local_memory_bytes = std::size_t{512} << 10U,
          .largest_group = 4096,
          .compute_units = 2,
          .sub_group_sizes = {},
          .largest_partition = 2};
}

/// Returns the options that the driver would give its compiler; for CUDA without the definitions.
std::vector<std::string> compiler_options(const char* target, const DeviceProperties& device,
                                          const Program& program) {
  if (device.api == Api::cuda) return ringlet::gpu::cuda::nvrtc_options(target);
  // The offline compiler does not say which optional parts of OpenCL 3.0 a device has; 2.0 has
  // sub-groups as well.
  constexpr unsigned kOpenclVersion = 20;
  return {ringlet::gpu::opencl_options(device, kOpenclVersion, program.definitions)};
}

/// Returns the registers that each main kernel may take.
std::string limits(const Program& program) {
  std::string text;
  for (const std::string& kernel : program.main_kernels) {
    const bool is_large =
        std::ranges::find(program.large_kernels, kernel) != program.large_kernels.end();
    const int registers = (is_large ? 2 : 1) * program.main_registers;
    text += (text.empty() ? "" : ", ") + quoted(kernel) + ": " + std::to_string(registers);
  }
  return "{" + text + "}";
}

void print_program(const char* target, const DeviceProperties& device, const Program& program) {
  std::printf("   {\"name\": %s, \"files\": %s, \"definitions\": %s, \"options\": %s, ",
              quoted(program.name).c_str(), list(program.files).c_str(),
              list(program.definitions).c_str(),
              list(compiler_options(target, device, program)).c_str());
  std::printf("\"main_kernels\": %s, \"text\": %s}", limits(program).c_str(),
              quoted(program_text(program)).c_str());
}

void print_device(const char* target, const DeviceProperties& device, bool is_last) {
  const char* prelude = device.api == Api::cuda ? "prelude.cuda" : "prelude.opencl";
  std::printf("  {\"target\": \"%s\", \"prelude\": %s, \"programs\": [", target,
              quoted(ringlet::gpu::kernel_source(prelude)).c_str());
  const char* separator = "\n";
  for (const Program& program : ringlet::gpu::program_catalogue(device)) {
    std::printf("%s", separator);
    print_program(target, device, program);
    separator = ",\n";
  }
  std::printf("]}%s\n", is_last ? "" : ",");
}

}  // namespace

int main() {
  std::printf("[\n");
  print_device("sm_90", hopper(), false);
  print_device("pvc", ponte_vecchio(), false);
  print_device("host", host_runtime(), true);
  std::printf("]\n");
}
