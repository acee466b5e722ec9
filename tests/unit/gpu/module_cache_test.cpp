// SPDX-License-Identifier: Apache-2.0
#include "gpu/programs/module_cache.hpp"

#include <sys/stat.h>

#include "base/text.hpp"
#include "gpu/programs/module_file.hpp"
#include "support/refusal.hpp"
#include "support/scratch.hpp"
#include "support/threads.hpp"

namespace ringlet::gpu {
namespace {

namespace fs = std::filesystem;

/// A program whose binary is the text from which it was made.
struct TextModule final : Module {
  explicit TextModule(std::string what) : text(std::move(what)) {}
  std::shared_ptr<Kernel> kernel(const std::string&) override { return nullptr; }
  std::vector<std::byte> binary() const override {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
  }
  std::string text;
};

/// A device that counts what it compiles and loads.
struct CountingDevice final : DriverDevice {
  CountingDevice() {
    changed.name = "counting";
    changed.driver_version = "1";
  }
  /// Makes a part of `whole`.
  CountingDevice(const CountingDevice& whole) noexcept
      : DriverDevice(whole), changed(whole.changed) {}

  const DeviceProperties& properties() const noexcept override { return changed; }
  std::unique_ptr<Queue> make_queue(bool) override { return nullptr; }
  std::shared_ptr<Buffer> allocate(std::size_t) override { return nullptr; }
  std::shared_ptr<Module> build(const std::string& source,
                                std::span<const std::string> definitions) override {
    ++builds;
    std::this_thread::sleep_for(build_time);
    if (source == "bad") throw_runtime_error({"build", "the log", "none", "none"});
    std::string text = concat("program of ", source);
    for (const std::string& definition : definitions) text += concat(" ", definition);
    return std::make_shared<TextModule>(text);
  }
  std::shared_ptr<Module> load(std::span<const std::byte> binary) override {
    ++loads;
    if (refuses) throw_runtime_error({"load", "refused", "none", "none"});
    const std::string_view text(reinterpret_cast<const char*>(binary.data()), binary.size());
    if (!text.starts_with("program of ")) wrong_loads = true;
    return std::make_shared<TextModule>(std::string(text));
  }
  std::vector<std::shared_ptr<DriverDevice>> split(std::size_t) override { return {}; }

  std::atomic<int> builds{0};
  std::atomic<int> loads{0};
  std::atomic<bool> wrong_loads{false};
  bool refuses = false;
  std::chrono::milliseconds build_time{0};
  DeviceProperties changed;
};

std::string text_of(const std::shared_ptr<Module>& module) {
  return dynamic_cast<const TextModule&>(*module).text;
}

/// Builds on a new device, which finds nothing in the process but may find a file. Returns the
/// program, and how often the device compiled and loaded.
std::string build_anew(const std::string& source,
                       const std::vector<std::string>& definitions = {}) {
  CountingDevice device;
  const std::string text = text_of(build_module(device, source, definitions));
  EXPECT_FALSE(device.wrong_loads) << "a damaged program reached the driver";
  return concat(text, ", built ", device.builds.load(), ", loaded ", device.loads.load());
}

const std::string kBuilt = "program of f, built 1, loaded 0";
const std::string kLoaded = "program of f, built 0, loaded 1";

struct ModuleCache : ::testing::Test {
  void TearDown() override { fs::permissions(folder, fs::perms::owner_all); }

  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) found.push_back(entry.path());
    }
    return found;
  }
  static std::string read(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static void write(const fs::path& file, const std::string& contents) {
    std::ofstream(file, std::ios::binary) << contents;
  }
  /// Expects that program f is built again after `damage` to its file, and its file is good then.
  template <typename Damage>
  void expect_replaced(const Damage& damage) const {
    build_anew("f");
    const fs::path file = files().at(0);
    damage(file);
    EXPECT_EQ(build_anew("f"), kBuilt);
    EXPECT_EQ(build_anew("f"), kLoaded);
  }

  const test::Folder temporary;
  const fs::path folder = temporary.path;
  const test::Variable home{"HOME", std::nullopt};
  const test::Variable xdg{"XDG_CACHE_HOME", std::nullopt};
  const test::Variable cache{"RINGLET_CACHE_DIR", folder};
};

