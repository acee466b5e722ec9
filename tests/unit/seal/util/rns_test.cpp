// SPDX-License-Identifier: Apache-2.0
#include "seal/util/rns.h"

#include "seal/util/galois.h"
#include "support/reference/big_integer.hpp"
#include "unit/seal/seal_objects.hpp"
#include "unit/seal/thrown.hpp"

namespace ringlet::test {
namespace {

namespace util = ::seal::util;
using Moduli = std::vector<seal::Modulus>;
using Residues = std::vector<std::uint64_t>;

const MemoryPoolHandle kPool = MemoryPoolHandle::Global();
constexpr std::size_t kToolDegree = 8;

Integer integer_of(const std::uint64_t* words, std::size_t count) {
  Integer result;
  mpz_import(result.get(), count, -1, 8, 0, 0, words);
  return result;
}

Integer product_of(const util::RNSBase& base) { return integer_of(base.base_prod(), base.size()); }

/// Edges of [0, bound), then random integers: `count` of them.
Integers integers_below(const Integer& bound, std::size_t count, std::mt19937_64& rng) {
  const Integer one(1), half = bound / Integer(2);
  Integers result{Integer(), one % bound, bound - one, half, (half + one) % bound, half - one};
  while (result.size() < count) result.push_back(random_integer(bound, rng));
  result.resize(count);
  return result;
}

/// Residues modulo each of the moduli in turn.
Residues residues_of(const Integers& values, const Moduli& moduli) {
  Residues result;
  for (const seal::Modulus& q : moduli) {
    for (const Integer& value : values) result.push_back(value.residue(q.value()));
  }
  return result;
}

Moduli moduli_of(const util::RNSBase& base) { return {base.base(), base.base() + base.size()}; }

const Moduli kBases[] = {{2},
                         {3, 4, 5, 7, 11},
                         {1125899906842597, (std::uint64_t{1} << 61) - 1},
                         seal::CoeffModulus::Create(8192, {60, 50, 40, 40, 30, 60})};

TEST(SealUtilRns, bases_compose_and_decompose) {
  auto rng = make_rng();
  for (const Moduli& moduli : kBases) {
    const util::RNSBase base(moduli, kPool);
    const std::size_t k = base.size(), count = 20;
    Integer product(1);
    for (const auto& q : moduli) product = product * Integer(q.value());
    EXPECT_EQ(product_of(base), product);
    for (std::size_t i = 0; i < k; ++i) {
      const Integer punctured = product / Integer(moduli[i].value());
      EXPECT_EQ(integer_of(base.punctured_prod_array() + i * k, k), punctured);
      EXPECT_EQ(util::multiply_uint_mod(punctured.residue(moduli[i].value()),
                                        base.inv_punctured_prod_mod_base_array()[i], moduli[i]),
                1u);
    }
    const Integers values = integers_below(product, count, rng);
    Residues words(k * count);
    for (std::size_t c = 0; c < count; ++c) {
      mpz_export(words.data() + c * k, nullptr, -1, 8, 0, 0, values[c].get());
    }
    const Residues integers = words;
    base.decompose_array(words.data(), count, kPool);
    EXPECT_EQ(words, residues_of(values, moduli));
    base.compose_array(words.data(), count, kPool);
    EXPECT_EQ(words, integers);
    base.decompose(words.data() + k, kPool);
    base.compose(words.data() + k, kPool);
    EXPECT_EQ(words, integers);
  }
}

TEST(SealUtilRns, sets_of_moduli) {
  const util::RNSBase base({3, 4, 5}, kPool), one({4}, kPool), copy(base, kPool);
  EXPECT_EQ(moduli_of(copy), (Moduli{3, 4, 5}));
  EXPECT_TRUE(base.contains(4));
  EXPECT_FALSE(base.contains(7));
  EXPECT_TRUE(one.is_subbase_of(base) && base.is_superbase_of(one) && base.is_subbase_of(copy));
  EXPECT_TRUE(one.is_proper_subbase_of(base) && base.is_proper_superbase_of(one));
  EXPECT_FALSE(base.is_proper_subbase_of(copy) || base.is_proper_superbase_of(copy));
  EXPECT_FALSE(base.is_subbase_of(one));
  EXPECT_EQ(moduli_of(base.extend(7)), (Moduli{3, 4, 5, 7}));
  EXPECT_EQ(moduli_of(one.extend(util::RNSBase({7, 3}, kPool))), (Moduli{4, 7, 3}));
  EXPECT_EQ(moduli_of(base.drop()), (Moduli{3, 4}));
  EXPECT_EQ(moduli_of(base.drop(4)), (Moduli{3, 5}));
  EXPECT_EQ(base[2], 5u);
  EXPECT_OUT_OF_RANGE(base[3]);
  EXPECT_INVALID_ARGUMENT(util::RNSBase(Moduli{}, kPool));
  EXPECT_INVALID_ARGUMENT(util::RNSBase({3, 0}, kPool));
  EXPECT_INVALID_ARGUMENT(util::RNSBase({6, 4}, kPool));
  EXPECT_INVALID_ARGUMENT(util::RNSBase({3}, MemoryPoolHandle()));
  EXPECT_INVALID_ARGUMENT(base.extend(0));
  EXPECT_INVALID_ARGUMENT(base.extend(one));
  EXPECT_LOGIC_ERROR(base.extend(6));
  EXPECT_LOGIC_ERROR(base.drop(7));
  EXPECT_LOGIC_ERROR(one.drop());
  EXPECT_INVALID_ARGUMENT(base.compose(nullptr, kPool));
}

TEST(SealUtilRns, conversions) {
  auto rng = make_rng();
  const util::RNSBase to({17, std::uint64_t{1} << 32, 1125899906842597}, kPool);
  for (const Moduli& moduli : kBases) {
    const util::RNSBase base(moduli, kPool);
    const Integer product = product_of(base);
    const Integers values = integers_below(product, 600, rng);  // more than one block
    Residues in = residues_of(values, moduli), out(to.size() * values.size());
    const util::BaseConverter converter(base, to, kPool);
    converter.fast_convert_array(util::RNSIter(in.data(), 600), util::RNSIter(out.data(), 600),
                                 kPool);
    Integers expected;
    for (const Integer& x : values) {
      Integer sum;
      for (const auto& q : moduli) {
        const Integer modulus(q.value()), punctured = product / modulus;
        sum = sum + x * punctured.inverse(modulus) % modulus * punctured;
      }
      EXPECT_EQ(sum % product, x);
      expected.push_back(sum);
    }
    EXPECT_EQ(out, residues_of(expected, moduli_of(to)));
    Residues one_in, one_out(to.size());
    for (const auto& q : moduli) one_in.push_back(values[7].residue(q.value()));
    converter.fast_convert(one_in.data(), one_out.data(), kPool);
    EXPECT_EQ(one_out, residues_of({expected[7]}, moduli_of(to)));

    const util::BaseConverter exact(base, util::RNSBase({65537}, kPool), kPool);
    exact.exact_convert_array(util::RNSIter(in.data(), 600), out.data(), kPool);
    for (std::size_t c = 0; c < 600; ++c) {
      const Integer& x = values[c];
      EXPECT_EQ(out[c], (x + x >= product ? x - product : x).residue(65537)) << c;
    }
    EXPECT_INVALID_ARGUMENT(
        converter.exact_convert_array(util::RNSIter(in.data(), 600), out.data(), kPool));
    EXPECT_INVALID_ARGUMENT(converter.fast_convert_array(util::RNSIter(in.data(), 600),
                                                         util::RNSIter(out.data(), 300), kPool));
  }
}

/// A tool with the primes of its base, and polynomials of integers for it.
struct ToolCase {
  explicit ToolCase(std::uint64_t t_in, Moduli primes_in)
      : t(t_in),
        primes(primes_in),
        tool(kToolDegree, util::RNSBase(primes_in, kPool), t_in, kPool) {
    for (const auto& p : primes) tables.emplace_back(3, p);
  }
  util::RNSIter iter(Residues& words) const { return {words.data(), kToolDegree}; }
  template <typename Divide>
  void expect_divided(const Integers& values, const Divide& divide, bool keeps_t) {
    Residues words = residues_of(values, primes), ntt = words;
    keeps_t ? tool.mod_t_and_divide_q_last_inplace(iter(words), kPool)
            : tool.divide_and_round_q_last_inplace(iter(words), kPool);
    util::ntt_negacyclic_harvey(iter(ntt), primes.size(), tables.data());
    keeps_t ? tool.mod_t_and_divide_q_last_ntt_inplace(iter(ntt), tables.data(), kPool)
            : tool.divide_and_round_q_last_ntt_inplace(iter(ntt), tables.data(), kPool);
    util::inverse_ntt_negacyclic_harvey(iter(ntt), primes.size() - 1, tables.data());
    Integers expected;
    for (const Integer& value : values) expected.push_back(divide(value));
    const Residues kept = residues_of(expected, Moduli(primes.begin(), primes.end() - 1));
    words.resize(kept.size());
    ntt.resize(kept.size());
    EXPECT_EQ(words, kept);
    EXPECT_EQ(ntt, kept);
  }

