// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ntt/compose.hpp"

#include "support/reference/ntt_reference.hpp"
#include "support/refusal.hpp"

namespace ringlet::test {
namespace {

using namespace ringlet::stages;  // NOLINT(google-build-using-namespace): what users write
template <typename C>
constexpr auto factors_of(const C&) {
  return C::Flow::kFactors;
}
template <typename... S>
constexpr auto factors_between = Chain<S...>::Flow::kFactors;
template <std::size_t n>
using Factors = std::array<int, n>;

// The factor between two stages is the laziest that both accept. Results are reduced at the end of
// a chain unless it asks for another range.
static_assert(factors_between<Forward, Multiply, Inverse> == Factors<4>{1, 4, 1, 1});
static_assert(factors_between<Forward, Inverse> == Factors<3>{1, 1, 1});
static_assert(factors_between<Forward> == Factors<2>{1, 1});
static_assert(factors_between<Load<4>, Forward, Store<4>> == Factors<4>{4, 4, 4, 4});
static_assert(factors_between<Load<4>, Reduce, Inverse> == Factors<4>{4, 4, 2, 1});
static_assert(factors_between<Load<4>, Reduce, Add> == Factors<4>{4, 4, 1, 1});
static_assert(factors_between<Load<8>, MultiplyScalar, Inverse, Store<2>> ==
              Factors<5>{8, 8, 1, 2, 2});
static_assert(factors_between<Forward, MultiplyScalarAdd, Add> == Factors<4>{1, 4, 1, 1});
static_assert(factors_between<Inverse, Multiply> == Factors<3>{1, 2, 1});

template <typename A, typename B>
concept Composes = requires(const A& a, const B& b) { a | b; };

// Stages that do not fit do not compile, and the concept that fails says why.
static_assert(Composes<Forward, Multiply>);
static_assert(!Composes<Load<8>, Forward> && !RangesFit<Load<8>, Forward>);
static_assert(!Composes<Load<4>, Inverse> && !Composes<Load<2>, Add>);
static_assert(!Composes<Multiply, Store<2>>, "products are reduced");
static_assert(!Composes<Multiply, Load<1>>, "a chain begins once");
static_assert(!Composes<Store<1>, Multiply>, "a chain ends once");
static_assert(!Composes<Forward, Forward> && !FormsFit<Forward, Forward>);
static_assert(!Composes<Inverse, Inverse> && RangesFit<Inverse, Inverse>);
static_assert(!Composes<Chain<Forward, Multiply>, Forward>);
static_assert(Composes<Chain<Forward, Multiply, Inverse>, Chain<Forward, Negate>>);
static_assert(!Composes<Forward, int> && !Composes<int, Forward>);
static_assert(!Composable<Words> && Stage<Forward> && !Stage<Chain<Forward>>);

/// Plans and vectors for one degree and size of prime.
struct Setting {
  explicit Setting(std::size_t n, int bits = 49)
      : q(generate_ntt_primes(bits, n, 1)[0]), ntt(n, q), eltwise(q), degree(n) {
    auto rng = make_rng(n);
    for (Words* words : {&a, &b, &c}) *words = random_residues(n, q.value(), rng);
  }
  Modulus q;
  Ntt ntt;
  Eltwise eltwise;
  std::size_t degree;
  Words a, b, c;
};

/// The chain's results from `a`, out of place and in place, which must agree.
template <typename C>
Words results_of(const C& chain, const Words& a) {
  Words result(a.size(), ~std::uint64_t{0});
  chain(result, a);
  Words in_place = a;
  chain(in_place, in_place);
  EXPECT_EQ(in_place, result);
  return result;
}

TEST(Compose, ProductInTheTransformedDomainEqualsSeparateCalls) {
  for (const std::size_t degree : {std::size_t{2}, std::size_t{64}, std::size_t{4096}}) {
    for (const int bits : {30, 49, 60}) {
      const Setting s(degree, bits);
      const auto chain = forward(s.ntt) | multiply(s.eltwise, s.b) | inverse(s.ntt);
      Words expected(degree);
      s.ntt.forward(expected, s.a);
      s.eltwise.multiply(expected, expected, s.b);
      s.ntt.inverse(expected);
      EXPECT_EQ(results_of(chain, s.a), expected) << degree << " " << bits;
    }
  }
}

TEST(Compose, TransformsOfDifferentRootsAreNotOneProduct) {
  const Setting s(64);
  const Ntt other(64, s.q, pow_mod(s.ntt.root_of_unity(), 3, s.q));
  const auto chain = forward(s.ntt) | multiply(s.eltwise, transformed(other, s.b)) | inverse(s.ntt);
  Words x(64);
  Words y(64);
  s.ntt.forward(x, s.a);
  other.forward(y, s.b);
  s.eltwise.multiply(x, x, y);
  s.ntt.inverse(x);
  EXPECT_EQ(results_of(chain, s.a), x);
}

TEST(Compose, ElementwiseChainsEqualSeparateCallsAtAnyLength) {
  const Modulus q(1000003);
  const Eltwise eltwise(q);
  for (const std::size_t length : {0, 1, 7, 1023, 1024, 1025, 5000}) {
    auto rng = make_rng(length);
    const Words a = random_residues(length, q.value(), rng);
    const Words b = random_residues(length, q.value(), rng);
    const Words c = random_residues(length, q.value(), rng);
    const auto chain = multiply(eltwise, b) | add(eltwise, c) | multiply_scalar(eltwise, 77) |
                       subtract(eltwise, b) | multiply_add(eltwise, b, c) |
                       multiply_scalar_add(eltwise, 5, b) | negate(eltwise);
    Words expected(length);
    for (std::size_t i = 0; i < length; ++i) {
      std::uint64_t x = a[i] * b[i] % q.value();
      x = (x + c[i]) * 77 % q.value();
      x = (x + q.value() - b[i]) * b[i] % q.value() + c[i];
      x = (5 * x + b[i]) % q.value();
      expected[i] = (q.value() - x) % q.value();
    }
    EXPECT_EQ(results_of(chain, a), expected) << length;
  }
}

TEST(Compose, LoadAndStoreSayTheRangesAtTheEnds) {
  const Setting s(256, 60);
  auto rng = make_rng();
  const Words wide = mixed_values(256, s.q.value(), 4, rng);
  Words exact = wide;
  for (auto& word : exact) word %= s.q.value();
  const auto chain = load<4>() | forward(s.ntt) | store<4>();
  static_assert(decltype(chain)::kInput == 4 && decltype(chain)::kOutput == 4);
  const Words lazy = results_of(chain, wide);
  Words expected(256);
  s.ntt.forward(expected, exact);
  for (std::size_t i = 0; i < lazy.size(); ++i) {
    ASSERT_LT(lazy[i], 4 * s.q.value());
    ASSERT_EQ(lazy[i] % s.q.value(), expected[i]);
  }
  const auto back = load<4>() | reduce(s.eltwise) | inverse(s.ntt);
  EXPECT_EQ(results_of(back, lazy), exact);
  EXPECT_EQ(results_of(load<8>() | multiply_scalar(s.eltwise, 1), exact), exact);
  EXPECT_EQ(results_of(load<2>() | store<2>(), wide), wide) << "nothing between: a copy";
}

TEST(Compose, ComposeIsTheSameAsTheOperator) {
  const Setting s(128);
  const auto a = compose(forward(s.ntt), multiply(s.eltwise, s.b), inverse(s.ntt));
  const auto b = (forward(s.ntt) | multiply(s.eltwise, s.b)) | compose(inverse(s.ntt));
  static_assert(std::same_as<decltype(a), decltype(b)>);
  EXPECT_EQ(results_of(a, s.a), results_of(b, s.a));
}

TEST(Compose, RefusesPlansThatDoNotBelongTogether) {
  const Setting s(64);
  const Setting other(64, 40);
  const Ntt longer(128, s.q);
  expect_refusal("", [&] { forward(s.ntt) | multiply(other.eltwise, s.b); });
  expect_refusal("", [&] { forward(s.ntt) | inverse(other.ntt); });
  expect_refusal("", [&] { forward(s.ntt) | inverse(longer); });
  expect_refusal("", [&] { forward(s.ntt) | multiply(s.eltwise, transformed(longer, s.b)); });
  expect_refusal("", [&] { forward(s.ntt) | multiply(s.eltwise, transformed(other.ntt, s.b)); });
}

TEST(Compose, RefusesUnusableVectorsAndLeavesThemAlone) {
  Setting s(64);
  const auto chain = negate(s.eltwise) | add(s.eltwise, s.b) | forward(s.ntt);
  const Words original = s.a;
  const std::span<std::uint64_t> a(s.a);
  Words result(64, 1);
  expect_refusal("", [&] { chain(result, a.first(63)); });
  expect_refusal("", [&] { chain(std::span(result).first(63), a.first(63)); });
  expect_refusal("", [&] { chain(s.b, a); });  // result is a vector of the chain
  Words wide(128, 3);
  expect_refusal("", [&] { chain(std::span(wide).first(64), std::span(wide).subspan(1, 64)); });
  const auto shorter = negate(s.eltwise) | add(s.eltwise, std::span(s.b).first(63));
  expect_refusal("", [&] { shorter(result, a); });
  EXPECT_EQ(result, Words(64, 1));
  EXPECT_EQ(s.a, original);
  EXPECT_EQ(wide, Words(128, 3));
  const auto vast = load<8>() | multiply_scalar(Eltwise(Modulus((1ULL << 62) - 1)), 1);
  expect_refusal("", [&] { vast(result, a); });  // 8*q does not fit a word
}

}  // namespace
}  // namespace ringlet::test
