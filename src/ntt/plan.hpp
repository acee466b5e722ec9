// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <memory_resource>
#include <string>
#include <vector>

#include "kernels/select.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/kernels/eltwise.hpp"
#include "ringlet/ntt/ntt.hpp"

namespace ringlet {

/// Unit of the tables: they start on this boundary and are whole multiples of it.
struct alignas(kAlignment) CacheLine {
  std::uint64_t words[kAlignment / sizeof(std::uint64_t)];
};

/// The chosen kernel and the table that it built. The caller has checked all arguments.
class Ntt::Plan {
 public:
  Plan(std::size_t degree, const Modulus& q, std::uint64_t root, const KernelSelection& selection,
       std::pmr::memory_resource& memory = *std::pmr::new_delete_resource())
      : degree_(degree),
        modulus_(q),
        root_(root),
        chosen_(kernels::choose_ntt(std::countr_zero(degree), q.value(), selection)),
        kernel_name_(chosen_.name()),
        table_(chosen_.kernel->table_bytes(std::countr_zero(degree)) / sizeof(CacheLine), &memory),
        eltwise_(q, selection) {
    chosen_.kernel->build_table(table_.data(), {std::countr_zero(degree), q.value(), root});
  }

  void forward(std::uint64_t* result, const std::uint64_t* operand,
               kernels::RangeFactors factors) const {
    chosen_.counter.count();
    chosen_.kernel->forward(result, operand, table_.data(), factors);
  }
  void inverse(std::uint64_t* result, const std::uint64_t* operand,
               kernels::RangeFactors factors) const {
    chosen_.counter.count();
    chosen_.kernel->inverse(result, operand, table_.data(), factors);
  }
  /// Transforms of 32-bit words: by the kernel's own function, or through 64-bit words.
  void forward32(std::uint32_t* result, const std::uint32_t* operand,
                 kernels::RangeFactors factors) const;
  void inverse32(std::uint32_t* result, const std::uint32_t* operand,
                 kernels::RangeFactors factors) const;
  /// Transforms with the kernel's own order of values, and copies from or to bit-reversed order.
  void forward_unordered(std::uint64_t* result, const std::uint64_t* operand,
                         kernels::RangeFactors factors) const {
    if (kernel().forward_unordered == nullptr) return forward(result, operand, factors);
    chosen_.counter.count();
    kernel().forward_unordered(result, operand, table_.data(), factors);
  }
  void inverse_unordered(std::uint64_t* result, const std::uint64_t* operand,
                         kernels::RangeFactors factors) const {
    if (kernel().inverse_unordered == nullptr) return inverse(result, operand, factors);
    chosen_.counter.count();
    kernel().inverse_unordered(result, operand, table_.data(), factors);
  }
  void reorder(std::uint64_t* result, const std::uint64_t* operand, bool to_bit_reversed) const {
    if (kernel().reorder != nullptr) {
      kernel().reorder(result, operand, std::countr_zero(degree_), to_bit_reversed);
    } else if (result != operand) {
      std::copy_n(operand, degree_, result);
    }
  }
  /// Two transforms: by the kernel's own function, or one after the other.
  void forward_two(const kernels::NttTwoArguments& arguments) const {
    if (kernel().forward_two != nullptr) {
      chosen_.counter.count();
      return kernel().forward_two(arguments, table_.data());
    }
    for (int i = 0; i < 2; ++i) {
      forward(arguments.results[i], arguments.operands[i], arguments.factors);
    }
  }
  void inverse_two(const kernels::NttTwoArguments& arguments) const {
    if (kernel().inverse_two != nullptr) {
      chosen_.counter.count();
      return kernel().inverse_two(arguments, table_.data());
    }
    for (int i = 0; i < 2; ++i) {
      inverse(arguments.results[i], arguments.operands[i], arguments.factors);
    }
  }
  /// result = INTT(NTT(a) o NTT(b)), in coefficient form. The result may be a or b; `scratch` has N
  /// words, which a square does not read.
  void product(Result result, Operand a, Operand b, kernels::RangeFactors factors,
               std::uint64_t* scratch) const;
  /// Sums of products of transforms: by the kernel's own function, or one call after the other.
  void sum(const kernels::NttSumArguments& arguments) const;

  /// Inner products of key switching, where the kernel has them.
  bool has_digit_sum() const noexcept {
    return kernel().digit_sum != nullptr &&
           std::countr_zero(degree_) >= kernel().digit_sum_min_log_degree;
  }
  void digit_sum(const kernels::DigitSumArguments& arguments) const {
    chosen_.counter.count();
    kernel().digit_sum(arguments, table_.data());
  }
  void permute_blocks(const kernels::BlockPermutation& permutation) const {
    chosen_.counter.count();
    kernel().permute_blocks(permutation);
  }

  const kernels::NttKernel& kernel() const noexcept { return *chosen_.kernel; }
  /// The element-wise operations of the same modulus and selection.
  const Eltwise& eltwise() const noexcept { return eltwise_; }
  std::size_t degree() const noexcept { return degree_; }
  const Modulus& modulus() const noexcept { return modulus_; }
  std::uint64_t root() const noexcept { return root_; }
  const std::string& kernel_name() const noexcept { return kernel_name_; }
  std::size_t table_bytes() const noexcept { return table_.size() * sizeof(CacheLine); }

 private:
  /// Calls transform(words) on the operand in 64-bit words, which are wiped.
  template <typename Transform>
  void through_words(std::uint32_t* result, const std::uint32_t* operand,
                     const Transform& transform) const {
    SecretVector<std::uint64_t> words(operand, operand + degree_);
    transform(words.data());
    std::ranges::transform(words, result,
                           [](std::uint64_t word) { return static_cast<std::uint32_t>(word); });
  }

  void single_term(const kernels::NttSumArguments& arguments) const;
  void separate_sum(const kernels::NttSumArguments& arguments) const;

  std::size_t degree_;
  Modulus modulus_;
  std::uint64_t root_;
  kernels::Chosen<kernels::NttKernel> chosen_;
  std::string kernel_name_;
  std::pmr::vector<CacheLine> table_;
  Eltwise eltwise_;  ///< For calls that the kernel has no function for.
};

}  // namespace ringlet
