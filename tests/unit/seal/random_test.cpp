// SPDX-License-Identifier: Apache-2.0
#include <openssl/sha.h>

#include "compat/seal/src/seed_expansion.hpp"
#include "seal/randomtostd.h"
#include "service_setup.hpp"
#include "support/seal_vectors.hpp"
#include "support/threads.hpp"

namespace ringlet::test {
namespace {

using seal::Blake2xbPRNGFactory;
using seal::prng_seed_type;
using seal::prng_type;
using seal::SEALVersion;
using seal::Shake256PRNGFactory;
using seal::UniformRandomGenerator;
using seal::UniformRandomGeneratorFactory;
using seal::UniformRandomGeneratorInfo;
using seal4::detail::expand_seed;

/// The seeds and generators of tests/vectors/seal/random.txt.
struct Known {
  std::string name;
  UniformRandomGeneratorInfo info;
};

std::vector<Known> known_streams() {
  prng_seed_type count;
  for (std::size_t i = 0; i < count.size(); ++i) {
    count[i] = 0x0706050403020100 + 0x0808080808080808 * i;
  }
  std::vector<Known> all;
  for (const auto& [name, seed] :
       {std::pair{"zero", prng_seed_type{}}, std::pair{"count", count}}) {
    all.push_back({std::string("blake2xb.") + name, {prng_type::blake2xb, seed}});
    all.push_back({std::string("shake256.") + name, {prng_type::shake256, seed}});
  }
  return all;
}

Bytes generated(UniformRandomGenerator& generator, std::size_t count) {
  Bytes bytes(count);
  generator.generate(count, bytes.data());
  return bytes;
}

std::vector<std::uint64_t> words_of(const Bytes& bytes) {
  std::vector<std::uint64_t> words(bytes.size() / 8);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    words[i / 8] |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * (i % 8));
  }
  return words;
}

TEST(SealRandomGenerator, GivesTheStreamsOfSeal) {
  const SealVectors vectors("random");
  for (const Known& known : known_streams()) {
    SCOPED_TRACE(known.name);
    const auto generator = known.info.make_prng();
    ASSERT_NE(generator, nullptr);
    const Bytes bytes = generated(*generator, 12288);
    EXPECT_EQ(Bytes(bytes.begin(), bytes.begin() + 128), vectors.bytes(known.name + ".first"));
    EXPECT_EQ(Bytes(bytes.begin() + 4032, bytes.begin() + 4160),
              vectors.bytes(known.name + ".around_4096"));
    Bytes digest(SHA256_DIGEST_LENGTH);
    SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
           reinterpret_cast<unsigned char*>(digest.data()));
    EXPECT_EQ(digest, vectors.bytes(known.name + ".sha256_of_12288"));
  }
}

TEST(SealRandomGenerator, PiecesOfAnySizeMakeTheSameStream) {
  for (const Known& known : known_streams()) {
    const Bytes whole = generated(*known.info.make_prng(), 20000);
    const auto generator = known.info.make_prng();
    std::mt19937 sizes(7);
    for (std::size_t begin = 0; begin < whole.size();) {
      const std::size_t size = std::min<std::size_t>(sizes() % 5000, whole.size() - begin);
      const Bytes piece = generated(*generator, size);
      ASSERT_TRUE(std::equal(piece.begin(), piece.end(), whole.begin() + begin));
      begin += size;
    }
    const auto by_words = known.info.make_prng();
    for (const std::uint64_t word : words_of(Bytes(whole.begin(), whole.begin() + 12000))) {
      ASSERT_EQ(by_words->generate(), word & 0xFFFFFFFF);
      ASSERT_EQ(by_words->generate(), word >> 32);
    }
  }
}

TEST(SealRandomGenerator, RefreshGoesToTheNextBuffer) {
  const auto whole = Blake2xbPRNGFactory(prng_seed_type{1}).create();
  const Bytes bytes = generated(*whole, 8192);
  const auto generator = Blake2xbPRNGFactory(prng_seed_type{1}).create();
  generator->refresh();
  EXPECT_EQ(generated(*generator, 1)[0], bytes[0]);
  generator->refresh();
  EXPECT_EQ(generated(*generator, 16), Bytes(bytes.begin() + 4096, bytes.begin() + 4096 + 16));
  EXPECT_INVALID_ARGUMENT(generator->generate(1, nullptr));
  generator->generate(0, nullptr);
}

TEST(SealRandomGenerator, ThreadsShareOneStream) {
  seal::Blake2xbPRNG generator(prng_seed_type{3});
  const std::vector<std::uint64_t> all = words_of(generated(generator, 8 * 1000 * kThreads));
  seal::Blake2xbPRNG shared(prng_seed_type{3});
  std::vector<std::vector<std::uint64_t>> parts(kThreads);
  in_threads([&](std::size_t thread) {
    for (int i = 0; i < 1000; ++i) {
      std::array<std::byte, 8> bytes;
      shared.generate(8, bytes.data());
      parts[thread].push_back(words_of({bytes.begin(), bytes.end()})[0]);
    }
  });
  std::multiset<std::uint64_t> seen;
  for (const auto& part : parts) seen.insert(part.begin(), part.end());
  EXPECT_EQ(seen, (std::multiset<std::uint64_t>(all.begin(), all.end())));
}

