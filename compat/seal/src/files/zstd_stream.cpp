// SPDX-License-Identifier: Apache-2.0
#include "files/zstd_stream.hpp"

#include <cstdlib>
#include <new>

// Declares the constructors that take an allocator.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "ringlet/base/wipe.hpp"

namespace ringlet::seal4::detail {

namespace {

// A block starts with its size, on a boundary of its own.
constexpr std::size_t kPrefix = alignof(std::max_align_t);
static_assert(kPrefix >= sizeof(std::size_t));

void* allocate_sized(void*, std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(-1) - kPrefix) return nullptr;
  void* block = std::malloc(kPrefix + bytes);
  if (block == nullptr) return nullptr;
  ::new (block) std::size_t(bytes);
  return static_cast<char*>(block) + kPrefix;
}

void wipe_and_free(void*, void* address) {
  if (address == nullptr) return;
  void* block = static_cast<char*>(address) - kPrefix;
  secure_wipe(block, kPrefix + *static_cast<std::size_t*>(block));
  std::free(block);
}

ZSTD_customMem memory_of(bool wipes) {
  return wipes ? ZSTD_customMem{allocate_sized, wipe_and_free, nullptr}
               : ZSTD_customMem{nullptr, nullptr, nullptr};
}

void require(std::size_t result) {
  if (ZSTD_isError(result)) throw std::bad_alloc();
}

}  // namespace

void ZstdDeleter::operator()(ZSTD_CCtx_s* context) const noexcept { ZSTD_freeCCtx(context); }
void ZstdDeleter::operator()(ZSTD_DCtx_s* context) const noexcept { ZSTD_freeDCtx(context); }

ZstdCompressor make_zstd_compressor(std::size_t content_size, bool wipes) {
  ZstdCompressor context(ZSTD_createCCtx_advanced(memory_of(wipes)));
  if (!context) throw std::bad_alloc();
  require(ZSTD_CCtx_setPledgedSrcSize(context.get(), content_size));
  return context;
}

ZstdDecompressor make_zstd_decompressor(bool wipes) {
  ZstdDecompressor context(ZSTD_createDCtx_advanced(memory_of(wipes)));
  if (!context) throw std::bad_alloc();
  require(ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, kZstdWindowLog));
  return context;
}

std::size_t zstd_frame_bound(std::size_t in_size) noexcept {
  const std::size_t bound = ZSTD_compressBound(in_size);
  return ZSTD_isError(bound) || bound < in_size ? 0 : bound;
}

}  // namespace ringlet::seal4::detail
