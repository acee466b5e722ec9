// SPDX-License-Identifier: Apache-2.0
#include "ringlet/error.hpp"
#include "ringlet/storage.hpp"
#include "support/fake_memory.hpp"
#include "support/test.hpp"
#include "support/threads.hpp"

namespace ringlet::test {
namespace {

constexpr std::uint64_t kGarbage = FakeMemory::kUnwritten;

using FakePointer = std::shared_ptr<FakeMemory>;
FakePointer fake(const std::string& name = "gpu:0") { return std::make_shared<FakeMemory>(name); }

constexpr StorageShape kShape{2, 3, 12};

// A value for each word, different for every `version`.
std::uint64_t label(std::uint64_t version, std::size_t poly, std::size_t limb, std::size_t i) {
  return version * 1000000 + poly * 10000 + limb * 100 + i + 1;
}

void fill_on_host(Storage& storage, std::uint64_t version) {
  for (std::size_t p = 0; p < kShape.poly_count; ++p) {
    const CoeffView view = storage.host_for_writing<Form::coefficient>(p);
    for (std::size_t l = 0; l < kShape.limb_count; ++l) {
      for (std::size_t i = 0; i < kShape.degree; ++i) view.limb(l)[i] = label(version, p, l, i);
    }
  }
}

void fill_on_device(Storage& storage, const FakePointer& memory, std::uint64_t version) {
  for (std::size_t p = 0; p < kShape.poly_count; ++p) {
    const CoeffView view = storage.view_for_writing<Form::coefficient>(p, memory);
    for (std::size_t l = 0; l < kShape.limb_count; ++l) {
      const auto words = memory->words_at(view.data + l * view.limb_stride, kShape.degree);
      for (std::size_t i = 0; i < kShape.degree; ++i) words[i] = label(version, p, l, i);
    }
  }
}

std::size_t count_wrong_on_host(const Storage& storage, std::uint64_t version) {
  std::size_t wrong = 0;
  for (std::size_t p = 0; p < kShape.poly_count; ++p) {
    const ConstCoeffView view = storage.host<Form::coefficient>(p);
    for (std::size_t l = 0; l < kShape.limb_count; ++l) {
      for (std::size_t i = 0; i < kShape.degree; ++i) {
        wrong += view.limb(l)[i] != label(version, p, l, i);
      }
    }
  }
  return wrong;
}

std::size_t count_wrong_on_device(const Storage& storage, const FakePointer& memory,
                                  std::uint64_t version) {
  std::size_t wrong = 0;
  for (std::size_t p = 0; p < kShape.poly_count; ++p) {
    const ConstCoeffView view = storage.view<Form::coefficient>(p, memory);
    for (std::size_t l = 0; l < kShape.limb_count; ++l) {
      const auto words = memory->words_at(view.data + l * view.limb_stride, kShape.degree);
      for (std::size_t i = 0; i < kShape.degree; ++i) wrong += words[i] != label(version, p, l, i);
    }
  }
  return wrong;
}

Storage on_host(std::uint64_t version, Secrecy secrecy = Secrecy::open) {
  Storage storage(kShape, secrecy);
  fill_on_host(storage, version);
  return storage;
}

/// Words that `memory` alone has.
Storage on_device(const FakePointer& memory, std::uint64_t version,
                  Secrecy secrecy = Secrecy::open) {
  Storage storage(kShape, secrecy, Contents::unspecified);
  fill_on_device(storage, memory, version);
  return storage;
}

TEST(DeviceStorage, UploadsWhenFirstAsked) {
  const FakePointer memory = fake();
  const Storage storage = on_host(1);
  EXPECT_EQ(storage.device_memory(), nullptr);
  EXPECT_EQ(memory->allocations, 0);
  EXPECT_EQ(count_wrong_on_device(storage, memory, 1), 0u);
  EXPECT_EQ(storage.device_memory(), memory);
  EXPECT_TRUE(storage.is_on_host());
  EXPECT_EQ(count_wrong_on_device(storage, memory, 1), 0u);
  EXPECT_EQ(count_wrong_on_host(storage, 1), 0u);
  EXPECT_EQ(memory->allocations, 1);
  EXPECT_EQ(memory->uploads, 1);
  EXPECT_EQ(memory->downloads, 0);
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

TEST(DeviceStorage, DownloadsWhenTheHostAsks) {
  const FakePointer memory = fake();
  Storage storage = on_host(1);
  fill_on_device(storage, memory, 2);
  EXPECT_FALSE(storage.is_on_host());
  EXPECT_EQ(memory->uploads, 1);
  EXPECT_EQ(memory->downloads, 0);
  EXPECT_EQ(count_wrong_on_host(storage, 2), 0u);
  EXPECT_TRUE(storage.is_on_host());
  EXPECT_EQ(storage.device_memory(), memory);
  EXPECT_EQ(count_wrong_on_host(storage, 2), 0u);
  EXPECT_EQ(count_wrong_on_device(storage, memory, 2), 0u);
  static_cast<void>(storage.host_for_writing<Form::ntt>(0));
  EXPECT_EQ(memory->downloads, 1);
  EXPECT_EQ(memory->uploads, 1);
}

TEST(DeviceStorage, WritingMakesTheOtherCopyStale) {
  const FakePointer memory = fake();
  Storage storage = on_host(1);
  for (std::uint64_t version = 2; version < 8; version += 2) {
    fill_on_device(storage, memory, version);
    EXPECT_FALSE(storage.is_on_host());
    fill_on_host(storage, version + 1);
    EXPECT_EQ(storage.device_memory(), nullptr);
    EXPECT_EQ(count_wrong_on_device(storage, memory, version + 1), 0u);
  }
  EXPECT_EQ(memory->allocations, 1);
  // A word that is written keeps its neighbours.
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
  const Storage copy(storage);
  EXPECT_FALSE(copy.is_on_host());
  EXPECT_EQ(memory->allocations, 0);
  fill_on_device(storage, memory, 1);
  EXPECT_EQ(memory->allocations, 1);
  EXPECT_EQ(memory->transfers(), 0);
  EXPECT_FALSE(storage.is_on_host());
  EXPECT_EQ(count_wrong_on_device(storage, memory, 1), 0u);
  EXPECT_EQ(memory->transfers(), 0);

  Storage other(kShape, Secrecy::open, Contents::unspecified);
  fill_on_host(other, 2);
  EXPECT_EQ(memory->allocations, 1);
  EXPECT_EQ(count_wrong_on_device(other, memory, 2), 0u);
}

TEST(DeviceStorage, CopiesStayOnTheDevice) {
  const FakePointer memory = fake();
  Storage source = on_device(memory, 1);
  Storage copy(source);
  EXPECT_EQ(memory->copies, 1);
  EXPECT_EQ(memory->uploads + memory->downloads, 0);
  EXPECT_EQ(memory->block_count(), 2u);
  EXPECT_EQ(copy.device_memory(), memory);
  EXPECT_FALSE(copy.is_on_host());
  fill_on_device(source, memory, 2);
  EXPECT_EQ(count_wrong_on_device(copy, memory, 1), 0u);
  EXPECT_EQ(count_wrong_on_host(copy, 1), 0u);
  EXPECT_EQ(count_wrong_on_host(source, 2), 0u);

  // On both sides: nothing crosses.
  const int downloads = memory->downloads;
  const Storage second(source);
  EXPECT_EQ(second.device_memory(), memory);
  EXPECT_EQ(memory->downloads, downloads);
  EXPECT_EQ(memory->uploads, 0);
  EXPECT_EQ(count_wrong_on_host(second, 2), 0u);
}

TEST(DeviceStorage, AssignmentKeepsTheBlockOfTheDevice) {
  const FakePointer memory = fake();
  Storage source = on_device(memory, 1);
  Storage target = on_device(memory, 2);
  const std::uint64_t* const block = target.view<Form::ntt>(0, memory).data;
  target = source;
  EXPECT_EQ(memory->allocations, 2);
  EXPECT_EQ(target.view<Form::ntt>(0, memory).data, block);
  EXPECT_EQ(count_wrong_on_device(target, memory, 1), 0u);

  Storage host_alone = on_host(3);
  target = host_alone;
  EXPECT_EQ(target.device_memory(), nullptr);
  EXPECT_EQ(count_wrong_on_host(target, 3), 0u);
  EXPECT_EQ(count_wrong_on_device(target, memory, 3), 0u);
  EXPECT_EQ(memory->allocations, 2);

  host_alone = source;
  EXPECT_FALSE(host_alone.is_on_host());
  EXPECT_EQ(count_wrong_on_host(host_alone, 1), 0u);

  Storage& self = target;
  target = self;
  EXPECT_EQ(count_wrong_on_host(target, 3), 0u);

  Storage another({1, 1, 4});
  another = source;
  EXPECT_EQ(another.shape(), kShape);
  EXPECT_EQ(count_wrong_on_device(another, memory, 1), 0u);
  another = Storage({1, 1, 4});
  EXPECT_EQ(another.device_memory(), nullptr);
}

TEST(DeviceStorage, MovesTransferNothing) {
  const FakePointer memory = fake();
  Storage source = on_device(memory, 1);
  Storage moved(std::move(source));
  EXPECT_EQ(count_wrong_on_device(moved, memory, 1), 0u);
  Storage target = on_device(memory, 2);
  EXPECT_EQ(memory->block_count(), 2u);
  target = std::move(moved);
  EXPECT_EQ(memory->block_count(), 1u);
  EXPECT_EQ(count_wrong_on_device(target, memory, 1), 0u);
  EXPECT_EQ(memory->transfers(), 0);
  target = Storage();
  EXPECT_EQ(memory->block_count(), 0u);
}

/// Words with gaps between the limbs, which nobody may touch.
struct Borrowed {
  static constexpr std::size_t kStride = 17;
  std::vector<std::uint64_t> words =
      std::vector<std::uint64_t>(kShape.poly_count * kShape.limb_count * kStride, kGarbage);
  Storage storage = Storage::borrow(kShape, words.data(), kStride, Secrecy::secret);

  std::size_t count_touched_gaps() const {
    std::size_t touched = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      touched += i % kStride >= kShape.degree && words[i] != kGarbage;
    }
    return touched;
  }
};

TEST(DeviceStorage, BorrowedWordsComeBackWithoutTheirGaps) {
  const FakePointer memory = fake();
  Borrowed borrowed;
  Storage& storage = borrowed.storage;
  fill_on_host(storage, 1);
  EXPECT_EQ(count_wrong_on_device(storage, memory, 1), 0u);
  fill_on_device(storage, memory, 2);
  // A backend may leave anything between the limbs.
  const NttView view = storage.view_for_writing<Form::ntt>(0, memory);
  EXPECT_EQ(view.limb_stride, Borrowed::kStride);
  std::ranges::fill(memory->words_at(view.data + kShape.degree, 5), 77);
  EXPECT_EQ(count_wrong_on_host(storage, 2), 0u);
  EXPECT_EQ(storage.host<Form::coefficient>(0).data, borrowed.words.data());
  EXPECT_EQ(borrowed.count_touched_gaps(), 0u);
  EXPECT_TRUE(storage.is_borrowed());
}

TEST(DeviceStorage, AssignmentBringsTheWordsToWhoeverLentTheMemory) {
  const FakePointer memory = fake();
  Borrowed borrowed;
  const Storage source = on_device(memory, 1);
  borrowed.storage = source;
  EXPECT_TRUE(borrowed.storage.is_borrowed());
  EXPECT_EQ(borrowed.words[Borrowed::kStride + 3], label(1, 0, 1, 3));
  EXPECT_EQ(count_wrong_on_host(borrowed.storage, 1), 0u);
  EXPECT_EQ(borrowed.count_touched_gaps(), 0u);

  fill_on_device(borrowed.storage, memory, 2);
  const Storage owned(borrowed.storage);
  EXPECT_FALSE(owned.is_borrowed());
  EXPECT_FALSE(owned.is_on_host());
  EXPECT_NE(owned.limb_stride(), Borrowed::kStride);
  EXPECT_EQ(count_wrong_on_device(owned, memory, 2), 0u);
  EXPECT_EQ(count_wrong_on_host(owned, 2), 0u);
  EXPECT_EQ(borrowed.words[3], label(1, 0, 0, 3));  // nobody has asked for them here yet
  EXPECT_EQ(count_wrong_on_host(borrowed.storage, 2), 0u);
  EXPECT_EQ(borrowed.count_touched_gaps(), 0u);
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
    EXPECT_EQ(count_wrong_on_device(other, memory, 1), 0u);
  }
}

TEST(DeviceStorage, WordsOfOneDeviceAreNotThoseOfAnother) {
  const FakePointer first = fake("gpu:0");
  const FakePointer second = fake("gpu:1");
  Storage storage = on_device(first, 1);
  for (const bool for_writing : {false, true}) {
    try {
      for_writing ? static_cast<void>(storage.view_for_writing<Form::ntt>(0, second))
                  : static_cast<void>(storage.view<Form::ntt>(0, second));
      ADD_FAILURE() << "accepted";
    } catch (const InvalidArgument& error) {
      EXPECT_NE(error.offending().find("gpu:0"), std::string::npos);
      EXPECT_NE(error.offending().find("gpu:1"), std::string::npos);
      EXPECT_NE(error.remedy().find("host"), std::string::npos);
    }
  }
  EXPECT_EQ(second->allocations, 0);
  EXPECT_EQ(storage.device_memory(), first);
  EXPECT_EQ(count_wrong_on_device(storage, first, 1), 0u);
  // By way of the host they come over, and views of the first stay what they are.
  EXPECT_EQ(count_wrong_on_host(storage, 1), 0u);
  const ConstNttView on_first = storage.view<Form::ntt>(0, first);
  EXPECT_EQ(count_wrong_on_device(storage, second, 1), 0u);
  EXPECT_EQ(storage.view<Form::ntt>(0, first).data, on_first.data);
  EXPECT_EQ(first->block_count(), 1u);
  // A view for writing ends them.
  static_cast<void>(storage.view_for_writing<Form::ntt>(0, second));
  EXPECT_EQ(first->block_count(), 0u);
  EXPECT_EQ(storage.device_memory(), second);
  // An assignment takes them to where they are.
  Storage target = on_device(second, 2);
  const Storage source = on_device(first, 3);
  target = source;
  EXPECT_EQ(target.device_memory(), first);
  EXPECT_EQ(count_wrong_on_host(target, 3), 0u);
}

TEST(DeviceStorage, FailuresLeaveTheWordsAsTheyAre) {
  const FakePointer memory = fake();
  for (const char* const call : {"allocate", "upload"}) {
    Storage storage = on_host(1);
    memory->failing = call;
    EXPECT_THROW(static_cast<void>(storage.view<Form::ntt>(0, memory)), RuntimeError) << call;
    EXPECT_THROW(static_cast<void>(storage.view_for_writing<Form::ntt>(0, memory)), RuntimeError);
    EXPECT_TRUE(storage.is_on_host());
    EXPECT_EQ(storage.device_memory(), nullptr);
    EXPECT_EQ(count_wrong_on_host(storage, 1), 0u);
    memory->failing.clear();
    EXPECT_EQ(count_wrong_on_device(storage, memory, 1), 0u);
  }
  Storage storage = on_device(memory, 2);
  memory->failing = "download";
  EXPECT_THROW(static_cast<void>(storage.host<Form::ntt>(0)), RuntimeError);
  EXPECT_THROW(static_cast<void>(storage.host_for_writing<Form::ntt>(0)), RuntimeError);
  EXPECT_FALSE(storage.is_on_host());
  EXPECT_EQ(storage.device_memory(), memory);
  memory->failing.clear();
  EXPECT_EQ(count_wrong_on_host(storage, 2), 0u);

  Storage unspecified(kShape, Secrecy::open, Contents::unspecified);
  memory->failing = "allocate";
  EXPECT_THROW(static_cast<void>(unspecified.view_for_writing<Form::ntt>(0, memory)), RuntimeError);
  memory->failing.clear();
  fill_on_device(unspecified, memory, 3);
  EXPECT_EQ(count_wrong_on_host(unspecified, 3), 0u);
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
  }
  for (const char* const call : {"allocate", "copy"}) {
    first->failing = call;
    EXPECT_THROW(host_target = source, RuntimeError) << call;
    EXPECT_THROW(device_target = source, RuntimeError) << call;
  }
  first->failing.clear();
  EXPECT_EQ(count_wrong_on_device(source, first, 1), 0u);
  EXPECT_EQ(count_wrong_on_host(host_target, 2), 0u);
  EXPECT_EQ(count_wrong_on_device(device_target, second, 3), 0u);
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
    EXPECT_EQ(count_wrong_on_host(storage, 1), 0u);
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
      wrong += thread % 2 == 0 ? count_wrong_on_host(storage, version)
                               : count_wrong_on_device(storage, memory, version);
      if (thread % 4 == 0) wrong += count_wrong_on_host(Storage(storage), version);
      wrong += count_wrong_on_host(storage, version);
    });
    EXPECT_EQ(wrong, 0u);
    EXPECT_TRUE(storage.is_on_host());
    EXPECT_EQ(storage.device_memory(), memory);
    EXPECT_GT(memory->transfers(), transfers);
  }
}

}  // namespace
}  // namespace ringlet::test
