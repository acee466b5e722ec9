// SPDX-License-Identifier: Apache-2.0
#include <cfloat>

#include "support/test.hpp"
#include "unit/schemes/ckks_support.hpp"

namespace ringlet::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr const char* kEncode = "CKKSEncoder::encode";
constexpr const char* kDecode = "CKKSEncoder::decode";

class CKKSEncoderErrors : public ::testing::Test {
 protected:
  CKKSEncoderErrors() { encoder_.encode(1.25, 0x1p30, plain_); }

  // All ways to encode refuse, and the destination keeps its value.
  template <typename Call>
  void expect_encode_refuses(Call&& call, std::initializer_list<std::string> parts) {
    const Snapshot before(plain_);
    expect_refusal<InvalidArgument>(call, kEncode, parts);
    EXPECT_EQ(Snapshot(plain_), before);
  }

  Context context_ = test::toy_context(64, {50, 40, 60});  // 90 bits at the first level
  Context other_ = test::toy_context(64, {50, 41, 60});
  CKKSEncoder encoder_{context_};
  Plaintext plain_;
};

TEST_F(CKKSEncoderErrors, LevelsOfOtherContextsAndTheKeyLevel) {
  const std::vector<double> values{1.0};
  const Slots slots{Complex(1.0, 2.0)};
  for (const ParmsId& bad : {kParmsIdZero, other_.first_parms_id(), context_.key_parms_id()}) {
    const std::string part = bad == context_.key_parms_id() ? "key level" : "no level";
    expect_encode_refuses([&] { encoder_.encode(values, bad, 0x1p30, plain_); }, {part});
    expect_encode_refuses([&] { encoder_.encode(slots, bad, 0x1p30, plain_); }, {part});
    expect_encode_refuses([&] { encoder_.encode(1.0, bad, 0x1p30, plain_); }, {part});
    expect_encode_refuses([&] { encoder_.encode(Complex(1.0), bad, 0x1p30, plain_); }, {part});
    expect_encode_refuses([&] { encoder_.encode(std::int64_t{1}, bad, plain_); }, {part});
  }
}

TEST_F(CKKSEncoderErrors, TooManyValues) {
  const std::vector<double> values(33, 1.0);
  const Slots slots(33, Complex(1.0));
  expect_encode_refuses([&] { encoder_.encode(values, 0x1p30, plain_); }, {"33", "32"});
  expect_encode_refuses([&] { encoder_.encode(slots, 0x1p30, plain_); }, {"33", "32"});
}

TEST_F(CKKSEncoderErrors, ValuesThatAreNotFinite) {
  for (const double bad : {kInfinity, -kInfinity, std::nan("")}) {
    std::vector<double> values(32, 1.0);
    values[17] = bad;
    Slots slots(32);
    slots[17] = {1.0, bad};
    expect_encode_refuses([&] { encoder_.encode(values, 0x1p30, plain_); }, {"value 17", "finite"});
    expect_encode_refuses([&] { encoder_.encode(slots, 0x1p30, plain_); }, {"value 17", "finite"});
    slots[17] = {bad, 1.0};
    expect_encode_refuses([&] { encoder_.encode(slots, 0x1p30, plain_); }, {"value 17", "finite"});
    expect_encode_refuses([&] { encoder_.encode(bad, 0x1p30, plain_); }, {"finite"});
    expect_encode_refuses([&] { encoder_.encode(Complex(0, bad), 0x1p30, plain_); }, {"finite"});
  }
}

TEST_F(CKKSEncoderErrors, ScalesThatAreNoScales) {
  const std::vector<double> values{1.0};
  const Slots slots{Complex(1.0)};
  for (const double bad :
       {0.0, -0.0, -1.0, -0x1p40, std::nan(""), kInfinity, -kInfinity, DBL_TRUE_MIN, DBL_MIN / 2}) {
    expect_encode_refuses([&] { encoder_.encode(values, bad, plain_); }, {"scale", "normal"});
    expect_encode_refuses([&] { encoder_.encode(slots, bad, plain_); }, {"scale", "normal"});
    expect_encode_refuses([&] { encoder_.encode(1.0, bad, plain_); }, {"scale", "normal"});
    expect_encode_refuses([&] { encoder_.encode(Complex(1.0), bad, plain_); }, {"scale"});
  }
}

