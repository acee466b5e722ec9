// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ringlet/base/error.hpp"

// The parts of OpenCL and CUDA that Ringlet needs. Each library is loaded at its first use; neither
// is needed to build or to start.
//
// Errors: every call of either library is checked. A failure is a RuntimeError that names the call,
// the library's own name of the error, and what to do. Lack of memory is an OutOfDeviceMemory, so
// that the pool can tell it from others.

namespace ringlet::gpu {

/// A device does not divide into so many parts.
class IndivisibleDevice final : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
  [[noreturn]] void throw_with(const ErrorDetails& details) const override {
    throw IndivisibleDevice(details);
  }
};

enum class Api : std::uint8_t { opencl, cuda };

/// The properties that a device reports.
struct DeviceProperties {
  std::string name;
  std::string vendor;
  std::string driver_version;
  Api api = Api::opencl;
  /// An OpenCL runtime on the host's processor: for correctness; its times say nothing about GPUs.
  bool is_host_processor = false;
  /// The driver keeps compiled kernels on the disk itself.
  bool keeps_programs = false;
  std::uint64_t memory_bytes = 0;
  std::uint64_t largest_allocation_bytes = 0;
  std::size_t local_memory_bytes = 0;
  std::size_t largest_group = 0;
  std::size_t compute_units = 0;
  /// Widths that a kernel may ask for, ascending; empty if there are no sub-groups.
  std::vector<std::size_t> sub_group_sizes;
  /// Intel's Xe-HPC, whose vISA src/gpu/kernels/arithmetic.inc has.
  bool is_xe_hpc = false;
  /// Parts of equal size into which the device divides: tiles, NUMA nodes; 1 if it does not.
  std::size_t largest_partition = 1;

  /// Whether src/gpu/kernels/arithmetic.inc has assembly for it.
  bool has_assembly() const noexcept { return api == Api::cuda || is_xe_hpc; }
};

/// Memory of a device, shared by its sub-devices. Released with the object; work that was submitted
/// before still finds it.
class Buffer {
 public:
  virtual ~Buffer() = default;
  virtual std::size_t byte_count() const noexcept = 0;
};

/// A place in the order of a queue.
class Event {
 public:
  virtual ~Event() = default;
  /// Blocks until all work before it is done. @throws RuntimeError if that work failed.
  virtual void wait() = 0;
  virtual bool is_done() = 0;
  /// Returns the seconds on the device's clock between `earlier`, an event of a queue with timing,
  /// and this event; both are done.
  virtual double seconds_since(const Event& earlier) const = 0;
};

/// One entry point of a module.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual const std::string& name() const noexcept = 0;
  /// The largest group that this kernel runs in on its device.
  virtual std::size_t largest_group() const noexcept = 0;
};

/// A compiled program.
class Module {
 public:
  virtual ~Module() = default;
  /// @throws RuntimeError if it has no kernel of that name.
  virtual std::shared_ptr<Kernel> kernel(const std::string& name) = 0;
  /// Returns bytes that DriverDevice::load takes, on the same device and driver.
  virtual std::vector<std::byte> binary() const = 0;
};

/// Argument of a kernel: a buffer, or a 64-bit word.
struct Argument {
  Argument(const Buffer& value) : buffer(&value) {}  // NOLINT: an argument list
  Argument(std::uint64_t value) : word(value) {}     // NOLINT: reads like a call
  const Buffer* buffer = nullptr;
  std::uint64_t word = 0;
};

/// Groups in three dimensions of `group_size` work-items each, in the first dimension.
struct Grid {
  std::array<std::size_t, 3> groups{1, 1, 1};
  std::size_t group_size = 1;
};

