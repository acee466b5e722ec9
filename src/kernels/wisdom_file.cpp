// SPDX-License-Identifier: Apache-2.0
#include "kernels/wisdom_file.hpp"

#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

#include <sys/stat.h>

#include "base/file_writer.hpp"
#include "base/text.hpp"

namespace ringlet::kernels {
namespace {

constexpr const char* kNotRegular = "not a regular file";

std::string message(int error) { return std::generic_category().message(error); }

/// An open file, which the destructor closes.
class File {
 public:
  File(const std::string& path, int flags)
      : descriptor_(::open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (is_open()) ::close(descriptor_);
  }

  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }

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

}  // namespace

FileText read_small_file(const std::string& path, std::size_t limit) {
  struct stat status{};
  // Opening some devices has effects, so the kind of the file is checked before it is opened, and
  // again for the file that was opened.
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
  // Reading one byte more than the file has shows whether it grows.
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
  // Anyone who may write to a folder may rename over a device, /dev/null too.
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) return kNotRegular;
  try {
    FileWriter file(path);
    file.write(text);
    file.commit();
    return {};
  } catch (const std::system_error& error) {
    return error.code().message();
  }
}

}  // namespace ringlet::kernels
