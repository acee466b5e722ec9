// SPDX-License-Identifier: Apache-2.0
// Files of FV: round trips; cut, damaged and forged files; files of other parameters.

#include "ringlet/fv/fv_serialization.hpp"
#include "support/load_meter.hpp"
#include "support/refusal.hpp"
#include "support/ringlet_files.hpp"
#include "unit/fv/support.hpp"

namespace ringlet::test {
namespace {

using fv::SecretDistribution;

constexpr Compression kCompressions[] = {Compression::none, Compression::zstd};

/// A file of one kind, and a function that loads it and uses the object.
struct FvFile {
  std::string name;
  ByteVector bytes;
  std::function<void(const ByteVector&)> load_and_use;
};

/// An accepted file is saved with the same payload; its header has fields that readers skip.
void expect_payload(std::span<const std::byte> saved, std::span<const std::byte> file) {
  EXPECT_TRUE(std::ranges::equal(saved.subspan(kFrameHeader), file.subspan(kFrameHeader)));
}

std::vector<FvFile> fv_files(const fv::Context& context,
                             Compression compression = Compression::none) {
  const FvBench bench(context);
  const fv::Message message(bench.degree, 1);
  const fv::Ciphertext encrypted = bench.encryptor.encrypt(message);
  const fv::KeyGenerator& keys = bench.keys;
  const SecretVector<std::byte> secret = save_secret_key(context, keys.secret_key());
  // Loads a T and passes it to use(loaded).
  const auto loader = [context, compression]<typename T>(std::type_identity<T>, auto use) {
    return [=](const ByteVector& bytes) {
      const T loaded = metered(bytes, [&] { return load<T>(context, bytes); });
      expect_payload(save(loaded, compression), bytes);
      use(loaded);
    };
  };
  return {{"parameters", save(fv::SavedParameters::of(context), compression),
           [=](const ByteVector& bytes) {
             const auto loaded = metered(bytes, [&] {
               return load_parameters<fv::SavedParameters>(bytes, SecurityLevel::none);
             });
             expect_payload(save(loaded, compression), bytes);
             // Large contexts are slow to make, and other tests cover them.
             if (loaded.parameters.ring.degree() <= 64) loaded.make_context();
           }},
          {"public key", save(bench.public_key, compression),
           loader(std::type_identity<fv::PublicKey>{},
                  [=](const auto& key) { fv::Encryptor(context, key).encrypt(message); })},
          {"ciphertext", save(encrypted, compression),
           loader(std::type_identity<fv::Ciphertext>{},
                  [=](const auto& loaded) {
                    fv::Decryptor(context, keys.secret_key()).decrypt(context.add(loaded, loaded));
                  })},
          {"secret key", ByteVector(secret.begin(), secret.end()), [=](const ByteVector& bytes) {
             const auto loaded =
                 metered(bytes, [&] { return load_secret_key<fv::SecretKey>(context, bytes); });
             expect_payload(save_secret_key(context, loaded), bytes);
             fv::Decryptor(context, loaded).decrypt(encrypted);
           }}};
}

TEST(FvFiles, ObjectsComeBack) {
  auto rng = make_rng();
  for (const fv::Context& context :
       {toy_fv(7, 20, 2), toy_fv(9, 64, 5, SecretDistribution::binary), toy_fv(15, 125, 2),
        toy_fv(16, 129, 3), toy_fv(35, 135, 257, SecretDistribution::binary)}) {
    for (const Compression compression : kCompressions) {
      SCOPED_TRACE(describe(context.parameters()));
      const FvBench bench(context);
      const fv::SecretKey& secret = bench.keys.secret_key();
      const fv::Message message = random_message(context, rng);
      // A sum keeps what its file needs.
      const fv::Ciphertext encrypted = context.add(
          bench.encryptor.encrypt(message), bench.encryptor.encrypt(fv::Message(message.size())));

      std::stringstream stream;
      const std::size_t sizes[] = {save(fv::SavedParameters::of(context), stream, compression),
                                   save(bench.public_key, stream, compression),
                                   save(encrypted, stream, compression),
                                   save_secret_key(context, secret, stream)};
      const auto files = fv_files(context);
      for (std::size_t i = 0; i < files.size() && compression == Compression::none; ++i) {
        EXPECT_EQ(files[i].bytes.size(), sizes[i]);
      }

      const fv::Context loaded =
          load_parameters<fv::SavedParameters>(stream, SecurityLevel::none).make_context();
      EXPECT_EQ(loaded.parms_id(), context.parms_id());
      const auto loaded_key = load<fv::PublicKey>(loaded, stream);
      const auto loaded_ciphertext = load<fv::Ciphertext>(loaded, stream);
      const auto loaded_secret = load_secret_key<fv::SecretKey>(loaded, stream);
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(loaded_key[i], bench.public_key[i]);
        EXPECT_EQ(loaded_ciphertext[i], encrypted[i]);
      }
      EXPECT_EQ(loaded_key.seed(), bench.public_key.seed());
      EXPECT_TRUE(std::ranges::equal(loaded_secret.coefficients(), secret.coefficients()));
      EXPECT_EQ(fv::Decryptor(loaded, loaded_secret).decrypt(loaded_ciphertext), message);
    }
  }
}

// docs/files.md: 112 bytes of frame, two numbers, and 17 bytes for each coefficient of 135 bits.
TEST(FvFiles, SizesAreAsDescribed) {
  const fv::Context context = toy_fv(35, 135, 2);
  const auto files = fv_files(context);
  EXPECT_EQ(files[0].bytes.size(), 112u + 8 * 8);
  EXPECT_EQ(files[1].bytes.size(), 112u + 16 + 24 * 17 + 32);
  EXPECT_EQ(files[2].bytes.size(), 112u + 16 + 2 * 24 * 17);
  EXPECT_EQ(files[3].bytes.size(), 112u + 8 + 24 / 4);
  const FvBench bench(context);
  EXPECT_EQ(save_size(fv::SavedParameters::of(context)), files[0].bytes.size());
  EXPECT_EQ(save_size(bench.public_key), files[1].bytes.size());
  EXPECT_EQ(save_size(bench.encryptor.encrypt(fv::Message(24))), files[2].bytes.size());
  const std::uint64_t types[] = {9, 11, 10, 12};
  for (std::size_t i = 0; i < files.size(); ++i)
    EXPECT_EQ(number_at(files[i].bytes, 8, 2), types[i]);
}

TEST(FvFiles, DamagedFilesAreRefused) {
  for (const Compression compression : kCompressions) {
    for (const FvFile& kind : fv_files(toy_fv(9, 65, 5, SecretDistribution::binary), compression)) {
      SCOPED_TRACE(kind.name);
      const auto expect_refused = [&](const ByteVector& file) {
        EXPECT_TRUE(is_refused([&] { kind.load_and_use(file); })) << file.size();
      };
      ASSERT_NO_THROW(kind.load_and_use(kind.bytes));
      for_each_truncation(kind.bytes, [&](ByteVector file) {
        expect_refused(file);
        mend(file, true);
        expect_refused(file);
      });
      for_each_flipped_bit(kind.bytes, expect_refused);
      ByteVector longer = kind.bytes;
      longer.push_back(std::byte{0});
      expect_refused(longer);
    }
  }
}

// A forger corrects the checksum: the result is an error, or an object that behaves.
TEST(FvFiles, FlippedBitsWithTheRightChecksumDoNoHarm) {
  for (const FvFile& kind : fv_files(toy_fv(7, 20, 5))) {
    SCOPED_TRACE(kind.name);
    std::size_t refused = 0;
    for_each_flipped_bit(kind.bytes, [&](ByteVector file) {
      mend(file);
      refused += is_refused([&] { kind.load_and_use(file); }) ? 1u : 0u;
    });
    EXPECT_GT(refused, 8 * 48u) << "bits of the header, and more";
  }
}

/// The peak memory of the tables of the largest ring that parameters may name, in bytes.
std::size_t largest_ring_bytes() {
  const MemoryMeter meter;
  (void)RingSpec::cyclotomic(65521);
  return meter.peak();
}

TEST(FvFileMutations, CostLittleAndDoNoHarm) {
  auto rng = make_rng();
  for (const FvFile& kind : fv_files(toy_fv(9, 64, 5))) {
    MutationCounts counts;
    const std::size_t expected = kind.name == "parameters"
                                     ? largest_ring_bytes()
                                     : expected_cost({kind.bytes}, kind.load_and_use);
    load_costs = {.expected = expected};
    for (; counts.tried < mutation_count(); ++counts.tried) {
      ByteVector file = mutated(kind.bytes, rng);
      mend(file, rng() % 2 == 0);
      const bool refused = is_refused([&] { kind.load_and_use(file); });
      ++(refused ? counts.refused : counts.accepted);
      ASSERT_FALSE(::testing::Test::HasFailure()) << kind.name << ", " << counts.tried;
    }
    std::printf("FV %s: %s; %s\n", kind.name.c_str(), counts.text().c_str(),
                load_costs.text().c_str());
    EXPECT_GT(counts.refused, counts.tried / 3);
  }
}

TEST(FvFiles, FilesOfOtherParametersAreRefused) {
  const fv::Context context = toy_fv(9, 64, 5);
  for (const fv::Context& other : {toy_fv(7, 64, 5), toy_fv(9, 65, 5), toy_fv(9, 64, 7),
                                   toy_fv(9, 64, 5, SecretDistribution::binary)}) {
    const auto files = fv_files(other);
    EXPECT_THROW(load<fv::PublicKey>(context, files[1].bytes), InvalidArgument);
    EXPECT_THROW(load<fv::Ciphertext>(context, files[2].bytes), InvalidArgument);
    EXPECT_THROW(load_secret_key<fv::SecretKey>(context, files[3].bytes), InvalidArgument);
    std::stringstream stream;
    EXPECT_THROW(save_secret_key(context, fv::KeyGenerator(other).secret_key(), stream),
                 InvalidArgument);
    EXPECT_TRUE(stream.str().empty());
  }
}

TEST(FvFiles, ObjectsThatHoldNothingAreNotSaved) {
  std::stringstream stream;
  expect_refusal_of("save", {"a public key that holds nothing"},
                    [&] { save(fv::PublicKey(), stream); });
  expect_refusal_of("save", {"a ciphertext that holds nothing"},
                    [&] { save(fv::Ciphertext(), stream); });
  expect_refusal_of("save", {"a ciphertext that holds nothing"},
                    [] { save_size(fv::Ciphertext()); });
  EXPECT_TRUE(stream.str().empty());
}

TEST(FvFiles, LimitsOfMemoryHold) {
  const fv::Context context = toy_fv(9, 64, 5);
  constexpr std::uint64_t kMemory = 2 * 6 * 8;
  for (const Compression compression : kCompressions) {
    const auto files = fv_files(context, compression);
    for (const std::uint64_t max_bytes : {kMemory - 1, kMemory}) {
      const bool is_too_little = max_bytes < kMemory;
      EXPECT_EQ(is_refused([&] { load<fv::PublicKey>(context, files[1].bytes, {max_bytes}); }),
                is_too_little);
      EXPECT_EQ(is_refused([&] { load<fv::Ciphertext>(context, files[2].bytes, {max_bytes}); }),
                is_too_little);
    }
  }
}

TEST(FvFiles, FilesOfOtherTypesAreRefused) {
  const fv::Context context = toy_fv(9, 64, 5);
  const auto files = fv_files(context);
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (std::size_t k = 0; k < files.size(); ++k) {
      EXPECT_EQ(is_refused([&] { files[i].load_and_use(files[k].bytes); }), i != k);
    }
  }
}

