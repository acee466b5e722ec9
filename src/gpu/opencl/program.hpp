// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu/driver.hpp"
#include "gpu/opencl/context.hpp"

namespace ringlet::gpu {

class OpenclModule;

class OpenclKernel final : public Kernel {
 public:
  OpenclKernel(std::shared_ptr<OpenclModule> module, std::shared_ptr<OpenclContext> context,
               cl::KernelHandle kernel, std::string name);

  const std::string& name() const noexcept override { return name_; }
  std::size_t largest_group() const noexcept override { return largest_group_; }
  const OpenclContext& context() const noexcept { return *context_; }

  /// Sets the arguments and calls enqueue(kernel). The library keeps arguments in the kernel, so
  /// only one launch of it is prepared at a time, even if two queues launch it.
  template <typename Enqueue>
  void with_arguments(std::span<const Argument> arguments, const Enqueue& enqueue) const {
    const std::lock_guard lock(mutex_);
    set_arguments(arguments);
    enqueue(kernel_.get());
  }

 private:
  void set_arguments(std::span<const Argument> arguments) const;

  std::shared_ptr<OpenclContext> context_;
  std::shared_ptr<OpenclModule> module_;  // The module cache finds a module in use.
  cl::KernelHandle kernel_;
  std::string name_;
  std::size_t largest_group_ = 0;
  cl::Uint argument_count_ = 0;
  mutable std::mutex mutex_;
};

class OpenclModule final : public Module, public std::enable_shared_from_this<OpenclModule> {
 public:
  OpenclModule(std::shared_ptr<OpenclContext> context, cl::ProgramHandle program)
      : context_(std::move(context)), program_(std::move(program)) {}

  std::shared_ptr<Kernel> kernel(const std::string& name) override;
  std::vector<std::byte> binary() const override;

 private:
  std::shared_ptr<OpenclContext> context_;
  cl::ProgramHandle program_;
};

/// Build and load programs for all devices of a context, see DriverDevice.
std::shared_ptr<Module> build_program(const std::shared_ptr<OpenclContext>& context,
                                      const std::string& source,
                                      std::span<const std::string> definitions);
std::shared_ptr<Module> load_program(const std::shared_ptr<OpenclContext>& context,
                                     std::span<const std::byte> binary);

}  // namespace ringlet::gpu
