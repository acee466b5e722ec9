// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/cuda/api.hpp"
#include "gpu/library.hpp"

namespace ringlet::gpu::cuda {

/// Returns the options of every compilation for `target` ("sm_90", "compute_90"), which precede the
/// definitions.
std::vector<std::string> nvrtc_options(std::string_view target);

/// CUDA's compiler, NVRTC. Thread-safe.
class Nvrtc {
 public:
  /// Loads `path`, or, if that is empty, the newest NVRTC that a driver of `driver_version`
  /// (cuDriverGetVersion) can follow: 13 from CUDA 13 on, else 12.
  /// @throws RuntimeError if there is none.
  Nvrtc(int driver_version, const std::string& path);
  ~Nvrtc();
  Nvrtc(const Nvrtc&) = delete;
  Nvrtc& operator=(const Nvrtc&) = delete;

  /// Returns a text such as "NVRTC 13.0".
  std::string version() const;

  /// Returns what to compile for a device of compute capability major.minor: machine code ("sm_90")
  /// of the newest generation not after it, if that is of the same major version; else PTX
  /// ("compute_90"), which the driver translates.
  /// @throws RuntimeError if the device is older than all that this compiler knows.
  std::string target(unsigned major, unsigned minor) const;

  /// Compiles CUDA C++ to machine code or PTX, as `target` says. Definitions are "NAME=value".
  /// @throws RuntimeError with the compiler's log.
  std::vector<std::byte> compile(const std::string& source, std::string_view target,
                                 std::span<const std::string> definitions) const;

 private:
  class Program;
  void bind();
  void load_builtins();
  /// @throws RuntimeError unless result is kNvrtcSuccess.
  void check(NvrtcResult result, std::string_view call) const;

  std::unique_ptr<Library> library_;
  std::unique_ptr<Library> builtins_;
  NvrtcApi api_;
};

}  // namespace ringlet::gpu::cuda
