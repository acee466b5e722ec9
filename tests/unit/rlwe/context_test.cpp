// SPDX-License-Identifier: Apache-2.0
#include "ringlet/context.hpp"

#include "ringlet/primes.hpp"
#include "rlwe_support.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

void expect_bad(const EncryptionParameters& parms, std::initializer_list<std::string> parts,
                SecurityLevel level = SecurityLevel::none) {
  expect_refusal<InvalidArgument>([&] { const Context context(parms, level); }, "Context", parts);
}

TEST(Context, ChainDropsTheLastPrimeAtEachLevel) {
  const auto parms = ckks(4096, {40, 30, 31, 41});
  const Context context(parms, SecurityLevel::none);
  EXPECT_TRUE(context.using_keyswitching());
  EXPECT_EQ(context.scheme(), SchemeType::ckks);
  EXPECT_EQ(context.parms(), parms);

  std::size_t count = 4;
  std::set<ParmsId> ids{kParmsIdZero};
  const ContextData* previous = nullptr;
  for (const ContextData* level = context.key_context_data(); level != nullptr;
       level = level->next_context_data(), --count) {
    EXPECT_EQ(level->prev_context_data(), previous);
    EXPECT_EQ(level->prime_count(), count);
    EXPECT_EQ(level->chain_index(), count - 1);
    EXPECT_EQ(level->degree(), 4096u);
    EXPECT_EQ(context.get_context_data(level->parms_id()), level);
    std::vector<Modulus> primes(level->coeff_modulus().begin(), level->coeff_modulus().end());
    EXPECT_EQ(primes, std::vector<Modulus>(
                          parms.coeff_modulus().begin(),
                          parms.coeff_modulus().begin() + static_cast<std::ptrdiff_t>(count)));
    EXPECT_TRUE(ids.insert(level->parms_id()).second) << "levels have identifiers of their own";
    ASSERT_EQ(level->primes().size(), count);
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(level->primes()[i], i);
    previous = level;
  }
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(previous, context.last_context_data());
  EXPECT_EQ(context.first_context_data(), context.key_context_data()->next_context_data());
  EXPECT_EQ(context.get_context_data(kParmsIdZero), nullptr);
}

TEST(Context, LevelsKnowTheirProductAndKeySwitchTargets) {
  const Context context = toy_context(1024, {40, 30, 31, 41});
  const ContextData& first = *context.first_context_data();
  EXPECT_EQ(
      std::vector<std::size_t>(first.key_switch_primes().begin(), first.key_switch_primes().end()),
      (std::vector<std::size_t>{0, 1, 2, 3}));
  const ContextData& last = *context.last_context_data();
  EXPECT_EQ(
      std::vector<std::size_t>(last.key_switch_primes().begin(), last.key_switch_primes().end()),
      (std::vector<std::size_t>{0, 3}));
  EXPECT_EQ(last.total_coeff_modulus_bit_count(), 40);
  ASSERT_EQ(last.total_coeff_modulus().size(), 1u);
  EXPECT_EQ(last.total_coeff_modulus()[0], last.coeff_modulus()[0].value());
  const ContextData& middle = *first.next_context_data();
  const uint128_t product =
      static_cast<uint128_t>(middle.coeff_modulus()[0].value()) * middle.coeff_modulus()[1].value();
  ASSERT_EQ(middle.total_coeff_modulus().size(), 2u);
  EXPECT_EQ(middle.total_coeff_modulus()[0], static_cast<std::uint64_t>(product));
  EXPECT_EQ(middle.total_coeff_modulus()[1], static_cast<std::uint64_t>(product >> 64));
  EXPECT_EQ(middle.total_coeff_modulus_bit_count(), 70);
}

TEST(Context, OnePrimeMeansOneLevelAndNoKeySwitching) {
  const Context context = toy_context(1024, {26});
  EXPECT_FALSE(context.using_keyswitching());
  EXPECT_EQ(context.key_context_data(), context.first_context_data());
  EXPECT_EQ(context.key_context_data(), context.last_context_data());
  EXPECT_EQ(context.first_context_data()->chain_index(), 0u);
  EXPECT_EQ(context.first_context_data()->next_context_data(), nullptr);
}

