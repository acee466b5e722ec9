// SPDX-License-Identifier: Apache-2.0
#include "ringlet/estimates/object_sizes.hpp"

#include <cstdint>
#include <limits>
#include <string>

#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ringlet/ring/ring_spec.hpp"
#include "rlwe/scheme_traits.hpp"
#include "rlwe/serialization/layout.hpp"
#include "rlwe/validation.hpp"

namespace ringlet {
namespace {

constexpr std::size_t kWordBytes = 8;
constexpr std::size_t kMaxRelinKeys = kMaxCiphertextSize - 2;

// The largest set of keys has a key for each automorphism and a digit for each prime. All other
// sizes are smaller, so that none overflows.
constexpr std::size_t kLargestKey =
    rlwe::key_bytes(kMaxCoeffModulusCount, kMaxCoeffModulusCount, kMaxPolyModulusDegree, false);
static_assert(kLargestKey < std::numeric_limits<std::size_t>::max() / kMaxPolyModulusDegree / 2);

// The numbers that determine all sizes.
struct Shape {
  std::size_t degree = 0;
  std::size_t data_primes = 0;
  std::size_t key_primes = 0;
  std::size_t digits = 0;
};

Shape shape_of(const EncryptionParameters& parms) {
  const rlwe::SchemeTraits traits = rlwe::traits_of(parms.scheme());
  if (!traits.is_implemented || (parms.has_general_ring() && traits.has_scale)) {
    refuse(concat("scheme = ", to_string(parms.scheme()),
                  parms.has_general_ring() ? " over Z[X]/Phi_m" : ""),
           "bfv, ckks or bgv; ckks over X^N + 1 alone",
           "make parameters with a scheme that supports this ring");
  }
  rlwe::check_prime_count(parms);
  return {.degree = parms.ring().degree(),
          .data_primes = parms.data_primes().size(),
          .key_primes = parms.coeff_modulus().size(),
          .digits = parms.digit_count()};
}

[[noreturn]] void refuse_plain_modulus(const EncryptionParameters& parms) {
  refuse(concat("plain modulus t = ", parms.plain_modulus()),
         "from 2 on, below the product of the data primes",
         "set another plain modulus, or use more or larger primes");
}

std::size_t last_level(const EncryptionParameters& parms) {
  if (!rlwe::traits_of(parms.scheme()).has_plain_modulus) return 1;
  const std::uint64_t t = parms.plain_modulus();
  if (t == 0) refuse_plain_modulus(parms);
  // Two words are enough: a product up to t has one word, and a prime adds one.
  __extension__ unsigned __int128 product = 1;
  std::size_t count = 0;
  for (const Modulus& q : parms.data_primes()) {
    product *= q.value();
    ++count;
    if (product > t) return count;
  }
  refuse_plain_modulus(parms);
}

void check_range(std::size_t value, std::size_t least, std::size_t most, const std::string& what,
                 const char* most_is, const char* remedy) {
  if (value >= least && value <= most) return;
  refuse(concat(what, " = ", value), concat(least, " to ", most, most_is), remedy);
}

void check_level(const EncryptionParameters& parms, const Shape& shape, std::size_t prime_count) {
  check_range(prime_count, last_level(parms), shape.data_primes, "prime_count",
              " primes, the prime counts of the data levels",
              "pass a number in this range, or set other primes");
}

ObjectSizes framed(std::size_t payload, std::size_t written, std::size_t written_seeded) {
  return {payload, rlwe::frame_bytes(written), rlwe::frame_bytes(written_seeded)};
}

ObjectSizes key_set_size(const Shape& shape, std::size_t count) {
  const auto file = [&](bool is_seeded) {
    return rlwe::directory_bytes(count) +
           count * rlwe::frame_bytes(
                       rlwe::key_bytes(shape.digits, shape.key_primes, shape.degree, is_seeded));
  };
  return framed(count * shape.digits * rlwe::pair_bytes(shape.key_primes, shape.degree, false),
                file(false), file(true));
}

Shape switching_shape(const EncryptionParameters& parms) {
  const Shape shape = shape_of(parms);
  if (shape.digits != 0) return shape;
  refuse("parameters without special primes",
         "parameters with key switching: one special prime or more", "add a special prime");
}

}  // namespace

std::size_t first_level_primes(const EncryptionParameters& parms) {
  return public_entry("first_level_primes", [&] { return shape_of(parms).data_primes; });
}

std::size_t last_level_primes(const EncryptionParameters& parms) {
  return public_entry("last_level_primes", [&] {
    shape_of(parms);
    return last_level(parms);
  });
}

ObjectSizes plaintext_size(const EncryptionParameters& parms, std::size_t prime_count) {
  return public_entry("plaintext_size", [&] {
    const Shape shape = shape_of(parms);
    check_level(parms, shape, prime_count);
    const std::size_t payload = rlwe::poly_bytes(prime_count, shape.degree);
    const std::size_t written = rlwe::kPlaintextFields + payload;
    return framed(payload, written, written);
  });
}

ObjectSizes coefficient_plaintext_size(const EncryptionParameters& parms, std::size_t coeff_count) {
  return public_entry("coefficient_plaintext_size", [&] {
    const Shape shape = shape_of(parms);
    if (!rlwe::traits_of(parms.scheme()).has_plain_modulus) {
      refuse(concat("scheme = ", to_string(parms.scheme())),
             "bfv or bgv: messages of ckks are in NTT form",
             "ask for the size of a plaintext at a level");
    }
    check_range(coeff_count, 0, shape.degree, "coeff_count", ", the degree of the ring",
                "encode at most as many values as there are slots");
    const std::size_t payload = kWordBytes * coeff_count;
    const std::size_t written = rlwe::kPlaintextFields + payload;
    return framed(payload, written, written);
  });
}

ObjectSizes ciphertext_size(const EncryptionParameters& parms, std::size_t prime_count,
                            std::size_t polynomials) {
  return public_entry("ciphertext_size", [&] {
    const Shape shape = shape_of(parms);
    check_level(parms, shape, prime_count);
    check_range(polynomials, kMinCiphertextSize, kMaxCiphertextSize, "polynomials", " polynomials",
                "relinearize before the size grows further");
    const std::size_t payload = polynomials * rlwe::poly_bytes(prime_count, shape.degree);
    const bool may_have_seed = polynomials == kMinCiphertextSize;
    return framed(
        payload, rlwe::kCiphertextFields + payload,
        rlwe::kCiphertextFields +
            (may_have_seed ? rlwe::pair_bytes(prime_count, shape.degree, true) : payload));
  });
}

ObjectSizes public_key_size(const EncryptionParameters& parms) {
  return public_entry("public_key_size", [&] {
    const Shape shape = shape_of(parms);
    const auto pair = [&](bool is_seeded) {
      return rlwe::pair_bytes(shape.key_primes, shape.degree, is_seeded);
    };
    return framed(pair(false), rlwe::kPublicKeyFields + pair(false),
                  rlwe::kPublicKeyFields + pair(true));
  });
}

ObjectSizes relin_keys_size(const EncryptionParameters& parms, std::size_t key_count) {
  return public_entry("relin_keys_size", [&] {
    const Shape shape = switching_shape(parms);
    check_range(key_count, 0, kMaxRelinKeys, "key_count",
                ", one for each power of the secret from 2 to 15",
                "relinearize after every product: then one key is enough");
    return key_set_size(shape, key_count);
  });
}

ObjectSizes galois_keys_size(const EncryptionParameters& parms, std::size_t element_count) {
  return public_entry("galois_keys_size", [&] {
    const Shape shape = switching_shape(parms);
    check_range(element_count, 0, shape.degree, "element_count", ", the automorphisms of the ring",
                "count each Galois element once");
    return key_set_size(shape, element_count);
  });
}

ObjectSizes secret_key_size(const EncryptionParameters& parms) {
  return public_entry("secret_key_size", [&] {
    const Shape shape = shape_of(parms);
    const std::size_t written = rlwe::secret_key_bytes(shape.degree);
    return framed(rlwe::poly_bytes(shape.key_primes, shape.degree), written, written);
  });
}

ObjectSizes parameters_size(const EncryptionParameters& parms) {
  return public_entry("parameters_size", [&] {
    const Shape shape = shape_of(parms);
    const std::size_t payload = rlwe::parameters_bytes(shape.key_primes, parms.has_general_ring());
    return framed(payload, payload, payload);
  });
}

ObjectSizes client_size(const EncryptionParameters& parms) {
  return parameters_size(parms) + secret_key_size(parms);
}

ObjectSizes server_size(const EncryptionParameters& parms, const ServerKeys& keys) {
  ObjectSizes sum = parameters_size(parms) + public_key_size(parms);
  if (keys.relin_keys != 0) sum += relin_keys_size(parms, keys.relin_keys);
  if (keys.galois_elements != 0) sum += galois_keys_size(parms, keys.galois_elements);
  return sum;
}

}  // namespace ringlet
