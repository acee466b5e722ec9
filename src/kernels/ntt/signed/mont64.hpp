// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/signed/sum.hpp"
#include "kernels/policy/signed/signed_mont64.hpp"

namespace ringlet::kernels {

/// The signed transform in Montgomery's arithmetic on 64-bit words over the lanes L, in the variant
/// that is shortest for the modulus.
template <typename L, int kVectors>
struct Mont64Ntt {
  template <Mont64Variant kVariant>
  using Variant = Signed<SignedMont64<L, kVectors, kVariant>>;

  static void forward(std::uint64_t* result, const std::uint64_t* operand, const void* table,
                      RangeFactors factors) {
    with_variant(table, [&](auto variant) {
      Variant<decltype(variant)::value>::forward(result, operand, table, factors);
    });
  }
  static void inverse(std::uint64_t* result, const std::uint64_t* operand, const void* table,
                      RangeFactors factors) {
    with_variant(table, [&](auto variant) {
      Variant<decltype(variant)::value>::inverse(result, operand, table, factors);
    });
  }

  /// Sums products by FusedSignedSum in the variant of the modulus.
  template <ArithmeticPolicy A, AccumulatorPolicy S>
  static void sum(const NttSumArguments& arguments, const void* table) {
    with_variant(table, [&](auto variant) {
      FusedSignedSum<SignedMont64<L, kVectors, decltype(variant)::value>, A, S>::run(arguments,
                                                                                     table);
    });
  }

  static constexpr NttKernel descriptor(const char* table_name, CpuFeatureMask needs) {
    NttKernel kernel = Variant<Mont64Variant::apart>::descriptor(table_name, "mont64", needs);
    kernel.forward = &forward;
    kernel.inverse = &inverse;
    return kernel;
  }

 private:
  template <typename Body>
  static void with_variant(const void* table, Body&& body) {
    const std::uint64_t q = static_cast<const SignedTable*>(table)->radix2.q;
    switch (mont64_variant(kMont64Arithmetic<L>, q)) {
      case Mont64Variant::one:
        return body(std::integral_constant<Mont64Variant, Mont64Variant::one>{});
      case Mont64Variant::together:
        return body(std::integral_constant<Mont64Variant, Mont64Variant::together>{});
      case Mont64Variant::apart:
        return body(std::integral_constant<Mont64Variant, Mont64Variant::apart>{});
    }
  }
};

}  // namespace ringlet::kernels
