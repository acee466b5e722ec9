// SPDX-License-Identifier: Apache-2.0
#include "gpu/opencl/program.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "gpu/opencl/options.hpp"
#include "gpu/programs/kernel_sources.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::gpu {
namespace {

/// Returns the compiler's log for the first device that has one: the devices are of one kind.
std::string build_log(const OpenclContext& context, cl::Program program) {
  const auto query = [&](cl::Device device, std::size_t bytes, char* value, std::size_t* size) {
    return context.api()->get_program_build_info(program, device, cl::kProgramBuildLog, bytes,
                                                 value, size) == cl::kSuccess;
  };
  for (cl::Device device : context.devices()) {
    std::size_t bytes = 0;
    if (!query(device, 0, nullptr, &bytes)) continue;
    std::string log(bytes, '\0');
    if (!query(device, bytes, log.data(), nullptr)) continue;
    log.erase(std::find(log.begin(), log.end(), '\0'), log.end());
    if (!log.empty()) return log;
  }
  return "";
}

/// Builds a program for all devices of the context.
std::shared_ptr<Module> finish_program(const std::shared_ptr<OpenclContext>& context,
                                       cl::ProgramHandle program, const std::string& options) {
  const cl::Int code =
      context->api()->build_program(program.get(), 0, nullptr, options.c_str(), nullptr, nullptr);
  if (code != cl::kSuccess) {
    const std::string log = build_log(*context, program.get());
    if (code != cl::kBuildProgramFailure) {
      cl::throw_error(code, "clBuildProgram", concat(context->device_name(), log));
    }
    throw_runtime_error(
        {.offending = concat("clBuildProgram: ", cl::error_text(code), " with ", options, " on ",
                             context->device_name(), "; the compiler says:\n", log),
         .limit = "a program that the driver's compiler takes",
         .remedy = "use another device or version of the driver, and report this as a defect"});
  }
  return std::make_shared<OpenclModule>(context, std::move(program));
}

}  // namespace

std::shared_ptr<Module> build_program(const std::shared_ptr<OpenclContext>& context,
                                      const std::string& source,
                                      std::span<const std::string> definitions) {
  // The compiler's log counts lines from where the caller's text starts.
  const std::string all = concat(kernel_source("prelude.opencl"), "\n#line 1\n", source);
  const char* const text = all.c_str();
  const std::size_t size = all.size();
  cl::Int code = cl::kSuccess;
  cl::ProgramHandle program(context->api(), context->api()->create_program_with_source(
                                                context->get(), 1, &text, &size, &code));
  cl::check(code, "clCreateProgramWithSource", context->device_name());
  const std::string options =
      opencl_options(context->properties(),
                     opencl_version(*context->api(), context->devices().front()), definitions);
  return finish_program(context, std::move(program), options);
}

std::shared_ptr<Module> load_program(const std::shared_ptr<OpenclContext>& context,
                                     std::span<const std::byte> binary) {
  const cl::Context owner = context->get();
  const std::vector<cl::Device> devices = context->devices();
  const std::vector<std::size_t> sizes(devices.size(), binary.size());
  const std::vector<const unsigned char*> binaries(
      devices.size(), reinterpret_cast<const unsigned char*>(binary.data()));
  std::vector<cl::Int> status(devices.size(), cl::kSuccess);
  cl::Int code = cl::kSuccess;
  cl::ProgramHandle program(context->api(),
                            context->api()->create_program_with_binary(
                                owner, static_cast<cl::Uint>(devices.size()), devices.data(),
                                sizes.data(), binaries.data(), status.data(), &code));
  cl::check(code, "clCreateProgramWithBinary", context->device_name());
  for (cl::Int each : status) cl::check(each, "clCreateProgramWithBinary", context->device_name());
  return finish_program(context, std::move(program), "");
}

std::shared_ptr<Kernel> OpenclModule::kernel(const std::string& name) {
  cl::Int code = cl::kSuccess;
  cl::KernelHandle kernel(context_->api(),
                          context_->api()->create_kernel(program_.get(), name.c_str(), &code));
  cl::check(code, "clCreateKernel", name);
  return std::make_shared<OpenclKernel>(shared_from_this(), context_, std::move(kernel), name);
}

std::vector<std::byte> OpenclModule::binary() const {
  const cl::Api& api = *context_->api();
  const auto query = [&](cl::Uint what, std::string_view name, std::size_t bytes, void* value) {
    cl::check(api.get_program_info(program_.get(), what, bytes, value, nullptr), "clGetProgramInfo",
              name);
  };
  cl::Uint count = 0;
  query(cl::kProgramNumDevices, "CL_PROGRAM_NUM_DEVICES", sizeof count, &count);
  std::vector<std::size_t> sizes(count);
  query(cl::kProgramBinarySizes, "CL_PROGRAM_BINARY_SIZES", count * sizeof(std::size_t),
        sizes.data());
  std::vector<std::vector<std::byte>> binaries;
  std::vector<std::byte*> targets;
  binaries.reserve(count);
  targets.reserve(count);
  for (std::size_t size : sizes) targets.push_back(binaries.emplace_back(size).data());
  query(cl::kProgramBinaries, "CL_PROGRAM_BINARIES", count * sizeof(std::byte*),
        static_cast<void*>(targets.data()));
  // The devices are of one kind, so all binaries are the same.
  const auto first = std::find_if(binaries.begin(), binaries.end(),
                                  [](const auto& binary) { return !binary.empty(); });
  return first != binaries.end() ? std::move(*first) : std::vector<std::byte>();
}

OpenclKernel::OpenclKernel(std::shared_ptr<OpenclModule> module,
                           std::shared_ptr<OpenclContext> context, cl::KernelHandle kernel,
                           std::string name)
    : context_(std::move(context)),
      module_(std::move(module)),
      kernel_(std::move(kernel)),
      name_(std::move(name)) {
  const cl::Api& api = *context_->api();
  cl::check(api.get_kernel_work_group_info(kernel_.get(), context_->devices().front(),
                                           cl::kKernelWorkGroupSize, sizeof largest_group_,
                                           &largest_group_, nullptr),
            "clGetKernelWorkGroupInfo", name_);
  cl::check(api.get_kernel_info(kernel_.get(), cl::kKernelNumArgs, sizeof argument_count_,
                                &argument_count_, nullptr),
            "clGetKernelInfo", name_);
}

void OpenclKernel::set_arguments(std::span<const Argument> arguments) const {
  if (arguments.size() != argument_count_) {
    throw_logic_error({.offending = concat(arguments.size(), " arguments of ", name_),
                       .limit = concat(argument_count_, " arguments"),
                       .remedy = "report this as a defect"});
  }
  const cl::Api& api = *context_->api();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    const auto index = static_cast<cl::Uint>(i);
    cl::Int code = cl::kSuccess;
    if (argument.buffer != nullptr) {
      const cl::Memory memory = as_opencl<OpenclBuffer>(*argument.buffer).get();
      code = api.set_kernel_arg(kernel_.get(), index, sizeof(cl::Memory),
                                static_cast<const void*>(&memory));
    } else {
      code = api.set_kernel_arg(kernel_.get(), index, sizeof argument.word, &argument.word);
    }
    if (code != cl::kSuccess) {
      cl::throw_error(code, "clSetKernelArg", concat("argument ", i, " of ", name_));
    }
  }
}

}  // namespace ringlet::gpu
