// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "gpu/driver.hpp"

namespace ringlet::gpu {

/// Files of src/gpu/kernels and macro definitions that are compiled together. The host code and the
/// compile gates, which need no device, get programs from the same functions.
struct Program {
  std::string name;                          ///< For people: "ntt radix8 lazy".
  std::vector<std::string> files;            ///< In the order in which they are joined.
  std::vector<std::string> definitions;      ///< "NAME=value".
  std::vector<std::string> main_kernels;     ///< They may spill nothing and need few registers.
  int main_registers = 64;                   ///< Their 32-bit registers per work-item.
  std::vector<std::string> large_kernels{};  ///< Main kernels with twice as many registers.
};

/// Returns the program's files, one after another, for DriverDevice::build.
/// @throws as kernel_source.
std::string program_text(const Program& program);

/// Returns one program of every kind that the host code builds for a device with these properties,
/// for all options, word sizes and laziness, at the size of the figures (N = 32768, 8 primes).
std::vector<Program> program_catalogue(const DeviceProperties& device);

/// Return the parts of the catalogue: transforms, the backend's other primitives, roofs of a
/// device, and products with keys within transforms.
std::vector<Program> ntt_programs(const DeviceProperties& device);
std::vector<Program> backend_programs(const DeviceProperties& device);
std::vector<Program> roofs_programs();
std::vector<Program> key_products_programs(const DeviceProperties& device);

}  // namespace ringlet::gpu