TEST(Context, CopiesShareTheirState) {
  Context copy = toy_context(1024, {26});
  const ContextData* level = nullptr;
  {
    const Context original = toy_context(2048, {30, 31});
    level = original.first_context_data();
    copy = original;
  }
  EXPECT_EQ(copy.first_context_data(), level);
  EXPECT_EQ(copy.get_context_data(level->parms_id()), level);
}

TEST(Context, TakesABackendOfTheCallersChoice) {
  const auto parms = ckks(1024, {30, 31});
  const auto backend = make_cpu_backend(RnsBasis(1024, parms.coeff_modulus()));
  const Context context(parms, SecurityLevel::none, SecurityTable::classical_2024, backend);
  EXPECT_EQ(&context.backend(), backend.get());

  const auto with = [](const EncryptionParameters& p, std::shared_ptr<const Backend> b) {
    const Context refused(p, SecurityLevel::none, SecurityTable::classical_2024, std::move(b));
  };
  expect_refusal<InvalidArgument>([&] { with(parms, nullptr); }, "Context", {"null"});
  expect_refusal<InvalidArgument>([&] { with(ckks(1024, {30, 32}), backend); }, "Context",
                                  {"other primes"});
  auto other_degree = parms;
  other_degree.set_poly_modulus_degree(512);
  expect_refusal<InvalidArgument>([&] { with(other_degree, backend); }, "Context",
                                  {"another degree"});
}

TEST(Context, RefusesSchemesThatItDoesNotImplement) {
  for (const SchemeType scheme : {SchemeType::none, static_cast<SchemeType>(4)}) {
    EncryptionParameters parms(scheme);
    parms.set_poly_modulus_degree(1024);
    parms.set_coeff_modulus(CoeffModulus::create(1024, {26}));
    expect_bad(parms, {std::string("scheme = ") + to_string(scheme), "bfv, ckks or bgv"});
  }
}

TEST(Context, RefusesBadDegrees) {
  for (const std::size_t degree : {std::size_t{0}, std::size_t{1}, std::size_t{1000},
                                   std::size_t{262144}, std::size_t{1} << 63}) {
    auto parms = ckks(1024, {26});
    parms.set_poly_modulus_degree(degree);
    expect_bad(parms, {"degree = " + std::to_string(degree), "131072"});
    expect_bad(parms, {"degree = " + std::to_string(degree)}, SecurityLevel::tc128);
  }
}

TEST(Context, RefusesEmptyAndOverlongChains) {
  expect_bad(ckks_of(1024, std::vector<Modulus>{}), {"0 primes", "256"});
  expect_bad(ckks_of(1024, std::vector<Modulus>(257, Modulus(12289))), {"257 primes", "256"});
}

TEST(Context, RefusesEvenPrimes) {
  constexpr std::size_t kDegree = 1024;
  const Modulus good = generate_ntt_primes(30, kDegree, 1)[0];
  for (const std::uint64_t bad : {std::uint64_t{2}, std::uint64_t{1} << 40}) {
    expect_bad(ckks_of(kDegree, {good, Modulus(bad)}),
               {"prime 1", "q = " + std::to_string(bad), "even", "odd"});
  }
}

TEST(Context, RefusesCompositesAndPrimesWithoutTransform) {
  constexpr std::size_t kDegree = 1024;
  // 6145 = 3 * 2048 + 1 = 5 * 1229 has the right residue and is no prime.
  expect_bad(ckks_of(kDegree, {Modulus(6145)}), {"prime 0", "q = 6145", "composite"});
  // A prime whose distance to 1 holds one factor of two too few.
  const Modulus half = generate_ntt_primes(30, kDegree / 2, 1)[0];
  std::uint64_t q = half.value();
  while (!is_prime(q) || q % 2048 != 1025) q -= 1024;
  expect_bad(ckks_of(kDegree, {Modulus(q)}), {std::to_string(q), "is 1025 mod 2N", "2048"});
  EXPECT_EQ(Context(ckks_of(kDegree / 2, {Modulus(q)}), SecurityLevel::none).ring().degree(), 512u);
}

