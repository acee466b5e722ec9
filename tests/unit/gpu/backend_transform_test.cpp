// SPDX-License-Identifier: Apache-2.0
// Transforms, automorphisms and digits of a device: the bits of the processor.

#include "ring/backend/reinterpret.hpp"
#include "support/devices/device_backend_pair.hpp"
#include "support/devices/watched_device.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

using DeviceTransformTest = DeviceBackendTest;

// Kernels may run in smaller groups than the device says: passes take several rounds then.
TEST_F(DeviceTransformTest, KernelsForLimitedGroups) {
  for (const std::size_t largest : {128, 512}) {
    auto device = std::make_shared<WatchedDevice>(device_);
    device->watch().largest_group = largest;
    const auto memory = std::make_shared<gpu::DeviceMemory>("gpu:0", device, DeviceOptions());
    const DeviceBackendPair pair(memory, make_basis_of_bits(8192, {50, 30, 60}));
    auto rng = make_rng(largest);
    const Indices primes{0, 1, 2};
    pair.expect_same(
        {make_image(pair.basis(), primes, rng, Fill::scattered, 1), make_room(pair.basis(), 3, 1)},
        [&](const Backend& backend, const PlacedImages& images) {
          backend.forward_ntt(images[1]->values(), images[0]->coefficients(), primes);
          backend.inverse_ntt(images[0]->coefficients(), images[1]->values(), primes);
        });
  }
}

TEST_F(DeviceTransformTest, AutomorphismsOfAllElements) {
  const Indices primes{7, 3, 3, 9, 1, 7, 0, 3};
  for (const std::size_t degree : test_degrees({16}, {2, 8})) {
    const DeviceBackendPair pair = make_pair(make_device_basis(degree));
    auto rng = make_rng(degree);
    for (std::uint64_t element = 1; element < 2 * degree; element += 2) {
      SCOPED_TRACE(::testing::Message() << "degree " << degree << ", element " << element);
      pair.expect_same(
          {make_image(pair.basis(), primes, rng, kFills[element / 2 % 3], 3),
           make_room(pair.basis(), primes.size(), 1), make_room(pair.basis(), primes.size())},
          [&](const Backend& backend, const PlacedImages& images) {
            const CoeffView a = images[0]->coefficients();
            backend.automorphism(images[1]->coefficients(), a, element, primes);
            backend.automorphism(images[2]->values(), as_values(a), element, primes);
          });
    }
  }
}

// From every prime to every prime: far smaller ones, larger ones, and neighbours.
TEST_F(DeviceTransformTest, LiftsOfDigits) {
  for (const std::size_t degree : test_degrees({16, 512}, {2, 8, 1024, 4096})) {
    const DeviceBackendPair pair = make_pair(make_device_basis(degree));
    auto rng = make_rng(degree);
    Indices primes = first_primes(pair.basis().size());
    primes.push_back(1);
    for (std::size_t prime = 0; prime < pair.basis().size(); ++prime) {
      for (const Fill fill : kFills) {
        if (degree > 16 && fill != kFills[prime % 3]) continue;
        SCOPED_TRACE(::testing::Message() << "degree " << degree << ", digit of prime " << prime);
        pair.expect_same(
            {make_image(pair.basis(), Indices{0, prime}, rng, fill, 1),
             make_room(pair.basis(), primes.size(), 1), make_room(pair.basis(), primes.size())},
            [&](const Backend& backend, const PlacedImages& images) {
              const auto digit = images[0]->limb(1);
              backend.lift_digit(images[1]->coefficients(), digit, prime, primes);
              backend.lift_digit_to_ntt(images[2]->values(), digit, prime, primes);
            });
      }
    }
  }
}

// The digit of q - 1 is that of -1, the digit of 0 stands for 0.
TEST_F(DeviceTransformTest, ExtremeDigitsGoAndComeBack) {
  const std::size_t degree = 16;
  const DeviceBackendPair pair = make_pair(make_device_basis(degree));
  const Indices primes = first_primes(pair.basis().size());
  for (std::size_t prime = 0; prime < pair.basis().size(); ++prime) {
    const std::uint64_t q = pair.basis()[prime].value();
    const Words digits{0, 1, q / 2 - 1, q / 2, q / 2 + 1, q / 2 + 2, q - 2, q - 1};
    Image image(degree, 1, 0);
    for (std::size_t c = 0; c < degree; ++c) image.words[c] = digits[c % digits.size()];
    pair.expect_same({image, make_room(pair.basis(), primes.size())},
                     [&](const Backend& backend, const PlacedImages& images) {
                       const NttView lifted = images[1]->values();
                       backend.lift_digit_to_ntt(lifted, images[0]->limb(0), prime, primes);
                       backend.inverse_ntt_to_digits(as_coefficients(lifted), lifted, primes);
                     });
  }
}

}  // namespace
}  // namespace ringlet::test
