// SPDX-License-Identifier: Apache-2.0
#include "random/blake2xb.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <blake2.h>
#include <string>

#include "ringlet/base/error.hpp"
#include "ringlet/base/wipe.hpp"

namespace ringlet::seal4::detail {

namespace {

constexpr std::size_t kHashBytes = BLAKE2B_OUTBYTES;

/// Numbers of the parameter block are little-endian; libb2 reads the block as it is in memory.
template <class T>
T little_endian(T value) {
  if (std::endian::native == std::endian::little) return value;
  auto bytes = std::bit_cast<std::array<std::uint8_t, sizeof(T)>>(value);
  std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

/// Returns the offset of the node in the lower half, the length of the whole output in the upper.
std::uint64_t node_and_length(std::uint64_t node, std::size_t length) {
  return little_endian(node | static_cast<std::uint64_t>(length) << 32);
}

/// A state of BLAKE2b, wiped when it is destroyed.
class Blake2b {
 public:
  explicit Blake2b(const blake2b_param& parameters) : bytes_(parameters.digest_length) {
    require(blake2b_init_param(&state_, &parameters));
  }
  Blake2b(const Blake2b&) = delete;
  Blake2b& operator=(const Blake2b&) = delete;
  ~Blake2b() { secure_wipe(&state_, sizeof(state_)); }

  void update(std::span<const std::uint8_t> bytes) {
    require(blake2b_update(&state_, bytes.data(), bytes.size()));
  }
  void finish(std::uint8_t* hash) { require(blake2b_final(&state_, hash, bytes_)); }

 private:
  static void require(int result) {
    if (result == 0) return;
    throw_runtime_error({"blake2xb", "an error of libb2", "none for parameters of this form",
                         "check the installed libb2"});
  }

  blake2b_state state_;
  std::size_t bytes_;
};

void hash_root(std::size_t length, std::span<const std::uint8_t> message,
               std::span<const std::uint8_t> key, std::array<std::uint8_t, kHashBytes>& root) {
  blake2b_param parameters{};
  parameters.digest_length = kHashBytes;
  parameters.key_length = static_cast<std::uint8_t>(key.size());
  parameters.fanout = 1;
  parameters.depth = 1;
  parameters.node_offset = node_and_length(0, length);
  Blake2b state(parameters);
  if (!key.empty()) {
    std::array<std::uint8_t, BLAKE2B_BLOCKBYTES> block{};
    std::copy(key.begin(), key.end(), block.begin());
    state.update(block);
    secure_wipe(block.data(), block.size());
  }
  if (!message.empty()) state.update(message);
  state.finish(root.data());
}

}  // namespace

void blake2xb(std::span<std::uint8_t> out, std::span<const std::uint8_t> message,
              std::span<const std::uint8_t> key, KeyLengthInLeaves key_length) {
  if (out.empty() || out.size() >= 0xFFFFFFFF || key.size() > BLAKE2B_KEYBYTES) {
    throw_invalid_argument({"blake2xb",
                            "an output of " + std::to_string(out.size()) + " bytes with a key of " +
                                std::to_string(key.size()),
                            "an output of 1 to 2^32 - 2 bytes, a key of up to 64",
                            "pass buffers of these lengths"});
  }
  std::array<std::uint8_t, kHashBytes> root{};
  hash_root(out.size(), message, key, root);
  for (std::size_t begin = 0; begin < out.size(); begin += kHashBytes) {
    blake2b_param parameters{};
    parameters.digest_length = static_cast<std::uint8_t>(std::min(kHashBytes, out.size() - begin));
    parameters.leaf_length = little_endian(std::uint32_t{kHashBytes});
    parameters.node_offset = node_and_length(begin / kHashBytes, out.size());
    parameters.inner_length = kHashBytes;
    if (key_length == KeyLengthInLeaves::as_in_root) {
      parameters.key_length = static_cast<std::uint8_t>(key.size());
    }
    Blake2b state(parameters);
    state.update(root);
    state.finish(out.data() + begin);
  }
  secure_wipe(root.data(), root.size());
}

}  // namespace ringlet::seal4::detail
