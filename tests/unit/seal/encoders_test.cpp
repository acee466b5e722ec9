// SPDX-License-Identifier: Apache-2.0
#include "service_setup.hpp"

namespace ringlet::test {
namespace {

using seal::BatchEncoder;
using seal::CKKSEncoder;

using Complex = std::complex<double>;

class SealBatchEncoder : public SealServices {
 protected:
  std::uint64_t t() const { return s.parms.plain_modulus().value(); }

  BatchEncoder encoder{s.context};
};

INSTANTIATE_TEST_SUITE_P(ExactSchemes, SealBatchEncoder,
                         testing::Values(scheme_type::bfv, scheme_type::bgv), scheme_name);

// Slots match their definition: values of the polynomial at powers of the smallest root.
TEST_P(SealBatchEncoder, slotsAreValuesOfThePolynomial) {
  EXPECT_EQ(encoder.slot_count(), kServiceDegree);
  const seal::Modulus& q = s.parms.plain_modulus();
  std::uint64_t psi = 0;
  ASSERT_TRUE(seal::util::try_minimal_primitive_root(2 * kServiceDegree, q, psi));
  std::vector<std::uint64_t> values(kServiceDegree);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = (i * i * 7919 + 1) % t();
  values[3] = t() - 1;
  values[4] = 0;
  Plaintext plain;
  encoder.encode(values, plain);
  EXPECT_EQ(plain.coeff_count(), kServiceDegree);
  std::uint64_t exponent = 1;
  for (std::size_t i = 0; i < kServiceDegree / 2; ++i, exponent = exponent * 3 % 128) {
    for (const bool second_row : {false, true}) {
      const std::uint64_t e = second_row ? 2 * kServiceDegree - exponent : exponent;
      std::uint64_t value = 0;
      for (std::size_t n = kServiceDegree; n-- > 0;) {
        const std::uint64_t x = seal::util::exponentiate_uint_mod(psi, e, q);
        value = seal::util::add_uint_mod(seal::util::multiply_uint_mod(value, x, q), plain[n], q);
      }
      EXPECT_EQ(value, values[i + (second_row ? kServiceDegree / 2 : 0)]) << i;
    }
  }
  std::vector<std::uint64_t> decoded;
  encoder.decode(plain, decoded);
  EXPECT_EQ(decoded, values);
}

TEST_P(SealBatchEncoder, signedValuesAreCentred) {
  const auto half = static_cast<std::int64_t>(t() / 2);
  Slots values{half, -half, 0, -1, 1};
  Plaintext plain;
  encoder.encode(values, plain);
  values.resize(kServiceDegree);
  Slots decoded;
  encoder.decode(plain, decoded);
  EXPECT_EQ(decoded, values);
  encoder.decode(plain, decoded, MemoryPoolHandle::New());
  EXPECT_EQ(decoded, values);
  std::vector<std::uint64_t> residues;
  encoder.decode(plain, residues, MemoryPoolHandle::New());
  EXPECT_EQ(residues[1], t() - t() / 2);
  EXPECT_EQ(residues[3], t() - 1);
  encoder.encode(std::vector<std::uint64_t>{}, plain);
  EXPECT_TRUE(plain.is_zero());
  encoder.decode(plain, decoded);
  EXPECT_EQ(decoded, Slots(kServiceDegree));
}

TEST_P(SealBatchEncoder, refusesWhatDoesNotFit) {
  Plaintext plain("5");
  const Plaintext before = plain;
  const auto half = static_cast<std::int64_t>(t() / 2);
  EXPECT_INVALID_ARGUMENT(encoder.encode(std::vector<std::uint64_t>{t()}, plain));
  EXPECT_INVALID_ARGUMENT(encoder.encode(std::vector<std::uint64_t>(kServiceDegree + 1), plain));
  EXPECT_INVALID_ARGUMENT(encoder.encode(Slots{half + 1}, plain));
  EXPECT_INVALID_ARGUMENT(encoder.encode(Slots{-half - 1}, plain));
  EXPECT_INVALID_ARGUMENT(encoder.encode(Slots(kServiceDegree + 1), plain));
  EXPECT_INVALID_ARGUMENT(encoder.encode(Slots{std::numeric_limits<std::int64_t>::min()}, plain));
  EXPECT_EQ(plain, before);

  Slots slots{1, 2};
  EXPECT_INVALID_ARGUMENT(encoder.decode(Plaintext(kServiceDegree + 1), slots));
  Plaintext bad;
  bad = t();
  EXPECT_INVALID_ARGUMENT(encoder.decode(bad, slots));
  EXPECT_INVALID_ARGUMENT(encoder.decode(plain, slots, MemoryPoolHandle()));
  s.evaluator.transform_to_ntt_inplace(plain, s.context.first_parms_id());
  EXPECT_INVALID_ARGUMENT(encoder.decode(plain, slots));
  EXPECT_LOGIC_ERROR(encoder.encode(Slots{1}, plain));
  EXPECT_LOGIC_ERROR(encoder.encode(std::vector<std::uint64_t>{1}, plain));
  EXPECT_EQ(slots, (Slots{1, 2}));
}

TEST_P(SealBatchEncoder, needsBatching) {
  EncryptionParameters parms = service_parameters(GetParam());
  parms.set_plain_modulus(1024);
  EXPECT_INVALID_ARGUMENT(BatchEncoder(context_of(parms)));
  EXPECT_INVALID_ARGUMENT(BatchEncoder(invalid_context(GetParam())));
  EXPECT_INVALID_ARGUMENT(BatchEncoder(Services(scheme_type::ckks).context));
}

class SealCkksEncoder : public testing::Test {
 protected:
  /// Slot j of a plaintext by its definition, from the coefficients modulo the first prime.
  Complex slot(Plaintext plain, std::size_t j) const {
    const auto level = s.context.get_context_data(plain.parms_id());
    const std::uint64_t q = level->parms().coeff_modulus()[0].value();
    seal::util::inverse_ntt_negacyclic_harvey(plain.data(), level->small_ntt_tables()[0]);
    std::uint64_t exponent = 1;
    for (std::size_t i = 0; i < j; ++i) exponent = exponent * 3 % 128;
    Complex value = 0;
    for (std::size_t n = 0; n < kServiceDegree; ++n) {
      const double m =
          plain[n] > q / 2 ? -static_cast<double>(q - plain[n]) : static_cast<double>(plain[n]);
      value += m * std::polar(1.0, std::numbers::pi * static_cast<double>(n * exponent % 128) /
                                       kServiceDegree);
    }
    return value / plain.scale();
  }
  std::vector<Complex> decoded(const Plaintext& plain) const {
    std::vector<Complex> values;
    encoder.decode(plain, values);
    return values;
  }

