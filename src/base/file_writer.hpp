// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include "ringlet/base/export.hpp"

namespace ringlet {

/// Who may read a file that is written, from its first instant on.
enum class FileRights {
  shared,     ///< Whoever may read the file that it replaces; of a new one, who the umask leaves.
  owner,      ///< The user alone.
  owner_new,  ///< The user alone; nothing is replaced.
};

/// Writes a file in one step: a new file beside `path`, which commit() brings to the disk and gives
/// the name. Whoever has the old file open goes on reading it, and whatever interrupts this,
/// `path` names all of the old content or all of the new one. With shared rights, links stay links,
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
  std::filesystem::path part_;  // empty where the target is written to
  int descriptor_ = -1;
};

}  // namespace ringlet
