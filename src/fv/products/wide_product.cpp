// SPDX-License-Identifier: Apache-2.0
#include "ringlet/fv/wide_product.hpp"

#include <algorithm>
#include <utility>

#include "base/declassify.hpp"
#include "base/public_entry.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "fv/products/method_choice.hpp"
#include "fv/products/product_method.hpp"

namespace ringlet {
namespace {

constexpr std::size_t kMaxWideDegree = 16384;

/// Returns whether every coefficient is below q. The comparison goes through all of them.
bool is_reduced(const WidePoly& a, const WideModulus& q) {
  std::uint64_t all_below = 1;
  for (std::size_t i = 0; i < a.degree(); ++i) {
    std::uint64_t borrow = 0;
    for (std::size_t w = 0; w < a.word_count(); ++w) {
      const uint128_t difference = static_cast<uint128_t>(a.plane(w)[i]) - q.value()[w] - borrow;
      borrow = static_cast<std::uint64_t>(difference >> 64) & 1;
    }
    all_below &= borrow;
  }
  return declassify(all_below != 0);
}

/// Returns whether every coefficient is -1, 0 or 1.
bool is_small(std::span<const std::int8_t> u) {
  unsigned outside = 0;
  for (const std::int8_t value : u) {
    const unsigned shifted = static_cast<unsigned>(value + 1) & 0xffu;
    outside |= (shifted & 0xfcu) | (shifted & shifted >> 1 & 1u);
  }
  return declassify(outside == 0);
}

void check_degree(const CyclotomicPolynomial& polynomial) {
  if (polynomial.degree() <= kMaxWideDegree) return;
  refuse(concat("m = ", polynomial.index(), " of degree ", polynomial.degree()),
         concat("degree up to ", kMaxWideDegree), "choose a smaller ring");
}

void check_counts(std::size_t results, std::size_t u, std::size_t e) {
  if (results == u && results == e) return;
  refuse(concat(results, " results, ", u, " small operands, ", e, " summands"),
         "equally many of the three", "pass an empty summand where there is none");
}

void check_small(std::span<const std::int8_t> u, std::size_t degree, std::size_t index) {
  if (u.size() != degree) {
    refuse(concat("u[", index, "] has ", u.size(), " coefficients"),
           concat(degree, " coefficients"), "pass as many coefficients as the ring's degree");
  }
  if (is_small(u)) return;
  refuse(concat("u[", index, "] has a coefficient that is not -1, 0 or 1"),
         "coefficients in {-1, 0, 1}", "multiply by larger coefficients with other code");
}

void check_summand(std::span<const std::int32_t> e, std::size_t degree, std::size_t index) {
  if (e.empty() || e.size() == degree) return;
  refuse(concat("e[", index, "] has ", e.size(), " coefficients"),
         concat("0 or ", degree, " coefficients"), "pass an empty summand for 0");
}

bool has_shape(const WidePoly& a, std::size_t degree, std::size_t word_count) {
  return a.degree() == degree && a.word_count() == word_count;
}

/// Checks the shapes of operands of add and subtract.
void check_sum(const WidePoly& a, const WidePoly& b, const WideModulus& q) {
  if (has_shape(b, a.degree(), a.word_count()) && a.word_count() == q.word_count()) return;
  refuse(concat("polynomials of ", a.degree(), " and ", b.degree(), " coefficients of ",
                a.word_count(), " and ", b.word_count(), " words"),
         concat("one degree, ", q.word_count(), " words per coefficient"),
         "pass polynomials modulo this modulus");
}

/// r = a + b or a - b, all in [0, q).
template <bool kSubtract>
void sum(WidePoly& result, const WidePoly& a, const WidePoly& b, const WideModulus& q) {
  const std::size_t words = q.word_count();
  for (std::size_t i = 0; i < a.degree(); ++i) {
    // x is the sum less q, or the difference; its borrow says that q is to be added.
    WideInteger x{};
    std::int64_t carry = 0;
    for (std::size_t w = 0; w < words; ++w) {
      __extension__ using int128_t = __int128;
      int128_t sum = static_cast<int128_t>(a.plane(w)[i]) + carry;
      sum += kSubtract ? -static_cast<int128_t>(b.plane(w)[i])
                       : static_cast<int128_t>(b.plane(w)[i]) - static_cast<int128_t>(q.value()[w]);
      x[w] = static_cast<std::uint64_t>(sum);
      carry = static_cast<std::int64_t>(sum >> 64);
    }
    const std::uint64_t add_q = opaque(static_cast<std::uint64_t>(carry >> 63));
    uint128_t upper = 0;
    for (std::size_t w = 0; w < words; ++w) {
      upper += static_cast<uint128_t>(x[w]) + (q.value()[w] & add_q);
      result.plane(w)[i] = static_cast<std::uint64_t>(upper);
      upper >>= 64;
    }
  }
}

template <bool kSubtract>
void checked_sum(WidePoly& result, const WidePoly& a, const WidePoly& b, const WideModulus& q) {
  check_sum(a, b, q);
  if (has_shape(result, a.degree(), a.word_count())) return sum<kSubtract>(result, a, b, q);
  WidePoly fresh(a.degree(), a.word_count());
  sum<kSubtract>(fresh, a, b, q);
  result = std::move(fresh);
}

}  // namespace

PreparedWidePoly::PreparedWidePoly() noexcept = default;
PreparedWidePoly::~PreparedWidePoly() = default;

const char* to_string(ProductWay way) noexcept {
  switch (way) {
    case ProductWay::automatic:
      return "automatic";
    case ProductWay::karatsuba:
      return "karatsuba";
    case ProductWay::ntt:
      return "ntt";
    case ProductWay::additions:
      return "additions";
  }
  return "unknown";
}

struct WideProduct::State {
  State(const CyclotomicPolynomial& phi, const WideModulus& modulus)
      : polynomial(phi), q(modulus), reduction(phi) {}