TEST_F(CKKSEncoderErrors, ScalesPastTheModulus) {
  const std::vector<double> none;
  encoder_.encode(none, std::nextafter(0x1p89, 0.0), plain_);
  encoder_.encode(0.0, std::nextafter(0x1p89, 0.0), plain_);
  expect_encode_refuses([&] { encoder_.encode(none, 0x1p89, plain_); }, {"2^89", "90 bits"});
  expect_encode_refuses([&] { encoder_.encode(0.0, 0x1p89, plain_); }, {"2^89", "90 bits"});
  expect_encode_refuses([&] { encoder_.encode(none, DBL_MAX, plain_); }, {"90 bits"});
  const ParmsId& last = context_.last_parms_id();
  encoder_.encode(none, last, 0x1p48, plain_);
  expect_encode_refuses([&] { encoder_.encode(none, last, 0x1p49, plain_); }, {"50 bits"});
}

TEST_F(CKKSEncoderErrors, ValuesPastTheModulus) {
  // The limit is 2^(90 - 2) for a coefficient; that of a constant is its value times the scale.
  encoder_.encode(0x1p48, 0x1p40, plain_);
  encoder_.encode(-0x1p48, 0x1p40, plain_);
  const double above = std::nextafter(0x1p48, 0x1p49);
  for (const double bad : {above, -above, 0x1p60, DBL_MAX}) {
    expect_encode_refuses([&] { encoder_.encode(bad, 0x1p40, plain_); }, {"2^88", "90 bits"});
  }
  const std::vector<double> equal(32, 0x1p47);
  encoder_.encode(equal, 0x1p40, plain_);
  const std::vector<double> large(32, 0x1.1p48);
  const Slots slots(large.begin(), large.end());
  expect_encode_refuses([&] { encoder_.encode(large, 0x1p40, plain_); }, {"2^88", "90 bits"});
  expect_encode_refuses([&] { encoder_.encode(slots, 0x1p40, plain_); }, {"2^88", "90 bits"});
  expect_encode_refuses([&] { encoder_.encode(Complex(0, 0x1p50), 0x1p40, plain_); },
                        {"2^88", "90 bits"});
  const std::vector<double> largest(32, DBL_MAX);
  expect_encode_refuses([&] { encoder_.encode(largest, 0x1p88, plain_); }, {"90 bits"});
  // Integers at the last level of 50 bits.
  const ParmsId& last = context_.last_parms_id();
  encoder_.encode(std::int64_t{1} << 48, last, plain_);
  for (const std::int64_t bad : {(std::int64_t{1} << 48) + 1, -(std::int64_t{1} << 48) - 1,
                                 std::numeric_limits<std::int64_t>::min()}) {
    expect_encode_refuses([&] { encoder_.encode(bad, last, plain_); }, {"2^48", "50 bits"});
  }
}

TEST_F(CKKSEncoderErrors, Decoding) {
  Slots slots{Complex(7.0)};
  std::vector<double> real{7.0};
  const auto expect_decode_refuses = [&](const Plaintext& plain, const std::string& part) {
    const Snapshot before(plain);
    std::vector<double> span(32, 7.0);
    expect_refusal<InvalidArgument>([&] { encoder_.decode(plain, slots); }, kDecode, {part});
    expect_refusal<InvalidArgument>([&] { encoder_.decode(plain, real); }, kDecode, {part});
    expect_refusal<InvalidArgument>([&] { encoder_.decode(plain, std::span<double>(span)); },
                                    kDecode, {part});
    EXPECT_EQ(slots, Slots{Complex(7.0)});
    EXPECT_EQ(real, std::vector<double>{7.0});
    EXPECT_EQ(span, std::vector<double>(32, 7.0));
    EXPECT_EQ(Snapshot(plain), before);
  };
  expect_decode_refuses(Plaintext(), "empty");
  expect_decode_refuses(Plaintext(*other_.first_context_data()), "no level");
  expect_decode_refuses(Plaintext(*context_.key_context_data()), "key level");
  expect_decode_refuses(Plaintext(64), "form");
  for (const double bad : {0.0, -1.0, std::nan(""), kInfinity, DBL_TRUE_MIN, 0x1p90}) {
    Plaintext plain = plain_;
    plain.scale() = bad;
    expect_decode_refuses(plain, "scale");
  }
}

TEST_F(CKKSEncoderErrors, SpansOfAnotherLength) {
  for (const std::size_t length : {0, 31, 33, 64}) {
    std::vector<double> real(length, 7.0);
    Slots slots(length, Complex(7.0));
    expect_refusal<InvalidArgument>([&] { encoder_.decode(plain_, std::span<double>(real)); },
                                    kDecode, {"32"});
    expect_refusal<InvalidArgument>([&] { encoder_.decode(plain_, std::span<Complex>(slots)); },
                                    kDecode, {"32"});
    EXPECT_EQ(real, std::vector<double>(length, 7.0));
    EXPECT_EQ(slots, Slots(length, Complex(7.0)));
  }
}

}  // namespace
}  // namespace ringlet::test
