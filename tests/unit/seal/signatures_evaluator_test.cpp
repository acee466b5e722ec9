// SPDX-License-Identifier: Apache-2.0
#include "seal_objects.hpp"
#include "service_setup.hpp"
#include "support/test.hpp"

// Every overload of Evaluator once: with and without a pool, with a destination and in place. All
// four give the same words.

namespace ringlet::test {
namespace {

using seal::Ciphertext;
using seal::Plaintext;
using seal::scheme_type;

using SealEvaluatorSignatures = SealServices;

INSTANTIATE_TEST_SUITE_P(AllSchemes, SealEvaluatorSignatures, testing::ValuesIn(kServiceSchemes),
                         scheme_name);

// The result of s.evaluator.operation(operand, ..., destination), T its type.
#define UNPOOLED(T, operation, operand, ...)                              \
  [&] {                                                                   \
    T written;                                                            \
    s.evaluator.operation(operand __VA_OPT__(, ) __VA_ARGS__, written);   \
    T in_place = operand;                                                 \
    s.evaluator.operation##_inplace(in_place __VA_OPT__(, ) __VA_ARGS__); \
    EXPECT_TRUE(same(written, in_place)) << #operation;                   \
    return written;                                                       \
  }()

#define POOLED(T, operation, operand, ...)                                             \
  [&] {                                                                                \
    const T expected = UNPOOLED(T, operation, operand __VA_OPT__(, ) __VA_ARGS__);     \
    const auto pool = seal::MemoryPoolHandle::New();                                   \
    T pooled;                                                                          \
    s.evaluator.operation(operand __VA_OPT__(, ) __VA_ARGS__, pooled, pool);           \
    EXPECT_TRUE(same(expected, pooled)) << #operation;                                 \
    T pooled_in_place = operand;                                                       \
    s.evaluator.operation##_inplace(pooled_in_place __VA_OPT__(, ) __VA_ARGS__, pool); \
    EXPECT_TRUE(same(expected, pooled_in_place)) << #operation;                        \
    return expected;                                                                   \
  }()

TEST_P(SealEvaluatorSignatures, arithmetic) {
  const Slots a = counting(s, -3);
  const Slots b = counting(s, 40, -1);
  const Ciphertext x = s.encrypt(a);
  const Ciphertext y = s.encrypt(b);
  const Plaintext p = s.encode(b);
  EXPECT_EQ(s.decrypt(UNPOOLED(Ciphertext, negate, x)), difference(Slots(a.size()), a));
  EXPECT_EQ(s.decrypt(UNPOOLED(Ciphertext, add, x, y)), sum(a, b));
  EXPECT_EQ(s.decrypt(UNPOOLED(Ciphertext, sub, x, y)), difference(a, b));
  const Ciphertext z = POOLED(Ciphertext, multiply, x, y);
  EXPECT_EQ(s.decrypt(z), product(a, b));
  EXPECT_EQ(s.decrypt(POOLED(Ciphertext, square, x)), product(a, a));
  EXPECT_EQ(s.decrypt(POOLED(Ciphertext, relinearize, z, s.relin_keys)), product(a, b));
  EXPECT_EQ(s.decrypt(POOLED(Ciphertext, add_plain, x, p)), sum(a, b));
  EXPECT_EQ(s.decrypt(POOLED(Ciphertext, sub_plain, x, p)), difference(a, b));
  EXPECT_EQ(s.decrypt(POOLED(Ciphertext, multiply_plain, x, p)), product(a, b));
  EXPECT_EQ(s.decrypt(POOLED(Ciphertext, exponentiate, x, 1, s.relin_keys)), a);
  Ciphertext result;
  s.evaluator.add_many({x, y, x}, result);
  EXPECT_EQ(s.decrypt(result), sum(sum(a, b), a));
  if (s.is_ckks()) return;
  EXPECT_EQ(s.decrypt(POOLED(Ciphertext, exponentiate, x, 2, s.relin_keys)), product(a, a));
  s.evaluator.multiply_many({x, y}, s.relin_keys, result);
  EXPECT_EQ(s.decrypt(result), product(a, b));
  s.evaluator.multiply_many({x, y}, s.relin_keys, result, seal::MemoryManager::GetPool());
  EXPECT_EQ(s.decrypt(result), product(a, b));
}

TEST_P(SealEvaluatorSignatures, levels) {
  const Slots a = counting(s, 1);
  const Ciphertext x = s.encrypt(a);
  const seal::parms_id_type second =
      s.context.first_context_data()->next_context_data()->parms_id();
  const Ciphertext next = POOLED(Ciphertext, mod_switch_to_next, x);
  EXPECT_EQ(s.decrypt(next), a);
  EXPECT_TRUE(same(POOLED(Ciphertext, mod_switch_to, x, second), next));
  const Ciphertext reduced = POOLED(Ciphertext, mod_reduce_to_next, x);
  EXPECT_EQ(reduced.parms_id(), second);
  EXPECT_TRUE(same(POOLED(Ciphertext, mod_reduce_to, x, second), reduced));
  EXPECT_EQ(same(next, reduced), s.is_ckks());
  if (!s.is_ckks()) return;
  Ciphertext square;
  s.evaluator.square(x, square);
  const Ciphertext rescaled = POOLED(Ciphertext, rescale_to_next, square);
  EXPECT_EQ(s.decrypt(rescaled), product(a, a));
  EXPECT_TRUE(same(POOLED(Ciphertext, rescale_to, square, second), rescaled));
}

TEST_P(SealEvaluatorSignatures, forms) {
  const Slots a = counting(s, 1);
  const Ciphertext x = s.encrypt(a);
  if (s.scheme == scheme_type::bfv) {
    const Ciphertext values = UNPOOLED(Ciphertext, transform_to_ntt, x);
    EXPECT_TRUE(same(UNPOOLED(Ciphertext, transform_from_ntt, values), x));
  } else {
    const Ciphertext coefficients = UNPOOLED(Ciphertext, transform_from_ntt, x);
    EXPECT_TRUE(same(UNPOOLED(Ciphertext, transform_to_ntt, coefficients), x));
  }
  Plaintext plain = s.encode(a);
  const seal::parms_id_type first = s.context.first_parms_id();
  if (!s.is_ckks()) {
    plain = POOLED(Plaintext, transform_to_ntt, plain, first);
    Ciphertext ntt = x;
    if (s.scheme == scheme_type::bfv) s.evaluator.transform_to_ntt_inplace(ntt);
    s.evaluator.multiply_plain_inplace(ntt, plain);
    if (s.scheme == scheme_type::bfv) s.evaluator.transform_from_ntt_inplace(ntt);
    EXPECT_EQ(s.decrypt(ntt), product(a, a));
  }
  const Plaintext next = UNPOOLED(Plaintext, mod_switch_to_next, plain);
  EXPECT_EQ(next.coeff_count() + kServiceDegree, plain.coeff_count());
  EXPECT_TRUE(same(UNPOOLED(Plaintext, mod_switch_to, plain, next.parms_id()), next));
}

TEST_P(SealEvaluatorSignatures, galois) {
  const Slots a = counting(s, 1);
  const Ciphertext x = s.encrypt(a);
  const Ciphertext applied = POOLED(Ciphertext, apply_galois, x, 3, s.galois_keys);
  const Ciphertext mirrored = POOLED(Ciphertext, apply_galois, x, 127, s.galois_keys);
  Slots left = a;
  std::rotate(left.begin(), left.begin() + 1, left.begin() + kServiceDegree / 2);
  if (s.is_ckks()) {
    EXPECT_TRUE(same(POOLED(Ciphertext, rotate_vector, x, 1, s.galois_keys), applied));
    EXPECT_TRUE(same(POOLED(Ciphertext, complex_conjugate, x, s.galois_keys), mirrored));
  } else {
    std::rotate(left.begin() + kServiceDegree / 2, left.begin() + kServiceDegree / 2 + 1,
                left.end());
    EXPECT_TRUE(same(POOLED(Ciphertext, rotate_rows, x, 1, s.galois_keys), applied));
    EXPECT_TRUE(same(POOLED(Ciphertext, rotate_columns, x, s.galois_keys), mirrored));
  }
  EXPECT_EQ(s.decrypt(applied), left);
}

TEST_P(SealEvaluatorSignatures, servicesAreNotCopied) {
  EXPECT_FALSE(std::is_copy_constructible_v<seal::Evaluator>);
  EXPECT_FALSE(std::is_copy_assignable_v<seal::Evaluator>);
  EXPECT_FALSE(std::is_copy_constructible_v<seal::Encryptor>);
  EXPECT_FALSE(std::is_copy_constructible_v<seal::Decryptor>);
  EXPECT_FALSE(std::is_copy_constructible_v<seal::KeyGenerator>);
  EXPECT_FALSE(std::is_copy_constructible_v<seal::BatchEncoder>);
  EXPECT_FALSE(std::is_copy_constructible_v<seal::CKKSEncoder>);
  EXPECT_FALSE((std::is_convertible_v<seal::SEALContext, seal::Evaluator>));
  // A service keeps a context of its own.
  std::optional<seal::SEALContext> context(s.context);
  const seal::Evaluator evaluator(*context);
  context.reset();
  Ciphertext x = s.encrypt(counting(s, 1));
  evaluator.negate_inplace(x);
  EXPECT_EQ(s.decrypt(x), counting(s, -1, -1));
}

}  // namespace
}  // namespace ringlet::test
