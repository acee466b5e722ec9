// SPDX-License-Identifier: Apache-2.0
// Results take the memory of their destination where that costs no value, and are the same there.

#include "unit/schemes/exact_support.hpp"

namespace ringlet::test {
namespace {

constexpr std::size_t kDegree = 64;

/// Services of a scheme with a message, a destination of other words, and expectations on both.
class Destinations : public ::testing::TestWithParam<SchemeType> {
 protected:
  Destinations() : own_(exact_context(GetParam(), {kDegree, 257, {50, 40, 45}, {60}}), 1) {
    if (is_ckks()) {
      CKKSEncoder(own_.context).encode(0.75, 0x1p30, plain_);
    } else {
      plain_ = plain_of({1, 2, 3});
    }
    a_ = own_.encryptor.encrypt(plain_);
  }

  bool is_ckks() const { return GetParam() == SchemeType::ckks; }
  Encryptor encryptor(const RandomSource& random) const {
    return Encryptor(own_.context, public_key_, own_.keygen.secret_key(), random);
  }
  Words words_of(const Ciphertext& a) const {
    Words words;
    for (std::size_t k = 0; k < a.size(); ++k) {
      for (std::size_t i = 0; i < a.coeff_modulus_size(); ++i) {
        const auto limb = a.view(k).limb(i);
        words.insert(words.end(), limb.begin(), limb.end());
      }
    }
    return words;
  }
  void expect_equal(const Ciphertext& a, const Ciphertext& b) const {
    EXPECT_EQ(words_of(a), words_of(b));
    EXPECT_EQ(a.parms_id(), b.parms_id());
    EXPECT_EQ(a.form(), b.form());
    EXPECT_EQ(a.key_id(), b.key_id());
    EXPECT_EQ(a.scale(), b.scale());
    EXPECT_EQ(a.correction_factor(), b.correction_factor());
  }

