// SPDX-License-Identifier: Apache-2.0
#include "ring/backend/scratch.hpp"
#include "ringlet/ring/rns_poly.hpp"
#include "storage_support.hpp"
#include "support/refusal.hpp"
#include "support/release_watch.hpp"

namespace ringlet::test {
namespace {

constexpr std::size_t kMax = std::numeric_limits<std::size_t>::max();

TEST(Storage, StartsWithZerosOnAlignedLimbs) {
  for (const std::size_t degree : {2, 4, 8, 12, 512, 1024, 4096}) {
    const Storage storage({2, 3, degree});
    EXPECT_EQ(storage.word_count(), 6 * degree);
    EXPECT_FALSE(storage.empty());
    for (std::size_t p = 0; p < 2; ++p) {
      const ConstNttView view = storage.host<Form::ntt>(p);
      EXPECT_EQ(view.degree, degree);
      EXPECT_EQ(view.limb_count, 3u);
      EXPECT_EQ(view.limb_stride, storage.limb_stride());
      for (std::size_t l = 0; l < 3; ++l) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(view.limb(l).data()) % kAlignment, 0u);
        for (const std::uint64_t word : view.limb(l)) ASSERT_EQ(word, 0u);
      }
    }
  }
}

TEST(Storage, PadsLongLimbsOnly) {
  EXPECT_EQ(Storage({1, 1, 2}).limb_stride(), 8u);
  EXPECT_EQ(Storage({1, 1, 512}).limb_stride(), 512u);
  EXPECT_EQ(Storage({1, 1, 1024}).limb_stride(), 1024u + 64u);
  EXPECT_EQ(Storage({1, 1, 8192}).limb_stride(), 8192u + 64u);
}

TEST(Storage, ViewsNarrowToTheirLimbs) {
  Storage storage({2, 4, 16});
  fill(storage, 1);
  const ConstCoeffView view = storage.host<Form::coefficient>(1);
  EXPECT_EQ(view.first(2).limb_count, 2u);
  EXPECT_EQ(view.first(2).limb(1)[5], label(1, 1, 1, 5));
  EXPECT_EQ(view.part(2, 2).limb_count, 2u);
  EXPECT_EQ(view.part(2, 2).limb(1)[5], label(1, 1, 3, 5));
  const ConstResidueView residues = storage.host<Form::ntt>(1).part(1, 2);
  EXPECT_EQ(residues.limb_count, 2u);
  EXPECT_EQ(residues.limb(1)[5], label(1, 1, 2, 5));
}

// The form is part of the type: coefficients cannot stand where values are expected.
template <typename From, typename To>
constexpr bool kBecomes = std::is_convertible_v<From, To>;
static_assert(kBecomes<CoeffView, ConstCoeffView> && !kBecomes<ConstCoeffView, CoeffView>);
static_assert(!kBecomes<CoeffView, ConstNttView> && !kBecomes<CoeffPoly, NttPoly>);
static_assert(!std::is_constructible_v<NttPoly, CoeffPoly>);
static_assert(kBecomes<NttView, ResidueView> && kBecomes<CoeffView, ResidueView>);
static_assert(kBecomes<CoeffView, ConstResidueView> && kBecomes<ConstNttView, ConstResidueView>);
static_assert(kBecomes<ResidueView, ConstResidueView> && !kBecomes<ConstNttView, ResidueView>);
static_assert(!kBecomes<ConstResidueView, ResidueView> && !kBecomes<ResidueView, NttView>);
static_assert(!kBecomes<ConstResidueView, ConstCoeffView>);

TEST(Storage, CopiesAreDeep) {
  Storage original({3, 4, 1024});
  fill(original, 1);
  Storage copy(original);
  EXPECT_EQ(copy.shape(), original.shape());
  original.host_for_writing<Form::ntt>(0).limb(0)[0] = 0;
  EXPECT_EQ(wrong_words(copy, 1), 0u);
  EXPECT_EQ(wrong_words(original, 1), 1u);

  Storage smaller({1, 1, 8});
  smaller = copy;
  EXPECT_EQ(wrong_words(smaller, 1), 0u);
  EXPECT_EQ(smaller.word_count(), 3u * 4u * 1024u);
}

TEST(Storage, AssignmentOfTheSameShapeKeepsTheMemory) {
  Storage source({2, 3, 64});
  fill(source, 1);
  Storage target({2, 3, 64});
  const std::uint64_t* const memory = target.host<Form::ntt>(0).data;
  target = source;
  EXPECT_EQ(target.host<Form::ntt>(0).data, memory);
  EXPECT_EQ(wrong_words(target, 1), 0u);
  const Storage& same = target;
  target = same;
  EXPECT_EQ(wrong_words(target, 1), 0u);
}