// The checksum is correct here: each field gets a value that does not fit.
TEST(FvFiles, ForgedFieldsAreRefused) {
  const fv::Context context = toy_fv(9, 65, 5);
  const auto files = fv_files(context);
  const auto expect_refused = [&](std::size_t kind, std::size_t at, std::uint64_t value,
                                  std::size_t size = 8) {
    ByteVector file = files[kind].bytes;
    set_number(file, at, value, size);
    mend(file);
    EXPECT_TRUE(is_refused([&] { files[kind].load_and_use(file); })) << kind << ", " << at;
  };
  for (const std::uint64_t index : {0u, 1u, 2u, 18u, 15u, 65535u, 65537u}) {  // t = 5 divides 15
    expect_refused(0, 112, index);
  }
  for (const std::size_t word : {3u, 4u, 5u, 6u, 7u}) {
    expect_refused(0, 112 + 8 * word, ~std::uint64_t{0});
  }
  for (const std::size_t kind : {1u, 2u, 3u}) {
    for (const std::uint64_t degree : Words{0, 5, 7, ~0ull}) {
      expect_refused(kind, 112, degree);
    }
    expect_refused(kind, 48, ~std::uint64_t{0});
    expect_refused(kind, 56, ~std::uint64_t{0});
    expect_refused(kind, 16, 1);
  }
  expect_refused(1, 14, 0, 2);  // no seed
  expect_refused(3, 14, 1, 2);  // compressed
  expect_refused(2, 120, 66);
  expect_refused(2, 129, ~std::uint64_t{0});  // a coefficient of 9 bytes
  expect_refused(3, 120, 0xff, 1);
}

