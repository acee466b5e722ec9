// SPDX-License-Identifier: Apache-2.0
#include "gpu/driver.hpp"
#include "gpu_standin/driver_script.hpp"
#include "gpu_standin/error_codes.hpp"
#include "gpu_standin/paths.hpp"
#include "gpu_standin/standin.hpp"
#include "ringlet/device.hpp"
#include "support/test.hpp"

// Every entry point that the driver calls answers with every error code once, at every call of a
// script that uses the whole interface.

namespace ringlet::test {
namespace {

// Two blocks of staging.
constexpr std::size_t kLargeUpload = (std::size_t{1} << 20) + 8;

/// How a script ended.
struct Ending {
  enum class Kind { success, refused, out_of_memory, runtime_error, other } kind = Kind::success;
  std::string message;
};

/// Runs the script; it is over, and has released everything, at the return. `released_from`: the
/// number of calls of each library before the release began.
class CudaErrors : public ::testing::Test {
 protected:
  Ending run(std::size_t upload_bytes, std::size_t released_from[2] = nullptr) {
    Ending ending;
    try {
      std::string reason;
      const auto driver = gpu::load_cuda(reason, cuda_.path(), nvrtc_.path());
      if (driver == nullptr) return {Ending::Kind::refused, reason};
      DriverScript script;
      EXPECT_TRUE(script.run(*driver, upload_bytes));
      EXPECT_EQ(script.result(), DriverScript::expected());
      if (released_from != nullptr) {
        released_from[0] = cuda_.calls().size();
        released_from[1] = nvrtc_.calls().size();
      }
    } catch (const OutOfDeviceMemory& error) {
      ending = {Ending::Kind::out_of_memory, error.what()};
    } catch (const RuntimeError& error) {
      ending = {Ending::Kind::runtime_error, error.what()};
    } catch (const std::exception& error) {
      ending = {Ending::Kind::other, error.what()};
    }
    return ending;
  }

  /// Makes the nth call of `entry` fail, and runs the script.
  Ending run_with(const StandIn& library, const std::string& entry, std::size_t nth,
                  std::int64_t code, std::size_t upload_bytes) {
    reset();
    library.fail(entry, nth, code);
    return run(upload_bytes);
  }
  void reset() {
    cuda_.reset();
    nvrtc_.reset();
    cuda_.set("count_nonzero", 0);  // takes long
    cuda_.register_kernel("add_word", test::add_word_on_host);
  }

  /// Whether nothing is left over. A context that cannot be made current cannot be cleared up.
  void expect_all_released(const std::string& entry) {
    EXPECT_EQ(cuda_.violations(), "");
    EXPECT_EQ(nvrtc_.violations(), "");
    for (const auto& [kind, count] : cuda_.live()) {
      if (entry == "cuCtxPushCurrent_v2" && kind != "current" && kind != "context") continue;
      EXPECT_EQ(count, 0) << kind;
    }
    for (const auto& [kind, count] : nvrtc_.live()) EXPECT_EQ(count, 0) << kind;
  }

  /// Whether the error of a call that the script needs was told as what it is.
  static void expect_told(const Ending& ending, const std::string& entry, const ErrorCode& code) {
    constexpr std::int64_t kOutOfMemory = 2;
    const bool is_driver = entry.starts_with("cu");
    if (entry == "cuInit" || entry == "cuDriverGetVersion") {
      EXPECT_EQ(ending.kind, Ending::Kind::refused);
    } else {
      EXPECT_EQ(ending.kind, is_driver && code.code == kOutOfMemory ? Ending::Kind::out_of_memory
                                                                    : Ending::Kind::runtime_error);
    }
    const std::string call = entry.substr(0, entry.find("_v2"));
    const bool names_call = ending.message.find(call) != std::string::npos;
    EXPECT_TRUE(names_call) << ending.message;
    if (is_driver) {
      EXPECT_NE(ending.message.find(code.name), std::string::npos) << ending.message;
    }
  }

  /// Entry points whose failure is no failure of what was asked.
  static bool may_fail(const std::string& entry) {
    static const std::set<std::string> releasing{"cuCtxPopCurrent_v2",
                                                 "cuCtxSynchronize",
                                                 "cuMemFree_v2",
                                                 "cuMemFreeHost",
                                                 "cuStreamDestroy_v2",
                                                 "cuModuleUnload",
                                                 "cuDevicePrimaryCtxRelease_v2",
                                                 "cuEventDestroy_v2",
                                                 "nvrtcDestroyProgram"};
    return releasing.contains(entry);
  }

