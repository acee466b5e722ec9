// SPDX-License-Identifier: Apache-2.0
#include "gpu_standin/cuda_objects.hpp"

#include <cstring>
#include <new>

namespace standin {
std::byte* Blocks::allocate(std::size_t bytes, bool zeros) {
  constexpr int kAnything = 0xa5;
  void* memory = std::calloc(bytes, 1);
  if (memory == nullptr) throw std::bad_alloc();
  if (!zeros) std::memset(memory, kAnything, bytes);
  auto* address = static_cast<std::byte*>(memory);
  blocks_[address] = {std::unique_ptr<std::byte, Free>(address), bytes};
  total_ += bytes;
  Engine::instance().count(kind_, 1);
  Engine::instance().note_bytes(bytes);
  return address;
}

bool Blocks::release(std::byte* address) {
  const auto found = blocks_.find(address);
  if (found == blocks_.end()) return false;
  const std::size_t bytes = found->second.bytes;
  Engine::instance().note_bytes(bytes);
  Engine::instance().note_nonzero(address, bytes);
  Engine::instance().count(kind_, -1);
  total_ -= bytes;
  blocks_.erase(found);
  return true;
}

bool Blocks::holds(const std::byte* address, std::size_t bytes) const {
  auto next = blocks_.upper_bound(address);
  if (next == blocks_.begin()) return false;
  const auto& [begin, block] = *--next;
  const auto offset = static_cast<std::size_t>(address - begin);
  return offset <= block.bytes && bytes <= block.bytes - offset;
}

void Blocks::clear() {
  blocks_.clear();
  total_ = 0;
}

CudaState& CudaState::instance() {
  static CudaState state;
  static const bool registered = [] {
    Engine::instance().on_reset([] { state.clear(); });
    return true;
  }();
  static_cast<void>(registered);
  return state;
}

void CudaState::clear() {
  streams.clear();
  events.clear();
  modules.clear();
  memory.clear();
  host_memory.clear();
  retained.clear();
  contexts.clear();
  current.clear();
  started = false;
}

}  // namespace standin
