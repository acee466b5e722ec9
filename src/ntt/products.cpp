// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/refuse.hpp"
#include "ntt/checks.hpp"
#include "ntt/plan.hpp"

namespace ringlet {
namespace {

using Scratch = std::span<std::uint64_t>;

/// Words of the transforms that a call keeps at the same time in memory of its own: 512 KiB stay in
/// the second-level cache.
constexpr std::size_t kOwnScratchWords = std::size_t{1} << 16;

/// The caller's memory if there is any, else memory of the call's own, wiped at the end.
class ScratchMemory {
 public:
  ScratchMemory(Scratch given, std::size_t words) : words_(given) {
    if (!given.empty()) return;
    own_.resize(words);
    words_ = own_;
  }
  std::uint64_t* data() const noexcept { return words_.data(); }
  std::size_t size() const noexcept { return words_.size(); }

 private:
  SecretVector<std::uint64_t> own_;
  Scratch words_;
};

void check_scratch(std::size_t degree, Scratch scratch) {
  if (scratch.empty()) return;
  if (scratch.size() < degree) {
    refuse(concat("scratch has ", scratch.size(), " words"),
           concat("none, or at least the ", degree, " words of one polynomial"),
           "pass more words, or none to let the call allocate them");
  }
  check_operands(scratch.size(), {{"scratch", scratch}});
}

/// The checked pointers of a call with several vectors.
class SumOperands {
 public:
  SumOperands(std::size_t degree, std::span<const Ntt::Result> results,
              std::span<const Ntt::Operand> operands, std::span<const Ntt::Operand> keys,
              Scratch scratch) {
    check_counts(results.size(), operands.size(), keys.size());
    check_scratch(degree, scratch);
    for (const Ntt::Operand& operand : operands) add_read(degree, "operand", operand);
    for (const Ntt::Operand& key : keys) add_read(degree, "key", key);
    for (std::size_t t = 0; t < results.size(); ++t) {
      const NamedBuffer result{"result", results[t]};
      check_operands(degree, {result});
      check_disjoint(result, {"scratch", scratch});
      for (const Ntt::Operand& other : operands) {
        check_disjoint(result, {"operand", other});
      }
      for (const Ntt::Operand& other : keys) check_disjoint(result, {"key", other});
      for (const Ntt::Result& other : results.first(t)) {
        check_disjoint(result, {"another result", other});
      }
      results_.push_back(results[t].data());
    }
    for (const Ntt::Operand& other : operands) {
      check_disjoint({"scratch", scratch}, {"operand", other});
    }
    for (const Ntt::Operand& other : keys) {
      check_disjoint({"scratch", scratch}, {"key", other});
    }
    term_count_ = operands.size();
  }

  std::size_t term_count() const noexcept { return term_count_; }

  /// Sets the results to sums of no terms.
  void clear(std::size_t degree) const {
    for (std::uint64_t* result : results_) std::fill_n(result, degree, 0);
  }

  /// The part with `count` terms from `first` on.
  kernels::NttSumArguments part(std::size_t first, std::size_t count, bool invert,
                                std::uint64_t* scratch) const {
    return {.results = results_.data(),
            .operands = reads_.data() + first,
            .keys = reads_.data() + term_count_ + first * results_.size(),
            .term_count = count,
            .target_count = results_.size(),
            .accumulate = first != 0,
            .invert = invert && first + count == term_count_,
            .scratch = scratch};
  }

 private:
  static void check_counts(std::size_t results, std::size_t operands, std::size_t keys) {
    if (keys == operands * results) return;
    refuse(concat(operands, " operands, ", results, " results and ", keys, " keys"),
           "as many keys as operands times results",
           "pass for each operand in turn one key for each result");
  }
  void add_read(std::size_t degree, const char* name, Ntt::Operand words) {
    check_operands(degree, {{name, words}});
    reads_.push_back(words.data());
  }

  std::vector<std::uint64_t*> results_;
  std::vector<const std::uint64_t*> reads_;  ///< Operands, then keys.
  std::size_t term_count_ = 0;
};

/// Calls sum(arguments) for as many terms at a time as the scratch memory holds.
template <typename Sum>
void add_up(const SumOperands& operands, std::size_t degree, bool invert, Scratch scratch,
            Sum sum) {
  const std::size_t terms = operands.term_count();
  if (terms == 0) return operands.clear(degree);
  const std::size_t own_terms = std::clamp<std::size_t>(kOwnScratchWords / degree, 1, terms);
  const ScratchMemory memory(scratch, own_terms * degree);
  const std::size_t step = memory.size() / degree;
  for (std::size_t first = 0; first < terms; first += step) {
    sum(operands.part(first, std::min(step, terms - first), invert, memory.data()));
  }
}

}  // namespace

void Ntt::multiply(Result result, Operand a, Operand b, int input_mod_factor, int output_mod_factor,
                   Scratch scratch) const {
  public_entry("Ntt::multiply", [&] {
    check_buffers(degree(), {"result", result}, {{"a", a}, {"b", b}});
    check_forward_input(input_mod_factor);
    check_inverse_output(output_mod_factor);
    check_scratch(degree(), scratch);
    for (const NamedBuffer& other :
         {NamedBuffer{"result", result}, NamedBuffer{"a", a}, NamedBuffer{"b", b}}) {
      check_disjoint({"scratch", scratch}, other);
    }
    const bool is_square = a.data() == b.data();
    const ScratchMemory memory(scratch, is_square ? 0 : degree());
    plan_->product(result, a, b, {input_mod_factor, output_mod_factor}, memory.data());
  });
}

void Ntt::multiply_accumulate(Result result, std::span<const Operand> operands,
                              std::span<const Operand> keys, Scratch scratch) const {
  public_entry("Ntt::multiply_accumulate", [&] {
    const SumOperands checked(degree(), {&result, 1}, operands, keys, scratch);
    add_up(checked, degree(), true, scratch, [&](const auto& part) { plan_->sum(part); });
  });
}

void Ntt::inner_product(std::span<const Result> results, std::span<const Operand> operands,
                        std::span<const Operand> keys, Scratch scratch) const {
  public_entry("Ntt::inner_product", [&] {
    const SumOperands checked(degree(), results, operands, keys, scratch);
    add_up(checked, degree(), false, scratch, [&](const auto& part) { plan_->sum(part); });
  });
}

}  // namespace ringlet