  Services s{scheme_type::ckks};
  CKKSEncoder encoder{s.context};
};

TEST_F(SealCkksEncoder, slotsAreValuesOfThePolynomial) {
  EXPECT_EQ(encoder.slot_count(), kServiceDegree / 2);
  std::vector<Complex> values;
  for (int j = 0; j < 32; ++j) values.emplace_back(j - 7, 1.0 / (j + 1));
  Plaintext plain;
  encoder.encode(values, kServiceScale, plain);
  EXPECT_EQ(plain.parms_id(), s.context.first_parms_id());
  EXPECT_EQ(plain.scale(), kServiceScale);
  for (std::size_t j = 0; j < 32; ++j) {
    EXPECT_NEAR(std::abs(slot(plain, j) - values[j]), 0.0, 1e-8);
    EXPECT_NEAR(std::abs(decoded(plain)[j] - values[j]), 0.0, 1e-8);
  }
}

TEST_F(SealCkksEncoder, everyOverload) {
  const auto pool = MemoryPoolHandle::New();
  const auto first = s.context.first_parms_id();
  const auto last = s.context.last_parms_id();
  const double scale = std::pow(2.0, 30);
  Plaintext plain;
  // One number fills all slots; zeros follow several numbers.
  const auto expect_slots = [&](std::vector<Complex> wanted, const parms_id_type& level,
                                double of_scale) {
    EXPECT_EQ(plain.parms_id(), level);
    EXPECT_EQ(plain.coeff_count(), (level == first ? 4 : 1) * kServiceDegree);
    EXPECT_EQ(plain.scale(), of_scale);
    wanted.resize(kServiceDegree / 2, wanted.size() == 1 ? wanted[0] : Complex(0));
    std::vector<Complex> values;
    encoder.decode(plain, values, pool);
    EXPECT_EQ(values, decoded(plain));
    std::vector<double> real_parts;
    encoder.decode(plain, real_parts);
    std::vector<double> pooled;
    encoder.decode<double>(plain, pooled, pool);
    EXPECT_EQ(pooled, real_parts);
    ASSERT_EQ(values.size(), wanted.size());
    for (std::size_t j = 0; j < values.size(); ++j) {
      EXPECT_NEAR(std::abs(values[j] - wanted[j]), 0.0, 1e-6);
      EXPECT_EQ(real_parts[j], values[j].real());
    }
  };
  const auto expect_encodes = [&](const auto& what, const std::vector<Complex>& wanted) {
    encoder.encode(what, scale, plain);
    expect_slots(wanted, first, scale);
    encoder.encode(what, scale, plain, pool);
    expect_slots(wanted, first, scale);
    encoder.encode(what, last, scale, plain);
    expect_slots(wanted, last, scale);
    encoder.encode(what, last, scale, plain, pool);
    expect_slots(wanted, last, scale);
  };
  expect_encodes(std::vector<double>{3, 4}, {3, 4});
  expect_encodes(std::vector<double>{}, {0});
  expect_encodes(std::vector<Complex>{{3, 1}, {4, 2}}, {{3, 1}, {4, 2}});
  expect_encodes(Complex(3, 1), {{3, 1}});
  expect_encodes(2.25, {2.25});
  expect_encodes(1.5f, {1.5});
  expect_encodes(3, {3});  // a double, as in SEAL
  encoder.encode<double>({3, 4}, scale, plain);
  expect_slots({3, 4}, first, scale);
  encoder.encode(std::int64_t{-12345}, plain);
  expect_slots({-12345}, first, 1.0);
  encoder.encode(std::size_t{9}, plain);
  expect_slots({9}, first, 1.0);
  encoder.encode(std::int64_t{77}, last, plain);
  expect_slots({77}, last, 1.0);
  encoder.encode(2, last, plain);
  expect_slots({2}, last, 1.0);
}

#ifdef SEAL_USE_MSGSL
template <typename T, typename Encoder, typename... Scale>
void expect_spans_do_as_vectors(const Encoder& encoder, const std::vector<T>& values,
                                Scale... scale) {
  Plaintext plain, same;
  encoder.encode(values, scale..., plain);
  encoder.encode(gsl::span<const T>(values), scale..., same);
  EXPECT_EQ(same, plain);
  std::vector<T> wanted, room(encoder.slot_count());
  encoder.decode(plain, wanted);
  encoder.decode(plain, gsl::span<T>(room));
  EXPECT_EQ(room, wanted);
  EXPECT_INVALID_ARGUMENT(encoder.decode(plain, gsl::span<T>(room).first(room.size() - 1)));
  EXPECT_EQ(room, wanted);
  EXPECT_INVALID_ARGUMENT(
      encoder.encode(gsl::span<const T>(std::vector<T>(room.size() + 1)), scale..., same));
  EXPECT_EQ(same, plain);
}

TEST_P(SealBatchEncoder, spansDoAsVectors) {
  expect_spans_do_as_vectors(encoder, std::vector<std::uint64_t>{t() - 1, 2, 0});
  expect_spans_do_as_vectors(encoder, Slots{-1, 2, 0});
}

TEST_F(SealCkksEncoder, spansDoAsVectors) {
  const std::vector<double> values{1.5, -2};
  expect_spans_do_as_vectors(encoder, values, kServiceScale);
  expect_spans_do_as_vectors(encoder, std::vector<Complex>{{1, 2}}, s.context.last_parms_id(), 4e6);
}
#endif

TEST_F(SealCkksEncoder, theKeyLevelCanBeEncodedAt) {
  Plaintext plain;
  encoder.encode(3.0, s.context.key_parms_id(), kServiceScale, plain);
  EXPECT_EQ(plain.parms_id(), s.context.key_parms_id());
  EXPECT_EQ(plain.coeff_count(), 5 * kServiceDegree);
  EXPECT_EQ(plain[0], static_cast<std::uint64_t>(3 * kServiceScale) %
                          s.context.key_context_data()->parms().coeff_modulus()[0].value());
  EXPECT_TRUE(seal::is_metadata_valid_for(plain, s.context, true));
  const std::vector<double> values{1, 2, 3};
  encoder.encode(values, s.context.key_parms_id(), kServiceScale, plain);
  EXPECT_NEAR(std::abs(slot(plain, 1) - 2.0), 0.0, 1e-6);
  encoder.encode(std::int64_t{5}, s.context.key_parms_id(), plain);
  EXPECT_EQ(plain[4 * kServiceDegree + 1], 5U);
  std::vector<double> slots;
  EXPECT_INVALID_ARGUMENT(encoder.decode(plain, slots));
}

TEST_F(SealCkksEncoder, refusesWhatDoesNotFit) {
  Plaintext plain;
  encoder.encode(1.0, kServiceScale, plain);
  const Plaintext before = plain;
  const std::vector<double> one{1.0};
  const double nan = std::nan("");
  const auto infinity = std::numeric_limits<double>::infinity();
  EXPECT_INVALID_ARGUMENT(encoder.encode(std::vector<double>(33), kServiceScale, plain));
  EXPECT_INVALID_ARGUMENT(encoder.encode(one, parms_id_zero, kServiceScale, plain));
  EXPECT_INVALID_ARGUMENT(encoder.encode(one, parms_id_type{1, 2}, kServiceScale, plain));
  for (const double scale : {0.0, -1.0, nan, infinity, 1e-310, std::pow(2.0, 169)}) {
    EXPECT_INVALID_ARGUMENT(encoder.encode(one, scale, plain));
    EXPECT_INVALID_ARGUMENT(encoder.encode(1.0, scale, plain));
  }
  EXPECT_INVALID_ARGUMENT(encoder.encode(std::vector<double>{nan}, kServiceScale, plain));
  EXPECT_INVALID_ARGUMENT(encoder.encode(infinity, kServiceScale, plain));
  EXPECT_INVALID_ARGUMENT(encoder.encode(Complex(0, nan), kServiceScale, plain));
  EXPECT_INVALID_ARGUMENT(encoder.encode(std::pow(2.0, 130), kServiceScale, plain));
  EXPECT_INVALID_ARGUMENT(
      encoder.encode(std::vector<double>(32, std::pow(2.0, 130)), kServiceScale, plain));
  EXPECT_INVALID_ARGUMENT(
      encoder.encode(std::numeric_limits<std::int64_t>::max(), s.context.last_parms_id(), plain));
  EXPECT_INVALID_ARGUMENT(encoder.encode(one, kServiceScale, plain, MemoryPoolHandle()));
  EXPECT_INVALID_ARGUMENT(encoder.encode(1.0, kServiceScale, plain, MemoryPoolHandle()));
  EXPECT_EQ(plain, before);

  std::vector<double> slots{1, 2};
  EXPECT_INVALID_ARGUMENT(encoder.decode(Plaintext("1"), slots));
  EXPECT_INVALID_ARGUMENT(encoder.decode(plain, slots, MemoryPoolHandle()));
  Plaintext bad = plain;
  bad.scale() = std::pow(2.0, 170);
  EXPECT_INVALID_ARGUMENT(encoder.decode(bad, slots));
  bad = plain;
  bad[1] = UINT64_MAX;
  EXPECT_INVALID_ARGUMENT(encoder.decode(bad, slots));
  EXPECT_EQ(slots, (std::vector<double>{1, 2}));

  EXPECT_INVALID_ARGUMENT(CKKSEncoder(Services(scheme_type::bfv).context));
  EXPECT_INVALID_ARGUMENT(CKKSEncoder(invalid_context(scheme_type::ckks)));
}

TEST_F(SealCkksEncoder, encodesAsSealRounds) {
  // A constant is rounded to the nearest integer, halves away from zero.
  for (const double value : {0.5, 1.5, 2.5, -0.5, -2.5, 0.49999, 1e6 + 0.5}) {
    Plaintext plain;
    encoder.encode(value, 1.0, plain);
    const std::uint64_t q = s.context.first_context_data()->parms().coeff_modulus()[0].value();
    const double rounded = std::round(value);
    EXPECT_EQ(plain[0], rounded < 0 ? q - static_cast<std::uint64_t>(-rounded)
                                    : static_cast<std::uint64_t>(rounded));
  }
}

}  // namespace
}  // namespace ringlet::test
