// SPDX-License-Identifier: Apache-2.0
// What encryption and decryption refuse, and that a refused call changes nothing.

#include "ringlet/schemes/decryptor.hpp"
#include "ringlet/schemes/encryptor.hpp"
#include "rlwe/checks.hpp"
#include "rlwe_support.hpp"
#include "schemes/operand_entry.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

class Refusal : public ::testing::Test {
 protected:
  Plaintext fitting() const {
    Plaintext plain(*context_.first_context_data());
    plain.scale() = 1024;
    return plain;
  }

  // Each bad plaintext is refused by both ways to encrypt, and the destination keeps its value.
  void expect_bad_plaintext(const Plaintext& plain, std::initializer_list<std::string> parts) {
    Ciphertext destination = encryptor_.encrypt_zero();
    destination.scale() = 77;
    const auto before = words_of(destination);
    expect_refusal([&] { encryptor_.encrypt(plain, destination); }, "Encryptor::encrypt", parts);
    expect_refusal([&] { encryptor_.encrypt_symmetric(plain, destination); },
                   "Encryptor::encrypt_symmetric", parts);
    EXPECT_EQ(words_of(destination), before);
    EXPECT_EQ(destination.scale(), 77);
  }

  void expect_bad_ciphertext(const Ciphertext& encrypted,
                             std::initializer_list<std::string> parts) {
    Plaintext destination = fitting();
    destination.ntt_view_for_writing().limb(0)[3] = 5;
    const auto before = words_of(destination.ntt_view());
    expect_refusal([&] { decryptor_.decrypt(encrypted, destination); }, "Decryptor::decrypt",
                   parts);
    EXPECT_EQ(words_of(destination.ntt_view()), before);
    EXPECT_EQ(destination.scale(), 1024);
  }

  Context context_ = toy_context(256, {30, 30, 31});
  Context other_context_ = toy_context(256, {30, 30, 32});
  KeyGenerator keys_{context_};
  KeyGenerator other_keys_{other_context_};
  Encryptor encryptor_{context_, keys_.create_public_key(), keys_.secret_key()};
  Decryptor decryptor_{context_, keys_.secret_key()};
};

TEST_F(Refusal, KeysThatAreEmptyOrOfAnotherContext) {
  const auto expect_refused = [&](const PublicKey& public_key, const SecretKey& secret,
                                  const std::string& reason) {
    const auto of_public = {std::string("public key"), reason};
    const auto of_secret = {std::string("secret key"), reason};
    expect_refusal([&] { Encryptor(context_, public_key); }, "Encryptor", of_public);
    expect_refusal([&] { Encryptor(context_, secret); }, "Encryptor", of_secret);
    expect_refusal([&] { Decryptor(context_, secret); }, "Decryptor", of_secret);
    expect_refusal([&] { KeyGenerator(context_, secret); }, "KeyGenerator", of_secret);
    expect_refusal([&] { encryptor_.set_public_key(public_key); }, "Encryptor", of_public);
    expect_refusal([&] { encryptor_.set_secret_key(secret); }, "Encryptor", of_secret);
  };
  expect_refused(PublicKey(), SecretKey(), "is empty");
  const SecretKey& other = other_keys_.secret_key();
  const std::string id = to_string(other.parms_id()).substr(0, 16);
  expect_refused(other_keys_.create_public_key(), other, id);
  expect_refusal([&] { Encryptor(context_, other); }, "Encryptor",
                 {to_string(context_.key_parms_id()).substr(0, 16)});
  // The encryptor goes on with the keys that it has.
  const Plaintext zero = decryptor_.decrypt(encryptor_.encrypt_zero_symmetric());
  EXPECT_LE(largest(small_coefficients(context_, zero.ntt_view(),
                                       context_.first_context_data()->primes())),
            21);
}

