// SPDX-License-Identifier: Apache-2.0
// Primitives of a device that treat every word by itself: the bits of the processor.

#include "ringlet/device.hpp"
#include "support/device_backend_pair.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

/// Lists of primes: one, others than the first, some of them repeatedly.
const std::vector<Indices> kPrimeLists = {{4}, {4, 0, 6, 5, 2}, {7, 3, 3, 9, 1, 7, 0, 3}};

class DeviceElementwiseTest : public DeviceBackendTest {
 protected:
  /// operation(backend, images) for an image of a result and `operand_count` of operands, apart and
  /// with the result at the place of each operand: it then gets an image twice.
  template <typename Operation>
  void expect_same_everywhere(std::size_t operand_count, const Operation& operation) const {
    for (const std::size_t degree : test_degrees({16, 512}, {2, 8, 1024, 4096})) {
      const DeviceBackendPair pair = make_pair(make_device_basis(degree));
      auto rng = make_rng(degree);
      for (const Indices& primes : kPrimeLists) {
        for (const Fill fill : kFills) {
          const std::size_t gap = rng() % 4;
          std::vector<Image> images{make_room(pair.basis(), primes.size(), gap)};
          for (std::size_t k = 0; k < operand_count; ++k) {
            images.push_back(make_image(pair.basis(), primes, rng, fill, rng() % 4));
          }
          SCOPED_TRACE(::testing::Message() << "degree " << degree);
          for (std::size_t place = 0; place <= operand_count; ++place) {
            pair.expect_same(images, [&](const Backend& backend, const PlacedImages& placed) {
              operation(backend, placed[place]->values(), placed, primes);
            });
          }
        }
      }
    }
  }
};

TEST_F(DeviceElementwiseTest, SumsDifferencesAndNegatives) {
  expect_same_everywhere(2, [](const Backend& backend, NttView result, const PlacedImages& images,
                               const Indices& primes) {
    backend.add(result, images[1]->values(), images[2]->values(), primes);
  });
  expect_same_everywhere(2, [](const Backend& backend, NttView result, const PlacedImages& images,
                               const Indices& primes) {
    backend.subtract(result, images[1]->values(), images[2]->values(), primes);
  });
  expect_same_everywhere(
      1, [](const Backend& backend, NttView result, const PlacedImages& images,
            const Indices& primes) { backend.negate(result, images[1]->values(), primes); });
}

TEST_F(DeviceElementwiseTest, ProductsAndOffsets) {
  expect_same_everywhere(2, [](const Backend& backend, NttView result, const PlacedImages& images,
                               const Indices& primes) {
    backend.multiply(result, images[1]->values(), images[2]->values(), primes);
  });
  expect_same_everywhere(3, [](const Backend& backend, NttView result, const PlacedImages& images,
                               const Indices& primes) {
    backend.multiply_add(result, images[1]->values(), images[2]->values(), images[3]->values(),
                         primes);
  });
  expect_same_everywhere(1, [](const Backend& backend, NttView result, const PlacedImages& images,
                               const Indices& primes) {
    const CoeffView digits{result.data, result.degree, result.limb_count, result.limb_stride};
    backend.to_digits(digits, images[1]->coefficients(), primes);
  });
}

/// One scalar per prime: 0, 1, q - 1 or a random one.
Words edge_scalars(const RnsBasis& basis, const Indices& primes, int edge) {
  auto rng = make_rng();
  Words scalars;
  for (const std::size_t prime : primes) {
    const std::uint64_t q = basis[prime].value();
    const std::uint64_t values[] = {0, 1, q - 1, rng() % q};
    scalars.push_back(values[edge]);
  }
  return scalars;
}

TEST_F(DeviceElementwiseTest, ScalarsOnePerLimb) {
  for (const int edge : {0, 1, 2, 3}) {
    expect_same_everywhere(1, [edge](const Backend& backend, NttView result,
                                     const PlacedImages& images, const Indices& primes) {
      const Words scalars = edge_scalars(backend.basis(), primes, edge);
      backend.multiply_scalars(result, images[1]->values(), scalars, primes);
    });
    expect_same_everywhere(2, [edge](const Backend& backend, NttView result,
                                     const PlacedImages& images, const Indices& primes) {
      const Words scalars = edge_scalars(backend.basis(), primes, edge);
      const NttView addend = images[2]->values();
      backend.multiply_scalars_add(result, images[1]->values(), addend, scalars, primes);
      backend.multiply_scalars_add(result, addend, result, scalars, primes);
    });
  }
}