/// An in-order queue: work takes effect in the order of submission, and the host does not wait. Not
/// synchronised: one thread at a time.
class Queue {
 public:
  virtual ~Queue() = default;
  virtual void launch(const Kernel& kernel, const Grid& grid,
                      std::span<const Argument> arguments) = 0;
  /// Uploads bytes. The source may be changed when the call returns.
  virtual void upload(const Buffer& target, std::size_t offset,
                      std::span<const std::byte> source) = 0;
  /// Waits for all work of this queue. @throws RuntimeError if that work failed.
  virtual void download(std::span<std::byte> target, const Buffer& source, std::size_t offset) = 0;
  virtual void copy(const Buffer& target, std::size_t target_offset, const Buffer& source,
                    std::size_t source_offset, std::size_t bytes) = 0;
  /// Sets `bytes` bytes, a multiple of 8, to zero.
  virtual void clear(const Buffer& target, std::size_t offset, std::size_t bytes) = 0;

  /// Makes an event behind all work so far.
  virtual std::shared_ptr<Event> record() = 0;
  /// Puts all later work of this queue behind `event`, of any queue of the same device.
  virtual void wait_for(const Event& event) = 0;
  /// Gives all work to the device, if the driver has kept some back.
  virtual void flush() = 0;
  /// Blocks until all work is done. @throws RuntimeError if work failed.
  virtual void finish() = 0;
};

/// One device, or part of one. Thread-safe.
class DriverDevice {
 public:
  virtual ~DriverDevice() = default;
  /// Returns a number that a device and its parts share, and that no other object of this process
  /// ever has: modules and buffers of one are those of the others.
  std::uint64_t identity() const noexcept { return identity_; }
  virtual const DeviceProperties& properties() const noexcept = 0;
  /// Makes a queue. With `timing`, its events know their time.
  virtual std::unique_ptr<Queue> make_queue(bool timing) = 0;
  /// @throws OutOfDeviceMemory.
  virtual std::shared_ptr<Buffer> allocate(std::size_t bytes) = 0;
  /// Compiles kernels: the prelude of the API, then `source`. Options are macro definitions
  /// "NAME=value".
  /// @throws RuntimeError with the compiler's log.
  virtual std::shared_ptr<Module> build(const std::string& source,
                                        std::span<const std::string> definitions) = 0;
  /// Loads a program from Module::binary(). @throws RuntimeError if the driver refuses it.
  virtual std::shared_ptr<Module> load(std::span<const std::byte> binary) = 0;
  /// Returns `count` sub-devices of equal size (tiles), which share the memory, modules and buffers
  /// of this device. A device is split before any use except properties(): OpenCL needs to know the
  /// parts before the first buffer.
  /// @throws IndivisibleDevice; LogicError if it is in use, or split otherwise.
  virtual std::vector<std::shared_ptr<DriverDevice>> split(std::size_t count) = 0;

 protected:
  DriverDevice() noexcept : identity_(next_identity()) {}
  /// A part of `whole`.
  DriverDevice(const DriverDevice& whole) noexcept = default;
  DriverDevice& operator=(const DriverDevice&) = delete;

 private:
  static std::uint64_t next_identity() noexcept {
    static std::atomic<std::uint64_t> count{0};
    return ++count;
  }
  std::uint64_t identity_;
};

/// The loaded library of an API.
class Driver {
 public:
  virtual ~Driver() = default;
  virtual Api api() const noexcept = 0;
  /// Returns GPUs first, in the library's order, then others. Each call returns new objects that
  /// share nothing: each may be split in its own way.
  virtual std::vector<std::shared_ptr<DriverDevice>> devices() = 0;
};

/// Loads the library, `path` or where the system finds it. Null if there is none, or none with the
/// entry points needed: then `reason` says so.
std::shared_ptr<Driver> load_opencl(std::string& reason, const std::string& path = "");
/// Loads libcuda and, when a module is first built, the NVRTC of the driver's version (13 or 12).
std::shared_ptr<Driver> load_cuda(std::string& reason, const std::string& path = "",
                                  const std::string& nvrtc_path = "");

}  // namespace ringlet::gpu
