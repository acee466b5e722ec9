// SPDX-License-Identifier: Apache-2.0
#include <openssl/sha.h>

#include "compat/seal/src/seed_expansion.hpp"
#include "seal/randomgen.h"
#include "seal/randomtostd.h"
#include "support/seal_vectors.hpp"
#include "support/test.hpp"
#include "support/threads.hpp"
#include "tests/unit/seal/frame_streams.hpp"

namespace ringlet::seal4 {

namespace {

using ringlet::test::accepted_damages;
using ringlet::test::accepted_mutations;
using ringlet::test::FrameBytes;
using ringlet::test::saved_bytes;
using ringlet::test::SealVectors;
using ringlet::test::thrown_by;

constexpr compr_mode_type kModes[] = {compr_mode_type::none, compr_mode_type::zstd};

/// The seeds and generators of tests/vectors/seal/random.txt.
struct Known {
  prng_type type;
  std::string kind;
  std::string name;
  prng_seed_type seed;
};

std::vector<Known> known_streams() {
  prng_seed_type count;
  for (std::size_t i = 0; i < count.size(); ++i) {
    count[i] = 0x0706050403020100 + 0x0808080808080808 * i;
  }
  std::vector<Known> all;
  for (const auto& [name, seed] :
       {std::pair{"zero", prng_seed_type{}}, std::pair{"count", count}}) {
    all.push_back({prng_type::blake2xb, "blake2xb", std::string("blake2xb.") + name, seed});
    all.push_back({prng_type::shake256, "shake256", std::string("shake256.") + name, seed});
  }
  return all;
}

FrameBytes generated(UniformRandomGenerator& generator, std::size_t count) {
  FrameBytes bytes(count);
  generator.generate(count, bytes.data());
  return bytes;
}

std::vector<std::uint64_t> words_of(const FrameBytes& bytes) {
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
    const auto generator = UniformRandomGeneratorInfo(known.type, known.seed).make_prng();
    ASSERT_NE(generator, nullptr);
    const FrameBytes bytes = generated(*generator, 12288);
    EXPECT_EQ(FrameBytes(bytes.begin(), bytes.begin() + 128), vectors.bytes(known.name + ".first"));
    EXPECT_EQ(FrameBytes(bytes.begin() + 4032, bytes.begin() + 4160),
              vectors.bytes(known.name + ".around_4096"));
    FrameBytes digest(SHA256_DIGEST_LENGTH);
    SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
           reinterpret_cast<unsigned char*>(digest.data()));
    EXPECT_EQ(digest, vectors.bytes(known.name + ".sha256_of_12288"));
  }
}

TEST(SealRandomGenerator, PiecesOfAnySizeMakeTheSameStream) {
  for (const Known& known : known_streams()) {
    const UniformRandomGeneratorInfo info(known.type, known.seed);
    const FrameBytes whole = generated(*info.make_prng(), 20000);
    const auto generator = info.make_prng();
    std::mt19937 sizes(7);
    for (std::size_t begin = 0; begin < whole.size();) {
      const std::size_t size = std::min<std::size_t>(sizes() % 5000, whole.size() - begin);
      const FrameBytes piece = generated(*generator, size);
      ASSERT_TRUE(std::equal(piece.begin(), piece.end(), whole.begin() + begin));
      begin += size;
    }
    const auto by_words = info.make_prng();
    for (std::size_t i = 0; i < 3000; ++i) {
      std::uint32_t word = 0;
      for (std::size_t j = 4; j-- > 0;) {
        word = word << 8 | std::to_integer<std::uint32_t>(whole[4 * i + j]);
      }
      ASSERT_EQ(by_words->generate(), word);
    }
  }
}

TEST(SealRandomGenerator, RefreshGoesToTheNextBuffer) {
  const auto whole = Blake2xbPRNGFactory(prng_seed_type{1}).create();
  const FrameBytes bytes = generated(*whole, 8192);
  const auto generator = Blake2xbPRNGFactory(prng_seed_type{1}).create();
  generator->refresh();
  EXPECT_EQ(generated(*generator, 1)[0], bytes[0]);
  generator->refresh();
  EXPECT_EQ(generated(*generator, 16), FrameBytes(bytes.begin() + 4096, bytes.begin() + 4096 + 16));
  EXPECT_EQ(thrown_by([&] { generator->generate(1, nullptr); }), "IA");
  generator->generate(0, nullptr);
}

