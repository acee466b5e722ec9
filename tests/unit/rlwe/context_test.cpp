// SPDX-License-Identifier: Apache-2.0
#include "ringlet/rlwe/context.hpp"

#include "rlwe_support.hpp"
#include "support/threads.hpp"

namespace ringlet::test {
namespace {

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
  const auto levels = levels_of(context);
  EXPECT_TRUE(std::ranges::equal(levels[0]->key_switch_primes(), Sizes{0, 1, 2, 3}));
  EXPECT_TRUE(std::ranges::equal(levels[2]->key_switch_primes(), Sizes{0, 3}));
  const auto& primes = context.parms().coeff_modulus();
  const uint128_t product = uint128_t{primes[0].value()} * primes[1].value();
  EXPECT_TRUE(std::ranges::equal(
      levels[1]->total_coeff_modulus(),
      std::array{static_cast<std::uint64_t>(product), static_cast<std::uint64_t>(product >> 64)}));
  EXPECT_TRUE(std::ranges::equal(levels[2]->total_coeff_modulus(), std::array{primes[0].value()}));
  EXPECT_EQ(levels[1]->total_coeff_modulus_bit_count(), 70);
  EXPECT_EQ(levels[2]->total_coeff_modulus_bit_count(), 40);
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

  const auto refuses = [](const EncryptionParameters& p, std::shared_ptr<const Backend> b,
                          const std::string& part) {
    expect_refusal(
        [&] { Context(p, SecurityLevel::none, SecurityTable::classical_2024, std::move(b)); },
        "Context", {part});
  };
  refuses(parms, nullptr, "null");
  refuses(ckks(1024, {30, 32}), backend, "other primes");
  refuses(ckks_of(512, parms.coeff_modulus()), backend, "another degree");
}

TEST(Context, RefusesSchemesThatItDoesNotImplement) {
  for (const SchemeType scheme : {SchemeType::none, static_cast<SchemeType>(4)}) {
    expect_bad(parameters_of(scheme, 1024, CoeffModulus::create(1024, {26}), 0),
               {std::string("scheme = ") + to_string(scheme), "bfv, ckks or bgv"});
  }
}

TEST(Context, RefusesBadDegrees) {
  auto parms = ckks(1024, {26});
  for (const std::size_t degree : Sizes{0, 1, 1000, 262144, std::size_t{1} << 63}) {
    parms.set_poly_modulus_degree(degree);
    expect_bad(parms, {"degree = " + std::to_string(degree), "131072"});
    expect_bad(parms, {"degree = " + std::to_string(degree)}, SecurityLevel::tc128);
  }
}

TEST(Context, RefusesBadPrimes) {
  using Primes = std::vector<Modulus>;
  const auto refuses = [](const Primes& primes, std::initializer_list<std::string> parts) {
    expect_bad(ckks_of(1024, primes), parts);
  };
  refuses({}, {"0 primes", "256"});
  refuses(Primes(257, 12289), {"257 primes", "256"});
  const Modulus good = generate_ntt_primes(30, 1024, 1)[0];
  refuses({good, 2}, {"prime 1", "q = 2", "even", "odd"});
  refuses({good, std::uint64_t{1} << 40}, {"prime 1", "q = 1099511627776", "even", "odd"});
  refuses({good, 12289, good}, {"prime 2", std::to_string(good.value()), "repeated", "distinct"});
  // 6145 = 3 * 2048 + 1 = 5 * 1229 has the right residue and is no prime.
  refuses({6145}, {"prime 0", "q = 6145", "composite"});
  // A prime for which q - 1 has one factor of two too few.
  std::uint64_t q = generate_ntt_primes(30, 512, 1)[0].value();
  while (!is_prime(q) || q % 2048 != 1025) q -= 1024;
  refuses({q}, {std::to_string(q), "is 1025 mod 2N", "2048"});
  EXPECT_EQ(context_of(ckks_of(512, {q})).ring().degree(), 512u);
  q = (std::uint64_t{1} << 61) + 1;
  while (!is_prime(q)) q += 2048;
  refuses({q}, {std::to_string(q), "62 bits", "61"});
  const Context largest = context_of(ckks(1024, {61}));
  EXPECT_EQ(largest.key_context_data()->total_coeff_modulus_bit_count(), 61);
}

// The primes that the basis has after those of the parameters.
std::vector<Modulus> auxiliary_primes(const std::vector<Modulus>& primes) {
  EncryptionParameters parms = parameters_of(SchemeType::bfv, 1024, primes, 1);
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

TEST(Context, ValidatesInTheDocumentedOrder) {
  EncryptionParameters parms;  // all is wrong here
  expect_bad(parms, {"scheme"}, SecurityLevel::tc128);
  parms = EncryptionParameters(SchemeType::ckks);
  expect_bad(parms, {"degree = 0"}, SecurityLevel::tc128);
  parms.set_poly_modulus_degree(512);
  expect_bad(parms, {"0 primes"}, SecurityLevel::tc128);
  const auto expect_bad_primes = [&](const std::vector<Modulus>& primes,
                                     std::initializer_list<std::string> parts) {
    parms.set_coeff_modulus(primes);
    expect_bad(parms, parts, SecurityLevel::tc128);
  };
  const Modulus large = std::uint64_t{1} << 61;
  expect_bad_primes({large, 4}, {"prime 0", "62 bits"});
  expect_bad_primes({4, large}, {"prime 0", "even"});
  expect_bad_primes({9, 9}, {"prime 0", "composite"});
  expect_bad_primes({7, 7}, {"prime 0", "mod 2N"});
  expect_bad_primes({12289, 12289}, {"prime 1", "repeated"});
  expect_bad_primes({12289}, {"degree = 512", "no entry"});
  EXPECT_NO_THROW(context_of(parms));
}

TEST(Context, IsSharedByThreads) {
  const Context context = toy_context(1024, {30, 30, 31});
  std::array<std::size_t, kThreads> sums{};
  in_threads([&](std::size_t thread) {
    const Context copy = context;  // NOLINT(performance-unnecessary-copy-initialization)
    for (const ContextData* level : levels_from(copy.key_context_data())) {
      sums[thread] += copy.get_context_data(level->parms_id())->prime_count();
    }
  });
  for (const std::size_t sum : sums) EXPECT_EQ(sum, 6u);
}

// Identifiers of levels. Python's hashlib gave the expected values, from the byte string that
// ContextData::parms_id documents.

std::vector<ParmsId> ids_of(const Context& context) {
  std::vector<ParmsId> ids;
  for (const ContextData* level : levels_from(context.key_context_data())) {
    ids.push_back(level->parms_id());
  }
  return ids;
}

TEST(ParmsId, IsTheDocumentedHashForCkks) {
  const auto parms = ckks(8192, {60, 40, 40, 60});
  const std::vector<ParmsId> expected{
      {0x37e1e9fbd3607e47, 0x1e4eec79a8bafdec, 0x7f625333de80cd73, 0xea261a5afa32c1c9},
      {0xd9b08e36c1cd8390, 0x00b1cfaac6d62d02, 0x992c42122326de2f, 0x2cc15e7d5b4c586f},
      {0xa3b32447fce94422, 0x2aa7d71ec9ec71e9, 0xacd4550ea3ceceef, 0xa3c11523b76e960c},
      {0xfc5ecb3aa4808829, 0x87fe5396b2ff612b, 0x72d8734d53c3d3cf, 0x3b285cb406dbb16f}};
  EXPECT_EQ(ids_of(context_of(parms)), expected);
  EXPECT_EQ(to_string(expected[0]),
            "37e1e9fbd3607e471e4eec79a8bafdec7f625333de80cd73ea261a5afa32c1c9");
  // Without a level, the table does not change an identifier; the level does.
  EXPECT_EQ(ids_of(Context(parms, SecurityLevel::none, SecurityTable::quantum_2024)), expected);
  EXPECT_EQ(Context(parms).key_parms_id(), (ParmsId{0x9b054160f59aec1a, 0x3fdd7a0128da853b,
                                                    0x790da392704c4df6, 0xbdc98f8659d61078}));
}

TEST(ParmsId, IsTheDocumentedHashWithPlainModulusAndDigits) {
  const auto primes = CoeffModulus::create(4096, {20, 21, 22, 23, 23, 23});
  EncryptionParameters parms(SchemeType::bgv);
  parms.set_poly_modulus_degree(4096);
  parms.set_coeff_modulus({primes.begin(), primes.begin() + 4}, {primes.begin() + 4, primes.end()});
  parms.set_plain_modulus(Modulus(65537));
  parms.set_digit_size(2);
  const Context context(parms, SecurityLevel::none);
  EXPECT_EQ(ids_of(context).size(), 5u);
  const std::vector<ParmsId> expected{
      {0x27a785ffedbaae28, 0x50e6596f79b8fe6d, 0xc9b9feb68d5bd9da, 0xae7b99b9e51b713f},
      {0x80baf5b277183fab, 0xfdfa8f4aa80be6fb, 0x1dd58b6938a73c33, 0xce4d28c7e125e460},
      {0x534cdf5030384f32, 0x8a8f5b7cc69b95a8, 0x54efa13c9449e306, 0xef7df3f6ab4bac99},
      {0xb875b6a07390a567, 0x9305e89232f7daf7, 0x3a74df61b616c61a, 0x01ae4fed5f8d972e},
      {0xad23aae85e126e7d, 0xea995e90efbd3373, 0x91063ad4268772b2, 0xe5bccf53ac78d00a}};
  EXPECT_EQ(ids_of(context), expected);
}

TEST(ParmsId, EveryPartEnters) {
  const auto primes = CoeffModulus::create(1024, {30, 31, 32, 33, 34, 35});
  const auto make = [&](const std::function<void(EncryptionParameters&)>& change,
                        SchemeType scheme = SchemeType::bfv) {
    EncryptionParameters parms(scheme);
    parms.set_poly_modulus_degree(1024);
    parms.set_coeff_modulus({primes[0], primes[1], primes[2]}, {primes[3], primes[4]});
    if (scheme != SchemeType::ckks) parms.set_plain_modulus(Modulus(257));
    parms.set_digit_size(1);
    change(parms);
    return context_of(parms);
  };
  const auto nothing = [](EncryptionParameters&) {};
  std::set<ParmsId> ids{kParmsIdZero};
  std::size_t count = 1;
  const auto expect_new = [&](const Context& context, const std::string& what) {
    for (const ParmsId& id : ids_of(context)) {
      EXPECT_TRUE(ids.insert(id).second) << what;
      ++count;
    }
  };
  expect_new(make(nothing), "first");
  expect_new(make(nothing, SchemeType::bgv), "scheme");
  expect_new(make(nothing, SchemeType::ckks), "scheme");
  expect_new(make([](auto& p) { p.set_poly_modulus_degree(512); }), "degree");
  expect_new(make([](auto& p) { p.set_plain_modulus(Modulus(258)); }), "plain modulus");
  expect_new(make([](auto& p) { p.set_digit_size(2); }), "digit size");
  const auto with = [&](std::vector<Modulus> data, std::vector<Modulus> special) {
    return make([&](auto& p) { p.set_coeff_modulus(data, special); });
  };
  expect_new(with({primes[1], primes[0], primes[2]}, {primes[3], primes[4]}), "order");
  expect_new(with({primes[0], primes[1]}, {primes[2], primes[3], primes[4]}), "special primes");
  expect_new(with({primes[0], primes[1], primes[2], primes[3]}, {primes[4]}), "special primes");
  expect_new(with({primes[0], primes[1], primes[2]}, {primes[4], primes[3]}), "order");
  expect_new(with({primes[0], primes[1], primes[2]}, {primes[3]}), "fewer primes");
  expect_new(with({primes[0], primes[1], primes[2]}, {}), "no special primes");
  EXPECT_EQ(ids.size(), count);
  // Equal parameters have equal identifiers, also with other kernels.
  EXPECT_EQ(ids_of(make(nothing)), ids_of(make(nothing)));
}

TEST(ParmsId, SecurityEnters) {
  const auto parms = ckks(4096, {20, 20});
  std::set<ParmsId> ids;
  std::size_t count = 0;
  for (const SecurityLevel level :
       {SecurityLevel::tc128, SecurityLevel::tc192, SecurityLevel::tc256}) {
    for (const SecurityTable table : {SecurityTable::classical_2024, SecurityTable::quantum_2024,
                                      SecurityTable::he_standard_2018}) {
      ids.insert(Context(parms, level, table).key_parms_id());
      ++count;
    }
  }
  ids.insert(context_of(parms).key_parms_id());
  EXPECT_EQ(ids.size(), count + 1);
}

}  // namespace
}  // namespace ringlet::test
