// SPDX-License-Identifier: Apache-2.0
#include "ringlet/aligned.hpp"

#include "ringlet/wipe.hpp"
#include "support/release_watch.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

bool is_aligned(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) % kAlignment == 0;
}

TEST(Aligned, EveryVectorStartsOnACacheLine) {
  for (const std::size_t size : {1, 3, 8, 9, 63, 64, 65, 1000}) {
    EXPECT_TRUE(is_aligned(AlignedVector<std::uint64_t>(size).data())) << size;
    EXPECT_TRUE(is_aligned(AlignedVector<char>(size).data())) << size;
    EXPECT_TRUE(is_aligned(SecretVector<std::uint64_t>(size).data())) << size;
  }
}

TEST(Aligned, RefusesASizeThatOverflows) {
  constexpr std::size_t kMax = std::numeric_limits<std::size_t>::max();
  EXPECT_THROW(AlignedAllocator<std::uint64_t>().allocate(kMax / 8 + 1), std::bad_array_new_length);
  EXPECT_THROW(WipingAllocator<std::uint64_t>().allocate(kMax), std::bad_array_new_length);
}

TEST(Aligned, AllocatorsOfAllTypesAreInterchangeable) {
  EXPECT_TRUE(AlignedAllocator<int>() == AlignedAllocator<double>());
  EXPECT_TRUE(WipingAllocator<int>() == WipingAllocator<double>());
  EXPECT_FALSE(AlignedAllocator<int>() != AlignedAllocator<int>());
  EXPECT_TRUE(std::allocator_traits<WipingAllocator<int>>::is_always_equal::value);
}

TEST(Aligned, SecretVectorWipesItsMemoryBeforeItsRelease) {
  if (!kReleasesAreWatched) GTEST_SKIP() << "this sanitizer owns operator delete";
  {
    SecretVector<std::uint64_t> secret(100, 0x0123456789abcdefu);
    release_watch().watch(secret.data(), 100 * sizeof(std::uint64_t));
  }
  EXPECT_EQ(release_watch().releases(), 1);
  EXPECT_EQ(release_watch().nonzero_bytes(), 0u);
}

TEST(Aligned, SecretVectorWipesTheOldBlockWhenItGrows) {
  if (!kReleasesAreWatched) GTEST_SKIP() << "this sanitizer owns operator delete";
  SecretVector<std::uint64_t> secret(16, ~std::uint64_t{0});
  release_watch().watch(secret.data(), 16 * sizeof(std::uint64_t));
  secret.resize(4096);
  EXPECT_EQ(release_watch().releases(), 1);
  EXPECT_EQ(release_watch().nonzero_bytes(), 0u);
}

TEST(Aligned, AnOpenVectorIsNotWiped) {
  if (!kReleasesAreWatched) GTEST_SKIP() << "this sanitizer owns operator delete";
  {
    AlignedVector<std::uint64_t> open(100, ~std::uint64_t{0});
    release_watch().watch(open.data(), 100 * sizeof(std::uint64_t));
  }
  EXPECT_EQ(release_watch().releases(), 1);
  EXPECT_EQ(release_watch().nonzero_bytes(), 800u);
}

TEST(Wipe, ClearsExactlyTheGivenBytes) {
  std::vector<unsigned char> bytes(100, 0xff);
  secure_wipe(bytes.data() + 10, 57);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_EQ(bytes[i], i >= 10 && i < 67 ? 0x00 : 0xff) << i;
  }
}

TEST(Wipe, TakesNullForNoBytes) {
  unsigned char byte = 7;
  secure_wipe(nullptr, 0);
  secure_wipe(&byte, 0);
  EXPECT_EQ(byte, 7);
}

}  // namespace
}  // namespace ringlet::test
