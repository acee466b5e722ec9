// SPDX-License-Identifier: Apache-2.0
#include "ringlet/storage.hpp"

#include "ring/scratch.hpp"
#include "ringlet/aligned.hpp"
#include "ringlet/error.hpp"
#include "ringlet/rns_poly.hpp"
#include "support/release_watch.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

constexpr std::size_t kMax = std::numeric_limits<std::size_t>::max();

// A value for each word, distinct in the sizes of these tests.
std::uint64_t label(std::size_t poly, std::size_t limb, std::size_t index) {
  return (poly + 1) * 1000000 + (limb + 1) * 100000 + index;
}

void fill(Storage& storage) {
  for (std::size_t p = 0; p < storage.shape().poly_count; ++p) {
    const CoeffView view = storage.host_for_writing<Form::coefficient>(p);
    for (std::size_t l = 0; l < view.limb_count; ++l) {
      for (std::size_t i = 0; i < view.degree; ++i) view.limb(l)[i] = label(p, l, i);
    }
  }
}

std::size_t count_wrong_words(const Storage& storage) {
  std::size_t wrong = 0;
  for (std::size_t p = 0; p < storage.shape().poly_count; ++p) {
    const ConstCoeffView view = storage.host<Form::coefficient>(p);
    for (std::size_t l = 0; l < view.limb_count; ++l) {
      for (std::size_t i = 0; i < view.degree; ++i) wrong += view.limb(l)[i] != label(p, l, i);
    }
  }
  return wrong;
}

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

TEST(Storage, EveryWordIsItsOwn) {
  Storage storage({3, 4, 1024});
  fill(storage);
  EXPECT_EQ(count_wrong_words(storage), 0u);
}

TEST(Storage, ViewsNarrowToTheirLimbs) {
  Storage storage({2, 4, 16});
  fill(storage);
  const ConstCoeffView view = storage.host<Form::coefficient>(1);
  EXPECT_EQ(view.first(2).limb_count, 2u);
  EXPECT_EQ(view.first(2).limb(1)[5], label(1, 1, 5));
  EXPECT_EQ(view.part(2, 2).limb_count, 2u);
  EXPECT_EQ(view.part(2, 2).limb(1)[5], label(1, 3, 5));
  // The form is part of the type: coefficients cannot stand where values are expected.
  EXPECT_FALSE((std::is_convertible_v<CoeffView, ConstNttView>));
  EXPECT_TRUE((std::is_convertible_v<CoeffView, ConstCoeffView>));
  EXPECT_FALSE((std::is_convertible_v<ConstCoeffView, CoeffView>));
}

TEST(Storage, ViewsOfEitherFormAreViewsOfResidues) {
  EXPECT_TRUE((std::is_convertible_v<NttView, ResidueView>));
  EXPECT_TRUE((std::is_convertible_v<CoeffView, ResidueView>));
  EXPECT_TRUE((std::is_convertible_v<CoeffView, ConstResidueView>));
  EXPECT_TRUE((std::is_convertible_v<ConstNttView, ConstResidueView>));
  EXPECT_TRUE((std::is_convertible_v<ResidueView, ConstResidueView>));
  EXPECT_FALSE((std::is_convertible_v<ConstNttView, ResidueView>));
  EXPECT_FALSE((std::is_convertible_v<ConstResidueView, ResidueView>));
  EXPECT_FALSE((std::is_convertible_v<ResidueView, NttView>));
  EXPECT_FALSE((std::is_convertible_v<ConstResidueView, ConstCoeffView>));
  Storage storage({2, 4, 16});
  fill(storage);
  const ConstResidueView view = storage.host<Form::ntt>(1).part(1, 2);
  EXPECT_EQ(view.limb_count, 2u);
  EXPECT_EQ(view.limb(1)[5], label(1, 2, 5));
}

TEST(Storage, CopiesAreDeep) {
  Storage original({2, 3, 64});
  fill(original);
  Storage copy(original);
  EXPECT_EQ(copy.shape(), original.shape());
  original.host_for_writing<Form::ntt>(0).limb(0)[0] = 0;
  EXPECT_EQ(count_wrong_words(copy), 0u);
  EXPECT_EQ(count_wrong_words(original), 1u);

  Storage smaller({1, 1, 8});
  smaller = copy;
  EXPECT_EQ(count_wrong_words(smaller), 0u);
  EXPECT_EQ(smaller.word_count(), 2u * 3u * 64u);
}

TEST(Storage, AssignmentOfTheSameShapeKeepsTheMemory) {
  Storage source({2, 3, 64});
  fill(source);
  Storage target({2, 3, 64});
  const std::uint64_t* const memory = target.host<Form::ntt>(0).data;
  target = source;
  EXPECT_EQ(target.host<Form::ntt>(0).data, memory);
  EXPECT_EQ(count_wrong_words(target), 0u);
  const Storage& same = target;
  target = same;
  EXPECT_EQ(count_wrong_words(target), 0u);
}

