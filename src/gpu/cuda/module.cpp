// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/module.hpp"

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/text.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::gpu::cuda {
namespace {

// Places in the header of a 64-bit ELF file, and in an entry of its table of sections.
constexpr std::size_t kElfHeaderBytes = 64;
constexpr std::size_t kProgramTableOffset = 32;
constexpr std::size_t kSectionTableOffset = 40;
constexpr std::size_t kProgramEntrySize = 54;
constexpr std::size_t kProgramCount = 56;
constexpr std::size_t kSectionEntrySize = 58;
constexpr std::size_t kSectionCount = 60;
constexpr std::size_t kSectionType = 4;
constexpr std::size_t kSectionOffset = 24;
constexpr std::size_t kSectionBytes = 32;
constexpr std::uint32_t kNoBits = 8;  // a section that takes no room in the file

template <typename T>
T read_at(std::span<const std::byte> image, std::size_t offset) noexcept {
  static_assert(std::is_unsigned_v<T>);
  T value = 0;
  std::memcpy(&value, image.data() + offset, sizeof(T));
  return value;
}

bool lies_within(std::size_t size, std::uint64_t offset, std::uint64_t bytes) noexcept {
  return offset <= size && bytes <= size - offset;
}

bool is_complete_elf(std::span<const std::byte> image) noexcept {
  const std::size_t size = image.size();
  if (size < kElfHeaderBytes) return false;
  const auto programs = read_at<std::uint64_t>(image, kProgramTableOffset);
  const auto sections = read_at<std::uint64_t>(image, kSectionTableOffset);
  const std::size_t program_bytes = std::size_t{read_at<std::uint16_t>(image, kProgramEntrySize)} *
                                    read_at<std::uint16_t>(image, kProgramCount);
  const std::size_t entry = read_at<std::uint16_t>(image, kSectionEntrySize);
  const std::size_t count = read_at<std::uint16_t>(image, kSectionCount);
  if (!lies_within(size, programs, program_bytes) || entry < kElfHeaderBytes ||
      !lies_within(size, sections, entry * count)) {
    return false;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto section = image.subspan(sections + i * entry, entry);
    if (read_at<std::uint32_t>(section, kSectionType) != kNoBits &&
        !lies_within(size, read_at<std::uint64_t>(section, kSectionOffset),
                     read_at<std::uint64_t>(section, kSectionBytes))) {
      return false;
    }
  }
  return true;
}

std::vector<std::byte> checked(std::vector<std::byte> image) {
  if (!is_complete_image(image)) {
    throw_runtime_error({.offending = concat("a program of ", image.size(), " bytes"),
                         .limit = "a cubin, or PTX, in whole",
                         .remedy = "delete the cache of compiled kernels"});
  }
  return image;
}

}  // namespace

bool is_complete_image(std::span<const std::byte> image) noexcept {
  if (image.empty()) return false;
  constexpr char kElf[4] = {'\x7f', 'E', 'L', 'F'};
  if (image.size() >= sizeof(kElf) && std::memcmp(image.data(), kElf, sizeof(kElf)) == 0) {
    return is_complete_elf(image);
  }
  // Text of PTX begins with a comment or a directive.
  return (image.front() == std::byte{'/'} || image.front() == std::byte{'.'}) &&
         image.back() == std::byte{0};
}

LoadedProgram::LoadedProgram(std::shared_ptr<const Context> context, const std::byte* image)
    : context_(std::move(context)) {
  const Current current(*context_);
  context_->check(context_->api().module_load_data(&handle_, image), "cuModuleLoadData");
}

LoadedProgram::~LoadedProgram() {
  release_in(*context_, [this](const DriverApi& api) {
    api.ctx_synchronize();
    api.module_unload(handle_);
  });
}

CudaKernel::CudaKernel(std::shared_ptr<const LoadedProgram> program, std::string name)
    : program_(std::move(program)), name_(std::move(name)) {
  const DriverApi& api = context().api();
  const Current current(context());
  const Result found = api.module_get_function(&function_, program_->handle(), name_.c_str());
  if (found == kNotFound) {
    throw_runtime_error(
        {.offending = concat("cuModuleGetFunction: ", describe(api, found), ": \"", name_, "\""),
         .limit = "the name of a kernel of the program",
         .remedy = "delete the cache of compiled kernels"});
  }
  context().check(found, "cuModuleGetFunction");
  int threads = 0;
  context().check(api.func_get_attribute(&threads, kFunctionMaxThreadsPerBlock, function_),
                  "cuFuncGetAttribute");
  largest_group_ = static_cast<std::size_t>(threads);
}

CudaModule::CudaModule(std::shared_ptr<const Context> context, std::vector<std::byte> image)
    : image_(checked(std::move(image))),
      program_(std::make_shared<const LoadedProgram>(std::move(context), image_.data())) {}

std::shared_ptr<Kernel> CudaModule::kernel(const std::string& name) {
  return std::make_shared<CudaKernel>(program_, name);
}

}  // namespace ringlet::gpu::cuda
