// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>

#include "frame_streams.hpp"
#include "seal/context.h"
#include "seal/randomgen.h"

namespace ringlet::test {
namespace {

using seal4::CoeffModulus;
using seal4::EncryptionParameters;
using seal4::Modulus;
using seal4::parms_id_type;
using seal4::scheme_type;

constexpr scheme_type kAllSchemes[] = {scheme_type::bfv, scheme_type::ckks, scheme_type::bgv};

EncryptionParameters example(scheme_type scheme = scheme_type::bfv) {
  EncryptionParameters parms(scheme);
  parms.set_poly_modulus_degree(4096);
  parms.set_coeff_modulus(CoeffModulus::BFVDefault(4096));
  if (scheme != scheme_type::ckks) parms.set_plain_modulus(1024);
  return parms;
}

TEST(SealParameters, schemes_by_value_and_by_number) {
  EXPECT_EQ(EncryptionParameters().scheme(), scheme_type::none);
  for (std::uint8_t number = 0; number <= 3; ++number) {
    EXPECT_EQ(static_cast<std::uint8_t>(EncryptionParameters(number).scheme()), number);
  }
  for (const std::uint8_t number : {4, 5, 255}) {
    EXPECT_INVALID_ARGUMENT(EncryptionParameters{number});
  }
}

TEST(SealParameters, setters_without_a_scheme) {
  EncryptionParameters parms;
  parms.set_poly_modulus_degree(0);
  parms.set_coeff_modulus({});
  parms.set_plain_modulus(0);
  EXPECT_LOGIC_ERROR(parms.set_poly_modulus_degree(1024));
  EXPECT_LOGIC_ERROR(parms.set_coeff_modulus({17}));
  EXPECT_LOGIC_ERROR(parms.set_plain_modulus(17));
  EXPECT_EQ(parms, EncryptionParameters());
}

TEST(SealParameters, setters_check_counts_and_the_plain_modulus) {
  for (const scheme_type scheme : kAllSchemes) {
    EncryptionParameters parms = example(scheme);
    const EncryptionParameters before = parms;
    EXPECT_INVALID_ARGUMENT(parms.set_coeff_modulus({}));
    EXPECT_INVALID_ARGUMENT(parms.set_coeff_modulus(std::vector<Modulus>(257, 17)));
    EXPECT_INVALID_ARGUMENT(parms.set_plain_modulus(1));
    EXPECT_EQ(parms, before);
    EXPECT_EQ(parms.coeff_modulus().size(), 3u);
    parms.set_coeff_modulus(std::vector<Modulus>(256, 17));
    parms.set_poly_modulus_degree(12345);  // judged by SEALContext
    EXPECT_EQ(parms.poly_modulus_degree(), 12345u);
  }
  EncryptionParameters ckks(scheme_type::ckks);
  ckks.set_plain_modulus(0);
  EXPECT_LOGIC_ERROR(ckks.set_plain_modulus(2));
  EXPECT_LOGIC_ERROR(ckks.set_plain_modulus(Modulus(2)));
  EncryptionParameters bfv(scheme_type::bfv);
  bfv.set_plain_modulus(Modulus(17));
  EXPECT_EQ(bfv.plain_modulus(), 17u);
  bfv.set_plain_modulus(1024);
  EXPECT_EQ(bfv.plain_modulus(), 1024u);
}

TEST(SealParameters, identifier_of_a_default_set) {
  EXPECT_EQ(example().parms_id(), (parms_id_type{0x858bc578bcc87463, 0x38cec5f12c7ded20,
                                                 0x5ff4f469d5e636be, 0x5ab9a121d6f57bf9}));
}

TEST(SealParameters, every_part_but_the_generator_enters_the_identifier) {
  std::set<parms_id_type> seen;
  const auto is_new = [&seen](const EncryptionParameters& parms) {
    return seen.insert(parms.parms_id()).second;
  };
  for (const scheme_type scheme :
       {scheme_type::none, scheme_type::bfv, scheme_type::ckks, scheme_type::bgv}) {
    EXPECT_TRUE(is_new(EncryptionParameters(scheme)));
  }
  EncryptionParameters parms(scheme_type::bgv);
  parms.set_poly_modulus_degree(1024);
  EXPECT_TRUE(is_new(parms));
  parms.set_coeff_modulus({12289});
  EXPECT_TRUE(is_new(parms));
  parms.set_coeff_modulus({12289, 40961});
  EXPECT_TRUE(is_new(parms));
  parms.set_coeff_modulus({40961, 12289});
  EXPECT_TRUE(is_new(parms));
  parms.set_plain_modulus(3);
  EXPECT_TRUE(is_new(parms));

  const parms_id_type before = parms.parms_id();
  auto factory = std::make_shared<seal4::Blake2xbPRNGFactory>(seal4::prng_seed_type{1, 2, 3});
  parms.set_random_generator(factory);
  EXPECT_EQ(parms.random_generator(), factory);
  EXPECT_EQ(parms.parms_id(), before);
  parms.set_random_generator(nullptr);
  EXPECT_EQ(parms.random_generator(), nullptr);
}

TEST(SealParameters, equality_and_hashes) {
  const EncryptionParameters a = example(), b = example(scheme_type::bgv);
  EncryptionParameters c = a;
  EXPECT_TRUE(a == c && !(a != c));
  EXPECT_TRUE(a != b && !(a == b));
  c.set_plain_modulus(1025);
  EXPECT_NE(a, c);

  std::uint64_t expected = 17;
  for (const std::uint64_t word : a.parms_id()) expected = expected * 31 + word;
  EXPECT_EQ(std::hash<EncryptionParameters>{}(a), expected);
  EXPECT_EQ(std::hash<parms_id_type>{}(a.parms_id()), expected);
  EXPECT_EQ(std::hash<parms_id_type>{}(seal4::parms_id_zero), std::size_t{17} * 31 * 31 * 31 * 31);
  std::unordered_map<EncryptionParameters, int> table{{a, 1}, {b, 2}};
  EXPECT_EQ(table.at(example(scheme_type::bgv)), 2);
}

TEST(SealParameters, moduli_come_back) {
  EXPECT_EQ(
      saved(Modulus(17)),
      as_bytes(std::string("\x5e\xa1\x10\4\4\0\0\0\x18\0\0\0\0\0\0\0\x11\0\0\0\0\0\0\0", 24)));
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{2}, std::uint64_t{65537}, (std::uint64_t{1} << 61) - 1}) {
    expect_comes_back<Modulus>(value, 4);
    const Bytes file = saved(Modulus(value));
    Modulus loaded = 4;
    loaded.load(file.data(), file.size());
    EXPECT_EQ(loaded.is_prime(), Modulus(value).is_prime());
  }
}

