// SPDX-License-Identifier: Apache-2.0
// Galois keys that are loaded one by one.
#include <unistd.h>

#include "support/ringlet_files.hpp"
#include "support/threads.hpp"
#include "unit/rlwe/serialization_support.hpp"

namespace ringlet::test {
namespace {

constexpr std::size_t kLazyDegree = 64;

/// A file that the destructor removes.
class TemporaryFile {
 public:
  explicit TemporaryFile(const FileBytes& bytes)
      : path_(::testing::TempDir() + "ringlet_galois_" + std::to_string(getpid())) {
    write(bytes);
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void write(const FileBytes& bytes) const {
    std::ofstream(path_, std::ios::binary) << as_text(bytes);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::shared_ptr<std::istringstream> shared_stream(const std::string& text) {
  return std::make_shared<std::istringstream>(text, std::ios::binary);
}

TEST(LazyGaloisKeys, AreTheKeysThatWereSaved) {
  for (const SchemeType scheme : kSchemes) {
    const Objects objects(scheme, kLazyDegree);
    const GaloisKeys all = objects.keygen.create_galois_keys();
    for (const Compression compression : kCompressions) {
      const FileBytes bytes = save(all, compression);
      const TemporaryFile file(bytes);
      const auto stream = shared_stream("before" + as_text(bytes) + "behind");
      stream->ignore(6);
      const GaloisKeys opened[] = {
          open_galois_keys(objects.context, file.path()), open_galois_keys(objects.context, stream),
          open_galois_keys(objects.context, std::make_shared<const FileBytes>(bytes))};
      for (const GaloisKeys& keys : opened) {
        EXPECT_EQ(keys.galois_elements(), all.galois_elements());
        EXPECT_EQ(keys.size(), all.size());
        EXPECT_EQ(keys.byte_count(), all.byte_count());
        EXPECT_EQ(keys.parms_id(), all.parms_id());
        EXPECT_TRUE(same(keys, all));
        EXPECT_EQ(save(keys), save(all));
        Ciphertext expected;
        Ciphertext found;
        for (const std::uint64_t element : all.galois_elements()) {
          objects.evaluator.apply_galois(objects.encrypted, element, all, expected);
          objects.evaluator.apply_galois(objects.encrypted, element, keys, found);
          EXPECT_TRUE(same(found, expected));
        }
        expect_refusal([&] { (void)keys.key(5); }, "GaloisKeys::key",
                       {"no key for Galois element 5"});
      }
    }
  }
}

/// Counts the keys that it loads.
class CountingSource : public KSwitchKeySource {
 public:
  explicit CountingSource(GaloisKeys keys) : keys_(std::move(keys)) {}
  std::vector<std::uint64_t> indices() const override { return keys_.galois_elements(); }
  std::shared_ptr<const KSwitchKey> load(std::uint64_t index) const override {
    ++loads;
    return {std::shared_ptr<const void>(), &keys_.key(index)};
  }
  mutable std::atomic<int> loads{0};

 private:
  GaloisKeys keys_;
};

TEST(LazyGaloisKeys, EachKeyIsLoadedOnceByCopiesAndThreadsTogether) {
  const Objects objects(SchemeType::ckks, kLazyDegree);
  const GaloisKeys all = objects.keygen.create_galois_keys();
  const auto source = std::make_shared<CountingSource>(all);
  const GaloisKeys keys(objects.context, source);
  EXPECT_EQ(source->loads, 0);
  EXPECT_TRUE(keys.has_key(3));
  EXPECT_EQ(source->loads, 0);
  (void)keys.key(3);
  EXPECT_EQ(source->loads, 1);
  in_threads([&](std::size_t thread) {
    const GaloisKeys copy = keys;  // NOLINT(performance-unnecessary-copy-initialization)
    const std::vector<std::uint64_t> elements = all.galois_elements();
    for (std::size_t k = 0; k < elements.size(); ++k) {
      const std::uint64_t element = elements[(k + thread) % elements.size()];
      if (&copy.key(element) != &all.key(element)) std::abort();
    }
  });
  EXPECT_EQ(source->loads, static_cast<int>(all.size()));
}

TEST(LazyGaloisKeys, ThreadsShareOneStream) {
  const Objects objects(SchemeType::bgv, kLazyDegree);
  const GaloisKeys all = objects.keygen.create_galois_keys();
  const GaloisKeys keys = open_galois_keys(objects.context, shared_stream(as_text(save(all))));
  std::atomic<int> wrong{0};
  in_threads([&](std::size_t) {
    const GaloisKeys copy = keys;  // NOLINT(performance-unnecessary-copy-initialization)
    for (const std::uint64_t element : all.galois_elements()) {
      wrong += same(copy.key(element), all.key(element)) ? 0 : 1;
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(LazyGaloisKeys, ADamagedKeyIsAnErrorOfThatKeyAlone) {
  const Objects objects(SchemeType::bfv, kLazyDegree);
  const GaloisKeys& all = objects.galois_keys;
  const FileBytes good = save(all);
  FileBytes damaged = good;
  const std::uint64_t element = all.galois_elements().back();
  const std::size_t offset = number_at(damaged, kFrameHeader + 8 + 24 + 8);
  damaged[offset + kFrameHeader + 60] ^= std::byte{4};
  const TemporaryFile file(damaged);
  const GaloisKeys keys = open_galois_keys(objects.context, file.path());
  Ciphertext result;
  for (int attempt = 0; attempt < 2; ++attempt) {
    EXPECT_THROW(objects.evaluator.apply_galois(objects.encrypted, element, keys, result),
                 InvalidArgument);
    expect_refusal([&] { (void)keys.key(element); }, "GaloisKeys::key",
                   {"the key of Galois element " + std::to_string(element) + " at offset " +
                        std::to_string(offset),
                    "checksum"});
  }
  EXPECT_EQ(result.size(), 0u);
  EXPECT_TRUE(same(keys.key(3), all.key(3)));
  file.write(good);
  const GaloisKeys again = open_galois_keys(objects.context, file.path());
  EXPECT_TRUE(same(again.key(element), all.key(element)));
}

TEST(LazyGaloisKeys, AFileThatOthersChangeIsAnErrorUnlessItIsReplaced) {
  const Objects objects(SchemeType::bfv, kLazyDegree);
  const GaloisKeys& all = objects.galois_keys;
  const FileBytes mine = save(all);
  // Both files are of the same secret, so that only the bytes tell them apart.
  const FileBytes others =
      save(objects.keygen.create_galois_keys_for_elements(all.galois_elements()));
  ASSERT_EQ(mine.size(), others.size());
  for (const FileBytes& bytes : {others, FileBytes(mine.size()), FileBytes()}) {
    const TemporaryFile file(mine);
    const GaloisKeys keys = open_galois_keys(objects.context, file.path());
    const GaloisKeys replaced = open_galois_keys(objects.context, file.path());
    EXPECT_TRUE(same(keys.key(3), all.key(3)));
    file.write(bytes);
    expect_refusal<RuntimeError>([&] { (void)keys.key(all.galois_elements().back()); },
                                 "GaloisKeys::key", {bytes.empty() ? "ends" : "overwritten"});
    EXPECT_TRUE(same(keys.key(3), all.key(3)));
    file.write(mine);
    std::filesystem::rename(file.path(), file.path() + ".old");
    file.write(others);
    EXPECT_TRUE(same(replaced, all));
    std::remove((file.path() + ".old").c_str());
  }
}

TEST(LazyGaloisKeys, WhatCannotBeOpened) {
  const Objects objects(SchemeType::ckks, kLazyDegree);
  const Context& context = objects.context;
  const FileBytes good = save(objects.galois_keys);
  constexpr const char* kOpen = "open_galois_keys";
  expect_refusal<RuntimeError>([&] { open_galois_keys(context, "/no/such/file"); }, kOpen,
                               {"/no/such/file"});
  expect_refusal([&] { open_galois_keys(context, std::shared_ptr<std::istream>()); }, kOpen,
                 {"null"});
  expect_refusal([&] { open_galois_keys(context, std::shared_ptr<const FileBytes>()); }, kOpen,
                 {"null"});
  expect_refusal([&] { GaloisKeys(context, std::shared_ptr<const KSwitchKeySource>()); },
                 "GaloisKeys", {"null"});
  FileBytes shorter = good;
  shorter.pop_back();
  FileBytes longer = good;
  longer.push_back(std::byte{0});
  const auto in_memory = [](const FileBytes& bytes) {
    return std::make_shared<const FileBytes>(bytes);
  };
  expect_refusal<RuntimeError>([&] { open_galois_keys(context, in_memory(shorter)); }, kOpen,
                               {std::to_string(shorter.size()), std::to_string(good.size())});
  expect_refusal([&] { open_galois_keys(context, in_memory(longer)); }, kOpen,
                 {std::to_string(longer.size())});
  const TemporaryFile file(shorter);
  EXPECT_THROW(open_galois_keys(context, file.path()), RuntimeError);
  file.write(longer);
  EXPECT_THROW(open_galois_keys(context, file.path()), InvalidArgument);
  EXPECT_THROW(open_galois_keys(context, shared_stream(as_text(shorter))), RuntimeError);
  EXPECT_NO_THROW(open_galois_keys(context, shared_stream(as_text(longer))));
  EXPECT_THROW(open_galois_keys(context, in_memory(save(objects.relin_keys))), InvalidArgument);
}

}  // namespace
}  // namespace ringlet::test
