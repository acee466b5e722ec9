// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/device_primitives.hpp"
#include "support/environment.hpp"

// Every primitive at every degree of practice, in the long run: the kernels that a degree chooses
// are not those of its neighbours.

namespace ringlet::test {
namespace {

class AllDegrees : public DeviceBackendTest, public ::testing::WithParamInterface<std::size_t> {
 protected:
  void SetUp() override {
    if (test_scale() == 1) GTEST_SKIP() << "RINGLET_TEST_SCALE=large asks for it";
    DeviceBackendTest::SetUp();
  }
};

/// The primes that kPrimitivePrimes takes have 30, 50, 57, 60 and 61 bits, then other five.
const std::vector<int> kBits[] = {{50, 40, 57, 45, 30, 61, 60}, {30, 40, 60, 45, 61, 50, 57}};

TEST_P(AllDegrees, OfEveryPrimitive) {
  std::mt19937_64 rng = make_rng(GetParam());
  for (const std::vector<int>& bits : kBits) {
    const DeviceBackendPair pair = make_pair(make_basis_of_bits(GetParam(), bits));
    const RnsBasis& basis = pair.basis();
    const Image key = make_image(basis, first_primes(basis.size()), rng, Fill::scattered);
    const auto on_host = primitive_calls(basis, prepare_primitive_key(pair.cpu(), key));
    const auto on_device = primitive_calls(basis, prepare_primitive_key(pair.device(), key));
    for (const Fill fill : kFills) {
      const std::vector<Image> images = make_primitive_images(basis, rng, fill);
      for (std::size_t i = 0; i < on_host.size(); ++i) {
        SCOPED_TRACE(on_host[i].name + ", fill " + std::to_string(static_cast<int>(fill)));
        pair.expect_same(images, [&](const Backend& backend, const PlacedImages& placed) {
          const bool is_host = backend.memory() == nullptr;
          (is_host ? on_host : on_device)[i].run(backend, placed);
        });
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Long, AllDegrees, ::testing::Values(1024, 2048, 4096, 8192, 16384, 32768),
                         [](const auto& one) { return std::to_string(one.param); });

}  // namespace
}  // namespace ringlet::test
