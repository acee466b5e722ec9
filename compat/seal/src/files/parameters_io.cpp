// SPDX-License-Identifier: Apache-2.0
// Moduli and parameters as SEAL saves them.
#include <istream>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "files/object_io.hpp"
#include "seal/encryptionparams.h"
#include "seal/modulus.h"
#include "seal/serialization.h"

namespace ringlet::seal4::detail {
namespace {

constexpr std::size_t kModulusObjectBytes = kHeaderBytes + 8;

/// Returns the bytes of scheme, degree, number of primes, the primes, and the plaintext modulus.
constexpr std::size_t parameters_bytes(std::size_t prime_count) {
  return 1 + 8 + 8 + (prime_count + 1) * kModulusObjectBytes;
}

void check_saved(bool accepted, const char* operation, const std::string& offending,
                 const char* limit) {
  if (!accepted) throw_bad_data(operation, offending, limit);
}

EncryptionParameters read_parameters(std::istream& stream) {
  constexpr const char* kOperation = "EncryptionParameters::load";
  const auto scheme = read_value<std::uint8_t>(stream);
  check_saved(scheme <= static_cast<std::uint8_t>(scheme_type::bgv), kOperation,
              "scheme = " + std::to_string(scheme), "0 (none), 1 (bfv), 2 (ckks) or 3 (bgv)");
  const auto degree = read_value<std::uint64_t>(stream);
  check_saved(degree <= SEAL_POLY_MOD_DEGREE_MAX, kOperation,
              "poly_modulus_degree = " + std::to_string(degree), "at most 131072");
  const auto prime_count = read_value<std::uint64_t>(stream);
  check_saved(prime_count <= SEAL_COEFF_MOD_COUNT_MAX, kOperation,
              std::to_string(prime_count) + " primes", "at most 256 primes");

  std::vector<Modulus> primes;
  for (std::uint64_t i = 0; i < prime_count; ++i) primes.emplace_back().load(stream);
  Modulus plain_modulus;
  plain_modulus.load(stream);

  EncryptionParameters parms(scheme);
  parms.set_poly_modulus_degree(static_cast<std::size_t>(degree));
  // Parameters may have been saved before their primes were chosen.
  if (!primes.empty()) parms.set_coeff_modulus(primes);
  parms.set_plain_modulus(plain_modulus);
  return parms;
}

}  // namespace

constexpr std::size_t members_size(const Modulus&) { return 8; }

std::size_t members_size(const EncryptionParameters& parms) {
  return parameters_bytes(parms.coeff_modulus().size());
}

void write_members(const Modulus& modulus, std::ostream& stream) {
  write_value(stream, modulus.value());
}

void write_members(const EncryptionParameters& parms, std::ostream& stream) {
  write_value(stream, parms.scheme());
  write_value(stream, std::uint64_t{parms.poly_modulus_degree()});
  write_value(stream, std::uint64_t{parms.coeff_modulus().size()});
  for (const Modulus& prime : parms.coeff_modulus()) prime.save(stream, compr_mode_type::none);
  parms.plain_modulus().save(stream, compr_mode_type::none);
}

template <class... Input>
std::streamoff load_to(Modulus& target, Input&&... input) {
  std::uint64_t value = 0;
  const auto members = [&value](std::istream& stream, SEALVersion) {
    value = read_value<std::uint64_t>(stream);
    check_saved(value != 1 && value >> SEAL_MOD_BIT_COUNT_MAX == 0, "Modulus::load",
                "a value of " + std::to_string(value), "0, or a modulus of 2 to 61 bits");
  };
  const std::streamoff bytes = Serialization::Load(members, std::forward<Input>(input)..., false,
                                                   std::uint64_t{kModulusObjectBytes});
  target = value;
  return bytes;
}

template <class... Input>
std::streamoff load_to(EncryptionParameters& target, Input&&... input) {
  EncryptionParameters loaded;
  const auto members = [&loaded](std::istream& stream, SEALVersion) {
    loaded = read_parameters(stream);
  };
  constexpr std::uint64_t kBound = kHeaderBytes + parameters_bytes(SEAL_COEFF_MOD_COUNT_MAX);
  const std::streamoff bytes =
      Serialization::Load(members, std::forward<Input>(input)..., false, kBound);
  target = std::move(loaded);
  return bytes;
}

template class Saved<Modulus>;
template class LoadedAlone<Modulus>;
template class Saved<EncryptionParameters>;
template class LoadedAlone<EncryptionParameters>;

}  // namespace ringlet::seal4::detail
