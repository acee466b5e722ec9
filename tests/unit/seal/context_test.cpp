// SPDX-License-Identifier: Apache-2.0
#include "ringlet/rlwe/context.hpp"

#include "compat/seal/src/native/convert.hpp"
#include "compat/seal/src/util/multiword.hpp"
#include "seal/context.h"
#include "support/reference/big_integer.hpp"
#include "support/values.hpp"
#include "thrown.hpp"
#include "unit/seal/files/parameter_vectors.hpp"

namespace ringlet::test {
namespace {

using seal4::CoeffModulus;
using seal4::EncryptionParameterQualifiers;
using seal4::native_context;
using seal4::native_level;
using seal4::scheme_type;
using seal4::SEALContext;
using seal4::sec_level_type;
using Parms = seal4::EncryptionParameters;
using Prime = seal4::Modulus;
using Error = EncryptionParameterQualifiers::error_type;
using LevelPointer = std::shared_ptr<const SEALContext::ContextData>;

Parms make(scheme_type scheme, std::size_t degree, const std::vector<Prime>& primes,
           std::uint64_t t) {
  Parms parms(scheme);
  parms.set_poly_modulus_degree(degree);
  if (!primes.empty()) parms.set_coeff_modulus(primes);
  if (t != 0) parms.set_plain_modulus(t);
  return parms;
}

Parms small(scheme_type scheme = scheme_type::bfv) {
  return make(scheme, 64, CoeffModulus::Create(64, {40, 30, 35, 41}),
              scheme == scheme_type::ckks ? 0 : 257);
}

SEALContext unchecked(const Parms& parms, bool expand_mod_chain = true) {
  return SEALContext(parms, expand_mod_chain, sec_level_type::none);
}

std::vector<LevelPointer> levels_of(const SEALContext& context) {
  std::vector<LevelPointer> levels;
  for (auto data = context.key_context_data(); data; data = data->next_context_data()) {
    levels.push_back(data);
  }
  return levels;
}

/// Describes a level as parameters.txt does.
std::string describe(const SEALContext::ContextData& data) {
  const EncryptionParameterQualifiers flags = data.qualifiers();
  std::string text = std::to_string(data.parms().coeff_modulus().size()) + ":" +
                     std::to_string(data.chain_index()) + ":" +
                     std::to_string(data.total_coeff_modulus_bit_count()) + ":";
  for (const bool flag : {flags.using_fft, flags.using_ntt, flags.using_batching,
                          flags.using_fast_plain_lift, flags.using_descending_modulus_chain}) {
    text += flag ? '1' : '0';
  }
  text += ":" + std::to_string(static_cast<int>(flags.sec_level)) + ":";
  for (const std::uint64_t word : data.parms_id()) {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(word));
    text += digits;
  }
  return text;
}

/// Checks the links between levels, and their agreement with the native context.
void expect_consistent_chain(const SEALContext& context) {
  const std::vector<LevelPointer> levels = levels_of(context);
  const bool keyswitching = context.using_keyswitching();
  EXPECT_EQ(levels.front(), context.key_context_data());
  EXPECT_EQ(levels[keyswitching ? 1 : 0], context.first_context_data());
  EXPECT_EQ(levels.back(), context.last_context_data());
  EXPECT_EQ(context.key_parms_id(), levels.front()->parms_id());
  EXPECT_EQ(context.first_parms_id(), levels[keyswitching ? 1 : 0]->parms_id());
  EXPECT_EQ(context.last_parms_id(), levels.back()->parms_id());
  EXPECT_EQ(levels.front()->prev_context_data(), nullptr);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    EXPECT_EQ(context.get_context_data(levels[i]->parms_id()), levels[i]);
    EXPECT_EQ(levels[i]->chain_index(), levels.size() - 1 - i);
    if (i > 0) {
      EXPECT_EQ(levels[i]->prev_context_data(), levels[i - 1]);
    }
    if (!context.parameters_set()) continue;
    EXPECT_TRUE(levels[i]->qualifiers().parameters_set());
    const ringlet::ContextData& native = native_level(*levels[i]);
    const std::vector<Prime>& primes = levels[i]->parms().coeff_modulus();
    ASSERT_EQ(native.prime_count(), primes.size());
    for (std::size_t j = 0; j < primes.size(); ++j) {
      EXPECT_EQ(native.coeff_modulus()[j].value(), primes[j].value());
    }
    EXPECT_EQ(native.total_coeff_modulus_bit_count(), levels[i]->total_coeff_modulus_bit_count());
  }
  if (!context.parameters_set()) return;
  const ringlet::Context& native = native_context(context);
  EXPECT_EQ(native.using_keyswitching(), keyswitching);
  EXPECT_EQ(native.key_context_data(), &native_level(*context.key_context_data()));
  EXPECT_EQ(native.first_context_data(), &native_level(*context.first_context_data()));
  const Parms& parms = levels.front()->parms();
  EXPECT_EQ(static_cast<int>(native.scheme()), static_cast<int>(parms.scheme()));
  EXPECT_EQ(native.parms().poly_modulus_degree(), parms.poly_modulus_degree());
  EXPECT_EQ(native.parms().plain_modulus(), parms.plain_modulus().value());
  EXPECT_EQ(native.special_primes().size(), keyswitching ? 1u : 0u);
}

