// SPDX-License-Identifier: Apache-2.0
#include "seal/encryptionparams.h"

#include <sodium.h>
#include <string>
#include <vector>

#include "ringlet/base/error.hpp"

namespace ringlet::seal4 {
namespace {

bool has_plain_modulus(scheme_type scheme) {
  return scheme == scheme_type::bfv || scheme == scheme_type::bgv;
}

void append_word(std::vector<unsigned char>& bytes, std::uint64_t word) {
  for (int shift = 0; shift < 64; shift += 8) {
    bytes.push_back(static_cast<unsigned char>(word >> shift));
  }
}

}  // namespace

EncryptionParameters::EncryptionParameters(scheme_type scheme) : scheme_(scheme) {
  compute_parms_id();
}

EncryptionParameters::EncryptionParameters(std::uint8_t scheme)
    : scheme_(static_cast<scheme_type>(scheme)) {
  if (scheme > static_cast<std::uint8_t>(scheme_type::bgv)) {
    throw_invalid_argument({.operation = "EncryptionParameters",
                            .offending = "scheme = " + std::to_string(scheme),
                            .limit = "0 (none), 1 (bfv), 2 (ckks) or 3 (bgv)",
                            .remedy = "pass a value of scheme_type"});
  }
  compute_parms_id();
}

void EncryptionParameters::set_poly_modulus_degree(std::size_t poly_modulus_degree) {
  if (scheme_ == scheme_type::none && poly_modulus_degree != 0) {
    throw_logic_error({.operation = "EncryptionParameters::set_poly_modulus_degree",
                       .offending = "poly_modulus_degree = " + std::to_string(poly_modulus_degree) +
                                    " for parameters without a scheme",
                       .limit = "0 without a scheme",
                       .remedy = "construct the parameters with a scheme"});
  }
  poly_modulus_degree_ = poly_modulus_degree;
  compute_parms_id();
}

void EncryptionParameters::set_coeff_modulus(const std::vector<Modulus>& coeff_modulus) {
  const std::string count = std::to_string(coeff_modulus.size()) + " primes";
  if (scheme_ == scheme_type::none) {
    if (!coeff_modulus.empty()) {
      throw_logic_error({.operation = "EncryptionParameters::set_coeff_modulus",
                         .offending = count + " for parameters without a scheme",
                         .limit = "no primes without a scheme",
                         .remedy = "construct the parameters with a scheme"});
    }
  } else if (coeff_modulus.empty() || coeff_modulus.size() > SEAL_COEFF_MOD_COUNT_MAX) {
    throw_invalid_argument({.operation = "EncryptionParameters::set_coeff_modulus",
                            .offending = count,
                            .limit = "1 to 256 primes",
                            .remedy = "choose primes by CoeffModulus::Create"});
  }
  coeff_modulus_ = coeff_modulus;
  compute_parms_id();
}

void EncryptionParameters::set_plain_modulus(const Modulus& plain_modulus) {
  if (!has_plain_modulus(scheme_) && !plain_modulus.is_zero()) {
    throw_logic_error({.operation = "EncryptionParameters::set_plain_modulus",
                       .offending = "plain_modulus = " + std::to_string(plain_modulus.value()) +
                                    " for a scheme without one",
                       .limit = "0 unless the scheme is bfv or bgv",
                       .remedy = "leave plain_modulus unset"});
  }
  plain_modulus_ = plain_modulus;
  compute_parms_id();
}

void EncryptionParameters::set_plain_modulus(std::uint64_t plain_modulus) {
  set_plain_modulus(Modulus(plain_modulus));
}

void EncryptionParameters::compute_parms_id() {
  std::vector<unsigned char> bytes;
  bytes.reserve(8 * (coeff_modulus_.size() + 3));
  append_word(bytes, static_cast<std::uint64_t>(scheme_));
  append_word(bytes, poly_modulus_degree_);
  for (const Modulus& prime : coeff_modulus_) append_word(bytes, prime.value());
  append_word(bytes, plain_modulus_.value());

  unsigned char digest[32];
  crypto_generichash_blake2b(digest, sizeof digest, bytes.data(), bytes.size(), nullptr, 0);
  for (std::size_t i = 0; i < parms_id_.size(); ++i) {
    parms_id_[i] = 0;
    for (std::size_t j = 8; j-- > 0;) parms_id_[i] = parms_id_[i] << 8 | digest[8 * i + j];
  }
}

}  // namespace ringlet::seal4
