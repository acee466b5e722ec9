// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda_memory.hpp"

#include <utility>

#include "ringlet/wipe.hpp"

namespace ringlet::gpu::cuda {

CudaBuffer::CudaBuffer(std::shared_ptr<const Context> context, std::size_t bytes)
    : context_(std::move(context)), bytes_(bytes) {
  const Current current(*context_);
  context_->check(context_->api().mem_alloc(&address_, bytes), "cuMemAlloc");
}

CudaBuffer::~CudaBuffer() {
  release_in(*context_, [this](const DriverApi& api) {
    api.ctx_synchronize();
    api.mem_free(address_);
  });
}

Staging::Block::Block(const Context& owner, std::size_t bytes) : context(owner) {
  const DriverApi& api = context.api();
  context.check(api.event_create(&passed, kEventDisableTiming), "cuEventCreate");
  if (const Result result = api.mem_host_alloc(&memory, bytes, 0); result != kSuccess) {
    api.event_destroy(passed);
    context.check(result, "cuMemHostAlloc");
  }
}

Staging::Block::~Block() {
  wipe();
  release_in(context, [this](const DriverApi& api) {
    api.event_destroy(passed);
    api.mem_free_host(memory);
  });
}

void Staging::Block::wipe() noexcept {
  secure_wipe(memory, used);
  used = 0;
}

Staging::Staging(std::shared_ptr<const Context> context, StreamHandle stream)
    : context_(std::move(context)), stream_(stream) {}

Staging::~Staging() = default;

std::byte* Staging::reserve(std::size_t bytes) {
  if (current_ != nullptr && kBlockBytes - current_->used < bytes) {
    context_->check(context_->api().event_record(current_->passed, stream_), "cuEventRecord");
    in_flight_.push_back(std::move(current_));
  }
  if (current_ == nullptr) current_ = next_block();
  std::byte* place = static_cast<std::byte*>(current_->memory) + current_->used;
  current_->used += bytes;
  return place;
}

std::unique_ptr<Staging::Block> Staging::next_block() {
  const DriverApi& api = context_->api();
  while (!in_flight_.empty()) {
    const EventHandle oldest = in_flight_.front()->passed;
    const Result state = api.event_query(oldest);
    if (state == kNotReady) {
      if (!idle_.empty() || in_flight_.size() < kMaxBlocks) break;
      context_->check(api.event_synchronize(oldest), "cuEventSynchronize");
    } else {
      context_->check(state, "cuEventQuery");
    }
    in_flight_.front()->wipe();
    idle_.push_back(std::move(in_flight_.front()));
    in_flight_.pop_front();
  }
  if (idle_.empty()) return std::make_unique<Block>(*context_, kBlockBytes);
  std::unique_ptr<Block> block = std::move(idle_.back());
  idle_.pop_back();
  return block;
}

void Staging::wipe_all() noexcept {
  if (current_ != nullptr) current_->wipe();
  for (const std::unique_ptr<Block>& block : in_flight_) block->wipe();
}

}  // namespace ringlet::gpu::cuda
