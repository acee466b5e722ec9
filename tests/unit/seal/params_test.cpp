// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>
#include <unordered_set>

#include "seal/context.h"
#include "seal/encryptionparams.h"
#include "seal/modulus.h"
#include "seal/randomgen.h"
#include "support/seal_vectors.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

using seal4::CoeffModulus;
using seal4::compr_mode_type;
using seal4::EncryptionParameters;
using seal4::Modulus;
using seal4::parms_id_type;
using seal4::scheme_type;
using seal4::seal_byte;

constexpr scheme_type kSchemes[] = {scheme_type::bfv, scheme_type::ckks, scheme_type::bgv};
constexpr compr_mode_type kModes[] = {compr_mode_type::none, compr_mode_type::zstd};

static_assert(std::is_same_v<parms_id_type, std::array<std::uint64_t, 4>>);
static_assert(std::is_same_v<std::underlying_type_t<scheme_type>, std::uint8_t>);
static_assert(std::is_same_v<std::underlying_type_t<seal4::sec_level_type>, int>);

/// The type of what `call` throws, by the handlers that SEAL's programs write.
template <class Call>
std::string thrown_by(const Call& call) {
  try {
    call();
  } catch (const std::invalid_argument&) {
    return "invalid_argument";
  } catch (const std::out_of_range&) {
    return "out_of_range";
  } catch (const std::logic_error&) {
    return "logic_error";
  } catch (const std::runtime_error&) {
    return "runtime_error";
  }
  return "nothing";
}

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
    EXPECT_THROW(EncryptionParameters{number}, std::invalid_argument);
  }
}

TEST(SealParameters, setters_without_a_scheme) {
  EncryptionParameters parms;
  parms.set_poly_modulus_degree(0);
  parms.set_coeff_modulus({});
  parms.set_plain_modulus(0);
  EXPECT_EQ(thrown_by([&] { parms.set_poly_modulus_degree(1024); }), "logic_error");
  EXPECT_EQ(thrown_by([&] { parms.set_coeff_modulus({17}); }), "logic_error");
  EXPECT_EQ(thrown_by([&] { parms.set_plain_modulus(17); }), "logic_error");
  EXPECT_EQ(parms, EncryptionParameters());
}

TEST(SealParameters, setters_check_counts_and_the_plain_modulus) {
  for (const scheme_type scheme : kSchemes) {
    EncryptionParameters parms = example(scheme);
    const EncryptionParameters before = parms;
    EXPECT_EQ(thrown_by([&] { parms.set_coeff_modulus({}); }), "invalid_argument");
    EXPECT_EQ(thrown_by([&] { parms.set_coeff_modulus(std::vector<Modulus>(257, 17)); }),
              "invalid_argument");
    EXPECT_EQ(thrown_by([&] { parms.set_plain_modulus(1); }), "invalid_argument");
    EXPECT_EQ(parms, before);
    EXPECT_EQ(parms.coeff_modulus().size(), 3u);
    parms.set_coeff_modulus(std::vector<Modulus>(256, 17));
    parms.set_poly_modulus_degree(12345);  // judged by SEALContext
    EXPECT_EQ(parms.poly_modulus_degree(), 12345u);
  }
  EncryptionParameters ckks(scheme_type::ckks);
  ckks.set_plain_modulus(0);
  EXPECT_EQ(thrown_by([&] { ckks.set_plain_modulus(2); }), "logic_error");
  EXPECT_EQ(thrown_by([&] { ckks.set_plain_modulus(Modulus(2)); }), "logic_error");
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
  std::unordered_set<parms_id_type> seen;
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

TEST(SealParameters, a_saved_modulus_has_the_known_bytes) {
  const unsigned char known[] = {0x5e, 0xa1, 0x10, 4, 4,  0, 0, 0, 0x18, 0, 0, 0,
                                 0,    0,    0,    0, 17, 0, 0, 0, 0,    0, 0, 0};
  std::ostringstream stream;
  EXPECT_EQ(Modulus(17).save(stream, compr_mode_type::none), 24);
  EXPECT_EQ(stream.str(), std::string(reinterpret_cast<const char*>(known), sizeof known));
  EXPECT_EQ(Modulus(17).save_size(compr_mode_type::none), 24);
}

TEST(SealParameters, moduli_come_back) {
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{2}, std::uint64_t{65537}, (std::uint64_t{1} << 61) - 1}) {
    for (const compr_mode_type mode : kModes) {
      const Modulus saved = value;
      std::stringstream stream;
      const auto bytes = saved.save(stream, mode);
      EXPECT_LE(bytes, saved.save_size(mode));
      stream << "rest";
      Modulus loaded = 3;
      EXPECT_EQ(loaded.load(stream), bytes);
      EXPECT_EQ(loaded, saved);
      EXPECT_EQ(loaded.is_prime(), saved.is_prime());
      EXPECT_EQ(stream.tellg(), bytes);

      std::vector<seal_byte> buffer(static_cast<std::size_t>(saved.save_size(mode)));
      EXPECT_EQ(saved.save(buffer.data(), buffer.size(), mode), bytes);
      loaded = 3;
      EXPECT_EQ(loaded.load(buffer.data(), buffer.size()), bytes);
      EXPECT_EQ(loaded, saved);
    }
  }
}