TEST_F(ModuleCache, CompilesOncePerDeviceAndOncePerDisk) {
  CountingDevice device;
  const auto first = build_module(device, "f", {});
  EXPECT_EQ(build_module(device, "f", {}), first);
  CountingDevice part(device);
  EXPECT_EQ(build_module(part, "f", {}), first) << "a part has the programs of the whole";
  EXPECT_EQ(device.builds, 1);
  EXPECT_EQ(part.builds + part.loads + device.loads, 0);

  EXPECT_EQ(build_anew("f"), kLoaded);
  ASSERT_EQ(files().size(), 1U);
  EXPECT_EQ(fs::status(files()[0]).permissions() & fs::perms(077), fs::perms::none);
}

TEST_F(ModuleCache, DropsAProgramWithItsLastUser) {
  CountingDevice device;
  build_module(device, "f", {});
  build_module(device, "f", {});
  EXPECT_EQ(device.builds, 1);
  EXPECT_EQ(device.loads, 1) << "the disk has it";
}

TEST_F(ModuleCache, TellsProgramsApart) {
  const std::vector<std::vector<std::string>> lists{
      {}, {"A=1"}, {"A=2"}, {"A=1", "B=1"}, {"A=1B=1"}, {"B=1", "A=1"}};
  std::set<std::string> programs;
  for (const std::string source : {"f", "g", "f1:"}) {
    for (const auto& definitions : lists) programs.insert(build_anew(source, definitions));
  }
  EXPECT_EQ(programs.size(), 18U);
  EXPECT_EQ(files().size(), 18U);
  for (const auto& program : programs) {
    EXPECT_NE(program.find("built 1, loaded 0"), std::string::npos) << program;
  }
}

TEST_F(ModuleCache, TellsDevicesAndDriversApart) {
  const auto changes = std::to_array<void (*)(DeviceProperties&)>({
      [](DeviceProperties&) {},
      [](DeviceProperties& p) { p.name = "counting 2"; },
      [](DeviceProperties& p) { p.vendor = "another"; },
      [](DeviceProperties& p) { p.driver_version = "2"; },
      [](DeviceProperties& p) { p.api = Api::cuda; },
  });
  for (const auto& change : changes) {
    CountingDevice device;
    change(device.changed);
    build_module(device, "f", {});
    EXPECT_EQ(device.builds, 1);
    EXPECT_EQ(device.loads, 0);
  }
  EXPECT_EQ(files().size(), changes.size());
}

TEST_F(ModuleCache, SurvivesEveryFlippedBit) {
  build_anew("f");
  const fs::path file = files().at(0);
  const std::string good = read(file);
  Digest key{};
  std::memcpy(key.data(), good.data() + 16, sizeof key);
  ASSERT_TRUE(read_module_file(file, key).has_value());
  std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
  const auto put = [&](std::size_t place, int value) {
    stream.seekp(static_cast<std::streamoff>(place)).put(static_cast<char>(value)).flush();
  };
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    put(bit / 8, good[bit / 8] ^ (1 << (bit % 8)));
    ASSERT_FALSE(read_module_file(file, key).has_value()) << "bit " << bit;
    put(bit / 8, good[bit / 8]);
  }
  ASSERT_TRUE(read_module_file(file, key).has_value());

  // The whole cache must see a damaged bit in every byte.
  for (std::size_t bit = 0; bit < 8 * good.size(); bit += 9) {
    std::string damaged = good;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    write(file, damaged);
    ASSERT_EQ(build_anew("f"), kBuilt) << "bit " << bit;
    ASSERT_EQ(read(file), good) << "replaced";
  }
}

TEST_F(ModuleCache, SurvivesEveryTruncationAndMore) {
  build_anew("f");
  const fs::path file = files().at(0);
  const std::string good = read(file);
  for (std::size_t size = 0; size < good.size(); ++size) {
    write(file, good.substr(0, size));
    ASSERT_EQ(build_anew("f"), kBuilt) << size << " bytes";
    ASSERT_EQ(read(file), good) << "replaced";
  }
  write(file, good + "x");
  EXPECT_EQ(build_anew("f"), kBuilt);
  // The file of another program, under the name of f's.
  build_anew("g");
  for (const fs::path& other : files()) {
    if (other != file) fs::copy_file(other, file, fs::copy_options::overwrite_existing);
  }
  EXPECT_EQ(build_anew("f"), kBuilt);
  EXPECT_EQ(read(file), good);
}

TEST_F(ModuleCache, ReplacesWhatTheDriverRefuses) {
  build_anew("f");
  CountingDevice device;
  device.refuses = true;
  EXPECT_EQ(text_of(build_module(device, "f", {})), "program of f");
  EXPECT_EQ(device.builds, 1);
  EXPECT_EQ(device.loads, 1);
}

