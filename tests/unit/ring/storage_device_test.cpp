// SPDX-License-Identifier: Apache-2.0
#include "storage_support.hpp"
#include "support/refusal.hpp"
#include "support/threads.hpp"

namespace ringlet::test {
namespace {

/// Expects the words of `version` on the host, or in `memory` if it is given.
void expect_words(const Storage& storage, std::uint64_t version,
                  const FakePointer& memory = nullptr) {
  EXPECT_EQ(wrong_words(storage, version, memory), 0u);
}

TEST(DeviceStorage, UploadsWhenFirstAsked) {
  const FakePointer memory = fake();
  const Storage storage = on_host(1);
  EXPECT_EQ(storage.device_memory(), nullptr);
  EXPECT_EQ(memory->allocations, 0);
  expect_words(storage, 1, memory);
  EXPECT_EQ(storage.device_memory(), memory);
  EXPECT_TRUE(storage.is_on_host());
  expect_words(storage, 1, memory);
  expect_words(storage, 1);
  EXPECT_EQ(memory->allocations, 1);
  EXPECT_EQ(memory->uploads, 1);
  EXPECT_EQ(memory->downloads, 0);
}

TEST(DeviceStorage, CopiesAreDroppedOnRequest) {
  const FakePointer memory = fake();
  const FakePointer other = fake("gpu:1");
  for (const bool is_from_device : {false, true}) {
    Storage storage = is_from_device ? on_device(memory, 1) : on_host(1);
    for (const FakePointer& place : {FakePointer(), memory, other}) expect_words(storage, 1, place);
    storage.drop_device_copies();
    EXPECT_EQ(memory->block_count() + other->block_count(), 0u);
    EXPECT_EQ(storage.device_memory(), nullptr);
    expect_words(storage, 1, memory);
    fill(storage, 2, memory);
    memory->failing = "download";
    EXPECT_ANY_THROW(storage.drop_device_copies());
    memory->failing.clear();
    expect_words(storage, 2);
  }
  Storage().drop_device_copies();
}

TEST(DeviceStorage, ViewsOfPolynomialsAreOneBlock) {
  const FakePointer memory = fake();
  Storage storage(kShape);
  const NttView first = storage.view_for_writing<Form::ntt>(0, memory);
  const NttView second = storage.view_for_writing<Form::ntt>(1, memory);
  EXPECT_EQ(first.limb_stride, storage.limb_stride());
  EXPECT_EQ(first.degree, kShape.degree);
  EXPECT_EQ(first.limb_count, kShape.limb_count);
  EXPECT_EQ(second.data - first.data,
            static_cast<std::ptrdiff_t>(kShape.limb_count * storage.limb_stride()));
  EXPECT_EQ(memory->allocations, 1);
  EXPECT_THROW(static_cast<void>(storage.view<Form::ntt>(2, memory)), OutOfRange);
  EXPECT_THROW(static_cast<void>(storage.view_for_writing<Form::ntt>(2, memory)), OutOfRange);
}

TEST(DeviceStorage, WritingMakesTheOtherCopyStale) {
  const FakePointer memory = fake();
  Storage storage = on_host(1);
  for (std::uint64_t version = 2; version < 8; version += 2) {
    fill(storage, version, memory);
    EXPECT_FALSE(storage.is_on_host());
    expect_words(storage, version);
    EXPECT_TRUE(storage.is_on_host());
    EXPECT_EQ(storage.device_memory(), memory);
    expect_words(storage, version, memory);
    fill(storage, version + 1);
    EXPECT_EQ(storage.device_memory(), nullptr);
    expect_words(storage, version + 1, memory);
  }
  EXPECT_EQ(memory->allocations, 1);
  EXPECT_EQ(memory->downloads, 3);
  EXPECT_EQ(memory->uploads, 4);
  // A write of one word keeps its neighbours.
  storage.host_for_writing<Form::ntt>(1).limb(2)[5] = 9;
  const NttView view = storage.view_for_writing<Form::ntt>(1, memory);
  memory->words_at(view.data, 1)[0] = 10;
  const ConstNttView back = storage.host<Form::ntt>(1);
  EXPECT_EQ(back.limb(2)[5], 9u);
  EXPECT_EQ(back.limb(0)[0], 10u);
  EXPECT_EQ(back.limb(2)[4], label(7, 1, 2, 4));
}

TEST(DeviceStorage, UnspecifiedWordsTakeNoMemoryAndNoTransfer) {
  const FakePointer memory = fake();
  Storage storage(kShape, Secrecy::open, Contents::unspecified);
  EXPECT_FALSE(storage.is_on_host());
  EXPECT_EQ(storage.device_memory(), nullptr);
  EXPECT_FALSE(Storage(storage).is_on_host());
  EXPECT_EQ(memory->allocations, 0);
  fill(storage, 1, memory);
  EXPECT_EQ(memory->allocations, 1);
  EXPECT_FALSE(storage.is_on_host());
  expect_words(storage, 1, memory);
  EXPECT_EQ(memory->transfers(), 0);

  Storage other(kShape, Secrecy::open, Contents::unspecified);
  fill(other, 2);
  EXPECT_EQ(memory->allocations, 1);
  expect_words(other, 2, memory);
}

TEST(DeviceStorage, CopiesStayOnTheDevice) {
  const FakePointer memory = fake();
  Storage source = on_device(memory, 1);
  Storage copy(source);
  EXPECT_EQ(memory->copies, 1);
  EXPECT_EQ(memory->transfers(), 1);
  EXPECT_EQ(memory->block_count(), 2u);
  EXPECT_EQ(copy.device_memory(), memory);
  EXPECT_FALSE(copy.is_on_host());
  fill(source, 2, memory);
  expect_words(copy, 1, memory);
  expect_words(copy, 1);
  expect_words(source, 2);

  // With words on both sides, a copy transfers nothing.
  const int downloads = memory->downloads;
  const Storage second(source);
  EXPECT_EQ(second.device_memory(), memory);
  EXPECT_EQ(memory->downloads, downloads);
  EXPECT_EQ(memory->uploads, 0);
  expect_words(second, 2);
}

TEST(DeviceStorage, AssignmentKeepsTheBlockOfTheDevice) {
  const FakePointer memory = fake();
  Storage source = on_device(memory, 1);
  Storage target = on_device(memory, 2);
  const std::uint64_t* const block = target.view<Form::ntt>(0, memory).data;
  target = source;
  EXPECT_EQ(memory->allocations, 2);
  EXPECT_EQ(target.view<Form::ntt>(0, memory).data, block);
  expect_words(target, 1, memory);

  Storage host_alone = on_host(3);
  target = host_alone;
  EXPECT_EQ(target.device_memory(), nullptr);
  expect_words(target, 3);
  expect_words(target, 3, memory);
  EXPECT_EQ(memory->allocations, 2);

  host_alone = source;
  EXPECT_FALSE(host_alone.is_on_host());
  expect_words(host_alone, 1);

  Storage& self = target;
  target = self;
  expect_words(target, 3);

  Storage another({1, 1, 4});
  another = source;
  EXPECT_EQ(another.shape(), kShape);
  expect_words(another, 1, memory);
  another = Storage({1, 1, 4});
  EXPECT_EQ(another.device_memory(), nullptr);
}

TEST(DeviceStorage, MovesTransferNothing) {
  const FakePointer memory = fake();
  Storage source = on_device(memory, 1);
  Storage moved(std::move(source));
  expect_words(moved, 1, memory);
  Storage target = on_device(memory, 2);
  EXPECT_EQ(memory->block_count(), 2u);
  target = std::move(moved);
  EXPECT_EQ(memory->block_count(), 1u);
  expect_words(target, 1, memory);
  EXPECT_EQ(memory->transfers(), 0);
  target = Storage();
  EXPECT_EQ(memory->block_count(), 0u);
}

TEST(DeviceStorage, BorrowedWordsComeBackWithoutTheirGaps) {
  const FakePointer memory = fake();
  Borrowed borrowed;
  Storage& storage = borrowed.storage;
  fill(storage, 1);
  expect_words(storage, 1, memory);
  fill(storage, 2, memory);
  // A backend may leave anything between the limbs.
  const NttView view = storage.view_for_writing<Form::ntt>(0, memory);
  EXPECT_EQ(view.limb_stride, Borrowed::kStride);
  std::ranges::fill(memory->words_at(view.data + kShape.degree, 5), 77);
  expect_words(storage, 2);
  EXPECT_EQ(storage.host<Form::coefficient>(0).data, borrowed.words.data());
  EXPECT_EQ(borrowed.touched_gaps(), 0u);
  EXPECT_TRUE(storage.is_borrowed());
}

TEST(DeviceStorage, AssignmentBringsTheWordsToWhoeverLentTheMemory) {
  const FakePointer memory = fake();
  Borrowed borrowed;
  const Storage source = on_device(memory, 1);
  borrowed.storage = source;
  EXPECT_TRUE(borrowed.storage.is_borrowed());
  EXPECT_EQ(borrowed.words[Borrowed::kStride + 3], label(1, 0, 1, 3));
  expect_words(borrowed.storage, 1);
  EXPECT_EQ(borrowed.touched_gaps(), 0u);

  fill(borrowed.storage, 2, memory);
  const Storage owned(borrowed.storage);
  EXPECT_FALSE(owned.is_borrowed());
  EXPECT_FALSE(owned.is_on_host());
  EXPECT_NE(owned.limb_stride(), Borrowed::kStride);
  expect_words(owned, 2, memory);
  expect_words(owned, 2);
  EXPECT_EQ(borrowed.words[3], label(1, 0, 0, 3));  // the host has not asked for them yet
  expect_words(borrowed.storage, 2);
  EXPECT_EQ(borrowed.touched_gaps(), 0u);
}

TEST(DeviceStorage, SecretsAreSecretOnTheDeviceToo) {
  for (const Secrecy secrecy : {Secrecy::open, Secrecy::secret}) {
    const FakePointer memory = fake();
    Storage copy;
    {
      const Storage storage = on_host(1, secrecy);
      static_cast<void>(storage.view<Form::ntt>(0, memory));
      EXPECT_EQ(memory->only_secrecy(), secrecy);
      copy = storage;
    }
    EXPECT_EQ(memory->only_secrecy(), secrecy);
    EXPECT_EQ(copy.secrecy(), secrecy);
    // Open words that become secret must not stay in an open block.
    Storage other =
        on_device(memory, 2, secrecy == Secrecy::open ? Secrecy::secret : Secrecy::open);
    other = copy;
    copy = Storage();
    EXPECT_EQ(memory->block_count(), 1u);
    EXPECT_EQ(memory->only_secrecy(), secrecy);
    expect_words(other, 1, memory);
  }
}

TEST(DeviceStorage, WordsOfOneDeviceAreNotThoseOfAnother) {
  const FakePointer first = fake("gpu:0");
  const FakePointer second = fake("gpu:1");
  Storage storage = on_device(first, 1);
  const auto expect_refused = [](const auto& call) {
    const auto named = [&call] { public_entry("a public call", call); };
    expect_error<InvalidArgument>("another device", named, [](const InvalidArgument& error) {
      EXPECT_NE(error.offending().find("gpu:0"), std::string::npos);
      EXPECT_NE(error.offending().find("gpu:1"), std::string::npos);
      EXPECT_NE(error.remedy().find("host"), std::string::npos);
    });
  };
  expect_refused([&] { static_cast<void>(storage.view<Form::ntt>(0, second)); });
  expect_refused([&] { static_cast<void>(storage.view_for_writing<Form::ntt>(0, second)); });
  EXPECT_EQ(second->allocations, 0);
  EXPECT_EQ(storage.device_memory(), first);
  expect_words(storage, 1, first);
  // A read on the host brings the words over, and views of the first device stay valid.
  expect_words(storage, 1);
  const ConstNttView on_first = storage.view<Form::ntt>(0, first);
  expect_words(storage, 1, second);
  EXPECT_EQ(storage.view<Form::ntt>(0, first).data, on_first.data);
  EXPECT_EQ(first->block_count(), 1u);
  // A view for writing ends the views of the first device.
  static_cast<void>(storage.view_for_writing<Form::ntt>(0, second));
  EXPECT_EQ(first->block_count(), 0u);
  EXPECT_EQ(storage.device_memory(), second);
  // An assignment moves the target to the device of the source.
  Storage target = on_device(second, 2);
  const Storage source = on_device(first, 3);
  target = source;
  EXPECT_EQ(target.device_memory(), first);
  expect_words(target, 3);
}

TEST(DeviceStorage, FailuresLeaveTheWordsAsTheyAre) {
  const FakePointer memory = fake();
  const auto expect_failures = [&](const char* call, Storage& storage, const FakePointer& where) {
    memory->failing = call;
    EXPECT_THROW(static_cast<void>(storage.view<Form::ntt>(0, where)), RuntimeError) << call;
    EXPECT_THROW(static_cast<void>(storage.view_for_writing<Form::ntt>(0, where)), RuntimeError);
  };
  for (const char* const call : {"allocate", "upload"}) {
    Storage storage = on_host(1);
    expect_failures(call, storage, memory);
    EXPECT_TRUE(storage.is_on_host());
    EXPECT_EQ(storage.device_memory(), nullptr);
    expect_words(storage, 1);
    memory->failing.clear();
    expect_words(storage, 1, memory);
  }
  Storage storage = on_device(memory, 2);
  expect_failures("download", storage, nullptr);
  EXPECT_FALSE(storage.is_on_host());
  EXPECT_EQ(storage.device_memory(), memory);
  memory->failing.clear();
  expect_words(storage, 2);

  Storage unspecified(kShape, Secrecy::open, Contents::unspecified);
  expect_failures("allocate", unspecified, memory);
  memory->failing.clear();
  fill(unspecified, 3, memory);
  expect_words(unspecified, 3);
}

TEST(DeviceStorage, FailedCopiesLeaveBothSidesAsTheyAre) {
  const FakePointer first = fake("gpu:0");
  const FakePointer second = fake("gpu:1");
  const Storage source = on_device(first, 1);
  Storage host_target = on_host(2);
  Storage device_target = on_device(second, 3);
  for (const char* const call : {"allocate", "copy"}) {
    first->failing = call;
    EXPECT_THROW(static_cast<void>(Storage(source)), RuntimeError) << call;
    EXPECT_EQ(first->block_count(), 1u);
    EXPECT_THROW(host_target = source, RuntimeError) << call;
    EXPECT_THROW(device_target = source, RuntimeError) << call;
  }
  first->failing.clear();
  expect_words(source, 1, first);
  expect_words(host_target, 2);
  expect_words(device_target, 3, second);
}

TEST(DeviceStorage, ShapesWithoutWordsHaveNoMemory) {
  const FakePointer memory = fake();
  for (const StorageShape& shape : {StorageShape{2, 0, 8}, StorageShape{2, 3, 0}}) {
    Storage storage(shape);
    EXPECT_EQ(storage.view<Form::ntt>(1, memory).data, nullptr);
    EXPECT_EQ(storage.view_for_writing<Form::ntt>(1, memory).limb_count, shape.limb_count);
    EXPECT_EQ(storage.device_memory(), nullptr);
    EXPECT_TRUE(storage.is_on_host());
  }
  EXPECT_EQ(memory->allocations, 0);
}

TEST(DeviceStorage, KeepsItsMemoryAlive) {
  FakePointer memory = fake();
  const std::weak_ptr<FakeMemory> watch = memory;
  {
    const Storage storage = on_device(memory, 1);
    memory = nullptr;
    EXPECT_FALSE(watch.expired());
    expect_words(storage, 1);
  }
  EXPECT_TRUE(watch.expired());
}

TEST(DeviceStorage, ManyThreadsReadAtOnce) {
  const FakePointer memory = fake();
  for (std::uint64_t version = 0; version < 20; ++version) {
    const Storage storage = version % 2 == 0 ? on_device(memory, version) : on_host(version);
    const int transfers = memory->transfers();
    std::atomic<std::size_t> wrong{0};
    in_threads([&](std::size_t thread) {
      wrong += wrong_words(storage, version, thread % 2 == 0 ? nullptr : memory);
      if (thread % 4 == 0) wrong += wrong_words(Storage(storage), version);
      wrong += wrong_words(storage, version);
    });
    EXPECT_EQ(wrong, 0u);
    EXPECT_TRUE(storage.is_on_host());
    EXPECT_EQ(storage.device_memory(), memory);
    EXPECT_GT(memory->transfers(), transfers);
  }
}

}  // namespace
}  // namespace ringlet::test
