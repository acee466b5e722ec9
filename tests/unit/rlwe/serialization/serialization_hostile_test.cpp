// SPDX-License-Identifier: Apache-2.0
// Files that are cut, damaged or forged: a typed error, or an object that behaves.

#include "support/mutations.hpp"
#include "support/ringlet_files.hpp"
#include "support/test.hpp"
#include "unit/rlwe/hostile_objects.hpp"

namespace ringlet::test {
namespace {

TEST(HostileFiles, TruncationsAreRefused) {
  for_each_tiny_file([](const FileKind& kind, Compression) {
    ASSERT_NO_THROW(kind.load_and_use(kind.file));
    for_each_truncation(kind.file, [&](const ByteVector& file) {
      EXPECT_TRUE(is_refused([&] { kind.load_and_use(file); })) << file.size();
      ByteVector mended = file;
      mend(mended, true);
      EXPECT_TRUE(is_refused([&] { kind.load_and_use(mended); })) << file.size();
    });
  });
}

TEST(HostileFiles, FlippedBitsAreRefused) {
  for_each_tiny_file([](const FileKind& kind, Compression) {
    for_each_flipped_bit(kind.file, [&](const ByteVector& file) {
      EXPECT_TRUE(is_refused([&] { kind.load_and_use(file); }));
    });
  });
}

TEST(HostileFiles, FlippedBitsWithTheRightChecksumDoNoHarm) {
  for_each_tiny_file([](const FileKind& kind, Compression compression) {
    std::size_t refused = 0;
    std::size_t tried = 0;
    for_each_flipped_bit(kind.file, [&](ByteVector file) {
      mend(file);
      refused += is_refused([&] { kind.load_and_use(file); }) ? 1 : 0;
      ++tried;
    });
    EXPECT_GT(refused, 8 * 24u) << "bits of the header, and more";
    if (compression == Compression::none && kind.name != "parameters") {
      EXPECT_LT(refused, tried) << "residues may change";
    }
  });
}

// What is read of a file that others overwrite meanwhile: the old bytes up to one place, the new
// ones behind it.
FileBytes torn(const FileBytes& before, const FileBytes& after, std::size_t place) {
  FileBytes file(before);
  std::copy(after.begin() + static_cast<std::ptrdiff_t>(place), after.end(),
            file.begin() + static_cast<std::ptrdiff_t>(place));
  return file;
}

TEST(HostileFiles, TornFilesAreRefused) {
  const Objects objects(tiny_context(SchemeType::bgv));
  const Objects others(objects.context, {1, 0}, 31);
  for (Kinds* kinds : {message_kinds, key_kinds}) {
    const auto before = kinds(objects, Compression::none);
    const auto after = kinds(others, Compression::none);
    for (std::size_t i = 0; i < before.size(); ++i) {
      SCOPED_TRACE(before[i].name);
      ASSERT_EQ(before[i].file.size(), after[i].file.size());
      for (std::size_t place = 0; place <= before[i].file.size(); ++place) {
        const FileBytes file = torn(before[i].file, after[i].file, place);
        if (file == before[i].file || file == after[i].file) continue;
        EXPECT_TRUE(is_refused([&] { before[i].load_and_use(file); })) << place;
      }
    }
  }
}

// Where both files have keys of one secret key, each key is whole.
TEST(HostileFiles, TornSetsOfOneSecretKeyHaveWholeKeys) {
  const Objects objects(tiny_context(SchemeType::bgv));
  const GaloisKeys& before = objects.galois_keys;
  const GaloisKeys after = objects.keygen.create_galois_keys(std::vector<int>{1, 0});
  std::size_t mixed = 0;
  for (std::size_t place = 0; place <= save(before).size(); ++place) {
    auto stream = stream_of(torn(save(before), save(after), place));
    GaloisKeys loaded;
    if (is_refused([&] { loaded = load<GaloisKeys>(objects.context, stream); })) continue;
    for (const std::uint64_t e : loaded.galois_elements()) {
      EXPECT_TRUE(same(loaded.key(e), before.key(e)) || same(loaded.key(e), after.key(e)));
    }
    mixed += same(loaded, before) || same(loaded, after) ? 0u : 1u;
  }
  EXPECT_GT(mixed, 0u);
}

}  // namespace
}  // namespace ringlet::test
