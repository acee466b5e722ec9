// SPDX-License-Identifier: Apache-2.0
#include <cfenv>

#include "support/environment.hpp"
#include "support/guarded_wide.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

// Some kernels of double words compute in doubles.

namespace ringlet::test {
namespace {

/// Restores the rounding mode of the program.
class RoundingMode {
 public:
  explicit RoundingMode(int mode) : before_(std::fegetround()) { std::fesetround(mode); }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;
  ~RoundingMode() { std::fesetround(before_); }

 private:
  int before_;
};

/// Results of all operations and of both transforms, one after the other.
std::vector<DoubleWords> all_results(const WideModulus& q, const std::string& kernel,
                                     const DoubleWords& a, const DoubleWords& b) {
  const WideEltwise eltwise(q, KernelSelection(kernel));
  const WideNtt ntt(a.size(), q, WideRing::negacyclic, KernelSelection(kernel));
  GuardedWide x(a, false);
  GuardedWide y(b, false);
  GuardedWide z(a, false);
  std::vector<DoubleWords> results;
  const auto keep = [&] { results.push_back(z.values()); };
  eltwise.multiply(z.view(), x.view(), y.view());
  keep();
  eltwise.multiply_scalar_add(z.view(), b.front(), x.view(), y.view());
  keep();
  eltwise.reduce(z.view(), x.view());
  keep();
  ntt.forward(z.view(), x.view());
  keep();
  ntt.inverse(z.view(), y.view());
  keep();
  results.push_back({eltwise.dot(x.view(), y.view())});
  return results;
}

TEST(WideRounding, SameBitsInEveryRoundingModeWhichStaysAsItWas) {
  auto rng = make_rng();
  for (const WideModulus& q : {generate_wide_ntt_primes(124, 512, 1).front(),
                               generate_wide_ntt_primes(100, 512, 1).front()}) {
    const DoubleWords a = random_elements(512, q, rng);
    const DoubleWords b = random_elements(512, q, rng);
    const std::vector<DoubleWords> expected = all_results(q, "scalar64/shoup128", a, b);
    for (const std::string& kernel : wide_kernel_names(q)) {
      for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        const RoundingMode scope(mode);
        EXPECT_EQ(all_results(q, kernel, a, b), expected) << kernel << ", rounding mode " << mode;
        EXPECT_EQ(std::fegetround(), mode) << kernel;
      }
    }
  }
}

}  // namespace
}  // namespace ringlet::test