TEST(SealParameters, parameters_come_back) {
  for (const scheme_type scheme : kAllSchemes) {
    const EncryptionParameters parms = example(scheme);
    EXPECT_EQ(saved(parms).size(), 16u + 1 + 8 + 8 + 4 * 24);
    expect_comes_back(parms, EncryptionParameters());
    expect_comes_back(parms, EncryptionParameters(scheme_type::ckks));
    expect_comes_back(EncryptionParameters(scheme), parms);
  }
  expect_comes_back(EncryptionParameters(), example());
}

TEST(SealParameters, a_saved_value_that_is_no_modulus) {
  for (const std::uint64_t value : {std::uint64_t{1}, std::uint64_t{1} << 61, ~std::uint64_t{0}}) {
    Bytes file = saved(Modulus(17));
    for (std::size_t i = 0; i < 8; ++i) file[16 + i] = static_cast<std::byte>(value >> 8 * i);
    Modulus modulus = 5;
    EXPECT_LOGIC_ERROR(modulus.load(file.data(), file.size())) << value;
    EXPECT_EQ(modulus, 5u);
  }
}

TEST(SealParameters, every_truncation_is_refused) {
  EncryptionParameters parms = example(scheme_type::ckks);
  for (const auto mode : kModes) {
    for_each_truncation(saved(example(), mode), [&](const Bytes& cut) {
      std::istringstream stream(as_text(cut));
      EXPECT_NE(thrown_by([&] { parms.load(stream); }), "nothing") << cut.size();
      EXPECT_NE(thrown_by([&] { parms.load(cut.data(), cut.size()); }), "nothing") << cut.size();
    });
  }
  EXPECT_EQ(parms, example(scheme_type::ckks));
}

TEST(SealParameters, saved_parameters_that_nobody_could_have_set) {
  const Bytes good = saved(example(scheme_type::ckks));
  const struct {
    const char* what;
    std::size_t offset;
    int value;
  } damages[] = {{"no such scheme", 16, 4},
                 {"a degree without a scheme", 16, 0},
                 {"a degree of 200704", 17 + 2, 3},
                 {"a degree of 2^56", 17 + 7, 1},
                 {"515 primes", 25 + 1, 2},
                 {"2^56 primes", 25 + 7, 1},
                 {"a prime of 63 bits", 33 + 16 + 7, 0x7f},
                 {"CKKS with a plain modulus", good.size() - 8, 2},
                 {"fewer primes than follow", 25, 2}};
  EncryptionParameters parms = example();
  for (const auto& damage : damages) {
    Bytes bytes = good;
    bytes[damage.offset] = static_cast<std::byte>(damage.value);
    EXPECT_LOGIC_ERROR(parms.load(bytes.data(), bytes.size())) << damage.what;
    EXPECT_EQ(parms, example());
  }
}

}  // namespace
}  // namespace ringlet::test
