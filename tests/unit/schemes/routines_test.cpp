// SPDX-License-Identifier: Apache-2.0
#include "ringlet/schemes/routines.hpp"

#include "unit/schemes/exact_support.hpp"

namespace ringlet::test {
namespace {

constexpr double kRoutineScale = 0x1p40;

/// Messages have the scale of the last data prime, so that noise is more than rounding.
struct Chain {
  std::size_t degree;
  std::vector<int> bits;
  double scale = kRoutineScale;
};

void PrintTo(const Chain& chain, std::ostream* out) {
  *out << "N = " << chain.degree << ", " << chain.bits.size() << " primes";
}

/// The operands of all routines.
struct Operands {
  Ciphertext a, b, c;
  RelinKeys relin;
  GaloisKeys galois;
};

/// Valid operands.
struct Bench {
  Bench(const Chain& chain, std::mt19937_64& rng)
      : ckks(chain.degree, chain.bits),
        good{ckks.encrypt_random(chain.scale, rng),
             ckks.encrypt_random(chain.scale, rng),
             {},
             ckks.relin_keys,
             ckks.galois_keys} {
    good.c = addend(rng);
  }
  /// A message that has the scale of products.
  Ciphertext addend(std::mt19937_64& rng) const {
    return ckks.encrypt_random(product_scale_after_rescale(ckks.evaluator, good.a, good.b), rng);
  }

  Ckks ckks;
  Operands good;
};

using Routine = std::function<void(const Evaluator&, Operands&, Ciphertext&)>;

struct Pair {
  const char* name;
  Routine routine;
  Routine parts;  ///< The same by single operations of Evaluator.
};

Ciphertext rescaled_product(const Evaluator& e, const Operands& o) {
  return result_of(e, &Evaluator::relinearize_and_rescale_to_next,
                   result_of(e, &Evaluator::multiply, o.a, o.b), o.relin);
}

std::vector<Pair> pairs() {
  return {
      {"multiply_relinearize",
       [](auto& e, auto& o, auto& d) { multiply_relinearize(e, o.a, o.b, o.relin, d); },
       [](auto& e, auto& o, auto& d) {
         e.relinearize(result_of(e, &Evaluator::multiply, o.a, o.b), o.relin, d);
       }},
      {"multiply_relinearize_rescale",
       [](auto& e, auto& o, auto& d) { multiply_relinearize_rescale(e, o.a, o.b, o.relin, d); },
       [](auto& e, auto& o, auto& d) { d = rescaled_product(e, o); }},
      {"square_relinearize_rescale",
       [](auto& e, auto& o, auto& d) { square_relinearize_rescale(e, o.a, o.relin, d); },
       [](auto& e, auto& o, auto& d) {
         e.relinearize_and_rescale_to_next(result_of(e, &Evaluator::square, o.a), o.relin, d);
       }},
      {"multiply_relinearize_rescale_add",
       [](auto& e, auto& o, auto& d) {
         multiply_relinearize_rescale_add(e, o.a, o.b, o.c, o.relin, d);
       },
       [](auto& e, auto& o, auto& d) {
         Ciphertext lowered;
         e.mod_switch_to_next(o.c, lowered);
         e.add(rescaled_product(e, o), lowered, d);
       }},
      {"rotate", [](auto& e, auto& o, auto& d) { rotate(e, o.a, 1, o.galois, d); },
       [](auto& e, auto& o, auto& d) { e.rotate_vector(o.a, 1, o.galois, d); }},
  };
}

class Routines : public ::testing::TestWithParam<Chain> {
 protected:
  std::mt19937_64 rng_ = make_rng(GetParam().degree + GetParam().bits.size());
  Bench bench_{GetParam(), rng_};
  const Evaluator& e_ = bench_.ckks.evaluator;
};

TEST_P(Routines, AreTheirPartsBitForBit) {
  for (const Pair& pair : pairs()) {
    SCOPED_TRACE(pair.name);
    Ciphertext expected;
    pair.parts(e_, bench_.good, expected);
    Ciphertext fresh;
    pair.routine(e_, bench_.good, fresh);
    EXPECT_EQ(Snapshot(fresh), Snapshot(expected));
    // The results overwrite one of the same shape, and each operand.
    pair.routine(e_, bench_.good, fresh);
    EXPECT_EQ(Snapshot(fresh), Snapshot(expected));
    for (Ciphertext Operands::* operand : {&Operands::a, &Operands::b, &Operands::c}) {
      Operands operands = bench_.good;
      pair.routine(e_, operands, operands.*operand);
      EXPECT_EQ(Snapshot(operands.*operand), Snapshot(expected));
    }
  }
}

// No coefficient differs by more than 1, at most the noise of one rounding.
TEST_P(Routines, OneDivisionDiffersByOneAtMostFromTwo) {
  const Operands& good = bench_.good;
  const Ciphertext product = result_of(e_, &Evaluator::multiply, good.a, good.b);
  Ciphertext in_turn = result_of(e_, &Evaluator::relinearize, product, good.relin);
  e_.rescale_to_next_inplace(in_turn);
  Ciphertext at_once = rescaled_product(e_, good);
  EXPECT_EQ(at_once.scale(), in_turn.scale());
  ASSERT_EQ(at_once.parms_id(), in_turn.parms_id());
  e_.transform_from_ntt_inplace(in_turn);
  e_.transform_from_ntt_inplace(at_once);
  const auto primes = bench_.ckks.level(at_once).coeff_modulus();
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t i = 0; i < primes.size(); ++i) {
      const std::uint64_t q = primes[i].value();
      for (std::size_t n = 0; n < GetParam().degree; ++n) {
        const std::uint64_t a = at_once.view(k).limb(i)[n];
        const std::uint64_t difference = (a + q - in_turn.view(k).limb(i)[n]) % q;
        ASSERT_TRUE(difference <= 1 || difference == q - 1)
            << "polynomial " << k << ", prime " << i << ", coefficient " << n;
      }
    }
  }
}

