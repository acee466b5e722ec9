// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <span>
#include <string>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/stat.h>

#include "hw/karatsuba/bus/mailbox.hpp"
#include "hw/karatsuba/model/resident_frames.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::hw::bus {

/// A file that represents memory which a processor and a card share, mapped into two processes: a
/// page for the mailbox, then the card's words from its address 0 on.
class SharedFile {
 public:
  /// Makes the file or empties it; it holds zeros. @throws RuntimeError if the system refuses.
  static SharedFile create(const std::string& path, std::size_t words) {
    return SharedFile(path, O_RDWR | O_CREAT | O_TRUNC,
                      kPageBytes + words * sizeof(resident::Burst));
  }
  /// @throws RuntimeError if the system refuses, or the file does not even hold a mailbox.
  static SharedFile open(const std::string& path) { return SharedFile(path, O_RDWR, 0); }

  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;
  ~SharedFile() { ::munmap(data_, bytes_); }

  Mailbox& mailbox() const { return *static_cast<Mailbox*>(data_); }
  std::span<resident::Burst> words() const {
    return {reinterpret_cast<resident::Burst*>(static_cast<std::byte*>(data_) + kPageBytes),
            (bytes_ - kPageBytes) / sizeof(resident::Burst)};
  }

 private:
  static constexpr std::size_t kPageBytes = 4096;

  /// Maps `bytes` bytes; 0 means all bytes of the file.
  SharedFile(const std::string& path, int flags, std::size_t bytes) : bytes_(bytes) {
    const int file = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
    struct stat properties{};
    bool good = file >= 0;
    if (good && bytes != 0) good = ::ftruncate(file, static_cast<off_t>(bytes)) == 0;
    if (good && bytes == 0) {
      good = ::fstat(file, &properties) == 0;
      bytes_ = static_cast<std::size_t>(properties.st_size);
    }
    good = good && bytes_ > kPageBytes;
    if (good) data_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0) ::close(file);
    if (!good || data_ == MAP_FAILED) {
      throw_runtime_error({"shared memory", path, "a file of more than a page that can be mapped",
                           "start the simulation first"});
    }
  }

  void* data_ = nullptr;
  std::size_t bytes_;
};

}  // namespace ringlet::hw::bus
