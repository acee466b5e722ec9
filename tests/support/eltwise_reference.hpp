// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <flint/flint.h>
#include <flint/nmod_vec.h>
#include <flint/ulong_extras.h>
#include <gtest/gtest.h>

#include "ringlet/eltwise.hpp"
#include "ringlet/kernel_selection.hpp"
#include "ringlet/modular.hpp"

// Element-wise operations by name, and what they should give: by division of double words, and by
// FLINT.

namespace ringlet {

/// What GoogleTest shows of a parameter.
inline void PrintTo(const KernelInfo& kernel, std::ostream* stream) { *stream << kernel.name; }

}  // namespace ringlet

namespace ringlet::test {

using Words = std::vector<std::uint64_t>;

inline constexpr std::initializer_list<const char*> kEltwiseNames = {"add",
                                                                     "subtract",
                                                                     "negate",
                                                                     "multiply",
                                                                     "multiply_add",
                                                                     "multiply_scalar",
                                                                     "multiply_scalar_add",
                                                                     "reduce"};

/// Operands of any operation; those that it does not have are ignored.
struct EltwiseOperands {
  std::span<const std::uint64_t> a;
  std::span<const std::uint64_t> b;
  std::span<const std::uint64_t> c;
  std::uint64_t scalar = 0;
};

inline void run_eltwise(const Eltwise& eltwise, std::string_view operation,
                        std::span<std::uint64_t> result, const EltwiseOperands& x) {
  if (operation == "add") return eltwise.add(result, x.a, x.b);
  if (operation == "subtract") return eltwise.subtract(result, x.a, x.b);
  if (operation == "negate") return eltwise.negate(result, x.a);
  if (operation == "multiply") return eltwise.multiply(result, x.a, x.b);
  if (operation == "multiply_add") return eltwise.multiply_add(result, x.a, x.b, x.c);
  if (operation == "multiply_scalar") return eltwise.multiply_scalar(result, x.a, x.scalar);
  if (operation == "reduce") return eltwise.reduce(result, x.a);
  return eltwise.multiply_scalar_add(result, x.a, x.scalar, x.c);
}

/// Names of those of a, b, c that the operation reads.
inline std::string_view operand_names(std::string_view operation) {
  if (operation == "add" || operation == "subtract" || operation == "multiply") return "ab";
  if (operation == "multiply_add") return "abc";
  if (operation == "multiply_scalar_add") return "ac";
  return "a";
}

/// One element, by the remainder of a double word.
inline std::uint64_t expected_element(std::string_view operation, std::uint64_t a, std::uint64_t b,
                                      std::uint64_t c, std::uint64_t scalar, std::uint64_t q) {
  const uint128_t wide = a;
  const auto result = [&]() -> uint128_t {
    if (operation == "add") return wide + b;
    if (operation == "subtract") return wide + q - b;
    if (operation == "negate") return q - wide;
    if (operation == "multiply") return wide * b;
    if (operation == "multiply_add") return wide * b + c;
    if (operation == "multiply_scalar") return wide * scalar;
    if (operation == "multiply_scalar_add") return wide * scalar + c;
    return wide;
  };
  return static_cast<std::uint64_t>(result() % q);
}

/// All elements, by the remainder of double words.
inline Words expected_by_division(std::string_view operation, const EltwiseOperands& x,
                                  std::uint64_t q) {
  Words result(x.a.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = expected_element(operation, x.a[i], x.b[i], x.c[i], x.scalar, q);
  }
  return result;
}

/// All elements, by FLINT.
inline Words expected_by_flint(std::string_view operation, const EltwiseOperands& x,
                               std::uint64_t q) {
  nmod_t mod;
  nmod_init(&mod, q);
  const auto n = static_cast<slong>(x.a.size());
  Words result(x.a.size());
  if (operation == "add") {
    _nmod_vec_add(result.data(), x.a.data(), x.b.data(), n, mod);
  } else if (operation == "subtract") {
    _nmod_vec_sub(result.data(), x.a.data(), x.b.data(), n, mod);
  } else if (operation == "negate") {
    _nmod_vec_neg(result.data(), x.a.data(), n, mod);
  } else if (operation == "reduce") {
    _nmod_vec_reduce(result.data(), x.a.data(), n, mod);
  } else if (operation == "multiply_scalar") {
    _nmod_vec_scalar_mul_nmod(result.data(), x.a.data(), n, x.scalar, mod);
  } else if (operation == "multiply_scalar_add") {
    result.assign(x.c.begin(), x.c.end());
    _nmod_vec_scalar_addmul_nmod(result.data(), x.a.data(), n, x.scalar, mod);
  } else {
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] = n_mulmod2_preinv(x.a[i], x.b[i], mod.n, mod.ninv);
      if (operation == "multiply_add") result[i] = nmod_add(result[i], x.c[i], mod);
    }
  }
  return result;
}