// No line has the verdicts 7, 13 and 14: setters and earlier checks refuse their parameters.
TEST(SealContext, verdicts_and_chains_as_seal_gives_them) {
  std::size_t lines = 0;
  for (std::istringstream& line : parameter_vectors("context")) {
    int scheme = 0, expand = 0, level = 0, keyswitching = 0;
    std::size_t degree = 0;
    std::string plain, primes, error, word;
    line >> scheme >> degree >> plain >> expand >> level >> primes >> error >> keyswitching;
    std::vector<std::string> expected;
    while (line >> word) expected.push_back(word);
    SCOPED_TRACE(line.str().substr(0, 200));
    const SEALContext context(make(static_cast<scheme_type>(scheme), degree, parse_moduli(primes),
                                   std::stoull(plain, nullptr, 16)),
                              expand != 0, static_cast<sec_level_type>(level));
    EXPECT_EQ(context.parameter_error_name(), error);
    EXPECT_EQ(context.parameters_set(), error == "success");
    EXPECT_EQ(context.using_keyswitching(), keyswitching != 0);
    std::vector<std::string> chain;
    for (const LevelPointer& data : levels_of(context)) chain.push_back(describe(*data));
    EXPECT_EQ(chain, expected);
    expect_consistent_chain(context);
    ++lines;
  }
  EXPECT_GE(lines, 380u);
}

TEST(SealContext, composite_factors_are_refused_after_their_size_and_before_the_degree) {
  const auto error = [](std::size_t degree, const std::vector<Prime>& primes) {
    return std::string(
        SEALContext(make(scheme_type::bfv, degree, primes, 3)).parameter_error_name());
  };
  const std::uint64_t large = (std::uint64_t{1} << 61) - 1;
  EXPECT_EQ(error(64, {641, 1281}), "invalid_coeff_modulus_non_prime");  // 1281 = 3 * 7 * 61
  EXPECT_EQ(error(0, {1281, 641}), "invalid_coeff_modulus_non_prime");
  EXPECT_EQ(error(64, {1281, large}), "invalid_coeff_modulus_non_prime");
  EXPECT_EQ(error(64, {large, 1281}), "invalid_coeff_modulus_bit_count");
  EXPECT_EQ(error(64, {4}), "invalid_coeff_modulus_non_prime");
}

