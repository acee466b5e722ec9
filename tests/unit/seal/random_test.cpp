// SPDX-License-Identifier: Apache-2.0
#include <openssl/sha.h>

#include "compat/seal/src/random/blake2xb.hpp"
#include "compat/seal/src/random/seed_expansion.hpp"
#include "service_setup.hpp"
#include "support/reference/seal_vectors.hpp"
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
using seal4::detail::blake2xb;
using seal4::detail::expand_seed;
using seal4::detail::KeyLengthInLeaves;

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
  EXPECT_TRUE(generator->info().has_valid_prng_type());  // unknown, as in SEAL
  EXPECT_EQ(generator->info().make_prng(), nullptr);
}

TEST(SealRandomFactory, SeedsAreFixedOrFresh) {
  const prng_seed_type seed{1, 2, 3, 4, 5, 6, 7, 8};
  Blake2xbPRNGFactory fixed(seed);
  EXPECT_FALSE(fixed.use_random_seed());
  EXPECT_EQ(fixed.default_seed(), seed);
  // SEAL's Python interface gives this number.
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
    const Bytes& file = vectors.bytes(known.name + ".info");
    UniformRandomGeneratorInfo info;
    EXPECT_EQ(info.load(file.data(), file.size()), std::ssize(file));
    EXPECT_EQ(info, known.info);
    EXPECT_EQ(saved(info).size(), 81u);
  }
}

TEST(SealRandomInfo, DamagedFilesAreErrorsOrOtherValues) {
  const UniformRandomGeneratorInfo info(prng_type::shake256, {1, 2, 3, 4, 5, 6, 7, 8});
  const UniformRandomGeneratorInfo before(prng_type::blake2xb, {9});
  for (const compr_mode_type mode : kModes) {
    const std::size_t accepted = accepted_flips(saved(info, mode), [&](const Bytes& damaged) {
      UniformRandomGeneratorInfo loaded = before;
      try {
        loaded.load(damaged.data(), damaged.size());
      } catch (...) {
        EXPECT_EQ(loaded, before);
        throw;
      }
    });
    // Accepted: minor version 0, 16 reserved bits, type 2 changed to 0, and every bit of the seed.
    if (mode == compr_mode_type::none) {
      EXPECT_EQ(accepted, 1u + 16 + 1 + 512);
    }
    expect_mutations_are_harmless(saved(info, mode), [](const Bytes& changed) {
      UniformRandomGeneratorInfo loaded;
      loaded.load(changed.data(), changed.size());
      EXPECT_TRUE(loaded.has_valid_prng_type());
      EXPECT_EQ(loaded.type() == prng_type::unknown, loaded.make_prng() == nullptr);
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

// Applies the same rule in another order: first decides which words of the stream to keep.
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

std::vector<std::uint8_t> counting_bytes(std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  return bytes;
}

std::string hash(std::size_t length, std::size_t message_bytes, std::size_t key_bytes,
                 KeyLengthInLeaves key_length = KeyLengthInLeaves::as_in_root) {
  std::vector<std::uint8_t> out(length);
  blake2xb(out, counting_bytes(message_bytes), counting_bytes(key_bytes), key_length);
  std::string text;
  for (const std::uint8_t byte : out) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

// Known answers of the designers (testvectors/blake2-kat.json of github.com/BLAKE2/BLAKE2, CC0):
// message 00 01 .. ff, key 00 01 .. 3f or none. SEAL's streams check the use of a key.
TEST(SealBlake2xb, GivesTheDesignersAnswersWithAKey) {
  EXPECT_EQ(hash(1, 256, 64), "4c");
  EXPECT_EQ(hash(2, 256, 64), "f765");
  EXPECT_EQ(hash(7, 256, 64), "f2442b291f4fa0");
  EXPECT_EQ(hash(16, 256, 64), "97bf92fb1a8a4d2c4ae3350a4cf3da0d");
  EXPECT_EQ(hash(27, 256, 64), "588895bd4a6557ae2b13e542cb17c43962605b4b1b32ac8cb8c891");
  EXPECT_EQ(
      hash(256, 256, 64),
      "dbff4a91961d07c8cbdfa91a99d7d2d3b880fcfc21bded8bf496bfb7e21af270a6a17b04cc903974d03c28d344"
      "acbfd46ff4bfa6222dab266641a5fdd89eb6b01be39260a48343355c7052d16b48e47afe352b92e350637f17e2"
      "f1cbec0886c312a25fdcadff87a5ad430ccb9a553e6446889fee472bfddcbd87133bccd50b55e8d172a82a22da"
      "5bed68c922dfe7ffd7a3567191a8dd2f3e1c9b08e697a625d779fc62559b89139e8137cf7c7bf5f4e445b63120"
      "72c1e13f3ed05bcb0e0b547683c94328e11b3e2155c8dcfe48bb231a9687a2540f9da9364cc4d41b6989e43f4e"
      "3a850ea9b359a01bdcee2ffd70b3ef17d44626aa43d05a570de333301d4ffc");
}

TEST(SealBlake2xb, GivesTheDesignersAnswersWithoutAKey) {
  EXPECT_EQ(hash(256, 256, 0, KeyLengthInLeaves::zero), hash(256, 256, 0));
  EXPECT_EQ(
      hash(256, 256, 0),
      "59f8eea01a07a2670f2fe464bd755d8cde620cb4bac6006556a8663d2d9625c62fe63b6b68adba279ab287c04d"
      "3de6c4c17e6428dff30e9b2524fea1e869e42485c03a9f48af40d12d5cba0d13abac272ee36efeb8bd098ce0e1"
      "da8233ef6e6b3e96c9e05a7fedb79ae44e698640e6b8f26c43674e2c32ef17b4d7b005554ec4fd8aa1dac0f975"
      "fc888bec5bd7a06fbf29ae09f2d37c5eb7d0f67c9c77d5caf7afe681ae336fb3fccd97ecdec0348cdea4787a4e"
      "9de4df4bbfb209eeb642ce8f92730d598a71c94259e648d0a4dd89079a06c4b463ba1d175476337d553b0401d2"
      "b6f0c32639e3edcdd8c225c61e0afa5cd103b5d26a56afe3ac9462df794dc0");
}

TEST(SealBlake2xb, RefusesLengthsThatItDoesNotHave) {
  std::vector<std::uint8_t> out(1);
  EXPECT_INVALID_ARGUMENT(blake2xb({}, {}, {}));
  EXPECT_INVALID_ARGUMENT(blake2xb(out, {}, counting_bytes(65)));
  blake2xb(out, {}, {});
  EXPECT_NE(hash(64, 8, 63), hash(64, 8, 64));
}

}  // namespace
}  // namespace ringlet::test
