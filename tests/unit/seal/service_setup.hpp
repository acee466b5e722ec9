// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "seal/seal.h"
#include "support/test.hpp"

// A program's set of services for one scheme, on small parameters, with messages as slots of
// integers in every scheme.

namespace ringlet::test {

using Slots = std::vector<std::int64_t>;

inline constexpr seal::scheme_type kServiceSchemes[] = {
    seal::scheme_type::bfv, seal::scheme_type::bgv, seal::scheme_type::ckks};

inline std::string scheme_name(const testing::TestParamInfo<seal::scheme_type>& info) {
  return info.param == seal::scheme_type::bfv   ? "bfv"
         : info.param == seal::scheme_type::bgv ? "bgv"
                                                : "ckks";
}

inline constexpr std::size_t kServiceDegree = 64;
inline const double kServiceScale = std::pow(2.0, 40);

inline seal::EncryptionParameters service_parameters(seal::scheme_type scheme) {
  seal::EncryptionParameters parms(scheme);
  parms.set_poly_modulus_degree(kServiceDegree);
  parms.set_coeff_modulus(seal::CoeffModulus::Create(kServiceDegree, {50, 40, 40, 40, 50}));
  if (scheme != seal::scheme_type::ckks) {
    parms.set_plain_modulus(seal::PlainModulus::Batching(kServiceDegree, 20));
  }
  return parms;
}

struct Services {
  explicit Services(seal::scheme_type scheme_in) : Services(service_parameters(scheme_in), true) {}
  Services(const seal::EncryptionParameters& parms_in, bool expand_mod_chain)
      : scheme(parms_in.scheme()),
        parms(parms_in),
        context(parms_in, expand_mod_chain, seal::sec_level_type::none),
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

  bool is_ckks() const { return scheme == seal::scheme_type::ckks; }
  std::size_t slot_count() const { return is_ckks() ? kServiceDegree / 2 : kServiceDegree; }

  seal::Plaintext encode(const Slots& slots, double scale = kServiceScale) const {
    return encode_at(context.first_parms_id(), slots, scale);
  }
  /// At a level, which concerns CKKS alone.
  seal::Plaintext encode_at(const seal::parms_id_type& parms_id, const Slots& slots,
                            double scale = kServiceScale) const {
    seal::Plaintext plain;
    if (is_ckks()) {
      seal::CKKSEncoder(context).encode(std::vector<double>(slots.begin(), slots.end()), parms_id,
                                        scale, plain);
    } else {
      seal::BatchEncoder(context).encode(slots, plain);
    }
    return plain;
  }
  Slots decode(const seal::Plaintext& plain) const {
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
  seal::Ciphertext encrypt(const Slots& slots) const {
    seal::Ciphertext result;
    encryptor.encrypt(encode(slots), result);
    return result;
  }
  Slots decrypt(const seal::Ciphertext& encrypted) {
    seal::Plaintext plain;
    decryptor.decrypt(encrypted, plain);
    return decode(plain);
  }

  seal::scheme_type scheme;
  seal::EncryptionParameters parms;
  seal::SEALContext context;
  seal::KeyGenerator keygen;
  seal::PublicKey public_key;
  seal::RelinKeys relin_keys;
  seal::GaloisKeys galois_keys;
  seal::Evaluator evaluator;
  seal::Decryptor decryptor;
  seal::Encryptor encryptor;
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

/// What was thrown: exact where SEAL's programs can tell the difference.
template <typename Call>
std::string thrown_by(Call call) {
  try {
    call();
  } catch (const std::invalid_argument&) {
    return "invalid_argument";
  } catch (const std::out_of_range&) {
    return "out_of_range";
  } catch (const std::logic_error&) {
    return "logic_error";
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing";
}

#define EXPECT_INVALID_ARGUMENT(...) \
  EXPECT_EQ(ringlet::test::thrown_by([&] { __VA_ARGS__; }), "invalid_argument")
#define EXPECT_LOGIC_ERROR(...) \
  EXPECT_EQ(ringlet::test::thrown_by([&] { __VA_ARGS__; }), "logic_error")

class SealServices : public testing::TestWithParam<seal::scheme_type> {
 protected:
  SealServices() : s(GetParam()) {}

  Services s;
};

/// Another context: the ring of half the degree.
inline seal::SEALContext foreign_context(seal::scheme_type scheme) {
  seal::EncryptionParameters parms(scheme);
  parms.set_poly_modulus_degree(kServiceDegree / 2);
  parms.set_coeff_modulus(seal::CoeffModulus::Create(kServiceDegree / 2, {50, 40, 50}));
  if (scheme != seal::scheme_type::ckks) {
    parms.set_plain_modulus(seal::PlainModulus::Batching(kServiceDegree / 2, 20));
  }
  return seal::SEALContext(parms, true, seal::sec_level_type::none);
}

/// Parameters that are refused.
inline seal::SEALContext invalid_context(seal::scheme_type scheme) {
  seal::EncryptionParameters parms = service_parameters(scheme);
  parms.set_poly_modulus_degree(kServiceDegree - 1);
  return seal::SEALContext(parms, true, seal::sec_level_type::none);
}

}  // namespace ringlet::test