TEST_F(Refusal, MissingKeys) {
  const Encryptor only_public(context_, keys_.create_public_key());
  const Encryptor only_secret(context_, keys_.secret_key());
  const Plaintext plain = fitting();
  expect_refusal<LogicError>([&] { only_public.encrypt_symmetric(plain); },
                             "Encryptor::encrypt_symmetric", {"a secret key", "set a secret key"});
  expect_refusal<LogicError>([&] { only_public.encrypt_zero_symmetric(); },
                             "Encryptor::encrypt_zero_symmetric", {"a secret key"});
  expect_refusal<LogicError>([&] { only_secret.encrypt(plain); }, "Encryptor::encrypt",
                             {"a public key", "set a public key"});
  expect_refusal<LogicError>([&] { only_secret.encrypt_zero(); }, "Encryptor::encrypt_zero",
                             {"a public key"});
}

TEST_F(Refusal, Plaintexts) {
  expect_bad_plaintext(Plaintext(), {"plaintext is empty"});
  expect_bad_plaintext(Plaintext(*other_context_.first_context_data()->prev_context_data()),
                       {to_string(other_context_.key_parms_id()).substr(0, 16), "no level"});
  expect_bad_plaintext(Plaintext(*context_.key_context_data()), {"level 2", "key level"});
  expect_bad_plaintext(Plaintext(256), {"plaintext is in coefficient form"});
  for (const double scale :
       {0.0, -1.0, std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::denorm_min()}) {
    Plaintext plain = fitting();
    plain.scale() = scale;
    expect_bad_plaintext(plain, {"plaintext has scale"});
  }
  Plaintext moved = fitting();
  const Plaintext target = std::move(moved);
  expect_bad_plaintext(moved, {"plaintext is empty"});  // NOLINT(bugprone-use-after-move)
  EXPECT_FALSE(target.empty());
}

TEST_F(Refusal, Ciphertexts) {
  expect_bad_ciphertext(Ciphertext(), {"ciphertext is empty"});
  expect_bad_ciphertext(Ciphertext(*other_context_.key_context_data()),
                        {to_string(other_context_.key_parms_id()).substr(0, 16), "no level"});
  expect_bad_ciphertext(Ciphertext(*context_.key_context_data()), {"level 2", "key level"});
  expect_bad_ciphertext(Ciphertext(*context_.first_context_data(), 2, Form::coefficient),
                        {"ciphertext is in coefficient form"});
  Ciphertext no_scale(*context_.first_context_data());
  no_scale.scale() = std::numeric_limits<double>::quiet_NaN();
  expect_bad_ciphertext(no_scale, {"ciphertext has scale nan"});
}

TEST_F(Refusal, LevelsOfZero) {
  for (const ParmsId& id : {kParmsIdZero, other_context_.key_parms_id()}) {
    expect_refusal([&] { encryptor_.encrypt_zero(id); }, "Encryptor::encrypt_zero",
                   {to_string(id).substr(0, 16)});
  }
  expect_refusal([&] { encryptor_.encrypt_zero_symmetric(context_.key_parms_id()); },
                 "Encryptor::encrypt_zero_symmetric", {"key level"});
}

TEST_F(Refusal, SizesAndFormsOfCiphertexts) {
  const ContextData& level = *context_.first_context_data();
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{17}}) {
    expect_refusal([&] { Ciphertext(level, size); }, "Ciphertext",
                   {"size = " + std::to_string(size), "2 to 16"});
  }
  Ciphertext encrypted(level);
  expect_refusal<OutOfRange>([&] { (void)encrypted.ntt_view(2); }, "Ciphertext::ntt_view",
                             {"index = 2", "size = 2"});
  expect_refusal<OutOfRange>([&] { (void)Ciphertext().ntt_view_for_writing(0); },
                             "Ciphertext::ntt_view_for_writing", {"index = 0"});
  expect_refusal<LogicError>([&] { (void)encrypted.coeff_view(0); }, "Ciphertext::coeff_view",
                             {"NTT form", "coefficient form"});
  expect_refusal<LogicError>([&] { (void)encrypted.coeff_view_for_writing(1); },
                             "Ciphertext::coeff_view_for_writing", {"NTT form"});
  Ciphertext coefficients(level, 3, Form::coefficient);
  EXPECT_EQ(coefficients.coeff_view(2).limb_count, 2u);
  expect_refusal<LogicError>([&] { (void)coefficients.ntt_view(0); }, "Ciphertext::ntt_view",
                             {"coefficient form"});
}