TEST(FvFiles, CoefficientsThatAreNotReducedAndOpenCiphertextsAreRefused) {
  const fv::Context context = toy_fv(9, 64, 5);
  const auto files = fv_files(context);
  ByteVector file = files[2].bytes;
  set_number(file, 128, context.parameters().modulus.value()[0]);
  mend(file);
  EXPECT_THROW(load<fv::Ciphertext>(context, file), InvalidArgument);
  set_number(file, 128, context.parameters().modulus.value()[0] - 1);
  mend(file);
  EXPECT_NO_THROW(load<fv::Ciphertext>(context, file));
  std::fill(file.end() - 6 * 8, file.end(), std::byte{0});  // C_2
  mend(file);
  EXPECT_THROW(load<fv::Ciphertext>(context, file), InvalidArgument);
}

// A key with -1 does not belong to a context with binary secrets.
TEST(FvFiles, SecretKeysAreOfTheirDistribution) {
  const fv::Context binary = toy_fv(9, 64, 5, SecretDistribution::binary);
  ByteVector file = fv_files(binary)[3].bytes;
  for (const auto& [code, is_good] : {std::pair{0x55u, true}, {0x56u, false}, {0x57u, false}}) {
    file[120] = static_cast<std::byte>(code);
    mend(file);
    EXPECT_EQ(is_refused([&] { load_secret_key<fv::SecretKey>(binary, file); }), !is_good) << code;
  }
  // Bits after the last of 6 coefficients must be 0.
  file[120] = std::byte{0x55};
  file[121] |= std::byte{0x10};
  mend(file);
  EXPECT_TRUE(is_refused([&] { load_secret_key<fv::SecretKey>(binary, file); }));
}

