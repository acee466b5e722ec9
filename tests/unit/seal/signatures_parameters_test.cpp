// SPDX-License-Identifier: Apache-2.0
#include <climits>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>

#include "seal_objects.hpp"
#include "service_setup.hpp"

// Constants, parameters and contexts, each function once, as programs call it.

namespace ringlet::test {
namespace {

using seal::CoeffModulus;
using seal::EncryptionParameterQualifiers;
using seal::EncryptionParameters;
using seal::Modulus;
using seal::PlainModulus;
using seal::scheme_type;
using seal::SEALContext;
using seal::sec_level_type;

/// Saves to a stream and to a buffer, loads from both and compares the bytes.
template <typename T>
void expect_round_trip(const T& object) {
  const auto none = seal::compr_mode_type::none;
  std::stringstream stream;
  const std::streamoff bytes = object.save(stream, none);
  EXPECT_EQ(object.save_size(none), bytes);
  T loaded;
  EXPECT_EQ(loaded.load(stream), bytes);
  std::vector<seal::seal_byte> buffer(static_cast<std::size_t>(object.save_size()));
  const std::streamoff used = object.save(buffer.data(), buffer.size());
  T again;
  EXPECT_EQ(again.load(buffer.data(), buffer.size()), used);
  EXPECT_TRUE(loaded == object && again == object);
  std::stringstream compressed;
  EXPECT_LE(object.save(compressed), object.save_size());
}

SEAL_NODISCARD int answer() { return 1; }

TEST(SealSignatures, macros) {
  EXPECT_EQ(std::string(SEAL_VERSION), std::to_string(SEAL_VERSION_MAJOR) + "." +
                                           std::to_string(SEAL_VERSION_MINOR) + "." +
                                           std::to_string(SEAL_VERSION_PATCH));
  EXPECT_EQ(SEAL_VERSION_MAJOR, 4);
#if !defined(SEAL_USE_ZSTD) || !defined(SEAL_THROW_ON_TRANSPARENT_CIPHERTEXT)
  ADD_FAILURE() << "programs ask for these";
#endif
  EXPECT_EQ(SEAL_POLY_MOD_DEGREE_MIN, 2);
  EXPECT_EQ(SEAL_POLY_MOD_DEGREE_MAX, 131072);
  EXPECT_EQ(SEAL_COEFF_MOD_COUNT_MIN, 1);
  EXPECT_EQ(SEAL_COEFF_MOD_COUNT_MAX, 256);
  EXPECT_EQ(SEAL_USER_MOD_BIT_COUNT_MIN, 2);
  EXPECT_EQ(SEAL_USER_MOD_BIT_COUNT_MAX, 60);
  EXPECT_EQ(SEAL_PLAIN_MOD_BIT_COUNT_MIN, 2);
  EXPECT_EQ(SEAL_PLAIN_MOD_BIT_COUNT_MAX, 60);
  EXPECT_EQ(SEAL_MOD_BIT_COUNT_MAX, 61);
  EXPECT_EQ(SEAL_CIPHERTEXT_SIZE_MIN, 2);
  EXPECT_EQ(SEAL_CIPHERTEXT_SIZE_MAX, 16);
  EXPECT_EQ(answer(), 1);
}

TEST(SealSignatures, types) {
  EXPECT_TRUE((std::is_same_v<seal::seal_byte, std::byte>));
  EXPECT_TRUE((std::is_same_v<seal::parms_id_type, std::array<std::uint64_t, 4>>));
  EXPECT_EQ(seal::parms_id_zero, (seal::parms_id_type{0, 0, 0, 0}));
  EXPECT_TRUE((std::is_same_v<std::underlying_type_t<scheme_type>, std::uint8_t>));
  EXPECT_EQ(static_cast<int>(scheme_type::none), 0);
  EXPECT_EQ(static_cast<int>(scheme_type::bfv), 1);
  EXPECT_EQ(static_cast<int>(scheme_type::ckks), 2);
  EXPECT_EQ(static_cast<int>(scheme_type::bgv), 3);
  EXPECT_EQ(static_cast<int>(sec_level_type::none), 0);
  EXPECT_EQ(static_cast<int>(sec_level_type::tc128), 128);
  EXPECT_EQ(static_cast<int>(sec_level_type::tc192), 192);
  EXPECT_EQ(static_cast<int>(sec_level_type::tc256), 256);
  EXPECT_EQ(static_cast<int>(seal::compr_mode_type::none), 0);
  EXPECT_EQ(static_cast<int>(seal::compr_mode_type::zstd), 2);
  EXPECT_EQ(static_cast<int>(seal::prng_type::unknown), 0);
  EXPECT_EQ(static_cast<int>(seal::prng_type::blake2xb), 1);
  EXPECT_EQ(static_cast<int>(seal::prng_type::shake256), 2);
  EXPECT_EQ(static_cast<int>(seal::mm_prof_opt::mm_default), 0);
  EXPECT_EQ(static_cast<int>(seal::mm_force_global), 1);
  EXPECT_EQ(static_cast<int>(seal::mm_force_new), 2);
  EXPECT_EQ(static_cast<int>(seal::mm_force_thread_local), 4);
  EXPECT_TRUE((std::is_same_v<seal::Plaintext::pt_coeff_type, std::uint64_t>));
  EXPECT_TRUE((std::is_same_v<seal::prng_seed_type, std::array<std::uint64_t, 8>>));
}

std::size_t degree_of(const SEALContext& context) {
  return context.key_context_data()->parms().poly_modulus_degree();
}
std::uint64_t value_of(const Modulus& modulus) { return modulus.value(); }
std::string text_of(const seal::Plaintext& plain) { return plain.to_string(); }

TEST(SealSignatures, implicitConversions) {
  EXPECT_EQ(degree_of(service_parameters(scheme_type::bfv)), kServiceDegree);
  EXPECT_EQ(value_of(17), 17U);
  EXPECT_EQ(text_of(std::string("1x^2")), "1x^2");
  EXPECT_FALSE((std::is_convertible_v<std::size_t, seal::Plaintext>));
  EXPECT_FALSE((std::is_convertible_v<SEALContext, seal::Ciphertext>));
}

TEST(SealSignatures, modulus) {
  EXPECT_TRUE(Modulus().is_zero());
  Modulus q(17);
  EXPECT_EQ(q.value(), 17U);
  EXPECT_EQ(q.bit_count(), 5);
  EXPECT_EQ(q.reduce(35), 1U);
  EXPECT_FALSE(q.is_zero());
  EXPECT_TRUE(q.is_prime());
  EXPECT_EQ(*q.data(), 17U);
  EXPECT_EQ(q.uint64_count(), 1U);
  // 2^128 = 17 * (15 * 2^64 / 17, ...) + 1
  EXPECT_EQ(q.const_ratio(),
            (std::array<std::uint64_t, 3>{0x0F0F0F0F0F0F0F0F, 0x0F0F0F0F0F0F0F0F, 1}));
  EXPECT_TRUE(q == Modulus(17) && q == std::uint64_t{17});
  EXPECT_TRUE(q != Modulus(19) && q != std::uint64_t{19});
  EXPECT_TRUE(q < Modulus(19) && q < std::uint64_t{19});
  EXPECT_TRUE(q <= Modulus(17) && q <= std::uint64_t{17});
  EXPECT_TRUE(q > Modulus(16) && q > std::uint64_t{16});
  EXPECT_TRUE(q >= Modulus(17) && q >= std::uint64_t{17});
  q = 19;
  EXPECT_EQ(q.value(), 19U);
  EXPECT_INVALID_ARGUMENT(q = 1);
  EXPECT_INVALID_ARGUMENT((void)Modulus(std::uint64_t{1} << 61));
  EXPECT_LOGIC_ERROR((void)Modulus(0).reduce(5));
  expect_round_trip(q);
}

TEST(SealSignatures, coefficientAndPlainModuli) {
  constexpr int kBits = CoeffModulus::MaxBitCount(4096);
  EXPECT_EQ(kBits, 109);
  EXPECT_EQ(CoeffModulus::MaxBitCount(4096, sec_level_type::tc256), 58);
  EXPECT_EQ(CoeffModulus::MaxBitCount(4097), 0);
  EXPECT_EQ(CoeffModulus::MaxBitCount(4096, sec_level_type::none), INT_MAX);
  EXPECT_EQ(CoeffModulus::BFVDefault(4096).back().value(), 0x1ffffe0001U);
  EXPECT_EQ(CoeffModulus::BFVDefault(4096, sec_level_type::tc192).size(), 3U);
  EXPECT_INVALID_ARGUMENT((void)CoeffModulus::BFVDefault(64));
  EXPECT_INVALID_ARGUMENT((void)CoeffModulus::BFVDefault(4096, sec_level_type::none));
  const std::vector<Modulus> primes = CoeffModulus::Create(8192, {60, 40, 40, 60});
  EXPECT_EQ(primes[1].value(), 0xfffff4c001U);
  EXPECT_EQ(primes[3].value(), 0xfffffffffffc001U);
  EXPECT_TRUE(CoeffModulus::Create(8192, {}).empty());
  EXPECT_INVALID_ARGUMENT((void)CoeffModulus::Create(8191, {40}));
  EXPECT_INVALID_ARGUMENT((void)CoeffModulus::Create(8192, {61}));
  EXPECT_LOGIC_ERROR((void)CoeffModulus::Create(8192, {14}));
  EXPECT_EQ(PlainModulus::Batching(8192, 20).value(), 1032193U);
  EXPECT_EQ(PlainModulus::Batching(8192, std::vector<int>{20, 20})[1].value(), 1032193U);
}

TEST(SealSignatures, encryptionParameters) {
  EncryptionParameters parms(scheme_type::bfv);
  EXPECT_EQ(parms.scheme(), scheme_type::bfv);
  EXPECT_EQ(EncryptionParameters().scheme(), scheme_type::none);
  EXPECT_EQ(EncryptionParameters(std::uint8_t{2}).scheme(), scheme_type::ckks);
  EXPECT_INVALID_ARGUMENT(EncryptionParameters(std::uint8_t{9}));
  const seal::parms_id_type before = parms.parms_id();
  parms.set_poly_modulus_degree(64);
  parms.set_coeff_modulus({Modulus(257), 65537});
  parms.set_plain_modulus(17);
  parms.set_plain_modulus(Modulus(19));
  EXPECT_NE(parms.parms_id(), before);
  EXPECT_EQ(parms.poly_modulus_degree(), 64U);
  EXPECT_EQ(parms.coeff_modulus().size(), 2U);
  EXPECT_EQ(parms.plain_modulus().value(), 19U);
  const auto factory = seal::UniformRandomGeneratorFactory::DefaultFactory();
  parms.set_random_generator(factory);
  EXPECT_EQ(parms.random_generator(), factory);
  EncryptionParameters same_parms = parms;
  same_parms.set_random_generator(nullptr);
  EXPECT_TRUE(parms == same_parms);
  same_parms.set_plain_modulus(17);
  EXPECT_TRUE(parms != same_parms);
  EXPECT_LOGIC_ERROR(EncryptionParameters().set_poly_modulus_degree(64));
  EXPECT_LOGIC_ERROR(EncryptionParameters().set_coeff_modulus({17}));
  EXPECT_LOGIC_ERROR(EncryptionParameters(scheme_type::ckks).set_plain_modulus(17));
  EXPECT_INVALID_ARGUMENT(parms.set_coeff_modulus({}));
  expect_round_trip(parms);

  std::unordered_map<seal::parms_id_type, int> by_id{{parms.parms_id(), 1}};
  EXPECT_EQ(by_id.count(same_parms.parms_id()), 0U);
  const std::unordered_set<EncryptionParameters> set{parms, same_parms, parms};
  EXPECT_EQ(set.size(), 2U);
}

TEST(SealSignatures, context) {
  const EncryptionParameters parms = service_parameters(scheme_type::bgv);
  const SEALContext insecure(parms);
  EXPECT_FALSE(insecure.parameters_set());
  EXPECT_FALSE(SEALContext(parms, true).parameters_set());
  SEALContext context(parms, true, sec_level_type::none);
  EXPECT_TRUE(context.parameters_set());
  EXPECT_STREQ(context.parameter_error_name(), "success");
  EXPECT_STREQ(context.parameter_error_message(), "valid");
  EXPECT_TRUE(context.using_keyswitching());
  EXPECT_EQ(context.key_context_data()->parms_id(), context.key_parms_id());
  EXPECT_EQ(context.first_context_data()->parms_id(), context.first_parms_id());
  EXPECT_EQ(context.last_context_data()->parms_id(), context.last_parms_id());
  EXPECT_EQ(context.get_context_data(context.first_parms_id()), context.first_context_data());
  EXPECT_EQ(context.get_context_data(seal::parms_id_zero), nullptr);
  const SEALContext copy = context;
  EXPECT_EQ(copy.key_context_data(), context.key_context_data());
  context = SEALContext(parms, false, sec_level_type::none);
  EXPECT_EQ(context.first_parms_id(), context.last_parms_id());

  const std::shared_ptr<const SEALContext::ContextData> data = copy.first_context_data();
  EXPECT_EQ(data->parms().coeff_modulus().size(), 4U);
  EXPECT_EQ(data->total_coeff_modulus_bit_count(), 170);
  EXPECT_EQ(data->total_coeff_modulus()[2] >> (170 - 128), 0U);
  EXPECT_NE(data->total_coeff_modulus()[2], 0U);
  EXPECT_EQ(data->chain_index(), 3U);
  EXPECT_EQ(data->next_context_data()->prev_context_data(), data);
  EXPECT_EQ(copy.last_context_data()->next_context_data(), nullptr);
  EXPECT_EQ(copy.key_context_data()->prev_context_data(), nullptr);
  const EncryptionParameterQualifiers qualifiers = data->qualifiers();
  EXPECT_EQ(qualifiers.parameter_error, EncryptionParameterQualifiers::error_type::success);
  EXPECT_TRUE(qualifiers.parameters_set());
  EXPECT_TRUE(qualifiers.using_fft && qualifiers.using_ntt && qualifiers.using_batching);
  EXPECT_TRUE(qualifiers.using_fast_plain_lift);
  EXPECT_FALSE(qualifiers.using_descending_modulus_chain);
  EXPECT_EQ(qualifiers.sec_level, sec_level_type::none);
  EXPECT_STREQ(qualifiers.parameter_error_name(), "success");
  EXPECT_STREQ(qualifiers.parameter_error_message(), "valid");
}

}  // namespace
}  // namespace ringlet::test

// Programs reopen the namespaces.
namespace seal {
struct ProgramsOwn {
  parms_id_type id = parms_id_zero;
  Modulus modulus = 17;
};
namespace util {
inline int programs_own_bits(std::uint64_t value) { return get_significant_bit_count(value); }
}  // namespace util
}  // namespace seal

namespace {

TEST(SealSignatures, namespacesCanBeReopened) {
  EXPECT_EQ(seal::ProgramsOwn().modulus.value(), 17U);
  EXPECT_EQ(seal::util::programs_own_bits(255), 8);
  using namespace seal;
  const std::uint64_t words[] = {0xAB, 0x1};
  EXPECT_EQ(util::uint_to_hex_string(words, 2), "100000000000000AB");
  EXPECT_EQ(util::uint_to_hex_string(words, 0), "0");
}

}  // namespace
