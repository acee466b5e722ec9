// SPDX-License-Identifier: Apache-2.0
#include "gpu/device_backend.hpp"
#include "gpu/device_memory.hpp"
#include "ringlet/ciphertext_matrix.hpp"
#include "support/device_backend_pair.hpp"
#include "support/test.hpp"
#include "support/watched_device.hpp"
#include "unit/schemes/ckks_support.hpp"

// Products of matrices of ciphertexts on a device: how many launches they take, what stays on it
// for the next one, and what a failing device leaves.

namespace ringlet::test {
namespace {

constexpr double kScale = 0x1p40;

std::vector<Snapshot> snapshots(const CiphertextMatrix& matrix) {
  return {matrix.entries().begin(), matrix.entries().end()};
}

class DeviceMatrices : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    const auto device = test::find_test_device(reason);
    if (device == nullptr) GTEST_SKIP() << reason;
    watched_ = std::make_shared<test::WatchedDevice>(device);
    open();
  }

  void open() {
    memory_ = std::make_shared<gpu::DeviceMemory>("gpu:0", watched_, DeviceOptions{});
    const auto& basis = ckks_->context.backend().basis();
    evaluator_ =
        std::make_unique<Evaluator>(ckks_->context.on(gpu::make_device_backend(basis, memory_)));
  }
  CiphertextMatrix encrypt(const MatrixShape& shape, double scale) {
    std::vector<Ciphertext> entries;
    while (entries.size() < shape.rows * shape.columns) {
      entries.push_back(
          ckks_->encrypt(test::random_slots(ckks_->encoder.slot_count(), rng_), scale));
    }
    return {shape, std::move(entries)};
  }
  test::DeviceWatch& watch() const { return watched_->watch(); }

  std::mt19937_64 rng_ = test::make_rng();
  std::unique_ptr<Ckks> ckks_ = std::make_unique<Ckks>(64, std::vector<int>{60, 50, 57, 61});
  std::shared_ptr<test::WatchedDevice> watched_;
  std::shared_ptr<gpu::DeviceMemory> memory_;
  std::unique_ptr<Evaluator> evaluator_;
};

// In proportion, blocks of 1 GiB hold 18 rows of 100 sums of 3 x 3 limbs of 8192 coefficients.
TEST_F(DeviceMatrices, HundredByHundredIsSixLaunches) {
  ckks_ = std::make_unique<Ckks>(16, std::vector<int>{50, 57});
  open();
  memory_->limit_shared_blocks(std::size_t{18} * 100 * 3 * 16);
  const CiphertextMatrix a = encrypt({100, 1}, 0x1p20);
  const CiphertextMatrix b = encrypt({1, 100}, 0x1p20);
  CiphertextMatrix sum(*ckks_->context.first_context_data(), {100, 100}, 3, 0x1p40);
  CiphertextMatrix expected = sum;
  for (int i = 0; i < 2; ++i) {
    watch().launches = 0;
    watch().work_items = 0;
    watch().uploads = 0;
    watch().waits = 0;
    multiply_accumulate(*evaluator_, sum, a, b);
    multiply_accumulate(ckks_->evaluator, expected, a, b);
    EXPECT_EQ(watch().launches, 6);
    // Each has one word of two rows: of three sums, and of the factors.
    EXPECT_EQ(watch().work_items, std::size_t{50} * 100 * 16);
    EXPECT_EQ(watch().waits, 0);
    if (i == 1) {
      EXPECT_EQ(watch().uploads, 0);
    }
  }
  EXPECT_EQ(snapshots(sum), snapshots(expected));
}

