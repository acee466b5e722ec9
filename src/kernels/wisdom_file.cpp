// SPDX-License-Identifier: Apache-2.0
#include "kernels/wisdom_file.hpp"

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

#include <sys/stat.h>

#include "base/text.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kNotRegular = "not a regular file";

std::string message(int error) { return std::generic_category().message(error); }

/// An open file; closed at the end.
class File {
 public:
  File(const std::string& path, int flags, mode_t mode = 0)
      : descriptor_(::open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, mode)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { close(); }

  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  /// True if all that was written is accepted.
  bool close() {
    const int result = descriptor_ < 0 ? 0 : ::close(descriptor_);
    descriptor_ = -1;
    return result == 0;
  }

 private:
  int descriptor_;
};

std::string kind_problem(const struct stat& status, std::size_t limit) {
  if (!S_ISREG(status.st_mode)) return kNotRegular;
  if (static_cast<std::uint64_t>(status.st_size) > limit) {
    return concat("larger than ", limit, " bytes");
  }
  return {};
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// Names that two writers at the same moment do not share; O_EXCL settles the rest.
std::string temporary_name(const std::string& path, int attempt) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return concat(path, ".", ::getpid(), ".", now, ".", attempt, ".tmp");
}

/// The file's name survives a crash once its folder is on the disk. Not every file system can.
void synchronize_folder(const std::string& path) {
  const std::string folder = path.substr(0, path.rfind('/') + 1);  // empty without a slash
  const File file(folder + "./", O_RDONLY | O_DIRECTORY);
  if (file.is_open()) ::fsync(file.descriptor());
}

}  // namespace

FileText read_small_file(const std::string& path, std::size_t limit) {
  struct stat status{};
  // Opening some devices does something, so what it is comes first; then once more for what was
  // opened.
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return {.is_absent = true, .text = {}, .problem = {}};
    return {.is_absent = false, .text = {}, .problem = message(errno)};
  }
  FileText result;
  result.problem = kind_problem(status, limit);
  if (!result.problem.empty()) return result;
  const File file(path, O_RDONLY | O_NONBLOCK);
  if (!file.is_open() || ::fstat(file.descriptor(), &status) != 0) {
    result.problem = message(errno);
    return result;
  }
  result.problem = kind_problem(status, limit);
  if (!result.problem.empty()) return result;
  // One byte more than the file has shows that it grows.
  const std::size_t size = static_cast<std::size_t>(status.st_size);
  std::string text(size + 1, '\0');
  std::size_t length = 0;
  while (length < text.size()) {
    const ssize_t count = ::read(file.descriptor(), text.data() + length, text.size() - length);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      result.problem = message(errno);
      return result;
    }
    if (count == 0) break;
    length += static_cast<std::size_t>(count);
  }
  if (length != size) {
    result.problem = "it changes while it is read";
    return result;
  }
  text.resize(size);
  result.text = std::move(text);
  return result;
}

std::string replace_file(const std::string& path, std::string_view text) {
  // Whoever may write to a folder may rename over a device, /dev/null too.
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) return kNotRegular;
  constexpr int kAttempts = 8;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::string temporary = temporary_name(path, attempt);
    File file(temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (!file.is_open() && errno == EEXIST) continue;
    if (!file.is_open()) return message(errno);
    if (write_all(file.descriptor(), text) && ::fsync(file.descriptor()) == 0 && file.close() &&
        std::rename(temporary.c_str(), path.c_str()) == 0) {
      synchronize_folder(path);
      return {};
    }
    std::string problem = message(errno);
    ::unlink(temporary.c_str());
    return problem;
  }
  return "no free name for a temporary file";
}

}  // namespace ringlet::kernels
