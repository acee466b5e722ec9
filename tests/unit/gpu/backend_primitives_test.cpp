// SPDX-License-Identifier: Apache-2.0
// All primitives of a device give the bits of the processor.

#include "gpu/self_check.hpp"
#include "ring/backend/reinterpret.hpp"
#include "support/devices/device_fixture.hpp"
#include "support/devices/device_primitives.hpp"
#include "support/devices/forwarding_backend.hpp"
#include "support/devices/watched_device.hpp"
#include "support/refusal.hpp"

namespace ringlet::test {
namespace {

/// Lists of primes: of one prime, without the first prime, and with repeated primes.
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

// Each primitive runs once on a short polynomial: for checkers that are a thousand times slower.
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

/// Every degree of practice in the long run, and one in the short run: a degree chooses other
/// kernels than its neighbours.
struct AllDegrees : OfDegree<DeviceBackendTest> {
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

TEST_F(DevicePrimitive, AreCheckedAgainstTheProcessor) {
  const DeviceBackendPair pair = make_pair(make_device_basis(16));
  gpu::check_against_processor(pair.device());
  struct WrongProducts : ForwardingBackend {
    using ForwardingBackend::ForwardingBackend;
    void do_multiply(NttView result, ConstNttView a, ConstNttView b,
                     PrimeIndices primes) const override {
      ForwardingBackend::do_multiply(result, a, b, primes);
      result.limb(3)[7] ^= 1;
    }
  };
  const WrongProducts wrong(make_cpu_backend(pair.basis()));
  expect_error_below<RuntimeError>(
      {"a product modulo " + std::to_string(pair.basis()[3].value()), "use_assembly = false"},
      [&] { gpu::check_against_processor(wrong); });
}

// The limbs are more than the groups of a launch in one dimension, and no product of dimensions.
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
  // The result has one limb more than the primitive writes: it must stay unchanged.
  pair.expect_same({a, make_room(pair.basis(), kLimbs + 1, 1)},
                   [&](const Backend& backend, const PlacedImages& images) {
                     const NttView x = images[0]->values();
                     backend.multiply(images[1]->values().first(kLimbs), x, x, primes);
                   });
}

// Transforms, automorphisms and digits of a device give the bits of the processor.

using DeviceTransformTest = DeviceBackendTest;

// Kernels may run in smaller groups than the device reports: then passes take several rounds.
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

// Digits of every prime are lifted to every prime: far smaller, larger, and neighbouring primes.
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

// The coefficient q - 1 has the digit of -1, and 0 has the digit of 0.
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

// Conversions of basis and divisions of a device give the bits of the processor.

/// Preserved moduli: none, a power of two, primes around the smallest prime, composite, large ones.
const std::vector<std::uint64_t> kPreserved = {
    1, 2, 3, 65537, std::uint64_t{1} << 32, 1152921504606846975};

/// Bits of primes beside those that a test is about: with one of each path all bases of a degree
/// have the same program of transforms, whose compilation takes longer than the tests.
const std::vector<int> kOthers = {59, 31, 30};

struct DeviceConversionTest : DeviceBackendTest {
  /// Makes residues for which every y_i is q_i - 1: they have the largest sums.
  static Image make_largest_terms(const RnsBasis& basis, const BasisConversion& conversion) {
    const PrimeIndices from = conversion.from();
    Image image(basis.degree(), from.size(), 1);
    for (std::size_t i = 0; i < from.size(); ++i) {
      const Modulus& q = basis[from[i]];
      const std::uint64_t punctured = inverse_mod(conversion.punctured_inverses()[i], q);
      std::fill_n(image.words.begin() + static_cast<std::ptrdiff_t>(i * image.stride),
                  basis.degree(), q.value() - punctured);
    }
    return image;
  }

