// SPDX-License-Identifier: Apache-2.0
#include <cfenv>

#include <flint/nmod_poly.h>

#include "ringlet/ntt/ntt.hpp"
#include "support/reference/ntt_reference.hpp"
#include "support/refusal.hpp"

// Tests every transform, kernel by kernel, at all degrees, modulo primes of every size and next to
// its limits, with all range factors and operands at the ends of their ranges. The reference is
// FLINT's evaluation at many points and, at large degrees, scalar64/radix2.

namespace ringlet::test {
namespace {

/// The largest degree of the tests at every degree; degrees 2^18 to 2^20 have their own test.
constexpr std::size_t kLargestDegree = std::size_t{1} << 17;
/// Up to this degree FLINT computes all values.
constexpr std::size_t kFlintDegree = 64;
/// Short runs use one of the operands above the first of these degrees, a few primes of every size
/// above the second, and a few of the kernel's own primes above the third.
constexpr std::size_t kAllOperandsDegree = 64;
constexpr std::size_t kAllSizesDegree = 64;
constexpr std::size_t kAllPrimesDegree = 2048;
/// Larger transforms only repeat passes: short runs use two primes.
constexpr std::size_t kNewPassesDegree = 16384;

constexpr std::size_t kCoefficientsPerKernel = 50'000;

/// The values of the polynomial at the odd powers of the root, in the order of the transform.
Words values_by_flint(const Words& a, std::uint64_t root, const Modulus& q) {
  nmod_poly_t polynomial;
  nmod_poly_init2(polynomial, q.value(), static_cast<slong>(a.size()));
  for (std::size_t i = 0; i < a.size(); ++i) {
    nmod_poly_set_coeff_ui(polynomial, static_cast<slong>(i), a[i] % q.value());
  }
  const int bits = std::countr_zero(a.size());
  Words points(a.size());
  const std::uint64_t square = q.multiply(root, root);
  std::uint64_t power = root;
  for (std::size_t i = 0; i < a.size(); ++i) {
    points[bit_reverse(i, bits)] = power;
    power = q.multiply(power, square);
  }
  Words values(a.size());
  nmod_poly_evaluate_nmod_vec(values.data(), polynomial, points.data(),
                              static_cast<slong>(a.size()));
  nmod_poly_clear(polynomial);
  return values;
}

/// The same transforms by scalar64/radix2, and at small degrees by FLINT.
class Reference {
 public:
  explicit Reference(const Ntt& ntt)
      : radix2_(ntt.degree(), ntt.modulus(), ntt.root_of_unity(),
                KernelSelection("scalar64/radix2")) {}

  Words forward(const Words& residues) const {
    if (residues.size() <= kFlintDegree) {
      return values_by_flint(residues, radix2_.root_of_unity(), radix2_.modulus());
    }
    Words values(residues.size());
    radix2_.forward(values, residues);
    return values;
  }
  Words inverse(const Words& values) const {
    Words residues(values.size());
    radix2_.inverse(residues, values);
    if (values.size() <= kFlintDegree) {
      EXPECT_EQ(forward(residues), values);
    }
    return residues;
  }

 private:
  Ntt radix2_;
};

class NttTransform : public ::testing::TestWithParam<KernelInfo> {
 protected:
  void SetUp() override {
    if (!GetParam().available) GTEST_SKIP() << "this processor cannot run " << GetParam().name;
  }
  static std::string name() { return GetParam().table + "/" + GetParam().algorithm; }
  static std::uint64_t limit() { return GetParam().modulus_limit; }
  static Ntt plan(std::size_t degree, const Modulus& q, std::uint64_t root) {
    return {degree, q, root, KernelSelection(name())};
  }
  static std::uint64_t any_root(std::size_t degree, const Modulus& q, std::mt19937_64& rng) {
    return pow_mod(minimal_primitive_root(2 * degree, q), rng() | 1, q);
  }
  static std::string trace(const Ntt& ntt) {
    return "N = " + std::to_string(ntt.degree()) +
           ", q = " + std::to_string(ntt.modulus().value()) +
           ", root = " + std::to_string(ntt.root_of_unity());
  }

