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

// Randomness of the services: by the generators of the parameters' factory, if they have one, and
// with uniform halves from seeds that files of SEAL can hold.

namespace ringlet::seal4::detail {

/// One call of a service, for as long as the object lives, on the thread that made it. With a
/// factory of the program's own it takes one generator from it, which so starts the same stream in
/// every call if its seed is fixed.
class RandomCall {
 public:
  explicit RandomCall(const EncryptionParameters& parms);
  ~RandomCall();
  RandomCall(const RandomCall&) = delete;
  RandomCall& operator=(const RandomCall&) = delete;

  /// The call that this thread is in.
  static RandomCall& current() noexcept;

  /// Random bytes by the generator of the factory, or by the operating system.
  void generate(std::span<std::uint8_t> bytes);
  /// Draws a public seed, which the call remembers.
  const UniformRandomGeneratorInfo& draw_public_seed();
  /// The public seeds since the last time, in the order in which they were drawn.
  std::vector<UniformRandomGeneratorInfo> take_public_seeds();

 private:
  std::shared_ptr<UniformRandomGeneratorFactory> factory_;
  std::shared_ptr<UniformRandomGenerator> generator_;
  std::vector<UniformRandomGeneratorInfo> public_seeds_;
  RandomCall* outer_;
};

/// The source for native services. It is to be used within a RandomCall only.
RandomSource random_source(const EncryptionParameters& parms);

/// The same with uniform halves that are expanded from public seeds of the RandomCall. `stored` is
/// the form in which the expanded words are meant: that of the object that is saved.
RandomSource seeded_random_source(const EncryptionParameters& parms,
                                  const ringlet::Context& context, Form stored);

}  // namespace ringlet::seal4::detail
