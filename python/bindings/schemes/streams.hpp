// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>

#include "base/file_writer.hpp"
#include "bindings/core/prelude.hpp"

// Streams to read from, which can seek, and files to write.

namespace ringlet::python {

/// Bytes of somebody else, who keeps them.
std::shared_ptr<std::istream> memory_stream(const char* data, std::size_t size);

/// A file, read at positions that the stream itself remembers: processes that were forked may read
/// from it at the same time.
/// @throws RuntimeError naming `operation` if the file cannot be opened.
std::shared_ptr<std::istream> file_stream(const std::filesystem::path& path, const char* operation);

/// A file, of which the stream keeps no copy.
/// @throws RuntimeError naming `operation` if the file cannot be opened.
std::ifstream secret_file_stream(const std::filesystem::path& path, const char* operation);

/// Writes a file in one step, as FileWriter does; nothing stays in memory of what `write` puts into
/// its stream. Needs no interpreter.
/// @throws RuntimeError naming `operation` if the file cannot be written.
void write_file(const std::filesystem::path& path, const char* operation, FileRights rights,
                const std::function<void(std::ostream&)>& write);

/// Throws the RuntimeError about a file, with what the system said last.
[[noreturn]] void refuse_file(const char* operation, const std::filesystem::path& path);

}  // namespace ringlet::python
