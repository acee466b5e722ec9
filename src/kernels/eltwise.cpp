// SPDX-License-Identifier: Apache-2.0
#include "ringlet/kernels/eltwise.hpp"

#include <array>
#include <utility>
#include <vector>

#include "base/buffer_check.hpp"
#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "kernels/select.hpp"

namespace ringlet {

namespace {

using kernels::EltwiseArguments;
using kernels::EltwiseOperation;
using kernels::kEltwiseOperationCount;
using kernels::kEltwiseOperationNames;

void check_scalar(std::uint64_t scalar, const Modulus& q) {
  if (scalar < q.value()) return;
  refuse(concat("scalar = ", scalar), concat("scalars below the modulus ", q.value()),
         "reduce the scalar first");
}

/// Checks that a factor is one of 1, 2, 4, ..., `largest` and that factor * q fits a word.
void check_factor(int factor, int largest, const Modulus& q) {
  if (factor < 1 || factor > largest || (factor & (factor - 1)) != 0) {
    refuse(concat("input_mod_factor = ", factor), concat("powers of two from 1 to ", largest),
           "use one of these factors; 1 means fully reduced values");
  }
  if (q.value() > ~std::uint64_t{0} / static_cast<unsigned>(factor)) {
    refuse(concat("input_mod_factor = ", factor, " with the modulus ", q.value()),
           "factor * modulus below 2^64", "reduce the operands first, or use a smaller modulus");
  }
}

void check_comparison(Comparison comparison) {
  const int value = static_cast<int>(comparison);
  if (value >= 0 && value < kComparisonCount) return;
  refuse(concat("comparison = ", value), concat("0 to ", kComparisonCount - 1),
         "pass one of the eight comparisons");
}

void check_result_range(int input, int output) {
  if ((input == 2 && output == 1) || (input == 4 && (output == 1 || output == 2))) return;
  refuse(concat("input_mod_factor = ", input, ", output_mod_factor = ", output),
         "(2, 1), (4, 1) or (4, 2)",
         "use one of these pairs; a reduction without factors takes any words");
}

/// Checks the vectors of multiply_pairs: for each result as every call does, and that no two
/// results share a word.
void check_pairs(std::span<const Eltwise::Result, 3> results,
                 std::span<const Eltwise::Operand, 2> a, std::span<const Eltwise::Operand, 2> b) {
  constexpr std::array kNames{"results[0]", "results[1]", "results[2]"};
  const std::size_t count = results[0].size();
  for (std::size_t k = 0; k < results.size(); ++k) {
    check_buffers(count, {kNames[k], results[k]},
                  {{"a[0]", a[0]}, {"a[1]", a[1]}, {"b[0]", b[0]}, {"b[1]", b[1]}});
    for (std::size_t other = 0; other < k; ++other) {
      check_buffers(count, {kNames[k], results[k]}, {{kNames[other], results[other]}});
      if (count == 0 || results[k].data() != results[other].data()) continue;
      refuse(concat(kNames[k], " is the same as ", kNames[other]),
             "three results that have no word in common",
             concat("pass separate memory as ", kNames[k]));
    }
  }
}

/// The words of each of several vectors as long as `result`, all checked. It allocates only for
/// more than 32 vectors.
class CheckedTerms {
 public:
  CheckedTerms(const char* name, std::span<std::uint64_t> result,
               std::span<const Eltwise::Operand> vectors)
      : size_(vectors.size()), many_(size_ > few_.size() ? size_ : 0) {
    for (std::size_t k = 0; k < size_; ++k) {
      check_buffers(result.size(), {"result", result}, {{name, vectors[k]}});
      (many_.empty() ? few_[k] : many_[k]) = vectors[k].data();
    }
  }

  std::size_t size() const noexcept { return size_; }
  const std::uint64_t* const* data() const noexcept {
    return many_.empty() ? few_.data() : many_.data();
  }

 private:
  std::size_t size_;
  std::array<const std::uint64_t*, 32> few_{};
  std::vector<const std::uint64_t*> many_;
};

}  // namespace

/// One kernel per operation, in the order of EltwiseOperation.
struct EltwiseKernels {
  std::array<kernels::Chosen<kernels::EltwiseKernel>, kEltwiseOperationCount> chosen;

  /// Checks the modulus and runs the kernel. `arguments` has the operands, checked by the caller;
  /// this function adds the modulus. The arguments are not copied: that takes as long as the sum of
  /// two vectors of 128 words.
  void run(EltwiseOperation operation, const Modulus& q, EltwiseArguments&& arguments) const {
    const auto& kernel = counted(operation, q);
    arguments.q = q.value();
    arguments.ratio = q.ratio();
    kernel.run(arguments);
  }