TEST(Storage, MovedFromIsEmpty) {
  Storage original({2, 3, 64});
  fill(original, 1);
  const std::uint64_t* const memory = original.host<Form::ntt>(0).data;
  Storage moved(std::move(original));
  EXPECT_EQ(moved.host<Form::ntt>(0).data, memory);
  EXPECT_TRUE(original.empty());  // NOLINT(bugprone-use-after-move): that is what is tested
  EXPECT_EQ(original.word_count(), 0u);
  EXPECT_THROW(static_cast<void>(original.host<Form::ntt>(0)), OutOfRange);
  original = std::move(moved);
  EXPECT_EQ(wrong_words(original, 1), 0u);
  EXPECT_TRUE(moved.empty());  // NOLINT(bugprone-use-after-move)
}

TEST(Storage, SecretsAreWipedOnReleaseAndOpenOnesAreNot) {
  if (!kReleasesAreWatched) GTEST_SKIP() << "this sanitizer owns operator delete";
  for (const Secrecy secrecy : {Secrecy::secret, Secrecy::open}) {
    const auto expect_release = [&](auto& storage) {
      EXPECT_EQ(storage.secrecy(), secrecy);
      EXPECT_EQ(wrong_words(storage, 1), 0u);
      release_watch().watch(storage.template host<Form::ntt>(0).data, storage.word_count() * 8);
      storage = Storage();
      EXPECT_EQ(release_watch().releases(), 1);
      EXPECT_EQ(release_watch().nonzero_bytes() == 0, secrecy == Secrecy::secret);
    };
    Storage storage = on_host(1, secrecy);
    Storage copy(storage);
    Storage target(kShape, secrecy == Secrecy::open ? Secrecy::secret : Secrecy::open);
    target = storage;
    for (Storage* const released : {&copy, &target, &storage}) expect_release(*released);
  }
}

TEST(Scratch, IsWipedOnRelease) {
  if (!kReleasesAreWatched) GTEST_SKIP() << "this sanitizer owns operator delete";
  {
    const Scratch scratch(100);
    EXPECT_EQ(scratch.words().size(), 100u);
    std::ranges::fill(scratch.words(), kMax);
    release_watch().watch(scratch.words().data(), 800);
  }
  EXPECT_EQ(release_watch().releases(), 1);
  EXPECT_EQ(release_watch().nonzero_bytes(), 0u);
}

struct BorrowedStorage : ::testing::Test {
  /// Another Storage on the same words.
  Storage borrow() { return Storage::borrow(kShape, borrowed_.words.data(), Borrowed::kStride); }
  /// Expects that the owner of the memory sees the words of fill() and untouched gaps.
  void expect_memory() {
    EXPECT_EQ(wrong_words(borrow(), 1), 0u);
    EXPECT_EQ(borrowed_.touched_gaps(), 0u);
  }

  Borrowed borrowed_;
  Storage& storage_ = borrowed_.storage;
};

TEST_F(BorrowedStorage, LivesInTheWordsOfItsOwner) {
  EXPECT_TRUE(storage_.is_borrowed());
  EXPECT_FALSE(storage_.empty());
  EXPECT_EQ(storage_.shape(), kShape);
  EXPECT_EQ(storage_.limb_stride(), Borrowed::kStride);
  EXPECT_EQ(storage_.word_count(), 72u);
  const std::vector<std::uint64_t> before(borrowed_.words.size(), Borrowed::kGap);
  EXPECT_EQ(borrowed_.words, before) << "nothing is cleared";
  EXPECT_EQ(storage_.host<Form::ntt>(1).limb(2).data(),
            borrowed_.words.data() + 5 * Borrowed::kStride);
  fill(storage_, 1);
  EXPECT_EQ(borrowed_.words[4 * Borrowed::kStride + 7], label(1, 1, 1, 7));
  expect_memory();
  EXPECT_THROW(static_cast<void>(storage_.host<Form::ntt>(2)), OutOfRange);
}

TEST_F(BorrowedStorage, CopiesOwnTheirWords) {
  fill(storage_, 1);
  const Storage copy(storage_);
  EXPECT_FALSE(copy.is_borrowed());
  EXPECT_EQ(copy.limb_stride(), Storage(kShape).limb_stride());
  std::ranges::fill(borrowed_.words, 0);
  EXPECT_EQ(wrong_words(copy, 1), 0u);
}

