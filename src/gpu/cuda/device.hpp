// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "gpu/cuda/context.hpp"
#include "gpu/cuda/nvrtc.hpp"
#include "gpu/driver.hpp"

namespace ringlet::gpu::cuda {

/// The compiler of a driver, loaded when it is first asked for. Thread-safe.
class Compiler {
 public:
  Compiler(int driver_version, std::string path);
  /// @throws RuntimeError if there is no NVRTC; the next call looks again.
  const Nvrtc& get();

 private:
  int driver_version_;
  std::string path_;
  std::mutex mutex_;
  std::unique_ptr<const Nvrtc> nvrtc_;
};

/// A GPU. Its context is made when something is first asked of it, so that listing devices takes
/// neither time nor memory on them.
class CudaDevice final : public DriverDevice, public std::enable_shared_from_this<CudaDevice> {
 public:
  /// @throws RuntimeError if the driver does not describe the device.
  CudaDevice(std::shared_ptr<const DriverLibrary> driver, std::shared_ptr<Compiler> compiler,
             int ordinal);

  const DeviceProperties& properties() const noexcept override { return properties_; }
  std::unique_ptr<Queue> make_queue(bool timing) override;
  std::shared_ptr<Buffer> allocate(std::size_t bytes) override;
  std::shared_ptr<Module> build(const std::string& source,
                                std::span<const std::string> definitions) override;
  std::shared_ptr<Module> load(std::span<const std::byte> binary) override;
  /// CUDA has no sub-devices: this device itself for a count of 1, else an error.
  std::vector<std::shared_ptr<DriverDevice>> split(std::size_t count) override;

 private:
  void read_properties();
  int attribute(DeviceAttribute which) const;
  std::shared_ptr<const Context> context();

  std::shared_ptr<const DriverLibrary> driver_;
  std::shared_ptr<Compiler> compiler_;
  DeviceIndex index_ = 0;
  DeviceProperties properties_;
  unsigned capability_major_ = 0;
  unsigned capability_minor_ = 0;
  std::mutex mutex_;
  std::shared_ptr<const Context> context_;
};

}  // namespace ringlet::gpu::cuda
