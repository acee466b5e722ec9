// SPDX-License-Identifier: Apache-2.0
// Work that passes of transforms also do: with it and without, the bits are those of the processor;
// with it there are fewer launches.

#include "support/circuits/matrix_fixture.hpp"
#include "support/devices/device_fixture.hpp"
#include "support/devices/device_primitives.hpp"
#include "support/devices/watched_device.hpp"

namespace ringlet::test {
namespace {

const Indices kPrimes = {4, 0, 5, 7, 2, 6, 1};

/// Whether a primitive has fused passes: only digits and divisions of values do.
bool has_fused_passes(const std::string& name) {
  return name.find("_ntt") != std::string::npos || name.find("of values, t") != std::string::npos;
}

struct DeviceFusionTest : DeviceBackendTest {
  /// Compares primitives with fused passes and without.
  void expect_same(DeviceOptions options, const RnsBasis& basis, const Indices& primes,
                   bool has_all_fills) {
    for (const bool is_fused : {true, false}) {
      options.use_fused_passes = is_fused;
      const DeviceBackendPair pair = make_pair(basis, options);
      SCOPED_TRACE(pair.device().kernel_names()[0] + (is_fused ? ", fused" : ", apart"));
      for (const Fill fill : kFills) {
        const bool is_scattered = fill == Fill::scattered;
        if (!is_scattered && !(has_all_fills && is_fused)) continue;
        expect_same_primitives(pair, primes, fill, is_scattered, has_fused_passes);
      }
    }
  }
};

TEST_F(DeviceFusionTest, SmallDegreesOfAllHighRadices) {
  for (const std::size_t degree : {2, 16}) {
    expect_same({.ntt = GpuNtt::radix8}, make_device_basis(degree), kPrimes, degree == 2);
  }
  expect_same({.ntt = GpuNtt::radix4}, make_device_basis(16), kPrimes, false);
  // PoCL takes long to compile this variant for primes of all paths.
  expect_same({.ntt = GpuNtt::radix16}, make_basis_of_bits(32, {50, 40, 45, 41}), first_primes(4),
              false);
}

TEST_F(DeviceFusionTest, SmallBasesOfOnePath) {
  for (const int bits : {28, 50, 60}) {
    const std::vector<int> all(5, bits);
    expect_same({}, make_basis_of_bits(16, all), first_primes(5), false);
  }
}

// Several blocks behind a pass through global memory.
TEST_F(DeviceFusionTest, LongPolynomials) {
  expect_same({}, make_device_basis(8192), kPrimes, false);
}

using AllDegreesFusion = OfDegree<DeviceFusionTest>;

TEST_P(AllDegreesFusion, OfRadix8) {
  if (test_scale() == 1) GTEST_SKIP() << "RINGLET_TEST_SCALE=large asks for it";
  expect_same({}, make_device_basis(GetParam()), kPrimes, true);
}

TEST_P(AllDegreesFusion, OfOtherHighRadices) {
  if (test_scale() == 1) GTEST_SKIP() << "RINGLET_TEST_SCALE=large asks for it";
  const RnsBasis basis = make_basis_of_bits(GetParam(), {50, 40, 45, 41});
  for (const GpuNtt variant : {GpuNtt::radix4, GpuNtt::radix16}) {
    expect_same({.ntt = variant}, basis, first_primes(4), true);
  }
}

INSTANTIATE_TEST_SUITE_P(, AllDegreesFusion, ::testing::ValuesIn(degrees_of_practice()),
                         ::testing::PrintToStringParamName());

// Blocks of 8192 words, which a group stores in several turns.
TEST_F(DeviceFusionTest, LongPolynomialsOfNarrowPrimes) {
  expect_same({}, make_basis_of_bits(8192, {29, 28, 30, 27}), first_primes(4), false);
}

// There are two passes above the block: in a division the words between them have their own place.
TEST_F(DeviceFusionTest, SeveralPassesThroughGlobalMemory) {
  expect_same({.ntt = GpuNtt::radix4}, make_basis_of_bits(32768, {50, 40, 45, 41}), first_primes(4),
              false);
}

TEST_F(DeviceFusionTest, SmallChunksAndQueues) {
  const RnsBasis basis = make_device_basis(16);
  for (const std::size_t queues : {1, 3}) {
    for (const std::size_t chunk : {0, 2}) {
      expect_same({.queue_count = queues, .ntt_chunk_limbs = chunk}, basis, kPrimes, false);
    }
  }
}

struct DeviceFusionLaunchTest : DeviceFusionTest {
  /// Counts launches of lifts of digits, digits of values, and divisions by one prime and by two.
  std::vector<int> count(GpuNtt variant, bool is_fused, std::size_t degree) {
    const DeviceOptions options{.ntt = variant, .use_fused_passes = is_fused};
    const auto watched = std::make_shared<WatchedDevice>(device_);
    const auto memory = std::make_shared<gpu::DeviceMemory>("gpu:0", watched, options);
    const auto backend = gpu::make_device_backend(make_device_basis(degree), memory);
    auto rng = make_rng();
    const Image key = make_image(backend->basis(), first_primes(10), rng);
    const PlacedImages images =
        place(make_primitive_images(backend->basis(), rng, Fill::scattered, kPrimes), memory);
    std::vector<int> counts;
    for (const Primitive& primitive :
         primitives(backend->basis(), prepare_primitive_key(*backend, key), kPrimes)) {
      const std::set<std::string> counted{"lift_digit_to_ntt of limb 0", "inverse_ntt_to_digits",
                                          "divide_and_round_by_last of values, t = 1",
                                          "divide_and_round of values, t = 1"};
      if (!counted.contains(primitive.name)) continue;
      watched->watch().launches = 0;
      primitive(*backend, images);
      counts.push_back(watched->watch().launches);
    }
    return counts;
  }
};

TEST_F(DeviceFusionLaunchTest, FusedPassesSaveLaunches) {
  EXPECT_EQ(count(GpuNtt::radix8, false, 16), (std::vector{2, 2, 4, 4}));
  EXPECT_EQ(count(GpuNtt::radix8, true, 16), (std::vector{1, 1, 2, 3}));
  EXPECT_EQ(count(GpuNtt::radix8, false, 8192), (std::vector{3, 3, 6, 6}));
  EXPECT_EQ(count(GpuNtt::radix8, true, 8192), (std::vector{2, 2, 4, 5}));
}

TEST_F(DeviceFusionLaunchTest, OtherVariantsStayAsTheyAre) {
  for (const GpuNtt variant : {GpuNtt::naive, GpuNtt::simd_8_8}) {
    EXPECT_EQ(count(variant, true, 64), count(variant, false, 64));
  }
}

/// Divisions of two polynomials at once, as key switching calls them.
struct DivisionsTogetherTest : DeviceFusionTest {
  enum class Place : std::uint8_t { in_place, apart, in_blocks, reversed };

