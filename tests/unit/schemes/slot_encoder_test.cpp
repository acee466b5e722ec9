// SPDX-License-Identifier: Apache-2.0
// Bits and elements in slots through plaintexts and encryption, over small rings.

#include "ringlet/ringlet.hpp"
#include "support/flint_poly.hpp"
#include "support/refusal.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

namespace ringlet::test {
namespace {

using Bits = std::vector<std::uint8_t>;

EncryptionParameters parameters_over(const RingSpec& ring, SchemeType scheme, std::uint64_t t) {
  EncryptionParameters parms(scheme);
  parms.set_ring(ring);
  const std::vector<Modulus> primes = CoeffModulus::create(ring, {45, 45, 46});
  parms.set_coeff_modulus({primes[0], primes[1]}, {primes[2]});
  if (t != 0) parms.set_plain_modulus(Modulus(t));
  return parms;
}

Context context_over(const RingSpec& ring, SchemeType scheme, std::uint64_t t = 2) {
  return Context(parameters_over(ring, scheme, t), SecurityLevel::none);
}

Bits random_bits(std::size_t count, std::mt19937_64& rng) {
  Bits bits(count);
  for (auto& bit : bits) bit = static_cast<std::uint8_t>(rng() & 1);
  return bits;
}

class SlotEncoderOf : public ::testing::TestWithParam<SchemeType> {
 protected:
  SlotEncoderOf()
      : context_(context_over(RingSpec::cyclotomic(255), GetParam())),
        encoder_(context_),
        keygen_(context_),
        encryptor_(context_, keygen_.create_public_key()),
        evaluator_(context_),
        decryptor_(context_, keygen_.secret_key()) {}

  Ciphertext encrypted(const Bits& bits) const { return encryptor_.encrypt(encoder_.encode(bits)); }
  Bits decrypted(const Ciphertext& a) { return encoder_.decode(decryptor_.decrypt(a)); }

