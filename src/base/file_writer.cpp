// SPDX-License-Identifier: Apache-2.0
#include "base/file_writer.hpp"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <sys/stat.h>

#include "base/text.hpp"

namespace ringlet {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kPermissions = 0777;

[[noreturn]] void fail(int error) { throw std::system_error(error, std::generic_category()); }

/// Follows links from `path` to the last target, which may not exist.
fs::path end_of_links(fs::path path) {
  constexpr int kMostLinks = 40;  // as in the Linux kernel
  std::error_code error;
  for (int links = 0; links < kMostLinks && fs::is_symlink(path, error); ++links) {
    path = path.parent_path() / fs::read_symlink(path, error);
  }
  return path;
}

/// Renames without replacing a file. Returns 0, or -1 with errno.
int rename_to_new(const fs::path& from, const fs::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;  // these two: no such rename here
  return ::link(from.c_str(), to.c_str()) == 0 ? ::unlink(from.c_str()) : -1;
}

/// Writes the folder to the disk where the file system can, so that the name survives a crash.
void synchronize_folder(const fs::path& file) {
  const int folder = ::open((file.parent_path() / ".").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  ::fsync(folder);
  ::close(folder);
}

}  // namespace

FileWriter::FileWriter(const fs::path& path, FileRights rights) : rights_(rights), target_(path) {
  struct stat before{};
  const bool exists = ::stat(path.c_str(), &before) == 0;
  const bool is_shared = rights == FileRights::shared;
  if (!exists && errno != ENOENT) fail(errno);
  if (exists && rights == FileRights::owner_new) fail(EEXIST);
  constexpr int kFlags = O_WRONLY | O_CLOEXEC | O_NOCTTY;
  if (exists && is_shared && !S_ISREG(before.st_mode)) {
    descriptor_ = ::open(path.c_str(), kFlags);
    if (descriptor_ < 0) fail(errno);
    return;
  }
  const bool is_kept = exists && is_shared;
  mode_t mode = is_shared ? 0666 : 0600;
  if (is_kept) mode = before.st_mode & kPermissions;
  if (is_shared) target_ = end_of_links(path);
  // Process and time tell the names of simultaneous writers apart; O_EXCL finds names in use.
  constexpr int kAttempts = 64;
  for (int attempt = 0; attempt < kAttempts && descriptor_ < 0; ++attempt) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    part_ = concat(target_.native(), ".", ::getpid(), ".", now, ".", attempt, ".part");
    descriptor_ = ::open(part_.c_str(), kFlags | O_CREAT | O_EXCL, mode);
    if (descriptor_ < 0 && errno != EEXIST) fail(errno);
  }
  if (descriptor_ < 0) fail(EEXIST);
  // Restores rights that the umask removed, before the file has any content.
  if (is_kept) ::fchmod(descriptor_, mode);
}

FileWriter::~FileWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!part_.empty()) ::unlink(part_.c_str());
}

void FileWriter::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail(written < 0 ? errno : EIO);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void FileWriter::commit() {
  if (!part_.empty() && ::fsync(descriptor_) != 0) fail(errno);
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0) fail(errno);
  if (part_.empty()) return;
  const int result = rights_ == FileRights::owner_new ? rename_to_new(part_, target_)
                                                      : ::rename(part_.c_str(), target_.c_str());
  if (result != 0) fail(errno);
  part_.clear();
  synchronize_folder(target_);
}

}  // namespace ringlet
