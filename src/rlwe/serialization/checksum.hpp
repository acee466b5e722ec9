// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace ringlet::rlwe {

using Checksum = std::array<std::uint8_t, 32>;

/// Returns SHA-256(first || second). @throws RuntimeError if OpenSSL has no such hash.
Checksum checksum_of(std::span<const std::uint8_t> first, std::span<const std::uint8_t> second);

}  // namespace ringlet::rlwe
