// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <flint/fmpz_mod_poly.h>
#include <flint/fmpz_poly.h>

#include "hw/karatsuba/model/resident_frames.hpp"
#include "hw/karatsuba/tb/stream_driver.hpp"
#include "ringlet/cyclotomic.hpp"
#include "ringlet/wide_modulus.hpp"
#include "support/values.hpp"

namespace ringlet::hw::resident {

/// FLINT's integer, freed by itself.
class Fmpz {
 public:
  Fmpz() { fmpz_init(value_); }
  explicit Fmpz(const WideInteger& words) : Fmpz() {
    for (std::size_t i = kWideWords; i-- > 0;) {
      fmpz_mul_2exp(value_, value_, 64);
      fmpz_add_ui(value_, value_, words[i]);
    }
  }
  Fmpz(const Fmpz&) = delete;
  Fmpz& operator=(const Fmpz&) = delete;
  ~Fmpz() { fmpz_clear(value_); }
  fmpz* get() { return value_; }
  /// Its low 128 bits; it is not negative.
  Burst burst() const {
    Fmpz high;
    fmpz_fdiv_q_2exp(high.value_, value_, 64);
    return {fmpz_get_ui_low(value_), fmpz_get_ui_low(high.value_)};
  }

 private:
  static std::uint64_t fmpz_get_ui_low(const fmpz_t value) {
    fmpz_t low;
    fmpz_init(low);
    fmpz_fdiv_r_2exp(low, value, 64);
    const std::uint64_t result = fmpz_get_ui(low);
    fmpz_clear(low);
    return result;
  }
  fmpz_t value_;
};

/// Ciphertexts by FLINT: (P_c * U + E_c + bit * message) modulo Phi_m and q.
class Oracle {
 public:
  Oracle(std::uint64_t index, const Key& key) : key_(key) {
    Fmpz q(key.modulus);
    fmpz_mod_ctx_init(context_, q.get());
    const CyclotomicPolynomial phi(index);
    degree_ = phi.degree();
    fmpz_mod_poly_init(phi_, context_);
    for (std::size_t i = 0; i <= degree_; ++i) {
      Fmpz coefficient;
      fmpz_set_si(coefficient.get(), phi.coefficients()[i]);
      set(phi_, i, coefficient.get());
    }
    for (std::size_t c = 0; c < 2; ++c) {
      fmpz_mod_poly_init(polys_[c], context_);
      for (std::size_t i = 0; i < degree_; ++i) {
        Fmpz coefficient(key.polys[c][i]);
        set(polys_[c], i, coefficient.get());
      }
    }
  }
  Oracle(const Oracle&) = delete;
  Oracle& operator=(const Oracle&) = delete;
  ~Oracle() {
    for (auto& poly : polys_) fmpz_mod_poly_clear(poly, context_);
    fmpz_mod_poly_clear(phi_, context_);
    fmpz_mod_ctx_clear(context_);
  }

  std::vector<Burst> component(const Encryption& encryption, std::size_t c) const {
    fmpz_mod_poly_t u, result;
    fmpz_mod_poly_init(u, context_);
    fmpz_mod_poly_init(result, context_);
    for (std::size_t i = 0; i < degree_; ++i) {
      fmpz_mod_poly_set_coeff_ui(u, static_cast<slong>(i), encryption.u[i], context_);
    }
    fmpz_mod_poly_mul(result, polys_[c], u, context_);
    fmpz_mod_poly_rem(result, result, phi_, context_);
    std::vector<Burst> values(degree_);
    for (std::size_t i = 0; i < degree_; ++i) {
      Fmpz value, q(key_.modulus), bit(key_.message_bit);
      fmpz_mod_poly_get_coeff_fmpz(value.get(), result, static_cast<slong>(i), context_);
      Fmpz noise;
      fmpz_set_si(noise.get(), encryption.noise[c][i]);
      fmpz_add(value.get(), value.get(), noise.get());
      if (c == 0) fmpz_addmul_ui(value.get(), bit.get(), encryption.message[i]);
      fmpz_fdiv_r(value.get(), value.get(), q.get());
      values[i] = value.burst();
    }
    fmpz_mod_poly_clear(u, context_);
    fmpz_mod_poly_clear(result, context_);
    return values;
  }

 private:
  void set(fmpz_mod_poly_t poly, std::size_t i, const fmpz* value) {
    Fmpz reduced;
    fmpz_mod_set_fmpz(reduced.get(), value, context_);
    fmpz_mod_poly_set_coeff_fmpz(poly, static_cast<slong>(i), reduced.get(), context_);
  }

  const Key& key_;
  std::size_t degree_ = 0;
  fmpz_mod_ctx_t context_;
  fmpz_mod_poly_t phi_;
  std::array<fmpz_mod_poly_t, 2> polys_;
};

inline WideInteger random_below(const WideInteger& q, std::mt19937_64& rng) {
  Fmpz limit(q), value(WideInteger{rng(), rng(), 0});
  fmpz_fdiv_r(value.get(), value.get(), limit.get());
  const Burst burst = value.burst();
  return {burst[0], burst[1], 0};
}

/// What operands a test wants.
enum class Values { random, zero, largest, smallest_noise };

inline Key make_key(std::size_t n, const WideInteger& q, std::uint32_t name, Values values,
                    std::mt19937_64& rng) {
  Key key;
  key.name = name;
  key.modulus = q;
  const WideInteger top{q[0] - 1, q[1], q[2]};
  key.message_bit = values == Values::largest ? top : random_below(q, rng);
  for (WidePoly& poly : key.polys) {
    poly = WidePoly(n, 2);
    for (std::size_t i = 0; i < n; ++i) {
      poly.set(i, values == Values::random    ? random_below(q, rng)
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

/// `count` random encryptions in groups of `lanes`, the last one ended.
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
