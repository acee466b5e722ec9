// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "ring/cyclotomic/reduction/reducer.hpp"

namespace ringlet {
namespace {

constexpr std::size_t kMaxWeight = 4096;

void check_coefficients(const CyclotomicPolynomial& polynomial) {
  const char* const remedy = "use the reduction by sparse divisors";
  if (polynomial.max_coefficient() > 1) {
    refuse(
        concat("Phi_", polynomial.index(), " has a coefficient of ", polynomial.max_coefficient()),
        "coefficients -1, 0 and 1 for a system of blocks", remedy);
  }
  if (polynomial.weight() > kMaxWeight) {
    refuse(concat("Phi_", polynomial.index(), " has ", polynomial.weight(),
                  " coefficients that are not 0"),
           concat("at most ", kMaxWeight, " for a system of blocks"), remedy);
  }
}

// target -= sign * source.
template <typename Arithmetic>
void subtract_block(std::uint64_t* __restrict target, const std::uint64_t* __restrict source,
                    std::size_t size, bool is_negative, Arithmetic arithmetic) {
  if (is_negative) {
    for (std::size_t i = 0; i < size; ++i) target[i] = arithmetic.add(target[i], source[i]);
  } else {
    for (std::size_t i = 0; i < size; ++i) target[i] = arithmetic.subtract(target[i], source[i]);
  }
}

// Equation 10 of Migliore et al. (2017): A = B * Phi + R, in blocks of `stride` coefficients. The
// equations from X^n on are triangular: they give the blocks of B from the top, each stored over
// the block of A that it solves. The equations below X^n give R.
class BlockReducer final : public Reducer {
 public:
  explicit BlockReducer(const CyclotomicPolynomial& polynomial) : degree_(polynomial.degree()) {
    check_coefficients(polynomial);
    const auto coefficients = polynomial.coefficients();
    for (std::size_t i = 0; i < degree_; i += polynomial.stride()) {
      if (coefficients[i] != 0) terms_.push_back({.offset = i, .is_negative = coefficients[i] < 0});
    }
    // Blocks of B down to the second term of Phi do not depend on each other.
    block_ = degree_ - terms_.back().offset;
  }

  void reduce(std::span<std::uint64_t> a, WrappingArithmetic arithmetic) const override {
    run(a, arithmetic);
  }
  void reduce(std::span<std::uint64_t> a, ResidueArithmetic arithmetic) const override {
    run(a, arithmetic);
  }
  std::size_t operation_count(std::size_t length) const override {
    return (length - degree_) * terms_.size();
  }

 private:
  struct Term {
    std::size_t offset;
    bool is_negative;
  };

  template <typename Arithmetic>
  void run(std::span<std::uint64_t> a, Arithmetic arithmetic) const {
    const std::size_t count = a.size() - degree_;
    std::uint64_t* const quotient = a.data() + degree_;
    for (std::size_t end = count; end > 0;) {
      const std::size_t size = std::min(block_, end);
      solve_block(quotient, end - size, size, arithmetic);
      end -= size;
    }
    for (const Term& term : terms_) {
      subtract_block(a.data() + term.offset, quotient, std::min(count, degree_ - term.offset),
                     term.is_negative, arithmetic);
    }
  }

  // Subtracts the known coefficients [begin, begin + size) of B from the equations below them.
  template <typename Arithmetic>
  void solve_block(std::uint64_t* quotient, std::size_t begin, std::size_t size,
                   Arithmetic arithmetic) const {
    for (auto term = terms_.rbegin(); term != terms_.rend(); ++term) {
      const std::size_t distance = degree_ - term->offset;
      if (distance >= begin + size) break;
      const std::size_t skipped = distance > begin ? distance - begin : 0;
      subtract_block(quotient + (begin + skipped - distance), quotient + (begin + skipped),
                     size - skipped, term->is_negative, arithmetic);
    }
  }

  std::size_t degree_;
  std::size_t block_;
  std::vector<Term> terms_;  // without the leading one, ascending
};

}  // namespace

std::unique_ptr<const Reducer> make_block_reducer(const CyclotomicPolynomial& polynomial) {
  return std::make_unique<BlockReducer>(polynomial);
}

}  // namespace ringlet
