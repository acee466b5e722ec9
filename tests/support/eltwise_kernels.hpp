// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cctype>

#include "kernels/kernel.hpp"
#include "ringlet/kernel_selection.hpp"
#include "support/print_kernel.hpp"
#include "support/test.hpp"

// The element-wise kernels as parameters of tests, the moduli that they take, the ranges that their
// operations have, and memory that shows what was written.

namespace ringlet::test {

/// The element-wise kernels of the library, of all processors.
inline std::vector<KernelInfo> eltwise_kernels() {
  std::vector<KernelInfo> found = kernel_catalog();
  std::erase_if(found, [](const KernelInfo& kernel) {
    return std::ranges::count(kernels::kEltwiseOperationNames, kernel.operation) == 0;
  });
  return found;
}

/// The kernel's name as GoogleTest allows it in the name of a test.
inline std::string kernel_test_name(const ::testing::TestParamInfo<KernelInfo>& kernel) {
  std::string name = kernel.param.name;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

inline bool takes_modulus(const KernelInfo& kernel, std::uint64_t q) {
  return q >= kernel.modulus_minimum && q < kernel.modulus_limit;
}

/// Moduli from 2 on: both neighbours of every power of two and of the values where the constants of
/// Barrett's reduction change, up to 2^63 - 1.
inline std::vector<std::uint64_t> eltwise_moduli() {
  std::vector<std::uint64_t> moduli{2, 3, 4, 5, 6, 7};
  for (int k = 3; k <= 63; ++k) {
    const std::uint64_t power = std::uint64_t{1} << k;
    for (std::uint64_t d = 0; d <= 3; ++d) moduli.insert(moduli.end(), {power - d, power + d});
    const std::uint64_t split = power / 16 * 13;
    moduli.insert(moduli.end(), {split - 1, split, split + 1, power - power / 7});
  }
  std::sort(moduli.begin(), moduli.end());
  moduli.erase(std::unique(moduli.begin(), moduli.end()), moduli.end());
  std::erase_if(moduli, [](std::uint64_t q) { return q < 2 || q >> 63 != 0; });
  return moduli;
}

/// Those of them that the kernel takes.
inline std::vector<std::uint64_t> eltwise_moduli(const KernelInfo& kernel) {
  std::vector<std::uint64_t> moduli = eltwise_moduli();
  std::erase_if(moduli, [&](std::uint64_t q) { return !takes_modulus(kernel, q); });
  return moduli;
}

/// The ranges that an operation has for a modulus: those with input * q < 2^64.
inline std::vector<kernels::RangeFactors> factors_of(std::string_view operation, std::uint64_t q) {
  std::vector<kernels::RangeFactors> factors{{}};
  if (operation == "multiply") factors = {{1, 1}, {2, 1}, {4, 1}};
  if (operation.starts_with("multiply_scalar")) factors = {{1, 1}, {2, 1}, {4, 1}, {8, 1}};
  if (operation == "reduce_range") factors = {{2, 1}, {4, 1}, {4, 2}};
  std::erase_if(factors, [q](const kernels::RangeFactors& f) {
    return q > ~std::uint64_t{0} / static_cast<unsigned>(f.input);
  });
  return factors;
}

/// True if the operation takes any words, not only those of a range of the modulus.
inline bool takes_any_word(std::string_view operation) {
  return operation == "reduce" || operation.starts_with("compare_");
}

/// Words at any distance from a 64-byte boundary, between guard words on both sides.
class GuardedWords {
 public:
  GuardedWords(const std::vector<std::uint64_t>& values, std::size_t misaligned_words)
      : memory_(values.size() + 2 * kGuard + 8, kPattern), count_(values.size()) {
    const std::size_t to_boundary =
        (64 - reinterpret_cast<std::uintptr_t>(memory_.data()) % 64) % 64 / sizeof(std::uint64_t);
    start_ = (kGuard - 8) + to_boundary + misaligned_words;
    std::copy(values.begin(), values.end(), memory_.begin() + static_cast<std::ptrdiff_t>(start_));
  }
  std::span<std::uint64_t> span() { return std::span(memory_).subspan(start_, count_); }
  std::vector<std::uint64_t> values() { return {span().begin(), span().end()}; }
  bool guards_intact() const {
    const auto is_pattern = [](std::uint64_t word) { return word == kPattern; };
    const auto first = memory_.begin() + static_cast<std::ptrdiff_t>(start_);
    return std::all_of(memory_.begin(), first, is_pattern) &&
           std::all_of(first + static_cast<std::ptrdiff_t>(count_), memory_.end(), is_pattern);
  }

 private:
  static constexpr std::uint64_t kPattern = 0x5ca1ab1e0ddba11u;
  static constexpr std::size_t kGuard = 16;

  std::vector<std::uint64_t> memory_;
  std::size_t count_;
  std::size_t start_ = 0;
};

}  // namespace ringlet::test
