// SPDX-License-Identifier: Apache-2.0
#include "base/file_writer.hpp"

#include <csignal>
#include <system_error>

#include <sys/resource.h>
#include <sys/stat.h>

#include "support/scratch.hpp"

namespace ringlet::test {
namespace {

namespace fs = std::filesystem;

struct FileWriters : ::testing::Test {
  void put(const char* name, const std::string& text, FileRights rights = {}) const {
    FileWriter writer(folder / name, rights);
    writer.write(text);
    writer.commit();
  }
  std::string text(const char* name) const {
    std::ifstream stream(folder / name);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
  }
  template <typename Call>
  static int error_of(const Call& call) {
    try {
      call();
    } catch (const std::system_error& error) {
      return error.code().value();
    }
    return 0;
  }

  const Folder temporary;
  const fs::path folder = temporary.path;
};

TEST_F(FileWriters, ReplaceAFileThatIsReadOnAndLeaveNothingElse) {
  put("file", "old");
  std::ifstream reader(folder / "file");
  put("file", "newer");
  std::string read;
  reader >> read;
  EXPECT_EQ(read + text("file"), "oldnewer");
  {
    FileWriter(folder / "file").write("not committed");
  }
  EXPECT_EQ(text("file"), "newer");
  EXPECT_EQ(files(), 1);
}

TEST_F(FileWriters, NeverGiveMoreRightsThanTheFinishedFileHas) {
  using enum FileRights;
  struct Case {
    FileRights rights;
    mode_t umask, before, after;
  };
  for (const auto& [rights, umask, before, after] : std::to_array<Case>({
           {shared, 022, 0, 0644},
           {shared, 077, 0, 0600},
           {shared, 022, 0600, 0600},
           {shared, 077, 0664, 0664},
           {owner, 0, 0, 0600},
           {owner, 0, 0644, 0600},
           {owner_new, 0, 0, 0600},
       })) {
    const mode_t mask = ::umask(umask);
    if (before != 0) std::ofstream(folder / "file") << "old";
    if (before != 0) fs::permissions(folder / "file", fs::perms(before));
    {
      FileWriter writer(folder / "file", rights);
      for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().filename() != "file") {
          EXPECT_EQ(entry.status().permissions(), fs::perms(after));
        }
      }
      writer.commit();
    }
    ::umask(mask);
    EXPECT_EQ(fs::status(folder / "file").permissions(), fs::perms(after));
    fs::remove(folder / "file");
  }
}

TEST_F(FileWriters, KeepLinksAndWriteToPipes) {
  put("file", "old");
  fs::create_symlink("file", folder / "near");
  fs::create_symlink(folder / "near", folder / "far");
  fs::create_symlink("nothing", folder / "dangling");
  put("far", "new");
  put("dangling", "made");
  EXPECT_EQ(text("file") + text("nothing"), "newmade");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::fstream pipe(folder / "pipe");
  put("pipe", "through\n");
  std::string line;
  EXPECT_TRUE(std::getline(pipe, line) && line == "through");
  put("pipe", "private", FileRights::owner);
  EXPECT_EQ(text("pipe"), "private") << "who else may write to a pipe is not known";
  for (const char* name : {"near", "far", "dangling"}) EXPECT_TRUE(fs::is_symlink(folder / name));
  EXPECT_EQ(files(), 6);
}

TEST_F(FileWriters, FailWithTheReasonAndLeaveWhatWasThere) {
  put("file", "old");
  fs::create_symlink("nothing", folder / "dangling");
  fs::create_symlink("loop", folder / "loop");
  EXPECT_EQ(error_of([&] { put("file", "new", FileRights::owner_new); }), EEXIST);
  EXPECT_EQ(error_of([&] { put("dangling", "new", FileRights::owner_new); }), EEXIST);
  EXPECT_EQ(error_of([&] { put("loop", "new"); }), ELOOP);
  EXPECT_EQ(error_of([&] { put(".", "new"); }), EISDIR);
  EXPECT_EQ(error_of([&] { put("no/file", "new"); }), ENOENT);
  EXPECT_EQ(error_of([&] { FileWriter("/dev/full").write("new"); }), ENOSPC);
  FileWriter late(folder / "other", FileRights::owner_new);
  put("other", "first");
  EXPECT_EQ(error_of([&] { late.commit(); }), EEXIST);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{2, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);
  const int error = error_of([&] { put("file", "new"); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(error, EFBIG);
  EXPECT_EQ(text("file") + text("other"), "oldfirst");
  EXPECT_EQ(files(), 5) << "with the file that is not yet given up";
}

}  // namespace
}  // namespace ringlet::test
