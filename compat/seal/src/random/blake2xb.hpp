// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ringlet::seal4::detail {

/// The key length in the parameter blocks of the output hashes; only the root hash reads the key.
/// The designers' code and known answers have the real length there, SEAL has 0. Without a key both
/// are the same.
enum class KeyLengthInLeaves : bool { zero, as_in_root };

/// Computes BLAKE2Xb, the hash of variable output length over BLAKE2b (J.-P. Aumasson, S. Neves, Z.
/// Wilcox-O'Hearn, C. Winnerlein, "BLAKE2X", 2016, section 2). Constant-time in message and key.
/// @param out 1 to 2^32 - 2 bytes
/// @param key up to 64 bytes
/// Throws std::invalid_argument outside of these lengths.
void blake2xb(std::span<std::uint8_t> out, std::span<const std::uint8_t> message,
              std::span<const std::uint8_t> key,
              KeyLengthInLeaves key_length = KeyLengthInLeaves::zero);

}  // namespace ringlet::seal4::detail
