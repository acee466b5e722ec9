// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "fv/samplers.hpp"
#include "fv/state.hpp"
#include "ringlet/rlwe/random.hpp"
#include "rlwe/random/random_stream.hpp"
#include "rlwe/random/samplers.hpp"

namespace ringlet::fv {

/// The samples of one encryption, from one seed that it draws. Secret.
struct Ephemeral {
  Ephemeral(const Access::State& state, const RandomSource& random)
      : secret(state.parameters.ring.degree()) {
    const rlwe::Seed seed(random);
    sample_secret(secret, state.parameters.secrets, seed);
    for (std::size_t i = 0; i < errors.size(); ++i) {
      errors[i].resize(secret.size());
      rlwe::RandomStream stream(seed, {rlwe::StreamPurpose::error, i});
      state.errors.sample(errors[i], stream);
    }
  }

  rlwe::SmallPoly secret;                 ///< U
  std::array<rlwe::ErrorPoly, 2> errors;  ///< E_1, E_2
};

}  // namespace ringlet::fv
