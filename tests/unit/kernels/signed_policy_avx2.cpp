// SPDX-License-Identifier: Apache-2.0
#include "signed_policy_calls.hpp"

#ifdef __AVX2__
#include "kernels/policy/signed/avx2_mont32.hpp"
#include "kernels/policy/signed/avx2_signed.hpp"
#include "kernels/policy/signed/signed_float.hpp"
#endif

namespace ringlet::kernels {

std::span<const SignedCalls> avx2_signed_calls() {
#ifdef __AVX2__
  static constexpr SignedCalls kCalls[] = {
      SignedCallsOf<SignedFloat<Avx2FloatLanes, 1>>::calls("avx2_float"),
      SignedCallsOf<SignedMont64<Avx2SignedLanes, 1, Mont64Variant::one>>::calls(
          "avx2_mont64_one", Mont64Variant::one),
      SignedCallsOf<SignedMont64<Avx2SignedLanes, 1, Mont64Variant::together>>::calls(
          "avx2_mont64_together", Mont64Variant::together),
      SignedCallsOf<SignedMont64<Avx2SignedLanes, 1, Mont64Variant::apart>>::calls(
          "avx2_mont64_apart", Mont64Variant::apart),
      SignedCallsOf<SignedMont32<Avx2HalfWordLanes, 1>>::calls("avx2_mont32"),
  };
  return kCalls;
#else
  return {};
#endif
}

}  // namespace ringlet::kernels
