// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/nvrtc.hpp"

#include <string>

#include "base/text.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::gpu::cuda {
namespace {

constexpr int kCuda13 = 13000;
constexpr const char* kNvrtc13 = "libnvrtc.so.13";
constexpr const char* kNvrtc12 = "libnvrtc.so.12";
constexpr std::string_view kPtxTarget = "compute_";

}  // namespace

/// One program of the compiler, destroyed with the object.
class Nvrtc::Program {
 public:
  Program(const Nvrtc& compiler, const std::string& source) : compiler_(compiler) {
    compiler_.check(
        compiler_.api_.create_program(&handle_, source.c_str(), "ringlet.cu", 0, nullptr, nullptr),
        "nvrtcCreateProgram");
  }
  ~Program() { compiler_.api_.destroy_program(&handle_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  NvrtcResult compile(std::span<const char* const> options) {
    return compiler_.api_.compile_program(handle_, static_cast<int>(options.size()),
                                          options.data());
  }

  /// Returns the compiler's log, or a note that the log cannot be read.
  std::string log() const {
    const NvrtcApi& api = compiler_.api_;
    std::size_t bytes = 0;
    NvrtcResult result = api.get_program_log_size(handle_, &bytes);
    std::string text(bytes, '\0');
    if (result == kNvrtcSuccess && bytes != 0) result = api.get_program_log(handle_, text.data());
    if (result != kNvrtcSuccess) return concat("(no log: ", api.get_error_string(result), ")");
    return text.substr(0, text.find('\0'));
  }

  std::vector<std::byte> image(bool ptx) const {
    const NvrtcApi& api = compiler_.api_;
    std::size_t bytes = 0;
    compiler_.check((ptx ? api.get_ptx_size : api.get_cubin_size)(handle_, &bytes),
                    ptx ? "nvrtcGetPTXSize" : "nvrtcGetCUBINSize");
    std::vector<std::byte> image(bytes);
    compiler_.check(
        (ptx ? api.get_ptx : api.get_cubin)(handle_, reinterpret_cast<char*>(image.data())),
        ptx ? "nvrtcGetPTX" : "nvrtcGetCUBIN");
    return image;
  }

 private:
  const Nvrtc& compiler_;
  NvrtcProgram handle_ = nullptr;
};

std::vector<std::string> nvrtc_options(std::string_view target) {
  return {concat("--gpu-architecture=", target), "--std=c++17"};
}

Nvrtc::Nvrtc(int driver_version, const std::string& path) {
  std::string reason;
  if (!path.empty()) {
    library_ = Library::open({path}, reason);
  } else if (driver_version >= kCuda13) {
    // CUDA 12's machine code runs on a driver of CUDA 13, not the other way round.
    library_ = Library::open({kNvrtc13, kNvrtc12}, reason);
  } else {
    library_ = Library::open({kNvrtc12}, reason);
  }
  if (library_ == nullptr) {
    const char* wanted = driver_version >= kCuda13 ? kNvrtc13 : kNvrtc12;
    throw_runtime_error({.offending = reason,
                         .limit = concat("CUDA's compiler NVRTC, ", wanted, " for this driver"),
                         .remedy = concat("install NVRTC, and put the folder of ", wanted,
                                          " on the loader's path (LD_LIBRARY_PATH)")});
  }
  bind();
  load_builtins();
}

Nvrtc::~Nvrtc() = default;

void Nvrtc::bind() {
  api_ = {EntryPoints(*library_)};
  if (const char* const missing = api_.find.missing()) {
    throw_runtime_error({.offending = concat(library_->name(), " has no ", missing),
                         .limit = "NVRTC 12 or later",
                         .remedy = "install a newer NVRTC"});
  }
}

/// Loads NVRTC's built-in functions. NVRTC opens them by name alone, and finds them beside itself
/// only if that folder is searched anyway; the loader takes a library that is loaded already.
void Nvrtc::load_builtins() {
  const std::size_t slash = library_->name().rfind('/');
  if (slash == std::string::npos) return;
  int major = 0;
  int minor = 0;
  check(api_.version(&major, &minor), "nvrtcVersion");
  std::string reason;
  builtins_ = Library::open(
      {concat(library_->name().substr(0, slash), "/libnvrtc-builtins.so.", major, ".", minor)},
      reason);
}

void Nvrtc::check(NvrtcResult result, std::string_view call) const {
  if (result == kNvrtcSuccess) return;
  throw_runtime_error(
      {.offending = concat(call, ": ", api_.get_error_string(result), " (", result, ")"),
       .limit = "a call that the compiler carries out",
       .remedy = "check the installation of NVRTC and the memory that is free"});
}

std::string Nvrtc::version() const {
  int major = 0;
  int minor = 0;
  check(api_.version(&major, &minor), "nvrtcVersion");
  return concat("NVRTC ", major, ".", minor);
}

std::string Nvrtc::target(unsigned major, unsigned minor) const {
  int count = 0;
  check(api_.get_num_supported_archs(&count), "nvrtcGetNumSupportedArchs");
  std::vector<int> known(static_cast<std::size_t>(count));
  check(api_.get_supported_archs(known.data()), "nvrtcGetSupportedArchs");

  const auto wanted = static_cast<int>(10 * major + minor);
  int best = 0;
  for (const int generation : known) {
    if (generation <= wanted && generation > best) best = generation;
  }
  if (best == 0) {
    throw_runtime_error({.offending = concat("a GPU of compute capability ", major, ".", minor),
                         .limit = concat("what ", library_->name(), " compiles for"),
                         .remedy = "use an older NVRTC and driver, or the GPU through OpenCL"});
  }
  // Machine code runs on all later minor versions, but on no other major version.
  const bool same_major = best / 10 == static_cast<int>(major);
  return concat(same_major ? "sm_" : kPtxTarget, best);
}

std::vector<std::byte> Nvrtc::compile(const std::string& source, std::string_view target,
                                      std::span<const std::string> definitions) const {
  std::vector<std::string> options = nvrtc_options(target);
  for (const std::string& definition : definitions) {
    options.push_back("--define-macro=" + definition);
  }
  std::vector<const char*> texts;
  texts.reserve(options.size());
  for (const std::string& option : options) texts.push_back(option.c_str());

  Program program(*this, source);
  if (const NvrtcResult result = program.compile(texts); result != kNvrtcSuccess) {
    throw_runtime_error(
        {.offending = concat("nvrtcCompileProgram: ", api_.get_error_string(result), " (", result,
                             "), log:\n", program.log()),
         .limit = concat("kernels that ", library_->name(), " compiles for ", target),
         .remedy = result == kNvrtcCompilation
                       ? "correct the kernels, or their definitions, where the log says"
                       : "check the installation of NVRTC, and its libnvrtc-builtins"});
  }
  return program.image(target.starts_with(kPtxTarget));
}

}  // namespace ringlet::gpu::cuda
