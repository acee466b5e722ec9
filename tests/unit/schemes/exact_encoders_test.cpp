// SPDX-License-Identifier: Apache-2.0
// Integers in slots modulo X^N + 1, and bits and elements in slots over small cyclotomic rings:
// through plaintexts and encryption.

#include "unit/schemes/exact_support.hpp"

namespace ringlet::test {
namespace {

using SignedValues = std::vector<std::int64_t>;

Context batch_context(SchemeType scheme, std::size_t degree, std::uint64_t t) {
  return exact_context(scheme, {degree, t, {59, 59, 59}, {60}});
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

TEST(BatchEncoder, SlotsAreValuesAtPowersOfTheRoot) {
  auto rng = make_rng();
  const std::vector<std::pair<std::size_t, std::uint64_t>> kSettings{
      {2, 5},
      {4, 17},
      {16, 97},
      {64, 257},
      {1024, 12289},
      {1024, 65537},
      {64, PlainModulus::batching(64, 58).value()}};
  for (const auto& [degree, plain_modulus] : kSettings) {
    const Modulus t(plain_modulus);
    const BatchEncoder encoder(batch_context(SchemeType::bfv, degree, t.value()));
    ASSERT_EQ(encoder.slot_count(), degree);
    const Words values = random_values(degree, t.value(), rng);
    Plaintext plain;
    encoder.encode(values, plain);
    ASSERT_EQ(plain.coeff_count(), degree);
    const std::uint64_t psi = minimal_primitive_root(2 * degree, t);
    std::uint64_t power = 1;
    for (std::size_t i = 0; i < degree / 2; ++i) {
      EXPECT_EQ(evaluate(plain, psi, power, t), values[i]);
      EXPECT_EQ(evaluate(plain, psi, 2 * degree - power, t), values[degree / 2 + i]);
      power = 3 * power % (2 * degree);
    }
    Words decoded;
    encoder.decode(plain, decoded);
    EXPECT_EQ(decoded, values);
  }
}

TEST(BatchEncoder, EdgesAndShortVectors) {
  const BatchEncoder encoder(batch_context(SchemeType::bgv, 16, 97));
  Plaintext plain;
  SignedValues expected{48, -48, 0, -1, 1};
  encoder.encode(expected, plain);
  SignedValues decoded;
  encoder.decode(plain, decoded);
  expected.resize(16);
  EXPECT_EQ(decoded, expected);
  Words residues;
  encoder.decode(plain, residues);
  EXPECT_EQ(residues[1], 49u);
  EXPECT_EQ(residues[3], 96u);
  encoder.encode(Words{}, plain);
  encoder.decode(plain, residues);
  EXPECT_EQ(residues, Words(16));
  Words five(16);
  encoder.decode(plain_of({5}), std::span(five));
  EXPECT_EQ(five, Words(16, 5));
}

TEST(BatchEncoder, RefusesWhatIsOutOfRange) {
  const Context context = batch_context(SchemeType::bfv, 16, 97);
  const BatchEncoder encoder(context);
  Plaintext plain(3);
  for (const std::uint64_t bad : {std::uint64_t{97}, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    EXPECT_THROW(encoder.encode(Words{1, bad}, plain), InvalidArgument);
  }
  using Limits = std::numeric_limits<std::int64_t>;
  for (const std::int64_t bad :
       {std::int64_t{49}, std::int64_t{-49}, Limits::max(), Limits::min()}) {
    EXPECT_THROW(encoder.encode(SignedValues{1, bad}, plain), InvalidArgument);
  }
  EXPECT_THROW(encoder.encode(Words(17), plain), InvalidArgument);
  EXPECT_EQ(plain.coeff_count(), 3u);
  Words decoded(15);
  EXPECT_THROW(encoder.decode(plain, std::span(decoded)), InvalidArgument);
  plain.coefficients_for_writing()[2] = 97;
  EXPECT_THROW(encoder.decode(plain, decoded), InvalidArgument);
  EXPECT_THROW(encoder.decode(Plaintext(17), decoded), InvalidArgument);
  EXPECT_THROW(encoder.decode(Plaintext(*context.first_context_data()), decoded), InvalidArgument);
  EXPECT_THROW(BatchEncoder(batch_context(SchemeType::bfv, 16, 64)), InvalidArgument);
  EXPECT_THROW(BatchEncoder(batch_context(SchemeType::bgv, 16, 101)), InvalidArgument);
  EXPECT_THROW(BatchEncoder(toy_context(16, {40, 40})), InvalidArgument);
}

TEST(BatchEncoder, NoErrorQuotesTheMessage) {
  const Context context = batch_context(SchemeType::bfv, 16, 97);
  const Context numbers = toy_context(16, {40, 40});
  const CKKSEncoder ckks(numbers);
  const CyclotomicSlots slots(15);
  Words bits(slots.degree());
  Plaintext bad(3);
  Plaintext plain;
  bad.coefficients_for_writing()[1] = 2'468'135;
  for (const std::function<void()>& call : std::initializer_list<std::function<void()>>{
           [&] { BatchEncoder(context).encode(Words{1, 2'468'135}, plain); },
           [&] { BatchEncoder(context).encode(SignedValues{1, -2'468'135}, plain); },
           [&] { load<Plaintext>(context, save(bad)); },
           [&] { Evaluator(context).transform_to_ntt(bad, context.first_parms_id(), plain); },
           [&] { ckks.encode(std::int64_t{2'468'135} << 40, plain); },
           [&] { ckks.encode(2'468'135.0, 0x1p60, plain); },
           [&] { ckks.encode(std::vector<double>{1, 2'468'135}, 0x1p60, plain); },
           [&] { ckks.encode(std::vector<double>{1, HUGE_VAL}, 0x1p20, plain); },
           [&] { slots.encode(bits, std::vector<std::uint8_t>{1, 246}); },
       }) {
    expect_error<InvalidArgument>("a message", call, [](const InvalidArgument& error) {
      for (const char* quoted : {"246", "2^61", "2^62", "2^81", "2^82", "inf"}) {
        EXPECT_EQ(error.offending().find(quoted), std::string::npos) << error.what();
      }
    });
  }
}

// Products of slots, and every rotation of rows and of columns.
TEST(BatchEncoder, ProductsAndRotationsActOnSlots) {
  for (const SchemeType scheme : {SchemeType::bfv, SchemeType::bgv}) {
    for (const std::size_t degree : {4, 64}) {
      SCOPED_TRACE(std::string(to_string(scheme)) + ", N = " + std::to_string(degree));
      const Exact exact(batch_context(scheme, degree, PlainModulus::batching(degree, 12).value()));
      const BatchEncoder encoder(exact.context);
      auto rng = make_rng(degree);
      const Words values = random_values(degree, exact.t(), rng);
      Plaintext plain;
      encoder.encode(values, plain);
      const Ciphertext a = exact.encryptor.encrypt_symmetric(plain);
      const auto slots_of = [&](const Ciphertext& result) {
        Words slots;
        encoder.decode(exact.decryptor.decrypt(result), slots);
        return slots;
      };
      const Evaluator& e = exact.evaluator;
      Words squares = values;
      for (std::uint64_t& value : squares) value = value * value % exact.t();
      EXPECT_EQ(slots_of(result_of(e, &Evaluator::square, a)), squares);
      const auto row = static_cast<int>(degree / 2);
      for (int steps = 1 - row; steps < row; ++steps) {
        Words rotated = values;
        const auto half = rotated.begin() + row;
        const int left = (steps + row) % row;
        std::rotate(rotated.begin(), rotated.begin() + left, half);
        std::rotate(half, half + left, rotated.end());
        EXPECT_EQ(slots_of(result_of(e, &Evaluator::rotate_rows, a, steps, exact.galois_keys)),
                  rotated)
            << steps;
      }
      Words swapped = values;
      std::rotate(swapped.begin(), swapped.begin() + row, swapped.end());
      EXPECT_EQ(slots_of(result_of(e, &Evaluator::rotate_columns, a, exact.galois_keys)), swapped);
    }
  }
}

using Bits = std::vector<std::uint8_t>;

Context context_over(const RingSpec& ring, SchemeType scheme, std::uint64_t t = 2) {
  return context_of(parameters_of(scheme, ring, {45, 45}, {46}, t));
}

Bits random_bits(std::size_t count, std::mt19937_64& rng) {
  Bits bits(count);
  for (auto& bit : bits) bit = static_cast<std::uint8_t>(rng() & 1);
  return bits;
}

class SlotEncoderOf : public ::testing::TestWithParam<SchemeType> {
 protected:
  Ciphertext encrypted(const Bits& bits) const {
    return exact_.encryptor.encrypt(encoder_.encode(bits));
  }
  Bits decrypted(const Ciphertext& a) const { return encoder_.decode(exact_.decryptor.decrypt(a)); }
  template <typename Function, typename... Operands>
  Bits result(Function function, const Operands&... operands) const {
    return decrypted(result_of(exact_.evaluator, function, operands...));
  }

  const Exact exact_{context_over(RingSpec::cyclotomic(255), GetParam())};
  const SlotEncoder encoder_{exact_.context};
  const Evaluator& evaluator_ = exact_.evaluator;
  std::mt19937_64 rng_ = make_rng();
};

TEST_P(SlotEncoderOf, SumsProductsMasksAndOnes) {
  ASSERT_EQ(encoder_.slot_count(), 16u);
  ASSERT_EQ(encoder_.slot_degree(), 8u);
  const Bits a = random_bits(16, rng_);
  const Bits b = random_bits(16, rng_);
  const Ciphertext x = encrypted(a);
  const Ciphertext y = encrypted(b);
  const std::vector<std::size_t> chosen{0, 3, 3, 15};
  const Ciphertext product = result_of(evaluator_, &Evaluator::multiply, x, y);
  const Bits sums = result(&Evaluator::add, x, y);
  const Bits products = result(&Evaluator::relinearize, product, exact_.relin_keys);
  const Bits kept = result(&Evaluator::multiply_plain, x, encoder_.mask(chosen));
  const Bits others = result(&Evaluator::add_plain, x, encoder_.all_ones());
  for (std::size_t i = 0; i < 16; ++i) {
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
  const GaloisKeys keys =
      exact_.keygen.create_galois_keys_for_elements(encoder_.rotation_elements());
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
  const GaloisKeys keys =
      exact_.keygen.create_galois_keys_for_elements({encoder_.galois_element(0, 3)});
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
  Ciphertext product = exact_.encryptor.encrypt(plain);
  encoder_.encode_elements(b, plain);
  evaluator_.multiply_inplace(product, exact_.encryptor.encrypt(plain));
  Bits found(128);
  encoder_.decode_elements(exact_.decryptor.decrypt(product), found);
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
  EXPECT_EQ(decrypted(encrypted(Bits(16, 0))), Bits(16, 0));
}

TEST_P(SlotEncoderOf, BadMessagesAreRefused) {
  Plaintext plain = encoder_.encode(Bits{1});
  const Bits before = encoder_.decode(plain);
  expect_refusal_says("17 bits", [&] { encoder_.encode(Bits(17), plain); });
  expect_refusal_says("bit 1 is out of range", [&] { encoder_.encode(Bits{0, 3}, plain); });
  expect_refusal_says("129", [&] { encoder_.encode_elements(Bits(129), plain); });
  EXPECT_EQ(encoder_.decode(plain), before);
  EXPECT_THROW(encoder_.mask(std::vector<std::size_t>{16}), OutOfRange);
  const auto expect_decode_refused = [&](const std::string& text, const Plaintext& bad,
                                         std::size_t count) {
    Bits bits(count, 9);
    expect_refusal_says(text, [&] { encoder_.decode(bad, bits); });
    EXPECT_EQ(bits, Bits(count, 9));
  };
  expect_decode_refused("15 bits", plain, 15);
  expect_decode_refused("129 coefficients", Plaintext(129), 16);
  expect_decode_refused("coefficient 5 is out of range", plain_of({0, 0, 0, 0, 0, 2}), 16);
  expect_decode_refused("slot 0 holds another element", plain_of({0, 1}), 16);
}

INSTANTIATE_TEST_SUITE_P(Schemes, SlotEncoderOf,
                         ::testing::Values(SchemeType::bfv, SchemeType::bgv));

TEST(SlotEncoder, OtherContextsAreRefused) {
  const RingSpec odd = RingSpec::cyclotomic(31);
  const auto make = [](const Context& context) { SlotEncoder encoder(context); };
  expect_refusal_says("set the plain modulus to 2",
                      [&] { make(context_over(odd, SchemeType::bfv, 3)); });
  expect_refusal_says("batching with a larger t",
                      [&] { make(context_over(RingSpec::power_of_two(64), SchemeType::bgv)); });
  expect_refusal_says("the encoder of ckks",
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
