// SPDX-License-Identifier: Apache-2.0
// Conversions of basis and divisions of a device: the bits of the processor.

#include "ringlet/base/error.hpp"
#include "ringlet/ring/basis_conversion.hpp"
#include "support/devices/device_backend_pair.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

/// Nothing, a power of two, primes on both sides of the smallest prime, composite and large ones.
const std::vector<std::uint64_t> kPreserved = {
    1, 2, 3, 65537, std::uint64_t{1} << 32, 1152921504606846975};

/// Primes beside those that a test is about: with one of each path all bases of a degree have the
/// same program of transforms, whose compilation takes longer than the tests.
const std::vector<int> kOthers = {59, 31, 30};

class DeviceConversionTest : public DeviceBackendTest {
 protected:
  /// Residues of which every y_i is q_i - 1: the largest sums there are.
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

  /// To the primes `to`, to the first of them, and to the modulus t.
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
    expect_same_conversions(pair, range(0, 4), range(0, 4), 4);  // residues that are there
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

class DeviceDivisionTest : public DeviceBackendTest {
 protected:
  /// divide(backend, result view, operand view) in both forms, apart and in place, with every fill.
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
