// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/karatsuba/model/resident_frames.hpp"
#include "hw/karatsuba/tb/stream_driver.hpp"
#include "support/reference/wide_reference.hpp"
#include "support/values.hpp"

namespace ringlet::hw::resident {

/// Ciphertexts by FLINT: (P_c * U + E_c + bit * message) modulo Phi_m and q.
class Oracle {
 public:
  Oracle(std::uint64_t index, const Key& key)
      : key_(key), q_(key.modulus), reference_(CyclotomicPolynomial(index), q_) {}

  std::vector<Burst> component(const Encryption& encryption, std::size_t c) const {
    const std::vector<std::int8_t> u(encryption.u.begin(), encryption.u.end());
    const std::vector<std::int32_t> noise(encryption.noise[c].begin(), encryption.noise[c].end());
    WidePoly sum = reference_.multiply_add(key_.polys[c], u, noise);
    if (c == 0) {
      WidePoly message(u.size(), q_.word_count());
      for (std::size_t i = 0; i < u.size(); ++i) {
        if (encryption.message[i] != 0) message.set(i, key_.message_bit);
      }
      sum = reference_.sum(sum, message, false);
    }
    std::vector<Burst> values;
    for (std::size_t i = 0; i < u.size(); ++i) values.push_back({sum[i][0], sum[i][1]});
    return values;
  }

 private:
  const Key& key_;
  WideModulus q_;
  test::WideReference reference_;
};

/// The kinds of operands for a test.
enum class Values { random, zero, largest, smallest_noise };

inline Key make_key(std::size_t n, const WideInteger& q, std::uint32_t name, Values values,
                    std::mt19937_64& rng) {
  Key key;
  key.name = name;
  key.modulus = q;
  const WideInteger top{q[0] - 1, q[1], q[2]};
  const WideModulus modulus(q);
  key.message_bit = values == Values::largest ? top : test::random_below(modulus, rng);
  for (WidePoly& poly : key.polys) {
    poly = WidePoly(n, 2);
    for (std::size_t i = 0; i < n; ++i) {
      poly.set(i, values == Values::random    ? test::random_below(modulus, rng)
                  : values == Values::largest ? top
                                              : WideInteger{});
    }
  }
  return key;
}

inline Encryption make_encryption(std::size_t n, std::uint32_t tag, std::uint32_t key_name,
                                  Values values, std::mt19937_64& rng) {
  Encryption encryption;
  encryption.key_name = key_name;
  encryption.tag = tag;
  const auto bit = [&](Values v) {
    return static_cast<std::uint8_t>(v == Values::zero ? 0 : v == Values::random ? rng() & 1 : 1);
  };
  for (std::size_t i = 0; i < n; ++i) {
    encryption.u.push_back(bit(values));
    encryption.message.push_back(bit(values));
    for (auto& noise : encryption.noise) {
      const int value = values == Values::zero      ? 0
                        : values == Values::largest ? 32767
                        : values == Values::random  ? static_cast<int>(rng() & 0xffff) - 32768
                                                    : -32768;
      noise.push_back(static_cast<std::int16_t>(value));
    }
  }
  return encryption;
}

/// Encryptions that the card works on at once.
struct Group {
  std::vector<Encryption> encryptions;
  const Oracle* oracle;
  std::uint32_t key_name;
};

struct Session {
  std::vector<Burst> input;
  std::vector<Group> groups;
};

/// `count` random encryptions in groups of `lanes`; the last group is ended.
inline Session make_session(const Oracle& oracle, const Key& key, std::size_t n, std::size_t count,
                            std::size_t lanes, std::mt19937_64& rng) {
  Session session;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % lanes == 0) session.groups.push_back({{}, &oracle, key.name});
    Encryption encryption =
        make_encryption(n, static_cast<std::uint32_t>(i), key.name, Values::random, rng);
    encryption.ends_group = i + 1 == count;
    append(session.input, encryption);
    session.groups.back().encryptions.push_back(std::move(encryption));
  }
  return session;
}

/// Expects each encryption's two components, once, in the order of groups: the first components of
/// a group, then the second ones.
inline void expect_results(std::span<const Burst> stream, const std::vector<Group>& groups,
                           std::size_t n) {
  for (const Group& group : groups) {
    for (std::size_t c = 0; c < 2; ++c) {
      for (const Encryption& encryption : group.encryptions) {
        const auto polynomial = take_polynomial(stream, n);
        ASSERT_TRUE(polynomial.has_value());
        ASSERT_EQ(polynomial->tag, encryption.tag);
        ASSERT_EQ(polynomial->second, c == 1);
        const bool wrong = encryption.key_name != group.key_name;
        ASSERT_EQ(polynomial->wrong_key, wrong);
        const std::vector<Burst> wanted =
            wrong ? std::vector<Burst>(n) : group.oracle->component(encryption, c);
        ASSERT_EQ(polynomial->coefficients, wanted)
            << "tag " << encryption.tag << " component " << c;
      }
    }
  }
  EXPECT_TRUE(stream.empty()) << "more bursts than results";
}

}  // namespace ringlet::hw::resident
