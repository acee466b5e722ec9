// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "seal/seal.h"
#include "seal_objects.hpp"

// A program's services for one scheme, on small parameters, with integers in slots as messages in
// every scheme.

namespace ringlet::test {

using Slots = std::vector<std::int64_t>;

inline std::string scheme_name(const testing::TestParamInfo<scheme_type>& info) {
  return info.param == scheme_type::bfv ? "bfv" : info.param == scheme_type::bgv ? "bgv" : "ckks";
}

inline constexpr std::size_t kServiceDegree = 64;
inline const double kServiceScale = std::pow(2.0, 40);

inline EncryptionParameters service_parameters(scheme_type scheme,
                                               const std::vector<int>& bits = {50, 40, 40, 40, 50},
                                               std::size_t degree = kServiceDegree) {
  return parameters_of(scheme, degree, seal::CoeffModulus::Create(degree, bits),
                       seal::PlainModulus::Batching(degree, 20));
}

struct Services {
  explicit Services(scheme_type scheme_in) : Services(service_parameters(scheme_in), true) {}
  Services(const EncryptionParameters& parms_in, bool expand_mod_chain)
      : scheme(parms_in.scheme()),
        parms(parms_in),
        context(parms_in, expand_mod_chain, sec_level_type::none),
        keygen(context),
        evaluator(context),
        decryptor(context, keygen.secret_key()),
        encryptor(context, keygen.secret_key()) {
    keygen.create_public_key(public_key);
    encryptor.set_public_key(public_key);
    if (!context.using_keyswitching()) return;
    keygen.create_relin_keys(relin_keys);
    keygen.create_galois_keys(galois_keys);
  }

  bool is_ckks() const { return scheme == scheme_type::ckks; }
  std::size_t slot_count() const { return is_ckks() ? kServiceDegree / 2 : kServiceDegree; }

  Plaintext encode(const Slots& slots, double scale = kServiceScale) const {
    return encode_at(context.first_parms_id(), slots, scale);
  }
  /// Encodes at a level, which only matters in CKKS.
  Plaintext encode_at(const parms_id_type& parms_id, const Slots& slots,
                      double scale = kServiceScale) const {
    Plaintext plain;
    if (is_ckks()) {
      seal::CKKSEncoder(context).encode(std::vector<double>(slots.begin(), slots.end()), parms_id,
                                        scale, plain);
    } else {
      seal::BatchEncoder(context).encode(slots, plain);
    }
    return plain;
  }
  Slots decode(const Plaintext& plain) const {
    Slots slots;
    if (!is_ckks()) {
      seal::BatchEncoder(context).decode(plain, slots);
      return slots;
    }
    std::vector<double> values;
    seal::CKKSEncoder(context).decode(plain, values);
    for (const double value : values) slots.push_back(std::llround(value));
    return slots;
  }
  Ciphertext encrypt(const Slots& slots) const {
    Ciphertext result;
    encryptor.encrypt(encode(slots), result);
    return result;
  }
  Slots decrypt(const Ciphertext& encrypted) {
    Plaintext plain;
    decryptor.decrypt(encrypted, plain);
    return decode(plain);
  }

  scheme_type scheme;
  EncryptionParameters parms;
  SEALContext context;
  seal::KeyGenerator keygen;
  PublicKey public_key;
  RelinKeys relin_keys;
  GaloisKeys galois_keys;
  seal::Evaluator evaluator;
  seal::Decryptor decryptor;
  seal::Encryptor encryptor;
};

/// The small coefficients of a polynomial in NTT form at the key level. Expects the same
/// coefficients modulo every prime.
inline std::vector<std::int64_t> small_coefficients(const SEALContext& context,
                                                    std::vector<std::uint64_t> words) {
  const auto level = context.key_context_data();
  const auto& primes = level->parms().coeff_modulus();
  const std::size_t degree = level->parms().poly_modulus_degree();
  std::vector<std::int64_t> result;
  for (std::size_t i = 0; i < primes.size(); ++i) {
    std::uint64_t* limb = words.data() + i * degree;
    seal::util::inverse_ntt_negacyclic_harvey(limb, level->small_ntt_tables()[i]);
    std::vector<std::int64_t> centred;
    for (std::size_t n = 0; n < degree; ++n) {
      const auto value = static_cast<std::int64_t>(limb[n]);
      const auto q = static_cast<std::int64_t>(primes[i].value());
      centred.push_back(value > q / 2 ? value - q : value);
    }
    if (i == 0) result = centred;
    EXPECT_EQ(centred, result) << "prime " << i;
  }
  return result;
}

/// c0 + c1*s of an encryption of zero in NTT form at the key level.
inline std::vector<std::int64_t> noise_of(const Services& s, const Ciphertext& zero) {
  const auto& primes = s.context.key_context_data()->parms().coeff_modulus();
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; i < primes.size() * kServiceDegree; ++i) {
    const seal::Modulus& q = primes[i / kServiceDegree];
    const std::uint64_t product =
        seal::util::multiply_uint_mod(zero.data(1)[i], s.keygen.secret_key().data()[i], q);
    words.push_back(seal::util::add_uint_mod(zero.data(0)[i], product, q));
  }
  return small_coefficients(s.context, words);
}