TEST(SealRandomGenerator, UsersMayDeriveTheirOwn) {
  CountingFactory factory;
  const auto generator = factory.create();
  EXPECT_EQ(generator->generate(), 0x03020100u);
  EXPECT_FALSE(generator->info().has_valid_prng_type());
  EXPECT_EQ(generator->info().make_prng(), nullptr);
}

TEST(SealRandomFactory, SeedsAreFixedOrFresh) {
  const prng_seed_type seed{1, 2, 3, 4, 5, 6, 7, 8};
  Blake2xbPRNGFactory fixed(seed);
  EXPECT_FALSE(fixed.use_random_seed());
  EXPECT_EQ(fixed.default_seed(), seed);
  // As SEAL's Python interface says.
  EXPECT_EQ(fixed.create()->generate(), 0x60718439u);
  EXPECT_EQ(fixed.create()->generate(), 0x60718439u);
  EXPECT_EQ(fixed.create()->seed(), seed);
  EXPECT_EQ(fixed.create(prng_seed_type{})->seed(), prng_seed_type{});
  EXPECT_EQ(Shake256PRNGFactory(seed).create()->info(),
            UniformRandomGeneratorInfo(prng_type::shake256, seed));

  const auto by_default = UniformRandomGeneratorFactory::DefaultFactory();
  EXPECT_EQ(by_default, UniformRandomGeneratorFactory::DefaultFactory());
  EXPECT_TRUE(by_default->use_random_seed());
  EXPECT_EQ(by_default->create()->info().type(), prng_type::blake2xb);
  EXPECT_NE(by_default->create()->seed(), by_default->create()->seed());
  EXPECT_NE(Shake256PRNGFactory().create()->seed(), Shake256PRNGFactory().create()->seed());
}

TEST(SealRandomBytes, FillsExactlyTheBuffer) {
  Bytes bytes(1 << 20, std::byte{0});
  seal::random_bytes(bytes.data() + 1, bytes.size() - 2);
  EXPECT_EQ(bytes.front(), std::byte{0});
  EXPECT_EQ(bytes.back(), std::byte{0});
  std::array<std::size_t, 256> histogram{};
  for (const std::byte byte : bytes) ++histogram[std::to_integer<std::size_t>(byte)];
  // 4096 expected, standard deviation 64: ten of them never happen by chance.
  EXPECT_GT(*std::min_element(histogram.begin(), histogram.end()), 3456u);
  EXPECT_LT(*std::max_element(histogram.begin(), histogram.end()), 4736u);
  EXPECT_NE(seal::random_uint64(), seal::random_uint64());
  EXPECT_INVALID_ARGUMENT(seal::random_bytes(nullptr, 1));
  seal::random_bytes(nullptr, 0);
}

TEST(SealRandomInfo, FilesAreThoseOfSeal) {
  const SealVectors vectors("random");
  for (const Known& known : known_streams()) {
    std::vector<Bytes> files{vectors.bytes(known.name + ".info")};
    EXPECT_EQ(saved(known.info).size(), 81u);
    for (const seal::compr_mode_type mode : kModes) {
      const Bytes file = saved(known.info, mode);
      EXPECT_LE(std::ssize(file), known.info.save_size(mode));
      Bytes buffer(file.size());
      known.info.save(buffer.data(), buffer.size(), mode);
      EXPECT_EQ(buffer, file);
      files.push_back(file);
    }
    for (const Bytes& file : files) {
      UniformRandomGeneratorInfo loaded;
      EXPECT_EQ(loaded.load(file.data(), file.size()), std::ssize(file));
      EXPECT_EQ(loaded, known.info);
      std::istringstream stream(as_text(file), std::ios::binary);
      UniformRandomGeneratorInfo streamed;
      streamed.load(stream);
      EXPECT_EQ(streamed, known.info);
    }
  }
}

TEST(SealRandomInfo, DamagedFilesAreErrorsOrOtherValues) {
  const UniformRandomGeneratorInfo info(prng_type::shake256, {1, 2, 3, 4, 5, 6, 7, 8});
  const UniformRandomGeneratorInfo before(prng_type::blake2xb, {9});
  for (const seal::compr_mode_type mode : kModes) {
    const std::size_t accepted = accepted_flips(saved(info, mode), [&](const Bytes& damaged) {
      UniformRandomGeneratorInfo loaded = before;
      try {
        loaded.load(damaged.data(), damaged.size());
      } catch (...) {
        EXPECT_EQ(loaded, before);
        throw;
      }
    });
    // Minor version 0, 16 reserved bits, type 2 that becomes 0, and every bit of the seed.
    if (mode == seal::compr_mode_type::none) {
      EXPECT_EQ(accepted, 1u + 16 + 1 + 512);
    }
    expect_mutations_are_harmless(saved(info, mode), [](const Bytes& changed) {
      UniformRandomGeneratorInfo loaded;
      loaded.load(changed.data(), changed.size());
      EXPECT_EQ(loaded.has_valid_prng_type(), loaded.make_prng() != nullptr);
    });
  }
}

