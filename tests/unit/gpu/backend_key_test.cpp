// SPDX-License-Identifier: Apache-2.0
// Sums of many products, and products of digits with a key in a device's memory: the bits of the
// processor, with one reduction per product and sum and with two.

#include "support/devices/device_primitives.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

class DeviceSumsTest : public DeviceBackendTest, public ::testing::WithParamInterface<bool> {
 protected:
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

class DeviceKeyTest : public DeviceSumsTest {
 protected:
  static constexpr std::size_t kKeyPrimes = 8;  // the basis has more than a key
  static constexpr std::size_t kDigits = 18;

  /// Pairs of a key; strides are those of its words on the host.
  static std::vector<Image> make_key(const RnsBasis& basis, std::size_t digits, Fill fill,
                                     std::mt19937_64& rng) {
    std::vector<Image> images;
    for (std::size_t k = 0; k < 2 * digits; ++k) {
      images.push_back(make_image(basis, first_primes(kKeyPrimes), rng, fill, k % 3));
    }
    return images;
  }
  /// Sums over `count` digits from `first` on, in one call.
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
      backend.key_inner_product(placed[0]->values(), placed[1]->values(), digits, first, *key,
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
      for (const std::size_t count : {8, 9, 16, 17}) {  // on both sides of a launch's
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
        backend.key_inner_product(placed[0]->values(), placed[1]->values(), digits, first, *key,
                                  primes_);
      }
    });
  }
}

// The key on the device outlives the views that it was made of.
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
    pair.device().key_inner_product(b.values(), a.values(), digits, 1, key, primes_);
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

}  // namespace
}  // namespace ringlet::test
