// SPDX-License-Identifier: Apache-2.0
#include <system_error>
#include <unistd.h>

#include <sys/stat.h>

#include "ringlet/base/error.hpp"
#include "ringlet/kernels/wisdom.hpp"
#include "support/kernels/wisdom_text.hpp"
#include "support/test.hpp"
#include "support/threads.hpp"

// Wisdom in files: round trips, replacement in one step, and everything that a path may name.

namespace ringlet::test {
namespace {

namespace fs = std::filesystem;

/// An empty folder for each test.
class WisdomFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "ringlet-wisdom-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  static void expect_damaged(const std::string& path) {
    const WisdomFile file = Wisdom::load(path);
    EXPECT_EQ(file.state, WisdomState::damaged) << path << ": " << file.reason;
    EXPECT_TRUE(file.wisdom.empty());
    EXPECT_FALSE(file.reason.empty());
    EXPECT_EQ(file.path, path);
  }

  fs::path folder_;
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
    const WisdomFile file = Wisdom::load(name);
    EXPECT_EQ(file.state, WisdomState::absent);
    EXPECT_FALSE(file.reason.empty());
    EXPECT_TRUE(file.wisdom.empty());
  }
}

TEST_F(WisdomFiles, WhatIsNoRegularFileOrCannotBeReachedIsNotRead) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", path("zero"));
  // Nobody writes to the pipe: opening it to read would wait for ever.
  for (const std::string& device : {std::string("/dev/zero"), std::string("/dev/null"),
                                    path("fifo"), path("zero"), folder_.string()}) {
    expect_damaged(device);
    EXPECT_EQ(Wisdom::load(device).reason, "not a regular file") << device;
  }
  fs::create_symlink("loop", path("loop"));
  write("file", "text");
  // The last says that it has no bytes and gives some.
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
    try {
      sample_wisdom().save(path);
      ADD_FAILURE() << path;
    } catch (const RuntimeError& error) {
      EXPECT_NE(error.offending().find(path), std::string::npos) << error.what();
    }
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
  std::vector<std::size_t> whole(test::kThreads);
  constexpr std::size_t kRounds = 25;
  test::in_threads([&](std::size_t thread) {
    for (std::size_t i = 0; i < kRounds; ++i) {
      if (thread < 2) {
        (thread == 0 ? sample_wisdom() : Wisdom()).save(name);
        ++whole[thread];
      } else {
        const WisdomFile file = Wisdom::load(name);
        const bool is_one_of_both = file.wisdom == sample_wisdom() || file.wisdom == Wisdom();
        whole[thread] += file.state == WisdomState::used && is_one_of_both ? 1 : 0;
      }
    }
  });
  EXPECT_EQ(whole, std::vector<std::size_t>(test::kThreads, kRounds));
  EXPECT_EQ(files(), 1);
}

}  // namespace
}  // namespace ringlet::test