TEST(SealRandomInfo, ClearForgetsTheSeed) {
  UniformRandomGeneratorInfo info(prng_type::blake2xb, {1});
  EXPECT_TRUE(info.has_valid_prng_type());
  EXPECT_NE(info, UniformRandomGeneratorInfo());
  EXPECT_NE(info, UniformRandomGeneratorInfo(prng_type::blake2xb, {2}));
  info.clear();
  EXPECT_EQ(info, UniformRandomGeneratorInfo());
  info.type() = prng_type::shake256;
  info.seed()[7] = 4;
  EXPECT_EQ(info.make_prng()->info(), info);
}

TEST(SealRandomToStandard, ServesDistributions) {
  const auto generator = Blake2xbPRNGFactory(prng_seed_type{1, 2, 3, 4, 5, 6, 7, 8}).create();
  using Adapter = seal::RandomToStandardAdapter;
  static_assert(Adapter::min() == 0 && Adapter::max() == 0xFFFFFFFF);
  Adapter engine(generator);
  EXPECT_EQ(engine.generator(), generator);
  EXPECT_EQ(engine(), 0x60718439u);
  EXPECT_EQ(engine(), 0xd422ea49u);
  std::uniform_int_distribution<int> die(1, 6);
  for (int i = 0; i < 100; ++i) {
    const int value = die(engine);
    EXPECT_TRUE(1 <= value && value <= 6);
  }
  EXPECT_INVALID_ARGUMENT(Adapter(nullptr));
  Adapter empty;
  EXPECT_EQ(empty.generator(), nullptr);
  empty = engine;
  EXPECT_EQ(empty.generator(), generator);
}

TEST(SealSeedExpansion, GivesThePolynomialsOfSeal) {
  const SealVectors vectors("random");
  const std::vector<std::uint64_t> moduli = words_of(vectors.bytes("moduli"));
  for (const Known& known : known_streams()) {
    const std::vector<std::uint64_t> expected = words_of(vectors.bytes(known.name + ".uniform"));
    std::vector<std::uint64_t> words(expected.size());
    for (const SEALVersion version : {SEALVersion{}, SEALVersion{3, 6, 0, 0}}) {
      expand_seed(known.info, version, moduli, 64, words.data());
      EXPECT_EQ(words, expected) << known.name;
    }
  }
}

// The rule once more, by another order of steps: which words of the stream stay is decided first.
std::vector<std::uint64_t> expanded_by_hand(UniformRandomGenerator& generator,
                                            const std::vector<std::uint64_t>& moduli,
                                            std::size_t degree, std::size_t& drawn_again) {
  std::vector<std::uint64_t> stream = words_of(generated(generator, 8 * 100000));
  std::size_t next = moduli.size() * degree;
  std::vector<std::uint64_t> result;
  for (std::size_t i = 0; i < moduli.size() * degree; ++i) {
    const unsigned __int128 q = moduli[i / degree];
    const unsigned __int128 last = (unsigned __int128){~std::uint64_t{0}} / q * q;
    std::uint64_t word = stream[i];
    for (; word + (unsigned __int128){1} >= last; ++drawn_again) word = stream[next++];
    result.push_back(static_cast<std::uint64_t>(word % q));
  }
  return result;
}

TEST(SealSeedExpansion, DrawsAgainFromTheSameStream) {
  // The last modulus refuses nearly half of all words; 1 leaves only zeros.
  const std::vector<std::uint64_t> moduli{0xFFFFFFFFFFFFFFC5, 3, 1, (std::uint64_t{1} << 63) + 29};
  for (const Known& known : known_streams()) {
    for (const std::size_t degree : {1, 3, 4096}) {
      std::size_t drawn_again = 0;
      const auto expected = expanded_by_hand(*known.info.make_prng(), moduli, degree, drawn_again);
      std::vector<std::uint64_t> words(moduli.size() * degree);
      expand_seed(known.info, {}, moduli, degree, words.data());
      EXPECT_EQ(words, expected);
      if (degree == 4096) {
        EXPECT_GT(drawn_again, 3500u);
      }
    }
  }
}

TEST(SealSeedExpansion, RefusesWhatItDoesNotKnow) {
  std::vector<std::uint64_t> words(2, 7);
  const UniformRandomGeneratorInfo info(prng_type::blake2xb, {});
  EXPECT_LOGIC_ERROR(expand_seed(info, {3, 5, 9, 0}, {3, 3}, 1, words.data()));
  EXPECT_LOGIC_ERROR(expand_seed(info, {3, 4, 0, 0}, {3, 3}, 1, words.data()));
  EXPECT_LOGIC_ERROR(expand_seed(UniformRandomGeneratorInfo(), {}, {3, 3}, 1, words.data()));
  EXPECT_LOGIC_ERROR(expand_seed(info, {}, {3, 0}, 1, words.data()));
  EXPECT_EQ(words, (std::vector<std::uint64_t>{7, 7}));
}

}  // namespace
}  // namespace ringlet::test
