// SPDX-License-Identifier: Apache-2.0
// Products of matrices on a device: the bits of the processor, in few launches.

#include "ringlet/error.hpp"
#include "support/matrix_fixture.hpp"
#include "support/test.hpp"
#include "support/watched_device.hpp"

namespace ringlet::test {
namespace {

const Indices kPrimes = {4, 0, 5, 2};

const std::vector<MatrixCase> kCases = {
    {1, 1, 1, 2, 2}, {3, 2, 1, 2, 2},  {2, 3, 5, 2, 2},  {5, 1, 4, 2, 2},  {2, 3, 5, 2, 3},
    {3, 9, 2, 3, 2}, {10, 8, 9, 2, 2}, {1, 13, 1, 2, 2}, {2, 1, 3, 16, 1}, {1, 2, 1, 8, 9},
};

struct Setup {
  std::string name;
  bool use_fused_multiply_add;
  std::size_t queue_count;
};
const std::vector<Setup> kSetups = {
    {"OneQueue", true, 1}, {"TwoQueues", true, 2}, {"ReducedAtOnce", false, 1}};

class DeviceMatrixTest : public DeviceBackendTest, public ::testing::WithParamInterface<Setup> {
 protected:
  void SetUp() override {
    DeviceBackendTest::SetUp();
    if (device_ == nullptr) return;
    watched_ = std::make_shared<WatchedDevice>(device_);
    DeviceOptions options;
    options.use_fused_multiply_add = GetParam().use_fused_multiply_add;
    options.queue_count = GetParam().queue_count;
    memory_ = std::make_shared<gpu::DeviceMemory>("gpu:0", watched_, options);
  }

  /// Compares all words of c, and counts the launches.
  void expect_same(const RnsBasis& basis, const Backend& backend, const MatrixOperands& operands,
                   std::size_t launches) {
    const auto cpu = make_cpu_backend(basis);
    const std::size_t size = operands.shape.c_size();
    for (const std::size_t held : {std::size_t{0}, size / 2 + 1, size}) {
      SCOPED_TRACE(::testing::PrintToString(operands.shape) + ", held " + std::to_string(held));
      const auto expected = operands.multiply(*cpu, held);
      watched_->watch().launches = 0;
      EXPECT_EQ(operands.multiply(backend, held), expected);
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
      launches += std::min(GetParam().queue_count, rows);
    }
    return launches * blocks_of_b;
  }

