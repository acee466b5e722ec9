// SPDX-License-Identifier: Apache-2.0
// Sums of many products, and products of digits with a key in a device's memory, have the bits of
// the processor, with one reduction per product and sum and with two.

#include "support/devices/device_fixture.hpp"
#include "support/devices/device_primitives.hpp"
#include "support/devices/watched_device.hpp"
#include "support/key_switch_source.hpp"

namespace ringlet::test {
namespace {

struct DeviceSumsTest : DeviceBackendTest, ::testing::WithParamInterface<bool> {
  DeviceBackendPair make_pair_of(std::size_t degree) const {
    return make_pair(make_device_basis(degree), {.use_fused_multiply_add = GetParam()});
  }
};

TEST_P(DeviceSumsTest, OfProductsOverManyPairs) {
  const std::vector<Indices> prime_lists = {{4}, {4, 0, 6, 5, 2}, {7, 3, 3, 9, 1, 7, 0, 3}};
  for (const std::size_t degree : test_degrees({16, 512}, {2, 8, 1024, 4096})) {
    const DeviceBackendPair pair = make_pair_of(degree);
    auto rng = make_rng(degree);
    for (const std::size_t terms : {1, 2, 3, 7, 8, 9, 16, 17}) {
      if (degree > 16 && terms != 1 && terms != 9) continue;
      for (const Fill fill : kFills) {
        const Indices& primes = prime_lists[terms % 3];
        std::vector<Image> images{make_room(pair.basis(), primes.size(), 1)};
        for (std::size_t k = 0; k < 2 * terms; ++k) {
          images.push_back(make_image(pair.basis(), primes, rng, fill, rng() % 3));
        }
        SCOPED_TRACE(::testing::Message() << terms << " pairs");
        pair.expect_same(images, [&](const Backend& backend, const PlacedImages& placed) {
          std::vector<ConstNttView> a;
          std::vector<ConstNttView> b;
          for (std::size_t k = 0; k < terms; ++k) {
            a.push_back(placed[1 + k]->values());
            b.push_back(placed[1 + terms + k]->values());
          }
          backend.multiply_accumulate(placed[0]->values(), a, b, primes);
        });
      }
    }
  }
}

struct DeviceKeyTest : DeviceSumsTest {
  static constexpr std::size_t kKeyPrimes = 8;  // the basis has more than a key
  static constexpr std::size_t kDigits = 18;

  /// Makes the pairs of a key, with the strides of its words on the host.
  static std::vector<Image> make_key(const RnsBasis& basis, std::size_t digits, Fill fill,
                                     std::mt19937_64& rng) {
    std::vector<Image> images;
    for (std::size_t k = 0; k < 2 * digits; ++k) {
      images.push_back(make_image(basis, first_primes(kKeyPrimes), rng, fill, k % 3));
    }
    return images;
  }
  /// Compares sums over `count` digits from `first` on, in one call.
  void expect_same_sums(const DeviceBackendPair& pair, const std::vector<Image>& key_images,
                        std::size_t first, std::size_t count, Fill fill) const {
    const RnsBasis& basis = pair.basis();
    auto rng = make_rng(first + count);
    std::vector<Image> images;
    for (const std::size_t gap : {1, 2}) {
      images.push_back(make_image(basis, primes_, rng, fill, gap));
    }
    for (std::size_t k = 0; k < count; ++k) {
      images.push_back(make_image(basis, primes_, rng, fill, k % 2));
    }
    SCOPED_TRACE(::testing::Message()
                 << "degree " << basis.degree() << ", " << count << " digits from " << first);
    pair.expect_same(images, [&](const Backend& backend, const PlacedImages& placed) {
      const auto key = prepare_key(backend, key_images);
      std::vector<ConstNttView> digits;
      for (std::size_t k = 0; k < count; ++k) digits.push_back(placed[2 + k]->values());
      backend.key_inner_product(placed[0]->values(), placed[1]->values(), digits, {*key, first},
                                primes_);
    });
  }