TEST(FvFiles, ParametersBelowTheLevelThatIsAskedForAreRefused) {
  using enum SecurityLevel;
  auto saved = fv::SavedParameters::of(toy_fv(9, 64, 5));
  for (const SecurityLevel level : {none, reproduction, tc128, tc192, tc256}) {
    saved.level = level;
    const ByteVector file = save(saved);
    EXPECT_EQ(is_refused([&] { load_parameters<fv::SavedParameters>(file); }), level < tc128);
    EXPECT_FALSE(is_refused([&] { load_parameters<fv::SavedParameters>(file, level); }));
    if (level < tc256) {
      EXPECT_TRUE(is_refused([&] { load_parameters<fv::SavedParameters>(file, tc256); }));
    }
  }
}

TEST(FvFiles, MemoryIsBoundedByTheInput) {
  const fv::Context context = toy_fv(4093, 20, 2, SecretDistribution::binary);
  const auto files = fv_files(context);
  const std::function<void(const ByteVector&)> loads[] = {
      [](const ByteVector& file) {
        load_parameters<fv::SavedParameters>(file, SecurityLevel::none);
      },
      [&](const ByteVector& file) { load<fv::PublicKey>(context, file); },
      [&](const ByteVector& file) { load<fv::Ciphertext>(context, file); },
      [&](const ByteVector& file) { load_secret_key<fv::SecretKey>(context, file); }};
  for (std::size_t i = 0; i < files.size(); ++i) {
    const MemoryMeter meter;
    loads[i](files[i].bytes);
    // Loading parameters makes the ring, whose degree they name.
    EXPECT_LE(meter.peak(), 64 * (files[i].bytes.size() + (i == 0 ? 4092 : 0))) << files[i].name;
  }
}

TEST(FvFiles, AStreamThatTakesNothingIsARuntimeError) {
  const fv::Context context = toy_fv(9, 64, 5);
  std::ostringstream stream;
  stream.setstate(std::ios::badbit);
  EXPECT_THROW(save(fv::SavedParameters::of(context), stream), RuntimeError);
}

}  // namespace
}  // namespace ringlet::test
