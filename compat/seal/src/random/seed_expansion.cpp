// SPDX-License-Identifier: Apache-2.0
#include "random/seed_expansion.hpp"

#include <limits>
#include <memory>
#include <span>
#include <string>

#include "native/access.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::seal4::detail {

namespace {

bool is_known(const UniformRandomGeneratorInfo& info) noexcept {
  return info.type() == prng_type::blake2xb || info.type() == prng_type::shake256;
}

void require_known(const UniformRandomGeneratorInfo& info, SEALVersion version) {
  if (version.major < 3 || (version.major == 3 && version.minor < 6)) {
    throw_logic_error(
        {"expand_seed",
         "a seed of version " + std::to_string(version.major) + "." + std::to_string(version.minor),
         "3.6 and later", "save the object again with a later version of SEAL"});
  }
  if (!is_known(info)) {
    throw_logic_error({"expand_seed", "a seed of an unknown generator",
                       "BLAKE2Xb (1) and SHAKE256 (2)",
                       "save the object with a factory of one of these generators"});
  }
}

/// Writes the next words of the stream, which is little-endian.
void generate_words(UniformRandomGenerator& generator, std::uint64_t* words, std::size_t count) {
  constexpr std::size_t kWordBytes = sizeof(std::uint64_t);
  auto* bytes = reinterpret_cast<unsigned char*>(words);
  generator.generate(count * kWordBytes, reinterpret_cast<seal_byte*>(words));
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t word = 0;
    for (std::size_t j = kWordBytes; j-- > 0;) word = word << 8 | bytes[i * kWordBytes + j];
    words[i] = word;
  }
}

}  // namespace

void expand_seed(const UniformRandomGeneratorInfo& info, SEALVersion version,
                 const std::vector<std::uint64_t>& moduli, std::size_t degree,
                 std::uint64_t* destination) {
  require_known(info, version);
  for (const std::uint64_t modulus : moduli) {
    if (modulus == 0) {
      throw_logic_error({"expand_seed", "modulus = 0", "1 or more", "pass the moduli of a level"});
    }
  }
  expand_stream(*info.make_prng(), moduli, degree, destination);
}

void expand_stream(UniformRandomGenerator& generator, const std::vector<std::uint64_t>& moduli,
                   std::size_t degree, std::uint64_t* destination) {
  constexpr std::uint64_t kMaxWord = std::numeric_limits<std::uint64_t>::max();
  generate_words(generator, destination, moduli.size() * degree);
  for (const std::uint64_t modulus : moduli) {
    const std::uint64_t limit = kMaxWord - kMaxWord % modulus - 1;
    for (std::uint64_t& word : std::span(destination, degree)) {
      while (word >= limit) generate_words(generator, &word, 1);
      word %= modulus;
    }
    destination += degree;
  }
}

void replace_by_seed(Ciphertext& ciphertext, const UniformRandomGeneratorInfo& seed) {
  if (ciphertext.size() != 2 || !is_known(seed)) {
    throw_invalid_argument(
        {"replace_by_seed",
         "a ciphertext of size " + std::to_string(ciphertext.size()) +
             " and a seed of generator type " + std::to_string(static_cast<int>(seed.type())),
         "ciphertexts of size 2 and seeds of known generators", "save the object without a seed"});
  }
  CiphertextAccess::replace_by_seed(ciphertext,
                                    std::make_shared<const UniformRandomGeneratorInfo>(seed));
}

}  // namespace ringlet::seal4::detail
