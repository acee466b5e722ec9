// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ringlet.hpp"
#include "rlwe/random/random_stream.hpp"
#include "rlwe/random/samplers.hpp"
#include "rlwe/validation.hpp"
#include "serialization_support.hpp"
#include "support/memory_meter.hpp"
#include "support/reference/flint_integer_poly.hpp"
#include "support/ringlet_files.hpp"

namespace ringlet::test {
namespace {

EncryptionParameters general_parameters(SchemeType scheme, std::uint64_t m, std::uint64_t t,
                                        std::vector<int> data) {
  const int special = data.back();
  data.pop_back();
  return parameters_of(scheme, RingSpec::cyclotomic(m), data, {special}, t);
}

TEST(GeneralRing, ParametersKnowTheirRing) {
  EncryptionParameters parms(SchemeType::bfv);
  parms.set_poly_modulus_degree(4096);
  EXPECT_EQ(parms.ring(), RingSpec::power_of_two(4096));
  parms.set_ring(RingSpec::cyclotomic(10773));
  EXPECT_TRUE(parms.has_general_ring());
  EXPECT_EQ(parms.poly_modulus_degree(), 5832u);
  EXPECT_EQ(parms.ring(), RingSpec::cyclotomic(10773));
  EncryptionParameters same_degree = parms;
  same_degree.set_ring(RingSpec::cyclotomic(8379));
  ASSERT_NE(RingSpec::cyclotomic(8379), RingSpec::cyclotomic(10773));
  EXPECT_FALSE(same_degree == parms);
  parms.set_ring(RingSpec::cyclotomic(8192));
  EXPECT_FALSE(parms.has_general_ring()) << "X^4096 + 1";
  EXPECT_EQ(parms.poly_modulus_degree(), 4096u);
  parms.set_ring(RingSpec::cyclotomic(15));
  parms.set_poly_modulus_degree(1024);
  EXPECT_EQ(parms.ring(), RingSpec::power_of_two(1024));
  parms.set_poly_modulus_degree(1000);
  expect_refusal([&] { parms.ring(); }, "EncryptionParameters::ring", {"1000"});
}

TEST(GeneralRing, PrimesFitTheTransforms) {
  for (const std::uint64_t m : {3u, 105u, 2783u, 8191u, 10773u, 65521u}) {
    const RingSpec ring = RingSpec::cyclotomic(m);
    EXPECT_GE(ring.transform_length(), ring.degree() + m - 1);
    EXPECT_EQ(ring.modulus_step() % m, 0u);
    EXPECT_EQ(ring.modulus_step() % (2 * ring.transform_length()), 0u);
    std::set<std::uint64_t> distinct;
    for (const Modulus& q : CoeffModulus::create(ring, {45, 49, 49, 61})) {
      EXPECT_EQ(q.value() % ring.modulus_step(), 1u);
      EXPECT_TRUE(is_prime(q.value()));
      distinct.insert(q.value());
    }
    EXPECT_EQ(distinct.size(), 4u);
  }
}

TEST(GeneralRing, ContextsRefuseWhatDoesNotFit) {
  const auto good = general_parameters(SchemeType::bgv, 105, 2, {49, 49});
  EXPECT_EQ(Context(good, SecurityLevel::none).ring().cyclotomic_index(), 105u);
  EXPECT_FALSE(Context(good, SecurityLevel::none).using_batching());

  expect_bad(general_parameters(SchemeType::ckks, 105, 0, {49, 49}),
             {"ckks", "m = 105", "bfv and bgv", "power of two"});

  // First t and m have a common divisor, then the primes are those of another ring.
  expect_bad(general_parameters(SchemeType::bfv, 105, 15, {49, 49}), {"t = 15", "m = 105"});
  expect_bad(general_parameters(SchemeType::bgv, 12, 2, {49, 49}), {"t = 2", "m = 12"});
  EncryptionParameters other = good;
  other.set_coeff_modulus(CoeffModulus::create(64, {49, 49}));
  expect_bad(other, {"prime 0", "m = 105", "bits of the primes"});

  // An insecure ring needs an opt-in.
  expect_bad(general_parameters(SchemeType::bfv, 105, 2, {20, 20}),
             {"degree = 48", "no entry", "classical_2024"}, SecurityLevel::tc128);
  const auto paper = general_parameters(SchemeType::bfv, 2783, 2, {41, 42, 42});
  expect_bad(paper, {"125 bits", "degree 2420", "at most 62 bits", "security level reproduction"},
             SecurityLevel::tc128);
  const Context context(paper, SecurityLevel::reproduction);
  EXPECT_EQ(context.security_level(), SecurityLevel::reproduction);
  EXPECT_NE(context.key_parms_id(), Context(paper, SecurityLevel::none).key_parms_id());
  expect_bad(general_parameters(SchemeType::bfv, 2783, 2, {42, 42, 42}),
             {"126 bits", "at most 125 bits", "reproduction, about 64 bits"},
             SecurityLevel::reproduction);
  expect_bad(general_parameters(SchemeType::bfv, 1155, 2, {40, 40}),
             {"degree = 480", "reproduction, about 64 bits", "2420"}, SecurityLevel::reproduction);
}

// Reduction modulo Phi_40755 makes errors of 21 grow beyond 31 bits.
TEST(GeneralRing, RingsWhoseErrorsGrowTooMuchAreRefused) {
  const EncryptionParameters parms = general_parameters(SchemeType::bfv, 40755, 2, {49, 49});
  expect_refusal([&] { Context(parms, SecurityLevel::none); }, "Context",
                 {"m = 40755", "368631888-fold"});
}

TEST(GeneralRing, KeysAndSlotsRefuseWhatOnlyOtherRingsHave) {
  const Context context = context_of(general_parameters(SchemeType::bfv, 105, 2, {49, 49, 49}));
  const KeyGenerator keygen(context);
  expect_refusal([&] { keygen.create_galois_keys_for_elements({7}); },
                 "KeyGenerator::create_galois_keys",
                 {"7", "coprime to m = 105", "rotation of the slots"});
  expect_refusal([&] { keygen.create_galois_keys({1}); }, "RingSpec::galois_element_from_step",
                 {"m = 105", "rotation of the slots"});
  expect_refusal([&] { BatchEncoder{context}; }, "BatchEncoder",
                 {"m = 105", "X^N + 1", "encoder of slots"});
  expect_refusal([&] { CKKSEncoder{context}; }, "CKKSEncoder", {"bfv"});
  const GaloisKeys keys = keygen.create_galois_keys_for_elements({2});
  const Encryptor encryptor(context, keygen.create_public_key());
  const Evaluator evaluator(context);
  const Ciphertext encrypted = encryptor.encrypt(Plaintext(1));
  Ciphertext result;
  expect_refusal([&] { evaluator.apply_galois(encrypted, 3, keys, result); },
                 "Evaluator::apply_galois", {"3", "coprime to m = 105"});
  expect_refusal<LogicError>([&] { evaluator.rotate_rows(encrypted, 1, keys, result); },
                             "Evaluator::rotate_rows", {"m = 105", "apply the Galois elements"});
  const GaloisKeys all = keygen.create_galois_keys();
  EXPECT_EQ(all.galois_elements(), context.ring().default_galois_elements());
}

TEST(GeneralRing, BackendsOfAnotherRingAreRefused) {
  const auto parms = general_parameters(SchemeType::bgv, 15, 2, {49, 49});
  const RingSpec same_degree = RingSpec::cyclotomic(20);
  ASSERT_EQ(same_degree.degree(), parms.ring().degree());
  const Context context(parms, SecurityLevel::none);
  const auto other =
      make_cpu_backend(RnsBasis(same_degree, CoeffModulus::create(same_degree, {49, 49})));
  expect_refusal([&] { (void)context.on(other); }, "Context", {"another ring"});
}

TEST(GeneralRing, EveryPartEntersTheIdentifier) {
  std::set<ParmsId> ids;
  std::size_t count = 0;
  const auto add = [&](const EncryptionParameters& parms, SecurityLevel level) {
    ids.insert(Context(parms, level).key_parms_id());
    ++count;
  };
  // This prime serves X^8 + 1 and two other rings of degree 8.
  const std::uint64_t step =
      std::lcm(RingSpec::cyclotomic(15).modulus_step(), RingSpec::cyclotomic(20).modulus_step());
  const std::vector<Modulus> primes = generate_primes(45, step, 2);
  EncryptionParameters parms(SchemeType::bgv);
  parms.set_coeff_modulus(primes);
  parms.set_plain_modulus(7);
  parms.set_poly_modulus_degree(8);
  add(parms, SecurityLevel::none);
  for (const std::uint64_t m : {15u, 20u}) {
    parms.set_ring(RingSpec::cyclotomic(m));
    add(parms, SecurityLevel::none);
  }
  EXPECT_EQ(ids.size(), count);
}

// ContextData::parms_id documents the hash; Python's hashlib gave the values.
TEST(GeneralRing, IdentifierIsTheDocumentedHash) {
  EncryptionParameters parms(SchemeType::bgv);
  parms.set_ring(RingSpec::cyclotomic(15));
  const auto primes = generate_primes(40, RingSpec::cyclotomic(15).modulus_step(), 2);
  EXPECT_EQ(RingSpec::cyclotomic(15).modulus_step(), 960u);
  parms.set_coeff_modulus({primes[0]}, {primes[1]});
  parms.set_plain_modulus(7);
  EXPECT_EQ(to_string(Context(parms, SecurityLevel::none).key_parms_id()),
            "af1ecf91d8cc610b8a880de30e9b0fec9019ad2ea50b123106288c02b199627f")
      << primes[0].value() << " " << primes[1].value();
}

TEST(GeneralRing, ParametersAreSavedAndLoaded) {
  for (const SchemeType scheme : {SchemeType::bfv, SchemeType::bgv}) {
    for (const SecurityLevel level : {SecurityLevel::none, SecurityLevel::reproduction}) {
      expect_parameters_come_back(Context(general_parameters(scheme, 2783, 2, {41, 41, 42}), level,
                                          SecurityTable::he_standard_2018_quantum));
    }
  }
}

TEST(GeneralRing, FilesOfGeneralRingsSayItInTheirFlags) {
  const auto general = general_parameters(SchemeType::bfv, 105, 2, {49, 49});
  const auto file = save(SavedParameters::of(context_of(general)), Compression::none);
  EXPECT_EQ(static_cast<int>(file[14]), 4) << "a flag that readers of X^N + 1 alone refuse";
  EXPECT_EQ(static_cast<int>(file[112]), 105) << "m comes first";
  const auto plain = parameters_of(SchemeType::bfv, RingSpec::power_of_two(64), {49}, {49}, 2);
  const auto ordinary = save(SavedParameters::of(context_of(plain)), Compression::none);
  EXPECT_EQ(static_cast<int>(ordinary[14]), 0);
  EXPECT_EQ(ordinary.size() + 8, file.size());
}

TEST(GeneralRing, ObjectsAreSavedAndLoaded) {
  for (const SchemeType scheme : {SchemeType::bfv, SchemeType::bgv}) {
    const Context context = context_of(general_parameters(scheme, 105, 2, {49, 49, 49}));
    const KeyGenerator keygen(context, RandomSource::for_testing(test_seed()));
    const Encryptor encryptor(context, keygen.create_public_key(), keygen.secret_key(),
                              RandomSource::for_testing(test_seed()));
    Plaintext plain(48);
    for (std::size_t i = 0; i < 48; ++i) plain.coefficients_for_writing()[i] = i * i % 2;
    const auto file = save(encryptor.encrypt(plain));
    const Ciphertext loaded = load<Ciphertext>(context, file);
    const SecretKey key = load_secret_key(context, save_secret_key(context, keygen.secret_key()));
    const RelinKeys relin = load<RelinKeys>(context, save(keygen.create_relin_keys()));
    const GaloisKeys galois =
        load<GaloisKeys>(context, save(keygen.create_galois_keys_for_elements({2, 104})));
    EXPECT_EQ(galois.galois_elements(), (std::vector<std::uint64_t>{2, 104}));
    const Evaluator evaluator(context);
    const Decryptor decryptor(context, key);
    const Ciphertext image = result_of(evaluator, &Evaluator::apply_galois, loaded, 2, galois);
    Ciphertext product = result_of(evaluator, &Evaluator::square, loaded);
    evaluator.relinearize_inplace(product, relin);
    const Plaintext decrypted = decryptor.decrypt(loaded);
    EXPECT_TRUE(std::ranges::equal(decrypted.coefficients(),
                                   plain.coefficients().first(decrypted.coefficients().size())));
    // Modulo 2 the square of m(X) is m(X^2).
    EXPECT_TRUE(std::ranges::equal(decryptor.decrypt(product).coefficients(),
                                   decryptor.decrypt(image).coefficients()));
  }
}

TEST(GeneralRing, DamagedParametersAreRefused) {
  const auto saved =
      SavedParameters::of(context_of(general_parameters(SchemeType::bfv, 105, 2, {49, 49})));
  SavedParameters other = saved;
  other.parms = general_parameters(SchemeType::ckks, 105, 0, {49, 49});
  EXPECT_THROW(save(other), InvalidArgument);
  // One word changes, and the checksum does not.
  auto file = save(saved, Compression::none);
  file[112] ^= std::byte{2};
  EXPECT_THROW(load_parameters(file, SecurityLevel::none), InvalidArgument);
}

// The tables of this ring take megabytes and a fraction of a second to make.
TEST(GeneralRing, WhatIsCheapIsCheckedBeforeTablesAreMade) {
  const SavedParameters saved{general_parameters(SchemeType::bgv, 65535, 2, {49, 49}),
                              SecurityLevel::tc128};
  const auto file = save(saved, Compression::none);
  const std::uint64_t prime = saved.parms.coeff_modulus()[0].value();
  using Change = std::pair<std::size_t, std::uint64_t>;
  std::vector<Change> changes{{1, 9},   {2, 16384}, {3, 1},   {4, 0}, {4, 64},
                              {4, 129}, {5, 9},     {6, 300}, {7, 5}, {10, 0}};
  for (const std::uint64_t above : {2, 65535}) changes.emplace_back(9, prime + above);
  for (const auto& [field, value] : changes) {
    auto changed = file;
    set_number(changed, kFrameHeader + 8 * field, value);
    mend(changed);
    const MemoryMeter meter;
    EXPECT_THROW(load_parameters(changed), InvalidArgument) << field << ": " << value;
    EXPECT_LE(meter.peak(), 64 * file.size()) << field << ": " << value;
  }
  EXPECT_TRUE(same(load_parameters(file), saved));
}

TEST(GeneralRing, ErrorsAreBinomialModuloXToTheMReduced) {
  const rlwe::Seed seed(RandomSource::for_testing(test_seed()));
  for (const std::uint64_t m : {3u, 15u, 105u, 385u, 1155u, 2783u, 8191u, 10773u}) {
    const RingSpec ring = RingSpec::cyclotomic(m);
    const rlwe::ErrorSampler sampler(ring);
    rlwe::RandomStream stream(seed, {rlwe::StreamPurpose::error, m});
    rlwe::RandomStream again(seed, {rlwe::StreamPurpose::error, m});
    std::vector<std::int32_t> error(ring.degree());
    sampler.sample(error, stream);
    std::vector<std::int32_t> binomial(m);
    rlwe::sample_error(binomial, again);
    const FlintIntegerPoly reduced =
        FlintIntegerPoly(std::span<const std::int32_t>(binomial)) % FlintIntegerPoly::cyclotomic(m);
    ASSERT_TRUE(std::ranges::equal(error, reduced.small_coefficients(error.size()))) << m;
    for (const std::int32_t e : error) ASSERT_LE(std::abs(e), sampler.bound());
  }
  const rlwe::ErrorSampler sampler(RingSpec::power_of_two(64));
  EXPECT_EQ(sampler.bound(), rlwe::kErrorBits);
  rlwe::RandomStream stream(seed, {rlwe::StreamPurpose::error});
  rlwe::RandomStream again(seed, {rlwe::StreamPurpose::error});
  std::vector<std::int32_t> error(64);
  sampler.sample(error, stream);
  rlwe::SmallPoly plain(64);
  rlwe::sample_error(std::span<std::int8_t>(plain), again);
  EXPECT_TRUE(std::ranges::equal(error, plain)) << "X^N + 1: the same bits as ever";
}

TEST(GeneralRing, DefaultsFillTheTable) {
  struct Case {
    std::uint64_t m;
    int bits;
    std::size_t data;
  };
  for (const auto& [m, bits, data] : std::vector<Case>{{10773, 151, 3}, {8191, 213, 4}}) {
    const RingSpec ring = RingSpec::cyclotomic(m);
    for (const SchemeType scheme : {SchemeType::bfv, SchemeType::bgv}) {
      const EncryptionParameters parms = default_parameters(scheme, ring, 2);
      EXPECT_EQ(parms.ring(), ring);
      EXPECT_EQ(parms.plain_modulus(), 2u);
      EXPECT_EQ(parms.data_primes().size(), data);
      EXPECT_EQ(parms.special_primes().size(), 1u);
      const RnsBasis basis(ring, parms.coeff_modulus());
      EXPECT_LE(basis.product_bit_count(basis.size()), bits);
      EXPECT_GE(basis.product_bit_count(basis.size()), bits - 2);
      EXPECT_NO_THROW(
          rlwe::validate_parameters(parms, SecurityLevel::tc128, SecurityTable::classical_2024));
    }
  }
  const RingSpec ring = RingSpec::cyclotomic(10773);
  expect_refusal([&] { default_parameters(SchemeType::ckks, ring, 2); }, "default_parameters",
                 {"ckks", "bfv or bgv"});
  expect_refusal([&] { default_parameters(SchemeType::none, ring, 2); }, "default_parameters",
                 {"none"});
  expect_refusal([&] { default_parameters(SchemeType::bfv, RingSpec::cyclotomic(105), 2); },
                 "default_parameters", {"degree = 48", "classical_2024"});
  expect_refusal([&] { default_parameters(SchemeType::bfv, 5832); }, "default_parameters",
                 {"degree = 5832"});
}

}  // namespace
}  // namespace ringlet::test