TEST_F(DeviceElementwiseTest, OperandsMayBeOneAndTheSame) {
  const Indices primes{4, 1, 3};
  const DeviceBackendPair pair = make_pair(make_device_basis(16));
  auto rng = make_rng();
  for (const Fill fill : kFills) {
    pair.expect_same({make_image(pair.basis(), primes, rng, fill)},
                     [&](const Backend& backend, const PlacedImages& images) {
                       const NttView a = images[0]->values();
                       backend.multiply_add(a, a, a, a, primes);
                       backend.add(a, a, a, primes);
                       backend.multiply(a, a, a, primes);
                     });
    pair.expect_same({make_image(pair.basis(), primes, rng, fill)},
                     [&](const Backend& backend, const PlacedImages& images) {
                       const NttView a = images[0]->values();
                       backend.subtract(a, a, a, primes);
                     });
  }
}

TEST_F(DeviceElementwiseTest, CopiesTakeTheLimbsOfTheResult) {
  const Indices primes{4, 1, 3, 0};
  for (const std::size_t degree : test_degrees({16, 512}, {2, 8, 1024})) {
    const DeviceBackendPair pair = make_pair(make_device_basis(degree));
    auto rng = make_rng(degree);
    for (const std::size_t count : {0, 1, 3, 4}) {
      pair.expect_same({make_room(pair.basis(), count, 5), make_image(pair.basis(), primes, rng)},
                       [](const Backend& backend, const PlacedImages& images) {
                         backend.copy(images[0]->values(), images[1]->values());
                         backend.copy(images[1]->values(), images[1]->values());
                       });
    }
  }
}

TEST_F(DeviceElementwiseTest, PartsOfPolynomials) {
  const Indices primes{4, 1, 3, 0, 2};
  const DeviceBackendPair pair = make_pair(make_device_basis(16));
  auto rng = make_rng();
  pair.expect_same({make_image(pair.basis(), primes, rng, Fill::scattered, 3),
                    make_image(pair.basis(), primes, rng)},
                   [&](const Backend& backend, const PlacedImages& images) {
                     const PrimeIndices some = PrimeIndices(primes).subspan(1, 3);
                     const NttView a = images[0]->values().part(1, 3);
                     backend.multiply(a, a, images[1]->values().part(1, 3), some);
                     backend.add(a.part(0, 0), a.part(0, 0), a.part(0, 0), {});
                     backend.multiply_scalars(images[0]->values().part(4, 1),
                                              images[1]->values().part(4, 1), Words{7},
                                              PrimeIndices(primes).last(1));
                   });
}

/// With one reduction per product and sum, and with two.
class DeviceSumsTest : public DeviceBackendTest, public ::testing::WithParamInterface<bool> {
 protected:
  DeviceOptions options() const {
    DeviceOptions options;
    options.use_fused_multiply_add = GetParam();
    return options;
  }
};

TEST_P(DeviceSumsTest, OfProductsOverManyPairs) {
  for (const std::size_t degree : test_degrees({16, 512}, {2, 8, 1024, 4096})) {
    const DeviceBackendPair pair = make_pair(make_device_basis(degree), options());
    auto rng = make_rng(degree);
    for (const std::size_t terms : {1, 2, 3, 7, 8, 9, 16, 17}) {
      if (degree > 16 && terms != 1 && terms != 5 && terms != 9) continue;
      for (const Fill fill : kFills) {
        const Indices& primes = kPrimeLists[terms % 3];
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

TEST_P(DeviceSumsTest, OfOneProduct) {
  for (const std::size_t degree : test_degrees({16, 512}, {2, 1024})) {
    const DeviceBackendPair pair = make_pair(make_device_basis(degree), options());
    auto rng = make_rng(degree);
    const Indices& primes = kPrimeLists[2];
    for (const Fill fill : kFills) {
      std::vector<Image> images{make_room(pair.basis(), primes.size())};
      for (int k = 0; k < 3; ++k) images.push_back(make_image(pair.basis(), primes, rng, fill));
      pair.expect_same(images, [&](const Backend& backend, const PlacedImages& placed) {
        backend.multiply_add(placed[0]->values(), placed[1]->values(), placed[2]->values(),
                             placed[3]->values(), primes);
      });
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Reductions, DeviceSumsTest, ::testing::Bool(), [](const auto& instance) {
  return instance.param ? "Fused" : "Separate";
});

}  // namespace
}  // namespace ringlet::test
