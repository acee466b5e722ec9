// SPDX-License-Identifier: Apache-2.0
// Random damage to files of Ringlet: what gets past the checks is an object that behaves.

#include "support/mutations.hpp"
#include "support/ringlet_files.hpp"
#include "support/test.hpp"
#include "support/values.hpp"
#include "unit/rlwe/hostile_objects.hpp"

namespace ringlet::test {
namespace {

/// What is damaged: a file, and the same compressed.
struct Target {
  FileKind raw;
  FileKind zstd;
};

using Kinds = std::vector<FileKind>(const Objects&, Compression);

Target make_target(const Objects& objects, std::size_t index, Kinds* kinds) {
  const auto raw = kinds(objects, Compression::none);
  const auto zstd = kinds(objects, Compression::zstd);
  // Some kinds are never compressed.
  return {raw.at(index), index < zstd.size() ? zstd[index] : raw.at(index)};
}

/// A damaged file whose checksums agree: the raw file, the compressed one, or a raw one that is
/// compressed after the damage.
ByteVector forge(const Target& target, std::mt19937_64& rng) {
  const std::size_t way = rng() % 4;
  if (way == 0) {
    ByteVector file = mutated(target.zstd.file, rng);
    mend(file, rng() % 2 == 0);
    return file;
  }
  ByteVector file = mutated(target.raw.file, rng);
  mend(file, rng() % 2 == 0);
  if (way == 1 && target.raw.has_one_frame && file.size() > kFrameHeader &&
      (number_at(file, 14, 2) & 1) == 0) {
    return compressed(file);
  }
  return file;
}

/// mutation_count() mutations, a third for each scheme.
void run(std::size_t index, Kinds* kinds) {
  auto rng = make_rng();
  MutationCounts counts;
  const auto started = std::chrono::steady_clock::now();
  std::string name;
  for (std::size_t i = 0; i < std::size(kSchemes); ++i) {
    const Objects objects(file_context(kSchemes[i], 8));
    const Objects tiny(tiny_context(kSchemes[i]));
    const Target large_target = make_target(objects, index, kinds);
    const Target tiny_target = make_target(tiny, index, kinds);
    name = tiny_target.raw.name;
    const std::size_t end = mutation_count() * (i + 1) / std::size(kSchemes);
    for (; counts.tried < end; ++counts.tried) {
      const Target& target = counts.tried % 4 == 0 ? large_target : tiny_target;
      const ByteVector file = forge(target, rng);
      const bool refused = is_refused([&] { target.raw.load_and_use(file); });
      ++(refused ? counts.refused : counts.accepted);
      ASSERT_FALSE(::testing::Test::HasFailure()) << "mutation " << counts.tried;
    }
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started;
  std::printf("%s: %s, %.1f s\n", name.c_str(), counts.text().c_str(), elapsed.count());
  EXPECT_EQ(counts.tried, mutation_count());
  EXPECT_GT(counts.refused, counts.tried / 20);
  EXPECT_GT(counts.accepted, 0u);
}

TEST(FileMutations, Parameters) { run(0, message_kinds); }
TEST(FileMutations, Plaintexts) { run(1, message_kinds); }
TEST(FileMutations, Ciphertexts) { run(2, message_kinds); }
TEST(FileMutations, SeededCiphertexts) { run(3, message_kinds); }
TEST(FileMutations, PublicKeys) { run(0, key_kinds); }
TEST(FileMutations, RelinKeys) { run(1, key_kinds); }
TEST(FileMutations, GaloisKeys) { run(2, key_kinds); }
TEST(FileMutations, LazyGaloisKeys) { run(3, key_kinds); }
TEST(FileMutations, SecretKeys) { run(4, key_kinds); }

}  // namespace
}  // namespace ringlet::test