  Services own_;
  PublicKey public_key_ = own_.keygen.create_public_key();
  Plaintext plain_;
  Ciphertext a_;
};

TEST_P(Destinations, EncryptionsKeepTheMemoryOfTheirShape) {
  using Call = void (*)(const Encryptor&, const Plaintext&, const ParmsId&, Ciphertext&);
  const Call calls[] = {
      [](auto& e, auto& plain, auto&, auto& d) { e.encrypt(plain, d); },
      [](auto& e, auto& plain, auto&, auto& d) { e.encrypt_symmetric(plain, d); },
      [](auto& e, auto&, auto& level, auto& d) { e.encrypt_zero(level, d); },
      [](auto& e, auto&, auto& level, auto& d) { e.encrypt_zero_symmetric(level, d); },
  };
  const ParmsId& level = own_.context.first_parms_id();
  for (const Call call : calls) {
    const Encryptor first = encryptor(RandomSource::for_testing(2));
    const Encryptor again = encryptor(RandomSource::for_testing(2));
    Ciphertext fresh;
    call(first, plain_, level, fresh);
    Ciphertext kept = a_;
    kept.scale() = 3.0;
    kept.correction_factor() = 5;
    const std::uint64_t* const words = kept.view(0).data;
    call(again, plain_, level, kept);
    EXPECT_EQ(kept.view(0).data, words);
    expect_equal(kept, fresh);

    const Encryptor failing = encryptor(RandomSource::from_generator(
        [](std::span<std::uint8_t, kSeedBytes>) { throw std::runtime_error("no randomness"); }));
    EXPECT_THROW(call(failing, plain_, level, kept), std::runtime_error);
    expect_equal(kept, fresh);
  }
}

TEST_P(Destinations, VacantPlacesTakeResultsThatMayBeRefused) {
  using Call = std::function<void(Ciphertext&)>;
  const Evaluator& e = own_.evaluator;
  Ciphertext product;
  e.multiply(a_, a_, product);
  std::vector<Call> calls{
      [&](auto& d) { e.multiply(a_, a_, d); },
      [&](auto& d) { e.square(a_, d); },
      [&](auto& d) { e.multiply_plain(a_, plain_, d); },
      [&](auto& d) { e.relinearize(product, own_.relin_keys, d); },
      [&](auto& d) { e.apply_galois(a_, 3, own_.galois_keys, d); },
      [&](auto& d) { e.mod_switch_to_next(a_, d); },
      [&](auto& d) { e.add(a_, a_, d); },
  };
  if (is_ckks()) calls.emplace_back([&](auto& d) { e.rescale_to_next(a_, d); });
  for (const Call& call : calls) {
    Ciphertext fresh;
    call(fresh);
    Words words(words_of(fresh).size());
    const ContextData& level = own_.level(fresh);
    Ciphertext place =
        Ciphertext::borrow(level, fresh.size(), fresh.form(), words.data(), Contents::unspecified);
    call(place);
    expect_equal(place, fresh);
    EXPECT_EQ(words, words_of(fresh));
    EXPECT_FALSE(place.is_vacant());
    // Of another shape, the place stays as it is.
    Words others(words.size() + kDegree * level.prime_count(), 7);
    Ciphertext other = Ciphertext::borrow(level, fresh.size() + 1, fresh.form(), others.data(),
                                          Contents::unspecified);
    call(other);
    expect_equal(other, fresh);
    EXPECT_EQ(others, Words(others.size(), 7));
  }
}

TEST_P(Destinations, PlacesAreOperandsOnceWrittenAndThenKeepTheirValue) {
  const Evaluator& e = own_.evaluator;
  Words unwritten(words_of(a_).size());
  Ciphertext place =
      Ciphertext::borrow(own_.level(a_), 2, a_.form(), unwritten.data(), Contents::unspecified);
  EXPECT_THROW(e.mod_switch_to_next_inplace(place), InvalidArgument);
  EXPECT_EQ(place.size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t i = 0; i < 3; ++i) {
      std::ranges::copy(a_.view(k).limb(i), place.view_for_writing(k).limb(i).begin());
    }
  }
  place.scale() = a_.scale();
  Ciphertext lower;
  e.mod_switch_to_next(a_, lower);
  e.mod_switch_to_next_inplace(place);
  EXPECT_EQ(words_of(place), words_of(lower));
  // Borrowed words with a value keep it if the result is refused.
  Plaintext zero = plain_;
  if (is_ckks()) {
    for (std::size_t i = 0; i < 3; ++i) std::ranges::fill(zero.ntt_view_for_writing().limb(i), 0);
  } else {
    zero = plain_of({0});
  }
  Words words = words_of(a_);
  const Words before = words;
  Ciphertext kept = Ciphertext::borrow(own_.level(a_), 2, a_.form(), words.data(), Contents::zero);
  EXPECT_THROW(e.multiply_plain(a_, zero, kept), LogicError);
  EXPECT_EQ(words, before);
}

TEST_P(Destinations, KeysAndMessagesTakeGivenMemory) {
  const ContextData& level = *own_.context.key_context_data();
  const std::size_t poly_words = level.prime_count() * kDegree;
  Words secret(poly_words);
  const SecretKey key = KeyGenerator::create_secret_key(
      own_.context, RandomSource::for_testing(7), SecretKey::borrow(own_.context, secret.data()));
  EXPECT_EQ(key.view().data, secret.data());
  const SecretKey same =
      KeyGenerator::create_secret_key(own_.context, RandomSource::for_testing(7));
  for (std::size_t i = 0; i < level.prime_count(); ++i) {
    EXPECT_TRUE(std::ranges::equal(key.view().limb(i), same.view().limb(i)));
  }

  std::vector<Words> blocks;
  const auto memory = [&](const ContextData& at) {
    blocks.emplace_back(2 * poly_words);
    return Ciphertext::borrow(at, 2, Form::ntt, blocks.back().data());
  };
  const RandomSource random = RandomSource::for_testing(8);
  const RelinKeys made =
      KeyGenerator::in_memory(own_.context, same, random, memory).create_relin_keys();
  const RelinKeys expected =
      KeyGenerator(own_.context, same, RandomSource::for_testing(8)).create_relin_keys();
  ASSERT_EQ(blocks.size(), made.key(2).digit_count());
  for (std::size_t j = 0; j < blocks.size(); ++j) {
    EXPECT_EQ(blocks[j], words_of(expected.key(2).pair(j)));
  }

  const auto other = [&](const ContextData& at) { return Ciphertext(at, 3); };
  const auto lower = [&](const ContextData&) {
    return Ciphertext(*own_.context.first_context_data());
  };
  for (const KeyMemory& wrong : {KeyMemory(other), KeyMemory(lower)}) {
    const auto generator = KeyGenerator::in_memory(own_.context, same, random, wrong);
    EXPECT_THROW(generator.create_public_key(), InvalidArgument);
    EXPECT_THROW(generator.create_relin_keys(), InvalidArgument);
  }

  const Plaintext message = own_.decryptor.decrypt(a_);
  Words room(is_ckks() ? message.coeff_count() : 1);
  const ContextData& first = *own_.context.first_context_data();
  const Plaintext placed = own_.decryptor.decrypt(
      a_, is_ckks() ? Plaintext::borrow(first, room.data()) : Plaintext::borrow(1, room.data()));
  EXPECT_EQ(placed.scale(), message.scale());
  if (is_ckks()) {
    EXPECT_EQ(placed.ntt_view().data, room.data());
    for (std::size_t i = 0; i < first.prime_count(); ++i) {
      EXPECT_TRUE(std::ranges::equal(placed.ntt_view().limb(i), message.ntt_view().limb(i)));
    }
  } else {
    EXPECT_TRUE(std::ranges::equal(placed.coefficients(), message.coefficients()));
    EXPECT_EQ(room, Words{0});
  }
}

INSTANTIATE_TEST_SUITE_P(, Destinations, kEveryScheme, scheme_name);

}  // namespace
}  // namespace ringlet::test