TEST(SealRandomGenerator, ThreadsShareOneStream) {
  Blake2xbPRNG generator(prng_seed_type{3});
  const std::vector<std::uint64_t> all =
      words_of(generated(generator, 8 * 1000 * ringlet::test::kThreads));
  Blake2xbPRNG shared(prng_seed_type{3});
  std::vector<std::vector<std::uint64_t>> parts(ringlet::test::kThreads);
  ringlet::test::in_threads([&](std::size_t thread) {
    for (int i = 0; i < 1000; ++i) {
      std::array<seal_byte, 8> bytes;
      shared.generate(8, bytes.data());
      parts[thread].push_back(words_of({bytes.begin(), bytes.end()})[0]);
    }
  });
  std::multiset<std::uint64_t> seen;
  for (const auto& part : parts) seen.insert(part.begin(), part.end());
  EXPECT_EQ(seen, (std::multiset<std::uint64_t>(all.begin(), all.end())));
}

// A generator and factory of the user's own.
class Counting : public UniformRandomGenerator {
 public:
  explicit Counting(prng_seed_type seed) : UniformRandomGenerator(seed) {}

 protected:
  prng_type type() const noexcept override { return prng_type::unknown; }
  void refill_buffer() override {
    for (seal_byte* byte = buffer_begin_; byte != buffer_end_; ++byte) {
      *byte = static_cast<seal_byte>(next_++);
    }
  }

 private:
  std::uint8_t next_ = 0;
};

class CountingFactory : public UniformRandomGeneratorFactory {
 protected:
  std::shared_ptr<UniformRandomGenerator> create_impl(prng_seed_type seed) override {
    return std::make_shared<Counting>(seed);
  }
};

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
  FrameBytes bytes(1 << 20, seal_byte{0});
  random_bytes(bytes.data() + 1, bytes.size() - 2);
  EXPECT_EQ(bytes.front(), seal_byte{0});
  EXPECT_EQ(bytes.back(), seal_byte{0});
  std::array<std::size_t, 256> histogram{};
  for (const seal_byte byte : bytes) ++histogram[std::to_integer<std::size_t>(byte)];
  // 4096 expected, standard deviation 64: ten of them never happen by chance.
  EXPECT_GT(*std::min_element(histogram.begin(), histogram.end()), 3456u);
  EXPECT_LT(*std::max_element(histogram.begin(), histogram.end()), 4736u);
  EXPECT_NE(random_uint64(), random_uint64());
  EXPECT_EQ(thrown_by([] { random_bytes(nullptr, 1); }), "IA");
  random_bytes(nullptr, 0);
}

TEST(SealRandomInfo, FilesAreThoseOfSeal) {
  const SealVectors vectors("random");
  for (const Known& known : known_streams()) {
    const auto& file = vectors.bytes(known.name + ".info");
    const UniformRandomGeneratorInfo expected(known.type, known.seed);
    UniformRandomGeneratorInfo info;
    EXPECT_EQ(info.load(file.data(), file.size()), static_cast<std::streamoff>(file.size()));
    EXPECT_EQ(info, expected);
    for (const compr_mode_type mode : kModes) {
      const FrameBytes saved = saved_bytes(expected, mode);
      EXPECT_LE(saved.size(), static_cast<std::size_t>(expected.save_size(mode)));
      if (mode == compr_mode_type::none) {
        EXPECT_EQ(saved.size(), 81u);
      }
      UniformRandomGeneratorInfo loaded;
      loaded.load(saved.data(), saved.size());
      EXPECT_EQ(loaded, expected);
      std::istringstream stream(ringlet::test::to_text(saved), std::ios::binary);
      UniformRandomGeneratorInfo streamed;
      streamed.load(stream);
      EXPECT_EQ(streamed, expected);
      FrameBytes buffer(saved.size());
      expected.save(buffer.data(), buffer.size(), mode);
      EXPECT_EQ(buffer, saved);
    }
  }
}

