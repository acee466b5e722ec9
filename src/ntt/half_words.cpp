// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/refuse.hpp"
#include "ntt/checks.hpp"
#include "ntt/plan.hpp"
#include "ringlet/base/aligned.hpp"

// Transforms of 32-bit words.

namespace ringlet {
namespace {

/// Calls body(words) with memory for `count` words, whose contents are unspecified. Few words are
/// on the stack: an aligned block costs up to half a transform.
template <typename Body>
void with_scratch(std::size_t count, const Body& body) {
  constexpr std::size_t kMostOnStack = 4096;
  if (count <= kMostOnStack) {
    alignas(kAlignment) std::uint64_t words[kMostOnStack];
    return body(words);
  }
  AlignedAllocator<std::uint64_t> memory;
  std::uint64_t* const words = memory.allocate(count);
  body(words);
  memory.deallocate(words, count);
}

/// Checks that all values of the ranges fit 32 bits.
void check_ranges(std::uint64_t q, kernels::RangeFactors factors) {
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 32;
  const auto factor = static_cast<std::uint64_t>(std::max(factors.input, factors.output));
  if (q < kLimit && factor * q <= kLimit) return;
  refuse(concat("modulus = ", q, " with range factor ", factor),
         "factor * modulus up to 2^32 for values in 32-bit words",
         "pass 64-bit words, or smaller range factors");
}

}  // namespace

void Ntt::Plan::forward32(std::uint32_t* result, const std::uint32_t* operand,
                          kernels::RangeFactors factors) const {
  if (kernel().forward32 == nullptr) {
    return through_words(result, operand,
                         [&](std::uint64_t* words) { forward(words, words, factors); });
  }
  chosen_.counter.count();
  if (!kernel().half_words_use_scratch) {
    return kernel().forward32(result, operand, nullptr, table_.data(), factors);
  }
  with_scratch(degree_, [&](std::uint64_t* scratch) {
    kernel().forward32(result, operand, scratch, table_.data(), factors);
  });
}

void Ntt::Plan::inverse32(std::uint32_t* result, const std::uint32_t* operand,
                          kernels::RangeFactors factors) const {
  if (kernel().inverse32 == nullptr) {
    return through_words(result, operand,
                         [&](std::uint64_t* words) { inverse(words, words, factors); });
  }
  chosen_.counter.count();
  if (!kernel().half_words_use_scratch) {
    return kernel().inverse32(result, operand, nullptr, table_.data(), factors);
  }
  with_scratch(degree_, [&](std::uint64_t* scratch) {
    kernel().inverse32(result, operand, scratch, table_.data(), factors);
  });
}

void Ntt::forward(std::span<std::uint32_t> result, std::span<const std::uint32_t> operand,
                  int input_mod_factor, int output_mod_factor) const {
  public_entry("Ntt::forward", [&] {
    check_buffers<std::uint32_t>(degree(), {"result", result}, {{"operand", operand}});
    const kernels::RangeFactors factors{input_mod_factor, output_mod_factor};
    check_forward_factors(factors);
    check_ranges(modulus().value(), factors);
    plan_->forward32(result.data(), operand.data(), factors);
  });
}

void Ntt::inverse(std::span<std::uint32_t> result, std::span<const std::uint32_t> operand,
                  int input_mod_factor, int output_mod_factor) const {
  public_entry("Ntt::inverse", [&] {
    check_buffers<std::uint32_t>(degree(), {"result", result}, {{"operand", operand}});
    const kernels::RangeFactors factors{input_mod_factor, output_mod_factor};
    check_inverse_factors(factors);
    check_ranges(modulus().value(), factors);
    plan_->inverse32(result.data(), operand.data(), factors);
  });
}

}  // namespace ringlet