TEST(SealParameters, a_saved_value_that_is_no_modulus) {
  for (const std::uint64_t value : {std::uint64_t{1}, std::uint64_t{1} << 61, ~std::uint64_t{0}}) {
    std::stringstream stream;
    Modulus(17).save(stream, compr_mode_type::none);
    std::string bytes = stream.str();
    for (int i = 0; i < 8; ++i)
      bytes[static_cast<std::size_t>(16 + i)] = static_cast<char>(value >> 8 * i);
    std::istringstream input(bytes);
    Modulus modulus = 5;
    EXPECT_EQ(thrown_by([&] { modulus.load(input); }), "logic_error") << value;
    EXPECT_EQ(modulus, 5u);
  }
}

TEST(SealParameters, parameters_come_back) {
  for (const scheme_type scheme : kSchemes) {
    for (const compr_mode_type mode : kModes) {
      const EncryptionParameters saved = example(scheme);
      std::stringstream stream;
      const auto bytes = saved.save(stream, mode);
      EXPECT_LE(bytes, saved.save_size(mode));
      if (mode == compr_mode_type::none) {
        EXPECT_EQ(bytes, saved.save_size(mode));
        EXPECT_EQ(bytes, 16 + 1 + 8 + 8 + 4 * 24);
      }
      stream << "rest";
      EncryptionParameters loaded;
      EXPECT_EQ(loaded.load(stream), bytes);
      EXPECT_EQ(stream.tellg(), bytes);
      EXPECT_EQ(loaded, saved);
      EXPECT_EQ(loaded.scheme(), scheme);
      EXPECT_EQ(loaded.poly_modulus_degree(), 4096u);
      EXPECT_EQ(loaded.coeff_modulus(), saved.coeff_modulus());
      EXPECT_EQ(loaded.plain_modulus(), saved.plain_modulus());

      std::vector<seal_byte> buffer(static_cast<std::size_t>(saved.save_size(mode)));
      EXPECT_EQ(saved.save(buffer.data(), buffer.size(), mode), bytes);
      EncryptionParameters other(scheme_type::ckks);
      EXPECT_EQ(other.load(buffer.data(), buffer.size()), bytes);
      EXPECT_EQ(other, saved);
    }
  }
}

TEST(SealParameters, unfinished_parameters_come_back) {
  for (const EncryptionParameters& saved :
       {EncryptionParameters(), EncryptionParameters(scheme_type::bgv)}) {
    std::stringstream stream;
    saved.save(stream);
    EncryptionParameters loaded = example();
    loaded.load(stream);
    EXPECT_EQ(loaded, saved);
    EXPECT_TRUE(loaded.coeff_modulus().empty());
  }
}

TEST(SealParameters, parameters_that_seal_saved) {
  const struct {
    const char* file;
    scheme_type scheme;
    std::uint64_t t;
  } kFiles[] = {{"bfv", scheme_type::bfv, 130817},
                {"ckks", scheme_type::ckks, 0},
                {"bgv", scheme_type::bgv, 130817}};
  for (const auto& file : kFiles) {
    const SealVectors vectors(file.file);
    std::istringstream stream = vectors.stream("parameters");
    EncryptionParameters parms;
    EXPECT_EQ(parms.load(stream), static_cast<std::streamoff>(vectors.bytes("parameters").size()));
    EXPECT_EQ(parms.scheme(), file.scheme);
    EXPECT_EQ(parms.poly_modulus_degree(), 64u);
    EXPECT_EQ(parms.coeff_modulus(),
              (std::vector<Modulus>{1054099661354828929, 1099511623297, 1069376468041132673}));
    EXPECT_EQ(parms.plain_modulus(), file.t);
  }
}

TEST(SealParameters, every_truncation_is_refused) {
  for (const compr_mode_type mode : kModes) {
    std::stringstream stream;
    example().save(stream, mode);
    const std::string bytes = stream.str();
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      EncryptionParameters parms = example(scheme_type::ckks);
      std::istringstream input(bytes.substr(0, length));
      EXPECT_NE(thrown_by([&] { parms.load(input); }), "nothing") << length;
      EXPECT_NE(
          thrown_by([&] { parms.load(reinterpret_cast<const seal_byte*>(bytes.data()), length); }),
          "nothing")
          << length;
      EXPECT_EQ(parms, example(scheme_type::ckks));
    }
  }
}

TEST(SealParameters, saved_parameters_that_nobody_could_have_set) {
  std::stringstream stream;
  example(scheme_type::ckks).save(stream, compr_mode_type::none);
  const std::string good = stream.str();
  const auto refused = [&](std::size_t offset, char value) {
    std::string bytes = good;
    bytes[offset] = value;
    std::istringstream input(bytes);
    EncryptionParameters parms = example();
    const std::string thrown = thrown_by([&] { parms.load(input); });
    EXPECT_EQ(parms, example());
    return thrown == "logic_error";
  };
  EXPECT_TRUE(refused(16, 4)) << "no such scheme";
  EXPECT_TRUE(refused(16, 0)) << "a degree without a scheme";
  EXPECT_TRUE(refused(17 + 2, 3)) << "a degree of 200704";
  EXPECT_TRUE(refused(17 + 7, 1)) << "a degree of 2^56";
  EXPECT_TRUE(refused(25 + 1, 2)) << "515 primes";
  EXPECT_TRUE(refused(25 + 7, 1)) << "2^56 primes";
  EXPECT_TRUE(refused(33 + 16 + 7, 0x7f)) << "a prime of 63 bits";
  EXPECT_TRUE(refused(good.size() - 8, 2)) << "CKKS with a plain modulus";
  EXPECT_TRUE(refused(25, 2)) << "fewer primes than follow";
}

}  // namespace
}  // namespace ringlet::test