TEST_P(Routines, BatchesAreSingleCalls) {
  const RelinKeys& relin = bench_.good.relin;
  const GaloisKeys& galois = bench_.good.galois;
  const auto a = bench_.ckks.encrypt_random(3, GetParam().scale, rng_);
  const auto b = bench_.ckks.encrypt_random(3, GetParam().scale, rng_);
  const std::vector<Ciphertext> c{bench_.addend(rng_), bench_.addend(rng_), bench_.addend(rng_)};
  // Spans give the same results as single ciphertexts.
  const auto expect_batch = [&](const char* name, const auto& routine) {
    SCOPED_TRACE(name);
    std::vector<Ciphertext> expected(3);
    for (std::size_t i = 0; i < 3; ++i) routine(a[i], b[i], c[i], expected[i]);
    std::vector<Ciphertext> results(3);
    routine(a, b, c, results);
    EXPECT_EQ(Snapshot::of(results), Snapshot::of(expected));
    std::vector<Ciphertext> in_place = a;
    routine(in_place, b, c, in_place);
    EXPECT_EQ(Snapshot::of(in_place), Snapshot::of(expected));
  };
  expect_batch("multiply_relinearize",
               [&](auto& x, auto& y, auto&, auto& d) { multiply_relinearize(e_, x, y, relin, d); });
  expect_batch("multiply_relinearize_rescale", [&](auto& x, auto& y, auto&, auto& d) {
    multiply_relinearize_rescale(e_, x, y, relin, d);
  });
  expect_batch("square_relinearize_rescale", [&](auto& x, auto&, auto&, auto& d) {
    square_relinearize_rescale(e_, x, relin, d);
  });
  expect_batch("multiply_relinearize_rescale_add", [&](auto& x, auto& y, auto& z, auto& d) {
    multiply_relinearize_rescale_add(e_, x, y, z, relin, d);
  });
  expect_batch("rotate", [&](auto& x, auto&, auto&, auto& d) { rotate(e_, x, -2, galois, d); });
}

TEST_P(Routines, AddendsComeFromTheProductsLevelOrAbove) {
  Operands operands = bench_.good;
  Ciphertext expected;
  Ciphertext sum;
  const auto add = [&](Ciphertext& result) {
    multiply_relinearize_rescale_add(e_, operands.a, operands.b, operands.c, operands.relin,
                                     result);
  };
  add(expected);
  e_.mod_switch_to_next_inplace(operands.c);
  add(sum);
  EXPECT_EQ(Snapshot(sum), Snapshot(expected));
  // Factors one level further down, with an addend two levels above the product.
  e_.mod_switch_to_next_inplace(operands.a);
  e_.mod_switch_to_next_inplace(operands.b);
  operands.c =
      bench_.ckks.encrypt_random(product_scale_after_rescale(e_, operands.a, operands.b), rng_);
  add(sum);
  EXPECT_EQ(sum.coeff_modulus_size(), bench_.good.a.coeff_modulus_size() - 2);
}

