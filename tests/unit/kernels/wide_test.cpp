// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ntt/wide.hpp"

#include "arith/wide_integer.hpp"
#include "kernels/wide/factor_writer.hpp"
#include "support/reference/double_words.hpp"
#include "support/refusal.hpp"
#include "support/values.hpp"

// Constants of wide_moduli and factors in limbs of 64, 52, 46 and 28 bits, against GMP.

namespace ringlet::test {
namespace {

using kernels::LimbFormat;
using kernels::WideConstants;
using kernels::WideFactor;

constexpr std::array<LimbFormat, 7> kFormats = {{
    {.limb_bits = 64, .limb_count = 2},
    {.limb_bits = 64, .limb_count = 2, .factor = WideFactor::montgomery},
    {.limb_bits = 52, .limb_count = 3},
    {.limb_bits = 52, .limb_count = 3, .factor = WideFactor::montgomery},
    {.limb_bits = 28, .limb_count = 5},
    {.limb_bits = 28, .limb_count = 5, .factor = WideFactor::plain},
    {.limb_bits = 46, .limb_count = 3, .factor = WideFactor::fraction},
}};

std::vector<WideModulus> wide_moduli() {
  std::vector<WideModulus> list = {
      WideModulus({3, 0, 0}),
      WideModulus({5, 0, 0}),
      WideModulus({32749, 0, 0}),
      WideModulus({~std::uint64_t{0}, (std::uint64_t{1} << 60) - 1, 0}),  // 2^124 - 1
      WideModulus({1, std::uint64_t{1} << 59, 0}),                        // 2^123 + 1
      generate_special_wide_primes(124, 1).front(),
      generate_wide_ntt_primes(100, 16, 1).front()};
  for (const int bits : {63, 64, 65, 104, 123, 124}) {
    list.push_back(WideModulus::largest_prime(bits));
  }
  auto rng = make_rng();
  for (int bits = 7; bits < 124; ++bits) {
    const uint128_t power = uint128_t{1} << bits;
    const std::uint64_t distance = 1 + rng() % 32 * 2;
    for (const uint128_t q : {power - distance, power + distance}) {
      list.emplace_back(WideInteger{low_word(q), high_word(q), 0});
    }
  }
  return list;
}

mpz_class beta_of(const LimbFormat& format) {
  return power_of_two(format.limb_bits * format.limb_count);
}

/// Limbs in range form the expected integer.
void expect_limbs(const char* what, const std::uint64_t* limbs, const mpz_class& expected,
                  const LimbFormat& format) {
  mpz_class value = 0;
  for (int i = format.limb_count; i-- > 0;) {
    EXPECT_TRUE(format.limb_bits == 64 || limbs[i] >> format.limb_bits == 0);
    value = (value << static_cast<mp_bitcnt_t>(format.limb_bits)) + limbs[i];
  }
  EXPECT_TRUE(value == expected) << what << " in limbs of " << format.limb_bits << " bits";
}

TEST(WideConstants, LimbsAreDigitsAndTheRestIsDropped) {
  auto rng = make_rng();
  for (const LimbFormat& format : kFormats) {
    for (std::size_t i = 0; i < scaled(2000); ++i) {
      WideInteger x = {rng(), rng(), rng()};
      if (i < 2) x.fill(i == 0 ? ~std::uint64_t{0} : 0);
      std::uint64_t limbs[kernels::kMaxWideLimbs] = {};
      kernels::split_limbs(limbs, x, format);
      expect_limbs("x", limbs, to_mpz(x) % beta_of(format), format);
    }
  }
}

TEST(WideConstants, QuotientsOfPowersAreThoseOfGmp) {
  auto rng = make_rng();
  std::size_t count = 0;
  for (const int exponent : {0, 1, 64, 128, 156, 191, 250, 300, 380}) {
    for (std::size_t i = 0; i < scaled(1000); ++i) {
      const int bits = 1 + static_cast<int>(rng() % 190);
      if (exponent - 191 > bits - 1) continue;  // the quotient has more than 192 bits
      WideInteger x = wide::shift_right({rng(), rng(), rng()}, 192 - bits);
      const auto top = static_cast<std::size_t>(bits - 1);
      if (i % 5 == 0) x = {};
      x[top / 64] |= std::uint64_t{1} << top % 64;
      ASSERT_TRUE(to_mpz(kernels::quotient_of_power(exponent, x)) ==
                  power_of_two(exponent) / to_mpz(x))
          << exponent << ", " << bits << " bits";
      ++count;
    }
  }
  EXPECT_GT(count, 5000U);
}

/// The digits of w/q are those of least absolute value, as doubles at their places. The low digit
/// is that of w or, after a carry, of w - q.
void expect_fraction(const std::uint64_t* words, const mpz_class& w, const mpz_class& q) {
  constexpr int kBits = 46;
  mpz_class sum = 0;
  for (int i = 0; i <= 5; ++i) {
    const double digit = std::ldexp(std::bit_cast<double>(words[i]), i * kBits);
    EXPECT_TRUE(std::abs(digit) <= 0x1p45 && digit == std::nearbyint(digit)) << i << ": " << digit;
    if (i > 0) sum += mpz_class(digit) << static_cast<mp_bitcnt_t>((5 - i) * kBits);
  }
  const mpz_class exact = (w << 230) / q;
  const bool carries = sum != exact;
  EXPECT_TRUE(sum == exact - (carries ? power_of_two(230) : mpz_class(0)));
  const mpz_class low(std::bit_cast<double>(words[0]));
  EXPECT_TRUE((w - (carries ? q : mpz_class(0)) - low) % power_of_two(kBits) == 0);
}

/// The limbs of the factor w of q in `format`, and those of its quotient.
void expect_factor(const std::uint64_t* words, const mpz_class& w, const mpz_class& q,
                   const LimbFormat& format) {
  const mpz_class shifted = w * beta_of(format);
  if (format.factor == WideFactor::montgomery) {
    return expect_limbs("w * beta mod q", words, shifted % q, format);
  }
  if (format.factor == WideFactor::fraction) return expect_fraction(words, w, q);
  expect_limbs("w", words, w, format);
  if (format.factor == WideFactor::plain) return;
  expect_limbs("floor(w * beta / q)", words + format.limb_count, shifted / q, format);
}

TEST(WideConstants, OfAModulusAreThoseOfGmp) {
  for (const WideModulus& modulus : wide_moduli()) {
    SCOPED_TRACE(modulus.to_string());
    const mpz_class q = to_mpz(modulus);
    const DoubleBarrett barrett =
        kernels::make_double_barrett(join_words(modulus.value()[0], modulus.value()[1]));
    EXPECT_EQ(barrett.shift, 124 - modulus.bit_count());
    const mpz_class to_124_bits = q << static_cast<mp_bitcnt_t>(barrett.shift);
    EXPECT_TRUE(to_mpz(barrett.shifted_q) == to_124_bits);
    EXPECT_TRUE(to_mpz(barrett.quotient) == power_of_two(250) / to_124_bits);
    for (const LimbFormat& format : kFormats) {
      WideConstants c;
      kernels::build_wide_constants(c, modulus.value().data(), format);
      EXPECT_EQ(c.words[0], modulus.value()[0]);
      EXPECT_EQ(c.words[1], modulus.value()[1]);
      EXPECT_EQ(c.bits, modulus.bit_count());
      expect_limbs("q", c.q, q, format);
      const mpz_class beta = beta_of(format);
      expect_limbs("beta - q", c.negated, beta - q, format);
      mpz_class inverse;
      ASSERT_NE(mpz_invert(inverse.get_mpz_t(), q.get_mpz_t(), beta.get_mpz_t()), 0);
      expect_limbs("q^-1 modulo beta", c.inverse, inverse, format);
      EXPECT_EQ(c.shift, format.barrett_bits - c.bits);
      const mpz_class shifted = q << static_cast<mp_bitcnt_t>(c.shift);
      expect_limbs("q'", c.shifted, shifted, format);
      expect_limbs("floor(2^250 / q')", c.quotient, power_of_two(format.barrett_exponent) / shifted,
                   format);
      expect_factor(c.one, 1, q, format);
    }
  }
}

TEST(WideConstants, FactorsAreThoseOfGmp) {
  auto rng = make_rng();
  for (const WideModulus& modulus : wide_moduli()) {
    SCOPED_TRACE(modulus.to_string());
    const mpz_class q = to_mpz(modulus);
    DoubleWords factors = edge_elements(modulus);
    const DoubleWords more = random_elements(scaled(200), modulus, rng);
    factors.insert(factors.end(), more.begin(), more.end());
    for (const LimbFormat& format : kFormats) {
      WideConstants c;
      kernels::build_wide_constants(c, modulus.value().data(), format);
      const kernels::WideFactorWriter writer(join_words(c.words[0], c.words[1]), format);
      for (const DoubleWord& w : factors) {
        if (to_mpz(w) >= q) continue;  // a short q is below fixed factors such as 2^64 - 1
        std::array<std::uint64_t, kernels::kMaxWideFactorWords> by_constants{};
        std::array<std::uint64_t, kernels::kMaxWideFactorWords> by_writer{};
        kernels::write_wide_factor(by_constants.data(), w.data(), c, format);
        writer.write(by_writer.data(), join_words(w[0], w[1]));
        EXPECT_EQ(by_constants, by_writer);
        expect_factor(by_constants.data(), to_mpz(w), q, format);
      }
    }
  }
}

// The choice of kernels of double words, among the tables of this build and this processor.

using kernels::choose_wide;
using kernels::WideKernel;

/// Short wide_moduli, general ones and some of the special family.
std::vector<WideModulus> sample_moduli() {
  std::vector<WideModulus> wide_moduli = {
      WideModulus({3, 0, 0}), generate_special_wide_primes(124, 1).front(),
      generate_special_wide_primes(112, 1).front(),
      WideModulus({1, std::uint64_t{1} << 40, 0})};  // 2^104 + 1
  for (const int bits : {20, 64, 65, 100, 105, 112, 124}) {
    wide_moduli.push_back(WideModulus::largest_prime(bits));
  }
  return wide_moduli;
}

bool runs_here(CpuFeatureMask needs) { return (needs & ~detected_cpu_features()) == 0; }

/// The condition of the descriptor, from the words of the modulus.
bool takes(const WideKernel& kernel, const WideModulus& q) {
  const bool is_special =
      q.bit_count() > 104 && q.value()[0] == 1 && q.value()[1] << (64 - 40) == 0;
  return q.bit_count() >= kernel.min_modulus_bits && q.bit_count() <= kernel.max_modulus_bits &&
         (!kernel.special_modulus || is_special);
}

/// Every kernel of double words that this processor runs, lowest table first.
std::vector<const WideKernel*> wide_kernels_here() {
  std::vector<const WideKernel*> found;
  for (const auto* table : kernels::kernel_table_list()) {
    for (const WideKernel& kernel : table->wide) {
      if (runs_here(kernel.needs)) found.push_back(&kernel);
    }
  }
  return found;
}

std::string name_of(const WideKernel& kernel) {
  return std::string(kernel.table) + "/" + kernel.algorithm;
}

TEST(ChooseWide, ATableIsACeiling) {
  const std::vector<const WideKernel*> all = wide_kernels_here();
  for (const WideModulus& q : sample_moduli()) {
    for (const std::string& table : kernel_tables()) {
      const auto owns = [&](const WideKernel* kernel) { return kernel->table == table; };
      if (std::ranges::none_of(all, owns)) continue;
      const auto chosen = choose_wide(q.value().data(), KernelSelection(table));
      ASSERT_NE(chosen.kernel, nullptr);
      EXPECT_TRUE(takes(*chosen.kernel, q)) << chosen.name() << " for " << q.to_string();
      const bool own_takes = std::ranges::any_of(
          all, [&](const WideKernel* kernel) { return owns(kernel) && takes(*kernel, q); });
      EXPECT_EQ(chosen.kernel->table == table, own_takes) << table << ": " << chosen.name();
      const auto last_of = [&](std::string_view name) {
        return std::ranges::find_if(all.rbegin(), all.rend(), [&](const WideKernel* kernel) {
          return kernel->table == name;
        });
      };
      EXPECT_GE(last_of(chosen.kernel->table), last_of(table)) << "above " << table;
    }
  }
}

TEST(ChooseWide, TheFirstKernelOfTheHighestTableThatTakesTheModulusIsTaken) {
  for (const WideModulus& q : sample_moduli()) {
    std::vector<const WideKernel*> taking = wide_kernels_here();
    std::erase_if(taking, [&](const WideKernel* kernel) { return !takes(*kernel, q); });
    EXPECT_STREQ(taking.front()->table, "scalar64") << "the portable table takes all";
    EXPECT_FALSE(taking.front()->named_only);
    std::vector<const WideKernel*> listed;
    for (const auto& chosen : kernels::wide_kernels(q.value().data())) {
      listed.push_back(chosen.kernel);
    }
    EXPECT_EQ(listed, taking);
    // Several units may have one table's name: the first kernel of the last unit is the best.
    const WideKernel* best = nullptr;
    for (const auto* unit : kernels::kernel_table_list()) {
      const auto first = std::ranges::find_if(unit->wide, [&](const WideKernel& kernel) {
        return runs_here(kernel.needs) && !kernel.named_only && takes(kernel, q);
      });
      if (first != unit->wide.end()) best = &*first;
    }
    EXPECT_EQ(choose_wide(q.value().data(), KernelSelection()).kernel, best) << q.to_string();
  }
}

TEST(ChooseWide, KernelsForStudiesAreTakenByTheirNameAlone) {
  const WideModulus q = generate_special_wide_primes(124, 1).front();
  std::size_t named_only = 0;
  for (const WideKernel* kernel : wide_kernels_here()) {
    if (!kernel->named_only) continue;
    ++named_only;
    EXPECT_STREQ(choose_wide(q.value().data(), KernelSelection(kernel->table)).kernel->table,
                 kernel->table);
    EXPECT_EQ(choose_wide(q.value().data(), KernelSelection(name_of(*kernel))).kernel, kernel);
  }
  std::vector<std::string> others = {""};
  for (const WideKernel* kernel : wide_kernels_here()) {
    if (!kernel->named_only) others.insert(others.end(), {kernel->table, name_of(*kernel)});
  }
  for (const std::string& text : others) {
    EXPECT_FALSE(choose_wide(q.value().data(), KernelSelection(text)).kernel->named_only) << text;
  }
  if (named_only == 0) GTEST_SKIP() << "no kernel is there for studies alone";
}

TEST(ChooseWide, AnExactNameTakesItsModuliAndRefusesOthers) {
  std::size_t refusals = 0;
  for (const WideKernel* kernel : wide_kernels_here()) {
    const KernelSelection exact(name_of(*kernel));
    for (const WideModulus& q : sample_moduli()) {
      if (takes(*kernel, q)) {
        EXPECT_EQ(choose_wide(q.value().data(), exact).kernel, kernel);
        EXPECT_EQ(WideEltwise(q, exact).kernel_name(), name_of(*kernel));
        continue;
      }
      ++refusals;
      for (const std::string& text :
           {name_of(*kernel), std::to_string(kernel->min_modulus_bits),
            std::string(kernel->special_modulus ? "k * 2^104 + 1" : "")}) {
        expect_refusal_says(text, [&] { WideEltwise(q, exact); });
      }
    }
  }
  // The name of another operation's kernel is a ceiling.
  const WideModulus q = WideModulus::largest_prime(124);
  const auto chosen = choose_wide(q.value().data(), KernelSelection("scalar64/radix2"));
  EXPECT_STREQ(chosen.kernel->table, "scalar64");
  const bool all_take_all = std::ranges::all_of(wide_kernels_here(), [](const WideKernel* kernel) {
    return !kernel->special_modulus && kernel->min_modulus_bits <= 2;
  });
  EXPECT_EQ(refusals == 0, all_take_all);
}

TEST(WideKernelCatalog, ListsEveryKernelOfDoubleWords) {
  std::set<std::string> listed;
  for (const KernelInfo& info : kernel_catalog()) {
    if (info.operation == "wide") listed.insert(info.table + "/" + info.algorithm);
  }
  std::set<std::string> expected;
  for (const auto* table : kernels::kernel_table_list()) {
    for (const WideKernel& kernel : table->wide) {
      EXPECT_STREQ(kernel.table, table->name);
      EXPECT_EQ(kernel.max_modulus_bits, kMaxDoubleWordBits) << name_of(kernel);
      EXPECT_LE(kernel.min_log_degree, 4) << name_of(kernel) << ": transforms of 16 elements";
      EXPECT_LE(kernel.factor_words, kernels::kMaxWideFactorWords);
      expected.insert(name_of(kernel));
    }
  }
  EXPECT_EQ(listed, expected);
}

std::uint64_t calls_of(const std::string& kernel) {
  for (const KernelInfo& info : kernel_catalog()) {
    if (info.name == kernel + "/wide") return info.calls;
  }
  return 0;
}

TEST(WideKernelCatalog, CountsTheCallsOfTheKernelThatRan) {
  if (!kernel_statistics_enabled()) GTEST_SKIP() << "built without statistics of kernels";
  const WideModulus q = generate_special_wide_primes(124, 1).front();
  for (const auto& chosen : kernels::wide_kernels(q.value().data())) {
    const std::string name = chosen.name();
    const std::uint64_t before = calls_of(name);
    std::vector<std::uint64_t> words(32, 1);
    const WideResult view{std::span(words)};
    const WideEltwise eltwise(q, KernelSelection(name));
    eltwise.add(view, view, view);
    EXPECT_EQ(calls_of(name), before + 1) << name;
    const WideNtt ntt(16, q, WideRing::cyclic, KernelSelection(name));
    ntt.forward(view, view);
    ntt.inverse(view, view);
    EXPECT_EQ(calls_of(name), before + 3) << name;
    EXPECT_THROW(eltwise.add(view, view, WideOperand(std::span(words).first(2))), InvalidArgument);
    EXPECT_EQ(calls_of(name), before + 3) << "a refused call runs no kernel";
  }
}

}  // namespace
}  // namespace ringlet::test