TEST_F(ModuleCache, TakesNothingThatOthersCouldHaveWritten) {
  expect_replaced([](const fs::path& file) {
    fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
  });
}

TEST_F(ModuleCache, SurvivesWhatIsNoFile) {
  expect_replaced([](const fs::path& file) {
    fs::remove(file);
    ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  });
  expect_replaced([](const fs::path& file) {
    fs::remove(file);
    fs::create_symlink("/dev/zero", file);
  });
  const fs::path file = files().at(0);
  fs::remove(file);
  fs::create_directory(file);
  EXPECT_EQ(build_anew("f"), kBuilt);
  EXPECT_EQ(files().size(), 0u) << "no remains of what could not be renamed";
}

TEST_F(ModuleCache, KeepsNothingWhereItCannotWrite) {
  // There is a file in place of the folder, which stops the superuser too; no folder can be made
  // below /proc; no variable names a folder, and a relative path in XDG_CACHE_HOME counts as none.
  write(folder / "file", "x");
  xdg.set("relative");
  for (const std::optional<std::string>& place :
       {std::optional<std::string>(folder / "file" / "cache"), {"/proc/ringlet"}, {}}) {
    cache.set(place);
    EXPECT_EQ(build_anew("f"), kBuilt);
    EXPECT_EQ(build_anew("f"), kBuilt);
  }
  EXPECT_FALSE(fs::exists("relative"));
}

TEST_F(ModuleCache, LeavesProgramsToADriverThatKeepsThem) {
  build_anew("f");
  CountingDevice device;
  device.changed.keeps_programs = true;
  build_module(device, "f", {});
  build_module(device, "g", {});
  EXPECT_EQ(device.builds, 2);
  EXPECT_EQ(device.loads, 0);
  EXPECT_EQ(files().size(), 1U) << "what another device left there";
}

TEST_F(ModuleCache, FindsItsFolder) {
  cache.set(std::nullopt);
  home.set(folder / "home");
  build_anew("f");
  EXPECT_EQ(build_anew("f"), kLoaded);
  EXPECT_EQ(files().at(0).parent_path(), folder / "home" / ".cache" / "ringlet");
  fs::remove_all(folder / "home");
  xdg.set(folder / "xdg");
  build_anew("f");
  EXPECT_EQ(build_anew("f"), kLoaded);
  EXPECT_EQ(files().at(0).parent_path(), folder / "xdg" / "ringlet");
}

TEST_F(ModuleCache, PassesTheCompilersLogOn) {
  CountingDevice device;
  for (int round = 0; round < 2; ++round) {
    test::expect_error_says<RuntimeError>({"the log"}, [&] { build_module(device, "bad", {}); });
  }
  EXPECT_EQ(device.builds, 2);
  EXPECT_TRUE(files().empty());
}

TEST_F(ModuleCache, ThreadsCompileAProgramOnce) {
  CountingDevice device;
  device.build_time = std::chrono::milliseconds(20);
  std::vector<std::shared_ptr<Module>> modules(test::kThreads);
  test::in_threads(
      [&](std::size_t i) { modules[i] = build_module(device, i % 2 ? "g" : "f", {}); });
  for (std::size_t i = 0; i < modules.size(); ++i) EXPECT_EQ(modules[i], modules[i % 2]);
  EXPECT_NE(modules[0], modules[1]);
  EXPECT_EQ(device.builds, 2);
}

TEST_F(ModuleCache, ProcessesShareAFolder) {
  if (!test::kMayFork) GTEST_SKIP() << test::kWhyNotFork;
  // Each child damages the file now and then, while others read and replace it.
  std::vector<pid_t> children;
  for (int child = 0; child < 6; ++child) {
    children.push_back(::fork());
    ASSERT_GE(children.back(), 0);
    if (children.back() != 0) continue;
    bool is_good = true;
    for (int round = 0; round < 60; ++round) {
      CountingDevice device;
      is_good = is_good && text_of(build_module(device, "f", {})) == "program of f" &&
                !device.wrong_loads;
      if (round % 10 != child) continue;
      for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".module") write(entry.path(), "damage");
      }
    }
    ::_exit(is_good ? 0 : 1);
  }
  for (const pid_t id : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(id, &status, 0), id);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  build_anew("f");
  EXPECT_EQ(build_anew("f"), kLoaded);
  EXPECT_EQ(files().size(), 1U) << "no remains of writers";
}

}  // namespace
}  // namespace ringlet::gpu
