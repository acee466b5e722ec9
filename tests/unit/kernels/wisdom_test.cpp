// SPDX-License-Identifier: Apache-2.0
#include "ringlet/kernels/wisdom.hpp"

#include <system_error>

#include <sys/stat.h>

#include "ringlet/kernels/kernel_selection.hpp"
#include "support/kernels/wisdom_text.hpp"
#include "support/refusal.hpp"
#include "support/scratch.hpp"
#include "support/threads.hpp"

// Wisdom and its text form: what is refused, what is stale, and that no damage turns one wisdom
// into another. Files: round trips, replacement in one step, and every kind of path.

namespace ringlet::test {
namespace {

std::string state_of(const WisdomFile& file) { return wisdom_state_name(file.state); }

/// Expects no entries and a reason.
void expect_unused(const WisdomFile& file, const std::string& state, const std::string& what) {
  EXPECT_EQ(state_of(file), state) << what << ": " << file.reason;
  EXPECT_TRUE(file.wisdom.empty()) << what;
  EXPECT_FALSE(file.reason.empty()) << what;
}
void expect_refused(const std::string& text, const std::string& state, const std::string& what) {
  expect_unused(Wisdom::parse(text), state, what);
}

TEST(Wisdom, FindsWhatWasMeasuredAndNothingElse) {
  const Wisdom none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.kernel("ntt", 12, 49), "");
  EXPECT_EQ(none, Wisdom(std::vector<WisdomEntry>{}));
  const Wisdom wisdom = sample_wisdom();
  EXPECT_EQ(wisdom.kernel("ntt", 12, 49), "scalar64/radix2");
  EXPECT_EQ(wisdom.kernel("multiply", 0, 30), "scalar64/barrett");
  EXPECT_EQ(wisdom.kernel("ntt", 12, 48), "");
  EXPECT_EQ(wisdom.kernel("ntt", 11, 49), "");
  EXPECT_EQ(wisdom.kernel("ntt", 0, 30), "");
  EXPECT_EQ(wisdom.kernel("multiply", 12, 30), "");
  EXPECT_EQ(wisdom.kernel("nonsense", 0, 30), "");
  EXPECT_TRUE(std::ranges::is_sorted(wisdom.entries()));
  const Wisdom copy = wisdom;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(copy, wisdom);
  EXPECT_EQ(&copy.entries(), &wisdom.entries()) << "copies share their entries";
}

TEST(Wisdom, RefusesEntriesThatNoKernelServes) {
  const std::vector<std::pair<WisdomEntry, std::string>> wrong{
      {{"ntx", 12, 49, "scalar64/radix2"}, "ntx"},
      {{"ntt", 12, 49, "scalar64/radix3"}, "scalar64/radix3"},
      {{"ntt", 12, 49, "scalar64"}, "scalar64"},
      {{"ntt", 12, 49, "scalar64/"}, "scalar64/"},
      {{"ntt", 12, 49, ""}, "''"},
      {{"ntt", 12, 49, "scalar64/barrett"}, "scalar64/barrett"},
      {{"multiply", 0, 49, "scalar64/radix2"}, "scalar64/radix2"},
      {{"multiply", 12, 49, "scalar64/barrett"}, "multiply"},
      {{"multiply", 0, 63, "scalar64/barrett"}, "63"},
      {{"multiply", 0, 1, "scalar64/barrett"}, "1 bits"},
      {{"multiply", 0, 64, "scalar64/barrett"}, "64"},
      {{"multiply", 0, -1, "scalar64/barrett"}, "-1"},
      {{"ntt", 21, 49, "scalar64/radix2"}, "21"},
      {{"ntt", 0, 49, "scalar64/radix2"}, "ntt"},
      {{"ntt", -1, 49, "scalar64/radix2"}, "-1"},
  };
  for (const auto& [entry, named] : wrong) {
    expect_refusal(named, [&] { Wisdom(std::vector{entry}); });
  }
  const WisdomEntry once{"ntt", 12, 49, "scalar64/radix2"};
  EXPECT_THROW(Wisdom({once, once}), InvalidArgument);
}

TEST(Wisdom, LimitsOfKernelsAreLimitsOfEntries) {
  for (const KernelInfo& kernel : kernel_catalog()) {
    // Kernels of these operations are chosen without wisdom.
    const std::set<std::string> without{"karatsuba",  "residues",  "wide",
                                        "conversion", "embedding", "sampling"};
    if (without.contains(kernel.operation)) continue;
    const bool is_transform = kernel.operation == "ntt";
    SCOPED_TRACE(kernel.name);
    const auto make = [&](int log_degree, int bits) {
      return Wisdom(std::vector<WisdomEntry>{
          {kernel.operation, log_degree, bits, kernel.table + "/" + kernel.algorithm}});
    };
    const int least_degree =
        is_transform ? static_cast<int>(std::countr_zero(kernel.min_degree)) : 0;
    const int most = static_cast<int>(std::bit_width(kernel.modulus_limit - 1));
    const int least = static_cast<int>(std::bit_width(kernel.modulus_minimum));
    EXPECT_NO_THROW(make(least_degree, most));
    EXPECT_NO_THROW(make(least_degree, least));
    EXPECT_THROW(make(least_degree, most + 1), InvalidArgument);
    EXPECT_THROW(make(least_degree, least - 1), InvalidArgument);
    if (is_transform) {
      EXPECT_THROW(make(least_degree - 1, most), InvalidArgument);
    }
  }
}

TEST(WisdomText, ComesBackAsItWas) {
  for (const Wisdom& wisdom : {Wisdom(), sample_wisdom()}) {
    const WisdomFile file = Wisdom::parse(wisdom.text());
    EXPECT_EQ(state_of(file), "used") << file.reason;
    EXPECT_EQ(file.wisdom, wisdom);
    EXPECT_EQ(file.wisdom.text(), wisdom.text());
    EXPECT_TRUE(file.reason.empty());
  }
}

// The published values of FNV-1a with 64 bits, so that files of other builds can be read.
TEST(WisdomText, EndsWithItsChecksum) {
  EXPECT_EQ(checksum_of(""), "cbf29ce484222325");
  EXPECT_EQ(checksum_of("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(checksum_of("foobar"), "85944171f73967e8");
  const std::string text = sample_wisdom().text();
  const std::string body = text.substr(0, text.rfind("checksum "));
  EXPECT_EQ(text, sealed(body));
}

TEST(WisdomText, OfAnotherMachineOrLibraryIsStale) {
  const std::string text = sample_wisdom().text();
  const std::vector<std::pair<std::string, std::string>> others{
      {"ringlet-wisdom", "ringlet-wisdom 2"},
      {"library", "library 0.0.9"},
      {"catalogue", "catalogue 0123456789abcdef"},
      {"processor", "processor GenuineIntel 6/143/8, Some Other Processor"},
      {"features", "features avx2"},
      {"features", "features none"},
      {"traits", "traits unheard_of"},
  };
  for (const auto& [key, line] : others) expect_refused(with_line(text, key, line), "stale", line);
  // A text without the line is damaged: sealing it again is not what makes a text stale.
  EXPECT_EQ(state_of(Wisdom::parse(with_line(text, "library", std::nullopt))), "damaged");
}

TEST(WisdomText, NoCutChangedOrAddedByteGivesOtherWisdom) {
  const std::string text = sample_wisdom().text();
  const auto is_refused = [](const std::string& changed) {
    const WisdomFile file = Wisdom::parse(changed);
    return file.state != WisdomState::used && file.wisdom.empty();
  };
  for (std::size_t i = 0; i <= text.size(); ++i) {
    for (const char added : {'\n', ' ', '\0', '0', 'a'}) {
      std::string changed = text;
      changed.insert(i, 1, added);
      ASSERT_TRUE(is_refused(changed)) << i << " " << static_cast<int>(added);
    }
    if (i == text.size()) break;
    expect_refused(text.substr(0, i), "damaged", std::to_string(i));
    for (unsigned change = 1; change < 256; ++change) {
      std::string changed = text;
      changed[i] = static_cast<char>(static_cast<unsigned char>(changed[i]) ^ change);
      ASSERT_TRUE(is_refused(changed)) << i << " " << change;
    }
  }
  expect_refused(text + text, "damaged", "twice");
}

/// The text with one more line before its checksum, and the checksum made to fit.
std::string with_entry(const std::string& line) {
  const std::string text = Wisdom().text();
  return sealed(text.substr(0, text.rfind("checksum ")) + line);
}

TEST(WisdomText, WithAFittingChecksumIsStillReadStrictly) {
  EXPECT_EQ(state_of(Wisdom::parse(with_entry("multiply 30 scalar64/barrett\n"))), "used");
  const std::string barrett = " scalar64/barrett\n";
  std::vector<std::string> wrong{"multiply  30 scalar64/barrett\n",
                                 "multiply 30  scalar64/barrett\n",
                                 "multiply 30 scalar64/barrett \n",
                                 " multiply 30 scalar64/barrett\n",
                                 "multiply 30 scalar64/barrett\r\n",
                                 "multiply\t30 scalar64/barrett\n",
                                 "multiply 30 scalar64/barrett",
                                 "multiply 30\n",
                                 "multiply\n",
                                 "MULTIPLY 30 scalar64/barrett\n",
                                 "multiply 30 scalar64/barretu\n",
                                 "multiply 30 nonsense\n",
                                 "ntt 12 62 ifma52/radix2\n",
                                 "\n",
                                 "checksum 0123456789abcdef\n",
                                 std::string("multiply 30 scalar64/barrett\0\n", 31)};
  for (const char* number :
       {"030", "+30", "-30", "30.0", "0x1e", "999999999999999999999999999", "64", "63", "0 30"}) {
    wrong.push_back("multiply " + std::string(number) + barrett);
  }
  for (const char* numbers : {"49", "03 30", "3 030", "21 49"}) {
    wrong.push_back("ntt " + std::string(numbers) + " scalar64/radix2\n");
  }
  // Entries are sorted, and each occurs once.
  for (const char* second : {"multiply 30", "multiply 29"}) {
    wrong.push_back("multiply 30" + barrett + second + barrett);
  }
  wrong.push_back("multiply 30" + barrett + "add 30 scalar64/direct\n");
  for (const std::string& line : wrong) {
    expect_refused(with_entry(line), "damaged", line.substr(0, 60));
  }
}

TEST(WisdomText, OfAnySizeAndShapeIsRead) {
  const std::string long_line(kMaxWisdomBytes / 2, 'a');
  for (const std::string& text :
       {with_entry(long_line + "\n"),
        with_entry("multiply " + std::string(kMaxWisdomBytes / 2, '1') + " x\n"),
        with_entry(std::string(kMaxWisdomBytes / 2, '\n')), std::string(kMaxWisdomBytes, '\n'),
        "ringlet-wisdom 1\n" + std::string(kMaxWisdomBytes, ' ')}) {
    expect_refused(text, "damaged", text.substr(0, 60));
  }
  const std::string too_large = with_entry(std::string(2 * kMaxWisdomBytes, ' ') + "\n");
  EXPECT_NE(Wisdom::parse(too_large).reason.find("larger"), std::string::npos);
  EXPECT_LT(Wisdom::parse(with_entry(long_line + "\n")).reason.size(), 200U);
  EXPECT_LT(Wisdom::parse(with_entry("multiply 30 " + long_line + "\n")).reason.size(), 200U);
  for (const char* text : {"", "\n", "ringlet-wisdom ", "ringlet-wisdom 1", "ringlet-wisdom 1\n",
                           "checksum cbf29ce484222325\n"}) {
    expect_refused(text, "damaged", text);
  }
}

// Accepted text is exactly the text of the wisdom that it gave.
TEST(WisdomText, RandomEditsWithAFittingChecksum) {
  std::mt19937_64 rng(test::test_seed());
  const std::string text = sample_wisdom().text();
  const std::string body = text.substr(0, text.rfind("checksum "));
  const std::size_t rounds = test::scaled(20000);
  std::size_t used = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    std::string edited = body;
    for (std::uint64_t edits = 1 + rng() % 3; edits-- > 0 && !edited.empty();) {
      const std::size_t place = rng() % edited.size();
      const std::size_t other = rng() % edited.size();
      const std::uint64_t kind = rng() % 4;
      if (kind == 0) edited.erase(place, rng() % 20);
      if (kind == 1) edited.insert(place, edited.substr(other, rng() % 40));
      if (kind == 2) edited[place] = edited[other];
      if (kind == 3) edited[place] = static_cast<char>(rng());
    }
    const std::string whole = sealed(edited);
    const WisdomFile file = Wisdom::parse(whole);
    if (file.state != WisdomState::used) {
      ASSERT_TRUE(file.wisdom.empty());
      continue;
    }
    ++used;
    ASSERT_EQ(file.wisdom.text(), whole);
  }
  EXPECT_LT(used, rounds) << "edits must show";
}

TEST(WisdomTune, MeasuresTheGridThatItIsGiven) {
  TuneOptions options;
  options.log_degrees = {1, 6};
  options.modulus_bits = {2, 20, 49, 63};
  options.operations = {"ntt", "add", "multiply", "reduce_range"};
  std::vector<WisdomEntry> told;
  options.progress = [&](const TuneProgress& progress) {
    EXPECT_GE(progress.gain, 1.0);
    EXPECT_EQ(progress.gain > 1, progress.entry.kernel != progress.estimate);
    EXPECT_LE(progress.completed, progress.total);
    EXPECT_EQ(progress.total, 2 * 4 + 3 * 4U);
    told.push_back(progress.entry);
  };
  const Wisdom wisdom = Wisdom::tune(options);
  EXPECT_EQ(told, wisdom.entries());
  // No prime of two bits is 1 mod 4 or 1 mod 128; transforms and products take up to 62 bits.
  EXPECT_EQ(wisdom.entries().size(), 2 * 2 + 4 + 3 + 4U);
  const auto catalog = kernel_catalog();
  for (const WisdomEntry& entry : wisdom.entries()) {
    EXPECT_TRUE(std::ranges::any_of(catalog, [&](const KernelInfo& kernel) {
      return kernel.available && kernel.name == entry.kernel + "/" + entry.operation;
    })) << entry.kernel;
  }
  EXPECT_EQ(Wisdom::parse(wisdom.text()).wisdom, wisdom);
}

TEST(WisdomTune, RepeatedValuesCountOnce) {
  TuneOptions options;
  options.log_degrees = {};
  options.modulus_bits = {30, 30};
  options.operations = {"add", "add", "ntt"};
  EXPECT_EQ(Wisdom::tune(options).entries().size(), 1U);
}

TEST(WisdomTune, RefusesWhatIsOutOfRangeBeforeItBegins) {
  using Change = void (*)(TuneOptions&);
  for (const Change change : std::initializer_list<Change>{
           [](TuneOptions& options) { options.log_degrees.push_back(0); },
           [](TuneOptions& options) { options.log_degrees.push_back(21); },
           [](TuneOptions& options) { options.modulus_bits.push_back(1); },
           [](TuneOptions& options) { options.modulus_bits.push_back(64); },
           [](TuneOptions& options) { options.operations.emplace_back("ntx"); },
           [](TuneOptions& options) { options.operations.emplace_back(""); }}) {
    TuneOptions options = TuneOptions::quick();
    options.progress = [](const TuneProgress&) { ADD_FAILURE() << "it began"; };
    change(options);
    EXPECT_THROW(Wisdom::tune(options), InvalidArgument);
  }
}

TEST(WisdomTune, EndsWithWhatTheCallbackThrows) {
  TuneOptions options;
  options.modulus_bits = {30};
  options.operations = {"add", "negate"};
  int calls = 0;
  options.progress = [&calls](const TuneProgress&) {
    ++calls;
    throw std::runtime_error("enough");
  };
  EXPECT_THROW(Wisdom::tune(options), std::runtime_error);
  EXPECT_EQ(calls, 1);
}

namespace fs = std::filesystem;

struct WisdomFiles : ::testing::Test {
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  static void expect_damaged(const std::string& path) {
    const WisdomFile file = Wisdom::load(path);
    expect_unused(file, "damaged", path);
    EXPECT_EQ(file.path, path);
  }

  const Folder temporary_;
  const fs::path folder_ = temporary_.path;
};

TEST_F(WisdomFiles, ComeBackAsTheyWereSaved) {
  for (const Wisdom& wisdom : {sample_wisdom(), Wisdom(), sample_wisdom()}) {
    wisdom.save(path("wisdom"));
    const WisdomFile file = Wisdom::load(path("wisdom"));
    EXPECT_EQ(file.state, WisdomState::used) << file.reason;
    EXPECT_EQ(file.wisdom, wisdom);
    EXPECT_EQ(file.path, path("wisdom"));
    EXPECT_EQ(files(), 1) << "nothing else is left behind";
  }
}

TEST_F(WisdomFiles, MissingOnesAreAbsent) {
  for (const std::string& name : {path("missing"), path("missing/wisdom"), std::string()}) {
    expect_unused(Wisdom::load(name), "absent", name);
  }
}

TEST_F(WisdomFiles, WhatIsNoRegularFileOrCannotBeReachedIsNotRead) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", path("zero"));
  // Nobody writes to the pipe: a reader that opened it would wait forever.
  for (const std::string& device : {std::string("/dev/zero"), std::string("/dev/null"),
                                    path("fifo"), path("zero"), folder_.string()}) {
    expect_damaged(device);
    EXPECT_EQ(Wisdom::load(device).reason, "not a regular file") << device;
  }
  fs::create_symlink("loop", path("loop"));
  write("file", "text");
  // The size of the last file is 0, and reading it gives bytes.
  for (const std::string& name : {path("loop"), path("file/wisdom"), path(std::string(5000, 'a')),
                                  std::string("/proc/self/status")}) {
    expect_damaged(name);
  }
}

TEST_F(WisdomFiles, WithoutPermissionAreNotRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "the superuser may read every file";
  sample_wisdom().save(path("wisdom"));
  fs::permissions(path("wisdom"), fs::perms::none);
  expect_damaged(path("wisdom"));
}

TEST_F(WisdomFiles, LargerOnesThanTheLimitAreNotRead) {
  write("zeros", std::string(kMaxWisdomBytes, '\0'));
  expect_damaged(path("zeros"));
  EXPECT_EQ(Wisdom::load(path("zeros")).reason.find("larger"), std::string::npos);
  const std::string text = sample_wisdom().text();
  write("large", text + std::string(kMaxWisdomBytes + 1 - text.size(), '\n'));
  expect_damaged(path("large"));
  EXPECT_NE(Wisdom::load(path("large")).reason.find("larger"), std::string::npos);
  write("sparse", "");
  std::error_code error;
  fs::resize_file(path("sparse"), std::uintmax_t{1} << 40, error);
  if (error) GTEST_SKIP() << "this file system has no sparse files: " << error.message();
  expect_damaged(path("sparse"));
}

TEST_F(WisdomFiles, EmptyAndForeignOnesAreDamaged) {
  for (const std::string& text : std::initializer_list<std::string>{
           "", "\n", "wisdom", "{\"wisdom\": 1}\n", std::string(1, '\0'), "\177ELF\002"}) {
    write("wisdom", text);
    expect_damaged(path("wisdom"));
  }
}

TEST_F(WisdomFiles, ThatCannotBeWrittenLeaveWhatWasThere) {
  const auto refuses = [](const std::string& path) {
    expect_refusal<RuntimeError>(path, [&] { sample_wisdom().save(path); });
  };
  refuses(path("missing/wisdom"));
  refuses("");
  refuses("/dev/null/wisdom");
  fs::create_directories(path("folder/inner"));
  refuses(path("folder"));
  EXPECT_TRUE(fs::is_directory(path("folder/inner")));
  EXPECT_EQ(files(), 1) << "no temporary file is left";
}

TEST_F(WisdomFiles, AreNotPutInThePlaceOfPipesAndDevices) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  fs::create_symlink("fifo", path("link"));
  for (const char* name : {"fifo", "link"}) {
    EXPECT_THROW(sample_wisdom().save(path(name)), RuntimeError);
    EXPECT_TRUE(fs::is_fifo(path(name)));
  }
  EXPECT_EQ(files(), 2) << "nothing else is left behind";
}

TEST_F(WisdomFiles, AreReplacedInOneStep) {
  const std::string name = path("wisdom");
  sample_wisdom().save(name);
  expect_in_threads(25, [&](std::size_t thread, std::size_t) {
    if (thread < 2) {
      (thread == 0 ? sample_wisdom() : Wisdom()).save(name);
      return true;
    }
    const WisdomFile file = Wisdom::load(name);
    const bool is_one_of_both = file.wisdom == sample_wisdom() || file.wisdom == Wisdom();
    return file.state == WisdomState::used && is_one_of_both;
  });
  EXPECT_EQ(files(), 1);
}

}  // namespace
}  // namespace ringlet::test
