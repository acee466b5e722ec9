// SPDX-License-Identifier: Apache-2.0
#include "ringlet/batch_encoder.hpp"

#include "ringlet/decryptor.hpp"
#include "ringlet/encryptor.hpp"
#include "ringlet/error.hpp"
#include "ringlet/evaluator.hpp"
#include "ringlet/key_generator.hpp"
#include "ringlet/primes.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

using Values = std::vector<std::uint64_t>;
using SignedValues = std::vector<std::int64_t>;

Context exact_context(SchemeType scheme, std::size_t degree, std::uint64_t t) {
  EncryptionParameters parms(scheme);
  parms.set_poly_modulus_degree(degree);
  parms.set_coeff_modulus(CoeffModulus::create(degree, {59, 59, 59, 60}));
  parms.set_plain_modulus(Modulus(t));
  return Context(parms, SecurityLevel::none);
}

// m(psi^exponent) by Horner's rule.
std::uint64_t evaluate(const Plaintext& plain, std::uint64_t psi, std::uint64_t exponent,
                       const Modulus& t) {
  const std::uint64_t x = pow_mod(psi, exponent, t);
  std::uint64_t value = 0;
  const auto coefficients = plain.coefficients();
  for (std::size_t i = coefficients.size(); i-- > 0;) {
    value = (t.multiply(value, x) + coefficients[i]) % t.value();
  }
  return value;
}

Values random_values(std::size_t count, std::uint64_t t, std::mt19937_64& rng) {
  Values values(count);
  for (std::uint64_t& value : values) value = rng() % t;
  return values;
}

struct Setting {
  std::size_t degree;
  std::uint64_t t;
};

const std::vector<Setting> kSettings{{2, 5},        {4, 17},       {16, 97}, {64, 257},
                                     {1024, 12289}, {1024, 65537}, {64, 0}};

std::uint64_t plain_modulus(const Setting& setting) {
  return setting.t != 0 ? setting.t : PlainModulus::batching(setting.degree, 58).value();
}

TEST(BatchEncoder, SlotsAreValuesAtPowersOfTheRoot) {
  std::mt19937_64 rng(1);
  for (const Setting& setting : kSettings) {
    const Modulus t(plain_modulus(setting));
    const BatchEncoder encoder(exact_context(SchemeType::bfv, setting.degree, t.value()));
    ASSERT_EQ(encoder.slot_count(), setting.degree);
    const Values values = random_values(setting.degree, t.value(), rng);
    Plaintext plain;
    encoder.encode(values, plain);
    ASSERT_EQ(plain.coeff_count(), setting.degree);
    const std::uint64_t psi = minimal_primitive_root(2 * setting.degree, t);
    std::uint64_t power = 1;
    for (std::size_t i = 0; i < setting.degree / 2; ++i) {
      EXPECT_EQ(evaluate(plain, psi, power, t), values[i]);
      EXPECT_EQ(evaluate(plain, psi, 2 * setting.degree - power, t),
                values[setting.degree / 2 + i]);
      power = 3 * power % (2 * setting.degree);
    }
    Values decoded;
    encoder.decode(plain, decoded);
    EXPECT_EQ(decoded, values);
  }
}

TEST(BatchEncoder, EdgesAndShortVectors) {
  const Context context = exact_context(SchemeType::bgv, 16, 97);
  const BatchEncoder encoder(context);
  Plaintext plain;
  encoder.encode(SignedValues{48, -48, 0, -1, 1}, plain);
  SignedValues decoded;
  encoder.decode(plain, decoded);
  SignedValues expected{48, -48, 0, -1, 1};
  expected.resize(16);
  EXPECT_EQ(decoded, expected);
  Values residues;
  encoder.decode(plain, residues);
  EXPECT_EQ(residues[1], 49u);
  EXPECT_EQ(residues[3], 96u);
  encoder.encode(Values{}, plain);
  encoder.decode(plain, residues);
  EXPECT_EQ(residues, Values(16));
  Values five(16);
  Plaintext constant(1);
  constant.coefficients_for_writing()[0] = 5;
  encoder.decode(constant, std::span(five));
  EXPECT_EQ(five, Values(16, 5));
}

