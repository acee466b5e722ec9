// SPDX-License-Identifier: Apache-2.0
#include "ringlet/rlwe/random.hpp"

#include <unistd.h>

#include <sys/wait.h>

#include "ringlet/schemes/encryptor.hpp"
#include "rlwe/random/random_stream.hpp"
#include "rlwe_support.hpp"
#include "support/test.hpp"
#include "support/threads.hpp"

namespace ringlet::test {
namespace {

using rlwe::RandomStream;
using rlwe::Seed;
using rlwe::StreamPurpose;
using SeedBytes = std::array<std::uint8_t, kSeedBytes>;

SeedBytes draw(const RandomSource& source) {
  SeedBytes seed{};
  source.draw_seed(seed);
  return seed;
}

// Expected values: Python's hashlib for the hashes and the command line of OpenSSL for AES, over
// the byte strings that the header documents.
TEST(Random, DerivationIsAsDocumented) {
  const RandomSource source = RandomSource::for_testing(1);
  const Seed seed(source);
  EXPECT_EQ(hex_of(seed.bytes()),
            "1add1e83f373338c24bb2c0ec68b946877243600911fd5e5700fe06a314bb366");
  const Seed public_seed(seed, {StreamPurpose::public_seed});
  EXPECT_EQ(hex_of(public_seed.bytes()),
            "bc9ea7ea2fac359178604a14753e8480695d385ff7c01d9dd88a9e194e5e3c34");
  RandomStream stream(seed, {StreamPurpose::error, 5, 7});
  EXPECT_EQ(hex_of(stream.next_block().first(16)), "4190690b624fc882030a94b00f78e546");
  EXPECT_EQ(hex_of(stream.next_block().first(16)), "8420f8a97b0bf0fd635cedafc3075e8c");
}

TEST(Random, SystemSeedsDiffer) {
  const RandomSource source;
  EXPECT_FALSE(source.is_for_testing());
  const RandomSource copy = source;
  std::set<SeedBytes> seeds;
  for (int i = 0; i < 50; ++i) {
    seeds.insert(draw(source));
    seeds.insert(draw(copy));
    seeds.insert(draw(RandomSource()));
  }
  EXPECT_EQ(seeds.size(), 150u);
  // 150 * 256 fair bits: six standard deviations of the number of ones are 588.
  int ones = 0;
  for (const SeedBytes& seed : seeds) {
    for (const std::uint8_t byte : seed) ones += __builtin_popcount(byte);
  }
  EXPECT_NEAR(ones, 150 * 128, 588);
}

TEST(Random, TestingSourceRepeatsItself) {
  const RandomSource source = RandomSource::for_testing(7);
  const RandomSource again = RandomSource::for_testing(7);
  EXPECT_TRUE(source.is_for_testing());
  const SeedBytes first = draw(source);
  const SeedBytes second = draw(source);
  EXPECT_NE(first, second);
  EXPECT_EQ(draw(again), first);
  const RandomSource copy = again;
  EXPECT_EQ(draw(copy), second) << "copies go on with the same draws";
  EXPECT_NE(draw(RandomSource::for_testing(8)), first);
}

TEST(Random, LabelsSeparateStreams) {
  const RandomSource source = RandomSource::for_testing(test_seed());
  const Seed seed(source);
  const Seed other(source);
  std::set<std::string> starts;
  for (const StreamPurpose purpose :
       {StreamPurpose::uniform, StreamPurpose::ternary, StreamPurpose::error}) {
    for (std::uint64_t poly = 0; poly < 3; ++poly) {
      for (std::uint64_t limb = 0; limb < 3; ++limb) {
        RandomStream stream(seed, {purpose, poly, limb});
        starts.insert(hex_of(stream.next_block().first(16)));
        RandomStream same(seed, {purpose, poly, limb});
        EXPECT_EQ(starts.count(hex_of(same.next_block().first(16))), 1u);
      }
    }
  }
  RandomStream stream(other, {StreamPurpose::uniform});
  starts.insert(hex_of(stream.next_block().first(16)));
  EXPECT_EQ(starts.size(), 28u);
}

// Runs `make` in this process and in a forked child and returns both results.
template <typename Make>
std::array<SeedBytes, 2> in_parent_and_child(Make make) {
  std::array<SeedBytes, 2> results{};
  int ends[2] = {-1, -1};
  if (pipe(ends) != 0) {
    ADD_FAILURE() << "pipe";
    return results;
  }
  const pid_t child = fork();
  if (child == 0) {
    const SeedBytes made = make();
    const bool sent = write(ends[1], made.data(), made.size()) == ssize_t{kSeedBytes};
    _exit(sent ? 0 : 1);
  }
  results[0] = make();
  EXPECT_EQ(read(ends[0], results[1].data(), kSeedBytes), ssize_t{kSeedBytes});
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  close(ends[0]);
  close(ends[1]);
  return results;
}

TEST(Random, ForkNeverRepeatsASeed) {
  const RandomSource source;
  draw(source);
  const auto [parent, child] = in_parent_and_child([&] { return draw(source); });
  EXPECT_NE(parent, child);
  EXPECT_NE(child, SeedBytes{});
}

TEST(Random, ForkNeverRepeatsAnEncryption) {
  const Context context = toy_context(256, {30, 31});
  const KeyGenerator keys(context);
  const Encryptor encryptor(context, keys.create_public_key(), keys.secret_key());
  encryptor.encrypt_zero();
  for (const bool symmetric : {false, true}) {
    const auto [parent, child] = in_parent_and_child([&] {
      const Ciphertext zero =
          symmetric ? encryptor.encrypt_zero_symmetric() : encryptor.encrypt_zero();
      SeedBytes start{};
      std::memcpy(start.data(), zero.ntt_view(1).limb(0).data(), start.size());
      return start;
    });
    EXPECT_NE(parent, child);
    EXPECT_NE(child, SeedBytes{});
  }
}

TEST(Random, ThreadsNeverShareASeed) {
  const RandomSource source = RandomSource::for_testing(3);
  std::array<std::vector<SeedBytes>, kThreads> drawn;
  in_threads([&](std::size_t thread) {
    const RandomSource copy = source;  // NOLINT(performance-unnecessary-copy-initialization)
    for (int i = 0; i < 100; ++i) drawn[thread].push_back(draw(copy));
  });
  std::set<SeedBytes> all;
  for (const auto& seeds : drawn) all.insert(seeds.begin(), seeds.end());
  EXPECT_EQ(all.size(), 100 * kThreads);
}

}  // namespace
}  // namespace ringlet::test
