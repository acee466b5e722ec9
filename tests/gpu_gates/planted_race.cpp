// SPDX-License-Identifier: Apache-2.0
// Launches one kernel of a file on the first OpenCL device, by the driver that the tests use:
//   ringlet_planted_race <file> <kernel>
// Shows that a checker in place of the device sees the kernels that the driver launches.
#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <memory>
#include <numeric>
#include <span>
#include <sstream>
#include <string>

#include "gpu/driver.hpp"

namespace {

using namespace ringlet::gpu;

constexpr std::size_t kWords = 64;

void launch(const std::string& file, const std::string& kernel_name) {
  std::string reason;
  const std::shared_ptr<Driver> driver = load_opencl(reason);
  if (driver == nullptr || driver->devices().empty()) {
    throw std::runtime_error("no OpenCL device: " + reason);
  }
  const std::shared_ptr<DriverDevice> device = driver->devices().front();
  std::printf("device: %s\n", device->properties().name.c_str());

  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  const std::shared_ptr<Module> module = device->build(text.str(), {});
  const std::shared_ptr<Kernel> kernel = module->kernel(kernel_name);

  std::array<std::uint64_t, kWords> words;
  std::iota(words.begin(), words.end(), 0);
  const std::unique_ptr<Queue> queue = device->make_queue(false);
  const std::shared_ptr<Buffer> buffer = device->allocate(sizeof(words));
  queue->upload(*buffer, 0, std::as_bytes(std::span(words)));
  const std::array<Argument, 1> arguments{*buffer};
  queue->launch(*kernel, {.groups = {1, 1, 1}, .group_size = kWords}, arguments);
  queue->download(std::as_writable_bytes(std::span(words)), *buffer, 0);
  std::printf("last word: %llu\n", static_cast<unsigned long long>(words.back()));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 3) throw std::runtime_error("usage: ringlet_planted_race <file> <kernel>");
    launch(argv[1], argv[2]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