TEST(SealContext, names_and_numbers_of_the_verdicts) {
#define NAMED(error) {Error::error, #error}
  const std::pair<Error, const char*> errors[] = {
      NAMED(none),
      NAMED(success),
      NAMED(invalid_scheme),
      NAMED(invalid_coeff_modulus_size),
      NAMED(invalid_coeff_modulus_bit_count),
      NAMED(invalid_coeff_modulus_no_ntt),
      NAMED(invalid_poly_modulus_degree),
      NAMED(invalid_poly_modulus_degree_non_power_of_two),
      NAMED(invalid_parameters_too_large),
      NAMED(invalid_parameters_insecure),
      NAMED(failed_creating_rns_base),
      NAMED(invalid_plain_modulus_bit_count),
      NAMED(invalid_plain_modulus_coprimality),
      NAMED(invalid_plain_modulus_too_large),
      NAMED(invalid_plain_modulus_nonzero),
      NAMED(failed_creating_rns_tool),
      NAMED(invalid_coeff_modulus_non_prime)};
#undef NAMED
  EncryptionParameterQualifiers qualifiers;
  EXPECT_EQ(qualifiers.parameter_error, Error::none);
  int number = -1;
  for (const auto& [error, name] : errors) {
    EXPECT_EQ(static_cast<int>(error), number++);
    qualifiers.parameter_error = error;
    EXPECT_STREQ(qualifiers.parameter_error_name(), name);
    EXPECT_GT(std::string(qualifiers.parameter_error_message()).size(), 4u);
    EXPECT_EQ(qualifiers.parameters_set(), error == Error::success);
  }
  EXPECT_STREQ(unchecked(small()).parameter_error_message(), "valid");
  EXPECT_STREQ(EncryptionParameterQualifiers().parameter_error_message(),
               "constructed but not yet validated");
}

TEST(SealContext, insecure_parameters_still_have_a_key_level) {
  const SEALContext context(make(scheme_type::bfv, 2048, CoeffModulus::BFVDefault(4096), 1024));
  EXPECT_FALSE(context.parameters_set());
  EXPECT_STREQ(context.parameter_error_name(), "invalid_parameters_insecure");
  EXPECT_EQ(context.key_context_data()->total_coeff_modulus_bit_count(), 109);
  EXPECT_EQ(context.first_context_data(), context.key_context_data());
  EXPECT_EQ(context.key_context_data()->next_context_data(), nullptr);
  EXPECT_EQ(context.key_context_data()->small_ntt_tables(), nullptr);
  EXPECT_EQ(context.key_context_data()->galois_tool(), nullptr);
  EXPECT_INVALID_ARGUMENT(native_context(context));
  EXPECT_INVALID_ARGUMENT(native_level(*context.key_context_data()));
}

TEST(SealContext, primes_that_were_refused_have_no_product) {
  const SEALContext context{Parms(scheme_type::none)};
  EXPECT_EQ(context.key_context_data()->total_coeff_modulus(), nullptr);
  EXPECT_EQ(context.key_context_data()->total_coeff_modulus_bit_count(), 0);
}

TEST(SealContext, the_longest_chain) {
  const std::vector<Prime> primes = CoeffModulus::Create(2, std::vector<int>(256, 60));
  for (const auto scheme : {scheme_type::bfv, scheme_type::ckks}) {
    const SEALContext context =
        unchecked(make(scheme, 2, primes, scheme == scheme_type::bfv ? 5 : 0));
    EXPECT_TRUE(context.parameters_set());
    EXPECT_EQ(levels_of(context).size(), 256u);
    expect_consistent_chain(context);
  }
}

