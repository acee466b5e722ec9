// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <exception>
#include <sodium.h>
#include <utility>

#include "random/blake2xb.hpp"
#include "seal/util/blake2.h"
#include "seal/util/common.h"
#include "seal/util/croots.h"
#include "seal/util/hash.h"

extern "C" int blake2xb(void* out, std::size_t outlen, const void* in, std::size_t inlen,
                        const void* key, std::size_t keylen) {
  if (out == nullptr || (in == nullptr && inlen != 0) || (key == nullptr && keylen != 0)) return -1;
  try {
    ringlet::seal4::detail::blake2xb({static_cast<std::uint8_t*>(out), outlen},
                                     {static_cast<const std::uint8_t*>(in), inlen},
                                     {static_cast<const std::uint8_t*>(key), keylen});
  } catch (const std::exception&) {
    return -1;
  }
  return 0;
}

namespace ringlet::seal4_util {

void HashFunction::hash(const std::uint64_t* input, std::size_t uint64_count,
                        hash_block_type& destination) {
  detail::check_words("HashFunction::hash", uint64_count, {input});
  crypto_generichash_blake2b(reinterpret_cast<unsigned char*>(destination.data()),
                             hash_block_byte_count, reinterpret_cast<const unsigned char*>(input),
                             uint64_count * sizeof(std::uint64_t), nullptr, 0);
}

ComplexRoots::ComplexRoots(std::size_t degree_of_roots, seal4::MemoryPoolHandle pool)
    : degree_(degree_of_roots) {
  detail::check_argument(get_power_of_two(degree_) >= 3 && static_cast<bool>(pool), "ComplexRoots");
  roots_ = allocate<std::complex<double>>(degree_, pool);
  constexpr double kTurn = 6.283185307179586476925286766559;
  for (std::size_t i = 0; i < degree_; ++i) {
    roots_[i] = std::polar(1.0, kTurn * static_cast<double>(i) / static_cast<double>(degree_));
  }
}

}  // namespace ringlet::seal4_util
