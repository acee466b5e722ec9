// SPDX-License-Identifier: Apache-2.0
#include <cctype>

#include "kernels/karatsuba/shape.hpp"
#include "kernels/select.hpp"
#include "ringlet/fv/wide_product.hpp"
#include "support/kernels/available_tables.hpp"
#include "support/reference/wide_reference.hpp"
#include "support/values.hpp"

// Compares products of wide polynomials, in every way on every table of this machine, with FLINT.

namespace ringlet::test {
namespace {

constexpr ProductWay kWays[] = {ProductWay::automatic, ProductWay::karatsuba, ProductWay::ntt,
                                ProductWay::additions};
constexpr int kBitCounts[] = {2, 20, 64, 65, 100, 125, 128, 129, 135};

using Small = std::vector<std::int8_t>;
using Error = std::vector<std::int32_t>;

/// All ways on all tables, for one ring and modulus. Short runs leave out some lower tables at
/// random.
std::vector<WideProduct> products(const CyclotomicPolynomial& phi, const WideModulus& q,
                                  std::mt19937_64& rng) {
  std::vector<WideProduct> found;
  static const std::vector<KernelSelection> tables = available_tables();
  for (const ProductWay way : kWays) {
    const std::size_t chosen = rng() % tables.size();
    for (std::size_t t = 0; t < tables.size(); ++t) {
      if (test_scale() == 1 && t != chosen && t + 1 != tables.size()) continue;
      found.emplace_back(phi, q, way, tables[t]);
    }
  }
  return found;
}

WideModulus modulus_of(int bits, std::mt19937_64& rng) {
  if (bits == 2) return WideModulus(WideInteger{2 + rng() % 2});
  if (rng() % 2 == 0) return WideModulus::largest_prime(bits);
  // Any number of this many bits, sometimes a power of two or next to one.
  WideInteger value{};
  const auto top = static_cast<std::size_t>(bits - 1);
  if (bits > 7 && rng() % 2 == 0) {
    const std::uint64_t distance = 1 + rng() % 64;
    value[top / 64] = std::uint64_t{1} << (top % 64);
    value[0] += distance;
    if (rng() % 2 == 0) return WideModulus(value);
    for (std::size_t b = 0; b <= top; ++b) value[b / 64] |= std::uint64_t{1} << (b % 64);
    value[0] -= distance - 1;
    return WideModulus(value);
  }
  if (rng() % 4 != 0) {
    for (std::size_t b = 0; b < top; ++b) value[b / 64] |= (rng() & 1) << (b % 64);
  }
  value[top / 64] |= std::uint64_t{1} << (top % 64);
  return WideModulus(value);
}

/// Coefficients in [0, 1] or [-1, 1].
Small random_small(std::size_t n, std::mt19937_64& rng) {
  const int least = -static_cast<int>(rng() % 2);
  std::uniform_int_distribution<int> values(least, 1);
  Small u(n);
  for (auto& value : u) value = static_cast<std::int8_t>(values(rng));
  return u;
}

Error random_error(std::size_t degree, std::mt19937_64& rng) {
  if (rng() % 4 == 0) return {};
  const int shift = static_cast<int>(rng() % 32);
  Error e(degree);
  for (auto& value : e) value = static_cast<std::int32_t>(rng()) >> shift;
  return e;
}

/// The operands of one call.
struct Operands {
  std::vector<std::span<const std::int8_t>> small() const { return {u.begin(), u.end()}; }
  std::vector<std::span<const std::int32_t>> errors() const { return {e.begin(), e.end()}; }

  WidePoly p;
  std::vector<Small> u;
  std::vector<Error> e;
};

Operands random_operands(std::size_t degree, const WideModulus& q, std::size_t count,
                         std::mt19937_64& rng) {
  Operands operands{random_wide_poly(degree, q, rng), {}, {}};
  for (std::size_t i = 0; i < count; ++i) {
    operands.u.push_back(random_small(degree, rng));
    operands.e.push_back(random_error(degree, rng));
  }
  return operands;
}

void expect_right(const std::vector<WideProduct>& products, const Operands& operands,
                  const std::string& where) {
  const WideReference reference(products.front().polynomial(), products.front().modulus());
  std::vector<WidePoly> expected;
  for (std::size_t i = 0; i < operands.u.size(); ++i) {
    expected.push_back(reference.multiply_add(operands.p, operands.u[i], operands.e[i]));
  }
  for (const WideProduct& product : products) {
    std::vector<WidePoly> results(operands.u.size());
    product.multiply_add(results, *product.prepare(operands.p), operands.small(),
                         operands.errors());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_TRUE(results[i] == expected[i])
          << where << ", " << product.kernel_name() << ", product " << i;
    }
  }
}

class WideProducts : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  const CyclotomicPolynomial phi_{GetParam()};
  std::mt19937_64 rng_ = make_rng();
  /// Bit counts of the moduli of one run: all in a long run, at most two in a short one.
  std::vector<int> bit_counts() {
    std::vector<int> bits(std::begin(kBitCounts), std::end(kBitCounts));
    if (test_scale() > 1 || phi_.degree() < 200) return bits;
    std::shuffle(bits.begin(), bits.end(), rng_);
    bits.resize(phi_.degree() < 4000 ? 2 : 1);
    return bits;
  }
  std::string where(const WideModulus& q) const {
    return "m = " + std::to_string(GetParam()) + ", q = " + q.to_string();
  }
};

