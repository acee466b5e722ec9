// SPDX-License-Identifier: Apache-2.0
// What keys, forms and operands refuse. What is refused by every scheme is in the tests of schemes.

#include "ringlet/schemes/decryptor.hpp"
#include "ringlet/schemes/encryptor.hpp"
#include "rlwe/checks.hpp"
#include "rlwe_support.hpp"
#include "schemes/operand_entry.hpp"

namespace ringlet::test {
namespace {

class Refusal : public ::testing::Test {
 protected:
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

// Of an object that has another form or fewer polynomials.
template <typename Error = LogicError, typename Call>
void expect_no_view(const std::string& of, std::initializer_list<std::string> parts, Call call) {
  expect_refusal_of<Error>(of, parts, call);
}

TEST_F(Refusal, SizesAndFormsOfCiphertexts) {
  const ContextData& level = *context_.first_context_data();
  for (const std::size_t size : {0, 1, 17}) {
    expect_refusal([&] { Ciphertext(level, size); }, "Ciphertext",
                   {"size = " + std::to_string(size), "2 to 16"});
  }
  Ciphertext a(level);
  Ciphertext coefficients(level, 3, Form::coefficient);
  const std::string of = "Ciphertext::";
  expect_no_view<OutOfRange>(of + "ntt_view", {"index = 2", "size = 2"}, [&] { a.ntt_view(2); });
  expect_no_view<OutOfRange>(of + "ntt_view_for_writing", {"index = 0"},
                             [] { Ciphertext().ntt_view_for_writing(0); });
  expect_no_view(of + "coeff_view", {"NTT form", "coefficient form"}, [&] { a.coeff_view(0); });
  expect_no_view(of + "coeff_view_for_writing", {"NTT form"}, [&] { a.coeff_view_for_writing(1); });
  expect_no_view(of + "ntt_view", {"coefficient form"}, [&] { coefficients.ntt_view(0); });
  EXPECT_EQ(coefficients.coeff_view(2).limb_count, 2u);
}

TEST_F(Refusal, FormsOfPlaintexts) {
  Plaintext plain(*context_.first_context_data());
  Plaintext coefficients(256);
  const std::string of = "Plaintext::";
  expect_no_view(of + "coefficients", {"NTT form"}, [&] { plain.coefficients(); });
  expect_no_view(of + "coefficients_for_writing", {"NTT form"},
                 [&] { plain.coefficients_for_writing(); });
  expect_no_view(of + "coefficients", {"NTT form"}, [&] { plain.resize(3); });
  expect_no_view(of + "ntt_view", {"no polynomial"}, [] { Plaintext().ntt_view(); });
  expect_no_view(of + "ntt_view_for_writing", {"coefficient form"},
                 [&] { coefficients.ntt_view_for_writing(); });
  expect_no_view(of + "ntt_view", {"coefficient form"},
                 [&] { std::as_const(coefficients).ntt_view(); });
  EXPECT_EQ(plain.byte_count(), 2 * 256 * 8u);
  EXPECT_TRUE(Plaintext().coefficients().empty());
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
