// SPDX-License-Identifier: Apache-2.0
#include "ringlet/backend.hpp"
#include "ringlet/device.hpp"
#include "ringlet/error.hpp"
#include "support/device_fixture.hpp"
#include "support/ring_fixture.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

namespace ringlet {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

struct WorkError : std::exception {};

TEST(DeviceTimeOfTheProcessor, IsThatOfTheCall) {
  const Device cpu = Device::cpu();
  const auto start = Clock::now();
  const double slept = cpu.time([] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
  const double all = Seconds(Clock::now() - start).count();
  EXPECT_GE(slept, 0.02);
  EXPECT_LE(slept, all);
  const double nothing = cpu.time([] {});
  EXPECT_GE(nothing, 0.0);
  EXPECT_THROW(cpu.time([] { throw WorkError(); }), WorkError);
}

class DeviceTime : public test::DeviceTest {
 protected:
  static constexpr std::size_t kDegree = 4096;

  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    DeviceOptions options;
    options.use_timing = true;
    timed = open(options);
  }

  /// Transforms on the device that are submitted and not waited for.
  class Transforms {
   public:
    explicit Transforms(const Device& device)
        : backend_(
              make_backend(RnsBasis(kDegree, {generate_ntt_primes(50, kDegree, 1)[0]}), device)),
          words_(backend_->memory()->allocate(kDegree, Secrecy::open)) {
      std::mt19937_64 rng = test::make_rng();
      values_ = test::random_residues(kDegree, backend_->basis()[0].value(), rng);
      backend_->memory()->upload(words_, values_.data(), kDegree);
    }
    ~Transforms() { backend_->memory()->release(words_); }
    Transforms(const Transforms&) = delete;
    Transforms& operator=(const Transforms&) = delete;

    void operator()(int count) const {
      const std::size_t primes[] = {0};
      const CoeffView coefficients{words_, kDegree, 1, kDegree};
      const NttView values{words_, kDegree, 1, kDegree};
      for (int i = 0; i < count; ++i) {
        backend_->forward_ntt(values, coefficients, primes);
        backend_->inverse_ntt(coefficients, values, primes);
      }
    }
    bool are_right() const {
      std::vector<std::uint64_t> now(kDegree);
      backend_->memory()->download(now.data(), words_, kDegree);
      return now == values_;
    }

   private:
    std::shared_ptr<const Backend> backend_;
    std::uint64_t* words_;
    std::vector<std::uint64_t> values_;
  };

  Device timed;
};

TEST_F(DeviceTime, IsPositiveAndOfAllThatWasSubmitted) {
  const Transforms transforms(timed);
  transforms(1);  // compiles nothing, but touches everything once
  timed.synchronize();
  const auto start = Clock::now();
  const double few = timed.time([&] { transforms(2); });
  const double many = timed.time([&] { transforms(200); });
  const double all = Seconds(Clock::now() - start).count();
  EXPECT_GT(few, 0.0);
  EXPECT_GT(many, few);
  // The device's clock runs as the host's does; a hundredth for the difference of clocks.
  EXPECT_LE(few + many, 1.01 * all);
  EXPECT_TRUE(transforms.are_right());
}

// The time of two parts together is that of both, not that of the longer one: a part of the work is
// between the marks of its own.
TEST_F(DeviceTime, OfPartsAddsUp) {
  const Transforms transforms(timed);
  transforms(1);
  double first = 0;
  double second = 0;
  const double both = timed.time([&] {
    first = timed.time([&] { transforms(50); });
    second = timed.time([&] { transforms(50); });
  });
  EXPECT_GT(first, 0.0);
  EXPECT_GT(second, 0.0);
  EXPECT_GE(both, first + second);
}

TEST_F(DeviceTime, WaitsForTheWork) {
  const Transforms transforms(timed);
  timed.time([&] { transforms(20); });
  EXPECT_TRUE(transforms.are_right());
  EXPECT_GE(timed.time([] {}), 0.0);
}

TEST_F(DeviceTime, WithoutTimingIsALogicError) {
  bool has_run = false;
  try {
    device.time([&] { has_run = true; });
    FAIL() << "a device without timing told the time";
  } catch (const LogicError& error) {
    EXPECT_NE(error.operation().find("Device::time"), std::string::npos) << error.operation();
    EXPECT_NE(error.limit().find("use_timing"), std::string::npos) << error.limit();
    EXPECT_FALSE(error.remedy().empty());
  }
  EXPECT_FALSE(has_run);
}

TEST_F(DeviceTime, WhatTheWorkThrowsIsPassedOn) {
  const Transforms transforms(timed);
  EXPECT_THROW(timed.time([&] {
    transforms(3);
    throw WorkError();
  }),
               WorkError);
  EXPECT_TRUE(transforms.are_right());
  EXPECT_GT(timed.time([&] { transforms(3); }), 0.0);
}

TEST_F(DeviceTime, OfAClosedDeviceIsALogicError) {
  DeviceOptions options;
  options.use_timing = true;
  options.use_fused_multiply_add = false;
  const Device closing = open(options);
  closing.close();
  bool has_run = false;
  EXPECT_THROW(closing.time([&] { has_run = true; }), LogicError);
  EXPECT_FALSE(has_run);
  // Closed by the work itself.
  const Device again = open(options);
  EXPECT_THROW(again.time([&] { again.close(); }), LogicError);
}

}  // namespace
}  // namespace ringlet
