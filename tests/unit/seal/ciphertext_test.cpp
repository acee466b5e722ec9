// SPDX-License-Identifier: Apache-2.0
#include "seal/ciphertext.h"

#include "seal_objects.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

using seal::Ciphertext;
using seal::MemoryPoolHandle;
using seal::parms_id_zero;
using seal::scheme_type;
using seal::SEALContext;

constexpr seal::parms_id_type kUnknown = {1, 2, 3, 4};

void expect_released(const Ciphertext& ciphertext) {
  EXPECT_EQ(ciphertext.size(), 0U);
  EXPECT_EQ(ciphertext.size_capacity(), 0U);
  EXPECT_EQ(ciphertext.data(), nullptr);
  EXPECT_EQ(ciphertext.parms_id(), parms_id_zero);
  EXPECT_FALSE(ciphertext.is_ntt_form());
  EXPECT_EQ(ciphertext.poly_modulus_degree(), 0U);
  EXPECT_EQ(ciphertext.coeff_modulus_size(), 0U);
  EXPECT_EQ(ciphertext.scale(), 1.0);
  EXPECT_EQ(ciphertext.correction_factor(), 1U);
  EXPECT_TRUE(ciphertext.is_transparent());
}

SEALContext refused_context() {
  seal::EncryptionParameters parms = small_parameters(scheme_type::bfv);
  parms.set_poly_modulus_degree(9);
  return SEALContext(parms, true, seal::sec_level_type::none);
}

TEST(SealCiphertext, constructors) {
  expect_released(Ciphertext());
  const SEALContext context = small_context(scheme_type::bfv);
  const Ciphertext first(context);
  EXPECT_EQ(first.size(), 0U);
  EXPECT_EQ(first.size_capacity(), 2U);
  EXPECT_EQ(first.parms_id(), context.first_parms_id());
  EXPECT_EQ(first.poly_modulus_degree(), kSmallDegree);
  EXPECT_EQ(first.coeff_modulus_size(), 2U);
  EXPECT_EQ(first.data(0), nullptr) << "no words";

  const Ciphertext last(context, context.last_parms_id());
  EXPECT_EQ(last.coeff_modulus_size(), 1U);
  const Ciphertext roomy(context, context.first_parms_id(), 16);
  EXPECT_EQ(roomy.size_capacity(), 16U);
  EXPECT_EQ(roomy.dyn_array().capacity(), 16 * 2 * kSmallDegree);

  for (const std::size_t capacity : {0, 1, 17}) {
    EXPECT_THROW(Ciphertext(context, context.first_parms_id(), capacity), std::invalid_argument);
  }
  EXPECT_THROW(Ciphertext(context, kUnknown), std::invalid_argument);
  EXPECT_THROW(Ciphertext(context, parms_id_zero), std::invalid_argument);
  EXPECT_THROW(Ciphertext{refused_context()}, std::invalid_argument);
  EXPECT_THROW(Ciphertext{MemoryPoolHandle()}, std::invalid_argument);
  EXPECT_THROW(Ciphertext(context, MemoryPoolHandle()), std::invalid_argument);
}

