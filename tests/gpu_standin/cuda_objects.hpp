// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gpu/cuda_api.hpp"
#include "gpu_standin/engine.hpp"
#include "gpu_standin/objects.hpp"

// What the handles of the stand-in of libcuda stand for.

namespace ringlet::gpu::cuda {

struct ContextObject {
  int device = 0;
};
struct StreamObject {
  standin::Stream stream;
};
struct EventObject {
  unsigned flags = 0;
  std::shared_ptr<standin::Mark> mark;  ///< Null until the event is recorded.
};
struct FunctionObject {
  std::string name;
  std::vector<standin::Parameter> parameters;
};
struct ModuleObject {
  std::map<std::string, std::vector<standin::Parameter>> kernels;
  std::map<std::string, std::unique_ptr<FunctionObject>> functions;
};

}  // namespace ringlet::gpu::cuda

namespace standin {

/// Blocks of memory, by address.
class Blocks {
 public:
  explicit Blocks(std::string kind) : kind_(std::move(kind)) {}
  /// Filled with anything but zeros, or with zeros.
  std::byte* allocate(std::size_t bytes, bool zeros);
  /// Notes what it held.
  bool release(std::byte* address);
  /// Whether all of [address, address + bytes) is in one block.
  bool holds(const std::byte* address, std::size_t bytes) const;
  std::uint64_t total() const { return total_; }
  void clear();

 private:
  std::string kind_;
  struct Free {
    void operator()(std::byte* memory) const noexcept { std::free(memory); }
  };
  struct Block {
    std::unique_ptr<std::byte, Free> memory;
    std::size_t bytes;
  };
  std::map<const std::byte*, Block> blocks_;
  std::uint64_t total_ = 0;
};

/// All that the stand-in of libcuda has.
struct CudaState {
  Objects<ringlet::gpu::cuda::StreamObject> streams{"stream"};
  Objects<ringlet::gpu::cuda::EventObject> events{"event"};
  Objects<ringlet::gpu::cuda::ModuleObject> modules{"module"};
  Blocks memory{"memory"};
  Blocks host_memory{"host_memory"};
  std::map<int, int> retained;  ///< Times that the context of each device is held.
  std::map<int, ringlet::gpu::cuda::ContextObject> contexts;
  std::map<std::thread::id, std::vector<ringlet::gpu::cuda::ContextHandle>> current;
  bool started = false;

  static CudaState& instance();
  void clear();
};

}  // namespace standin
