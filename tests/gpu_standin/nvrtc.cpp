// SPDX-License-Identifier: Apache-2.0
// A stand-in of libnvrtc: it "compiles" a text by putting it into an image. A text with the word
// STANDIN_REFUSE does not compile, and the log quotes the options.
#include "gpu/cuda/api.hpp"
#include "gpu_standin/engine.hpp"
#include "gpu_standin/image.hpp"

using namespace standin;             // NOLINT(google-build-using-namespace): one library,
using namespace ringlet::gpu::cuda;  // NOLINT(google-build-using-namespace): one subject

namespace ringlet::gpu::cuda {

struct NvrtcProgramObject {
  std::string source;
  std::string log;
  std::string image;
};

}  // namespace ringlet::gpu::cuda

namespace {

constexpr NvrtcResult kInvalidInput = 3;
constexpr NvrtcResult kInvalidProgram = 4;
constexpr NvrtcResult kInvalidOption = 5;

Objects<NvrtcProgramObject> programs("program");

template <typename Body>
NvrtcResult on_program(const Entry& entry, NvrtcProgram program, const Body& body) {
  return engine().call(entry, [&] {
    if (programs.has(program)) return body();
    return engine().violation("a program that is not there", kInvalidProgram);
  });
}

std::vector<int> known_generations() {
  std::vector<int> known{75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
  std::erase_if(known, [](int generation) { return generation > option("nvrtc_newest"); });
  return known;
}

NvrtcResult compile(NvrtcProgramObject& program, std::span<const char* const> options) {
  std::string target;
  std::string text;
  for (const std::string option : options) {
    constexpr std::string_view kTarget = "--gpu-architecture=";
    constexpr std::string_view kDefine = "--define-macro=";
    program.log += option + '\n';
    if (option.starts_with(kTarget)) {
      target = option.substr(kTarget.size());
    } else if (option.starts_with(kDefine)) {
      text += define(option.substr(kDefine.size()));
    } else if (option != "--std=c++17") {
      return kInvalidOption;
    }
  }
  if (program.source.find("STANDIN_REFUSE") != std::string::npos) {
    program.log += "ringlet.cu(1): error: STANDIN_REFUSE\n";
    return kNvrtcCompilation;
  }
  text += program.source;
  const bool is_machine_code = target.starts_with("sm_");
  program.image = is_machine_code
                      ? make_elf(text, static_cast<unsigned>(std::stoul(target.substr(3))))
                      : make_ptx(text);
  return kNvrtcSuccess;
}

bool is_elf(const NvrtcProgramObject& program) { return program.image.starts_with('\x7f'); }

NvrtcResult image_size(const Entry& entry, NvrtcProgram program, std::size_t* bytes, bool elf) {
  return on_program(entry, program, [&] {
    *bytes = is_elf(*program) == elf ? program->image.size() : 0;
    return kNvrtcSuccess;
  });
}

NvrtcResult copy_image(const Entry& entry, NvrtcProgram program, char* image, bool elf) {
  return on_program(entry, program, [&] {
    if (program->image.empty() || is_elf(*program) != elf) return kInvalidProgram;
    std::ranges::copy(program->image, image);
    return kNvrtcSuccess;
  });
}

}  // namespace

STANDIN_EXPORT const char* nvrtcGetErrorString(NvrtcResult result) {
  return result == kNvrtcCompilation ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR_OF_THE_STAND_IN";
}

STANDIN_EXPORT NvrtcResult nvrtcVersion(int* major, int* minor) {
  return engine().call({__func__}, [&] {
    *major = 13;
    *minor = 0;
    return kNvrtcSuccess;
  });
}

STANDIN_EXPORT NvrtcResult nvrtcGetNumSupportedArchs(int* count) {
  return engine().call({__func__}, [&] {
    *count = static_cast<int>(known_generations().size());
    return kNvrtcSuccess;
  });
}

STANDIN_EXPORT NvrtcResult nvrtcGetSupportedArchs(int* archs) {
  return engine().call({__func__}, [&] {
    std::ranges::copy(known_generations(), archs);
    return kNvrtcSuccess;
  });
}

STANDIN_EXPORT NvrtcResult nvrtcCreateProgram(NvrtcProgram* program, const char* source,
                                              const char* name, int header_count,
                                              const char* const* /*headers*/,
                                              const char* const* /*include_names*/) {
  return engine().call({__func__}, [&] {
    if (source == nullptr || name == nullptr || header_count != 0) return kInvalidInput;
    *program = programs.make({source, "", ""});
    return kNvrtcSuccess;
  });
}

STANDIN_EXPORT NvrtcResult nvrtcDestroyProgram(NvrtcProgram* program) {
  return on_program({__func__, kReleases}, *program, [&] {
    programs.release(std::exchange(*program, nullptr));
    return kNvrtcSuccess;
  });
}

STANDIN_EXPORT NvrtcResult nvrtcCompileProgram(NvrtcProgram program, int option_count,
                                               const char* const* options) {
  return on_program({__func__}, program, [&] {
    return compile(*program, {options, static_cast<std::size_t>(option_count)});
  });
}

STANDIN_EXPORT NvrtcResult nvrtcGetProgramLogSize(NvrtcProgram program, std::size_t* bytes) {
  return on_program({__func__}, program, [&] {
    *bytes = program->log.size() + 1;
    return kNvrtcSuccess;
  });
}

STANDIN_EXPORT NvrtcResult nvrtcGetProgramLog(NvrtcProgram program, char* log) {
  return on_program({__func__}, program, [&] {
    std::memcpy(log, program->log.c_str(), program->log.size() + 1);
    return kNvrtcSuccess;
  });
}

STANDIN_EXPORT NvrtcResult nvrtcGetCUBINSize(NvrtcProgram program, std::size_t* bytes) {
  return image_size({__func__}, program, bytes, true);
}

STANDIN_EXPORT NvrtcResult nvrtcGetCUBIN(NvrtcProgram program, char* cubin) {
  return copy_image({__func__}, program, cubin, true);
}

STANDIN_EXPORT NvrtcResult nvrtcGetPTXSize(NvrtcProgram program, std::size_t* bytes) {
  return image_size({__func__}, program, bytes, false);
}

STANDIN_EXPORT NvrtcResult nvrtcGetPTX(NvrtcProgram program, char* ptx) {
  return copy_image({__func__}, program, ptx, false);
}
