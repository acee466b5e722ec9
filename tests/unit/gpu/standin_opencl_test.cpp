// SPDX-License-Identifier: Apache-2.0
#include "gpu/driver.hpp"
#include "gpu_standin/driver_script.hpp"
#include "gpu_standin/error_codes.hpp"
#include "gpu_standin/paths.hpp"
#include "gpu_standin/standin.hpp"
#include "ringlet/device.hpp"
#include "support/test.hpp"

// The OpenCL driver over a stand-in of libOpenCL, which fails at every call with every code.

namespace ringlet::test {
namespace {

struct Ending {
  enum class Kind { success, refused, out_of_memory, runtime_error, other } kind = Kind::success;
  std::string message;
};

class OpenclOnStandIn : public ::testing::Test {
 protected:
  OpenclOnStandIn() { reset(); }
  void reset() {
    opencl_.reset();
    opencl_.register_kernel("add_word", test::add_word_on_host);
  }

  /// Runs the script, which is over at the return. `released_from`: calls before its release.
  Ending run(std::size_t parts = 1, std::size_t* released_from = nullptr) {
    try {
      std::string reason;
      const auto driver = gpu::load_opencl(reason, opencl_.path());
      if (driver == nullptr) return {Ending::Kind::refused, reason};
      DriverScript script;
      if (!script.run(*driver, 0, parts)) return {Ending::Kind::refused, "no device"};
      EXPECT_EQ(script.result(), DriverScript::expected());
      EXPECT_GT(script.seconds(), 0);
      if (released_from != nullptr) *released_from = opencl_.calls().size();
    } catch (const OutOfDeviceMemory& error) {
      return {Ending::Kind::out_of_memory, error.what()};
    } catch (const RuntimeError& error) {
      return {Ending::Kind::runtime_error, error.what()};
    } catch (const std::exception& error) {
      return {Ending::Kind::other, error.what()};
    }
    return {};
  }
  Ending run_with(const std::string& entry, std::size_t nth, std::int64_t code,
                  std::size_t parts = 1) {
    reset();
    opencl_.fail(entry, nth, code);
    return run(parts);
  }

  void expect_all_released() {
    EXPECT_EQ(opencl_.violations(), "");
    for (const auto& [kind, count] : opencl_.live()) EXPECT_EQ(count, 0) << kind;
  }
  /// Whether the error was told, by a typed exception that names it.
  static void expect_told(const Ending& ending, const ErrorCode& code) {
    EXPECT_TRUE(ending.kind == Ending::Kind::runtime_error ||
                ending.kind == Ending::Kind::out_of_memory)
        << static_cast<int>(ending.kind);
    const std::string number = "(" + std::to_string(code.code) + ")";
    EXPECT_NE(ending.message.find(number), std::string::npos) << ending.message;
  }
  static bool releases(const std::string& entry) { return entry.starts_with("clRelease"); }
  /// That there is no platform or no device is no error.
  static bool means_no_device(const std::string& entry, std::int64_t code) {
    return (entry == "clGetPlatformIDs" && code == -1001) ||
           (entry == "clGetDeviceIDs" && code == -1);
  }
  std::set<std::string> entries() const {
    std::set<std::string> entries;
    for (const standin_call& call : opencl_.calls()) entries.insert(call.entry);
    return entries;
  }

