// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "seal/util/numth.h"
#include "seal/util/polyarithsmallmod.h"
#include "seal/util/uintarithsmallmod.h"
#include "support/reference/big_integer.hpp"
#include "support/values.hpp"
#include "unit/seal/thrown.hpp"

namespace ringlet::test {
namespace {

namespace modular = ::seal::util;
using Prime = ::seal::Modulus;
__extension__ using Wide = unsigned __int128;

const std::vector<Prime> kFactors = {
    2, 3, 12, 65537, (std::uint64_t{1} << 50) - 27, (std::uint64_t{1} << 61) - 1};

std::uint64_t modulo(Wide value, std::uint64_t q) { return static_cast<std::uint64_t>(value % q); }

TEST(SealModular, words_by_definition) {
  auto rng = make_rng();
  for (const Prime& modulus : kFactors) {
    const std::uint64_t q = modulus.value();
    for (const std::uint64_t a : mixed_values(40, q, 1, rng)) {
      const std::uint64_t b = rng() % q, any = rng(), c = rng();
      SCOPED_TRACE(testing::Message()
                   << a << ", " << b << ", " << any << ", " << c << " mod " << q);
      EXPECT_EQ(modular::increment_uint_mod(a, modulus), (a + 1) % q);
      EXPECT_EQ(modular::increment_uint_mod(a + q - 1, modulus), a);
      EXPECT_EQ(modular::decrement_uint_mod(a, modulus), (a + q - 1) % q);
      if (q % 2 != 0) {
        EXPECT_EQ(modular::div2_uint_mod(a, modulus) * Wide{2} % q, a);
      }
      EXPECT_EQ(modular::add_uint_mod(a, q, modulus), a) << "sums up to 2q - 1";
      EXPECT_EQ(modular::sub_uint_mod(a, q, modulus), a) << "differences down to -q";
      EXPECT_EQ(modular::multiply_add_uint_mod(any, c, ~a, modulus), modulo(Wide{any} * c + ~a, q));
      modular::MultiplyUIntModOperand factor;
      factor.set(b, modulus);
      EXPECT_EQ(factor.quotient, static_cast<std::uint64_t>((Wide{b} << 64) / q));
      EXPECT_EQ(modular::multiply_add_uint_mod(any, factor, c, modulus),
                modulo(Wide{any} * b + c, q));
      const std::uint64_t lazy = modular::multiply_uint_mod_lazy(any, factor, modulus);
      EXPECT_LT(lazy, 2 * q);
      EXPECT_EQ(lazy % q, modulo(Wide{any} * b, q));
      const unsigned long long pair[] = {any, c};
      EXPECT_EQ(modular::barrett_reduce_128(pair, modulus), modulo(Wide{c} << 64 | any, q));
    }
    const std::uint64_t most = ~std::uint64_t{0};
    EXPECT_EQ(modular::multiply_add_uint_mod(most, most, most, modulus),
              modulo(Wide{most} * most + most, q));
  }
}

TEST(SealModular, long_integers_by_gmp) {
  auto rng = make_rng();
  seal::MemoryPoolHandle pool = seal::MemoryManager::GetPool();
  for (const Prime& modulus : kFactors) {
    for (std::size_t count = 1; count <= 5; ++count) {
      for (int kind = 0; kind < 3; ++kind) {
        Words value(count), quotient(count, kSentinel), expected(count);
        for (std::uint64_t& word : value) {
          word = kind == 0 ? 0 : kind == 1 ? ~std::uint64_t{0} : rng();
        }
        Integer number;
        mpz_import(number.get(), count, -1, 8, 0, 0, value.data());
        const std::uint64_t rest = mpz_fdiv_q_ui(number.get(), number.get(), modulus.value());
        mpz_export(expected.data(), nullptr, -1, 8, 0, 0, number.get());
        EXPECT_EQ(modular::modulo_uint(value.data(), count, modulus), rest);
        Words reduced = value, remaining(count, 0);
        remaining[0] = rest;
        modular::modulo_uint_inplace(reduced.data(), count, modulus);
        EXPECT_EQ(reduced, remaining);
        modular::divide_uint_mod_inplace(value.data(), modulus, count, quotient.data(), pool);
        EXPECT_EQ(value, remaining);
        EXPECT_EQ(quotient, expected) << count << " words by " << modulus.value();
      }
    }
  }
  std::uint64_t word = 1;
  EXPECT_INVALID_ARGUMENT(modular::modulo_uint(nullptr, 1, 3));
  EXPECT_INVALID_ARGUMENT(modular::modulo_uint(&word, 0, 3));
  EXPECT_INVALID_ARGUMENT(modular::modulo_uint_inplace(nullptr, 1, 3));
  EXPECT_INVALID_ARGUMENT(modular::divide_uint_mod_inplace(&word, 3, 1, nullptr, pool));
}

TEST(SealModular, dot_products_by_definition) {
  auto rng = make_rng();
  for (const Prime& modulus : kFactors) {
    const std::uint64_t q = modulus.value();
    for (const std::size_t count : {0, 1, 2, 14, 15, 16, 17, 30, 31, 64, 200}) {
      for (const bool largest : {false, true}) {
        const std::uint64_t most = (std::uint64_t{1} << 62) - 1;
        const Words a = largest ? Words(count, most) : random_residues(count, most, rng);
        const Words b = largest ? a : random_residues(count, q, rng);
        std::uint64_t expected = 0;
        for (std::size_t i = 0; i < count; ++i) {
          expected = modulo(Wide{a[i]} * b[i] + expected, q);
        }
        EXPECT_EQ(modular::dot_product_mod(a.data(), b.data(), count, modulus), expected) << count;
      }
    }
  }
  const std::uint64_t word = 1;
  EXPECT_INVALID_ARGUMENT(modular::dot_product_mod(&word, nullptr, 1, 3));
}

/// Operations on one prime, on the primes of a polynomial and on polynomials, and their definition.
struct Binary {
  void (*one)(modular::ConstCoeffIter, modular::ConstCoeffIter, std::size_t, const Prime&,
              modular::CoeffIter);
  void (*primes)(modular::ConstRNSIter, modular::ConstRNSIter, std::size_t,
                 modular::ConstModulusIter, modular::RNSIter);
  void (*polys)(modular::ConstPolyIter, modular::ConstPolyIter, std::size_t,
                modular::ConstModulusIter, modular::PolyIter);
  std::uint64_t (*define)(std::uint64_t a, std::uint64_t b, std::uint64_t q);
  int range;  ///< Words are below range * modulus; any words for 0.
};

template <class Scalar>
struct Unary {
  void (*one)(modular::ConstCoeffIter, std::size_t, Scalar, const Prime&, modular::CoeffIter);
  void (*primes)(modular::ConstRNSIter, std::size_t, Scalar, modular::ConstModulusIter,
                 modular::RNSIter);
  void (*polys)(modular::ConstPolyIter, std::size_t, Scalar, modular::ConstModulusIter,
                modular::PolyIter);
};

constexpr std::size_t kLength = 32, kPolys = 3;
const std::vector<Prime> kChain = {17, (std::uint64_t{1} << 50) - 27, (std::uint64_t{1} << 61) - 1};
const std::size_t kWords = kLength * kChain.size() * kPolys;

/// Words for kPolys polynomials modulo kChain.
Words chain_words(int range, std::mt19937_64& rng) {
  Words result;
  for (std::size_t poly = 0; poly < kPolys; ++poly) {
    for (const Prime& q : kChain) {
      const Words part = range == 0 ? random_values(kLength, ~std::uint64_t{0}, rng)
                                    : mixed_values(kLength, q.value(), range, rng);
      result.insert(result.end(), part.begin(), part.end());
    }
  }
  return result;
}

/// Expects result[i] = define(i, prime of i) at each level of an operation.
template <class Define, class One, class Primes, class Polys>
void expect_levels(const Define& define, const One& one, const Primes& primes, const Polys& polys) {
  Words expected(kWords), by_one(kWords), by_primes(kWords), by_polys(kWords);
  const std::size_t count = kChain.size();
  for (std::size_t i = 0; i < kWords; ++i) {
    expected[i] = define(i, kChain[i / kLength % count].value());
  }
  for (std::size_t i = 0; i < kPolys * count; ++i) {
    one(i * kLength, kChain[i % count], by_one.data() + i * kLength);
  }
  for (std::size_t i = 0; i < kPolys; ++i) {
    const std::size_t first = i * count * kLength;
    primes(first, modular::RNSIter(by_primes.data() + first, kLength));
  }
  polys(modular::PolyIter(by_polys.data(), kLength, count));
  EXPECT_EQ(by_one, expected);
  EXPECT_EQ(by_primes, expected);
  EXPECT_EQ(by_polys, expected);
}

TEST(SealModular, polynomials_of_two_operands_at_each_level) {
  const auto product = [](std::uint64_t a, std::uint64_t b, std::uint64_t q) {
    return modulo(Wide{a} * b, q);
  };
  const Binary cases[] = {
      {modular::add_poly_coeffmod, modular::add_poly_coeffmod, modular::add_poly_coeffmod,
       [](std::uint64_t a, std::uint64_t b, std::uint64_t q) { return (a + b) % q; }, 1},
      {modular::sub_poly_coeffmod, modular::sub_poly_coeffmod, modular::sub_poly_coeffmod,
       [](std::uint64_t a, std::uint64_t b, std::uint64_t q) { return (a + q - b) % q; }, 1},
      {modular::dyadic_product_coeffmod, modular::dyadic_product_coeffmod,
       modular::dyadic_product_coeffmod, product, 4},
      {modular::dyadic_product_coeffmod, modular::dyadic_product_coeffmod,
       modular::dyadic_product_coeffmod, product, 0},
  };
  auto rng = make_rng();
  for (const Binary& operation : cases) {
    const Words a = chain_words(operation.range, rng), b = chain_words(operation.range, rng);
    const auto rns = [](const Words& x, std::size_t first) {
      return modular::ConstRNSIter(x.data() + first, kLength);
    };
    const auto poly = [](const Words& x) {
      return modular::ConstPolyIter(x.data(), kLength, kChain.size());
    };
    expect_levels([&](std::size_t i, std::uint64_t q) { return operation.define(a[i], b[i], q); },
                  [&](std::size_t first, const Prime& q, std::uint64_t* result) {
                    operation.one(a.data() + first, b.data() + first, kLength, q, result);
                  },
                  [&](std::size_t first, modular::RNSIter result) {
                    operation.primes(rns(a, first), rns(b, first), kChain.size(), kChain, result);
                  },
                  [&](modular::PolyIter result) {
                    operation.polys(poly(a), poly(b), kPolys, kChain, result);
                  });
    Words in_place = a, expected(kLength);
    operation.one(a.data(), b.data(), kLength, kChain[0], expected.data());
    operation.one(in_place.data(), b.data(), kLength, kChain[0], in_place.data());
    in_place.resize(kLength);
    EXPECT_EQ(in_place, expected);
  }
}

/// Checks an operation with a parameter at each level, on words in a range.
template <class Parameter, class Define>
void expect_unary(const Unary<Parameter>& operation, Parameter parameter, int range,
                  const Define& define) {
  auto rng = make_rng();
  const Words a = chain_words(range, rng);
  expect_levels([&](std::size_t i, std::uint64_t q) { return define(a.data(), i, q); },
                [&](std::size_t first, const Prime& q, std::uint64_t* result) {
                  operation.one(a.data() + first, kLength, parameter, q, result);
                },
                [&](std::size_t first, modular::RNSIter result) {
                  operation.primes(modular::ConstRNSIter(a.data() + first, kLength), kChain.size(),
                                   parameter, kChain, result);
                },
                [&](modular::PolyIter result) {
                  operation.polys(modular::ConstPolyIter(a.data(), kLength, kChain.size()), kPolys,
                                  parameter, kChain, result);
                });
}

TEST(SealModular, polynomials_with_scalars_at_each_level) {
  using Scalar = Unary<std::uint64_t>;
  const Scalar plus{modular::add_poly_scalar_coeffmod, modular::add_poly_scalar_coeffmod,
                    modular::add_poly_scalar_coeffmod};
  const Scalar minus{modular::sub_poly_scalar_coeffmod, modular::sub_poly_scalar_coeffmod,
                     modular::sub_poly_scalar_coeffmod};
  const Scalar times{modular::multiply_poly_scalar_coeffmod, modular::multiply_poly_scalar_coeffmod,
                     modular::multiply_poly_scalar_coeffmod};
  for (const std::uint64_t s : {0, 1, 16}) {
    expect_unary(plus, s, 1, [s](const std::uint64_t* a, std::size_t i, std::uint64_t q) {
      return (a[i] + s) % q;
    });
    expect_unary(minus, s, 1, [s](const std::uint64_t* a, std::size_t i, std::uint64_t q) {
      return (a[i] + q - s) % q;
    });
  }
  for (const int range : {0, 1, 4}) {
    for (const std::uint64_t s : {std::uint64_t{0}, std::uint64_t{17}, ~std::uint64_t{0}}) {
      expect_unary(times, s, range, [s](const std::uint64_t* a, std::size_t i, std::uint64_t q) {
        return modulo(Wide{a[i]} * (s % q), q);
      });
    }
  }
  Words a(kLength, 1), result(kLength);
  modular::MultiplyUIntModOperand factor{5, 0};
  factor.set_quotient(17);
  modular::multiply_poly_scalar_coeffmod(a.data(), kLength, factor, 17, result.data());
  EXPECT_EQ(result, Words(kLength, 5));
  for (const auto& operation : {plus, minus}) {
    EXPECT_INVALID_ARGUMENT(operation.one(a.data(), kLength, 17, 17, result.data()));
  }
}

TEST(SealModular, polynomials_negated_and_reduced_at_each_level) {
  auto rng = make_rng();
  const Words a = chain_words(1, rng), any = chain_words(0, rng);
  const modular::ConstPolyIter polys(a.data(), kLength, kChain.size());
  const modular::ConstPolyIter any_polys(any.data(), kLength, kChain.size());
  expect_levels([&](std::size_t i, std::uint64_t q) { return (q - a[i]) % q; },
                [&](std::size_t first, const Prime& q, std::uint64_t* result) {
                  modular::negate_poly_coeffmod(a.data() + first, kLength, q, result);
                },
                [&](std::size_t first, modular::RNSIter result) {
                  modular::negate_poly_coeffmod(modular::ConstRNSIter(a.data() + first, kLength),
                                                kChain.size(), kChain, result);
                },
                [&](modular::PolyIter result) {
                  modular::negate_poly_coeffmod(polys, kPolys, kChain, result);
                });
  expect_levels([&](std::size_t i, std::uint64_t q) { return any[i] % q; },
                [&](std::size_t first, const Prime& q, std::uint64_t* result) {
                  modular::modulo_poly_coeffs(any.data() + first, kLength, q, result);
                },
                [&](std::size_t first, modular::RNSIter result) {
                  modular::modulo_poly_coeffs(modular::ConstRNSIter(any.data() + first, kLength),
                                              kChain.size(), kChain, result);
                },
                [&](modular::PolyIter result) {
                  modular::modulo_poly_coeffs(any_polys, kPolys, kChain, result);
                });
}

/// Returns word i of poly * coeff * X^shift modulo X^kLength + 1 and q, where the word is of any
/// polynomial in `all`.
std::uint64_t shifted(const std::uint64_t* all, std::size_t i, std::size_t shift,
                      std::uint64_t coeff, std::uint64_t q) {
  const std::size_t first = i - i % kLength, degree = 2 * kLength;
  const std::size_t from = (i % kLength + degree - shift % degree) % degree;
  const std::uint64_t word = modulo(Wide{all[first + from % kLength]} * (coeff % q), q);
  return from < kLength ? word : (q - word) % q;
}

TEST(SealModular, shifts_by_definition) {
  const Unary<std::size_t> shift{modular::negacyclic_shift_poly_coeffmod,
                                 modular::negacyclic_shift_poly_coeffmod,
                                 modular::negacyclic_shift_poly_coeffmod};
  // SEAL's own loop, in release builds, takes exponents up to 2N - 1; programs pass them.
  for (std::size_t by = 0; by < 5 * kLength; ++by) {
    expect_unary(shift, by, 1, [by](const std::uint64_t* a, std::size_t i, std::uint64_t q) {
      return shifted(a, i, by, 1, q);
    });
    Words in_place = counted(kLength, 1), expected(kLength);
    modular::negacyclic_shift_poly_coeffmod(in_place.data(), kLength, by, 97, expected.data());
    modular::negacyclic_shift_poly_coeffmod(in_place.data(), kLength, by, 97, in_place.data());
    EXPECT_EQ(in_place, expected) << by;
  }
}

TEST(SealModular, products_with_monomials_by_definition) {
  auto rng = make_rng();
  seal::MemoryPoolHandle handle = seal::MemoryManager::GetPool();
  modular::MemoryPool& pool = handle;
  const std::size_t count = kChain.size();
  for (const std::size_t by : {std::size_t{0}, std::size_t{1}, kLength - 1, 2 * kLength - 3}) {
    const Words a = chain_words(0, rng), each = random_values(count, ~std::uint64_t{0}, rng);
    const std::uint64_t coeff = rng();
    const modular::ConstPolyIter polys(a.data(), kLength, count);
    expect_levels(
        [&](std::size_t i, std::uint64_t q) { return shifted(a.data(), i, by, coeff, q); },
        [&](std::size_t first, const Prime& q, std::uint64_t* result) {
          modular::negacyclic_multiply_poly_mono_coeffmod(a.data() + first, kLength, coeff, by, q,
                                                          result, pool);
        },
        [&](std::size_t first, modular::RNSIter result) {
          modular::negacyclic_multiply_poly_mono_coeffmod(
              modular::ConstRNSIter(a.data() + first, kLength), count, coeff, by, kChain, result,
              pool);
        },
        [&](modular::PolyIter result) {
          modular::negacyclic_multiply_poly_mono_coeffmod(polys, kPolys, coeff, by, kChain, result,
                                                          pool);
        });
    Words result(kWords);
    modular::negacyclic_multiply_poly_mono_coeffmod(
        polys, kPolys, modular::ConstCoeffIter(each), by, kChain,
        modular::PolyIter(result.data(), kLength, count), pool);
    for (std::size_t i = 0; i < kWords; ++i) {
      const std::size_t prime = i / kLength % count;
      EXPECT_EQ(result[i], shifted(a.data(), i, by, each[prime], kChain[prime].value()));
    }
  }
}

TEST(SealModular, norms_by_definition) {
  auto rng = make_rng();
  for (const Prime& modulus : kFactors) {
    const std::uint64_t q = modulus.value();
    for (std::size_t count = 0; count < 20; ++count) {
      Words poly = random_values(count, ~std::uint64_t{0}, rng);
      if (count == 1) poly[0] = q / 2;
      if (count == 2) poly = {0, q - 1};
      std::uint64_t expected = 0;
      for (const std::uint64_t word : poly) {
        expected = std::max(expected, std::min(word % q, q - word % q));
      }
      EXPECT_EQ(modular::poly_infty_norm_coeffmod(poly.data(), count, modulus), expected);
    }
  }
}

TEST(SealModular, iterators_that_do_not_fit) {
  Words a(8), b(8);
  const modular::RNSIter four(a.data(), 4), two(b.data(), 2);
  const modular::PolyIter narrow(a.data(), 2, 1), wide(b.data(), 2, 2);
  const Prime prime = 17;
  const modular::CoeffIter no_words;
  const modular::ConstModulusIter no_primes;
  EXPECT_INVALID_ARGUMENT(modular::add_poly_coeffmod(a.data(), no_words, 8, prime, b.data()));
  EXPECT_INVALID_ARGUMENT(modular::add_poly_coeffmod(a.data(), b.data(), 8, 0, b.data()));
  EXPECT_INVALID_ARGUMENT(modular::negate_poly_coeffmod(four, 1, &prime, two));
  EXPECT_INVALID_ARGUMENT(modular::negate_poly_coeffmod(narrow, 1, &prime, wide));
  EXPECT_INVALID_ARGUMENT(modular::negate_poly_coeffmod(four, 1, no_primes, four));
  EXPECT_INVALID_ARGUMENT(
      modular::dyadic_product_coeffmod(four, modular::RNSIter(), 1, &prime, four));
  modular::negate_poly_coeffmod(modular::RNSIter(), 0, no_primes, modular::RNSIter());
  modular::add_poly_coeffmod(no_words, no_words, 0, prime, no_words);
}

TEST(SealModular, classes_and_orders_of_units_by_trial) {
  for (const auto& [modulus, generator] : std::initializer_list<std::array<std::uint64_t, 2>>{
           {1, 1}, {2, 1}, {16, 3}, {15, 2}, {31, 2}, {45, 46}, {64, 5}}) {
    const Words classes = modular::conjugate_classes(modulus, generator);
    const Words orders = modular::multiplicative_orders(classes, modulus);
    ASSERT_EQ(classes.size(), modulus);
    ASSERT_EQ(orders.size(), modulus);
    for (std::uint64_t i = 0; i < modulus; ++i) {
      std::uint64_t smallest = i, power = i, order = 1;
      const bool unit = i != 0 && std::gcd(i, modulus) == 1;
      for (std::uint64_t k = 0; k < modulus; ++k) {
        power = power * generator % modulus;
        smallest = std::min(smallest, power);
      }
      EXPECT_EQ(classes[i], unit ? smallest : 0) << i << " mod " << modulus;
      for (power = i; unit && classes[power] != 1; power = power * i % modulus) ++order;
      EXPECT_EQ(orders[i], unit ? order : 0) << i << " mod " << modulus;
    }
  }
  EXPECT_INVALID_ARGUMENT(modular::conjugate_classes(16, 2));
  EXPECT_INVALID_ARGUMENT(modular::conjugate_classes(0, 1));
  EXPECT_INVALID_ARGUMENT(modular::multiplicative_orders({0, 1}, 3));
}

TEST(SealModular, baby_steps_and_giant_steps) {
  Words baby{9}, giant{9};
  modular::babystep_giantstep(32, baby, giant);
  EXPECT_EQ(baby, (Words{1, 63, 3, 61}));
  EXPECT_EQ(giant, (Words{9, 17, 25, 33, 41, 49, 57, 1}));
  for (int power = 4; power <= 10; ++power) {
    const std::uint64_t modulus = std::uint64_t{1} << power;
    modular::babystep_giantstep(modulus, baby, giant);
    for (std::uint64_t input = 1; input < modulus; input += 2) {
      const auto [i, j] = modular::decompose_babystep_giantstep(modulus, input, baby, giant);
      EXPECT_EQ(giant.at(i) * baby.at(j) % modulus, input);
    }
  }
  EXPECT_LOGIC_ERROR(modular::decompose_babystep_giantstep(32, 2, baby, giant));
  EXPECT_INVALID_ARGUMENT(modular::decompose_babystep_giantstep(0, 1, baby, giant));
  for (const std::uint64_t modulus :
       {std::uint64_t{0}, std::uint64_t{12}, std::uint64_t{1} << 63}) {
    EXPECT_INVALID_ARGUMENT(modular::babystep_giantstep(modulus, baby, giant));
  }
  EXPECT_TRUE(modular::is_prime(17, 5));
  EXPECT_FALSE(modular::is_prime(15));
}

}  // namespace
}  // namespace ringlet::test