  /// Checks all buffers of an operation with one result vector, then runs it.
  template <typename... Buffers>
  RINGLET_INLINE void run(EltwiseOperation operation, const Modulus& q,
                          std::span<std::uint64_t> result, EltwiseArguments&& arguments,
                          const Buffers&... operands) const {
    if (sizeof...(operands) == 0 || !(fit(result, operands.words) && ...)) {
      check_buffers(result.size(), {"result", result}, {operands...});
    }
    arguments.result = result.data();
    arguments.count = result.size();
    run(operation, q, std::move(arguments));
  }

  /// Counts one call of an operation and returns its kernel.
  const kernels::EltwiseKernel& counted(EltwiseOperation operation, const Modulus& q) const {
    const auto& kernel = chosen[static_cast<unsigned>(operation)];
    if (kernel.kernel == nullptr) refuse_modulus(q);
    kernel.counter.count();
    return *kernel.kernel;
  }

  [[noreturn]] static void refuse_modulus(const Modulus& q) {
    refuse(concat("modulus = ", q.value(), " of ", q.bit_count(), " bits"),
           concat("at most ", kMaxProductModulusBits, " bits"),
           "use a smaller modulus; only sums, differences and negation take 63 bits");
  }
};

Eltwise::Eltwise(const Modulus& q, const KernelSelection& selection) : modulus_(q) {
  const auto kernels = std::make_shared<EltwiseKernels>();
  public_entry("Eltwise", [&] {
    for (unsigned i = 0; i < kEltwiseOperationCount; ++i) {
      kernels->chosen[i] =
          kernels::choose_eltwise(static_cast<EltwiseOperation>(i), q.value(), selection);
    }
  });
  kernels_ = kernels;
}

void Eltwise::add(Result result, Operand a, const Operand& b) const {
  public_entry("Eltwise::add", [&] {
    kernels_->run(EltwiseOperation::add, modulus_, result, {.a = a.data(), .b = b.data()},
                  NamedBuffer{"a", a}, NamedBuffer{"b", b});
  });
}

void Eltwise::add_scalar(Result result, Operand a, std::uint64_t scalar) const {
  public_entry("Eltwise::add_scalar", [&] {
    check_scalar(scalar, modulus_);
    kernels_->run(EltwiseOperation::add_scalar, modulus_, result, {.a = a.data(), .scalar = scalar},
                  NamedBuffer{"a", a});
  });
}

void Eltwise::subtract(Result result, Operand a, const Operand& b) const {
  public_entry("Eltwise::subtract", [&] {
    kernels_->run(EltwiseOperation::subtract, modulus_, result, {.a = a.data(), .b = b.data()},
                  NamedBuffer{"a", a}, NamedBuffer{"b", b});
  });
}

void Eltwise::subtract_scalar(Result result, Operand a, std::uint64_t scalar) const {
  public_entry("Eltwise::subtract_scalar", [&] {
    check_scalar(scalar, modulus_);
    kernels_->run(EltwiseOperation::subtract_scalar, modulus_, result,
                  {.a = a.data(), .scalar = scalar}, NamedBuffer{"a", a});
  });
}

void Eltwise::negate(Result result, Operand a) const {
  public_entry("Eltwise::negate", [&] {
    kernels_->run(EltwiseOperation::negate, modulus_, result, {.a = a.data()}, NamedBuffer{"a", a});
  });
}

void Eltwise::multiply(Result result, Operand a, const Operand& b, int input_mod_factor) const {
  public_entry("Eltwise::multiply", [&] {
    check_factor(input_mod_factor, 4, modulus_);
    kernels_->run(EltwiseOperation::multiply, modulus_, result,
                  {.a = a.data(), .b = b.data(), .factors = {.input = input_mod_factor}},
                  NamedBuffer{"a", a}, NamedBuffer{"b", b});
  });
}

void Eltwise::multiply_add(Result result, Operand a, const Operand& b, const Operand& c) const {
  public_entry("Eltwise::multiply_add", [&] {
    kernels_->run(EltwiseOperation::multiply_add, modulus_, result,
                  {.a = a.data(), .b = b.data(), .c = c.data()}, NamedBuffer{"a", a},
                  NamedBuffer{"b", b}, NamedBuffer{"c", c});
  });
}

void Eltwise::multiply_pairs(std::span<const Result, 3> results, std::span<const Operand, 2> a,
                             std::span<const Operand, 2> b) const {
  public_entry("Eltwise::multiply_pairs", [&] {
    check_pairs(results, a, b);
    const std::array results_words{results[0].data(), results[1].data(), results[2].data()};
    const std::array a_words{a[0].data(), a[1].data()};
    const std::array b_words{b[0].data(), b[1].data()};
    const auto& kernel = kernels_->counted(EltwiseOperation::multiply, modulus_);
    kernel.run_pairs({.count = results[0].size(),
                      .q = modulus_.value(),
                      .ratio = modulus_.ratio(),
                      .results = results_words.data(),
                      .a_terms = a_words.data(),
                      .b_terms = b_words.data()});
  });
}

void Eltwise::multiply_scalar(Result result, Operand a, std::uint64_t scalar,
                              int input_mod_factor) const {
  public_entry("Eltwise::multiply_scalar", [&] {
    check_scalar(scalar, modulus_);
    check_factor(input_mod_factor, 8, modulus_);
    kernels_->run(EltwiseOperation::multiply_scalar, modulus_, result,
                  {.a = a.data(), .scalar = scalar, .factors = {.input = input_mod_factor}},
                  NamedBuffer{"a", a});
  });
}

void Eltwise::multiply_scalar_add(Result result, Operand a, std::uint64_t scalar, const Operand& c,
                                  int input_mod_factor) const {
  public_entry("Eltwise::multiply_scalar_add", [&] {
    check_scalar(scalar, modulus_);
    check_factor(input_mod_factor, 8, modulus_);
    kernels_->run(
        EltwiseOperation::multiply_scalar_add, modulus_, result,
        {.a = a.data(), .c = c.data(), .scalar = scalar, .factors = {.input = input_mod_factor}},
        NamedBuffer{"a", a}, NamedBuffer{"c", c});
  });
}

void Eltwise::multiply_accumulate(Result result, std::span<const Operand> a,
                                  std::span<const Operand> b) const {
  public_entry("Eltwise::multiply_accumulate", [&] {
    if (a.size() != b.size()) {
      refuse(concat(a.size(), " vectors in a, ", b.size(), " in b"),
             "the same number of vectors in both",
             "pass as many vectors in a as in b: vectors with the same index are multiplied");
    }
    const CheckedTerms a_terms("a", result, a);
    const CheckedTerms b_terms("b", result, b);
    kernels_->run(
        EltwiseOperation::multiply_accumulate, modulus_, result,
        {.a_terms = a_terms.data(), .b_terms = b_terms.data(), .term_count = a_terms.size()});
  });
}

std::uint64_t Eltwise::dot(Operand a, Operand b) const {
  return public_entry("Eltwise::dot", [&] {
    std::uint64_t sum = 0;
    check_operands(a.size(), {{"a", a}, {"b", b}});
    kernels_->run(EltwiseOperation::dot, modulus_,
                  {.result = &sum, .a = a.data(), .b = b.data(), .count = a.size()});
    return sum;
  });
}

void Eltwise::reduce(Result result, Operand a) const {
  public_entry("Eltwise::reduce", [&] {
    kernels_->run(EltwiseOperation::reduce, modulus_, result, {.a = a.data()}, NamedBuffer{"a", a});
  });
}

void Eltwise::reduce_range(Result result, Operand a, int input_mod_factor,
                           int output_mod_factor) const {
  public_entry("Eltwise::reduce_range", [&] {
    check_result_range(input_mod_factor, output_mod_factor);
    check_factor(input_mod_factor, 4, modulus_);
    kernels_->run(
        EltwiseOperation::reduce_range, modulus_, result,
        {.a = a.data(), .factors = {.input = input_mod_factor, .output = output_mod_factor}},
        NamedBuffer{"a", a});
  });
}

void Eltwise::compare_add(Result result, Operand a, Comparison comparison, std::uint64_t bound,
                          std::uint64_t summand) const {
  public_entry("Eltwise::compare_add", [&] {
    check_comparison(comparison);
    kernels_->run(EltwiseOperation::compare_add, modulus_, result,
                  {.a = a.data(), .scalar = summand, .comparison = comparison, .bound = bound},
                  NamedBuffer{"a", a});
  });
}

void Eltwise::compare_subtract(Result result, Operand a, Comparison comparison, std::uint64_t bound,
                               std::uint64_t difference) const {
  public_entry("Eltwise::compare_subtract", [&] {
    check_comparison(comparison);
    check_scalar(difference, modulus_);
    kernels_->run(EltwiseOperation::compare_subtract, modulus_, result,
                  {.a = a.data(), .scalar = difference, .comparison = comparison, .bound = bound},
                  NamedBuffer{"a", a});
  });
}

std::string Eltwise::kernel_name(std::string_view operation) const {
  std::string names;
  for (unsigned i = 0; i < kEltwiseOperationCount; ++i) {
    if (operation == kEltwiseOperationNames[i]) {
      const auto& chosen = kernels_->chosen[i];
      return chosen.kernel == nullptr ? std::string() : chosen.name();
    }
    if (i != 0) names += ", ";
    names += kEltwiseOperationNames[i];
  }
  throw_invalid_argument({.operation = "Eltwise::kernel_name",
                          .offending = concat("operation '", operation, "'"),
                          .limit = concat("one of: ", names),
                          .remedy = "use the name of an element-wise operation"});
}

}  // namespace ringlet
