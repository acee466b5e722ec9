// SPDX-License-Identifier: Apache-2.0
// Files that are cut, damaged or forged: a typed error, or an object that behaves.

#include "hostile_objects.hpp"
#include "support/mutations.hpp"
#include "support/ringlet_files.hpp"
#include "support/test.hpp"

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

}  // namespace
}  // namespace ringlet::test