  StandIn cuda_{test::kStandInCuda};
  StandIn nvrtc_{test::kStandInNvrtc};
};

std::set<std::string> entries_of(const std::vector<standin_call>& calls) {
  std::set<std::string> entries;
  for (const standin_call& call : calls) entries.insert(call.entry);
  return entries;
}

TEST_F(CudaErrors, TheScriptCallsEveryEntryPoint) {
  reset();
  ASSERT_EQ(run(0).kind, Ending::Kind::success);
  const auto entries = entries_of(cuda_.calls());
  // All that the driver binds, but the texts of errors; of the compiler also not its log and PTX.
  EXPECT_EQ(entries.size(), 35U);
  EXPECT_EQ(entries_of(nvrtc_.calls()).size(), 8U);
}

TEST_F(CudaErrors, EveryCodeOfEveryEntryPointIsTold) {
  reset();
  ASSERT_EQ(run(0).kind, Ending::Kind::success);
  const auto check_all = [&](const StandIn& library, const auto& codes) {
    for (const std::string& entry : entries_of(library.calls())) {
      for (const ErrorCode& code : codes) {
        SCOPED_TRACE(entry + " answers " + code.name);
        const Ending ending = run_with(library, entry, 1, code.code, 0);
        constexpr std::int64_t kNotReady = 600;
        if (may_fail(entry) || (entry == "cuEventQuery" && code.code == kNotReady)) {
          EXPECT_EQ(ending.kind, Ending::Kind::success) << ending.message;
        } else {
          expect_told(ending, entry, code);
        }
        expect_all_released(entry);
        if (HasFailure()) return;
      }
    }
  };
  check_all(cuda_, test::kCudaErrors);
  reset();
  ASSERT_EQ(run(0).kind, Ending::Kind::success);
  check_all(nvrtc_, test::kNvrtcErrors);
}

TEST_F(CudaErrors, EveryCallMayFail) {
  reset();
  std::size_t released_from[2] = {};
  ASSERT_EQ(run(kLargeUpload, released_from).kind, Ending::Kind::success);
  const ErrorCode code{719, "CUDA_ERROR_LAUNCH_FAILED"};
  const auto check_all = [&](const StandIn& library, std::size_t needed) {
    std::map<std::string, std::size_t> seen;
    const auto calls = library.calls();
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const std::string entry = calls[i].entry;
      const std::size_t nth = ++seen[entry];
      SCOPED_TRACE(entry + ", call " + std::to_string(nth));
      const Ending ending = run_with(library, entry, nth, code.code, kLargeUpload);
      if (may_fail(entry) || i >= needed) {
        EXPECT_EQ(ending.kind, Ending::Kind::success) << ending.message;
      } else {
        expect_told(ending, entry, code);
      }
      expect_all_released(entry);
      if (HasFailure()) return;
    }
  };
  check_all(cuda_, released_from[0]);
  reset();
  ASSERT_EQ(run(kLargeUpload, released_from).kind, Ending::Kind::success);
  check_all(nvrtc_, released_from[1]);
}

TEST_F(CudaErrors, WorkThatFailsNeverEndsWell) {
  reset();
  ASSERT_EQ(run(0).kind, Ending::Kind::success);
  // Upload, event, launch, event, wait, copy, clear, event, download.
  constexpr std::size_t kCommands = 9;
  for (std::size_t nth = 1; nth <= kCommands; ++nth) {
    for (const ErrorCode& code : {ErrorCode{700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                                  ErrorCode{719, "CUDA_ERROR_LAUNCH_FAILED"}}) {
      SCOPED_TRACE("command " + std::to_string(nth) + " ends in " + code.name);
      reset();
      cuda_.fail_work(nth, code.code);
      const Ending ending = run(0);
      EXPECT_EQ(ending.kind, Ending::Kind::runtime_error);
      EXPECT_NE(ending.message.find(code.name), std::string::npos) << ending.message;
      expect_all_released("");
    }
  }
}

TEST_F(CudaErrors, ErrorsWithoutATextAreStillTold) {
  reset();
  cuda_.fail("cuMemAlloc_v2", 1, 98765);
  const Ending ending = run(0);
  EXPECT_EQ(ending.kind, Ending::Kind::runtime_error);
  EXPECT_NE(ending.message.find("unknown error (98765)"), std::string::npos) << ending.message;
  reset();
  cuda_.fail("cuMemAlloc_v2", 1, 700);
  cuda_.fail("cuGetErrorName", 1, 1);
  cuda_.fail("cuGetErrorString", 1, 1);
  EXPECT_NE(run(0).message.find("(700)"), std::string::npos);
}

}  // namespace
}  // namespace ringlet::test
