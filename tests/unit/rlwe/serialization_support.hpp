// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/rlwe/serialization.hpp"
#include "ringlet/schemes/decryptor.hpp"
#include "ringlet/schemes/encryptor.hpp"
#include "rlwe_support.hpp"

namespace ringlet::test {

using FileBytes = std::vector<std::byte>;

inline constexpr SchemeType kSchemes[] = {SchemeType::bfv, SchemeType::ckks, SchemeType::bgv};
inline constexpr Compression kCompressions[] = {Compression::none, Compression::zstd};

/// Three data primes, two special primes, digits of two primes.
inline EncryptionParameters file_parameters(SchemeType scheme, std::size_t degree) {
  EncryptionParameters parms =
      parameters_of(scheme, degree, CoeffModulus::create(degree, {36, 36, 40, 49, 50}), 2);
  if (scheme != SchemeType::ckks) {
    parms.set_plain_modulus(PlainModulus::batching(degree, degree < 1024 ? 14 : 20));
  }
  return parms;
}

inline Context file_context(SchemeType scheme, std::size_t degree,
                            const KernelSelection& kernels = KernelSelection::from_environment()) {
  return Context(file_parameters(scheme, degree), SecurityLevel::none,
                 SecurityTable::classical_2024, kernels);
}

/// A context and one of each object that can be saved, all from fixed seeds.
struct Objects {
  explicit Objects(const Context& with, const std::vector<int>& galois_steps = {1, 0},
                   std::uint64_t seed = 21)
      : context(with),
        keygen(context, RandomSource::for_testing(seed)),
        public_key(keygen.create_public_key()),
        relin_keys(keygen.create_relin_keys()),
        galois_keys(keygen.create_galois_keys(galois_steps)),
        encryptor(context, public_key, keygen.secret_key(), RandomSource::for_testing(seed + 1)),
        decryptor(context, keygen.secret_key()),
        evaluator(context),
        plain(make_plain()),
        encrypted(encryptor.encrypt(plain)),
        seeded(encryptor.encrypt_symmetric_seeded(plain)) {}
  Objects(SchemeType scheme, std::size_t degree) : Objects(file_context(scheme, degree)) {}

  /// Fixed words in the form that the scheme encrypts.
  Plaintext make_plain() const {
    const auto fill = [](std::span<std::uint64_t> words, std::uint64_t q) {
      for (std::size_t n = 0; n < words.size(); ++n) {
        words[n] = n == 0 ? 0 : n == 1 ? q - 1 : n * 0x9e3779b97f4a7c15u % q;
      }
    };
    if (context.scheme() != SchemeType::ckks) {
      Plaintext result(context.ring().degree());
      fill(result.coefficients_for_writing(), context.plain_modulus().value());
      return result;
    }
    const ContextData& level = *context.first_context_data();
    Plaintext result(level);
    const NttView view = result.ntt_view_for_writing();
    for (std::size_t i = 0; i < view.limb_count; ++i) {
      fill(view.limb(i), level.coeff_modulus()[i].value());
    }
    result.scale() = 1048576.0;
    return result;
  }

  Context context;
  KeyGenerator keygen;
  PublicKey public_key;
  RelinKeys relin_keys;
  GaloisKeys galois_keys;
  Encryptor encryptor;
  Decryptor decryptor;
  Evaluator evaluator;
  Plaintext plain;
  Ciphertext encrypted;
  SeededCiphertext seeded;
};

inline Words words_of(const Plaintext& plain) {
  if (plain.is_ntt_form()) return words_of(plain.ntt_view());
  return {plain.coefficients().begin(), plain.coefficients().end()};
}

inline bool same(const Ciphertext& a, const Ciphertext& b) {
  return a.parms_id() == b.parms_id() && a.form() == b.form() && a.size() == b.size() &&
         a.scale() == b.scale() && a.correction_factor() == b.correction_factor() &&
         words_of(a) == words_of(b);
}

inline bool same(const Plaintext& a, const Plaintext& b) {
  return a.parms_id() == b.parms_id() && a.scale() == b.scale() && words_of(a) == words_of(b);
}

inline bool same(const PublicKey& a, const PublicKey& b) {
  return same(a.data(), b.data()) && a.seed() == b.seed();
}

inline bool same(const KSwitchKey& a, const KSwitchKey& b) {
  if (a.digit_count() != b.digit_count() || a.seeds() != b.seeds()) return false;
  for (std::size_t i = 0; i < a.digit_count(); ++i) {
    if (!same(a.pair(i), b.pair(i))) return false;
  }
  return true;
}

inline bool same(const RelinKeys& a, const RelinKeys& b) {
  if (a.parms_id() != b.parms_id() || a.powers() != b.powers()) return false;
  return std::ranges::all_of(a.powers(),
                             [&](std::uint64_t power) { return same(a.key(power), b.key(power)); });
}

inline bool same(const GaloisKeys& a, const GaloisKeys& b) {
  if (a.parms_id() != b.parms_id() || a.galois_elements() != b.galois_elements()) return false;
  return std::ranges::all_of(a.galois_elements(), [&](std::uint64_t element) {
    return same(a.key(element), b.key(element));
  });
}

inline bool same(const SecretKey& a, const SecretKey& b) {
  return a.parms_id() == b.parms_id() && words_of(a.view()) == words_of(b.view());
}

inline bool same(const SavedParameters& a, const SavedParameters& b) {
  return a.parms == b.parms && a.level == b.level && a.table == b.table;
}

/// The operation that errors of load<T> name.
template <typename T>
std::string load_operation() {
  if constexpr (std::is_same_v<T, Plaintext>) return "load Plaintext";
  if constexpr (std::is_same_v<T, Ciphertext>) return "load Ciphertext";
  if constexpr (std::is_same_v<T, PublicKey>) return "load PublicKey";
  if constexpr (std::is_same_v<T, RelinKeys>) return "load RelinKeys";
  return "load GaloisKeys";
}

inline std::string as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline std::istringstream stream_of(std::span<const std::byte> bytes) {
  return std::istringstream(as_text(bytes), std::ios::binary);
}

/// Expects the same parameters from memory and from a stream, and the same context.
inline void expect_parameters_come_back(const Context& context) {
  const SavedParameters saved = SavedParameters::of(context);
  const SecurityLevel level = context.security_level();
  for (const Compression compression : kCompressions) {
    const FileBytes file = save(saved, compression);
    const SavedParameters loaded = load_parameters(file, level);
    EXPECT_TRUE(same(loaded, saved));
    EXPECT_EQ(loaded.make_context().key_parms_id(), context.key_parms_id());
    auto stream = stream_of(file);
    EXPECT_TRUE(same(load_parameters(stream, level), saved));
  }
  EXPECT_EQ(save(saved, Compression::none).size(), save_size(saved));
}

}  // namespace ringlet::test