TEST(SealCiphertext, sizes) {
  const SEALContext context = small_context(scheme_type::bfv);
  Ciphertext ciphertext(context);
  for (const std::size_t size : {1, 17, 1000}) {
    EXPECT_THROW(ciphertext.resize(size), std::invalid_argument);
    EXPECT_THROW(ciphertext.resize(context, size), std::invalid_argument);
    EXPECT_THROW(ciphertext.resize(context, context.last_parms_id(), size), std::invalid_argument);
    EXPECT_THROW(ciphertext.reserve(size), std::invalid_argument);
    EXPECT_THROW(ciphertext.reserve(context, size), std::invalid_argument);
  }
  EXPECT_THROW(ciphertext.reserve(0), std::invalid_argument);
  EXPECT_THROW(ciphertext.resize(context, kUnknown, 2), std::invalid_argument);
  EXPECT_THROW(ciphertext.reserve(context, kUnknown, 2), std::invalid_argument);
  EXPECT_THROW(ciphertext.resize(refused_context(), 2), std::invalid_argument);
  EXPECT_EQ(ciphertext.parms_id(), context.first_parms_id());
  EXPECT_EQ(ciphertext.size_capacity(), 2U);

  ciphertext.resize(3);
  EXPECT_EQ(ciphertext.size(), 3U);
  EXPECT_EQ(ciphertext.size_capacity(), 3U);
  EXPECT_TRUE(is_buffer_valid(ciphertext));
  ciphertext.data(2)[0] = 7;
  ciphertext.resize(2);
  EXPECT_EQ(ciphertext.size_capacity(), 3U);
  ciphertext.resize(3);
  EXPECT_EQ(ciphertext.data(2)[0], 0U);
  ciphertext.reserve(5);
  EXPECT_EQ(ciphertext.size_capacity(), 5U);
  EXPECT_EQ(ciphertext.size(), 3U);
  ciphertext.reserve(2);
  EXPECT_EQ(ciphertext.size(), 2U);
  EXPECT_TRUE(is_buffer_valid(ciphertext));
  ciphertext.resize(context, context.last_parms_id(), 4);
  EXPECT_EQ(ciphertext.parms_id(), context.last_parms_id());
  EXPECT_EQ(ciphertext.dyn_array().size(), 4 * kSmallDegree);
  ciphertext.reserve(context, context.first_parms_id(), 6);
  EXPECT_EQ(ciphertext.size_capacity(), 6U);
  EXPECT_EQ(ciphertext.size(), 4U);
  EXPECT_TRUE(is_buffer_valid(ciphertext)) << "also where the level has grown";
  ciphertext.reserve(context, 3);
  EXPECT_EQ(ciphertext.size_capacity(), 3U);
  EXPECT_EQ(ciphertext.size(), 3U);
  ciphertext.resize(context, 2);
  EXPECT_EQ(ciphertext.dyn_array().size(), 2 * 2 * kSmallDegree);
  ciphertext.resize(0);
  EXPECT_EQ(ciphertext.size(), 0U);
  ciphertext.release();
  expect_released(ciphertext);
  ciphertext.resize(2);
  EXPECT_EQ(ciphertext.size(), 2U) << "without a level there are no words";
  EXPECT_EQ(ciphertext.data(1), nullptr);
}

TEST(SealCiphertext, wordsAreOrderedByPolynomialPrimeAndCoefficient) {
  const SEALContext context = small_context(scheme_type::bfv);
  Ciphertext ciphertext = random_ciphertext(context, context.first_parms_id(), 3);
  const std::size_t words = 2 * kSmallDegree;
  EXPECT_EQ(ciphertext.data(2), ciphertext.data() + 2 * words);
  ciphertext[words + kSmallDegree + 1] = 77;
  EXPECT_EQ(ciphertext.data(1)[kSmallDegree + 1], 77U);
  EXPECT_EQ(std::as_const(ciphertext)[words + kSmallDegree + 1], 77U);
  EXPECT_THROW(ciphertext[3 * words], std::out_of_range);
  EXPECT_THROW(static_cast<void>(ciphertext.data(3)), std::out_of_range);
  EXPECT_EQ(ciphertext.dyn_array().size(), 3 * words);
}

TEST(SealCiphertext, copiesAndMoves) {
  const SEALContext context = small_context(scheme_type::ckks);
  Ciphertext source = random_ciphertext(context, context.first_parms_id(), 3);
  source.correction_factor() = 3;
  const MemoryPoolHandle pool = MemoryPoolHandle::New();
  Ciphertext target(pool);
  target = source;
  EXPECT_TRUE(same(target, source));
  EXPECT_EQ(target.correction_factor(), 3U);
  EXPECT_TRUE(target.pool() == pool);
  Ciphertext& alias = target;
  target = alias;
  EXPECT_TRUE(same(target, source));
  const Ciphertext copy(source, pool);
  EXPECT_TRUE(same(copy, source));
  EXPECT_TRUE(copy.pool() == pool);

  const std::uint64_t* memory = target.data();
  Ciphertext moved(std::move(target));
  EXPECT_TRUE(same(moved, source));
  EXPECT_EQ(moved.data(), memory);
  expect_released(target);
  target = std::move(moved);
  EXPECT_TRUE(same(target, source));
  expect_released(moved);
}

TEST(SealCiphertext, transparency) {
  const SEALContext context = small_context(scheme_type::bfv);
  Ciphertext ciphertext(context);
  EXPECT_TRUE(ciphertext.is_transparent());
  ciphertext.resize(3);
  EXPECT_TRUE(ciphertext.is_transparent());
  ciphertext.data(0)[3] = 1;
  EXPECT_TRUE(ciphertext.is_transparent());
  ciphertext.data(2)[2 * kSmallDegree - 1] = 1;
  EXPECT_FALSE(ciphertext.is_transparent());
  ciphertext.resize(2);
  EXPECT_TRUE(ciphertext.is_transparent());
  ciphertext.data(1)[0] = 1;
  EXPECT_FALSE(ciphertext.is_transparent());
}

}  // namespace
}  // namespace ringlet::test
