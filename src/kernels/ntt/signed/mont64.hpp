// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/signed/sum.hpp"
#include "kernels/policy/signed/signed_mont64.hpp"

namespace ringlet::kernels {

/// The signed transform in Montgomery's arithmetic on 64-bit words over the lanes L, in the form
/// that is shortest for the modulus.
template <typename L, int kVectors>
struct Mont64Ntt {
  template <Mont64Form kForm>
  using Form = Signed<SignedMont64<L, kVectors, kForm>>;

  static void forward(std::uint64_t* result, const std::uint64_t* operand, const void* table,
                      RangeFactors factors) {
    with_form(table, [&](auto form) {
      Form<decltype(form)::value>::forward(result, operand, table, factors);
    });
  }
  static void inverse(std::uint64_t* result, const std::uint64_t* operand, const void* table,
                      RangeFactors factors) {
    with_form(table, [&](auto form) {
      Form<decltype(form)::value>::inverse(result, operand, table, factors);
    });
  }

  /// Sums of products: FusedSignedSum in the form of the modulus.
  template <ArithmeticPolicy A, AccumulatorPolicy S>
  static void sum(const NttSumArguments& arguments, const void* table) {
    with_form(table, [&](auto form) {
      FusedSignedSum<SignedMont64<L, kVectors, decltype(form)::value>, A, S>::run(arguments, table);
    });
  }

  static constexpr NttKernel descriptor(const char* table_name, CpuFeatureMask needs) {
    NttKernel kernel = Form<Mont64Form::apart>::descriptor(table_name, "mont64", needs);
    kernel.forward = &forward;
    kernel.inverse = &inverse;
    return kernel;
  }

 private:
  template <typename Body>
  static void with_form(const void* table, Body&& body) {
    switch (mont64_form(static_cast<const SignedTable*>(table)->radix2.q)) {
      case Mont64Form::one:
        return body(std::integral_constant<Mont64Form, Mont64Form::one>{});
      case Mont64Form::together:
        return body(std::integral_constant<Mont64Form, Mont64Form::together>{});
      case Mont64Form::apart:
        return body(std::integral_constant<Mont64Form, Mont64Form::apart>{});
    }
  }
};

}  // namespace ringlet::kernels