TEST(SealRandomInfo, DamagedFilesAreErrorsOrOtherValues) {
  const UniformRandomGeneratorInfo info(prng_type::shake256, {1, 2, 3, 4, 5, 6, 7, 8});
  const UniformRandomGeneratorInfo before(prng_type::blake2xb, {9});
  for (const compr_mode_type mode : kModes) {
    const std::size_t accepted =
        accepted_damages(saved_bytes(info, mode), [&](const FrameBytes& damaged) {
          UniformRandomGeneratorInfo loaded = before;
          const std::string thrown =
              thrown_by([&] { loaded.load(damaged.data(), damaged.size()); });
          if (thrown.empty()) return;
          EXPECT_EQ(loaded, before);
          throw std::logic_error(thrown);
        });
    // Minor version 0, 16 reserved bits, type 2 that becomes 0, and every bit of the seed.
    if (mode == compr_mode_type::none) {
      EXPECT_EQ(accepted, 1u + 16 + 1 + 512);
    }
  }
}

TEST(SealRandomInfo, MutatedFilesAreErrorsOrOtherValues) {
  const UniformRandomGeneratorInfo info(prng_type::shake256, {1, 2, 3, 4, 5, 6, 7, 8});
  for (const compr_mode_type mode : kModes) {
    const std::size_t accepted =
        accepted_mutations(saved_bytes(info, mode), 5000, [](const FrameBytes& mutated) {
          UniformRandomGeneratorInfo loaded;
          loaded.load(mutated.data(), mutated.size());
          EXPECT_EQ(loaded.has_valid_prng_type(), loaded.make_prng() != nullptr);
        });
    EXPECT_GT(accepted, 0u);
    EXPECT_LT(accepted, 5000u);
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
  static_assert(RandomToStandardAdapter::min() == 0);
  static_assert(RandomToStandardAdapter::max() == 0xFFFFFFFF);
  const auto generator = Blake2xbPRNGFactory(prng_seed_type{1, 2, 3, 4, 5, 6, 7, 8}).create();
  RandomToStandardAdapter engine(generator);
  EXPECT_EQ(engine.generator(), generator);
  EXPECT_EQ(engine(), 0x60718439u);
  EXPECT_EQ(engine(), 0xd422ea49u);
  std::uniform_int_distribution<int> die(1, 6);
  for (int i = 0; i < 100; ++i) {
    const int value = die(engine);
    EXPECT_TRUE(1 <= value && value <= 6);
  }
  EXPECT_EQ(thrown_by([] { RandomToStandardAdapter(nullptr); }), "IA");
  RandomToStandardAdapter empty;
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
    const UniformRandomGeneratorInfo info(known.type, known.seed);
    for (const SEALVersion version : {SEALVersion{}, SEALVersion{3, 6, 0, 0}}) {
      detail::expand_seed(info, version, moduli, 64, words.data());
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
    const UniformRandomGeneratorInfo info(known.type, known.seed);
    for (const std::size_t degree : {1, 3, 4096}) {
      std::size_t drawn_again = 0;
      const auto expected = expanded_by_hand(*info.make_prng(), moduli, degree, drawn_again);
      std::vector<std::uint64_t> words(moduli.size() * degree);
      detail::expand_seed(info, {}, moduli, degree, words.data());
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
  const auto expand = [&](const UniformRandomGeneratorInfo& of, SEALVersion version,
                          std::uint64_t modulus) {
    return thrown_by([&] { detail::expand_seed(of, version, {3, modulus}, 1, words.data()); });
  };
  EXPECT_EQ(expand(info, {3, 5, 9, 0}, 3), "LE");
  EXPECT_EQ(expand(info, {3, 4, 0, 0}, 3), "LE");
  EXPECT_EQ(expand(UniformRandomGeneratorInfo(), {}, 3), "LE");
  EXPECT_EQ(expand(info, {}, 0), "LE");
  EXPECT_EQ(words, (std::vector<std::uint64_t>{7, 7}));
  EXPECT_EQ(expand(info, {}, 3), "");
}

}  // namespace

}  // namespace ringlet::seal4
