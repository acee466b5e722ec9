// SPDX-License-Identifier: Apache-2.0
// Inner products of key switching on a device, within the passes of transforms and without: the
// bits of the processor.

#include "ringlet/device.hpp"
#include "support/device_backend_pair.hpp"
#include "support/device_fixture.hpp"
#include "support/key_switch_source.hpp"
#include "support/test.hpp"
#include "support/watched_device.hpp"

namespace ringlet::test {
namespace {

/// Primes of all paths, then those that are special.
const std::vector<int> kBits = {50, 30, 60, 57, 61, 22, 57, 58, 50, 49, 29, 45, 40, 61, 60, 59};
/// All narrow, or all lazy.
const std::vector<int> kNarrowBits = {30, 22, 29, 28, 27, 30, 30};
const std::vector<int> kLazyBits = {50, 57, 40, 31, 55, 57, 57};

/// Operands of one call: sums, coefficients, values, and pairs of a key of the whole basis.
struct Operands {
  std::vector<Image> images;
  std::vector<Image> key;
};

Operands make_operands(const RnsBasis& basis, const DigitShape& shape, Fill fill,
                       std::mt19937_64& rng) {
  const Indices targets = targets_of(shape, basis);
  const Indices level(targets.begin(), targets.begin() + static_cast<std::ptrdiff_t>(shape.level));
  Operands operands;
  operands.images = {make_room(basis, targets.size(), 1), make_room(basis, targets.size(), 0),
                     make_image(basis, level, rng, fill, 2),
                     make_image(basis, level, rng, fill, 1)};
  const std::size_t digits = (shape.level + shape.digit_size - 1) / shape.digit_size;
  for (std::size_t k = 0; k < 2 * (digits + 1); ++k) {  // a pair more than there are digits
    operands.key.push_back(make_image(basis, first_primes(basis.size()), rng, fill, k % 3));
  }
  return operands;
}

std::shared_ptr<const PreparedKey> prepare(const Backend& backend, const std::vector<Image>& key) {
  std::vector<ConstNttView> b;
  std::vector<ConstNttView> a;
  for (std::size_t k = 0; k < key.size(); ++k) {
    const Image& image = key[k];
    (k % 2 == 0 ? b : a)
        .push_back({image.words.data(), image.degree, image.limb_count, image.stride});
  }
  return backend.prepare_key(b, a);
}

void multiply(const Backend& backend, const PlacedImages& placed, const DigitShape& shape,
              const PreparedKey& key) {
  const std::vector<KeySwitchDigit> digits = digits_of(shape, backend.basis());
  const ConstNttView values = shape.has_values ? ConstNttView(placed[3]->values()) : ConstNttView();
  backend.multiply_digits_by_key(placed[0]->values(), placed[1]->values(),
                                 {digits, placed[2]->coefficients(), values}, key,
                                 targets_of(shape, backend.basis()));
}

void expect_same_sums(const DeviceBackendPair& pair, const DigitShape& shape, Fill fill) {
  auto rng = make_rng(shape.level + shape.degree);
  SCOPED_TRACE(::testing::Message() << shape << ", fill " << static_cast<int>(fill));
  const Operands operands = make_operands(pair.basis(), shape, fill, rng);
  pair.expect_same(operands.images, [&](const Backend& backend, const PlacedImages& placed) {
    multiply(backend, placed, shape, *prepare(backend, operands.key));
  });
}

DeviceOptions options_of(GpuNtt variant, bool fused_passes = true) {
  DeviceOptions options;
  options.ntt = variant;
  options.use_fused_passes = fused_passes;
  return options;
}

/// Digits of one prime, with values and without, and of two and three.
std::vector<DigitShape> shapes_of(std::size_t degree) {
  return {{degree, 3, 1, 1, true}, {degree, 3, 1, 1, false}, {degree, 1, 1, 1, true},
          {degree, 5, 2, 2, true}, {degree, 4, 3, 2, true},  {degree, 2, 2, 2, true}};
}

/// A device that counts what is asked of it, and a backend on it.
struct Watched {
  /// A device of `units` processors. Without any it is never idle, whatever the number of blocks.
  Watched(const std::shared_ptr<gpu::DriverDevice>& real, const RnsBasis& basis,
          const DeviceOptions& options, std::size_t units = 0)
      : device(with_units(real, units)),
        memory(std::make_shared<gpu::DeviceMemory>("gpu:0", device, options)),
        pair(memory, basis) {}
  static std::shared_ptr<WatchedDevice> with_units(const std::shared_ptr<gpu::DriverDevice>& real,
                                                   std::size_t units) {
    auto device = std::make_shared<WatchedDevice>(real);
    device->properties_to_change().compute_units = units;
    return device;
  }
  std::shared_ptr<WatchedDevice> device;
  std::shared_ptr<gpu::DeviceMemory> memory;
  DeviceBackendPair pair;
};

class DeviceDigitsTest : public DeviceBackendTest {
 protected:
  void check(const RnsBasis& basis, const DeviceOptions& options,
             const std::vector<DigitShape>& shapes) const {
    const Watched watched(device_, basis, options);
    for (const DigitShape& shape : shapes) {
      for (const Fill fill : kFills) expect_same_sums(watched.pair, shape, fill);
    }
  }
  void check(std::size_t degree, const DeviceOptions& options) const {
    check(make_basis_of_bits(degree, kBits), options, shapes_of(degree));
  }
};

// Also for checkers that are a thousand times slower.
TEST_F(DeviceDigitsTest, SmallDegreesOfAllShapes) {
  for (const std::size_t degree : {2, 16}) {
    const DeviceBackendPair pair =
        make_pair(make_basis_of_bits(degree, kBits), options_of(GpuNtt::radix8));
    for (const DigitShape& shape : shapes_of(degree)) {
      expect_same_sums(pair, shape, Fill::scattered);
    }
  }
}

TEST_F(DeviceDigitsTest, LessThanOneBlock) {
  check(2, options_of(GpuNtt::radix8));
  check(16, options_of(GpuNtt::radix8));
  check(16, options_of(GpuNtt::radix8, false));
}

// PoCL takes long to compile radix 4 for primes of all paths.
TEST_F(DeviceDigitsTest, LessThanOneBlockOfRadix4) {
  if (test_scale() == 1) GTEST_SKIP() << "RINGLET_TEST_SCALE=large asks for it";
  check(64, options_of(GpuNtt::radix4));
}

TEST_F(DeviceDigitsTest, MoreThanOneBlock) {
  const std::vector<DigitShape> few{{8192, 3, 1, 1, true}, {8192, 4, 2, 2, true}};
  check(make_basis_of_bits(8192, kBits), options_of(GpuNtt::radix8), few);
}

TEST_F(DeviceDigitsTest, OtherVariants) {
  const std::vector<DigitShape> few{{256, 3, 1, 1, true}, {256, 4, 2, 2, true}};
  for (const GpuNtt variant : {GpuNtt::naive, GpuNtt::radix4, GpuNtt::radix16}) {
    check(make_basis_of_bits(256, kLazyBits), options_of(variant), few);
  }
}

TEST_F(DeviceDigitsTest, PrimesOfOnePath) {
  const std::vector<DigitShape> few{{16, 4, 1, 1, true}, {16, 4, 2, 2, true}};
  for (const std::vector<int>& bits : {kNarrowBits, kLazyBits}) {
    check(make_basis_of_bits(16, bits), options_of(GpuNtt::radix8), few);
  }
  DeviceOptions options;
  options.use_lazy_reduction = false;
  options.use_narrow_words = false;
  check(make_basis_of_bits(16, kBits), options, few);
}

TEST_F(DeviceDigitsTest, AllNumbersOfDigits) {
  const DeviceBackendPair pair = make_pair(make_basis_of_bits(16, kBits));
  for (std::size_t level = 1; level <= 12; ++level) {
    for (const bool has_values : {true, false}) {
      expect_same_sums(pair, {16, level, 1, 2, has_values}, Fill::scattered);
      expect_same_sums(pair, {16, level, 1, 2, has_values}, Fill::largest);
    }
    for (const std::size_t size : {2, 3, 5}) {
      expect_same_sums(pair, {16, level, size, 2, true}, Fill::scattered);
    }
  }
}

TEST_F(DeviceDigitsTest, ReducedAfterEveryProduct) {
  DeviceOptions options;
  options.use_fused_multiply_add = false;
  check(make_basis_of_bits(16, kBits), options, {{16, 9, 1, 2, true}, {16, 5, 1, 2, false}});
}

TEST_F(DeviceDigitsTest, SixtyDigits) {
  std::vector<int> bits(61, 61);
  for (std::size_t i = 0; i < bits.size(); i += 7) bits[i] = 45;
  const DeviceBackendPair pair = make_pair(make_basis_of_bits(16, bits));
  for (const Fill fill : {Fill::scattered, Fill::largest}) {
    expect_same_sums(pair, {16, 60, 1, 1, true}, fill);
  }
}

TEST_F(DeviceDigitsTest, SeveralQueues) {
  for (const std::size_t queue_count : {2, 3}) {
    DeviceOptions options;
    options.queue_count = queue_count;
    check(make_basis_of_bits(16, kBits), options, shapes_of(16));
    check(make_basis_of_bits(8192, kBits), options, {{8192, 3, 1, 1, true}, {8192, 4, 2, 2, true}});
  }
}

class WatchedDigitsTest : public DeviceBackendTest {
 protected:
  static constexpr std::size_t kTwoPasses = 8192;