  /// Compares conversions to the primes `to`, to the first of them, and to the modulus t.
  static void expect_same_conversions(const DeviceBackendPair& pair, const Indices& from,
                                      const Indices& to, const Modulus& t) {
    const RnsBasis& basis = pair.basis();
    auto rng = make_rng(basis.degree());
    const BasisConversion conversion(basis, from, to);
    const BasisConversion to_modulus(basis, from, t);
    std::vector<Image> sources{make_largest_terms(basis, conversion)};
    for (const Fill fill : kFills) sources.push_back(make_image(basis, from, rng, fill, 1));
    for (const Image& source : sources) {
      SCOPED_TRACE(::testing::Message() << "degree " << basis.degree() << ", from " << from.size()
                                        << " to " << to.size() << " primes");
      pair.expect_same({source, make_room(basis, to.size(), 2), make_room(basis, 1),
                        make_room(basis, to.size() / 2)},
                       [&](const Backend& backend, const PlacedImages& images) {
                         const CoeffView a = images[0]->coefficients();
                         backend.convert_basis(images[1]->coefficients(), a, conversion);
                         backend.convert_to_modulus(images[2]->limb(0), a, to_modulus);
                         backend.convert_basis(images[3]->coefficients(), a, conversion);
                       });
    }
  }
};

TEST_F(DeviceConversionTest, OfMixedPrimes) {
  std::vector<int> bits;
  for (int i = 0; i < 40; ++i) bits.push_back(20 + (i * 29) % 42);
  auto rng = make_rng();
  for (const std::size_t degree : test_degrees({16, 512}, {2, 8, 1024, 4096})) {
    const DeviceBackendPair pair = make_pair(make_basis_of_bits(degree, bits));
    for (const std::size_t count : {1, 2, 7, 8, 15, 20}) {
      if (degree > 16 && count != 8) continue;
      Indices primes = range(0, bits.size());
      std::shuffle(primes.begin(), primes.end(), rng);
      const Indices from(primes.begin(), primes.begin() + static_cast<std::ptrdiff_t>(count));
      for (const std::size_t targets : {1, 4, 7, 20}) {
        const Indices to(primes.begin() + 20,
                         primes.begin() + 20 + static_cast<std::ptrdiff_t>(targets));
        expect_same_conversions(pair, from, to, (std::uint64_t{1} << 60) - 1);
      }
    }
  }
}

TEST_F(DeviceConversionTest, OnBothSidesOfTheLimitOfShortWords) {
  for (const int size : {30, 49, 50, 51, 57, 60, 61}) {
    SCOPED_TRACE(size);
    std::vector<int> bits(9, size);
    bits.insert(bits.end(), kOthers.begin(), kOthers.end());
    const DeviceBackendPair pair = make_pair(make_basis_of_bits(16, bits));
    expect_same_conversions(pair, range(0, 4), range(4, 9), 65537);
    expect_same_conversions(pair, {8, 0}, {1, 7}, 786433);
    expect_same_conversions(pair, {3}, {1, 2, 4, 7}, 2);
    expect_same_conversions(pair, range(0, 4), range(0, 4), 4);  // to primes of the source itself
  }
}

TEST_F(DeviceConversionTest, OfTinyPrimesAndModuli) {
  std::vector<Modulus> moduli{17, 5, 13, 29, 37, 41, 53, 61, 73};
  moduli.push_back(generate_ntt_primes(61, 2, 1)[0]);
  const DeviceBackendPair tiny = make_pair(RnsBasis(2, moduli));
  for (std::uint64_t t = 2; t < 8; ++t) expect_same_conversions(tiny, range(0, 8), {8}, t);
  expect_same_conversions(tiny, {1, 2, 3, 4, 5, 6, 7, 8}, {0}, 6);
  expect_same_conversions(tiny, {2, 3, 4, 5, 6, 7, 8, 0}, {1}, 5);
  expect_same_conversions(tiny, {3, 6, 7, 5, 8, 1}, {2, 0}, 64);
  const DeviceBackendPair mixed = make_pair(make_basis_of_bits(8, {61, 61, 61, 61, 7, 20}));
  expect_same_conversions(mixed, {0, 1, 2, 3}, {4, 5}, 4);
  expect_same_conversions(mixed, {4, 5}, {0, 1, 2, 3}, 1152921504606846975);
}

TEST_F(DeviceConversionTest, OfAsManyPrimesAsThereMayBe) {
  constexpr std::size_t kMost = kMaxConversionSize;
  std::vector<int> bits(kMost + 2, 61);
  bits.insert(bits.end(), kOthers.begin(), kOthers.end());
  const DeviceBackendPair pair = make_pair(make_basis_of_bits(2, bits));
  expect_same_conversions(pair, range(0, kMost), {kMost, kMost + 1}, 1 << 20);
}

struct DeviceDivisionTest : DeviceBackendTest {
  /// Compares divide(backend, result, operand) in both forms, apart and in place, with every fill.
  template <typename Divide>
  static void expect_same_quotients(const DeviceBackendPair& pair, PrimeIndices primes,
                                    std::size_t dropped, const Divide& divide) {
    const RnsBasis& basis = pair.basis();
    auto rng = make_rng(basis.degree());
    const std::size_t kept = primes.size() - dropped;
    for (const Fill fill : kFills) {
      pair.expect_same({make_image(basis, primes, rng, fill, 1), make_room(basis, kept, 2),
                        make_room(basis, kept), make_image(basis, primes, rng, fill),
                        make_image(basis, primes, rng, fill, 3)},
                       [&](const Backend& backend, const PlacedImages& images) {
                         divide(backend, images[1]->values(), images[0]->values());
                         divide(backend, images[2]->coefficients(), images[0]->coefficients());
                         divide(backend, images[3]->values().first(kept), images[3]->values());
                         const CoeffView last = images[4]->coefficients();
                         divide(backend, last.first(kept), last);
                       });
    }
  }
};

TEST_F(DeviceDivisionTest, ByTheLastPrime) {
  for (const std::size_t degree : test_degrees({16, 512, 8192}, {2, 8, 1024, 4096})) {
    const DeviceBackendPair pair = make_pair(make_device_basis(degree));
    auto rng = make_rng(degree);
    Indices primes = first_primes(pair.basis().size());
    for (const std::uint64_t t : kPreserved) {
      if (degree > 1024 && t != 1 && t != 65537) continue;
      for (const std::size_t count : {1, 2, 5, 9}) {
        if (degree > 16 && count != 5) continue;
        std::ranges::shuffle(primes, rng);
        const PrimeIndices used = PrimeIndices(primes).first(count);
        SCOPED_TRACE(::testing::Message()
                     << "degree " << degree << ", t = " << t << ", last prime " << used.back());
        expect_same_quotients(pair, used, 1, [&](const Backend& b, auto result, auto operand) {
          b.divide_and_round_by_last(result, operand, used, t);
        });
      }
    }
  }
}

TEST_F(DeviceDivisionTest, ByTheProductOfLastPrimes) {
  for (const std::size_t degree : test_degrees({16, 512}, {2, 8, 1024, 4096})) {
    const DeviceBackendPair pair = make_pair(make_device_basis(degree));
    auto rng = make_rng(degree);
    Indices primes = first_primes(pair.basis().size());
    for (const std::uint64_t t : kPreserved) {
      if (degree > 16 && t != 1 && t != 65537) continue;
      for (const std::size_t dropped : {1, 2, 3, 4}) {
        std::ranges::shuffle(primes, rng);
        const std::size_t most = primes.size() - dropped;
        const PrimeIndices last = PrimeIndices(primes).last(dropped);
        const BasisConversion conversion(pair.basis(), last, PrimeIndices(primes).first(most));
        for (const std::size_t kept : {std::size_t{0}, std::size_t{1}, most}) {
          if (degree > 16 && (kept == 1 || dropped % 2 == 1)) continue;
          Indices used(primes.begin(), primes.begin() + static_cast<std::ptrdiff_t>(kept));
          used.insert(used.end(), last.begin(), last.end());
          SCOPED_TRACE(::testing::Message() << "degree " << degree << ", t = " << t << ", dropped "
                                            << dropped << ", kept " << kept);
          expect_same_quotients(pair, used, dropped,
                                [&](const Backend& b, auto result, auto operand) {
                                  b.divide_and_round(result, operand, used, conversion, t);
                                });
        }
      }
    }
  }
}

TEST_F(DeviceDivisionTest, RefusesToPreserveMultiplesOfTheDivisor) {
  const DeviceBackendPair pair = make_pair(make_device_basis(16));
  const RnsBasis& basis = pair.basis();
  const Indices primes{0, 1, 5};  // the prime of 22 bits last
  const std::uint64_t t = 3 * basis[5].value();
  const BasisConversion conversion(basis, Indices{1, 5}, Indices{0});
  auto rng = make_rng();
  pair.expect_same(
      {make_image(basis, primes, rng), make_room(basis, 2)},
      [&](const Backend& backend, const PlacedImages& images) {
        const NttView a = images[0]->values();
        const CoeffView b = images[0]->coefficients();
        const NttView x = images[1]->values();
        const CoeffView y = images[1]->coefficients();
        EXPECT_THROW(backend.divide_and_round_by_last(x, a, primes, t), InvalidArgument);
        EXPECT_THROW(backend.divide_and_round_by_last(y, b, primes, t), InvalidArgument);
        EXPECT_THROW(backend.divide_and_round(x.first(1), a, primes, conversion, t),
                     InvalidArgument);
        EXPECT_THROW(backend.divide_and_round(y.first(1), b, primes, conversion, t),
                     InvalidArgument);
      });
}

}  // namespace
}  // namespace ringlet::test