  template <Form F>
  static void divide(const Backend& backend, const PlacedImages& images, Place place,
                     PrimeIndices primes, const BasisConversion* conversion) {
    const std::size_t count = primes.size();
    const std::size_t kept = count - (conversion == nullptr ? 1 : conversion->from().size());
    std::array<PolyView<F>, 2> quotients;
    std::array<ConstPolyView<F>, 2> dividends;
    for (std::size_t k = 0; k < 2; ++k) {
      const PolyView<F> dividend = images[0]->view<F>().part(k * count, count);
      const PolyView<F> to = images[place == Place::in_blocks ? 1 + k : 1]->view<F>();
      quotients[k] = place == Place::in_place    ? dividend.first(kept)
                     : place == Place::in_blocks ? to.first(kept)
                                                 : to.part(k * count, kept);
      dividends[k] = dividend;
    }
    if (place == Place::reversed) {
      std::swap(dividends[0], dividends[1]);
      std::swap(quotients[0], quotients[1]);
    }
    backend.divide_and_round_each(quotients, dividends, primes, conversion, 3);
  }

  /// Two dividends in one image, and two rooms for results.
  static std::vector<Image> make_images(const RnsBasis& basis) {
    Indices twice(kPrimes);
    twice.insert(twice.end(), kPrimes.begin(), kPrimes.end());
    auto rng = make_rng();
    return {make_image(basis, twice, rng, Fill::scattered, 2), make_room(basis, twice.size(), 1),
            make_room(basis, kPrimes.size(), 1)};
  }