  CyclotomicPolynomial polynomial;
  WideModulus q;
  CyclotomicReduction reduction;
  wide::ChosenMethod chosen;
};

WideProduct::WideProduct(const CyclotomicPolynomial& polynomial, const WideModulus& q,
                         ProductWay way, const KernelSelection& kernels) {
  public_entry("WideProduct", [&] {
    check_degree(polynomial);
    auto state = std::make_shared<State>(polynomial, q);
    state->chosen =
        wide::choose_method({state->polynomial, state->reduction, state->q, kernels}, way);
    state_ = std::move(state);
  });
}

std::shared_ptr<const PreparedWidePoly> WideProduct::prepare(const WidePoly& p) const {
  const std::size_t degree = state_->polynomial.degree();
  const std::size_t words = state_->q.word_count();
  public_entry("WideProduct::prepare", [&] {
    if (!has_shape(p, degree, words)) {
      refuse(concat("p has ", p.degree(), " coefficients of ", p.word_count(), " words"),
             concat(degree, " coefficients of ", words, " words"),
             "pass a polynomial of this ring and modulus");
    }
    if (!is_reduced(p, state_->q)) {
      refuse("p has a coefficient that is not below q",
             concat("coefficients below ", state_->q.to_string()), "reduce p modulo q");
    }
  });
  return state_->chosen.method->prepare(p);
}

void WideProduct::multiply_add(std::span<WidePoly> results, const PreparedWidePoly& p,
                               std::span<const std::span<const std::int8_t>> u,
                               std::span<const std::span<const std::int32_t>> e) const {
  const std::size_t degree = state_->polynomial.degree();
  const std::size_t words = state_->q.word_count();
  const wide::ProductMethod& method = *state_->chosen.method;
  public_entry("WideProduct::multiply_add", [&] {
    check_counts(results.size(), u.size(), e.size());
    for (std::size_t i = 0; i < u.size(); ++i) check_small(u[i], degree, i);
    for (std::size_t i = 0; i < e.size(); ++i) check_summand(e[i], degree, i);
    if (!method.takes(p)) {
      refuse("p was prepared by another object",
             concat("operands that this object prepared, for ", kernel_name()),
             "prepare p with this object");
    }
  });
  for (WidePoly& result : results) {
    if (!has_shape(result, degree, words)) result = WidePoly(degree, words);
  }
  for (std::size_t first = 0; first < results.size(); first += wide::kMaxProducts) {
    const std::size_t count = std::min(results.size() - first, wide::kMaxProducts);
    method.multiply_add(results.subspan(first, count), p, u.subspan(first, count),
                        e.subspan(first, count));
  }
}

ProductWay WideProduct::way() const noexcept { return state_->chosen.way; }
std::string WideProduct::kernel_name() const { return state_->chosen.method->kernel_name(); }
std::size_t WideProduct::table_bytes() const noexcept {
  return state_->chosen.method->table_bytes();
}
std::size_t WideProduct::scratch_bytes(std::size_t count) const noexcept {
  return count == 0 ? 0 : state_->chosen.method->scratch_bytes(std::min(count, wide::kMaxProducts));
}
const CyclotomicPolynomial& WideProduct::polynomial() const noexcept { return state_->polynomial; }
const WideModulus& WideProduct::modulus() const noexcept { return state_->q; }

void add(WidePoly& result, const WidePoly& a, const WidePoly& b, const WideModulus& q) {
  public_entry("add", [&] { checked_sum<false>(result, a, b, q); });
}

void subtract(WidePoly& result, const WidePoly& a, const WidePoly& b, const WideModulus& q) {
  public_entry("subtract", [&] { checked_sum<true>(result, a, b, q); });
}

}  // namespace ringlet
