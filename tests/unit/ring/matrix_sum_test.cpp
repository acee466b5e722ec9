// SPDX-License-Identifier: Apache-2.0
// Products of matrices on the processor by their definition.

#include "ringlet/base/parallel.hpp"
#include "support/circuits/matrix_fixture.hpp"

namespace ringlet::test {
namespace {

const std::vector<MatrixCase> kCases = {
    {1, 1, 1, 2, 2}, {3, 2, 1, 2, 2}, {2, 3, 5, 2, 2}, {5, 1, 4, 2, 2},
    {2, 9, 3, 2, 3}, {2, 2, 2, 3, 2}, {1, 2, 3, 1, 1}, {2, 1, 2, 4, 5},
};
const Indices kPrimes = {4, 0, 5, 2, 4};

class MatrixSums : public ::testing::TestWithParam<MatrixCase> {};

TEST_P(MatrixSums, AreTheDefinition) {
  auto rng = make_rng();
  for (const std::uint64_t m : {16, 128, 7, 331}) {
    const RnsBasis basis = make_basis_of_bits(RingSpec::cyclotomic(m), kDeviceBasisBits);
    const auto backends = make_backends(basis);
    for (const Fill fill : kFills) {
      for (const MatrixLayout& layout : {MatrixLayout{}, MatrixLayout{1, 3, false}}) {
        const MatrixOperands operands({basis, kPrimes, fill, rng}, layout, GetParam());
        for (const std::size_t held : {std::size_t{0}, std::size_t{1}, GetParam().c_size()}) {
          const auto expected = operands.expected(basis, held);
          for (const auto& backend : backends) {
            EXPECT_EQ(operands.multiply(*backend, held), expected)
                << describe(*backend) << ", held " << held;
          }
        }
      }
    }
  }
}

TEST_P(MatrixSums, OfSeveralThreadsAreTheSame) {
  const std::size_t threads = thread_count();
  auto rng = make_rng();
  const RnsBasis basis = make_device_basis(1024);
  const auto backend = make_cpu_backend(basis);
  const MatrixOperands operands({basis, kPrimes, Fill::scattered, rng}, {}, GetParam());
  const auto expected = operands.expected(basis, 1);
  for (const std::size_t count : {1, 2, 5}) {
    set_thread_count(count);
    EXPECT_EQ(operands.multiply(*backend, 1), expected) << count << " threads";
  }
  set_thread_count(threads);
}

INSTANTIATE_TEST_SUITE_P(Shapes, MatrixSums, ::testing::ValuesIn(kCases));

TEST(MatrixSumsOfOneMatrix, BothFactorsMayBeTheSameWords) {
  auto rng = make_rng();
  const RnsBasis basis = make_device_basis(16);
  const auto backend = make_cpu_backend(basis);
  MatrixOperands operands({basis, kPrimes, Fill::scattered, rng}, {}, {3, 3, 3, 2, 2});
  operands.b = operands.a;
  PlacedMatrix sums(operands.c, nullptr);
  const PlacedMatrix factor(operands.a, nullptr);
  backend->multiply_matrices(sums.view(), factor.const_view(), factor.const_view(), 0, kPrimes);
  EXPECT_EQ(sums.download(), operands.expected(basis, 0));
}

}  // namespace
}  // namespace ringlet::test
