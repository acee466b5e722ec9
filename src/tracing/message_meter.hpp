// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "ringlet/rlwe/ciphertext.hpp"
#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/keys.hpp"
#include "ringlet/schemes/batch_encoder.hpp"
#include "ringlet/schemes/ckks_encoder.hpp"
#include "ringlet/schemes/decryptor.hpp"
#include "tracing/clear_message.hpp"

namespace ringlet::circuits {

/// Measurements of a ciphertext. Bits are logarithms to base 2; -infinity stands for none.
struct MessageReading {
  /// CKKS: of the largest error of a slot. BFV and BGV: of the largest noise coefficient, centred.
  double noise_bits = 0;
  /// BFV and BGV: log2(q) - 1 - noise_bits.
  std::optional<double> budget_bits;
  /// BFV and BGV: every slot is right. True for CKKS.
  bool is_message = true;
};

/// Reads ciphertexts with the secret key. Slots only: CKKS, or batching. Variable time.
class MessageMeter {
 public:
  /// @throws InvalidArgument if the key is empty or belongs to another context.
  MessageMeter(const Context& context, const SecretKey& secret_key);

  /// Compares the decrypted message with the expected one.
  /// @throws as Decryptor::decrypt and CKKSEncoder::decode.
  MessageReading operator()(const Ciphertext& encrypted, const ClearMessage& expected) const;

 private:
  double largest_noise(const ContextData& level, const Ciphertext& encrypted) const;

  Context context_;
  SecretKey secret_key_;
  Decryptor decryptor_;
  std::optional<CKKSEncoder> ckks_encoder_;
  std::optional<BatchEncoder> batch_encoder_;
};

}  // namespace ringlet::circuits
