// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ringlet/rlwe/context.hpp"
#include "ringlet/rlwe/random.hpp"
#include "seal/encryptionparams.h"
#include "seal/randomgen.h"

// Randomness of the services: from generators of the parameters' factory, if they have one, with
// uniform halves from seeds that files of SEAL can hold.

namespace ringlet::seal4::detail {

/// One call of a service, for as long as the object lives, on the thread that made it. It makes one
/// generator with the factory of the program, if there is one. So a factory with a fixed seed gives
/// the same stream in every call.
class RandomCall {
 public:
  explicit RandomCall(const EncryptionParameters& parms);
  ~RandomCall();
  RandomCall(const RandomCall&) = delete;
  RandomCall& operator=(const RandomCall&) = delete;

  /// Returns the current call of this thread.
  static RandomCall& current() noexcept;

  /// Writes random bytes from the generator of the factory, or from the operating system.
  void generate(std::span<std::uint8_t> bytes);
  /// Draws a public seed, which the call remembers.
  const UniformRandomGeneratorInfo& draw_public_seed();
  /// Returns the public seeds drawn since the last take, in their order.
  std::vector<UniformRandomGeneratorInfo> take_public_seeds();

 private:
  std::shared_ptr<UniformRandomGeneratorFactory> factory_;
  std::shared_ptr<UniformRandomGenerator> generator_;
  std::vector<UniformRandomGeneratorInfo> public_seeds_;
  RandomCall* outer_;
};

/// Returns the source for native services. Use it only while a RandomCall lives.
RandomSource random_source(const EncryptionParameters& parms);

/// Returns the source for encryptions by a secret key. With `seeded`, or if the parameters have a
/// random generator, uniform halves are expanded from public seeds of the RandomCall, so that equal
/// generators give equal objects, stored seeded or whole. `stored` is the form of the expanded
/// words: that of the saved object.
RandomSource symmetric_random_source(const EncryptionParameters& parms,
                                     const ringlet::Context& context, Form stored, bool seeded);

}  // namespace ringlet::seal4::detail
