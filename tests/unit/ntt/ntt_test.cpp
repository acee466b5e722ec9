// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ntt/ntt.hpp"

#include "ringlet/base/aligned.hpp"
#include "support/reference/ntt_reference.hpp"
#include "support/refusal.hpp"
#include "support/threads.hpp"

namespace ringlet::test {
namespace {

TEST(Ntt, EveryMissingKernelIsReported) {
  const NttKernelNames names = ntt_kernel_names();
  ASSERT_GE(names.available.size(), 1U);
  if (!names.missing.empty()) {
    std::string list;
    for (const std::string& kernel : names.missing) list += " " + kernel;
    GTEST_SKIP() << "this processor cannot run:" << list;
  }
}

TEST(Ntt, TakesPrimesUpToItsLimitAndRefusesThoseAbove) {
  for (const std::size_t degree : {std::size_t{2}, std::size_t{1024}, kMaxNttDegree}) {
    const std::uint64_t limit = std::uint64_t{1} << kMaxNttModulusBits;
    const std::uint64_t below = ntt_prime_next_to(limit, degree, true);
    const std::uint64_t above = ntt_prime_next_to(limit, degree, false);
    EXPECT_EQ(Ntt(degree, below).modulus().value(), below);
    expect_refusal("", [&] { Ntt(degree, above); });
    const std::uint64_t largest = ntt_prime_next_to(std::uint64_t{1} << 63, degree, true);
    expect_refusal("", [&] { Ntt(degree, largest); });  // 63 bits
  }
}

TEST(Ntt, RefusesEveryUnusableDegreeAndModulus) {
  const Modulus q = generate_ntt_primes(40, 4096, 1)[0];
  for (const std::size_t degree : Words{0, 1, 3, 12, 4095, 2 * kMaxNttDegree, ~std::size_t{0}}) {
    expect_refusal("", [&] { Ntt(degree, q); });
  }
  expect_refusal("", [&] { Ntt(8, Modulus(2)); });
  expect_refusal("", [&] { Ntt(8, Modulus(1ULL << 40)); });  // even
  expect_refusal("", [&] { Ntt(8, Modulus(17 * 97)); });     // composite, 1 mod 16
  expect_refusal("", [&] { Ntt(8, Modulus(19)); });          // prime, 3 mod 16
  expect_refusal("", [&] { Ntt(16, Modulus(17)); });         // prime, 1 mod 16 but not 1 mod 32
  EXPECT_NO_THROW(Ntt(8, Modulus(17)));
}

TEST(Ntt, TakesARootOfTheCallersChoiceAndRefusesOthers) {
  const std::size_t degree = 64;
  const Modulus q = generate_ntt_primes(40, degree, 1)[0];
  const std::uint64_t smallest = minimal_primitive_root(2 * degree, q);
  EXPECT_EQ(Ntt(degree, q).root_of_unity(), smallest);
  const std::uint64_t other = pow_mod(smallest, 5, q);
  const Ntt ntt(degree, q, other);
  EXPECT_EQ(ntt.root_of_unity(), other);
  for (const std::uint64_t root :
       Words{0, 1, q.value() - 1, pow_mod(smallest, 2, q), q.value(), smallest + q.value()}) {
    expect_refusal("", [&] { Ntt(degree, q, root); });
  }
}

TEST(Ntt, RefusesUnusableBuffersAndLeavesThemAlone) {
  const std::size_t degree = 64;
  const Modulus q = generate_ntt_primes(40, degree, 1)[0];
  const Ntt ntt(degree, q);
  auto rng = make_rng();
  const Words original = random_residues(2 * degree, q.value(), rng);
  Words words = original;
  const std::span<std::uint64_t> all(words);
  const auto whole = all.first(degree);
  std::uint64_t* const none = nullptr;
  auto* const odd = reinterpret_cast<std::uint64_t*>(reinterpret_cast<char*>(words.data()) + 4);
  using Buffers = std::pair<std::span<std::uint64_t>, std::span<std::uint64_t>>;
  for (const auto& [result, operand] :
       {Buffers{all.first(degree - 1), whole}, Buffers{whole, all.first(degree + 1)},
        Buffers{whole, all.first(0)}, Buffers{{none, degree}, whole},
        Buffers{whole, {none, degree}}, Buffers{all.subspan(1, degree), whole},
        Buffers{whole, all.subspan(degree - 1, degree)},
        Buffers{{odd, degree}, all.subspan(degree, degree)}}) {
    expect_refusal("", [&] { ntt.forward(result, operand); });
    expect_refusal("", [&] { ntt.inverse(result, operand); });
  }
  EXPECT_EQ(words, original);
  EXPECT_NO_THROW(ntt.forward(whole, all.subspan(degree, degree)));
}

TEST(Ntt, RefusesOtherRangeFactors) {
  const Ntt ntt(16, Modulus(97));
  Words words(16, 5);
  const auto refuses = [&](bool forward, int input, int output) {
    expect_refusal("mod_factor = ", [&] {
      forward ? ntt.forward(words, words, input, output) : ntt.inverse(words, words, input, output);
    });
  };
  for (const bool forward : {true, false}) {
    for (const int factor : {-1, 0, 3, 5, 8, 32}) {
      refuses(forward, factor, 1);
      if (factor != 8) refuses(forward, 1, factor);
    }
  }
  refuses(true, 1, 2);
  refuses(false, 4, 1);
  refuses(false, 1, 4);
  EXPECT_EQ(words, Words(16, 5));
}

TEST(Ntt, CopiesShareTheirTablesAndOutliveTheOriginal) {
  auto original = std::make_unique<Ntt>(1024, generate_ntt_primes(49, 1024, 1)[0]);
  const Ntt copy = *original;
  EXPECT_EQ(copy.table_bytes(), original->table_bytes());
  auto rng = make_rng();
  const Words a = random_residues(1024, copy.modulus().value(), rng);
  Words expected(1024);
  original->forward(expected, a);
  original.reset();
  Words result(1024);
  copy.forward(result, a);
  EXPECT_EQ(result, expected);
}

// Calls one plan in many threads at once; the long run is under ThreadSanitizer.
TEST(NttThreads, ShareOnePlan) {
  for (const std::size_t degree : {2, 64, 1024, 4096}) {
    for (const int bits : {49, 61}) {
      SCOPED_TRACE(testing::Message() << degree << ", " << bits);
      const Ntt ntt(degree, generate_ntt_primes(bits, degree, 1)[0]);
      auto rng = make_rng();
      // A transform, its inverse, a product and sums of products.
      const auto work = [degree](const Ntt& plan, const Words& a) {
        const std::vector<Ntt::Operand> operands{a, a};
        std::vector<Words> results(5, Words(degree));
        plan.forward(results[0], a);
        plan.inverse(results[1], results[0]);
        plan.multiply(results[2], a, a);
        plan.multiply_accumulate(results[3], operands, operands);
        plan.inner_product(std::vector<Ntt::Result>{results[4]}, operands, operands);
        return results;
      };
      std::vector<Words> operands;
      std::vector<std::vector<Words>> expected;
      for (std::size_t t = 0; t < kThreads; ++t) {
        operands.push_back(mixed_values(degree, ntt.modulus().value(), 1, rng));
        expected.push_back(work(ntt, operands[t]));
      }
      expect_in_threads(50, [&](std::size_t t, std::size_t i) {
        const Ntt copy = ntt;  // NOLINT(performance-unnecessary-copy-initialization)
        return work(i % 2 == 0 ? copy : ntt, operands[t]) == expected[t];
      });
    }
  }
}

TEST(NttThreads, MakePlansAtTheSameTime) {
  expect_in_threads(50, [](std::size_t t, std::size_t i) {
    const std::size_t degree = std::size_t{2} << (t + i) % 8;
    const Ntt ntt(degree, generate_ntt_primes(30, degree, 1)[0]);
    Words words(degree);
    words[1] = 1;
    ntt.forward(words);  // transforms X: the first value is the root itself
    return words[0] == ntt.root_of_unity();
  });
}

constexpr std::size_t kProductDegree = 64;

Ntt make_plan() { return Ntt(kProductDegree, generate_ntt_primes(40, kProductDegree, 1)[0]); }

TEST(NttProduct, RefusesUnusableBuffersAndFactorsAndLeavesThemAlone) {
  const Ntt plan = make_plan();
  auto rng = make_rng();
  const Words original = random_residues(5 * kProductDegree, plan.modulus().value(), rng);
  Words words = original;
  const std::span<std::uint64_t> all(words);
  const auto part = [&](std::size_t start) { return all.subspan(start, kProductDegree); };
  const auto a = part(0);
  const auto b = part(kProductDegree);
  const auto result = part(2 * kProductDegree);
  std::uint64_t* const none = nullptr;
  const auto multiply_refuses = [&](auto... arguments) {
    expect_refusal_of("Ntt::multiply", {}, [&] { plan.multiply(arguments...); });
  };
  multiply_refuses(result.first(kProductDegree - 1), a, b);
  multiply_refuses(result, a.first(1), b);
  multiply_refuses(result, a, all.subspan(0, kProductDegree + 1));
  multiply_refuses(std::span<std::uint64_t>{none, kProductDegree}, a, b);
  multiply_refuses(result, std::span<std::uint64_t>{none, kProductDegree}, b);
  multiply_refuses(part(1), a, part(3 * kProductDegree));                   // overlap with a
  multiply_refuses(part(kProductDegree + 1), part(3 * kProductDegree), b);  // overlap with b
  for (const int factor : {-1, 0, 3, 5, 8}) {
    multiply_refuses(result, a, b, factor, 1);
    multiply_refuses(result, a, b, 1, factor);
  }
  multiply_refuses(result, a, b, 1, 4);
  multiply_refuses(result, a, b, 1, 1, all.subspan(3 * kProductDegree, kProductDegree - 1));
  multiply_refuses(result, a, b, 1, 1, all.subspan(1, kProductDegree));  // scratch in a
  multiply_refuses(result, a, b, 1, 1, part(2 * kProductDegree));        // scratch is result
  multiply_refuses(result, a, b, 1, 1, std::span<std::uint64_t>{none, kProductDegree});
  EXPECT_EQ(words, original);
  EXPECT_NO_THROW(plan.multiply(result, a, b, 1, 1, part(3 * kProductDegree)));
}

TEST(NttProduct, SumsRefuseWrongCountsLengthsAndEveryOverlap) {
  const Ntt plan = make_plan();
  auto rng = make_rng();
  const Words original = random_residues(7 * kProductDegree, plan.modulus().value(), rng);
  Words words = original;
  const std::span<std::uint64_t> all(words);
  const auto part = [&](std::size_t start) { return all.subspan(start, kProductDegree); };
  using Results = std::vector<Ntt::Result>;
  using Operands = std::vector<Ntt::Operand>;
  const Operands operands{part(0), part(kProductDegree)};
  const Operands keys{part(2 * kProductDegree), part(3 * kProductDegree), part(3 * kProductDegree),
                      part(2 * kProductDegree)};
  const Results results{part(4 * kProductDegree), part(5 * kProductDegree)};
  const auto sum_refuses = [&](const Results& r, const Operands& x, const Operands& y,
                               std::span<std::uint64_t> scratch = {}) {
    expect_refusal_of("Ntt::inner_product", {}, [&] { plan.inner_product(r, x, y, scratch); });
  };
  sum_refuses(results, operands, {keys[0], keys[1], keys[2]});
  sum_refuses({results[0]}, operands, keys);
  sum_refuses({results[0]}, {operands[0].first(5)}, {keys[0]});
  sum_refuses({results[0]}, {operands[0]}, {keys[0].first(0)});
  sum_refuses({results[0].first(1)}, {operands[0]}, {keys[0]});
  sum_refuses({part(0)}, {part(0)}, {keys[0]});                   // result is an operand
  sum_refuses({part(2 * kProductDegree)}, {part(0)}, {keys[0]});  // result is a key
  sum_refuses({part(1)}, {part(0)}, {keys[0]});                   // result overlaps an operand
  sum_refuses({results[0], results[0]}, operands, keys);          // equal results
  sum_refuses({results[0], part(4 * kProductDegree + 1)}, operands, keys);
  sum_refuses(results, operands, keys, all.subspan(6 * kProductDegree, 3));
  sum_refuses(results, operands, keys, part(0));
  sum_refuses(results, operands, keys, part(2 * kProductDegree + 1));
  sum_refuses(results, operands, keys, part(5 * kProductDegree + 1));
  expect_refusal_of("Ntt::multiply_accumulate", {},
                    [&] { plan.multiply_accumulate(part(0), operands, {}); });
  EXPECT_EQ(words, original);
  EXPECT_NO_THROW(plan.inner_product(results, operands, keys, part(6 * kProductDegree)));
}

TEST(NttProduct, SumsOfNoTermsAreZeroAndNoTargetsAreNothing) {
  const Ntt plan = make_plan();
  Words result(kProductDegree, 7);
  const std::vector<Ntt::Result> results{result};
  plan.inner_product(results, {}, {});
  EXPECT_EQ(result, Words(kProductDegree, 0));
  result.assign(kProductDegree, 7);
  plan.multiply_accumulate(result, {}, {});
  EXPECT_EQ(result, Words(kProductDegree, 0));
  const Words operand(kProductDegree, 1);
  const std::vector<Ntt::Operand> operands{operand};
  EXPECT_NO_THROW(plan.inner_product({}, operands, {}));
}

TEST(NttProduct, NothingBeyondTheEndsAtAnyAlignment) {
  const std::size_t degree = 1024;
  const Modulus q = generate_ntt_primes(49, degree, 1)[0];
  auto rng = make_rng();
  const Words a = random_residues(degree, q.value(), rng);
  const Words b = random_residues(degree, q.value(), rng);
  const Words expected = negacyclic_product(a, b, q.value());
  for (const std::string& kernel : ntt_kernel_names().available) {
    const Ntt plan(degree, q, KernelSelection(kernel.substr(0, kernel.find('/'))));
    for (std::size_t shift = 0; shift < 8; ++shift) {
      Words memory(2 * degree + 16, kSentinel);
      const auto place = std::span(memory).subspan(shift + 1, degree);
      const auto scratch = std::span(memory).subspan(shift + degree + 3, degree);
      plan.multiply(place, a, b, 1, 1, scratch);
      ASSERT_TRUE(std::equal(place.begin(), place.end(), expected.begin())) << plan.kernel_name();
      for (const std::size_t i :
           {shift, shift + degree + 1, shift + degree + 2, shift + 2 * degree + 3}) {
        ASSERT_EQ(memory[i], kSentinel) << plan.kernel_name() << " word " << i;
      }
    }
  }
}

}  // namespace
}  // namespace ringlet::test
