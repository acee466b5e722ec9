// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include "ringlet/base/export.hpp"

namespace ringlet {

/// The read rights of a new file, from its first instant on.
enum class FileRights {
  shared,     ///< Those of the file that it replaces; of a new file, those that the umask leaves.
  owner,      ///< The user alone.
  owner_new,  ///< The user alone; nothing is replaced.
};

/// Writes a file in one step: a new file beside `path`, which commit() brings to the disk and gives
/// the name. A process that has the old file open goes on reading it. If this is interrupted,
/// `path` names all of the old content or all of the new content. With shared rights, links stay
/// links, and pipes and devices are written to. All functions throw std::system_error.
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
  std::filesystem::path part_;  // empty where the target is written to
  int descriptor_ = -1;
};

}  // namespace ringlet