TEST(SealContext, shape_of_the_chain) {
  const SEALContext whole = unchecked(small());
  EXPECT_EQ(levels_of(whole).size(), 4u);
  EXPECT_EQ(whole.last_context_data()->parms().coeff_modulus().size(), 1u);
  EXPECT_TRUE(whole.using_keyswitching());
  EXPECT_EQ(native_context(whole).last_context_data(), &native_level(*whole.last_context_data()));
  const SEALContext two = unchecked(small(), false);
  EXPECT_EQ(levels_of(two).size(), 2u);
  EXPECT_EQ(two.first_parms_id(), two.last_parms_id());
  EXPECT_TRUE(two.using_keyswitching());
  // Options that are no parameters do not enter identifiers.
  EXPECT_EQ(two.key_parms_id(), small().parms_id());
  EXPECT_EQ(two.key_parms_id(), whole.key_parms_id());
  EXPECT_EQ(two.first_parms_id(), whole.first_parms_id());
  const SEALContext one = unchecked(make(scheme_type::ckks, 64, CoeffModulus::Create(64, {40}), 0));
  EXPECT_FALSE(one.using_keyswitching());
  EXPECT_EQ(one.first_parms_id(), one.key_parms_id());
  for (const SEALContext& context : {whole, two, one}) expect_consistent_chain(context);
}

TEST(SealContext, a_large_plain_modulus_shortens_the_chain) {
  const std::vector<Prime> primes = CoeffModulus::Create(64, {20, 21, 22, 23});
  for (const auto& [t, levels] : {std::pair<std::uint64_t, std::size_t>{1000, 4},
                                  {std::uint64_t{1} << 20, 3},
                                  {std::uint64_t{1} << 41, 2},
                                  {(std::uint64_t{1} << 60) - 1, 2}}) {
    const SEALContext context = unchecked(make(scheme_type::bgv, 64, primes, t));
    EXPECT_TRUE(context.parameters_set());
    EXPECT_EQ(levels_of(context).size(), levels) << t;
    expect_consistent_chain(context);
  }
  // With two primes and t above the first, no level is left for the data.
  const SEALContext flat = unchecked(make(scheme_type::bgv, 64, {primes[0], primes[1]}, 1u << 21));
  EXPECT_TRUE(flat.parameters_set());
  EXPECT_FALSE(flat.using_keyswitching());
  EXPECT_EQ(flat.first_parms_id(), flat.key_parms_id());
  expect_consistent_chain(flat);
}

TEST(SealContext, levels_outlive_the_context) {
  LevelPointer last, first;
  {
    const SEALContext context = unchecked(small());
    first = context.first_context_data();
    last = context.last_context_data();
    EXPECT_NE(first->prev_context_data(), nullptr);
  }
  EXPECT_EQ(first->prev_context_data(), nullptr) << "the key level is gone";
  EXPECT_EQ(first->next_context_data()->next_context_data(), last);
  EXPECT_EQ(last->prev_context_data(), first->next_context_data());
  EXPECT_EQ(native_level(*last).prime_count(), 1u);
  EXPECT_EQ(last->small_ntt_tables()[0].coeff_count(), 64u);
}

TEST(SealContext, copies_share_their_levels) {
  SEALContext context = unchecked(small());
  const SEALContext copy = context;
  EXPECT_EQ(copy.key_context_data(), context.key_context_data());
  EXPECT_EQ(&native_context(copy), &native_context(context));
  context = unchecked(small(scheme_type::ckks));
  EXPECT_EQ(context.key_context_data()->parms().scheme(), scheme_type::ckks);
  EXPECT_EQ(copy.key_context_data()->parms().scheme(), scheme_type::bfv);
  EXPECT_EQ(copy.get_context_data(context.key_parms_id()), nullptr);
  EXPECT_EQ(copy.get_context_data(seal4::parms_id_zero), nullptr);
}

Integer integer_of(const std::uint64_t* words, std::size_t count) {
  Integer result;
  mpz_import(result.get(), count, -1, 8, 0, 0, words);
  return result;
}

/// The product of the primes by GMP.
Integer prime_product(const std::vector<Prime>& primes) {
  Integer product(1);
  for (const Prime& prime : primes) mpz_mul_ui(product.get(), product.get(), prime.value());
  return product;
}

