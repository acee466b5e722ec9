// SPDX-License-Identifier: Apache-2.0
#include "rlwe/serialization/zstd_codec.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <new>
#include <string>
#include <zstd.h>

#include "base/refuse.hpp"
#include "ringlet/base/wipe.hpp"

namespace ringlet::rlwe {
namespace {

// Residues are random except for their leading zeros: a greater effort finds no more.
constexpr int kLevel = 1;

// A block starts with its size, on a boundary of its own.
constexpr std::size_t kPrefix = alignof(std::max_align_t);

void* allocate(void*, std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(-1) - kPrefix) return nullptr;
  auto* block = static_cast<std::size_t*>(std::malloc(kPrefix + bytes));
  if (block == nullptr) return nullptr;
  *block = kPrefix + bytes;
  return reinterpret_cast<std::uint8_t*>(block) + kPrefix;
}

void wipe_and_release(void*, void* address) {
  if (address == nullptr) return;
  void* block = static_cast<std::uint8_t*>(address) - kPrefix;
  secure_wipe(block, *static_cast<const std::size_t*>(block));
  std::free(block);
}

constexpr ZSTD_customMem kWipedMemory{allocate, wipe_and_release, nullptr};

void require(std::size_t result) {
  if (!ZSTD_isError(result)) return;
  refuse<RuntimeError>(std::string("Zstandard: ") + ZSTD_getErrorName(result), "a working libzstd",
                       "save without compression");
}

}  // namespace

std::size_t zstd_bound(std::size_t raw_bytes) noexcept { return ZSTD_compressBound(raw_bytes); }

std::optional<Bytes> zstd_contents(std::span<const std::uint8_t> frame, std::size_t most) {
  // Unknown sizes and errors are numbers close to 2^64.
  const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size > most) return std::nullopt;
  Bytes contents(static_cast<std::size_t>(size));
  ZSTD_DCtx* context = ZSTD_createDCtx_advanced(kWipedMemory);
  if (context == nullptr) throw std::bad_alloc();
  const std::size_t found =
      ZSTD_decompressDCtx(context, contents.data(), contents.size(), frame.data(), frame.size());
  ZSTD_freeDCtx(context);
  if (found != contents.size()) return std::nullopt;
  return contents;
}

ZstdWriter::ZstdWriter(std::size_t raw_bytes) : context_(ZSTD_createCCtx_advanced(kWipedMemory)) {
  if (context_ == nullptr) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context_, ZSTD_c_windowLog, kZstdWindowLog);
  ZSTD_CCtx_setPledgedSrcSize(context_, raw_bytes);
}

ZstdWriter::~ZstdWriter() { ZSTD_freeCCtx(context_); }

void ZstdWriter::write(std::span<const std::uint8_t> bytes, Bytes& out, bool last) {
  ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
  for (;;) {
    const std::size_t before = out.size();
    out.resize(before + ZSTD_CStreamOutSize());
    ZSTD_outBuffer output{out.data() + before, out.size() - before, 0};
    const std::size_t rest =
        ZSTD_compressStream2(context_, &output, &input, last ? ZSTD_e_end : ZSTD_e_continue);
    out.resize(before + output.pos);
    require(rest);
    if (last ? rest == 0 : input.pos == input.size) return;
  }
}

ZstdReader::ZstdReader(std::span<const std::uint8_t> frame)
    : context_(ZSTD_createDCtx_advanced(kWipedMemory)), frame_(frame) {
  if (context_ == nullptr) throw std::bad_alloc();
  ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, kZstdWindowLog);
}

ZstdReader::~ZstdReader() { ZSTD_freeDCtx(context_); }

bool ZstdReader::read(std::span<std::uint8_t> bytes) {
  ZSTD_outBuffer output{bytes.data(), bytes.size(), 0};
  while (output.pos < output.size) {
    if (ended_) return false;
    ZSTD_inBuffer input{frame_.data(), frame_.size(), position_};
    const std::size_t before = output.pos;
    const std::size_t result = ZSTD_decompressStream(context_, &output, &input);
    if (ZSTD_isError(result)) return false;
    if (input.pos == position_ && output.pos == before) return false;
    position_ = input.pos;
    ended_ = result == 0;
  }
  return true;
}

bool ZstdReader::is_at_end() {
  // The end of a frame follows its last byte of content.
  std::array<std::uint8_t, 1> more{};
  return !read(more) && ended_ && position_ == frame_.size();
}

}  // namespace ringlet::rlwe