  const Indices primes_{4, 0, 5, 2, 4, 7};
};

TEST_P(DeviceKeyTest, SumsOfAllNumbersOfDigits) {
  for (const std::size_t degree : test_degrees({16, 512}, {2, 8, 1024, 4096})) {
    const DeviceBackendPair pair = make_pair_of(degree);
    auto rng = make_rng(degree);
    for (const Fill fill : kFills) {
      const std::vector<Image> key = make_key(pair.basis(), degree > 16 ? 6 : kDigits, fill, rng);
      for (std::size_t count = 1; count <= 5; ++count) {
        if (degree > 16 && count % 2 == 0) continue;
        for (const std::size_t first : {0, 1}) expect_same_sums(pair, key, first, count, fill);
      }
      if (degree > 16) continue;
      for (const std::size_t count : {8, 9, 16, 17}) {  // at and above the counts of full launches
        for (const std::size_t first : {0, 1}) expect_same_sums(pair, key, first, count, fill);
      }
    }
  }
}

TEST_P(DeviceKeyTest, GroupsOfDigitsAddUp) {
  const DeviceBackendPair pair = make_pair_of(16);
  auto rng = make_rng();
  const std::vector<Image> key_images = make_key(pair.basis(), 7, Fill::scattered, rng);
  for (const std::size_t group : {1, 2, 3, 4, 7}) {
    std::vector<Image> images{make_image(pair.basis(), primes_, rng),
                              make_image(pair.basis(), primes_, rng)};
    for (int k = 0; k < 7; ++k) images.push_back(make_image(pair.basis(), primes_, rng));
    pair.expect_same(images, [&](const Backend& backend, const PlacedImages& placed) {
      const auto key = prepare_key(backend, key_images);
      for (std::size_t first = 0; first < 7; first += group) {
        std::vector<ConstNttView> digits;
        for (std::size_t k = first; k < std::min<std::size_t>(7, first + group); ++k) {
          digits.push_back(placed[2 + k]->values());
        }
        backend.key_inner_product(placed[0]->values(), placed[1]->values(), digits, {*key, first},
                                  primes_);
      }
    });
  }
}

// The key on the device outlives the views from which it was made.
TEST_P(DeviceKeyTest, TheKeyHasWordsOfItsOwn) {
  const DeviceBackendPair pair = make_pair_of(16);
  auto rng = make_rng();
  std::vector<Image> key_images = make_key(pair.basis(), 2, Fill::scattered, rng);
  const Image digit = make_image(pair.basis(), primes_, rng);
  const auto product = [&](const PreparedKey& key) {
    Placed b(digit, pair.device().memory());
    Placed a(digit, pair.device().memory());
    Placed x(digit, pair.device().memory());
    const ConstNttView digits[] = {x.values()};
    pair.device().key_inner_product(b.values(), a.values(), digits, {key, 1}, primes_);
    return std::pair(b.download(), a.download());
  };
  const auto key = prepare_key(pair.device(), key_images);
  const auto expected = product(*key);
  for (Image& image : key_images) std::fill(image.words.begin(), image.words.end(), 0);
  EXPECT_EQ(product(*key), expected);
  EXPECT_NE(product(*prepare_key(pair.device(), key_images)), expected);
}

const auto name_of = [](const auto& one) { return one.param ? "Fused" : "Separate"; };
INSTANTIATE_TEST_SUITE_P(Reductions, DeviceSumsTest, ::testing::Bool(), name_of);
INSTANTIATE_TEST_SUITE_P(Reductions, DeviceKeyTest, ::testing::Bool(), name_of);

// Inner products of key switching on a device, within the passes of transforms and without, have
// the bits of the processor.

/// Bits of primes of all paths, then of special primes.
const std::vector<int> kBits = {50, 30, 60, 57, 61, 22, 57, 58, 50, 49, 29, 45, 40, 61, 60, 59};
/// Bits of primes that are all narrow, or all lazy.
const std::vector<int> kNarrowBits = {30, 22, 29, 28, 27, 30, 30};
const std::vector<int> kLazyBits = {50, 57, 40, 31, 55, 57, 57};

/// A degree whose transforms have two passes; 16 words are less than one block.
constexpr std::size_t kTwoPasses = 8192;

/// Returns shapes with digits of one prime, with values and without, and of two and three primes.
std::vector<DigitShape> shapes_of(std::size_t degree) {
  return {{degree, 3, 1, 1, true}, {degree, 3, 1, 1, false}, {degree, 1, 1, 1, true},
          {degree, 5, 2, 2, true}, {degree, 4, 3, 2, true},  {degree, 2, 2, 2, true}};
}
std::vector<DigitShape> few_shapes_of(std::size_t degree) {
  return {{degree, 4, 1, 1, true}, {degree, 4, 2, 2, true}};
}

/// Operands of one call: sums, coefficients, values, and pairs of a key of the whole basis, one
/// pair more than digits.
struct Operands {
  Operands(const RnsBasis& basis, const DigitShape& of, Fill fill) : shape(of) {
    auto rng = make_rng(shape.level + shape.degree);
    const Indices targets = targets_of(shape, basis);
    const PrimeIndices level = PrimeIndices(targets).first(shape.level);
    images = {make_room(basis, targets.size(), 1), make_room(basis, targets.size(), 0),
              make_image(basis, level, rng, fill, 2), make_image(basis, level, rng, fill, 1)};
    const std::size_t digits = (shape.level + shape.digit_size - 1) / shape.digit_size;
    for (std::size_t k = 0; k < 2 * (digits + 1); ++k) {
      key.push_back(make_image(basis, first_primes(basis.size()), rng, fill, k % 3));
    }
  }
  void multiply(const Backend& backend, const PlacedImages& placed, const PreparedKey& by) const {
    const std::vector<KeySwitchDigit> digits = digits_of(shape, backend.basis());
    const ConstNttView values =
        shape.has_values ? ConstNttView(placed[3]->values()) : ConstNttView();
    backend.multiply_digits_by_key(placed[0]->values(), placed[1]->values(),
                                   {digits, placed[2]->coefficients(), values}, by,
                                   targets_of(shape, backend.basis()));
  }

