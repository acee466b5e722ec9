// SPDX-License-Identifier: Apache-2.0
#include "seal_objects.hpp"

namespace ringlet::test {
namespace {

using seal::GaloisKeys;
using seal::KSwitchKeys;
using seal::PublicKey;
using seal::RelinKeys;
using seal::scheme_type;
using seal::SEALContext;
using seal::SecretKey;

TEST(SealKeys, secretKeysHavePoolsOfTheirOwn) {
  const SEALContext context = small_context(scheme_type::bfv);
  SecretKey key = random_secret_key(context);
  EXPECT_EQ(key.parms_id(), context.key_parms_id());
  EXPECT_EQ(key.data().coeff_count(), 3 * kSmallDegree);
  const SecretKey copy(key);
  EXPECT_TRUE(same(copy, key));
  SecretKey assigned;
  assigned = key;
  EXPECT_TRUE(same(assigned, key));
  EXPECT_TRUE(key.pool() != copy.pool());
  EXPECT_TRUE(key.pool() != assigned.pool());
  EXPECT_TRUE(key.pool() != seal::MemoryManager::GetPool());
  const seal::MemoryPoolHandle pool = key.pool();
  const SecretKey moved(std::move(key));
  EXPECT_TRUE(moved.pool() == pool);
  EXPECT_EQ(key.data().coeff_count(), 0U);
  EXPECT_EQ(key.parms_id(), seal::parms_id_zero);
}

TEST(SealKeys, publicKeysAreCiphertexts) {
  const SEALContext context = small_context(scheme_type::bfv);
  const seal::MemoryPoolHandle pool = seal::MemoryPoolHandle::New();
  PublicKey key(pool);
  EXPECT_TRUE(key.pool() == pool);
  EXPECT_EQ(key.parms_id(), seal::parms_id_zero);
  key = random_public_key(context);
  EXPECT_EQ(key.parms_id(), context.key_parms_id());
  EXPECT_EQ(std::as_const(key).data().size(), 2U);
}

TEST(SealKeys, sizeCountsEntriesThatAreNotEmpty) {
  const SEALContext context = small_context(scheme_type::bfv);
  EXPECT_EQ(KSwitchKeys().size(), 0U);
  const auto keys = random_keys<KSwitchKeys>(context, 5, {1, 4});
  EXPECT_EQ(keys.size(), 2U);
  EXPECT_EQ(keys.data().size(), 5U);
  EXPECT_EQ(keys.data(4).size(), 2U);
  EXPECT_EQ(keys.parms_id(), context.key_parms_id());
  for (const std::size_t index : {0, 2, 5, 1000}) {
    EXPECT_INVALID_ARGUMENT(keys.data(index)) << index;
  }
}

TEST(SealKeys, relinKeysAreIndexedByPowersFromTwoOn) {
  const SEALContext context = small_context(scheme_type::bfv);
  EXPECT_EQ(RelinKeys::get_index(2), 0U);
  EXPECT_EQ(RelinKeys::get_index(5), 3U);
  EXPECT_INVALID_ARGUMENT(RelinKeys::get_index(0));
  EXPECT_INVALID_ARGUMENT(RelinKeys::get_index(1));
  const auto keys = random_keys<RelinKeys>(context, 3, {0, 2});
  EXPECT_TRUE(keys.has_key(2));
  EXPECT_FALSE(keys.has_key(3));
  EXPECT_TRUE(keys.has_key(4));
  EXPECT_FALSE(keys.has_key(5));
  EXPECT_INVALID_ARGUMENT(keys.has_key(1));
  EXPECT_EQ(&keys.key(4), &keys.data()[2]);
  EXPECT_INVALID_ARGUMENT(keys.key(3));
  EXPECT_INVALID_ARGUMENT(keys.key(5));
}

TEST(SealKeys, galoisKeysAreIndexedByOddElements) {
  const SEALContext context = small_context(scheme_type::bfv);
  EXPECT_EQ(GaloisKeys::get_index(1), 0U);
  EXPECT_EQ(GaloisKeys::get_index(3), 1U);
  EXPECT_EQ(GaloisKeys::get_index((1U << 18) - 1), (1U << 17) - 1);
  for (const std::uint32_t element : {0U, 2U, 1U << 18, (1U << 18) + 1, ~0U}) {
    EXPECT_INVALID_ARGUMENT(GaloisKeys::get_index(element)) << element;
  }
  const auto keys = random_keys<GaloisKeys>(context, kSmallDegree, {1, 7});
  EXPECT_TRUE(keys.has_key(3));
  EXPECT_TRUE(keys.has_key(15));
  EXPECT_FALSE(keys.has_key(5));
  EXPECT_FALSE(keys.has_key(17));
  EXPECT_INVALID_ARGUMENT(keys.has_key(4));
  EXPECT_EQ(&keys.key(15), &keys.data()[7]);
  EXPECT_INVALID_ARGUMENT(keys.key(5));
}

}  // namespace
}  // namespace ringlet::test
