// SPDX-License-Identifier: Apache-2.0
// Products of matrices on a device: the bits of the processor, in few launches.

#include "support/circuits/matrix_fixture.hpp"
#include "support/devices/watched_device.hpp"

namespace ringlet::test {
namespace {

const Indices kPrimes = {4, 0, 5, 2};

const std::vector<MatrixCase> kCases = {
    {1, 1, 1, 2, 2}, {3, 2, 1, 2, 2},  {2, 3, 5, 2, 2},  {5, 1, 4, 2, 2},  {2, 3, 5, 2, 3},
    {3, 9, 2, 3, 2}, {10, 8, 9, 2, 2}, {1, 13, 1, 2, 2}, {2, 1, 3, 16, 1}, {1, 2, 1, 8, 9},
};

struct MatrixSetup {
  std::string name;
  DeviceOptions options;
};
const std::vector<MatrixSetup> kMatrixSetups = {
    {"OneQueue", {}},
    {"TwoQueues", {.queue_count = 2}},
    {"ReducedAtOnce", {.use_fused_multiply_add = false}}};

class DeviceMatrixTest : public DeviceBackendTest,
                         public ::testing::WithParamInterface<MatrixSetup> {
 protected:
  void SetUp() override {
    DeviceBackendTest::SetUp();
    if (device_ == nullptr) return;
    watched_ = std::make_shared<WatchedDevice>(device_);
    memory_ = std::make_shared<gpu::DeviceMemory>("gpu:0", watched_, GetParam().options);
  }

  void open(std::size_t degree) {
    cpu_ = make_cpu_backend(make_device_basis(degree));
    backend_ = gpu::make_device_backend(cpu_->basis(), memory_);
  }
  MatrixOperands make_operands(const Indices& primes, Fill fill, const MatrixLayout& layout,
                               const MatrixCase& one) {
    return {{cpu_->basis(), primes, fill, rng_}, layout, one};
  }

  /// Compares all words of c, and counts the launches.
  void expect_same(const MatrixOperands& operands, std::size_t launches) {
    const std::size_t size = operands.shape.c_size();
    for (const std::size_t held : {std::size_t{0}, size / 2 + 1, size}) {
      SCOPED_TRACE(::testing::PrintToString(operands.shape) + ", held " + std::to_string(held));
      watched_->watch().launches = 0;
      EXPECT_EQ(operands.multiply(*backend_, held), operands.multiply(*cpu_, held));
      EXPECT_EQ(static_cast<std::size_t>(watched_->watch().launches), launches);
    }
  }
  /// Launches of one product whose c, a and b are in so many blocks, of all rows but for the last.
  std::size_t launches_of(const MatrixCase& one, std::size_t rows_per_block) const {
    const std::size_t of_rows = std::min(one.rows, rows_per_block);
    const std::size_t blocks_of_b = (one.depth + rows_per_block - 1) / rows_per_block;
    std::size_t launches = 0;
    for (std::size_t row = 0; row < one.rows; row += of_rows) {
      const std::size_t rows = std::min(of_rows, one.rows - row);
      launches += std::min(GetParam().options.queue_count, rows);
    }
    return launches * blocks_of_b;
  }

  std::shared_ptr<WatchedDevice> watched_;
  std::shared_ptr<gpu::DeviceMemory> memory_;
  std::shared_ptr<const Backend> cpu_;
  std::shared_ptr<const Backend> backend_;
  std::mt19937_64 rng_ = make_rng();
};

TEST_P(DeviceMatrixTest, ProductsAreThoseOfTheProcessor) {
  for (const std::size_t degree : test_degrees({16, 512}, {2, 2048})) {
    open(degree);
    for (const MatrixCase& one : kCases) {
      const Fill fill = kFills[rng_() % 3];
      expect_same(make_operands(kPrimes, fill, {1000, rng_() % 3, true}, one),
                  launches_of(one, 1000));
    }
  }
}

TEST_P(DeviceMatrixTest, SmallProducts) {
  open(16);
  const Indices primes = {4, 1};
  for (const MatrixCase& one : {MatrixCase{3, 5, 2, 2, 2}, MatrixCase{2, 4, 3, 3, 2}}) {
    expect_same(make_operands(primes, Fill::scattered, {2, 1, true}, one), launches_of(one, 2));
  }
}

TEST_P(DeviceMatrixTest, EdgesOfEveryPrime) {
  open(16);
  const Indices primes = first_primes(cpu_->basis().size());
  for (const Fill fill : kFills) {
    for (const MatrixCase& one : {MatrixCase{3, 9, 2, 2, 2}, MatrixCase{2, 9, 1, 3, 4}}) {
      expect_same(make_operands(primes, fill, {}, one), launches_of(one, 1000));
    }
  }
}

TEST_P(DeviceMatrixTest, RowsInSeveralBlocks) {
  open(16);
  for (const std::size_t rows_per_block : {1, 2, 3}) {
    for (const MatrixCase& one : {MatrixCase{5, 4, 3, 2, 2}, MatrixCase{4, 7, 2, 2, 3}}) {
      expect_same(make_operands(kPrimes, Fill::scattered, {rows_per_block, 1}, one),
                  launches_of(one, rows_per_block));
    }
  }
}

TEST_P(DeviceMatrixTest, EntriesInNoOrderAreMultipliedOneByOne) {
  open(16);
  const MatrixCase one{5, 4, 7, 2, 2};
  MatrixOperands operands({cpu_->basis(), kPrimes, Fill::scattered, rng_}, {1000, 0, false}, one);
  for (const std::size_t held : {0, 2, 3}) {
    watched_->watch().launches = 0;
    EXPECT_EQ(operands.multiply(*backend_, held), operands.multiply(*cpu_, held));
    EXPECT_GE(watched_->watch().launches, 5 * 7 * 3);
  }
}

// In blocks that lie in the address space as if they were one.
TEST_P(DeviceMatrixTest, EntriesInBlocksOfTheirOwn) {
  open(512);
  for (const MatrixCase& one : {MatrixCase{3, 1, 1, 2, 2}, MatrixCase{1, 3, 1, 2, 2}}) {
    MatrixOperands operands({cpu_->basis(), kPrimes, Fill::scattered, rng_}, {1, 0, true}, one);
    EXPECT_EQ(operands.multiply(*backend_, 2), operands.multiply(*cpu_, 2));
  }
  // A row of one entry each is always regular; one of several is not.
  const MatrixOperands row({cpu_->basis(), kPrimes, Fill::scattered, rng_}, {1, 0, true},
                           {3, 1, 1, 2, 2});
  PlacedMatrix sums(row.c, memory_);
  const PlacedMatrix column(row.a, memory_);
  const PlacedMatrix factor(row.b, memory_);
  NttMatrix flat = sums.view();
  std::swap(flat.rows, flat.columns);
  ConstNttMatrix across = column.const_view();
  std::swap(across.rows, across.columns);
  watched_->watch().launches = 0;
  backend_->multiply_matrices(flat, factor.const_view(), across, 0, kPrimes);
  EXPECT_EQ(watched_->watch().launches, 3 * 3 * (GetParam().options.queue_count > 1 ? 2 : 1));
  EXPECT_EQ(sums.download(), row.multiply(*cpu_, 0));
}

TEST_P(DeviceMatrixTest, WordsOfTheHostAreRefused) {
  open(16);
  const MatrixOperands operands({cpu_->basis(), kPrimes, Fill::scattered, rng_}, {},
                                {2, 2, 2, 2, 2});
  const PlacedMatrix sums(operands.c, memory_);
  const PlacedMatrix left(operands.a, nullptr);
  const PlacedMatrix right(operands.b, memory_);
  EXPECT_THROW(
      backend_->multiply_matrices(sums.view(), left.const_view(), right.const_view(), 0, kPrimes),
      LogicError);
}

INSTANTIATE_TEST_SUITE_P(Setups, DeviceMatrixTest, ::testing::ValuesIn(kMatrixSetups),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace ringlet::test