  DigitShape shape;
  std::vector<Image> images;
  std::vector<Image> key;
};

struct DeviceDigitsTest : DeviceBackendTest {
  /// Opens the device as one with `units` processors, or with its own number. With 0 processors
  /// no number of blocks leaves it idle.
  void open(const RnsBasis& basis, const DeviceOptions& options = {},
            std::optional<std::size_t> units = 0) {
    watched_ = std::make_shared<WatchedDevice>(device_);
    if (units) watched_->properties_to_change().compute_units = *units;
    memory_ = std::make_shared<gpu::DeviceMemory>("gpu:0", watched_, options);
    pair_.emplace(memory_, basis);
  }
  void expect_same_sums(const DigitShape& shape, Fill fill) const {
    SCOPED_TRACE(::testing::Message() << shape << ", fill " << static_cast<int>(fill));
    const Operands operands(pair_->basis(), shape, fill);
    pair_->expect_same(operands.images, [&](const Backend& backend, const PlacedImages& placed) {
      operands.multiply(backend, placed, *prepare_key(backend, operands.key));
    });
  }
  void check(const std::vector<int>& bits, const DeviceOptions& options,
             const std::vector<DigitShape>& shapes) {
    open(make_basis_of_bits(shapes[0].degree, bits), options);
    for (const DigitShape& shape : shapes) {
      for (const Fill fill : kFills) expect_same_sums(shape, fill);
    }
  }
  /// Returns the launches of one call when all kernels and constants are there.
  std::size_t count_launches(const DigitShape& shape) const {
    const Operands operands(pair_->basis(), shape, Fill::scattered);
    const auto key = prepare_key(pair_->device(), operands.key);
    const PlacedImages placed = place(operands.images, memory_);
    for (int round = 0; round < 2; ++round) {
      watched_->watch().launches = 0;
      operands.multiply(pair_->device(), placed, *key);
    }
    return static_cast<std::size_t>(watched_->watch().launches);
  }

