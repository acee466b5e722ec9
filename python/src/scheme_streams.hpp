// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <istream>

#include "prelude.hpp"

// Streams to read from, which can seek.

namespace ringlet::python {

/// Bytes of somebody else, who keeps them.
std::shared_ptr<std::istream> memory_stream(const char* data, std::size_t size);

/// A file, read at positions that the stream itself remembers: processes that were forked may read
/// from it at the same time.
/// @throws RuntimeError naming `operation` if the file cannot be opened.
std::shared_ptr<std::istream> file_stream(const std::filesystem::path& path, const char* operation);

/// Throws the RuntimeError about a file, with what the system said last.
[[noreturn]] void refuse_file(const char* operation, const std::filesystem::path& path);

}  // namespace ringlet::python