INSTANTIATE_TEST_SUITE_P(Chains, Routines,
                         ::testing::Values(Chain{8, {50, 40, 40, 60}}, Chain{64, {50, 40, 40, 60}},
                                           Chain{1024, {60, 57, 50, 60}, 0x1p50},
                                           Chain{2048, {60, 40, 40, 40, 40, 40, 40, 40, 60}}),
                         [](const auto& chain) {
                           return "n" + std::to_string(chain.param.degree) + "_primes" +
                                  std::to_string(chain.param.bits.size() - 1);
                         });

class RoutinesErrors : public ::testing::Test {
 protected:
  /// Expects a refusal of the named routines with all of `parts`; operands and destination stay.
  void expect_refused(const Operands& bad, const std::vector<std::string>& names,
                      std::initializer_list<std::string> parts) {
    std::size_t count = 0;
    for (const Pair& pair : pairs()) {
      if (std::ranges::find(names, pair.name) == names.end()) continue;
      SCOPED_TRACE(pair.name);
      Operands operands = bad;
      Ciphertext destination = other_;
      expect_refusal([&] { pair.routine(e_, operands, destination); }, pair.name, parts);
      EXPECT_EQ(Snapshot(destination), Snapshot(other_));
      expect_refusal([&] { pair.routine(e_, operands, operands.a); }, pair.name, parts);
      EXPECT_EQ(Snapshot(operands.a), Snapshot(bad.a));
      EXPECT_EQ(Snapshot(operands.b), Snapshot(bad.b));
      EXPECT_EQ(Snapshot(operands.c), Snapshot(bad.c));
      ++count;
    }
    EXPECT_EQ(count, names.size());
  }

  std::mt19937_64 rng_ = make_rng();
  Bench bench_{{64, {50, 40, 40, 60}}, rng_};
  const Evaluator& e_ = bench_.ckks.evaluator;
  const Operands& good_ = bench_.good;
  Ciphertext other_ = bench_.ckks.encrypt_random(0x1p33, rng_);
  const std::string add_ = "multiply_relinearize_rescale_add";
  const std::vector<std::string> products_{"multiply_relinearize", "multiply_relinearize_rescale",
                                           add_};
  const std::vector<std::string> all_{products_[0], products_[1], add_,
                                      "square_relinearize_rescale", "rotate"};
};

TEST_F(RoutinesErrors, OperandsAndKeysThatDoNotFit) {
  const ParmsId& last = bench_.ckks.context.last_parms_id();
  const std::vector<std::string> rescaled{all_[1], add_, all_[3]};
  const auto refuse = [&](const std::vector<std::string>& names,
                          std::initializer_list<std::string> parts, const auto& spoil) {
    Operands bad = good_;
    spoil(bad);
    expect_refused(bad, names, parts);
  };
  refuse(all_, {"empty"}, [](auto& bad) { bad.a = Ciphertext(); });
  refuse(products_, {"empty"}, [](auto& bad) { bad.b = Ciphertext(); });
  refuse({add_}, {"empty"}, [](auto& bad) { bad.c = Ciphertext(); });
  refuse(all_, {"coefficient form"}, [&](auto& bad) { e_.transform_from_ntt_inplace(bad.a); });
  refuse(products_, {"different levels", "level 2", "level 1"},
         [&](auto& bad) { e_.mod_switch_to_next_inplace(bad.b); });
  refuse({add_}, {"different scales", "(2^40)"}, [](auto& bad) { bad.c.scale() = kRoutineScale; });
  refuse({add_}, {"above the operand", "level 0"},
         [&](auto& bad) { e_.mod_switch_to_inplace(bad.c, last); });
  refuse(rescaled, {"last level"}, [&](auto& bad) {
    e_.mod_switch_to_inplace(bad.a, last);
    e_.mod_switch_to_inplace(bad.b, last);
    bad.a.scale() = bad.b.scale() = 0x1p20;
  });
  refuse({all_[0], all_[1], all_[3]}, {"a product of", "(2^160)"},
         [](auto& bad) { bad.a.scale() = bad.b.scale() = 0x1p80; });
  refuse({all_[0]}, {"no multiplication is left", "more primes"}, [&](auto& bad) {
    e_.mod_switch_to_inplace(bad.a, last);
    e_.mod_switch_to_inplace(bad.b, last);
  });
  refuse({all_[0], all_[1], add_, all_[3]}, {"relinearization keys"},
         [](auto& bad) { bad.relin = RelinKeys(); });
  refuse({"rotate"}, {"key"}, [&](auto& bad) {
    bad.galois = bench_.ckks.keygen.create_galois_keys(std::vector<int>{4});
  });
}

