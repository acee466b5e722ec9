// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Small files from places that are not trusted: never more than a bound is read, and never from
// anything but a regular file, so that no pipe or device can stall the reader.

namespace ringlet::kernels {

struct FileText {
  bool is_absent = false;
  std::string text;
  std::string problem;  ///< Why it was not read; empty if it was or if there is no such file.
};

/// The text of a regular file of at most `limit` bytes. Follows symbolic links.
FileText read_small_file(const std::string& path, std::size_t limit);

/// Writes a new file beside `path`, brings it to the disk, and gives it the name `path`, unless
/// `path` names something that is no regular file. Returns what went wrong; then the new file is
/// gone and `path` is unchanged.
std::string replace_file(const std::string& path, std::string_view text);

}  // namespace ringlet::kernels
