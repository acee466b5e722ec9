// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ringlet/base/error.hpp"
#include "ringlet/base/export.hpp"
#include "ringlet/ring/backend.hpp"
#include "ringlet/ring/rns_basis.hpp"

namespace ringlet {

namespace gpu {
struct OpenDevice;
}

/// The memory of a device is used up. Operands of the operation are as they were; smaller batches,
/// or Device::trim(), may help.
class RINGLET_API OutOfDeviceMemory : public RuntimeError {
 public:
  explicit OutOfDeviceMemory(const ErrorDetails& details);
  ~OutOfDeviceMemory() override;
  [[noreturn]] void throw_with(const ErrorDetails& details) const override;
};

/// What is known of a device without opening it.
struct DeviceInfo {
  std::string name;         ///< "cpu", "gpu:0", ...: what Device::parse takes.
  std::string api;          ///< "host", "opencl" or "cuda".
  std::string description;  ///< The vendor's name of it.
  std::string driver_version;
  bool is_host_processor = false;  ///< The processor itself, or an OpenCL runtime on it.
  std::uint64_t memory_bytes = 0;
  std::size_t compute_units = 0;
};

/// Use of a device's memory, in bytes.
struct MemoryStatistics {
  std::uint64_t in_use = 0;            ///< Of blocks that are allocated.
  std::uint64_t cached = 0;            ///< Of released blocks that are kept for reuse.
  std::uint64_t peak = 0;              ///< The largest sum of both so far.
  std::uint64_t allocation_count = 0;  ///< Times that the driver was asked for memory.
  std::uint64_t reuse_count = 0;       ///< Times that a cached block served.
};

/// How the transforms of a device are computed. All give the same bits; docs/gpu.md has the ladder.
enum class GpuNtt : std::uint8_t {
  naive,      ///< Radix 2, each round through global memory.
  simd_8_8,   ///< Radix 2 staged: local memory, then sub-group shuffles, 1 slot of registers.
  simd_16_8,  ///< The same with 2 slots.
  simd_32_8,  ///< The same with 4 slots.
  radix4,     ///< Radix 4 in registers, staged through local memory.
  radix8,     ///< Radix 8.
  radix16,    ///< Radix 16.
};

/// How a device is used. The switches exist for comparison: results do not depend on them.
struct DeviceOptions {
  GpuNtt ntt = GpuNtt::radix8;
  bool use_memory_cache = true;  ///< Keep released blocks for reuse.
  bool use_assembly = true;      ///< Vendor's assembly of add_mod and mul64, where there is one.
  bool use_fused_multiply_add = true;  ///< One reduction per multiply-add, not two.
  bool use_lazy_reduction = true;  ///< For primes below 2^57: no corrections within a transform.
  /// For primes below 2^30: words of 32 bits within a transform.
  bool use_narrow_words = true;
  /// Lifts of digits, products with keys and the ends of divisions within the passes of transforms
  /// next to them, rather than in launches of their own. Of the high radices.
  bool use_fused_passes = true;
  /// Queues among which work is divided, 1 to 16: one on each part of a device that divides into
  /// so many (tiles), else all on the whole device.
  std::size_t queue_count = 1;
  /// Most limbs that go through all passes of a transform before others do, so that they stay in
  /// the device's cache; 0 for all of a launch.
  std::size_t ntt_chunk_limbs = 0;
  bool use_timing = false;  ///< Events know their time.
  friend bool operator==(const DeviceOptions&, const DeviceOptions&) = default;
};

/// Where an Evaluator computes: the host's processor, or a device of OpenCL or CUDA. A handle;
/// copies are the same open device. Thread-safe, but not for processes that are forked after a
/// device was opened: their use of it, and opening one, is a LogicError.
class RINGLET_API Device {
 public:
  /// The processor.
  Device() = default;
  static Device cpu() { return {}; }
  /// Device `index` of list(), the processor not counted. Opened once per process and options.
  /// @throws RuntimeError if there is none: it says which libraries were looked for;
  ///         InvalidArgument for a number of queues that is not between 1 and 16.
  static Device gpu(std::size_t index = 0, const DeviceOptions& options = {});
  /// "cpu", "gpu", "gpu:1", "opencl:0" or "cuda:0": of all devices, or of those of one API.
  /// @throws InvalidArgument for other names; RuntimeError as gpu().
  static Device parse(std::string_view name, const DeviceOptions& options = {});
  /// What RINGLET_DEVICE names, as parse() does; the processor if it is unset or empty.
  /// @throws as parse().
  static Device from_environment();
  /// The processor, then devices of CUDA, then those of OpenCL: GPUs first, runtimes on the host's
  /// processor last. NVIDIA's GPUs are not listed a second time under OpenCL's name "gpu:".
  static std::vector<DeviceInfo> list();

  bool is_cpu() const noexcept { return state_ == nullptr; }
  /// "cpu", "gpu:0", ...: as list() has it; "opencl:0" of a device that is not there.
  std::string name() const;
  DeviceInfo info() const;
  const DeviceOptions& options() const noexcept;

  /// Within a public call, which names what this refuses. @throws LogicError if it was closed.
  void check_open() const;
  /// Waits for all work. @throws RuntimeError if work failed.
  void synchronize() const;
  /// Seconds that the device takes, on its own clock, for all that work() submits; waits for it.
  /// Of the processor the time of the call. Other threads submit nothing meanwhile.
  /// @throws LogicError without DeviceOptions::use_timing, or if the device is closed; what work()
  ///         throws; RuntimeError if work failed.
  double time(const std::function<void()>& work) const;
  /// Gives cached memory back to the driver.
  void trim() const noexcept;
  MemoryStatistics memory_statistics() const;
  /// Gives everything back: what only this device has is lost, and its use is a LogicError from
  /// then on. The next gpu() opens it anew.
  void close() const noexcept;

  friend bool operator==(const Device&, const Device&) = default;

 private:
  friend RINGLET_API std::shared_ptr<const Backend> make_backend(RnsBasis basis,
                                                                 const Device& device);
  explicit Device(std::shared_ptr<gpu::OpenDevice> state) noexcept;

  std::shared_ptr<gpu::OpenDevice> state_;  ///< Null for the processor.
};

/// The backend of a device for a basis; of the processor, as make_cpu_backend with kernels from the
/// environment. Compiles the kernels for this basis, or finds them in the cache on disk
/// ($RINGLET_CACHE_DIR, else ringlet below $XDG_CACHE_HOME or ~/.cache).
/// @throws InvalidArgument for rings other than X^N + 1 on a GPU; RuntimeError if that fails, with
/// the compiler's log; OutOfDeviceMemory; LogicError if the
///         device is closed.
RINGLET_API std::shared_ptr<const Backend> make_backend(RnsBasis basis, const Device& device);

}  // namespace ringlet