  /// Compares the bits and returns the launches of one call in each place.
  template <Form F>
  std::vector<int> count(const DeviceOptions& options, std::size_t degree, bool by_several) {
    const auto watched = std::make_shared<WatchedDevice>(device_);
    const auto memory = std::make_shared<gpu::DeviceMemory>("gpu:0", watched, options);
    const DeviceBackendPair pair(memory, make_device_basis(degree));
    const PrimeIndices primes(kPrimes);
    const BasisConversion conversion(pair.basis(), primes.last(2), primes.first(5));
    const std::vector<Image> images = make_images(pair.basis());
    std::vector<int> counts;
    for (const auto place : {Place::in_place, Place::apart, Place::in_blocks, Place::reversed}) {
      const auto run = [&](const Backend& backend, const PlacedImages& placed) {
        watched->watch().launches = 0;
        divide<F>(backend, placed, place, primes, by_several ? &conversion : nullptr);
      };
      pair.expect_same(images, run);
      counts.push_back(watched->watch().launches);
    }
    return counts;
  }
};

// In other blocks, results share all launches but those of the last transform. In reversed order
// each division is alone.
TEST_F(DivisionsTogetherTest, ShareLaunches) {
  const DeviceOptions apart{.use_fused_passes = false};
  const DeviceOptions naive{.ntt = GpuNtt::naive};
  constexpr Form kValues = Form::ntt;
  EXPECT_EQ(count<kValues>({}, 16, false), (std::vector{2, 2, 3, 4}));
  EXPECT_EQ(count<kValues>({}, 16, true), (std::vector{3, 3, 4, 6}));
  EXPECT_EQ(count<kValues>({}, 8192, false), (std::vector{4, 4, 6, 8}));
  EXPECT_EQ(count<kValues>({}, 8192, true), (std::vector{5, 5, 7, 10}));
  EXPECT_EQ(count<kValues>(apart, 16, false), (std::vector{6, 6, 6, 8}));
  EXPECT_EQ(count<kValues>(apart, 16, true), (std::vector{5, 5, 5, 8}));
  EXPECT_EQ(count<kValues>(naive, 2, true), (std::vector{6, 6, 6, 10}));
  EXPECT_EQ(count<Form::coefficient>({}, 16, false), (std::vector{1, 1, 2, 2}));
  EXPECT_EQ(count<Form::coefficient>({}, 16, true), (std::vector{1, 1, 2, 2}));
}

TEST_F(DivisionsTogetherTest, OnSeveralQueues) {
  for (const std::size_t queue_count : {2, 3}) {
    count<Form::ntt>({.queue_count = queue_count}, 16, true);
    count<Form::coefficient>({.queue_count = queue_count}, 16, true);
  }
}

// Scratch memory for one division only: one after the other.
TEST_F(DivisionsTogetherTest, WithoutMemoryOneAfterTheOther) {
  const auto watched = std::make_shared<WatchedDevice>(device_);
  const auto memory = std::make_shared<gpu::DeviceMemory>("gpu:0", watched, DeviceOptions{});
  const DeviceBackendPair pair(memory, make_device_basis(8192));
  const std::size_t bytes = kPrimes.size() * 8192 * sizeof(std::uint64_t);
  for (const std::size_t room : {3 * bytes, bytes * 9 / 8}) {
    const auto run = [&](const Backend& backend, const PlacedImages& placed) {
      memory->trim();
      watched->watch().launches = 0;
      watched->watch().largest_allocation = backend.memory() == nullptr ? ~std::size_t{0} : room;
      divide<Form::ntt>(backend, placed, Place::in_place, kPrimes, nullptr);
      watched->watch().largest_allocation = ~std::size_t{0};
    };
    pair.expect_same(make_images(pair.basis()), run);
    EXPECT_EQ(watched->watch().launches, room > 2 * bytes ? 4 : 8);
  }
}

// Products of matrices on a device have the bits of the processor, in few launches.

const Indices kMatrixPrimes = {4, 0, 5, 2};

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

struct DeviceMatrixTest : DeviceBackendTest, ::testing::WithParamInterface<MatrixSetup> {
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
  /// Returns the launches of one product whose c, a and b are in blocks of `rows_per_block` rows.
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
      expect_same(make_operands(kMatrixPrimes, fill, {1000, rng_() % 3, true}, one),
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
    for (const MatrixCase& one : {MatrixCase{3, 33, 2, 2, 2}, MatrixCase{2, 33, 1, 3, 4}}) {
      expect_same(make_operands(primes, fill, {}, one), launches_of(one, 1000));
    }
  }
}

TEST_P(DeviceMatrixTest, RowsInSeveralBlocks) {
  open(16);
  for (const std::size_t rows_per_block : {1, 2, 3}) {
    for (const MatrixCase& one : {MatrixCase{5, 4, 3, 2, 2}, MatrixCase{4, 7, 2, 2, 3}}) {
      expect_same(make_operands(kMatrixPrimes, Fill::scattered, {rows_per_block, 1}, one),
                  launches_of(one, rows_per_block));
    }
  }
}

TEST_P(DeviceMatrixTest, EntriesInNoOrderAreMultipliedOneByOne) {
  open(16);
  const MatrixCase one{5, 4, 7, 2, 2};
  MatrixOperands operands({cpu_->basis(), kMatrixPrimes, Fill::scattered, rng_}, {1000, 0, false},
                          one);
  for (const std::size_t held : {0, 2, 3}) {
    watched_->watch().launches = 0;
    EXPECT_EQ(operands.multiply(*backend_, held), operands.multiply(*cpu_, held));
    EXPECT_GE(watched_->watch().launches, 5 * 7 * 3);
  }
}

// Separate blocks lie in the address space as if they were one.
TEST_P(DeviceMatrixTest, EntriesInBlocksOfTheirOwn) {
  open(512);
  for (const MatrixCase& one : {MatrixCase{3, 1, 1, 2, 2}, MatrixCase{1, 3, 1, 2, 2}}) {
    MatrixOperands operands({cpu_->basis(), kMatrixPrimes, Fill::scattered, rng_}, {1, 0, true},
                            one);
    EXPECT_EQ(operands.multiply(*backend_, 2), operands.multiply(*cpu_, 2));
  }
  // A row of one entry each is always regular; one of several is not.
  const MatrixOperands row({cpu_->basis(), kMatrixPrimes, Fill::scattered, rng_}, {1, 0, true},
                           {3, 1, 1, 2, 2});
  PlacedMatrix sums(row.c, memory_);
  const PlacedMatrix column(row.a, memory_);
  const PlacedMatrix factor(row.b, memory_);
  NttMatrix flat = sums.view();
  std::swap(flat.rows, flat.columns);
  ConstNttMatrix across = column.const_view();
  std::swap(across.rows, across.columns);
  watched_->watch().launches = 0;
  backend_->multiply_matrices(flat, factor.const_view(), across, 0, kMatrixPrimes);
  EXPECT_EQ(watched_->watch().launches, 3 * 3 * (GetParam().options.queue_count > 1 ? 2 : 1));
  EXPECT_EQ(sums.download(), row.multiply(*cpu_, 0));
}

TEST_P(DeviceMatrixTest, WordsOfTheHostAreRefused) {
  open(16);
  const MatrixOperands operands({cpu_->basis(), kMatrixPrimes, Fill::scattered, rng_}, {},
                                {2, 2, 2, 2, 2});
  const PlacedMatrix sums(operands.c, memory_);
  const PlacedMatrix left(operands.a, nullptr);
  const PlacedMatrix right(operands.b, memory_);
  EXPECT_THROW(backend_->multiply_matrices(sums.view(), left.const_view(), right.const_view(), 0,
                                           kMatrixPrimes),
               LogicError);
}

INSTANTIATE_TEST_SUITE_P(Setups, DeviceMatrixTest, ::testing::ValuesIn(kMatrixSetups),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace ringlet::test
