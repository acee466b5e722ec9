// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/error.hpp"
#include "ringlet/ntt.hpp"
#include "support/ntt_reference.hpp"
#include "support/refusal.hpp"
#include "support/test.hpp"
#include "support/transform_operands.hpp"
#include "support/values.hpp"

namespace ringlet::test {

using Words = std::vector<std::uint64_t>;

inline bool is_below(const Words& words, std::uint64_t limit) {
  return std::ranges::all_of(words, [=](std::uint64_t word) { return word < limit; });
}

inline Ntt radix2_transform(std::size_t degree, const Modulus& q, std::uint64_t root) {
  return {degree, q, root, KernelSelection("scalar64/radix2")};
}

/// The transform kernels whose algorithm has one of these names.
inline std::vector<KernelInfo> transform_kernels_of(std::span<const std::string_view> algorithms) {
  std::vector<KernelInfo> kernels = transform_kernels();
  std::erase_if(kernels, [algorithms](const KernelInfo& kernel) {
    return std::ranges::find(algorithms, kernel.algorithm) == algorithms.end();
  });
  return kernels;
}

/// Tests of one transform kernel against radix-2, FLINT and the definition, at its degrees up to
/// 2^16, at primes up to its limit, with all range factors and operands at the ends of their
/// ranges.
class TransformTest : public ::testing::TestWithParam<KernelInfo> {
 protected:
  static constexpr std::size_t kLargestDegree = std::size_t{1} << 16;

  void SetUp() override {
    if (!GetParam().available) GTEST_SKIP() << "this processor cannot run " << GetParam().name;
  }
  static std::string name() { return GetParam().table + "/" + GetParam().algorithm; }
  static Ntt plan(std::size_t degree, const Modulus& q, std::uint64_t root) {
    return {degree, q, root, KernelSelection(name())};
  }
  static std::string trace(std::size_t degree, const Modulus& q) {
    return "N = " + std::to_string(degree) + ", q = " + std::to_string(q.value());
  }

  /// Primes for a degree that the kernel takes, up to its limit.
  virtual std::vector<std::uint64_t> primes(std::size_t degree) const = 0;
  /// A short run takes no others at this degree.
  virtual std::vector<std::uint64_t> few_primes(std::size_t degree,
                                                std::mt19937_64& /*rng*/) const {
    return primes(degree);
  }
  virtual std::vector<Words> operands(std::size_t degree, std::uint64_t q, std::uint64_t factor,
                                      std::mt19937_64& rng) const {
    return transform_operands(degree, q, factor, rng);
  }
  /// For the definition, which is quadratic.
  virtual std::vector<Words> few_operands(std::size_t degree, std::uint64_t q,
                                          std::mt19937_64& rng) const {
    return operands(degree, q, 1, rng);
  }
  /// Short runs take one of the operands of a range above this degree.
  virtual std::size_t all_operands_degree() const = 0;
  /// Factors of the range of forward transforms' results.
  virtual std::vector<unsigned> forward_ranges() const = 0;

  /// Every range of results, in place and not.
  void check_forward(const Ntt& ntt, const Words& a, int input, const Words& expected) const {
    check("forward", ntt, a, input, expected, forward_ranges(),
          [&ntt](Words& to, const Words& from, int x, int y) { ntt.forward(to, from, x, y); });
  }
  void check_inverse(const Ntt& ntt, const Words& a, int input, const Words& expected) const {
    check("inverse", ntt, a, input, expected, {1, 2},
          [&ntt](Words& to, const Words& from, int x, int y) { ntt.inverse(to, from, x, y); });
  }

  void agrees_with_radix2() const {
    auto rng = make_rng();
    for (std::size_t degree = GetParam().min_degree; degree <= kLargestDegree; degree *= 2) {
      for (const std::uint64_t q : test_scale() == 1 ? few_primes(degree, rng) : primes(degree)) {
        SCOPED_TRACE(trace(degree, Modulus(q)));
        compare(degree, Modulus(q), rng);
        if (HasFatalFailure()) return;
      }
    }
  }

  /// By the definition, so that an error that radix-2 had too would be seen.
  void agrees_with_the_definition(std::size_t largest_degree) const {
    auto rng = make_rng();
    for (std::size_t degree = GetParam().min_degree; degree <= largest_degree; degree *= 2) {
      for (const std::uint64_t value : primes(degree)) {
        const Modulus q(value);
        SCOPED_TRACE(trace(degree, q));
        const std::uint64_t root = pow_mod(minimal_primitive_root(2 * degree, q), rng() | 1, q);
        const Ntt ntt = plan(degree, q, root);
        for (const Words& a : few_operands(degree, value, rng)) {
          Words expected(degree);
          for (std::size_t i = 0; i < degree; ++i) expected[i] = ntt_value(a, i, root, q);
          check_forward(ntt, a, 1, expected);
          check_inverse(ntt, expected, 1, a);
          if (HasFatalFailure()) return;
        }
      }
    }
  }