/// A program's own generator, which no file can name.
class CountingGenerator : public seal::UniformRandomGenerator {
 public:
  explicit CountingGenerator(seal::prng_seed_type seed) : UniformRandomGenerator(seed) {}

 protected:
  seal::prng_type type() const noexcept override { return seal::prng_type::unknown; }
  void refill_buffer() override {
    for (auto* byte = buffer_begin_; byte != buffer_end_; ++byte) *byte = std::byte{next_++};
  }

 private:
  std::uint8_t next_ = 0;
};

class CountingFactory : public seal::UniformRandomGeneratorFactory {
 protected:
  std::shared_ptr<seal::UniformRandomGenerator> create_impl(seal::prng_seed_type seed) override {
    return std::make_shared<CountingGenerator>(seed);
  }
};

/// first, first + step, ... in all slots.
inline Slots counting(const Services& services, std::int64_t first, std::int64_t step = 1) {
  Slots slots(services.slot_count());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    slots[i] = first + step * static_cast<std::int64_t>(i);
  }
  return slots;
}

template <typename Operation>
Slots slotwise(const Slots& a, const Slots& b, Operation operation) {
  Slots result;
  for (std::size_t i = 0; i < a.size(); ++i) result.push_back(operation(a[i], b[i]));
  return result;
}
inline Slots sum(const Slots& a, const Slots& b) {
  return slotwise(a, b, [](std::int64_t x, std::int64_t y) { return x + y; });
}
inline Slots difference(const Slots& a, const Slots& b) {
  return slotwise(a, b, [](std::int64_t x, std::int64_t y) { return x - y; });
}
inline Slots product(const Slots& a, const Slots& b) {
  return slotwise(a, b, [](std::int64_t x, std::int64_t y) { return x * y; });
}

// The result of s.evaluator.operation(operand, ..., destination). Expects the same words from the
// operation in place.
#define EVALUATED(operation, operand, ...)                                \
  [&] {                                                                   \
    std::decay_t<decltype(operand)> written;                              \
    s.evaluator.operation(operand __VA_OPT__(, ) __VA_ARGS__, written);   \
    auto in_place = operand;                                              \
    s.evaluator.operation##_inplace(in_place __VA_OPT__(, ) __VA_ARGS__); \
    EXPECT_TRUE(ringlet::test::same(written, in_place)) << #operation;    \
    return written;                                                       \
  }()

// Expects the same words with a pool and without one too.
#define EVALUATED_WITH_POOL(operation, operand, ...)                                   \
  [&] {                                                                                \
    auto expected = EVALUATED(operation, operand __VA_OPT__(, ) __VA_ARGS__);          \
    const auto pool = MemoryPoolHandle::New();                                         \
    std::decay_t<decltype(operand)> pooled;                                            \
    s.evaluator.operation(operand __VA_OPT__(, ) __VA_ARGS__, pooled, pool);           \
    EXPECT_TRUE(ringlet::test::same(expected, pooled)) << #operation;                  \
    auto pooled_in_place = operand;                                                    \
    s.evaluator.operation##_inplace(pooled_in_place __VA_OPT__(, ) __VA_ARGS__, pool); \
    EXPECT_TRUE(ringlet::test::same(expected, pooled_in_place)) << #operation;         \
    return expected;                                                                   \
  }()

class SealServices : public testing::TestWithParam<scheme_type> {
 protected:
  SealServices() : s(GetParam()) {}

  Services s;
};

/// Another context: the ring of half the degree.
inline SEALContext foreign_context(scheme_type scheme) {
  return context_of(service_parameters(scheme, {50, 40, 50}, kServiceDegree / 2));
}

/// A context of parameters that SEALContext refuses.
inline SEALContext invalid_context(scheme_type scheme) {
  EncryptionParameters parms = service_parameters(scheme);
  parms.set_poly_modulus_degree(kServiceDegree - 1);
  return context_of(parms);
}

}  // namespace ringlet::test
