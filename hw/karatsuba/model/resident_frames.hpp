// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ringlet/arith/wide_modulus.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/fv/wide_poly.hpp"

/// Frames of the card that keeps the key (hw/karatsuba/rtl/resident): the host's input and output.
namespace ringlet::hw::resident {

/// 128 bits of a stream, the low word first.
using Burst = std::array<std::uint64_t, 2>;

enum class Frame : std::uint8_t { key = 1, encryption = 2, polynomial = 129 };

/// The data that the card keeps: the public key and the value of a message bit.
struct Key {
  std::uint32_t name = 0;
  WideInteger modulus{};
  WideInteger message_bit{};
  std::array<WidePoly, 2> polys;
};

/// The operands of one encryption. Secret.
struct Encryption {
  std::uint32_t key_name = 0;
  std::uint32_t tag = 0;
  bool ends_group = false;
  std::vector<std::uint8_t> u, message;            ///< n bits each.
  std::array<std::vector<std::int16_t>, 2> noise;  ///< n numbers each.
};

/// One component of a ciphertext. All 0 if the card held another key than the named one.
struct Polynomial {
  std::uint32_t tag = 0;
  bool second = false;
  bool wrong_key = false;
  std::vector<Burst> coefficients;
};

namespace detail {

inline Burst header(Frame frame, bool ends_group, std::uint32_t key_name, std::uint32_t tag) {
  return {static_cast<std::uint64_t>(frame) | (std::uint64_t{ends_group} << 8) |
              (std::uint64_t{key_name} << 32),
          tag};
}

inline Burst burst_of(const WideInteger& value) {
  if (value[2] != 0) {
    throw_invalid_argument({"frame of the card", "a coefficient above 128 bits", "one burst",
                            "use a smaller modulus"});
  }
  return {value[0], value[1]};
}

/// Small numbers one after the other, each in `bits` bits.
template <class Stream, class Number>
void append_packed(Stream& stream, const std::vector<Number>& numbers, unsigned bits) {
  const std::size_t per_burst = 128 / bits;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t place = i % per_burst * bits;
    if (place == 0) stream.push_back({0, 0});
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    stream.back()[place / 64] |= (static_cast<std::uint64_t>(numbers[i]) & mask) << (place % 64);
  }
}

}  // namespace detail

/// Appends the frame of a key, 3 + 2n bursts, to a vector of bursts.
/// @throws InvalidArgument if a coefficient or the modulus is above 128 bits.
template <class Stream>
void append(Stream& stream, const Key& key) {
  stream.push_back(detail::header(Frame::key, false, key.name, 0));
  stream.push_back(detail::burst_of(key.modulus));
  stream.push_back(detail::burst_of(key.message_bit));
  for (const WidePoly& poly : key.polys) {
    for (std::size_t i = 0; i < poly.degree(); ++i) stream.push_back(detail::burst_of(poly[i]));
  }
}

/// Bursts of the frame of an encryption.
constexpr std::size_t encryption_bursts(std::size_t n) {
  return 1 + 2 * ((n + 127) / 128) + 2 * ((n + 7) / 8);
}

/// Appends the frame of an encryption, which is secret, to a vector of bursts.
/// @throws InvalidArgument if the operands differ in length or a bit is neither 0 nor 1; the stream
///         is unchanged then.
template <class Stream>
void append(Stream& stream, const Encryption& encryption) {
  const std::size_t n = encryption.u.size();
  std::uint8_t not_bits = 0;
  for (const std::uint8_t bit : encryption.u) not_bits |= bit >> 1;
  for (const std::uint8_t bit : encryption.message) not_bits |= bit >> 1;
  if (encryption.message.size() != n || encryption.noise[0].size() != n ||
      encryption.noise[1].size() != n || not_bits != 0) {
    throw_invalid_argument({"frame of the card", "operands of an encryption",
                            "n bits of U and of the message, n numbers of each noise",
                            "bring all to the degree of the ring"});
  }
  stream.push_back(detail::header(Frame::encryption, encryption.ends_group, encryption.key_name,
                                  encryption.tag));
  detail::append_packed(stream, encryption.u, 1);
  detail::append_packed(stream, encryption.message, 1);
  detail::append_packed(stream, encryption.noise[0], 16);
  detail::append_packed(stream, encryption.noise[1], 16);
}

/// Takes the first polynomial of degree below n from the stream, which it shortens. Returns nothing
/// if the stream is still too short.
/// @throws InvalidArgument if the stream does not begin with the header of a polynomial.
inline std::optional<Polynomial> take_polynomial(std::span<const Burst>& stream, std::size_t n) {
  if (stream.empty()) return std::nullopt;
  const Burst head = stream[0];
  if ((head[0] & 0xff) != static_cast<std::uint64_t>(Frame::polynomial)) {
    throw_invalid_argument({"frame of the card", "no header where one is due",
                            "a stream that begins with a frame", "read the stream from its start"});
  }
  if (stream.size() < n + 1) return std::nullopt;
  Polynomial result;
  result.tag = static_cast<std::uint32_t>(head[1]);
  result.second = (head[0] >> 8 & 1) != 0;
  result.wrong_key = (head[0] >> 9 & 1) != 0;
  result.coefficients.assign(stream.begin() + 1,
                             stream.begin() + 1 + static_cast<std::ptrdiff_t>(n));
  stream = stream.subspan(n + 1);
  return result;
}

}  // namespace ringlet::hw::resident
