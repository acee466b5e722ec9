// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_standin/driver_script.hpp"
#include "gpu_standin/paths.hpp"

namespace ringlet::test {

/// All stand-ins, and drivers over them. At the end of a test all its objects must be released, and
/// it must have done nothing that the libraries forbid.
struct StandInTest : ::testing::Test {
  StandInTest() { reset(); }
  void TearDown() override { expect_all_released(); }

  void reset() {
    for (const StandIn* const library : libraries_) {
      (*library)->reset();
      teach_kernels(*library->operator->());
    }
  }
  /// Loads a driver; null, and the reason, if there is no device.
  std::shared_ptr<gpu::Driver> load(gpu::Api api, std::string& reason) const {
    return api == gpu::Api::cuda ? gpu::load_cuda(reason, cuda_.path(), nvrtc_.path())
                                 : gpu::load_opencl(reason, opencl_.path());
  }
  std::shared_ptr<gpu::Driver> load(gpu::Api api) const {
    std::string reason;
    auto driver = load(api, reason);
    EXPECT_NE(driver, nullptr) << reason;
    return driver;
  }
  /// Expects that all objects are released. `failing` is the call that failed: in a context that
  /// cannot be made current nothing can be released.
  void expect_all_released(const std::string& failing = "") const {
    for (const StandIn* const library : libraries_) {
      EXPECT_EQ((*library)->violations(), "");
      for (const auto& [kind, count] : (*library)->live()) {
        if (failing == "cuCtxPushCurrent_v2" && kind != "current" && kind != "context") continue;
        EXPECT_EQ(count, 0) << kind;
      }
    }
  }
  /// Lets every call that the library has noted fail once, each in a run of check(entry, index).
  template <typename Check>
  void fail_every_call(const StandIn& library, int code, const Check& check) {
    std::map<std::string, std::uint64_t> seen;
    const std::vector<standin::Call> calls = library->calls();
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const std::string& entry = calls[i].entry;
      SCOPED_TRACE(entry + ", call " + std::to_string(++seen[entry]));
      reset();
      cuda_->set("count_nonzero", 0);  // takes long
      library->fail(entry, seen[entry], code);
      check(entry, i);
      expect_all_released(entry);
      if (HasFailure()) return;
    }
  }

  StandIn cuda_{kStandInCuda};
  StandIn nvrtc_{kStandInNvrtc};
  StandIn opencl_{kStandInOpencl};
  const std::vector<const StandIn*> libraries_{&cuda_, &nvrtc_, &opencl_};
};

}  // namespace ringlet::test