TEST_F(DeviceMatrices, SmallerOnesAreOneLaunch) {
  const CiphertextMatrix a = encrypt({10, 8}, kScale);
  const CiphertextMatrix b = encrypt({8, 9}, kScale);
  CiphertextMatrix product;
  multiply(*evaluator_, a, b, product);
  CiphertextMatrix expected;
  multiply(ckks_->evaluator, a, b, expected);
  EXPECT_EQ(watch().launches, 1);
  EXPECT_EQ(watch().waits, 0);
  EXPECT_EQ(snapshots(product), snapshots(expected));

  // What was computed one by one is put together first, and then stays so.
  std::vector<Ciphertext> entries(8 * 9);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    evaluator_->negate(b.entries()[i], entries[i]);
  }
  const CiphertextMatrix minus_b({8, 9}, std::move(entries));
  CiphertextMatrix minus;
  for (int i = 0; i < 2; ++i) {
    watch().launches = 0;
    const int copies = watch().copies;
    multiply(*evaluator_, a, minus_b, minus);
    EXPECT_EQ(watch().launches, 1);
    EXPECT_EQ(watch().copies - copies, i == 0 ? 8 * 9 : 0);
  }
  for (std::size_t i = 0; i < minus.entries().size(); ++i) {
    Ciphertext negated;
    ckks_->evaluator.negate(expected.entries()[i], negated);
    EXPECT_EQ(Snapshot(minus.entries()[i]), Snapshot(negated));
  }
}

TEST_F(DeviceMatrices, WithoutRoomForBlocksOfRowsTheBitsAreTheSame) {
  const CiphertextMatrix a = encrypt({3, 2}, kScale);
  const CiphertextMatrix b = encrypt({2, 3}, kScale);
  CiphertextMatrix expected;
  multiply(ckks_->evaluator, a, b, expected);
  for (int room = 0; room < 40; ++room) {
    open();
    const CiphertextMatrix left = a;
    const CiphertextMatrix right = b;
    CiphertextMatrix product;
    watch().allocations_left = room;
    bool is_done = false;
    try {
      multiply(*evaluator_, left, right, product);
      is_done = true;
    } catch (const OutOfDeviceMemory&) {
      EXPECT_TRUE(product.empty());
    }
    watch().allocations_left = std::numeric_limits<int>::max();
    EXPECT_EQ(snapshots(left), snapshots(a));
    EXPECT_EQ(snapshots(right), snapshots(b));
    if (!is_done) multiply(*evaluator_, left, right, product);
    EXPECT_EQ(snapshots(product), snapshots(expected));
    if (is_done) return;
  }
  ADD_FAILURE() << "there never was enough room";
}

/// Every call that submits something fails in turn, once.
class DeviceMatrixFaults : public DeviceMatrices, public ::testing::WithParamInterface<bool> {};

TEST_P(DeviceMatrixFaults, LeaveOperandsAndDestination) {
  const CiphertextMatrix a = encrypt({3, 2}, kScale);
  const CiphertextMatrix b = encrypt({2, 2}, kScale);
  const CiphertextMatrix c = encrypt({3, 2}, kScale * kScale);
  CiphertextMatrix expected;
  multiply(ckks_->evaluator, a, b, expected);
  CiphertextMatrix expected_sum = c;
  multiply_accumulate(ckks_->evaluator, expected_sum, a, b);
  std::size_t refusals = 0;
  for (const bool is_sum : {false, true}) {
    bool is_done = false;
    for (int call = 0; !is_done; ++call) {
      ASSERT_LT(call, 200);
      open();
      memory_->limit_shared_blocks(std::size_t{2} * 2 * 9 * 64);
      const CiphertextMatrix left = a;
      const CiphertextMatrix right = b;
      CiphertextMatrix result = c;
      const auto run = [&] {
        if (is_sum) return multiply_accumulate(*evaluator_, result, left, right);
        multiply(*evaluator_, left, right, result);
      };
      watch().finds_no_memory = GetParam();
      watch().calls_left = call;
      try {
        run();
        is_done = watch().calls_left >= 0;
      } catch (const RuntimeError&) {
        ++refusals;
        watch().calls_left = std::numeric_limits<int>::max();
        EXPECT_EQ(snapshots(result), snapshots(c)) << "call " << call;
        run();
      }
      watch().calls_left = std::numeric_limits<int>::max();
      EXPECT_EQ(snapshots(left), snapshots(a)) << "call " << call;
      EXPECT_EQ(snapshots(right), snapshots(b)) << "call " << call;
      EXPECT_EQ(snapshots(result), snapshots(is_sum ? expected_sum : expected)) << "call " << call;
    }
  }
  // Where memory is missing once, the call is repeated.
  if (!GetParam()) {
    EXPECT_GT(refusals, 2u * (6 + 4));
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, DeviceMatrixFaults, ::testing::Bool(),
                         [](const auto& one) { return one.param ? "NoMemory" : "Refused"; });

}  // namespace
}  // namespace ringlet::test
