// SPDX-License-Identifier: Apache-2.0
// Storages whose words on a device lie one behind the other in blocks that they share.

#include "ringlet/error.hpp"
#include "ringlet/storage.hpp"
#include "support/fake_memory.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

namespace ringlet::test {
namespace {

using FakePointer = std::shared_ptr<FakeMemory>;
using Pointers = std::vector<const Storage*>;

constexpr StorageShape kShape{2, 3, 12};
constexpr std::size_t kWords = std::size_t{2} * 3 * 16;  // with padding

FakePointer fake(const std::string& name = "gpu:0") { return std::make_shared<FakeMemory>(name); }

std::uint64_t label(std::size_t entry, std::size_t limb, std::size_t i) {
  return entry * 10000 + limb * 100 + i + 1;
}

/// Several Storages, in rows.
class Sharing : public ::testing::Test {
 protected:
  static constexpr std::size_t kRow = 2;

  static Storage on_host(std::size_t entry, Secrecy secrecy = Secrecy::open) {
    Storage storage(kShape, secrecy);
    const CoeffView view = storage.all_for_writing<Form::coefficient>(nullptr);
    for (std::size_t l = 0; l < view.limb_count; ++l) {
      for (std::size_t i = 0; i < kShape.degree; ++i) view.limb(l)[i] = label(entry, l, i);
    }
    return storage;
  }
  /// Words of the device alone.
  Storage on_device(std::size_t entry) {
    Storage storage = on_host(entry);
    static_cast<void>(storage.view_for_writing<Form::coefficient>(0, memory));
    return storage;
  }
  std::vector<Storage> many(std::size_t count, Secrecy secrecy = Secrecy::open) {
    std::vector<Storage> storages;
    for (std::size_t i = 0; i < count; ++i) storages.push_back(on_host(i, secrecy));
    return storages;
  }
  void share(const std::vector<Storage>& storages) const {
    Pointers pointers;
    for (const Storage& storage : storages) pointers.push_back(&storage);
    Storage::share_blocks(pointers, kRow, memory);
  }
  const std::uint64_t* address(const Storage& storage) const {
    return storage.view<Form::any>(0, memory).data;
  }
  void expect_words(const Storage& storage, std::size_t entry) const {
    const ConstCoeffView there = storage.all<Form::coefficient>(memory);
    for (std::size_t l = 0; l < there.limb_count; ++l) {
      const auto words = memory->words_at(there.limb(l).data(), kShape.degree);
      for (std::size_t i = 0; i < kShape.degree; ++i) ASSERT_EQ(words[i], label(entry, l, i));
    }
    const ConstCoeffView here = storage.all<Form::coefficient>(nullptr);
    for (std::size_t l = 0; l < here.limb_count; ++l) {
      for (std::size_t i = 0; i < kShape.degree; ++i) {
        ASSERT_EQ(here.limb(l)[i], label(entry, l, i));
      }
    }
  }
  void expect_in_rows(const std::vector<Storage>& storages) const {
    for (std::size_t i = 0; i < storages.size(); ++i) {
      if (i % kRow != 0) {
        EXPECT_EQ(address(storages[i]) - address(storages[i - 1]), kWords);
      }
      expect_words(storages[i], i);
    }
  }