TEST_P(WideProducts, AgreeWithFlint) {
  for (const int bits : bit_counts()) {
    const WideModulus q = modulus_of(bits, rng_);
    const auto candidates = products(phi_, q, rng_);
    const std::size_t trials = phi_.degree() < 200 ? scaled(3) : (test_scale() + 3) / 4;
    for (std::size_t trial = 0; trial < trials; ++trial) {
      const std::size_t count = phi_.degree() < 200 ? 1 + rng_() % 5 : 1 + rng_() % 2;
      expect_right(candidates, random_operands(phi_.degree(), q, count, rng_), where(q));
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(WideProducts, AgreeWithFlintAtTheExtremes) {
  const std::size_t n = phi_.degree();
  const std::int32_t low = std::numeric_limits<std::int32_t>::min();
  const std::int32_t high = std::numeric_limits<std::int32_t>::max();
  Small alternating(n, 1);
  for (std::size_t i = 1; i < n; i += 2) alternating[i] = -1;
  for (const int bits : bit_counts()) {
    const WideModulus q = modulus_of(bits, rng_);
    const auto candidates = products(phi_, q, rng_);
    Operands all{constant_wide_poly(n, q, largest_residue(q)),
                 {Small(n, 1), Small(n, -1), alternating, Small(n, 0)},
                 {Error(n, high), Error(n, low), Error(n, 0), Error(n, low)}};
    // Large rings keep one of the operands in a short run.
    if (n > 2000 && test_scale() == 1) {
      const std::size_t kept = rng_() % 4;
      all.u = {all.u[kept]};
      all.e = {all.e[kept]};
    }
    expect_right(candidates, all, where(q));
    if (HasFatalFailure()) return;
    if (n > 2000 && test_scale() == 1) continue;
    all.p = constant_wide_poly(n, q, WideInteger{});
    expect_right(candidates, all, where(q));
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Rings, WideProducts,
                         ::testing::Values(1, 2, 7, 9, 15, 16, 21, 105, 255, 2783, 3485, 3875, 4096,
                                           5913, 8191, 10773));

// Calls kernels of Karatsuba's recursion without a plan, and compares exact products with FLINT, in
// every shape that the kernels have.

using kernels::KaratsubaKernel;
using kernels::KaratsubaProblem;
using kernels::KaratsubaShape;
using ChosenKernel = kernels::Chosen<KaratsubaKernel>;

constexpr std::size_t kSizes[] = {1,  2,   3,    5,    19,   20,   21,  40,
                                  80, 160, 2419, 2420, 2560, 5832, 8190};

/// The kernels that this processor runs, of all tables or of the table that the environment names.
std::vector<ChosenKernel> kernels_under_test() {
  const KernelSelection& forced = KernelSelection::from_environment();
  auto found = kernels::karatsuba_kernels();
  std::erase_if(found, [&](const ChosenKernel& chosen) {
    return (!forced.table().empty() && forced.table() != chosen.kernel->table) ||
           (!forced.algorithm().empty() && forced.algorithm() != chosen.kernel->algorithm);
  });
  return found;
}

std::string name_of(const ::testing::TestParamInfo<ChosenKernel>& info) {
  std::string name = info.param.name();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

/// Every shape that the kernel has for a problem, ordered by the number of recursions.
std::vector<KaratsubaShape> shapes_of(const KaratsubaKernel& kernel,
                                      const KaratsubaProblem& problem) {
  std::vector<KaratsubaShape> shapes;
  for (int recursions = 0; recursions <= 12; ++recursions) {
    const KaratsubaShape shape = karatsuba_shape(kernel, problem, recursions);
    if (shape.base_size > 0) shapes.push_back(shape);
  }
  return shapes;
}

/// Memory of `bytes` bytes, a multiple of 8, aligned to 64 bytes.
AlignedVector<std::uint64_t> memory(std::size_t bytes) {
  return AlignedVector<std::uint64_t>(bytes / sizeof(std::uint64_t), 0x5a5a5a5a5a5a5a5a);
}

/// p * u from the planes of a kernel. Expects 0 in the words beyond the coefficients.
class KernelProduct {
 public:
  KernelProduct(const ChosenKernel& chosen, const KaratsubaShape& shape, const WidePoly& p)
      : chosen_(chosen), shape_(shape), wide_(memory(chosen.kernel->wide_bytes(shape))) {
    auto room = memory(chosen.kernel->scratch_bytes(shape));
    chosen.kernel->split_wide(wide_.data(), {p.plane(0).data(), p.degree(), p.word_count()}, shape,
                              room.data());
  }

  void times(FlintIntegerPoly& product, const Small& u) const {
    const KaratsubaKernel& kernel = *chosen_.kernel;
    const std::size_t stride = 2 * shape_.base_size << shape_.recursions;
    auto room = memory(kernel.scratch_bytes(shape_));
    auto small = memory(kernel.small_bytes(shape_));
    auto planes = memory(shape_.plane_count * stride * sizeof(std::uint64_t));
    chosen_.counter.count();
    kernel.split_small(small.data(), u.data(), u.size(), shape_, room.data());
    kernel.multiply(planes.data(), wide_.data(), small.data(), shape_, room.data());
    fmpz_t value;
    fmpz_init(value);
    for (std::size_t i = 0; i < stride; ++i) {
      fmpz_zero(value);
      for (std::size_t k = shape_.plane_count; k-- > 0;) {
        fmpz_mul_2exp(value, value, static_cast<ulong>(shape_.chunk_bits));
        fmpz_add_si(value, value, static_cast<slong>(planes[k * stride + i]));
      }
      fmpz_poly_set_coeff_fmpz(product.get(), static_cast<slong>(i), value);
    }
    fmpz_clear(value);
  }

 private:
  ChosenKernel chosen_;
  KaratsubaShape shape_;
  AlignedVector<std::uint64_t> wide_;
};

WidePoly random_poly(std::size_t n, int bits, std::mt19937_64& rng) {
  WidePoly p(n, (static_cast<std::size_t>(bits) + 63) / 64);
  for (std::size_t w = 0; w < p.word_count(); ++w) {
    const std::size_t above = (w + 1) * 64 - std::min((w + 1) * 64, static_cast<std::size_t>(bits));
    for (auto& word : p.plane(w)) word = rng() >> above;
  }
  return p;
}

class KaratsubaKernels : public ::testing::TestWithParam<ChosenKernel> {
 protected:
  void expect_right(const WidePoly& p, int bits, const std::vector<Small>& small,
                    const std::vector<KaratsubaShape>& shapes) {
    std::vector<FlintIntegerPoly> expected(small.size());
    const FlintIntegerPoly wide(p);
    for (std::size_t i = 0; i < small.size(); ++i) {
      const FlintIntegerPoly u{std::span<const std::int8_t>(small[i])};
      fmpz_poly_mul(expected[i].get(), wide.get(), u.get());
    }
    for (const KaratsubaShape& shape : shapes) {
      const KernelProduct product(GetParam(), shape, p);
      for (std::size_t i = 0; i < small.size(); ++i) {
        FlintIntegerPoly result;
        product.times(result, small[i]);
        ASSERT_TRUE(fmpz_poly_equal(result.get(), expected[i].get()) != 0)
            << p.degree() << " coefficients of " << bits << " bits, " << shape.base_size << " * 2^"
            << shape.recursions << ", " << shape.plane_count << " planes of " << shape.chunk_bits
            << ", product " << i;
      }
    }
  }
  const KaratsubaKernel& kernel() const { return *GetParam().kernel; }
  std::mt19937_64 rng_ = make_rng();
};

TEST_P(KaratsubaKernels, AgreeWithFlintInAllShapesAndOnRandomProducts) {
  for (const std::size_t n : kSizes) {
    if (n > 2560 && test_scale() == 1 && rng_() % 4 != 0) continue;
    const int bits = 1 + static_cast<int>(rng_() % kMaxWideModulusBits);
    auto shapes = shapes_of(kernel(), {n, bits});
    // The quadratic part of large products takes long: a short run uses only one of their shapes.
    std::shuffle(shapes.begin(), shapes.end(), rng_);
    if (n > 160 && test_scale() == 1) {
      std::erase_if(shapes, [](const KaratsubaShape& shape) { return shape.base_size > 400; });
      shapes.resize(std::min<std::size_t>(shapes.size(), 1));
    }
    expect_right(random_poly(n, bits, rng_), bits, {random_small(n, rng_)}, shapes);
    if (HasFatalFailure()) return;
  }
  for (std::size_t trial = 0; trial < scaled(50); ++trial) {
    const std::size_t n = 1 + rng_() % 300;
    const int bits = 1 + static_cast<int>(rng_() % kMaxWideModulusBits);
    const auto shapes = shapes_of(kernel(), {n, bits, 20 + static_cast<int>(rng_() % 40)});
    expect_right(random_poly(n, bits, rng_), bits, {random_small(n, rng_)},
                 {shapes[rng_() % shapes.size()]});
    if (HasFatalFailure()) return;
  }
}

/// Halves of the polynomial have chunks of ones or of zeros, so that sums and differences of every
/// recursion reach their largest values. The small polynomial has the same structure.
TEST_P(KaratsubaKernels, AgreeWithFlintAtTheExtremes) {
  for (const std::size_t n : {std::size_t{64}, std::size_t{2560}, std::size_t{16384}}) {
    for (const int bits : {kMaxWideModulusBits, 125}) {
      if (n > 2560 && bits == 125 && test_scale() == 1) continue;
      WidePoly ones(n, 3);
      const WideInteger most{~std::uint64_t{0}, ~std::uint64_t{0} >> (bits < 128 ? 128 - bits : 0),
                             bits < 128 ? 0 : (std::uint64_t{1} << (bits - 128)) - 1};
      for (std::size_t i = 0; i < n; ++i) ones.set(i, most);
      // Zeros where the digits of i have an odd number of ones maximize low minus high halves.
      WidePoly differing = ones;
      Small signs(n, 1);
      for (std::size_t i = 0; i < n; ++i) {
        const bool odd = __builtin_popcountll(i * 64 / n) % 2 != 0;
        if (odd) differing.set(i, WideInteger{});
        if (odd) signs[i] = -1;
      }
      std::vector<Small> small{Small(n, 1), Small(n, -1), signs};
      auto shapes = shapes_of(kernel(), {n, bits});
      // Schoolbook products of 16384 coefficients would take most of a long run.
      std::erase_if(shapes, [](const KaratsubaShape& shape) { return shape.base_size > 1100; });
      if (n > 64 && test_scale() == 1) {
        std::erase_if(shapes, [](const KaratsubaShape& shape) { return shape.base_size > 200; });
        std::shuffle(shapes.begin(), shapes.end(), rng_);
        shapes = {n > 2560 ? best_karatsuba_shape(kernel(), {n, bits}) : shapes.front()};
        small = {small[rng_() % small.size()]};
      }
      expect_right(ones, bits, small, shapes);
      if (n <= 2560) expect_right(differing, bits, small, shapes);
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, KaratsubaKernels, ::testing::ValuesIn(kernels_under_test()),
                         name_of);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(KaratsubaKernels);

TEST(KaratsubaShapes, KeepTheLimitsOfTheirKernel) {
  for (const ChosenKernel& chosen : kernels::karatsuba_kernels()) {
    for (const std::size_t n : kSizes) {
      for (int bits = 1; bits <= kMaxWideModulusBits; ++bits) {
        const KaratsubaKernel& kernel = *chosen.kernel;
        const KaratsubaShape shape = best_karatsuba_shape(kernel, {n, bits, 40});
        EXPECT_GE(shape.base_size << shape.recursions, n);
        EXPECT_EQ(shape.base_size % kernel.base_multiple, 0U);
        EXPECT_GE(static_cast<int>(shape.plane_count) * shape.chunk_bits, bits);
        EXPECT_LE(shape.chunk_bits, std::min(40, kernel.max_chunk_bits));
        EXPECT_LE(shape.chunk_bits + shape.recursions, kernel.word_bits) << chosen.name();
      }
    }
    EXPECT_EQ(karatsuba_shape(*chosen.kernel, {32769, 64}, 0).base_size, 0U);
    EXPECT_EQ(karatsuba_shape(*chosen.kernel, {64, 64}, 13).base_size, 0U);
  }
}

}  // namespace
}  // namespace ringlet::test
