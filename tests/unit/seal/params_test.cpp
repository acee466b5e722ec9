// SPDX-License-Identifier: Apache-2.0
#include <climits>
#include <unordered_map>

#include <flint/ulong_extras.h>

#include "seal/context.h"
#include "seal/randomgen.h"
#include "support/reference/big_integer.hpp"
#include "unit/seal/files/frame_streams.hpp"
#include "unit/seal/files/parameter_vectors.hpp"

namespace ringlet::test {
namespace {

using namespace seal;              // NOLINT(google-build-using-namespace)
using seal::EncryptionParameters;  // and not Ringlet's own
using seal::Modulus;

constexpr std::uint64_t kLargest = (std::uint64_t{1} << 61) - 1;

std::vector<std::uint64_t> values_of(const std::vector<Modulus>& moduli) {
  std::vector<std::uint64_t> values;
  for (const Modulus& modulus : moduli) values.push_back(modulus.value());
  return values;
}

/// The low and the high word of floor(2^128/q), and the remainder, by GMP.
std::array<std::uint64_t, 3> divided(std::uint64_t q) {
  Integer number(1);
  Integer quotient;
  mpz_mul_2exp(number.get(), number.get(), 128);
  const std::uint64_t remainder = mpz_fdiv_q_ui(quotient.get(), number.get(), q);
  return {mpz_getlimbn(quotient.get(), 0), mpz_getlimbn(quotient.get(), 1), remainder};
}

TEST(SealModulus, values_at_the_edges) {
  EXPECT_TRUE(Modulus().is_zero());
  EXPECT_EQ(Modulus(0).bit_count(), 0);
  EXPECT_FALSE(Modulus(0).is_prime());
  EXPECT_EQ(Modulus(0).const_ratio(), (std::array<std::uint64_t, 3>{0, 0, 0}));
  EXPECT_EQ(Modulus(0).uint64_count(), 1u);
  EXPECT_LOGIC_ERROR(Modulus().reduce(5));
  EXPECT_INVALID_ARGUMENT(Modulus(1));
  EXPECT_INVALID_ARGUMENT(Modulus(kLargest + 1));
  EXPECT_INVALID_ARGUMENT(Modulus(~std::uint64_t{0}));
  EXPECT_EQ(Modulus(kLargest).bit_count(), 61);
  EXPECT_TRUE(Modulus(kLargest).is_prime());
  EXPECT_EQ(*Modulus(kLargest).data(), kLargest);
}

TEST(SealModulus, ratio_reduction_and_primality_by_gmp_and_flint) {
  auto rng = make_rng();
  std::vector<std::uint64_t> moduli{2, 3, 4, 5, 12, 65537, kLargest, kLargest - 1};
  for (int bits = 2; bits <= 61; ++bits) {
    moduli.push_back(std::uint64_t{1} << (bits - 1));
    moduli.push_back((std::uint64_t{1} << bits) - 1);
    moduli.push_back(n_nextprime(std::uint64_t{1} << (bits - 1), 1));
  }
  for (const std::uint64_t q : moduli) {
    SCOPED_TRACE(q);
    const Modulus modulus = q;
    EXPECT_EQ(modulus.value(), q);
    EXPECT_FALSE(modulus.is_zero());
    EXPECT_EQ(modulus.bit_count(), static_cast<int>(FLINT_BIT_COUNT(q)));
    EXPECT_EQ(modulus.const_ratio(), divided(q));
    EXPECT_EQ(modulus.is_prime(), n_is_prime(q) != 0);
    for (const std::uint64_t x :
         {std::uint64_t{0}, q - 1, q, q + 1, 2 * q - 1, 4 * q - 1, ~std::uint64_t{0}, rng()}) {
      EXPECT_EQ(modulus.reduce(x), x % q) << x;
    }
  }
}

TEST(SealModulus, comparisons_with_moduli_and_numbers) {
  const Modulus a = 17, b = 19;
  EXPECT_TRUE(a == Modulus(17) && a == 17u && a != b && a != 19u);
  EXPECT_FALSE(a != Modulus(17) || a != 17u || a == b || a == 19u);
  EXPECT_TRUE(a < b && a <= b && a <= a && b > a && b >= a && a >= a);
  EXPECT_FALSE(b < a || b <= a || a > b || a >= b || a < a || a > a);
  EXPECT_TRUE(a < 19u && a <= 17u && a > 16u && a >= 17u);
  EXPECT_FALSE(a < 17u || a <= 16u || a > 17u || a >= 18u);
}

TEST(SealModulus, a_refused_assignment_changes_nothing) {
  Modulus modulus = 17;
  modulus = 12;
  EXPECT_EQ(modulus, 12u);
  EXPECT_EQ(modulus.reduce(25), 1u);
  EXPECT_INVALID_ARGUMENT(modulus = 1);
  EXPECT_EQ(modulus, 12u);
  EXPECT_EQ(modulus.reduce(25), 1u);
}

static_assert(noexcept(CoeffModulus::MaxBitCount(0)) && CoeffModulus::MaxBitCount(4096) == 109 &&
              CoeffModulus::MaxBitCount(8191, sec_level_type::none) == INT_MAX);

TEST(SealCoeffModulus, largest_bit_counts_as_seal_gives_them) {
  std::size_t lines = 0;
  for (std::istringstream& line : parameter_vectors("max_bits")) {
    int level = 0, bits = 0;
    std::size_t degree = 0;
    line >> level >> degree >> bits;
    EXPECT_EQ(CoeffModulus::MaxBitCount(degree, static_cast<sec_level_type>(level)), bits)
        << degree << " at level " << level;
    ++lines;
  }
  EXPECT_EQ(lines, 40u);
}

TEST(SealCoeffModulus, default_primes_as_seal_gives_them) {
  std::size_t lines = 0;
  for (std::istringstream& line : parameter_vectors("default")) {
    int level = 0;
    std::size_t degree = 0;
    std::string primes;
    line >> level >> degree >> primes;
    SCOPED_TRACE(testing::Message() << degree << " at level " << level);
    const auto sec_level = static_cast<sec_level_type>(level);
    const std::vector<Modulus> chosen = CoeffModulus::BFVDefault(degree, sec_level);
    EXPECT_EQ(values_of(chosen), values_of(parse_moduli(primes)));
    int bits = 0;
    for (const Modulus& prime : chosen) {
      EXPECT_TRUE(prime.is_prime());
      EXPECT_EQ(prime.value() % (2 * degree), 1u);
      bits += prime.bit_count();
    }
    EXPECT_LE(bits, CoeffModulus::MaxBitCount(degree, sec_level) + static_cast<int>(chosen.size()));
    ++lines;
  }
  EXPECT_EQ(lines, 18u);
  EXPECT_EQ(values_of(CoeffModulus::BFVDefault(4096)),
            (std::vector<std::uint64_t>{0xffffee001, 0xffffc4001, 0x1ffffe0001}));
}

TEST(SealCoeffModulus, default_primes_exist_for_tabulated_degrees_alone) {
  for (const std::size_t degree : {0u, 1u, 512u, 1023u, 65536u}) {
    for (const auto level : {sec_level_type::tc128, sec_level_type::tc192, sec_level_type::tc256}) {
      EXPECT_INVALID_ARGUMENT(CoeffModulus::BFVDefault(degree, level));
    }
  }
  EXPECT_INVALID_ARGUMENT(CoeffModulus::BFVDefault(4096, sec_level_type::none));
}

TEST(SealCoeffModulus, created_primes_as_seal_chooses_them) {
  EXPECT_EQ(values_of(CoeffModulus::Create(8192, {60, 40, 40, 60})),
            (std::vector<std::uint64_t>{0xffffffffffe8001, 0xfffff4c001, 0xfffffdc001,
                                        0xfffffffffffc001}));
  EXPECT_TRUE(CoeffModulus::Create(8192, {}).empty());
  EXPECT_EQ(values_of(CoeffModulus::Create(2, {3})), std::vector<std::uint64_t>{5});
  std::size_t lines = 0;
  for (std::istringstream& line : parameter_vectors("create")) {
    std::size_t degree = 0;
    std::string sizes, primes;
    line >> degree >> sizes >> primes;
    std::vector<int> bit_sizes;
    for (const std::string& part : split(sizes, ',')) bit_sizes.push_back(std::stoi(part));
    EXPECT_EQ(values_of(CoeffModulus::Create(degree, bit_sizes)), values_of(parse_moduli(primes)))
        << degree << ": " << sizes;
    EXPECT_EQ(values_of(PlainModulus::Batching(degree, bit_sizes)),
              values_of(parse_moduli(primes)));
    ++lines;
  }
  EXPECT_GE(lines, 6u);
}

TEST(SealCoeffModulus, the_largest_primes_of_a_size_by_flint) {
  for (const int bits : {7, 9, 13, 20}) {
    std::vector<std::uint64_t> all;  // decreasing
    for (std::uint64_t q = (std::uint64_t{1} << bits) - 1; q >> (bits - 1) == 1; --q) {
      if (q % 16 == 1 && n_is_prime(q)) all.push_back(q);
    }
    const std::size_t count = std::min<std::size_t>(all.size(), 256);
    const std::vector<int> sizes(count, bits);
    const std::vector<std::uint64_t> chosen = values_of(CoeffModulus::Create(8, sizes));
    std::vector<std::uint64_t> expected(all.begin(),
                                        all.begin() + static_cast<std::ptrdiff_t>(count));
    std::reverse(expected.begin(), expected.end());
    EXPECT_EQ(chosen, expected) << bits;
    if (count == all.size()) {
      EXPECT_LOGIC_ERROR(CoeffModulus::Create(8, std::vector<int>(count + 1, bits))) << bits;
    }
  }
}

TEST(SealCoeffModulus, requests_outside_the_limits) {
  for (const std::size_t degree : {0u, 1u, 3u, 8191u, 262144u}) {
    EXPECT_INVALID_ARGUMENT(CoeffModulus::Create(degree, {30}));
    EXPECT_INVALID_ARGUMENT(CoeffModulus::Create(degree, 17, {30}));
    EXPECT_INVALID_ARGUMENT(CoeffModulus::Create(degree, {}));
  }
  for (const int bits : {-1, 0, 1, 61, 62}) {
    EXPECT_INVALID_ARGUMENT(CoeffModulus::Create(8, {30, bits}));
    EXPECT_INVALID_ARGUMENT(PlainModulus::Batching(8, bits));
  }
  EXPECT_INVALID_ARGUMENT(CoeffModulus::Create(8, std::vector<int>(257, 40)));
  EXPECT_EQ(CoeffModulus::Create(8, std::vector<int>(256, 40)).size(), 256u);
  // Within the limits, but 17 bits have no prime that is 1 modulo 2^18.
  EXPECT_LOGIC_ERROR(CoeffModulus::Create(131072, {17}));
}

TEST(SealCoeffModulus, primes_that_keep_the_correction_factor) {
  for (const std::uint64_t t : {3u, 17u, 65537u, 1032193u, 12u}) {
    const std::vector<Modulus> primes = CoeffModulus::Create(4096, t, {50, 60, 50});
    ASSERT_EQ(primes.size(), 3u);
    const std::uint64_t factor = n_gcd(8192, t);
    for (const Modulus& prime : primes) {
      EXPECT_TRUE(n_is_prime(prime.value()));
      EXPECT_EQ(prime.value() % 8192, 1u);
      EXPECT_EQ(prime.value() % t, 1u) << t;
    }
    EXPECT_LT(primes[0], primes[2]);
    // No larger prime was skipped.
    const std::uint64_t step = 8192 / factor * t;
    for (std::uint64_t q = primes[1].value() + step; q >> 60 == 0; q += step) {
      EXPECT_FALSE(n_is_prime(q)) << q;
    }
  }
  EXPECT_INVALID_ARGUMENT(CoeffModulus::Create(4096, 0, {50}));
  // Within the limits, but lcm(8192, t) has 65 and 74 bits; the first wraps around to 8192.
  EXPECT_LOGIC_ERROR(CoeffModulus::Create(4096, (std::uint64_t{1} << 51) + 1, {50}));
  EXPECT_LOGIC_ERROR(CoeffModulus::Create(4096, kLargest, {50}));
}

TEST(SealPlainModulus, batching) {
  EXPECT_EQ(PlainModulus::Batching(8192, 20), 1032193u);
  EXPECT_EQ(PlainModulus::Batching(2, 60).value() % 4, 1u);
}

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
    parms.set_poly_modulus_degree(12345);  // only SEALContext checks it
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
  auto factory = std::make_shared<Blake2xbPRNGFactory>(prng_seed_type{1, 2, 3});
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
  EXPECT_EQ(std::hash<parms_id_type>{}(parms_id_zero), std::size_t{17} * 31 * 31 * 31 * 31);
  std::unordered_map<EncryptionParameters, int> table{{a, 1}, {b, 2}};
  EXPECT_EQ(table.at(example(scheme_type::bgv)), 2);
}

TEST(SealParameters, moduli_come_back) {
  EXPECT_EQ(
      saved(Modulus(17)),
      as_bytes(std::string("\x5e\xa1\x10\4\4\0\0\0\x18\0\0\0\0\0\0\0\x11\0\0\0\0\0\0\0", 24)));
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{2}, std::uint64_t{65537}, (std::uint64_t{1} << 61) - 1}) {
    const Bytes file = saved(Modulus(value));
    expect_round_trips(Modulus(value), file, std::vector<Modulus>{4});
    Modulus loaded = 4;
    loaded.load(file.data(), file.size());
    EXPECT_EQ(loaded.is_prime(), Modulus(value).is_prime());
  }
}

TEST(SealParameters, parameters_come_back) {
  for (const scheme_type scheme : kAllSchemes) {
    const EncryptionParameters parms = example(scheme);
    EXPECT_EQ(saved(parms).size(), 16u + 1 + 8 + 8 + 4 * 24);
    const EncryptionParameters unset(scheme);
    expect_round_trips(unset, saved(unset), std::vector{parms});
  }
  expect_round_trips(EncryptionParameters(), saved(EncryptionParameters()), std::vector{example()});
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