TEST(BatchEncoder, RefusesWhatIsOutOfRange) {
  const Context context = exact_context(SchemeType::bfv, 16, 97);
  const BatchEncoder encoder(context);
  Plaintext plain(3);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  for (const std::uint64_t bad : {std::uint64_t{97}, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    EXPECT_THROW(encoder.encode(Values{1, bad}, plain), InvalidArgument);
  }
  for (const std::int64_t bad : {std::int64_t{49}, std::int64_t{-49}, kMost, kLeast}) {
    EXPECT_THROW(encoder.encode(SignedValues{1, bad}, plain), InvalidArgument);
  }
  EXPECT_THROW(encoder.encode(Values(17), plain), InvalidArgument);
  EXPECT_EQ(plain.coeff_count(), 3u);
  Values decoded(15);
  EXPECT_THROW(encoder.decode(plain, std::span(decoded)), InvalidArgument);
  plain.coefficients_for_writing()[2] = 97;
  EXPECT_THROW(encoder.decode(plain, decoded), InvalidArgument);
  EXPECT_THROW(encoder.decode(Plaintext(17), decoded), InvalidArgument);
  EXPECT_THROW(encoder.decode(Plaintext(*context.first_context_data()), decoded), InvalidArgument);
  EXPECT_THROW(BatchEncoder(exact_context(SchemeType::bfv, 16, 64)), InvalidArgument);
  EXPECT_THROW(BatchEncoder(exact_context(SchemeType::bgv, 16, 101)), InvalidArgument);
  EncryptionParameters ckks(SchemeType::ckks);
  ckks.set_poly_modulus_degree(16);
  ckks.set_coeff_modulus(CoeffModulus::create(16, {40, 40}));
  EXPECT_THROW(BatchEncoder(Context(ckks, SecurityLevel::none)), InvalidArgument);
}

TEST(BatchEncoder, ProductsAndRotationsActOnSlots) {
  std::mt19937_64 rng(2);
  for (const SchemeType scheme : {SchemeType::bfv, SchemeType::bgv}) {
    constexpr std::size_t kDegree = 64;
    constexpr std::size_t kRow = kDegree / 2;
    constexpr std::uint64_t kT = 257;
    const Context context = exact_context(scheme, kDegree, kT);
    const BatchEncoder encoder(context);
    const KeyGenerator generator(context);
    const Encryptor encryptor(context, generator.create_public_key());
    const Decryptor decryptor(context, generator.secret_key());
    const Evaluator evaluator(context);
    const GaloisKeys keys = generator.create_galois_keys();
    const Values a = random_values(kDegree, kT, rng);
    const Values b = random_values(kDegree, kT, rng);
    Plaintext plain_a;
    Plaintext plain_b;
    encoder.encode(a, plain_a);
    encoder.encode(b, plain_b);
    const Ciphertext encrypted = encryptor.encrypt(plain_a);
    const auto slots = [&](const Ciphertext& result) {
      Values values;
      encoder.decode(decryptor.decrypt(result), values);
      return values;
    };
    Ciphertext result;
    evaluator.multiply(encrypted, encryptor.encrypt(plain_b), result);
    Values product(kDegree);
    for (std::size_t i = 0; i < kDegree; ++i) product[i] = a[i] * b[i] % kT;
    EXPECT_EQ(slots(result), product) << to_string(scheme);
    for (const int steps : {0, 1, -1, 5, 31, -31, 16}) {
      evaluator.rotate_rows(encrypted, steps, keys, result);
      Values rotated(kDegree);
      for (std::size_t i = 0; i < kRow; ++i) {
        const std::size_t from = (i + kRow + static_cast<std::size_t>(steps)) % kRow;
        rotated[i] = a[from];
        rotated[kRow + i] = a[kRow + from];
      }
      EXPECT_EQ(slots(result), rotated) << to_string(scheme) << ", steps " << steps;
    }
    evaluator.rotate_columns(encrypted, keys, result);
    Values swapped(a.begin() + kRow, a.end());
    swapped.insert(swapped.end(), a.begin(), a.begin() + kRow);
    EXPECT_EQ(slots(result), swapped) << to_string(scheme);
  }
}

}  // namespace
}  // namespace ringlet::test
