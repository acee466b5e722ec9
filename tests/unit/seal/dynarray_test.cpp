// SPDX-License-Identifier: Apache-2.0
#include "seal/dynarray.h"

#include "seal_objects.hpp"
#include "support/seal_vectors.hpp"

namespace ringlet::test {
namespace {

using seal::MemoryPoolHandle;
using DynamicWords = seal::DynArray<std::uint64_t>;

std::vector<std::uint64_t> values(const DynamicWords& array) {
  return {array.begin(), array.end()};
}

DynamicWords counting(std::size_t size) {
  DynamicWords array(size);
  std::iota(array.begin(), array.end(), std::uint64_t{0x0102030405060708});
  return array;
}

void expect_holds(const DynamicWords& array, const std::vector<std::uint64_t>& expected,
                  std::size_t capacity) {
  EXPECT_EQ(values(array), expected);
  EXPECT_EQ(array.size(), expected.size());
  EXPECT_EQ(array.capacity(), capacity);
}

TEST(SealDynArray, ConstructorsSetSizeAndCapacity) {
  const DynamicWords empty;
  expect_holds(empty, {}, 0);
  EXPECT_TRUE(empty.empty());
  EXPECT_EQ(empty.pool(), seal::MemoryManager::GetPool());
  expect_holds(DynamicWords(3), {0, 0, 0}, 3);
  expect_holds(DynamicWords(5, 2), {0, 0}, 5);
  const std::array<std::uint64_t, 2> source{7, 8};
  expect_holds(DynamicWords(source.data(), 2, 4), {7, 8}, 4);
  expect_holds(DynamicWords(source.data(), 1), {7}, 1);
}

TEST(SealDynArray, ConstructorsRefuseBadArguments) {
  const std::uint64_t value = 1;
  EXPECT_INVALID_ARGUMENT(DynamicWords{MemoryPoolHandle()});
  EXPECT_INVALID_ARGUMENT(DynamicWords(3, MemoryPoolHandle()));
  EXPECT_INVALID_ARGUMENT(DynamicWords(2, 3));
  EXPECT_INVALID_ARGUMENT(DynamicWords(&value, 3, 2));
  EXPECT_INVALID_ARGUMENT(DynamicWords(nullptr, 1));
  EXPECT_LOGIC_ERROR(DynamicWords(DynamicWords().max_size() + 1));
  EXPECT_THROW(DynamicWords(DynamicWords().max_size()), std::bad_alloc);
}

TEST(SealDynArray, CopiesAndMovesKeepTheirPools) {
  expect_copies_and_moves(counting(5));
  const MemoryPoolHandle pool = MemoryPoolHandle::New();
  DynamicWords array(7, pool);
  const DynamicWords copy(array);
  EXPECT_EQ(copy.pool(), pool);
  array = DynamicWords(2);
  const DynamicWords again(7, pool);  // in the block that was released
  EXPECT_EQ(pool.alloc_byte_count(), 128u);
}

TEST(SealDynArray, AtChecksTheIndex) {
  DynamicWords array(2);
  array.at(1) = 9;
  EXPECT_EQ(std::as_const(array).at(1), 9u);
  EXPECT_EQ(std::as_const(array)[1], 9u);
  EXPECT_OUT_OF_RANGE(array.at(2));
  EXPECT_OUT_OF_RANGE(std::as_const(array).at(~std::size_t{0}));
}

TEST(SealDynArray, SizeAndCapacityChange) {
  DynamicWords array(4);
  std::fill(array.begin(), array.end(), 1);
  array.resize(2);
  expect_holds(array, {1, 1}, 4);
  array.resize(3);
  expect_holds(array, {1, 1, 0}, 4);
  array[2] = 6;
  array.resize(2);
  array.resize(3, false);
  expect_holds(array, {1, 1, 6}, 4);  // what lay there
  array.resize(5);
  expect_holds(array, {1, 1, 6, 0, 0}, 5);
  array.reserve(2);
  expect_holds(array, {1, 1}, 2);
  array.reserve(9);
  expect_holds(array, {1, 1}, 9);
  array.clear();
  expect_holds(array, {}, 9);
  array.resize(1);
  array.shrink_to_fit();
  expect_holds(array, {0}, 1);
  array.release();
  expect_holds(array, {}, 0);
  EXPECT_EQ(array.begin(), nullptr);
  EXPECT_TRUE(array.pool());
  EXPECT_LOGIC_ERROR(array.reserve(array.max_size() + 1));
}

TEST(SealDynArray, RawFilesHaveTheirLayout) {
  DynamicWords array(2);
  array[0] = 0x1122334455667788;
  array[1] = 1;
  EXPECT_EQ(saved(array),
            as_bytes(std::string("\x5e\xa1\x10\4\4\0\0\0\x28\0\0\0\0\0\0\0"
                                 "\2\0\0\0\0\0\0\0\x88\x77\x66\x55\x44\x33\x22\x11\1\0\0\0\0\0\0\0",
                                 40)));
  EXPECT_EQ(array.save_size(seal::compr_mode_type::none), 40);
  // Two bytes each, in their order too.
  seal::DynArray<std::uint16_t> halves(2);
  halves[0] = 0x1122;
  EXPECT_EQ(saved(halves).size(), 28u);
  EXPECT_EQ(saved(halves)[24], std::byte{0x22});
}

TEST(SealDynArray, FilesComeBack) {
  // The last sizes lie on both sides of what is read at once.
  for (const std::size_t size : {0, 1, 2, 1000, 8192, 8193, 8194, 40000}) {
    for (const seal::compr_mode_type mode : kModes) {
      const DynamicWords array = counting(size);
      const Bytes file = saved(array, mode);
      EXPECT_LE(std::ssize(file), array.save_size(mode));
      for (const std::size_t bound : {std::size_t{0}, size, size + 1}) {
        DynamicWords loaded(3);
        EXPECT_EQ(loaded.load(file.data(), file.size(), bound), std::ssize(file));
        expect_holds(loaded, values(array), size);
        Pipe pipe(as_text(file) + "tail");
        std::istream stream(&pipe);
        DynamicWords streamed;
        streamed.load(stream, bound);
        EXPECT_EQ(values(streamed), values(array));
        EXPECT_EQ(pipe.position(), file.size());
      }
      Bytes buffer(file.size());
      EXPECT_EQ(array.save(buffer.data(), buffer.size(), mode), std::ssize(file));
      EXPECT_EQ(buffer, file);
    }
  }
  const SealVectors vectors("random");
  for (const std::size_t size : {0, 1, 1000}) {
    const auto& file = vectors.bytes("dynarray_zeros" + std::to_string(size));
    DynamicWords array = counting(2);
    EXPECT_EQ(array.load(file.data(), file.size()), std::ssize(file));
    EXPECT_EQ(values(array), std::vector<std::uint64_t>(size, 0));
  }
}

TEST(SealDynArray, CountsAreNotTrusted) {
  Bytes file = saved(counting(4));
  DynamicWords array = counting(1);
  EXPECT_LOGIC_ERROR(array.load(file.data(), file.size(), 3));
  for (const std::size_t byte : {16, 19, 20, 22, 23}) {
    file[byte] ^= std::byte{0x40};  // counts from 68 to more than 2^62
    const std::size_t before = array.pool().alloc_byte_count();
    EXPECT_LOGIC_ERROR(array.load(file.data(), file.size()));
    EXPECT_LOGIC_ERROR(array.load(file.data(), file.size(), 4));
    EXPECT_LE(array.pool().alloc_byte_count(), before + (std::size_t{1} << 17));
    file[byte] ^= std::byte{0x40};
  }
  file[16] = std::byte{3};  // a word left over
  EXPECT_LOGIC_ERROR(array.load(file.data(), file.size()));
  EXPECT_EQ(values(array), values(counting(1)));
}

TEST(SealDynArray, DamagedFilesAreErrorsOrOtherValues) {
  for (const seal::compr_mode_type mode : kModes) {
    const std::size_t accepted = accepted_flips(saved(counting(3), mode), [](const Bytes& damaged) {
      DynamicWords loaded = counting(1);
      try {
        loaded.load(damaged.data(), damaged.size(), 1000);
      } catch (...) {
        EXPECT_EQ(values(loaded), values(counting(1)));
        throw;
      }
      EXPECT_LE(loaded.size(), 1000u);
    });
    if (mode == seal::compr_mode_type::none) {
      // The words themselves, minor version 0 in place of 4, and two reserved bytes.
      EXPECT_EQ(accepted, 3u * 64 + 1 + 16);
    }
    expect_mutations_are_harmless(saved(counting(200), mode), [](const Bytes& changed) {
      DynamicWords loaded;
      loaded.load(changed.data(), changed.size());
      EXPECT_LE(loaded.size(), std::size_t{1} << 24);
    });
  }
}

TEST(SealDynArray, SecretsAreWipedWhereThePoolAsksForIt) {
  const MemoryPoolHandle pool = MemoryPoolHandle::New(true);
  const Bytes file = saved(counting(20000));
  DynamicWords(pool).load(file.data(), file.size());
  // Whatever block the pool hands out again, none still holds a word of the array.
  for (const std::size_t size : {8193, 16386, 20000}) {
    DynamicWords again(pool);
    again.resize(size, false);
    const auto held = std::count_if(again.begin() + 8, again.end(),
                                    [](std::uint64_t word) { return word >> 32 == 0x01020304; });
    EXPECT_EQ(held, 0);
  }
}

}  // namespace
}  // namespace ringlet::test
