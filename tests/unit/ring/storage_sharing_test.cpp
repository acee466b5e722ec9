// SPDX-License-Identifier: Apache-2.0
// Storages whose words on a device are consecutive in shared blocks.

#include "storage_support.hpp"
#include "support/threads.hpp"
#include "support/values.hpp"

namespace ringlet::test {
namespace {

constexpr std::size_t kWords = std::size_t{2} * 3 * 16;  // with padding

/// Several Storages, in rows of kRow.
struct Sharing : ::testing::Test {
  static constexpr std::size_t kRow = 2;

  static std::vector<Storage> many(std::size_t count, Secrecy secrecy = Secrecy::open) {
    std::vector<Storage> storages;
    for (std::size_t i = 0; i < count; ++i) storages.push_back(on_host(i, secrecy));
    return storages;
  }
  /// A Storage whose words were uploaded, so that only the device has them.
  Storage uploaded(std::size_t entry) const {
    Storage storage = on_host(entry);
    static_cast<void>(storage.view_for_writing<Form::coefficient>(0, memory));
    return storage;
  }
  void share(const std::vector<Storage>& storages, const FakePointer& where) const {
    std::vector<const Storage*> pointers;
    for (const Storage& storage : storages) pointers.push_back(&storage);
    Storage::share_blocks(pointers, kRow, where);
  }
  void share(const std::vector<Storage>& storages) const { share(storages, memory); }
  const std::uint64_t* address(const Storage& storage) const {
    return storage.view<Form::any>(0, memory).data;
  }
  void expect_words(const Storage& storage, std::size_t entry) const {
    EXPECT_EQ(wrong_words(storage, entry, memory), 0u);
    EXPECT_EQ(wrong_words(storage, entry), 0u);
  }
  void expect_words(const std::vector<Storage>& storages) const {
    for (std::size_t i = 0; i < storages.size(); ++i) expect_words(storages[i], i);
  }
  void expect_in_rows(const std::vector<Storage>& storages) const {
    for (std::size_t i = 1; i < storages.size(); i += kRow) {
      EXPECT_EQ(address(storages[i]) - address(storages[i - 1]), kWords);
    }
    expect_words(storages);
  }

  FakePointer memory = fake();
};

TEST_F(Sharing, RowsShareBlocksAndStayInThem) {
  memory->most_shared_words = 2 * kRow * kWords + 5;
  const std::vector<Storage> storages = many(5 * kRow);
  for (int again = 0; again < 2; ++again) {
    share(storages);
    EXPECT_EQ(memory->allocations, 3);
    EXPECT_EQ(memory->uploads, 10);
    EXPECT_EQ(memory->copies, 0);
    expect_in_rows(storages);
    EXPECT_EQ(address(storages[2]) - address(storages[1]), kWords);
  }
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
  for (std::size_t i = 0; i < 4; ++i) storages.push_back(uploaded(i));
  const std::uint64_t* const before = address(storages[1]);
  memory->uploads = 0;
  share(storages);
  EXPECT_EQ(memory->copies, 4);
  EXPECT_EQ(memory->transfers(), 4);
  EXPECT_NE(address(storages[1]), before);
  EXPECT_EQ(memory->words_at(before, 1)[0], label(1, 0, 0, 0));
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
  const Storage source = uploaded(7);
  storages[1] = source;
  EXPECT_EQ(address(storages[1]), place);
  expect_words(storages[1], 7);
  expect_words(storages[0], 0);
  storages[1] = on_host(8);  // replaces the words of storage 7
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
  expect_words(storages);
  EXPECT_EQ(memory->block_count(), 4u);
}

TEST_F(Sharing, AFailureLeavesAllValues) {
  for (const char* const call : {"upload", "copy"}) {
    std::vector<Storage> storages = many(kRow);
    storages.push_back(uploaded(2));
    storages.push_back(uploaded(3));
    memory->failing = call;
    EXPECT_THROW(share(storages), RuntimeError);
    memory->failing.clear();
    expect_words(storages);
    share(storages);
    expect_in_rows(storages);
  }
}

TEST_F(Sharing, BorrowedWordsKeepTheirGaps) {
  std::vector<Borrowed> borrowed(kRow);
  std::vector<Storage> storages;
  for (std::size_t i = 0; i < kRow; ++i) {
    fill(borrowed[i].storage, i);
    storages.push_back(std::move(borrowed[i].storage));
  }
  share(storages);
  EXPECT_EQ(memory->allocations, 1);
  EXPECT_EQ(address(storages[1]) - address(storages[0]), 6 * Borrowed::kStride);
  for (std::size_t i = 0; i < kRow; ++i) {
    static_cast<void>(storages[i].view_for_writing<Form::any>(0, memory));
    expect_words(storages[i], i);
    EXPECT_EQ(borrowed[i].touched_gaps(), 0u);
  }
}

TEST_F(Sharing, OfTwoDevicesEachHasItsBlocks) {
  const FakePointer other = fake("gpu:1");
  std::vector<Storage> storages = many(kRow);
  share(storages);
  share(storages, other);
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
  in_threads([&](std::size_t) {
    share(storages);
    static_cast<void>(address(storages[5]));
  });
  EXPECT_EQ(memory->allocations, 1);
  EXPECT_EQ(memory->uploads, 8);
  expect_in_rows(storages);
}

}  // namespace
}  // namespace ringlet::test
