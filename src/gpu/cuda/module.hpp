// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/cuda/context.hpp"
#include "gpu/driver.hpp"

namespace ringlet::gpu::cuda {

/// A program that the driver has loaded; kernels share it.
class LoadedProgram {
 public:
  /// @throws RuntimeError if the driver refuses it.
  LoadedProgram(std::shared_ptr<const Context> context, const std::byte* image);
  /// Waits for the device, which may be running a kernel of it.
  ~LoadedProgram();
  LoadedProgram(const LoadedProgram&) = delete;
  LoadedProgram& operator=(const LoadedProgram&) = delete;

  const Context& context() const noexcept { return *context_; }
  ModuleHandle handle() const noexcept { return handle_; }

 private:
  std::shared_ptr<const Context> context_;
  ModuleHandle handle_ = nullptr;
};

class CudaKernel final : public Kernel {
 public:
  /// @throws RuntimeError if the program has no kernel of that name.
  CudaKernel(std::shared_ptr<const LoadedProgram> program, std::string name);

  const std::string& name() const noexcept override { return name_; }
  std::size_t largest_group() const noexcept override { return largest_group_; }
  const Context& context() const noexcept { return program_->context(); }
  FunctionHandle function() const noexcept { return function_; }

 private:
  std::shared_ptr<const LoadedProgram> program_;
  std::string name_;
  FunctionHandle function_ = nullptr;
  std::size_t largest_group_ = 0;
};

class CudaModule final : public Module {
 public:
  /// `image` is a cubin, or PTX with a zero byte at its end.
  /// @throws RuntimeError if it is neither, or if the driver refuses it.
  CudaModule(std::shared_ptr<const Context> context, std::vector<std::byte> image);

  std::shared_ptr<Kernel> kernel(const std::string& name) override;
  std::vector<std::byte> binary() const override { return image_; }

 private:
  std::vector<std::byte> image_;
  std::shared_ptr<const LoadedProgram> program_;
};

/// Whether `image` is text that ends, or an ELF file whose tables and sections all lie within it:
/// cuModuleLoadData is not told where it ends.
bool is_complete_image(std::span<const std::byte> image) noexcept;

}  // namespace ringlet::gpu::cuda
