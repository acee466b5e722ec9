// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "gpu/driver.hpp"

namespace ringlet::gpu {

/// What is compiled together: files of src/gpu/kernels and macro definitions. The host code and the
/// compile gates, which need no device, get it from the same functions.
struct Program {
  std::string name;                       ///< For people: "ntt radix8 lazy".
  std::vector<std::string> files;         ///< In the order in which they are joined.
  std::vector<std::string> definitions;   ///< "NAME=value".
  std::vector<std::string> main_kernels;  ///< Those that may spill nothing and need few registers.
  int main_registers = 64;                ///< So many of 32 bits for each work-item of these,
  std::vector<std::string> large_kernels{};  ///< and twice as many of these among them.
};

/// Its files, one after another: what DriverDevice::build takes beside the definitions.
/// @throws as kernel_source.
std::string program_text(const Program& program);

/// One program of every kind that the host code builds for a device with such properties: every
/// variant of options, word sizes and laziness, at the size of the figures (N = 32768, 8 primes).
std::vector<Program> program_catalogue(const DeviceProperties& device);

/// The parts of the catalogue: transforms, the backend's other primitives, what measures a device,
/// and products with keys within transforms.
std::vector<Program> ntt_programs(const DeviceProperties& device);
std::vector<Program> backend_programs(const DeviceProperties& device);
std::vector<Program> roofs_programs();
std::vector<Program> key_products_programs(const DeviceProperties& device);

}  // namespace ringlet::gpu