  std::shared_ptr<WatchedDevice> watched_;
  std::shared_ptr<gpu::DeviceMemory> memory_;
  std::optional<DeviceBackendPair> pair_;
};

// It is small enough for checkers that are a thousand times slower.
TEST_F(DeviceDigitsTest, SmallDegreesOfAllShapes) {
  for (const std::size_t degree : {2, 16}) {
    open(make_basis_of_bits(degree, kBits), {}, std::nullopt);
    for (const DigitShape& shape : shapes_of(degree)) expect_same_sums(shape, Fill::scattered);
  }
}

TEST_F(DeviceDigitsTest, LessThanOneBlock) {
  check(kBits, {}, shapes_of(2));
  check(kBits, {}, shapes_of(16));
  check(kBits, {.use_fused_passes = false}, shapes_of(16));
}

// PoCL takes long to compile radix 4 for primes of all paths.
TEST_F(DeviceDigitsTest, LessThanOneBlockOfRadix4) {
  if (test_scale() == 1) GTEST_SKIP() << "RINGLET_TEST_SCALE=large asks for it";
  check(kBits, {.ntt = GpuNtt::radix4}, shapes_of(64));
}

TEST_F(DeviceDigitsTest, MoreThanOneBlock) { check(kBits, {}, few_shapes_of(kTwoPasses)); }

TEST_F(DeviceDigitsTest, OtherVariants) {
  for (const GpuNtt variant : {GpuNtt::naive, GpuNtt::radix4, GpuNtt::radix16}) {
    check(kLazyBits, {.ntt = variant}, few_shapes_of(256));
  }
}

TEST_F(DeviceDigitsTest, PrimesOfOnePath) {
  check(kNarrowBits, {}, few_shapes_of(16));
  check(kLazyBits, {}, few_shapes_of(16));
  check(kBits, {.use_lazy_reduction = false, .use_narrow_words = false}, few_shapes_of(16));
}

TEST_F(DeviceDigitsTest, AllNumbersOfDigits) {
  open(make_basis_of_bits(16, kBits), {}, std::nullopt);
  for (std::size_t level = 1; level <= 12; ++level) {
    for (const Fill fill : {Fill::scattered, Fill::largest}) {
      for (const bool has_values : {true, false}) {
        expect_same_sums({16, level, 1, 2, has_values}, fill);
      }
    }
    for (const std::size_t size : {2, 3, 5}) {
      expect_same_sums({16, level, size, 2, true}, Fill::scattered);
    }
  }
}

TEST_F(DeviceDigitsTest, ReducedAfterEveryProduct) {
  check(kBits, {.use_fused_multiply_add = false}, {{16, 9, 1, 2, true}, {16, 5, 1, 2, false}});
}

TEST_F(DeviceDigitsTest, SixtyDigits) {
  std::vector<int> bits(61, 61);
  for (std::size_t i = 0; i < bits.size(); i += 7) bits[i] = 45;
  open(make_basis_of_bits(16, bits), {}, std::nullopt);
  for (const Fill fill : {Fill::scattered, Fill::largest}) {
    expect_same_sums({16, 60, 1, 1, true}, fill);
  }
}

TEST_F(DeviceDigitsTest, SeveralQueues) {
  for (const std::size_t queue_count : {2, 3}) {
    check(kBits, {.queue_count = queue_count}, shapes_of(16));
    check(kBits, {.queue_count = queue_count}, few_shapes_of(kTwoPasses));
  }
}

using WatchedDigitsTest = DeviceDigitsTest;

// Digits of one prime take one launch for every pass. Without fused passes each digit takes lifts
// and transforms before and behind its own prime, and a copy at this prime; then come the products.
// Digits of several primes are converted.
TEST_F(WatchedDigitsTest, FusedPassesSaveLaunches) {
  struct Case {
    DigitShape shape;
    bool is_fused;
    std::size_t launches;
  };
  const Case cases[] = {{{16, 4, 1, 1, true}, true, 1},
                        {{16, 4, 1, 1, false}, true, 1},
                        {{kTwoPasses, 4, 1, 1, true}, true, 2},
                        {{16, 4, 1, 1, true}, false, 7 * 2 + 4 + 1},
                        {{kTwoPasses, 4, 1, 1, true}, false, 7 * 3 + 4 + 1},
                        {{16, 4, 2, 2, true}, true, 2 + 1},
                        {{kTwoPasses, 4, 2, 2, true}, true, 2 * 2 + 1},
                        {{16, 4, 2, 2, true}, false, 2 + 3 + 2 + 1}};
  for (const auto& [shape, is_fused, launches] : cases) {
    open(make_basis_of_bits(shape.degree, kBits), {.use_fused_passes = is_fused});
    EXPECT_EQ(count_launches(shape), launches) << shape << (is_fused ? "" : ", apart");
  }
}

// Blocks too few for a device: all digits are transformed before the products, with the same bits.
TEST_F(WatchedDigitsTest, FewBlocksAreTransformedAtOnce) {
  for (const std::size_t degree : {std::size_t{16}, kTwoPasses}) {
    const std::size_t passes = degree == kTwoPasses ? 2 : 1;
    open(make_basis_of_bits(degree, kBits), {}, 1000);
    for (const DigitShape& shape :
         {DigitShape{degree, 4, 1, 1, true}, DigitShape{degree, 4, 1, 1, false},
          DigitShape{degree, 4, 2, 2, true}, DigitShape{degree, 3, 2, 1, true}}) {
      const std::size_t converted = shape.digit_size > 1 ? 2 * (1 + passes) : passes;
      EXPECT_EQ(count_launches(shape), converted + 1) << shape;
      expect_same_sums(shape, Fill::largest);
    }
  }
}

// If scratch memory for all targets is refused, a call takes fewer at a time, down to one.
TEST_F(WatchedDigitsTest, WithoutMemoryFewerTargetsGoAtATime) {
  for (const bool is_fused : {true, false}) {
    for (const DigitShape& shape : few_shapes_of(kTwoPasses)) {
      open(make_basis_of_bits(kTwoPasses, kBits), {.use_fused_passes = is_fused});
      const Operands operands(pair_->basis(), shape, Fill::scattered);
      const auto key = prepare_key(pair_->device(), operands.key);
      const auto cpu_key = prepare_key(pair_->cpu(), operands.key);
      DeviceWatch& watch = watched_->watch();
      int launches = 0;
      // Scratch memory of one block: limbs of all digits with fused passes, else of one digit.
      const std::size_t bytes_per_target =
          (is_fused ? shape.level / shape.digit_size : 1) * kTwoPasses * sizeof(std::uint64_t);
      for (const std::size_t targets : {6, 3, 1}) {
        SCOPED_TRACE(::testing::Message() << shape << ", room for " << targets);
        memory_->trim();
        pair_->expect_same(operands.images,
                           [&](const Backend& backend, const PlacedImages& placed) {
                             if (backend.memory() == nullptr)
                               return operands.multiply(backend, placed, *cpu_key);
                             watch.launches = 0;
                             watch.largest_allocation = targets * bytes_per_target * 9 / 8;
                             operands.multiply(backend, placed, *key);
                             watch.largest_allocation = ~std::size_t{0};
                           });
        EXPECT_GT(watch.launches, targets == 6 ? 0 : launches);
        launches = watch.launches;
      }
      memory_->trim();
      const PlacedImages placed = place(operands.images, memory_);
      watch.largest_allocation = bytes_per_target / 2;
      EXPECT_THROW(operands.multiply(pair_->device(), placed, *key), OutOfDeviceMemory);
      watch.largest_allocation = ~std::size_t{0};
    }
  }
}

using AllDegreesDigits = OfDegree<DeviceDigitsTest>;

TEST_P(AllDegreesDigits, OfEveryHighRadix) {
  if (test_scale() == 1) GTEST_SKIP() << "RINGLET_TEST_SCALE=large asks for it";
  const std::size_t degree = GetParam();
  check(kBits, {}, shapes_of(degree));
  // PoCL takes long to compile these variants for primes of all paths.
  for (const GpuNtt variant : {GpuNtt::radix4, GpuNtt::radix16}) {
    check(kLazyBits, {.ntt = variant}, shapes_of(degree));
  }
  check(kLazyBits, {.use_fused_passes = false}, shapes_of(degree));
  check(std::vector<int>(kNarrowBits.size(), 30), {}, few_shapes_of(degree));
}

INSTANTIATE_TEST_SUITE_P(, AllDegreesDigits, ::testing::ValuesIn(degrees_of_practice()),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace ringlet::test