TEST(SealContext, products_of_the_primes_by_gmp) {
  for (const std::size_t degree : {4096u, 32768u}) {
    const SEALContext context(make(scheme_type::ckks, degree, CoeffModulus::BFVDefault(degree), 0));
    for (const LevelPointer& data : levels_of(context)) {
      const std::size_t count = data->parms().coeff_modulus().size();
      Integer product = prime_product(data->parms().coeff_modulus());
      EXPECT_EQ(mpz_cmp(product.get(), integer_of(data->total_coeff_modulus(), count).get()), 0);
      EXPECT_EQ(static_cast<std::size_t>(data->total_coeff_modulus_bit_count()),
                mpz_sizeinbase(product.get(), 2));
      mpz_add_ui(product.get(), product.get(), 1);
      mpz_fdiv_q_ui(product.get(), product.get(), 2);
      EXPECT_EQ(mpz_cmp(product.get(), integer_of(data->upper_half_threshold(), count).get()), 0);
    }
  }
}

TEST(SealContext, what_lifts_plaintexts_by_gmp) {
  const std::vector<Prime> primes = CoeffModulus::Create(64, {20, 30, 40, 41});
  for (const std::uint64_t t : Words{2, 257, 1000003, (1ull << 59) + 1}) {
    const SEALContext context = unchecked(make(scheme_type::bfv, 64, primes, t));
    ASSERT_TRUE(context.parameters_set()) << t;
    for (const LevelPointer& data : levels_of(context)) {
      const std::vector<Prime>& own = data->parms().coeff_modulus();
      Integer q = prime_product(own);
      Integer quotient;
      const std::uint64_t remainder = mpz_fdiv_q_ui(quotient.get(), q.get(), t);
      EXPECT_EQ(data->coeff_modulus_mod_plain_modulus(), remainder);
      EXPECT_EQ(data->plain_upper_half_threshold(), (t + 1) / 2);
      const bool fast = data->qualifiers().using_fast_plain_lift;
      EXPECT_EQ(fast, t < primes[0].value());
      for (std::size_t i = 0; i < own.size(); ++i) {
        const std::uint64_t prime = own[i].value();
        EXPECT_EQ(data->coeff_div_plain_modulus()[i].operand, mpz_fdiv_ui(quotient.get(), prime));
        EXPECT_EQ(data->upper_half_increment()[i], remainder % prime);
        if (fast) {
          EXPECT_EQ(data->plain_upper_half_increment()[i], prime - t);
        }
      }
      if (!fast) {
        mpz_sub_ui(q.get(), q.get(), t);
        const Integer increment = integer_of(data->plain_upper_half_increment(), own.size());
        EXPECT_EQ(mpz_cmp(q.get(), increment.get()), 0);
      }
      EXPECT_EQ(data->upper_half_threshold(), nullptr);
    }
  }
  const SEALContext ckks = unchecked(small(scheme_type::ckks));
  EXPECT_EQ(ckks.key_context_data()->coeff_div_plain_modulus(), nullptr);
  EXPECT_EQ(ckks.key_context_data()->plain_upper_half_threshold(), std::uint64_t{1} << 63);
  const auto& own = ckks.key_context_data()->parms().coeff_modulus();
  for (std::size_t i = 0; i < own.size(); ++i) {
    const auto lifted = ckks.key_context_data()->plain_upper_half_increment()[i];
    EXPECT_EQ((static_cast<unsigned __int128>(1) << 64) % own[i].value() + lifted, own[i].value());
  }
}

