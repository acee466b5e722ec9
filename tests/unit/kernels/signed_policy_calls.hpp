// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ntt/signed/factor.hpp"
#include "kernels/ntt/signed/table.hpp"
#include "support/test.hpp"

// The functions of a signed policy as calls on single values, for tests compiled without its
// instruction set. Units for an instruction set include this header and no GoogleTest.

namespace ringlet::kernels {

/// A policy on integers, whatever its own representation of values. Every call works on a vector of
/// copies, and returns kLanesDiffer if the results differ between lanes.
struct SignedCalls {
  const char* name;
  SignedArithmetic arithmetic;
  std::uint64_t modulus_limit;
  Mont64Variant form;  ///< For mont64, the form of its moduli; others have other policies.
  std::int64_t (*product)(std::int64_t y, std::uint64_t w, std::uint64_t q);
  std::int64_t (*reduce)(std::int64_t x, std::uint64_t multiple, std::uint64_t q);
  std::int64_t (*store_result)(std::int64_t x, std::uint64_t q);
  std::int64_t (*store_product)(std::int64_t x, std::uint64_t q);

  friend void PrintTo(const SignedCalls& policy, std::ostream* stream) { *stream << policy.name; }
};
inline constexpr std::int64_t kLanesDiffer = INT64_MIN;

/// Empty in builds without the instruction set.
std::span<const SignedCalls> avx2_signed_calls();
std::span<const SignedCalls> avx512_signed_calls();

template <typename A>
struct SignedCallsOf {
  using Word = typename A::Word;
  using Vec = typename A::Vec;
  static constexpr std::size_t kValues = sizeof(Vec) / sizeof(Word);
  static constexpr TwiddleForm kForm = twiddle_form(A::kArithmetic);
  static constexpr bool kIsReal = A::kArithmetic == SignedArithmetic::real;

  static typename A::Constants constants(std::uint64_t q) {
    return A::make_constants(q, make_signed_pair(1, q, kForm));
  }
  static Vec vector(std::int64_t x) {
    Word words[kValues];
    for (Word& word : words) {
      if constexpr (kIsReal) {
        word = __builtin_bit_cast(std::uint64_t, static_cast<double>(x));
      } else {
        word = static_cast<Word>(x);
      }
    }
    return A::load(words);
  }
  static std::int64_t residue(const Word (&words)[kValues]) {
    for (const Word word : words) {
      if (word != words[0]) return kLanesDiffer;
    }
    return static_cast<std::int64_t>(words[0]);
  }
  static std::int64_t value(Vec x) {
    Word words[kValues];
    A::store(words, x);
    if (residue(words) == kLanesDiffer) return kLanesDiffer;
    if constexpr (kIsReal) {
      return static_cast<std::int64_t>(__builtin_bit_cast(double, words[0]));
    } else if constexpr (sizeof(Word) == 4) {
      return static_cast<std::int32_t>(words[0]);
    } else {
      return static_cast<std::int64_t>(words[0]);
    }
  }

  static std::int64_t product(std::int64_t y, std::uint64_t w, std::uint64_t q) {
    const TwiddlePair pair = make_signed_pair(w, q, kForm);
    return value(A::product(vector(y), A::broadcast_factor(&pair.operand), constants(q)));
  }
  static std::int64_t reduce(std::int64_t x, std::uint64_t multiple, std::uint64_t q) {
    return value(A::reduce(vector(x), A::reduction(multiple), constants(q)));
  }
  static std::int64_t store_result(std::int64_t x, std::uint64_t q) {
    Word words[kValues];
    A::store_result(words, vector(x), constants(q));
    return residue(words);
  }
  static std::int64_t store_product(std::int64_t x, std::uint64_t q) {
    Word words[kValues];
    A::store_product(words, vector(x), constants(q));
    return residue(words);
  }

  static constexpr SignedCalls calls(const char* name, Mont64Variant form = Mont64Variant::apart) {
    return {name,    A::kArithmetic, A::kNttModulusLimit, form,
            product, reduce,         store_result,        store_product};
  }
};

}  // namespace ringlet::kernels
