// SPDX-License-Identifier: Apache-2.0
#include "ringlet/batch_encoder.hpp"
#include "ringlet/ckks_encoder.hpp"
#include "ringlet/context.hpp"
#include "ringlet/kernel_selection.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

constexpr std::size_t kDegree = 1024;

Context make_context(SchemeType scheme, const KernelSelection& kernels) {
  EncryptionParameters parms(scheme);
  parms.set_poly_modulus_degree(kDegree);
  parms.set_coeff_modulus(CoeffModulus::create(kDegree, std::vector<int>{45, 45}));
  if (scheme != SchemeType::ckks) parms.set_plain_modulus(PlainModulus::batching(kDegree, 20));
  return Context(parms, SecurityLevel::none, SecurityTable::classical_2024, kernels);
}

/// Calls so far by the table of the kernel.
std::map<std::string, std::uint64_t> calls_by_table() {
  std::map<std::string, std::uint64_t> calls;
  for (const KernelInfo& kernel : kernel_catalog()) calls[kernel.table] += kernel.calls;
  return calls;
}

TEST(ContextKernels, AreThoseThatItWasMadeWith) {
  const Context context = make_context(SchemeType::ckks, KernelSelection("scalar64"));
  EXPECT_EQ(context.kernels().text(), "scalar64");
  const Context copy = context.on_host();
  EXPECT_EQ(copy.kernels().text(), "scalar64");
}

TEST(ContextKernels, EncodersGoByThem) {
  if (!kernel_statistics_enabled()) GTEST_SKIP() << "this build counts no calls of kernels";
  const KernelSelection kernels("scalar64");
  const Context real = make_context(SchemeType::ckks, kernels);
  const Context exact = make_context(SchemeType::bfv, kernels);
  const CKKSEncoder real_encoder(real);
  const BatchEncoder exact_encoder(exact);
  auto before = calls_by_table();
  Plaintext plain;
  std::vector<double> values(real_encoder.slot_count(), 0.5);
  real_encoder.encode(values, 0x1p30, plain);
  real_encoder.decode(plain, values);
  EXPECT_NEAR(values.front(), 0.5, 1e-6);
  std::vector<std::uint64_t> integers(exact_encoder.slot_count(), 7);
  exact_encoder.encode(integers, plain);
  exact_encoder.decode(plain, integers);
  EXPECT_EQ(integers.back(), 7u);
  auto after = calls_by_table();
  EXPECT_GT(after["scalar64"], before["scalar64"]);
  for (const auto& [table, calls] : after) {
    if (table != "scalar64") {
      EXPECT_EQ(calls, before[table]) << table;
    }
  }
}

}  // namespace
}  // namespace ringlet::test
