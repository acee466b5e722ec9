// SPDX-License-Identifier: Apache-2.0
// A stand-in of libnvrtc: "compiles" by wrapping up the text. A text that holds the word
// STANDIN_REFUSE does not compile, and the log quotes the options.
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gpu/cuda_api.hpp"
#include "gpu_standin/engine.hpp"
#include "gpu_standin/export.hpp"
#include "gpu_standin/image.hpp"

namespace ringlet::gpu::cuda {

struct NvrtcProgramObject {
  std::string source;
  std::string log;
  std::string image;
};

}  // namespace ringlet::gpu::cuda

namespace {

using ringlet::gpu::cuda::kNvrtcCompilation;
using ringlet::gpu::cuda::kNvrtcSuccess;
using ringlet::gpu::cuda::NvrtcProgram;
using ringlet::gpu::cuda::NvrtcProgramObject;
using ringlet::gpu::cuda::NvrtcResult;
using standin::Engine;

constexpr NvrtcResult kInvalidInput = 3;
constexpr NvrtcResult kInvalidProgram = 4;
constexpr NvrtcResult kInvalidOption = 5;

std::set<NvrtcProgram>& programs() {
  static std::set<NvrtcProgram> all;
  static const bool registered = [] {
    Engine::instance().on_reset([] {
      for (NvrtcProgram program : all) delete program;
      all.clear();
    });
    return true;
  }();
  static_cast<void>(registered);
  return all;
}

template <typename Body>
NvrtcResult call(const Engine::Entry& entry, const Body& body) {
  return static_cast<NvrtcResult>(Engine::instance().call(entry, [&] { return body(); }));
}

/// The body of a call on a program.
template <typename Body>
NvrtcResult on_program(const char* name, NvrtcProgram program, const Body& body) {
  return call({name}, [&]() -> NvrtcResult {
    if (!programs().contains(program)) {
      Engine::instance().violation(std::string(name) + " of a program that is not there");
      return kInvalidProgram;
    }
    return body(*program);
  });
}

std::vector<int> known_generations() {
  std::vector<int> known;
  for (const int generation : {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121}) {
    if (generation <= Engine::instance().option("nvrtc_newest")) known.push_back(generation);
  }
  return known;
}

}  // namespace

STANDIN_EXPORT const char* nvrtcGetErrorString(NvrtcResult result) {
  switch (result) {
    case kNvrtcSuccess:
      return "NVRTC_SUCCESS";
    case kNvrtcCompilation:
      return "NVRTC_ERROR_COMPILATION";
    default:
      return "NVRTC_ERROR_OF_THE_STAND_IN";
  }
}

STANDIN_EXPORT NvrtcResult nvrtcVersion(int* major, int* minor) {
  return call({"nvrtcVersion"}, [&] {
    *major = 13;
    *minor = 0;
    return kNvrtcSuccess;
  });
}

STANDIN_EXPORT NvrtcResult nvrtcGetNumSupportedArchs(int* count) {
  return call({"nvrtcGetNumSupportedArchs"}, [&] {
    *count = static_cast<int>(known_generations().size());
    return kNvrtcSuccess;
  });
}

STANDIN_EXPORT NvrtcResult nvrtcGetSupportedArchs(int* archs) {
  return call({"nvrtcGetSupportedArchs"}, [&] {
    const std::vector<int> known = known_generations();
    std::copy(known.begin(), known.end(), archs);
    return kNvrtcSuccess;
  });
}

STANDIN_EXPORT NvrtcResult nvrtcCreateProgram(NvrtcProgram* program, const char* source,
                                              const char* name, int header_count,
                                              const char* const* /*headers*/,
                                              const char* const* /*include_names*/) {
  return call({"nvrtcCreateProgram"}, [&]() -> NvrtcResult {
    if (source == nullptr || name == nullptr || header_count != 0) return kInvalidInput;
    *program = new NvrtcProgramObject{source, "", ""};
    programs().insert(*program);
    Engine::instance().count("program", 1);
    return kNvrtcSuccess;
  });
}

