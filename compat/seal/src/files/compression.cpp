// SPDX-License-Identifier: Apache-2.0
#include "files/compression.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>

// Lets zlib read constant bytes.
#define ZLIB_CONST
#include <zlib.h>

// Declares the constructors that take an allocator.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "ringlet/base/error.hpp"
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

void* allocate_items(void*, uInt count, uInt bytes) {
  return allocate_sized(nullptr, std::size_t{count} * bytes);
}

void wipe_and_free(void*, void* address) {
  if (address == nullptr) return;
  void* block = static_cast<char*>(address) - kPrefix;
  secure_wipe(block, kPrefix + *static_cast<std::size_t*>(block));
  std::free(block);
}

[[noreturn]] void throw_failed(const char* reason) {
  throw_runtime_error({"Serialization::Save", reason, "a working compression library",
                       "save with compr_mode_type::none"});
}

[[noreturn]] void throw_damaged(const char* reason, const char* limit) {
  throw_logic_error({"Serialization::Load",
                     std::string("the compressed frame is damaged (") + reason + ")", limit,
                     "load exactly the bytes that were saved, as the same type"});
}

z_stream zlib_stream(bool wipes) {
  z_stream stream{};
  if (wipes) {
    stream.zalloc = allocate_items;
    stream.zfree = wipe_and_free;
  }
  return stream;
}

/// Calls deflate or inflate. Their counts have 32 bits, so larger ranges take several calls.
int run_zlib(int (*code)(z_stream*, int), z_stream& stream, int flush, std::span<const char>& in,
             std::span<char>& out) {
  constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
  const std::size_t given = std::min(in.size(), kMost);
  const std::size_t room = std::min(out.size(), kMost);
  stream.next_in = reinterpret_cast<const Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(given);
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(room);
  const int result = code(&stream, flush);
  in = in.subspan(given - stream.avail_in);
  out = out.subspan(room - stream.avail_out);
  return result;
}

class ZlibCompressor final : public Compressor {
 public:
  explicit ZlibCompressor(bool wipes) : stream_(zlib_stream(wipes)) {
    if (deflateInit(&stream_, Z_DEFAULT_COMPRESSION) != Z_OK) throw std::bad_alloc();
  }
  ~ZlibCompressor() override { deflateEnd(&stream_); }

  bool run(std::span<const char>& in, std::span<char>& out, bool end) override {
    const int result = run_zlib(deflate, stream_, end ? Z_FINISH : Z_NO_FLUSH, in, out);
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
      throw_failed(zError(result));
    }
    return end ? result == Z_STREAM_END : in.empty();
  }

 private:
  z_stream stream_;
};

class ZlibDecompressor final : public Decompressor {
 public:
  explicit ZlibDecompressor(bool wipes) : stream_(zlib_stream(wipes)) {
    if (inflateInit(&stream_) != Z_OK) throw std::bad_alloc();
  }
  ~ZlibDecompressor() override { inflateEnd(&stream_); }

  bool run(std::span<const char>& in, std::span<char>& out) override {
    const int result = run_zlib(inflate, stream_, Z_NO_FLUSH, in, out);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
      throw_damaged(zError(result), "one stream of zlib without a dictionary");
    }
    return result == Z_STREAM_END;
  }

 private:
  z_stream stream_;
};

/// Frames may ask their reader for this much history (RFC 8878, 3.1.1.1.2); more is refused.
constexpr int kZstdWindowLog = 23;

ZSTD_customMem zstd_memory(bool wipes) {
  return wipes ? ZSTD_customMem{allocate_sized, wipe_and_free, nullptr}
               : ZSTD_customMem{nullptr, nullptr, nullptr};
}

class ZstdCompressor final : public Compressor {
 public:
  ZstdCompressor(std::size_t content_size, bool wipes)
      : context_(ZSTD_createCCtx_advanced(zstd_memory(wipes)), ZSTD_freeCCtx) {
    if (!context_ || ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(context_.get(), content_size))) {
      throw std::bad_alloc();
    }
  }

  bool run(std::span<const char>& in, std::span<char>& out, bool end) override {
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    const std::size_t left =
        ZSTD_compressStream2(context_.get(), &output, &input, end ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(left)) throw_failed(ZSTD_getErrorName(left));
    in = in.subspan(input.pos);
    out = out.subspan(output.pos);
    return end ? left == 0 : in.empty();
  }

 private:
  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context_;
};

class ZstdDecompressor final : public Decompressor {
 public:
  explicit ZstdDecompressor(bool wipes)
      : context_(ZSTD_createDCtx_advanced(zstd_memory(wipes)), ZSTD_freeDCtx) {
    if (!context_ ||
        ZSTD_isError(ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kZstdWindowLog))) {
      throw std::bad_alloc();
    }
  }

  bool run(std::span<const char>& in, std::span<char>& out) override {
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    const std::size_t hint = ZSTD_decompressStream(context_.get(), &output, &input);
    if (ZSTD_isError(hint)) {
      throw_damaged(ZSTD_getErrorName(hint), "one Zstandard frame with a window of 8 MiB or less");
    }
    in = in.subspan(input.pos);
    out = out.subspan(output.pos);
    return hint == 0;
  }

 private:
  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context_;
};

}  // namespace

std::unique_ptr<Compressor> make_compressor(compr_mode_type mode, std::size_t content_size,
                                            bool wipes) {
  if (mode == compr_mode_type::zlib) return std::make_unique<ZlibCompressor>(wipes);
  return std::make_unique<ZstdCompressor>(content_size, wipes);
}

std::unique_ptr<Decompressor> make_decompressor(compr_mode_type mode, bool wipes) {
  if (mode == compr_mode_type::zlib) return std::make_unique<ZlibDecompressor>(wipes);
  return std::make_unique<ZstdDecompressor>(wipes);
}

std::size_t frame_bound(compr_mode_type mode, std::size_t in_size) noexcept {
  const std::size_t bound =
      mode == compr_mode_type::zlib ? compressBound(in_size) : ZSTD_compressBound(in_size);
  return ZSTD_isError(bound) || bound <= in_size ? 0 : bound;
}

}  // namespace ringlet::seal4::detail
