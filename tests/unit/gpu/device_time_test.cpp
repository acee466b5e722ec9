// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ringlet.hpp"
#include "support/devices/device_backend_pair.hpp"
#include "support/devices/device_fixture.hpp"
#include "support/refusal.hpp"

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

struct DeviceTime : test::DeviceTest {
  static constexpr std::size_t kDegree = 4096;

  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    timed = open({.use_timing = true});
  }

  /// Submits transforms on the device without waiting for them.
  struct Transforms {
    explicit Transforms(const Device& device)
        : backend(make_backend(test::make_basis_of_bits(kDegree, {50}), device)),
          placed(test::make_image(backend->basis(), primes, rng), backend->memory()),
          words(placed.download()) {}
    void operator()(int count) const {
      for (int i = 0; i < count; ++i) {
        backend->forward_ntt(placed.values(), placed.coefficients(), primes);
        backend->inverse_ntt(placed.coefficients(), placed.values(), primes);
      }
    }
    bool are_right() { return placed.download() == words; }

    const test::Indices primes{0};
    std::mt19937_64 rng = test::make_rng();
    std::shared_ptr<const Backend> backend;
    test::Placed placed;
    test::Words words;
  };

  Device timed;
};

TEST_F(DeviceTime, IsPositiveAndOfAllThatWasSubmitted) {
  Transforms transforms(timed);
  transforms(1);  // touches everything once; nothing is compiled
  timed.synchronize();
  const auto start = Clock::now();
  const double few = timed.time([&] { transforms(2); });
  const double many = timed.time([&] { transforms(200); });
  const double all = Seconds(Clock::now() - start).count();
  EXPECT_GT(few, 0.0);
  EXPECT_GT(many, few);
  // The device's clock runs like the host's; a hundredth allows for their difference.
  EXPECT_LE(few + many, 1.01 * all);
  EXPECT_TRUE(transforms.are_right());
  EXPECT_GE(timed.time([] {}), 0.0);
}

// The time of two parts together is their sum, not that of the longer one: the work of a part is
// between the part's own marks.
TEST_F(DeviceTime, OfPartsAddsUp) {
  Transforms transforms(timed);
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

TEST_F(DeviceTime, WithoutTimingIsALogicError) {
  bool has_run = false;
  test::expect_error_says<LogicError>({"Device::time", "use_timing"},
                                      [&] { device.time([&] { has_run = true; }); });
  EXPECT_FALSE(has_run);
}

TEST_F(DeviceTime, WhatTheWorkThrowsIsPassedOn) {
  Transforms transforms(timed);
  EXPECT_THROW(timed.time([&] {
    transforms(3);
    throw WorkError();
  }),
               WorkError);
  EXPECT_TRUE(transforms.are_right());
  EXPECT_GT(timed.time([&] { transforms(3); }), 0.0);
}

TEST_F(DeviceTime, OfAClosedDeviceIsALogicError) {
  const DeviceOptions options{.use_fused_multiply_add = false, .use_timing = true};
  const Device closing = open(options);
  closing.close();
  bool has_run = false;
  EXPECT_THROW(closing.time([&] { has_run = true; }), LogicError);
  EXPECT_FALSE(has_run);
  // Here the work itself closes the device.
  const Device again = open(options);
  EXPECT_THROW(again.time([&] { again.close(); }), LogicError);
}

// A GPU has transforms and automorphisms only for X^N + 1.
using GeneralRingOnDevice = test::DeviceTest;

TEST_F(GeneralRingOnDevice, IsRefused) {
  const RingSpec ring = RingSpec::cyclotomic(105);
  const RnsBasis basis(ring, CoeffModulus::create(ring, {49, 49}));
  test::expect_refusal_of("make_backend", {"m = 105", "X^N + 1", "cpu"},
                          [&] { make_backend(basis, device); });
  EXPECT_EQ(make_backend(basis, Device::cpu())->basis().ring(), ring);

  EncryptionParameters parms(SchemeType::bgv);
  parms.set_ring(ring);
  parms.set_coeff_modulus({basis[0], basis[1]});
  parms.set_plain_modulus(2);
  const Context context(parms, SecurityLevel::none);
  EXPECT_THROW((void)context.on(device), InvalidArgument);
  EXPECT_EQ(context.on(Device::cpu()).backend().name(), "cpu");
}

}  // namespace
}  // namespace ringlet