  std::uint64_t t;
  Moduli primes;
  util::RNSTool tool;
  std::vector<util::NTTTables> tables;
};

const Moduli kToolBases[] = {seal::CoeffModulus::Create(kToolDegree, {40}),
                             seal::CoeffModulus::Create(kToolDegree, {30, 60, 45}),
                             seal::CoeffModulus::Create(kToolDegree, {60, 60, 60, 60, 60})};

TEST(SealUtilRns, tools_choose_the_bases_of_seal) {
  for (const Moduli& primes : kToolBases) {
    const ToolCase use(65537, primes);
    const auto auxiliary = util::get_primes(2 * kToolDegree, 61, primes.size() + 2);
    EXPECT_EQ(use.tool.m_sk(), auxiliary[0]);
    EXPECT_EQ(use.tool.gamma(), auxiliary[1]);
    const Moduli b(auxiliary.begin() + 2, auxiliary.end());
    EXPECT_EQ(moduli_of(*use.tool.base_B()), b);
    EXPECT_EQ(moduli_of(*use.tool.base_Bsk()), moduli_of(use.tool.base_B()->extend(auxiliary[0])));
    EXPECT_EQ(use.tool.m_tilde(), std::uint64_t{1} << 32);
    EXPECT_EQ((*use.tool.base_Bsk_m_tilde())[primes.size() + 1], use.tool.m_tilde());
    EXPECT_EQ(moduli_of(*use.tool.base_t_gamma()), (Moduli{65537, auxiliary[1]}));
    EXPECT_EQ(use.tool.base_Bsk_ntt_tables()[primes.size()].modulus(), auxiliary[0]);
    EXPECT_EQ(use.tool.q_last_mod_t(), primes.back().value() % 65537);
    EXPECT_EQ(use.tool.q_last_mod_t() * use.tool.inv_q_last_mod_t() % 65537, 1u);
    for (std::size_t i = 0; i + 1 < primes.size(); ++i) {
      EXPECT_EQ(
          util::multiply_uint_mod(primes.back().value(), use.tool.inv_q_last_mod_q()[i], primes[i]),
          1u);
    }
  }
  // 32 + 58 bits of t + 300 bits of q are more than 61 * 6.
  const ToolCase larger((std::uint64_t{1} << 58) - 27, kToolBases[2]);
  EXPECT_EQ(larger.tool.base_B()->size(), 6u);
}

TEST(SealUtilRns, tools_divide_by_the_last_prime) {
  auto rng = make_rng();
  for (const Moduli& primes : {kToolBases[1], kToolBases[2]}) {
    ToolCase use(257, primes);
    const Integers values = integers_below(product_of(*use.tool.base_q()), kToolDegree, rng);
    const Integer p(primes.back().value()), t(use.t);
    use.expect_divided(values, [&](const Integer& x) { return (x + p / Integer(2)) / p; }, false);
    use.expect_divided(
        values,
        [&](const Integer& x) {
          // d is x modulo p and 0 modulo t.
          const Integer d = x * t.inverse(p) % p * t;
          return (x - d) / p;
        },
        true);
  }
}

TEST(SealUtilRns, tools_decrypt) {
  auto rng = make_rng();
  for (const Moduli& primes : kToolBases) {
    for (const std::uint64_t t : {std::uint64_t{2}, std::uint64_t{257}, std::uint64_t{1} << 36}) {
      const ToolCase use(t, primes);
      const Integer product = product_of(*use.tool.base_q()), two(2);
      const Integers values = integers_below(product, kToolDegree, rng);
      Residues words = residues_of(values, primes), scaled(kToolDegree), rest(kToolDegree);
      use.tool.decrypt_scale_and_round(use.iter(words), scaled.data(), kPool);
      use.tool.decrypt_modt(use.iter(words), rest.data(), kPool);
      for (std::size_t c = 0; c < kToolDegree; ++c) {
        const Integer scaled_value = (two * values[c] * Integer(t) + product) / (two * product);
        EXPECT_EQ(scaled[c], scaled_value.residue(t)) << t << ", " << c;
        EXPECT_EQ(rest[c], centred(values[c], product).residue(t)) << t << ", " << c;
      }
    }
  }
}

TEST(SealUtilRns, tools_extend_and_divide_products) {
  auto rng = make_rng();
  for (const Moduli& primes : kToolBases) {
    const ToolCase use(257, primes);
    const util::RNSTool& tool = use.tool;
    const Integer q = product_of(*tool.base_q()), m_tilde(tool.m_tilde().value());
    const Moduli bsk = moduli_of(*tool.base_Bsk());
    const Integers values = integers_below(q, kToolDegree, rng);

    // x in q becomes x + u*q in Bsk, for u of -1, 0 or 1.
    Residues in = residues_of(values, primes), wide((bsk.size() + 1) * kToolDegree);
    Residues out(bsk.size() * kToolDegree), back(primes.size() * kToolDegree);
    tool.fastbconv_m_tilde(use.iter(in), use.iter(wide), kPool);
    tool.sm_mrq(use.iter(wide), use.iter(out), kPool);
    tool.base_Bsk()->compose_array(out.data(), kToolDegree, kPool);
    for (std::size_t c = 0; c < kToolDegree; ++c) {
      const Integer extended = centred(integer_of(out.data() + c * bsk.size(), bsk.size()),
                                       product_of(*tool.base_Bsk()));
      EXPECT_TRUE((extended - values[c]).is_multiple_of(q));
      EXPECT_LT(extended.abs(), q + q) << c;
    }

    // The quotient of a product by q is rounded down, or one of the integers below.
    Integers products;
    for (const Integer& x : values) products.push_back(x * q + random_integer(q, rng));
    Moduli all = primes;
    all.insert(all.end(), bsk.begin(), bsk.end());
    in = residues_of(products, all);
    tool.fast_floor(use.iter(in), use.iter(out), kPool);
    Residues copy = out;
    tool.base_Bsk()->compose_array(copy.data(), kToolDegree, kPool);
    Integers floors;
    for (std::size_t c = 0; c < kToolDegree; ++c) {
      floors.push_back(centred(integer_of(copy.data() + c * bsk.size(), bsk.size()),
                               product_of(*tool.base_Bsk())));
      EXPECT_LE(floors[c], values[c]);
      EXPECT_GT(floors[c] + Integer(primes.size()), values[c]);
    }
    tool.fastbconv_sk(use.iter(out), use.iter(back), kPool);
    EXPECT_EQ(back, residues_of(floors, primes));
  }
}

TEST(SealUtilRns, tools_refuse) {
  const util::RNSBase base(kToolBases[1], kPool);
  EXPECT_INVALID_ARGUMENT(util::RNSTool(9, base, 17, kPool));
  EXPECT_INVALID_ARGUMENT(util::RNSTool(1, base, 17, kPool));
  EXPECT_INVALID_ARGUMENT(util::RNSTool(8, base, 17, MemoryPoolHandle()));
  EXPECT_LOGIC_ERROR(util::RNSTool(8, base, kToolBases[1][0], kPool));
  const ToolCase without_t(0, kToolBases[1]);
  Residues words(3 * kToolDegree);
  EXPECT_EQ(without_t.tool.base_t_gamma(), nullptr);
  EXPECT_LOGIC_ERROR(without_t.tool.decrypt_modt(without_t.iter(words), words.data(), kPool));
  EXPECT_INVALID_ARGUMENT(
      without_t.tool.divide_and_round_q_last_inplace(util::RNSIter(words.data(), 4), kPool));
}

TEST(SealUtilRns, levels_have_tools) {
  for (const scheme_type scheme : kSchemes) {
    const SEALContext context = small_context(scheme);
    for (auto level = context.key_context_data(); level; level = level->next_context_data()) {
      ASSERT_NE(level->rns_tool(), nullptr);
      EXPECT_EQ(level->rns_tool(), level->rns_tool());
      EXPECT_EQ(moduli_of(*level->rns_tool()->base_q()), level->parms().coeff_modulus());
      EXPECT_EQ(level->rns_tool()->t(), level->parms().plain_modulus());
    }
    EXPECT_EQ(refused_context(scheme).key_context_data()->rns_tool(), nullptr);
  }
}

TEST(SealUtilRns, automorphisms_substitute_powers) {
  auto rng = make_rng();
  const std::size_t n = kToolDegree, k = 2, size = 2;
  const util::GaloisTool tool(3, kPool);
  const Moduli primes = seal::CoeffModulus::Create(n, {20, 60});
  const std::vector<util::NTTTables> tables{{3, primes[0]}, {3, primes[1]}};
  Residues words;
  for (std::size_t i = 0; i < size * k * n; ++i) {
    words.push_back(i % 3 == 0 ? 0 : rng() % primes[i / n % k].value());
  }
  for (std::uint32_t element = 1; element < 2 * n; element += 2) {
    Residues expected(words.size()), result(words.size()), ntt = words, ntt_result(words.size());
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::size_t exponent = i % n * element % (2 * n);
      const std::uint64_t q = primes[i / n % k].value();
      expected[i - i % n + exponent % n] = exponent < n ? words[i] : (q - words[i]) % q;
    }
    tool.apply_galois(util::PolyIter(words.data(), n, k), size, element, primes,
                      util::PolyIter(result.data(), n, k));
    EXPECT_EQ(result, expected) << element;
    util::ntt_negacyclic_harvey(util::PolyIter(ntt.data(), n, k), size, tables.data());
    tool.apply_galois_ntt(util::PolyIter(ntt.data(), n, k), size, element,
                          util::PolyIter(ntt_result.data(), n, k));
    util::inverse_ntt_negacyclic_harvey(util::PolyIter(ntt_result.data(), n, k), size,
                                        tables.data());
    EXPECT_EQ(ntt_result, expected) << element;
    Residues limb(n);
    tool.apply_galois(words.data(), element, primes[0], limb.data());
    EXPECT_EQ(limb, Residues(expected.begin(), expected.begin() + n));
  }
  Residues other(n);
  EXPECT_INVALID_ARGUMENT(tool.apply_galois(words.data(), 2, primes[0], other.data()));
  EXPECT_INVALID_ARGUMENT(tool.apply_galois(words.data(), 17, primes[0], other.data()));
  EXPECT_INVALID_ARGUMENT(tool.apply_galois(words.data(), 3, primes[0], words.data()));
  EXPECT_INVALID_ARGUMENT(
      tool.apply_galois_ntt(util::RNSIter(words.data(), 4), 1, 3, util::RNSIter(other.data(), 4)));
}

}  // namespace
}  // namespace ringlet::test