TEST(Context, RefusesPrimesAbove61Bits) {
  std::uint64_t q = (std::uint64_t{1} << 61) + 1;
  while (!is_prime(q) || q % 2048 != 1) q += q % 2048 == 1 ? 2048 : 2;
  expect_bad(ckks_of(1024, {Modulus(q)}), {std::to_string(q), "62 bits", "61"});
  const Modulus largest = generate_ntt_primes(61, 1024, 1)[0];
  EXPECT_EQ(Context(ckks_of(1024, {largest}), SecurityLevel::none)
                .key_context_data()
                ->total_coeff_modulus_bit_count(),
            61);
}

// The primes of the basis behind those of the parameters.
std::vector<Modulus> auxiliary_primes(const std::vector<Modulus>& primes) {
  EncryptionParameters parms(SchemeType::bfv);
  parms.set_poly_modulus_degree(1024);
  parms.set_coeff_modulus(primes);
  parms.set_plain_modulus(Modulus(65537));
  const auto basis = Context::backend_basis(parms);
  const auto moduli = basis.moduli();
  return {moduli.begin() + static_cast<std::ptrdiff_t>(primes.size()), moduli.end()};
}

TEST(Context, TakesFastAuxiliaryPrimes) {
  using enum PrimePreference;
  const auto preferred = generate_ntt_primes(61, 1024, 6, half_word_one);
  const auto large = auxiliary_primes(CoeffModulus::create(1024, {60, 60, 60}));
  EXPECT_EQ(large, std::vector<Modulus>(preferred.begin(), preferred.begin() + 3));
  for (const Modulus& q : large) EXPECT_EQ(q.value() % (std::uint64_t{1} << 32), 1u);
  EXPECT_EQ(auxiliary_primes({preferred[1], preferred[0], preferred[2]}),
            std::vector<Modulus>(preferred.begin() + 3, preferred.end()))
      << "none that is there already";
  EXPECT_EQ(auxiliary_primes(CoeffModulus::create(1024, {50, 50})),
            generate_ntt_primes(49, 1024, 2));
}

TEST(Context, RefusesRepeatedPrimes) {
  const auto primes = CoeffModulus::create(1024, {30, 31});
  expect_bad(ckks_of(1024, {primes[0], primes[1], primes[0]}),
             {"prime 2", std::to_string(primes[0].value()), "repeated", "distinct"});
}

TEST(Context, ValidatesInTheDocumentedOrder) {
  EncryptionParameters parms;  // everything is wrong
  expect_bad(parms, {"scheme"}, SecurityLevel::tc128);
  parms = EncryptionParameters(SchemeType::ckks);
  expect_bad(parms, {"degree = 0"}, SecurityLevel::tc128);
  parms.set_poly_modulus_degree(512);
  expect_bad(parms, {"0 primes"}, SecurityLevel::tc128);
  parms.set_coeff_modulus({Modulus(std::uint64_t{1} << 61), Modulus(4)});
  expect_bad(parms, {"prime 0", "62 bits"}, SecurityLevel::tc128);
  parms.set_coeff_modulus({Modulus(4), Modulus(std::uint64_t{1} << 61)});
  expect_bad(parms, {"prime 0", "even"}, SecurityLevel::tc128);
  parms.set_coeff_modulus({Modulus(9), Modulus(9)});
  expect_bad(parms, {"prime 0", "composite"}, SecurityLevel::tc128);
  parms.set_coeff_modulus({Modulus(7), Modulus(7)});
  expect_bad(parms, {"prime 0", "mod 2N"}, SecurityLevel::tc128);
  parms.set_coeff_modulus({Modulus(12289), Modulus(12289)});
  expect_bad(parms, {"prime 1", "repeated"}, SecurityLevel::tc128);
  parms.set_coeff_modulus({Modulus(12289)});
  expect_bad(parms, {"degree = 512", "no entry"}, SecurityLevel::tc128);
  EXPECT_NO_THROW(Context(parms, SecurityLevel::none));
}

TEST(Context, IsSharedByThreads) {
  const Context context = toy_context(1024, {30, 30, 31});
  std::vector<std::thread> threads;
  std::array<std::size_t, 4> sums{};
  for (std::size_t& sum : sums) {
    threads.emplace_back([copy = context, &sum] {
      for (const ContextData* level = copy.key_context_data(); level != nullptr;
           level = level->next_context_data()) {
        sum += copy.get_context_data(level->parms_id())->prime_count();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::size_t sum : sums) EXPECT_EQ(sum, 6u);
}

}  // namespace
}  // namespace ringlet::test