/// The element-wise kernels of the library, of all processors.
inline std::vector<KernelInfo> eltwise_kernels() {
  std::vector<KernelInfo> kernels = kernel_catalog();
  std::erase_if(kernels, [](const KernelInfo& kernel) { return kernel.operation == "ntt"; });
  return kernels;
}

/// The kernel's name as GoogleTest allows it in the name of a test.
inline std::string kernel_test_name(const ::testing::TestParamInfo<KernelInfo>& kernel) {
  std::string name = kernel.param.name;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

/// Moduli from 2 on: both neighbours of every power of two and of the values where the constants of
/// Barrett's reduction change, up to 2^62 - 1.
inline Words eltwise_moduli() {
  Words moduli{2, 3, 4, 5, 6, 7};
  for (int k = 3; k <= 62; ++k) {
    const std::uint64_t power = std::uint64_t{1} << k;
    for (std::uint64_t d = 0; d <= 3; ++d) moduli.insert(moduli.end(), {power - d, power + d});
    const std::uint64_t split = power / 16 * 13;
    moduli.insert(moduli.end(), {split - 1, split, split + 1, power - power / 7});
  }
  std::sort(moduli.begin(), moduli.end());
  moduli.erase(std::unique(moduli.begin(), moduli.end()), moduli.end());
  std::erase_if(moduli, [](std::uint64_t q) { return q < 2 || q >= std::uint64_t{1} << 62; });
  return moduli;
}

/// Words at any distance from a 64-byte boundary, between guard words on both sides.
class GuardedWords {
 public:
  GuardedWords(const Words& values, std::size_t misaligned_words)
      : memory_(values.size() + 2 * kGuard + 8, kPattern), count_(values.size()) {
    const std::size_t to_boundary =
        (64 - reinterpret_cast<std::uintptr_t>(memory_.data()) % 64) % 64 / sizeof(std::uint64_t);
    start_ = (kGuard - 8) + to_boundary + misaligned_words;
    std::copy(values.begin(), values.end(), memory_.begin() + static_cast<std::ptrdiff_t>(start_));
  }
  std::span<std::uint64_t> span() { return std::span(memory_).subspan(start_, count_); }
  Words values() { return {span().begin(), span().end()}; }
  bool guards_intact() const {
    const auto is_pattern = [](std::uint64_t word) { return word == kPattern; };
    const auto first = memory_.begin() + static_cast<std::ptrdiff_t>(start_);
    return std::all_of(memory_.begin(), first, is_pattern) &&
           std::all_of(first + static_cast<std::ptrdiff_t>(count_), memory_.end(), is_pattern);
  }

 private:
  static constexpr std::uint64_t kPattern = 0x5ca1ab1e0ddba11u;
  static constexpr std::size_t kGuard = 16;

  Words memory_;
  std::size_t count_;
  std::size_t start_ = 0;
};

}  // namespace ringlet::test
