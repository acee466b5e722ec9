// SPDX-License-Identifier: Apache-2.0
#include "compat/seal/src/blake2xb.hpp"
#include "thrown.hpp"

namespace {

using ringlet::seal4::detail::blake2xb;
using ringlet::seal4::detail::KeyLengthInLeaves;

std::vector<std::uint8_t> counting(std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  return bytes;
}

std::string hash(std::size_t length, std::size_t message_bytes, std::size_t key_bytes) {
  std::vector<std::uint8_t> out(length);
  blake2xb(out, counting(message_bytes), counting(key_bytes), KeyLengthInLeaves::as_in_root);
  std::string text;
  for (const std::uint8_t byte : out) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

// Known answers of the designers (testvectors/blake2-kat.json of github.com/BLAKE2/BLAKE2, CC0):
// message 00 01 .. ff, key 00 01 .. 3f or none. What SEAL makes with a key is checked by its
// streams.
TEST(SealBlake2xb, GivesTheDesignersAnswersWithAKey) {
  EXPECT_EQ(hash(1, 256, 64), "4c");
  EXPECT_EQ(hash(2, 256, 64), "f765");
  EXPECT_EQ(hash(7, 256, 64), "f2442b291f4fa0");
  EXPECT_EQ(hash(16, 256, 64), "97bf92fb1a8a4d2c4ae3350a4cf3da0d");
  EXPECT_EQ(hash(27, 256, 64), "588895bd4a6557ae2b13e542cb17c43962605b4b1b32ac8cb8c891");
  EXPECT_EQ(
      hash(256, 256, 64),
      "dbff4a91961d07c8cbdfa91a99d7d2d3b880fcfc21bded8bf496bfb7e21af270a6a17b04cc903974d03c28d344"
      "acbfd46ff4bfa6222dab266641a5fdd89eb6b01be39260a48343355c7052d16b48e47afe352b92e350637f17e2"
      "f1cbec0886c312a25fdcadff87a5ad430ccb9a553e6446889fee472bfddcbd87133bccd50b55e8d172a82a22da"
      "5bed68c922dfe7ffd7a3567191a8dd2f3e1c9b08e697a625d779fc62559b89139e8137cf7c7bf5f4e445b63120"
      "72c1e13f3ed05bcb0e0b547683c94328e11b3e2155c8dcfe48bb231a9687a2540f9da9364cc4d41b6989e43f4e"
      "3a850ea9b359a01bdcee2ffd70b3ef17d44626aa43d05a570de333301d4ffc");
}

TEST(SealBlake2xb, GivesTheDesignersAnswersWithoutAKey) {
  EXPECT_EQ(
      hash(256, 256, 0),
      "59f8eea01a07a2670f2fe464bd755d8cde620cb4bac6006556a8663d2d9625c62fe63b6b68adba279ab287c04d"
      "3de6c4c17e6428dff30e9b2524fea1e869e42485c03a9f48af40d12d5cba0d13abac272ee36efeb8bd098ce0e1"
      "da8233ef6e6b3e96c9e05a7fedb79ae44e698640e6b8f26c43674e2c32ef17b4d7b005554ec4fd8aa1dac0f975"
      "fc888bec5bd7a06fbf29ae09f2d37c5eb7d0f67c9c77d5caf7afe681ae336fb3fccd97ecdec0348cdea4787a4e"
      "9de4df4bbfb209eeb642ce8f92730d598a71c94259e648d0a4dd89079a06c4b463ba1d175476337d553b0401d2"
      "b6f0c32639e3edcdd8c225c61e0afa5cd103b5d26a56afe3ac9462df794dc0");
}

TEST(SealBlake2xb, EveryBitOfMessageKeyAndLengthMatters) {
  const std::vector<std::uint8_t> message = counting(8);
  const std::vector<std::uint8_t> key = counting(64);
  std::vector<std::uint8_t> expected(130);
  blake2xb(expected, message, key);
  for (std::size_t i = 0; i < 8 * (message.size() + key.size()); ++i) {
    auto changed_message = message;
    auto changed_key = key;
    auto& byte = i < 64 ? changed_message[i / 8] : changed_key[i / 8 - 8];
    byte = static_cast<std::uint8_t>(byte ^ (1 << (i % 8)));
    std::vector<std::uint8_t> out(130);
    blake2xb(out, changed_message, changed_key);
    ASSERT_NE(out, expected) << "bit " << i;
  }
  EXPECT_NE(hash(129, 8, 64), hash(130, 8, 64).substr(0, 258));
  EXPECT_NE(hash(64, 8, 63), hash(64, 8, 64));
}

TEST(SealBlake2xb, LeavesMayLeaveOutTheLengthOfTheKey) {
  std::vector<std::uint8_t> with(65);
  std::vector<std::uint8_t> without(65);
  blake2xb(with, counting(8), counting(64), KeyLengthInLeaves::as_in_root);
  blake2xb(without, counting(8), counting(64), KeyLengthInLeaves::zero);
  EXPECT_NE(with, without);
  blake2xb(with, counting(8), {}, KeyLengthInLeaves::as_in_root);
  blake2xb(without, counting(8), {});
  EXPECT_EQ(with, without);
}

TEST(SealBlake2xb, RefusesLengthsThatItDoesNotHave) {
  std::vector<std::uint8_t> out(1);
  EXPECT_INVALID_ARGUMENT(blake2xb({}, {}, {}));
  EXPECT_INVALID_ARGUMENT(blake2xb(out, {}, counting(65)));
  blake2xb(out, {}, {});
}

}  // namespace
