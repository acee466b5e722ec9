// SPDX-License-Identifier: Apache-2.0
#include "support/device_fixture.hpp"
#include "support/device_primitives.hpp"
#include "support/test.hpp"

// Every primitive at every degree of practice in the long run, and at one in the short one: the
// kernels that a degree chooses are not those of its neighbours.

namespace ringlet::test {
namespace {

using AllDegrees = OfDegree<DeviceBackendTest>;

/// The primes that kPrimitivePrimes takes have 30, 50, 57, 60 and 61 bits, in two orders; then 20
/// to 30, and 61. All have primes of every path, so that a degree's programs are compiled once.
const std::vector<int> kBits[] = {
    {50, 40, 57, 45, 30, 61, 60}, {30, 40, 60, 45, 61, 50, 57}, {20, 57, 25, 45, 22, 61, 30}};

void check_all_primitives(const DeviceBackendPair& pair, std::mt19937_64& rng) {
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

TEST_P(AllDegrees, OfEveryPrimitive) {
  std::mt19937_64 rng = make_rng();
  for (const std::vector<int>& bits : kBits) {
    check_all_primitives(make_pair(make_basis_of_bits(GetParam(), bits)), rng);
  }
}

INSTANTIATE_TEST_SUITE_P(, AllDegrees, ::testing::ValuesIn(degrees_of_practice()),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace ringlet::test
