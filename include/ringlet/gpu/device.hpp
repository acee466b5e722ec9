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

/// Reports that the memory of a device is used up. Operands of the operation are unchanged. Use
/// smaller batches or call Device::trim().
class RINGLET_API OutOfDeviceMemory : public RuntimeError {
 public:
  explicit OutOfDeviceMemory(const ErrorDetails& details);
  ~OutOfDeviceMemory() override;
  [[noreturn]] void throw_with(const ErrorDetails& details) const override;
};

/// Properties of a device that are known without opening it.
struct DeviceInfo {
  std::string name;         ///< "cpu", "gpu:0", ...: a name for Device::parse.
  std::string api;          ///< "host", "opencl" or "cuda".
  std::string description;  ///< The vendor's name of the device.
  std::string driver_version;
  bool is_host_processor = false;  ///< The processor, or an OpenCL runtime on it.
  std::uint64_t memory_bytes = 0;
  std::size_t compute_units = 0;
  bool has_assembly = false;  ///< Whether DeviceOptions::use_assembly changes its kernels.
};

/// Statistics of a device's memory, in bytes unless stated otherwise.
struct MemoryStatistics {
  std::uint64_t in_use = 0;            ///< Bytes of allocated blocks.
  std::uint64_t cached = 0;            ///< Bytes of released blocks kept for reuse.
  std::uint64_t peak = 0;              ///< The largest in_use + cached so far.
  std::uint64_t allocation_count = 0;  ///< Number of allocations by the driver.
  std::uint64_t reuse_count = 0;       ///< Number of requests that a cached block served.
  std::uint64_t uploaded = 0;          ///< Bytes copied from the host to the device so far.
  std::uint64_t downloaded = 0;        ///< Bytes copied from the device to the host so far.
};

/// How a device computes transforms. All ways give the same bits; docs/gpu.md compares them.
enum class GpuNtt : std::uint8_t {
  naive,      ///< Radix 2, each round through global memory.
  simd_8_8,   ///< Radix 2 staged: local memory, then sub-group shuffles, 1 slot of registers.
  simd_16_8,  ///< As simd_8_8, with 2 slots of registers.
  simd_32_8,  ///< As simd_8_8, with 4 slots of registers.
  radix4,     ///< Radix 4 in registers, staged through local memory.
  radix8,     ///< Radix 8, otherwise as radix4.
  radix16,    ///< Radix 16, otherwise as radix4.
};

/// How a device is used. Results do not depend on these options; they exist for comparisons.
struct DeviceOptions {
  GpuNtt ntt = GpuNtt::radix8;
  bool use_memory_cache = true;        ///< Keep released blocks for reuse.
  bool use_assembly = true;            ///< Assembly of add_mod and mul64, if the vendor has it.
  bool use_fused_multiply_add = true;  ///< One reduction per multiply-add, not two.
  bool use_lazy_reduction = true;      ///< For primes below 2^57: no corrections in a transform.
  /// For primes below 2^30: 32-bit words in a transform.
  bool use_narrow_words = true;
  /// Computes lifts of digits, products with keys and the ends of divisions in the passes of the
  /// neighbouring transforms, instead of in separate launches. For radix4, radix8 and radix16 only.
  bool use_fused_passes = true;
  /// Number of queues among which work is divided, 1 to 16. If the device divides into this many
  /// parts (tiles), each queue has one part; else every queue has the whole device.
  std::size_t queue_count = 1;
  /// Largest number of limbs that complete all passes of a transform before the next limbs start,
  /// so that they stay in the device's cache. 0 means all limbs of a launch.
  std::size_t ntt_chunk_limbs = 0;
  bool use_timing = false;  ///< Events record their time, which Device::time needs.
  friend bool operator==(const DeviceOptions&, const DeviceOptions&) = default;
};

/// The place where an Evaluator computes: the host's processor, or a device of OpenCL or CUDA. A
/// handle: copies name the same open device. Thread-safe. A process that was forked after a device
/// was opened must not use or open a device: the calls throw LogicError.
class RINGLET_API Device {
 public:
  /// Makes the handle of the host's processor.
  Device() = default;
  static Device cpu() { return {}; }
  /// Returns device `index` of list(), the processor not counted. A device is opened once per
  /// process and set of options.
  /// @throws RuntimeError if there is no such device (the message names the libraries that were
  ///         searched for); InvalidArgument if the number of queues is not from 1 to 16.
  static Device gpu(std::size_t index = 0, const DeviceOptions& options = {});
  /// Returns the device of a name: "cpu", "gpu", "gpu:1", "opencl:0" or "cuda:0". The index counts
  /// all devices ("gpu") or the devices of one API.
  /// @throws InvalidArgument for other names; RuntimeError as gpu().
  static Device parse(std::string_view name, const DeviceOptions& options = {});
  /// Returns the device that the environment variable RINGLET_DEVICE names, as parse() does, or the
  /// processor if the variable is unset or empty.
  /// @throws as parse().
  static Device from_environment();
  /// Returns the processor, then the devices of CUDA, then the devices of OpenCL, GPUs before
  /// runtimes on the host's processor. An NVIDIA GPU that CUDA lists is not listed again for
  /// OpenCL.
  static std::vector<DeviceInfo> list();

  bool is_cpu() const noexcept { return state_ == nullptr; }
  /// Returns the name in list(): "cpu", "gpu:0", ... A device that list() leaves out has a name of
  /// its API, such as "opencl:0".
  std::string name() const;
  DeviceInfo info() const;
  const DeviceOptions& options() const noexcept;

  /// Checks that the device is open. Call it inside a public call, whose name the error then
  /// carries.
  /// @throws LogicError if the device was closed.
  void check_open() const;
  /// Waits for all submitted work.
  /// @throws RuntimeError if work failed.
  void synchronize() const;
  /// Returns the seconds, on the device's own clock, of all work that work() submits; waits for
  /// this work. For the processor, returns the time of the call of work(). Other threads must not
  /// submit work meanwhile.
  /// @throws LogicError without DeviceOptions::use_timing, or if the device is closed; any
  ///         exception of work(); RuntimeError if work failed.
  double time(const std::function<void()>& work) const;
  /// Returns cached memory to the driver.
  void trim() const noexcept;
  MemoryStatistics memory_statistics() const;
  /// Closes the device and releases all its memory. Data that only this device holds are lost; to
  /// use them throws LogicError. The next gpu() opens the device again.
  void close() const noexcept;

  friend bool operator==(const Device&, const Device&) = default;

 private:
  friend RINGLET_API std::shared_ptr<const Backend> make_backend(RnsBasis basis,
                                                                 const Device& device);
  explicit Device(std::shared_ptr<gpu::OpenDevice> state) noexcept;

  std::shared_ptr<gpu::OpenDevice> state_;  ///< Null for the processor.
};

/// Returns the backend of a device for a basis. For the processor, this is make_cpu_backend with
/// kernels from the environment. For other devices, make_backend compiles the kernels for this
/// basis, or reads them from the cache on disk ($RINGLET_CACHE_DIR, else ringlet below
/// $XDG_CACHE_HOME or ~/.cache).
/// @throws InvalidArgument for rings other than X^N + 1 on a GPU; RuntimeError with the compiler's
///         log if compilation fails; OutOfDeviceMemory; LogicError if the device is closed.
RINGLET_API std::shared_ptr<const Backend> make_backend(RnsBasis basis, const Device& device);

}  // namespace ringlet