TEST_F(RoutinesErrors, ScalesOfProductsThatThereAreNot) {
  Ciphertext lower;
  e_.mod_switch_to_next(good_.b, lower);
  const auto refuse = [&](const Ciphertext& a, const std::string& part) {
    expect_refusal([&] { product_scale_after_rescale(e_, a, lower); },
                   "product_scale_after_rescale", {part});
  };
  refuse(good_.a, "different levels");
  e_.mod_switch_to_inplace(lower, bench_.ckks.context.last_parms_id());
  refuse(lower, "last level");
}

TEST_F(RoutinesErrors, BatchesAreAllOrNothing) {
  std::vector<Ciphertext> a(3, good_.a);
  const std::vector<Ciphertext> b{good_.b, good_.b, Ciphertext()};
  std::vector<Ciphertext> results{other_, Ciphertext(), other_};
  expect_refusal([&] { multiply_relinearize(e_, a, b, good_.relin, results); },
                 "multiply_relinearize", {"element 2 of 3", "empty"});
  EXPECT_EQ(Snapshot(results[0]), Snapshot(other_));
  EXPECT_EQ(results[1].size(), 0u);
  expect_refusal([&] { multiply_relinearize_rescale(e_, a, b, good_.relin, a); },
                 "multiply_relinearize_rescale", {"element 2 of 3"});
  for (const Ciphertext& operand : a) EXPECT_EQ(Snapshot(operand), Snapshot(good_.a));
}

TEST_F(RoutinesErrors, SpansOfDifferentLengths) {
  const RelinKeys& keys = good_.relin;
  const std::vector<Ciphertext> two(2, good_.a);
  const std::vector<Ciphertext> three(3, good_.a);
  std::vector<Ciphertext> results(2);
  const auto refused = [](const std::string& name, const std::string& part, auto call) {
    expect_refusal(call, name, {part});
  };
  refused("multiply_relinearize", "operands of 2, 3, destinations of 2",
          [&] { multiply_relinearize(e_, two, three, keys, results); });
  refused("multiply_relinearize_rescale", "operands of 3, 3, ",
          [&] { multiply_relinearize_rescale(e_, three, three, keys, results); });
  refused("square_relinearize_rescale", "operands of 3, ",
          [&] { square_relinearize_rescale(e_, three, keys, results); });
  refused(add_, "operands of 2, 2, 3, ",
          [&] { multiply_relinearize_rescale_add(e_, two, two, three, keys, results); });
  refused("rotate", "destinations of 0",
          [&] { rotate(e_, std::span<const Ciphertext>(), 1, good_.galois, {}); });
  for (const Ciphertext& result : results) EXPECT_EQ(result.size(), 0u);
}

TEST(RoutinesOfExactSchemes, RelinearizeAndRefuseToRescale) {
  for (const SchemeType scheme : {SchemeType::bfv, SchemeType::bgv}) {
    const Exact exact(scheme, {64, 257, {50, 40, 40}, {60}});
    auto rng = make_rng();
    const Ciphertext a = exact.encrypt(exact.random_plain(rng));
    const Evaluator& e = exact.evaluator;
    Ciphertext result;
    multiply_relinearize(e, a, a, exact.relin_keys, result);
    EXPECT_EQ(Snapshot(result),
              Snapshot(result_of(e, &Evaluator::relinearize, result_of(e, &Evaluator::square, a),
                                 exact.relin_keys)));
    expect_refusal([&] { square_relinearize_rescale(e, a, exact.relin_keys, result); },
                   "square_relinearize_rescale", {to_string(scheme)});
    expect_refusal<LogicError>([&] { rotate(e, a, 1, exact.galois_keys, result); }, "rotate",
                               {to_string(scheme)});
  }
}

}  // namespace
}  // namespace ringlet::test
