// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include "ringlet/base/export.hpp"

namespace ringlet {

/// The read rights of a new file, from its first instant on.
enum class FileRights {
  shared,     ///< As the file that is replaced; for a new name, as the umask leaves them.
  owner,      ///< The user alone.
  owner_new,  ///< The user alone; fails if the file exists.
};

/// Replaces a file in one step: commit() brings a new file beside `path` to the disk and renames it
/// to `path`. A process that has the old file open goes on reading it. After an interruption `path`
/// names all of the old content or all of the new content. With shared rights, links stay links,
/// and pipes and devices are written to. All functions throw std::system_error.
class RINGLET_API FileWriter {
 public:
  explicit FileWriter(const std::filesystem::path& path, FileRights rights = FileRights::shared);
  /// Removes what was not committed.
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void write(std::string_view bytes);
  void commit();

 private:
  FileRights rights_;
  std::filesystem::path target_;
  std::filesystem::path part_;  // empty if the target itself is written to
  int descriptor_ = -1;
};

}  // namespace ringlet
