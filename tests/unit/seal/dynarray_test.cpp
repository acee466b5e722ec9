// SPDX-License-Identifier: Apache-2.0
#include "seal/dynarray.h"

#include "support/seal_vectors.hpp"
#include "support/test.hpp"
#include "tests/unit/seal/frame_streams.hpp"

namespace ringlet::seal4 {

namespace {

using ringlet::test::accepted_damages;
using ringlet::test::accepted_mutations;
using ringlet::test::FrameBytes;
using ringlet::test::Pipe;
using ringlet::test::saved_bytes;
using ringlet::test::thrown_by;
using Words = DynArray<std::uint64_t>;

constexpr compr_mode_type kModes[] = {compr_mode_type::none, compr_mode_type::zstd};

std::vector<std::uint64_t> values(const Words& array) { return {array.begin(), array.end()}; }

Words counting(std::size_t size) {
  Words array(size);
  std::iota(array.begin(), array.end(), std::uint64_t{0x0102030405060708});
  return array;
}

TEST(SealDynArray, ConstructorsSetSizeAndCapacity) {
  const Words empty;
  EXPECT_EQ(empty.size(), 0u);
  EXPECT_EQ(empty.capacity(), 0u);
  EXPECT_TRUE(empty.empty());
  EXPECT_EQ(empty.begin(), empty.end());
  EXPECT_EQ(empty.pool(), MemoryManager::GetPool());
  const Words three(3);
  EXPECT_EQ(values(three), (std::vector<std::uint64_t>{0, 0, 0}));
  EXPECT_EQ(three.capacity(), 3u);
  const Words roomy(5, 2);
  EXPECT_EQ(roomy.size(), 2u);
  EXPECT_EQ(roomy.capacity(), 5u);
  const std::array<std::uint64_t, 2> source{7, 8};
  const Words copied(source.data(), 2, 4);
  EXPECT_EQ(values(copied), (std::vector<std::uint64_t>{7, 8}));
  EXPECT_EQ(copied.capacity(), 4u);
  EXPECT_EQ(values(Words(source.data(), 1)), std::vector<std::uint64_t>{7});
}

TEST(SealDynArray, ConstructorsRefuseBadArguments) {
  const std::uint64_t value = 1;
  EXPECT_EQ(thrown_by([] { Words{MemoryPoolHandle()}; }), "IA");
  EXPECT_EQ(thrown_by([] { Words(3, MemoryPoolHandle()); }), "IA");
  EXPECT_EQ(thrown_by([] { Words(2, 3); }), "IA");
  EXPECT_EQ(thrown_by([&] { Words(&value, 3, 2); }), "IA");
  EXPECT_EQ(thrown_by([&] { Words(nullptr, 1); }), "IA");
  EXPECT_EQ(thrown_by([&] { Words(Words().max_size() + 1); }), "LE");
  EXPECT_THROW(Words(Words().max_size()), std::bad_alloc);
}

TEST(SealDynArray, CopiesAndMovesKeepTheirPools) {
  const MemoryPoolHandle first = MemoryPoolHandle::New();
  const MemoryPoolHandle second = MemoryPoolHandle::New();
  Words source(2, first);
  source[1] = 5;
  const Words copy(source);
  EXPECT_EQ(copy.pool(), first);
  EXPECT_EQ(values(copy), values(source));
  EXPECT_NE(copy.begin(), source.begin());
  EXPECT_EQ(Words(source, second).pool(), second);

  Words assigned(7, second);
  assigned = source;
  EXPECT_EQ(assigned.pool(), second);
  EXPECT_EQ(values(assigned), values(source));
  const Words& itself = assigned;
  assigned = itself;
  EXPECT_EQ(values(assigned), values(source));

  const std::uint64_t* words = source.begin();
  Words moved(std::move(source));
  EXPECT_EQ(moved.begin(), words);
  EXPECT_EQ(moved.pool(), first);
  assigned = std::move(moved);
  EXPECT_EQ(assigned.begin(), words);
  EXPECT_EQ(assigned.pool(), first);
  EXPECT_EQ(second.alloc_byte_count(), 64u);  // released, kept for reuse
}

TEST(SealDynArray, AtChecksTheIndex) {
  Words array(2);
  array.at(1) = 9;
  EXPECT_EQ(std::as_const(array).at(1), 9u);
  EXPECT_EQ(std::as_const(array)[1], 9u);
  EXPECT_EQ(thrown_by([&] { (void)array.at(2); }), "OOR");
  EXPECT_EQ(thrown_by([&] { (void)std::as_const(array).at(~std::size_t{0}); }), "OOR");
}

TEST(SealDynArray, SizeAndCapacityChange) {
  Words array(4);
  std::fill(array.begin(), array.end(), 1);
  array.resize(2);
  EXPECT_EQ(array.capacity(), 4u);
  array.resize(3);
  EXPECT_EQ(values(array), (std::vector<std::uint64_t>{1, 1, 0}));
  array[2] = 6;
  array.resize(2);
  array.resize(3, false);
  EXPECT_EQ(array[2], 6u);  // what lay there
  array.resize(5);
  EXPECT_EQ(array.capacity(), 5u);
  EXPECT_EQ(values(array), (std::vector<std::uint64_t>{1, 1, 6, 0, 0}));
  array.reserve(2);
  EXPECT_EQ(array.size(), 2u);
  EXPECT_EQ(array.capacity(), 2u);
  array.reserve(9);
  EXPECT_EQ(values(array), (std::vector<std::uint64_t>{1, 1}));
  array.clear();
  EXPECT_EQ(array.size(), 0u);
  EXPECT_EQ(array.capacity(), 9u);
  array.resize(1);
  array.shrink_to_fit();
  EXPECT_EQ(array.capacity(), 1u);
  array.release();
  EXPECT_EQ(array.capacity(), 0u);
  EXPECT_EQ(array.begin(), nullptr);
  EXPECT_TRUE(array.pool());
  EXPECT_EQ(thrown_by([&] { array.reserve(array.max_size() + 1); }), "LE");
}

TEST(SealDynArray, RawFilesHaveTheirLayout) {
  Words array(2);
  array[0] = 0x1122334455667788;
  array[1] = 1;
  const FrameBytes file = saved_bytes(array, compr_mode_type::none);
  const FrameBytes expected = ringlet::test::to_bytes(
      std::string("\x5e\xa1\x10\x04\x04\x00\x00\x00\x28\x00\x00\x00\x00\x00\x00\x00"
                  "\x02\x00\x00\x00\x00\x00\x00\x00\x88\x77\x66\x55\x44\x33\x22\x11"
                  "\x01\x00\x00\x00\x00\x00\x00\x00",
                  40));
  EXPECT_EQ(file, expected);
  EXPECT_EQ(array.save_size(compr_mode_type::none), 40);
  // Two bytes each, in their order too.
  DynArray<std::uint16_t> halves(2);
  halves[0] = 0x1122;
  EXPECT_EQ(saved_bytes(halves, compr_mode_type::none).size(), 28u);
  EXPECT_EQ(saved_bytes(halves, compr_mode_type::none)[24], seal_byte{0x22});
}

TEST(SealDynArray, FilesComeBack) {
  // The last sizes lie on both sides of what is read at once.
  for (const std::size_t size : {0, 1, 2, 1000, 8192, 8193, 8194, 40000}) {
    for (const compr_mode_type mode : kModes) {
      const Words array = counting(size);
      const FrameBytes file = saved_bytes(array, mode);
      EXPECT_LE(file.size(), static_cast<std::size_t>(array.save_size(mode)));
      for (const std::size_t bound : {std::size_t{0}, size, size + 1}) {
        Words loaded(3);
        EXPECT_EQ(loaded.load(file.data(), file.size(), bound),
                  static_cast<std::streamoff>(file.size()));
        EXPECT_EQ(values(loaded), values(array));
        EXPECT_EQ(loaded.capacity(), size);
        Pipe pipe(ringlet::test::to_text(file) + "tail");
        std::istream stream(&pipe);
        Words streamed;
        streamed.load(stream, bound);
        EXPECT_EQ(values(streamed), values(array));
        EXPECT_EQ(pipe.position(), file.size());
      }
      FrameBytes buffer(file.size());
      EXPECT_EQ(array.save(buffer.data(), buffer.size(), mode),
                static_cast<std::streamoff>(file.size()));
      EXPECT_EQ(buffer, file);
    }
  }
}

TEST(SealDynArray, ReadsFilesOfSeal) {
  const ringlet::test::SealVectors vectors("random");
  for (const std::size_t size : {0, 1, 1000}) {
    const auto& file = vectors.bytes("dynarray_zeros" + std::to_string(size));
    Words array = counting(2);
    EXPECT_EQ(array.load(file.data(), file.size()), static_cast<std::streamoff>(file.size()));
    EXPECT_EQ(values(array), std::vector<std::uint64_t>(size, 0));
  }
}

TEST(SealDynArray, CountsAreNotTrusted) {
  FrameBytes file = saved_bytes(counting(4), compr_mode_type::none);
  Words array = counting(1);
  const auto load = [&](std::size_t bound) {
    return thrown_by([&] { array.load(file.data(), file.size(), bound); });
  };
  EXPECT_EQ(load(3), "LE");
  EXPECT_EQ(load(4), "");
  array = counting(1);
  for (const std::size_t byte : {16, 19, 20, 22, 23}) {
    FrameBytes original = file;
    file[byte] ^= seal_byte{0x40};  // counts from 68 to more than 2^62
    const std::size_t before = array.pool().alloc_byte_count();
    EXPECT_EQ(load(0), "LE");
    EXPECT_EQ(load(4), "LE");
    EXPECT_LE(array.pool().alloc_byte_count(), before + (std::size_t{1} << 17));
    EXPECT_EQ(values(array), values(counting(1)));
    file = original;
  }
  file[16] = seal_byte{3};  // a word left over
  EXPECT_EQ(load(0), "LE");
}

TEST(SealDynArray, DamagedFilesAreErrorsOrOtherValues) {
  for (const compr_mode_type mode : kModes) {
    const Words array = counting(3);
    const FrameBytes file = saved_bytes(array, mode);
    const std::size_t accepted = accepted_damages(file, [&](const FrameBytes& damaged) {
      Words loaded = counting(1);
      const std::string refused =
          thrown_by([&] { loaded.load(damaged.data(), damaged.size(), 1000); });
      if (!refused.empty()) {
        EXPECT_EQ(values(loaded), values(counting(1)));
        throw std::logic_error(refused);
      }
      EXPECT_LE(loaded.size(), 1000u);
    });
    if (mode == compr_mode_type::none) {
      // The words themselves, minor version 0 in place of 4, and two reserved bytes.
      EXPECT_EQ(accepted, 3u * 64 + 1 + 16);
    }
  }
}

TEST(SealDynArray, MutatedFilesAreErrorsOrOtherValues) {
  for (const compr_mode_type mode : kModes) {
    const FrameBytes file = saved_bytes(counting(200), mode);
    const std::size_t accepted = accepted_mutations(file, 5000, [](const FrameBytes& mutated) {
      Words loaded;
      loaded.load(mutated.data(), mutated.size());
      EXPECT_LE(loaded.size(), std::size_t{1} << 24);
    });
    EXPECT_GT(accepted, 0u);
    EXPECT_LT(accepted, 5000u);
  }
}

TEST(SealDynArray, SecretsAreWipedWhereThePoolAsksForIt) {
  const MemoryPoolHandle pool = MemoryPoolHandle::New(true);
  const FrameBytes file = saved_bytes(counting(20000), compr_mode_type::none);
  {
    Words array(pool);
    array.load(file.data(), file.size());
  }
  // Whatever block the pool hands out again, none still holds a word of the array.
  for (const std::size_t size : {8193, 16386, 20000}) {
    Words again(pool);
    again.resize(size, false);
    const auto held = std::count_if(again.begin() + 8, again.end(),
                                    [](std::uint64_t word) { return word >> 32 == 0x01020304; });
    EXPECT_EQ(held, 0);
  }
}

}  // namespace

}  // namespace ringlet::seal4
