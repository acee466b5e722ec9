// SPDX-License-Identifier: Apache-2.0
#include <istream>
#include <ostream>

#include "seal/util/blake2.h"
#include "seal/util/clipnormal.h"
#include "seal/util/croots.h"
#include "seal/util/globals.h"
#include "seal/util/hash.h"
#include "seal/util/locks.h"
#include "seal/util/streambuf.h"
#include "support/values.hpp"
#include "unit/seal/thrown.hpp"

namespace ringlet::test {
namespace {

namespace support_util = ::seal::util;

TEST(SealSupport, locks_let_readers_or_one_writer_in) {
  support_util::ReaderWriterLocker locker;
  {
    const support_util::ReaderLock reader(locker.acquire_read());
    EXPECT_TRUE(locker.try_acquire_read().owns_lock());
    EXPECT_FALSE(locker.try_acquire_write().owns_lock());
  }
  support_util::WriterLock writer(locker.acquire_write());
  EXPECT_FALSE(locker.try_acquire_read().owns_lock());
  writer.unlock();
  EXPECT_TRUE(locker.try_acquire_read().owns_lock());
}

TEST(SealSupport, streams_over_arrays) {
  char text[5] = {};
  support_util::ArrayPutBuffer put(text, 4);
  std::ostream out(&put);
  out << "abcd";
  EXPECT_TRUE(out.good() && put.at_end());
  out.seekp(1) << 'X';
  EXPECT_EQ(out.tellp(), 2);
  EXPECT_FALSE(out.seekp(5));
  support_util::ArrayGetBuffer get(text, 4);
  std::istream in(&get);
  std::string word;
  in >> word;
  EXPECT_EQ(word, "aXcd");
  in.clear();
  EXPECT_EQ(in.seekg(-1, std::ios::end).get(), 'd');
  EXPECT_EQ(in.tellg(), 4);
  EXPECT_INVALID_ARGUMENT(support_util::ArrayGetBuffer(nullptr, 4));
}

TEST(SealSupport, hashes) {
  // BLAKE2b-256 of the empty message.
  support_util::HashFunction::hash_block_type block;
  support_util::HashFunction::hash(nullptr, 0, block);
  const unsigned char first[] = {0x0e, 0x57, 0x51, 0xc0, 0x26, 0xe5, 0x43, 0xb2};
  EXPECT_EQ(std::memcmp(block.data(), first, sizeof(first)), 0);
  unsigned char hash[8], again[8];
  EXPECT_EQ(::blake2xb(hash, 8, "key", 3, nullptr, 0), 0);
  EXPECT_EQ(::blake2xb(again, 8, "key", 3, "secret", 6), 0);
  EXPECT_NE(std::memcmp(hash, again, 8), 0);
  EXPECT_EQ(::blake2xb(hash, 0, nullptr, 0, nullptr, 0), -1);
  EXPECT_EQ(::blake2xb(nullptr, 8, nullptr, 0, nullptr, 0), -1);
}

TEST(SealSupport, distributions_and_roots) {
  auto rng = make_rng();
  using namespace support_util::global_variables;
  support_util::ClippedNormalDistribution noise(1, noise_standard_deviation, 4);
  double widest = 0;
  for (int i = 0; i < 1000; ++i) widest = std::max(widest, std::fabs(noise(rng) - 1));
  EXPECT_LE(widest, 4);
  EXPECT_GE(widest, 3);
  EXPECT_EQ(noise.max(), 5);
  EXPECT_INVALID_ARGUMENT(support_util::ClippedNormalDistribution(0, 1, -1));
  const support_util::ComplexRoots roots(16, ::seal::MemoryManager::GetPool());
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_NEAR(roots.get_root(i).real(), std::cos(0.39269908169872414 * double(i)), 1e-14);
    EXPECT_NEAR(roots.get_root(i).imag(), std::sin(0.39269908169872414 * double(i)), 1e-14);
  }
  EXPECT_INVALID_ARGUMENT(support_util::ComplexRoots(12, ::seal::MemoryManager::GetPool()));
}

}  // namespace
}  // namespace ringlet::test