  /// Launches of one call when everything is there.
  int count_launches(const Watched& watched, const DigitShape& shape) const {
    auto rng = make_rng();
    const Operands operands = make_operands(watched.pair.basis(), shape, Fill::scattered, rng);
    const Backend& backend = watched.pair.device();
    const auto key = prepare(backend, operands.key);
    PlacedImages placed;
    for (const Image& image : operands.images) {
      placed.push_back(std::make_unique<Placed>(image, watched.memory));
    }
    multiply(backend, placed, shape, *key);
    watched.device->watch().launches = 0;
    multiply(backend, placed, shape, *key);
    return watched.device->watch().launches;
  }
};

TEST_F(WatchedDigitsTest, DigitsOfOnePrimeTakeALaunchOfEveryPass) {
  const RnsBasis block = make_basis_of_bits(16, kBits);
  const RnsBasis two_passes = make_basis_of_bits(kTwoPasses, kBits);
  EXPECT_EQ(count_launches({device_, block, {}}, {16, 4, 1, 1, true}), 1);
  EXPECT_EQ(count_launches({device_, block, {}}, {16, 4, 1, 1, false}), 1);
  EXPECT_EQ(count_launches({device_, two_passes, {}}, {kTwoPasses, 4, 1, 1, true}), 2);
  // Without: lifts and transforms before and behind its own prime for each digit, a copy of it, and
  // the products.
  const DeviceOptions off = options_of(GpuNtt::radix8, false);
  EXPECT_EQ(count_launches({device_, block, off}, {16, 4, 1, 1, true}), 7 * 2 + 4 + 1);
  EXPECT_EQ(count_launches({device_, two_passes, off}, {kTwoPasses, 4, 1, 1, true}), 7 * 3 + 4 + 1);
}

TEST_F(WatchedDigitsTest, DigitsOfSeveralPrimesAreConverted) {
  const RnsBasis block = make_basis_of_bits(16, kBits);
  const RnsBasis two_passes = make_basis_of_bits(kTwoPasses, kBits);
  EXPECT_EQ(count_launches({device_, block, {}}, {16, 4, 2, 2, true}), 2 + 1);
  EXPECT_EQ(count_launches({device_, two_passes, {}}, {kTwoPasses, 4, 2, 2, true}), 2 * 2 + 1);
  const DeviceOptions off = options_of(GpuNtt::radix8, false);
  EXPECT_EQ(count_launches({device_, block, off}, {16, 4, 2, 2, true}), 2 + 3 + 2 + 1);
}

// Blocks too few for a device: transforms of all digits, then the products, with the same bits.
TEST_F(WatchedDigitsTest, FewBlocksAreTransformedAtOnce) {
  constexpr std::size_t kUnits = 1000;
  for (const std::size_t degree : {std::size_t{16}, kTwoPasses}) {
    const std::size_t passes = degree == kTwoPasses ? 2 : 1;
    for (const DigitShape& shape :
         {DigitShape{degree, 4, 1, 1, true}, DigitShape{degree, 4, 1, 1, false},
          DigitShape{degree, 4, 2, 2, true}, DigitShape{degree, 3, 2, 1, true}}) {
      SCOPED_TRACE(::testing::Message() << shape);
      const Watched watched(device_, make_basis_of_bits(degree, kBits), {}, kUnits);
      const std::size_t converted = shape.digit_size > 1 ? 2 * (1 + passes) : passes;
      EXPECT_EQ(static_cast<std::size_t>(count_launches(watched, shape)), converted + 1);
      expect_same_sums(watched.pair, shape, Fill::largest);
    }
  }
}

// Where scratch memory for all targets is refused, fewer go at a time, down to one.
TEST_F(WatchedDigitsTest, WithoutMemoryFewerTargetsGoAtATime) {
  for (const bool fused_passes : {true, false}) {
    const DeviceOptions options = options_of(GpuNtt::radix8, fused_passes);
    for (const DigitShape& shape :
         {DigitShape{kTwoPasses, 4, 1, 1, true}, DigitShape{kTwoPasses, 4, 2, 2, true}}) {
      const Watched watched(device_, make_basis_of_bits(kTwoPasses, kBits), options);
      auto rng = make_rng();
      const Operands operands = make_operands(watched.pair.basis(), shape, Fill::scattered, rng);
      const auto key = prepare(watched.pair.device(), operands.key);
      const auto cpu_key = prepare(watched.pair.cpu(), operands.key);
      DeviceWatch& watch = watched.device->watch();
      int launches = 0;
      const std::size_t limb_bytes = kTwoPasses * sizeof(std::uint64_t);
      const std::size_t digits = shape.level / shape.digit_size;
      // Limbs of one block: of all digits in passes, else of one.
      const std::size_t per_target = fused_passes ? digits : 1;
      for (const std::size_t targets : {6, 3, 1}) {
        SCOPED_TRACE(::testing::Message() << shape << ", room for " << targets);
        watched.memory->trim();
        watched.pair.expect_same(
            operands.images, [&](const Backend& backend, const PlacedImages& placed) {
              const bool is_host = backend.memory() == nullptr;
              if (!is_host) watch.launches = 0;
              watch.largest_allocation =
                  is_host ? ~std::size_t{0} : targets * per_target * limb_bytes * 9 / 8;
              multiply(backend, placed, shape, is_host ? *cpu_key : *key);
              watch.largest_allocation = ~std::size_t{0};
            });
        EXPECT_GT(watch.launches, targets == 6 ? 0 : launches);
        launches = watch.launches;
      }
      watched.memory->trim();
      PlacedImages placed;
      for (const Image& image : operands.images) {
        placed.push_back(std::make_unique<Placed>(image, watched.memory));
      }
      watch.largest_allocation = per_target * limb_bytes / 2;
      EXPECT_THROW(multiply(watched.pair.device(), placed, shape, *key), OutOfDeviceMemory);
      watch.largest_allocation = ~std::size_t{0};
    }
  }
}

using AllDegreesDigits = OfDegree<DeviceDigitsTest>;

TEST_P(AllDegreesDigits, OfEveryHighRadix) {
  if (test_scale() == 1) GTEST_SKIP() << "RINGLET_TEST_SCALE=large asks for it";
  const std::size_t degree = GetParam();
  check(degree, options_of(GpuNtt::radix8));
  // PoCL takes long to compile these for primes of all paths.
  for (const GpuNtt variant : {GpuNtt::radix4, GpuNtt::radix16}) {
    check(make_basis_of_bits(degree, kLazyBits), options_of(variant), shapes_of(degree));
  }
  check(make_basis_of_bits(degree, kLazyBits), options_of(GpuNtt::radix8, false),
        shapes_of(degree));
  const std::vector<DigitShape> few{{degree, 4, 1, 1, true}, {degree, 4, 2, 2, true}};
  std::vector<int> narrow(kNarrowBits.size(), 30);
  check(make_basis_of_bits(degree, narrow), options_of(GpuNtt::radix8), few);
}

INSTANTIATE_TEST_SUITE_P(, AllDegreesDigits, ::testing::ValuesIn(degrees_of_practice()),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace ringlet::test
