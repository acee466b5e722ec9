// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/memory.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "ringlet/base/wipe.hpp"

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

PinnedBlock::PinnedBlock(std::shared_ptr<const Context> context) : context_(std::move(context)) {
  const DriverApi& api = context_->api();
  context_->check(api.event_create(&passed_, kEventDisableTiming), "cuEventCreate");
  if (const Result result = api.mem_host_alloc(&memory_, kBytes, 0); result != kSuccess) {
    api.event_destroy(passed_);
    context_->check(result, "cuMemHostAlloc");
  }
}

PinnedBlock::~PinnedBlock() {
  wipe();
  release_in(*context_, [this](const DriverApi& api) {
    api.event_destroy(passed_);
    api.mem_free_host(memory_);
  });
}

void PinnedBlock::wipe() noexcept {
  secure_wipe(memory_, used_);
  used_ = 0;
}

Staging::Staging(std::shared_ptr<const Context> context, StreamHandle stream)
    : context_(std::move(context)), stream_(stream) {}

std::byte* Staging::reserve(std::size_t bytes) {
  if (current_ != nullptr && PinnedBlock::kBytes - current_->used() < bytes) {
    context_->check(context_->api().event_record(current_->passed(), stream_), "cuEventRecord");
    in_flight_.push_back(std::move(current_));
  }
  if (current_ == nullptr) current_ = next_block();
  std::byte* place = current_->memory() + current_->used();
  current_->use(bytes);
  return place;
}

std::unique_ptr<PinnedBlock> Staging::next_block() {
  const DriverApi& api = context_->api();
  while (!in_flight_.empty()) {
    const EventHandle oldest = in_flight_.front()->passed();
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
  if (idle_.empty()) return std::make_unique<PinnedBlock>(context_);
  std::unique_ptr<PinnedBlock> block = std::move(idle_.back());
  idle_.pop_back();
  return block;
}

void Staging::wipe_all() noexcept {
  if (current_ != nullptr) current_->wipe();
  for (const std::unique_ptr<PinnedBlock>& block : in_flight_) block->wipe();
}

Landing::Landing(std::shared_ptr<const Context> context, StreamHandle stream)
    : context_(std::move(context)), stream_(stream) {}

void Landing::begin(std::size_t index, DevicePointer source, std::size_t bytes) {
  std::unique_ptr<PinnedBlock>& block = blocks_[index % blocks_.size()];
  if (block == nullptr) block = std::make_unique<PinnedBlock>(context_);
  const DriverApi& api = context_->api();
  context_->check(api.memcpy_dtoh_async(block->memory(), source, bytes, stream_),
                  "cuMemcpyDtoHAsync");
  block->use(bytes);
  context_->check(api.event_record(block->passed(), stream_), "cuEventRecord");
}

void Landing::fetch(std::span<std::byte> target, DevicePointer source) {
  const auto piece = [&](std::size_t index) {
    const std::size_t offset = index * PinnedBlock::kBytes;
    return target.subspan(offset, std::min(PinnedBlock::kBytes, target.size() - offset));
  };
  const std::size_t count = (target.size() + PinnedBlock::kBytes - 1) / PinnedBlock::kBytes;
  for (std::size_t started = 0, done = 0; done < count; ++done) {
    for (; started < std::min(done + blocks_.size(), count); ++started) {
      begin(started, source + started * PinnedBlock::kBytes, piece(started).size());
    }
    PinnedBlock& block = *blocks_[done % blocks_.size()];
    context_->check(context_->api().event_synchronize(block.passed()), "cuEventSynchronize");
    std::memcpy(piece(done).data(), block.memory(), piece(done).size());
    block.wipe();
  }
}

}  // namespace ringlet::gpu::cuda