TEST_F(BorrowedStorage, AssignmentOfTheSameShapeWritesIntoTheBorrowedWords) {
  for (const Secrecy secrecy : {Secrecy::open, Secrecy::secret}) {
    fill(storage_, 2);
    const Storage source = on_host(1, secrecy);
    storage_ = source;
    EXPECT_TRUE(storage_.is_borrowed());
    EXPECT_EQ(storage_.secrecy(), secrecy);
    EXPECT_EQ(Storage(storage_).secrecy(), secrecy);
    expect_memory();
  }
  const Storage again = borrow();
  storage_ = again;  // the same words
  expect_memory();
  Storage own(kShape);
  const std::uint64_t* const own_memory = own.host<Form::ntt>(0).data;
  own = again;
  EXPECT_FALSE(own.is_borrowed());
  EXPECT_EQ(own.host<Form::ntt>(0).data, own_memory);
  EXPECT_EQ(wrong_words(own, 1), 0u);
}

TEST_F(BorrowedStorage, AssignmentOfAnotherShapeLeavesTheBorrowedWords) {
  fill(storage_, 1);
  Storage other({3, 1, 16});
  fill(other, 2);
  storage_ = other;
  EXPECT_FALSE(storage_.is_borrowed());
  EXPECT_EQ(storage_.shape(), other.shape());
  EXPECT_EQ(wrong_words(storage_, 2), 0u);
  expect_memory();
}

TEST_F(BorrowedStorage, MovesTakeTheBorrowingAlong) {
  fill(storage_, 1);
  Storage moved(std::move(storage_));
  EXPECT_TRUE(moved.is_borrowed());
  EXPECT_EQ(moved.host<Form::ntt>(0).data, borrowed_.words.data());
  EXPECT_TRUE(storage_.empty());
  EXPECT_FALSE(storage_.is_borrowed());
  Storage target({1, 1, 8}, Secrecy::secret);
  target = std::move(moved);
  EXPECT_TRUE(target.is_borrowed());
  EXPECT_EQ(target.secrecy(), Secrecy::open);
  EXPECT_EQ(wrong_words(target, 1), 0u);
  target = Storage({1, 1, 8});
  EXPECT_FALSE(target.is_borrowed());
  expect_memory();
}

TEST_F(BorrowedStorage, RefusesImpossibleMemory) {
  const auto refuses = [](const std::string& part, const StorageShape& shape, std::uint64_t* words,
                          std::size_t stride) {
    expect_refusal(part, [&] { Storage::borrow(shape, words, stride); });
  };
  std::uint64_t* const words = borrowed_.words.data();
  refuses("limb_stride = 11", kShape, words, 11);
  refuses("words = null", kShape, nullptr, Borrowed::kStride);
  refuses("degree 4", {1, kMax / 2, 4}, words, 6);
  refuses("degree 4", {1, 1, 4}, words, kMax);
  const Storage nothing = Storage::borrow({0, 3, 4}, nullptr, 4);
  EXPECT_TRUE(nothing.empty());
  EXPECT_FALSE(nothing.is_borrowed());
}

TEST(Storage, ZeroSizesHaveNoWords) {
  EXPECT_TRUE(Storage().empty());
  EXPECT_TRUE(Storage({0, 3, 8}).empty());
  const Storage no_limbs({1, 0, 8});
  EXPECT_EQ(no_limbs.word_count(), 0u);
  EXPECT_EQ(no_limbs.host<Form::ntt>(0).limb_count, 0u);
  const Storage copy(no_limbs);
  EXPECT_EQ(copy.shape(), no_limbs.shape());
}

TEST(Storage, RefusesIndicesThatItDoesNotHave) {
  Storage storage({2, 1, 8});
  for (const std::size_t index : {std::size_t{2}, kMax}) {
    EXPECT_THROW(static_cast<void>(storage.host<Form::ntt>(index)), OutOfRange);
    EXPECT_THROW(static_cast<void>(storage.host_for_writing<Form::ntt>(index)), OutOfRange);
  }
  EXPECT_THROW(static_cast<void>(Storage().host<Form::ntt>(0)), OutOfRange);
}

TEST(Storage, RefusesSizesThatOverflow) {
  for (const StorageShape& shape :
       {StorageShape{1, 1, kMax}, StorageShape{1, 1, kMax - 63}, StorageShape{1, 1, kMax / 8},
        StorageShape{kMax, kMax, 8}, StorageShape{std::size_t{1} << 32, std::size_t{1} << 32, 8},
        StorageShape{std::size_t{1} << 20, std::size_t{1} << 21, std::size_t{1} << 20}}) {
    expect_refusal_of("Storage", {std::to_string(shape.degree)}, [&] { Storage{shape}; });
  }
}

TEST(RnsPoly, FormIsPartOfItsType) {
  NttPoly values(3, 1024);
  EXPECT_EQ(values.degree(), 1024u);
  EXPECT_EQ(values.limb_count(), 3u);
  values.view_for_writing().limb(2)[1023] = 7;
  EXPECT_EQ(values.view().limb(2)[1023], 7u);
  EXPECT_EQ(NttPoly().limb_count(), 0u);
}

}  // namespace
}  // namespace ringlet::test
