// SPDX-License-Identifier: Apache-2.0
// Random damage to files of Ringlet: a file that passes the checks gives an object that behaves,
// and loading costs no more than the documented bounds.

#include "support/circuits/trace_watch.hpp"
#include "support/ringlet_files.hpp"
#include "unit/rlwe/hostile_objects.hpp"

namespace ringlet::test {
namespace {

/// The files to damage: one file, raw and compressed.
struct Target {
  FileKind raw;
  FileKind zstd;
  std::size_t expected = 0;  // bytes of memory
};

Target make_target(const Objects& objects, std::size_t index, Kinds* kinds) {
  const auto raw = kinds(objects, Compression::none);
  const auto zstd = kinds(objects, Compression::zstd);
  // Otherwise the memory that the pool keeps would not count.
  objects.context.first_context_data()->pool()->set_cache_limit(0);
  // Some kinds are never compressed.
  Target target{raw.at(index), index < zstd.size() ? zstd[index] : raw.at(index)};
  target.expected = expected_cost({target.raw.file, target.zstd.file}, target.raw.load_and_use);
  return target;
}

/// A damaged file whose checksums are correct: the raw file, the compressed one, or a raw one that
/// is compressed after the damage.
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

void try_one(const Target& target, std::mt19937_64& rng, MutationCounts& counts) {
  const ByteVector file = forge(target, rng);
  load_costs.expected = target.expected;
  const bool refused = is_refused([&] { target.raw.load_and_use(file); });
  ++(refused ? counts.refused : counts.accepted);
  ++counts.tried;
}

void report(const std::string& name, const MutationCounts& counts) {
  std::printf("%s: %s; %s\n", name.c_str(), counts.text().c_str(), load_costs.text().c_str());
  EXPECT_EQ(counts.tried, mutation_count());
  EXPECT_GT(counts.refused, counts.tried / 20);
  EXPECT_GT(counts.accepted, 0u);
}

/// Runs mutation_count() mutations, a third for each scheme.
void run(std::size_t index, Kinds* kinds) {
  auto rng = make_rng();
  MutationCounts counts;
  load_costs = {};
  std::string name;
  for (std::size_t i = 0; i < std::size(kSchemes); ++i) {
    const Objects objects(file_context(kSchemes[i], 8));
    const Objects tiny(tiny_context(kSchemes[i]));
    const Target large_target = make_target(objects, index, kinds);
    const Target tiny_target = make_target(tiny, index, kinds);
    name = tiny_target.raw.name;
    const std::size_t end = mutation_count() * (i + 1) / std::size(kSchemes);
    while (counts.tried < end) {
      try_one(counts.tried % 4 == 0 ? large_target : tiny_target, rng, counts);
      ASSERT_FALSE(::testing::Test::HasFailure()) << "mutation " << counts.tried;
    }
  }
  report(name, counts);
}

TEST(FileMutations, Parameters) { run(0, message_kinds); }
TEST(FileMutations, ParametersOfGeneralRings) {
  const SavedParameters saved{
      parameters_of(SchemeType::bgv, RingSpec::cyclotomic(15), {40}, {49}, 2), SecurityLevel::none};
  Target target{kind_of_parameters(saved, Compression::none),
                kind_of_parameters(saved, Compression::zstd)};
  target.expected = expected_cost({target.raw.file, target.zstd.file}, target.raw.load_and_use);
  auto rng = make_rng();
  MutationCounts counts;
  load_costs = {};
  while (counts.tried < mutation_count() && !HasFailure()) try_one(target, rng, counts);
  report("parameters of general rings", counts);
}
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