  Context context_;
  SlotEncoder encoder_;
  KeyGenerator keygen_;
  Encryptor encryptor_;
  Evaluator evaluator_;
  Decryptor decryptor_;
  std::mt19937_64 rng_ = make_rng();
};

TEST_P(SlotEncoderOf, SumsProductsMasksAndOnes) {
  const std::size_t count = encoder_.slot_count();
  ASSERT_EQ(count, 16u);
  ASSERT_EQ(encoder_.slot_degree(), 8u);
  const Bits a = random_bits(count, rng_);
  const Bits b = random_bits(count, rng_);
  const std::vector<std::size_t> chosen{0, 3, 3, 15};
  Ciphertext sum;
  Ciphertext product;
  Ciphertext masked;
  Ciphertext negated;
  evaluator_.add(encrypted(a), encrypted(b), sum);
  evaluator_.multiply(encrypted(a), encrypted(b), product);
  evaluator_.multiply_plain(encrypted(a), encoder_.mask(chosen), masked);
  evaluator_.add_plain(encrypted(a), encoder_.all_ones(), negated);
  evaluator_.relinearize_inplace(product, keygen_.create_relin_keys());
  const Bits sums = decrypted(sum);
  const Bits products = decrypted(product);
  const Bits kept = decrypted(masked);
  const Bits others = decrypted(negated);
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_chosen = i == 0 || i == 3 || i == 15;
    EXPECT_EQ(sums[i], a[i] ^ b[i]);
    EXPECT_EQ(products[i], a[i] & b[i]);
    EXPECT_EQ(kept[i], is_chosen ? a[i] : 0);
    EXPECT_EQ(others[i], a[i] ^ 1);
  }
}

TEST_P(SlotEncoderOf, RotatesAlongEachDimensionByEachStep) {
  const auto sizes = encoder_.dimensions();
  ASSERT_EQ(std::vector<std::size_t>(sizes.begin(), sizes.end()), (std::vector<std::size_t>{8, 2}));
  const GaloisKeys keys = keygen_.create_galois_keys_for_elements(encoder_.rotation_elements());
  EXPECT_EQ(keys.galois_elements().size(), 4u);  // 1, 2, 4 and 1
  const Bits bits = random_bits(16, rng_);
  const Ciphertext fresh = encrypted(bits);
  for (const std::size_t dimension : {0, 1}) {
    const auto size = static_cast<std::int64_t>(sizes[dimension]);
    for (std::int64_t step = -9; step <= 9; ++step) {
      Ciphertext moved = fresh;
      encoder_.rotate_inplace(evaluator_, moved, dimension, step, keys);
      const Bits found = decrypted(moved);
      for (std::size_t i = 0; i < 16; ++i) {
        const auto place = static_cast<std::int64_t>(dimension == 0 ? i / 2 : i % 2);
        const auto from = static_cast<std::size_t>(((place + step) % size + size) % size);
        EXPECT_EQ(found[i], bits[dimension == 0 ? 2 * from + i % 2 : i / 2 * 2 + from])
            << "dimension " << dimension << " step " << step << " slot " << i;
      }
    }
  }
}

TEST_P(SlotEncoderOf, TakesTheKeyOfAStepWhereThereIsOne) {
  const GaloisKeys keys = keygen_.create_galois_keys_for_elements({encoder_.galois_element(0, 3)});
  const Bits bits = random_bits(16, rng_);
  Ciphertext moved = encrypted(bits);
  encoder_.rotate_inplace(evaluator_, moved, 0, -5, keys);
  const Bits found = decrypted(moved);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(found[i], bits[(i + 6) % 16]);
  const Ciphertext before = moved;
  expect_refusal_says("no key for step 1 along dimension 0",
                      [&] { encoder_.rotate_inplace(evaluator_, moved, 0, 1, keys); });
  EXPECT_THROW(encoder_.rotate_inplace(evaluator_, moved, 2, 1, keys), OutOfRange);
  EXPECT_EQ(decrypted(moved), found);
}

TEST_P(SlotEncoderOf, ElementsMultiplyInTheirFields) {
  const Bits a = random_bits(128, rng_);
  const Bits b = random_bits(128, rng_);
  Plaintext plain;
  encoder_.encode_elements(a, plain);
  Ciphertext product = encryptor_.encrypt(plain);
  encoder_.encode_elements(b, plain);
  evaluator_.multiply_inplace(product, encryptor_.encrypt(plain));
  Bits found(128);
  encoder_.decode_elements(decryptor_.decrypt(product), found);
  for (std::size_t i = 0; i < 16; ++i) {
    const auto element = [i](const Bits& all) {
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(8 * i);
      return FlintPoly::from(Bits(first, first + 8));
    };
    const FlintPoly factor = FlintPoly::from(encoder_.slots().factor(i));
    EXPECT_EQ(element(found), element(a) * element(b) % factor) << "slot " << i;
  }
}

TEST_P(SlotEncoderOf, ShortPlaintextsAreWhole) {
  EXPECT_EQ(encoder_.decode(encoder_.all_ones()), Bits(16, 1));
  EXPECT_EQ(encoder_.decode(Plaintext()), Bits(16, 0));
  EXPECT_EQ(encoder_.decode(decryptor_.decrypt(encrypted(Bits(16, 0)))), Bits(16, 0));
}

TEST_P(SlotEncoderOf, BadMessagesAreRefused) {
  Plaintext plain = encoder_.encode(Bits{1});
  const Bits before = encoder_.decode(plain);
  expect_refusal_says("17 bits", [&] { encoder_.encode(Bits(17), plain); });
  expect_refusal_says("bit 1 is 3", [&] { encoder_.encode(Bits{0, 3}, plain); });
  expect_refusal_says("129", [&] { encoder_.encode_elements(Bits(129), plain); });
  EXPECT_EQ(encoder_.decode(plain), before);
  const std::vector<std::size_t> chosen{16};
  EXPECT_THROW(encoder_.mask(chosen), OutOfRange);
  Bits bits(15, 9);
  expect_refusal_says("15 bits", [&] { encoder_.decode(plain, bits); });
  bits.resize(16, 9);
  Plaintext long_one(129);
  expect_refusal_says("129 coefficients", [&] { encoder_.decode(long_one, bits); });
  plain.coefficients_for_writing()[5] = 2;
  expect_refusal_says("coefficient 5 is 2", [&] { encoder_.decode(plain, bits); });
  Plaintext power(2);
  power.coefficients_for_writing()[1] = 1;
  expect_refusal_says("slot 0 holds another element", [&] { encoder_.decode(power, bits); });
  EXPECT_EQ(bits, Bits(16, 9));
}

INSTANTIATE_TEST_SUITE_P(Schemes, SlotEncoderOf,
                         ::testing::Values(SchemeType::bfv, SchemeType::bgv));

TEST(SlotEncoder, OtherContextsAreRefused) {
  const RingSpec odd = RingSpec::cyclotomic(31);
  const auto make = [](const Context& context) { SlotEncoder encoder(context); };
  expect_refusal_says("set the plain modulus to 2",
                      [&] { make(context_over(odd, SchemeType::bfv, 3)); });
  expect_refusal_says("BatchEncoder",
                      [&] { make(context_over(RingSpec::power_of_two(64), SchemeType::bgv)); });
  expect_refusal_says("CKKSEncoder",
                      [&] { make(context_over(RingSpec::power_of_two(64), SchemeType::ckks, 0)); });
  expect_refusal_says("multiples of 4",
                      [&] { make(context_over(RingSpec::cyclotomic(60), SchemeType::bfv, 7)); });
}

TEST(SlotEncoder, TwiceAnOddIndexIsTheRingOfThat) {
  const Context context = context_over(RingSpec::cyclotomic(62), SchemeType::bfv);
  EXPECT_EQ(SlotEncoder(context).slots().index(), 31u);
}

}  // namespace
}  // namespace ringlet::test
