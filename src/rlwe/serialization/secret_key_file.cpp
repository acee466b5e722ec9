// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/declassify.hpp"
#include "base/text.hpp"
#include "ringlet/ring/backend.hpp"
#include "ringlet/ring/rns_poly.hpp"
#include "rlwe/checks.hpp"
#include "rlwe/random/samplers.hpp"
#include "rlwe/serialization/layout.hpp"
#include "rlwe/serialization/objects.hpp"
#include "rlwe/serialization/polynomials.hpp"

namespace ringlet::rlwe {
namespace {

constexpr std::size_t kPerByte = kCoefficientsPerByte;

// Returns 1 if a = b, else 0, for a and b below 2^63; without a branch.
std::uint64_t equals(std::uint64_t a, std::uint64_t b) { return ((a ^ b) - 1) >> 63; }

// Returns the polynomial over all primes of the key level.
Storage expand(const Context& context, const SmallPoly& values) {
  const ContextData& level = *context.key_context_data();
  Storage storage({1, level.prime_count(), level.degree()}, Secrecy::secret);
  const CoeffView coefficients = storage.host_for_writing<Form::coefficient>(0);
  write_small(coefficients, values, context.backend().basis(), level.primes());
  context.backend().forward_ntt(storage.host_for_writing<Form::ntt>(0), coefficients,
                                level.primes());
  return storage;
}

// Returns the coefficients of the first limb in {-1, 0, 1}. Anything else becomes 0; the polynomial
// then differs from that of the key.
SmallPoly coefficients_of(const Context& context, ConstNttView key) {
  const PrimeIndices first = context.key_context_data()->primes().first(1);
  const std::uint64_t q = context.backend().basis()[first[0]].value();
  CoeffPoly residues(1, key.degree, Secrecy::secret);
  context.backend().inverse_ntt(residues.view_for_writing(), key.first(1), first);
  SmallPoly values(key.degree);
  const std::span<const std::uint64_t> limb = residues.view().limb(0);
  for (std::size_t n = 0; n < values.size(); ++n) {
    values[n] = static_cast<std::int8_t>(static_cast<int>(equals(limb[n], 1)) -
                                         static_cast<int>(equals(limb[n], q - 1)));
  }
  return values;
}

// Only the verdict depends on the key. This is a separate function, so that a test can tell it from
// the rest.
[[gnu::noinline]] void check_equal(ConstNttView a, ConstNttView b) {
  std::uint64_t difference = 0;
  for (std::size_t i = 0; i < a.limb_count; ++i) {
    for (std::size_t n = 0; n < a.degree; ++n) difference |= a.limb(i)[n] ^ b.limb(i)[n];
  }
  if (difference == 0) return;
  refuse("a secret key that is not ternary", "coefficients -1, 0 and 1, the same modulo all primes",
         "save keys that a key generator has made");
}

}  // namespace

/// Makes a key from the contents of its file.
class SecretKeyFile {
 public:
  static SecretKey make(Storage storage, const ParmsId& parms_id, const KeyId& key_id) {
    SecretKey key;
    key.storage_ = std::move(storage);
    key.parms_id_ = parms_id;
    key.key_id_ = key_id;
    return key;
  }
};

Bytes encode_ternary(ObjectType type, const ParmsId& parms_id, const KeyId& key_id,
                     std::span<const std::int8_t> values) {
  Bytes packed(secret_key_bytes(values.size()) - kDegreeBytes);
  for (std::size_t n = 0; n < values.size(); ++n) {
    // Codes 0, 1 and 2 stand for 0, 1 and -1.
    const unsigned code = static_cast<unsigned>(values[n] & 1) +
                          (static_cast<unsigned>(static_cast<std::uint8_t>(values[n])) >> 7);
    packed[n / kPerByte] =
        static_cast<std::uint8_t>(packed[n / kPerByte] | code << (2 * (n % kPerByte)));
  }
  FrameWriter writer(type, 0, parms_id, secret_key_bytes(values.size()), Compression::none, key_id);
  writer.put(std::uint64_t{values.size()});
  writer.put(packed);
  return std::move(writer).finish();
}

void decode_ternary(ByteSource& source, const FrameHeader& header, std::span<std::int8_t> values,
                    bool is_binary) {
  FrameReader reader(source, header, secret_key_bytes(values.size()));
  expect_size(reader, values.size(), "degree");
  Bytes packed(secret_key_bytes(values.size()) - kDegreeBytes);
  reader.expect_rest(packed.size());
  reader.get(packed);
  reader.finish();
  unsigned bad = 0;
  for (std::size_t n = 0; n < kPerByte * packed.size(); ++n) {
    const unsigned code = packed[n / kPerByte] >> (2 * (n % kPerByte)) & 3u;
    if (n < values.size()) {
      bad |= is_binary ? code >> 1 : code & code >> 1;
      values[n] =
          static_cast<std::int8_t>(static_cast<int>(code & 1) - static_cast<int>(code >> 1));
    } else {
      bad |= code;
    }
  }
  if (!declassify(bad != 0)) return;
  refuse_damage(
      concat("a secret key with a coefficient that is not ", is_binary ? "binary" : "ternary"),
      "0, 1 and 2 for the coefficients 0, 1 and -1, and zeros after the last coefficient");
}

Bytes encode(const Context& context, const SecretKey& key) {
  check_key(context, key.parms_id(), "secret key");
  const SmallPoly values = coefficients_of(context, key.view());
  const Storage again = expand(context, values);
  check_equal(again.host<Form::ntt>(0), key.view());
  return encode_ternary(ObjectType::secret_key, key.parms_id(), key.key_id(), values);
}

SecretKey decode(To<SecretKey>, const Context& context, ByteSource& source) {
  const FrameHeader header = read_header(source, ObjectType::secret_key, 0);
  const ContextData& level = key_level_of(context, header);
  SmallPoly values(level.degree());
  decode_ternary(source, header, values);
  return SecretKeyFile::make(expand(context, values), level.parms_id(), header.key_id);
}

}  // namespace ringlet::rlwe
