// SPDX-License-Identifier: Apache-2.0
#include "ringlet/fv/wide_product.hpp"
#include "support/reference/wide_reference.hpp"
#include "support/values.hpp"

// Products of wide polynomials: every way on every table of this machine against FLINT.

namespace ringlet::test {
namespace {

constexpr ProductWay kWays[] = {ProductWay::automatic, ProductWay::karatsuba, ProductWay::ntt,
                                ProductWay::additions};
constexpr int kBitCounts[] = {2, 20, 64, 65, 100, 125, 128, 129, 135};

using Small = std::vector<std::int8_t>;
using Error = std::vector<std::int32_t>;

/// The tables that this processor has, or the one that the environment names.
std::vector<KernelSelection> selections() {
  const KernelSelection& forced = KernelSelection::from_environment();
  if (!forced.table().empty()) return {forced};
  std::vector<KernelSelection> found;
  const auto catalog = kernel_catalog();
  for (const std::string& table : kernel_tables()) {
    const auto runs_here = [&](const auto& kernel) {
      return kernel.table == table && kernel.available;
    };
    if (std::ranges::any_of(catalog, runs_here)) found.emplace_back(table);
  }
  return found;
}

/// Every way on every table, for one ring and modulus. Some lower tables are left out at random in
/// short runs.
std::vector<WideProduct> products(const CyclotomicPolynomial& phi, const WideModulus& q,
                                  std::mt19937_64& rng) {
  std::vector<WideProduct> found;
  const std::vector<KernelSelection> tables = selections();
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
  // Any number of so many bits, at times a power of two or next to one.
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

Small random_small(std::size_t degree, std::mt19937_64& rng) {
  const bool binary = rng() % 2 == 0;
  Small u(degree);
  for (auto& value : u) {
    value = static_cast<std::int8_t>(binary ? static_cast<int>(rng() % 2)
                                            : static_cast<int>(rng() % 3) - 1);
  }
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
  /// Moduli of one run: all in a long one, two in a short one.
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
    // Large rings take one of them in a short run.
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

}  // namespace
}  // namespace ringlet::test