TEST_F(Refusal, FormsOfPlaintexts) {
  Plaintext plain = fitting();
  expect_refusal<LogicError>([&] { (void)plain.coefficients(); }, "Plaintext::coefficients",
                             {"NTT form"});
  expect_refusal<LogicError>([&] { (void)plain.coefficients_for_writing(); },
                             "Plaintext::coefficients_for_writing", {"NTT form"});
  expect_refusal<LogicError>([&] { plain.resize(3); }, "Plaintext::coefficients", {"NTT form"});
  expect_refusal<LogicError>([&] { (void)Plaintext().ntt_view(); }, "Plaintext::ntt_view",
                             {"no polynomial"});
  EXPECT_EQ(plain.byte_count(), 2 * 256 * 8u);
  EXPECT_TRUE(Plaintext().coefficients().empty());
  Plaintext coefficients(256);
  expect_refusal<LogicError>([&] { (void)coefficients.ntt_view_for_writing(); },
                             "Plaintext::ntt_view_for_writing", {"coefficient form"});
  expect_refusal<LogicError>([&] { (void)std::as_const(coefficients).ntt_view(); },
                             "Plaintext::ntt_view", {"coefficient form"});
  EXPECT_EQ(coefficients.byte_count(), 256 * 8u);
  EXPECT_EQ(coefficients.coefficients_for_writing().size(), 256u);
}

TEST_F(Refusal, TransparentCiphertextsAreRecognised) {
  const ContextData& level = *context_.first_context_data();
  Ciphertext encrypted(level, 3);
  EXPECT_TRUE(Ciphertext().is_transparent());
  EXPECT_TRUE(encrypted.is_transparent());
  encrypted.ntt_view_for_writing(0).limb(1)[255] = 1;
  EXPECT_TRUE(encrypted.is_transparent()) << "c_0 alone hides nothing";
  encrypted.ntt_view_for_writing(2).limb(1)[255] = 1;
  EXPECT_FALSE(encrypted.is_transparent());
  EXPECT_FALSE(encryptor_.encrypt_zero().is_transparent());
}

TEST_F(Refusal, MismatchesNameBothOperands) {
  Ciphertext a(*context_.first_context_data());
  Ciphertext b(*context_.last_context_data());
  a.scale() = std::ldexp(1, 40);
  b.scale() = 3;
  const auto named = [&](const auto& call) {
    schemes::operand_entry("op", context_, std::tie(a, b), call);
  };
  expect_refusal([&] { named([&] { rlwe::check_same_level(a, b); }); }, "op",
                 {"level 1, scale 1099511627776 (2^40)", "level 0, scale 3", "mod_switch_to"});
  expect_refusal([&] { named([&] { rlwe::check_same_scale(a, b); }); }, "op",
                 {"(2^40)", "scale 3"});
  b.scale() = a.scale();
  rlwe::check_same_scale(a, b);
  b = Ciphertext(*context_.first_context_data());
  rlwe::check_same_level(a, b);
  EXPECT_EQ(rlwe::describe(context_, Ciphertext()), "no level of this context, scale 1 (2^0)");
}

TEST(Scales, MatchUpToOneUnitInTheLastPlace) {
  const double scale = std::ldexp(1.5, 40);
  EXPECT_TRUE(rlwe::scales_match(scale, scale));
  EXPECT_TRUE(rlwe::scales_match(scale, std::nextafter(scale, 0)));
  EXPECT_FALSE(rlwe::scales_match(scale, scale * (1 + 1e-15)));
  EXPECT_TRUE(rlwe::scales_match(0x1p-60, std::nextafter(0x1p-60, 1)));
  EXPECT_FALSE(rlwe::scales_match(0x1p-60, 0x1p-60 * (1 + 1e-15)));
  EXPECT_FALSE(rlwe::scales_match(scale, std::numeric_limits<double>::quiet_NaN()));
}

}  // namespace
}  // namespace ringlet::test
