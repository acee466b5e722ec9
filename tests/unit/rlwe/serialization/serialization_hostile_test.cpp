// SPDX-License-Identifier: Apache-2.0
// Files that are cut, damaged or forged cause a typed error, or give an object that behaves.

#include "support/ringlet_files.hpp"
#include "unit/rlwe/hostile_objects.hpp"

namespace ringlet::test {
namespace {

constexpr std::size_t kHeaderAndMore = 32;

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
    for_each_flipped_bit(
        kind.file,
        [&](const ByteVector& file) { EXPECT_TRUE(is_refused([&] { kind.load_and_use(file); })); },
        kHeaderAndMore);
  });
}

TEST(HostileFiles, FlippedBitsWithTheRightChecksumDoNoHarm) {
  for_each_tiny_file([](const FileKind& kind, Compression compression) {
    std::size_t refused = 0;
    std::size_t tried = 0;
    for_each_flipped_bit(
        kind.file,
        [&](ByteVector file) {
          mend(file);
          refused += is_refused([&] { kind.load_and_use(file); }) ? 1 : 0;
          ++tried;
        },
        kHeaderAndMore);
    EXPECT_GT(refused, 8 * 24u) << "bits of the header, and more";
    if (compression == Compression::none && kind.name != "parameters") {
      EXPECT_LT(refused, tried) << "residues may change";
    }
  });
}

// A file as a reader sees it while others overwrite it: the old bytes up to `place`, then the new
// ones.
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

// If both files have keys of one secret key, each key is whole.
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

// The cost of a file before it is refused, and what is accepted at all.

constexpr std::size_t kSavedDegree = 512;
// Room for lists, streams and the text of an error, in bytes.
constexpr std::size_t kFixed = std::size_t{1} << 17;
constexpr std::size_t kMutatedBytes = std::size_t{1} << 19;
constexpr std::uint64_t kLarge = std::uint64_t{1} << 30;

const Context& large_context() {
  static const Context context = [] {
    Context made = file_context(SchemeType::bfv, kSavedDegree);
    made.first_context_data()->pool()->set_cache_limit(0);
    return made;
  }();
  return context;
}

KSwitchKeyMap zero_keys(const std::vector<std::uint64_t>& indices) {
  const Context& context = large_context();
  std::vector<Ciphertext> pairs;
  for (std::size_t i = 0; i < context.parms().digit_count(); ++i) {
    pairs.emplace_back(*context.key_context_data());
  }
  const auto key = std::make_shared<const KSwitchKey>(context, std::move(pairs));
  KSwitchKeyMap keys;
  for (const std::uint64_t index : indices) keys.emplace(index, key);
  return keys;
}

Ciphertext long_ciphertext() {
  const Context& context = large_context();
  Ciphertext result(*context.first_context_data(), kMaxCiphertextSize, context.ciphertext_form());
  result.view_for_writing(1).limb(0)[0] = 1;
  return result;
}

/// `one` is the size in bytes of an ordinary object, or of one key of a set.
void expect_bounded(const FileBytes& file, std::uint64_t one, bool is_bomb,
                    const std::function<void(const FileBytes&, const LoadLimits&)>& load) {
  for (std::size_t length = file.size(); length > 0; length /= 3) {
    const FileBytes part(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length));
    const MemoryMeter meter;
    EXPECT_EQ(is_refused([&] { load(part, {}); }), is_bomb || length < file.size());
    EXPECT_LE(meter.peak(), 64 * length + one + one / 4 + kFixed) << length;
  }
  auto rng = make_rng();
  for (std::size_t i = 0; file.size() < kMutatedBytes && i < scaled(20); ++i) {
    FileBytes changed = file;
    mutate_once(changed, rng);
    mend(changed, rng() % 2 == 0);
    const MemoryMeter meter;
    is_refused([&] { load(changed, {}); });
    EXPECT_LE(meter.peak(), 64 * changed.size() + one + one / 4 + kFixed);
  }
  EXPECT_TRUE(is_refused([&] { load(file, {.max_bytes = one - 1}); }));
  EXPECT_FALSE(is_refused([&] { load(file, {.max_bytes = kLarge}); }));
}

template <typename T>
void expect_bounded(const T& object, std::uint64_t one, bool is_bomb) {
  for (const Compression compression : kCompressions) {
    expect_bounded(save(object, compression), one, is_bomb && compression == Compression::zstd,
                   [](const FileBytes& file, const LoadLimits& limits) {
                     auto stream = stream_of(file);
                     load<T>(large_context(), stream, limits);
                     load<T>(large_context(), file, limits);
                   });
  }
}

TEST(LoadLimits, MemoryIsBoundedByTheInputAndOneObject) {
  const Context& context = large_context();
  const Objects objects(context);
  const std::size_t limbs = context.first_context_data()->prime_count();
  const std::uint64_t key = objects.galois_keys.byte_count() / objects.galois_keys.size();
  std::vector<std::uint64_t> elements, powers;
  for (std::uint64_t i = 1; i < 2 * kSavedDegree; i += 2) elements.push_back(i);
  for (std::uint64_t i = 2; i < kMaxCiphertextSize; ++i) powers.push_back(i);
  const GaloisKeys galois_bomb(context, zero_keys(elements));

  expect_bounded(objects.plain, 8 * kSavedDegree, false);
  expect_bounded(objects.encrypted, 2 * 8 * kSavedDegree * limbs, false);
  expect_bounded(long_ciphertext(), 2 * 8 * kSavedDegree * limbs, true);
  expect_bounded(objects.public_key, objects.public_key.byte_count(), false);
  expect_bounded(objects.relin_keys, key, false);
  expect_bounded(RelinKeys(context, zero_keys(powers)), key, true);
  expect_bounded(objects.galois_keys, key, false);
  expect_bounded(galois_bomb, key, true);
  // Keys are read one by one, but all of them.
  for (const GaloisKeys* keys : {&objects.galois_keys, &galois_bomb}) {
    expect_bounded(save(*keys, Compression::zstd), key, keys == &galois_bomb,
                   [&](const FileBytes& file, const LoadLimits& limits) {
                     const auto opened =
                         open_galois_keys(context, std::make_shared<const FileBytes>(file), limits);
                     for (const std::uint64_t e : opened.galois_elements()) (void)opened.key(e);
                   });
  }
}

TEST(LoadLimits, CallersAreLetInBetweenKeys) {
  const Objects objects(large_context(), {1, 2, 3});
  const FileBytes file = save(objects.galois_keys);
  std::size_t calls = 0;
  load<GaloisKeys>(objects.context, file, {.between_parts = [&] { ++calls; }});
  EXPECT_EQ(calls, 3u);
  const auto stop = [] { throw std::domain_error("enough"); };
  EXPECT_THROW(load<GaloisKeys>(objects.context, file, {.between_parts = stop}), std::domain_error);
}

}  // namespace
}  // namespace ringlet::test