  void multiplies_as_flint(std::size_t largest_degree) const {
    auto rng = make_rng();
    for (std::size_t degree = GetParam().min_degree; degree <= largest_degree; degree *= 2) {
      for (const std::uint64_t value : primes(degree)) {
        const Modulus q(value);
        const Ntt ntt = plan(degree, q, minimal_primitive_root(2 * degree, q));
        const Words a = mixed_values(degree, value, 1, rng);
        const Words b = mixed_values(degree, value, 1, rng);
        Words product(degree);
        ntt.multiply(product, a, b);
        ASSERT_EQ(product, negacyclic_product(a, b, value)) << trace(degree, q);
      }
    }
  }

  /// Any prime, root and ranges; degrees and primes smaller than the limit by random powers of two
  /// below 2^degrees and 2^bits.
  void random_transforms_agree(unsigned degrees, unsigned bits) const {
    constexpr std::size_t kRandomTransforms = 400;
    auto rng = make_rng();
    for (std::size_t i = 0; i < scaled(kRandomTransforms); ++i) {
      const std::size_t degree = GetParam().min_degree << (rng() % degrees);
      const std::uint64_t bound = GetParam().modulus_limit >> (rng() % bits);
      const Modulus q(ntt_prime_next_to(bound - rng() % (bound / 2), degree, true));
      const std::uint64_t root = pow_mod(minimal_primitive_root(2 * degree, q), rng() | 1, q);
      SCOPED_TRACE(trace(degree, q) + ", root = " + std::to_string(root));
      const Ntt ntt = plan(degree, q, root);
      const Ntt scalar = radix2_transform(degree, q, root);
      Words expected(degree);
      Words values(degree);
      const unsigned input = 1U << (rng() % 3);
      Words a = random_residues(degree, input * q.value(), rng);
      ntt.forward(values, a, static_cast<int>(input), 1);
      scalar.forward(expected, a, static_cast<int>(input), 1);
      ASSERT_EQ(values, expected);
      for (std::uint64_t& word : a) word %= 2 * q.value();
      ntt.inverse(values, a, 2, 1);
      scalar.inverse(expected, a, 2, 1);
      ASSERT_EQ(values, expected);
    }
  }

  static void refuses_what_is_beyond_its_limits() {
    const std::uint64_t limit = GetParam().modulus_limit;
    const std::string limit_text = "modulus below " + std::to_string(limit);
    for (std::size_t degree = GetParam().min_degree; degree <= kLargestDegree; degree *= 2) {
      const Modulus above(ntt_prime_next_to(limit, degree, false));
      expect_refusal_of("Ntt with kernel " + name(),
                        {std::to_string(above.value()), limit_text, "name the table alone"},
                        [&] { Ntt(degree, above, KernelSelection(name())); });
      // Without the exact name there is a kernel for it.
      EXPECT_NE(Ntt(degree, above, KernelSelection(GetParam().table)).kernel_name(), name());
    }
    const std::size_t below = GetParam().min_degree / 2;
    const Modulus q(ntt_prime_next_to(limit, below, true));
    expect_refusal_of("Ntt with kernel " + name(),
                      {"degree from " + std::to_string(GetParam().min_degree)},
                      [&] { Ntt(below, q, KernelSelection(name())); });
  }

 private:
  template <typename Transform>
  static void check(const char* what, const Ntt& ntt, const Words& a, int input,
                    const Words& expected, const std::vector<unsigned>& ranges,
                    Transform transform) {
    const std::uint64_t q = ntt.modulus().value();
    Words values(a.size());
    for (const unsigned output : ranges) {
      for (const bool in_place : {false, true}) {
        std::ranges::fill(values, ~std::uint64_t{0});
        if (in_place) values = a;
        transform(values, in_place ? values : a, input, static_cast<int>(output));
        ASSERT_TRUE(is_below(values, output * q)) << what << " " << input << "->" << output;
        ASSERT_EQ(reduced(values, q), expected) << what << " " << input << "->" << output;
      }
    }
  }

  /// All factors; all operands at small degrees and in long runs, else one of them, drawn anew.
  void compare(std::size_t degree, const Modulus& q, std::mt19937_64& rng) const {
    const std::uint64_t root = minimal_primitive_root(2 * degree, q);
    const Ntt ntt = plan(degree, q, root);
    ASSERT_EQ(ntt.kernel_name() + "/ntt", GetParam().name);
    const Ntt scalar = radix2_transform(degree, q, root);
    for (const std::uint64_t factor : {1, 2, 4}) {
      std::vector<Words> inputs = operands(degree, q.value(), factor, rng);
      if (test_scale() == 1 && degree > all_operands_degree()) {
        std::swap(inputs[0], inputs[rng() % inputs.size()]);
        inputs.resize(1);
      }
      for (const Words& a : inputs) {
        const Words residues = reduced(a, q.value());
        Words expected(degree);
        scalar.forward(expected, residues);
        check_forward(ntt, a, static_cast<int>(factor), expected);
        if (HasFatalFailure()) return;
        Words back(degree);
        ntt.inverse(back, expected);
        ASSERT_EQ(back, residues) << "inverse after forward";
        // The inverse transform takes factors 1 and 2.
        const unsigned input = factor == 1 ? 1 : 2;
        Words b = a;
        for (std::uint64_t& word : b) word %= input * q.value();
        scalar.inverse(expected, residues);
        check_inverse(ntt, b, static_cast<int>(input), expected);
        if (HasFatalFailure()) return;
      }
    }
  }
};

}  // namespace ringlet::test
