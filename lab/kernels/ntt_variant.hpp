// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/select.hpp"
#include "ringlet/arith/modulus.hpp"
#include "ringlet/arith/primes.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/base/error.hpp"

// Transforms as benchmarks and counts of instructions call them: a kernel by its name, and a form
// of its functions.

namespace ringlet::kernels {

/// The functions of a kernel that transform.
enum class NttForm : unsigned {
  ordered,    ///< forward and inverse, values in bit-reversed order.
  unordered,  ///< forward_unordered and inverse_unordered.
  two,        ///< forward_two and inverse_two: two polynomials in one call.
};
inline constexpr std::array<std::string_view, 3> kNttFormNames{"ordered", "unordered", "two"};

inline bool has_form(const NttKernel& kernel, NttForm form) {
  switch (form) {
    case NttForm::unordered:
      return kernel.forward_unordered != nullptr && kernel.inverse_unordered != nullptr;
    case NttForm::two:
      return kernel.forward_two != nullptr && kernel.inverse_two != nullptr;
    case NttForm::ordered:
      break;
  }
  return true;
}

/// The form of that name.
/// @throws InvalidArgument if there is none.
inline NttForm parse_ntt_form(const char* operation, std::string_view name) {
  for (std::size_t i = 0; i < kNttFormNames.size(); ++i) {
    if (name == kNttFormNames[i]) return static_cast<NttForm>(i);
  }
  throw_invalid_argument({operation, "form '" + std::string(name) + "'",
                          "ordered, unordered or two", "use one of these names"});
}

/// A kernel with its table and reduced operands, which transforms in place.
class NttVariant {
 public:
  /// @throws InvalidArgument if the kernel does not exist here, lacks the form or does not take the
  /// degree and modulus, or if q is not a prime that is 1 mod 2N.
  NttVariant(const std::string& kernel, NttForm form, int log_degree, std::uint64_t q)
      : kernel_(choose_ntt(log_degree, q, KernelSelection(kernel)).kernel), form_(form) {
    constexpr const char* kOperation = "NttVariant";
    if (std::string(kernel_->table) + "/" + kernel_->algorithm != kernel) {
      throw_invalid_argument({kOperation, "kernel '" + kernel + "'", "table/algorithm",
                              "name a kernel of kernel_catalog() exactly"});
    }
    if (!has_form(*kernel_, form)) {
      const std::string name(kNttFormNames[static_cast<unsigned>(form)]);
      throw_invalid_argument({kOperation, "form '" + name + "' of " + kernel, "the kernel lacks it",
                              "choose another form or kernel"});
    }
    const std::uint64_t order = std::uint64_t{2} << log_degree;
    table_.resize(kernel_->table_bytes(log_degree) / sizeof(std::uint64_t));
    kernel_->build_table(table_.data(), {log_degree, q, minimal_primitive_root(order, Modulus(q))});
    for (std::size_t i = 0; i < polynomial_count(); ++i) {
      fill(values_[i], std::size_t{1} << log_degree, q);
    }
  }

  /// How many polynomials one call transforms.
  std::size_t polynomial_count() const { return form_ == NttForm::two ? 2 : 1; }
  std::size_t table_bytes() const { return table_.size() * sizeof(std::uint64_t); }

  /// Runs one call. Its time depends on the values as much as the kernel's does.
  void run(bool is_forward) {
    if (form_ == NttForm::two) {
      const NttTwoArguments both{.results = {values_[0].data(), values_[1].data()},
                                 .operands = {values_[0].data(), values_[1].data()}};
      (is_forward ? kernel_->forward_two : kernel_->inverse_two)(both, table_.data());
      return;
    }
    const bool ordered = form_ == NttForm::ordered;
    const auto transform = is_forward ? (ordered ? kernel_->forward : kernel_->forward_unordered)
                                      : (ordered ? kernel_->inverse : kernel_->inverse_unordered);
    transform(values_[0].data(), values_[0].data(), table_.data(), {});
  }

 private:
  void fill(AlignedVector<std::uint64_t>& words, std::size_t degree, std::uint64_t q) {
    words.resize(degree);
    for (auto& word : words) {
      state_ = state_ * 6364136223846793005U + 1442695040888963407U;
      word = (state_ ^ (state_ >> 29U)) % q;
    }
  }

  const NttKernel* kernel_;
  NttForm form_;
  std::uint64_t state_ = 1;
  AlignedVector<std::uint64_t> table_;
  std::array<AlignedVector<std::uint64_t>, 2> values_;
};

/// A kernel and its forms that can be measured at a degree and modulus.
struct NttVariantName {
  std::string kernel;
  NttForm form = NttForm::ordered;
};

/// Every form of every kernel that this processor runs and that takes both, lowest table first.
inline std::vector<NttVariantName> ntt_variants(int log_degree, std::uint64_t q) {
  std::vector<NttVariantName> found;
  for (const KernelTable* const table : kernel_table_list()) {
    for (const NttKernel& kernel : table->ntt) {
      const bool fits = q < kernel.modulus_limit && log_degree >= kernel.min_log_degree &&
                        log_degree <= kernel.max_log_degree;
      if (!fits || (kernel.needs & ~detected_cpu_features()) != 0) continue;
      for (unsigned form = 0; form < kNttFormNames.size(); ++form) {
        if (!has_form(kernel, static_cast<NttForm>(form))) continue;
        found.push_back(
            {std::string(table->name) + "/" + kernel.algorithm, static_cast<NttForm>(form)});
      }
    }
  }
  return found;
}

}  // namespace ringlet::kernels
