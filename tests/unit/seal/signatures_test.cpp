// SPDX-License-Identifier: Apache-2.0
#include "service_setup.hpp"

// Constants, types and conversions as programs write them. Every function is called, overload by
// overload, in the tests of its class.

namespace ringlet::test {
namespace {

using seal::Serializable;

SEAL_NODISCARD int answer() { return 1; }

TEST(SealSignatures, macros) {
  EXPECT_EQ(std::string(SEAL_VERSION), std::to_string(SEAL_VERSION_MAJOR) + "." +
                                           std::to_string(SEAL_VERSION_MINOR) + "." +
                                           std::to_string(SEAL_VERSION_PATCH));
  EXPECT_EQ(SEAL_VERSION_MAJOR, 4);
#if !defined(SEAL_USE_ZLIB) || !defined(SEAL_USE_ZSTD) || \
    !defined(SEAL_THROW_ON_TRANSPARENT_CIPHERTEXT)
  ADD_FAILURE() << "programs ask for these";
#endif
  constexpr std::pair<int, int> kMacros[] = {
      {SEAL_POLY_MOD_DEGREE_MIN, 2},     {SEAL_POLY_MOD_DEGREE_MAX, 131072},
      {SEAL_COEFF_MOD_COUNT_MIN, 1},     {SEAL_COEFF_MOD_COUNT_MAX, 256},
      {SEAL_USER_MOD_BIT_COUNT_MIN, 2},  {SEAL_USER_MOD_BIT_COUNT_MAX, 60},
      {SEAL_PLAIN_MOD_BIT_COUNT_MIN, 2}, {SEAL_PLAIN_MOD_BIT_COUNT_MAX, 60},
      {SEAL_CIPHERTEXT_SIZE_MIN, 2},     {SEAL_CIPHERTEXT_SIZE_MAX, 16},
      {SEAL_MOD_BIT_COUNT_MAX, 61}};
  for (const auto& [macro, value] : kMacros) EXPECT_EQ(macro, value);
  EXPECT_EQ(answer(), 1);
}

template <typename Enum>
void expect_numbers(std::initializer_list<std::pair<Enum, int>> names) {
  for (const auto& [name, number] : names) EXPECT_EQ(static_cast<int>(name), number);
}

TEST(SealSignatures, types) {
  EXPECT_TRUE((std::is_same_v<seal::seal_byte, std::byte>));
  EXPECT_TRUE((std::is_same_v<parms_id_type, std::array<std::uint64_t, 4>>));
  EXPECT_TRUE((std::is_same_v<seal::prng_seed_type, std::array<std::uint64_t, 8>>));
  EXPECT_TRUE((std::is_same_v<Plaintext::pt_coeff_type, std::uint64_t>));
  EXPECT_TRUE((std::is_same_v<std::underlying_type_t<scheme_type>, std::uint8_t>));
  EXPECT_TRUE((std::is_same_v<std::underlying_type_t<sec_level_type>, int>));
  EXPECT_EQ(parms_id_zero, (parms_id_type{0, 0, 0, 0}));
  expect_numbers<scheme_type>({{scheme_type::none, 0},
                               {scheme_type::bfv, 1},
                               {scheme_type::ckks, 2},
                               {scheme_type::bgv, 3}});
  expect_numbers<sec_level_type>({{sec_level_type::none, 0},
                                  {sec_level_type::tc128, 128},
                                  {sec_level_type::tc192, 192},
                                  {sec_level_type::tc256, 256}});
  expect_numbers<compr_mode_type>(
      {{compr_mode_type::none, 0}, {compr_mode_type::zlib, 1}, {compr_mode_type::zstd, 2}});
  expect_numbers<seal::prng_type>({{seal::prng_type::unknown, 0},
                                   {seal::prng_type::blake2xb, 1},
                                   {seal::prng_type::shake256, 2}});
  expect_numbers<seal::mm_prof_opt>({{seal::mm_prof_opt::mm_default, 0},
                                     {seal::mm_force_global, 1},
                                     {seal::mm_force_new, 2},
                                     {seal::mm_force_thread_local, 4}});
}

std::size_t degree_of(const SEALContext& context) {
  return context.key_context_data()->parms().poly_modulus_degree();
}
std::uint64_t value_of(const seal::Modulus& modulus) { return modulus.value(); }
std::string text_of(const Plaintext& plain) { return plain.to_string(); }

TEST(SealSignatures, implicitConversions) {
  EXPECT_EQ(degree_of(service_parameters(scheme_type::bfv)), kServiceDegree);
  EXPECT_EQ(value_of(17), 17U);
  EXPECT_EQ(text_of(std::string("1x^2")), "1x^2");
  EXPECT_FALSE((std::is_convertible_v<std::size_t, Plaintext>));
  EXPECT_FALSE((std::is_convertible_v<SEALContext, Ciphertext>));
  EXPECT_FALSE((std::is_convertible_v<SEALContext, seal::Evaluator>));
}

TEST(SealSignatures, servicesAndLevelsAreNotCopied) {
  EXPECT_FALSE(std::is_copy_constructible_v<SEALContext::ContextData>);
  EXPECT_FALSE(std::is_copy_constructible_v<seal::Evaluator>);
  EXPECT_FALSE(std::is_copy_assignable_v<seal::Evaluator>);
  EXPECT_FALSE(std::is_copy_constructible_v<seal::Encryptor>);
  EXPECT_FALSE(std::is_copy_constructible_v<seal::Decryptor>);
  EXPECT_FALSE(std::is_copy_constructible_v<seal::KeyGenerator>);
  EXPECT_FALSE(std::is_copy_constructible_v<seal::BatchEncoder>);
  EXPECT_FALSE(std::is_copy_constructible_v<seal::CKKSEncoder>);
}

TEST(SealSignatures, serializableObjectsAreOnlyCopiedAndSaved) {
  using Saved = Serializable<Ciphertext>;
  EXPECT_TRUE(std::is_copy_constructible_v<Saved> && std::is_copy_assignable_v<Saved>);
  EXPECT_TRUE(std::is_nothrow_move_constructible_v<Saved>);
  EXPECT_FALSE(std::is_default_constructible_v<Saved>);
  EXPECT_FALSE((std::is_constructible_v<Saved, Ciphertext>));
  EXPECT_FALSE((std::is_constructible_v<Ciphertext, Saved>));
}

}  // namespace
}  // namespace ringlet::test