  std::shared_ptr<WatchedDevice> watched_;
  std::shared_ptr<gpu::DeviceMemory> memory_;
};

TEST_P(DeviceMatrixTest, ProductsAreThoseOfTheProcessor) {
  auto rng = make_rng();
  for (const std::size_t degree : test_degrees({16, 512}, {2, 2048})) {
    const RnsBasis basis = make_device_basis(degree);
    const auto backend = gpu::make_device_backend(basis, memory_);
    for (const MatrixCase& one : kCases) {
      const Fill fill = kFills[rng() % 3];
      const MatrixOperands operands({basis, kPrimes, fill, rng}, {1000, rng() % 3, true}, one);
      expect_same(basis, *backend, operands, launches_of(one, 1000));
    }
  }
}

TEST_P(DeviceMatrixTest, SmallProducts) {
  auto rng = make_rng();
  const RnsBasis basis = make_device_basis(16);
  const auto backend = gpu::make_device_backend(basis, memory_);
  const Indices primes = {4, 1};
  for (const MatrixCase& one : {MatrixCase{3, 5, 2, 2, 2}, MatrixCase{2, 4, 3, 3, 2}}) {
    const MatrixOperands operands({basis, primes, Fill::scattered, rng}, {2, 1, true}, one);
    expect_same(basis, *backend, operands, launches_of(one, 2));
  }
}

TEST_P(DeviceMatrixTest, EdgesOfEveryPrime) {
  auto rng = make_rng();
  const RnsBasis basis = make_device_basis(16);
  const auto backend = gpu::make_device_backend(basis, memory_);
  const Indices primes = first_primes(basis.size());
  for (const Fill fill : kFills) {
    for (const MatrixCase& one : {MatrixCase{3, 9, 2, 2, 2}, MatrixCase{2, 9, 1, 3, 4}}) {
      const MatrixOperands operands({basis, primes, fill, rng}, {}, one);
      expect_same(basis, *backend, operands, launches_of(one, 1000));
    }
  }
}

TEST_P(DeviceMatrixTest, RowsInSeveralBlocks) {
  auto rng = make_rng();
  const RnsBasis basis = make_device_basis(16);
  const auto backend = gpu::make_device_backend(basis, memory_);
  for (const std::size_t rows_per_block : {1, 2, 3}) {
    for (const MatrixCase& one : {MatrixCase{5, 4, 3, 2, 2}, MatrixCase{4, 7, 2, 2, 3}}) {
      const MatrixOperands operands({basis, kPrimes, Fill::scattered, rng}, {rows_per_block, 1},
                                    one);
      expect_same(basis, *backend, operands, launches_of(one, rows_per_block));
    }
  }
}

TEST_P(DeviceMatrixTest, EntriesInNoOrderAreMultipliedOneByOne) {
  auto rng = make_rng();
  const RnsBasis basis = make_device_basis(16);
  const auto backend = gpu::make_device_backend(basis, memory_);
  const auto cpu = make_cpu_backend(basis);
  const MatrixCase one{5, 4, 7, 2, 2};
  MatrixOperands operands({basis, kPrimes, Fill::scattered, rng}, {1000, 0, false}, one);
  for (const std::size_t held : {0, 2, 3}) {
    watched_->watch().launches = 0;
    EXPECT_EQ(operands.multiply(*backend, held), operands.multiply(*cpu, held));
    EXPECT_GE(watched_->watch().launches, 5 * 7 * 3);
  }
}

// In blocks that lie in the address space as if they were one.
TEST_P(DeviceMatrixTest, EntriesInBlocksOfTheirOwn) {
  auto rng = make_rng();
  const RnsBasis basis = make_device_basis(512);
  const auto backend = gpu::make_device_backend(basis, memory_);
  const auto cpu = make_cpu_backend(basis);
  for (const MatrixCase& one : {MatrixCase{3, 1, 1, 2, 2}, MatrixCase{1, 3, 1, 2, 2}}) {
    MatrixOperands operands({basis, kPrimes, Fill::scattered, rng}, {1, 0, true}, one);
    EXPECT_EQ(operands.multiply(*backend, 2), operands.multiply(*cpu, 2));
  }
  // A row of one entry each is always regular; one of several is not.
  const MatrixOperands row({basis, kPrimes, Fill::scattered, rng}, {1, 0, true}, {3, 1, 1, 2, 2});
  PlacedMatrix sums(row.c, memory_);
  const PlacedMatrix column(row.a, memory_);
  const PlacedMatrix factor(row.b, memory_);
  NttMatrix flat = sums.view();
  std::swap(flat.rows, flat.columns);
  ConstNttMatrix across = column.const_view();
  std::swap(across.rows, across.columns);
  watched_->watch().launches = 0;
  backend->multiply_matrices(flat, factor.const_view(), across, 0, kPrimes);
  EXPECT_EQ(watched_->watch().launches, 3 * 3 * (GetParam().queue_count > 1 ? 2 : 1));
  EXPECT_EQ(sums.download(), row.multiply(*cpu, 0));
}

TEST_P(DeviceMatrixTest, WordsOfTheHostAreRefused) {
  auto rng = make_rng();
  const RnsBasis basis = make_device_basis(16);
  const auto backend = gpu::make_device_backend(basis, memory_);
  const MatrixOperands operands({basis, kPrimes, Fill::scattered, rng}, {}, {2, 2, 2, 2, 2});
  const PlacedMatrix sums(operands.c, memory_);
  const PlacedMatrix left(operands.a, nullptr);
  const PlacedMatrix right(operands.b, memory_);
  EXPECT_THROW(
      backend->multiply_matrices(sums.view(), left.const_view(), right.const_view(), 0, kPrimes),
      LogicError);
}

INSTANTIATE_TEST_SUITE_P(Setups, DeviceMatrixTest, ::testing::ValuesIn(kSetups),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace ringlet::test