STANDIN_EXPORT NvrtcResult nvrtcDestroyProgram(NvrtcProgram* program) {
  return call({"nvrtcDestroyProgram", true}, [&]() -> NvrtcResult {
    if (programs().erase(*program) == 0) {
      Engine::instance().violation("nvrtcDestroyProgram of a program that is not there");
      return kInvalidProgram;
    }
    delete *program;
    *program = nullptr;
    Engine::instance().count("program", -1);
    return kNvrtcSuccess;
  });
}

STANDIN_EXPORT NvrtcResult nvrtcCompileProgram(NvrtcProgram program, int option_count,
                                               const char* const* options) {
  return on_program("nvrtcCompileProgram", program, [&](NvrtcProgramObject& p) -> NvrtcResult {
    std::string target;
    std::string definitions;
    for (int i = 0; i < option_count; ++i) {
      const std::string option = options[i];
      constexpr std::string_view kTarget = "--gpu-architecture=";
      constexpr std::string_view kDefine = "--define-macro=";
      p.log += option + '\n';
      if (option.starts_with(kTarget)) {
        target = option.substr(kTarget.size());
      } else if (option.starts_with(kDefine)) {
        std::string definition = option.substr(kDefine.size());
        if (const std::size_t equals = definition.find('='); equals != std::string::npos) {
          definition[equals] = ' ';
        }
        definitions += "#define " + definition + '\n';
      } else if (option != "--std=c++17") {
        return kInvalidOption;
      }
    }
    if (p.source.find("STANDIN_REFUSE") != std::string::npos) {
      p.log += "ringlet.cu(1): error: STANDIN_REFUSE\n";
      return kNvrtcCompilation;
    }
    const std::string text = definitions + p.source;
    constexpr std::string_view kMachine = "sm_";
    p.image = target.starts_with(kMachine)
                  ? standin::make_elf(
                        text, static_cast<unsigned>(std::stoul(target.substr(kMachine.size()))))
                  : standin::make_ptx(text);
    return kNvrtcSuccess;
  });
}

STANDIN_EXPORT NvrtcResult nvrtcGetProgramLogSize(NvrtcProgram program, std::size_t* bytes) {
  return on_program("nvrtcGetProgramLogSize", program, [&](const NvrtcProgramObject& p) {
    *bytes = p.log.size() + 1;
    return kNvrtcSuccess;
  });
}

STANDIN_EXPORT NvrtcResult nvrtcGetProgramLog(NvrtcProgram program, char* log) {
  return on_program("nvrtcGetProgramLog", program, [&](const NvrtcProgramObject& p) {
    std::memcpy(log, p.log.c_str(), p.log.size() + 1);
    return kNvrtcSuccess;
  });
}

namespace {

NvrtcResult image_size(const char* name, NvrtcProgram program, std::size_t* bytes, bool elf) {
  return on_program(name, program, [&](const NvrtcProgramObject& p) {
    *bytes = p.image.starts_with('\x7f') == elf ? p.image.size() : 0;
    return kNvrtcSuccess;
  });
}

NvrtcResult copy_image(const char* name, NvrtcProgram program, char* image, bool elf) {
  return on_program(name, program, [&](const NvrtcProgramObject& p) -> NvrtcResult {
    if (p.image.empty() || p.image.starts_with('\x7f') != elf) return kInvalidProgram;
    std::memcpy(image, p.image.data(), p.image.size());
    return kNvrtcSuccess;
  });
}

}  // namespace

STANDIN_EXPORT NvrtcResult nvrtcGetCUBINSize(NvrtcProgram program, std::size_t* bytes) {
  return image_size("nvrtcGetCUBINSize", program, bytes, true);
}

STANDIN_EXPORT NvrtcResult nvrtcGetCUBIN(NvrtcProgram program, char* cubin) {
  return copy_image("nvrtcGetCUBIN", program, cubin, true);
}

STANDIN_EXPORT NvrtcResult nvrtcGetPTXSize(NvrtcProgram program, std::size_t* bytes) {
  return image_size("nvrtcGetPTXSize", program, bytes, false);
}

STANDIN_EXPORT NvrtcResult nvrtcGetPTX(NvrtcProgram program, char* ptx) {
  return copy_image("nvrtcGetPTX", program, ptx, false);
}