TEST(SealContext, transforms_and_automorphisms_of_a_level) {
  const SEALContext batching = unchecked(small());
  for (const LevelPointer& data : levels_of(batching)) {
    const std::vector<Prime>& primes = data->parms().coeff_modulus();
    ASSERT_NE(data->small_ntt_tables(), nullptr);
    for (std::size_t i = 0; i < primes.size(); ++i) {
      EXPECT_EQ(data->small_ntt_tables()[i].modulus(), primes[i]);
      EXPECT_EQ(data->small_ntt_tables()[i].coeff_count(), 64u);
    }
    ASSERT_NE(data->plain_ntt_tables(), nullptr);
    EXPECT_EQ(data->plain_ntt_tables()->modulus(), 257u);
    EXPECT_EQ(data->galois_tool()->get_elt_from_step(1), 3u);
    EXPECT_EQ(data->galois_tool()->get_elt_from_step(0), 127u);
  }
  const SEALContext plain =
      unchecked(make(scheme_type::bfv, 64, CoeffModulus::Create(64, {40}), 256));
  EXPECT_FALSE(plain.key_context_data()->qualifiers().using_batching);
  EXPECT_EQ(plain.key_context_data()->plain_ntt_tables(), nullptr);
  EXPECT_NE(plain.key_context_data()->small_ntt_tables(), nullptr);
  const SEALContext ckks = unchecked(small(scheme_type::ckks));
  EXPECT_EQ(ckks.key_context_data()->plain_ntt_tables(), nullptr);
}

namespace words {

using namespace seal4::detail;  // NOLINT(google-build-using-namespace)

constexpr std::uint64_t kAllOnes = ~std::uint64_t{0};

Words of(const Integer& number, std::size_t count) {
  Words result(count, 0);
  mpz_export(result.data(), nullptr, -1, 8, 0, 0, number.get());
  return result;
}

/// Integers with carries and borrows through several words, and random ones.
std::vector<Words> examples() {
  std::vector<Words> examples{{0},
                              {1},
                              {kAllOnes},
                              {0, 1},
                              {0, 0, 1},
                              {kAllOnes, 1},
                              {kAllOnes, kAllOnes, 0},
                              {kAllOnes, kAllOnes, kAllOnes},
                              {5, 0, 0}};
  auto rng = make_rng();
  for (std::size_t count = 1; count <= 6; ++count) {
    std::generate(examples.emplace_back(count).begin(), examples.back().end(), std::ref(rng));
  }
  return examples;
}

TEST(SealContextWords, arithmetic_by_gmp) {
  for (const Words& words : examples()) {
    const Integer number = integer_of(words.data(), words.size());
    EXPECT_EQ(bit_count(words),
              mpz_sgn(number.get()) == 0 ? 0 : static_cast<int>(mpz_sizeinbase(number.get(), 2)));
    Integer result = number;
    mpz_add_ui(result.get(), result.get(), 1);
    mpz_fdiv_q_2exp(result.get(), result.get(), 1);
    EXPECT_EQ(upper_half(words), of(result, words.size()));
    for (const std::uint64_t word : Words{1, 2, 1000003, 1ull << 63, kAllOnes}) {
      SCOPED_TRACE(testing::Message() << words.size() << " words, " << word);
      EXPECT_EQ(remainder_of(words, word), mpz_fdiv_q_ui(result.get(), number.get(), word));
      EXPECT_EQ(quotient_of(words, word), of(result, words.size()));
      EXPECT_EQ(is_above(words, word), mpz_cmp_ui(number.get(), word) > 0);
      if (mpz_cmp_ui(number.get(), word) >= 0) {
        mpz_sub_ui(result.get(), number.get(), word);
        EXPECT_EQ(minus(words, word), of(result, words.size()));
      }
    }
  }
}

TEST(SealContextWords, empty_integers_are_zero) {
  EXPECT_EQ(bit_count({}), 0);
  EXPECT_FALSE(is_above({}, 0));
  EXPECT_TRUE(seal4::detail::product_of({}).empty());
  EXPECT_TRUE(upper_half({}).empty());
  EXPECT_EQ(remainder_of({}, 7), 0u);
}

TEST(SealContextWords, products_by_gmp) {
  const Prime largest((std::uint64_t{1} << 61) - 1);
  for (const std::size_t count : {1u, 2u, 17u, 256u}) {
    const std::vector<Prime> primes(count, largest);
    EXPECT_EQ(seal4::detail::product_of(primes), of(prime_product(primes), count));
  }
}

}  // namespace words

}  // namespace
}  // namespace ringlet::test