  /// Primes next to the kernel's limit, to fractions of it and to limits of other kernels. For lazy
  /// kernels also primes with a multiple next to 2^52, where reductions are decided.
  static Words primes_at_limits(std::size_t degree) {
    std::set<std::uint64_t> ends;
    for (const std::uint64_t divisor : {1, 2, 3, 4}) ends.insert(limit() / divisor);
    for (const KernelInfo& kernel : transform_kernels()) ends.insert(kernel.modulus_limit);
    if (GetParam().algorithm.starts_with("lazy")) {
      for (std::uint64_t units = 5; units <= 20; ++units) {
        ends.insert((std::uint64_t{1} << 52) / units);
      }
    }
    return primes_next_to(ends, degree);
  }
  /// The smallest primes and, for every size, the smallest, the largest, all within 64 of a power
  /// of two in a large run, one between them, one that is 1 modulo 2^32, and those whose lower
  /// halves are next to 2^31 and, as signed numbers, -2^31.
  static Words primes_of_every_size(std::size_t degree) {
    std::set<std::uint64_t> ends{2 * degree, 16, 18, 256, 258, 65536, 65538};
    std::set<std::uint64_t> half_words;
    for (int bits = 3; bits <= kMaxNttModulusBits; ++bits) {
      const std::uint64_t power = std::uint64_t{1} << bits;
      if (power <= 4 * degree) continue;
      ends.insert({power, power / 4 * 3});
      if (test_scale() > 1) {
        for (std::uint64_t d = 2 * degree; d <= 64; d += 2 * degree) {
          ends.insert({power - d, power + d});
        }
      }
      if (bits < 40) continue;
      constexpr std::size_t kHalfWord = std::size_t{1} << 31;
      half_words.insert(ntt_prime_next_to(power, std::max(kHalfWord, degree), true));
      ends.insert(power / 8 * 7 + kHalfWord);
    }
    Words primes = primes_next_to(ends, degree);
    std::ranges::copy_if(half_words, std::back_inserter(primes),
                         [](std::uint64_t q) { return q < limit(); });
    return primes;
  }
  /// All primes, or some in a short run, including the largest.
  static Words primes(std::size_t degree, std::mt19937_64& rng) {
    Words found = primes_at_limits(degree);
    Words others = primes_of_every_size(degree);
    const auto keep_few = [&rng](Words& words, std::size_t count) {
      std::ranges::shuffle(words, rng);
      words.resize(std::min(words.size(), count));
    };
    if (test_scale() == 1 && degree > kAllSizesDegree) keep_few(others, 4);
    if (test_scale() == 1 && degree > kAllPrimesDegree) {
      keep_few(found, degree > kNewPassesDegree ? 1 : 2);
      keep_few(others, degree > kNewPassesDegree ? 0 : 2);
    }
    found.insert(found.end(), others.begin(), others.end());
    found.push_back(ntt_prime_next_to(limit(), degree, true));
    return found;
  }
  /// Calls body(plan) for primes of that degree, each with some root.
  template <typename Body>
  static void for_each_plan(std::size_t degree, std::mt19937_64& rng, Body body) {
    for (const std::uint64_t q : primes(degree, rng)) {
      const Ntt ntt = plan(degree, q, any_root(degree, q, rng));
      SCOPED_TRACE(trace(ntt));
      ASSERT_EQ(ntt.kernel_name(), name());
      body(ntt);
      if (HasFatalFailure()) return;
    }
  }

  /// A plan for a prime of any size up to the limit, and any root.
  static Ntt any_plan(std::size_t degree, std::mt19937_64& rng) {
    const std::uint64_t bound = std::max<std::uint64_t>(limit() >> (rng() % 31), 1024 * degree);
    const std::uint64_t end = std::min(limit(), bound - rng() % (bound / 2));
    const Modulus q(ntt_prime_next_to(end, degree, true));
    return plan(degree, q, any_root(degree, q, rng));
  }

