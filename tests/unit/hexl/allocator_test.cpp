// SPDX-License-Identifier: Apache-2.0
#include "unit/hexl/memory.hpp"

namespace ringlet::test {
namespace {

using intel::hexl::AlignedAllocator;
using intel::hexl::AlignedVector64;

bool starts_on(const void* address, std::uintptr_t boundary) {
  return reinterpret_cast<std::uintptr_t>(address) % boundary == 0;
}

TEST(HexlAllocator, vectors_start_on_64_bytes) {
  for (std::size_t n = 1; n < 100; n += 7) {
    const AlignedVector64<std::uint64_t> words(n, 5);
    const AlignedVector64<unsigned char> bytes(n);
    EXPECT_TRUE(starts_on(words.data(), 64)) << n;
    EXPECT_TRUE(starts_on(bytes.data(), 64)) << n;
    EXPECT_EQ(words.back(), 5u);
  }
}

TEST(HexlAllocator, other_alignments) {
  AlignedAllocator<char, 1> unaligned;
  char* const byte = unaligned.allocate(3);
  byte[2] = 1;
  unaligned.deallocate(byte, 3);
  AlignedAllocator<double, 4096> page;
  double* const doubles = page.allocate(2);
  EXPECT_TRUE(starts_on(doubles, 4096));
  page.deallocate(doubles, 2);
}

TEST(HexlAllocator, uses_its_strategy_and_gives_back_what_it_took) {
  const auto memory = std::make_shared<CountedMemory>();
  const auto strategy = std::make_shared<CountedStrategy>(memory);
  {
    AlignedVector64<std::uint64_t> words{AlignedAllocator<std::uint64_t, 64>(strategy)};
    for (std::uint64_t i = 0; i < 1000; ++i) words.push_back(i);
    EXPECT_EQ(memory->blocks(), 1u);
    EXPECT_GE(memory->bytes(), 8000u);
    EXPECT_EQ(words[999], 999u);
  }
  EXPECT_EQ(memory->bytes(), 0u);
}

/// Containers that move or swap their memory take its strategy along.
TEST(HexlAllocator, memory_goes_back_where_it_came_from) {
  const auto memory = std::make_shared<CountedMemory>();
  const auto strategy = std::make_shared<CountedStrategy>(memory);
  {
    AlignedVector64<std::uint64_t> a(10, 1, AlignedAllocator<std::uint64_t, 64>(strategy));
    AlignedVector64<std::uint64_t> b(10, 2);
    EXPECT_FALSE(a.get_allocator() == b.get_allocator());
    EXPECT_TRUE(a.get_allocator() != b.get_allocator());
    b = std::move(a);
    EXPECT_EQ(b[9], 1u);
    AlignedVector64<std::uint64_t> c(10, 3);
    std::swap(b, c);
    EXPECT_EQ(c[0], 1u);
    EXPECT_TRUE(c.get_allocator() == (AlignedAllocator<std::uint64_t, 64>(strategy)));
    const AlignedVector64<std::uint64_t> copy = c;
    EXPECT_EQ(memory->blocks(), 2u);
    EXPECT_EQ(copy, c);
  }
  EXPECT_EQ(memory->blocks(), 0u);
}

TEST(HexlAllocator, says_when_there_is_no_memory) {
  AlignedAllocator<std::uint64_t, 64> none(std::make_shared<NoMemory>());
  EXPECT_THROW(none.allocate(1), std::bad_alloc);
  AlignedAllocator<std::uint64_t, 64> ordinary;
  EXPECT_THROW(ordinary.allocate(std::numeric_limits<std::size_t>::max() / 8), std::bad_alloc);
  EXPECT_NO_THROW(ordinary.deallocate(nullptr, 0));
}

TEST(HexlAllocator, the_shared_strategy_of_the_c_library) {
  ASSERT_NE(intel::hexl::mallocStrategy, nullptr);
  AlignedVector64<int> numbers(3, 7, AlignedAllocator<int, 64>(intel::hexl::mallocStrategy));
  EXPECT_EQ(numbers[2], 7);
}

}  // namespace
}  // namespace ringlet::test
