// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "fv/message_scaling.hpp"
#include "fv/noise.hpp"
#include "ringlet/fv/fv.hpp"
#include "ringlet/ring/cyclotomic.hpp"
#include "rlwe/random/samplers.hpp"

namespace ringlet::fv {

/// Largest degree of a ring: that of WideProduct.
inline constexpr std::size_t kMaxDegree = 16384;

struct Context::State {
  State(const Parameters& given, SecurityLevel security_level, SecurityTable security_table,
        const KernelSelection& kernels);

  Parameters parameters;
  SecurityLevel level;
  SecurityTable table;
  ParmsId parms_id;
  CyclotomicPolynomial polynomial;
  WideProduct product;
  MessageScaling scaling;
  rlwe::ErrorSampler errors;
  NoiseBound noise;
};

/// Lets the parts of FV use private members of public classes.
struct Access {
  using State = Context::State;
  static const State& state(const Context& context) noexcept { return *context.state_; }

  template <typename Pair>  // a PublicKey or a Ciphertext
  static std::array<WidePoly, 2>& polys(Pair& pair) noexcept {
    return pair.polys_;
  }
  template <typename Object>  // a PublicKey, a Ciphertext or a SecretKey
  static void set_owner(Object& object, const State& state, const KeyId& key_id) noexcept {
    object.parms_id_ = state.parms_id;
    object.key_id_ = key_id;
    if constexpr (requires { object.modulus_bits_; }) {
      object.modulus_bits_ = state.parameters.modulus.bit_count();
    }
  }
  template <typename Pair>
  static int modulus_bits(const Pair& pair) noexcept {
    return pair.modulus_bits_;
  }
  static PublicSeed& seed(PublicKey& key) noexcept { return key.seed_; }
  static SecretVector<std::int8_t>& coefficients(SecretKey& key) noexcept {
    return key.coefficients_;
  }
};

/// @throws InvalidArgument at the first offence that the Context's constructor lists, except for
/// those that need the ring's tables.
void validate(const Parameters& parameters, SecurityLevel level, SecurityTable table);

/// @throws InvalidArgument if an object carries another identifier than the context's.
void check_parms_id(const Context& context, const ParmsId& parms_id, const char* what);

}  // namespace ringlet::fv