  /// Coefficients whose products by the factor of one forward stage are edges, and values whose
  /// differences times the factors of the first inverse stage are edges: 0, 1, q - 1, next to q/2.
  static std::array<Words, 2> operands_of_edge_products(const Ntt& ntt, std::mt19937_64& rng) {
    const Modulus& q = ntt.modulus();
    const std::size_t degree = ntt.degree();
    const int bits = std::countr_zero(degree);
    const std::uint64_t edges[] = {0, 1, q.value() - 1, q.value() / 2, q.value() / 2 + 1};
    const auto power = [&](std::size_t e) { return pow_mod(ntt.root_of_unity(), e, q); };
    std::array<Words, 2> operands{Words(degree, 0), Words(degree, 0)};
    const std::size_t first = degree >> (1 + rng() % static_cast<unsigned>(bits));
    const std::uint64_t inverse = power(2 * degree - first);
    for (std::size_t i = first; i < 2 * first; ++i) {
      operands[0][i] = q.multiply(edges[rng() % std::size(edges)], inverse);
    }
    for (std::size_t i = 0; i < degree / 2; ++i) {
      const std::uint64_t factor = power(bit_reverse(degree / 2 + i, bits));
      operands[1][2 * i] = q.multiply(edges[rng() % std::size(edges)], factor);
    }
    return operands;
  }

  /// Checks every range of results, in place and out of place.
  static void check_forward(const Ntt& ntt, const Words& a, int input, const Words& expected) {
    check({"forward", {1, 4, 8, 16}}, ntt, a, input, expected,
          [&ntt](Words& to, const Words& from, int x, int y) { ntt.forward(to, from, x, y); });
  }
  static void check_inverse(const Ntt& ntt, const Words& a, int input, const Words& expected) {
    check({"inverse", {1, 2}}, ntt, a, input, expected,
          [&ntt](Words& to, const Words& from, int x, int y) { ntt.inverse(to, from, x, y); });
  }