TEST(Storage, AssignmentTakesTheSecrecyOfItsSource) {
  if (!kReleasesAreWatched) GTEST_SKIP() << "this sanitizer owns operator delete";
  const Storage secret({1, 1, 8}, Secrecy::secret);
  Storage target({1, 1, 8}, Secrecy::open);
  target = secret;
  EXPECT_EQ(target.secrecy(), Secrecy::secret);
  const std::uint64_t* const memory = target.host<Form::ntt>(0).data;
  target.host_for_writing<Form::ntt>(0).limb(0)[0] = 1;
  release_watch().watch(memory, 64);
  target = Storage();
  EXPECT_EQ(release_watch().releases(), 1);
  EXPECT_EQ(release_watch().nonzero_bytes(), 0u);
}

TEST(Storage, MovedFromIsEmpty) {
  Storage original({2, 3, 64});
  fill(original);
  const std::uint64_t* const memory = original.host<Form::ntt>(0).data;
  Storage moved(std::move(original));
  EXPECT_EQ(moved.host<Form::ntt>(0).data, memory);
  EXPECT_TRUE(original.empty());  // NOLINT(bugprone-use-after-move): that is what is tested
  EXPECT_EQ(original.word_count(), 0u);
  EXPECT_THROW(static_cast<void>(original.host<Form::ntt>(0)), OutOfRange);
  original = std::move(moved);
  EXPECT_EQ(count_wrong_words(original), 0u);
  EXPECT_TRUE(moved.empty());  // NOLINT(bugprone-use-after-move)
}

TEST(Storage, SecretsAreWipedOnReleaseAndOpenOnesAreNot) {
  if (!kReleasesAreWatched) GTEST_SKIP() << "this sanitizer owns operator delete";
  for (const Secrecy secrecy : {Secrecy::secret, Secrecy::open}) {
    {
      Storage storage({2, 3, 64}, secrecy);
      fill(storage);
      release_watch().watch(storage.host<Form::ntt>(0).data, storage.word_count() * 8);
    }
    EXPECT_EQ(release_watch().releases(), 1);
    EXPECT_EQ(release_watch().nonzero_bytes() == 0, secrecy == Secrecy::secret);
  }
}

TEST(Storage, CopiesOfSecretsAreSecret) {
  if (!kReleasesAreWatched) GTEST_SKIP() << "this sanitizer owns operator delete";
  Storage storage({1, 2, 1024}, Secrecy::secret);
  fill(storage);
  {
    const Storage copy(storage);
    EXPECT_EQ(copy.secrecy(), Secrecy::secret);
    EXPECT_EQ(count_wrong_words(copy), 0u);
    release_watch().watch(copy.host<Form::ntt>(0).data, copy.word_count() * 8);
  }
  EXPECT_EQ(release_watch().releases(), 1);
  EXPECT_EQ(release_watch().nonzero_bytes(), 0u);
}

// Memory of the test: polynomials of three limbs of four words, limbs six words apart, with a
// sentinel in every word that belongs to no limb.
class BorrowedStorage : public ::testing::Test {
 protected:
  static constexpr StorageShape kShape{2, 3, 4};
  static constexpr std::size_t kStride = 6;
  static constexpr std::uint64_t kSentinel = 0xa5a5a5a5a5a5a5a5u;

  Storage borrow() { return Storage::borrow(kShape, memory_.data(), kStride); }
  // Words of limbs that do not hold their label, and words of gaps that were written.
  std::size_t wrong_words() const {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      const std::size_t limb = i / kStride;
      const std::size_t word = i % kStride;
      const bool is_gap = word >= kShape.degree;
      wrong += memory_[i] != (is_gap ? kSentinel : label(limb / 3, limb % 3, word)) ? 1 : 0;
    }
    return wrong;
  }

  // The last limb has no padding behind it: a sanitizer sees what is touched there.
  std::vector<std::uint64_t> memory_ = std::vector<std::uint64_t>(5 * kStride + 4, kSentinel);
};

TEST_F(BorrowedStorage, LivesInTheWordsOfItsOwner) {
  Storage storage = borrow();
  EXPECT_TRUE(storage.is_borrowed());
  EXPECT_FALSE(storage.empty());
  EXPECT_EQ(storage.shape(), kShape);
  EXPECT_EQ(storage.limb_stride(), kStride);
  EXPECT_EQ(storage.word_count(), 24u);
  EXPECT_EQ(memory_, std::vector<std::uint64_t>(memory_.size(), kSentinel));  // nothing is cleared
  EXPECT_EQ(storage.host<Form::ntt>(1).limb(2).data(), memory_.data() + 5 * kStride);
  fill(storage);
  EXPECT_EQ(wrong_words(), 0u);
  EXPECT_THROW(static_cast<void>(storage.host<Form::ntt>(2)), OutOfRange);
}

TEST_F(BorrowedStorage, CopiesOwnTheirWords) {
  Storage storage = borrow();
  fill(storage);
  const Storage copy(storage);
  EXPECT_FALSE(copy.is_borrowed());
  EXPECT_EQ(copy.limb_stride(), Storage(kShape).limb_stride());
  memory_.assign(memory_.size(), 0);
  EXPECT_EQ(count_wrong_words(copy), 0u);
}

