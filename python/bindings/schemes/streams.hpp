// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>

#include "base/file_writer.hpp"
#include "bindings/core/prelude.hpp"

// Streams to read from, which can seek, and files to write.

namespace ringlet::python {

/// Returns a stream of bytes that the caller owns and keeps.
std::shared_ptr<std::istream> memory_stream(const char* data, std::size_t size);

/// Opens a file that is read at positions that the stream itself remembers: forked processes may
/// read from it at the same time.
/// @throws RuntimeError naming `operation` if the file cannot be opened.
std::shared_ptr<std::istream> file_stream(const std::filesystem::path& path, const char* operation);

/// Opens a file; the stream keeps no copy of its bytes.
/// @throws RuntimeError naming `operation` if the file cannot be opened.
std::ifstream secret_file_stream(const std::filesystem::path& path, const char* operation);

/// Writes a file in one step, as FileWriter does. No copy of what `write` puts into its stream
/// stays in memory. Needs no interpreter.
/// @throws RuntimeError naming `operation` if the file cannot be written.
void write_file(const std::filesystem::path& path, const char* operation, FileRights rights,
                const std::function<void(std::ostream&)>& write);

/// Throws the RuntimeError about a file, with the last error of the system.
[[noreturn]] void refuse_file(const char* operation, const std::filesystem::path& path);

}  // namespace ringlet::python