 private:
  /// Primes on both sides of `ends`, below the limit.
  static Words primes_next_to(const std::set<std::uint64_t>& ends, std::size_t degree) {
    std::set<std::uint64_t> found;
    for (const std::uint64_t end : ends) {
      found.insert(ntt_prime_next_to(end, degree, false));
      if (end > 2 * degree) found.insert(ntt_prime_next_to(end, degree, true));
    }
    std::erase_if(found, [](std::uint64_t q) { return q >= limit(); });
    return {found.begin(), found.end()};
  }
  struct Checked {
    const char* what;
    std::vector<unsigned> ranges;
  };
  template <typename Transform>
  static void check(const Checked& checked, const Ntt& ntt, const Words& a, int input,
                    const Words& expected, Transform transform) {
    const auto& [what, ranges] = checked;
    const std::uint64_t q = ntt.modulus().value();
    Words values(a.size());
    for (const unsigned output : ranges) {
      for (const bool in_place : {false, true}) {
        std::ranges::fill(values, ~std::uint64_t{0});
        if (in_place) values = a;
        transform(values, in_place ? values : a, input, static_cast<int>(output));
        ASSERT_LT(std::ranges::max(values) / output, q) << what << " " << input << "->" << output;
        ASSERT_EQ(reduced(values, q), expected) << what << " " << input << "->" << output;
      }
    }
  }
};

/// All factors and operands, including halves of q; at larger degrees one operand, drawn each time.
TEST_P(NttTransform, AgreesAtEveryDegreeAndUpToItsLimit) {
  auto rng = make_rng();
  for (std::size_t degree = GetParam().min_degree; degree <= kLargestDegree; degree *= 2) {
    for_each_plan(degree, rng, [&](const Ntt& ntt) {
      const Reference reference(ntt);
      const std::uint64_t q = ntt.modulus().value();
      for (const unsigned factor : {1U, 2U, 4U}) {
        std::vector<Words> inputs = transform_operands(degree, q, factor, rng);
        inputs.insert(inputs.end(), {Words(degree, q / 2), Words(degree, q / 2 + 1)});
        inputs.push_back(inputs.back());
        for (std::size_t i = 0; i < degree; i += 2) inputs.back()[i] = q / 2;
        const auto with_edges = operands_of_edge_products(ntt, rng);
        inputs.insert(inputs.end(), with_edges.begin(), with_edges.end());
        if (test_scale() == 1 && degree > kAllOperandsDegree) {
          std::swap(inputs[0], inputs[rng() % inputs.size()]);
          inputs.resize(1);
        }
        for (const Words& a : inputs) {
          const Words residues = reduced(a, q);
          const Words values = reference.forward(residues);
          check_forward(ntt, a, static_cast<int>(factor), values);
          Words back(degree);
          ntt.inverse(back, values);
          ASSERT_EQ(back, residues) << "inverse after forward";
          if (factor == 4) continue;
          check_inverse(ntt, a, static_cast<int>(factor), reference.inverse(residues));
          if (HasFatalFailure()) return;
        }
      }
    });
    if (HasFatalFailure()) return;
  }
}

TEST_P(NttTransform, TheLargestDegreesAgree) {
  auto rng = make_rng();
  for (std::size_t degree = 2 * kLargestDegree; degree <= kMaxNttDegree; degree *= 2) {
    if (test_scale() == 1 && degree != kMaxNttDegree) continue;
    const Modulus q(ntt_prime_next_to(limit(), degree, true));
    const Ntt ntt = plan(degree, q, minimal_primitive_root(2 * degree, q));
    SCOPED_TRACE(trace(ntt));
    const Reference reference(ntt);
    const Words a = degree == kMaxNttDegree ? mixed_values(degree, q.value(), 4, rng)
                                            : Words(degree, 4 * q.value() - 1);
    const Words residues = reduced(a, q.value());
    const Words expected = reference.forward(residues);
    const std::size_t i = rng() % degree;
    ASSERT_EQ(expected[i], ntt_value(residues, i, ntt.root_of_unity(), q));
    check_forward(ntt, a, 4, expected);
    check_inverse(ntt, expected, 1, residues);
    check_inverse(ntt, reduced(a, 2 * q.value()), 2, reference.inverse(residues));
    if (HasFatalFailure()) return;
  }
}

/// All values at degrees up to 4096, modulo primes of all sizes.
TEST_P(NttTransform, EveryValueAgreesWithFlint) {
  auto rng = make_rng();
  const std::size_t wanted =
      test_scale() == 1 ? kCoefficientsPerKernel * 2 / 5 : scaled(kCoefficientsPerKernel);
  std::size_t compared = 0;
  while (compared < wanted) {
    for (std::size_t degree = GetParam().min_degree; degree <= 4096; degree *= 2) {
      const Ntt ntt = any_plan(degree, rng);
      const Modulus& q = ntt.modulus();
      SCOPED_TRACE(trace(ntt));
      const unsigned in = 1U << (rng() % 3);
      const Words a = mixed_values(degree, q.value(), in, rng);
      Words result(degree);
      ntt.forward(result, a, static_cast<int>(in), 1);
      ASSERT_EQ(result, values_by_flint(a, ntt.root_of_unity(), q)) << "from factor " << in;
      const unsigned back_in = 1U << (rng() % 2);
      const Words values = mixed_values(degree, q.value(), back_in, rng);
      ntt.inverse(result, values, static_cast<int>(back_in), 1);
      ASSERT_EQ(values_by_flint(result, ntt.root_of_unity(), q), reduced(values, q.value()))
          << "inverse from factor " << back_in;
      compared += degree;
    }
  }
  RecordProperty("coefficients", std::to_string(compared));
  std::printf("random coefficients compared, each way: %zu\n", compared);
}

TEST_P(NttTransform, ProductsAreThoseOfFlint) {
  auto rng = make_rng();
  const bool is_lazy = GetParam().algorithm.starts_with("lazy");
  const std::size_t largest = is_lazy || test_scale() > 1 ? kLargestDegree : 2048;
  for (std::size_t degree = GetParam().min_degree; degree <= largest; degree *= 2) {
    for_each_plan(degree, rng, [&](const Ntt& ntt) {
      const std::uint64_t q = ntt.modulus().value();
      const Words a = mixed_values(degree, q, 1, rng);
      const Words b = mixed_values(degree, q, 1, rng);
      Words product(degree);
      ntt.multiply(product, a, b);
      ASSERT_EQ(product, negacyclic_product(a, b, q));
    });
    if (HasFatalFailure()) return;
  }
}

/// Degrees, sizes of primes, roots and ranges at random.
TEST_P(NttTransform, RandomTransformsAgree) {
  auto rng = make_rng();
  for (std::size_t i = 0; i < scaled(200); ++i) {
    const std::size_t degree = GetParam().min_degree << (rng() % 8);
    const Ntt ntt = any_plan(degree, rng);
    const Modulus& q = ntt.modulus();
    SCOPED_TRACE(trace(ntt));
    const Reference reference(ntt);
    Words values(degree);
    for (int round = 0; round < 8; ++round) {
      const unsigned in = 1U << (rng() % 3);
      const Words a = random_residues(degree, in * q.value(), rng);
      ntt.forward(values, a, static_cast<int>(in), 1);
      ASSERT_EQ(values, reference.forward(reduced(a, q.value()))) << "forward x" << in;
      const unsigned back = 1U << (rng() % 2);
      const Words b = random_residues(degree, back * q.value(), rng);
      ntt.inverse(values, b, static_cast<int>(back), 1);
      ASSERT_EQ(values, reference.inverse(reduced(b, q.value()))) << "inverse x" << back;
    }
  }
}

TEST_P(NttTransform, AnyAlignmentInPlaceOrNotAndNothingBeyondTheEnds) {
  auto rng = make_rng();
  for (std::size_t degree = GetParam().min_degree; degree <= 8192; degree *= 2) {
    const Modulus q(ntt_prime_next_to(limit(), degree, true));
    const Ntt ntt = plan(degree, q, minimal_primitive_root(2 * degree, q));
    SCOPED_TRACE(trace(ntt));
    const Words a = random_residues(degree, q.value(), rng);
    const Words expected = Reference(ntt).forward(a);
    for (std::size_t shift = 0; shift < 8; ++shift) {
      Words memory(degree + 16, kSentinel);
      const std::span<std::uint64_t> place = std::span(memory).subspan(shift + 1, degree);
      ntt.forward(place, a);
      ASSERT_TRUE(std::ranges::equal(place, expected));
      ntt.inverse(place);
      ASSERT_TRUE(std::ranges::equal(place, a));
      ntt.forward(place);
      ASSERT_TRUE(std::ranges::equal(place, expected));
      Words back(degree);
      ntt.inverse(back, place);
      ASSERT_EQ(back, a);
      std::ranges::fill(place, kSentinel);
      ASSERT_EQ(std::ranges::count(memory, kSentinel), std::ssize(memory));
    }
  }
}

/// The arithmetic in doubles sets its own rounding mode and restores the caller's.
TEST_P(NttTransform, EveryRoundingModeGivesTheSameBits) {
  auto rng = make_rng();
  const std::size_t degree = 4096;
  const int before = std::fegetround();
  for (int bits = 20; (std::uint64_t{1} << bits) <= limit(); ++bits) {
    const Modulus q(ntt_prime_next_to(std::uint64_t{1} << bits, degree, true));
    const Ntt ntt = plan(degree, q, minimal_primitive_root(2 * degree, q));
    SCOPED_TRACE(trace(ntt));
    const Words a = mixed_values(degree, q.value(), 1, rng);
    const Words forward = Reference(ntt).forward(a);
    const Words inverse = Reference(ntt).inverse(a);
    for (const int mode : {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO}) {
      Words values(degree);
      Words coefficients(degree);
      std::fesetround(mode);
      ntt.forward(values, a);
      const int after_forward = std::fegetround();
      ntt.inverse(coefficients, a);
      const int after_inverse = std::fegetround();
      std::fesetround(before);
      EXPECT_TRUE(after_forward == mode && after_inverse == mode);
      ASSERT_TRUE(values == forward && coefficients == inverse) << "mode " << mode;
    }
  }
}

TEST_P(NttTransform, RefusesWhatIsBeyondItsLimits) {
  const std::size_t least = GetParam().min_degree;
  const auto expect_refused = [&](std::size_t degree, std::uint64_t q, const std::string& text) {
    expect_refusal_of("Ntt",
                      {std::to_string(q) + " for kernel " + name(), text, "name only the table"},
                      [&] { Ntt(degree, q, KernelSelection(name())); });
  };
  expect_refusal(
      "", [&] { Ntt(least, ntt_prime_next_to(limit(), least, false), KernelSelection(name())); });
  if (limit() >> kMaxNttModulusBits == 0) {
    for (std::size_t degree = least; degree <= kLargestDegree; degree *= 2) {
      const std::uint64_t above = ntt_prime_next_to(limit(), degree, false);
      expect_refused(degree, above, "modulus below " + std::to_string(limit()));
      // A selection by table alone finds another kernel for this modulus.
      EXPECT_NE(Ntt(degree, above, KernelSelection(GetParam().table)).kernel_name(), name());
    }
  }
  if (least > 2) {
    expect_refused(least / 2, ntt_prime_next_to(limit(), least / 2, true),
                   "degree from " + std::to_string(least));
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, NttTransform, ::testing::ValuesIn(transform_kernels()),
                         transform_kernel_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(NttTransform);

}  // namespace
}  // namespace ringlet::test