TEST_F(BorrowedStorage, AssignmentOfTheSameShapeWritesIntoTheBorrowedWords) {
  Storage storage = borrow();
  for (const Secrecy secrecy : {Secrecy::open, Secrecy::secret}) {
    memory_.assign(memory_.size(), kSentinel);
    Storage source(kShape, secrecy);
    fill(source);
    storage = source;
    EXPECT_TRUE(storage.is_borrowed());
    EXPECT_EQ(storage.secrecy(), secrecy);
    EXPECT_EQ(Storage(storage).secrecy(), secrecy);
    EXPECT_EQ(wrong_words(), 0u);
  }
  const Storage again = borrow();
  storage = again;  // the same words
  EXPECT_EQ(wrong_words(), 0u);
  Storage own(kShape);
  const std::uint64_t* const own_memory = own.host<Form::ntt>(0).data;
  own = again;
  EXPECT_FALSE(own.is_borrowed());
  EXPECT_EQ(own.host<Form::ntt>(0).data, own_memory);
  EXPECT_EQ(count_wrong_words(own), 0u);
}

TEST_F(BorrowedStorage, AssignmentOfAnotherShapeLeavesTheBorrowedWords) {
  Storage storage = borrow();
  fill(storage);
  Storage other({3, 1, 16});
  fill(other);
  storage = other;
  EXPECT_FALSE(storage.is_borrowed());
  EXPECT_EQ(storage.shape(), other.shape());
  EXPECT_EQ(count_wrong_words(storage), 0u);
  EXPECT_EQ(wrong_words(), 0u);
}

TEST_F(BorrowedStorage, MovesTakeTheBorrowingAlong) {
  Storage storage = borrow();
  fill(storage);
  Storage moved(std::move(storage));
  EXPECT_TRUE(moved.is_borrowed());
  EXPECT_EQ(moved.host<Form::ntt>(0).data, memory_.data());
  EXPECT_TRUE(storage.empty());  // NOLINT(bugprone-use-after-move): that is what is tested
  EXPECT_FALSE(storage.is_borrowed());
  Storage target({1, 1, 8}, Secrecy::secret);
  target = std::move(moved);
  EXPECT_TRUE(target.is_borrowed());
  EXPECT_EQ(target.secrecy(), Secrecy::open);
  EXPECT_EQ(count_wrong_words(target), 0u);
  target = Storage({1, 1, 8});
  EXPECT_FALSE(target.is_borrowed());
  EXPECT_EQ(wrong_words(), 0u);
}

TEST_F(BorrowedStorage, RefusesImpossibleMemory) {
  const auto expect_refused = [](const StorageShape& shape, std::uint64_t* words,
                                 std::size_t stride, const std::string& part) {
    try {
      const Storage storage = Storage::borrow(shape, words, stride);
      ADD_FAILURE() << "accepted: " << part;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(error.offending().find(part), std::string::npos) << error.what();
      EXPECT_FALSE(error.remedy().empty());
    }
  };
  expect_refused(kShape, memory_.data(), 3, "limb_stride = 3");
  expect_refused(kShape, nullptr, kStride, "words = null");
  expect_refused({1, kMax / 2, 4}, memory_.data(), 6, "degree 4");
  expect_refused({1, 1, 4}, memory_.data(), kMax, "degree 4");
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
    try {
      const Storage storage(shape);
      ADD_FAILURE() << "accepted";
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.operation(), "Storage");
      EXPECT_NE(error.offending().find(std::to_string(shape.degree)), std::string::npos);
      EXPECT_FALSE(error.limit().empty());
      EXPECT_FALSE(error.remedy().empty());
    }
  }
}

TEST(RnsPoly, FormIsPartOfItsType) {
  NttPoly values(3, 1024);
  EXPECT_EQ(values.degree(), 1024u);
  EXPECT_EQ(values.limb_count(), 3u);
  values.view_for_writing().limb(2)[1023] = 7;
  EXPECT_EQ(values.view().limb(2)[1023], 7u);
  EXPECT_FALSE((std::is_convertible_v<CoeffPoly, NttPoly>));
  EXPECT_FALSE((std::is_constructible_v<NttPoly, CoeffPoly>));
  EXPECT_EQ(NttPoly().limb_count(), 0u);
}

TEST(Scratch, IsWipedOnRelease) {
  if (!kReleasesAreWatched) GTEST_SKIP() << "this sanitizer owns operator delete";
  {
    const Scratch scratch(100);
    EXPECT_EQ(scratch.words().size(), 100u);
    for (std::uint64_t& word : scratch.words()) word = kMax;
    release_watch().watch(scratch.words().data(), 800);
  }
  EXPECT_EQ(release_watch().releases(), 1);
  EXPECT_EQ(release_watch().nonzero_bytes(), 0u);
}

}  // namespace
}  // namespace ringlet::test
