// SPDX-License-Identifier: Apache-2.0
#include "ringlet/ringlet.hpp"
#include "support/device_fixture.hpp"
#include "support/test.hpp"

namespace ringlet::test {
namespace {

// A GPU's transforms and automorphisms are those of X^N + 1.
class GeneralRingOnDevice : public DeviceTest {};

TEST_F(GeneralRingOnDevice, IsRefused) {
  const RingSpec ring = RingSpec::cyclotomic(105);
  const RnsBasis basis(ring, CoeffModulus::create(ring, {49, 49}));
  try {
    make_backend(basis, device);
    FAIL() << "not refused";
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.operation(), "make_backend");
    EXPECT_NE(error.offending().find("m = 105"), std::string::npos) << error.what();
    EXPECT_NE(error.limit().find("X^N + 1"), std::string::npos) << error.what();
    EXPECT_NE(error.remedy().find("cpu"), std::string::npos) << error.what();
  }
  EXPECT_EQ(make_backend(basis, Device::cpu())->basis().ring(), ring);

  EncryptionParameters parms(SchemeType::bgv);
  parms.set_ring(ring);
  parms.set_coeff_modulus({basis[0], basis[1]});
  parms.set_plain_modulus(2);
  const Context context(parms, SecurityLevel::none);
  EXPECT_THROW((void)context.on(device), InvalidArgument);
  EXPECT_EQ(context.on(Device::cpu()).backend().name(), "cpu");
}

}  // namespace
}  // namespace ringlet::test
