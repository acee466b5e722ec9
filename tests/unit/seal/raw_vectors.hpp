// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zstd.h>

#include "seal/context.h"
#include "seal/encryptionparams.h"
#include "seal_objects.hpp"
#include "support/seal_vectors.hpp"
#include "support/test.hpp"

namespace ringlet::test {

/// The object of a known answer as this library saves it in mode none: decompressed here by
/// Zstandard itself, and with the version of this library in its headers.
inline Bytes raw_answer(const SealVectors& vectors, const std::string& name) {
  const Bytes& file = vectors.bytes(name);
  if (file.at(5) != std::byte{2}) throw std::runtime_error(name + " is not compressed");
  Bytes payload(std::size_t{1} << 22);
  const std::size_t size =
      ZSTD_decompress(payload.data(), payload.size(), file.data() + 16, file.size() - 16);
  if (ZSTD_isError(size) != 0) throw std::runtime_error(name + ": " + ZSTD_getErrorName(size));
  payload.resize(size);
  Bytes raw = FileWriter().append(payload).object();
  const Bytes theirs = {std::byte{0x5E}, std::byte{0xA1}, std::byte{16}, std::byte{4},
                        std::byte{3},    std::byte{0},    std::byte{0},  std::byte{0}};
  for (auto at = raw.begin();;) {
    at = std::search(at, raw.end(), theirs.begin(), theirs.end());
    if (at == raw.end()) return raw;
    at[4] = std::byte{4};
  }
}

/// The context of the known answers of a scheme.
inline seal::SEALContext vector_context(const SealVectors& vectors) {
  seal::EncryptionParameters parms;
  auto stream = vectors.stream("parameters");
  parms.load(stream);
  return seal::SEALContext(parms, true, seal::sec_level_type::none);
}

}  // namespace ringlet::test
