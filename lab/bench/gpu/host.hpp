// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/ringlet.hpp"
#include "standard.hpp"

namespace ringlet::bench {

/// The ring and the primes of a measurement of CKKS.
struct SchemeShape {
  std::size_t degree = 0;
  std::size_t data_primes = 0;
  std::size_t special_primes = 1;  ///< As many data primes are one digit.
};

/// Keys and messages on the processor, for runs on any device. The context requests no security,
/// because small degrees serve as well.
class Host {
 public:
  static constexpr double kScale = 0x1p40;
  static constexpr double kValue = 0.5;

  /// @throws InvalidArgument for sizes out of range, as `operation`.
  Host(const char* operation, const SchemeShape& shape);

  /// Encrypts kValue in every slot.
  std::vector<Ciphertext> encrypt(std::size_t count, double scale = kScale) const;

  Context context;
  KeyGenerator keygen;
  Encryptor encryptor;
  Decryptor decryptor;
  CKKSEncoder encoder;
};

/// Whether every word of both is the same.
bool are_same(const Ciphertext& a, const Ciphertext& b);
[[noreturn]] void report_difference(const char* operation, const std::string& what);

}  // namespace ringlet::bench
