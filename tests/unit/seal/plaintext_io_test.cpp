// SPDX-License-Identifier: Apache-2.0
#include "object_file_checks.hpp"
#include "seal/plaintext.h"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

using seal::Plaintext;
using seal::scheme_type;
using seal::SEALContext;

Bytes plaintext_file(const Plaintext& in, int major = 4, int minor = 4) {
  FileWriter file(major, minor);
  file.parms_id(in.parms_id()).u64(in.coeff_count()).f64(in.scale());
  return file.array(in.data(), in.coeff_count()).object();
}

/// As above, with a count and an array of `words` zeros that need not agree.
Bytes odd_file(const seal::parms_id_type& parms_id, std::uint64_t count, std::size_t words,
               double scale = 1.0) {
  const std::vector<std::uint64_t> zeros(words);
  FileWriter file;
  file.parms_id(parms_id).u64(count).f64(scale).array(zeros.data(), words);
  return file.object();
}

TEST(PlaintextFile, coefficientForm) {
  for (const scheme_type scheme : {scheme_type::bfv, scheme_type::bgv}) {
    const SEALContext context = small_context(scheme);
    expect_sound_files(context, Plaintext("60x^7 + 1x^2 + 5"));
    expect_round_trips(context, Plaintext());
  }
}

TEST(PlaintextFile, nttForm) {
  for (const scheme_type scheme : {scheme_type::bfv, scheme_type::ckks, scheme_type::bgv}) {
    const SEALContext context = small_context(scheme);
    Plaintext plain = random_ntt_plaintext(context, context.last_parms_id());
    if (scheme == scheme_type::ckks) plain.scale() = 1024.5;
    expect_sound_files(context, plain);
    expect_round_trips(context, random_ntt_plaintext(context, context.first_parms_id()));
  }
}

TEST(PlaintextFile, hasTheLayoutOfSeal) {
  const SEALContext context = small_context(scheme_type::bfv);
  const Plaintext plain("60x^7 + 1x^2 + 5");
  EXPECT_EQ(saved(plain), plaintext_file(plain));
  EXPECT_EQ(saved(plain).size(), 16 + 32 + 8 + 8 + 16 + 8 + 8 * 8U);
  const Plaintext ntt = random_ntt_plaintext(context, context.first_parms_id());
  EXPECT_EQ(saved(ntt), plaintext_file(ntt));
}

TEST(PlaintextFile, olderVersions) {
  const SEALContext context = small_context(scheme_type::bfv);
  const Plaintext plain("60x^7 + 1x^2 + 5");
  for (const auto& [major, minor] : {std::pair{4, 0}, {4, 3}, {3, 7}, {3, 5}, {3, 4}}) {
    const auto back = loaded<Plaintext>(context, plaintext_file(plain, major, minor));
    EXPECT_TRUE(same(back, plain)) << major << '.' << minor;
  }
  for (const auto& [major, minor] : {std::pair{4, 5}, {5, 0}, {3, 3}, {2, 0}}) {
    const Bytes file = plaintext_file(plain, major, minor);
    EXPECT_THROW(loaded<Plaintext>(context, file), std::logic_error) << major << '.' << minor;
  }
}

TEST(PlaintextFile, wordsAreReduced) {
  const SEALContext context = small_context(scheme_type::bfv);
  for (const std::uint64_t word : {kSmallPlainModulus, kSmallPlainModulus + 1, ~std::uint64_t{0}}) {
    Plaintext plain(3);
    plain[1] = word;
    EXPECT_THROW(loaded<Plaintext>(context, plaintext_file(plain)), std::logic_error) << word;
    Plaintext unsafe;
    const Bytes file = plaintext_file(plain);
    unsafe.unsafe_load(context, file.data(), file.size());
    EXPECT_EQ(unsafe[1], word);
  }
  const auto level = context.first_context_data();
  for (std::size_t i = 0; i < 2; ++i) {
    Plaintext plain = random_ntt_plaintext(context, context.first_parms_id());
    std::uint64_t& word = plain[i * kSmallDegree + 3];
    word = level->parms().coeff_modulus()[i].value() - 1;
    EXPECT_TRUE(same(loaded<Plaintext>(context, plaintext_file(plain)), plain));
    ++word;
    EXPECT_THROW(loaded<Plaintext>(context, plaintext_file(plain)), std::logic_error);
  }
}

TEST(PlaintextFile, sizesFitTheContext) {
  const SEALContext bfv = small_context(scheme_type::bfv);
  const SEALContext ckks = small_context(scheme_type::ckks);
  const auto refused = [](const SEALContext& context, const Bytes& file) {
    Plaintext target("7");
    EXPECT_THROW(target.load(context, file.data(), file.size()), std::logic_error);
    EXPECT_THROW(target.unsafe_load(context, file.data(), file.size()), std::logic_error);
    return target.to_string() == "7";
  };
  const auto zero = seal::parms_id_zero;
  EXPECT_NO_THROW(loaded<Plaintext>(bfv, odd_file(zero, 8, 8)));
  EXPECT_TRUE(refused(bfv, odd_file(zero, 9, 9))) << "more than N coefficients";
  EXPECT_TRUE(refused(bfv, odd_file(zero, 4, 5)));
  EXPECT_TRUE(refused(bfv, odd_file(zero, 5, 4)));
  EXPECT_TRUE(refused(bfv, odd_file({1, 2, 3, 4}, 16, 16))) << "an unknown level";
  EXPECT_TRUE(refused(bfv, odd_file(bfv.first_parms_id(), 8, 8)));
  EXPECT_TRUE(refused(bfv, odd_file(bfv.first_parms_id(), 24, 24)));
  EXPECT_TRUE(refused(ckks, odd_file(zero, 8, 8))) << "CKKS has no coefficient form";
  EXPECT_TRUE(refused(ckks, odd_file(ckks.first_parms_id(), 0, 0)));
  for (const double scale : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN(), 1e-310}) {
    EXPECT_TRUE(refused(ckks, odd_file(ckks.first_parms_id(), 16, 16, scale))) << scale;
  }
}

TEST(PlaintextFile, keyLevelNeedsUnsafeLoad) {
  const SEALContext context = small_context(scheme_type::ckks);
  const Bytes file = saved(random_ntt_plaintext(context, context.key_parms_id()));
  EXPECT_THROW(loaded<Plaintext>(context, file), std::logic_error);
  Plaintext unsafe;
  unsafe.unsafe_load(context, file.data(), file.size());
  EXPECT_EQ(unsafe.parms_id(), context.key_parms_id());
}

TEST(PlaintextFile, hugeCountsTakeNoMemory) {
  const SEALContext context = small_context(scheme_type::bfv);
  for (const std::uint64_t count : {std::uint64_t{1} << 32, std::uint64_t{1} << 60,
                                    std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    const seal::MemoryPoolHandle pool = seal::MemoryPoolHandle::New();
    Plaintext target(pool);
    FileWriter array;
    array.u64(count);
    for (const std::uint64_t outer : {count, std::uint64_t{8}}) {
      FileWriter file;
      file.parms_id(seal::parms_id_zero).u64(outer).f64(1.0).append(array.object());
      const Bytes bytes = file.object();
      EXPECT_THROW(target.load(context, bytes.data(), bytes.size()), std::logic_error);
    }
    EXPECT_EQ(pool.alloc_byte_count(), 0U) << count;
  }
}

}  // namespace
}  // namespace ringlet::test
