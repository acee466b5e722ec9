// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ringlet::gpu {

/// A SHA-256 digest.
using Digest = std::array<std::byte, 32>;
/// @throws RuntimeError if OpenSSL fails.
Digest digest(std::span<const std::byte> bytes);

/// Returns the file in which the module cache keeps the program of `key`. It is empty if there is
/// no folder for it: no $RINGLET_CACHE_DIR, no absolute $XDG_CACHE_HOME, no $HOME.
std::filesystem::path module_file(const Digest& key);

/// Returns the program in `file`, if it is complete and of `key`, and nobody else could write it.
std::optional<std::vector<std::byte>> read_module_file(const std::filesystem::path& file,
                                                       const Digest& key);
/// Puts a program into `file` in place of an old one, at once or not at all. Returns whether it
/// did.
bool write_module_file(const std::filesystem::path& file, const Digest& key,
                       std::span<const std::byte> program);

}  // namespace ringlet::gpu
