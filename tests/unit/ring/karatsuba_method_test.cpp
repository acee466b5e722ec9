// SPDX-License-Identifier: Apache-2.0
#include "kernels/select.hpp"
#include "ringlet/error.hpp"
#include "ringlet/wide_product.hpp"
#include "support/test.hpp"
#include "support/values.hpp"
#include "support/wide_reference.hpp"

namespace ringlet::test {
namespace {

constexpr std::uint64_t kIndex = 121;

/// p * u + e for each kernel that the selection allows, against FLINT.
WidePoly product_by(const KernelSelection& kernels, const WidePoly& p,
                    const std::vector<std::int8_t>& u, const WideModulus& q) {
  const WideProduct product(CyclotomicPolynomial(kIndex), q, ProductWay::karatsuba, kernels);
  std::vector<WidePoly> results(1);
  const std::vector<std::span<const std::int8_t>> small{u};
  const std::vector<std::span<const std::int32_t>> e{{}};
  product.multiply_add(results, *product.prepare(p), small, e);
  return results[0];
}

TEST(KaratsubaMethod, EveryKernelGivesTheSameBits) {
  auto rng = make_rng();
  const CyclotomicPolynomial phi(kIndex);
  const WideModulus q = WideModulus::largest_prime(135);
  const WidePoly p = random_wide_poly(phi.degree(), q, rng);
  std::vector<std::int8_t> u(phi.degree());
  for (auto& value : u) value = static_cast<std::int8_t>(static_cast<int>(rng() % 3) - 1);
  const WidePoly expected = WideReference(phi, q).multiply_add(p, u, {});
  EXPECT_EQ(product_by(KernelSelection::from_environment(), p, u, q), expected);
  for (const auto& chosen : kernels::karatsuba_kernels()) {
    EXPECT_EQ(product_by(KernelSelection(chosen.name()), p, u, q), expected) << chosen.name();
  }
}

TEST(KaratsubaMethod, NamesTheKernelThatWasAskedFor) {
  const CyclotomicPolynomial phi(kIndex);
  const WideModulus q = WideModulus::largest_prime(125);
  for (const auto& chosen : kernels::karatsuba_kernels()) {
    const WideProduct exact(phi, q, ProductWay::karatsuba, KernelSelection(chosen.name()));
    EXPECT_EQ(exact.way(), ProductWay::karatsuba);
    EXPECT_EQ(exact.kernel_name().find("karatsuba/" + chosen.name() + "/"), 0U);
    const KernelSelection ceiling(chosen.kernel->table);
    const WideProduct table(phi, q, ProductWay::karatsuba, ceiling);
    EXPECT_EQ(table.kernel_name().find("karatsuba/" + std::string(chosen.kernel->table) + "/"), 0U);
    EXPECT_GT(exact.scratch_bytes(4), 0U);
    EXPECT_GT(exact.table_bytes(), 0U);
  }
}

TEST(KaratsubaMethod, TakesWhatItPreparedAndNothingElse) {
  auto rng = make_rng();
  const CyclotomicPolynomial phi(kIndex);
  const WideModulus q = WideModulus::largest_prime(125);
  const WideModulus other = WideModulus::largest_prime(124);
  const WidePoly p = random_wide_poly(phi.degree(), other, rng);
  const WideProduct first(phi, q, ProductWay::karatsuba);
  const WideProduct second(phi, other, ProductWay::karatsuba);
  const WideProduct sums(phi, q, ProductWay::additions);
  std::vector<WidePoly> results(1);
  const std::vector<std::int8_t> u(phi.degree(), 1);
  const std::vector<std::span<const std::int8_t>> small{u};
  const std::vector<std::span<const std::int32_t>> e{{}};
  EXPECT_THROW(first.multiply_add(results, *second.prepare(p), small, e), InvalidArgument);
  EXPECT_THROW(first.multiply_add(results, *sums.prepare(p), small, e), InvalidArgument);
  EXPECT_NO_THROW(first.multiply_add(results, *first.prepare(p), small, e));
  EXPECT_GT(first.prepare(p)->bytes(), p.degree() * 16);
}

}  // namespace
}  // namespace ringlet::test
