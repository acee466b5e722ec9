// SPDX-License-Identifier: Apache-2.0
#include "gpu/programs/module_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include <openssl/evp.h>
#include <sys/stat.h>

#include "base/file_writer.hpp"
#include "base/text.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::gpu {
namespace {

// A file: this mark, the key, the digest of key and program, the program.
constexpr std::string_view kMark = "Ringlet module 1";
constexpr std::size_t kHeaderBytes = kMark.size() + 2 * sizeof(Digest);
// No program comes near this size; a larger file is not Ringlet's.
constexpr std::size_t kLargestFile = std::size_t{1} << 30;

class Descriptor {
 public:
  explicit Descriptor(int descriptor) noexcept : descriptor_(descriptor) {}
  ~Descriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

bool read_all(int descriptor, std::span<std::byte> target) {
  while (!target.empty()) {
    const ssize_t count = ::read(descriptor, target.data(), target.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    target = target.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// Returns the header of a file with this program.
std::vector<std::byte> header(const Digest& key, std::span<const std::byte> program) {
  std::vector<std::byte> bytes(key.begin(), key.end());
  bytes.insert(bytes.end(), program.begin(), program.end());
  const Digest check = digest(bytes);
  const auto mark = std::as_bytes(std::span(kMark));
  bytes.assign(mark.begin(), mark.end());
  bytes.insert(bytes.end(), key.begin(), key.end());
  bytes.insert(bytes.end(), check.begin(), check.end());
  return bytes;
}

}  // namespace

Digest digest(std::span<const std::byte> bytes) {
  Digest result{};
  std::size_t size = result.size();
  if (EVP_Q_digest(nullptr, "SHA256", nullptr, bytes.data(), bytes.size(),
                   reinterpret_cast<unsigned char*>(result.data()), &size) != 1) {
    throw_runtime_error({.offending = "OpenSSL refused SHA-256",
                         .limit = "a working OpenSSL",
                         .remedy = "check the installation of OpenSSL"});
  }
  return result;
}

std::filesystem::path module_file(const Digest& key) {
  std::filesystem::path folder(environment("RINGLET_CACHE_DIR"));
  if (folder.empty()) {
    folder = environment("XDG_CACHE_HOME");
    // By the XDG specification relative paths are ignored.
    if (!folder.is_absolute()) {
      folder = environment("HOME");
      if (!folder.is_absolute()) return {};
      folder /= ".cache";
    }
    folder /= "ringlet";
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string name;
  for (std::byte byte : key) {
    name += kDigits[std::to_integer<std::size_t>(byte) >> 4];
    name += kDigits[std::to_integer<std::size_t>(byte) & 15];
  }
  return folder / concat(name, ".module");
}

std::optional<std::vector<std::byte>> read_module_file(const std::filesystem::path& file,
                                                       const Digest& key) {
  // O_NONBLOCK: opening a pipe of this name must not wait.
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status = {};
  if (descriptor.get() < 0 || ::fstat(descriptor.get(), &status) != 0) return std::nullopt;
  // Anyone who could write this file could run their own kernel.
  const bool is_trusted = (status.st_uid == ::geteuid() || status.st_uid == 0) &&
                          (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  const auto size = static_cast<std::size_t>(status.st_size);
  if (!S_ISREG(status.st_mode) || !is_trusted || size < kHeaderBytes || size > kLargestFile) {
    return std::nullopt;
  }
  std::vector<std::byte> start(kHeaderBytes);
  std::vector<std::byte> program(size - kHeaderBytes);
  if (!read_all(descriptor.get(), start) || !read_all(descriptor.get(), program) ||
      start != header(key, program)) {
    return std::nullopt;
  }
  return program;
}

bool write_module_file(const std::filesystem::path& file, const Digest& key,
                       std::span<const std::byte> program) {
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  if (error) return false;
  try {
    std::vector<std::byte> bytes = header(key, program);
    bytes.insert(bytes.end(), program.begin(), program.end());
    FileWriter writer(file, FileRights::owner);
    writer.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    writer.commit();
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

}  // namespace ringlet::gpu
