// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "seal/ciphertext.h"
#include "seal/context.h"
#include "seal/dynarray.h"
#include "seal/galoiskeys.h"
#include "seal/kswitchkeys.h"
#include "seal/plaintext.h"
#include "seal/publickey.h"
#include "seal/relinkeys.h"
#include "seal/secretkey.h"
#include "seal/valcheck.h"
#include "unit/seal/files/frame_streams.hpp"

// Small contexts and objects with random words, for tests of the data objects, in which the words
// have no meaning.

namespace ringlet::test {

using seal::Ciphertext;
using seal::compr_mode_type;
using seal::EncryptionParameters;
using seal::GaloisKeys;
using seal::KSwitchKeys;
using seal::MemoryPoolHandle;
using seal::parms_id_type;
using seal::parms_id_zero;
using seal::Plaintext;
using seal::PublicKey;
using seal::RelinKeys;
using seal::scheme_type;
using seal::SEALContext;
using seal::sec_level_type;
using seal::SecretKey;

inline constexpr std::size_t kSmallDegree = 8;
inline constexpr std::uint64_t kSmallPlainModulus = 97;
inline constexpr scheme_type kSchemes[] = {scheme_type::bfv, scheme_type::bgv, scheme_type::ckks};

/// Parameters of SEAL's class; CKKS uses all arguments except t.
inline EncryptionParameters parameters_of(scheme_type scheme, std::size_t degree,
                                          const std::vector<seal::Modulus>& primes,
                                          const seal::Modulus& t) {
  EncryptionParameters parms(scheme);
  parms.set_poly_modulus_degree(degree);
  parms.set_coeff_modulus(primes);
  if (scheme != scheme_type::ckks) parms.set_plain_modulus(t);
  return parms;
}

/// Degrees are small here, so there is no security to check.
inline SEALContext context_of(const EncryptionParameters& parms) {
  return SEALContext(parms, true, sec_level_type::none);
}

/// N = 8 and three primes of 20 bits, two of them data primes. SEAL refuses other degrees.
inline EncryptionParameters small_parameters(scheme_type scheme,
                                             std::size_t degree = kSmallDegree) {
  return parameters_of(scheme, degree, {1048129ULL, 1048193ULL, 1048433ULL}, kSmallPlainModulus);
}

inline SEALContext small_context(scheme_type scheme) {
  return context_of(small_parameters(scheme));
}

inline SEALContext refused_context(scheme_type scheme) {
  return context_of(small_parameters(scheme, 9));
}

inline std::vector<std::uint64_t> values_of(const std::vector<seal::Modulus>& moduli) {
  std::vector<std::uint64_t> values;
  for (const seal::Modulus& modulus : moduli) values.push_back(modulus.value());
  return values;
}

/// Fills `poly_count` polynomials at a level with residues, 0 and q - 1 among them.
inline void fill_residues(std::uint64_t* words, std::size_t poly_count,
                          const EncryptionParameters& parms, std::mt19937_64& random) {
  for (std::size_t i = 0; i < poly_count; ++i) {
    for (const seal::Modulus& q : parms.coeff_modulus()) {
      for (std::size_t j = 0; j < parms.poly_modulus_degree(); ++j) {
        *words++ = j == 0 ? 0 : j == 1 ? q.value() - 1 : random() % q.value();
      }
    }
  }
}

inline Ciphertext random_ciphertext(const SEALContext& context, const parms_id_type& parms_id,
                                    std::size_t size, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  const auto level = context.get_context_data(parms_id);
  Ciphertext result(context, parms_id);
  result.resize(size);
  result.is_ntt_form() = level->parms().scheme() != scheme_type::bfv;
  if (level->parms().scheme() == scheme_type::ckks) result.scale() = 1048576.0;
  fill_residues(result.data(), size, level->parms(), random);
  return result;
}

/// A random plaintext in NTT form at a level.
inline Plaintext random_ntt_plaintext(const SEALContext& context, const parms_id_type& parms_id,
                                      std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  const auto level = context.get_context_data(parms_id);
  Plaintext result(level->parms().poly_modulus_degree() * level->parms().coeff_modulus().size());
  fill_residues(result.data(), 1, level->parms(), random);
  result.parms_id() = parms_id;
  return result;
}

inline SecretKey random_secret_key(const SEALContext& context) {
  const Plaintext words = random_ntt_plaintext(context, context.key_parms_id(), 2);
  SecretKey result;
  result.data() = words;  // copied, so that the key keeps its own pool
  return result;
}

inline PublicKey random_public_key(const SEALContext& context, std::uint64_t seed = 3) {
  PublicKey result;
  result.data() = random_ciphertext(context, context.key_parms_id(), 2, seed);
  result.data().is_ntt_form() = true;
  result.data().scale() = 1.0;
  return result;
}

/// Random keys at the given entries.
template <typename Keys>
Keys random_keys(const SEALContext& context, std::size_t entries,
                 const std::vector<std::size_t>& present) {
  Keys result;
  result.parms_id() = context.key_parms_id();
  result.data().resize(entries);
  for (const std::size_t index : present) {
    const std::size_t pairs = context.first_context_data()->parms().coeff_modulus().size();
    for (std::size_t i = 0; i < pairs; ++i) {
      result.data()[index].push_back(random_public_key(context, 10 * index + i));
    }
  }
  return result;
}

template <typename T>
std::vector<std::uint64_t> words_of(const T& object) {
  return {object.dyn_array().begin(), object.dyn_array().end()};
}

/// The state of an object, by which `same` compares.
inline auto state(const seal::DynArray<std::uint64_t>& in) {
  return std::vector(in.begin(), in.end());
}
inline auto state(const Plaintext& in) {
  return std::tuple(in.parms_id(), in.scale(), words_of(in));
}
inline auto state(const Ciphertext& in) {
  return std::tuple(in.parms_id(), in.is_ntt_form(), in.size(), in.poly_modulus_degree(),
                    in.coeff_modulus_size(), in.scale(), in.correction_factor(), words_of(in));
}
inline auto state(const SecretKey& in) { return state(in.data()); }
inline auto state(const PublicKey& in) { return state(in.data()); }
inline auto state(const KSwitchKeys& in) {
  std::vector<std::vector<decltype(state(PublicKey()))>> pairs;
  for (const std::vector<PublicKey>& entry : in.data()) {
    pairs.emplace_back();
    for (const PublicKey& pair : entry) pairs.back().push_back(state(pair));
  }
  return std::pair(in.parms_id(), pairs);
}

template <typename T>
bool same(const T& a, const T& b) {
  return state(a) == state(b);
}

/// Copies have the given pool or keep their own. A move takes words and pool along and leaves an
/// empty object.
template <typename T>
void expect_copies_and_moves(const T& original) {
  const auto words = [](const T& object) {
    if constexpr (requires { object.data(); }) {
      return object.data();
    } else {
      return object.begin();
    }
  };
  const auto pool = MemoryPoolHandle::New();
  const auto other_pool = MemoryPoolHandle::New();
  T source(original, pool);
  EXPECT_TRUE(same(source, original));
  EXPECT_TRUE(source.pool() == pool);
  T target(other_pool);
  target = source;
  EXPECT_TRUE(same(target, original));
  EXPECT_TRUE(target.pool() == other_pool);
  EXPECT_NE(words(target), words(source));
  const T& itself = target;
  target = itself;
  EXPECT_TRUE(same(target, original));
  EXPECT_TRUE(same(T(source), original));

  const std::uint64_t* memory = words(source);
  T moved(std::move(source));
  EXPECT_TRUE(same(moved, original));
  EXPECT_EQ(words(moved), memory);
  EXPECT_TRUE(moved.pool() == pool);
  EXPECT_TRUE(same(source, T()));
  target = std::move(moved);
  EXPECT_TRUE(same(target, original));
  EXPECT_EQ(words(target), memory);
  EXPECT_TRUE(target.pool() == pool);
  EXPECT_TRUE(same(moved, T()));
}

/// Writes the fields of SEAL's files, little-endian, independently of the library.
class FileWriter {
 public:
  FileWriter& u8(std::uint64_t value) { return number(value, 1); }
  FileWriter& u64(std::uint64_t value) { return number(value, 8); }
  FileWriter& f64(double value) {
    std::uint64_t bits = 0;
    static_assert(sizeof(bits) == sizeof(value));
    std::memcpy(&bits, &value, sizeof(bits));
    return u64(bits);
  }
  FileWriter& parms_id(const parms_id_type& id) {
    for (const std::uint64_t word : id) u64(word);
    return *this;
  }
  FileWriter& append(const Bytes& bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  FileWriter& array(const std::uint64_t* words, std::size_t count) {
    FileWriter members(major_, minor_);
    members.u64(count);
    for (std::size_t i = 0; i < count; ++i) members.u64(words[i]);
    return append(members.object());
  }

  /// Writes as this version of SEAL does.
  explicit FileWriter(int major = 4, int minor = 4) : major_(major), minor_(minor) {}

  /// The bytes written so far, after a header.
  Bytes object() const {
    FileWriter file(major_, minor_);
    const std::uint64_t size = 16 + bytes_.size();
    file.u8(0x5E).u8(0xA1);
    if (major_ == 3 && minor_ == 4) {
      file.u8(0).u8(0).number(size, 4).u64(0);
    } else {
      file.u8(16).u8(static_cast<std::uint64_t>(major_)).u8(static_cast<std::uint64_t>(minor_));
      file.u8(0).number(0, 2).u64(size);
    }
    return file.append(bytes_).bytes_;
  }
  const Bytes& bytes() const { return bytes_; }

 private:
  FileWriter& number(std::uint64_t value, int width) {
    for (int i = 0; i < width; ++i) bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
    return *this;
  }

  int major_;
  int minor_;
  Bytes bytes_;
};

/// The file of a ciphertext by the layout; versions 3.x have no correction factor.
inline Bytes ciphertext_file(const Ciphertext& in, int major = 4, int minor = 4) {
  FileWriter file(major, minor);
  file.parms_id(in.parms_id()).u8(in.is_ntt_form() ? 1 : 0).u64(in.size());
  file.u64(in.poly_modulus_degree()).u64(in.coeff_modulus_size()).f64(in.scale());
  if (major >= 4) file.u64(in.correction_factor());
  return file.array(in.data(), in.dyn_array().size()).object();
}

}  // namespace ringlet::test