  FakePointer memory = fake();
};

TEST_F(Sharing, RowsShareBlocksAndStayInThem) {
  memory->most_shared_words = 2 * kRow * kWords + 5;
  const std::vector<Storage> storages = many(5 * kRow);
  share(storages);
  EXPECT_EQ(memory->allocations, 3);
  EXPECT_EQ(memory->uploads, 10);
  expect_in_rows(storages);
  EXPECT_EQ(address(storages[2]) - address(storages[1]), kWords);
  share(storages);
  EXPECT_EQ(memory->allocations, 3);
  EXPECT_EQ(memory->uploads, 10);
  EXPECT_EQ(memory->copies, 0);
}

TEST_F(Sharing, ARowIsNotDivided) {
  memory->most_shared_words = 1;
  const std::vector<Storage> storages = many(3 * kRow);
  share(storages);
  EXPECT_EQ(memory->allocations, 3);
  expect_in_rows(storages);
}

TEST_F(Sharing, WordsThatNobodyHasWrittenAreNotMoved) {
  std::vector<Storage> storages;
  for (std::size_t i = 0; i < 4; ++i) {
    storages.emplace_back(kShape, Secrecy::open, Contents::unspecified);
  }
  share(storages);
  EXPECT_EQ(memory->allocations, 1);
  EXPECT_EQ(memory->transfers(), 0);
  EXPECT_FALSE(storages[3].is_on_host());
  EXPECT_EQ(storages[3].device_memory(), nullptr);
  const NttView last = storages[3].view_for_writing<Form::ntt>(0, memory);
  EXPECT_EQ(last.data - storages[0].view_for_writing<Form::ntt>(0, memory).data, 3 * kWords);
  EXPECT_EQ(storages[3].device_memory(), memory);
  EXPECT_EQ(memory->allocations, 1);
}

TEST_F(Sharing, WordsOnTheDeviceAreCopiedAndViewsStayUntilSomebodyWrites) {
  std::vector<Storage> storages;
  for (std::size_t i = 0; i < 4; ++i) storages.push_back(on_device(i));
  const std::uint64_t* const before = address(storages[1]);
  memory->uploads = 0;
  share(storages);
  EXPECT_EQ(memory->copies, 4);
  EXPECT_EQ(memory->transfers(), 4);
  EXPECT_NE(address(storages[1]), before);
  EXPECT_EQ(memory->words_at(before, 1)[0], label(1, 0, 0));
  EXPECT_EQ(memory->block_count(), 4u + 1u);
  const std::uint64_t* const now = address(storages[1]);
  EXPECT_EQ(storages[1].view_for_writing<Form::any>(0, memory).data, now);
  EXPECT_EQ(memory->block_count(), 3u + 1u);
  expect_in_rows(storages);
  static_cast<void>(storages[0].host_for_writing<Form::any>(0));
  EXPECT_EQ(memory->block_count(), 2u + 1u);
  share(storages);
  EXPECT_EQ(memory->copies, 4);
  expect_in_rows(storages);
}

TEST_F(Sharing, BlocksLiveAsLongAsOneOfTheirStorages) {
  auto rng = make_rng();
  for (int round = 0; round < 10; ++round) {
    std::vector<Storage> storages = many(2 * kRow);
    share(storages);
    std::vector<std::size_t> order{0, 1, 2, 3};
    std::ranges::shuffle(order, rng);
    const Storage copy(storages[order[3]]);
    EXPECT_EQ(memory->block_count(), 2u);
    Storage moved(std::move(storages[order[3]]));
    for (const std::size_t i : order) {
      expect_words(moved, order[3]);
      storages[i] = Storage();
    }
    EXPECT_EQ(memory->block_count(), 2u);
    moved = Storage({1, 1, 4});
    EXPECT_EQ(memory->block_count(), 1u);
    expect_words(copy, order[3]);
  }
}

TEST_F(Sharing, AssignmentWritesIntoTheBlock) {
  std::vector<Storage> storages = many(kRow);
  share(storages);
  const std::uint64_t* const place = address(storages[1]);
  const Storage source = on_device(7);
  storages[1] = source;
  EXPECT_EQ(address(storages[1]), place);
  expect_words(storages[1], 7);
  expect_words(storages[0], 0);
  storages[1] = on_host(8);  // takes over the words of the other
  expect_words(storages[1], 8);
  expect_words(storages[0], 0);
  EXPECT_EQ(memory->block_count(), 3u);
}

TEST_F(Sharing, SecretsLieInSecretBlocks) {
  std::vector<Storage> storages = many(kRow, Secrecy::secret);
  share(storages);
  EXPECT_EQ(memory->block_count(), 1u);
  EXPECT_EQ(memory->only_secrecy(), Secrecy::secret);
}

TEST_F(Sharing, WhatDiffersStaysWhereItIs) {
  std::vector<Storage> storages = many(kRow);
  storages.push_back(on_host(2, Secrecy::secret));
  storages.emplace_back();
  share(storages);
  storages.pop_back();
  storages.emplace_back(StorageShape{1, 3, 12});
  share(storages);
  EXPECT_EQ(memory->allocations, 0);
  Storage::share_blocks({}, kRow, memory);
  Storage::share_blocks({}, kRow, nullptr);
}

TEST_F(Sharing, WithLittleRoomBlocksAreSmaller) {
  memory->most_words = 2 * kRow * kWords;
  std::vector<Storage> storages = many(5 * kRow);
  share(storages);
  EXPECT_EQ(memory->allocations, 3);
  expect_in_rows(storages);

  memory->most_words = kWords;
  storages = many(2 * kRow);
  share(storages);
  EXPECT_EQ(memory->block_count(), 0u);
  for (std::size_t i = 0; i < storages.size(); ++i) expect_words(storages[i], i);
  EXPECT_EQ(memory->block_count(), 4u);
}

TEST_F(Sharing, AFailureLeavesAllValues) {
  for (const char* const call : {"upload", "copy"}) {
    std::vector<Storage> storages = many(kRow);
    storages.push_back(on_device(2));
    storages.push_back(on_device(3));
    memory->failing = call;
    EXPECT_THROW(share(storages), RuntimeError);
    memory->failing.clear();
    for (std::size_t i = 0; i < storages.size(); ++i) expect_words(storages[i], i);
    share(storages);
    expect_in_rows(storages);
  }
}

TEST_F(Sharing, BorrowedWordsKeepTheirGaps) {
  constexpr std::size_t kStride = 17;
  std::vector<std::vector<std::uint64_t>> words(kRow, std::vector<std::uint64_t>(6 * kStride, 9));
  std::vector<Storage> storages;
  for (std::size_t i = 0; i < kRow; ++i) {
    for (std::size_t l = 0; l < 6; ++l) {
      for (std::size_t w = 0; w < kShape.degree; ++w) words[i][l * kStride + w] = label(i, l, w);
    }
    storages.push_back(Storage::borrow(kShape, words[i].data(), kStride));
  }
  share(storages);
  EXPECT_EQ(memory->allocations, 1);
  EXPECT_EQ(address(storages[1]) - address(storages[0]), 6 * kStride);
  for (std::size_t i = 0; i < kRow; ++i) {
    static_cast<void>(storages[i].view_for_writing<Form::any>(0, memory));
    expect_words(storages[i], i);
    for (std::size_t w = 0; w < words[i].size(); ++w) {
      if (w % kStride >= kShape.degree) {
        EXPECT_EQ(words[i][w], 9u);
      }
    }
  }
}

TEST_F(Sharing, OfTwoDevicesEachHasItsBlocks) {
  const FakePointer other = fake("gpu:1");
  std::vector<Storage> storages = many(kRow);
  share(storages);
  Storage::share_blocks(Pointers{&storages[0], &storages[1]}, kRow, other);
  EXPECT_EQ(memory->block_count(), 1u);
  EXPECT_EQ(other->block_count(), 1u);
  for (Storage& storage : storages) {
    static_cast<void>(storage.view_for_writing<Form::any>(0, other));
  }
  EXPECT_EQ(memory->block_count(), 0u);
  EXPECT_EQ(other->block_count(), 1u);
  EXPECT_EQ(storages[1].device_memory(), other);
}

TEST_F(Sharing, ThreadsThatShareTheSameFindOneBlock) {
  const std::vector<Storage> storages = many(4 * kRow);
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([&] {
      share(storages);
      static_cast<void>(address(storages[5]));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(memory->allocations, 1);
  EXPECT_EQ(memory->uploads, 8);
  expect_in_rows(storages);
}

}  // namespace
}  // namespace ringlet::test
