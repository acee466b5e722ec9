// SPDX-License-Identifier: Apache-2.0
#include "signed_policy_calls.hpp"

#ifdef __AVX512DQ__
#include "kernels/policy/signed/avx512_mont32.hpp"
#include "kernels/policy/signed/avx512_signed_long_float.hpp"
#include "kernels/policy/signed/avx512_signed_shoup64.hpp"
#include "kernels/policy/signed/signed_float.hpp"
#endif

namespace ringlet::kernels {

std::span<const SignedCalls> avx512_signed_calls() {
#ifdef __AVX512DQ__
  static constexpr SignedCalls kCalls[] = {
      SignedCallsOf<SignedFloat<Avx512FloatLanes, 1>>::calls("avx512_float"),
      SignedCallsOf<SignedLongFloat<1>>::calls("avx512_float_long"),
      SignedCallsOf<SignedMont64<Avx512SignedLanes, 1, Mont64Variant::one>>::calls(
          "avx512_mont64_one", Mont64Variant::one),
      SignedCallsOf<SignedMont64<Avx512SignedLanes, 1, Mont64Variant::together>>::calls(
          "avx512_mont64_together", Mont64Variant::together),
      SignedCallsOf<SignedMont64<Avx512SignedLanes, 1, Mont64Variant::apart>>::calls(
          "avx512_mont64_apart", Mont64Variant::apart),
      SignedCallsOf<SignedMont32<Avx512HalfWordLanes, 1>>::calls("avx512_mont32"),
      SignedCallsOf<SignedShoup64<1>>::calls("avx512_shoup64"),
  };
  return kCalls;
#else
  return {};
#endif
}

}  // namespace ringlet::kernels
