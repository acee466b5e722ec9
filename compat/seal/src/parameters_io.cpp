// SPDX-License-Identifier: Apache-2.0
// Moduli and parameters as SEAL saves them.
#include <istream>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "object_io.hpp"
#include "seal/encryptionparams.h"
#include "seal/modulus.h"
#include "seal/serialization.h"

namespace ringlet::seal4 {
namespace {

constexpr std::size_t kModulusBytes = 8;
constexpr std::size_t kModulusObjectBytes = detail::kHeaderBytes + kModulusBytes;

/// Scheme, degree and number of primes, the primes, and the plaintext modulus.
constexpr std::size_t parameters_bytes(std::size_t prime_count) {
  return 1 + 8 + 8 + (prime_count + 1) * kModulusObjectBytes;
}

void check_saved(bool accepted, const char* operation, const std::string& offending,
                 const char* limit) {
  if (!accepted) detail::throw_bad_data(operation, offending, limit);
}

/// Where to: (stream), or (buffer, size).
template <class... Output>
std::streamoff save_modulus(std::uint64_t value, compr_mode_type mode, Output&&... output) {
  const auto members = [value](std::ostream& stream) { detail::write_value(stream, value); };
  return Serialization::Save(members, kModulusObjectBytes, std::forward<Output>(output)..., mode,
                             false);
}

/// Where from: (stream), or (buffer, size).
template <class... Input>
std::streamoff load_modulus(Modulus& target, Input&&... input) {
  std::uint64_t value = 0;
  const auto members = [&value](std::istream& stream, SEALVersion) {
    value = detail::read_value<std::uint64_t>(stream);
    check_saved(value != 1 && value >> SEAL_MOD_BIT_COUNT_MAX == 0, "Modulus::load",
                "a value of " + std::to_string(value), "0, or 2 up to 61 bits");
  };
  const std::streamoff bytes = Serialization::Load(members, std::forward<Input>(input)..., false,
                                                   std::uint64_t{kModulusObjectBytes});
  target = value;
  return bytes;
}

EncryptionParameters read_parameters(std::istream& stream) {
  constexpr const char* kOperation = "EncryptionParameters::load";
  const auto scheme = detail::read_value<std::uint8_t>(stream);
  check_saved(scheme <= static_cast<std::uint8_t>(scheme_type::bgv), kOperation,
              "scheme = " + std::to_string(scheme), "0 (none), 1 (bfv), 2 (ckks) or 3 (bgv)");
  const auto degree = detail::read_value<std::uint64_t>(stream);
  check_saved(degree <= SEAL_POLY_MOD_DEGREE_MAX, kOperation,
              "poly_modulus_degree = " + std::to_string(degree), "at most 131072");
  const auto prime_count = detail::read_value<std::uint64_t>(stream);
  check_saved(prime_count <= SEAL_COEFF_MOD_COUNT_MAX, kOperation,
              std::to_string(prime_count) + " primes", "at most 256 primes");

  std::vector<Modulus> primes(static_cast<std::size_t>(prime_count));
  for (Modulus& prime : primes) prime.load(stream);
  Modulus plain_modulus;
  plain_modulus.load(stream);

  EncryptionParameters parms(scheme);
  parms.set_poly_modulus_degree(static_cast<std::size_t>(degree));
  // Parameters may have been saved before their primes were chosen.
  if (!primes.empty()) parms.set_coeff_modulus(primes);
  parms.set_plain_modulus(plain_modulus);
  return parms;
}

template <class... Input>
std::streamoff load_parameters(EncryptionParameters& target, Input&&... input) {
  EncryptionParameters loaded;
  const auto members = [&loaded](std::istream& stream, SEALVersion) {
    loaded = read_parameters(stream);
  };
  constexpr std::uint64_t kBound =
      detail::kHeaderBytes + parameters_bytes(SEAL_COEFF_MOD_COUNT_MAX);
  const std::streamoff bytes =
      Serialization::Load(members, std::forward<Input>(input)..., false, kBound);
  target = std::move(loaded);
  return bytes;
}

template <class... Output>
std::streamoff save_parameters(const EncryptionParameters& parms, compr_mode_type mode,
                               Output&&... output) {
  const auto members = [&parms](std::ostream& stream) {
    detail::write_value(stream, parms.scheme());
    detail::write_value(stream, std::uint64_t{parms.poly_modulus_degree()});
    detail::write_value(stream, std::uint64_t{parms.coeff_modulus().size()});
    for (const Modulus& prime : parms.coeff_modulus()) prime.save(stream, compr_mode_type::none);
    parms.plain_modulus().save(stream, compr_mode_type::none);
  };
  return Serialization::Save(members, parms.save_size(compr_mode_type::none),
                             std::forward<Output>(output)..., mode, false);
}

}  // namespace

std::streamoff Modulus::save_size(compr_mode_type compr_mode) const {
  return detail::object_size(kModulusBytes, compr_mode);
}

std::streamoff Modulus::save(std::ostream& stream, compr_mode_type compr_mode) const {
  return save_modulus(value_, compr_mode, stream);
}

std::streamoff Modulus::save(seal_byte* out, std::size_t size, compr_mode_type compr_mode) const {
  return save_modulus(value_, compr_mode, out, size);
}

std::streamoff Modulus::load(std::istream& stream) { return load_modulus(*this, stream); }

std::streamoff Modulus::load(const seal_byte* in, std::size_t size) {
  return load_modulus(*this, in, size);
}

std::streamoff EncryptionParameters::save_size(compr_mode_type compr_mode) const {
  return detail::object_size(parameters_bytes(coeff_modulus_.size()), compr_mode);
}

std::streamoff EncryptionParameters::save(std::ostream& stream, compr_mode_type compr_mode) const {
  return save_parameters(*this, compr_mode, stream);
}

std::streamoff EncryptionParameters::save(seal_byte* out, std::size_t size,
                                          compr_mode_type compr_mode) const {
  return save_parameters(*this, compr_mode, out, size);
}

std::streamoff EncryptionParameters::load(std::istream& stream) {
  return load_parameters(*this, stream);
}

std::streamoff EncryptionParameters::load(const seal_byte* in, std::size_t size) {
  return load_parameters(*this, in, size);
}

}  // namespace ringlet::seal4
