// SPDX-License-Identifier: Apache-2.0
// All primitives of a device: the bits of the processor.

#include "support/devices/device_fixture.hpp"
#include "support/devices/device_primitives.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

/// Lists of primes: one, others than the first, some of them repeatedly.
const std::vector<Indices> kPrimeLists = {{4}, {4, 0, 6, 5, 2}, {7, 3, 3, 9, 1, 7, 0, 3}};

struct Setup {
  std::string name;
  DeviceOptions options;
};
const std::vector<Setup> kSetups{{"Plain", {}},
                                 {"WithoutMemoryCache", {.use_memory_cache = false}},
                                 {"SeparateReductions", {.use_fused_multiply_add = false}},
                                 {"TwoQueues", {.queue_count = 2}}};

void PrintTo(const Setup& setup, std::ostream* out) { *out << setup.name; }

class DevicePrimitives : public DeviceBackendTest, public ::testing::WithParamInterface<Setup> {};

// Each once on a short polynomial: for checkers that are a thousand times slower.
TEST_P(DevicePrimitives, SmallCalls) {
  expect_same_primitives(make_pair(make_device_basis(512), GetParam().options), kPrimitivePrimes,
                         Fill::scattered, false);
}

TEST_P(DevicePrimitives, OfAllPrimesFillsAndPlaces) {
  const bool is_plain = GetParam().name == "Plain";
  for (const std::size_t degree : test_degrees({16, 512}, {2, 8, 1024, 4096})) {
    if (degree > 16 && !is_plain) continue;
    const DeviceBackendPair pair = make_pair(make_device_basis(degree), GetParam().options);
    for (const Indices& primes : kPrimeLists) {
      for (const Fill fill : kFills) expect_same_primitives(pair, primes, fill, true);
    }
  }
  if (!is_plain) return;
  const DeviceBackendPair pair = make_pair(make_device_basis(8192));
  expect_same_primitives(pair, kPrimeLists[1], Fill::scattered, true);
}

INSTANTIATE_TEST_SUITE_P(, DevicePrimitives, ::testing::ValuesIn(kSetups),
                         [](const auto& one) { return one.param.name; });

/// Every degree of practice in the long run, and one in the short one: the kernels that a degree
/// chooses are not those of its neighbours.
class AllDegrees : public OfDegree<DeviceBackendTest> {
 protected:
  // The primes that kPrimitivePrimes takes have 30, 50, 57, 60 and 61 bits, in two orders; then 20
  // to 30, and 61. All have primes of every path, so that a degree's programs are compiled once.
  void expect_same_of(Fill fill) const {
    const std::vector<int> all_bits[] = {
        {50, 40, 57, 45, 30, 61, 60}, {30, 40, 60, 45, 61, 50, 57}, {20, 57, 25, 45, 22, 61, 30}};
    for (const std::vector<int>& bits : all_bits) {
      const DeviceBackendPair pair = make_pair(make_basis_of_bits(GetParam(), bits));
      expect_same_primitives(pair, kPrimitivePrimes, fill, false);
    }
  }
};

TEST_P(AllDegrees, OfScatteredWords) { expect_same_of(Fill::scattered); }
TEST_P(AllDegrees, OfZeros) { expect_same_of(Fill::zero); }
TEST_P(AllDegrees, OfTheLargestWords) { expect_same_of(Fill::largest); }

INSTANTIATE_TEST_SUITE_P(, AllDegrees, ::testing::ValuesIn(degrees_of_practice()),
                         ::testing::PrintToStringParamName());

using DevicePrimitive = DeviceBackendTest;

TEST_F(DevicePrimitive, CopiesTakeTheLimbsOfTheResult) {
  const DeviceBackendPair pair = make_pair(make_device_basis(16));
  auto rng = make_rng();
  for (const std::size_t count : {0, 1, 3, 4}) {
    pair.expect_same(
        {make_room(pair.basis(), count, 5), make_image(pair.basis(), range(1, 5), rng)},
        [](const Backend& backend, const PlacedImages& images) {
          backend.copy(images[0]->values(), images[1]->values());
        });
  }
}

TEST_F(DevicePrimitive, OfPartsOfPolynomials) {
  const Indices primes{4, 1, 3, 0, 2};
  const DeviceBackendPair pair = make_pair(make_device_basis(16));
  auto rng = make_rng();
  pair.expect_same(make_primitive_images(pair.basis(), rng, Fill::scattered, primes),
                   [&](const Backend& backend, const PlacedImages& images) {
                     const PrimeIndices some = PrimeIndices(primes).subspan(1, 3);
                     const NttView x = images[0]->values();
                     const NttView y = images[1]->values();
                     const NttView a = x.part(1, 3);
                     backend.multiply(a, a, y.part(1, 3), some);
                     backend.add(a.part(0, 0), a.part(0, 0), a.part(0, 0), {});
                     backend.multiply_scalars(x.part(4, 1), y.part(4, 1), Words{7},
                                              PrimeIndices(primes).last(1));
                   });
}

// More limbs than a launch has groups in one dimension, and a number that is no product.
TEST_F(DevicePrimitive, BatchesMayHaveMoreLimbsThanADimensionHasGroups) {
  const DeviceBackendPair pair = make_pair(make_device_basis(2));
  constexpr std::size_t kLimbs = 70001;
  Indices primes(kLimbs);
  for (std::size_t i = 0; i < kLimbs; ++i) primes[i] = i % pair.basis().size();
  Image a(2, kLimbs, 0);
  auto rng = make_rng();
  for (std::size_t i = 0; i < 2 * kLimbs; ++i) {
    a.words[i] = rng() % pair.basis()[primes[i / 2]].value();
  }
  // One limb more than what is written: nothing may come there.
  pair.expect_same({a, make_room(pair.basis(), kLimbs + 1, 1)},
                   [&](const Backend& backend, const PlacedImages& images) {
                     const NttView x = images[0]->values();
                     backend.multiply(images[1]->values().first(kLimbs), x, x, primes);
                   });
}

}  // namespace
}  // namespace ringlet::test