  StandIn opencl_{test::kStandInOpencl};
};

TEST_F(OpenclOnStandIn, RunsTheWholeScript) {
  EXPECT_EQ(run().kind, Ending::Kind::success);
  expect_all_released();
  // Not called: sub-devices, the log of a refused program, waiting for a GiB of uploads.
  EXPECT_EQ(entries().size(), 32U);
}

TEST_F(OpenclOnStandIn, RunsTheWholeScriptOnTwoSubDevices) {
  EXPECT_EQ(run(2).kind, Ending::Kind::success);
  expect_all_released();
  EXPECT_EQ(entries().size(), 34U);
}

TEST_F(OpenclOnStandIn, DoesTheSameIfWorkIsDoneAtOnce) {
  opencl_.set("eager", 1);
  EXPECT_EQ(run().kind, Ending::Kind::success);
  expect_all_released();
}

TEST_F(OpenclOnStandIn, EveryCodeOfEveryEntryPointIsTold) {
  ASSERT_EQ(run(2).kind, Ending::Kind::success);
  for (const std::string& entry : entries()) {
    for (const ErrorCode& code : test::kOpenclErrors) {
      SCOPED_TRACE(entry + " answers " + code.name);
      const Ending ending = run_with(entry, 1, code.code, 2);
      if (releases(entry)) {
        EXPECT_EQ(ending.kind, Ending::Kind::success) << ending.message;
      } else if (means_no_device(entry, code.code)) {
        EXPECT_EQ(ending.kind, Ending::Kind::refused) << ending.message;
      } else if (entry == "clCreateSubDevices") {
        // The first way of dividing may fail; the next is then tried.
        EXPECT_EQ(ending.kind, Ending::Kind::success) << ending.message;
      } else {
        expect_told(ending, code);
      }
      expect_all_released();
      if (HasFailure()) return;
    }
  }
}

TEST_F(OpenclOnStandIn, EveryCallMayFail) {
  std::size_t needed = 0;
  ASSERT_EQ(run(1, &needed).kind, Ending::Kind::success);
  const ErrorCode code{-34, "CL_INVALID_CONTEXT"};
  const auto calls = opencl_.calls();
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const std::string entry = calls[i].entry;
    const std::size_t nth = ++seen[entry];
    SCOPED_TRACE(entry + ", call " + std::to_string(nth));
    const Ending ending = run_with(entry, nth, code.code);
    if (releases(entry) || i >= needed) {
      EXPECT_EQ(ending.kind, Ending::Kind::success) << ending.message;
    } else {
      expect_told(ending, code);
    }
    expect_all_released();
    if (HasFailure()) return;
  }
}

TEST_F(OpenclOnStandIn, WorkThatFailsNeverEndsWell) {
  // Upload, event, launch, event, wait, copy, clear, event, download. An event at which nobody
  // waits may fail unseen: run() has looked at the data.
  constexpr std::size_t kCommands = 9;
  const std::set<std::size_t> unseen{2, 8};
  for (std::size_t nth = 1; nth <= kCommands; ++nth) {
    for (const ErrorCode& code :
         {ErrorCode{-5, "CL_OUT_OF_RESOURCES"}, ErrorCode{-9999, "a driver's own"}}) {
      SCOPED_TRACE("command " + std::to_string(nth) + " ends in " + code.name);
      reset();
      opencl_.fail_work(nth, code.code);
      const Ending ending = run();
      if (!unseen.contains(nth)) {
        EXPECT_EQ(ending.kind, Ending::Kind::runtime_error) << ending.message;
      }
      expect_all_released();
    }
  }
}

TEST_F(OpenclOnStandIn, TellsThatMemoryIsUsedUp) {
  opencl_.set("memory_bytes", 1000);
  std::string reason;
  const auto driver = gpu::load_opencl(reason, opencl_.path());
  ASSERT_NE(driver, nullptr) << reason;
  const auto devices = driver->devices();
  const auto held = devices.at(0)->allocate(600);
  EXPECT_THROW(devices[0]->allocate(401), OutOfDeviceMemory);
  EXPECT_EQ(devices[0]->allocate(400)->byte_count(), 400U);
}

TEST_F(OpenclOnStandIn, UploadsWhatTheSourceHeldAtTheCallAndWaitsForNothing) {
  std::string reason;
  const auto driver = gpu::load_opencl(reason, opencl_.path());
  ASSERT_NE(driver, nullptr) << reason;
  const auto devices = driver->devices();
  const auto queue = devices.at(0)->make_queue(false);
  const auto result = devices[0]->allocate(64);
  {
    const auto passing = devices[0]->allocate(64);
    auto source = test::counted_bytes(64);
    queue->upload(*passing, 0, source);
    std::fill(source.begin(), source.end(), std::byte{0xee});
    queue->copy(*result, 0, *passing, 0, 64);
    EXPECT_EQ(opencl_.wait_count(), 0U);
  }
  std::vector<std::byte> bytes(64);
  queue->download(bytes, *result, 0);
  EXPECT_EQ(bytes, test::counted_bytes(64));
}

}  // namespace
}  // namespace ringlet::test
